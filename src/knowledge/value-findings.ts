/**
 * Judges a statement as evidence for an open question: it needs a value of the requested kind, and has to cover most of
 * the question. Any other statement is a mention. Pure.
 */
import {
  type Evidence,
  givesOrders,
  OPTION_CHARS_MAX,
  sameValue,
  type ValueKind,
} from '../machines/answers/evidence.ts';
import { type Coverage } from './coverage.ts';
import { type RankedStatement } from './document.ts';
import { type Finding, type Judgeable } from './finding.ts';
import { isNamed } from './manifests.ts';
import { clausesOf, isDenied, isHedged } from './phrasing.ts';
import { type Question } from './question.ts';
import { momentsIn, type Value, valueOfKey, valuesInProse } from './values.ts';
import { MENTION_COVERAGE_MIN, STATED_COVERAGE_MIN, weightOf } from './weights.ts';
import { isStopWord, partTermsOf, termsOf } from './words.ts';

/** The share that a key must cover if all of its words were asked about, and the fewest words that it needs. */
const KEY_COVERAGE_MIN = 0.45;
const KEY_WORDS_MIN = 2;

/** The share of the question that the clause with the value must cover. */
const CLAUSE_COVERAGE_MIN = 0.4;

/** Most characters of a table cell that counts as a value instead of prose. */
const CELL_CHARS_MAX = 40;

/** Most words after a number that may say what it counts: `12 mobile phones`. */
const COUNTED_WORDS_MAX = 3;

/** How much less of the question than the best line a line may cover and still count as an answer. */
const BEHIND_MAX = 0.15;

export interface ValueFinding extends Finding {
  /**
   * Whether the statement is a key all of whose words were asked about. It covers little, but is about nothing else.
   */
  readonly isKeyAsked: boolean;
  /** Whether the statement is prose or a key, in contrast to code and comments. */
  readonly isSaid: boolean;
}

/** Judges one statement; undefined if it has too little to do with the question. */
export function valueFindingOf(one: Judgeable, question: Question, coverage: Coverage): ValueFinding | undefined {
  if (one.coverage < MENTION_COVERAGE_MIN) return undefined;
  const statement = one.passage.statements[one.place]!;
  const { form, text } = statement;
  if (form === 'import') return undefined;
  const value = valueIn(statement, question, coverage);
  const isKeyAsked = value !== undefined && hasAskedKey(statement, question);
  const coverageMin = isKeyAsked ? KEY_COVERAGE_MIN : STATED_COVERAGE_MIN;
  const needsNoValue = question.kinds[0] === 'truth' || question.kinds[0] === 'text';
  const isStated = one.coverage >= coverageMin && !isHedged(text) && (value !== undefined || needsNoValue);
  const kind = isStated ? statement.kind : 'mentioned';
  return {
    kind,
    speaksFor: value?.text.slice(0, OPTION_CHARS_MAX) ?? null,
    valueKind: value?.kind ?? 'text',
    isDeclarative: isStated && kind !== 'mentioned' && value !== undefined,
    coverage: one.coverage,
    weight: weightOf(kind, one.coverage),
    isKeyAsked,
    isSaid: form !== 'code' && form !== 'comment' && form !== 'title' && !givesOrders(text),
  };
}

/**
 * Turns findings into mentions if they cover clearly less of the question than the best one, since they answer a
 * different question. The best one may be a line that decides nothing: it shows that the repository has words for the
 * subject.
 */
export function withoutWeaker(findings: readonly (Evidence & ValueFinding)[]): Evidence[] {
  const best = Math.max(0, ...findings.filter(({ isSaid }) => isSaid).map(({ coverage }) => coverage));
  return findings.map(({ isKeyAsked, isSaid: _, ...finding }) =>
    finding.kind === 'mentioned' || isKeyAsked || finding.coverage >= best - BEHIND_MAX
      ? finding
      : { ...finding, kind: 'mentioned', isDeclarative: false, weight: weightOf('mentioned', finding.coverage) },
  );
}

/** Whether the key and its path have several words, all of which were asked about. */
function hasAskedKey({ form, name, about }: RankedStatement, { terms }: Question): boolean {
  if (form !== 'setting' && form !== 'constant') return false;
  const words = partTermsOf(`${about} ${name}`);
  return words.size >= KEY_WORDS_MIN && [...words].every((word) => terms.has(word));
}

