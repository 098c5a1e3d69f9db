/**
 * Subscriptions of one client: what was sent, and what is to be sent next. They are pulled: a client that does not read
 * costs a flag that something has changed, not a queue.
 */
import { BosunError, isBosunError } from '../../errors.ts';
import { EVENTS_PER_TURN } from '../limits.ts';
import { type EventLog } from './event-log.ts';
import { diff, type PatchOp } from '../protocol/patch.ts';
import { tableDifferences } from './table-views.ts';
import { type ServerFrame, type Sub } from '../protocol/frames.ts';
import { type Cursor } from '../protocol/protocol.ts';
import { checkLooks, type Looks, UNCOUNTED } from '../callers/looks.ts';
import { type Caller } from '../callers/callers.ts';
import { type EventsTopic, type StateTopic, type View } from './topic.ts';

export interface TopicSubscription {
  /** The first frame. Throws an error if the topic cannot be read. */
  begin(from: Cursor | undefined): ServerFrame;
  /** The frames to send now; empty if there are none yet. A frame `end` is the last. */
  next(nowMs: number): ServerFrame[];
  /** The time at which it may send again; undefined if nothing waits. */
  readonly dueMs: number | undefined;
  /** Called when the client was too slow for the latest changes. */
  delay?(): void;
  stop(): void;
}

/** Makes a subscription to a topic that was found. */
export type SubscriptionMaker = (parts: SubscriptionParts) => TopicSubscription;

export interface SubscriptionParts {
  readonly id: string;
  readonly maxHz: number;
  /** The caller's budget, which all of its subscriptions share. */
  readonly looks: Looks;
  /** Called when there may be something to send. It runs inside the kernel's work, so it must only set a mark. */
  readonly wake: () => void;
}

/** Finds topics; returns a promise if another thread must be asked, or the first view takes time. */
export interface TopicFinder {
  /**
   * Finds a topic. Throws, or rejects with, BOSUN_CALL_INVALID, BOSUN_FORBIDDEN, BOSUN_ACTOR_UNKNOWN,
   * BOSUN_ADDRESS_INVALID, BOSUN_RATE_LIMITED.
   *
   * @param looks The caller's budget.
   */
  find(
    caller: Caller,
    sub: Pick<Sub, 'topic' | 'mode' | 'from' | 'ifUnborn'>,
    looks: Looks,
  ): SubscriptionMaker | Promise<SubscriptionMaker>;
}

/** Largest size of a patch, as a share of the whole view, that is sent instead of the view. */
const PATCH_SHARE_MAX = 0.6;

/**
 * The lateness of a frame, as a share of the time between two, that does not delay the next one: a view that is read at
 * the same pace would else come a moment too early every time, and each of its watchers wait by a timer of its own.
 */
const LATE_SHARE = 0.1;

/** Characters below which a patch is sent without comparing its size. */
const PATCH_CHARS_SMALL = 1_024;

export class StateSubscription implements TopicSubscription {
  readonly #topic: StateTopic;
  readonly #parts: SubscriptionParts;
  readonly #everyMs: number;
  #sent: View | undefined;
  /** Changes since the last frame. */
  #changes = 0;
  /** Whether some of these changes had to wait. */
  #isLate = false;
  #isOver = false;
  #notBeforeMs = -Infinity;
  #unwatch: () => void = () => {};

  constructor(topic: StateTopic, parts: SubscriptionParts) {
    this.#topic = topic;
    this.#parts = parts;
    this.#everyMs = 1_000 / Math.min(parts.maxHz, topic.maxHz);
  }

