/**
 * Judges a statement as evidence for an open question: it needs a value of the requested kind, and has to cover most of
 * the question. Any other statement is a mention. Pure.
 */
import {
  type Evidence,
  type EvidenceKind,
  givesOrders,
  OPTION_CHARS_MAX,
  sameValue,
  type ValueKind,
} from '../machines/answers/evidence.ts';
import { type Coverage, isMeasure } from './coverage.ts';
import { type RankedStatement } from './document.ts';
import { type Finding, type Judgeable } from './finding.ts';
import { isNamed } from './manifests.ts';
import { VALUES_JUDGED_MAX } from './limits.ts';
import { clausesOf, isDenied, isDeniedAmount, isHedged } from './phrasing.ts';
import { type Question } from './question.ts';
import { isPlace, momentsIn, type Value, valueOfKey, valuesInProse } from './values.ts';
import { MENTION_COVERAGE_MIN, STATED_COVERAGE_MIN, weightOf } from './weights.ts';
import { isGeneric, isStopWord, partTermsOf, termsOf } from './words.ts';

/** The share that a key must cover if all of its words were asked about, and the fewest words that it needs. */
const KEY_COVERAGE_MIN = 0.4;
const KEY_WORDS_MIN = 2;

/** The share of the question that the clause with the value must cover. */
const CLAUSE_COVERAGE_MIN = 0.4;

/** Most characters of a table cell that counts as a value instead of prose. */
const CELL_CHARS_MAX = 40;

/** Matches a range: `1 to 400`, `8-64`. */
const RANGE = /\b(\d+)( to | and | ?[-\u2013] ?)\d+\b/g;

/** Most words after a number that may say what it counts: `12 mobile phones`. */
const COUNTED_WORDS_MAX = 3;

/** How much less of the question than the best line a line may cover and still count as an answer. */
const BEHIND_MAX = 0.15;

/**
 * The share of the question that a contradicting line must cover, and the share of what the strongest line covers of
 * it.
 */
const RIVAL_COVERAGE_MIN = 0.3;
const SAME_SUBJECT_MIN = 0.7;

/** The number of different values from which on lines speak of several things, if no value has half of them. */
const SCATTERED_VALUES = 3;

/** The share of a clause's words that were asked about if it says little else. */
const PLAIN_SHARE_MIN = 0.6;

/** Kinds of values of which a line has some for other reasons: only a line that says little else states them. */
const NEVER_QUOTED: ReadonlySet<ValueKind> = new Set(['place', 'person']);

/** The fewest words of its own that a question needs for an answer without a person. */
const SPECIFICITY_MIN = 2;

export interface ValueFinding extends Finding {
  readonly at: Judgeable;
  /** The kind of evidence that the statement would be if it covered enough of the question. */
  readonly standing: EvidenceKind;
  /**
   * Whether the statement is a key all of whose words were asked about. It covers little, but is about nothing else.
   */
  readonly isKeyAsked: boolean;
  /** Whether the statement is prose or a key, in contrast to code and comments. */
  readonly isSaid: boolean;
}

/** The value of the kind asked for that a statement has; `several` if a reader has to choose. */
type Held = Value | 'several' | undefined;

