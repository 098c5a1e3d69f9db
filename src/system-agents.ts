/**
 * The agents of a system: those given, those resolved on demand, and the Boss; and the agent whose schemas check an
 * actor's events.
 */
import { type AnyStateMachine } from 'xstate';
import { agentsByName, type AnyAgent } from './actors/model/agent.ts';
import { BOSS_AGENT } from './actors/model/supervision.ts';
import { NO_POLICIES, type Policies } from './actors/model/policies.ts';
import { type RecordPolicies } from './actors/model/records.ts';
import { type KeepPolicy } from './actors/model/keep-bounds.ts';
import { KEPT_BY_DEFAULT } from './actors/model/results.ts';
import { type Cell } from './actors/world/cell.ts';
import { type Logic, logicOf } from './actors/loop/versions/roster.ts';
import { isAgent } from './actors/api/agent-rules.ts';
import { BosunError, isBosunError, messageOf } from './errors.ts';
import { type Log } from './log.ts';
import { disown, due } from './user-code.ts';
import { bossMachine } from './supervisor/boss.ts';
import { type SystemOptions } from './system-options.ts';

export class Agents {
  readonly #byName: Map<string, AnyAgent>;
  readonly #resolve: (name: string) => AnyAgent | undefined;

  constructor({
    agents,
    resolveAgent = () => undefined,
    log,
  }: Pick<SystemOptions, 'agents' | 'resolveAgent'> & { readonly log: Log }) {
    this.#byName = agentsByName(agents);
    // Called wherever an agent is needed, and the kernel must not meet what it throws or what is no agent.
    this.#resolve = (name) => {
      const place = `resolveAgent for the agent "${name}"`;
      try {
        const agent: unknown = due(resolveAgent(name), place);
        if (agent === undefined || isAgent(agent)) return agent;
        disown(agent);
        log(`${place} gives something that is not an agent made by defineAgent`);
      } catch (error) {
        disown(error);
        log(isBosunError(error, 'BOSUN_VALUE_REFUSED') ? error.message : `${place} threw: ${messageOf(error)}`);
      }
      return undefined;
    };
  }

  named(name: string): AnyAgent | undefined {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const resolved = this.#resolve(name);
    if (resolved !== undefined) this.#byName.set(name, resolved);
    return resolved;
  }

  /** The records that an agent declares. Throws BOSUN_AGENT_UNKNOWN. */
  recordsOf(name: string): RecordPolicies | undefined {
    const agent = this.named(name);
    if (agent === undefined) throw new BosunError('BOSUN_AGENT_UNKNOWN', `no agent is named "${name}"`);
    return agent.policies.records;
  }

  /** How long the results of an agent's ended actors are kept; for ever where its code is missing. */
  endedPolicyOf(name: string): KeepPolicy {
    const agent = this.named(name);
    if (agent === undefined) return { count: Infinity, forMs: Infinity };
    // A module may export a value that defineAgent has not made.
    return (agent.policies as Partial<Policies> | undefined)?.ended ?? KEPT_BY_DEFAULT;
  }

  /** Names of agents whose turns are kept. */
  keepers(): string[] {
    // A module may export a value that defineAgent has not made.
    const keeps = ({ policies = NO_POLICIES, previous }: AnyAgent): boolean =>
      policies.keptTurns > 0 || previous.some(keeps);
    return [...this.#byName.values()].filter(keeps).map(({ name }) => name);
  }

  /** The agents that were given, and those resolved so far. */
  known(): Iterable<AnyAgent> {
    return this.#byName.values();
  }

  /**
   * The agent whose schemas check events from outside. Throws the reason for which the actor is suspended,
   * BOSUN_AGENT_UNKNOWN, or BOSUN_EVENT_REFUSED if there is none.
   */
  receiver(cell: Cell): AnyAgent {
    const agent = this.of(cell);
    if (agent !== undefined) return agent;
    const { address, agent: name, bond } = cell;
    if (cell.suspension !== undefined) throw cell.suspension;
    if (bond === 'supervised' && !cell.role.supervises)
      throw new BosunError(
        'BOSUN_AGENT_UNKNOWN',
        `${address} runs the agent "${name}", whose accepted events are not known without its code: start ` +
          'its system',
      );
    throw new BosunError('BOSUN_EVENT_REFUSED', `${address} accepts no events from outside`);
  }

  logicOf(name: string): Logic | undefined {
    if (name === BOSS_AGENT) return { logic: bossMachine as AnyStateMachine, version: 1 };
    const agent = this.named(name);
    return agent && logicOf(agent);
  }

  /** The agent whose events an actor accepts: the one that it runs, which may be an older one. */
  of({ definition: { name, version } }: Cell): AnyAgent | undefined {
    // Definitions of a machine's children have names that no agent can have.
    const agent = this.named(name);
    return agent?.version === version ? agent : (agent?.previous.find((old) => old.version === version) ?? agent);
  }
}
