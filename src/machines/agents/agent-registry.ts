/**
 * The registry of agent profiles (CN-017): an actor that keeps them in a table, each with its source. It takes what
 * changes profiles; questions are answered from its durable rows, without a turn (src/crew-agents.ts). Pure; the rules
 * of a roster are in roster.ts.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { rowsOf, table, type Table, type WholeTable } from '../../table.ts';
import { AGENT_PROFILES_MAX } from '../limits.ts';
import { order, type OrderReply, refused, ruledAgent, type Rules, TAKEN, type Turn } from '../rules/turn.ts';
import { type AgentProfile, agentIdSchema, agentProfileSchema, FALLBACK_AGENT } from './profile.ts';
import { neededProblem, profileProblem, type RosterRow, rosterOf, SHIPPED_ROSTER } from './roster.ts';

/** System id and address of the registry. */
export const AGENTS = 'agents';

/** The context of the registry. */
export interface AgentRegistryContext {
  /** Profiles by agent id. */
  readonly profiles: Table<RosterRow>;
  /** A hash over all changes so far. Registries with equal hashes have the same profiles. */
  readonly digest: string;
}

/** Events emitted to watchers once they are durable. */
export type AgentRegistryEmitted = {
  readonly type: 'agent.registered' | 'agent.removed' | 'agent.enabled' | 'agent.disabled';
  readonly agentId: string;
};

/** The input of the registry. */
export interface AgentRegistryInput {
  /** The profiles of a new registry. Default: the shipped profiles. */
  readonly roster?: readonly RosterRow[];
}

type RegistryTurn = Turn<AgentRegistryContext, AgentRegistryEmitted>;

/** The source of profiles that a call adds without naming one. */
const CALL_SOURCE = 'call';

const anAgent = z.object({ agentId: agentIdSchema });

const put = z.object({
  profile: agentProfileSchema,
  source: z.string().min(1).max(200).optional(),
  /** Whether the call may replace a profile of the same id. Without it, such a call is refused. */
  replace: z.boolean().optional(),
});

const RULES = {
  'agent.put': order(put, (turn: RegistryTurn, { profile, source = CALL_SOURCE, replace = false }): OrderReply => {
    const { profiles } = turn.context;
    const before = profiles.get(profile.agentId);
    const problem = profileProblem(profile);
    if (problem !== undefined) return refused(problem);
    if (before === undefined && profiles.size >= AGENT_PROFILES_MAX)
      return refused(`the registry has ${AGENT_PROFILES_MAX} agents, its most: remove one first`);
    if (before !== undefined && isSame(before.profile, profile)) return TAKEN;
    if (before !== undefined && !replace)
      return refused(`${profile.agentId} is registered from ${before.source}: put it with replace`);
    return change(turn, 'agent.registered', profile.agentId, { profile, source });
  }),
  'agent.remove': order(anAgent, (turn: RegistryTurn, { agentId }): OrderReply => {
    if (agentId === FALLBACK_AGENT) return refused(neededProblem('removed'));
    if (!turn.context.profiles.has(agentId)) return unknown(agentId);
    return change(turn, 'agent.removed', agentId, undefined);
  }),
  'agent.enable': order(anAgent, (turn: RegistryTurn, { agentId }) => switchTo(turn, agentId, true)),
  'agent.disable': order(anAgent, (turn: RegistryTurn, { agentId }) => switchTo(turn, agentId, false)),
} satisfies Rules<AgentRegistryContext, AgentRegistryEmitted>;

/** The agent of the registry. */
export const agentRegistry = ruledAgent({
  name: 'agent-registry',
  rules: RULES,
  context: ({ roster = rosterOf([SHIPPED_ROSTER]) }: AgentRegistryInput = {}): AgentRegistryContext => {
    let profiles = table<RosterRow>();
    for (const row of roster) profiles = profiles.set(row.profile.agentId, row);
    return { profiles, digest: hashOf([...profiles]) };
  },
});

/** The child spec of the registry, for a root Boss. */
export function registryChild(roster: readonly RosterRow[] = rosterOf([SHIPPED_ROSTER])) {
  return { id: AGENTS, systemId: AGENTS, agent: agentRegistry.name, input: { roster } };
}

/** The rows of a registry, ordered by agent id. */
export function registeredIn({ profiles }: { readonly profiles: WholeTable<RosterRow> }): RosterRow[] {
  return [...rowsOf(profiles)];
}

function switchTo(turn: RegistryTurn, agentId: string, enabled: boolean): OrderReply {
  if (agentId === FALLBACK_AGENT && !enabled) return refused(neededProblem('disabled'));
  const row = turn.context.profiles.get(agentId);
  if (row === undefined) return unknown(agentId);
  if (row.profile.enabled === enabled) return TAKEN;
  const type = enabled ? 'agent.enabled' : 'agent.disabled';
  return change(turn, type, agentId, { ...row, profile: { ...row.profile, enabled } });
}

/** Sets or removes a row, and emits the result. */
function change(
  turn: RegistryTurn,
  type: AgentRegistryEmitted['type'],
  agentId: string,
  row: RosterRow | undefined,
): OrderReply {
  const { profiles, digest } = turn.context;
  turn.assign({
    profiles: row === undefined ? profiles.delete(agentId) : profiles.set(agentId, row),
    digest: hashOf([digest, agentId, row ?? null]),
  });
  turn.emit({ type, agentId });
  return TAKEN;
}

function unknown(agentId: string): OrderReply {
  return refused(`no agent ${agentId} is registered`);
}

function isSame(a: AgentProfile, b: AgentProfile): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
