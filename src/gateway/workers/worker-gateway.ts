/**
 * The part of a gateway that stands beside the system of a worker, in its thread: carries out calls, and holds the
 * subscriptions whose frames the gateway pulls. Callers are known by then, connections are the gateway's own. Loaded by
 * its URL.
 */
import { randomUUID } from 'node:crypto';
import { type Clock } from '../../clock.ts';
import { assert } from '../../assert.ts';
import { type System } from '../../system.ts';
import { type BackendHandlers, type Call, type Handler, Marked } from '../calls/call.ts';
import { type Caller } from '../client/callers.ts';
import { type SubscriptionsHost } from '../client/subscriptions.ts';
import { type MethodName } from '../calls/methods.ts';
import { OneSystem } from '../client/one-system.ts';
import { type ServerFrame, type Sub } from '../protocol/frames.ts';
import { Scheduler } from '../client/scheduler.ts';
import { Counters } from '../client/counters.ts';
import {
  type WorkerResponse,
  type WorkerRequest,
  type WorkerGatewayMethod,
  type WorkerGatewayMethods,
} from './worker-port.ts';
import { Pull } from './pull.ts';

/** What a worker's thread makes of this module. */
export function createWorkerGateway(system: System, clock: Clock): WorkerGateway {
  return new WorkerGateway(system, clock);
}

type Ender = (end: () => void) => void;

export class WorkerGateway {
  readonly #system: System;
  readonly #inside: OneSystem;
  readonly #house: SubscriptionsHost;
  readonly #pulls = new Map<string, Pull>();
  readonly #verbs: {
    readonly [V in WorkerGatewayMethod]: (
      args: Parameters<WorkerGatewayMethods[V]>,
      onEnd: Ender,
    ) => ReturnType<WorkerGatewayMethods[V]>;
  };

  constructor(system: System, clock: Clock) {
    this.#system = system;
    const counters = new Counters();
    this.#inside = new OneSystem(system, { clock, instance: randomUUID(), counters });
    this.#house = { topics: this.#inside.topics, clock, scheduler: new Scheduler(clock), counters: counters };
    this.#verbs = {
      call: ([method, params, asked]) => this.#call(method, params, asked),
      lastSequence: ([caller, session]) => this.#inside.lastSequence(caller, session),
      pull: ([series, caller, sub], onEnd) => this.#pull(series, { caller, sub, onEnd }),
      refresh: async ([series]) => await this.#pulls.get(series)?.refresh(),
      nextEpoch: (_, onEnd) => this.#nextEpoch(onEnd),
      health: () => this.#inside.health.view(),
      isReady: () => this.#inside.isReady(),
      families: () => this.#inside.families(),
    };
    const over = () => this.#inside.stop();
    this.#system.closed.then(over, over);
  }

  call(verb: string, args: readonly unknown[], onEnd: Ender): unknown {
    assert(Object.hasOwn(this.#verbs, verb), 'gateways and their gateways know the same verbs');
    return (this.#verbs[verb as WorkerGatewayMethod] as (args: readonly unknown[], onEnd: Ender) => unknown)(
      args,
      onEnd,
    );
  }

  async #call(method: MethodName, params: unknown, asked: WorkerRequest): Promise<WorkerResponse> {
    // The gateway answers in time by itself, and nobody here learns that it has.
    const call: Call = { ...asked, isOver: false };
    const result = await (this.#inside.handlers[method as keyof BackendHandlers] as Handler)(params, call);
    return result instanceof Marked
      ? { result: result.result, replayed: result.replayed }
      : { result, replayed: undefined };
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

  async #pull(
    series: string,
    {
      caller,
      sub,
      onEnd,
    }: { readonly caller: Caller; readonly sub: Pick<Sub, 'topic' | 'mode' | 'from'>; readonly onEnd: Ender },
  ): Promise<readonly ServerFrame[]> {
    onEnd(() => this.#forget(series));
    const pull = this.#pulls.get(series) ?? (await this.#begun(series, caller, sub));
    const frames = await pull.next();
    if (frames.at(-1)?.t === 'end') this.#forget(series);
    return frames;
  }

  async #begun(series: string, caller: Caller, sub: Pick<Sub, 'topic' | 'mode' | 'from'>): Promise<Pull> {
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
