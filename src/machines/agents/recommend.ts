/**
 * The agent that fits a task best (seed 003): filters, points, rank, and the fallback where nothing matches. The same
 * contents of a registry and the same request give the same result, whatever the order of registration (AC-015, X-58).
 * Agents are ranked before their points are clamped to a confidence: after that, two good ones would look equal. Pure.
 */
import { type z } from 'zod';
import {
  byCodeUnit,
  checkedRequest,
  type Factor,
  FALLBACK_AGENT,
  type RecommendRequest,
  recommendRequestSchema,
  type RecommendResult,
} from './profile.ts';
import { type Found, type ProfileIndex } from './retrieval.ts';
import {
  authoredFactors,
  MATCH_POINTS,
  POINTS,
  type PreparedProfile,
  preparedTask,
  retrievalFactor,
  retrievalPoints,
  ruleFactors,
  sumOf,
} from './score.ts';
import { normalised } from './text.ts';

/** Confidence in the fallback (AC-018). */
export const FALLBACK_CONFIDENCE = 0.5;

/** Most factors that a reason mentions (AC-028). */
const REASONS_MAX = 3;

/** Called for an agent whose points were outside of 0 to 1,000, before they are clamped. */
export type OutsideRange = (agentId: string, points: number) => void;

interface Candidate {
  readonly agentId: string;
  readonly points: number;
  readonly factors: readonly Factor[];
}

type Request = z.output<typeof recommendRequestSchema>;

/**
 * Recommends agents for a task.
 *
 * @throws BOSUN_CALL_INVALID for a request that {@link recommendRequestSchema} refuses.
 */
export function recommend(
  index: ProfileIndex,
  given: RecommendRequest,
  outsideRange: OutsideRange = () => {},
): RecommendResult {
  const request = checkedRequest(recommendRequestSchema, given);
  const matches = matchesIn(index, request, outsideRange);
  const [best, ...others] = matches;
  if (best === undefined) return fallback(index, request);
  return frozen({
    recommended: best.agentId,
    confidence: confidenceOf(best.points),
    reason: reasonOf(best.factors),
    alternatives: others.map(({ agentId, points, factors }) => ({
      agentId,
      confidence: confidenceOf(points),
      reason: reasonOf(factors),
    })),
    ...(request.explain && {
      explanation: matches.map(({ agentId, points, factors }) => ({ agentId, points, factors: [...factors] })),
    }),
  });
}

/** The best matches, up to the requested number. */
function matchesIn(index: ProfileIndex, request: Request, outsideRange: OutsideRange): Candidate[] {
  const task = preparedTask(request.task);
  const filters = filtersOf(request);
  const bonus = sumOf(filters.factors);
  const best = new Best(request.maxResults);
  for (const { prepared, score, sharesExample, words } of inOrder(index, request, bonus > 0)) {
    // What is found later has a lower score: once even an exact example could not bring it in, nothing can.
    const most = retrievalPoints(score) + bonus;
    if (request.mode === 'blended' && !best.takes(most + POINTS.exampleExact)) break;
    if (request.mode === 'blended' && !sharesExample && !best.takes(most)) continue;
    if (!filters.admit(prepared)) continue;
    const found = request.mode === 'rules' ? ruleFactors(prepared, task) : retrievalFactor(score, words);
    best.offer(candidate(prepared, [...authoredFactors(prepared, task), ...found, ...filters.factors]));
  }
  for (const { agentId, points } of best.list) if (points < 0 || points > 1_000) outsideRange(agentId, points);
  return best.list;
}

/** Yields the profiles that retrieval finds, the best first, then all others if they can match without it. */
function* inOrder(index: ProfileIndex, { task, mode }: Request, isBonus: boolean): Generator<Found> {
  const seen = new Set<PreparedProfile>();
  if (mode === 'blended')
    for (const found of index.find(task)) {
      seen.add(found.prepared);
      yield found;
    }
  // A task without a word of meaning finds nothing, and may still be somebody's example.
  if (seen.size > 0 && !isBonus) return;
  for (const prepared of index.profiles)
    if (!seen.has(prepared)) yield { prepared, score: 0, sharesExample: true, words: [] };
}

function candidate({ profile }: PreparedProfile, factors: readonly Factor[]): Candidate {
  return { agentId: profile.agentId, points: sumOf(factors), factors };
}