/** Judges one statement; undefined if it has too little to do with the question. */
export function valueFindingOf(one: Judgeable, question: Question, coverage: Coverage): ValueFinding | undefined {
  if (one.coverage < MENTION_COVERAGE_MIN) return undefined;
  const statement = one.passage.statements[one.place]!;
  const { form, text } = statement;
  if (form === 'import') return undefined;
  const held = heldBy(statement, question, coverage);
  const value = held === 'several' ? undefined : held;
  const isKeyAsked = value !== undefined && hasAskedKey(statement, question);
  const coverageMin = isKeyAsked ? KEY_COVERAGE_MIN : coverage.required(STATED_COVERAGE_MIN);
  const needsNoValue = question.kinds.length === 1 && (question.kinds[0] === 'truth' || question.kinds[0] === 'text');
  const standing = isHedged(text) || (held === undefined && !needsNoValue) ? 'mentioned' : statement.kind;
  const isSure =
    value !== undefined &&
    (isKeyAsked ||
      isPlain(value, statement, question) ||
      (coverage.specificity >= SPECIFICITY_MIN && isRecognised(value, statement, question)));
  const isQuoted = one.coverage >= coverageMin && (isSure || !NEVER_QUOTED.has(question.kinds[0]!));
  const kind = isQuoted ? standing : 'mentioned';
  return {
    kind,
    speaksFor: value?.text.slice(0, OPTION_CHARS_MAX) ?? null,
    valueKind: value?.kind ?? 'text',
    isDeclarative: kind !== 'mentioned' && isSure,
    coverage: one.coverage,
    weight: weightOf(kind, one.coverage),
    at: one,
    standing,
    isKeyAsked,
    isSaid: form !== 'code' && form !== 'comment' && form !== 'title' && !givesOrders(text),
  };
}

/**
 * Whether a value is seen to be what was asked for. An amount is, by its unit or what it counts; a place or a person is
 * not; a name only if its line says that it is one of the class that the question names ("which queue").
 */
function isRecognised(value: Value, { text, about, name }: RankedStatement, { class: klass }: Question): boolean {
  if (NEVER_QUOTED.has(value.kind)) return false;
  if (value.kind !== 'name' || klass === null || isGeneric(klass)) return true;
  return termsOf(`${about} ${name} ${text}`).has(klass);
}

/**
 * Whether a clause says little else than the value and what was asked about: "The owner is Ada." A question of few
 * words is answered only by such a clause, and the version of a package only by its entry.
 */
function isPlain(value: Value, { form, name, about, text }: RankedStatement, { terms, versionOf }: Question): boolean {
  if (form === 'dependency') return versionOf !== null;
  if (value.kind === 'place' && !isPlace(value)) return false;
  const clause = clausesOf(text).find((one) => one.text.includes(value.text))?.text ?? text;
  const valued = termsOf(`${value.text} ${value.counts}`);
  const subjectIn = (words: ReadonlySet<string>) =>
    [...words].filter((term) => !valued.has(term) && !isGeneric(term) && !isMeasure(term) && !/^\d/.test(term));
  const own = subjectIn(name === '' ? termsOf(clause) : partTermsOf(name));
  // "Default: 30" says what its heading is about.
  const said = own.length === 0 ? subjectIn(partTermsOf(about.split(' > ').at(-1)!)) : own;
  const asked = said.filter((term) => terms.has(term));
  return asked.length > 0 && asked.length >= said.length * PLAIN_SHARE_MIN;
}

/**
 * The evidence in findings. Those that cover clearly less of the question than the best one answer another question,
 * and so do all of them if their values differ widely: they become mentions. The best one may be a line that decides
 * nothing: it shows that the repository has words for the subject. A line that says something else about the same thing
 * as the strongest one counts, however it is worded.
 */
export function answersIn(findings: readonly (Evidence & ValueFinding)[], coverage: Coverage): Evidence[] {
  const best = Math.max(0, ...findings.filter(({ isSaid }) => isSaid).map((finding) => finding.coverage));
  const kept = findings.map((finding) =>
    finding.isKeyAsked || finding.coverage >= best - BEHIND_MAX ? finding : asKind(finding, 'mentioned'),
  );
  const isScattered = areScattered(kept.filter(({ kind }) => kind !== 'mentioned'));
  const told = kept.map((finding) => (isScattered && !finding.isKeyAsked ? asKind(finding, 'mentioned') : finding));
  const [leader] = told.filter(({ isDeclarative }) => isDeclarative).toSorted((a, b) => b.weight - a.weight);
  return told.map((finding) => {
    const isRival = leader !== undefined && finding.kind === 'mentioned' && contradicts(finding, leader, coverage);
    const { at: _at, standing, isKeyAsked: _key, isSaid: _said, ...piece } = finding;
    return isRival ? { ...asKind(piece, standing), isDeclarative: true } : piece;
  });
}

