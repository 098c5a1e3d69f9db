/**
 * Stubs in the place of the effects of agents. An agent is given its stubs once and keeps them over all starts, because
 * a machine that is another object is compiled anew at each start; a stub asks the receiver of the run that is under
 * way. So a set of stubs has one run at a time.
 */
import { type AnyActorLogic, fromPromise, type AnyStateMachine } from 'xstate';
import { type AnyAgent } from '../actors/model/agent.ts';
import { actionOf, effectOf } from '../actors/model/ref.ts';
import { customAction, kindOf } from '../actors/xstate/machine-facts.ts';
import { BosunError } from '../errors.ts';
import { didYouMean } from '../near-names.ts';

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
  readonly #effects: ReadonlyMap<string, AnyActorLogic | null>;
  readonly #stubbed = new WeakMap<AnyAgent, AnyAgent>();

  /**
   * Makes the stubs.
   *
   * @param effects By agent and name, as in the option `effects`: the logic to run instead; null to ask the receiver.
   */
  constructor(effects: ReadonlyMap<string, AnyActorLogic | null>) {
    this.#effects = effects;
  }

  /** Whether a promise is the stub that asks the receiver, or given logic. */
  has(agent: string, name: string): boolean {
    return this.#effects.has(`${agent}.${name}`);
  }

  /**
   * Returns the agents with stubs in place of their effects.
   *
   * @throws BOSUN_CONFIG_INVALID for an effect that no machine has.
   */
  in(agents: readonly AnyAgent[]): AnyAgent[] {
    const names = agents.map(({ name }) => name);
    for (const effect of this.#effects.keys()) {
      if (names.some((name) => effect.startsWith(`${name}.`))) continue;
      const name = effect.split('.', 1)[0]!;
      throw invalid(`"${effect}": no agent is named "${name}"${didYouMean(name, names)}`);
    }
    return agents.map((agent) => {
      const stubbed = this.#stubbed.get(agent) ?? this.#withStubs(agent);
      this.#stubbed.set(agent, stubbed);
      return stubbed;
    });
  }

  #withStubs(agent: AnyAgent): AnyAgent {
    const prefix = `${agent.name}.`;
    const names = [...this.#effects.keys()]
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length));
    return names.length === 0 ? agent : { ...agent, machine: this.#provided(agent.machine, agent.name, names) };
  }

  #provided(machine: AnyStateMachine, agent: string, names: readonly string[]): AnyStateMachine {
    const actors = machine.implementations.actors as Record<string, Parameters<typeof kindOf>[0] | undefined>;
    const stubs: { actors: Record<string, unknown>; actions: Record<string, unknown> } = { actors: {}, actions: {} };
    for (const name of names) {
      const key = `${agent}.${name}`;
      const own = Object.hasOwn(actors, name) ? actors[name] : undefined;
      const given = this.#effects.get(key)!;
      if (given !== null && own !== undefined) stubs.actors[name] = given;
      else if (given === null && own !== undefined && kindOf(own) === 'promise')
        stubs.actors[name] = this.#promise(key, name);
      else if (given === null && customAction(machine, name) !== undefined)
        stubs.actions[name] = this.#action(key, name);
      else throw invalid(misfit(machine, { key, name, own, given }));
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

/** Why a stub does not fit its machine. */
function misfit(
  machine: AnyStateMachine,
  stub: {
    readonly key: string;
    readonly name: string;
    readonly own: AnyActorLogic | undefined;
    readonly given: AnyActorLogic | null;
  },
): string {
  const { key, name, own, given } = stub;
  const of = `of the machine "${machine.id}"`;
  if (own !== undefined) return `"${key}" is a ${kindOf(own)} ${of}: give logic in its place, not a function`;
  const { actors, actions } = machine.implementations as { readonly actors: object; readonly actions: object };
  const near = didYouMean(name, [...Object.keys(actors), ...Object.keys(actions)]);
  const wanted = given === null ? 'promise and no custom action' : 'actor';
  return `"${key}" is no ${wanted} ${of}${near}`;
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
