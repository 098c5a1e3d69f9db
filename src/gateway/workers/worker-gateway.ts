/**
 * The worker gateway: runs beside the system of a worker, in its thread, carries out calls, and holds the subscriptions
 * whose frames the gateway pulls. Callers are authenticated by the gateway, which also holds the connections. Loaded by
 * its URL.
 */
import { randomUUID } from 'node:crypto';
import { type Clock } from '../../clock.ts';
import { assert } from '../../assert.ts';
import { type Shard } from '../../shard.ts';
import { type Call, type Handler, Marked } from '../calls/call.ts';
import { type Caller } from '../callers/callers.ts';
import { type Looks, UNCOUNTED } from '../callers/looks.ts';
import { type SubscriptionsHost } from '../topics/subscriptions.ts';
import { type BackendHandlers, type MethodName } from '../calls/methods.ts';
import { OneSystem } from '../calls/one-system.ts';
import { type ServerFrame } from '../protocol/frames.ts';
import { Scheduler } from '../topics/scheduler.ts';
import { Counters } from '../health/counters.ts';
import {
  type WorkerResponse,
  type WorkerRequest,
  type WorkerGatewayMethod,
  type WorkerGatewayMethods,
  type WorkerSub,
} from './worker-port.ts';
import { Pull } from './pull.ts';

/** The entry point that a worker's thread calls. */
export function createWorkerGateway(system: Shard, clock: Clock): WorkerGateway {
  return new WorkerGateway(system, clock);
}

type Ender = (end: () => void) => void;

export class WorkerGateway {
  readonly #system: Shard;
  readonly #inside: OneSystem;
  readonly #house: SubscriptionsHost;
  /** Identifies this run of the worker. */
  readonly #run: string = randomUUID();
  readonly #pulls = new Map<string, Pull>();
  readonly #verbs: {
    readonly [V in WorkerGatewayMethod]: (
      args: Parameters<WorkerGatewayMethods[V]>,
      onEnd: Ender,
    ) => ReturnType<WorkerGatewayMethods[V]>;
  };

  constructor(system: Shard, clock: Clock) {
    this.#system = system;
    const counters = new Counters();
    this.#inside = new OneSystem(system, { clock, instance: this.#run, counters });
    this.#house = {
      topics: this.#inside.topics,
      clock,
      scheduler: new Scheduler(clock),
      counters,
      looksOf: () => UNCOUNTED,
    };
    this.#verbs = {
      call: ([method, params, asked]) => this.#call(method, params, asked),
      lastSequence: ([caller, session]) => this.#inside.lastSequence(caller, session),
      pull: ([series, caller, sub], onEnd) => this.#pull(series, { caller, sub, onEnd }),
      refresh: async ([series]) => await this.#pulls.get(series)?.refresh(),
      nextEpoch: (_, onEnd) => this.#nextEpoch(onEnd),
      nextChange: async ([address, run], onEnd) => {
        if (run === this.#run) await this.#nextChange(address, onEnd);
        return this.#run;
      },
      health: () => this.#inside.health.view(),
      isReady: () => this.#inside.isReady(),
      families: () => this.#inside.families(),
    };
    void this.#system.over.then(() => this.#inside.stop());
  }

  call(verb: string, args: readonly unknown[], onEnd: Ender): unknown {
    assert(Object.hasOwn(this.#verbs, verb), 'gateways and their gateways know the same verbs');
    return (this.#verbs[verb as WorkerGatewayMethod] as (args: readonly unknown[], onEnd: Ender) => unknown)(
      args,
      onEnd,
    );
  }

  async #call(method: MethodName, params: unknown, asked: WorkerRequest): Promise<WorkerResponse> {
    // The gateway enforces the deadline itself; the worker does not learn of it.
    let looked = 0;
    const looks: Looks = { owesMs: () => 0, charge: (rows) => (looked += rows) };
    const call: Call = { ...asked, looks, isOver: false };
    const result = await (this.#inside.handlers[method as keyof BackendHandlers] as Handler)(params, call);
    return result instanceof Marked
      ? { result: result.result, replayed: result.replayed, looked }
      : { result, replayed: undefined, looked };
  }

  #nextEpoch(onEnd: Ender): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#inside.topics.epochs.watch(() => {
        stop();
        resolve();
      });
      onEnd(stop);
    });
  }

  #nextChange(address: string, onEnd: Ender): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = this.#inside.watchActor(address, {
        changed: () => {
          stop();
          resolve();
        },
        failed: reject,
      });
      onEnd(stop);
    });
  }

  async #pull(
    series: string,
    { caller, sub, onEnd }: { readonly caller: Caller; readonly sub: WorkerSub; readonly onEnd: Ender },
  ): Promise<readonly ServerFrame[]> {
    onEnd(() => this.#forget(series));
    const pull = this.#pulls.get(series) ?? (await this.#begun(series, caller, sub));
    const frames = await pull.next();
    if (frames.at(-1)?.t === 'end') this.#forget(series);
    return frames;
  }

  async #begun(series: string, caller: Caller, sub: WorkerSub): Promise<Pull> {
    const pull = new Pull(this.#house);
    this.#pulls.set(series, pull);
    try {
      await pull.begin(caller, { t: 'sub', id: series, ...sub });
    } catch (error) {
      this.#pulls.delete(series);
      throw error;
    }
    return pull;
  }

  #forget(series: string): void {
    this.#pulls.get(series)?.end();
    this.#pulls.delete(series);
  }
}
