/**
 * Runs what is not durable: promises, callbacks and observables that machines invoke or spawn. Every start here is an
 * output: it happens after the epoch that caused it (design P2). Results come back as completions that name their
 * start; those of an older start are ignored (design P7).
 */
import { type EventObject } from 'xstate';
import { BosunError, messageOf } from '../../../errors.ts';
import { shown } from '../../../lending.ts';
import { disown, watch } from '../../../user-code.ts';
import { admitChange } from '../../model/change-check.ts';
import { admitEvent, isEvent } from '../../model/event-check.ts';
import { admitError } from '../../model/thrown.ts';
import { admit } from '../../model/value-check.ts';
import { type CrashLoopGuard } from '../crash-loop-guard.ts';
import { type Cell } from '../cell.ts';
import { type RunningPromise, runningPromises } from './running-promises.ts';
import { isRetryable, retryDelayMs } from '../../model/effect-policy.ts';
import { isSubscribed, type Scope, startLogic } from './effect-start.ts';
import { Watch } from './effect-watch.ts';
import { type HostEngine, type Snapshot } from '../../model/step-engine.ts';
import { admitCheckpoint, CHECKPOINT, checkMemoName, putCheckpoint } from './effect-checkpoints.ts';
import { countEnd, endsWait, forgetEnds, isWaiting, nextStartMs, putEffectRow, wait } from './effect-waits.ts';
import { Awaited } from '../mailbox/inbound.ts';
import { type Message } from '../mailbox/message.ts';
import { type Random } from '../../model/ports.ts';
import { type EffectHost, EffectRef, type RefHost } from '../../model/ref.ts';
import { effectIdOf, type StateChange } from '../../model/state.ts';
import { type World } from '../world.ts';
import { failureOf, isEndOfEffect, type XstateDefinition } from '../../xstate/definition.ts';

/** The completion of an effect that threw at its start or when it received an event. */
export const EFFECT_FAILED = 'bosun.effect.failed';

/** A running start. */
interface Run {
  readonly self: EffectRef;
  readonly scope: Scope;
  readonly watch: Watch | undefined;
  readonly cell: Cell;
  /** Kernel time of this start. */
  readonly sinceMs: number;
  /** Memos that are being computed, by name. */
  readonly memos: Map<string, Promise<unknown>>;
}

export class Effects implements EffectHost {
  readonly #world: World;
  readonly #engine: HostEngine;
  readonly #refHost: RefHost;
  readonly #random: Random;
  readonly #caution: CrashLoopGuard;
  readonly #runs = new Map<EffectRef, Run>();
  #isClosed = false;

  constructor(parts: { world: World; engine: HostEngine; refHost: RefHost; random: Random; caution: CrashLoopGuard }) {
    this.#world = parts.world;
    this.#engine = parts.engine;
    this.#refHost = parts.refHost;
    this.#random = parts.random;
    this.#caution = parts.caution;
  }

