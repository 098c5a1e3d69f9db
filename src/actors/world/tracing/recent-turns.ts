/**
 * The last turns of the system, always recorded, to see afterwards what led to what. Only names are kept of a turn
 * (address, type of the event, the transitions, the state they led to), so its memory is bounded whatever events and
 * contexts hold. Two long arrays instead of objects, because every turn writes here: nothing is allocated, and nothing
 * new is kept alive for the collector to move.
 */
import { messageOf } from '../../../errors.ts';
import { TRACE_TURNS_MAX } from '../../../limits.ts';
import type { Cell } from '../cell.ts';
import { grown } from './causes.ts';
import { type Taken } from '../../model/step-engine.ts';
import { type Message } from '../mailbox/message.ts';
import { type Ref } from '../../model/ref.ts';
import { type ActorStatus } from '../../model/state.ts';
import { type Prepared } from '../../model/prepared.ts';
import { type TraceKind } from '../../model/trace-record.ts';

/** A turn in progress. The object is reused for one turn after the other. */
export class Turn {
  cell!: Cell;
  begunMs = 0;
  /** The place of the turn among the causes. */
  place = 0;
  isFirst = false;
  /** Number of changes of the actor before it. */
  before = 0;
  message: Message | null = null;
  prepared: Prepared | undefined = undefined;
  /** The first microstep; most machines take one. */
  first: Taken | null = null;
  more: Taken[] | null = null;
  endedMs = 0;
  kind: TraceKind = 'transition';
  /** The state value of its machine. */
  value: unknown = null;

  begin(cell: Cell, begunMs: number, place: number): this {
    this.cell = cell;
    this.begunMs = begunMs;
    this.place = place;
    this.isFirst = cell.status === 'starting';
    this.before = cell.seq;
    this.message = null;
    this.prepared = undefined;
    this.first = null;
    this.more = null;
    return this;
  }

  steps(taken: Taken): void {
    if (this.first === null) this.first = taken;
    else if (this.more === null) this.more = [taken];
    else this.more.push(taken);
  }

  /** Ends the turn. */
  end(endedMs: number, kind: TraceKind, value: unknown): void {
    this.endedMs = endedMs;
    this.kind = kind;
    this.value = value;
  }
}

/** The kind of an ended turn. */
export function kindOf({ cell: { state, definition, gone }, prepared, isFirst }: Turn): TraceKind {
  // A machine's turn that threw was never prepared; one with a failed effect has its actor failed.
  if (state.status === 'error' || (prepared === undefined && !definition.isEffect && !gone)) return 'failed';
  if (!isFirst) return 'transition';
  return state.incarnation > 0 ? 'restarted' : 'spawn';
}

/** A remembered turn; derived facts are computed by readers. */
export interface TurnNote {
  readonly number: number;
  readonly kind: TraceKind;
  /** The epoch in the making at the time of the turn. */
  readonly epoch: number;
  /** When the turn began, by the monotonic clock. */
  readonly begunMs: number;
  readonly durationMs: number;
  readonly address: string;
  readonly life: number;
  readonly sequence: number;
  /** Type of the event; null for a first turn and an end. */
  readonly type: string | null;
  /** Life of the sender, 0 or less for a host or a client. */
  readonly from: number;
  /** Keys of the cause: number of the message, 0 for a timer's, and of the timer. */
  readonly message: number;
  readonly timer: number;
  readonly microsteps: readonly Taken[];
  readonly value: unknown;
  readonly status: ActorStatus;
  /** The shortened error of a failed turn. */
  readonly error: unknown;
}

/** Meanings of the numbers of an outcome. */
const KINDS: readonly TraceKind[] = ['spawn', 'restarted', 'transition', 'failed', 'stopped'];
const STATUSES: readonly ActorStatus[] = ['starting', 'active', 'done', 'error', 'stopped'];

/** The first number that stands for an end. An outcome combines both facts in one number. */
const STOPPED = KINDS.indexOf('stopped') * STATUSES.length;

/** The numeric fields of a turn, side by side in the array, so that they share a cache line. */
const LIFE = 0;
const EPOCH = 1;
const BEGUN = 2;
const DURATION = 3;
const SEQUENCE = 4;
const FROM = 5;
const MESSAGE = 6;
const TIMER = 7;
const NUMBERS = 8;

/**
 * The other fields. For an actor this is its reference, which is at hand; its identity would have to be fetched from
 * memory.
 */
const REF = 0;
const TYPE = 1;
const FIRST = 2;
const MORE = 3;
const VALUE = 4;
const ERROR = 5;
const THINGS = 6;

/** The initial capacity in turns; it grows on demand. */
const TURNS_AT_FIRST = 256;

/** Characters of an error, which may be as large as any value. */
const ERROR_CHARS_MAX = 500;

export class RecentTurns {
  /** Number of the last turn. */
  last = 0;
  /** A life of 0 marks a forgotten turn. */
  #numbers: Float64Array = new Float64Array(TURNS_AT_FIRST * NUMBERS);
  readonly #outcomes = new Uint8Array(TRACE_TURNS_MAX);
  /** The other fields of all turns. The array grows on demand. */
  readonly #things: unknown[] = [];
  /** Agents of the ended actors in here, by life, since no other place knows them any more. */
  readonly #agents = new Map<number, string>();

