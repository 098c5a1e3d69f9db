/**
 * Recovery: reads a whole store, checks it, and gives back the system as of its last epoch. It applies what the journal
 * says changed; it never runs code of an agent, and it never repairs the journal: damage stops it with its place.
 */
import {
  type ActorState,
  type Counters,
  type Recovered,
  type ReferenceCoding,
  type RowKey,
  type Store,
  type StoreEntry,
  type StoreWrite,
  type Table,
  TABLES,
} from '../actors/ports.ts';
import { applyChange, type StateChange, UNBORN } from '../actors/state.ts';
import { messageOf } from '../errors.ts';
import { createCodec, type StructuredCodec } from './codec.ts';
import { type Cut, decodeCut, FIRST_CUT } from './cut.ts';
import { readConfigurations, readCopies, readStructures } from './dictionary.ts';
import { damaged, unseal } from './envelope.ts';
import { decodeEpoch, type EpochRecord, linkTo } from './epoch-format.ts';
import { emptyWindow, type Position, type Window } from './fold.ts';
import { epochKey, keysUnder, numberIn, stateKey } from './keys.ts';

/** Of a store without epochs. Zero stands for "nobody" in many places. */
const FIRST_COUNTERS: Counters = { life: 1, message: 1, timer: 1, quarantine: 1 };

/** What the journal goes on with. */
export interface Restored {
  readonly recovered: Recovered;
  readonly codec: StructuredCodec;
  readonly end: Position;
  readonly window: Window;
  readonly oldest: number;
  /** Second copies that were missing or damaged, for the next batch. */
  readonly repairs: readonly StoreWrite[];
}

/** @throws BOSUN_STORE_DAMAGED with details { key, epoch? }, BOSUN_STORE_FORMAT. */
export async function recover(store: Store, references: ReferenceCoding): Promise<Restored> {
  const repairs: StoreWrite[] = [];
  const codec = createCodec(references, await readStructures(store, repairs));
  const configurations = await readConfigurations(store, repairs);
  const cut = await readCut(store, repairs);
  const replay = new Replay(codec);
  for await (const [key, value] of entriesUnder(store, 's!')) replay.loadState(key, unseal(key, value));
  for (const table of TABLES) {
    for await (const [key, value] of entriesUnder(store, `${table}!`)) replay.rows.set(key as RowKey, unseal(key, value));
  }
  const { last, end, oldest } = await replayJournal(store, cut, replay);
  if (last === null && replay.isPopulated) throw damaged(epochKey(1), 'is missing', { epoch: 1 });
  const states = replay.finish();
  const recovered: Recovered = {
    epoch: end.epoch,
    kernelTimeMs: last?.kernelTimeMs ?? 0,
    counters: end.counters,
    states,
    rows: replay.decodeRows(),
    configurations,
    unreadable: new Map(),
  };
  return { recovered, codec, end, window: replay.window, oldest, repairs };
}

async function readCut(store: Store, repairs: StoreWrite[]): Promise<Cut> {
  for (const [key, payload] of await readCopies(store, 'c!', repairs)) {
    try {
      return decodeCut(payload);
    } catch (error) {
      throw damaged(`${key}a`, 'is malformed', { cause: error });
    }
  }
  return FIRST_CUT;
}

/** Replays every epoch from the cut on. Epochs before it were folded; their deletion was cut short. */
async function replayJournal(
  store: Store,
  cut: Cut,
  replay: Replay,
): Promise<{ last: EpochRecord | null; end: Position; oldest: number }> {
  let last: EpochRecord | null = null;
  let end: Position = { epoch: cut.from - 1, link: cut.link, counters: FIRST_COUNTERS };
  let oldest = cut.from;
  for await (const [key, value] of entriesIn(store, { gte: epochKey(cut.oldest), lt: keysUnder('e!').lt })) {
    const number = numberIn(key);
    if (number < cut.from) {
      oldest = Math.min(oldest, number);
      continue;
    }
    const expected = end.epoch + 1;
    if (key !== epochKey(expected)) throw damaged(epochKey(expected), 'is missing', { epoch: expected });
    last = decodeEpoch(expected, value);
    if (!equal(last.link, end.link)) {
      throw damaged(key, 'is not linked to the epoch before it', { epoch: expected });
    }
    replay.apply(last, value.length);
    end = { epoch: expected, link: linkTo(value), counters: last.counters };
  }
  // The cut is written together with an epoch behind it.
  if (last === null && cut !== FIRST_CUT) throw damaged(epochKey(cut.from), 'is missing', { epoch: cut.from });
  return { last, end, oldest };
}

