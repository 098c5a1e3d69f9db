/**
 * The turn: one message applied to one actor, whole or not at all (design P1).
 *
 *   step      the engine runs the user's pure code and describes what should happen
 *   prepare   everything is admitted and checked; a throw up to here leaves no trace but a delivery count
 *   apply     state, births, deaths, messages, timers and outputs go into the epoch in the making; nothing here throws
 */
import { type EventObject } from 'xstate';
import { assert } from '../../assert.ts';
import { messageOf } from '../../errors.ts';
import { admitChange } from '../model/change-check.ts';
import { admitError } from '../model/thrown.ts';
import { FailureTexts } from './failure-texts.ts';
import { admit } from '../model/value-check.ts';
import { type Bosses } from '../world/bosses.ts';
import { type Cell } from '../world/cell.ts';
import { isDeferring, offerAgain, setAside } from '../world/mailbox/deferral.ts';
import { EFFECT_FAILED, type Effects } from '../world/effects/effects.ts';
import { type Birth, type Effect, failedSnapshot, SHUTDOWN, type Snapshot } from '../model/step-engine.ts';
import { FROM_CLIENT, type Message, messageRow } from '../world/mailbox/message.ts';
import { type DurableActions } from './durable-actions.ts';
import { linkFailure } from '../world/talk/monitors.ts';
import { type DownEvent } from '../world/talk/down-event.ts';
import { type Calls, Performer } from './perform.ts';
import { type Prepared } from '../model/prepared.ts';
import { prepare } from './prepare.ts';
import { forgive, isDeliveredAgain, quarantine, strike } from './quarantine.ts';
import { childOf, exitOf, isStale, endSignal } from './signals.ts';
import { Stepper } from './stepper.ts';
import { type StateChange } from '../model/state.ts';
import { type World } from '../world/world.ts';

const NOTHING: readonly Effect[] = [];

export class Turns {
  readonly #world: World;
  readonly #effects: Effects;
  readonly #bosses: Bosses;
  readonly #performer: Performer;
  readonly #texts: FailureTexts;
  readonly #log: (...args: unknown[]) => void;
  readonly stepper: Stepper;

  constructor(parts: { world: World; effects: Effects; bosses: Bosses; outbox: DurableActions }) {
    this.#world = parts.world;
    this.stepper = new Stepper(parts.world);
    this.#effects = parts.effects;
    this.#bosses = parts.bosses;
    this.#texts = new FailureTexts(() => parts.world.time.nowMs());
    this.#performer = new Performer({ ...parts, fail: (cell, error, turn) => this.#crash(cell, error, null, turn) });
    this.#log = parts.world.log;
  }

  /**
   * Takes the next turn of a cell: its first, or that of its oldest message.
   *
   * @param begunMs Monotonic time of the beginning. In a series of turns, one begins when the one before it ended.
   * @returns When it ended.
   */
  take(cell: Cell, begunMs?: number): number {
    const { tracing } = this.#world;
    tracing.begins(cell, begunMs);
    try {
      this.#take(cell);
    } catch (error) {
      tracing.breaksOff();
      throw error;
    }
    return tracing.ends();
  }

  #take(cell: Cell): void {
    this.#world.draft.turns += 1;
    this.#world.residency?.engage(cell);
    if (cell.status === 'starting') {
      this.#begin(cell);
      return;
    }
    if (cell.role.supervises) {
      this.#attend(cell);
      return;
    }
    const message = cell.mailbox.peek();
    if (message === null) return;
    if (cell.definition.isEffect) this.#takeEffectMessage(cell, message);
    else if (isStale(this.#world, cell, message)) this.#consume(cell, message);
    else if (message.kind === 'link') {
      this.#world.tracing.takes(message);
      this.#consume(cell, message);
      this.#crash(cell, linkFailure(message.event as DownEvent), null);
    } else this.#takeMessage(cell, message);
  }

  #attend(boss: Cell): void {
    this.#bosses.attend(boss, (message) =>
      isStale(this.#world, boss, message) ? this.#consume(boss, message) : this.#takeMessage(boss, message),
    );
  }

