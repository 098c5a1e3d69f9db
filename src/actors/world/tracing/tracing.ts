/**
 * Traces: one record for every turn. The last turns of the system are always there, by name (recent-turns.ts); contents
 * of events and contexts are recorded where the actor is traced, where the channel `bosun:turn` has listeners, and
 * where the agent keeps its turns (kept-turns.ts). Nobody is told before the turn is durable. A restart that goes on
 * from the committed state is not a turn of the child; it is in the record of its Boss.
 */
import { channel } from 'node:diagnostics_channel';
import { shown } from '../../../lending.ts';
import { messageOf } from '../../../errors.ts';
import { TRACE_RECORDS_MAX, TRACE_TURNS_MAX } from '../../../limits.ts';
import type { Cell } from '../cell.ts';
import { type StateChange, storedChange } from '../../model/state.ts';
import { type Effect, type StepEngine } from '../../model/step-engine.ts';
import { type Message } from '../mailbox/message.ts';
import { type Timer } from '../../model/timers.ts';
import { type Ref } from '../../model/ref.ts';
import { type Prepared } from '../../model/prepared.ts';
import { Causes } from './causes.ts';
import { KeptTurns } from './kept-turns.ts';
import { kindOf, RecentTurns, Turn, type TurnNote } from './recent-turns.ts';
import {
  type PublishedTurn,
  type TraceCause,
  type TracedSend,
  type TraceKind,
  type TraceRecord,
} from '../../model/trace-record.ts';
import { isBelow, Trace } from './trace.ts';
import { type Surroundings } from '../surroundings.ts';

type Needs = Pick<
  Surroundings,
  'audience' | 'cells' | 'clock' | 'draft' | 'engine' | 'nextNumber' | 'own' | 'records' | 'time'
>;

/** A listener for turns. */
interface Listener {
  covers(address: string): boolean;
  tell(record: TraceRecord): void;
  /** Called when the system has closed. */
  end(): void;
}

type Contents = Pick<TraceRecord, 'event' | 'actions' | 'sent' | 'born' | 'change' | 'error'>;

/** Frozen, as everything in a record is that its readers share. */
const NOTHING: readonly never[] = Object.freeze([]);
const NO_CONTENTS: Contents = {
  event: null,
  actions: NOTHING,
  sent: NOTHING,
  born: NOTHING,
  change: null,
  error: undefined,
};

export class Tracing {
  readonly #world: Needs;
  readonly #listeners = new Set<Listener>();
  readonly #channel = channel('bosun:turn');
  readonly #causes = new Causes();
  readonly #recent = new RecentTurns();
  readonly kept: KeptTurns;
  #turn: Turn | undefined;
  /** Turns by depth: a turn may begin within another. */
  readonly #turns: Turn[] = [];
  #depth = 0;
  #store = '';
  /** Number of the epoch in the making. */
  epoch = 0;
  /** Number of the last durable turn. */
  durable = 0;

  constructor(world: Needs) {
    this.#world = world;
    this.kept = new KeptTurns(world);
  }

  attach({ store, engine }: { store: string; engine: Pick<StepEngine, 'onMicrostep'> }): void {
    this.#store = store;
    this.kept.attach();
    engine.onMicrostep = (taken) => this.#turn?.steps(taken);
  }

