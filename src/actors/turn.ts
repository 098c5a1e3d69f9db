/**
 * The turn: one message applied to one actor, whole or not at all (design P1).
 *
 *   step      the engine runs the user's pure code and describes what should happen
 *   prepare   everything is admitted and checked; a throw up to here leaves no trace but a delivery count
 *   apply     state, births, deaths, messages, timers and outputs go into the epoch in the making; nothing here throws
 */
import { type EventObject } from 'xstate';
import { assert } from '../assert.ts';
import { BosunError } from '../errors.ts';
import { DELIVERIES_MAX, QUARANTINE_MESSAGES_MAX } from '../limits.ts';
import { admit } from './admission.ts';
import { type Bosses, type Exit } from './bosses.ts';
import { type Cell } from './cell.ts';
import { EFFECT_FAILED, type Effects } from './effects.ts';
import { type Birth, type Effect, type Snapshot, type Step } from './engine.ts';
import { type Message, messageRow } from './message.ts';
import { rowKey } from './rows.ts';
import { type StateChange } from './state.ts';
import { type World } from './world.ts';
import { refOf } from './xstate-engine.ts';

/** A step whose every value has been admitted. Applying it cannot fail. */
interface Prepared {
  readonly change: StateChange;
  readonly snapshot: Snapshot;
  readonly births: readonly (Birth & { readonly input: unknown })[];
  readonly dropped: Step['dropped'];
  readonly effects: readonly Effect[];
}

export class Turns {
  readonly #world: World;
  readonly #effects: Effects;
  readonly #bosses: Bosses;
  readonly #log: (...args: unknown[]) => void;
  /** Sends by user code inside the step under way (`self.send` in an assign); null between steps. */
  #strays: Effect[] | null = null;

  constructor(world: World, effects: Effects, bosses: Bosses, log: (...args: unknown[]) => void) {
    this.#world = world;
    this.#effects = effects;
    this.#bosses = bosses;
    this.#log = log;
  }

  /** Whether user code of a step is running now. */
  get isStepping(): boolean {
    return this.#strays !== null;
  }

  stray(effect: Effect): void {
    assert(this.#strays !== null, 'a stray send belongs to a step');
    this.#strays.push(effect);
  }

  /** Takes the next turn of a cell: its first, or the one that its oldest message asks for. */
  take(cell: Cell): void {
    this.#world.draft.turns += 1;
    if (cell.state.status === 'starting') {
      this.#begin(cell);
      return;
    }
    const message = cell.mailbox.peek();
    if (message === undefined) return;
    if (cell.definition.isEffect) this.#takeEffectMessage(cell, message);
    else if (isStale(cell, message)) this.#consume(cell, message);
    else this.#takeMessage(cell, message);
  }

  #begin(cell: Cell): void {
    let prepared: Prepared;
    try {
      const step = this.#step(() => this.#world.engine.initial(cell.definition, cell.ref, cell.identity.input));
      if (cell.definition.isEffect) {
        this.#effects.start(cell, step.snapshot);
        this.#signalSnapshot(cell);
        return;
      }
      prepared = this.#prepare(cell, undefined, step);
    } catch (error) {
      this.#crash(cell, error, null);
      return;
    }
    const { change } = prepared;
    this.#apply(cell, { ...prepared, change: { ...change, status: change.status ?? 'active' } }, null);
  }

