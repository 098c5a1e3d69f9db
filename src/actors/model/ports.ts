/**
 * What the kernel needs from the world, as interfaces it owns. Adapters live elsewhere: persistence implements Journal
 * over a Store, the clock is a leaf of src, testing replaces each of them.
 */
import { type BosunError } from '../../errors.ts';
import { type ActorImage, type ActorState, type Identity } from './state.ts';

/** Uniform random numbers in [0, 1). The only source of chance inside the kernel. */
export interface Random {
  next(): number;
}

export interface StoreWrite {
  readonly key: string;
  /** null deletes the key. */
  readonly value: Uint8Array | null;
}

export type StoreEntry = readonly [key: string, value: Uint8Array];

/**
 * A line beside the store, replaced as a whole at the price of a system call. It survives the death of the process; a
 * power cut may take it. Synchronous, because whoever writes it may be about to die.
 */
export interface Notes {
  read(): string | undefined;
  write(line: string): void;
}

/**
 * An ordered key-value medium. Keys are ASCII and ordered by code unit. The contract, which `storeConformance` checks:
 * a write is atomic; a write with `sync` is on the medium, with all writes before it, once its promise resolves; a
 * write without may be lost by a crash, alone or with later unsynced ones; writes are never in flight side by side (the
 * caller waits). After a failed write the store is unusable until it is closed and opened again.
 */
export interface Store {
  /** For messages to people: a directory, or "memory". */
  readonly name: string;
  /** While it is open. Absent where the medium goes with the process. */
  readonly notes?: Notes;
  /**
   * Rejects with BOSUN_STORE_LOCKED where somebody else has it open, and with BOSUN_STORE_DAMAGED where it finds that
   * writes are lost which were on the medium; `lossy` opens it all the same, without them.
   */
  open(options?: { readonly lossy?: boolean }): Promise<void>;
  /** What was found to be lost or damaged at the last open and did not keep it from succeeding. */
  losses?(): readonly BosunError[];
  close(): Promise<void>;
  get(key: string): Promise<Uint8Array | undefined>;
  /**
   * `get` without waiting, also while a write is under way; it blocks for as long as the medium takes. Throws
   * BOSUN_STORE_FAILED, BOSUN_STORE_DAMAGED. Absent where that cannot be had: then every actor stays in memory.
   */
  getSync?(key: string): Uint8Array | undefined;
  /** Entries with `gte <= key < lt`, in key order, in batches; at most `limit` of them. */
  scan(range: { gte: string; lt: string; limit?: number }): AsyncIterable<readonly StoreEntry[]>;
  write(writes: readonly StoreWrite[], options: { sync: boolean }): Promise<void>;
  /**
   * Everything as of now, to be read while writes go on. It costs as little as keeping what is overwritten meanwhile.
   */
  snapshot?(): Promise<StoreSnapshot>;
  /**
   * Frees the space of what was deleted, so that nothing of it is left on the medium. No write or scan may be under
   * way.
   */
  compact?(): Promise<void>;
  /** How much room it takes on the medium. Absent where that is memory. */
  bytes?(): Promise<number>;
}

/** What a store held at one moment, between two writes. Whoever takes one closes it, before the store. */
export interface StoreSnapshot {
  scan(range: { gte: string; lt: string }): AsyncIterable<readonly StoreEntry[]>;
  close(): Promise<void>;
}

/** Turns admitted values into bytes and back. What `encode` was given comes back equal, references included. */
export interface Codec {
  /** The bytes belong to the caller. */
  encode(value: unknown): Uint8Array;
  /** What was concealed comes back as it was, or as {@link Concealed} where its key is not among those given. */
  decode(bytes: Uint8Array): unknown;
  /** Like `encode`, for the codec of another store to `unpack`. */
  pack(value: unknown): Uint8Array;
  unpack(bytes: Uint8Array): unknown;
  /** Where the changes of one epoch after the other are gathered. */
  deltas(): Deltas;
  /** Undefined where no key was given. */
  readonly conceal: Conceal | undefined;
}

/**
 * The changes of the epoch in the making, in order: packed as they come, so that writing the epoch does not go through
 * them again.
 */
