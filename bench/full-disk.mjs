/**
 * How soon a served system acknowledges again after its disk was full: `npm run full-disk -- [ROUNDS [MS]]`, by
 * default 50 and 30000. `bosun serve` runs on a small disk of its own (a tmpfs, which needs root on Linux). Clients of
 * bosun/client and of HTTP flood it with sends, and repeat refused ones at once. In each round a ballast takes all room
 * until nothing is acknowledged any more. Further sends are refused, for up to three seconds; then the ballast is
 * removed. Every fifth round the process is killed by SIGKILL, every other time while the disk is full.
 *
 * Prints the time from the removal, or from the start of the next process, to the next acknowledgement of anybody, and
 * to that of the last client, who may have waited to connect again. Ends with 1 if the former is longer than MS, or a
 * number is missing or doubled; with 77 if there can be no such disk here.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { createClient } from '../dist/client/index.js';

const ROUNDS = Number(process.argv[2] ?? 50);
const DISK_BYTES = 64 * 1024 * 1024;
const [BY_SOCKET, BY_HTTP] = [16, 8];
/** Sends of a client that are on the way at once. */
const [SENDS_BY_SOCKET, SENDS_BY_HTTP] = [50, 10];
/** Further sends of a client that come while the disk is full: the others wait for room, and these are refused. */
const SENDS_WHEN_FULL = 4;
/** Time without an acknowledgement after which everything waits. */
const SILENT_MS = 500;
/** Time for which a full disk stays full after the first refusal, by turns. */
const FULL_MS = [0, 300, 1_000, 3_000, 2_000];
/** Time between two looks for room that LevelDB has made on a full disk. */
const FILL_MS = 20;
const ROUNDS_OF_A_PROCESS = 5;
/** The bound that is shown, and the time after which a round is given up. */
const [LATE_MS, NEVER_MS] = [Number(process.argv[3] ?? 30_000), 120_000];
const UNTIMELY = 77;
const TEXT = 'x'.repeat(1_000);

const root = fileURLToPath(new URL('..', import.meta.url));
const tokenOf = (n) => `token-of-client-${n}-0123456789`;
const problems = [];
const refusals = new Map();
const refused = (code) => refusals.set(code, (refusals.get(code) ?? 0) + 1);
let isOver = false;

/** A client that keeps sends on the way: each has a number, and is repeated at once until it is acknowledged. */
class Flooder {
  acknowledged = new Set();
  lastMs = 0;
  #number;
  #next = 0;
  #deliver;

  constructor(number, deliver) {
    this.#number = number;
    this.#deliver = deliver;
  }

  /** Keeps so many more sends on the way while `goesOn`. */
  begin(sends, goesOn = () => true) {
    for (let n = 0; n < sends; n++) void this.#flood(goesOn);
  }

  async #flood(goesOn) {
    while (!isOver && goesOn()) {
      const n = this.#next++;
      if (await this.#insist(n)) this.acknowledged.add(n);
      this.lastMs = performance.now();
    }
  }

