/**
 * Retrieval of profiles by the words of a task: BM25 over the stems of a profile's texts. A word's rarity counts twice,
 * for the task and for the profile, and profiles that have more of the task's words win over those that have one word
 * often. An index is made in slices, and always in the order of agent ids, so that equal registries have equal scores
 * to the bit. Pure.
 */
import { type AgentProfile, byCodeUnit } from './profile.ts';
import { SHOULD_NOT } from './scope-section.ts';
import { type PreparedProfile, preparedProfile } from './score.ts';
import { wordsOfTask } from './task-words.ts';
import { hasCompound, knownStemsOf } from './text.ts';

/** Weights of the texts of a profile, in the order of {@link textsOf}. */
const WEIGHTS = [1.5, 2, 2, 1, 0.7, 1] as const;

/** The number of the examples among the texts. */
const EXAMPLES = 0;

/** The constants of BM25: how soon a repeated word counts no more, and how much the length of a text matters. */
const SATURATION = 1.2;
const LENGTH = 0.7;

/** The largest registry in which an unknown word is compared with all words, since the cost grows with their number. */
const TYPOS_PROFILES_MAX = 500;

/**
 * Profiles assumed in addition to those of a registry. Without them, a word that several agents share would count for
 * nothing in a small registry.
 */
const UNSEEN_PROFILES = 20;

/** The beginning of a system prompt that is searched: what an agent does comes first in it, how it works later. */
const PROMPT_CHARS_MAX = 4_000;

/** Letters of a word from which on one wrong letter is tolerated. Shorter words are often different words. */
const TYPO_CHARS_MIN = 6;

/** A profile found by retrieval. */
export interface Found {
  readonly prepared: PreparedProfile;
  readonly score: number;
  /** Whether the task can be one of the profile's examples or a part of it, or the other way round. */
  readonly sharesExample: boolean;
  /** The words of the task that matched. */
  readonly words: readonly string[];
}

/** The profiles of a registry, indexed for requests. Made by {@link indexBuilder}. */
export interface ProfileIndex {
  /** All profiles, in the order of agent ids. */
  readonly profiles: readonly PreparedProfile[];
  /** Finds profiles by the words of a task, the best first. Equal scores are ordered by agent id. */
  readonly find: (task: string) => Iterable<Found>;
}

/** Builds an index step by step, so that no caller is blocked for long. */
export interface IndexBuilder {
  /** Adds the next profiles. Returns the index once it is complete, and undefined before. */
  readonly add: (count: number) => ProfileIndex | undefined;
}

/** The places of a stem: of each, the number of the text among all texts, and how often the stem is in it. */
type Places = number[];

/** The bits of a place that count. A stem that is more often in a text counts as so many. */
const COUNT_BITS = 6;
const COUNT_MAX = 2 ** COUNT_BITS - 1;

/**
 * Makes the builder of an index.
 *
 * @param profiles Profiles with different ids, in any order.
 */
export function indexBuilder(profiles: Iterable<AgentProfile>): IndexBuilder {
  const inOrder = [...profiles].sort((a, b) => byCodeUnit(a.agentId, b.agentId));
  const index = new Index();
  return {
    add(count) {
      const from = index.profiles.length;
      for (const profile of inOrder.slice(from, from + count)) index.add(profile);
      return index.profiles.length < inOrder.length ? undefined : index;
    },
  };
}

/** Makes an index in one step, for registries of a few hundred profiles. */
export function indexFor(profiles: Iterable<AgentProfile>): ProfileIndex {
  return indexBuilder(profiles).add(Infinity)!;
}

class Index implements ProfileIndex {
  readonly profiles: PreparedProfile[] = [];
  readonly #places = new Map<string, Places>();
  /** Profiles that have a stem, by stem. */
  readonly #having = new Map<string, number>();
  /** Stems of each text of each profile, one profile after the other; and the same of all profiles together. */
  readonly #lengths: number[] = [];
  readonly #allLengths = WEIGHTS.map(() => 0);
  readonly #stems = new Map<string, string>();
  /** The stems by their number of letters, made when an unknown one is first looked for. */
  #byLength: Map<number, string[]> | undefined;