export interface Deltas {
  /** Whether nothing has been added since `take`. */
  readonly isEmpty: boolean;
  /**
   * @returns The hash of the actor's state after the change. Throws BOSUN_VALUE_REFUSED, and then has added nothing.
   */
  add(life: number, before: { readonly seq: number; readonly hash: number }, change: object): number;
  /** All of it, in the form of the journal; begins anew. */
  take(): Uint8Array;
}

/** Encrypts a value that is about to be encoded. `type`, of an event, stays legible. */
export type Conceal = (value: unknown, type?: string) => Concealed;

/**
 * An encrypted value, for `encode`. Where it comes out of `decode` its key is missing; it is encoded to what it was.
 */
export class Concealed {
  /** Of an event. */
  readonly type: string | undefined;
  /** Names the key, in hexadecimal. */
  readonly key: string;
  readonly #bytes: Uint8Array;

  constructor(type: string | undefined, key: string, bytes: Uint8Array) {
    this.type = type;
    this.key = key;
    this.#bytes = bytes;
  }

  /** Not a field: what prints or shows the object does not print them. */
  bytes(): Uint8Array {
    return this.#bytes;
  }
}

declare const keyspace: unique symbol;

/** A kind of rows beside the actors' states. There are those of {@link KEYSPACE}; a letter alone is none. */
export type Keyspace = string & { readonly [keyspace]: true };

/** The letters that stand for keyspaces in keys of the store. No other file knows them. */
const LETTERS = {
  /** Of actors: life -> Identity. */
  identities: 'i',
  /** Of living actors: address -> life. */
  addresses: 'a',
  /** System id -> life. */
  systemIds: 'n',
  /** Unread messages: number -> message. */
  mailboxes: 'm',
  /** Number -> timer. */
  timers: 't',
  /** Actors that a start reads: life -> 0; for a live effect its attempt, or attempt and failures. */
  roll: 'f',
  /** What effects keep: life / name -> value. */
  keepsakes: 'k',
  /** Durable actions to be run: number -> action. */
  outbox: 'o',
  /** Child tables of Bosses: life of the Boss / child id -> child. */
  children: 'b',
  /** Sends that may be repeated: session -> its last sequence, and when that was. */
  sessions: 'd',
  /** Number -> message or action, and reason. */
  deadLetters: 'q',
  /** Number -> who asks whom, until when, and the reply. */
  asks: 'r',
  /** Monitors and links: life / life of the watcher / which. */
  relations: 'h',
  /** Group / life -> how often it has joined. */
  groups: 'g',
  /** Registered names: name -> life and value. */
  names: 'p',
  /** Strikes against actors: life -> strikes, the restart that waits, and who suspended it. */
  held: 'u',
  /** Turns that are kept: life / place -> what happened in it. */
  turns: 'j',
  /** Number -> who ordered what of whom, and what came of it. */
  audit: 'z',
  /** Facts of one shard of several: its place, messages to other shards, and what it has taken from them. */
  shard: 'X',
} as const;

/** Every keyspace by its name. A row is one admitted value under a key of its own. */
export const KEYSPACE = LETTERS as unknown as { readonly [Name in keyof typeof LETTERS]: Keyspace };

export const KEYSPACES: readonly Keyspace[] = Object.values(KEYSPACE);

/**
 * `m!0000000000002a`: the keyspace, then the key of the row in it. Numbers are fixed-width hexadecimal so that they
 * sort.
 */
export type RowKey = `${Keyspace}!${string}`;

export function keyspaceOf(key: string): Keyspace {
  return key[0] as Keyspace;
}

/** The key of a row within its keyspace. */
export function keyWithin(key: string): string {
  return key.slice(2);
}

/** A configuration (set of active state nodes), with what a later machine has to know of it (design P12). */
export interface Configuration {
  readonly nodes: readonly string[];
  /** The state value that it amounts to, in XState's form. Absent before it is written, and where it is damaged. */
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

/** The next numbers to give out; none is ever given twice. */
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
  /** Every change of a state: what `take` of {@link Deltas} gave. */
  readonly deltas: Uint8Array;
  /** Net changes of rows since the last epoch; null deletes. */
  readonly rows: ReadonlyMap<RowKey, unknown>;
  /** Rows that are stored in another form than readers get them: with what is {@link Concealed}. */
  readonly concealed: ReadonlyMap<RowKey, unknown>;
  /** Every actor changed, born or gone, once. */
  readonly images: readonly ActorImage[];
  readonly configurations: readonly NewConfiguration[];
}