/** The value with which the statement answers the question. */
function valueIn(statement: RankedStatement, question: Question, coverage: Coverage): Value | undefined {
  const { form, name, value, text } = statement;
  if (form === 'dependency') return versionIn(statement, question);
  if (name !== '' && form !== 'row') {
    const keyed = valueOfKey(name, value, question.kinds);
    return keyed === undefined || repeats(keyed, question) ? undefined : keyed;
  }
  if (form === 'row' && name !== '') {
    const keyed = valueOfKey(
      name,
      value,
      question.kinds.filter((kind) => kind !== 'name' && kind !== 'person'),
    );
    if (keyed !== undefined) return keyed;
    // A short cell is the value of its row; a long one is prose, and has to speak of the matter itself.
    const values = valuesIn(value, question);
    return value.length <= CELL_CHARS_MAX ? values[0] : bestOf(values, value, question, coverage);
  }
  if (form === 'comment' || form === 'code') return undefined;
  const said = withoutLinks(text);
  // A version stands beside what it is a version of, and not only under its heading.
  if (question.kinds[0] === 'version' && coverage.ofText(said) < STATED_COVERAGE_MIN) return undefined;
  return bestOf(valuesIn(said, question), said, question, coverage);
}

/** The version of a dependency that the question names. */
function versionIn({ name, value }: RankedStatement, { kinds, words }: Question): Value | undefined {
  return kinds[0] === 'version' && [...words].some((word) => isNamed(name, word))
    ? valueOfKey('', value, kinds)
    : undefined;
}

/** The text of a document without URLs and images, whose words state nothing. */
function withoutLinks(text: string): string {
  return text
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\[[^\]]*\]: \S+/g, '');
}

function valuesIn(text: string, question: Question): Value[] {
  const { counted } = question;
  // In prose a number without dots is no version.
  const kinds = question.kinds[0] === 'version' ? question.kinds.slice(0, 1) : question.kinds;
  const isMoment = kinds.includes('text') && kinds.includes('duration');
  const values = [...valuesInProse(text, kinds), ...(isMoment ? momentsIn(text) : [])];
  const isCounted = ({ kind, at }: Value) =>
    counted === null || !isAmount(kind) || termsOf(nounBehind(text, at)).has(counted);
  return values.filter(
    (value) => isCounted(value) && !isDenied(text, value.at, value.text.length) && !repeats(value, question),
  );
}

/** The words after a number, up to one that begins something else. */
function nounBehind(text: string, at: number): string {
  const [, ...words] = text.slice(at).split(/[\s.,;:()]+/);
  const end = words.findIndex(isStopWord);
  return words.slice(0, end === -1 ? COUNTED_WORDS_MAX : Math.min(end, COUNTED_WORDS_MAX)).join(' ');
}

function isAmount(kind: ValueKind): boolean {
  return kind === 'number' || kind === 'duration' || kind === 'size';
}

/** Whether a name only repeats words of the question. */
function repeats({ text, kind }: Value, { terms: asked, words }: Question): boolean {
  if (isAmount(kind) || kind === 'truth' || kind === 'version') return false;
  if (words.has(text.toLowerCase())) return true;
  const terms = [...termsOf(text)];
  return terms.length === 0 || terms.every((term) => asked.has(term));
}

/**
 * The value in the clause that covers most of the question; values of the first kind are preferred. A clause that
 * hardly covers the question has none: a long sentence may make a statement about something else.
 */
function bestOf(values: readonly Value[], text: string, question: Question, coverage: Coverage): Value | undefined {
  const clauses = clausesOf(text).map((clause) => ({ ...clause, share: coverage.ofText(clause.text) }));
  const shareAt = (at: number) => clauses.findLast((clause) => clause.at <= at)?.share ?? 0;
  const unique = [...new Map(values.map((value) => [`${value.at} ${sameValue(value.text)}`, value])).values()];
  return unique
    .filter(({ at }) => shareAt(at) >= CLAUSE_COVERAGE_MIN)
    .toSorted(
      (a, b) =>
        question.kinds.indexOf(a.kind) - question.kinds.indexOf(b.kind) || shareAt(b.at) - shareAt(a.at) || a.at - b.at,
    )[0];
}
