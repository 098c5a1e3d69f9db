/**
 * The confidence of an answer: a number from 0 to 100 with every factor that made it. It comes from evidence alone and
 * is suspicious: words that merely occur never pass 39, a line that may say something else never passes 69, and two
 * sources that contradict each other never do. A model may not be surer than its sources. Pure.
 */
import { EVIDENCE_KINDS, type Evidence, givesOrders, isBinding, isStrong, sameValue, VALUE_KINDS } from './evidence.ts';

/** The confidence from which on an answer is given without a person. */
export const ANSWER_GATE = 70;

/** The confidence from which on an answer is given provisionally while a person is asked. */
export const PROVISIONAL_GATE = 40;

/** The highest confidence, since no reading of a text is certain. */
export const CONFIDENCE_MAX = 95;

/** The weights of the sum. Margin and best are shares of 0 to 1; at most two kinds of evidence count. */
const BASE = 30;
const PER_MARGIN = 35;
const PER_KIND = 15;
const KINDS_COUNTED_MAX = 2;
const PER_BEST = 10;

/** Most pieces of evidence that count for one value: the same sentence in ten places is one sentence. */
const TOTAL_MAX = 3;

/** How far a model's confidence may exceed that of the evidence. */
const MODEL_ABOVE_EVIDENCE = 20;

/** The confidence of a draft that could not be read. */
const UNREADABLE = 50;

/** The bounds of a confidence, with the reason of each for people. */
export const CAPS = {
  noSource: { at: 0, why: 'no source says anything about it' },
  mentionsOnly: { at: PROVISIONAL_GATE - 1, why: 'the words occur, but nothing declares, decides or uses it' },
  quotation: { at: ANSWER_GATE - 1, why: 'the line is quoted: whether it is about the question, a reader has to see' },
  incomplete: { at: ANSWER_GATE - 1, why: 'the index is still being built' },
  contradiction: { at: ANSWER_GATE - 1, why: 'two sources say different things' },
} as const satisfies Readonly<Record<string, { readonly at: number; readonly why: string }>>;
export type Cap = keyof typeof CAPS;

/** Everything that determined a confidence, kept with the answer to explain it. */
export interface ConfidenceFactors {
  /** The lead over the next value, as a share of both: 0 to 1. */
  readonly margin: number;
  /** The number of kinds of evidence for the answer, without mentions. */
  readonly kinds: number;
  /** The weight of the strongest piece: 0 to 1. */
  readonly best: number;
  /** The sum of the parts, between 0 and {@link CONFIDENCE_MAX}. */
  readonly sum: number;
  /** The bounds that apply, whether or not they cut. */
  readonly caps: readonly Cap[];
  /** The confidence before calibration, under which outcomes are counted. */
  readonly uncalibrated: number;
}

export interface Judgement {
  /** A whole number from 0 to 100. */
  readonly confidence: number;
  /** The value that the evidence supports most, spelled as in its strongest piece. Null for a line without a value. */
  readonly leading: string | null;
  /** Evidence for the leading value, the strongest first. */
  readonly supporting: readonly Evidence[];
  /** Declared or decided evidence for other values. */
  readonly contradicting: readonly Evidence[];
  readonly factors: ConfidenceFactors;
}

export interface Judged {
  readonly evidence: readonly Evidence[];
  /** Whether everything was searched. */
  readonly isComplete: boolean;
  /** The calibration of a desk. Without one, the confidence stays as the evidence gives it. */
  readonly calibrate?: (confidence: number) => number;
}

interface Side {
  readonly pieces: readonly Evidence[];
  readonly total: number;
}

/** Judges evidence: the leading value, and its confidence. The order in which the evidence is given changes neither. */
export function judgeEvidence({ evidence: given, isComplete, calibrate = (value) => value }: Judged): Judgement {
  // What tells its reader what to say is never an answer, whatever its kind and its source.
  const evidence = given.filter(({ excerpt }) => !givesOrders(excerpt)).toSorted(byStrength);
  const [leader, rival] = sidesOf(evidence);
  const supporting = leader?.pieces ?? [];
  const contradicting = contradictionsOf(evidence, supporting);
  const best = supporting[0]?.weight ?? 0;
  const kinds = new Set(supporting.filter(isStrong).map(({ kind }) => kind)).size;
  const [mine, others] = [leader?.total ?? 0, rival?.total ?? 0];
  const margin = mine === 0 ? 0 : (mine - others) / (mine + others);
  const sum = clamp(BASE + PER_MARGIN * margin + PER_KIND * Math.min(KINDS_COUNTED_MAX, kinds) + PER_BEST * best);
  const caps = capsOf({ supporting, contradicting, isComplete });
  const bound = Math.min(100, ...caps.map((cap) => CAPS[cap].at));
  const uncalibrated = Math.min(sum, bound);
  // Bounded on both sides of the calibration: what a bound has cut is calibrated as what it shows.
  const confidence = whole(Math.min(bound, clamp(calibrate(uncalibrated))));
  return {
    confidence,
    leading: supporting[0]?.speaksFor ?? null,
    supporting,
    contradicting,
    factors: { margin, kinds, best, sum, caps, uncalibrated },
  };
}

