/**
 * A real disk (a tmpfs) that fills up under clients who repeat refused sends at once: as soon as there is room, their
 * sends are acknowledged again. The time of an outage does not count as the pace of the disk (F17).
 */
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Readable, type Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { TURNS_PER_AWAITED_EPOCH } from '../../src/limits.ts';
import { byEffort, LONG_PATIENCE_MS } from '../support/effort.ts';
import { until } from '../support/until.ts';

const CHILD = fileURLToPath(new URL('../support/fixtures/crash/flooded-child.mjs', import.meta.url));
const ROUNDS = byEffort({ quick: 2, ci: 3, soak: 20 });
/** Sends on the way of a connection, which leave room for one more. */
const SENDS_EACH = 50;
/** While an epoch fails and the next is full, more than another one of their sends waits. */
const CLIENTS = Math.ceil((4 * TURNS_PER_AWAITED_EPOCH) / SENDS_EACH);
const TOKENS = Array.from({ length: CLIENTS }, (_, n) => `token-of-client-${n}-0123456789`);
/** Failures of the store in an outage: past all tries that come soon, and up to more than twelve seconds. */
const FAILURES = [12, 7, 9];
/** Acknowledgements after which a flood goes on as before. */
const ACKNOWLEDGED = 2 * CLIENTS * SENDS_EACH;

let disk: string;
let isMounted = false;
beforeAll(() => {
  disk = mkdtempSync(join(tmpdir(), 'bosun-flooded-'));
  isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', disk]).status === 0;
});
afterAll(() => {
  if (isMounted) spawnSync('umount', ['-l', disk]);
  rmSync(disk, { recursive: true, force: true });
});

/**
 * Clients that each have a number of sends on their way and send the next at once for each answer; they do not wait
 * for sends without an answer.
 */
class Flood {
  readonly refusals = new Map<string, number>();
  readonly #clients: { readonly socket: WebSocket; readonly send: () => void; onTheWay: number }[] = [];
  #sent = 0;
  /** Numbers of sends from this on count. */
  #since = Infinity;
  #acknowledged = 0;

  /** Begins the flood. The clients come one by one: a gateway takes few at a time that it does not know yet. */
  async begin(port: number): Promise<void> {
    for (let n = 0; n < CLIENTS; n++) await this.#connect(port, n);
    for (const { send } of this.#clients) for (let n = 0; n < SENDS_EACH; n++) send();
  }

  /** Resolves when so many of the sends that are sent from now on are acknowledged. */
  async acknowledges(count: number): Promise<void> {
    this.#since = this.#sent;
    this.#acknowledged = 0;
    await until(
      () => this.#acknowledged >= count,
      () => `${count} acknowledgements, after ${this.#acknowledged} and ${JSON.stringify([...this.refusals])}`,
    );
  }

  /** Resolves when no client waits to send: everything that was answered has been followed by the next. */
  waits(): Promise<void> {
    return until(
      () => this.#clients.every(({ onTheWay }) => onTheWay >= SENDS_EACH),
      () => 'sends of all clients on their way',
    );
  }

  /** Resolves when a send has been refused. */
  isRefused(): Promise<void> {
    return until(
      () => this.refusals.size > 0,
      () => 'a refused send',
    );
  }

  /** Sends one more for each client, whose other sends all wait for the same epoch. */
  insist(): void {
    for (const { send } of this.#clients) send();
  }

  [Symbol.dispose](): void {
    for (const { socket } of this.#clients) socket.terminate();
  }

  #connect(port: number, number: number): Promise<void> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/ws`);
    const event = { type: 'add', text: 'x'.repeat(1_000) };
    const send = () => {
      const id = String(this.#sent++);
      client.onTheWay += 1;
      socket.send(JSON.stringify({ t: 'req', id, m: 'actor.send', p: { address: `counter-${number}`, event } }));
    };
    const client = { socket, send, onTheWay: 0 };
    this.#clients.push(client);
    socket.on('open', () => socket.send(JSON.stringify({ t: 'hello', v: 1, token: TOKENS[number] })));
    socket.on('error', () => {});
    return new Promise((welcome) =>
      socket.on('message', (data: Buffer) => {
        const frame = JSON.parse(data.toString('utf8')) as { t: string; id: string; ok: boolean; e?: { code: string } };
        if (frame.t === 'ping') socket.send(JSON.stringify({ t: 'pong' }));
        if (frame.t === 'welcome') welcome();
        if (frame.t !== 'res') return;
        client.onTheWay -= 1;
        if (!frame.ok) this.refusals.set(frame.e!.code, (this.refusals.get(frame.e!.code) ?? 0) + 1);
        else if (Number(frame.id) >= this.#since) this.#acknowledged += 1;
        if (!frame.ok || client.onTheWay < SENDS_EACH) send();
      }),
    );
  }
}

/** The process whose disk fills up. */
class Served {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #said: string[] = [];

  constructor(directory: string) {
    const args = [CHILD, directory, join(disk, 'ballast'), JSON.stringify(TOKENS)];
    this.#child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#said.push(line));
  }

  async port(): Promise<number> {
    await this.#says(() => this.#said.length > 0);
    return Number(this.#said.shift()!.slice('port '.length));
  }

  /** Fills the disk under the flood until so many tries to write to it have failed. */
  async outage(flood: Flood, failures: number): Promise<void> {
    this.#child.stdin.write(`fill ${failures}\n`);
    await this.#says(() => this.#said.includes('failing'));
    // All are to wait when the store fails: their next ones are refused.
    await flood.waits();
    this.#child.stdin.write('go\n');
    const failed = Array.from({ length: failures - 1 }, () => 'failed');
    await this.#says(() => this.#said.length > 1 + failed.length);
    flood.insist();
    await flood.isRefused();
    this.#child.stdin.write('go\n');
    await this.#says(() => this.#said.length > 2 + failed.length);
    expect(this.#said.splice(0)).toEqual(['failing', ...failed, 'failing', 'failed']);
  }

  #says(isSaid: () => boolean): Promise<void> {
    return until(isSaid, () => `another line than ${this.#said.join()}`);
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }
}

describe('a full disk under a flood of sends', () => {
  it(
    `acknowledges repeated sends once there is room, and is not overloaded, in each of ${ROUNDS} rounds (F17)`,
    async ({ skip }) => {
      skip(!isMounted, 'this process has no right to mount a disk');
      const directory = join(disk, 'data');
      mkdirSync(directory);
      using served = new Served(directory);
      using flood = new Flood();
      await flood.begin(await served.port());
      await flood.acknowledges(ACKNOWLEDGED);
      for (let round = 0; round < ROUNDS; round++) {
        flood.refusals.clear();
        await served.outage(flood, FAILURES[round % FAILURES.length]!);
        await flood.acknowledges(ACKNOWLEDGED);
        // The disk was full, and nothing else was in the way.
        expect([...flood.refusals.keys()]).toEqual(['BOSUN_STORE_UNAVAILABLE']);
      }
    },
    LONG_PATIENCE_MS,
  );
});
