/**
 * Points of one profile for one task, factor by factor. Points are whole thousandths of confidence, so that no order of
 * addition can matter. Retrieval and ranking are elsewhere (retrieval.ts, recommend.ts). Pure.
 */
import { type AgentProfile, type Factor } from './profile.ts';
import { hasMeaning, inSingular, normalised, wordsOf } from './text.ts';

/**
 * The points of each factor. Those of examples and exclusions come from seed 003 (INV-AGT-SEL-005 and -006), the others
 * from AC-027. `retrieval` is the most that retrieval can give.
 */
export const POINTS = {
  exampleExact: 600,
  examplePart: 400,
  notForTask: -500,
  primaryIntent: 300,
  keyword: 150,
  antiKeyword: -200,
  negativeIntent: -300,
  redirect: -500,
  capability: 100,
  requiredCapabilities: 250,
  expertise: 150,
  role: 100,
  descriptionWord: 50,
  team: 100,
  retrieval: 900,
} as const;

/** Points from which on an agent counts as a match (AC-027). */
export const MATCH_POINTS = 100;

/** The score of retrieval at which it gives half of its points. */
const RETRIEVAL_HALF = 6;

/** The most words of a description that count, and the number of words that must be exceeded (AC-027). */
const DESCRIPTION_WORDS_MAX = 5;
const DESCRIPTION_WORDS_OVER = 2;

/** The fewest words of a phrase that counts as part of a longer one. */
const PART_WORDS_MIN = 2;

interface Phrase {
  /** The phrase as the profile writes it. */
  readonly text: string;
  /** The phrase between spaces, as it is and with plurals in the singular. */
  readonly plain: string;
  readonly singular: string;
  /** Whether it can be a part of a longer text: at least two words, one of them meaningful. */
  readonly isPhrase: boolean;
}

/** A profile with its texts made ready for comparison, each part at its first use: most profiles are never compared. */
export interface PreparedProfile {
  readonly profile: AgentProfile;
  /** The signals for and against tasks that authors have written down. */
  readonly authored: () => PreparedSignals;
  /** The signals that the mode `rules` compares. */
  readonly rules: () => PreparedRules;
}

interface PreparedSignals {
  readonly examples: readonly Phrase[];
  readonly notFor: readonly Phrase[];
  readonly antiKeywords: readonly Phrase[];
  readonly negativeIntents: readonly Phrase[];
  readonly redirects: readonly Phrase[];
}

interface PreparedRules {
  readonly primaryIntents: readonly Phrase[];
  readonly keywords: readonly Phrase[];
  readonly capabilities: readonly Phrase[];
  readonly expertise: readonly Phrase[];
  readonly role: ReadonlySet<string>;
  readonly description: ReadonlySet<string>;
}

/** A task with its text prepared for comparison. */
export interface PreparedTask extends Omit<Phrase, 'text'> {
  /** The distinct meaningful words of the task, of more than two letters (AC-028). */
  readonly words: ReadonlySet<string>;
}

/** Prepares a task for comparison. */
export function preparedTask(task: string): PreparedTask {
  const plain = normalised(task);
  return { ...spaced(plain), words: wordSet(plain) };
}

function spaced(plain: string): Omit<Phrase, 'text'> {
  const words = wordsOf(plain);
  const isPhrase = words.length >= PART_WORDS_MIN && words.some(hasMeaning);
  return { plain: ` ${plain} `, singular: ` ${inSingular(plain)} `, isPhrase };
}

/** Prepares a profile for comparison. */
export function preparedProfile(profile: AgentProfile): PreparedProfile {
  const { role, description, expertise, capabilities, selectionMetadata: meta = {} } = profile;
  let authored: PreparedSignals | undefined;
  let rules: PreparedRules | undefined;
  return {
    profile,
    authored: () =>
      (authored ??= {
        examples: phrases(meta.exampleTasks),
        notFor: phrases(meta.notForTasks),
        antiKeywords: phrases(meta.antiKeywords),
        negativeIntents: phrases(meta.negativeIntents),
        redirects: phrases(meta.redirectWhen?.map(({ phrase }) => phrase)),
      }),
    rules: () =>
      (rules ??= {
        primaryIntents: phrases(meta.primaryIntents),
        keywords: phrases(meta.keywords),
        capabilities: phrases(capabilities),
        expertise: phrases(expertise),
        role: wordSet(normalised(role ?? '')),
        description: wordSet(normalised(description)),
      }),
  };
}