  #takeMessage(cell: Cell, message: Message): void {
    let prepared: Prepared;
    try {
      const before = cell.snapshot!;
      const event = cell.isBoss ? this.#bosses.decorate(cell, message.event) : message.event;
      const step = this.#step(() => this.#world.engine.transition(cell.definition, cell.ref, before, event));
      prepared = this.#prepare(cell, before, step);
    } catch (error) {
      this.#crash(cell, error, message);
      return;
    }
    if (prepared.snapshot.status === 'error') {
      // A child's failure that the machine does not handle is its own failure. The signal is consumed, not redelivered.
      this.#consume(cell, message);
      this.#crash(cell, prepared.snapshot.error, null);
      return;
    }
    if (cell.parent === undefined && prepared.snapshot.status === 'done') {
      // The root gives up: nothing more is decided in this run. The message waits for the next one.
      this.#bosses.exited(cell, gaveUp(prepared.snapshot.output as BossOutput));
      return;
    }
    this.#apply(cell, prepared, message);
  }

  #takeEffectMessage(cell: Cell, message: Message): void {
    this.#consume(cell, message);
    if (message.kind !== 'completion') {
      this.#effects.deliver(cell, message.event);
      return;
    }
    if (message.attempt !== cell.state.attempt || cell.state.status !== 'active') return;
    const { event } = message;
    const snapshot = this.#afterCompletion(cell, event);
    if (snapshot.status === 'active') {
      this.#world.change(cell, this.#world.engine.changeOf(cell.definition, cell.snapshot, snapshot), snapshot);
      this.#signalSnapshot(cell);
      return;
    }
    this.#endEffect(cell, snapshot);
  }

  #afterCompletion(cell: Cell, event: EventObject): Snapshot {
    const failed = (error: unknown) => ({ ...cell.snapshot, status: 'error', error }) as Snapshot;
    if (event.type === EFFECT_FAILED) return failed((event as { error?: unknown }).error);
    try {
      return this.#step(() => this.#world.engine.transition(cell.definition, cell.ref, cell.snapshot!, event)).snapshot;
    } catch (error) {
      return failed(admitError(error));
    }
  }

  #step(take: () => Step): Step {
    this.#strays = [];
    try {
      const step = take();
      return this.#strays.length === 0 ? step : { ...step, effects: [...step.effects, ...this.#strays] };
    } finally {
      this.#strays = null;
    }
  }

  #prepare(cell: Cell, before: Snapshot | undefined, step: Step): Prepared {
    const change = this.#world.engine.changeOf(cell.definition, before, step.snapshot);
    const effects = step.effects.map((effect) => admitEffect(cell, effect));
    this.#world.checkTimers(cell, effects.filter((effect) => effect.kind === 'arm').length);
    return {
      change: admit(change, 'context', refOf),
      snapshot: step.snapshot,
      births: step.births.map((birth) => ({ ...birth, input: admit(birth.input, `input of ${birth.childId}`, refOf) })),
      dropped: step.dropped,
      effects,
    };
  }

  #apply(cell: Cell, prepared: Prepared, message: Message | null): void {
    const turn = cell.state.seq + 1;
    if (message !== null) this.#consume(cell, message);
    this.#world.change(cell, prepared.change, prepared.snapshot);
    if (message?.kind === 'signal') this.#settleFailure(cell, message);
    for (const ref of prepared.dropped) this.#drop(ref.life);
    prepared.births.forEach((birth, index) => this.#bear(cell, birth, `${cell.identity.life}/${turn}/${index}`));
    for (const effect of prepared.effects) this.#perform(cell, effect);
    if (cell.snapshot !== undefined) this.#signalSnapshot(cell);
    if (cell.state.status === 'done') this.#finish(cell);
  }

  /** A child's failure that its machine has handled is settled: a later restart of the machine leaves that child alone. */
  #settleFailure(cell: Cell, message: Message): void {
    const child = cell.children.get(childOf(message));
    if (child?.state.status === 'error') this.#world.change(child, { status: 'stopped' });
  }

  #bear(parent: Cell, birth: Birth, effectId: string): void {
    const { definition, ref, childId, src, systemId, syncSnapshot, input, life } = birth;
    // XState would leave a child running whose id is used again; here the new one takes its place.
    const before = this.#world.addresses.get(ref.address);
    if (before !== undefined) this.#bosses.remove(before);
    const facts = { agent: src, definition: definition.hash, version: definition.version, bond: 'invoked' as const };
    const place = { life, address: ref.address, parent: parent.identity.life, childId, systemId };
    this.#world.bear({ ...place, ...facts, syncSnapshot, effectId, input }, definition, parent);
  }

  #drop(life: number): void {
    const child = this.#world.cells.get(life);
    if (child !== undefined) this.#bosses.remove(child);
  }

  #perform(cell: Cell, effect: Effect): void {
    const { draft } = this.#world;
    switch (effect.kind) {
      case 'send': {
        const target = this.#target(effect.to);
        if (target !== undefined) this.#world.enqueue(target, effect.event, { kind: kindFor(target, effect.event), from: cell.identity.life });
        return;
      }
      case 'arm':
        this.#arm(cell, effect);
        return;
      case 'cancel': {
        const timer = cell.timers.get(effect.id);
        if (timer !== undefined) this.#world.disarm(cell, timer);
        return;
      }
      case 'emit':
        draft.output(() => this.#world.tellEmitted(cell, effect.event));
        return;
      case 'log':
        draft.output(() => this.#log(...(effect.label === undefined ? [] : [effect.label]), effect.value));
        return;
      case 'call':
        draft.output(() => this.#call(cell, effect.run));
        return;
      case 'command':
        this.#bosses.perform(cell, effect.name, effect.params);
        return;
    }
  }

  #arm(cell: Cell, effect: Extract<Effect, { kind: 'arm' }>): void {
    const target = this.#target(effect.to);
    if (target === undefined) return;
    // XState names unnamed timers by chance; a number of ours is as good and the same in every replay.
    const id = effect.id ?? `timer:${this.#world.counters.timer}`;
    this.#world.arm(cell, { id, delayMs: effect.delayMs, to: target.identity.life, event: effect.event });
  }

  #target(to: object): Cell | undefined {
    const ref = refOf(to);
    return ref && this.#world.cells.get(ref.life);
  }

  #call(cell: Cell, run: () => void): void {
    try {
      run();
    } catch (error) {
      // The turn stands; the failure is the actor's all the same (design P1).
      if (!cell.gone && cell.state.status === 'active') this.#crash(cell, error, null);
    }
  }

  #signalSnapshot(cell: Cell): void {
    const { identity, parent, definition } = cell;
    if (!identity.syncSnapshot || parent === undefined || cell.state.status !== 'active') return;
    const snapshot = this.#world.engine.view(definition, cell.snapshot!);
    const event = { type: `xstate.snapshot.${identity.childId}`, snapshot };
    this.#world.enqueue(parent, admit(event, 'snapshot', refOf), {
      kind: 'signal',
      from: identity.life,
      attempt: generationOf(cell),
    });
  }

  /** A machine or reducer that has reached its end. */
  #finish(cell: Cell): void {
    this.#bosses.removeChildren(cell);
    if (cell.identity.bond === 'supervised') {
      // Its mailbox waits for what the Boss decides.
      for (const timer of [...cell.timers.values()]) this.#world.disarm(cell, timer);
      this.#bosses.exited(cell, exitOf(cell));
      return;
    }
    this.#world.silence(cell);
    this.#end(cell, cell.state.output);
  }

  #endEffect(cell: Cell, snapshot: Snapshot): void {
    // The promise has settled by itself: there is nothing to abort. Others want their cleanup.
    if (cell.definition.kind === 'promise') cell.running = undefined;
    else this.#effects.stop(cell);
    this.#world.change(cell, admit(this.#world.engine.changeOf(cell.definition, cell.snapshot, snapshot), 'result'), snapshot);
    this.#world.silence(cell);
    this.#end(cell, snapshot.output, snapshot.status === 'error' ? { error: snapshot.error } : undefined);
  }

  /** Tells the machine that a child belongs to how it ended. It keeps the child until it drops it, as XState does. */
  #end(cell: Cell, output: unknown, failure?: { error: unknown }): void {
    const { identity, parent } = cell;
    if (identity.bond !== 'invoked' || parent === undefined) return;
    const { childId: actorId } = identity;
    const event =
      failure === undefined
        ? { type: `xstate.done.actor.${actorId}`, output, actorId }
        : { type: `xstate.error.actor.${actorId}`, error: failure.error, actorId };
    this.#world.enqueue(parent, Object.freeze(event), { kind: 'signal', from: identity.life, attempt: generationOf(cell) });
  }

  /**
   * The turn threw, or what it meant failed. `message` is the one to deliver again, if any.
   * A child of a machine dies, as in XState; a child of a Boss keeps its state and mailbox and waits for the Boss.
   */
  #crash(cell: Cell, thrown: unknown, message: Message | null): void {
    const error = admitError(thrown);
    if (cell.identity.bond === 'invoked') {
      if (message !== null) this.#consume(cell, message);
      this.#bosses.removeChildren(cell);
      this.#world.silence(cell);
      this.#world.change(cell, { status: 'error', error: { value: error } }, { ...cell.snapshot, status: 'error', error } as Snapshot);
      this.#end(cell, undefined, { error });
      return;
    }
    if (cell.isBoss && message?.kind === 'command') {
      // Whoever gave the command is at fault; the Boss stands as it was.
      this.#quarantine(cell, message, error);
      return;
    }
    const redelivery = message !== null && message.deliveries > 0;
    if (message !== null) this.#countDelivery(cell, message, error);
    this.#world.change(cell, { status: 'error', error: { value: error } });
    this.#bosses.crashed(cell, { reason: 'error', error, redelivery });
  }

  #countDelivery(cell: Cell, message: Message, error: unknown): void {
    if (cell.isBoss) {
      // Never delivered again nor quarantined: the Boss ends its children and escalates. Those of the root live on, and so
      // does what is to be decided about them.
      if (cell.parent !== undefined) this.#consume(cell, message);
      return;
    }
    message.deliveries += 1;
    if (message.timer !== null) message.timer.deliveries = message.deliveries;
    if (message.deliveries < DELIVERIES_MAX) {
      if (message.timer === null) this.#world.draft.unread(message);
      else this.#world.draft.armed(message.timer);
      return;
    }
    this.#quarantine(cell, message, error);
  }

  #quarantine(cell: Cell, message: Message, error: unknown): void {
    this.#consume(cell, message);
    const number = this.#world.next('quarantine');
    const record = { address: cell.identity.address, atMs: this.#world.time.nowMs(), error, message: messageRow(message) };
    this.#world.draft.put(rowKey('q', number), record);
    if (number > QUARANTINE_MESSAGES_MAX) this.#world.draft.remove(rowKey('q', number - QUARANTINE_MESSAGES_MAX));
  }

  #consume(cell: Cell, message: Message): void {
    assert(cell.mailbox.peek() === message, 'a turn consumes the message it was given');
    cell.mailbox.shift();
    this.#world.draft.read(message);
    if (message.timer !== null) this.#world.endTimer(cell, message.timer);
  }
}

