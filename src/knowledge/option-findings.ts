/**
 * Judges statements as evidence for the options of a choice. An entry of a manifest and an import count by their name.
 * A line of text counts if it is also about the subject, and not at all if it denies the option. Where nothing is about
 * the subject, the one option that the project has at all is quoted. Pure.
 */
import { type Evidence, sameValue } from '../machines/answers/evidence.ts';
import { type Coverage } from './coverage.ts';
import { type RankedStatement } from './document.ts';
import { type Finding, type Judgeable } from './finding.ts';
import { isNamed } from './manifests.ts';
import { isHedged, isName, isPast, NamePattern } from './phrasing.ts';
import { type Question } from './question.ts';
import { amountOf, valueOfKey, valuesInProse } from './values.ts';
import { MENTION_COVERAGE_MIN, STATED_COVERAGE_MIN, weightOf } from './weights.ts';

/** The share of the question that a decision has to cover; its own title counts. */
const DECIDED_COVERAGE_MIN = 0.25;

/** The share of the question that any other line has to cover. */
const SAID_COVERAGE_MIN = 0.5;

/** The share of the question from which a manifest's entry counts as evidence on the subject. */
const BOUND_COVERAGE_MIN = 0.25;

/** The share of the question that a sentence must cover to show that the project has the option it names. */
const HAVING_COVERAGE_MIN = 0.1;

/** A finding for an option, and whether its line is about the subject. */
export interface OptionFinding extends Finding {
  readonly isAbout: boolean;
}

/** An option, prepared to be looked for in many statements. */
export interface OptionAsked {
  readonly text: string;
  readonly pattern: NamePattern;
  /** The amount that the option is, in the form in which it is compared; undefined for a name. */
  readonly amount: string | undefined;
}

export function optionAsked(text: string): OptionAsked {
  const amount = amountOf(text);
  return { text, pattern: new NamePattern(text), amount: amount === undefined ? undefined : sameValue(amount) };
}

/** A statement, and the amounts in it in the form in which they are compared; none if no option is an amount. */
interface Said {
  readonly statement: RankedStatement;
  readonly amounts: ReadonlySet<string>;
}

/** Judges one statement. An option that it does not name, or only in passing, has no finding. */
export function optionFindingsOf(
  one: Judgeable,
  options: readonly OptionAsked[],
  question: Question,
  coverage: Coverage,
): OptionFinding[] {
  const statement = one.passage.statements[one.place]!;
  const hasAmount = options.some(({ amount }) => amount !== undefined);
  const said = { statement, amounts: new Set(hasAmount ? amountsIn(statement) : []) };
  return options.flatMap((option) => findingOf(one, said, option, question, coverage) ?? []);
}

function findingOf(
  { coverage: share }: Judgeable,
  said: Said,
  option: OptionAsked,
  { terms }: Question,
  coverage: Coverage,
): OptionFinding | undefined {
  const { statement } = said;
  // On a line about the subject a name may be written in lower case.
  const isLoose = statement.kind !== 'mentioned' && share >= coverage.required(SAID_COVERAGE_MIN);
  const naming = option.amount === undefined ? namingOf(statement, option, isLoose) : amountNaming(said, option);
  if (naming === 'none') return undefined;
  const isAbout = terms.size === 0 || share >= coverage.required(shareNeeded(statement, naming));
  const isHaving =
    naming === 'entry' ||
    naming === 'setting' ||
    (naming === 'name' && isName(option.text) && share >= HAVING_COVERAGE_MIN);
  const kind = isAbout || isHaving ? (naming === 'passing' ? 'mentioned' : statement.kind) : 'mentioned';
  if (kind === 'mentioned' && share < MENTION_COVERAGE_MIN && terms.size > 0) return undefined;
  return {
    kind,
    speaksFor: option.text,
    valueKind: 'option',
    isDeclarative: kind === 'declared' || kind === 'decided',
    coverage: share,
    weight: weightOf(kind, share),
    isAbout: isAbout && kind !== 'mentioned',
  };
}

/**
 * The findings for all options. What else the project has of an option that a line about the subject names supports
 * it. If no line is about the subject, the project has an option perhaps for something else: the line is quoted, but
 * does not answer, and only if the project has no other one of the options.
 */
export function choiceOf(findings: readonly (OptionFinding & Evidence)[]): Evidence[] {
  const strong = findings.filter(({ kind }) => kind !== 'mentioned');
  const answered = new Set(strong.filter(({ isAbout }) => isAbout).map(({ speaksFor }) => speaksFor));
  const isOneOnly = new Set(strong.map(({ speaksFor }) => speaksFor)).size === 1;
  return findings.map(({ isAbout, ...finding }) => {
    if (finding.kind === 'mentioned' || isAbout || answered.has(finding.speaksFor)) return finding;
    if (answered.size > 0 || !isOneOnly) return { ...finding, ...asMention(finding) };
    return { ...finding, valueKind: 'text', isDeclarative: false };
  });
}

function asMention({ coverage }: Finding): Pick<Finding, 'kind' | 'isDeclarative' | 'weight'> {
  return { kind: 'mentioned', isDeclarative: false, weight: weightOf('mentioned', coverage) };
}

/**
 * How a statement names an option: as an `entry` of a manifest or an import, as the value of a `setting` or of a
 * constant, by `name` in a sentence, in `passing` where nothing is stated, or not at all.
 */
type Naming = 'entry' | 'setting' | 'value' | 'name' | 'passing' | 'none';

function namingOf(statement: RankedStatement, { text: option, pattern }: OptionAsked, isLoose: boolean): Naming {
  const { form, name, text } = statement;
  if ((form === 'dependency' || form === 'import') && isNamed(name, option)) return 'entry';
  if ((form === 'setting' || form === 'constant') && hasAsValue(statement, option))
    return form === 'setting' ? 'setting' : 'value';
  const isSaid = form === 'sentence' || form === 'row' || form === 'title';
  const places = pattern.placesIn(text, { isLoose: isLoose && isSaid });
  if (places.length === 0 || pattern.isDeniedAt(text, places)) return 'none';
  if (!isSaid || isHedged(text) || isPast(text)) return 'passing';
  return 'name';
}

function hasAsValue({ value }: RankedStatement, option: string): boolean {
  const first = value.split(/[\s@:]/)[0]!;
  return (first !== '' && isNamed(first, option)) || isNamed(value, option);
}

/** How a statement names an amount, whose spelling may differ: `90 s`, `timeoutMs: 90000`. */
function amountNaming({ statement: { text }, amounts }: Said, { pattern, amount }: OptionAsked): Naming {
  const places = pattern.placesIn(text);
  if (places.length === 0 && !amounts.has(amount!)) return 'none';
  if (places.length > 0 && pattern.isDeniedAt(text, places)) return 'none';
  return isHedged(text) || isPast(text) ? 'passing' : 'value';
}

const AMOUNT_KINDS = ['duration', 'size', 'number'] as const;

function amountsIn({ form, name, value, text }: RankedStatement): string[] {
  const isKey = form === 'setting' || form === 'constant';
  const values = isKey ? [valueOfKey(name, value, AMOUNT_KINDS)] : valuesInProse(text, AMOUNT_KINDS);
  return values.flatMap((one) => (one === undefined ? [] : [sameValue(one.text)]));
}

function shareNeeded({ kind, form }: RankedStatement, naming: Naming): number {
  if (naming === 'entry') return BOUND_COVERAGE_MIN;
  if (naming === 'value' && form !== 'constant') return STATED_COVERAGE_MIN;
  return kind === 'decided' ? DECIDED_COVERAGE_MIN : SAID_COVERAGE_MIN;
}