  /**
   * Adds a turn.
   *
   * @returns The number of the turn.
   */
  add({ cell, message, begunMs, endedMs, kind, first, more, value }: Turn, epoch: number): number {
    const { state } = cell;
    const index = this.last++ % TRACE_TURNS_MAX;
    const at = index * NUMBERS;
    if (at >= this.#numbers.length) this.#numbers = grown(this.#numbers, TRACE_TURNS_MAX * NUMBERS);
    const numbers = this.#numbers;
    if (this.#outcomes[index]! >= STOPPED) this.#agents.delete(numbers[at + LIFE]!);
    if (kind === 'stopped') this.#agents.set(cell.life, cell.agent);
    numbers[at + LIFE] = cell.life;
    numbers[at + EPOCH] = epoch;
    numbers[at + BEGUN] = begunMs;
    numbers[at + DURATION] = endedMs - begunMs;
    numbers[at + SEQUENCE] = state.seq;
    numbers[at + FROM] = message === null ? 0 : message.from;
    numbers[at + MESSAGE] = message === null ? 0 : message.id;
    numbers[at + TIMER] = message === null || message.timer === null ? 0 : message.timer.number;
    this.#outcomes[index] = KINDS.indexOf(kind) * STATUSES.length + STATUSES.indexOf(state.status);
    const things = this.#things;
    const from = index * THINGS;
    things[from + REF] = cell.ref;
    things[from + TYPE] = message === null ? null : message.event.type;
    things[from + FIRST] = first;
    things[from + MORE] = more;
    things[from + VALUE] = value;
    things[from + ERROR] = kind === 'failed' ? briefError(state.error ?? cell.held?.error) : undefined;
    return this.last;
  }

  /**
   * The remembered turn of a number.
   *
   * @param number The number of a remembered turn.
   */
  at(number: number): TurnNote {
    const index = (number - 1) % TRACE_TURNS_MAX;
    const outcome = this.#outcomes[index]!;
    const figure = (which: number) => this.#numbers[index * NUMBERS + which]!;
    const thing = (which: number) => this.#things[index * THINGS + which];
    const first = thing(FIRST) as Taken | null;
    return {
      number,
      kind: KINDS[Math.floor(outcome / STATUSES.length)]!,
      epoch: figure(EPOCH),
      begunMs: figure(BEGUN),
      durationMs: figure(DURATION),
      address: (thing(REF) as Ref).address,
      life: figure(LIFE),
      sequence: figure(SEQUENCE),
      type: thing(TYPE) as string | null,
      from: figure(FROM),
      message: figure(MESSAGE),
      timer: figure(TIMER),
      microsteps: first === null ? [] : [first, ...((thing(MORE) as readonly Taken[] | null) ?? [])],
      value: thing(VALUE),
      status: STATUSES[outcome % STATUSES.length]!,
      error: thing(ERROR),
    };
  }

  /** Number of the oldest remembered turn. */
  get oldest(): number {
    return Math.max(1, this.last - TRACE_TURNS_MAX + 1);
  }

  /** The newest matching turns up to a number, oldest first. */
  list(
    fits: (address: string) => boolean,
    { through, after, limit }: { readonly through: number; readonly after: number; readonly limit: number },
  ): TurnNote[] {
    const found: TurnNote[] = [];
    const oldest = Math.max(this.oldest, after + 1);
    for (let number = through; number >= oldest && found.length < limit; number--) {
      if (this.#fits(number, fits)) found.push(this.at(number));
    }
    return found.reverse();
  }

  /** The oldest matching turns between two numbers, and the number up to which the list is complete. */
  behind(
    number: number,
    fits: (address: string) => boolean,
    { through: end, limit }: { readonly through: number; readonly limit: number },
  ): { notes: TurnNote[]; through: number } {
    const notes: TurnNote[] = [];
    let through = Math.max(number, this.oldest - 1);
    while (through < end && notes.length < limit) {
      through += 1;
      if (this.#fits(through, fits)) notes.push(this.at(through));
    }
    return { notes, through };
  }

  /** The address of a life in one of the turns. */
  addressOf(life: number): string | null {
    for (let number = this.last; number >= this.oldest; number--)
      if (this.#number(number, LIFE) === life) return this.#addressIn(number);
    return null;
  }

  /** The agent of a life whose end is one of the turns. */
  agentOf(life: number): string | undefined {
    return this.#agents.get(life);
  }

  /** Forgets turns of these lives, and their sends. */
  erase(lives: ReadonlySet<number>): void {
    for (const life of lives) this.#agents.delete(life);
    for (let number = this.oldest; number <= this.last; number++) {
      if (!lives.has(this.#number(number, LIFE)) && !lives.has(this.#number(number, FROM))) continue;
      const index = (number - 1) % TRACE_TURNS_MAX;
      this.#numbers[index * NUMBERS + LIFE] = 0;
      this.#things.fill(undefined, index * THINGS, (index + 1) * THINGS);
    }
  }

  #fits(number: number, fits: (address: string) => boolean): boolean {
    return this.#number(number, LIFE) !== 0 && fits(this.#addressIn(number));
  }

  #number(number: number, which: number): number {
    return this.#numbers[((number - 1) % TRACE_TURNS_MAX) * NUMBERS + which]!;
  }

  #addressIn(number: number): string {
    return (this.#thing(number, REF) as Ref).address;
  }

  #thing(number: number, which: number): unknown {
    return this.#things[((number - 1) % TRACE_TURNS_MAX) * THINGS + which];
  }
}

function briefError(error: unknown): unknown {
  return { name: error instanceof Error ? error.name : 'Error', message: messageOf(error).slice(0, ERROR_CHARS_MAX) };
}
