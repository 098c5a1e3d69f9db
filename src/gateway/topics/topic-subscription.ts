/**
 * A subscription of one client: what it has been sent, and what it is to be sent next. It is pulled: a client that does
 * not read costs a mark that something has changed, not a queue.
 */
import { BosunError, isBosunError } from '../../errors.ts';
import { EVENTS_PER_TURN } from '../../limits.ts';
import { type EventLog } from './event-log.ts';
import { diff, type PatchOp } from '../protocol/patch.ts';
import { tableDifferences } from './table-views.ts';
import { type ServerFrame, type Sub } from '../protocol/frames.ts';
import { type Cursor } from '../protocol/protocol.ts';
import { type Caller } from '../client/callers.ts';
import { type EventsTopic, type StateTopic, type View } from './topic.ts';

export interface TopicSubscription {
  /** The first frame. Throws what keeps the topic from being seen. */
  begin(from: Cursor | undefined): ServerFrame;
  /** What is to be sent now; empty where nothing is, or not yet. A frame `end` is the last. */
  next(nowMs: number): ServerFrame[];
  /** When it may send again; undefined where nothing waits. */
  readonly dueMs: number | undefined;
  /** The client was too slow for what has changed meanwhile. */
  delay?(): void;
  stop(): void;
}

/** Makes a subscription to a topic that was found. */
export type SubscriptionMaker = (parts: SubscriptionParts) => TopicSubscription;

export interface SubscriptionParts {
  readonly id: string;
  readonly maxHz: number;
  /** There may be something to send. Called within the kernel's own work, so it must only take note. */
  readonly wake: () => void;
}

/** Where topics are found. A promise where what is behind has to be asked first. */
export interface TopicFinder {
  /** Throws, or rejects with, BOSUN_CALL_INVALID, BOSUN_FORBIDDEN, BOSUN_ACTOR_UNKNOWN, BOSUN_ADDRESS_INVALID. */
  find(caller: Caller, sub: Pick<Sub, 'topic' | 'mode' | 'from'>): SubscriptionMaker | Promise<SubscriptionMaker>;
}

/** A patch that is not clearly shorter than the whole is not worth applying. */
const PATCH_SHARE_MAX = 0.6;

/** Shorter than that, nobody measures. */
const PATCH_CHARS_SMALL = 1_024;

export class StateSubscription implements TopicSubscription {
  readonly #topic: StateTopic;
  readonly #parts: SubscriptionParts;
  readonly #everyMs: number;
  #sent: View | undefined;
  /** Changes since the last frame. */
  #changes = 0;
  /** Some of them had to wait. */
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
    const view = this.#topic.view();
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
    const skipped = this.#isLate ? this.#changes - 1 : 0;
    this.#changes = 0;
    this.#isLate = false;
    try {
      const delta = this.#delta(this.#topic.view());
      if (delta === undefined) return [];
      this.#notBeforeMs = nowMs + this.#everyMs;
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

  #delta(view: View): ServerFrame | undefined {
    const before = this.#sent!;
    if (this.#isOver) throw new BosunError('BOSUN_ACTOR_UNKNOWN', 'the actor was removed');
    if (view.at.epoch === before.at.epoch && view.at.seq === before.at.seq) return undefined;
    const ops = stepFrom(before, view);
    // What has no version of its own may be the same in another epoch.
    if (ops.length === 0 && view.at.epoch === before.at.epoch) return undefined;
    this.#sent = view;
    return { t: 'delta', id: this.#parts.id, prev: before.at.seq, at: view.at, ops };
  }
}

export class EventsSubscription implements TopicSubscription {
  readonly #topic: EventsTopic;
  readonly #log: EventLog;
  readonly #parts: Omit<SubscriptionParts, 'maxHz'>;
  /** Of the last event looked at. */
  #seq = 0;
  #unlisten: () => void = () => {};

  constructor(topic: EventsTopic, log: EventLog, parts: Omit<SubscriptionParts, 'maxHz'>) {
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

/** From one view to a later one, by the first: those who share a view share the patch too. */
const steps = new WeakMap<View, { readonly to: View; readonly ops: PatchOp[] }>();

/** For who knows what has changed: nobody needs to compare the two. */
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
