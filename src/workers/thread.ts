/**
 * What runs in the thread of a worker: loads the host's module, starts the shard on its store, and hands frames on. It
 * ends when it is told to, or with whatever ends its thread; everything else is in the store.
 */
import { join } from 'node:path';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type Wire } from '../actors/model/ports.ts';
import { assert } from '../assert.ts';
import { type Clock, systemClock } from '../clock.ts';
import { BosunError } from '../errors.ts';
import { levelStore } from '../persistence/level-store.ts';
import { System } from '../system.ts';
import { packed, toldError } from './call-messages.ts';
import { CallService, type WorkerGateway, type WorkerGatewayModule } from './call-service.ts';
import { factsOf } from './facts.ts';
import { type WorkerOptions } from './options.ts';
import { type FromThread, type ThreadData, type ToThread } from './thread-messages.ts';

assert(parentPort !== null, 'this module is the thread of a worker');
const host: MessagePort = parentPort;
const data = workerData as ThreadData;

/** Ports to the other workers; one that is started again has a new one. */
class PortWire implements Wire {
  readonly #ports = new Map<number, MessagePort>();
  #listener: ((from: number, bytes: Uint8Array) => void) | undefined;

  connect(index: number, port: MessagePort): void {
    this.#ports.get(index)?.close();
    this.#ports.set(index, port);
    if (this.#listener !== undefined) this.#hear(index, port);
  }

  post(shard: number, bytes: Uint8Array): void {
    this.#ports.get(shard)?.postMessage(bytes);
  }

  listen(listener: (from: number, bytes: Uint8Array) => void): void {
    this.#listener = listener;
    for (const [index, port] of this.#ports) this.#hear(index, port);
  }

  #hear(index: number, port: MessagePort): void {
    port.on('message', (bytes: Uint8Array) => this.#listener?.(index, bytes));
    // What keeps the thread alive is its host.
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

async function loaded(): Promise<WorkerOptions> {
  const module = (await import(data.module)) as Record<string, unknown>;
  const options = module[data.exported];
  if (typeof options === 'object' && options !== null) return options as WorkerOptions;
  throw new BosunError(
    'BOSUN_CONFIG_INVALID',
    `${data.module} has no export "${data.exported}" with the options of the system`,
  );
}

async function workerGatewayOf(module: string, system: System, clock: Clock): Promise<WorkerGateway> {
  const { createWorkerGateway } = (await import(module)) as WorkerGatewayModule;
  return createWorkerGateway(system, clock);
}

async function begin(): Promise<void> {
  const options = await loaded();
  const { clock = systemClock } = options;
  const system = new System(
    { ...options, store: levelStore(join(data.directory, String(data.index))) },
    { index: data.index, count: data.count, wire, gate },
  );
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
  await system.start();
  system.closed.catch(sayFailed);
  say({ is: 'up', facts: factsOf(options) });
}

begin().catch(sayFailed);
