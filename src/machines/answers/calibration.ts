/**
 * Calibration: how often answers of a confidence have turned out right, counted in ten bins, corrects the confidence of
 * the next ones. It is monotone, keeps what it knows nothing about, and lifts no answer over a gate before enough
 * outcomes are known. Pure; the counts are kept by the desk.
 */
import { ANSWER_GATE, PROVISIONAL_GATE } from './confidence.ts';

/** Bins of equal width from 0 to 100. */
export const BINS = 10;
const BIN_WIDTH = 100 / BINS;

/** The number of outcomes that have as much weight as the confidence itself. */
const PRIOR_OUTCOMES = 4;

/** Outcomes that a bin needs before calibration may raise one of its answers above a gate. */
export const OUTCOMES_TO_RAISE = 20;

const GATES: readonly number[] = [PROVISIONAL_GATE, ANSWER_GATE];

/**
 * The outcomes of answers in one bin. An answer that nobody corrected or asked for again within a day counts as right,
 * one that was corrected as wrong. One that was asked for again does not count until somebody says.
 */
export interface Bin {
  readonly used: number;
  readonly right: number;
}

/** The bins of a desk, in ascending order. */
export type Bins = readonly Bin[];

/** The bins of a new desk. */
export const NO_OUTCOMES: Bins = Array.from({ length: BINS }, () => ({ used: 0, right: 0 }));

/** One answer and how it turned out. */
export interface Outcome {
  /** The uncalibrated confidence for {@link withOutcome}; the confidence shown for {@link calibrationError}. */
  readonly confidence: number;
  readonly isRight: boolean;
}

/** Counts an outcome under the uncalibrated confidence of its answer. */
export function withOutcome(bins: Bins, { confidence, isRight }: Outcome): Bins {
  const place = binOf(confidence);
  return bins.map((bin, index) =>
    index === place ? { used: bin.used + 1, right: bin.right + (isRight ? 1 : 0) } : bin,
  );
}

/** The bins after an outcome that had been counted otherwise turned out so. */
export function withOtherOutcome(bins: Bins, { confidence, isRight }: Outcome): Bins {
  const place = binOf(confidence);
  return bins.map((bin, index) => (index === place ? { ...bin, right: bin.right + (isRight ? 1 : -1) } : bin));
}

/**
 * Makes the calibration that follows from outcomes: a function from a confidence to the one that is shown, both 0 to
 * 100.
 */
export function calibrationOf(bins: Bins): (confidence: number) => number {
  const rates = monotone(
    bins.map(({ used, right }, index) => ({
      value: (right + PRIOR_OUTCOMES * (middleOf(index) / 100)) / (used + PRIOR_OUTCOMES),
      weight: used + PRIOR_OUTCOMES,
    })),
  ).map((rate) => 100 * rate);
  const held = Array.from({ length: 101 }, (_, value) => heldBelowGates(bins, value, between(rates, value)));
  // What holds a value down holds every lower one: a shown value never falls as the confidence rises.
  for (let value = 99; value >= 0; value -= 1) held[value] = Math.min(held[value]!, held[value + 1]!);
  return (confidence) => {
    const value = Math.min(100, Math.max(0, confidence));
    // Without outcomes between 0 and 100 the shown value is the confidence itself, fractions too.
    const [low, high] = [Math.floor(value), Math.ceil(value)];
    const shown = held[low]! + (held[high]! - held[low]!) * (value - low);
    return heldBelowGates(bins, value, shown);
  };
}

/** Interpolates between the centres of bins, so that nearby confidences stay near after calibration. */
function between(rates: readonly number[], value: number): number {
  const points = [
    [0, 0] as const,
    ...rates.map((rate, index) => [middleOf(index), rate] as const),
    [100, 100] as const,
  ];
  const next = points.findIndex(([at]) => at >= value);
  if (next <= 0) return points[0]![1];
  const [[from, low], [to, high]] = [points[next - 1]!, points[next]!];
  return low + ((high - low) * (value - from)) / (to - from);
}

function heldBelowGates(bins: Bins, value: number, shown: number): number {
  if (bins[binOf(value)]!.used >= OUTCOMES_TO_RAISE) return shown;
  const gate = GATES.find((one) => value < one && shown >= one);
  // Confidences are whole numbers when shown, so this is as close to the gate as they come.
  return gate === undefined ? shown : Math.max(value, gate - 1);
}

interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/** The nearest sequence that never falls: neighbours in the wrong order are averaged (pool adjacent violators). */
export function monotone(points: readonly Weighted[]): readonly number[] {
  const pools: (Weighted & { readonly size: number })[] = [];
  for (const point of points) {
    let pool = { ...point, size: 1 };
    while (pools.length > 0 && pools.at(-1)!.value > pool.value) {
      const before = pools.pop()!;
      const weight = before.weight + pool.weight;
      const value = (before.value * before.weight + pool.value * pool.weight) / weight;
      pool = { value, weight, size: before.size + pool.size };
    }
    pools.push(pool);
  }
  return pools.flatMap(({ value, size }) => Array.from({ length: size }, () => value));
}

/**
 * The expected calibration error: the difference between shown confidence and share of right answers, 0 to 1, over ten
 * bins.
 */
export function calibrationError(outcomes: readonly Outcome[]): number {
  if (outcomes.length === 0) return 0;
  // In each bin the sum of what was shown, less the number of right answers.
  const differences = Array.from({ length: BINS }, () => 0);
  for (const { confidence, isRight } of outcomes)
    differences[binOf(confidence)]! += confidence / 100 - (isRight ? 1 : 0);
  return differences.reduce((sum, difference) => sum + Math.abs(difference), 0) / outcomes.length;
}

/** The bin of a confidence; 100 is in the last one. */
export function binOf(confidence: number): number {
  return Math.min(BINS - 1, Math.max(0, Math.floor(confidence / BIN_WIDTH)));
}

function middleOf(bin: number): number {
  return (bin + 0.5) * BIN_WIDTH;
}
