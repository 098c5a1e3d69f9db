/**
 * Interfaces of the outside world that the kernel owns. Adapters live elsewhere: persistence implements Journal over a
 * Store, src/clock.ts the clock; tests can replace each of them.
 */
import { type BosunError } from '../../errors.ts';
import { type ActorImage, type ActorState, type Identity } from './state.ts';

/** Uniform random numbers in [0, 1). The only source of chance inside the kernel. */
export interface Random {
  next(): number;
}

/**
 * The scheduling policy: which of several ready actors takes the next turn. No agent may depend on the choice, and
 * tests randomise it. Messages from one sender to one receiver keep their order in any case.
 */
export interface TurnOrder {
  /** The index of the next actor among `waiting` ready ones; 0 has waited longest. */
  next(waiting: number): number;
  /** The most messages that the chosen actor takes before the next choice; a whole number from 1. */
  messages(): number;
  /** Whether the slice ends now, so that the changes so far form an epoch of their own. */
  endsSlice(): boolean;
}

/** One write of a batch. */
export interface StoreWrite {
  readonly key: string;
  /** The value; null deletes the key. */
  readonly value: Uint8Array | null;
}

/** Entries with `gte <= key < lt`: the first `limit` of them, by default all; with `reverse`, from the last on. */
export interface StoreRange {
  readonly gte: string;
  readonly lt: string;
  readonly limit?: number;
  readonly reverse?: boolean;
}

/** An entry of a store. */
export type StoreEntry = readonly [key: string, value: Uint8Array];

/**
 * One line of text beside the store, replaced as a whole at the price of a system call. It survives the death of the
 * process; a power cut may lose it. Synchronous, because the writer may be about to die.
 */
export interface Notes {
  read(): string | undefined;
  write(line: string): void;
}

/**
 * An ordered key-value medium. Keys are ASCII, ordered by code unit. The contract, which `storeConformance` checks: a
 * write is atomic; once the promise of a write with `sync` resolves, that write and all earlier ones are on the medium;
 * a crash may lose a write without `sync`, alone or with later unsynced ones; the caller never has two writes in
 * flight. After a failed write the store is unusable until it is closed and opened again.
 */
export interface Store {
  /** The name in messages to people: a directory, or "memory". */
  readonly name: string;
  /** The absolute path of its directory, where a gateway announces itself. Absent for a store in memory. */
  readonly directory?: string;
  /** The notes beside the store, usable while it is open. Absent if the medium does not outlive the process. */
  readonly notes?: Notes;
  /**
   * Opens the store. Rejects with BOSUN_STORE_LOCKED if another process or system has it open, and with
   * BOSUN_STORE_DAMAGED if writes that were on the medium are lost; `lossy` opens it without them.
   */
  open(options?: { readonly lossy?: boolean }): Promise<void>;
  /** Losses and damage found at the last open that did not prevent it. */
  losses?(): readonly BosunError[];
  close(): Promise<void>;
  get(key: string): Promise<Uint8Array | undefined>;
  /** A batch of `get`s, in order, cheaper than one after the other. Absent if the medium has none. */
  getMany?(keys: readonly string[]): Promise<readonly (Uint8Array | undefined)[]>;
  /**
   * A synchronous `get`, also while a write is under way; it blocks for as long as the medium takes. Throws
   * BOSUN_STORE_FAILED, BOSUN_STORE_DAMAGED. Absent if the medium cannot do it: then every actor stays in memory, and
   * there are no records and no audit.
   */
  getSync?(key: string): Uint8Array | undefined;
  /** Entries in key order, in batches. */
  scan(range: StoreRange): AsyncIterable<readonly StoreEntry[]>;
  write(writes: readonly StoreWrite[], options: { sync: boolean }): Promise<void>;
  /**
   * A view of everything as of now, readable while writes go on. It costs only the space of what is overwritten
   * meanwhile.
   */
  snapshot?(): Promise<StoreSnapshot>;
  /**
   * Frees the space of deleted entries, so that nothing of them is left on the medium. No write or scan may be under
   * way.
   */
  compact?(): Promise<void>;
  /** The size on the medium, in bytes. Absent for a medium in memory. */
  bytes?(): Promise<number>;
}