  add(profile: AgentProfile): void {
    const number = this.profiles.length;
    const own = new Set<string>();
    for (const [field, text] of textsOf(profile).entries()) {
      const stems = knownStemsOf(text, this.#stems);
      const counts = new Map<string, number>();
      for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
      for (const [stem, count] of counts) {
        own.add(stem);
        const place = ((number * WEIGHTS.length + field) << COUNT_BITS) | Math.min(count, COUNT_MAX);
        const places = this.#places.get(stem);
        if (places === undefined) this.#places.set(stem, [place]);
        else places.push(place);
      }
      this.#lengths.push(stems.length);
      this.#allLengths[field]! += stems.length;
    }
    for (const stem of own) this.#having.set(stem, (this.#having.get(stem) ?? 0) + 1);
    this.profiles.push(preparedProfile(profile));
  }

  *find(task: string): Generator<Found> {
    // Words that are joined in the task may stand apart in an example that is a part of it.
    const examples = new Uint8Array(this.profiles.length).fill(hasCompound(task) ? 1 : 0);
    const asked = [...wordsOfTask(task)].map(([stem, { word, weight }]) => ({
      word,
      weight,
      scores: this.#scoresOf(this.#known(stem), examples),
    }));
    const sums = new Float64Array(this.profiles.length);
    const weights = new Float64Array(this.profiles.length);
    for (const { weight, scores } of asked)
      for (const [number, score] of scores.entries()) {
        if (score === 0) continue;
        sums[number]! += weight * score;
        weights[number]! += weight;
      }
    const score = sums.map((sum, number) => sum * weights[number]!);
    const found = this.profiles.flatMap((_, number) => (score[number]! > 0 ? [number] : []));
    for (const number of found.sort((a, b) => score[b]! - score[a]! || a - b))
      yield {
        prepared: this.profiles[number]!,
        score: score[number]!,
        sharesExample: examples[number] === 1,
        words: asked.filter(({ scores }) => scores[number]! > 0).map(({ word }) => word),
      };
  }

  /** The scores of all profiles for a stem, by number; 0 for those that do not have it. Marks those with examples. */
  #scoresOf(stem: string, examples: Uint8Array): Float64Array {
    const places = this.#places.get(stem) ?? [];
    const all = this.profiles.length + UNSEEN_PROFILES;
    const having = this.#having.get(stem) ?? 0;
    const rarity = Math.log(1 + (all - having + 0.5) / (having + 0.5));
    const scores = new Float64Array(this.profiles.length);
    const averages = this.#allLengths.map((length) => length / this.profiles.length);
    for (const place of places) {
      const text = place >> COUNT_BITS;
      const count = place & COUNT_MAX;
      const field = text % WEIGHTS.length;
      const number = (text - field) / WEIGHTS.length;
      const length = this.#lengths[text]!;
      if (field === EXAMPLES) examples[number] = 1;
      const damped =
        (count * (SATURATION + 1)) / (count + SATURATION * (1 - LENGTH + (LENGTH * length) / averages[field]!));
      scores[number]! += rarity * rarity * WEIGHTS[field]! * damped;
    }
    return scores;
  }

  /** A stem, or the first known one, in alphabetical order, that differs from an unknown long one by one letter. */
  #known(stem: string): string {
    if (this.#places.has(stem) || stem.length < TYPO_CHARS_MIN || this.profiles.length > TYPOS_PROFILES_MAX)
      return stem;
    const near = [stem.length - 1, stem.length, stem.length + 1]
      .flatMap((length) => this.#ofLength(length))
      .filter((known) => isNear(known, stem));
    return near.sort(byCodeUnit)[0] ?? stem;
  }

  #ofLength(length: number): readonly string[] {
    if (this.#byLength === undefined) {
      this.#byLength = new Map();
      for (const stem of this.#places.keys()) {
        const others = this.#byLength.get(stem.length);
        if (others === undefined) this.#byLength.set(stem.length, [stem]);
        else others.push(stem);
      }
    }
    return this.#byLength.get(length) ?? [];
  }
}

/** Whether two words differ by one letter that is wrong, missing or too many. */
function isNear(a: string, b: string): boolean {
  // Most words differ at both ends.
  if (a[0] !== b[0] && a.at(-1) !== b.at(-1)) return false;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (long.length - short.length > 1) return false;
  let same = 0;
  while (same < short.length && short[same] === long[same]) same += 1;
  return short.slice(long.length === short.length ? same + 1 : same) === long.slice(same + 1);
}

/** The texts of a profile: examples, intents, keywords, skills, and what it says about itself. */
function textsOf(profile: AgentProfile): readonly string[] {
  const { role = '', description, capabilities = [], expertise = [], selectionMetadata: meta = {} } = profile;
  const { exampleTasks = [], primaryIntents = [], secondarySignals = [], keywords = [] } = meta;
  return [
    exampleTasks.join('\n'),
    [...primaryIntents, ...secondarySignals].join('\n'),
    keywords.join('\n'),
    [...capabilities, ...expertise].join('\n'),
    `${role}\n${description}`,
    promptOf(profile),
  ];
}

/** The part of the system prompt that speaks of the agent's own tasks. */
function promptOf({ systemPrompt = '' }: AgentProfile): string {
  const [own] = systemPrompt.split(SHOULD_NOT);
  return own!.slice(0, PROMPT_CHARS_MAX);
}
