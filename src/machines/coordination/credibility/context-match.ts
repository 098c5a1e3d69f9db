/** Selection of an agent's past observations whose context resembles that of a dispute (CA-113, CA-114). Pure. */

/** Maximum number of dimensions of a context. Each field of work names its own: `sector`, `metricType`, `material`. */
export const CONTEXT_DIMENSIONS_MAX = 5;

/** The values of a context by dimension. */
export type DisputeContext = Readonly<Record<string, string | undefined>>;

/** `exact`: all five dimensions; `strong`: four; `weak`: two or three. */
export type ContextQuality = 'exact' | 'strong' | 'weak' | 'none';

interface ContextMatch<Observation> {
  /** Weight of the similar observations relative to all observations. */
  readonly weight: number;
  readonly quality: ContextQuality;
  readonly similar: readonly Observation[];
}

const TIERS = [
  { quality: 'exact', matchesMin: 5, weight: 1 },
  { quality: 'strong', matchesMin: 4, weight: 0.7 },
  { quality: 'weak', matchesMin: 2, weight: 0.3 },
] as const;

/** The number of similar observations that suffices for every quality. */
const SIMILAR_MIN = 10;
/** The number that suffices for the weakest quality if no quality has enough. */
const SIMILAR_FEW = 3;

/** The number of dimensions in which two contexts agree. A dimension missing from either context does not match. */
export function matchesOf(a: DisputeContext, b: DisputeContext): number {
  return Object.entries(a).filter(([name, value]) => value !== undefined && value === b[name]).length;
}

/** The best match with enough observations. */
export function contextMatch<Observation extends { readonly context: DisputeContext }>(
  observations: readonly Observation[],
  context: DisputeContext,
): ContextMatch<Observation> {
  const matches = observations.map((observation) => ({ observation, count: matchesOf(observation.context, context) }));
  const atLeast = (min: number) => matches.filter(({ count }) => count >= min).map(({ observation }) => observation);
  for (const { quality, matchesMin, weight } of TIERS) {
    const similar = atLeast(matchesMin);
    if (similar.length >= SIMILAR_MIN) return { quality, weight, similar };
  }
  const [, , weak] = TIERS;
  const few = atLeast(weak.matchesMin);
  return few.length >= SIMILAR_FEW
    ? { quality: 'weak', weight: weak.weight, similar: few }
    : { quality: 'none', weight: 0, similar: few };
}
