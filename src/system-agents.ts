/**
 * The agents of a system: those it was given, those it has to ask for, and the Boss; and whose schemas an actor's
 * events have to fit.
 */
import { type AnyStateMachine } from 'xstate';
import { agentsByName, type AnyAgent, BOSS_AGENT } from './actors/model/agent.ts';
import { type Cell } from './actors/world/cell.ts';
import { type Logic, logicOf } from './actors/loop/versions/roster.ts';
import { BosunError } from './errors.ts';
import { bossMachine } from './supervisor/boss.ts';
import { type SystemOptions } from './system-options.ts';

export class Agents {
  readonly #byName: Map<string, AnyAgent>;
  readonly #resolve: (name: string) => AnyAgent | undefined;

  constructor({ agents, resolveAgent = () => undefined }: Pick<SystemOptions, 'agents' | 'resolveAgent'>) {
    this.#byName = agentsByName(agents);
    this.#resolve = resolveAgent;
  }

  named(name: string): AnyAgent | undefined {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const resolved = this.#resolve(name);
    if (resolved !== undefined) this.#byName.set(name, resolved);
    return resolved;
  }

  /** Those it was given, and those it had to ask for so far. */
  known(): Iterable<AnyAgent> {
    return this.#byName.values();
  }

  /**
   * Whose schemas events from outside have to fit. Throws what the actor is suspended for, BOSUN_AGENT_UNKNOWN, or
   * BOSUN_EVENT_REFUSED where there are none.
   */
  receiver(cell: Cell): AnyAgent {
    const agent = this.of(cell);
    if (agent !== undefined) return agent;
    const { address, agent: name, bond } = cell.identity;
    if (cell.suspension !== undefined) throw cell.suspension;
    if (bond === 'supervised' && !cell.isBoss)
      throw new BosunError(
        'BOSUN_AGENT_UNKNOWN',
        `${address} is of the agent "${name}", and what events that takes is not known without its code: start ` +
          'its system',
      );
    throw new BosunError('BOSUN_EVENT_REFUSED', `${address} accepts no events from outside`);
  }

  logicOf(name: string): Logic | undefined {
    if (name === BOSS_AGENT) return { logic: bossMachine as AnyStateMachine, version: 1 };
    const agent = this.named(name);
    return agent && logicOf(agent);
  }

  /** The agent whose events an actor takes: the one it runs, which may be an older one. */
  of({ definition: { name, version } }: Cell): AnyAgent | undefined {
    // Definitions of what machines invoke have names that no agent can have.
    const agent = this.named(name);
    return agent?.version === version ? agent : (agent?.previous.find((old) => old.version === version) ?? agent);
  }
}