  begin(from: Cursor | undefined): ServerFrame {
    checkLooks(this.#looks);
    const view = this.#view();
    this.#unwatch = this.#topic.watch(
      () => {
        this.#changes += 1;
        this.#parts.wake();
      },
      () => {
        this.#isOver = true;
        this.#parts.wake();
      },
    );
    this.#sent = view;
    const recovered =
      from !== undefined &&
      from.epoch === view.at.epoch &&
      (from.seq === view.at.seq || this.#topic.maxHz !== Infinity);
    return { t: 'snap', id: this.#parts.id, at: view.at, recovered, ...(!recovered && { d: view.d }) };
  }

  get dueMs(): number | undefined {
    return this.#changes > 0 || this.#isOver ? this.#notBeforeMs : undefined;
  }

  next(nowMs: number): ServerFrame[] {
    const { id } = this.#parts;
    if (this.#changes === 0 && !this.#isOver) return [];
    if (nowMs < this.#notBeforeMs && !this.#isOver) {
      this.#isLate = true;
      return [];
    }
    const owesMs = this.#isOver ? 0 : this.#looks.owesMs();
    if (owesMs > 0) {
      this.#isLate = true;
      this.#notBeforeMs = nowMs + owesMs;
      return [];
    }
    const skipped = this.#isLate ? this.#changes - 1 : 0;
    this.#changes = 0;
    this.#isLate = false;
    try {
      // Reading costs the same if nothing has changed.
      const nextMs = this.#nextMs(nowMs);
      if (this.#topic.maxHz !== Infinity) this.#notBeforeMs = nextMs;
      const delta = this.#delta(this.#view());
      if (delta === undefined) return [];
      this.#notBeforeMs = nextMs;
      return skipped > 0 ? [{ t: 'lag', id, skipped }, delta] : [delta];
    } catch (error) {
      if (!isBosunError(error)) throw error;
      this.stop();
      return [{ t: 'end', id, e: { code: error.code, message: error.message, retryable: error.retryable } }];
    }
  }

  delay(): void {
    if (this.#changes > 0) this.#isLate = true;
  }

  stop(): void {
    this.#unwatch();
  }

  /** The time of the next frame: from when this one was due, if it is hardly late. */
  #nextMs(nowMs: number): number {
    const lateMs = nowMs - this.#notBeforeMs;
    return (lateMs < this.#everyMs * LATE_SHARE ? this.#notBeforeMs : nowMs) + this.#everyMs;
  }

  /** The budget to charge. Only a view that is computed anew for each subscriber is charged. */
  get #looks(): Looks {
    return this.#topic.maxHz === Infinity ? UNCOUNTED : this.#parts.looks;
  }

  #view(): View {
    const view = this.#topic.view();
    this.#looks.charge(view.rows ?? 0);
    return view;
  }

  #delta(view: View): ServerFrame | undefined {
    const before = this.#sent!;
    if (this.#isOver) throw new BosunError('BOSUN_ACTOR_UNKNOWN', 'the actor was removed');
    if (view.at.epoch === before.at.epoch && view.at.seq === before.at.seq) return undefined;
    const ops = stepFrom(before, view);
    // A view without a version of its own may be equal in another epoch.
    if (ops.length === 0 && view.at.epoch === before.at.epoch) return undefined;
    this.#sent = view;
    return { t: 'delta', id: this.#parts.id, prev: before.at.seq, at: view.at, ops };
  }
}

export class EventsSubscription implements TopicSubscription {
  readonly #topic: EventsTopic;
  readonly #log: EventLog;
  readonly #parts: Pick<SubscriptionParts, 'id' | 'wake'>;
  /** Sequence of the last event read. */
  #seq = 0;
  #unlisten: () => void = () => {};

  constructor(topic: EventsTopic, log: EventLog, parts: Pick<SubscriptionParts, 'id' | 'wake'>) {
    this.#topic = topic;
    this.#log = log;
    this.#parts = parts;
  }

  begin(from: Cursor | undefined): ServerFrame {
    this.#unlisten = this.#log.listen(this.#parts.wake);
    const recovered = from !== undefined && this.#log.covers(from);
    const at = recovered ? from : this.#log.end;
    this.#seq = at.seq;
    return { t: 'snap', id: this.#parts.id, at, recovered };
  }

  get dueMs(): number | undefined {
    return this.#seq < this.#log.end.seq ? -Infinity : undefined;
  }

  next(): ServerFrame[] {
    const { id } = this.#parts;
    const { epoch, seq: end } = this.#log.end;
    const frames: ServerFrame[] = [];
    const { oldest } = this.#log;
    if (this.#seq < oldest - 1) {
      frames.push({ t: 'lag', id, skipped: oldest - 1 - this.#seq });
      this.#seq = oldest - 1;
    }
    while (this.#seq < end && frames.length < EVENTS_PER_TURN) {
      const { address, event } = this.#log.at(++this.#seq)!;
      if (this.#topic.has(address)) frames.push({ t: 'evt', id, at: { epoch, seq: this.#seq }, address, e: event });
    }
    return frames;
  }

  stop(): void {
    this.#unlisten();
  }
}

/** The patch from a view to its successor. Subscribers that share a view share its patch. */
const steps = new WeakMap<View, { readonly to: View; readonly ops: PatchOp[] }>();

/** Records a known patch between two views, which then need not be compared. */
export function noteStep(before: View, to: View, ops: PatchOp[]): void {
  steps.set(before, { to, ops });
}

function stepFrom(before: View, view: View): PatchOp[] {
  const known = steps.get(before);
  if (known?.to === view) return known.ops;
  const ops = shortest(diff(before.d, view.d, tableDifferences), view.d);
  noteStep(before, view, ops);
  return ops;
}

function shortest(ops: PatchOp[], d: unknown): PatchOp[] {
  const chars = JSON.stringify(ops).length;
  if (chars <= PATCH_CHARS_SMALL || chars <= PATCH_SHARE_MAX * JSON.stringify(d).length) return ops;
  return [{ op: 'replace', path: '', value: d }];
}
