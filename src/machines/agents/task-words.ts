/**
 * The words of a task by which agents are found, with their weights: what is asked for weighs more than what is told
 * around it. English, without a grammar: the rules look at the places of small words alone. Pure.
 */
import { meaningfulWords, stemOf } from './text.ts';

/** A word of a task. */
export interface TaskWord {
  readonly word: string;
  /** From 0 to 1: what the word says about the agent that the task needs. */
  readonly weight: number;
}

/** Weight of words behind the first of {@link TAIL_WORDS}: "a dashboard for the sales team" asks for a dashboard. */
const TAIL_WEIGHT = 0.6;

/** Weight of sentences that only tell what happened before, beside one that asks for something. */
const REPORT_WEIGHT = 0.4;

/** Weight of words that tasks for most agents have. */
const COMMON_WEIGHT = 0.4;

const TAIL_WORDS = new Set(
  (
    'for with that which where when so because using via from into inside on in by while before after without whose ' +
    'who if as than about across through'
  ).split(' '),
);

const COMMON_STEMS: ReadonlySet<string> = new Set(
  (
    'add create build implement improve update change develop help fix user app feature code write project new ' +
    'handle support set design system service process'
  )
    .split(' ')
    .map(stemOf),
);

/** Matches sentences about the past or the present of those who speak: "I have just added a form." */
const REPORT =
  /^(?:(?:i|we)(?: ?(?:ve|m|re)| have| just| am| are| was| were| had| \w+ed)\b|this (?:pr|change|commit)\b)/;
const REQUEST = /\b(?:need|want|would like|have|like) to\b/;

/** The words of a task by stem, each with its greatest weight. */
export function wordsOfTask(task: string): ReadonlyMap<string, TaskWord> {
  const sentences = task.split(/(?<=[.!?;\n])\s+/).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  const isAsking = sentences.some((sentence) => !isReport(sentence));
  const words = new Map<string, TaskWord>();
  for (const sentence of sentences) {
    const weight = isAsking && isReport(sentence) ? REPORT_WEIGHT : 1;
    for (const [stem, one] of wordsOfSentence(sentence)) {
      const all = one.weight * weight;
      if (all > (words.get(stem)?.weight ?? 0)) words.set(stem, { word: one.word, weight: all });
    }
  }
  return words;
}

function isReport(sentence: string): boolean {
  const plain = sentence.toLowerCase().replaceAll(/['’]/g, ' ').trim();
  return REPORT.test(plain) && !plain.endsWith('?') && !REQUEST.test(plain);
}

function* wordsOfSentence(sentence: string): Generator<[stem: string, word: TaskWord]> {
  let weight = 1;
  let isBegun = false;
  for (const word of meaningfulWords(sentence, TAIL_WORDS)) {
    if (TAIL_WORDS.has(word)) {
      if (isBegun) weight = TAIL_WEIGHT;
      continue;
    }
    isBegun = true;
    const stem = stemOf(word);
    yield [stem, { word, weight: COMMON_STEMS.has(stem) ? weight * COMMON_WEIGHT : weight }];
  }
}
