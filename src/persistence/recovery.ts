/**
 * Recovery: reads a whole store, checks it, and gives back the system as of its last epoch. It applies what the journal
 * says changed; it never runs code of an agent, and it never repairs the journal: damage there stops it with its place
 * and the last epoch before it. Damage in one actor's record stops that actor alone (damage.ts).
 */
import {
  type Counters,
  KEYSPACES,
  type Recovered,
  type ReferenceCoding,
  type RowKey,
  type Store,
  type StoreWrite,
} from '../actors/model/ports.ts';
import { BosunError, isBosunError } from '../errors.ts';
import { type KeyRing } from './key-ring.ts';
import { createCodec, type StructuredCodec } from './codec.ts';
import { type Cut, decodeCut, decodeFoldMark, FIRST_CUT } from './cut.ts';
import { assess, type Assessment, markFrom } from './damage.ts';
import { type Dictionary, readCopies, readDictionary } from './dictionary.ts';
import { damaged, placed, unseal } from './envelope.ts';
import { decodeEpoch, type EpochRecord, linkTo } from './epoch-format.ts';
import { type Position, type Window } from './fold.ts';
import { CUT_KEYS, epochKey, FOLD_MARK_KEYS, type KeyRange, keysUnder, numberIn, PREFIX } from './keys.ts';
import { Pages } from './pages.ts';
import { Replay } from './replay.ts';
import { callRoll, READ_SINGLY } from './startup-set.ts';

/** Of a store without epochs. Zero stands for "nobody" in many places. */
const FIRST_COUNTERS: Counters = { life: 1, message: 1, timer: 1, quarantine: 1 };

/** What the journal goes on with. */
export interface Restored {
  readonly recovered: Recovered;
  readonly codec: StructuredCodec;
  readonly pages: Pages;
  readonly end: Position;
  readonly window: Window;
  readonly oldest: number;
  /** For the next batch: second copies that were missing or damaged, marks of unreadable actors. */
  readonly repairs: readonly StoreWrite[];
  /** Lives that are marked as unreadable, with those of the repairs. */
  readonly marked: readonly number[];
  /** Configurations that were damaged are named in it. */
  readonly configurations: Dictionary['configurations'];
}

export interface SurveyOptions {
  readonly upTo?: number;
  readonly keys?: KeyRing | undefined;
  readonly fetch?: ((key: string) => Uint8Array | undefined) | undefined;
}

/** All that reading a store tells, also one that is damaged. */
export interface Survey extends Restored {
  /**
   * The first damage of the journal, with `lastGoodEpoch` and `firstGoodEpoch` in its details: between them, recovery
   * may end.
   */
  readonly journalDamage: BosunError | null;
  /** Keys of copies that are missing or damaged while the other one is sound. */
  readonly badCopies: readonly string[];
  /** Damage of folded records that later epochs make up for. */
  readonly overcome: readonly BosunError[];
  readonly cut: Cut;
}

/**
 * Changes nothing.
 *
 * @param upTo The epoch to stop at; default: the last sound one.
 * @param keys For what is concealed, which stays so without.
 * @param fetch Reads one record at once; given, only those are read who must be in memory at a start
 * (roll-call.ts), and `recovered.part` is there if that will do.
 * @throws BOSUN_STORE_DAMAGED where cut or mark are damaged, BOSUN_STORE_FORMAT.
 */
export async function survey(
  store: Store,
  references: ReferenceCoding,
  { upTo = Infinity, keys, fetch }: SurveyOptions = {},
): Promise<Survey> {
  const repairs: StoreWrite[] = [];
  const dictionary = await readDictionary(store, repairs);
  const codec = createCodec(references, dictionary.structures, keys);
  const cut = await readCut(store, repairs);
  const pages = new Pages(codec);
  const replay = new Replay(codec, pages, fetch);
  if (!replay.isPart) {
    await forEach(store, keysUnder(PREFIX.page), (key, value) => replay.loadPage(key, value));
    await forEach(store, keysUnder(PREFIX.state), (key, value) => replay.loadState(key, value));
  }
  for (const keyspace of KEYSPACES) {
    if (replay.isPart && READ_SINGLY.includes(keyspace)) continue;
    await forEach(store, keysUnder(`${keyspace}!`), (key, value) => replay.loadRow(key as RowKey, value));
  }
  const marks = await readMarks(store, replay);
  const first = firstGoodEpoch(cut, await readFoldEnd(store, repairs), replay);
  const journal = await replayJournal(store, cut, replay, upTo);
  const { end, problem } = journal;
  const tables = replay.isPart ? await callRoll(store, replay, marks.keys()) : null;
  // A start that meets damage reads everything.
  const isSound = dictionary.damage.length + replay.badRows.size + replay.stranded.size === 0;
  const part = tables !== null && isSound ? { part: { tables } } : {};
  const assessment = assess(replay, dictionary, marks, codec);
  const isUnreadable = (life: number) => marks.has(life) || assessment.unreadable.has(life);
  const strays = [...replay.strayPages(isUnreadable)].map((key): StoreWrite => ({ key, value: null }));
  const good =
    end.epoch >= first
      ? { firstGoodEpoch: first, lastGoodEpoch: end.epoch }
      : { firstGoodEpoch: null, lastGoodEpoch: null };
  return {
    recovered: { ...recoveredFrom(journal, assessment, dictionary.configurations), ...part },
    codec,
    pages,
    end,
    window: replay.window,
    oldest: journal.oldest,
    repairs: [...repairs, ...assessment.repairs, ...strays],
    marked: [...marks.keys(), ...assessment.unreadable.keys()],
    configurations: dictionary.configurations,
    overcome: assessment.overcome,
    badCopies: repairs.map(({ key }) => key),
    journalDamage: problem && placed(problem, good),
    cut,
  };
}

