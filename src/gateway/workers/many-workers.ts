/**
 * A system that is spread over workers, behind a gateway: beside each worker's system stands a worker gateway
 * (worker-gateway.ts) that does what the gateway does beside the only one. Here is who asks which of them, and how all
 * of them are.
 */
import { type Clock } from '../../clock.ts';
import { isBosunError } from '../../errors.ts';
import { type Call, type BackendHandlers } from '../calls/call.ts';
import { type Caller } from '../client/callers.ts';
import { type Backend } from '../client/backend.ts';
import { type MetricFamily, LoopDelay } from '../client/metrics.ts';
import { type Counters } from '../client/counters.ts';
import { treeView } from '../topics/tree-views.ts';
import {
  allWorkers,
  callWorkers,
  callWorker,
  type WorkerGatewayMethod,
  type WorkerGatewayMethods,
  type WorkerGateways,
  type SpreadOverWorkers,
} from './worker-port.ts';
import { Routes } from './routes.ts';
import { SessionQueues } from './session-queues.ts';
import { SpreadTopics } from './spread-topics.ts';

interface ManyWorkersParts {
  readonly clock: Clock;
  /** Names the run of the gateway. */
  readonly instance: string;
  readonly counters: Counters;
}

type WorkerHealth = Awaited<ReturnType<WorkerGatewayMethods['health']>>;

export class ManyWorkers implements Backend {
  readonly handlers: BackendHandlers;
  readonly topics: SpreadTopics;
  readonly turns = undefined;
  readonly #gateways: WorkerGateways;
  readonly #clock: Clock;
  readonly #counters: Counters;
  readonly #lines: SessionQueues;
  readonly #delay = new LoopDelay();

  constructor(system: SpreadOverWorkers, { clock, instance, counters }: ManyWorkersParts) {
    const { gateways } = system;
    this.#gateways = gateways;
    this.#clock = clock;
    this.#counters = counters;
    this.#lines = new SessionQueues({
      clock,
      ask: async (caller, session) =>
        Math.max(...(await callWorkers(gateways, allWorkers(gateways), 'lastSequence', [caller, session]))),
    });
    const handlers = new Routes({
      gateways,
      lines: this.#lines,
      clock,
      tree: (address) => system.tree(address),
      info: () => this.#info(),
    }).handlers();
    this.handlers = handlers;
    this.topics = new SpreadTopics({
      gateways,
      clock,
      instance,
      tree: async (caller, address) => treeView(caller, await system.tree(address), Infinity),
      letters: async (caller) => handlers['deadletter.list']({ after: 0, limit: Infinity }, asking(caller)),
    });
  }

  lastSequence(caller: Caller, session: string): Promise<number> {
    return this.#lines.last(caller, session);
  }

  async isReady(): Promise<boolean> {
    return (await this.#now('isReady')).every((isReady) => isReady === true);
  }

  /** Workers have kernel times of their own, which follow this clock. */
  get nowMs(): number {
    return this.#clock.wallMs();
  }

  async families(): Promise<readonly MetricFamily[]> {
    const lists = await this.#now('families');
    const up: MetricFamily = {
      name: 'bosun_worker_up',
      type: 'gauge',
      help: '1 while the worker runs.',
      samples: lists.map((list, worker) => [{ worker: String(worker) }, list === undefined ? 0 : 1]),
    };
    const merged = new Map<string, MetricFamily>([[up.name, up]]);
    const all = [...lists.entries(), ['host', [this.#delay.family()]] as const];
    for (const [worker, families = []] of all) {
      for (const family of families) {
        const samples = family.samples.map(
          ([labels, value]) => [{ worker: String(worker), ...labels }, value] as const,
        );
        merged.set(family.name, { ...family, samples: [...(merged.get(family.name)?.samples ?? []), ...samples] });
      }
    }
    return [...merged.values()];
  }

  stop(): void {
    this.topics.stop();
    this.#delay.stop();
  }

  /** `system.info`: what all workers come to, and each by itself. */
  async #info(): Promise<unknown> {
    const healths = await this.#now('health');
    const there = healths.filter((health) => health !== undefined);
    const sum = (of: (health: WorkerHealth) => number | null) =>
      there.reduce((total, health) => total + (of(health) ?? 0), 0);
    const highest = (of: (health: WorkerHealth) => number | null) =>
      Math.max(0, ...there.map((health) => of(health) ?? 0));
    return {
      epoch: highest(({ epoch }) => epoch),
      nowMs: this.nowMs,
      outage:
        there.length < healths.length
          ? 'BOSUN_WORKER_DOWN'
          : (there.find(({ outage }) => outage !== null)?.outage ?? null),
      damaged: sum(({ damaged }) => damaged),
      unreadable: sum(({ unreadable }) => unreadable),
      deadLetters: sum(({ deadLetters }) => deadLetters),
      eventLoopDelayMs: there.every(({ eventLoopDelayMs }) => eventLoopDelayMs === null)
        ? null
        : highest(({ eventLoopDelayMs }) => eventLoopDelayMs),
      storeBytes: there.every(({ storeBytes }) => storeBytes === null) ? null : sum(({ storeBytes }) => storeBytes),
      gateway: this.#counters.all(),
      workers: healths.map((health, worker) => ({
        worker,
        isUp: health !== undefined,
        ...(health && withoutGateway(health)),
      })),
    };
  }

  /** Of each worker, what it says now; undefined of one that is down. */
  #now<V extends 'isReady' | 'families' | ('health' & WorkerGatewayMethod)>(
    verb: V,
  ): Promise<(Awaited<ReturnType<WorkerGatewayMethods[V]>> | undefined)[]> {
    return Promise.all(
      allWorkers(this.#gateways).map(async (worker) => {
        if (!this.#gateways.isUp(worker)) return undefined;
        try {
          return await callWorker(this.#gateways, worker, verb, [] as Parameters<WorkerGatewayMethods[V]>, {
            isRepeatable: false,
          });
        } catch (error) {
          if (isBosunError(error, 'BOSUN_WORKER_DOWN')) return undefined;
          throw error;
        }
      }),
    );
  }
}

function withoutGateway({ gateway: _, ...health }: WorkerHealth): Omit<WorkerHealth, 'gateway'> {
  return health;
}

/** A call of the gateway's own, for a caller. */
function asking(caller: Caller): Call {
  return { caller, session: undefined, key: undefined, leftMs: Infinity, isOver: false };
}
