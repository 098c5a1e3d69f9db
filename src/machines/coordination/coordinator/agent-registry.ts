/**
 * Agent types as data: how many of one may work at once, what its work consists of, how fast its record ages. The
 * thirteen of the seed (002, CA-003, CA-010, CA-038) are a registry of this form; a plan is free to use others. Pure.
 */
import { type Subtask } from '../../work/checkpoints.ts';
import { type Plan } from '../plan/plan.ts';

export interface AgentType {
  /** How many tasks of it may run at once; null sets no limit. */
  readonly capacity: number | null;
  /** In the order they are done; empty where the type lists none. */
  readonly subtasks: readonly Subtask[];
  /** After so many years half of what is known of its accuracy counts; 2 in the seed. */
  readonly halfLifeYears: number;
}

export type AgentTypes = Readonly<Record<string, AgentType>>;

const HALF_LIFE_YEARS = 2;

function type(capacity: number | null, minutes: Readonly<Record<string, number>> = {}): AgentType {
  const subtasks = Object.entries(minutes).map(([name, value]) => ({ name, minutes: value }));
  return { capacity, subtasks, halfLifeYears: HALF_LIFE_YEARS };
}

/** The thirteen agent types of the seed: five specialists, four for support, two that coordinate, two for output. */
export const SEED_AGENT_TYPES: AgentTypes = {
  screening: type(5, { screener_data_fetch: 5, quantitative_filter: 3, summary_generation: 10, priority_ranking: 2 }),
  business: type(3, { filings: 20, segments: 15, advantages: 15, strengths_and_risks: 10, indicators: 5 }),
  financial: type(2, { statements: 15, growth_rates: 5, ratios: 10, peers_and_flags: 20 }),
  strategy: type(3, { historical_roi: 10, ma_review: 25, mgmt_compensation: 15, priorities: 5 }),
  valuation: type(1, {
    relative_valuation: 10,
    discounted_cash_flow: 15,
    sensitivity: 5,
    scenarios: 5,
    price_target: 15,
  }),
  'data-collector': type(null),
  'news-monitor': type(null),
  'quality-control': type(null),
  'knowledge-base': type(null),
  'lead-coordinator': type(null),
  'debate-facilitator': type(null),
  'report-writer': type(null),
  'watchlist-manager': type(null),
};

/** The plan with the capacities of these types where it says none of its own. */
export function withCapacities(plan: Plan, types: AgentTypes): Plan {
  const used = new Set(plan.tasks.map(({ agent }) => agent));
  const known = Object.entries(types).flatMap(([name, { capacity }]) =>
    capacity === null || !used.has(name) ? [] : [[name, capacity] as const],
  );
  return known.length === 0 ? plan : { ...plan, capacity: { ...Object.fromEntries(known), ...plan.capacity } };
}
