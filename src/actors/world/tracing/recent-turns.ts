/**
 * The last turns of the system, whoever took them: always there, to see after the fact what led to what. Of what a turn
 * was about only names are kept (address, type of the event, the transitions, the state they led to), so the memory it
 * takes is bounded whatever is in events and contexts. Two long arrays instead of objects, because every turn writes
 * here: nothing is allocated, and nothing new is kept alive for the collector to move.
 */
import { messageOf } from '../../../errors.ts';
import { TRACE_TURNS_MAX } from '../../../limits.ts';
import type { Cell } from '../cell.ts';
import { type Taken } from '../../model/step-engine.ts';
import { type Message } from '../mailbox/message.ts';
import { type Ref } from '../../model/ref.ts';
import { type ActorStatus } from '../../model/state.ts';
import { type Prepared } from '../../model/prepared.ts';
import { type TraceKind } from '../../model/trace-record.ts';

/** A turn, from its beginning to its end. One object serves many, one after the other: every turn has one. */
export class Turn {
  cell!: Cell;
  begunMs = 0;
  /** Among the causes. */
  place = 0;
  isFirst = false;
  /** Changes of the actor before it. */
  before = 0;
  message: Message | null = null;
  prepared: Prepared | undefined = undefined;
  /** Most machines take one microstep. */
  first: Taken | null = null;
  more: Taken[] | null = null;
  endedMs = 0;
  kind: TraceKind = 'transition';
  /** State value of its machine. */
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

  /** Nothing more comes of it. */
  end(endedMs: number, kind: TraceKind, value: unknown): void {
    this.endedMs = endedMs;
    this.kind = kind;
    this.value = value;
  }
}

/** What has become of a turn. */
export function kindOf({ cell: { state, definition, gone }, prepared, isFirst }: Turn): TraceKind {
  // A machine's turn that threw was never prepared; one of which a failure came has its actor failed.
  if (state.status === 'error' || (prepared === undefined && !definition.isEffect && !gone)) return 'failed';
  if (!isFirst) return 'transition';
  return state.incarnation > 0 ? 'restarted' : 'spawn';
}

/** What is remembered of a turn; what has to be worked out of it is left to whoever reads it. */
export interface TurnNote {
  readonly number: number;
  readonly kind: TraceKind;
  /** The one in the making when it was taken. */
  readonly epoch: number;
  /** Of the monotonic clock. */
  readonly begunMs: number;
  readonly durationMs: number;
  readonly address: string;
  readonly life: number;
  readonly sequence: number;
  /** Type of the event; null for a first turn and an end. */
  readonly type: string | null;
  /** Life of the sender, 0 or less for a host or a client. */
  readonly from: number;
  /** By what the cause is found: number of the message, 0 for a timer's, and of the timer. */
  readonly message: number;
  readonly timer: number;
  readonly microsteps: readonly Taken[];
  readonly value: unknown;
  readonly status: ActorStatus;
  /** Of a failed one, in brief. */
  readonly error: unknown;
}

/** What two of the numbers stand for. */
const KINDS: readonly TraceKind[] = ['spawn', 'restarted', 'transition', 'failed', 'stopped'];
const STATUSES: readonly ActorStatus[] = ['starting', 'active', 'done', 'error', 'stopped'];

/** An outcome is one number for both; from here on it is an end. */
const STOPPED = KINDS.indexOf('stopped') * STATUSES.length;

/** What a turn has among the numbers: side by side, so that it is one line of the processor's cache. */
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
 * And among the rest. Of an actor its reference, which a turn has at hand: its identity would have to be fetched from
 * memory.
 */
const REF = 0;
const TYPE = 1;
const FIRST = 2;
const MORE = 3;
const VALUE = 4;
const ERROR = 5;
const THINGS = 6;

/** Characters of an error: it may be as large as any value. */
const ERROR_CHARS_MAX = 500;

export class RecentTurns {
  /** Number of the last one. */
  last = 0;
  /** A life of 0 is of a turn that is forgotten. */
  readonly #numbers = new Float64Array(TRACE_TURNS_MAX * NUMBERS);
  readonly #outcomes = new Uint8Array(TRACE_TURNS_MAX);
  /** Grows as far as it is needed. */
  readonly #things: unknown[] = [];
  /** Agents of those whose ends are here, by life: nobody else knows them any more. */
  readonly #agents = new Map<number, string>();

  /** @returns Its number. */
  add({ cell, message, begunMs, endedMs, kind, first, more, value }: Turn, epoch: number): number {
    const { state } = cell;
    const index = this.last++ % TRACE_TURNS_MAX;
    const numbers = this.#numbers;
    const at = index * NUMBERS;
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

  /** @param number Of one that is still there. */
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

  /** Number of the oldest one that is still there. */
  get oldest(): number {
    return Math.max(1, this.last - TRACE_TURNS_MAX + 1);
  }

  /** The newest ones up to a number that fit, oldest of them first. */
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

  /** The oldest ones behind a number and up to another that fit, and up to which number that is all. */
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

  /** The address that a life had in one of them. */
  addressOf(life: number): string | null {
    for (let number = this.last; number >= this.oldest; number--)
      if (this.#number(number, LIFE) === life) return this.#addressIn(number);
    return null;
  }

  /** The agent of a life whose end is one of them. */
  agentOf(life: number): string | undefined {
    return this.#agents.get(life);
  }

  /** Turns of these lives, and what they sent, are forgotten. */
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
