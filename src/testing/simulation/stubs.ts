/**
 * Stubs in the place of the effects of agents. An agent is given its stubs once and keeps them over all runs of its
 * simulation, because a machine that is another object is compiled anew at each start; a stub asks the outside of the
 * run that is under way. So a simulation has one run at a time.
 */
import { fromPromise, type AnyStateMachine } from 'xstate';
import { type AnyAgent } from '../../actors/model/agent.ts';
import { actionOf, effectOf } from '../../actors/model/ref.ts';
import { customAction, kindOf } from '../../actors/xstate/machine-facts.ts';
import { BosunError } from '../../errors.ts';

/** One call of a stub. */
export interface StubCall {
  /** Agent and name (`order.charge`), as in the option `effects`. */
  readonly key: string;
  readonly name: string;
  readonly input: unknown;
  readonly facts: { readonly address: string; readonly effectId: string; readonly attempt: number };
}

/** The receiver that answers the calls of stubs. */
export interface Stubbed {
  call(call: StubCall): Promise<unknown>;
}

export class Stubs {
  /** The receiver of calls during the present run. */
  outside: Stubbed | undefined;
  readonly #effects: readonly string[];
  readonly #stubbed = new WeakMap<AnyAgent, AnyAgent>();

  /**
   * Makes the stubs.
   *
   * @param effects Agents and names, as in the option `effects`.
   */
  constructor(effects: readonly string[]) {
    this.#effects = effects;
  }

  /**
   * Returns the agents with stubs in place of their effects.
   *
   * @throws BOSUN_CONFIG_INVALID for an effect that no machine has.
   */
  in(agents: readonly AnyAgent[]): AnyAgent[] {
    for (const effect of this.#effects) {
      const [agent] = effect.split('.', 1);
      if (!agents.some(({ name }) => name === agent)) throw invalid(`"${effect}": no agent is named "${agent}"`);
    }
    return agents.map((agent) => {
      const stubbed = this.#stubbed.get(agent) ?? this.#withStubs(agent);
      this.#stubbed.set(agent, stubbed);
      return stubbed;
    });
  }

  #withStubs(agent: AnyAgent): AnyAgent {
    const prefix = `${agent.name}.`;
    const names = this.#effects.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
    return names.length === 0 ? agent : { ...agent, machine: this.#provided(agent.machine, agent.name, names) };
  }

  #provided(machine: AnyStateMachine, agent: string, names: readonly string[]): AnyStateMachine {
    const actors = machine.implementations.actors as Record<string, Parameters<typeof kindOf>[0] | undefined>;
    const stubs: { actors: Record<string, unknown>; actions: Record<string, unknown> } = { actors: {}, actions: {} };
    for (const name of names) {
      const key = `${agent}.${name}`;
      const logic = Object.hasOwn(actors, name) ? actors[name] : undefined;
      if (logic !== undefined && kindOf(logic) === 'promise') stubs.actors[name] = this.#promise(key, name);
      else if (customAction(machine, name) !== undefined) stubs.actions[name] = this.#action(key, name);
      else throw invalid(`"${key}" is no promise and no custom action of the machine "${machine.id}"`);
    }
    return machine.provide(stubs as never) as AnyStateMachine;
  }

  #promise(key: string, name: string): unknown {
    return fromPromise(({ input, self }) => {
      const { effectId, attempt, parent } = effectOf(self);
      return this.#call({ key, name, input, facts: { address: parent?.address ?? '', effectId, attempt } });
    });
  }

  /**
   * Makes the stub of an action. A durable action is called with the id of its effect. Any other has no id, and its
   * answer is ignored.
   */
  #action(key: string, name: string): unknown {
    return ({ self }: { self: { address: string } }, params: unknown) => {
      const durable = durableFacts(self);
      const facts = { address: self.address, ...durable };
      const call = this.#call({ key, name, input: params, facts });
      if (durable.attempt > 0) return call;
      call.catch(() => {});
      return undefined;
    };
  }

  /** Calls the model of the run under way. Without a run the promise never settles, since nothing waits for it. */
  #call(call: StubCall): Promise<unknown> {
    return this.outside?.call(call) ?? new Promise<never>(() => {});
  }
}

function durableFacts(self: object): { effectId: string; attempt: number } {
  try {
    const { effectId, attempt } = actionOf(self);
    return { effectId, attempt };
  } catch {
    // A custom action that is not durable: it is called with the actor's own reference.
    return { effectId: '', attempt: 0 };
  }
}

function invalid(what: string): BosunError {
  return new BosunError('BOSUN_CONFIG_INVALID', `effects: ${what}`);
}
