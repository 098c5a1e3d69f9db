/**
 * The backend for a system over workers: beside each worker's system is a worker gateway (worker-gateway.ts) that does
 * what a gateway does beside a single system. This file decides which of them are asked, and collects their health.
 */
import { type BackendHandlers } from '../calls/methods.ts';
import { type Clock } from '../../clock.ts';
import { isBosunError } from '../../errors.ts';
import { type Call, Marked } from '../calls/call.ts';
import { type SequencedLine, type SequencedSends } from '../calls/sequenced-sends.ts';
import { type PagedTree } from '../protocol/views.ts';
import { CALL_MS, TREE_PAGE } from '../limits.ts';
import { type Caller } from '../callers/callers.ts';
import { type Backend } from '../calls/backend.ts';
import { type MetricFamily, LoopDelay } from '../health/metrics.ts';
import { type Counters } from '../health/counters.ts';
import { type ChangeListener } from '../topics/listing.ts';
import { UNCOUNTED } from '../callers/looks.ts';
import {
  allWorkers,
  callWorkers,
  callWorker,
  type WorkerGatewayMethod,
  type WorkerGatewayMethods,
  type WorkerGateways,
  type SpreadOverWorkers,
} from './worker-port.ts';
import { OrderedSends } from './ordered-sends.ts';
import { Routes } from './routes.ts';
import { SessionQueues } from './session-queues.ts';
import { SpreadTopics } from './spread-topics.ts';
import { WorkerEpochs } from './worker-epochs.ts';

interface ManyWorkersParts {
  readonly clock: Clock;
  /** Identifies the run of the gateway. */
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
      join: system.joinNodes,
      info: () => this.#info(),
    }).handlers();
    this.handlers = handlers;
    this.topics = new SpreadTopics({
      gateways,
      clock,
      instance,
      tree: async ({ caller, looks }, address, after) => {
        const page = { address, after, depth: Infinity, limit: TREE_PAGE };
        return (await handlers['actor.tree'](page, { ...asking(caller), looks })) as PagedTree;
      },
      letters: async (caller) => handlers['deadletter.list']({ after: 0, limit: Infinity }, asking(caller)),
    });
  }

  lastSequence(caller: Caller, session: string): Promise<number> {
    return this.#lines.last(caller, session);
  }

  sequenced({ caller, session, listener }: SequencedLine): SequencedSends {
    return new OrderedSends(async (sequence, { address, event }) => {
      const call = { ...asking(caller), session: { id: session, sequence }, leftMs: CALL_MS };
      const answer = await this.handlers['actor.send']({ address, event, until: 'durable' }, call);
      return answer instanceof Marked && answer.replayed;
    }, listener);
  }

  watchActor(address: string, listener: ChangeListener): () => void {
    const changes = new WorkerEpochs(this.#gateways, listener, address);
    return () => changes.stop();
  }

  async isReady(): Promise<boolean> {
    return (await this.#now('isReady')).every((isReady) => isReady === true);
  }

  /** The kernel time of the gateway's clock. Each worker has its own kernel time, which follows this clock. */
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

  /** The answer of `system.info`: totals of all workers, and each worker's own numbers. */
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

  /** The present answer of each worker; undefined for one that is down. */
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

/** Makes a call of the gateway itself on behalf of a caller. */
function asking(caller: Caller): Call {
  return { caller, session: undefined, key: undefined, leftMs: Infinity, looks: UNCOUNTED, isOver: false };
}
