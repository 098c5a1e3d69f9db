/**
 * The topics `window/{procedure}`: the answer of a procedure for the parameters of a query, read anew when its actor
 * changes. They are found in front of the backend, since procedures are carried out there; other topics are the
 * backend's.
 */
import { type Clock } from '../../clock.ts';
import { CALL_MS, LISTING_HZ } from '../limits.ts';
import { type Caller, checkScope } from '../callers/callers.ts';
import { checkGranted } from '../callers/grants.ts';
import { checkLooks, type Looks } from '../callers/looks.ts';
import { invalid } from '../callers/wire-errors.ts';
import { type Sub } from '../protocol/frames.ts';
import { FedView } from '../topics/fed-view.ts';
import { Listing } from '../topics/listing.ts';
import { type SubscriptionMaker, type TopicFinder } from '../topics/topic-subscription.ts';
import { ofState } from '../topics/topics.ts';
import { type Backend } from './backend.ts';
import { type Call, type Handler } from './call.ts';
import { valueOf } from './json-answer.ts';
import { parsedParams } from './call-desk.ts';
import { type MethodTable } from './method-table.ts';
import { paramsIn } from './query.ts';

interface WindowTopicsParts {
  readonly backend: Pick<Backend, 'topics' | 'watchActor'>;
  readonly methods: MethodTable;
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly clock: Clock;
}

const PREFIX = 'window/';

export class WindowTopics implements TopicFinder {
  readonly #parts: WindowTopicsParts;

  constructor(parts: WindowTopicsParts) {
    this.#parts = parts;
  }

  find(
    caller: Caller,
    sub: Pick<Sub, 'topic' | 'mode' | 'from'>,
    looks: Looks,
  ): SubscriptionMaker | Promise<SubscriptionMaker> {
    if (!sub.topic.startsWith(PREFIX) || sub.mode !== 'state') {
      checkGranted(caller, 'subscribe');
      return this.#parts.backend.topics.find(caller, sub, looks);
    }
    return this.#window(caller, sub.topic.slice(PREFIX.length), looks);
  }

  async #window(caller: Caller, asked: string, looks: Looks): Promise<SubscriptionMaker> {
    const { backend, methods, handlers, clock } = this.#parts;
    const cut = asked.indexOf('?');
    const [name, query] = cut < 0 ? [asked, ''] : [asked.slice(0, cut), asked.slice(cut + 1)];
    const row = methods.row(name);
    checkGranted(caller, name, row?.isGranted);
    if (row?.window === undefined) throw invalid(`${JSON.stringify(name)} is not a procedure with a window`);
    checkScope(caller, row.scope);
    checkLooks(looks);
    const { address, everyMs } = row.window;
    const params = parsedParams(name, row, paramsIn(row.params, new URLSearchParams(query)));
    // What it reads counts, and a caller who has read too much is made to wait by the listing, not refused.
    const counted = { owesMs: () => 0, charge: (rows: number) => looks.charge(rows) };
    const call: Call = {
      ...{ caller, session: undefined, key: undefined },
      leftMs: CALL_MS,
      looks: counted,
      isOver: false,
    };
    const look = async () => valueOf(await handlers[name]!(params, call));
    const watch = (listener: Parameters<Backend['watchActor']>[1]) => backend.watchActor(address, listener);
    const feed = (view: ConstructorParameters<typeof Listing>[1]) =>
      new Listing({ clock, look, watch, everyMs, looks }, view);
    return ofState(await new FedView({ clock, maxHz: LISTING_HZ, feed, over: () => {} }).topic());
  }
}