/** The contents of a store at one moment, between two writes. Its user closes it, before the store is closed. */
export interface StoreSnapshot {
  scan(range: { gte: string; lt: string }): AsyncIterable<readonly StoreEntry[]>;
  close(): Promise<void>;
}

/** Encodes admitted values as bytes and back. A decoded value equals the encoded one, references included. */
export interface Codec {
  /** Encodes a value. The bytes belong to the caller. */
  encode(value: unknown): Uint8Array;
  /** Decodes bytes. A concealed value is decrypted, or comes as {@link Concealed} where its key is missing. */
  decode(bytes: Uint8Array): unknown;
  /** Like `encode`, for the codec of another store to `unpack`. */
  pack(value: unknown): Uint8Array;
  unpack(bytes: Uint8Array): unknown;
  /** A collector of the changes of one epoch after the other. */
  deltas(): Deltas;
  /** Encrypts values. Undefined if no key was given. */
  readonly conceal: Conceal | undefined;
}

/**
 * The changes of the epoch in the making, in order. Each is packed as it is added, so that writing the epoch does not
 * encode it again.
 */
export interface Deltas {
  /** Whether nothing has been added since `take`. */
  readonly isEmpty: boolean;
  /**
   * Adds a change.
   *
   * @returns The hash of the actor's state after the change. Throws BOSUN_VALUE_REFUSED, and then has added nothing.
   */
  add(life: number, before: { readonly seq: number; readonly hash: number }, change: object): number;
  /** Returns all changes in the form of the journal, and empties the collector. */
  take(): Uint8Array;
}

/** Encrypts a value that is about to be encoded. `type`, the type of an event, stays legible. */
export type Conceal = (value: unknown, type?: string) => Concealed;

/**
 * An encrypted value, to be encoded. `decode` returns one where the key is missing; encoding it gives the original
 * bytes.
 */
export class Concealed {
  /** The type, where the value is an event. */
  readonly type: string | undefined;
  /** The id of the key, in hexadecimal. */
  readonly key: string;
  readonly #bytes: Uint8Array;

  constructor(type: string | undefined, key: string, bytes: Uint8Array) {
    this.type = type;
    this.key = key;
    this.#bytes = bytes;
  }

  /** The encrypted bytes. A method, so that printing or inspecting the object does not print them. */
  bytes(): Uint8Array {
    return this.#bytes;
  }
}

declare const keyspace: unique symbol;

/** A kind of rows beside the actors' states, one of {@link KEYSPACE}. The brand keeps other strings out. */
export type Keyspace = string & { readonly [keyspace]: true };

/** The letters of the keyspaces in keys of the store. No other file knows them. */
const LETTERS = {
  /** Identities of actors: life -> Identity. */
  identities: 'i',
  /** Addresses of living actors: address -> life. */
  addresses: 'a',
  /** System id -> life. */
  systemIds: 'n',
  /** Unread messages: number -> message. */
  mailboxes: 'm',
  /** Number -> timer. */
  timers: 't',
  /** Actors that every start reads: life -> 0; for a live effect its attempt, or attempt and failures. */
  roll: 'f',
  /** Checkpoints and memos of effects: life / name -> value. */
  keepsakes: 'k',
  /** Durable actions that have not succeeded yet: number -> action. */
  outbox: 'o',
  /** Child tables of Bosses: life of the Boss / child id -> child. */
  children: 'b',
  /** Sessions of repeatable sends: session -> its last sequence, and when that was. */
  sessions: 'd',
  /** Dead letters: number -> message or action, and reason. */
  deadLetters: 'q',
  /** Asks: number -> asker, receiver, deadline, and the reply. */
  asks: 'r',
  /** Monitors and links: life / life of the watcher / `monitor` or `link`. */
  relations: 'h',
  /** Group / life -> how often it has joined. */
  groups: 'g',
  /** Registered names: name -> life and value. */
  names: 'p',
  /** Strikes against actors: life -> strikes, the restart that waits, and who suspended it. */
  held: 'u',
  /** Kept turns: life / number -> record of the turn. No start reads them. */
  turns: 'j',
  /** Spans that are no part of a state: life -> which of its turns are kept; life 0 / name. No start reads them. */
  turnSpans: 'J',
  /** Audited orders as earlier versions kept them: number -> who ordered what of whom, and the result. */
  audit: 'z',
  /** Records: life / name / number -> record. No start reads them. */
  records: 'R',
  /** Agent / name / key / value / when -> life and number of a record. No start reads them. */
  recordKeys: 'K',
  /** Results of ended actors: agent / when it ended and its life -> result. No start reads them. */
  results: 'E',
  /** Address -> agent, and when it ended, of the last actor that ended there. No start reads them. */
  endedAddresses: 'A',
  /** The same by life, of ended actors whose records are found by keys. No start reads them. */
  endedLives: 'L',
  /** Agent -> how many results are kept. */
  resultCounts: 'Q',
  /** Ended actors whose records and kept turns are being removed: life -> agent, and what is left of each name. */
  recordPurges: 'P',
  /** Facts of one shard of several: its place, names held on others, and the frames taken from them. */
  shard: 'X',
  /** Messages in transit to other shards: number -> shard, how many messages, and the messages. */
  frames: 'Y',
} as const;

