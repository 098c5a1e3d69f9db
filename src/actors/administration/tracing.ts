/**
 * Traces: one record for every turn of the actors under an address, let out once the turn is durable, for sequence diagrams
 * and for people who want to see what goes on. Nothing of it is stored. While nobody traces, a turn costs one look at a
 * boolean. Limits: a cause is known by its turn only where that turn was traced too, and a restart that goes on from the
 * committed state is no turn of the child; it is in the record of its Boss.
 */
import { type EventObject } from 'xstate';
import { messageOf } from '../../errors.ts';
import { TRACE_CAUSES_MAX, TRACE_RECORDS_MAX } from '../../limits.ts';
import { ROOT } from '../address.ts';
import type { Cell } from '../cell.ts';
import { type Effect, type TakenTransition } from '../engine.ts';
import { type Message } from '../message.ts';
import type { Prepared } from '../turn/prepare.ts';
import { Queue } from '../mailbox/queue.ts';
import { isStale } from '../turn/signals.ts';
import { type ActorStatus, type StateChange } from '../state.ts';
import { type Timer } from '../time/timers.ts';
import type { World } from '../world.ts';

/** One turn, or the end of an actor. */
export interface TraceRecord {
  /** `spawn`, `restarted`: its first turn, of a life or after a restart from initial. `failed`: the turn, or what it meant, threw. `stopped`: it was removed. */
  readonly kind: 'spawn' | 'restarted' | 'transition' | 'failed' | 'stopped';
  readonly epoch: number;
  /** Kernel time. */
  readonly atMs: number;
  readonly address: string;
  readonly life: number;
  /** Changes of the actor's state so far, this turn's included. */
  readonly sequence: number;
  /** What the turn took; null for a first turn and an end. */
  readonly event: EventObject | null;
  /** Who sent that: `sequence` is that of the turn that did, null where it was not traced. Null for a host. */
  readonly cause: { readonly address: string | null; readonly life: number; readonly sequence: number | null } | null;
  /** Of machines: the transitions taken together, in order. The last ones led to `value`. */
  readonly microsteps: readonly (readonly TakenTransition[])[];
  /** Custom, durable and emitting actions and logs, by their names. */
  readonly actions: readonly string[];
  readonly sent: readonly TracedSend[];
  /** Addresses of children born in it. */
  readonly born: readonly string[];
  /** What of the state changed, as it is stored; null where the turn failed, and for effects. */
  readonly change: StateChange | null;
  /** State value of a machine after the turn; null for other logic. */
  readonly value: unknown;
  readonly status: ActorStatus;
  /** Of a failed one. */
  readonly error: unknown;
  /** Wall time that the turn took. */
  readonly durationMs: number;
}

export interface TracedSend {
  /** Address, or the empty text where the receiver was never born. */
  readonly to: string;
  readonly event: EventObject;
  /** Of a delayed one: for how long, and the id by which it is cancelled. */
  readonly delayMs: number | null;
  readonly id: string | null;
}

/** In the place of records that were dropped because the reader was behind. */
export interface TraceLoss {
  readonly kind: 'lost';
  readonly count: number;
}

/** A turn that caused messages and timers of these numbers. */
interface Cause {
  readonly life: number;
  sequence: number;
  readonly messages: number;
  readonly timers: number;
}

/** The turn under way. */
interface Turn {
  readonly cell: Cell;
  prepared: Prepared | undefined;
  readonly microsteps: (readonly TakenTransition[])[];
}

/** What takes a turn of a cell. */
interface Turns {
  take(cell: Cell): void;
}

/** Records of the actors under an address, in the order of their turns, as an async iterable. It ends with the system. */
export class Trace implements AsyncIterableIterator<TraceRecord | TraceLoss> {
  readonly address: string;
  readonly #buffer: number;
  readonly #onEnd: (trace: Trace) => void;
  readonly #records = new Queue<TraceRecord>();
  readonly #readers: ((result: IteratorResult<TraceRecord | TraceLoss>) => void)[] = [];
  #lost = 0;
  #isOver = false;

