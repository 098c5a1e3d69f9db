/**
 * A roster: profiles from several sources under one roof. Later sources replace agents of earlier ones, and each
 * profile remembers where it came from. Pure.
 */
import { z } from 'zod';
import { BosunError } from '../../errors.ts';
import { AGENT_PROFILE_BYTES_MAX, AGENT_PROFILES_MAX } from '../limits.ts';
import { type AgentProfile, FALLBACK_AGENT } from './profile.ts';
import { SHIPPED_PROFILES } from './profiles/shipped.ts';

/** The name of the source of the shipped profiles. */
export const PACKAGE_SOURCE = 'package';

/** Profiles of one source. */
export interface RosterSource {
  /** The source of the profile, such as `package`, the path of a file, or `call`. */
  readonly source: string;
  readonly profiles: readonly AgentProfile[];
}

/** A profile with its source. */
export interface RosterRow {
  readonly profile: AgentProfile;
  readonly source: string;
}

/**
 * The fallback agent of rosters that have none. Its profile matches no task, so that it takes no task from other
 * agents.
 */
const BARE_FALLBACK: AgentProfile = {
  agentId: FALLBACK_AGENT,
  displayName: 'Stan',
  description: 'Takes what fits nobody.',
  selectionMetadata: {
    exampleTasks: ['Take what fits nobody'],
    notForTasks: ['Take what fits somebody'],
    agentCategory: 'generalist',
  },
  enabled: true,
};

/** The shipped profiles as a source. */
export const SHIPPED_ROSTER: RosterSource = { source: PACKAGE_SOURCE, profiles: SHIPPED_PROFILES };

/**
 * Merges sources. If none has the fallback agent, a bare one is added.
 *
 * @throws BOSUN_PROFILE_INVALID for an agent that one source has twice, a disabled fallback agent, a profile that is
 * too large, or too many profiles.
 */
export function rosterOf(sources: readonly RosterSource[]): RosterRow[] {
  const rows = new Map<string, RosterRow>();
  rows.set(FALLBACK_AGENT, { profile: BARE_FALLBACK, source: PACKAGE_SOURCE });
  for (const { source, profiles } of sources) {
    const own = new Set<string>();
    for (const profile of profiles) {
      if (own.has(profile.agentId)) throw invalid(`${source} has the agent ${profile.agentId} twice`);
      own.add(profile.agentId);
      const problem = profileProblem(profile);
      if (problem !== undefined) throw invalid(`${source}: ${problem}`);
      rows.set(profile.agentId, { profile, source });
    }
  }
  if (rows.size > AGENT_PROFILES_MAX)
    throw invalid(`${rows.size} agents are more than the ${AGENT_PROFILES_MAX} of a registry`);
  return [...rows.values()];
}

/** The schema of an agent in a list. `runs` says what carries out its tasks. */
export const agentRowSchema = z.object({
  agentId: z.string(),
  role: z.string().nullable(),
  team: z.string().nullable(),
  category: z.string().nullable(),
  enabled: z.boolean(),
  source: z.string(),
  runs: z.string(),
});
/** An agent in a list. */
export type AgentRow = z.output<typeof agentRowSchema>;

/** The fields of an agent in a list. */
export function agentRowOf(row: RosterRow): AgentRow {
  const { agentId, role = null, team = null, selectionMetadata, enabled } = row.profile;
  const { source } = row;
  return {
    agentId,
    role,
    team,
    category: selectionMetadata?.agentCategory ?? null,
    enabled,
    source,
    runs: runsOf(row),
  };
}

/** The means by which an agent's tasks are carried out: its own, its file for a coding agent, or none that is known. */
export function runsOf({ profile: { does }, source }: RosterRow): string {
  if (does?.kind === 'command') return `command: ${does.run}`;
  if (does?.kind === 'function') return `function: ${does.name}`;
  return source.endsWith('.md') ? `file: ${source}` : 'profile only';
}

/** Why a registry refuses a profile that fits its schema; undefined if it accepts it. */
export function profileProblem(profile: AgentProfile): string | undefined {
  const { agentId, enabled } = profile;
  if (agentId === FALLBACK_AGENT && !enabled) return neededProblem('disabled');
  const bytes = new TextEncoder().encode(JSON.stringify(profile)).length;
  if (bytes <= AGENT_PROFILE_BYTES_MAX) return undefined;
  return `the profile of ${agentId} has ${bytes} bytes, more than ${AGENT_PROFILE_BYTES_MAX}: shorten its systemPrompt`;
}

/**
 * The refusal of a change that would leave tasks without an agent.
 *
 * @param what The change, such as `removed`.
 */
export function neededProblem(what: string): string {
  return `${FALLBACK_AGENT} cannot be ${what}: it is the agent for tasks that no other one fits`;
}

function invalid(message: string): BosunError {
  return new BosunError('BOSUN_PROFILE_INVALID', message);
}
