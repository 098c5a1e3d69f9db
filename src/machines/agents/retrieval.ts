/**
 * Retrieval of profiles by the words of a task: BM25 over the texts of a profile, by stems. An index is made in slices,
 * because 10,000 profiles take most of a second, and always in the order of agent ids, so that equal registries have
 * equal scores to the bit. Pure.
 */
import MiniSearch from 'minisearch';
import { type AgentProfile, byCodeUnit } from './profile.ts';
import { type PreparedProfile, preparedProfile } from './score.ts';
import { knownStemsOf, stemsOf, wordsByStem } from './text.ts';

/** Fields of a profile, with the weight of a word in each. */
const WEIGHTS = { examples: 3, intents: 2, keywords: 1.5, skills: 1, about: 1 } as const;

/** The largest registry in which an unknown word is compared with all words, since the cost grows with their number. */
const TYPOS_PROFILES_MAX = 500;

/**
 * Profiles assumed in addition to those of a registry. Without them, a word that several agents share would count for
 * nothing in a small registry.
 */
const UNSEEN_PROFILES = 20;

/** Letters of a word from which on one wrong letter is tolerated. Shorter words are often different words. */
const TYPO_CHARS_MIN = 6;

interface Entry {
  readonly id: number;
  readonly examples: string;
  readonly intents: string;
  readonly keywords: string;
  readonly skills: string;
  readonly about: string;
}

/** A profile found by retrieval. */
export interface Found {
  readonly prepared: PreparedProfile;
  readonly score: number;
  /** The words of the task that matched. */
  readonly words: readonly string[];
}

/** The profiles of a registry, indexed for requests. Made by {@link indexBuilder}. */
export interface ProfileIndex {
  /** All profiles, in the order of agent ids. */
  readonly profiles: readonly PreparedProfile[];
  /** Finds profiles by the words of a task, the best first. Equal scores are ordered by agent id. */
  readonly find: (task: string) => Found[];
}

/** Builds an index step by step, so that no caller is blocked for long. */
export interface IndexBuilder {
  /** Adds the next profiles. Returns the index once it is complete, and undefined before. */
  readonly add: (count: number) => ProfileIndex | undefined;
}

/**
 * Makes the builder of an index.
 *
 * @param profiles Profiles with different ids, in any order.
 */
export function indexBuilder(profiles: Iterable<AgentProfile>): IndexBuilder {
  const inOrder = [...profiles].sort((a, b) => byCodeUnit(a.agentId, b.agentId));
  const prepared: PreparedProfile[] = [];
  const search = new MiniSearch<Entry>({
    fields: Object.keys(WEIGHTS),
    // Texts arrive as stems with a space between.
    tokenize: (text) => (text === '' ? [] : text.split(' ')),
    processTerm: (term) => term,
    searchOptions: { boost: WEIGHTS },
  });
  const words = new Map<string, number>();
  const stems = new Map<string, string>();
  const add = (profile: AgentProfile) => {
    const texts = Object.entries(textsOf(profile)).map(([field, text]) => [field, knownStemsOf(text, stems)] as const);
    for (const word of new Set(texts.flatMap(([, found]) => found))) words.set(word, (words.get(word) ?? 0) + 1);
    const fields = Object.fromEntries(texts.map(([field, found]) => [field, found.join(' ')]));
    const entry = { id: prepared.length, ...fields } as Entry;
    search.add(entry);
    prepared.push(preparedProfile(profile));
  };
  return {
    add(count) {
      for (const profile of inOrder.slice(prepared.length, prepared.length + count)) add(profile);
      return prepared.length < inOrder.length ? undefined : indexOf(prepared, { search, words });
    },
  };
}

/** Makes an index in one step, for registries of a few hundred profiles. */
export function indexFor(profiles: Iterable<AgentProfile>): ProfileIndex {
  return indexBuilder(profiles).add(Infinity)!;
}

function indexOf(
  profiles: readonly PreparedProfile[],
  { search, words }: { readonly search: MiniSearch<Entry>; readonly words: ReadonlyMap<string, number> },
): ProfileIndex {
  const all = profiles.length + UNSEEN_PROFILES;
  const rarity = (having: number) => Math.log(1 + (all - having + 0.5) / (having + 0.5));
  // The library weighs a word by its rarity in each field alone: "write" is rare among intents, and common in profiles.
  const boostTerm = (word: string) => rarity(words.get(word) ?? 1) / rarity(1);
  const forgives = profiles.length <= TYPOS_PROFILES_MAX;
  const fuzzy = (word: string) => (forgives && word.length >= TYPO_CHARS_MIN && !words.has(word) ? 1 : false);
  return {
    profiles,
    find(task) {
      const found = search.search(stemsOf(task).join(' '), { fuzzy, boostTerm });
      // The library leaves the order of equal scores open. Ids are numbers in the order of agent ids.
      found.sort((a, b) => b.score - a.score || (a.id as number) - (b.id as number));
      const spoken = wordsByStem(task);
      return found.map(({ id, score, queryTerms }) => ({
        prepared: profiles[id as number]!,
        score,
        words: queryTerms.map((stem) => spoken.get(stem) ?? stem),
      }));
    },
  };
}

function textsOf(profile: AgentProfile): Omit<Entry, 'id'> {
  const { role = '', description, capabilities = [], expertise = [], selectionMetadata: meta = {} } = profile;
  const { exampleTasks = [], primaryIntents = [], secondarySignals = [], keywords = [] } = meta;
  return {
    examples: exampleTasks.join('\n'),
    intents: [...primaryIntents, ...secondarySignals].join('\n'),
    keywords: keywords.join('\n'),
    skills: [...capabilities, ...expertise].join('\n'),
    about: `${role}\n${description}`,
  };
}
