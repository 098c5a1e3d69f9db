/**
 * Handlers of the methods by which people intervene. Each order is audited under its caller's name, in the epoch that
 * carries it out.
 */
import { type EventObject, type StateValue } from 'xstate';
import { childAddress } from '../../actors/model/address.ts';
import { BOSS_AGENT, type BossView } from '../../actors/model/supervision.ts';
import { messageUnknown } from '../../actors/world/mailbox/dead-letter.ts';
import { type OrderedBy } from '../../actors/world/audit-record.ts';
import { BosunError } from '../../errors.ts';
import { type Shard } from '../../shard.ts';
import { type Call, type Handlers, reach } from './call.ts';
import { type Caller, mayReach } from '../callers/callers.ts';
import { type ActorViews } from '../topics/actor-views.ts';
import { spokenBy } from './spoken-by.ts';

interface Reasons {
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
}

export function orderHandlers(system: Shard, views: ActorViews) {
  return { ...actorOrders(system, views), ...bossOrders(system), ...letterOrders(system) };
}

function actorOrders(system: Shard, views: ActorViews) {
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
    'table.put': async ({ address, table, key, row, ifSequence, ...said }, { caller }) => {
      await admin.putRow(reach(caller, address), { table, key }, row, orderedBy(caller, said), { ifSequence });
      return views.actor(address);
    },
    'table.delete': async ({ address, table, key, ifSequence, ...said }, { caller }) => {
      await admin.deleteRow(reach(caller, address), { table, key }, orderedBy(caller, said), { ifSequence });
      return views.actor(address);
    },
    'actor.kill': order((address, as) => admin.kill(address, as)),
    'actor.stop': order((address, as) => stop(system, address, as)),
    'actor.restart': order((address, as) => restart(system, address, as)),
    'actor.erase': order((address, as) => system.erase(address, as)),
  } satisfies Partial<Handlers>;
}

function bossOrders(system: Shard) {
  /** The caller must be allowed to reach the child, not only its Boss. */
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

function letterOrders(system: Shard) {
  const { deadLetters } = system;
  return {
    'deadletter.redeliver': ({ number, event, ...said }, { caller }) => {
      const { address } = reachLetter(system, caller, number);
      const as = orderedBy(caller, said);
      if (event === undefined) return deadLetters.redeliver(number, as).then(nothing);
      const edited = spokenBy(caller, event as EventObject, () => system.clientApi.agentAt(address));
      return deadLetters.edit(number, edited, as).then(nothing);
    },
    'deadletter.discard': ({ number, ...said }, { caller }) => {
      reachLetter(system, caller, number);
      return deadLetters.discard(number, orderedBy(caller, said)).then(nothing);
    },
  } satisfies Partial<Handlers>;
}

async function stop(system: Shard, address: string, as: OrderedBy): Promise<void> {
  const place = placeOf(system, address);
  if (place === undefined)
    throw new BosunError('BOSUN_ORDER_REFUSED', `${address} cannot be ended by order: it is not a child of a Boss`);
  await system.boss(place.boss, as).terminateChild(place.id);
}

/**
 * Restarts an actor by OTP's terminate_child and restart_child. Refused before anything has ended if restart_child
 * would not find the child.
 */
async function restart(system: Shard, address: string, as: OrderedBy): Promise<void> {
  const refuse = (why: string) =>
    new BosunError('BOSUN_ORDER_REFUSED', `${address} cannot be started again by order: ${why}`);
  const place = placeOf(system, address);
  if (place === undefined) throw refuse('it is not a child of a Boss');
  const { boss, id } = place;
  const handle = system.boss(boss, as);
  const { template } = system.snapshot(boss)!.context as BossView;
  if (template !== undefined || handle.getChildSpec(id).restart === 'temporary')
    throw refuse('its Boss forgets it when it ends');
  await handle.terminateChild(id);
  await handle.restartChild(id);
}

/**
 * Finds the Boss of the child at an address, and the child's id. Asks the Bosses, because a child that has ended has no
 * actor to ask.
 */
function placeOf(system: Shard, address: string): { readonly boss: string; readonly id: string } | undefined {
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

/**
 * The author and reason for the audit. Throws BOSUN_FORBIDDEN if `by` is another person's name, unless the caller is
 * the operator.
 */
function orderedBy(caller: Caller, { by, reason }: Reasons): OrderedBy {
  const { id, person = id, isOperator } = caller;
  if (by !== undefined && isOperator !== true && by !== caller.person)
    throw new BosunError('BOSUN_FORBIDDEN', 'only the operator may give orders in the name of others');
  return { by: by ?? person, ...(reason !== undefined && { reason }) };
}

/**
 * Finds a dead letter whose address the caller may reach. Throws BOSUN_MESSAGE_UNKNOWN if there is none and if the
 * caller may not, so as not to reveal foreign letters.
 */
function reachLetter(system: Shard, caller: Caller, number: number): { readonly address: string } {
  const letter = system.deadLetters.list().find((one) => one.number === number);
  if (letter === undefined || !mayReach(caller, letter.address)) throw messageUnknown(number);
  return letter;
}

function nothing(): object {
  return {};
}
