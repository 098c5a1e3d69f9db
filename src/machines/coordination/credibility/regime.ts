/**
 * The regime of the outside world (CA-106, CA-107): the first of an ordered list whose bounds on readings hold. A pack
 * or a plan declares the list. The detector is a port of the debate; this rule is its embedded default. Pure.
 */
import { z } from 'zod';
import { closed } from '../../../closed-object.ts';
import { didYouMean } from '../../../near-names.ts';

const REGIMES_MAX = 50;

/** Names are keys in stored objects, in which two names are reserved. */
const name = z.string().regex(/^(?!__(?:proto|keys)__$)[^\p{Cc}]{1,100}$/u, 'must be one line of 1 to 100 characters');

/** The state of the outside world: numbers by the names that the regimes use. */
export const regimeReadings = z.record(name, z.number());
export type RegimeReadings = Readonly<z.infer<typeof regimeReadings>>;

const bounds = closed({
  above: z.number().optional().describe('The reading is greater than this.'),
  atLeast: z.number().optional().describe('The reading is this or greater.'),
  below: z.number().optional().describe('The reading is smaller than this.'),
  atMost: z.number().optional().describe('The reading is this or smaller.'),
});

const regime = closed({
  name: name.describe('The name of the regime.'),
  when: z.record(name, bounds).optional().describe('Bounds on readings by name, which must all hold.'),
}).describe('One regime.');

/** The regimes of a field of work, in the order in which they are tried. */
export const regimeList = z
  .array(regime)
  .min(1)
  .max(REGIMES_MAX)
  .refine((all) => all.every(({ when }, index) => (when === undefined) === (index === all.length - 1)), {
    error: 'every regime but the last needs a "when"; the last has none and holds if no other does',
  });
export type Regimes = Readonly<z.output<typeof regimeList>>;

/** The regime without readings or without declared regimes. No track record has samples of it. */
export const REGIME_UNKNOWN = 'UNKNOWN';

export function regimeOf(readings: RegimeReadings | null, regimes: Regimes = []): string {
  if (readings === null) return REGIME_UNKNOWN;
  const found = regimes.find(({ when = {} }) =>
    Object.entries(when).every(([reading, allowed]) => isWithin(readings[reading], allowed)),
  );
  return found?.name ?? REGIME_UNKNOWN;
}

/** Whether bounds hold; none do for a missing reading. */
function isWithin(value = NaN, allowed: z.output<typeof bounds>): boolean {
  const { above = -Infinity, atLeast = -Infinity, below = Infinity, atMost = Infinity } = allowed;
  return value > above && value >= atLeast && value < below && value <= atMost;
}

/**
 * Why readings do not fit the regimes: one that no regime uses, or one that is missing. Undefined if they fit, and if
 * there are no regimes: the readings are then for a detector of the host.
 */
export function readingsProblem(readings: RegimeReadings, regimes: Regimes = []): string | undefined {
  if (regimes.length === 0) return undefined;
  const used = [...new Set(regimes.flatMap(({ when = {} }) => Object.keys(when)))];
  const unknown = Object.keys(readings).find((reading) => !used.includes(reading));
  if (unknown !== undefined)
    return `unknown reading "${unknown}"${didYouMean(unknown, used) || `; there are ${used.join(', ')}`}`;
  const missing = used.find((reading) => !Object.hasOwn(readings, reading));
  return missing === undefined ? undefined : `the reading "${missing}" is missing`;
}
