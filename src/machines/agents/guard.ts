/**
 * The guard of agent selection (seed 003, 6): whether profiles say enough to be chosen by, and whether a choice keeps
 * the rules of its request. It warns and changes nothing. Pure.
 */
import { type AgentProfile, byCodeUnit, type RecommendRequest } from './profile.ts';
import { scopeProblems } from './scope-section.ts';
import { normalised, stemsOf } from './text.ts';

/** The policy of the guard, and the name of its gate for metadata. */
export const POLICY = 'agent-selection-quality';
export const METADATA_GATE = 'selection-metadata-complete';

/** Confidence below which the guard warns about a choice (AC-036). */
export const CONFIDENCE_LEAST = 0.3;

/** Share of common words from which on two examples count as the same task. */
const NEAR = 0.6;

/** The largest roster whose examples are compared in pairs. */
const PAIRS_PROFILES_MAX = 300;

/** The verdict of a gate. */
export interface Verdict {
  readonly status: 'PASS' | 'WARN';
  readonly issues: readonly string[];
}

/** The guard's verdict on one agent. */
export interface GuardedAgent extends Verdict {
  readonly agentId: string;
  /** Remarks beyond the gate: about scope, names, and examples that several agents have. */
  readonly remarks: readonly string[];
}

/** The report on a roster. */
export interface GuardReport extends Pick<Verdict, 'status'> {
  readonly policyId: typeof POLICY;
  readonly gateId: typeof METADATA_GATE;
  /** Verdicts in the order of agent ids. */
  readonly agents: readonly GuardedAgent[];
}

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
  const agents = inOrder.map((profile) => ({
    agentId: profile.agentId,
    ...metadataVerdict(profile),
    remarks: [
      ...(profile.systemPrompt === undefined ? [] : scopeProblems(profile.systemPrompt, ids)),
      ...conflicts(profile, ids),
      ...(shared.get(profile.agentId) ?? []),
    ],
  }));
  const status = agents.every((agent) => agent.status === 'PASS') ? 'PASS' : 'WARN';
  return { policyId: POLICY, gateId: METADATA_GATE, status, agents };
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

function verdict(issues: readonly string[]): Verdict {
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
