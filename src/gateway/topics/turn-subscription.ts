/**
 * A subscription to turns. They are read in order from the turns that the system remembers, so a client that reconnects
 * gets what it missed; contents of events and contexts are added for turns taken while it was connected. A client that
 * does not read costs a bounded number of those.
 */
import { EVENTS_PER_TURN } from '../limits.ts';
import { type ServerFrame } from '../protocol/frames.ts';
import { type Cursor } from '../protocol/protocol.ts';
import { type TopicSubscription, type SubscriptionParts } from './topic-subscription.ts';
import { type TurnsTopic } from './topic.ts';
import { WholeTurns } from './whole-turns.ts';

export class TurnSubscription implements TopicSubscription {
  readonly #topic: TurnsTopic;
  readonly #parts: Pick<SubscriptionParts, 'id' | 'wake'>;
  readonly #whole = new WholeTurns();
  /** Number of the last turn read. */
  #seq = 0;
  #stop: () => void = () => {};

  constructor(topic: TurnsTopic, parts: Pick<SubscriptionParts, 'id' | 'wake'>) {
    this.#topic = topic;
    this.#parts = parts;
  }

  begin(from: Cursor | undefined): ServerFrame {
    const { epoch, source } = this.#topic;
    const unlisten = source.listen((record) => this.#whole.keep(record));
    const unwatch = source.watch(this.#parts.wake);
    this.#stop = () => {
      unlisten();
      unwatch();
    };
    const { oldest, end } = source.turns;
    const recovered = from !== undefined && from.epoch === epoch && from.seq <= end && from.seq >= oldest - 1;
    this.#seq = recovered ? from.seq : end;
    return { t: 'snap', id: this.#parts.id, at: { epoch, seq: this.#seq }, recovered };
  }

  get dueMs(): number | undefined {
    return this.#seq < this.#topic.source.turns.end ? -Infinity : undefined;
  }

  next(): ServerFrame[] {
    const { id } = this.#parts;
    const { epoch, source, shown } = this.#topic;
    const frames: ServerFrame[] = [];
    const { oldest } = source.turns;
    if (this.#seq < oldest - 1) {
      frames.push({ t: 'lag', id, skipped: oldest - 1 - this.#seq });
      this.#seq = oldest - 1;
    }
    const { records, through } = source.behind(this.#seq, EVENTS_PER_TURN);
    for (const record of records) {
      const e = shown(this.#whole.of(record));
      if (e !== undefined)
        frames.push({ t: 'evt', id, at: { epoch, seq: record.number }, address: record.address, e: { ...e } });
    }
    this.#seq = through;
    this.#whole.forgetThrough(through);
    return frames;
  }

  stop(): void {
    this.#stop();
    this.#whole.clear();
  }
}
