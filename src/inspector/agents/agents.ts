/** Agent profiles and recommendations as the page shows them: shapes, search, and words. Pure. */
import type { AgentRow } from '../../machines/agents/roster.ts';
import type { CapabilitiesResult, Factor, RecommendResult } from '../../machines/agents/profile.ts';

export type { AgentRow } from '../../machines/agents/roster.ts';
export type { GuardReport } from '../../machines/agents/guard.ts';
export type Recommendation = RecommendResult;
export type FactorShown = Factor;

/** Agents recommended at most for one task. */
export const CANDIDATES_MAX = 5;

/** The agents of which some text contains every word of a search. */
export function agentsLike(rows: readonly AgentRow[], search: string): readonly AgentRow[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(({ agentId, role, team, category, source }) => {
    const text = [agentId, role, team, category, source].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** An agent that fits a task, with what speaks for and against it. */
export interface Candidate {
  readonly agentId: string;
  readonly confidence: number;
  readonly reason: string;
  readonly factors: readonly FactorShown[];
}

/** The ranked candidates of a recommendation; one without a factor is the fallback. */
export function candidatesOf({
  recommended,
  confidence,
  reason,
  alternatives,
  explanation = [],
}: Recommendation): readonly Candidate[] {
  const factors = new Map(explanation.map((one) => [one.agentId, one.factors]));
  return [{ agentId: recommended, confidence, reason }, ...alternatives].map((one) => ({
    ...one,
    reason: one.reason ?? '',
    factors: factors.get(one.agentId) ?? [],
  }));
}

/** Whether no agent matched, so that the fallback is recommended. */
export function isFallback(candidates: readonly Candidate[]): boolean {
  return candidates[0]?.factors.length === 0;
}

const FACTOR_WORDS: Readonly<Record<string, string>> = {
  exampleExact: 'is its example',
  examplePart: 'matches its example',
  notForTask: 'is not for',
  primaryIntent: 'intent',
  antiKeyword: 'word against it',
  negativeIntent: 'intent against it',
  redirect: "another agent's",
  requiredCapabilities: 'has the capabilities',
  description: 'words of its description',
  retrieval: 'shares the words',
};

/** The name of a factor in words. */
export function factorName({ kind }: Pick<FactorShown, 'kind'>): string {
  return FACTOR_WORDS[kind] ?? kind;
}

/** Half of the width of a bar of points, in its own units. */
export const BAR_HALF = 100;

/** The most points that one factor has, for or against, whose bar has the whole half. */
const BAR_POINTS = 900;

/** The bar of a factor: to the right of the middle for an agent, to the left against it. */
export function barOf({ points }: Pick<FactorShown, 'points'>): { readonly x: number; readonly width: number } {
  const width = (Math.min(Math.abs(points), BAR_POINTS) / BAR_POINTS) * BAR_HALF;
  return { x: points < 0 ? BAR_HALF - width : BAR_HALF, width };
}

/** A matrix of capabilities and agents: a row for each capability, with a mark for each agent that has it. */
export function matrixOf(
  { capabilities, agentsByCapability, capabilitiesByAgent }: CapabilitiesResult,
  agentsMax: number,
) {
  const all = Object.keys(capabilitiesByAgent);
  const agents = all.slice(0, agentsMax);
  const rows = capabilities.map((capability) => {
    const having = new Set(agentsByCapability[capability]);
    return { capability, marks: agents.map((agentId) => having.has(agentId)) };
  });
  // A capability of agents that are not shown would be an empty row.
  return { agents, hidden: all.length - agents.length, rows: rows.filter(({ marks }) => marks.includes(true)) };
}

/** Points of a factor with their sign: `+600`. */
export function pointsText({ points }: Pick<FactorShown, 'points'>): string {
  return points > 0 ? `+${points}` : String(points).replace('-', '\u2212');
}
