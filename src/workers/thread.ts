/**
 * The script of a worker's thread: loads the host's module, starts the shard on its store, and passes frames on. It
 * ends when told to, or with its thread; all of its state is in the store.
 */
import { join } from 'node:path';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Wire } from '../actors/model/wire.ts';
import { assert } from '../assert.ts';
import { type Clock, systemClock } from '../clock.ts';
import { BosunError, messageOf } from '../errors.ts';
import { harmless, LogLine, unawaitedLine } from '../log.ts';
import { levelStore } from '../persistence/store/level-store.ts';
import { Shard } from '../shard.ts';
import { packed, toldError } from './call-messages.ts';
import { CallService, type WorkerGateway, type WorkerGatewayModule } from './call-service.ts';
import { factsOf } from './facts.ts';
import { type WorkerOptions } from './options.ts';
import { type FromThread, type ThreadData, type ToThread } from './thread-messages.ts';

assert(parentPort !== null, 'this module is the thread of a worker');
const host: MessagePort = parentPort;
const data = workerData as ThreadData;

/** Ports to the other workers; a restarted worker has a new one. */
class PortWire implements Wire {
  readonly #ports = new Map<number, MessagePort>();
  #listener: ((from: number, bytes: Uint8Array) => void) | undefined;

  connect(index: number, port: MessagePort): void {
    this.#ports.get(index)?.close();
    this.#ports.set(index, port);
    if (this.#listener !== undefined) this.#hear(index, port);
  }

  post(shard: number, bytes: Uint8Array): void {
    // A copy to transfer: posting bytes of Node's pool would copy the whole pool.
    const own = new Uint8Array(bytes);
    this.#ports.get(shard)?.postMessage(own, [own.buffer]);
  }

  listen(listener: (from: number, bytes: Uint8Array) => void): void {
    this.#listener = listener;
    for (const [index, port] of this.#ports) this.#hear(index, port);
  }

  #hear(index: number, port: MessagePort): void {
    port.on('message', (bytes: Uint8Array) => this.#listener?.(index, bytes));
    // Only the host's port keeps the thread alive.
    port.unref();
  }
}

const wire = new PortWire();
for (const [index, port] of data.peers) wire.connect(index, port);

let go = (): void => {};
const gone = new Promise<void>((resolve) => (go = resolve));

function gate(): Promise<void> {
  say({ is: 'ready' });
  return gone;
}

function say(word: FromThread): void {
  host.postMessage(word);
}

function sayFailed(error: unknown): void {
  say({ is: 'failed', error: packed(toldError(error)) });
}

/** Logs to the host; for workers whose module names no log. */
function logAtHost(...args: unknown[]): void {
  const [line] = args;
  if (line instanceof LogLine) say({ is: 'logged', text: line.text, facts: line.facts });
  else say({ is: 'logged', text: args.map(messageOf).join(' '), facts: null });
}

async function loaded(): Promise<WorkerOptions> {
  const module = (await import(data.module)) as Record<string, unknown>;
  const options = module[data.exported];
  if (typeof options === 'object' && options !== null) return options as WorkerOptions;
  throw new BosunError(
    'BOSUN_CONFIG_INVALID',
    `${data.module} has no export "${data.exported}" with the options of the system`,
  );
}

async function workerGatewayOf(module: string, system: Shard, clock: Clock): Promise<WorkerGateway> {
  const { createWorkerGateway } = (await import(module)) as WorkerGatewayModule;
  return createWorkerGateway(system, clock);
}

async function begin(): Promise<void> {
  const options = await loaded();
  const { clock = systemClock } = options;
  const system = new Shard(
    { log: logAtHost, ...options, store: levelStore(join(data.directory, String(data.index))) },
    { index: data.index, count: data.count, wire, gate },
  );
  // A promise that an agent has forgotten would end the thread, and every actor on it.
  process.on('unhandledRejection', (reason) => harmless(options.log ?? logAtHost)(unawaitedLine(reason)));
  const service = new CallService(system, {
    clock,
    post: (bytes) => say({ is: 'answers', bytes }),
    ...(data.workerGateway !== undefined && { build: () => workerGatewayOf(data.workerGateway!, system, clock) }),
  });
  host.on('message', (word: ToThread) => {
    if (word.is === 'calls') service.hear(word.bytes);
    else if (word.is === 'go') go();
    else wire.connect(word.index, word.port);
  });
  // A failure is reported once: by the rejected start, or by `closed` after the start.
  system.closed.catch(() => {});
  await system.start();
  system.closed.catch(sayFailed);
  say({ is: 'up', facts: factsOf(options) });
}

begin().catch(sayFailed);
