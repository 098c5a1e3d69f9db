/**
 * Recovery: reads a whole store, checks it, and returns the system as of its last epoch. It applies the changes in the
 * journal; it never runs code of an agent, and it never repairs the journal: damage there stops it, with the place and
 * the last epoch before it. Damage in one actor's record stops that actor alone (damage.ts).
 */
import {
  type Counters,
  KEYSPACE,
  KEYSPACES,
  KEYSPACES_READ_LATER,
  type Recovered,
  type ReferenceCoding,
  type RowKey,
  type Store,
  type StoreWrite,
} from '../../actors/model/ports.ts';
import { BosunError, isBosunError } from '../../errors.ts';
import { type KeyRing } from '../format/key-ring.ts';
import { createCodec, type StructuredCodec } from '../format/codec.ts';
import { type Cut, decodeCut, decodeFoldMark, FIRST_CUT } from './cut.ts';
import { assess, type Assessment, markFrom } from './damage.ts';
import { type Dictionary, readCopies, readDictionary } from '../format/dictionary.ts';
import { damaged, placed, unseal } from '../format/envelope.ts';
import { decodeEpoch, type EpochRecord, linkTo } from './epoch-format.ts';
import { type Position } from './fold.ts';
import {
  copiesOf,
  CUT_KEYS,
  epochKey,
  FOLD_MARK_KEYS,
  type KeyRange,
  keysUnder,
  numberIn,
  PREFIX,
  unreadKeys,
} from '../format/keys.ts';
import { Pages } from '../format/pages.ts';
import { Replay } from './replay.ts';
import { Segments, segmentOf } from './segments.ts';
import { callRoll, READ_SINGLY } from './startup-set.ts';
import { type Window } from './window.ts';

/** The counters of a store without epochs. They begin at one, because zero means "none" in many places. */
const FIRST_COUNTERS: Counters = { life: 1, message: 1, timer: 1, quarantine: 1 };

/** The state from which the journal goes on. */
export interface Restored {
  readonly recovered: Recovered;
  readonly codec: StructuredCodec;
  readonly pages: Pages;
  readonly segments: Segments;
  readonly end: Position;
  readonly window: Window;
  readonly oldest: number;
  /** Writes for the next batch: second copies that were missing or damaged, marks of unreadable actors. */
  readonly repairs: readonly StoreWrite[];
  /** Lives marked as unreadable, including those in the repairs. */
  readonly marked: readonly number[];
  /** Damaged configurations have a substitute name. */
  readonly configurations: Dictionary['configurations'];
}

export interface SurveyOptions {
  readonly upTo?: number;
  readonly keys?: KeyRing | undefined;
  readonly fetch?: ((key: string) => Uint8Array | undefined) | undefined;
}

/** Everything that reading a store reveals, also of a damaged one. */
export interface Survey extends Restored {
  /**
   * The first damage of the journal, with `lastGoodEpoch` and `firstGoodEpoch` in its details: recovery may end at any
   * epoch between them.
   */
  readonly journalDamage: BosunError | null;
  /** Keys of copies that are missing or damaged while the other one is sound. */
  readonly badCopies: readonly string[];
  /** Damage of folded records that later epochs make irrelevant. */
  readonly overcome: readonly BosunError[];
  readonly cut: Cut;
}

