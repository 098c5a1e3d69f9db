/**
 * The handles that a system gives its host beside those on actors: administration, Bosses, dead letters, records. They
 * are made from the table of calls, so each of their methods is a row of it; reads are promises.
 */
import { type EventObject } from 'xstate';
import { type Hearer } from './actors/api/actor-handle.ts';
import { type ShardAdmin } from './actors/api/admin-handle.ts';
import { type ShardLetters } from './actors/api/dead-letter-box.ts';
import { type RecordView, followed, type RecordsOptions, type TailOptions } from './actors/api/record-pages.ts';
import { type ShardRecords } from './actors/api/record-box.ts';
import { type StateReplacement } from './actors/loop/administration.ts';
import { type TraceRecord } from './actors/model/trace-record.ts';
import { type StoredState } from './actors/model/version-rules.ts';
import { type Subscription } from './actors/world/actor-view.ts';
import { type OrderedBy } from './actors/world/audit-record.ts';
import { type DeadLetter } from './actors/world/mailbox/dead-letter.ts';
import { Trace } from './actors/world/tracing/trace.ts';
import { type BosunError, isBosunError } from './errors.ts';
import { shown } from './lending.ts';
import { TRACE_RECORDS_MAX } from './limits.ts';
import { callBack, type Log } from './log.ts';
import { type PlacedCalls, type Shards } from './shards.ts';
import { type ChildCounts, type ShardBoss } from './supervisor/boss-handle.ts';
import { type CallArguments, type CallName, type CallResult, SYSTEM_CALLS } from './system-calls.ts';

type Method<Name extends CallName> = (...args: CallArguments<Name>) => Promise<CallResult<Name>>;

/** The methods of a group of calls: those whose names begin with it. */
type Group<Prefix extends string> = {
  [Name in CallName as Name extends `${Prefix}.${infer Short}` ? Short : never]: Method<Name>;
};

