/**
 * The state of a stopped store as the orders that were left in it leave it: a system on a copy in memory takes what is
 * in the mailboxes, so that a further order is tried by the desk's own rules. Its time stands still, no work is done,
 * and no port answers: it goes no further than what the orders alone decide.
 */
import { createMachine } from 'xstate';
import { defineAgent } from '../../actors/api/define-agent.ts';
import { ROOT } from '../../actors/model/address.ts';
import { type AnyAgent } from '../../actors/model/agent.ts';
import { type Clock, systemClock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { crewAgentsFor, type CrewPorts } from '../../machines/crew.ts';
import { type OrderReply, refused } from '../../machines/rules/turn.ts';
import { layeredStore } from '../../persistence/store/layered-store.ts';
import { Shard } from '../../shard.ts';
import { type BossOptions } from '../../supervisor/child-spec.ts';
import { type Held } from '../store/data-directory.ts';

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

/** A system in which the orders left before are carried out. */
export class Foresight {
  readonly system: Shard;
  readonly #held: Held;

  private constructor(system: Shard, held: Held) {
    this.system = system;
    this.#held = held;
  }

  /** Looks ahead. Undefined if the store cannot be started with the agents of the crew, or holds nothing. */
  static async of(held: Held): Promise<Foresight | undefined> {
    const system = await startedAbove(held);
    if (system === undefined) return undefined;
    await quiet(system);
    return new Foresight(system, held);
  }

  /**
   * The desk's reply to an order; undefined if it does not answer before time goes on, or is not there to answer. An
   * order that is taken once those before it are carried out may still be refused at the next start, where it comes
   * right behind them: then it is refused here.
   */
  async reply(desk: string, event: { readonly type: string }): Promise<OrderReply | undefined> {
    const reply = await replyIn(this.system, desk, event);
    if (reply?.taken !== true) return reply;
    const next = await startedAbove(this.#held);
    if (next === undefined) return reply;
    try {
      const said = await replyIn(next, desk, event);
      return said?.taken === false ? refused(...said.problems, 'an order left before comes first') : reply;
    } finally {
      next.abandon();
    }
  }

  end(): void {
    this.system.abandon();
  }
}

/** A system above a stopped store, in which the orders left before are about to be carried out. */
async function startedAbove({ system: held, store, resolveAgent }: Held): Promise<Shard | undefined> {
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
  try {
    await system.start();
    return system;
  } catch {
    // The next start may have what is missing here. The order is left as the stored state admits it.
    system.abandon();
    return undefined;
  }
}

async function replyIn(system: Shard, desk: string, event: { readonly type: string }): Promise<OrderReply | undefined> {
  const asked = system.ask<OrderReply>(desk, event).catch((error: unknown) => {
    if (error instanceof BosunError && error.code === 'BOSUN_EVENT_INVALID') throw error;
    return undefined;
  });
  return Promise.race([asked, quiet(system).then(() => undefined)]);
}

async function quiet(system: Shard): Promise<void> {
  for (let round = 0; round < QUIET_ROUNDS; round++) {
    await new Promise<void>((resolve) => systemClock.defer(resolve));
    await system.idle();
  }
}
