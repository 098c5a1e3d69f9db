/**
 * A real disk (a tmpfs) that fills up under clients who repeat refused sends at once: as soon as there is room, their
 * sends are acknowledged again. The time of an outage does not count as the pace of the disk (F17).
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { CALLS_IN_FLIGHT_MAX } from '../../src/gateway/limits.ts';
import { byEffort, EFFORT, LONG_PATIENCE_MS, PATIENCE_MS } from '../support/effort.ts';
import { until } from '../support/cli/workspace.ts';

const CHILD = fileURLToPath(new URL('../support/fixtures/crash/flooded-child.mjs', import.meta.url));
const ROUNDS = byEffort({ quick: 2, ci: 3, soak: 20 });
const CLIENTS = 20;
const TOKENS = Array.from({ length: CLIENTS }, (_, n) => `token-of-client-${n}-0123456789`);
/** More than go into one epoch, together; what a connection may have on its way leaves room for others. */
const SENDS_EACH = 40;
/**
 * From room to the first acknowledgement of something that was sent behind it. How quick a machine is that does other
 * things is not known: outside of the soak it comes at all.
 */
const AGAIN_MS_MAX = EFFORT === 'soak' ? 5_000 : PATIENCE_MS;
/** After so long without an answer a client sends one more. */
const IMPATIENT_MS = 200;
/** Past all tries that come soon, and between two of the others. */
const OUTAGES_MS = [3_000, 7_500, 12_000];

const disk = mkdtempSync(join(tmpdir(), 'bosun-flooded-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', disk]).status === 0;
afterAll(() => {
  if (isMounted) spawnSync('umount', ['-l', disk]);
  rmSync(disk, { recursive: true, force: true });
});

/** A file that takes all free room, again and again, until it is removed. */
class Ballast {
  readonly #path = join(disk, 'ballast');
  readonly #file = openSync(this.#path, 'w');
  readonly #filling = setInterval(() => this.#fill(), 50);

  constructor() {
    this.#fill();
  }

  remove(): void {
    clearInterval(this.#filling);
    closeSync(this.#file);
    rmSync(this.#path);
  }

  #fill(): void {
    for (const bytes of [65_536, 512]) {
      try {
        for (;;) writeSync(this.#file, Buffer.alloc(bytes));
      } catch {
        // Nothing of that size fits any more.
      }
    }
  }
}

/**
 * Clients that each have a number of sends on their way and send the next at once for each answer; they do not wait
 * for sends without an answer.
 */
class Flood {
  readonly refusals = new Map<string, number>();
  readonly #sockets: WebSocket[] = [];
  readonly #impatient: NodeJS.Timeout[] = [];
  #sent = 0;
  /** Numbers of sends from this on count. */
  #since = Infinity;
  #acknowledged: () => void = () => {};

  constructor(port: number) {
    for (let n = 0; n < CLIENTS; n++) this.#sockets.push(this.#client(port, n));
  }

  /** Resolves when something is acknowledged that is sent from now on. */
  acknowledged(): Promise<void> {
    this.#since = this.#sent;
    return new Promise((resolve) => (this.#acknowledged = resolve));
  }

  end(): void {
    for (const timer of this.#impatient) clearInterval(timer);
    for (const socket of this.#sockets) socket.terminate();
  }

  #client(port: number, number: number): WebSocket {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/ws`);
    const event = { type: 'add', text: 'x'.repeat(1_000) };
    let onTheWay = 0;
    let answeredMs = Infinity;
    const send = () => {
      const id = String(this.#sent++);
      onTheWay += 1;
      socket.send(JSON.stringify({ t: 'req', id, m: 'actor.send', p: { address: `counter-${number}`, event } }));
    };
    const insist = () => {
      const isStuck = performance.now() - answeredMs > IMPATIENT_MS;
      if (isStuck && onTheWay < CALLS_IN_FLIGHT_MAX && socket.readyState === WebSocket.OPEN) send();
    };
    this.#impatient.push(setInterval(insist, IMPATIENT_MS));
    socket.on('open', () => socket.send(JSON.stringify({ t: 'hello', v: 1, token: TOKENS[number] })));
    socket.on('error', () => {});
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString('utf8')) as { t: string; id: string; ok: boolean; e?: { code: string } };
      if (frame.t === 'ping') socket.send(JSON.stringify({ t: 'pong' }));
      if (frame.t === 'welcome') for (let n = 0; n < SENDS_EACH; n++) send();
      if (frame.t !== 'res') return;
      onTheWay -= 1;
      answeredMs = performance.now();
      if (!frame.ok) this.refusals.set(frame.e!.code, (this.refusals.get(frame.e!.code) ?? 0) + 1);
      else if (Number(frame.id) >= this.#since) this.#acknowledged();
      if (!frame.ok || onTheWay < SENDS_EACH) send();
    });
    return socket;
  }
}

async function served(directory: string): Promise<{ child: ChildProcess; port: number; said: string[] }> {
  const child = spawn(process.execPath, [CHILD, directory, JSON.stringify(TOKENS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said: string[] = [];
  const port = await new Promise<number>((resolve) =>
    createInterface({ input: child.stdout }).on('line', (line) => {
      said.push(line);
      if (line.startsWith('port ')) resolve(Number(line.slice('port '.length)));
    }),
  );
  return { child, port, said };
}

describe('a full disk under a flood of sends', () => {
  it.runIf(isMounted)(
    `acknowledges repeated sends within ${AGAIN_MS_MAX} ms once there is room, in each of ${ROUNDS} rounds (F17)`,
    async () => {
      const directory = join(disk, 'data');
      mkdirSync(directory);
      const { child, port, said } = await served(directory);
      const flood = new Flood(port);
      const rounds: { outageMs: number; tookMs: number; refusals: object }[] = [];
      await flood.acknowledged();
      for (let round = 0; round < ROUNDS; round++) {
        const outageMs = OUTAGES_MS[round % OUTAGES_MS.length]!;
        const ballast = new Ballast();
        flood.refusals.clear();
        await pause(outageMs);
        await until(
          () => flood.refusals.has('BOSUN_STORE_UNAVAILABLE'),
          () => 'the full disk',
        );
        ballast.remove();
        const begun = performance.now();
        await Promise.race([flood.acknowledged(), pause(AGAIN_MS_MAX)]);
        rounds.push({ outageMs, tookMs: performance.now() - begun, refusals: Object.fromEntries(flood.refusals) });
        await pause(500);
      }
      flood.end();
      child.kill('SIGKILL');
      console.log(
        `flooded disk: ${rounds.map(({ outageMs, tookMs }) => `${outageMs}: ${Math.round(tookMs)}`).join()} ms`,
      );
      expect(said).toHaveLength(1);
      for (const { tookMs, refusals } of rounds) {
        expect(tookMs).toBeLessThan(AGAIN_MS_MAX);
        // The disk was full, and the flood was one.
        expect(Object.keys(refusals)).toContain('BOSUN_STORE_UNAVAILABLE');
        expect(Object.keys(refusals)).not.toContain('BOSUN_OVERLOADED');
      }
    },
    LONG_PATIENCE_MS,
  );

  it.runIf(!isMounted)('cannot be tested here, because this process has no right to mount a disk', () => {
    expect(isMounted).toBe(false);
  });
});
