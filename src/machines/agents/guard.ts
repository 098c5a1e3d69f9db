/**
 * The guard of agent selection (seed 003, 6): whether profiles say enough to be chosen by, and whether a choice keeps
 * the rules of its request. It warns and changes nothing. Pure.
 */
import { z } from 'zod';
import { type AgentProfile, byCodeUnit, type RecommendRequest } from './profile.ts';
import { scopeProblems } from './scope-section.ts';
import { normalised, stemsOf, wordsByStem } from './text.ts';

/** The policy of the guard, and the name of its gate for metadata. */
const POLICY = 'agent-selection-quality';
const METADATA_GATE = 'selection-metadata-complete';

/** Confidence below which the guard warns about a choice (AC-036). */
export const CONFIDENCE_LEAST = 0.3;

/** Share of common words from which on two examples count as the same task. */
const NEAR = 0.6;

/** Share of the shorter of two descriptions, weighted by the rarity of words, from which on they conflict. */
const DESCRIPTION_NEAR = 0.5;

/** The fewest common words of descriptions that conflict, and the most that a remark names. */
const DESCRIPTION_WORDS_MIN = 3;
const DESCRIPTION_WORDS_SHOWN = 5;

/** The largest roster whose examples and descriptions are compared in pairs. */
const PAIRS_PROFILES_MAX = 300;

const status = z.enum(['PASS', 'WARN']);
const verdictSchema = z.object({ status, issues: z.array(z.string()) });
/** The verdict of a gate. */
export type Verdict = z.output<typeof verdictSchema>;

/**
 * The schema of the report on a roster, with verdicts in the order of agent ids. `remarks` go beyond the gate: scope,
 * names, and examples and descriptions that are those of another agent.
 */
export const guardReportSchema = z.object({
  policyId: z.literal(POLICY),
  gateId: z.literal(METADATA_GATE),
  status,
  agents: z.array(verdictSchema.extend({ agentId: z.string(), remarks: z.array(z.string()) })),
});
/** The report on a roster. */
export type GuardReport = z.output<typeof guardReportSchema>;

/** The gate for selection metadata (AC-035). */
export function metadataVerdict({ selectionMetadata: meta }: AgentProfile): Verdict {
  return verdict([
    ...(meta?.exampleTasks?.length ? [] : ['Missing exampleTasks']),
    ...(meta?.notForTasks?.length ? [] : ['Missing notForTasks']),
    ...(meta?.agentCategory ? [] : ['Missing agentCategory']),
  ]);
}

/** Examines a roster. */
export function guardReport(profiles: Iterable<AgentProfile>): GuardReport {
  const inOrder = [...profiles].sort((a, b) => byCodeUnit(a.agentId, b.agentId));
  const ids = new Set(inOrder.map(({ agentId }) => agentId));
  const shared = sharedExamples(inOrder);
  const near = inOrder.length > PAIRS_PROFILES_MAX ? new Map<string, string[]>() : nearDescriptions(inOrder);
  const agents = inOrder.map((profile) => ({
    agentId: profile.agentId,
    ...metadataVerdict(profile),
    remarks: [
      ...(profile.systemPrompt === undefined ? [] : scopeProblems(profile.systemPrompt, ids)),
      ...conflicts(profile, ids),
      ...(shared.get(profile.agentId) ?? []),
      ...(near.get(profile.agentId) ?? []),
    ],
  }));
  const isFine = agents.every((agent) => agent.status === 'PASS');
  return { policyId: POLICY, gateId: METADATA_GATE, status: isFine ? 'PASS' : 'WARN', agents };
}

/** A choice that was made, to be checked by {@link choiceVerdict}. */
export interface Choice {
  readonly profile: AgentProfile;
  readonly confidence: number;
  readonly request: Pick<RecommendRequest, 'team' | 'requiredCapabilities' | 'excludeAgents'>;
}