  /** Fails an actor for a reason outside of its turns. */
  fail(cell: Cell, error: unknown): void {
    this.#crash(cell, error, null);
  }

  #begin(cell: Cell): void {
    let prepared: Prepared | null;
    try {
      const step = this.stepper.step(cell, null);
      if (cell.definition.isEffect) {
        this.#effects.start(cell, step.snapshot);
        prepared = null;
      } else prepared = prepare(this.#world, cell, undefined, step);
    } catch (error) {
      this.#crash(cell, error, null);
      return;
    }
    if (prepared === null) {
      this.#signalSnapshot(cell);
      return;
    }
    this.#world.timers.plan(cell);
    prepared.change.status ??= 'active';
    this.#apply(cell, prepared, null);
    this.#bosses.begun(cell);
  }

  #takeMessage(cell: Cell, message: Message): void {
    if (message.ifSequence !== null && message.ifSequence !== cell.seq) {
      message.order?.moved(cell.seq);
      this.#consume(cell, message);
      return;
    }
    let prepared: Prepared;
    this.#world.tracing.takes(message);
    try {
      if (message.order !== null && !cell.role.supervises) message.order.begin(cell);
      const event = cell.role.supervises ? this.#bosses.withFacts(cell, message.event) : message.event;
      prepared = prepare(this.#world, cell, cell.snapshot, this.stepper.step(cell, event));
    } catch (thrown) {
      const error = this.#texts.admit(cell.identity.agent, thrown);
      if (!cell.role.supervises) message.order?.crashed(error);
      this.#crash(cell, error, message);
      return;
    }
    if (prepared.snapshot.status === 'error') {
      // A child's failure that the machine does not handle is its own failure. The signal is consumed, not redelivered.
      this.#consume(cell, message);
      this.#crash(cell, prepared.snapshot.error, null, { byClient: false, event: message.event.type });
      return;
    }
    if (cell.parent === undefined && prepared.snapshot.status === 'done') {
      // The root gives up: this run decides nothing more. The message waits for the next one.
      this.#bosses.childEnded(cell, exitOf(cell, prepared.snapshot.output));
      return;
    }
    this.#apply(cell, prepared, message);
  }

