/**
 * The topics `window/{procedure}`: the answer of a procedure for the parameters of a query, read anew when its actor
 * changes. They are found in front of the backend, since procedures are carried out there; other topics are the
 * backend's.
 *
 * Watchers share a reading, and so its patches and their texts, where their answers are equal by rule: the parameters
 * are equal, the rights of the callers are equal, and the procedure promises (`isShared`) that its answer depends on
 * nothing else of its caller. `window()` keeps that promise, since its functions are given no caller. Any other
 * procedure is read for each watcher.
 */
import { type Clock } from '../../clock.ts';
import { CALL_MS, LISTING_HZ } from '../limits.ts';
import { type Caller, checkScope, rightsOf } from '../callers/callers.ts';
import { checkGranted } from '../callers/grants.ts';
import { checkLooks, type Looks } from '../callers/looks.ts';
import { invalid } from '../callers/wire-errors.ts';
import { type Sub } from '../protocol/frames.ts';
import { FedView } from '../topics/fed-view.ts';
import { type Contents, Listing } from '../topics/listing.ts';
import { type StateTopic } from '../topics/topic.ts';
import { type SubscriptionMaker, type TopicFinder } from '../topics/topic-subscription.ts';
import { ofState } from '../topics/topics.ts';
import { type Backend } from './backend.ts';
import { type Call, type Handler } from './call.ts';
import { JsonAnswer } from './json-answer.ts';
import { parsedParams } from './call-desk.ts';
import { type MethodTable } from './method-table.ts';
import { paramsIn } from './query.ts';
import { type WindowReader, WindowReaders } from './window-readers.ts';

interface WindowTopicsParts {
  readonly backend: Pick<Backend, 'topics' | 'watchActor'>;
  readonly methods: MethodTable;
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly clock: Clock;
}

/** A window that is watched: its view, and those for whom it is read. */
interface WatchedWindow {
  readonly view: FedView;
  readonly readers: WindowReaders;
}

const PREFIX = 'window/';

export class WindowTopics implements TopicFinder {
  readonly #parts: WindowTopicsParts;
  /** Windows that are watched and shared, by procedure, parameters and rights. */
  readonly #shared = new Map<string, WatchedWindow>();

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
    const { methods } = this.#parts;
    const cut = asked.indexOf('?');
    const [name, query] = cut < 0 ? [asked, ''] : [asked.slice(0, cut), asked.slice(cut + 1)];
    const row = methods.row(name);
    checkGranted(caller, name, row?.isGranted);
    if (row?.window === undefined) throw invalid(`${JSON.stringify(name)} is not a procedure with a window`);
    checkScope(caller, row.scope);
    checkLooks(looks);
    const given = paramsIn(row.params, new URLSearchParams(query));
    const params = parsedParams(name, row, given);
    const open = (over: () => void) => this.#open({ name, params, ...row.window! }, over);
    const watched = row.window.isShared === true ? this.#known(keyOf(name, given, caller), open) : open(() => {});
    return ofState(await watchedBy({ caller, looks }, watched));
  }

  #known(key: string, open: (over: () => void) => WatchedWindow): WatchedWindow {
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const watched = open(() => this.#shared.delete(key));
    this.#shared.set(key, watched);
    return watched;
  }

  #open(
    { name, params, address, everyMs }: { name: string; params: unknown; address: string; everyMs?: number },
    over: () => void,
  ): WatchedWindow {
    const { backend, handlers, clock } = this.#parts;
    const readers = new WindowReaders();
    const look = async () => contentsOf(await handlers[name]!(params, callOf(readers.next())));
    const watch = (listener: Parameters<Backend['watchActor']>[1]) => backend.watchActor(address, listener);
    const feed = (view: ConstructorParameters<typeof Listing>[1]) =>
      new Listing({ clock, look, watch, everyMs, looks: readers }, view);
    return { view: new FedView({ clock, maxHz: LISTING_HZ, feed, over }), readers };
  }
}

/** The parts on which the answer of a shared window depends, beside the state. */
function keyOf(name: string, given: Readonly<Record<string, unknown>>, caller: Caller): string {
  const inOrder = Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([name, inOrder, rightsOf(caller)]);
}

async function watchedBy(reader: WindowReader, { view, readers }: WatchedWindow): Promise<StateTopic> {
  readers.join(reader);
  const topic = await view.topic();
  return {
    ...topic,
    watch: (changed, ended) => {
      const leave = readers.watch(reader);
      const stop = topic.watch(changed, ended);
      return () => {
        leave();
        stop();
      };
    },
  };
}

/** An answer without a text is one that JSON leaves out. */
function contentsOf(answer: unknown): Contents {
  return answer instanceof JsonAnswer ? answer : { text: '', value: answer };
}

/** A reading. The rows that it reads count, and a caller who has read too much is made to wait, not refused. */
function callOf({ caller, looks }: WindowReader): Call {
  const counted = { owesMs: () => 0, charge: (rows: number) => looks.charge(rows) };
  return { caller, session: undefined, key: undefined, leftMs: CALL_MS, looks: counted, isOver: false };
}
