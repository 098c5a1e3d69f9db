/**
 * The gates of an answer: given directly, given provisionally with a ticket, or thrown away. Boundaries belong
 * to the better side. Pure.
 */
import { type GateDecision, judge } from '../work/threshold-gate.ts';
import { PROVISIONAL_GATE } from './confidence.ts';

/** The confidence of a verification, in percent, from which on it goes on without asking (T4). */
export const VERIFICATION_GATE = 60;

/** The use that is made of a draft. */
export type Verdict = 'direct' | 'provisional' | 'discarded';

/** The thresholds by which a draft is judged. */
export interface Gates {
  /** The threshold for an answer without a person, in percent. */
  readonly directPercent: number;
  readonly sourcesMin: number;
}

/** Judges a draft. A draft with too few sources is discarded, whatever its confidence (AT-015). */
export function verdictOf(
  { confidence, sources }: { readonly confidence: number; readonly sources: number },
  { directPercent, sourcesMin }: Gates,
): { readonly verdict: Verdict; readonly decisions: readonly GateDecision<Verdict>[] } {
  const gate = (name: string, threshold: number, value: number, onPass: Verdict, onFail: Verdict) =>
    judge({ gate: name, passes: 'atLeast', threshold, onPass, onFail }, value);
  const direct = gate('direct', directPercent, confidence, 'direct', 'provisional');
  const usable = gate('usable', PROVISIONAL_GATE, confidence, direct.outcome, 'discarded');
  const cited = gate('sources', sourcesMin, sources, usable.outcome, 'discarded');
  return { verdict: cited.outcome, decisions: [cited, direct, usable] };
}
