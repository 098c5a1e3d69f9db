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
import { isDenied, isHedged, isName, isPast, placesOf } from './phrasing.ts';
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

/** Judges one statement; undefined if it does not name the option, or only in passing. */
export function optionFindingOf(
  { passage, place, coverage: share }: Judgeable,
  option: string,
  { terms }: Question,
  coverage: Coverage,
): OptionFinding | undefined {
  const statement = passage.statements[place]!;
  // On a line about the subject a name may be written in lower case.
  const isLoose = statement.kind !== 'mentioned' && share >= coverage.required(SAID_COVERAGE_MIN);
  const naming = namingOf(statement, option, isLoose);
  if (naming === 'none') return undefined;
  const isAbout = terms.size === 0 || share >= coverage.required(shareNeeded(statement, naming));
  const isHaving =
    naming === 'entry' || naming === 'setting' || (naming === 'name' && isName(option) && share >= HAVING_COVERAGE_MIN);
  const kind = isAbout || isHaving ? (naming === 'passing' ? 'mentioned' : statement.kind) : 'mentioned';
  if (kind === 'mentioned' && share < MENTION_COVERAGE_MIN && terms.size > 0) return undefined;
  return {
    kind,
    speaksFor: option,
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

function namingOf(statement: RankedStatement, option: string, isLoose: boolean): Naming {
  const { form, name, text } = statement;
  const amount = amountOf(option);
  if (amount !== undefined) return amountNaming(statement, option, amount);
  if ((form === 'dependency' || form === 'import') && isNamed(name, option)) return 'entry';
  if ((form === 'setting' || form === 'constant') && hasAsValue(statement, option))
    return form === 'setting' ? 'setting' : 'value';
  const isSaid = form === 'sentence' || form === 'row' || form === 'title';
  const places = placesOf(text, option, isLoose && isSaid);
  if (places.length === 0 || places.every((at) => isDenied(text, at, option.length))) return 'none';
  if (!isSaid || isHedged(text) || isPast(text)) return 'passing';
  return 'name';
}

function hasAsValue({ value }: RankedStatement, option: string): boolean {
  const first = value.split(/[\s@:]/)[0]!;
  return (first !== '' && isNamed(first, option)) || isNamed(value, option);
}

/** How a statement names an amount, whose spelling may differ: `90 s`, `timeoutMs: 90000`. */
function amountNaming({ form, name, value, text }: RankedStatement, option: string, amount: string): Naming {
  const isKey = form === 'setting' || form === 'constant';
  const kinds = ['duration', 'size', 'number'] as const;
  const values = isKey ? [valueOfKey(name, value, kinds)] : valuesInProse(text, kinds);
  const isSame = values.some((one) => one !== undefined && sameValue(one.text) === sameValue(amount));
  const places = placesOf(text, option, false);
  if (!isSame && places.length === 0) return 'none';
  if (places.length > 0 && places.every((at) => isDenied(text, at, option.length))) return 'none';
  return isHedged(text) || isPast(text) ? 'passing' : 'value';
}

function shareNeeded({ kind, form }: RankedStatement, naming: Naming): number {
  if (naming === 'entry') return BOUND_COVERAGE_MIN;
  if (naming === 'value' && form !== 'constant') return STATED_COVERAGE_MIN;
  return kind === 'decided' ? DECIDED_COVERAGE_MIN : SAID_COVERAGE_MIN;
}
