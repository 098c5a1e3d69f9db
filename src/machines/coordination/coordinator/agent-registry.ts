/**
 * Agent types as data: their capacities, their subtasks, and the half-lives of their track records. The thirteen of the
 * seed (002, CA-003, CA-010, CA-038) are one such registry; a plan may use others. Pure.
 */
import { type Subtask } from '../../work/checkpoints.ts';
import { HALF_LIFE_YEARS } from '../credibility/credibility.ts';

/** The declaration of one agent type. */
export interface AgentType {
  /** Tasks that may run at once; null sets no limit. */
  readonly capacity: number | null;
  /** Subtasks in the order of work; empty if the type lists none. */
  readonly subtasks: readonly Subtask[];
  /** Years after which an observation of the type's accuracy counts half. */
  readonly halfLifeYears: number;
}

/** Agent types by name. */
export type AgentTypes = Readonly<Record<string, AgentType>>;

function type(
  capacity: number | null,
  minutes: Readonly<Record<string, number>> = {},
  halfLifeYears = HALF_LIFE_YEARS,
): AgentType {
  const subtasks = Object.entries(minutes).map(([name, value]) => ({ name, minutes: value }));
  return { capacity, subtasks, halfLifeYears };
}

/** The thirteen agent types of the seed: five specialists, four for support, two that coordinate, two for output. */
export const SEED_AGENT_TYPES: AgentTypes = {
  screening: type(5, { screener_data_fetch: 5, quantitative_filter: 3, summary_generation: 10, priority_ranking: 2 }),
  business: type(3, { filings: 20, segments: 15, advantages: 15, strengths_and_risks: 10, indicators: 5 }),
  financial: type(2, { statements: 15, growth_rates: 5, ratios: 10, peers_and_flags: 20 }, 3),
  strategy: type(3, { historical_roi: 10, ma_review: 25, mgmt_compensation: 15, priorities: 5 }),
  valuation: type(1, {
    relative_valuation: 10,
    discounted_cash_flow: 15,
    sensitivity: 5,
    scenarios: 5,
    price_target: 15,
  }),
  'data-collector': type(null),
  'news-monitor': type(null, {}, 0.5),
  'quality-control': type(null),
  'knowledge-base': type(null),
  'lead-coordinator': type(null),
  'debate-facilitator': type(null),
  'report-writer': type(null),
  'watchlist-manager': type(null),
};

/** Half-lives by agent type, in years (CA-105). */
export function halfLivesOf(types: AgentTypes): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(types).map(([name, { halfLifeYears }]) => [name, halfLifeYears]));
}

/** The part of a plan that concerns capacities. */
interface Capped {
  readonly capacity: Readonly<Record<string, number>>;
  readonly tasks: readonly { readonly agent: string }[];
}

/** The plan with the capacities of these types added where it gives none. */
export function withCapacities<Plan extends Capped>(plan: Plan, types: AgentTypes): Plan {
  const used = new Set(plan.tasks.map(({ agent }) => agent));
  const known = Object.entries(types).flatMap(([name, { capacity }]) =>
    capacity === null || !used.has(name) ? [] : [[name, capacity] as const],
  );
  return known.length === 0 ? plan : { ...plan, capacity: { ...Object.fromEntries(known), ...plan.capacity } };
}
