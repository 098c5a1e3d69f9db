/** An audit of a bank's store: reads its bytes without running anything, and reports every contradiction. */
import {
  type ActorState,
  type ReferenceCoding,
  type Store,
  type Keyspace,
  KEYSPACE,
} from '../../../src/actors/model/ports.ts';
import { messageOf } from '../../../src/errors.ts';
import { levelStore } from '../../../src/persistence/store/level-store.ts';
import { type FrameRow, type ShardMessage } from '../../../src/actors/world/shards/shard-channel.ts';
import { type SessionRow } from '../../../src/actors/loop/inbound/sessions.ts';
import { type Restored, survey } from '../../../src/persistence/journal/recovery.ts';

const ACCOUNTS = 200;
const BALANCE = 1_000;

interface Account {
  readonly balance: number;
  /** Orders carried out or refused for want of money, by client. */
  readonly heard: Readonly<Record<string, { readonly count: number; readonly sum: number }>>;
  readonly paid: number;
  readonly settled: number;
}

const NEW: Account = { balance: BALANCE, heard: {}, paid: 0, settled: 0 };

interface BankEvent {
  readonly type: string;
  readonly session: string;
  readonly sequence: number;
  readonly amount: number;
}

export interface Audit {
  readonly violations: readonly string[];
  /** Unread messages. */
  readonly unread: number;
  /** Unread messages on their way from one worker to another. */
  readonly crossing: number;
  /** Credits that wait for a timer. */
  readonly delayed: number;
  /** Orders accepted so far. */
  readonly accepted: number;
  /** Whether folded epochs are not yet deleted: the crash came in between. */
  readonly isDeleting: boolean;
}

class Reference {
  readonly life: number;
  readonly address: string;
  constructor(life: number, address: string) {
    this.life = life;
    this.address = address;
  }
}

const references: ReferenceCoding = {
  Class: Reference,
  encode: (reference) => reference as Reference,
  decode: ({ life, address }) => new Reference(life, address),
};

/** @param acknowledged The least number of orders that the store must hold, per client. */
export function auditBank(directory: string, acknowledged: readonly number[]): Promise<Audit> {
  return auditSpreadBank([directory], acknowledged);
}

/** @param directories Stores of all workers, by index. */
export async function auditSpreadBank(directories: readonly string[], acknowledged: readonly number[]): Promise<Audit> {
  const stores = directories.map((directory) => levelStore(directory));
  try {
    for (const store of stores) await store.open();
    const parts = await soundParts(stores);
    const books = booksOf(parts);
    const accepted = [...books.lastSequence.values()].reduce((sum, last) => sum + last, 0);
    const violations = [...miscounts(books), ...lostOrders(books, acknowledged)];
    const isDeleting = parts.some(({ oldest, end, window }) => oldest <= end.epoch - window.epochs);
    return {
      violations,
      unread: books.unread.length,
      crossing: crossing(parts).length,
      delayed: books.delayed.length,
      accepted,
      isDeleting,
    };
  } catch (error) {
    return {
      violations: [`it cannot be recovered: ${messageOf(error)}`],
      unread: 0,
      crossing: 0,
      delayed: 0,
      accepted: 0,
      isDeleting: false,
    };
  } finally {
    for (const store of stores) await store.close();
  }
}

/** Reads all stores. Throws the first damage. */
async function soundParts(stores: readonly Store[]): Promise<Restored[]> {
  const parts = await Promise.all(stores.map((store) => survey(store, references)));
  const damage = parts
    .map(({ journalDamage, recovered }) => journalDamage ?? recovered.damage[0])
    .find((found) => found !== undefined);
  if (damage !== undefined) throw damage;
  return parts;
}

/** The facts about the bank in a store. */
interface Books {
  readonly accounts: readonly Account[];
  readonly unread: readonly BankEvent[];
  readonly delayed: readonly BankEvent[];
  /** Last sequence number by client. */
  readonly lastSequence: ReadonlyMap<string, number>;
}

/**
 * Position of the event in the rows of messages and of timers (actors/world/mailbox/message.ts,
 * actors/model/timers.ts).
 */
const MESSAGE_EVENT = 2;
const TIMER_EVENT = 4;

