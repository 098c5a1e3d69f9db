/**
 * A subscription to records of an actor. They are read from the store, in order, as the client takes them: a client
 * that was away continues after the last number that it has seen, even over restarts of the system, and a client that
 * does not read costs one page. Numbers have no gaps: the client is told how many records are no longer kept.
 */
import { BosunError } from '../../errors.ts';
import { type ServerFrame } from '../protocol/frames.ts';
import { ANY_EPOCH, type Cursor } from '../protocol/protocol.ts';
import { wireError } from '../callers/wire-errors.ts';
import { type RecordsTopic } from './topic.ts';
import { type SubscriptionParts, type TopicSubscription } from './topic-subscription.ts';

type Page = Awaited<ReturnType<RecordsTopic['behind']>>;

export class RecordSubscription implements TopicSubscription {
  readonly #topic: RecordsTopic;
  readonly #parts: Omit<SubscriptionParts, 'maxHz'>;
  #life = 0;
  /** Number of the last record that was sent or is no longer kept. */
  #seq = 0;
  /** Records read and not sent yet. */
  #page: Page | undefined;
  #isReading = false;
  /** The error that ended the subscription. */
  #end: unknown;
  #unwatch: () => void = () => {};

  constructor(topic: RecordsTopic, parts: Omit<SubscriptionParts, 'maxHz'>) {
    this.#topic = topic;
    this.#parts = parts;
  }

  begin(from: Cursor | undefined): ServerFrame {
    const { life, first, last } = this.#topic.numbers();
    this.#unwatch = this.#topic.watch(this.#parts.wake, () => this.#over(REMOVED));
    const isOfLife = from !== undefined && (from.epoch === String(life) || from.epoch === ANY_EPOCH);
    const recovered = isOfLife && from.seq >= first - 1 && from.seq <= last;
    this.#life = life;
    // If the actor is a later life, or has dropped records since, the client has not seen the records that there are.
    this.#seq = recovered ? from.seq : from === undefined || (isOfLife && from.seq > last) ? last : first - 1;
    return { t: 'snap', id: this.#parts.id, at: this.#at, recovered };
  }

  get dueMs(): number | undefined {
    return this.#page !== undefined || this.#end !== undefined ? -Infinity : undefined;
  }

  next(): ServerFrame[] {
    const { id } = this.#parts;
    const frames: ServerFrame[] = [];
    const reach = (number: number) => {
      if (number > this.#seq) frames.push({ t: 'lag', id, skipped: number - this.#seq });
      this.#seq = Math.max(this.#seq, number);
    };
    const page = this.#page;
    this.#page = undefined;
    for (const record of page?.records ?? []) {
      reach(record.number - 1);
      this.#seq = record.number;
      frames.push({ t: 'evt', id, at: this.#at, address: this.#topic.address, e: record as unknown as Shown });
    }
    if (page !== undefined) reach(page.next ?? page.last);
    if (this.#end !== undefined) return [...frames, { t: 'end', id, e: wireError(this.#end, () => '') }];
    this.#read();
    return frames;
  }

  stop(): void {
    this.#unwatch();
  }

  get #at(): Cursor {
    return { epoch: String(this.#life), seq: this.#seq };
  }

  #read(): void {
    if (this.#isReading || !this.#isBehind) return;
    this.#isReading = true;
    this.#topic.behind(this.#seq).then(
      (page) => {
        this.#isReading = false;
        if (page.life !== this.#life) return this.#over(REMOVED);
        this.#page = page;
        this.#parts.wake();
      },
      (error: unknown) => this.#over(error),
    );
  }

  get #isBehind(): boolean {
    try {
      return this.#topic.numbers().last > this.#seq;
    } catch (error) {
      this.#over(error);
      return false;
    }
  }

  #over(why: unknown): void {
    this.#end ??= why;
    this.#parts.wake();
  }
}

type Shown = Readonly<Record<string, unknown>>;

const REMOVED = new BosunError('BOSUN_ACTOR_UNKNOWN', 'the actor was removed');
