/**
 * The one table of calls that a host makes at the shards of a system, and the one of what it watches there. Calls in
 * this thread, calls to worker threads and their service on the other side are made from it.
 */
import { type EventObject } from 'xstate';
import { type RowPlace, type StateReplacement } from './actors/loop/administration.ts';
import { type CallRow, type ShardNumbers } from './actors/api/call-row.ts';
import { type Hearer } from './actors/api/actor-handle.ts';
import { type SnapshotNews } from './actors/api/heard-snapshot.ts';
import {
  type FindRecordsOptions,
  mergedFound,
  type RecordKey,
  type RecordsOptions,
} from './actors/api/record-pages.ts';
import { type ResultOptions } from './actors/api/result-box.ts';
import { mergedRuns, type RunsOptions } from './actors/api/run-pages.ts';
import { childAddress, ROOT } from './actors/model/address.ts';
import { type TraceRecord } from './actors/model/trace-record.ts';
import { admitToSend } from './actors/model/event-check.ts';
import { admit } from './actors/model/value-check.ts';
import { type AuditOptions } from './actors/world/audit.ts';
import { type OrderedBy } from './actors/world/audit-record.ts';
import { type DeadLetter, type DeadLetterReason } from './actors/world/mailbox/dead-letter.ts';
import { type AskOptions } from './actors/world/talk/ask-record.ts';
import { RECORDS_LISTED } from './limits.ts';
import { type BosunError } from './errors.ts';
import { type Shard } from './shard.ts';
import { type ChildOptions } from './supervisor/child-spec.ts';
import { type DynamicChildOptions } from './supervisor/boss-handle.ts';
import { type SendOptions, type SendRequest, type SpawnOptions } from './system-options.ts';
import { mergedTree } from './system-merge.ts';

/** The function that a call runs at one shard. */
type Run = (shard: Shard, ...args: never[]) => unknown;
type ArgumentsOf<R extends Run> = R extends (shard: Shard, ...args: infer Args) => unknown ? Args : never;
type Row<R extends Run> = CallRow<Shard, ArgumentsOf<R>, Awaited<ReturnType<R>>> & { readonly run: R };
type More<R extends Run> = Partial<Omit<CallRow<Shard, ArgumentsOf<R>, Awaited<ReturnType<R>>>, 'run'>>;
type AskedEvent = EventObject & { readonly [field: string]: unknown };
type IfSequence = { readonly ifSequence?: number | undefined };

/** A read: at the first shard that has the address, and again where that dies. */
function read<R extends Run>(run: R, more: More<R> = {}): Row<R> {
  return { place: 'first', isRepeatable: () => true, isReader: true, ...more, run } as unknown as Row<R>;
}

/** An order: at each shard that has the address, and never twice. */
function order<R extends Run>(run: R, more: More<R> = {}): Row<R> {
  return { place: 'each', isRepeatable: () => false, ...more, run } as unknown as Row<R>;
}

/** An order of a Boss about one of its children, at the partition that has the child. */
const ofChild = { address: (boss: string, id: string) => childAddress(boss, id) };

