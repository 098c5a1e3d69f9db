/**
 * Which option a reply chooses: by its name, by its place (`the second`), by a rule that names several (`A for new
 * ones, B elsewhere`), or something else. A name that the reply turns down is not chosen. Pure.
 */
import {
  asksBack,
  contentWords,
  defers,
  depends,
  isOnlyYesOrNo,
  namesIn,
  refersToUnsaid,
  setsCondition,
  withoutReasons,
} from './reply-signs.ts';
import { alone, anyOf, literally, words } from './word-patterns.ts';

/** The start and end of a name in a text. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

/** The choice in a text: one option, something that is not an option, several, or none with a substitute. */
export type Choice = string | 'other' | 'several';

const TURNING_DOWN = anyOf(
  `\\b${anyOf(
    'not|never|without|avoid|drop|skip|against|nor|instead of|rather than|over|than',
    'replac\\w+|remov\\w+|except|ditch|no',
  )}`,
  "n't",
);
const BETWEEN = '(?:(?:to|use|using|the|a|an|any|with|go|take|want|like|do|have|be|in)\\s+){0,3}';
const TURNED_DOWN_BEFORE = new RegExp(`${TURNING_DOWN}\\s+${BETWEEN}["'\`]?$`, 'i');
const TURNED_DOWN_AFTER = new RegExp(
  `^["'\`]?\\s+${anyOf(
    "(?:is|was|are|would be|will be)?\\s*(?:not\\b|n't|too\\b|out\\b|overkill|wrong|no\\b)",
    "(?:isn't|won't|can't|does not|doesn't)",
  )}`,
  'i',
);

/** Matches words that express a decision. */
const DECIDES = new RegExp(
  anyOf(
    '^\\W*(?:use|take|go with|choose|pick|prefer|neither|none)\\b',
    words("(?:we|i|let's|let us) (?:use|take|go with|want|prefer|choose|pick)", 'use|go with|take'),
  ),
  'i',
);

/** Words for the position of an option: the first to the fifth, and the last. */
const PLACES = ['first|former', 'second', 'third', 'fourth', 'fifth'].map(placePattern);
const LAST = /\bthe (?:last|latter)(?: one| option)?\b/i;

/** Matches the position of an option: `the second`, `second one`, `2nd`, `option 2`, `option b`. */
function placePattern(ordinal: string, index: number): RegExp {
  const written = `${index + 1}|${'abcde'[index]!}|${['one', 'two', 'three', 'four', 'five'][index]!}`;
  return new RegExp(
    anyOf(
      `\\bthe (?:${ordinal})\\b(?! (?:place|thought|step|time|thing))`,
      `\\b(?:${ordinal}) (?:one|option)\\b`,
      alone(ordinal),
      `\\b(?:option|number|choice) ?(?:${written})\\b`,
    ),
    'i',
  );
}

/** The places at which a text contains a name as a whole word, in any case. */
export function mentions(name: string, text: string): readonly Place[] {
  if (name.trim() === '') return [];
  const escaped = literally(name.trim()).replaceAll(/\s+/g, '\\s+');
  const whole = new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, 'giu');
  return [...text.matchAll(whole)].map(({ index, 0: { length } }) => ({ from: index, to: index + length }));
}

/** Whether a text rejects the name at a place. */
export function rejects(text: string, { from, to }: Place): boolean {
  return (
    TURNED_DOWN_BEFORE.test(text.slice(Math.max(0, from - 60), from)) || TURNED_DOWN_AFTER.test(text.slice(to, to + 30))
  );
}

/** The option that a text chooses; undefined if it chooses none. */
export function choiceOf(options: readonly string[], text: string): Choice | undefined {
  const named = kept(options, text);
  if (named.length === 1) return named[0];
  if (named.length > 1) return amongSeveral(named, options, text);
  const at = PLACES.findIndex((place) => place.test(text));
  const placed = options[LAST.test(text) ? options.length - 1 : at];
  if (placed !== undefined) return placed;
  if (options.length === 2 && /\bboth\b/i.test(text) && !defers(text)) return 'several';
  return isSomethingElse(options, text) ? 'other' : undefined;
}

/** The options that a text names without rejecting them. One that is part of another named option does not count. */
function kept(options: readonly string[], text: string): readonly string[] {
  const found = options.map((option) => ({
    option,
    places: mentions(option, text).filter((at) => !rejects(text, at)),
  }));
  const spans = found.flatMap(({ option, places }) => places.map((place) => ({ option, ...place })));
  const isInside = ({ option, from, to }: (typeof spans)[number]) =>
    spans.some(
      (other) => other.option !== option && other.from <= from && other.to >= to && other.to - other.from > to - from,
    );
  const named = new Set(spans.filter((span) => !isInside(span)).map(({ option }) => option));
  if (named.size > 0) return options.filter((option) => named.has(option));
  // An option may be cut short: to words that no other option has, or to its beginning.
  const said = options.filter((option) => isCutShort(option, options, text));
  return said.length === 1 && mentions(said[0]!, text).length === 0 ? said : [];
}

/** Characters from which the beginning of an option stands for it: `mongo` for `MongoDB`. */
const BEGINNING_CHARS = 5;

function isCutShort(option: string, options: readonly string[], text: string): boolean {
  const others = new Set(options.filter((other) => other !== option).flatMap(contentWords));
  const own = contentWords(option).filter((word) => !others.has(word));
  const isOwn = (said: string) =>
    own.some((word) => (word === said && own.length > 1) || (said.length >= BEGINNING_CHARS && word.startsWith(said)));
  const words = [...text.matchAll(/[\p{L}\p{N}][\p{L}\p{N}_.@/+#-]*/gu)];
  return words.some(
    ({ 0: word, index: from }) => contentWords(word).some(isOwn) && !rejects(text, { from, to: from + word.length }),
  );
}

function amongSeveral(named: readonly string[], options: readonly string[], text: string): Choice | undefined {
  const said = withoutReasons(text);
  const left = kept(options, said);
  if (left.length === 1) return left[0];
  const isUndecided = new RegExp(
    `${escapedAny(named)}["'\`]?\\s*(?:,\\s*)?(?:or|/|vs\\.?|versus)\\s+["'\`]?${escapedAny(named)}`,
    'i',
  );
  if (asksBack(text) || (isUndecided.test(said) && !/\b(?:if|when|unless|otherwise)\b/i.test(said))) return undefined;
  return setsCondition(said) || /\b(?:both|and|plus|then|all)\b|[&+]/i.test(said) ? 'several' : undefined;
}

function escapedAny(names: readonly string[]): string {
  return anyOf(...names.map(literally));
}

/** Whether a text chooses something that is not among the options. */
function isSomethingElse(options: readonly string[], text: string): boolean {
  if (defers(text) || refersToUnsaid(text) || depends(text) || isOnlyYesOrNo(text) || asksBack(text)) return false;
  const own = new Set(options.flatMap(contentWords));
  const news = contentWords(text).filter((word) => !own.has(word));
  return news.length > 0 && (DECIDES.test(text) || namesIn(text).length > 0);
}
