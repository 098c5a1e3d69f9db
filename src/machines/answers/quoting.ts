/**
 * The answerer that needs no model: it names the option that evidence speaks for, or quotes the line that gives the
 * value, and nothing else. Every word of an answer is an option, a value or a quotation with its place, so a file that
 * tells its reader what to say cannot say it here. Pure.
 */
import { type Evidence, isStrong, placeOf } from './evidence.ts';
import { judgeEvidence, type Judged, type Judgement } from './confidence.ts';

/** How many sources an answer shows: only the strongest, or all. */
export type Depth = 'brief' | 'detailed';

/** Most sources that an answer cites. The others stay in the evidence. */
const CITED_MAX: Readonly<Record<Depth, number>> = { brief: 2, detailed: 8 };

export interface QuotedAnswer extends Judgement {
  /** The answer; null if no source gives one, so that only a person can answer. */
  readonly answer: string | null;
  /** The sources of the answer. If sources contradict each other, both sides. */
  readonly citations: readonly Evidence[];
}

/** Makes an answer by quoting the evidence. */
export function quotedAnswer(judged: Judged, depth: Depth = 'brief'): QuotedAnswer {
  const judgement = judgeEvidence(judged);
  const { supporting, contradicting } = judgement;
  const [first] = supporting;
  if (first === undefined) return { ...judgement, answer: null, citations: [] };
  const against = contradicting.length === 0 ? [] : sidesIn(contradicting, CITED_MAX[depth]);
  const cited = supporting.filter((piece) => isStrong(piece) || !isStrong(first)).slice(0, CITED_MAX[depth]);
  const says = [first, ...against].map(sentenceOf);
  const answer = against.length === 0 ? says[0]! : `Sources differ. ${says.join(' ')}`;
  return { ...judgement, answer, citations: [...cited, ...against] };
}

/** The strongest piece of each contradicting value. */
function sidesIn(contradicting: readonly Evidence[], countMax: number): readonly Evidence[] {
  const byValue = new Map<string, Evidence>();
  for (const piece of contradicting) if (!byValue.has(piece.speaksFor!)) byValue.set(piece.speaksFor!, piece);
  return [...byValue.values()].slice(0, countMax);
}

function sentenceOf({ kind, source, excerpt, speaksFor, valueKind }: Evidence): string {
  const place = placeOf(source);
  if (speaksFor === null || valueKind === 'text') return `"${excerpt}" (${place}).`;
  return valueKind === 'option' ? `${speaksFor} (${kind} in ${place}).` : `${speaksFor}: "${excerpt}" (${place}).`;
}