const ADMINISTRATION = {
  'admin.suspend': order((shard, address: string, as: OrderedBy) => shard.admin.suspend(address, as)),
  'admin.resume': order((shard, address: string, as: OrderedBy) => shard.admin.resume(address, as)),
  'admin.step': order((shard, address: string, as: OrderedBy) => shard.admin.step(address, as)),
  'admin.kill': order((shard, address: string, as: OrderedBy) => shard.admin.kill(address, as)),
  'admin.getState': read((shard, address: string) => shard.admin.getState(address)),
  'admin.replaceState': order(
    (shard, address: string, next: StateReplacement, as: OrderedBy, options?: IfSequence) =>
      shard.admin.replaceState(address, next, as, options),
    { admitted: (address, next, as, options) => [address, admit(next, 'state'), as, options] },
  ),
  'admin.putRow': order(
    (shard, address: string, place: RowPlace, row: unknown, as: OrderedBy, options?: IfSequence) =>
      shard.admin.putRow(address, place, row, as, options),
    { admitted: (address, place, row, as, options) => [address, place, admit(row, 'row'), as, options] },
  ),
  'admin.deleteRow': order((shard, address: string, place: RowPlace, as: OrderedBy, options?: IfSequence) =>
    shard.admin.deleteRow(address, place, as, options),
  ),
  'admin.recent': read(
    (shard, address: string, options?: { readonly limit?: number; readonly after?: number }) =>
      shard.admin.recent(address, options),
    {
      place: 'each',
      at: (numbers, shard, [address, { after, ...rest } = {}]) =>
        after === undefined ? [address, rest] : [address, { ...rest, after: numbers.upTo(after, shard) }],
      merged: (lists, numbers, [, { limit, after } = {}]) => {
        const turns = numbers.all(lists).sort((a, b) => a.atMs - b.atMs);
        // After a number the first turns are wanted, as at one shard; otherwise the last ones.
        return limit === undefined ? turns : after === undefined ? turns.slice(-limit) : turns.slice(0, limit);
      },
    },
  ),
  'admin.history': read((shard, address: string, options?: { readonly limit?: number }) =>
    shard.admin.history(address, options),
  ),
  'admin.waiting': read((shard) => shard.admin.waiting(), {
    place: 'all',
    merged: (lists) => flat(lists).sort((a, b) => (a.sinceMs ?? Infinity) - (b.sinceMs ?? Infinity)),
  }),
  'admin.audit': read((shard, options?: AuditOptions) => shard.admin.audit(options), {
    place: 'all',
    at: (numbers, shard, [{ before = Infinity, ...rest } = {}]) => [
      before === Infinity ? rest : { ...rest, before: numbers.upTo(before - 1, shard) + 1 },
    ],
    merged: (lists, numbers, [options]) =>
      numbers
        .all(lists)
        .sort((a, b) => b.atMs - a.atMs || b.number - a.number)
        .slice(0, options?.limit),
  }),
};

const SUPERVISION = {
  // A child without an id is given one by the shard that it is started at.
  'boss.startChild': order(
    (shard, boss: string, child: ChildOptions | DynamicChildOptions | undefined, as?: OrderedBy) =>
      shard.boss(boss, as).startChild(child),
    {
      place: (_, child) => (child?.id === undefined ? 'turn' : 'each'),
      address: (boss, child) => (child?.id === undefined ? boss : childAddress(boss, child.id)),
      admitted: (boss, child, as) => [boss, child && admit(child, 'child'), as],
    },
  ),
  'boss.terminateChild': order(
    (shard, boss: string, id: string, as?: OrderedBy) => shard.boss(boss, as).terminateChild(id),
    ofChild,
  ),
  'boss.restartChild': order(
    (shard, boss: string, id: string, as?: OrderedBy) => shard.boss(boss, as).restartChild(id),
    ofChild,
  ),
  'boss.deleteChild': order(
    (shard, boss: string, id: string, as?: OrderedBy) => shard.boss(boss, as).deleteChild(id),
    ofChild,
  ),
  'boss.whichChildren': read((shard, boss: string) => shard.boss(boss).whichChildren(), {
    place: 'each',
    merged: (lists) => flat(lists),
  }),
  'boss.getChildSpec': read((shard, boss: string, id: string) => shard.boss(boss).getChildSpec(id), ofChild),
};

/** Names a shard by a number that it gave out. */
const NUMBERED = {
  place: 'numbered' as const,
  at: (numbers: ShardNumbers, _: number, [number, ...rest]: readonly [number: number, ...rest: unknown[]]) => [
    numbers.own(number).number,
    ...rest,
  ],
};

const LETTERS = {
  'letters.list': read((shard, only?: { readonly reason?: DeadLetterReason }) => shard.deadLetters.list(only), {
    place: 'all',
    merged: (lists, numbers) => numbers.all(lists).sort((a, b) => a.atMs - b.atMs),
  }),
  'letters.redeliver': order(
    (shard: Shard, number: number, as?: OrderedBy) => shard.deadLetters.redeliver(number, as),
    NUMBERED,
  ),
  'letters.discard': order(
    (shard: Shard, number: number, as?: OrderedBy) => shard.deadLetters.discard(number, as),
    NUMBERED,
  ),
  'letters.edit': order(
    (shard: Shard, number: number, event: EventObject, as?: OrderedBy) => shard.deadLetters.edit(number, event, as),
    { ...NUMBERED, admitted: (number, event, as) => [number, admitToSend(event), as] },
  ),
};

