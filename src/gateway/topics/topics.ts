/**
 * The topics of a system. A topic in the mode `state` is a view: a client needs its latest version and may miss those
 * between. A topic in the mode `events` is a part of the event log.
 */
import { createHash } from 'node:crypto';
import { checkAddress, ROOT } from '../../actors/model/address.ts';
import { BosunError } from '../../errors.ts';
import { LISTED_MAX, LISTING_HZ, TREE_PAGE } from '../limits.ts';
import { type Shard } from '../../shard.ts';
import { isPattern, matches } from '../callers/address-patterns.ts';
import { awaitedView } from './awaited-view.ts';
import { SharedViews } from './shared-views.ts';
import { type Caller, checkAddressed, checkScope, mayReach } from '../callers/callers.ts';
import { type Looks } from '../callers/looks.ts';
import { type EventLog } from './event-log.ts';
import { type PageTurns } from './page-turns.ts';
import { type Sub } from '../protocol/frames.ts';
import {
  EventsSubscription,
  StateSubscription,
  type SubscriptionMaker,
  type TopicFinder,
} from './topic-subscription.ts';
import { EpochWatch } from './epoch-watch.ts';
import { RecordSubscription } from './record-subscription.ts';
import { type RecordViews } from './record-views.ts';
import { type RecordsTopic, type StateTopic, type TurnsTopic } from './topic.ts';
import { openTree, type TreeTopic } from './tree-subscription.ts';
import { TurnSubscription } from './turn-subscription.ts';
import { shownTurn } from './turn-views.ts';
import { type Inspections } from './inspections.ts';
import { type ActorViews } from './actor-views.ts';
import { invalid } from '../callers/wire-errors.ts';

export interface TopicRow {
  readonly topic: string;
  readonly modes: string;
  readonly means: string;
}

/** The topics, for the documents. */
export const TOPICS: readonly TopicRow[] = [
  {
    topic: 'actor/{address}',
    modes: 'state',
    means:
      'One actor, as `actor.get` shows it. With `"ifUnborn":"wait"` in the `sub`, an address without an actor does ' +
      'not end it: `d` is null, and a `delta` has the actor once it is born.',
  },
  { topic: 'actor/{address}', modes: 'events', means: 'Events that it emits.' },
  {
    topic: 'events/{pattern}',
    modes: 'events',
    means: 'Events that any actor emits whose address fits: `*` is one segment, `**` any number of them.',
  },
  {
    topic: 'trace/{address}',
    modes: 'events',
    means:
      'Turns of an actor and of all below it, once they are durable, in their order, as `actor.turns` shows ' +
      'them. Those taken while somebody is subscribed have what their events held and what changed.',
  },
  {
    topic: 'records/{address}/{name}',
    modes: 'events',
    means:
      'Records of one name of an actor, once they are durable, each as `record.list` shows it. `at` has the number ' +
      'as `seq` and the life of the actor as `epoch`, and leads on behind it over restarts of the system; the epoch ' +
      '`any` is that of the actor which lives there. `lag` says how many are not kept any more. Ends with the actor.',
  },
  {
    topic: 'tree/{address}',
    modes: 'state',
    means:
      `The supervision tree below an actor, as \`actor.tree\` shows it, at most ${LISTING_HZ} times a second. ` +
      `\`snap\` has the first ${TREE_PAGE} actors, deltas add the others by page, and \`next\` is there until all ` +
      `have come. Of more than ${LISTED_MAX.toLocaleString('en')} it has the first and keeps \`next\`. \`tree\` is ` +
      'that of the root.',
  },
  {
    topic: 'inspection/{address}',
    modes: 'state',
    means:
      `One actor looked into, as \`actor.inspect\` shows it, at most ${LISTING_HZ} times a second; with \`last\`, ` +
      'the step that it took last.',
  },
  {
    topic: 'dead-letters',
    modes: 'state',
    means: `\`{ letters }\`, as \`deadletter.list\` shows them, at most ${LISTING_HZ} times a second.`,
  },
  {
    topic: 'window/{procedure}?{query}',
    modes: 'state',
    means:
      'The answer of a procedure that has a window, for the parameters in the query, read anew after epochs that ' +
      `changed its actor, at most ${LISTING_HZ} times a second. Rights are those of the call. BOSUN_CALL_INVALID for ` +
      'a procedure without a window, BOSUN_ACTOR_UNKNOWN while there is no such actor.',
  },
];

interface TopicsParts {
  readonly views: ActorViews;
  readonly records: RecordViews;
  readonly inspections: Inspections;
  readonly events: EventLog;
  readonly pages: PageTurns;
  /** Identifies the run of the gateway. */
  readonly instance: string;
}

export class Topics implements TopicFinder {
  readonly epochs: EpochWatch;
  readonly #system: Shard;
  readonly #parts: TopicsParts;
  readonly #shared: SharedViews;

  constructor(system: Shard, parts: TopicsParts) {
    this.#system = system;
    this.#parts = parts;
    this.epochs = new EpochWatch(system);
    this.#shared = new SharedViews(system, parts.views);
  }