function phrases(texts: readonly string[] = []): Phrase[] {
  return texts.flatMap((text) => {
    const plain = normalised(text);
    return plain === '' ? [] : [{ text, ...spaced(plain) }];
  });
}

function wordSet(plain: string): ReadonlySet<string> {
  return new Set(wordsOf(plain).filter((word) => word.length > 2 && hasMeaning(word)));
}

/** The factors that come from a profile's own examples and exclusions. */
export function authoredFactors(profile: PreparedProfile, task: PreparedTask): Factor[] {
  const { examples, notFor, antiKeywords, negativeIntents, redirects } = profile.authored();
  const notForTask = notFor.find((phrase) => isExact(phrase, task) || isPart(phrase, task));
  return [
    ...exampleFactor(examples, task),
    ...(notForTask === undefined ? [] : [factor('notForTask', notForTask)]),
    ...negativeIntents.filter((phrase) => isIn(phrase, task)).map((phrase) => factor('negativeIntent', phrase)),
    ...antiKeywords.filter((phrase) => isIn(phrase, task)).map((phrase) => factor('antiKeyword', phrase)),
    ...redirects.filter((phrase) => isIn(phrase, task)).map((phrase) => factor('redirect', phrase)),
  ];
}

/**
 * The factor of the best example, counted once: an equal one, or else one that contains the task or is contained in it.
 */
function exampleFactor(examples: readonly Phrase[], task: PreparedTask): Factor[] {
  const exact = examples.find((phrase) => isExact(phrase, task));
  if (exact !== undefined) return [factor('exampleExact', exact)];
  const part = examples.find((phrase) => isPart(phrase, task));
  return part === undefined ? [] : [factor('examplePart', part)];
}

/** The factors of single words and phrases in the mode `rules` (AC-027). */
export function ruleFactors({ rules, profile }: PreparedProfile, task: PreparedTask): Factor[] {
  const { primaryIntents, keywords, capabilities, expertise, role, description } = rules();
  const found = (kind: 'primaryIntent' | 'keyword' | 'capability' | 'expertise', list: readonly Phrase[]) =>
    list.filter((phrase) => isIn(phrase, task)).map((phrase) => factor(kind, phrase));
  const inDescription = [...task.words].filter((word) => description.has(word));
  const points = POINTS.descriptionWord * Math.min(inDescription.length, DESCRIPTION_WORDS_MAX);
  return [
    ...found('primaryIntent', primaryIntents),
    ...found('keyword', keywords),
    ...found('capability', capabilities),
    ...found('expertise', expertise),
    ...([...task.words].some((word) => role.has(word))
      ? [{ kind: 'role', points: POINTS.role, evidence: profile.role! }]
      : []),
    ...(inDescription.length > DESCRIPTION_WORDS_OVER
      ? [{ kind: 'description', points, evidence: inDescription.join(', ') }]
      : []),
  ];
}

/** The factor of a retrieval score. Undefined if no meaningful word was found. */
export function retrievalFactor(score: number, words: readonly string[]): Factor[] {
  const points = retrievalPoints(score);
  return points === 0 ? [] : [{ kind: 'retrieval', points, evidence: words.join(', ') }];
}

/** Points for a retrieval score, which has no upper bound: it gives half of them at 6. */
export function retrievalPoints(score: number): number {
  return Math.round((POINTS.retrieval * score) / (score + RETRIEVAL_HALF));
}

/** The sum of the points of factors, which may be below 0 or above 1,000. */
export function sumOf(factors: readonly Factor[]): number {
  return factors.reduce((sum, { points }) => sum + points, 0);
}

function factor(kind: keyof typeof POINTS, { text }: Phrase): Factor {
  return { kind, points: POINTS[kind], evidence: text };
}

function isExact({ plain }: Phrase, task: PreparedTask): boolean {
  return plain === task.plain;
}

/** Whether one text contains the other, at the boundaries of words. */
function isPart(phrase: Phrase, task: PreparedTask): boolean {
  return phrase.plain.length < task.plain.length
    ? phrase.isPhrase && task.plain.includes(phrase.plain)
    : task.isPhrase && phrase.plain.includes(task.plain);
}

function isIn({ singular }: Phrase, task: PreparedTask): boolean {
  return task.singular.includes(singular);
}