/** Whether a finding that was not strong enough by itself says something else about the same thing. */
function contradicts(finding: ValueFinding, leader: ValueFinding, coverage: Coverage): boolean {
  const { standing, speaksFor, valueKind, at } = finding;
  if (standing !== 'declared' && standing !== 'decided') return false;
  if (speaksFor === null || valueKind !== leader.valueKind || !isAmount(valueKind)) return false;
  if (finding.coverage < RIVAL_COVERAGE_MIN || sameValue(speaksFor) === sameValue(leader.speaksFor!)) return false;
  if (!isNamedLike(at, leader.at)) return false;
  const ofLeader = { passage: leader.at.terms, place: leader.at.place };
  return coverage.ofSame(at.terms, at.place, ofLeader) >= SAME_SUBJECT_MIN;
}

/** Whether a key or the head of a row says no more than was asked, as far as that of the strongest line does not. */
function isNamedLike(rival: Judgeable, leader: Judgeable): boolean {
  const nameOf = ({ passage, place }: Judgeable) => partTermsOf(passage.statements[place]!.name);
  const known = new Set([...nameOf(leader), ...leader.asked]);
  return [...nameOf(rival)].every((word) => known.has(word) || isMeasure(word));
}

function asKind<Found extends Finding>(finding: Found, kind: EvidenceKind): Found {
  return { ...finding, kind, isDeclarative: false, weight: weightOf(kind, finding.coverage) };
}

function areScattered(findings: readonly Finding[]): boolean {
  const counts = new Map<string, number>();
  const values = findings.map(({ speaksFor }) => sameValue(speaksFor ?? ''));
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts.size >= SCATTERED_VALUES && Math.max(...counts.values()) * 2 < values.length;
}

/** Whether the key and its path have several words, all of which were asked about but for units and bounds. */
function hasAskedKey({ form, name, about }: RankedStatement, { terms }: Question): boolean {
  if (form !== 'setting' && form !== 'constant') return false;
  // What stands above a constant is a comment, and no part of its name.
  const words = partTermsOf(form === 'setting' ? `${about} ${name}` : name);
  return words.size >= KEY_WORDS_MIN && [...words].every((word) => terms.has(word) || isMeasure(word));
}

/** The value with which the statement answers the question. */
function heldBy(statement: RankedStatement, question: Question, coverage: Coverage): Held {
  const { form, name, value, text, columns } = statement;
  if (form === 'dependency') return versionIn(statement, question);
  if (columns !== undefined) return heldByRow(text.split(' | '), columns, question, coverage);
  if (form === 'row') return heldByCell(name, value, question, coverage);
  if (name !== '') {
    const keyed = valueOfKey(name, value, question.kinds);
    return keyed === undefined || repeats(keyed, question) ? undefined : keyed;
  }
  if (form === 'comment' || form === 'code') return undefined;
  const said = withoutLinks(text);
  // A version stands beside what it is a version of, and not only under its heading.
  if (question.kinds[0] === 'version' && coverage.ofText(said) < STATED_COVERAGE_MIN) return undefined;
  const values = valuesIn(said, question);
  return bestOf(values, said, question, coverage);
}

/** The value in the column that the question asks for; if its head is not in the question, there may be no other. */
function heldByRow(cells: readonly string[], columns: readonly string[], question: Question, coverage: Coverage): Held {
  const held = cells.flatMap((cell, index) => {
    const head = columns[index] ?? '';
    const key = head === '' ? cells[0]! : head;
    const value = index === 0 ? undefined : heldByCell(key, cell, countedBy(cells[0]!, question), coverage);
    return value === undefined ? [] : [{ value, share: coverage.ofText(head) }];
  });
  const most = Math.max(...held.map(({ share }) => share));
  const [first, ...others] = held.filter(({ share }) => share === most);
  return others.length > 0 ? 'several' : first?.value;
}

