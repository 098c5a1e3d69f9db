/**
 * Judges a statement as evidence for one option of a choice. An entry of a manifest and an import count by their name.
 * A line of text counts only if it is also about the subject, and a line that denies the option does not count at all.
 * Pure.
 */
import { type Evidence, type EvidenceKind } from '../machines/answers/evidence.ts';
import { type RankedStatement } from './document.ts';
import { type Finding, type Judgeable } from './finding.ts';
import { isNamed } from './manifests.ts';
import { isDenied, isHedged, placesOf } from './phrasing.ts';
import { type Question } from './question.ts';
import { MENTION_COVERAGE_MIN, STATED_COVERAGE_MIN, weightOf } from './weights.ts';

export type OptionFinding = Finding & Evidence;

/** The share of the question that a decision has to cover; its own title counts. */
const DECIDED_COVERAGE_MIN = 0.25;

/** The share of the question that any other line has to cover. */
const SAID_COVERAGE_MIN = 0.5;

/** The share of the question from which a manifest's entry counts as evidence on the subject. */
const BOUND_COVERAGE_MIN = 0.25;

/** Judges one statement; undefined if it does not name the option. */
export function optionFindingOf(one: Judgeable, option: string, question: Question): Finding | undefined {
  const statement = one.passage.statements[one.place]!;
  const kind = kindFor(statement, option, one.coverage);
  if (kind === undefined) return undefined;
  const isSaid = kind !== 'mentioned' || one.coverage >= MENTION_COVERAGE_MIN || question.terms.size === 0;
  if (!isSaid) return undefined;
  return {
    kind,
    speaksFor: option,
    valueKind: 'option',
    isDeclarative: kind === 'declared' || kind === 'decided',
    coverage: one.coverage,
    weight: weightOf(kind, one.coverage),
  };
}

/**
 * Lowers the findings for an option that no source connects with the subject: the project uses it, perhaps for
 * something else. The line is quoted, but does not answer.
 */
export function withBoundOptions<Found extends Finding>(findings: readonly Found[], question: Question): Found[] {
  const isBound =
    question.terms.size === 0 ||
    findings.some(({ kind, coverage }) => kind !== 'mentioned' && coverage >= BOUND_COVERAGE_MIN);
  if (isBound) return [...findings];
  return findings.map((finding) => ({ ...finding, valueKind: 'text', isDeclarative: false }));
}

function kindFor(statement: RankedStatement, option: string, coverage: number): EvidenceKind | undefined {
  const { form, kind, name, value, text } = statement;
  if (/^\d[\d.,_]*$/.test(option)) return numberKind(statement, option, coverage);
  if (form === 'dependency' && isNamed(name, option)) return kind;
  if (form === 'import' && isNamed(name, option)) return kind;
  if (form === 'setting' || form === 'constant') {
    const first = value.split(/[\s@:]/)[0]!;
    if ((first !== '' && isNamed(first, option)) || isNamed(value, option))
      return coverage >= SAID_COVERAGE_MIN ? kind : 'mentioned';
  }
  const isLoose = kind !== 'mentioned' && coverage >= SAID_COVERAGE_MIN;
  const places = placesOf(text, option, isLoose);
  if (places.length === 0) return undefined;
  if (places.every((at) => isDenied(text, at, option.length))) return undefined;
  const isProse = form === 'sentence' || form === 'row' || form === 'title';
  if (!isProse || isHedged(text)) return 'mentioned';
  return coverage >= (kind === 'decided' ? DECIDED_COVERAGE_MIN : SAID_COVERAGE_MIN) ? kind : 'mentioned';
}

/**
 * The kind of evidence for an option that is a number. Numbers are frequent, so they count only on a line about the
 * subject.
 */
function numberKind(statement: RankedStatement, option: string, coverage: number): EvidenceKind | undefined {
  const places = placesOf(statement.text, option, false);
  if (places.length === 0 || places.every((at) => isDenied(statement.text, at, option.length))) return undefined;
  return coverage >= STATED_COVERAGE_MIN && !isHedged(statement.text) ? statement.kind : 'mentioned';
}
