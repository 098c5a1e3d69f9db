/**
 * Routing of debates to experts, and their overflow when no expert can take them (CA-119, CA-126 to CA-130, X-24 to
 * Pure.
 */

import { admit, byTurn, type OverflowPolicy } from '../../work/capacity-queue.ts';

/** Degrees of urgency, the most urgent first. packs.ts maps a field's priorities to them. */
export const DEBATE_URGENCIES = ['critical-path', 'ordinary', 'supporting'] as const;
export type DebateUrgency = (typeof DEBATE_URGENCIES)[number];

/** Debates per expert (CA-119, CA-126); the fourth overflows. */
export const DEBATES_PER_EXPERT_MAX = 3;

export interface ExpertLoad {
  readonly expert: string;
  readonly isAvailable: boolean;
  /** Debates that the expert has now. */
  readonly debates: number;
}

export type Route =
  | { readonly to: 'expert'; readonly expert: string }
  | { readonly to: 'nobody'; readonly reason: 'full' | 'unavailable' };

/** The load of an expert as a dashboard shows it: "2/3 debates". */
export function loadText(debates: number): string {
  return `${debates}/${DEBATES_PER_EXPERT_MAX} debates`;
}

/**
 * Routes a debate to the wanted expert, or to the one with the fewest debates, the first on a tie.
 *
 * @param wanted The expert's name; null: any.
 */
export function route(experts: readonly ExpertLoad[], wanted: string | null): Route {
  const available = experts.filter(({ expert, isAvailable }) => isAvailable && (wanted === null || expert === wanted));
  if (available.length === 0) return { to: 'nobody', reason: 'unavailable' };
  const lanes = available.map(({ expert, debates }) => ({ expert, capacity: DEBATES_PER_EXPERT_MAX, held: debates }));
  const admission = admit(lanes, 'reject');
  return admission.to === 'lane' ? { to: 'expert', expert: admission.lane.expert } : { to: 'nobody', reason: 'full' };
}

/**
 * The overflow policy for a debate when the experts are full: it is resolved if credibility allows, else treated by its
 * urgency. A rejected debate gets the conservative default.
 */
export function overflow(urgency: DebateUrgency, isResolvable: boolean): Exclude<OverflowPolicy, 'wait'> {
  if (isResolvable) return 'force-resolve';
  return urgency === 'critical-path' ? 'reject' : 'defer';
}

/** Debates in the order in which an expert should take them: by urgency, then by arrival. */
export function byUrgency<Debate extends { readonly urgency: DebateUrgency; readonly number: number }>(
  debates: readonly Debate[],
): readonly Debate[] {
  const turnOf = ({ urgency, number }: Debate) => ({ rank: DEBATE_URGENCIES.indexOf(urgency), arrival: number });
  return debates.toSorted((a, b) => byTurn(turnOf(a), turnOf(b)));
}