  find(
    caller: Caller,
    sub: Pick<Sub, 'topic' | 'mode' | 'ifUnborn'>,
    looks: Looks,
  ): SubscriptionMaker | Promise<SubscriptionMaker> {
    const { kind, address, name = '' } = namedTopic(caller, sub);
    switch (kind) {
      case 'actor':
        return ofState(sub.ifUnborn === 'wait' ? this.#awaited(address) : this.#shared.topic(address));
      case 'inspection':
        return ofState(this.#inspection(caller, address));
      case 'events':
        return ofEvents(caller, address, this.#parts.events);
      case 'trace':
        return (parts) => new TurnSubscription(this.#turns(caller, address), parts);
      case 'records':
        return (parts) => new RecordSubscription(this.#records(address, name), parts);
      case 'tree':
        return openTree(this.#tree(address), { caller, looks });
      case 'dead-letters':
        return ofState(this.#listing((looks) => ({ letters: this.#parts.views.letters(caller, {}, looks) })));
    }
  }

  #awaited(address: string): StateTopic {
    const isBorn = () => this.#system.clientApi.isBorn(address);
    return awaitedView({ topic: this.#shared.topic(address), isBorn, epochs: this.epochs });
  }

  #tree(address: string): TreeTopic {
    const { views, pages: turns } = this.#parts;
    const system = this.#system;
    return {
      page: (call, after) => views.treePage({ turns, call }, address, { depth: Infinity, after, limit: TREE_PAGE }),
      get seq() {
        return system.epoch;
      },
      watch: (changed) => this.epochs.watch(changed),
    };
  }

  #turns(caller: Caller, address: string): TurnsTopic {
    const { clientApi } = this.#system;
    return {
      epoch: this.#parts.instance,
      shown: (record) => (mayReach(caller, record.address) ? shownTurn(this.#parts.views, caller, record) : undefined),
      source: {
        get turns() {
          return clientApi.turns;
        },
        behind: (number, limit) => clientApi.turnsBehind(number, address, limit),
        listen: (tell) => clientApi.onTurn(address, tell),
        watch: (changed) => this.epochs.watch(changed),
      },
    };
  }

  #records(address: string, name: string): RecordsTopic {
    const { clientApi } = this.#system;
    return {
      address,
      numbers: () => clientApi.recordNumbers(address, name),
      behind: (number) => this.#parts.records.behind(address, name, number),
      watch: (changed, ended) => {
        const { unsubscribe } = clientApi.watch(address, { changed, ended });
        return unsubscribe;
      },
    };
  }

  #inspection(caller: Caller, address: string): StateTopic {
    const looked = this.#listing((looks) => this.#parts.inspections.view(caller, address, looks));
    return {
      ...looked,
      watch: (changed, ended) => {
        const stops = [looked.watch(changed, ended), this.#parts.inspections.follow(address, changed)];
        return () => stops.forEach((stop) => stop());
      },
    };
  }

  /** A topic whose view has no version, so that its contents are compared. */
  #listing(look: (looks: Pick<Looks, 'charge'>) => unknown): StateTopic {
    return {
      maxHz: LISTING_HZ,
      view: () => {
        let rows = 1;
        const d = look({ charge: (more) => (rows += more) });
        return {
          rows,
          at: { epoch: createHash('sha256').update(JSON.stringify(d)).digest('base64url'), seq: this.#system.epoch },
          d,
        };
      },
      watch: (changed) => this.epochs.watch(changed),
    };
  }
}

/** A parsed topic, independent of the backend. `address`: for `events` a pattern; empty for `dead-letters`. */
export interface NamedTopic {
  readonly kind: 'actor' | 'inspection' | 'events' | 'trace' | 'records' | 'tree' | 'dead-letters';
  readonly address: string;
  /** The name of the records. */
  readonly name?: string;
}

/** Parses a topic and checks the caller's rights. Throws BOSUN_CALL_INVALID, BOSUN_FORBIDDEN, BOSUN_ADDRESS_INVALID. */
export function namedTopic(caller: Caller, { topic, mode }: Pick<Sub, 'topic' | 'mode'>): NamedTopic {
  checkScope(caller, 'actor:read');
  const cut = topic.indexOf('/');
  const [kind, rest] = cut < 0 ? [topic, undefined] : [topic.slice(0, cut), topic.slice(cut + 1)];
  if (kind === 'actor' && rest !== undefined)
    return mode === 'state'
      ? { kind, address: checked(caller, rest) }
      : { kind: 'events', address: checkPattern(checked(caller, rest)) };
  if (kind === 'inspection' && mode === 'state' && rest !== undefined) return { kind, address: checked(caller, rest) };
  if (kind === 'events' && mode === 'events' && rest !== undefined) return { kind, address: checkPattern(rest) };
  if (kind === 'trace' && mode === 'events' && rest !== undefined) return { kind, address: checkAddress(rest) };
  if (kind === 'records' && mode === 'events' && rest?.includes('/') === true) {
    const end = rest.lastIndexOf('/');
    return { kind, address: checked(caller, rest.slice(0, end)), name: rest.slice(end + 1) };
  }
  if (kind === 'tree' && mode === 'state') return { kind, address: checkAddress(rest ?? ROOT) };
  if (topic === 'dead-letters' && mode === 'state') return { kind: topic, address: '' };
  throw invalid(`there is no topic ${JSON.stringify(topic)} with the mode ${mode}`);
}

export function ofState(topic: StateTopic): SubscriptionMaker {
  return (parts) => new StateSubscription(topic, parts);
}

export function ofEvents(caller: Caller, pattern: string, log: EventLog): SubscriptionMaker {
  const topic = { has: (address: string) => matches(pattern, address) && mayReach(caller, address) };
  return (parts) => new EventsSubscription(topic, log, parts);
}

function checkPattern(pattern: string): string {
  if (isPattern(pattern)) return pattern;
  throw new BosunError('BOSUN_ADDRESS_INVALID', `not a pattern of addresses: ${JSON.stringify(pattern.slice(0, 200))}`);
}

function checked(caller: Caller, address: string): string {
  checkAddressed(caller, checkAddress(address));
  return address;
}