  /**
   * Takes a message to an effect: a completion of its own, or, for a callback, an event for its receivers after the
   * epoch.
   */
  #takeEffectMessage(cell: Cell, message: Message): void {
    this.#world.tracing.takes(message);
    this.#consume(cell, message);
    if (this.#effects.isRetry(message)) {
      this.#effects.again(cell);
      return;
    }
    const { kind } = cell.definition;
    if (message.kind === 'completion') {
      if (message.attempt !== cell.attempt || this.#effects.isWaiting(cell)) return;
    } else if (kind !== 'custom') {
      // Promises and observables ignore events.
      if (kind === 'callback') this.#effects.deliver(cell, message.event);
      return;
    }
    const { change, snapshot } = this.#effectStep(cell, message.event);
    if (snapshot.status === 'error' && this.#effects.retry(cell, message.event)) return;
    this.#world.change(cell, change, snapshot);
    if (snapshot.status === 'active') this.#signalSnapshot(cell);
    else this.#endEffect(cell);
  }

  #effectStep(cell: Cell, event: EventObject): { change: StateChange; snapshot: Snapshot } {
    const { definition, snapshot: before } = cell;
    try {
      if (event.type === EFFECT_FAILED) throw (event as { error?: unknown }).error;
      const { snapshot } = this.stepper.step(cell, event);
      return {
        snapshot,
        change: admitChange(this.#world.engine.changeOf(definition, before, snapshot), this.#world.own),
      };
    } catch (thrown) {
      const error = admitError(thrown);
      return {
        snapshot: failedSnapshot(before, error),
        change: { status: 'error', error: { value: error } },
      };
    }
  }

  #apply(cell: Cell, prepared: Prepared, message: Message | null): void {
    const { change, snapshot, births, dropped, effects } = prepared;
    this.#world.draft.bytes += prepared.bytes;
    if (message !== null) {
      const { eventTimeout } = cell;
      if (effects.length === 0 || !isDeferring(effects) || !setAside(this.#world, cell, message))
        this.#consume(cell, message);
      if (eventTimeout !== undefined) this.#world.timers.disarm(cell, eventTimeout);
      if (cell.held !== undefined) forgive(this.#world, cell);
    }
    // A birth counts as a change, so that no two turns have the same effect id.
    this.#world.change(cell, change, snapshot, births.length > 0);
    if (change.configuration !== undefined && cell.mailbox.deferred > 0) offerAgain(this.#world, cell);
    if (message?.kind === 'signal' && message.isGone) this.#settleFailure(cell, message);
    if (births.length + dropped.length + effects.length > 0) this.#applyEffects(cell, prepared, message);
    this.#signalSnapshot(cell);
    if (cell.status === 'done') this.#finish(cell, message);
  }

  #applyEffects(cell: Cell, { births, dropped, effects }: Prepared, message: Message | null): void {
    const calls: Calls = { failed: false, byClient: message?.from === FROM_CLIENT, event: message?.event.type ?? null };
    // Children that leave get what was sent to them first. Their answers come after everything that this turn sent.
    const early = dropped.length === 0 ? NOTHING : this.#performer.toTheLiving(effects);
    for (const effect of early) this.#performer.perform(cell, effect, calls);
    for (const ref of dropped) this.#drop(ref.life);
    for (const [index, birth] of births.entries()) this.#bear(cell, birth, `${cell.life}/${cell.seq}/${index}`);
    for (const effect of effects) if (!early.includes(effect)) this.#performer.perform(cell, effect, calls);
  }

  /**
   * Settles a child's failure that its machine has handled: a later restart of the machine does not start that child
   * again.
   */
  #settleFailure(cell: Cell, message: Message): void {
    const child = cell.children.get(childOf(message));
    if (child?.state.status !== 'error') return;
    this.#world.change(child, { status: 'stopped' });
    this.#effects.forget(child);
  }

  #bear(parent: Cell, birth: Birth, effectId: string): void {
    // XState would let a child run on whose id is used again; here the new one replaces it.
    const before = this.#world.addresses.get(birth.ref.address);
    if (before !== undefined) this.#bosses.remove(before);
    this.#world.bear(parent, birth, effectId);
  }

  #drop(life: number): void {
    const child = this.#world.cells.get(life);
    if (child === undefined) return;
    this.#hearOut(child);
    this.#bosses.remove(child);
  }