/** A question that need not find what it counts behind a number, if the row is about it. */
function countedBy(name: string, question: Question): Question {
  const { counted } = question;
  const isCounted = counted !== null && [...termsOf(name)].some((term) => counted.has(term));
  return isCounted ? { ...question, counted: null } : question;
}

/** The value of a cell under its head. A short cell is a value; a long one is prose that speaks of the matter. */
function heldByCell(head: string, cell: string, question: Question, coverage: Coverage): Held {
  const kinds = question.kinds.filter((kind) => kind !== 'name' && kind !== 'person');
  const keyed = valueOfKey(head, cell, kinds);
  if (keyed !== undefined) return keyed;
  const values = valuesIn(cell, question);
  return cell.length <= CELL_CHARS_MAX ? values[0] : bestOf(values, cell, question, coverage);
}

/** The version of a dependency that the question names. */
function versionIn({ name, value }: RankedStatement, { kinds, words, versionOf }: Question): Value | undefined {
  const names = versionOf === null ? [...words] : [versionOf];
  return kinds[0] === 'version' && names.some((one) => isNamed(name, one)) ? valueOfKey('', value, kinds) : undefined;
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
  const bounded = boundAsked(text, question);
  // In prose a number without dots is no version.
  const kinds = question.kinds[0] === 'version' ? question.kinds.slice(0, 1) : question.kinds;
  const isMoment = kinds.includes('text') && kinds.includes('duration');
  // A date is no span of time.
  const spans = kinds[0] === 'text' ? [] : valuesInProse(bounded, kinds);
  const values = isMoment ? [...spans, ...momentsIn(text)] : spans;
  const isCounted = ({ kind, at }: Value) =>
    counted === null || !isAmount(kind) || [...termsOf(nounBehind(bounded, at))].some((term) => counted.has(term));
  const isDeniedIn = ({ kind, at, text: { length } }: Value) =>
    isAmount(kind) ? isDeniedAmount(text, at) : isDenied(text, at, length);
  return values
    .slice(0, VALUES_JUDGED_MAX)
    .filter((value) => isCounted(value) && !isDeniedIn(value) && !repeats(value, question));
}

/** A text in which a range ("1 to 400") has only the bound that the question asks for, and spaces for the other. */
function boundAsked(text: string, { terms }: Question): string {
  const [isMax, isMin] = [terms.has('max'), terms.has('min')];
  if (isMax === isMin) return text;
  return text.replaceAll(RANGE, (whole, low: string, between: string) =>
    isMax
      ? ' '.repeat(low.length + between.length) + whole.slice(low.length + between.length)
      : low + ' '.repeat(whole.length - low.length),
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
 * hardly covers the question has none: a long sentence may make a statement about something else. A clause with several
 * values of a kind does not say which of them is the answer.
 */
function bestOf(values: readonly Value[], text: string, question: Question, coverage: Coverage): Held {
  const clauses = clausesOf(text).map((clause) => ({ ...clause, share: coverage.ofText(clause.text) }));
  const clauseAt = (at: number) => clauses.findLast((clause) => clause.at <= at);
  const told = values.flatMap((value) => {
    const clause = clauseAt(value.at);
    return clause === undefined || clause.share < CLAUSE_COVERAGE_MIN ? [] : [{ value, clause }];
  });
  const kindOf = ({ value }: { readonly value: Value }) => question.kinds.indexOf(value.kind);
  const [best, ...others] = told.toSorted((a, b) => kindOf(a) - kindOf(b) || b.clause.share - a.clause.share);
  if (best === undefined) return undefined;
  const isRival = ({ value, clause }: (typeof told)[number]) =>
    clause === best.clause && value.kind === best.value.kind && sameValue(value.text) !== sameValue(best.value.text);
  if (!others.some(isRival)) return best.value;
  return isAmount(best.value.kind) || best.value.kind === 'version' ? 'several' : undefined;
}