const RECORDS = {
  'records.list': read((shard, address: string, name: string, options?: RecordsOptions) =>
    shard.records.list(address, name, options),
  ),
  'records.find': read(
    (shard, agent: string, name: string, key: RecordKey, options?: FindRecordsOptions) =>
      shard.records.find(agent, name, key, options),
    {
      place: 'all',
      merged: (pages, _, [, , , options]) =>
        mergedFound(
          pages.map(([, page]) => page),
          { limit: options?.limit ?? RECORDS_LISTED, newestFirst: options?.newestFirst },
        ),
    },
  ),
};

/** Every call that a host makes at the shards of a system, by its name. */
export const SYSTEM_CALLS = {
  ...ADMINISTRATION,
  ...SUPERVISION,
  ...LETTERS,
  ...RECORDS,
  send: order(
    (shard, address: string, event: EventObject, options?: SendOptions) => shard.send(address, event, options),
    {
      place: 'first',
      isRepeatable: (_, __, options) => options?.session !== undefined,
      admitted: (address, event, options) => [address, admitToSend(event), options],
    },
  ),
  // Spread over shards by `sendMany` of the system, which knows what goes to which.
  sendMany: order((shard, requests: readonly SendRequest[]) => shard.sendMany(requests), { place: 'all' }),
  ask: order((shard, address: string, event: AskedEvent, options?: AskOptions) => shard.ask(address, event, options), {
    place: 'first',
    isRepeatable: (_, __, options) => options?.id !== undefined,
    isReader: true,
    admitted: (address, event, options) => [address, admitToSend(event), options],
  }),
  spawn: order((shard, agent: string, id: string, options: SpawnOptions) => shard.spawnNamed(agent, id, options), {
    place: 'first',
    address: (_, id, { under = ROOT }) => childAddress(under, id),
    // What began anew may have ended meanwhile.
    isRepeatable: (_, __, { again = false }) => !again,
    admitted: (agent, id, options) => [
      agent,
      id,
      options.input === undefined ? options : ({ ...options, input: admit(options.input, 'input') } as SpawnOptions),
    ],
  }),
  snapshot: read((shard, address: string) => shard.news(address)),
  result: read((shard, address: string, options?: ResultOptions) => shard.results.result(address, options)),
  runs: read((shard, options?: RunsOptions) => shard.results.list(options), {
    place: 'all',
    merged: (pages, _, [options]) =>
      mergedRuns(
        pages.map(([, page]) => page),
        { limit: options?.limit ?? RECORDS_LISTED, newestFirst: options?.newestFirst ?? true },
      ),
  }),
  tree: read((shard, address: string) => shard.tree(address), {
    place: 'each',
    merged: (trees) => mergedTree(trees.map(([, tree]) => tree)),
  }),
  lookup: read((shard, name: string) => shard.lookup(name), {
    place: 'all',
    merged: (found) => found.map(([, holder]) => holder).find((holder) => holder !== undefined),
  }),
  members: read((shard, group: string) => shard.members(group), { place: 'all', merged: (lists) => flat(lists) }),
  lastSequence: read((shard, session: string) => shard.lastSequence(session), {
    place: 'all',
    merged: (last) => Math.max(...last.map(([, sequence]) => sequence)),
  }),
  damage: read((shard) => shard.damage(), { place: 'all', merged: (lists) => flat(lists) }),
  unreadable: read((shard) => shard.unreadable(), { place: 'all', merged: (lists) => flat(lists) }),
  health: read((shard) => shard.health(), {
    place: 'all',
    merged: (all) => ({
      epoch: Math.max(...all.map(([, { epoch }]) => epoch)),
      residents: all.reduce((sum, [, { residents }]) => sum + residents, 0),
      storeBytes: all.every(([, { storeBytes }]) => storeBytes === null)
        ? null
        : all.reduce((sum, [, { storeBytes }]) => sum + (storeBytes ?? 0), 0),
      outage: all.find(([, { outage }]) => outage !== undefined)?.[1].outage,
    }),
  }),
  erase: order((shard, address: string, as?: OrderedBy) => shard.erase(address, as)),
  idle: read((shard) => shard.idle(), { place: 'all' }),
  /** Resolves when everything under way to other shards has arrived there. */
  settled: read((shard) => shard.settled(), { place: 'all' }),
  stop: read((shard) => shard.stop(), { place: 'all' }),
};

