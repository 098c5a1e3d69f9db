/**
 * Topics of a system over workers. Topics of one actor are fetched from its worker once for all subscribers; topics of
 * the whole system are put together here.
 */
import { type Clock } from '../../clock.ts';
import { type ErrorCode } from '../../error-codes.ts';
import { BosunError } from '../../errors.ts';
import { LISTING_HZ } from '../limits.ts';
import { type Call } from '../calls/call.ts';
import { type Caller } from '../callers/callers.ts';
import { checkLooks, type Looks } from '../callers/looks.ts';
import { type Sub } from '../protocol/frames.ts';
import { FedView, type ViewFeed, type ViewSink, viewAfter } from '../topics/fed-view.ts';
import { Listing } from '../topics/listing.ts';
import { type SubscriptionMaker, type TopicFinder } from '../topics/topic-subscription.ts';
import { openTree, type TreeTopic } from '../topics/tree-subscription.ts';
import { type View } from '../topics/topic.ts';
import { namedTopic, ofEvents, ofState } from '../topics/topics.ts';
import { type PagedTree } from '../protocol/views.ts';
import { type WorkerGateways, type WorkerSub } from './worker-port.ts';
import { EventStreams } from './event-streams.ts';
import { EVERYTHING, Series } from './series.ts';
import { Numbers } from './numbers.ts';
import { WorkerEpochs } from './worker-epochs.ts';
import { WorkerEvents } from './worker-events.ts';

interface SpreadTopicsParts {
  readonly gateways: WorkerGateways;
  readonly clock: Clock;
  /** Identifies the run of the gateway. */
  readonly instance: string;
  /** Reads the page of a tree after an address. */
  readonly tree: (
    call: Pick<Call, 'caller' | 'looks'>,
    address: string,
    after: string | undefined,
  ) => Promise<PagedTree>;
  readonly letters: (caller: Caller) => Promise<unknown>;
}

export class SpreadTopics implements TopicFinder {
  readonly #parts: SpreadTopicsParts;
  readonly #events: EventStreams;
  readonly #fedViews = new Map<string, FedView>();

  constructor(parts: SpreadTopicsParts) {
    this.#parts = parts;
    this.#events = new EventStreams(parts);
  }

  async find(caller: Caller, sub: WorkerSub, looks: Looks): Promise<SubscriptionMaker> {
    const { gateways, letters } = this.#parts;
    const { kind, address } = namedTopic(caller, sub);
    switch (kind) {
      case 'actor':
        return ofState(await this.#shared(sub, this.#home(address)).topic());
      case 'inspection':
        return this.#ofWorker(caller, sub.topic, this.#home(address));
      case 'tree':
        return openTree(this.#tree(address), { caller, looks });
      case 'dead-letters':
        return this.#own((mirror) => this.#all(() => letters(caller), mirror));
      case 'events':
        return ofEvents(caller, address, await this.#events.log());
      case 'records':
        return this.#relayed(caller, sub, [this.#home(address)], (_, record) => record);
      case 'trace': {
        const numbers = new Numbers(gateways.count);
        return this.#relayed(caller, sub, gateways.homesOf(address), (worker, turn) => {
          const { number } = turn as { readonly number: number };
          return { ...turn, number: numbers.shown({ worker, number }) };
        });
      }
    }
  }

  async #relayed(
    caller: Caller,
    { topic, from }: Pick<Sub, 'topic' | 'from'>,
    workers: readonly number[],
    shown: ConstructorParameters<typeof WorkerEvents>[0]['shown'],
  ): Promise<SubscriptionMaker> {
    const { gateways } = this.#parts;
    const events = await new WorkerEvents({ gateways, workers, caller, topic, shown }).open(from);
    return (parts) => events.to(parts);
  }

  stop(): void {
    this.#events.stop();
  }

  /** A view of an actor, which is the same for all callers who may reach it. */
  #shared({ topic, ifUnborn = 'end' }: WorkerSub, worker: number): FedView {
    const name = `${ifUnborn} ${topic}`;
    const known = this.#fedViews.get(name);
    if (known !== undefined) return known;
    const over = () => this.#fedViews.delete(name);
    const mirror = new FedView({
      clock: this.#parts.clock,
      maxHz: Infinity,
      feed: (feed) => this.#one({ caller: EVERYTHING, topic, worker, ifUnborn }, feed),
      over,
    });
    this.#fedViews.set(name, mirror);
    return mirror;
  }

  #ofWorker(caller: Caller, topic: string, worker: number): Promise<SubscriptionMaker> {
    return this.#own((mirror) => this.#one({ caller, topic, worker }, mirror));
  }

  /** The worker of an address; for a Boss with partitions, the first one. */
  #home(address: string): number {
    return this.#parts.gateways.homesOf(address)[0]!;
  }

  /** A view of one subscription, which depends on its caller's rights. */
  async #own(feed: (mirror: ViewSink) => ViewFeed): Promise<SubscriptionMaker> {
    return ofState(await new FedView({ clock: this.#parts.clock, maxHz: LISTING_HZ, feed, over: () => {} }).topic());
  }

  /** The feed of a view on one worker. */
  #one(
    { caller, worker, ...sub }: Pick<WorkerSub, 'topic' | 'ifUnborn'> & { caller: Caller; worker: number },
    mirror: ViewSink,
  ): ViewFeed {
    const { gateways } = this.#parts;
    let view: View | undefined;
    const series = new Series({
      gateways,
      worker,
      caller,
      sub: { ...sub, mode: 'state' },
      hear: (frames) => {
        const last = frames.at(-1);
        if (last?.t !== 'end') series.fetch();
        for (const frame of frames) {
          const next = viewAfter(view, frame);
          if (next !== undefined) mirror.show((view = next));
        }
        if (last?.t === 'end') mirror.fail(new BosunError(last.e.code as ErrorCode, last.e.message));
      },
      fail: (error) => mirror.fail(error),
    });
    series.fetch();
    return { stop: () => series.end(), refresh: () => series.refresh() };
  }

  #all(look: () => Promise<unknown>, mirror: ViewSink): ViewFeed {
    const { gateways, clock } = this.#parts;
    const watch = (listener: ConstructorParameters<typeof WorkerEpochs>[1]) => {
      const epochs = new WorkerEpochs(gateways, listener);
      return () => epochs.stop();
    };
    const contents = async () => {
      const value = await look();
      return { text: JSON.stringify(value), value };
    };
    return new Listing({ clock, look: contents, watch }, mirror);
  }

  #tree(address: string): TreeTopic {
    const { gateways, tree } = this.#parts;
    let seq = 0;
    return {
      page: async (call, after) => {
        checkLooks(call.looks);
        return await tree(call, address, after);
      },
      get seq() {
        return seq;
      },
      watch: (changed, failed) => {
        const epochs = new WorkerEpochs(gateways, {
          failed,
          changed: () => {
            seq += 1;
            changed();
          },
        });
        return () => epochs.stop();
      },
    };
  }
}
