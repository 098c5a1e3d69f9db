/** How much of a history is kept: the latest, as many as a count says and no older than some days. Pure. */

/** The option of an agent. */
export interface KeepBounds {
  /** The number kept, the latest. */
  readonly count?: number;
  /** Their maximum age in days of kernel time. */
  readonly days?: number;
}

/** {@link KeepBounds} with every default filled in. */
export interface KeepPolicy {
  readonly count: number;
  readonly forMs: number;
}

/** The defaults of both, and the range of the count. */
interface KeepDefaults extends Required<KeepBounds> {
  readonly atLeast: number;
  readonly atMost: number;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Parses bounds. Throws a RangeError that says what is wrong with the option at `place`. */
export function parseBounds(place: string, bounds: KeepBounds = {}, defaults: KeepDefaults): KeepPolicy {
  const { count = defaults.count, days = defaults.days } = bounds;
  const { atLeast, atMost } = defaults;
  if (!Number.isSafeInteger(count) || count < atLeast || count > atMost)
    throw new RangeError(`${place}.count must be a whole number from ${atLeast} to ${atMost}`);
  if (typeof days !== 'number' || !(days > 0)) throw new RangeError(`${place}.days must be a number above 0`);
  return { count, forMs: days * DAY_MS };
}