/**
 * Reads a store and changes nothing.
 *
 * @param upTo The epoch to stop at; default: the last sound one.
 * @param keys The key ring for concealed values; without it they stay concealed.
 * @param fetch Reads one record synchronously. Where given, only actors that must be in memory at a start are read
 * (startup-set.ts), and `recovered.part` is there if that suffices.
 * @throws BOSUN_STORE_DAMAGED if cut or mark are damaged, BOSUN_STORE_FORMAT.
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
    await forEach(store, keysUnder(PREFIX.state), (key, value) => replay.loadActor(key, value));
  }
  await forEach(store, keysUnder(PREFIX.enrolled), (key, value) => replay.loadActor(key, value));
  const segments = new Segments();
  const strayUnread = await readMessages(store, { segments, replay, repairs });
  for (const keyspace of KEYSPACES) {
    if (keyspace === KEYSPACE.mailboxes || KEYSPACES_READ_LATER.has(keyspace)) continue;
    if (replay.isPart && READ_SINGLY.includes(keyspace)) continue;
    await forEach(store, keysUnder(`${keyspace}!`), (key, value) =>
      READ_SINGLY.includes(keyspace) ? replay.loadDecoded(key as RowKey, value) : replay.loadRow(key as RowKey, value),
    );
  }
  const marks = await readMarks(store, replay);
  const first = firstGoodEpoch(cut, await readFoldEnd(store, repairs), replay);
  const journal = await replayJournal(store, cut, replay, upTo);
  const { end, problem } = journal;
  const tables = replay.isPart ? await callRoll(store, replay, marks.keys()) : null;
  // A start that finds damage reads everything.
  const isSound = dictionary.damage.length + replay.badRows.size + replay.stranded.size === 0;
  const part = tables !== null && isSound ? { part: { tables } } : {};
  const assessment = assess(replay, dictionary, marks, codec);
  const isUnreadable = (life: number) => marks.has(life) || assessment.unreadable.has(life);
  const strays = [...replay.strayPages(isUnreadable), ...strayUnread].map((key): StoreWrite => ({ key, value: null }));
  const good =
    end.epoch >= first
      ? { firstGoodEpoch: first, lastGoodEpoch: end.epoch }
      : { firstGoodEpoch: null, lastGoodEpoch: null };
  return {
    recovered: { ...recoveredFrom(journal, assessment, dictionary.configurations), ...part },
    codec,
    pages,
    segments,
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
  { identities, states, rows, unreadable, damage }: Assessment,
  configurations: Recovered['configurations'],
): Recovered {
  return { epoch, kernelTimeMs, counters, identities, states, rows, configurations, unreadable, damage };
}

/**
 * Reads the unread messages: segments first, then those with records of their own.
 *
 * @returns Keys of records that belong to no segment: a crash came between the writes that delete one.
 */
async function readMessages(
  store: Store,
  { segments, replay, repairs }: { segments: Segments; replay: Replay; repairs: StoreWrite[] },
): Promise<string[]> {
  const unread = await readCopies(store, PREFIX.unread, repairs);
  await forEach(store, keysUnder(PREFIX.segment), (key, value) => {
    const [copy] = unreadKeys(numberIn(key));
    const base = copy.slice(0, -1);
    try {
      segments.load(key, value, unread.get(base), (message, row) => replay.takeRow(message, row));
    } catch (error) {
      if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) throw error;
      replay.badRows.set(key as RowKey, error);
    }
    unread.delete(base);
  });
  await forEach(store, keysUnder(`${KEYSPACE.mailboxes}!`), (key, value) => {
    replay.loadRow(key as RowKey, value);
    const number = numberIn(key);
    if (segments.standsAlone(number)) replay.window.visit(segmentOf(number));
  });
  return [...unread.keys()].flatMap((base) => copiesOf(base));
}

async function readCut(store: Store, repairs: StoreWrite[]): Promise<Cut> {
  for (const payload of (await readCopies(store, PREFIX.cut, repairs)).values()) {
    if (payload instanceof BosunError) throw payload;
    return decoded(CUT_KEYS[0], payload, decodeCut);
  }
  return FIRST_CUT;
}

/**
 * Reads the mark of the last fold.
 *
 * @returns The epoch whose state the last fold wrote, or began to; 0 if there was none.
 */
async function readFoldEnd(store: Store, repairs: StoreWrite[]): Promise<number> {
  for (const payload of (await readCopies(store, PREFIX.foldMark, repairs)).values()) {
    // Without the mark the age of the folded records is unknown.
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
 * The oldest epoch that the records on disk add up to: records of a fold may be as new as its end, and may have been
 * lost up to its last slice.
 */
function firstGoodEpoch(cut: Cut, foldEnd: number, folded: Replay): number {
  // Folded records without cut and mark mean that the cut is lost.
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

/** Replays every epoch from the cut on. Earlier epochs were folded; a crash interrupted their deletion. */
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
  // The cut is written together with a later epoch, which must exist.
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

/** Visits every entry of a range. A loop over an async iterator of entries would await a promise for each of them. */
async function forEach(store: Store, range: KeyRange, visit: (key: string, value: Uint8Array) => void): Promise<void> {
  for await (const batch of store.scan(range)) for (const [key, value] of batch) visit(key, value);
}
