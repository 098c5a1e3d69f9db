/**
 * The state of a stopped store as the orders that were left in it leave it: a system on a copy in memory takes what is
 * in the mailboxes, so that a further order is tried by the desk's own rules. Its time stands still, no work is done,
 * and no port answers: it goes no further than what the orders alone decide.
 */
import { createMachine } from 'xstate';
import { defineAgent } from '../actors/api/define-agent.ts';
import { ROOT } from '../actors/model/address.ts';
import { type AnyAgent } from '../actors/model/agent.ts';
import { type Store } from '../actors/model/ports.ts';
import { type Clock, systemClock } from '../clock.ts';
import { BosunError } from '../errors.ts';
import { crewAgentsFor, type CrewPorts } from '../machines/crew.ts';
import { type OrderReply } from '../machines/rules/turn.ts';
import { layeredStore } from '../persistence/layered-store.ts';
import { Shard } from '../shard.ts';
import { type BossOptions } from '../supervisor/child-spec.ts';

/** Kernel time goes on from the last epoch; no timer that is not due there comes up. */
const STANDING: Clock = {
  wallMs: () => 0,
  monotonicMs: () => 0,
  setTimeout: () => () => {},
  defer: (callback) => systemClock.defer(callback),
};

/** Rounds without work after which nothing more happens: promises of agents settle between them. */
const QUIET_ROUNDS = 3;

const never = (): Promise<never> => new Promise(() => {});
const PORTS: CrewPorts = { resources: never, deliver: never, scoreClarity: never };

/** A stand-in for an agent of somebody else, whose actors are then shown as stored and take no turn. */
function unread(name: string): AnyAgent {
  return defineAgent({ name, machine: createMachine({ id: `unread ${name}` }), events: {} });
}

/** A stopped store, opened on hold. */
export interface Held {
  readonly system: Shard;
  readonly store: Store;
  readonly resolveAgent: (name: string) => AnyAgent | undefined;
}

/** A system in which the orders left before are carried out. */
export class Foresight {
  readonly system: Shard;

  private constructor(system: Shard) {
    this.system = system;
  }

  /** Looks ahead. Undefined if the store cannot be started with the agents of the crew, or holds nothing. */
  static async of({ system: held, store, resolveAgent }: Held): Promise<Foresight | undefined> {
    const root = held.snapshot(ROOT)?.context as { readonly declared?: BossOptions['children'] } | undefined;
    if (root?.declared === undefined) return undefined;
    const system = new Shard({
      agents: crewAgentsFor(PORTS),
      resolveAgent: (name) => resolveAgent(name) ?? unread(name),
      store: layeredStore(store),
      tree: { children: root.declared },
      clock: STANDING,
      scrub: false,
      caution: false,
      log: () => {},
    });
    const ahead = new Foresight(system);
    try {
      await system.start();
      await ahead.#quiet();
    } catch {
      // The next start may have what is missing here. The order is left as the stored state admits it.
      ahead.end();
      return undefined;
    }
    return ahead;
  }

  /** The desk's reply to an order; undefined if it does not answer before time goes on, or is not there to answer. */
  async reply(desk: string, event: { readonly type: string }): Promise<OrderReply | undefined> {
    const asked = this.system.ask<OrderReply>(desk, event).catch((error: unknown) => {
      if (error instanceof BosunError && error.code === 'BOSUN_EVENT_INVALID') throw error;
      return undefined;
    });
    return Promise.race([asked, this.#quiet().then(() => undefined)]);
  }

  end(): void {
    this.system.abandon();
  }

  async #quiet(): Promise<void> {
    for (let round = 0; round < QUIET_ROUNDS; round++) {
      await new Promise<void>((resolve) => systemClock.defer(resolve));
      await this.system.idle();
    }
  }
}
