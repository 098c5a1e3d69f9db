/** Which of an agent's past work is like what is in dispute (CA-113, CA-114). Pure. */

/** In what two contexts are compared. Names of the seed's field; a host of another fills them with its own five. */
export const CONTEXT_DIMENSIONS = ['sector', 'metricType', 'timeHorizon', 'size', 'growthStage'] as const;

export type DisputeContext = Readonly<Partial<Record<(typeof CONTEXT_DIMENSIONS)[number], string | undefined>>>;

/** `exact`: all five dimensions; `strong`: four; `weak`: two or three. */
export type ContextQuality = 'exact' | 'strong' | 'weak' | 'none';

interface ContextMatch<Observation> {
  /** How much what is like it counts against the whole. */
  readonly weight: number;
  readonly quality: ContextQuality;
  readonly similar: readonly Observation[];
}

const TIERS = [
  { quality: 'exact', matchesMin: 5, weight: 1 },
  { quality: 'strong', matchesMin: 4, weight: 0.7 },
  { quality: 'weak', matchesMin: 2, weight: 0.3 },
] as const;

/** So many similar observations speak for themselves; so many of the weakest kind are better than none. */
const SIMILAR_MIN = 10;
const SIMILAR_FEW = 3;

/** In how many dimensions two contexts are the same. What neither says is no match. */
export function matchesOf(a: DisputeContext, b: DisputeContext): number {
  return CONTEXT_DIMENSIONS.filter((name) => a[name] !== undefined && a[name] === b[name]).length;
}

/** The most alike of the observations of which there are enough. */
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