function recoveredFrom(
  { end: { epoch, counters }, kernelTimeMs }: ReplayedJournal,
  { states, rows, unreadable, damage }: Assessment,
  configurations: Recovered['configurations'],
): Recovered {
  return { epoch, kernelTimeMs, counters, states, rows, configurations, unreadable, damage };
}

async function readCut(store: Store, repairs: StoreWrite[]): Promise<Cut> {
  for (const payload of (await readCopies(store, PREFIX.cut, repairs)).values()) {
    if (payload instanceof BosunError) throw payload;
    return decoded(CUT_KEYS[0], payload, decodeCut);
  }
  return FIRST_CUT;
}

/** @returns The epoch whose state the last fold wrote, or began to; 0 where there was none. */
async function readFoldEnd(store: Store, repairs: StoreWrite[]): Promise<number> {
  for (const payload of (await readCopies(store, PREFIX.foldMark, repairs)).values()) {
    // Without the mark nobody knows how new the folded records are.
    return payload instanceof BosunError ? Infinity : decoded(FOLD_MARK_KEYS[0], payload, decodeFoldMark);
  }
  return 0;
}

function decoded<T>(key: string, payload: Uint8Array, decode: (payload: Uint8Array) => T): T {
  try {
    return decode(payload);
  } catch (error) {
    throw damaged(key, 'is malformed', { cause: error });
  }
}

/**
 * The oldest epoch that the records on disk add up to: those of a fold may be as new as its end, and lost up to its
 * last slice.
 */
function firstGoodEpoch(cut: Cut, foldEnd: number, folded: Replay): number {
  // Folded records and neither cut nor mark: the cut is lost.
  if (cut === FIRST_CUT && foldEnd === 0 && folded.isPopulated) return Infinity;
  return Math.max(cut.written, foldEnd);
}

async function readMarks(store: Store, replay: Replay): Promise<Map<number, BosunError | null>> {
  const marks = new Map<number, BosunError | null>();
  await forEach(store, keysUnder(PREFIX.unreadable), (key, value) => {
    const life = numberIn(key);
    try {
      marks.set(life, markFrom(replay, key, unseal(key, value)));
    } catch (error) {
      if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) throw error;
      marks.set(life, null);
    }
  });
  return marks;
}

interface ReplayedJournal {
  readonly end: Position;
  readonly kernelTimeMs: number;
  readonly oldest: number;
  readonly problem: BosunError | null;
}

/** Replays every epoch from the cut on. Epochs before it were folded; their deletion was cut short. */
async function replayJournal(store: Store, cut: Cut, replay: Replay, upTo: number): Promise<ReplayedJournal> {
  let end: Position = { epoch: cut.from - 1, link: cut.link, counters: FIRST_COUNTERS };
  let kernelTimeMs = 0;
  const isPopulated = replay.isPopulated;
  let oldest = cut.from;
  let problem: BosunError | null = null;
  let isEmpty = true;
  await forEach(store, { gte: epochKey(cut.oldest), lt: keysUnder(PREFIX.epoch).lt }, (key, value) => {
    const number = numberIn(key);
    if (number < cut.from) {
      oldest = Math.min(oldest, number);
      return;
    }
    isEmpty = false;
    if (problem !== null || number > upTo) return;
    try {
      const epoch = nextEpoch(end, key, value);
      replay.apply(epoch, value.length);
      end = { epoch: epoch.number, link: linkTo(value), counters: epoch.counters };
      kernelTimeMs = epoch.kernelTimeMs;
    } catch (error) {
      if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) throw error;
      problem = placed(error, { epoch: end.epoch + 1 });
    }
  });
  // The cut is written together with an epoch behind it.
  if (isEmpty && (cut !== FIRST_CUT || isPopulated))
    problem = damaged(epochKey(cut.from), 'is missing', { epoch: cut.from, isMissing: true });
  return { end, kernelTimeMs, oldest, problem };
}

function nextEpoch(end: Position, key: string, value: Uint8Array): EpochRecord {
  const expected = end.epoch + 1;
  if (key !== epochKey(expected)) throw damaged(epochKey(expected), 'is missing', { epoch: expected, isMissing: true });
  const epoch = decodeEpoch(expected, value);
  if (Buffer.compare(epoch.link, end.link) !== 0)
    throw damaged(key, 'is not linked to the epoch before it', { epoch: expected });
  return epoch;
}

/** A loop over an async iterator of entries would wait for a promise at each of them. */
async function forEach(store: Store, range: KeyRange, visit: (key: string, value: Uint8Array) => void): Promise<void> {
  for await (const batch of store.scan(range)) for (const [key, value] of batch) visit(key, value);
}
