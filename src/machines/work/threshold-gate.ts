/**
 * Threshold gates (CN-010): a named bound on a number, the outcomes on either side, and a record of each decision with
 * gate, value, threshold and outcome. The bound is inclusive: a condition that requires exceeding the bound is the
 * failing side of `atMost`. Pure; the gates for people are in `people/gates`.
 */

export interface ThresholdGate<Outcome extends string = string> {
  readonly gate: string;
  /** The side that passes; the threshold itself always passes. */
  readonly passes: 'atLeast' | 'atMost';
  readonly threshold: number;
  readonly onPass: Outcome;
  readonly onFail: Outcome;
}

/** The decision of a gate, kept with the record that it is about. */
export interface GateDecision<Outcome extends string = string>
  extends Pick<ThresholdGate, 'gate' | 'passes' | 'threshold'> {
  readonly value: number;
  readonly isPassed: boolean;
  readonly outcome: Outcome;
}

/** Applies a gate to a value. A value that is not a number fails. */
export function judge<Outcome extends string>(
  { gate, passes, threshold, onPass, onFail }: ThresholdGate<Outcome>,
  value: number,
): GateDecision<Outcome> {
  const isPassed = passes === 'atLeast' ? value >= threshold : value <= threshold;
  return { gate, passes, threshold, value, isPassed, outcome: isPassed ? onPass : onFail };
}