  /** Whether the send was acknowledged. If it is unknown, which only sessions leave open, it is not repeated. */
  async #insist(n) {
    for (;;) {
      if (isOver) return false;
      const code = await this.#deliver(n);
      if (code === undefined) return true;
      refused(code);
      if (code === 'unknown') return false;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /**
   * Finds acknowledged numbers that the actor does not have, and numbers that it has twice. What is acknowledged is in
   * its mailbox for certain, and has its turn later.
   */
  async verify(url) {
    const untilMs = performance.now() + NEVER_MS;
    let missing = [...this.acknowledged];
    for (;;) {
      const { ranges, doubles } = await contextOf(url, this.#number);
      missing = missing.filter((n) => !ranges.some(([from, to]) => from <= n && n <= to));
      const isLate = performance.now() > untilMs;
      if (doubles > 0 || (isLate && missing.length > 0))
        problems.push(`client ${this.#number}: ${missing.length} missing (${missing.slice(0, 5)}), ${doubles} doubled`);
      if (doubles > 0 || isLate || missing.length === 0) return;
      await pause(FILL_MS);
    }
  }
}

async function contextOf(url, n) {
  for (;;) {
    const response = await fetch(`${url}/v1/actors/ledger-${n}`, {
      headers: { Authorization: `Bearer ${tokenOf(n)}` },
    }).catch(() => undefined);
    if (response?.status === 200) return (await response.json()).context;
    await response?.body?.cancel();
    await pause(FILL_MS);
  }
}

/** Refusals that are no answer: what was sent may have happened. */
const UNKNOWN = ['BOSUN_TIMEOUT', 'BOSUN_CLIENT_CLOSED', 'BOSUN_CALL_CANCELLED'];

function bySocket(url, number) {
  const client = createClient(url, { WebSocket, token: tokenOf(number) });
  const actor = client.actor(`ledger-${number}`);
  return new Flooder(number, (n) =>
    actor.send({ type: 'add', n, text: TEXT }, { timeoutMs: NEVER_MS }).then(
      () => undefined,
      (error) => (UNKNOWN.includes(error.code) ? 'unknown' : (error.code ?? `without a code: ${error}`)),
    ),
  );
}

function byHttp(url, number) {
  const headers = { Authorization: `Bearer ${tokenOf(number)}`, 'Content-Type': 'application/json' };
  return new Flooder(number, async (n) => {
    try {
      const response = await fetch(`${url}/v1/actors/ledger-${number}/send`, {
        method: 'POST',
        headers: { ...headers, 'Idempotency-Key': `n-${n}` },
        body: JSON.stringify({ event: { type: 'add', n, text: TEXT } }),
      });
      const { error } = await response.json();
      return error?.code;
    } catch {
      // The process is being killed, or has been: what is repeated has the same key.
      await pause(FILL_MS);
      return 'no answer';
    }
  });
}

/** The process of `bosun serve`. */
class Served {
  #child;
  #said = [];

  async start(directory, port) {
    const args = ['--max-semi-space-size=64', join(root, 'dist/cli/main.js'), 'serve', '--json'];
    const config = join(root, 'bench/full-disk-config.mjs');
    this.#child = spawn(process.execPath, [...args, '--config', config, '--data', directory, '--port', port], {
      env: { ...process.env, FULL_DISK_CLIENTS: String(BY_SOCKET + BY_HTTP) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    createInterface({ input: this.#child.stderr }).on('line', (line) => this.#said.push(line));
    const child = this.#child;
    const ended = once(child, 'exit').then(([code]) => {
      if (code !== null) problems.push(`bosun serve ended with ${code}: ${this.#said.slice(-3).join('\n')}`);
      return 'ended';
    });
    const serving = new Promise((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => line.includes('"serving"') && resolve('serving'));
    });
    if ((await Promise.race([ended, serving])) === 'ended') throw new Error(problems.at(-1));
  }

  get said() {
    return this.#said.slice(-5).join('\n');
  }

  async kill() {
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }
}

/** A file that takes all room of the disk, also what LevelDB frees meanwhile. */
class Ballast {
  #path;
  #file;
  #timer;

  constructor(path) {
    this.#path = path;
  }

  fill() {
    this.#file = openSync(this.#path, 'w');
    this.#take();
    this.#timer = setInterval(() => this.#take(), FILL_MS);
  }

  remove() {
    clearInterval(this.#timer);
    closeSync(this.#file);
    rmSync(this.#path);
  }

  #take() {
    for (const bytes of [1024 * 1024, 4_096, 512]) {
      const block = Buffer.alloc(bytes);
      try {
        while (writeSync(this.#file, block) === bytes);
      } catch {
        // No such block fits any more.
      }
    }
  }
}

async function until(isSo, what, msMax = NEVER_MS) {
  const fromMs = performance.now();
  while (!isSo()) {
    if (performance.now() - fromMs > msMax) {
      problems.push(`waited in vain for ${what}; refusals: ${JSON.stringify([...refusals])}`);
      return false;
    }
    await pause(5);
  }
  return true;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return String(port);
}

function figuresOf(times) {
  const sorted = times.toSorted((a, b) => a - b);
  return `median ${Math.round(sorted[Math.floor(sorted.length / 2)])} ms, worst ${Math.round(sorted.at(-1))} ms`;
}

async function prove(disk) {
  const [directory, ballast, port] = [join(disk, 'data'), new Ballast(join(disk, 'ballast')), await freePort()];
  mkdirSync(directory);
  const url = `http://127.0.0.1:${port}`;
  let served = new Served();
  await served.start(directory, port);
  const flooders = Array.from({ length: BY_SOCKET + BY_HTTP }, (_, n) =>
    n < BY_SOCKET ? bySocket(url, n) : byHttp(url, n),
  );
  flooders.forEach((flooder, n) => flooder.begin(n < BY_SOCKET ? SENDS_BY_SOCKET : SENDS_BY_HTTP));
  const hasHeard = (fromMs, some) => () => flooders[some](({ lastMs }) => lastMs > fromMs);
  await until(hasHeard(0, 'every'), 'the first acknowledgements');
  const [first, last, starts] = [[], [], []];
  for (let round = 0; round < ROUNDS && problems.length === 0; round++) {
    const [kills, isFullThen] = [round % ROUNDS_OF_A_PROCESS === ROUNDS_OF_A_PROCESS - 1, round % 2 === 0];
    refusals.clear();
    ballast.fill();
    await until(() => !hasHeard(performance.now() - SILENT_MS, 'some')(), 'silence');
    let isFull = true;
    for (const flooder of flooders) flooder.begin(SENDS_WHEN_FULL, () => isFull);
    await until(() => refusals.has('BOSUN_STORE_UNAVAILABLE'), 'a refusal');
    await pause(FULL_MS[round % FULL_MS.length]);
    if (kills && isFullThen) await served.kill();
    isFull = false;
    ballast.remove();
    const removedMs = performance.now();
    if (kills && isFullThen) await (served = new Served()).start(directory, port);
    const roomMs = performance.now();
    if (kills && isFullThen) starts.push(roomMs - removedMs);
    if (!(await until(hasHeard(roomMs, 'some'), 'an acknowledgement'))) problems.push(served.said);
    first.push(performance.now() - roomMs);
    await until(hasHeard(roomMs, 'every'), 'an acknowledgement of each client');
    last.push(performance.now() - roomMs);
    if (first.at(-1) > LATE_MS) problems.push(`round ${round}: the first acknowledgement after ${first.at(-1)} ms`);
    const told = [first, last].map((times) => Math.round(times.at(-1)));
    const killed = kills && isFullThen ? `, behind a start of ${Math.round(starts.at(-1))} ms` : '';
    console.log(
      `round ${round}: ${told.join(' and ')} ms${killed}; refused: ${JSON.stringify(Object.fromEntries(refusals))}`,
    );
    if (kills && !isFullThen) {
      await served.kill();
      await (served = new Served()).start(directory, port);
    }
    if (kills) await Promise.all(flooders.map((flooder) => flooder.verify(url)));
  }
  await served.kill();
  await (served = new Served()).start(directory, port);
  await Promise.all(flooders.map((flooder) => flooder.verify(url)));
  isOver = true;
  await served.kill();
  const count = flooders.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
  console.log(`${first.length} rounds, ${count} acknowledged sends, ${problems.length} violations`);
  console.log(`the first acknowledgement after room: ${figuresOf(first)}; of the last client: ${figuresOf(last)}`);
  if (starts.length > 0) console.log(`starts on the store of a killed process: ${figuresOf(starts)}`);
}

const disk = mkdtempSync(join(tmpdir(), 'bosun-full-disk-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', disk]);
try {
  if (mounted.status === 0) await prove(disk);
  else console.log('left out: this process has no right to mount a disk');
} finally {
  if (mounted.status === 0) spawnSync('umount', ['-l', disk]);
  rmSync(disk, { recursive: true, force: true });
}
for (const problem of problems) console.error(problem);
process.exit(mounted.status === 0 ? Math.min(1, problems.length) : UNTIMELY);