/** The best candidates so far. */
class Best {
  readonly list: Candidate[] = [];
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether a candidate with this many points would still be among the best. */
  takes(points: number): boolean {
    const last = this.list[this.#most - 1];
    return points >= MATCH_POINTS && (last === undefined || points >= last.points);
  }

  offer(one: Candidate): void {
    if (!this.takes(one.points)) return;
    this.list.push(one);
    this.list.sort((a, b) => b.points - a.points || byCodeUnit(a.agentId, b.agentId));
    if (this.list.length > this.#most) this.list.pop();
  }
}

interface Filters {
  readonly admit: (prepared: PreparedProfile) => boolean;
  /** The factors of the candidate, for those that pass (AC-027). */
  readonly factors: readonly Factor[];
}

/**
 * Removes disabled and excluded agents, those of another team, and those without a required capability.
 */
function filtersOf({ team, requiredCapabilities = [], excludeAgents = [] }: Request): Filters {
  const excluded = new Set(excludeAgents);
  const ofTeam = team === undefined ? undefined : normalised(team);
  const required = requiredCapabilities.map(normalised);
  return {
    admit: ({ profile }) => {
      if (!profile.enabled || excluded.has(profile.agentId)) return false;
      if (ofTeam !== undefined && normalised(profile.team ?? '') !== ofTeam) return false;
      if (required.length === 0) return true;
      const has = new Set((profile.capabilities ?? []).map(normalised));
      return required.every((capability) => has.has(capability));
    },
    factors: [
      ...(required.length === 0
        ? []
        : [
            {
              kind: 'requiredCapabilities',
              points: POINTS.requiredCapabilities,
              evidence: requiredCapabilities.join(', '),
            },
          ]),
      ...(team === undefined ? [] : [{ kind: 'team', points: POINTS.team, evidence: team }]),
    ],
  };
}

/** The recommendation of the fallback agent, which ignores filters. */
function fallback({ profiles }: ProfileIndex, request: Request): RecommendResult {
  const prepared = profiles.find(({ profile }) => profile.agentId === FALLBACK_AGENT);
  const isFiltered = prepared !== undefined && !filtersOf(request).admit(prepared);
  const although = isFiltered ? ', although the filters leave it out' : '';
  return frozen({
    recommended: FALLBACK_AGENT,
    confidence: FALLBACK_CONFIDENCE,
    reason: `nothing matched: ${FALLBACK_AGENT} is the agent for any other task${although}`,
    alternatives: [],
    ...(request.explain && { explanation: [{ agentId: FALLBACK_AGENT, points: 0, factors: [] }] }),
  });
}

/** Points as a confidence, from 0 to 1 (AC-016). */
export function confidenceOf(points: number): number {
  return Math.max(0, Math.min(1, points / 1_000));
}

const WORDS: Readonly<Record<string, (evidence: string) => string>> = {
  exampleExact: (text) => `is its example "${text}"`,
  examplePart: (text) => `matches its example "${text}"`,
  notForTask: (text) => `against it: not for "${text}"`,
  primaryIntent: (text) => `intent "${text}"`,
  keyword: (text) => `keyword "${text}"`,
  antiKeyword: (text) => `against it: "${text}"`,
  negativeIntent: (text) => `against it: intent "${text}"`,
  redirect: (text) => `against it: "${text}" is another agent's`,
  capability: (text) => `capability "${text}"`,
  requiredCapabilities: (text) => `has the required capabilities ${text}`,
  expertise: (text) => `expertise "${text}"`,
  role: (text) => `role "${text}"`,
  description: (words) => `description has ${words}`,
  team: (text) => `is of the team ${text}`,
  retrieval: (words) => `shares the words ${words}`,
};

/** Describes the factors with the most points, for or against. */
function reasonOf(factors: readonly Factor[]): string {
  const heaviest = [...factors].sort((a, b) => Math.abs(b.points) - Math.abs(a.points));
  return heaviest
    .slice(0, REASONS_MAX)
    .map(({ kind, evidence }) => WORDS[kind]!(evidence))
    .join('; ');
}

function frozen(result: RecommendResult): RecommendResult {
  const freeze = (value: object): void => {
    for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) freeze(inner as object);
    Object.freeze(value);
  };
  freeze(result);
  return result;
}
