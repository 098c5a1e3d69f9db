/** Agent profiles and recommendations as the page shows them: shapes, search, and words. Pure. */
import type { AgentProfile, Factor, RecommendResult } from '../../machines/agents/profile.ts';

/** An agent of the catalogue, as `agents.list` tells it. */
export interface AgentRow {
  readonly agentId: string;
  readonly role: string | null;
  readonly team: string | null;
  readonly category: string | null;
  readonly enabled: boolean;
  readonly source: string;
}

export type ProfileShown = AgentProfile;
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

/** Points of a factor with their sign: `+600`. */
export function pointsText({ points }: Pick<FactorShown, 'points'>): string {
  return points > 0 ? `+${points}` : String(points).replace('-', '\u2212');
}
