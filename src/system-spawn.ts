/** Starts an actor for a host under a Boss, unless it lives already or has ended and its result is kept. */
import { type EventObject } from 'xstate';
import { type ShardResults } from './actors/api/result-box.ts';
import { type Directory } from './actors/loop/directory.ts';
import { childAddress, ROOT } from './actors/model/address.ts';
import { type ActorResult } from './actors/model/results.ts';
import { BosunError, isBosunError } from './errors.ts';
import { type OfSpawn } from './supervisor/admin.ts';
import { parseChildSpec } from './supervisor/child-spec.ts';
import { type SpawnOptions } from './system-options.ts';

/** The surroundings of a start. */
interface SpawnParts {
  readonly directory: Directory;
  readonly results: ShardResults;
  /** Whether the system has the agent. */
  readonly hasAgent: boolean;
  /** Whether the birth of the actor at an address is durable. */
  isBorn(address: string): boolean;
  /** Gives an order to a Boss. */
  order(boss: string, event: EventObject): Promise<unknown>;
}

/**
 * Starts an actor. Resolves with the result of one that has ended, undefined otherwise. Rejects as System.spawn does.
 */
export async function spawned(
  { directory, results, hasAgent, isBorn, order }: SpawnParts,
  agent: string,
  id: string,
  options: SpawnOptions,
): Promise<ActorResult | undefined> {
  const { under = ROOT, restart = 'transient', input, backoff, resume, again = false } = options;
  if (!hasAgent) throw new BosunError('BOSUN_AGENT_UNKNOWN', `agent "${agent}" was not given to createSystem`);
  const address = childAddress(under, id);
  const child = { id, agent, restart, input };
  const spec = parseChildSpec({ ...child, ...(backoff && { backoff }), ...(resume && { resume }) });
  const there = directory.find(address);
  if (there !== undefined && (there.bond !== 'supervised' || there.agent !== agent)) {
    throw new BosunError('BOSUN_CHILD_SPEC_INVALID', `${address} is the address of another agent, ${there.agent}`);
  }
  // If the actor has been born in memory only, the Boss's answer is durable no earlier than the birth.
  if (there !== undefined && isBorn(address)) return undefined;
  const ofSpawn: OfSpawn = again ? 'again' : 'unlessEnded';
  try {
    await order(under, { type: 'child.start', spec, ofSpawn } as EventObject);
    return undefined;
  } catch (error) {
    if (!isBosunError(error, 'BOSUN_CHILD_PRESENT')) throw error;
    return results.ofAgent(address, agent);
  }
}
