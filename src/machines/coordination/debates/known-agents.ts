/** The debate desk's knowledge of agents: the type of each, and its track record. Pure. */
import { OBSERVATIONS_PER_AGENT_MAX } from '../../limits.ts';
import { table, type Table } from '../../../table.ts';
import { nameKey, numberKey, pairKey, pairsOf } from '../../rules/table-keys.ts';
import { type Turn } from '../../rules/turn.ts';
import { type Observation } from '../credibility/track-record.ts';

interface KnownAgent {
  readonly agent: string;
  readonly agentType: string;
  /** The numbers of the agent's oldest observation and of its next one. */
  readonly first: number;
  readonly next: number;
}

/** The part of the desk's context that holds the agents. */
export interface AgentTables {
  /** Agents by name. */
  readonly agents: Table<KnownAgent>;
  /** Observations of each agent, the oldest first. */
  readonly observations: Table<Observation>;
}

export const NO_AGENTS: AgentTables = { agents: table(), observations: table() };

export function agentTypeOf(tables: AgentTables, agent: string): string {
  return agentIn(tables, agent).agentType;
}

/** Observations of an agent, the oldest first. */
export function observationsOf({ observations }: AgentTables, agent: string): readonly Observation[] {
  return [...observations.values(pairsOf(agent))];
}

export function noteType(turn: Turn<AgentTables>, agent: string, agentType: string): void {
  putAgent(turn, { ...agentIn(turn.context, agent), agentType });
}

/** Adds observations of an agent; only the latest are kept. */
export function observe(turn: Turn<AgentTables>, agent: string, more: readonly Observation[]): void {
  const known = agentIn(turn.context, agent);
  let { first, next } = known;
  let { observations } = turn.context;
  for (const one of more) observations = observations.set(pairKey(agent, numberKey(next++)), one);
  for (; next - first > OBSERVATIONS_PER_AGENT_MAX; first++)
    observations = observations.delete(pairKey(agent, numberKey(first)));
  turn.assign({ observations });
  putAgent(turn, { ...known, first, next });
}

function agentIn({ agents }: AgentTables, agent: string): KnownAgent {
  return agents.get(nameKey(agent)) ?? { agent, agentType: agent, first: 0, next: 0 };
}

function putAgent(turn: Turn<AgentTables>, known: KnownAgent): void {
  turn.assign({ agents: turn.context.agents.set(nameKey(known.agent), known) });
}