  /**
   * Enters the first start of a born or restarted effect into the epoch; it runs once that is durable, and its wait is
   * over if it has one. Throws the errors of admission.
   */
  start(cell: Cell, snapshot: Snapshot): void {
    const change = admitChange(this.#world.engine.changeOf(cell.definition, undefined, snapshot), this.#world.own);
    cell.failures = 0;
    if (!isWaiting(cell)) {
      this.#enter(cell, snapshot, change);
      return;
    }
    this.#world.change(cell, { ...change, status: 'active' }, snapshot);
    putEffectRow(this.#world, cell);
  }

  /** Enters the end of an effect that has succeeded, or failed for good. */
  end(cell: Cell): void {
    const run = this.#runOf(cell.running);
    this.stop(cell);
    this.#world.silence(cell);
    // A failed effect may be started once more, and that start uses what was kept.
    if (cell.status === 'done') this.forget(cell);
    else countEnd(this.#world, cell, run && this.#world.time.nowMs() - run.sinceMs);
  }

  /** Forgets what an effect kept that is never started again. */
  forget(cell: Cell): void {
    this.#world.forget(cell);
    forgetEnds(this.#world, cell);
  }

  /**
   * Enters the next start of an effect that was live when the process ended. Does nothing if the effect waits for its
   * next try, or if its end has arrived already.
   */
  resume(cell: Cell): void {
    const arrived = cell.mailbox
      .unread()
      .filter(({ kind, attempt }) => kind === 'completion' && attempt === cell.attempt);
    // If its end has arrived, only its turn is missing.
    if (isWaiting(cell) || arrived.some(({ event }) => event.type === EFFECT_FAILED || isEndOfEffect(event.type)))
      return;
    this.#enter(cell, cell.snapshot!, {});
    for (const message of arrived) {
      message.attempt = cell.attempt;
      this.#world.draft.unread(message);
    }
  }

  /** Whether the effect has failed and waits for its next start. Completions of its last start are ignored. */
  isWaiting(cell: Cell): boolean {
    return isWaiting(cell);
  }

  /**
   * Kernel times of an effect: the beginning of the start that runs, and the beginning of the next try that it waits
   * for; null if there is none. Both are null while its first start is not durable.
   */
  standingOf(cell: Cell): { readonly sinceMs: number | null; readonly retryAtMs: number | null } {
    return {
      sinceMs: this.#runOf(cell.running)?.sinceMs ?? null,
      retryAtMs: nextStartMs(cell),
    };
  }

  /** Whether the consumed message is the one that a waiting effect waits for. */
  isRetry({ timer }: Message): boolean {
    return endsWait(timer);
  }

  /** Enters the next try of an effect that has waited long enough. */
  again(cell: Cell): void {
    // As after a restore: nothing of the last start remains.
    this.#enter(cell, this.#world.engine.restore(cell.definition, cell.ref, cell.state, {}), {});
  }

  /**
   * Handles the failure of an effect: if the agent's policy allows another try, enters the try or the wait for it.
   *
   * @returns Whether there will be another try. Otherwise the failure is final and ends the effect.
   */
  retry(cell: Cell, failure: EventObject): boolean {
    const { policy } = cell.definition;
    if (policy === undefined || (failure as { retryable?: unknown }).retryable === false) return false;
    const failures = cell.failures + 1;
    const delayMs = retryDelayMs(policy, failures, this.#random.next());
    if (delayMs === undefined) return false;
    this.stop(cell);
    cell.running = undefined;
    cell.failures = failures;
    putEffectRow(this.#world, cell);
    if (delayMs === 0) this.again(cell);
    else wait(this.#world, cell, delayMs);
    return true;
  }

  /** Enters the delivery of an event to a callback: its receivers run after the epoch, at most once. */
  deliver(cell: Cell, event: EventObject): void {
    const attempt = cell.attempt;
    this.#world.draft.output(() => {
      const run = this.#runOf(cell.running);
      if (run?.self.attempt !== attempt) return;
      this.#guarded(run, () => {
        const { logic } = cell.definition as XstateDefinition;
        return logic.transition(cell.snapshot as never, shown(event) as never, run.scope) as unknown;
      });
    });
  }

  /** Enters the end of a running effect: abort signal, cleanup, unsubscribe. */
  stop(cell: Cell): void {
    const { snapshot } = cell;
    const run = this.#runOf(cell.running);
    if (run !== undefined) this.#world.draft.output(() => this.#stopNow(run, snapshot));
  }

  /** Closes: stops running effects and starts no more. The next start of the system starts them again. */
  close(): void {
    this.#isClosed = true;
    for (const run of [...this.#runs.values()]) this.#stopNow(run, run.cell.snapshot);
  }

  runningPromises(): readonly RunningPromise[] {
    const running = [...this.#runs.values()].map(({ cell }) => cell);
    return running.length === 0 ? [] : runningPromises(this.#world, running);
  }

  /** The running effect whose current start is `source`, if any. */
  current(source: EffectRef): Cell | undefined {
    // An effect that is not in memory does not run.
    const cell = this.#world.cells.resident(source.life);
    return cell?.running === source && cell.status === 'active' ? cell : undefined;
  }

  /** Enqueues a completion as a message of the effect to itself. A value that is not data makes the effect fail. */
  complete(cell: Cell, source: EffectRef, event: EventObject): void {
    let failure: ReturnType<typeof failureOf>;
    let admitted: EventObject;
    try {
      failure = failureOf(event);
      admitted = admit(event, `result of ${source.address}`, this.#world.own);
      if (!isEvent(admitted))
        throw new BosunError('BOSUN_VALUE_REFUSED', `${source.address} sends itself something that is not an event`);
    } catch (error) {
      this.#fail(cell, source, { error, judged: failure === undefined ? error : failure.error });
      return;
    }
    this.#tellItself(cell, source, failure === undefined ? admitted : this.#judged(cell, admitted, failure.error));
  }

  /** Enters the failure of an effect. */
  fail(cell: Cell, source: EffectRef, error: unknown): void {
    this.#fail(cell, source, { error, judged: error });
  }

  /** Records that a started effect is still alive. */
  heard(source: EffectRef): void {
    this.#runs.get(source)?.watch?.beat();
  }

  /**
   * Handles what a function of the effect threw, or its promise rejected with, while nobody was calling it: the effect
   * fails. If it is over, nobody is left to be told, and the failure is logged.
   */
  failed(source: EffectRef, thrown: unknown): void {
    const cell = this.current(source);
    if (cell !== undefined) this.fail(cell, source, thrown);
    else this.#world.log(`${source.address} failed after its end: ${messageOf(thrown)}`);
  }

  overdue(source: EffectRef, error: unknown): void {
    const cell = this.current(source);
    if (cell !== undefined) this.fail(cell, source, error);
  }

  checkpointed(source: EffectRef): unknown {
    return shown(this.#world.cells.resident(source.life)?.kept?.get(CHECKPOINT)?.value);
  }

  beat(source: EffectRef): void {
    if (this.current(source) !== undefined) this.heard(source);
  }

  /**
   * Stores a checkpoint. Rejects with BOSUN_VALUE_REFUSED, or BOSUN_EFFECT_OVER for a start that is not the current
   * one.
   */
  checkpoint(source: EffectRef, value: unknown): Promise<void> {
    return awaited(this.#keep(source, CHECKPOINT, value).then(() => {}));
  }

  /** Computes or returns a memo. Rejects like `checkpoint`, and with the error of `work`. */
  memo<T>(source: EffectRef, name: string, work: () => T | PromiseLike<T>): Promise<T> {
    const run = this.#runs.get(source);
    const underWay = run?.memos.get(name);
    if (underWay !== undefined) return underWay as Promise<T>;
    const result = awaited(this.#memo(source, name, work));
    run?.memos.set(name, result);
    const forget = () => run?.memos.delete(name);
    result.then(forget, forget);
    return result;
  }

  async #memo<T>(source: EffectRef, name: string, work: () => T | PromiseLike<T>): Promise<T> {
    const cell = this.#running(source);
    checkMemoName(cell, name);
    const known = cell.kept?.get(name);
    return (known === undefined ? await this.#keep(source, name, await work()) : shown(known.value)) as T;
  }

  /**
   * Keeps a value.
   *
   * @returns The value as it was admitted, once it is durable.
   */
  async #keep<T>(source: EffectRef, name: string, value: T): Promise<T> {
    const cell = this.#running(source);
    if (name !== CHECKPOINT) checkMemoName(cell, name);
    const keepsake = admitCheckpoint(this.#world, cell, name, value);
    this.heard(source);
    putCheckpoint(this.#world, cell, name, keepsake);
    this.#world.wake();
    const waiting = new Awaited();
    this.#world.draft.notify(waiting);
    await waiting.promise;
    return shown(keepsake.value) as T;
  }

  /** The cell of a running start. Throws BOSUN_EFFECT_OVER. */
  #running(source: EffectRef): Cell {
    const cell = this.current(source);
    if (cell !== undefined) return cell;
    throw new BosunError('BOSUN_EFFECT_OVER', `start ${source.attempt} of the effect ${source.address} is over`);
  }

  #runOf(self: EffectRef | undefined): Run | undefined {
    return self && this.#runs.get(self);
  }

  /**
   * Fails an effect.
   *
   * @param what.judged The error that decides about another try.
   */
  #fail(cell: Cell, source: EffectRef, what: { readonly error: unknown; readonly judged: unknown }): void {
    const event = Object.freeze({ type: EFFECT_FAILED, error: admitError(what.error) });
    this.#tellItself(cell, source, this.#judged(cell, event, what.judged));
  }

  #tellItself(cell: Cell, source: EffectRef, event: EventObject): void {
    this.heard(source);
    this.#world.enqueue(cell, event, 'completion', source.life, source.attempt);
  }

  /** Marks a failure that must not be tried again, because admission drops the facts that this decision needs. */
  #judged({ definition: { policy } }: Cell, event: EventObject, thrown: unknown): EventObject {
    if (policy === undefined || isRetryable(policy, thrown, this.#world.log)) return event;
    return Object.freeze({ ...event, retryable: false });
  }

  #enter(cell: Cell, snapshot: Snapshot, change: StateChange): void {
    const attempt = cell.attempt + 1;
    this.#world.change(cell, { ...change, status: 'active', attempt }, snapshot);
    putEffectRow(this.#world, cell);
    this.#world.draft.output(() => this.#run(cell, attempt));
  }

  #stopNow(run: Run, snapshot: Snapshot | undefined): void {
    const { self, cell } = run;
    // The system may have closed between the epoch that ends the effect and now.
    if (!this.#runs.delete(self)) return;
    run.watch?.end();
    if (cell.running === self) cell.running = undefined;
    // An observable that has completed, or was never subscribed to, needs no unsubscribe.
    if (cell.definition.kind === 'observable' && !isSubscribed(snapshot)) return;
    const { logic } = cell.definition as XstateDefinition;
    const stop = { type: 'xstate.stop' };
    watch(
      () => logic.transition({ ...snapshot, status: 'active' } as never, stop as never, run.scope) as unknown,
      // The effect is over in any case, and nobody is left to be told of its cleanup.
      (error) => this.#world.log(`cleanup of ${cell.address} threw: ${messageOf(error)}`),
    );
  }

  #run(cell: Cell, attempt: number): void {
    if (this.#isClosed || cell.gone || cell.attempt !== attempt || cell.status !== 'active') return;
    const { life, address } = cell.identity;
    const self = new EffectRef(this.#refHost, { life, address, attempt, effectId: effectIdOf(cell.identity) });
    const scope = this.#engine.effectScope(self, (event) => this.#emit(cell, self, event)) as Scope;
    const run: Run = {
      self,
      scope,
      cell,
      sinceMs: this.#world.time.nowMs(),
      watch: this.#watch(cell, self),
      memos: new Map(),
    };
    this.#runs.set(self, run);
    cell.running = self;
    this.#caution.runEffect(life, () => this.#guarded(run, () => startLogic(cell, scope)));
  }

  /**
   * Emits an event of an effect. An effect that emits a value that is not data fails; the emit may be in a callback,
   * where a throw ends the process.
   */
  #emit(cell: Cell, self: EffectRef, event: EventObject): void {
    try {
      this.#world.audience.tellEmitted(cell, admitEvent(event, self.address, this.#world.own));
    } catch (error) {
      if (this.current(self) !== undefined) this.fail(cell, self, error);
    }
  }

  #watch(cell: Cell, self: EffectRef): Watch | undefined {
    const { policy } = cell.definition;
    if (policy === undefined || Math.min(policy.timeoutMs, policy.heartbeatMs) === Infinity) return undefined;
    const { clock, time } = this.#world;
    return new Watch({ policy, clock, time, over: (error) => this.#refHost.effects.overdue(self, error) });
  }

  #guarded({ self }: Run, run: () => unknown): void {
    watch(run, (thrown) => this.failed(self, thrown));
  }
}

/** Returns a promise that need not be awaited, because a rejection without a handler must not end the process. */
function awaited<T>(promise: Promise<T>): Promise<T> {
  disown(promise);
  return promise;
}