/**
 * The folded records, brought forward epoch by epoch. While a fold was under way at the crash, some of them are newer
 * than epochs that are still in the journal; for those actors the older deltas are skipped, and rows converge because
 * each of them is replayed up to its last value.
 */
class Replay {
  readonly #codec: StructuredCodec;
  readonly #states = new Map<number, ActorState>();
  readonly #changed = new Set<number>();
  readonly #born = new Set<number>();
  readonly rows = new Map<RowKey, Uint8Array>();
  readonly window: Window = emptyWindow();

  constructor(codec: StructuredCodec) {
    this.#codec = codec;
  }

  get isPopulated(): boolean {
    return this.#states.size + this.rows.size > 0;
  }

  loadState(key: string, payload: Uint8Array): void {
    // Over UNBORN, so that a field that the format gains later has its value of birth.
    const state = { ...UNBORN, ...(this.#decode(key, payload) as ActorState) };
    this.#states.set(numberIn(key), Object.freeze(state));
  }

  apply(epoch: EpochRecord, bytes: number): void {
    this.window.epochs += 1;
    this.window.bytes += bytes;
    for (const delta of epoch.deltas) this.#applyDelta(delta, epoch.number);
    for (const [key, row] of epoch.rows) this.#applyRow(key, row);
  }

  /** @returns States of the living, by life. */
  finish(): Map<number, ActorState> {
    const living = new Map<number, ActorState>();
    for (const key of [...this.rows.keys()].filter((key) => key.startsWith('i!')).sort()) {
      const life = numberIn(key);
      const state = this.#states.get(life);
      if (state === undefined && !this.#born.has(life)) throw damaged(stateKey(life), 'is missing');
      living.set(life, state ?? UNBORN);
    }
    for (const life of this.#changed) this.window.states.set(life, living.get(life) ?? null);
    // Left behind by a fold that was cut short after its cut, or born and gone within one epoch. Not found out while
    // replaying: a fold that was cut short before its cut has deleted identities of actors that are still to die.
    for (const life of this.#states.keys()) if (!living.has(life)) this.window.states.set(life, null);
    return living;
  }

  decodeRows(): Map<Table, Map<string, unknown>> {
    const tables = new Map<Table, Map<string, unknown>>(TABLES.map((table) => [table, new Map<string, unknown>()]));
    for (const key of [...this.rows.keys()].sort()) {
      tables.get(key[0] as Table)?.set(key.slice(2), this.#decode(key, this.rows.get(key) as Uint8Array));
    }
    return tables;
  }

  #applyDelta({ life, seq, hash, body }: EpochRecord['deltas'][number], epoch: number): void {
    this.#changed.add(life);
    const key = epochKey(epoch);
    const state = this.#states.get(life) ?? UNBORN;
    if (seq < state.seq) return;
    if (seq === state.seq) {
      if (hash !== state.hash) throw damaged(key, `disagrees with the folded state of life ${life}`, { epoch });
      return;
    }
    if (seq !== state.seq + 1) {
      throw damaged(key, `has change ${seq} of life ${life}, whose state is at ${state.seq}`, { epoch });
    }
    const next = applyChange(state, this.#decode(key, body) as StateChange, body);
    if (next.hash !== hash) throw damaged(key, `breaks the chain of life ${life} at change ${seq}`, { epoch });
    this.#states.set(life, next);
  }

  #applyRow(key: RowKey, row: Uint8Array | null): void {
    this.window.rows.set(key, row);
    if (row === null) this.rows.delete(key);
    else this.rows.set(key, row);
    if (!key.startsWith('i!')) return;
    const life = numberIn(key);
    this.#changed.add(life);
    if (row === null) this.#states.delete(life);
    else this.#born.add(life);
  }

  #decode(key: string, bytes: Uint8Array): unknown {
    try {
      return this.#codec.decode(bytes);
    } catch (error) {
      throw damaged(key, `cannot be decoded: ${messageOf(error)}`, { cause: error });
    }
  }
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function entriesUnder(store: Store, prefix: string): AsyncGenerator<StoreEntry> {
  return entriesIn(store, keysUnder(prefix));
}

async function* entriesIn(store: Store, range: { gte: string; lt: string }): AsyncGenerator<StoreEntry> {
  for await (const batch of store.scan(range)) yield* batch;
}
