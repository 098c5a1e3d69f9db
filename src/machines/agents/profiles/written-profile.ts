/** The form in which the shipped profiles are written, and the profile made of it. Pure. */
import { type AgentCategory, type AgentProfile } from '../profile.ts';
import { scopeSection } from '../scope-section.ts';

/** A shipped profile in its source form: flat, with short lists as one text with commas, and the scope as data. */
export interface WrittenProfile {
  readonly agentId: string;
  readonly displayName: string;
  readonly role: string;
  readonly team: string;
  readonly agentCategory: AgentCategory;
  readonly description: string;
  readonly expertise: string;
  readonly capabilities: string;
  /** Abilities that the agent always has, followed by those for tasks of a kind. */
  readonly core: readonly string[];
  readonly taskBased?: Readonly<Record<string, readonly string[]>>;
  readonly maxDelegationDepth?: number;
  readonly primaryIntents: string;
  readonly secondarySignals: string;
  readonly negativeIntents?: string;
  readonly keywords: string;
  readonly antiKeywords?: string;
  readonly redirectWhen?: readonly (readonly [phrase: string, suggest: string])[];
  readonly exampleTasks: readonly string[];
  readonly notForTasks: readonly string[];
  /** The beginning of the system prompt; the scope follows it. */
  readonly prompt: string;
  /** The requests that people come with, in their words. They follow the beginning of the prompt. */
  readonly asks: string;
  readonly handles: readonly string[];
  readonly leaves: readonly (readonly [task: string, ...to: readonly string[]])[];
}

/** The version of all shipped profiles. */
const VERSION = '1.0.0';

/** Turns a profile from its source form into an agent profile. */
export function profileOf(written: WrittenProfile): AgentProfile {
  const { agentId, displayName, role, team, description, expertise, capabilities, core, taskBased = {} } = written;
  const {
    maxDelegationDepth = 0,
    prompt,
    asks,
    handles,
    leaves,
    redirectWhen,
    negativeIntents,
    antiKeywords,
  } = written;
  const { primaryIntents, secondarySignals, keywords, exampleTasks, notForTasks, agentCategory } = written;
  const scope = scopeSection({ handles, leaves: leaves.map(([task, ...to]) => ({ task, to })) });
  return {
    agentId,
    displayName,
    version: VERSION,
    description,
    role,
    expertise: listOf(expertise),
    capabilities: listOf(capabilities),
    systemPrompt: `${prompt}\n\nPeople come to you with ${asks}.\n\n${scope}`,
    abilities: { core: [...core], taskBased: mapValues(taskBased) },
    orchestration: { maxDelegationDepth },
    selectionMetadata: {
      primaryIntents: listOf(primaryIntents),
      secondarySignals: listOf(secondarySignals),
      ...(negativeIntents && { negativeIntents: listOf(negativeIntents) }),
      keywords: listOf(keywords),
      ...(antiKeywords && { antiKeywords: listOf(antiKeywords) }),
      ...(redirectWhen && { redirectWhen: redirectWhen.map(([phrase, suggest]) => ({ phrase, suggest })) }),
      exampleTasks: [...exampleTasks],
      notForTasks: [...notForTasks],
      agentCategory,
    },
    team,
    enabled: true,
  };
}

function listOf(text: string): string[] {
  return text.split(', ');
}

function mapValues(lists: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, [...list]]));
}