/** The name of a call. */
export type CallName = keyof typeof SYSTEM_CALLS;
type Table = typeof SYSTEM_CALLS;
/** The arguments of a call. */
export type CallArguments<Name extends CallName> = Table[Name]['run'] extends (
  inside: Shard,
  ...args: infer Args
) => unknown
  ? Args
  : never;
/** The result of a call. */
export type CallResult<Name extends CallName> = Awaited<ReturnType<Table[Name]['run']>>;

/** A row of the table with its types forgotten: the caller's types match it to its arguments. */
export type AnyCall = CallRow<Shard, readonly unknown[], unknown>;

export function callNamed(name: CallName): AnyCall {
  return SYSTEM_CALLS[name] as unknown as AnyCall;
}

/** Calls a watch at one shard. All but `snapshots` and `changes` report an empty list when they have begun. */
type Watch<Args extends readonly unknown[], Word> = (shard: Shard, hearer: Hearer<Word>, ...args: Args) => () => void;
type Begun<What> = readonly [] | readonly [what: What];

/** Watches of a host at a shard, by name. A watch continues over deaths of the shard until it is ended. */
export const SYSTEM_WATCHES = {
  /** The present snapshot, then one for every durable epoch that changed the actor. */
  snapshots: ((shard, hearer, address) => shard.watchNews(address, hearer)) as Watch<[address: string], SnapshotNews>,
  /** null at once, and for every durable epoch that changed the actor. */
  changes: ((shard, { next, completed = ignored, lost = ignored }, address) => {
    const observer = { changed: () => next(null), ended: completed, closed: lost };
    const { unsubscribe } = shard.observe(address, observer);
    next(null);
    return unsubscribe;
  }) as Watch<[address: string], null>,
  emitted: ((shard, { next, completed = ignored, lost = ignored }, address, type) => {
    const emitted = (event: EventObject) => {
      if (type === '*' || event.type === type) next([event]);
    };
    const { unsubscribe } = shard.observe(address, { emitted, ended: completed, closed: lost });
    next([]);
    return unsubscribe;
  }) as Watch<[address: string, type: string], Begun<EventObject>>,
  /** Turns of the actor and of all actors below it. */
  turns: ((shard, { next }, address) => {
    const { unsubscribe } = shard.admin.onTurn(address, (turn) => next([turn]));
    next([]);
    return unsubscribe;
  }) as Watch<[address: string], Begun<TraceRecord>>,
  everyEmitted: ((shard, { next }) => {
    const { unsubscribe } = shard.onEmitted((address, event) => next([{ address, event }]));
    next([]);
    return unsubscribe;
  }) as Watch<[], Begun<{ readonly address: string; readonly event: EventObject }>>,
  letters: ((shard, { next }) => {
    const { unsubscribe } = shard.deadLetters.subscribe((letter) => next([letter]));
    next([]);
    return unsubscribe;
  }) as Watch<[], Begun<DeadLetter>>,
  damage: ((shard, { next }) => {
    const { unsubscribe } = shard.onDamage((damage) => next([damage]));
    next([]);
    return unsubscribe;
  }) as Watch<[], Begun<BosunError>>,
};

/** The name of a watch. */
export type WatchName = keyof typeof SYSTEM_WATCHES;
/** The arguments of a watch. */
export type WatchArguments<Name extends WatchName> = (typeof SYSTEM_WATCHES)[Name] extends (
  shard: Shard,
  hearer: never,
  ...args: infer Args
) => unknown
  ? Args
  : never;
/** A value that a watch reports. */
export type WatchWord<Name extends WatchName> =
  Parameters<(typeof SYSTEM_WATCHES)[Name]>[1] extends Hearer<infer Word> ? Word : never;

export function watchNamed(name: WatchName): Watch<readonly unknown[], unknown> {
  return SYSTEM_WATCHES[name] as unknown as Watch<readonly unknown[], unknown>;
}

function flat<Item>(lists: readonly (readonly [shard: number, list: readonly Item[]])[]): Item[] {
  return lists.flatMap(([, list]) => list);
}

function ignored(): void {}
