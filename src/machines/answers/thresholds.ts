/**
 * The gates of an answer by its confidence: given directly, given provisionally with a ticket, or thrown away.
 * Boundaries belong to the better side. Pure.
 */
import { PROVISIONAL_GATE } from './confidence.ts';

/** A decision at a gate, as the log records it. */
export interface GateDecision {
  readonly gate: 'direct' | 'usable' | 'sources';
  readonly value: number;
  readonly threshold: number;
  readonly passed: boolean;
}

/** The use that is made of a draft. */
export type Verdict = 'direct' | 'provisional' | 'discarded';

/** The thresholds by which a draft is judged. */
export interface Gates {
  /** The threshold for an answer without a person, in percent. */
  readonly directPercent: number;
  readonly sourcesMin: number;
}

/** Judges a draft. A draft with too few sources is discarded, whatever its confidence (AT-015). */
export function judge(
  { confidence, sources }: { readonly confidence: number; readonly sources: number },
  { directPercent, sourcesMin }: Gates,
): { readonly verdict: Verdict; readonly decisions: readonly GateDecision[] } {
  const decisions: GateDecision[] = [
    { gate: 'sources', value: sources, threshold: sourcesMin, passed: sources >= sourcesMin },
    { gate: 'direct', value: confidence, threshold: directPercent, passed: confidence >= directPercent },
    { gate: 'usable', value: confidence, threshold: PROVISIONAL_GATE, passed: confidence >= PROVISIONAL_GATE },
  ];
  const [hasSources, isDirect, isUsable] = decisions.map(({ passed }) => passed);
  if (hasSources !== true || isUsable !== true) return { verdict: 'discarded', decisions };
  return { verdict: isDirect === true ? 'direct' : 'provisional', decisions };
}
