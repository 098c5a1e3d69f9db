/** The agents that the code of today has, each prepared for hosting when it is first asked for. */
import { type AnyActorLogic } from 'xstate';
import { type AnyAgent } from '../../model/agent.ts';
import { NO_POLICIES, type Policies } from '../../model/policies.ts';
import { PLAIN_TIMING, type Timing } from '../../model/timing.ts';
import { type MigrationSteps } from '../../model/version-rules.ts';
import { Definitions, type XstateDefinition } from '../../xstate/definition.ts';

/** An agent as the kernel wants it. */
export interface Logic {
  readonly logic: AnyActorLogic;
  readonly version: number;
  readonly migrate?: MigrationSteps;
  readonly migrateChildren?: Readonly<Record<string, MigrationSteps>>;
  readonly policies?: Policies;
  readonly timing?: Timing;
  /** Old definitions on which the actors that they stored go on. */
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

  /** @param logicOf The logic of an agent, the Boss among them; undefined for an unknown name. */
  constructor(logicOf: (agent: string) => Logic | undefined) {
    this.#logicOf = logicOf;
  }

  /** What an actor that is born now runs. */
  today(agent: string): XstateDefinition | undefined {
    return this.#entry(agent)?.today;
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

/** An agent as the kernel wants it. */
export function logicOf({ machine, version, policies, timing, migrate, migrateChildren, previous }: AnyAgent): Logic {
  return { logic: machine, version, policies, timing, migrate, migrateChildren, previous: previous.map(logicOf) };
}