/** @param parts One store, or the stores of all workers. */
function booksOf(parts: readonly Restored[]): Books {
  const known = parts.flatMap(({ recovered: { identities, states } }) => {
    const lives = [...identities.values()].filter(({ agent }) => agent === 'account');
    return lives.map(({ life }) => contextOf(states.get(life)));
  });
  // A crash of the first start may have come before all accounts were started.
  const accounts = [...known, ...Array.from({ length: ACCOUNTS - known.length }, () => NEW)];
  const events = (keyspace: Keyspace, index: number) =>
    parts.flatMap(({ recovered: { rows } }) =>
      [...(rows.get(keyspace)?.values() ?? [])].map((row) => (row as readonly unknown[])[index] as BankEvent),
    );
  return {
    accounts,
    unread: [...events(KEYSPACE.mailboxes, MESSAGE_EVENT), ...crossing(parts)],
    delayed: events(KEYSPACE.timers, TIMER_EVENT),
    lastSequence: new Map(
      parts.flatMap(({ recovered: { rows } }) =>
        [...(rows.get(KEYSPACE.sessions) ?? [])].map(([session, row]) => [session, (row as SessionRow)[0]] as const),
      ),
    ),
  };
}

/** Messages sent by one worker and not yet taken by another (actors/world/shards/shard-channel.ts). */
function crossing(parts: readonly Restored[]): BankEvent[] {
  return parts.flatMap(({ recovered: { rows }, codec }, from) =>
    [...(rows.get(KEYSPACE.frames) ?? [])].flatMap(([number, row]) => {
      const [to, , messages] = row as FrameRow;
      const taken = (parts[to]!.recovered.rows.get(KEYSPACE.shard)?.get(`in!${from.toString(16).padStart(4, '0')}`) ??
        0) as number;
      if (parseInt(number, 16) <= taken) return [];
      return (codec.unpack(messages) as readonly ShardMessage[]).flatMap(([kind, , , event]) =>
        kind === 'event' ? [event as BankEvent] : [],
      );
    }),
  );
}

/** The violations in a bank that is spread over the stores of workers, by index, and the amount under way. */
export async function auditWorkers(stores: readonly Store[]): Promise<{
  readonly violations: readonly string[];
  readonly unread: number;
  readonly crossing: number;
  readonly lastSequence: ReadonlyMap<string, number>;
}> {
  const parts = await soundParts(stores);
  const books = booksOf(parts);
  return {
    violations: miscounts(books),
    unread: books.unread.length,
    crossing: crossing(parts).length,
    lastSequence: books.lastSequence,
  };
}

function miscounts(books: Books): string[] {
  return [...missingMoney(books), ...miscountedOrders(books), ...owedReceipts(books)];
}

function contextOf(state: ActorState | undefined): Account {
  return state?.context === undefined ? NEW : (state.context as Account);
}

/** Violations of: balances and money under way add up to the initial total. */
function missingMoney({ accounts, unread, delayed }: Books): string[] {
  const credits = [...unread, ...delayed].filter(({ type }) => type === 'credit');
  const total = sumOf(accounts, ({ balance }) => balance) + sumOf(credits, ({ amount }) => amount);
  return total === ACCOUNTS * BALANCE ? [] : [`the bank holds ${total}, ${credits.length} credits included`];
}

/** Violations of: the accounts have got, or will get, each of the orders 1 to n of each client exactly once. */
function miscountedOrders({ accounts, unread, lastSequence }: Books): string[] {
  const clients = new Set([...lastSequence.keys(), ...accounts.flatMap(({ heard }) => Object.keys(heard))]);
  return [...clients].flatMap((client) => {
    const last = lastSequence.get(client) ?? 0;
    const waiting = unread.filter(({ type, session }) => type === 'transfer' && session === client);
    const count = sumOf(accounts, ({ heard }) => heard[client]?.count ?? 0) + waiting.length;
    const sum = sumOf(accounts, ({ heard }) => heard[client]?.sum ?? 0) + sumOf(waiting, ({ sequence }) => sequence);
    if (count === last && sum === (last * (last + 1)) / 2) return [];
    return [`${client} has ${last} accepted orders, and ${count} were counted (numbers summing up to ${sum})`];
  });
}

/** Violations of: every payment is settled, or its credit or receipt is under way. */
function owedReceipts({ accounts, unread, delayed }: Books): string[] {
  const owed = sumOf(accounts, ({ paid, settled }) => paid - settled);
  const underWay = [...unread, ...delayed].filter(({ type }) => type === 'credit' || type === 'receipt').length;
  return owed === underWay ? [] : [`${owed} payments are not settled, and ${underWay} are under way`];
}

function lostOrders({ lastSequence }: Books, acknowledged: readonly number[]): string[] {
  return acknowledged.flatMap((sequence, client) => {
    const last = lastSequence.get(`client-${client}`) ?? 0;
    return last >= sequence ? [] : [`client-${client} was told that order ${sequence} is durable; the last is ${last}`];
  });
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}