/** A signal of a child that the machine no longer has, or has anew, is nobody's. */
function isStale(cell: Cell, message: Message): boolean {
  if (message.kind !== 'signal' && message.kind !== 'exit') return false;
  const child = cell.children.get(childOf(message));
  // One that could not be born has no life to be compared: it speaks for as long as its Boss has not begun anew or got it.
  if (message.from === 0) return child !== undefined || message.attempt !== cell.state.incarnation;
  return child?.identity.life !== message.from || generationOf(child) !== message.attempt;
}

function childOf({ event }: Message): string {
  const { actorId, id } = event as { actorId?: string; id?: string };
  return actorId ?? id ?? event.type.slice('xstate.snapshot.'.length);
}

/** What commands a Boss overtakes; nothing else may. */
export function kindFor(target: Cell, event: EventObject): 'event' | 'command' {
  return target.isBoss && event.type.startsWith('child.') ? 'command' : 'event';
}

/** Which start of itself an actor's signal speaks for. */
function generationOf(cell: Cell): number {
  return cell.definition.isEffect ? cell.state.attempt : cell.state.incarnation;
}

function admitEffect(cell: Cell, effect: Effect): Effect {
  const place = cell.identity.address;
  switch (effect.kind) {
    case 'send':
    case 'arm':
      return { ...effect, event: admitEvent(effect.event, place) };
    case 'emit':
      return { ...effect, event: admitEvent(effect.event, place) };
    case 'command':
      return { ...effect, params: admit(effect.params, `${effect.name} of ${place}`, refOf) };
    case 'log':
    case 'call':
    case 'cancel':
      return effect;
  }
}

function admitEvent(event: EventObject, place: string): EventObject {
  if (typeof event?.type !== 'string') {
    throw new BosunError('BOSUN_VALUE_REFUSED', `${place} sends something that is not an event: it has no type`);
  }
  return admit(event, `event ${event.type} of ${place}`, refOf);
}

/** What was thrown, as something that can be stored. */
function admitError(thrown: unknown): unknown {
  try {
    return admit(thrown, 'error');
  } catch {
    return new Error(String(thrown));
  }
}

function exitOf(cell: Cell): Exit {
  const output = cell.state.output as BossOutput | undefined;
  if (cell.isBoss && output?.reason === 'shutdown') return gaveUp(output);
  return { reason: 'normal', error: undefined, redelivery: false };
}

/** What a Boss that gives up ends with. */
interface BossOutput {
  readonly reason: 'shutdown';
  readonly over: string;
  readonly error: unknown;
}

function gaveUp({ reason, over, error }: BossOutput): Exit {
  return { reason, error, redelivery: false, over };
}
