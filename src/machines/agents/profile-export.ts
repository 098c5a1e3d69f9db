/**
 * Profiles in the forms of others: an agent card of A2A 1.0 with a skill for each agent, an entry of an AI catalog
 * (a draft), and an agent file in Markdown as Claude Code reads it. Pure.
 */
import { z } from 'zod';
import { type AgentProfile } from './profile.ts';

const skillSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  examples: z.array(z.string()),
});

/** The schema of an agent card, with the fields that Bosun writes. */
export const agentCardSchema = z.object({
  name: z.string(),
  description: z.string(),
  version: z.string(),
  /** Always empty: the agents are listed only, and cannot be called by A2A. */
  supportedInterfaces: z.array(z.object({ url: z.string(), protocolBinding: z.string(), protocolVersion: z.string() })),
  capabilities: z.object({}),
  defaultInputModes: z.array(z.string()),
  defaultOutputModes: z.array(z.string()),
  skills: z.array(skillSchema),
});
/** An agent card of A2A. */
export type AgentCard = z.output<typeof agentCardSchema>;

/** The schema of a catalog of AI resources, with the fields that Bosun writes. */
export const catalogSchema = z.object({
  specVersion: z.string(),
  entries: z.array(
    z.object({
      identifier: z.string(),
      displayName: z.string(),
      description: z.string(),
      mediaType: z.string(),
      url: z.string(),
      tags: z.array(z.string()),
    }),
  ),
});
/** A catalog of AI resources. */
export type Catalog = z.output<typeof catalogSchema>;

/** The version of profiles that state none. */
const FIRST_VERSION = '1.0.0';

/** The card of one agent, with one skill. */
export function cardOf(profile: AgentProfile): AgentCard {
  const { agentId, displayName = agentId, description, version = FIRST_VERSION } = profile;
  return card({ name: displayName, description, version }, [profile]);
}

/** The card of a system whose skills are its enabled agents. */
export function systemCard(profiles: readonly AgentProfile[], version: string): AgentCard {
  const enabled = profiles.filter((profile) => profile.enabled);
  const description = `A system of ${enabled.length} agents, a skill for each.`;
  return card({ name: 'Bosun', description, version }, enabled);
}

function card(
  about: Pick<AgentCard, 'name' | 'description' | 'version'>,
  profiles: readonly AgentProfile[],
): AgentCard {
  return {
    ...about,
    supportedInterfaces: [],
    capabilities: {},
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: profiles.map(skillOf),
  };
}

function skillOf(profile: AgentProfile): AgentCard['skills'][number] {
  const {
    agentId,
    role = agentId,
    capabilities = [],
    selectionMetadata: { keywords = [], exampleTasks = [] } = {},
  } = profile;
  const tags = [...new Set([...capabilities, ...keywords])];
  return { id: agentId, name: role, description: describedWithLimits(profile), tags, examples: [...exampleTasks] };
}

/** The description, with a last sentence about the tasks that the agent is not for. */
function describedWithLimits({ description, selectionMetadata: { notForTasks = [] } = {} }: AgentProfile): string {
  return notForTasks.length === 0 ? description : `${description}\nNot for: ${notForTasks.join('; ')}.`;
}

/**
 * A catalog of the enabled agents, each with the address of its card.
 *
 * @param base The base URL of the gateway.
 */
export function catalogOf(profiles: readonly AgentProfile[], base: string): Catalog {
  return {
    specVersion: '1.0',
    entries: profiles
      .filter((profile) => profile.enabled)
      .map(({ agentId, displayName = agentId, description, capabilities = [] }) => ({
        identifier: `urn:bosun:agent:${agentId}`,
        displayName,
        description,
        mediaType: 'application/a2a-agent-card+json',
        url: `${base}/v1/profiles/${agentId}/card`,
        tags: [...capabilities],
      })),
  };
}

/** Writes the profile as an agent file in Markdown. Its examples go into the description, which routing reads. */
export function markdownOf(profile: AgentProfile): string {
  const { agentId, systemPrompt = '', selectionMetadata: { exampleTasks = [] } = {} } = profile;
  const examples = exampleTasks.map((task) => `user: ${JSON.stringify(task)}`);
  const description = [profile.description, ...examples, ...limits(profile)].join('\n');
  return `---\nname: ${agentId}\ndescription: ${JSON.stringify(description)}\n---\n\n${systemPrompt}\n`;
}

function limits({ selectionMetadata: { notForTasks = [] } = {} }: AgentProfile): string[] {
  return notForTasks.length === 0 ? [] : [`Not for: ${notForTasks.join('; ')}.`];
}
