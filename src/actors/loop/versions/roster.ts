/** The agents in the code of today, each prepared for hosting at its first use. */
import { type AnyActorLogic } from 'xstate';
import { type AnyAgent } from '../../model/agent.ts';
import { NO_POLICIES, type Policies } from '../../model/policies.ts';
import { type Definition } from '../../model/step-engine.ts';
import { PLAIN_TIMING, type Timing } from '../../model/timing.ts';
import { type MigrationSteps } from '../../model/version-rules.ts';
import type { Cell } from '../../world/cell.ts';
import { Definitions, type XstateDefinition } from '../../xstate/definition.ts';

/** An agent in the form that the kernel uses. */
export interface Logic {
  readonly logic: AnyActorLogic;
  readonly version: number;
  readonly migrate?: MigrationSteps;
  readonly migrateChildren?: Readonly<Record<string, MigrationSteps>>;
  readonly policies?: Policies;
  readonly timing?: Timing;
  /** Old definitions on which actors that were stored by them go on. */
  readonly previous?: readonly Logic[];
}

interface Entry {
  readonly today: XstateDefinition;
  readonly kept: readonly XstateDefinition[];
}

export class Roster {
  readonly definitions = new Definitions();
  readonly #logicOf: (agent: string) => Logic | undefined;
  readonly #entries = new Map<string, Entry | undefined>();
  /** The configurations in which a snapshot of each machine has been restored, without history and children. */
  readonly #restored = new WeakMap<Definition, Set<number>>();

  /**
   * Makes the roster.
   *
   * @param logicOf Returns the logic of an agent, or of the Boss; undefined for an unknown name.
   */
  constructor(logicOf: (agent: string) => Logic | undefined) {
    this.#logicOf = logicOf;
  }

  /** The present definition, for an actor that is born now. */
  today(agent: string): XstateDefinition | undefined {
    return this.#entry(agent)?.today;
  }

  /** Records that a snapshot was restored from the state of an actor. */
  restored({ definition, state, children }: Cell): void {
    if (definition.kind !== 'machine' || state.history !== null || children.size > 0) return;
    const known = this.#restored.get(definition) ?? new Set();
    this.#restored.set(definition, known.add(state.configuration!));
  }

  /** Whether a snapshot of this machine was restored in this configuration: then it can be restored at any time. */
  hasRestored({ definition, state: { configuration, history }, children, role }: Cell): boolean {
    if (configuration === null || history !== null || children.size > 0 || role.supervises) return false;
    return this.#restored.get(definition)?.has(configuration) === true;
  }

  kept(agent: string): readonly XstateDefinition[] {
    return this.#entry(agent)?.kept ?? [];
  }

  #entry(agent: string): Entry | undefined {
    if (!this.#entries.has(agent)) {
      const found = this.#logicOf(agent);
      this.#entries.set(
        agent,
        found && {
          today: this.#prepare(agent, found),
          kept: (found.previous ?? []).map((old) => this.#prepare(agent, old)),
        },
      );
    }
    return this.#entries.get(agent);
  }

  #prepare(
    agent: string,
    { logic, version, migrate = {}, migrateChildren = {}, policies = NO_POLICIES, timing = PLAIN_TIMING }: Logic,
  ): XstateDefinition {
    return this.definitions.prepare(agent, logic, version, {
      steps: { own: migrate, below: migrateChildren },
      policies,
      timing,
    });
  }
}

/** Converts an agent to the form that the kernel uses. */
export function logicOf({ machine, version, policies, timing, migrate, migrateChildren, previous }: AnyAgent): Logic {
  return { logic: machine, version, policies, timing, migrate, migrateChildren, previous: previous.map(logicOf) };
}
