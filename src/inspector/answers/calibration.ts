/** The calibration of the answer team as the page shows it: ten bars, and the accuracy in words. Pure. */
import type { OUTCOMES_TO_RAISE } from '../../machines/answers/calibration.ts';
import type { JUDGED_MIN } from '../../machines/answers/metrics.ts';
import { counted } from '../format.ts';
import { type DeskFigures } from './answer-shapes.ts';

/** The outcomes from which on a bar may raise an answer over a threshold; the type is the desk's own number. */
export const OUTCOMES_ENOUGH: typeof OUTCOMES_TO_RAISE = 20;

/** The outcomes from which on there is an accuracy; the type is the desk's own number. */
const JUDGED_ENOUGH: typeof JUDGED_MIN = 50;

/** The outcomes of answers whose confidence, before calibration, was in one tenth. */
export interface Bar {
  /** The bounds of the tenth, in percent. */
  readonly from: number;
  readonly to: number;
  readonly used: number;
  readonly right: number;
  /** The share that proved right, and the share that was said: the middle of the tenth. */
  readonly share: number;
  readonly said: number;
  /** Whether the outcomes are too few to raise an answer over a threshold. */
  readonly isWeak: boolean;
}

export function barsOf(bins: DeskFigures['bins']): readonly Bar[] {
  const width = 100 / bins.length;
  return bins.map(({ used, right }, at) => ({
    from: width * at,
    to: width * (at + 1),
    used,
    right,
    share: used === 0 ? 0 : right / used,
    said: (at + 0.5) / bins.length,
    isWeak: used < OUTCOMES_ENOUGH,
  }));
}

/** A bar in words, for those who do not see it. */
export function barText({ from, to, used, right }: Pick<Bar, 'from' | 'to' | 'used' | 'right'>): string {
  return `${from} to ${to} % sure: ${right} of ${used} right`;
}

/** The accuracy of confidence in a sentence; empty if the settings leave the figure out. */
export function accuracyText(figures: DeskFigures['figures']): string {
  const figure = figures.find(({ name }) => name === 'confidence_accuracy');
  if (figure === undefined) return '';
  const { value, count, target } = figure;
  if (value === null)
    return `How accurate confidence is shows from ${JUDGED_ENOUGH} judged answers on: there are ${count}.`;
  const apart = counted(Math.round(100 * (1 - value)), 'point');
  return `Confidence is ${apart} off on average: accuracy ${value.toFixed(2)}, target ${target ?? 'none'}.`;
}