/** Every keyspace by its name. A row is one admitted value under a key of its own. */
export const KEYSPACE = LETTERS as unknown as { readonly [Name in keyof typeof LETTERS]: Keyspace };

export const KEYSPACES: readonly Keyspace[] = Object.values(KEYSPACE);

/** Keyspaces read on demand only. */
export const KEYSPACES_READ_LATER: ReadonlySet<Keyspace> = new Set([
  KEYSPACE.records,
  KEYSPACE.recordKeys,
  KEYSPACE.turns,
  KEYSPACE.turnSpans,
  KEYSPACE.results,
  KEYSPACE.endedAddresses,
  KEYSPACE.endedLives,
]);

/**
 * A key of the store, such as `m!0000000000002a`: the keyspace, then the key within it. Numbers are fixed-width
 * hexadecimal so that they sort.
 */
export type RowKey = `${Keyspace}!${string}`;

export function keyspaceOf(key: string): Keyspace {
  return key[0] as Keyspace;
}

/** The key of a row within its keyspace. */
export function keyWithin(key: string): string {
  return key.slice(2);
}

/**
 * A configuration (set of active state nodes), with the data that a later version of the machine needs to read it
 * (design P12).
 */
export interface Configuration {
  readonly nodes: readonly string[];
  /** The state value of the configuration, in XState's form. Absent before it is written, and where it is damaged. */
  readonly value?: unknown;
  /** Ids of the children that its states invoke. */
  readonly invokes?: readonly string[];
}

/** A configuration seen for the first time; written beside the first epoch that uses it. */
export interface NewConfiguration extends Configuration {
  /** Structural hash of the machine. */
  readonly definition: string;
  readonly id: number;
}

/** The next number of each kind. No number is given out twice. */
export interface Counters {
  readonly life: number;
  readonly message: number;
  readonly timer: number;
  readonly quarantine: number;
}

/** Everything one commit makes durable. Frozen when it is handed over. */
export interface Epoch {
  readonly number: number;
  readonly kernelTimeMs: number;
  readonly counters: Counters;
  /** All state changes of the epoch, as `take` of {@link Deltas} returned them. */
  readonly deltas: Uint8Array;
  /** Net changes of rows since the last epoch; null deletes. */
  readonly rows: ReadonlyMap<RowKey, unknown>;
  /** Rows whose stored form differs from the one that readers get: their secrets are {@link Concealed}. */
  readonly concealed: ReadonlyMap<RowKey, unknown>;
  /** Every actor that was changed, born or removed, once. */
  readonly images: readonly ActorImage[];
  readonly configurations: readonly NewConfiguration[];
}

