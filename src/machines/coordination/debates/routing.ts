/**
 * Which expert gets a debate, and what becomes of it when none can take it (CA-119, CA-126 to CA-130, X-24 to X-26).
 * Pure.
 */

/** The most urgent first. */
export const DEBATE_PRIORITIES = ['critical-path', 'valuation', 'supporting'] as const;
export type DebatePriority = (typeof DEBATE_PRIORITIES)[number];

/** CA-119, CA-126: the fourth overflows. */
export const DEBATES_PER_EXPERT_MAX = 3;

export interface ExpertLoad {
  readonly expert: string;
  readonly isAvailable: boolean;
  /** Debates that they have now. */
  readonly debates: number;
}

export type Route =
  | { readonly to: 'expert'; readonly expert: string }
  | { readonly to: 'nobody'; readonly reason: 'full' | 'unavailable' };

/** As a dashboard shows it: "2/3 debates". */
export function loadText(debates: number): string {
  return `${debates}/${DEBATES_PER_EXPERT_MAX} debates`;
}

/**
 * The expert asked for, or the one with the fewest debates; the first of them on a tie.
 *
 * @param wanted Null: any.
 */
export function route(experts: readonly ExpertLoad[], wanted: string | null): Route {
  const available = experts.filter(({ expert, isAvailable }) => isAvailable && (wanted === null || expert === wanted));
  if (available.length === 0) return { to: 'nobody', reason: 'unavailable' };
  const least = available.reduce((best, next) => (next.debates < best.debates ? next : best));
  return least.debates < DEBATES_PER_EXPERT_MAX
    ? { to: 'expert', expert: least.expert }
    : { to: 'nobody', reason: 'full' };
}

/** What becomes of a debate that finds the experts full: resolved if credibility allows, else by its priority. */
export function overflow(
  priority: DebatePriority,
  isResolvable: boolean,
): 'resolve' | 'conservative-default' | 'defer' {
  if (isResolvable) return 'resolve';
  return priority === 'critical-path' ? 'conservative-default' : 'defer';
}

/** In the order in which an expert should take them: by priority, within one in the order of arrival. */
export function byUrgency<Debate extends { readonly priority: DebatePriority; readonly number: number }>(
  debates: readonly Debate[],
): readonly Debate[] {
  const rank = (debate: Debate) => DEBATE_PRIORITIES.indexOf(debate.priority);
  return debates.toSorted((a, b) => rank(a) - rank(b) || a.number - b.number);
}