/**
 * The values that evidence supports, the best supported first, from evidence that is sorted by strength. Mentions count
 * only if there is nothing stronger, so that a mention never changes a confidence that has a source.
 */
function sidesOf(evidence: readonly Evidence[]): readonly Side[] {
  const strong = evidence.filter(isStrong);
  const sides: Evidence[][] = [];
  for (const piece of strong.length > 0 ? strong : evidence) {
    const side = sides.find(([first]) => saysTheSame(first!, piece));
    if (side === undefined) sides.push([piece]);
    else side.push(piece);
  }
  return sides
    .map(
      (pieces): Side => ({
        pieces,
        total: Math.min(
          TOTAL_MAX,
          pieces.reduce((sum, { weight }) => sum + weight, 0),
        ),
      }),
    )
    .sort((a, b) => b.total - a.total || byStrength(a.pieces[0]!, b.pieces[0]!));
}

/**
 * Whether two pieces support the same value, as `MIT` and `MIT License` do. A line without a value matches only itself.
 */
function saysTheSame(a: Evidence, b: Evidence): boolean {
  if (a.speaksFor === null || b.speaksFor === null) return a === b;
  const [one, other] = [sameValue(a.speaksFor), sameValue(b.speaksFor)];
  return one === other || (a.valueKind === 'name' && (holdsWords(one, other) || holdsWords(other, one)));
}

function holdsWords(text: string, words: string): boolean {
  return ` ${text} `.includes(` ${words} `);
}

/** Binding sources that state another value than the leading one, if two binding sources differ. */
function contradictionsOf(evidence: readonly Evidence[], supporting: readonly Evidence[]): readonly Evidence[] {
  const stated = evidence.filter((piece) => isBinding(piece) && piece.isDeclarative && piece.speaksFor !== null);
  const [first] = stated;
  if (first === undefined || stated.every((piece) => saysTheSame(first, piece))) return [];
  return stated.filter((piece) => !saysTheSame(piece, supporting[0]!));
}

function capsOf(judged: Pick<Judgement, 'supporting' | 'contradicting'> & { readonly isComplete: boolean }): Cap[] {
  const { supporting, contradicting, isComplete } = judged;
  const isQuotation = !supporting.some((piece) => isStrong(piece) && statesAsked(piece));
  const applies: Readonly<Record<Cap, boolean>> = {
    noSource: supporting.length === 0,
    mentionsOnly: !supporting.some(isStrong),
    quotation: isQuotation,
    incomplete: !isComplete,
    contradiction: contradicting.length > 0,
  };
  return (Object.keys(applies) as Cap[]).filter((cap) => applies[cap]);
}

/** Whether a piece states what was asked for: one of the options, or a value of the requested kind. */
function statesAsked({ valueKind, isDeclarative, speaksFor }: Evidence): boolean {
  return valueKind === 'option' || (isDeclarative && speaksFor !== null && valueKind !== 'text');
}

/**
 * The strongest first. Pieces of the same weight are ordered by all else that a judgement reads, so that only pieces
 * that say the same may change places.
 */
function byStrength(a: Evidence, b: Evidence): number {
  return (
    b.weight - a.weight ||
    EVIDENCE_KINDS.indexOf(a.kind) - EVIDENCE_KINDS.indexOf(b.kind) ||
    Number(b.isDeclarative) - Number(a.isDeclarative) ||
    VALUE_KINDS.indexOf(a.valueKind) - VALUE_KINDS.indexOf(b.valueKind) ||
    byText(a.speaksFor ?? '', b.speaksFor ?? '')
  );
}

function byText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/**
 * Rounds down, so that no confidence passes a gate by rounding. A sum that is a rounding error below a whole number
 * counts as that number.
 */
function whole(value: number): number {
  return Math.floor(value + 1e-9);
}

function clamp(value: number): number {
  return Math.min(CONFIDENCE_MAX, Math.max(0, value));
}