/** Everything as of the last durable epoch. */
export interface Recovered {
  /** Number of the last durable epoch; 0 for a new store. */
  readonly epoch: number;
  readonly kernelTimeMs: number;
  readonly counters: Counters;
  /** Sound identities by life, in order of birth. */
  readonly identities: ReadonlyMap<number, Identity>;
  readonly states: ReadonlyMap<number, ActorState>;
  /** Rows by keyspace, in key order: the key within the keyspace, and the row. */
  readonly rows: ReadonlyMap<Keyspace, ReadonlyMap<string, unknown>>;
  /** Configurations by id, per structural hash. */
  readonly configurations: ReadonlyMap<string, readonly Configuration[]>;
  /**
   * Actors with damaged records, by life, and why. They are suspended, and their records stay as they are until they
   * are removed. Their entry in `states` may be missing, and so may the identity.
   */
  readonly unreadable: ReadonlyMap<number, BosunError>;
  /** All damage that was found, with its place in `details`. Damaged rows are not in `rows`. */
  readonly damage: readonly BosunError[];
  /**
   * The parts of a partial read; absent if everything was read. Only the actors that a start needs in memory are
   * present then, and `tables` are the lives of Bosses whose child table is; the other actors are on the shelf.
   */
  readonly part?: { readonly tables: ReadonlySet<number> };
}

/**
 * Reads durable records one at a time and without waiting, for actors that are not in memory. Everything is as of the
 * last durable epoch. Damage is reported when it is found, once a key. Throws BOSUN_STORE_FAILED.
 */
export interface Shelf {
  /** False while the store is briefly closed; no other member may be used then. */
  readonly isOpen: boolean;
  /**
   * Reads an actor; undefined if nobody has this life. A damaged identity gives its damage; a damaged state gives
   * its damage in place of the state.
   *
   * @param address The address for the report, where it is known already.
   */
  actor(
    life: number,
    address?: string,
  ): { readonly identity: Identity; readonly state: ActorState | BosunError } | BosunError | undefined;
  /** The identity of a life; undefined if nobody has this life, and where it is damaged. */
  identity(life: number): Identity | undefined;
  /** Reads a row; undefined if there is none. Throws BOSUN_STORE_DAMAGED. */
  row(key: RowKey): unknown;
  /** Reports damage that `row` has thrown. */
  tell(damage: BosunError): void;
  /**
   * Reads all rows under a prefix that ends in `!`, in key order, without the damaged ones. Nobody may change them
   * meanwhile.
   */
  rowsUnder(prefix: RowKey): Promise<(readonly [key: RowKey, row: unknown])[]>;
  /** Reads rows in a range of keys, without the damaged ones. Rows may be changed while they are read. */
  rowsIn(range: StoreRange): Promise<(readonly [key: RowKey, row: unknown])[]>;
  /** Reads rows by their keys; undefined for a missing or damaged one. */
  rowsOf(keys: readonly RowKey[]): Promise<readonly unknown[]>;
}

/** The coding of references to actors: the codec knows the class, the kernel knows the actors. */
export interface ReferenceCoding {
  readonly Class: abstract new (...args: never[]) => object;
  encode(reference: object): { life: number; address: string };
  decode(fields: { life: number; address: string }): object;
}

/** The durable log of epochs. */
export interface Journal {
  readonly codec: Codec;
  /** The notes of the store, while it is open. */
  readonly notes: Notes | undefined;
  /** The reader of single actors, while the store is open; undefined if the store has no synchronous reads. */
  readonly shelf?: Shelf | undefined;
  /**
   * Opens the store, checks it and reads everything; with `partly`, no more than a start needs, where that is sound.
   * Rejects with a BOSUN_STORE_* code.
   */
  open(references: ReferenceCoding, options?: { readonly partly?: boolean }): Promise<Recovered>;
  /** Resolves once the epoch is durable. Never called while another commit is under way. */
  commit(epoch: Epoch): Promise<void>;
  /**
   * Repeats a failed commit: opens the store anew, finds out whether the epoch is on the medium after all, and writes
   * the same bytes again if not. Resolves once it is durable. Rejects with BOSUN_STORE_FAILED if it may be tried again,
   * and with BOSUN_STORE_DAMAGED or BOSUN_STORE_LOCKED if that is pointless.
   */
  retry(): Promise<void>;
  /** Commits like `commit`; when it resolves, nothing that was deleted before this epoch is left on the medium. */
  purge(epoch: Epoch): Promise<void>;
  close(): Promise<void>;
}

export type { ActorImage, ActorState, Identity };