  constructor(address: string, { buffer, onEnd }: { buffer: number; onEnd: (trace: Trace) => void }) {
    this.address = address;
    this.#buffer = Math.max(1, Math.min(buffer, TRACE_RECORDS_MAX));
    this.#onEnd = onEnd;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<TraceRecord | TraceLoss>> {
    if (this.#lost > 0) {
      const count = this.#lost;
      this.#lost = 0;
      return Promise.resolve({ done: false, value: { kind: 'lost', count } });
    }
    const record = this.#records.shift();
    if (record !== undefined) return Promise.resolve({ done: false, value: record });
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  /** Ends it; what was not read is gone. */
  return(): Promise<IteratorResult<TraceRecord | TraceLoss>> {
    this.#records.clear();
    this.#lost = 0;
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Nothing further comes; what is there can still be read. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd(this);
    for (const resolve of this.#readers.splice(0)) resolve({ done: true, value: undefined });
  }

  covers(address: string): boolean {
    return this.address === ROOT || address === this.address || address.startsWith(`${this.address}/`);
  }

  tell(record: TraceRecord): void {
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader({ done: false, value: record });
      return;
    }
    this.#records.push(record);
    if (this.#records.size <= this.#buffer) return;
    this.#records.shift();
    this.#lost += 1;
  }
}

export class Tracing {
  readonly #world: World;
  readonly #traces = new Set<Trace>();
  /** In the order of their turns. */
  #causes: Cause[] = [];
  #turn: Turn | undefined;
  /** The last durable epoch, which at the time of an output is the one that lets it out. */
  durableEpoch: () => number = () => 0;
  /** Whether anybody traces. */
  isOn = false;

  constructor(world: World) {
    this.#world = world;
  }

  open(address: string, buffer: number = TRACE_RECORDS_MAX): Trace {
    const trace = new Trace(address, { buffer, onEnd: () => this.#drop(trace) });
    this.#traces.add(trace);
    this.isOn = true;
    return trace;
  }

  /** The system has closed. */
  close(): void {
    for (const trace of [...this.#traces]) trace.end();
  }

  /** Takes a cell's turn, and records it where somebody wants to know. */
  take(turns: Turns, cell: Cell): void {
    if (!this.isOn || !this.#isWatched(cell)) turns.take(cell);
    else this.#observe(turns, cell);
  }

  /** The turn under way has been prepared, and will be applied. */
  prepared(cell: Cell, prepared: Prepared): void {
    if (this.#turn?.cell === cell) this.#turn.prepared = prepared;
  }

  /** A timer to somebody else is about to become a message. */
  fired({ number, owner }: Timer): void {
    const cause = this.#causeAt('timers', number);
    if (cause?.life === owner) this.#remember(owner, cause.sequence);
  }

  /** An actor leaves the population. */
  buried(cell: Cell): void {
    if (!this.#isWatched(cell)) return;
    const none = { event: null, cause: null, microsteps: [], actions: [], sent: [], born: [], change: null, error: undefined, durationMs: 0 };
    this.#enter({ kind: 'stopped', ...this.#facts(cell), ...none });
  }

  #observe(turns: Turns, cell: Cell): void {
    const { engine, clock } = this.#world;
    // A Boss may hold back what comes first.
    const unread = cell.isBoss ? cell.mailbox.unread() : [cell.mailbox.peek()];
    const isFirst = cell.state.status === 'starting';
    const [first = null] = unread;
    const isNobodys = !isFirst && first !== null && isStale(cell, first);
    const cause = this.#remember(cell.life, cell.state.seq);
    const outer = this.#turn;
    const turn: Turn = (this.#turn = { cell, prepared: undefined, microsteps: [] });
    engine.onMicrostep = (taken) => void turn.microsteps.push(taken);
    const begunMs = clock.monotonicMs();
    try {
      turns.take(cell);
    } finally {
      this.#turn = outer;
      engine.onMicrostep = outer === undefined ? undefined : (taken) => void outer.microsteps.push(taken);
    }
    cause.sequence = cell.state.seq;
    if (isNobodys) return;
    const durationMs = clock.monotonicMs() - begunMs;
    const message = isFirst ? null : (unread.find((one) => one?.isGone === true) ?? first);
    const kind = isFailure(turn) ? 'failed' : !isFirst ? 'transition' : cell.state.incarnation > 0 ? 'restarted' : 'spawn';
    const { microsteps, prepared } = turn;
    const deed = { event: message?.event ?? null, cause: message === null ? null : this.#causeOf(message), microsteps, durationMs };
    const error = kind === 'failed' ? (cell.state.error ?? cell.held?.error) : undefined;
    this.#enter({ kind, ...this.#facts(cell), ...deed, ...this.#meant(kind === 'failed' ? undefined : prepared), error });
  }

  #facts(cell: Cell) {
    const { state, snapshot, definition, life, identity } = cell;
    const value = snapshot === undefined ? null : this.#world.engine.view(definition, snapshot).value;
    return { atMs: this.#world.time.nowMs(), address: identity.address, life, sequence: state.seq, value, status: state.status };
  }

  #meant(prepared: Prepared | undefined): Pick<TraceRecord, 'actions' | 'sent' | 'born' | 'change'> {
    if (prepared === undefined) return { actions: [], sent: [], born: [], change: null };
    const { effects, births, change } = prepared;
    return {
      actions: effects.flatMap((effect) => nameOf(effect) ?? []),
      sent: effects.flatMap((effect) => (effect.kind === 'send' || effect.kind === 'arm' ? [this.#sendOf(effect)] : [])),
      born: births.map(({ ref }) => ref.address),
      change,
    };
  }

  #sendOf(effect: Extract<Effect, { kind: 'send' | 'arm' }>): TracedSend {
    const to = this.#world.own(effect.to)?.address ?? '';
    return effect.kind === 'send' ? { to, event: effect.event, delayMs: null, id: null } : { to, event: effect.event, delayMs: effect.delayMs, id: effect.id ?? null };
  }

  #causeOf({ id, from, timer }: Message): TraceRecord['cause'] {
    if (from <= 0) return null;
    const cause = timer === null ? this.#causeAt('messages', id) : this.#causeAt('timers', timer.number);
    return { life: from, address: this.#world.cells.get(from)?.identity.address ?? null, sequence: cause?.life === from ? cause.sequence : null };
  }

  /** The last turn that began before this number was given out. */
  #causeAt(which: 'messages' | 'timers', number: number): Cause | undefined {
    let low = 0;
    let high = this.#causes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#causes[middle]![which] <= number) low = middle + 1;
      else high = middle;
    }
    return this.#causes[low - 1];
  }

  /** Messages and timers from here on are this turn's. Half of what is remembered goes at once, so that none costs more than another. */
  #remember(life: number, sequence: number): Cause {
    const { message: messages, timer: timers } = this.#world.counters;
    const cause: Cause = { life, sequence, messages, timers };
    this.#causes.push(cause);
    if (this.#causes.length > TRACE_CAUSES_MAX) this.#causes = this.#causes.slice(TRACE_CAUSES_MAX / 2);
    return cause;
  }

  #enter(record: Omit<TraceRecord, 'epoch'>): void {
    this.#world.draft.output(() => {
      const told: TraceRecord = Object.freeze({ ...record, epoch: this.durableEpoch() });
      for (const trace of this.#traces) if (trace.covers(record.address)) trace.tell(told);
    });
  }

  #isWatched({ identity: { address } }: Cell): boolean {
    for (const trace of this.#traces) if (trace.covers(address)) return true;
    return false;
  }

  #drop(trace: Trace): void {
    this.#traces.delete(trace);
    if (this.#traces.size > 0) return;
    this.isOn = false;
    this.#causes = [];
  }
}

/** A machine's turn that threw was never prepared; one of which a failure came has its actor failed. */
function isFailure({ cell, prepared }: Turn): boolean {
  return cell.state.status === 'error' || (prepared === undefined && !cell.definition.isEffect && !cell.gone);
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