  open(address: string, buffer: number = TRACE_RECORDS_MAX): Trace {
    const trace = new Trace(address, { buffer, onEnd: () => this.#listeners.delete(trace) });
    this.#listeners.add(trace);
    return trace;
  }

  /** Calls `tell` for every turn below an address from now on, once it is durable. @returns A function that ends it. */
  listen(address: string, tell: (record: TraceRecord) => void): () => void {
    const listener: Listener = { covers: (place) => isBelow(address, place), tell, end: () => {} };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Ends all listeners when the system has closed. */
  close(): void {
    for (const listener of [...this.#listeners]) listener.end();
  }

  /** The last durable turns below an address, oldest first. */
  recent(
    address: string,
    { limit = TRACE_TURNS_MAX, after = 0 }: { readonly limit?: number; readonly after?: number } = {},
  ): TraceRecord[] {
    const notes = this.#recent.list((place) => isBelow(address, place), { through: this.durable, after, limit });
    return notes.map((note) => this.#recordOf(note));
  }

  /**
   * The oldest durable turns after a number that are below an address, and the number up to which the list is complete.
   */
  behind(
    number: number,
    address: string,
    limit: number,
  ): { readonly records: readonly TraceRecord[]; readonly through: number } {
    const { notes, through } = this.#recent.behind(number, (place) => isBelow(address, place), {
      through: this.durable,
      limit,
    });
    return { records: notes.map((note) => this.#recordOf(note)), through };
  }

  /** Number of the oldest remembered turn. */
  get oldest(): number {
    return this.#recent.oldest;
  }

  /** Number of the last turn. */
  get last(): number {
    return this.#recent.last;
  }

  /** Forgets turns of erased actors, except those on disk. */
  erase(lives: ReadonlySet<number>): void {
    this.#recent.erase(lives);
  }

  /**
   * Begins a turn of a cell; `ends` or `breaksOff` follows.
   *
   * @param begunMs Monotonic time of the beginning. In a series of turns, one begins when the one before it ended.
   */
  begins(cell: Cell, begunMs: number = this.#world.clock.monotonicMs()): void {
    this.#turn = (this.#turns[this.#depth] ??= new Turn()).begin(cell, begunMs, this.#begin(cell.life));
    this.#depth += 1;
  }

  /** Ends and records the current turn. @returns When it ended, by the monotonic clock. */
  ends(): number {
    const turn = this.#turn!;
    this.breaksOff();
    this.#causes.end(turn.place, turn.cell.seq);
    // From here on the outer turn continues.
    const outer = this.#turn;
    if (outer !== undefined) this.#causes.end(this.#begin(outer.cell.life), outer.cell.seq);
    const endedMs = this.#world.clock.monotonicMs();
    if (turn.message !== null || turn.isFirst) this.#ended(turn, kindOf(turn), endedMs);
    return endedMs;
  }

  /** Records that an epoch is durable, with all turns up to this one. */
  released(turn: number): void {
    this.durable = turn;
    this.kept.catchUp();
  }

  /** Gives up the current turn, because the kernel itself has failed. */
  breaksOff(): void {
    this.#depth -= 1;
    this.#turn = this.#depth === 0 ? undefined : this.#turns[this.#depth - 1];
  }

  /** Records the message of the current turn. */
  takes(message: Message): void {
    if (this.#turn !== undefined) this.#turn.message = message;
  }

  /** Records that the current turn has been prepared, and will be applied. */
  prepared(cell: Cell, prepared: Prepared): void {
    if (this.#turn?.cell === cell) this.#turn.prepared = prepared;
  }

  /** Records that a timer to another actor is about to become a message. */
  fired({ number, owner }: Timer): void {
    const sequence = this.#causes.ofTimer(number, owner);
    this.#causes.end(this.#begin(owner), sequence);
  }

  /** Records that an actor leaves the population. */
  buried(cell: Cell): void {
    const nowMs = this.#world.clock.monotonicMs();
    this.#ended(new Turn().begin(cell, nowMs, 0), 'stopped', nowMs);
  }

  #begin(life: number): number {
    return this.#causes.begin(life, this.#world.nextNumber('message'), this.#world.nextNumber('timer'));
  }

  #ended(turn: Turn, kind: TraceKind, endedMs: number): void {
    const { cell } = turn;
    const { snapshot, definition, ref } = cell;
    turn.end(endedMs, kind, snapshot === undefined ? null : this.#world.engine.valueOf(definition, snapshot));
    const number = this.#recent.add(turn, this.epoch);
    const isHeard = this.#channel.hasSubscribers || (this.#listeners.size > 0 && this.#isTraced(ref));
    if (!isHeard && definition.keptTurns === 0) return;
    const record = this.#recordOf(this.#recent.at(number), this.#contentsOf(turn));
    if (isHeard) this.#world.draft.output(() => this.#letOut(record));
    if (definition.keptTurns > 0 && kind !== 'stopped' && !cell.gone) this.kept.add(cell, record, turn.before);
  }

  /**
   * The contents of a turn, recorded only for subscribers present before it. A turn that threw lists no effects, since
   * none happened.
   */
  #contentsOf({ cell, kind, message, prepared }: Turn): Contents {
    const event = message?.event ?? null;
    if (kind === 'failed') return { ...NO_CONTENTS, event, error: cell.state.error ?? cell.held?.error };
    if (prepared === undefined) return { ...NO_CONTENTS, event };
    const { effects, births, change } = prepared;
    return {
      event,
      change: closed(storedChange(change)),
      actions: effects.length === 0 ? NOTHING : Object.freeze(effects.flatMap((effect) => nameOf(effect) ?? [])),
      sent:
        effects.length === 0
          ? NOTHING
          : Object.freeze(
              effects.flatMap((effect) =>
                effect.kind === 'send' || effect.kind === 'arm' ? [Object.freeze(this.#sendOf(effect))] : [],
              ),
            ),
      born: births.length === 0 ? NOTHING : Object.freeze(births.map(({ ref }) => ref.address)),
      error: undefined,
    };
  }

  #sendOf(effect: Extract<Effect, { kind: 'send' | 'arm' }>): TracedSend {
    const to = this.#world.own(effect.to)?.address ?? '';
    return effect.kind === 'send'
      ? { to, event: effect.event, delayMs: null, id: null }
      : { to, event: effect.event, delayMs: effect.delayMs, id: effect.id ?? null };
  }

  #letOut(record: TraceRecord): void {
    for (const listener of [...this.#listeners])
      if (listener.covers(record.address)) this.#world.audience.guarded(() => listener.tell(record));
    if (this.#channel.hasSubscribers)
      this.#channel.publish({ store: this.#store, record: shown(record) } satisfies PublishedTurn);
  }

  /** Builds a record field by field, because it is called for every turn of agents that keep them. */
  #recordOf(note: TurnNote, contents?: Contents): TraceRecord {
    const { engine, time, cells } = this.#world;
    const { type, from } = note;
    const { event, actions, sent, born, change, error } = contents ?? {
      ...NO_CONTENTS,
      event: type === null ? null : { type },
      error: note.error,
    };
    return Object.freeze({
      number: note.number,
      kind: note.kind,
      epoch: note.epoch,
      atMs: time.at(note.begunMs),
      address: note.address,
      agent: cells.get(note.life)?.agent ?? this.#recent.agentOf(note.life) ?? '',
      life: note.life,
      sequence: note.sequence,
      event,
      cause: from <= 0 ? null : this.#causeOf(from, note.message, note.timer),
      microsteps: note.microsteps.map((taken) => engine.described(taken)),
      actions,
      sent,
      born,
      change,
      value: note.value,
      status: note.status,
      error,
      durationMs: note.durationMs,
    });
  }

  #causeOf(life: number, message: number, timer: number): TraceCause {
    const address = this.#world.cells.get(life)?.address ?? this.#recent.addressOf(life);
    return {
      address,
      life,
      sequence: timer === 0 ? this.#causes.ofMessage(message, life) : this.#causes.ofTimer(timer, life),
    };
  }

  #isTraced({ address }: Ref): boolean {
    for (const listener of this.#listeners) if (listener.covers(address)) return true;
    return false;
  }
}

/** A change whose parts are frozen too: stored values are so already. */
function closed(change: StateChange): StateChange {
  if (change.set !== undefined) Object.freeze(change.set);
  for (const rows of Object.values(Object.freeze(change.rows ?? {}))) {
    for (const entry of Object.freeze(rows.set)) Object.freeze(entry);
    Object.freeze(Object.freeze(rows).unset);
  }
  return Object.freeze(change);
}

function nameOf(effect: Effect): string | undefined {
  switch (effect.kind) {
    case 'call':
    case 'durable':
    case 'command':
      return effect.name;
    case 'emit':
      return `emit ${effect.event.type}`;
    case 'log':
      return effect.label === undefined ? 'log' : `log ${messageOf(effect.label)}`;
    default:
      return undefined;
  }
}