  /** Lets a stopped child take the events sent to it until then, as in XState, where sends are immediate. */
  #hearOut(cell: Cell): void {
    for (let left = cell.mailbox.size + 1; left > 0 && cell.isRunnable; ) {
      const { deferred } = cell.mailbox;
      this.take(cell);
      // Deferred messages are heard later.
      if (cell.mailbox.deferred <= deferred) left -= 1;
    }
    for (const child of [...cell.children.values()]) this.#hearOut(child);
  }

  #signalSnapshot(cell: Cell): void {
    const { identity, parent, definition, state, snapshot: present } = cell;
    if (!cell.syncSnapshot || parent === undefined || present === undefined || state.status !== 'active') return;
    const { life: from, childId } = identity;
    const view = this.#world.engine.view(definition, present);
    try {
      // Except for snapshots of custom logic, all parts were admitted before, and need not fit into one value.
      const snapshot = definition.kind === 'custom' ? admit(view, 'snapshot', this.#world.own) : Object.freeze(view);
      const event = Object.freeze({ type: `xstate.snapshot.${childId}`, snapshot });
      this.#world.enqueue(parent, event, 'signal', from, state.incarnation);
    } catch (error) {
      this.#log(`${identity.address} has a snapshot that its parent cannot be told: ${messageOf(error)}`);
    }
  }

  /** Ends a machine or reducer that has reached its end. */
  #finish(cell: Cell, message: Message | null): void {
    if (!cell.role.takesChildrenAlong) for (const child of [...cell.children.values()]) this.#hearOut(child);
    if (cell.bond === 'supervised') {
      // Its mailbox waits for the decision of the Boss.
      for (const timer of [...cell.timers.values()]) this.#world.timers.disarm(cell, timer);
      const exit = exitOf(cell, cell.state.output);
      this.#bosses.childEnded(cell, message?.from === FROM_CLIENT ? { ...exit, byClient: true } : exit);
      return;
    }
    this.#bosses.removeChildren(cell);
    this.#world.silence(cell);
    this.#end(cell);
  }

  #endEffect(cell: Cell): void {
    this.#effects.end(cell);
    this.#end(cell);
  }

  /** Tells the parent machine of a child's end. The machine keeps the child until it drops it, as in XState. */
  #end(cell: Cell): void {
    const { identity, parent, state } = cell;
    this.#world.ended(cell);
    if (identity.bond !== 'invoked' || parent === undefined) return;
    this.#world.enqueue(parent, endSignal(cell), 'signal', identity.life, state.incarnation);
  }

  /**
   * Fails an actor because its turn, or an effect of the turn, threw. `message` is to be delivered again, if any. A
   * child of a machine dies, as in XState; a child of a Boss keeps its state and mailbox and waits for the Boss.
   */
  #crash(cell: Cell, thrown: unknown, message: Message | null, { byClient, event } = originOf(message)): void {
    const error = this.#texts.admit(cell.identity.agent, thrown);
    if (cell.bond === 'invoked') {
      if (message !== null) this.#consume(cell, message);
      this.#bosses.removeChildren(cell);
      this.#world.silence(cell);
      this.#world.change(cell, { status: 'error', error: { value: error } }, failedSnapshot(cell.snapshot, error));
      this.#end(cell);
      return;
    }
    if (cell.role.supervises && message?.kind === 'command' && message.event.type !== SHUTDOWN) {
      // The author of the command is at fault; the Boss stays as it was.
      this.#consume(cell, message);
      if (message.order !== null) this.#bosses.refuse(error);
      else this.#world.letters.add({ reason: 'refused', address: cell.address, error, message: messageRow(message) });
      return;
    }
    const redelivery = message !== null && message.deliveries > 0;
    // A suspect state is not for a Boss to handle: it waits for a person.
    if (message !== null && this.#countDelivery(cell, message, error)) return;
    this.#world.change(cell, { status: 'error', error: { value: error } });
    this.#world.incidents.failed(cell.identity, { error, over: event });
    this.#bosses.childEnded(cell, { reason: 'error', error, redelivery, ...(byClient && { byClient }) });
  }

  /**
   * Counts a delivery.
   *
   * @returns Whether the Boss has no decision left: the agent's poison policy has suspended or stopped the agent.
   */
  #countDelivery(cell: Cell, message: Message, error: unknown): boolean {
    if (!cell.role.isQuarantined) {
      // Never delivered again nor quarantined: the Boss ends its children and escalates. Those of the root live on, and
      // so do the messages to be decided.
      if (cell.parent !== undefined) this.#consume(cell, message);
      return false;
    }
    if (isDeliveredAgain(this.#world, message)) return false;
    this.#consume(cell, message);
    quarantine(this.#world, { address: cell.address, error, message: messageRow(message) });
    if (cell.definition.poison !== 'stop') return strike(this.#world, cell, error);
    this.#world.change(cell, { status: 'stopped', error: { value: error } });
    this.#bosses.childEnded(cell, { reason: 'normal', error: undefined, redelivery: false });
    return true;
  }

  #consume(cell: Cell, message: Message): void {
    assert(cell.mailbox.peek() === message, 'a turn consumes the message it was given');
    cell.mailbox.shift();
    this.#world.draft.read(message);
    if (message.timer !== null) this.#world.timers.consume(cell, message.timer, message.event);
    if (cell.crowd !== undefined) this.#world.backpressure.eased(cell);
  }
}

/** The type of the event that a turn took, and whether a client sent it. */
function originOf(message: Message | null): Pick<Calls, 'byClient' | 'event'> {
  return { byClient: message?.from === FROM_CLIENT, event: message?.event.type ?? null };
}
