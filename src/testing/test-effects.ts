/**
 * The effects of agents in a test. Stubs answer in virtual time. Promises without a stub are real: virtual time stands
 * still while a test waits for them, and the test is told which ones it went on without.
 */
import { type AnyActorLogic } from 'xstate';
import { type RunningPromise } from '../actors/world/effects/running-promises.ts';
import { type AnyAgent } from '../actors/model/agent.ts';
import { type Clock, systemClock } from '../clock.ts';
import { type StubCall, type Stubbed, Stubs } from './stubs.ts';

/** The facts of a call that a stub gets beside its input. */
export interface StubFacts {
  /** The address of the calling actor. */
  readonly address: string;
  /** The id of the effect, the same for every start of it; empty for a custom action that is not durable. */
  readonly effectId: string;
  /** The number of the start, from 1; 0 for a custom action that is not durable. */
  readonly attempt: number;
  /** Waits in virtual time: as long as the test advances. */
  readonly sleep: (ms: number) => Promise<void>;
}

/**
 * A stand-in for an effect: a function with its input or the parameters of an action, which returns the result, a
 * promise of it, or throws; or logic of XState, for a callback, an observable or a child machine.
 */
export type EffectStub = StubFunction | AnyActorLogic;

/** As a method, so that a test may say of which type the input is. */
type StubFunction = { stub(input: unknown, facts: StubFacts): unknown }['stub'];

/** Stubs by agent and name: `order.charge`. */
export type EffectStubs = Readonly<Record<string, EffectStub>>;

/** One call of a stub that is a function. */
export interface CalledEffect {
  /** Agent and name, as in the option `effects`. */
  readonly effect: string;
  readonly input: unknown;
  readonly address: string;
  readonly effectId: string;
  readonly attempt: number;
}

/** Real milliseconds between two looks at a promise that runs. */
const LOOK_EVERY_MS = 2;

interface Parts {
  readonly effects: EffectStubs;
  readonly clock: Clock;
  /** Real milliseconds to wait for a start of a real promise; 0: no wait and no warning. */
  readonly effectsMs: number;
  readonly warn: (line: string) => void;
}

export class TestEffects implements Stubbed {
  readonly calls: CalledEffect[] = [];
  readonly #parts: Parts;
  readonly #stubs: Stubs;
  /** The time at which the wait for a start began, by life and attempt. */
  readonly #sinceMs = new Map<string, number>();
  /** Warnings so far; each is given once. */
  readonly #warned = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#stubs = new Stubs(
      new Map(Object.entries(parts.effects).map(([key, stub]) => [key, typeof stub === 'function' ? null : stub])),
    );
    this.#stubs.outside = this;
  }

  /** The agents with their stubs. Throws BOSUN_CONFIG_INVALID for an effect that no machine has. */
  in(agents: readonly AnyAgent[]): AnyAgent[] {
    return this.#stubs.in(agents);
  }

  async call({ key, input, facts }: StubCall): Promise<unknown> {
    this.calls.push({ effect: key, input, ...facts });
    const stub = this.#parts.effects[key] as StubFunction;
    const sleep = (ms: number) => new Promise<void>((resolve) => void this.#parts.clock.setTimeout(resolve, ms));
    return await stub(input, { ...facts, sleep });
  }

  /** The real ones among the promises that run. */
  real(running: readonly RunningPromise[]): readonly RunningPromise[] {
    return running.filter(({ agent, src }) => !this.#stubs.has(agent, src));
  }

  /** Warns of promises for which `settle` does not wait. */
  left(runningNow: () => readonly RunningPromise[]): void {
    if (this.#parts.effectsMs === 0) return;
    for (const one of this.real(runningNow()))
      this.#warn(one, 'is under way, and settle does not wait for it; advance does, for a while');
  }

  /**
   * Waits until real promises have settled, each start for as long as the option `effectsMs` says.
   *
   * @param settle Lets everything happen that needs no time.
   */
  async wait(runningNow: () => readonly RunningPromise[], settle: () => Promise<void>): Promise<void> {
    await settle();
    if (this.#parts.effectsMs === 0) return;
    for (let awaited = this.#awaited(runningNow()); awaited.length > 0; awaited = this.#awaited(runningNow())) {
      await new Promise<void>((resolve) => void systemClock.setTimeout(resolve, LOOK_EVERY_MS));
      await settle();
    }
  }

  /** The real promises for which the wait is not over. Warns of each whose wait is over. */
  #awaited(running: readonly RunningPromise[]): readonly RunningPromise[] {
    const { effectsMs } = this.#parts;
    const nowMs = systemClock.monotonicMs();
    return this.real(running).filter((one) => {
      const start = `${one.life}#${one.attempt}`;
      const sinceMs = this.#sinceMs.get(start) ?? nowMs;
      this.#sinceMs.set(start, sinceMs);
      if (nowMs - sinceMs < effectsMs) return true;
      this.#warn(one, `has not settled after ${effectsMs} ms of real time, and time goes on without it`);
      return false;
    });
  }

  #warn({ agent, src, address, attempt }: RunningPromise, what: string): void {
    const effect = `${agent}.${src}`;
    if (this.#warned.has(`${effect} ${what}`)) return;
    this.#warned.add(`${effect} ${what}`);
    const stub = /[.>]/.test(src) ? '' : `; a stub answers at once: effects: { '${effect}': () => ... }`;
    this.#parts.warn(`test: the promise ${src} of ${agent} (${address}, attempt ${attempt}) ${what}${stub}`);
  }
}