/** Checks a choice at run time (AC-036). */
export function choiceVerdict({ profile, confidence, request }: Choice): Verdict {
  const { team, requiredCapabilities = [], excludeAgents = [] } = request;
  const has = new Set((profile.capabilities ?? []).map(normalised));
  const missing = requiredCapabilities.filter((capability) => !has.has(normalised(capability)));
  return verdict([
    ...(profile.enabled ? [] : ['Agent is disabled']),
    ...missing.map((capability) => `Missing capability: ${capability}`),
    ...(excludeAgents.includes(profile.agentId) ? ['Agent is excluded'] : []),
    ...(team === undefined || normalised(profile.team ?? '') === normalised(team) ? [] : [`Not of the team: ${team}`]),
    ...(confidence < CONFIDENCE_LEAST ? [`Confidence below ${CONFIDENCE_LEAST}`] : []),
  ]);
}

function verdict(issues: string[]): Verdict {
  return { status: issues.length === 0 ? 'PASS' : 'WARN', issues };
}

/** Abilities that have the name of an agent (AC-034). */
function conflicts({ abilities = {} }: AgentProfile, ids: ReadonlySet<string>): string[] {
  const names = new Set([...(abilities.core ?? []), ...Object.values(abilities.taskBased ?? {}).flat()]);
  return [...names].filter((name) => ids.has(name)).map((name) => `Ability has the name of an agent: ${name}`);
}

interface Example {
  readonly agentId: string;
  readonly text: string;
  readonly plain: string;
  readonly words: ReadonlySet<string>;
}

/** Remarks on examples that another agent has in equal or nearly equal words, by agent. */
function sharedExamples(profiles: readonly AgentProfile[]): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>();
  const remark = (one: Example, other: Example, how: string) => {
    const remarks = found.get(one.agentId) ?? [];
    remarks.push(`Example "${one.text}" is ${how} one of ${other.agentId}`);
    found.set(one.agentId, remarks);
  };
  const seen: Example[] = [];
  const byText = new Map<string, Example>();
  for (const { agentId, selectionMetadata: meta } of profiles)
    for (const text of meta?.exampleTasks ?? []) {
      const plain = normalised(text);
      const one = { agentId, text, plain, words: new Set(stemsOf(text)) };
      const same = byText.get(plain);
      if (same !== undefined && same.agentId !== agentId) remark(one, same, 'also');
      byText.set(plain, one);
      if (profiles.length > PAIRS_PROFILES_MAX) continue;
      for (const other of seen)
        if (other.agentId !== agentId && other.plain !== plain && likeness(one.words, other.words) >= NEAR)
          remark(one, other, 'nearly');
      seen.push(one);
    }
  return found;
}

/** The share of words that two texts have in common (Jaccard). */
export function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((word) => b.has(word)).length;
  const all = a.size + b.size - common;
  return all === 0 ? 0 : common / all;
}

/**
 * Remarks on descriptions with many words in common, by agent. A word weighs by its rarity, so that
 * "use this agent when" of every description counts for little.
 */
function nearDescriptions(profiles: readonly AgentProfile[]): ReadonlyMap<string, string[]> {
  const described = profiles.map(({ agentId, description }) => ({ agentId, words: wordsByStem(description) }));
  const having = new Map<string, number>();
  for (const stem of described.flatMap(({ words }) => [...words.keys()])) having.set(stem, (having.get(stem) ?? 0) + 1);
  const weightOf = (stem: string) => Math.log((1 + profiles.length) / having.get(stem)!);
  const sum = (stems: Iterable<string>) => [...stems].reduce((total, stem) => total + weightOf(stem), 0);
  const remarksOn = ({ agentId, words }: (typeof described)[number]) =>
    described.flatMap((other) => {
      const common = [...words.keys()].filter((stem) => other.words.has(stem));
      if (other.agentId === agentId || common.length < DESCRIPTION_WORDS_MIN) return [];
      const shorter = Math.min(sum(words.keys()), sum(other.words.keys()));
      if (sum(common) < DESCRIPTION_NEAR * shorter) return [];
      const heaviest = common.sort((a, b) => weightOf(b) - weightOf(a) || byCodeUnit(a, b));
      const shown = heaviest.slice(0, DESCRIPTION_WORDS_SHOWN).map((stem) => words.get(stem)!);
      return [`Description conflicts with that of ${other.agentId}: both speak of ${shown.join(', ')}`];
    });
  return new Map(described.map((one) => [one.agentId, remarksOn(one)]));
}