/** The sum of a confidence in words, with each of its parts: `30 + 35 x 1.00 (lead) + ...`. */
export function sumInWords({ margin, kinds, best, sum }: ConfidenceFactors): string {
  const counted = Math.min(KINDS_COUNTED_MAX, kinds);
  return (
    `${BASE} + ${PER_MARGIN} \u00d7 ${margin.toFixed(2)} (lead over the next value) + ${PER_KIND} \u00d7 ${counted} ` +
    `(kinds of sources) + ${PER_BEST} \u00d7 ${best.toFixed(2)} (strongest source) = ${whole(sum)}`
  );
}

/** The qualities of a model's draft, with the cost of lacking each. */
export const DRAFT_WEIGHTS = {
  length: 0.15,
  code: 0.1,
  questionTerms: 0.2,
  notHedging: 0.15,
  notGeneric: 0.2,
} as const;
export type DraftQuality = keyof typeof DRAFT_WEIGHTS;

/** The share of its weight that a missing quality costs, and the least that remains if all are missing. */
const COST_SHARE = 0.2;
const FACTOR_FLOOR = 0.6;

/** Characters below which a draft explains nothing. */
const DRAFT_CHARS_MIN = 50;

/** The share of the question's words that a draft should contain. */
const TERMS_SHARE_MIN = 0.5;

const CODE = /`[^`]+`|^ {4}\S/m;
const HEDGES = /\b(?:maybe|perhaps|might|possibly|probably|i think|i guess|not sure|unclear|it seems|could be)\b/i;
const GENERIC =
  /\b(?:it depends|best practices?|in general|generally speaking|consult the documentation|there are many)\b/i;

export interface Draft {
  readonly question: string;
  /** The drafted answer. Null if the model's output could not be read. */
  readonly answer: string | null;
  /** The model's own confidence: 0 to 100. */
  readonly base: number;
}

export interface DraftJudgement {
  readonly confidence: number;
  /** The confidence before calibration, under which the outcome counts. */
  readonly uncalibrated: number;
  /** Whether a person is asked whatever the confidence: the draft could not be read, or no evidence supports it. */
  readonly mustEscalate: boolean;
  /** The qualities that the draft lacks. */
  readonly missing: readonly DraftQuality[];
  /** The factor by which the model's confidence was multiplied. */
  readonly factor: number;
}

/**
 * Judges the draft of a model against the evidence that the model was given. `weights` are those of a profile. All
 * bounds apply except that for a quotation, since the model has read the line.
 */
export function judgeDraft(
  draft: Draft,
  { factors }: Pick<Judgement, 'factors'>,
  {
    calibrate = (value) => value,
    weights = DRAFT_WEIGHTS,
  }: {
    readonly calibrate?: (confidence: number) => number;
    readonly weights?: Readonly<Record<DraftQuality, number>>;
  } = {},
): DraftJudgement {
  const bound = Math.min(
    CONFIDENCE_MAX,
    ...factors.caps.filter((cap) => cap !== 'quotation').map((cap) => CAPS[cap].at),
  );
  if (draft.answer === null) return { ...unreadable(bound), mustEscalate: true, missing: [], factor: 1 };
  const missing = lackingIn(draft.question, draft.answer);
  const factor = Math.max(FACTOR_FLOOR, 1 - COST_SHARE * missing.reduce((sum, quality) => sum + weights[quality], 0));
  const own = Math.min(100, Math.max(0, draft.base)) * factor;
  const uncalibrated = whole(Math.min(own, factors.uncalibrated + MODEL_ABOVE_EVIDENCE, bound));
  return {
    confidence: whole(Math.min(calibrate(uncalibrated), bound)),
    uncalibrated,
    mustEscalate: factors.caps.includes('noSource'),
    missing,
    factor,
  };
}

function unreadable(bound: number): Pick<DraftJudgement, 'confidence' | 'uncalibrated'> {
  const confidence = Math.min(UNREADABLE, bound);
  return { confidence, uncalibrated: confidence };
}

function lackingIn(question: string, answer: string): DraftQuality[] {
  const lacks: Readonly<Record<DraftQuality, boolean>> = {
    length: answer.trim().length < DRAFT_CHARS_MIN,
    code: !CODE.test(answer),
    questionTerms: shareOfTerms(question, answer) < TERMS_SHARE_MIN,
    notHedging: HEDGES.test(answer),
    notGeneric: GENERIC.test(answer),
  };
  return (Object.keys(lacks) as DraftQuality[]).filter((quality) => lacks[quality]);
}

/** The share of the question's longer words that occur in the answer; 1 if the question has none. */
function shareOfTerms(question: string, answer: string): number {
  const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []);
  const [asked, said] = [wordsOf(question), wordsOf(answer)];
  return asked.size === 0 ? 1 : [...asked].filter((word) => said.has(word)).length / asked.size;
}