/** The methods of a type, each of which answers by a promise. */
type Promised<Handle> = {
  [Name in keyof Handle]: Handle[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : Handle[Name];
};

/**
 * Administration of a system: inspect, suspend, step, repair and end actors, trace turns, and read the audit. Every
 * order names who gives it, and is recorded. Over workers, orders also reject with BOSUN_WORKER_DOWN.
 */
export interface AdminHandle extends Promised<Omit<ShardAdmin, 'replaceState' | 'onTurn' | 'trace'>> {
  /**
   * Replaces the state value of a suspended machine, its context, or both. Effects, children and delayed transitions of
   * states that stay active go on, those of exited states end, those of entered states begin; entry and exit actions do
   * not run. Resolves with the new state. Rejects with BOSUN_ACTOR_CHANGED where the actor is no longer at
   * `ifSequence`.
   */
  replaceState(
    address: string,
    next: StateReplacement,
    as: OrderedBy,
    options?: { readonly ifSequence?: number | undefined },
  ): Promise<StoredState<unknown>>;
  /**
   * Calls `handler` for every turn from now on of the actor at an address and of all below it, once it is durable.
   * Resolves when it has begun. Rejects with BOSUN_ACTOR_UNKNOWN, BOSUN_SYSTEM_CLOSED. Over workers, each one's turns
   * come in their order, and those that a dying worker had not reported are lost.
   */
  onTurn(address: string, handler: (record: TraceRecord) => void): Promise<Subscription>;
  /**
   * Traces as `onTurn`, as an iterable with a buffer. Break out of the loop, or call `return`, to end it. A reader that
   * is more than `buffer` records behind (10,000 by default and at most) loses the oldest and is told how many.
   */
  trace(address: string, options?: { readonly buffer?: number }): Promise<Trace>;
}

/** A Boss of a system: OTP's functions of the module `supervisor`. Over workers its children may be on all of them. */
export type BossHandle = Promised<ShardBoss>;

/** The dead letters of a system: to list, redeliver, edit and discard. */
export interface DeadLetterBox extends Promised<Omit<ShardLetters, 'edit' | 'subscribe'>> {
  /**
   * Redelivers a letter with another event in its place, one that the agent declares. Rejects as `redeliver` and `send`
   * do, and for an action with BOSUN_EVENT_REFUSED.
   */
  edit<Event extends EventObject>(number: number, event: Event, as?: OrderedBy): Promise<void>;
  /** Calls `handler` for every new letter once it is durable. Resolves when it has begun. */
  subscribe(handler: (letter: DeadLetter) => void): Promise<Subscription>;
}

/** The records of actors: pages, searches by key and a tail. */
export type RecordBox = Pick<ShardRecords, 'list' | 'find' | 'tail'>;

/** The parts from which handles are made. */
export interface HandleParts {
  readonly shards: Shards;
  readonly placed: PlacedCalls;
  readonly log: Log;
}

function group<Prefix extends string>({ placed }: HandleParts, prefix: Prefix): Group<Prefix> {
  const names = (Object.keys(SYSTEM_CALLS) as CallName[]).filter((name) => name.startsWith(`${prefix}.`));
  const methods = names.map((name) => [
    name.slice(prefix.length + 1),
    (...args: never[]) => placed.call(name, args as CallArguments<CallName>),
  ]);
  return Object.fromEntries(methods) as Group<Prefix>;
}

export function adminOf(parts: HandleParts): AdminHandle {
  const onTurn: AdminHandle['onTurn'] = (address, handler) =>
    begun(parts, { name: 'turns', at: address, args: [address], tell: handler });
  return {
    ...group(parts, 'admin'),
    onTurn,
    async trace(address, { buffer = TRACE_RECORDS_MAX } = {}) {
      const onEnd = () => void subscription.then(({ unsubscribe }) => unsubscribe());
      const trace = new Trace(address, { buffer, onEnd });
      const subscription = onTurn(address, (record) => trace.tell(record));
      await subscription;
      void parts.shards.over.then(() => trace.end());
      return trace;
    },
  };
}

export function bossOf(parts: HandleParts, address: string, as: OrderedBy): BossHandle {
  const { placed } = parts;
  const whichChildren = () => placed.call('boss.whichChildren', [address]);
  return {
    address,
    startChild: (child) => placed.call('boss.startChild', [address, child, as]),
    terminateChild: (id) => placed.call('boss.terminateChild', [address, id, as]),
    restartChild: (id) => placed.call('boss.restartChild', [address, id, as]),
    deleteChild: (id) => placed.call('boss.deleteChild', [address, id, as]),
    whichChildren,
    async countChildren(): Promise<ChildCounts> {
      const children = await whichChildren();
      const supervisors = children.filter(({ kind }) => kind === 'supervisor').length;
      const active = children.filter(({ status }) => status === 'running' || status === 'stopping').length;
      return { specs: children.length, active, supervisors, workers: children.length - supervisors };
    },
    getChildSpec: (id) => placed.call('boss.getChildSpec', [address, id]),
  };
}

export function lettersOf(parts: HandleParts): DeadLetterBox {
  return {
    ...group(parts, 'letters'),
    subscribe: (handler) =>
      begun(parts, {
        name: 'letters',
        args: [],
        tell: (letter: DeadLetter, shard) => handler({ ...letter, number: parts.placed.shown(shard, letter.number) }),
      }),
  };
}

export function recordsOf(parts: HandleParts): RecordBox {
  const { list, find } = group(parts, 'records');
  return { list, find, tail: (address, name, options) => tailOf(parts, { address, name, list }, options) };
}

/** Follows records over deaths of their shard. */
function tailOf(
  { shards }: HandleParts,
  { address, name, list }: { readonly address: string; readonly name: string; readonly list: RecordBox['list'] },
  options: TailOptions = {},
): AsyncGenerator<RecordView> {
  const source = {
    page: (which: RecordsOptions) => list(address, name, which),
    watch: ({ changed, over }: Parameters<Parameters<typeof followed>[0]['watch']>[0]) => {
      return shards.watch(shards.homesOf(address)[0]!, 'changes', [address], {
        next: () => changed(),
        completed: () => over(),
        lost: (error) => over(isEnd(error) ? undefined : error),
      });
    },
  };
  return followed(source, options);
}

/** Whether an error means no more than that nothing follows: the actor may have ended before, or with its worker. */
function isEnd(error: BosunError): boolean {
  return isBosunError(error, 'BOSUN_SYSTEM_CLOSED') || isBosunError(error, 'BOSUN_ACTOR_UNKNOWN');
}

/** The news that a host hears by each watch. */
const HEARD = { turns: 'turns', letters: 'dead letters', damage: 'damage', everyEmitted: 'emitted events' } as const;

interface BegunWatch<What> {
  readonly name: keyof typeof HEARD;
  /** The address whose shards are watched. Default: all shards. */
  readonly at?: string;
  readonly args: readonly string[];
  /** Calls the host's handler, and returns what it gives. */
  readonly tell: (what: What, shard: number) => unknown;
}

/** Watches every shard that is concerned. Resolves when each watch has begun; rejects where one cannot. */
export async function begun<What>(
  { shards, log }: HandleParts,
  { name, at, args, tell }: BegunWatch<What>,
): Promise<Subscription> {
  const places = at === undefined ? Array.from({ length: shards.count }, (_, shard) => shard) : shards.homesOf(at);
  const ends: (() => void)[] = [];
  const unsubscribe = () => ends.forEach((end) => end());
  const started = places.map(
    (shard) =>
      new Promise<void>((resolve, reject) => {
        const next = (word: readonly unknown[]) => {
          if (word.length === 0) resolve();
          else callBack(log, `a handler of ${HEARD[name]}`, () => tell(shown(word[0] as What), shard));
        };
        ends.push(shards.watch(shard, name, args as never, { next, lost: reject } as Hearer<never>));
      }),
  );
  try {
    await Promise.all(started);
  } catch (error) {
    unsubscribe();
    throw error;
  }
  return { unsubscribe };
}