/** Everything as of the last durable epoch. */
export interface Recovered {
  /** Number of the last durable epoch; 0 for a new store. */
  readonly epoch: number;
  readonly kernelTimeMs: number;
  readonly counters: Counters;
  readonly states: ReadonlyMap<number, ActorState>;
  /** Per keyspace, in key order: key within it, and the row. */
  readonly rows: ReadonlyMap<Keyspace, ReadonlyMap<string, unknown>>;
  /** Per structural hash: configurations by id. */
  readonly configurations: ReadonlyMap<string, readonly Configuration[]>;
  /**
   * By life: actors whose records are damaged, and why. They are suspended, and their records stay as they are until
   * they are removed. The entry in `states` may be missing, and so may the identity.
   */
  readonly unreadable: ReadonlyMap<number, BosunError>;
  /** All damage that was found, with its place in `details`; what is in a damaged row is in none of `rows`. */
  readonly damage: readonly BosunError[];
  /**
   * Absent where everything was read. Otherwise only those are there who must be in memory at a start, and lives of
   * Bosses whose child table is; the others are on the shelf.
   */
  readonly part?: { readonly tables: ReadonlySet<number> };
}

/**
 * Durable records, one at a time and without waiting: of actors that are not in memory. Everything is as of the last
 * durable epoch. Damage is reported where it is found, once a key. Throws BOSUN_STORE_FAILED.
 */
export interface Shelf {
  /** False while the store is closed for a moment; then nothing may be asked. */
  readonly isOpen: boolean;
  /**
   * Undefined where nobody has this life. A damaged identity gives its damage, a damaged state stands in the place of
   * the state.
   *
   * @param address For the report, where it is known before.
   */
  actor(
    life: number,
    address?: string,
  ): { readonly identity: Identity; readonly state: ActorState | BosunError } | BosunError | undefined;
  /** Undefined where nobody has this life, and for one that is damaged. */
  identity(life: number): Identity | undefined;
  /** Undefined where there is none. Throws BOSUN_STORE_DAMAGED. */
  row(key: RowKey): unknown;
  /** Reports damage that `row` has thrown. */
  tell(damage: BosunError): void;
  /**
   * All rows under a prefix, which ends in `!`, in key order; what is damaged is missing. Nobody may change them
   * meanwhile.
   */
  rowsUnder(prefix: RowKey): Promise<(readonly [key: RowKey, row: unknown])[]>;
}

/** How references to actors are written and read back: the codec knows the class, the kernel knows the actors. */
export interface ReferenceCoding {
  readonly Class: abstract new (...args: never[]) => object;
  encode(reference: object): { life: number; address: string };
  decode(fields: { life: number; address: string }): object;
}

/** How shards of one system reach each other. What is posted may be lost as a whole, comes in order, and comes once. */
export interface Wire {
  /** Nothing happens where the other shard is down. */
  post(shard: number, bytes: Uint8Array): void;
  /** Who hears what comes, from now on. */
  listen(listener: (from: number, bytes: Uint8Array) => void): void;
}

/** How epochs become durable. */
export interface Journal {
  readonly codec: Codec;
  /** Of the store, while it is open. */
  readonly notes: Notes | undefined;
  /** Where actors are read one by one, while it is open; undefined where the store cannot. */
  readonly shelf?: Shelf | undefined;
  /**
   * Opens the store, checks it, and reads everything; `partly`: no more than a start needs, where that is sound.
   * Rejects with a BOSUN_STORE_* code.
   */
  open(references: ReferenceCoding, options?: { readonly partly?: boolean }): Promise<Recovered>;
  /** Resolves once the epoch is durable. Never called while another commit is under way. */
  commit(epoch: Epoch): Promise<void>;
  /**
   * After a commit that failed: opens the store anew, finds out whether that epoch is on the medium all the same, and
   * writes the same bytes again where it is not. Resolves once it is durable. Rejects with BOSUN_STORE_FAILED, then it
   * may be tried again, or with what makes that senseless: BOSUN_STORE_DAMAGED, BOSUN_STORE_LOCKED.
   */
  retry(): Promise<void>;
  /** Like `commit`; and when it resolves, nothing that was deleted before this epoch is left on the medium. */
  purge(epoch: Epoch): Promise<void>;
  close(): Promise<void>;
}

export type { ActorImage, ActorState, Identity };
