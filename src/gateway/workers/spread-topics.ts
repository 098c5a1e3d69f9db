/**
 * Topics of a system that is spread over workers. What is of one actor is fetched from its worker once for all who
 * subscribe to it; what concerns all is put together here.
 */
import { type Clock } from '../../clock.ts';
import { BosunError, type ErrorCode } from '../../errors.ts';
import { LISTING_HZ } from '../../limits.ts';
import { type Caller } from '../client/callers.ts';
import { type Sub } from '../protocol/frames.ts';
import { type SubscriptionMaker, type TopicFinder } from '../topics/topic-subscription.ts';
import { type View } from '../topics/topic.ts';
import { namedTopic, ofEvents, ofState } from '../topics/topics.ts';
import { allWorkers, type WorkerGateways } from './worker-port.ts';
import { EventStreams } from './event-streams.ts';
import { Listing } from './listing.ts';
import { type ViewFeed, RemoteView, type ViewSink, viewAfter } from './remote-view.ts';
import { EVERYTHING, Series } from './series.ts';
import { TurnStreams } from './turn-streams.ts';

interface SpreadTopicsParts {
  readonly gateways: WorkerGateways;
  readonly clock: Clock;
  /** Names the run of the gateway. */
  readonly instance: string;
  readonly tree: (caller: Caller, address: string) => Promise<unknown>;
  readonly letters: (caller: Caller) => Promise<unknown>;
}

export class SpreadTopics implements TopicFinder {
  readonly #parts: SpreadTopicsParts;
  readonly #events: EventStreams;
  readonly #remoteViews = new Map<string, RemoteView>();

  constructor(parts: SpreadTopicsParts) {
    this.#parts = parts;
    this.#events = new EventStreams(parts);
  }

  async find(caller: Caller, sub: Pick<Sub, 'topic' | 'mode' | 'from'>): Promise<SubscriptionMaker> {
    const { gateways, tree, letters } = this.#parts;
    const { kind, address } = namedTopic(caller, sub);
    switch (kind) {
      case 'actor':
        return ofState(await this.#shared(sub.topic, this.#home(address)).topic());
      case 'inspection':
        return this.#ofWorker(caller, sub.topic, this.#home(address));
      case 'tree':
        return this.#own((mirror) => this.#all(() => tree(caller, address), mirror));
      case 'dead-letters':
        return this.#own((mirror) => this.#all(() => letters(caller), mirror));
      case 'events':
        return ofEvents(caller, address, await this.#events.log());
      case 'trace': {
        const turns = await new TurnStreams({
          gateways,
          workers: gateways.homesOf(address),
          caller,
          topic: sub.topic,
        }).open(sub.from);
        return (parts) => turns.to(parts);
      }
    }
  }

  stop(): void {
    this.#events.stop();
  }

  /** Of an actor, which all who may reach it are shown alike. */
  #shared(topic: string, worker: number): RemoteView {
    const known = this.#remoteViews.get(topic);
    if (known !== undefined) return known;
    const over = () => this.#remoteViews.delete(topic);
    const mirror = new RemoteView({
      clock: this.#parts.clock,
      maxHz: Infinity,
      feed: (feed) => this.#one({ caller: EVERYTHING, topic, worker }, feed),
      over,
    });
    this.#remoteViews.set(topic, mirror);
    return mirror;
  }

  #ofWorker(caller: Caller, topic: string, worker: number): Promise<SubscriptionMaker> {
    return this.#own((mirror) => this.#one({ caller, topic, worker }, mirror));
  }

  /** Of a Boss with partitions, the first one. */
  #home(address: string): number {
    return this.#parts.gateways.homesOf(address)[0]!;
  }

  /** Of one subscription, whose caller is shown what that one may see. */
  async #own(feed: (mirror: ViewSink) => ViewFeed): Promise<SubscriptionMaker> {
    return ofState(await new RemoteView({ clock: this.#parts.clock, maxHz: LISTING_HZ, feed, over: () => {} }).topic());
  }

  /** A view that one worker has. */
  #one(
    { caller, topic, worker }: { readonly caller: Caller; readonly topic: string; readonly worker: number },
    mirror: ViewSink,
  ): ViewFeed {
    const { gateways } = this.#parts;
    let view: View | undefined;
    const series = new Series({
      gateways,
      worker,
      caller,
      sub: { topic, mode: 'state' },
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
    return new Listing({ gateways, workers: allWorkers(gateways), clock, look }, mirror);
  }
}
