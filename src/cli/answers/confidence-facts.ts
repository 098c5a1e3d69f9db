/** The factors of a confidence as facts for people: its sum, and the bounds that apply. */
import { CAPS, type ConfidenceFactors, sumInWords } from '../../machines/answers/confidence.ts';
import { type Facts } from '../table.ts';

export function factorFacts(factors: ConfidenceFactors): Facts {
  return [
    ['sum', sumInWords(factors)],
    ...factors.caps.map((cap) => ['at most', `${CAPS[cap].at}: ${CAPS[cap].why}`] as const),
  ];
}
