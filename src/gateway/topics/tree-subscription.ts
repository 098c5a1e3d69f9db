/**
 * A subscription to a tree. The tree is read by page, as `actor.tree` reads it, so neither reading nor sending holds
 * the event loop for long: the first frame has the first page, and each further page is a patch. A page is read when
 * the client has taken the one before, and all pages again when something has changed, at most LISTING_HZ times a
 * second.
 */
import { type ReadingCall } from '../callers/looks.ts';
import { createHash } from 'node:crypto';
import { isBosunError } from '../../errors.ts';
import { LISTING_HZ } from '../limits.ts';
import { type ServerFrame } from '../protocol/frames.ts';
import { type Cursor } from '../protocol/protocol.ts';
import { type PagedTree } from '../protocol/views.ts';
import { ShownTree } from './shown-tree.ts';
import { type SubscriptionMaker, type SubscriptionParts, type TopicSubscription } from './topic-subscription.ts';

/** A tree that can be read by page. */
export interface TreeTopic {
  /** Reads a page. Rejects with BOSUN_ACTOR_UNKNOWN, BOSUN_FORBIDDEN, BOSUN_RATE_LIMITED. */
  page(call: ReadingCall, after: string | undefined): Promise<PagedTree>;
  /** The number of the present version. */
  readonly seq: number;
  /**
   * Watches for changes, and for an error after which there are none.
   *
   * @returns A function that stops it.
   */
  watch(changed: () => void, failed: (error: unknown) => void): () => void;
}

/** The epoch of cursors of a tree with several pages: it is never recovered, since its pages are of several epochs. */
const PAGES = 'pages';

/** Opens a subscription. Rejects with the errors of {@link TreeTopic.page}. */
export async function openTree(
  topic: TreeTopic,
  { caller, looks }: Pick<ReadingCall, 'caller' | 'looks'>,
): Promise<SubscriptionMaker> {
  const subscription = new TreeSubscription(topic, { caller, looks });
  await subscription.load();
  return (parts) => subscription.to(parts);
}

class TreeSubscription implements TopicSubscription {
  readonly #topic: TreeTopic;
  readonly #call: ReadingCall;
  readonly #unwatch: () => void;
  #parts: Pick<SubscriptionParts, 'id' | 'maxHz' | 'wake'> = { id: '', maxHz: Infinity, wake: () => {} };
  /** The last page read, until it is sent. */
  #page: PagedTree | undefined;
  #tree!: ShownTree;
  #at: Cursor = { epoch: PAGES, seq: 0 };
  #failure: { readonly error: unknown } | undefined;
  /** Changes since the present round began. */
  #changes = 0;
  /** Whether some of these changes had to wait. */
  #isLate = false;
  /** Number of skipped changes that the client has not been told of. */
  #skipped = 0;
  #isReading = false;
  #isOver = false;
  #roundMs = -Infinity;
  #owesUntilMs = -Infinity;

  constructor(topic: TreeTopic, call: Pick<ReadingCall, 'caller' | 'looks'>) {
    const isOver = () => this.#isOver;
    this.#topic = topic;
    this.#call = {
      ...call,
      get isOver() {
        return isOver();
      },
    };
    // Watched before it is read, so that no change is missed.
    this.#unwatch = topic.watch(
      () => {
        this.#changes += 1;
        this.#parts.wake();
      },
      (error) => {
        this.#failure = { error };
        this.#parts.wake();
      },
    );
  }

  /** Reads the first page. */
  async load(): Promise<void> {
    try {
      this.#page = await this.#topic.page(this.#call, undefined);
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  to(parts: SubscriptionParts): this {
    this.#parts = parts;
    return this;
  }

  begin(from: Cursor | undefined): ServerFrame {
    const d = this.#page!;
    this.#page = undefined;
    this.#tree = new ShownTree(d);
    const at = (this.#at = this.#cursor());
    const recovered = this.#tree.isOnePage && from?.epoch === at.epoch;
    return { t: 'snap', id: this.#parts.id, at, recovered, ...(!recovered && { d }) };
  }

  get dueMs(): number | undefined {
    if (this.#page !== undefined || this.#failure !== undefined) return -Infinity;
    if (this.#isReading || this.#isOver) return undefined;
    if (this.#tree.after !== undefined) return this.#owesUntilMs;
    return this.#changes > 0 ? Math.max(this.#roundMs, this.#owesUntilMs) : undefined;
  }

  next(nowMs: number): ServerFrame[] {
    if (this.#failure !== undefined) return this.#failed(nowMs, this.#failure.error);
    if (this.#page !== undefined) return this.#delta(this.#page);
    const { dueMs } = this;
    if (dueMs === undefined) return [];
    const owesMs = this.#call.looks.owesMs();
    if (owesMs > 0) this.#owesUntilMs = nowMs + owesMs;
    if (owesMs > 0 || nowMs < dueMs) this.#isLate = true;
    else void this.#read(nowMs);
    return [];
  }

  delay(): void {
    if (this.#changes > 0) this.#isLate = true;
  }

  stop(): void {
    this.#isOver = true;
    this.#unwatch();
  }

  async #read(nowMs: number): Promise<void> {
    if (this.#tree.after === undefined) {
      this.#roundMs = nowMs + 1_000 / Math.min(this.#parts.maxHz, LISTING_HZ);
      this.#skipped += this.#isLate ? this.#changes - 1 : 0;
      this.#changes = 0;
      this.#isLate = false;
    }
    this.#isReading = true;
    try {
      this.#page = await this.#topic.page(this.#call, this.#tree.after);
    } catch (error) {
      this.#failure = { error };
    }
    this.#isReading = false;
    this.#parts.wake();
  }

  #delta(page: PagedTree): ServerFrame[] {
    const { id } = this.#parts;
    this.#page = undefined;
    const ops = this.#tree.take(page);
    if (ops.length === 0) return [];
    const prev = this.#at.seq;
    this.#at = this.#cursor();
    const skipped = this.#skipped;
    this.#skipped = 0;
    const delta: ServerFrame = { t: 'delta', id, prev, at: this.#at, ops };
    return skipped > 0 ? [{ t: 'lag', id, skipped }, delta] : [delta];
  }

  #failed(nowMs: number, error: unknown): ServerFrame[] {
    this.#failure = undefined;
    if (!isBosunError(error)) throw error;
    const { code, message, retryable, details } = error;
    if (code === 'BOSUN_RATE_LIMITED') {
      // The budget was spent by others while the page waited for its turn.
      this.#isLate = true;
      this.#changes += 1;
      this.#owesUntilMs = nowMs + Number(details['retryAfterMs']);
      return [];
    }
    this.stop();
    // The gateway closes with its system, and its clients come back.
    return code === 'BOSUN_SYSTEM_CLOSED' ? [] : [{ t: 'end', id: this.#parts.id, e: { code, message, retryable } }];
  }

  #cursor(): Cursor {
    const { seq } = this.#topic;
    if (!this.#tree.isOnePage) return { epoch: PAGES, seq };
    return { epoch: createHash('sha256').update(JSON.stringify(this.#tree.view)).digest('base64url'), seq };
  }
}
