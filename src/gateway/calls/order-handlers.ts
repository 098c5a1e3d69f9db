/** Methods by which people intervene: each is audited in the epoch of what it does, as an order of its caller. */
import { type EventObject, type StateValue } from 'xstate';
import { childAddress } from '../../actors/model/address.ts';
import { BOSS_AGENT } from '../../actors/model/agent.ts';
import { type BossView } from '../../actors/model/supervision.ts';
import { type OrderedBy } from '../../actors/world/audit-record.ts';
import { BosunError } from '../../errors.ts';
import { type System } from '../../system.ts';
import { type Call, type Handlers, reach } from './call.ts';
import { type Caller, checkAddressed } from '../client/callers.ts';
import { type ActorViews } from '../topics/actor-views.ts';

interface Reasons {
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
}

export function orderHandlers(system: System, views: ActorViews) {
  return { ...actorOrders(system, views), ...bossOrders(system), ...letterOrders(system) };
}

function actorOrders(system: System, views: ActorViews) {
  const { admin } = system;
  const order =
    (give: (address: string, as: OrderedBy) => Promise<void>) =>
    ({ address, ...said }: Reasons & { readonly address: string }, { caller }: Call) =>
      give(reach(caller, address), orderedBy(caller, said)).then(nothing);
  return {
    'actor.suspend': order((address, as) => admin.suspend(address, as)),
    'actor.resume': order((address, as) => admin.resume(address, as)),
    'actor.step': async ({ address, ...said }, { caller }) => ({
      event: (await admin.step(reach(caller, address), orderedBy(caller, said)))?.type ?? null,
    }),
    'actor.replace': async ({ address, value, context, ifSequence, ...said }, { caller }) => {
      const next = {
        ...(value !== undefined && { value: value as StateValue }),
        ...(context !== undefined && { context }),
      };
      await admin.replaceState(reach(caller, address), next, orderedBy(caller, said), { ifSequence });
      return views.actor(address);
    },
    'actor.kill': order((address, as) => admin.kill(address, as)),
    'actor.stop': order((address, as) => stop(system, address, as)),
    'actor.restart': order((address, as) => restart(system, address, as)),
    'actor.erase': order((address, as) => system.erase(address, as)),
  } satisfies Partial<Handlers>;
}

function bossOrders(system: System) {
  /** Whose order it is must reach the child. */
  const ofChild = (caller: Caller, { address, id, ...said }: Reasons & { address: string; id: string }) => {
    reach(caller, childAddress(address, id));
    return system.boss(address, orderedBy(caller, said));
  };
  return {
    'boss.terminateChild': (params, { caller }) => ofChild(caller, params).terminateChild(params.id).then(nothing),
    'boss.restartChild': (params, { caller }) =>
      ofChild(caller, params)
        .restartChild(params.id)
        .then((address) => ({ address })),
    'boss.deleteChild': (params, { caller }) => ofChild(caller, params).deleteChild(params.id).then(nothing),
  } satisfies Partial<Handlers>;
}

function letterOrders(system: System) {
  const { deadLetters } = system;
  return {
    'deadletter.redeliver': ({ number, event, ...said }, { caller }) => {
      reachLetter(system, caller, number);
      const as = orderedBy(caller, said);
      return (
        event === undefined ? deadLetters.redeliver(number, as) : deadLetters.edit(number, event as EventObject, as)
      ).then(nothing);
    },
    'deadletter.discard': ({ number, ...said }, { caller }) => {
      reachLetter(system, caller, number);
      return deadLetters.discard(number, orderedBy(caller, said)).then(nothing);
    },
  } satisfies Partial<Handlers>;
}

async function stop(system: System, address: string, as: OrderedBy): Promise<void> {
  const place = placeOf(system, address);
  if (place === undefined)
    throw new BosunError('BOSUN_ORDER_REFUSED', `${address} cannot be ended by order: it is no child of a Boss`);
  await system.boss(place.boss, as).terminateChild(place.id);
}

/** OTP's terminate_child and restart_child; refused before anything has ended where the second would find nobody. */
async function restart(system: System, address: string, as: OrderedBy): Promise<void> {
  const refuse = (why: string) =>
    new BosunError('BOSUN_ORDER_REFUSED', `${address} cannot be started again by order: ${why}`);
  const place = placeOf(system, address);
  if (place === undefined) throw refuse('it is no child of a Boss');
  const { boss, id } = place;
  const handle = system.boss(boss, as);
  const { template } = system.snapshot(boss)!.context as BossView;
  if (template !== undefined || handle.getChildSpec(id).restart === 'temporary')
    throw refuse('its Boss forgets it when it ends');
  await handle.terminateChild(id);
  await handle.restartChild(id);
}

/**
 * The Boss that knows the child of an address, and by which id. A child that has ended has no actor that could tell.
 */
function placeOf(system: System, address: string): { readonly boss: string; readonly id: string } | undefined {
  const parts = address.split('/');
  for (let depth = parts.length - 1; depth >= 0; depth--) {
    const boss = depth === 0 ? 'root' : parts.slice(0, depth).join('/');
    const id = parts.slice(depth).join('/');
    if (system.snapshot(boss)?.agent !== BOSS_AGENT) continue;
    if (
      system
        .boss(boss)
        .whichChildren()
        .some((child) => child.id === id && child.address === address)
    )
      return { boss, id };
  }
  system.actor(address).snapshot();
  return undefined;
}

/** Throws BOSUN_FORBIDDEN for whoever speaks for others and is not the operator. */
function orderedBy(caller: Caller, { by, reason }: Reasons): OrderedBy {
  if (by !== undefined && caller.isOperator !== true)
    throw new BosunError('BOSUN_FORBIDDEN', 'only the operator gives orders in the name of others');
  return { by: by ?? caller.id, ...(reason !== undefined && { reason }) };
}

/** What is not there is for the order itself to say. */
function reachLetter(system: System, caller: Caller, number: number): void {
  const letter = system.deadLetters.list().find((one) => one.number === number);
  if (letter !== undefined) checkAddressed(caller, letter.address);
}

function nothing(): object {
  return {};
}
