/**
 * Rows of the table of methods: orders of people. Each is audited under its caller's name, in the epoch that carries it
 * out.
 */
import { type EventObject, type StateValue } from 'xstate';
import { z } from 'zod';
import { childAddress } from '../../actors/model/address.ts';
import { BOSS_AGENT, type BossView } from '../../actors/model/supervision.ts';
import { messageUnknown } from '../../actors/world/mailbox/dead-letter.ts';
import type { OrderedBy } from '../../actors/world/audit-record.ts';
import { BosunError } from '../../errors.ts';
import { type Shard } from '../../shard.ts';
import { type Caller, mayReach } from '../callers/callers.ts';
import { TABLE_KEY_CHARS_MAX } from '../../limits.ts';
import { type CallParts } from './call-parts.ts';
import { type Call, reach } from './call.ts';
import { kernelMethod } from './method-row.ts';
import { actorView, address, counter, event, ifSequence, name, nothing, order } from './method-shapes.ts';
import { spokenBy } from './spoken-by.ts';

/** An order about one actor, without a result. */
const OF_ACTOR = {
  scope: 'actor:admin',
  params: z.object({ address, ...order }),
  result: nothing,
  example: { p: { address: 'visits' }, r: {} },
} as const;

/** An order about a child of a Boss, without a result. */
const OF_CHILD = {
  scope: 'actor:admin',
  params: z.object({ address: address.default('root'), id: address, ...order }),
  result: nothing,
  example: { p: { address: 'root', id: 'visits' }, r: {} },
} as const;

/** A row of a table in an actor's context. */
const OF_ROW = z.object({
  address,
  table: name.describe('Key of the table in the context.'),
  key: z.string().min(1).max(TABLE_KEY_CHARS_MAX),
  ifSequence,
  ...order,
});

export const ORDER_METHODS = {
  'actor.suspend': kernelMethod({
    ...OF_ACTOR,
    means: 'Suspends an actor: it takes no turns until it is resumed.',
    does: 'changes',
    http: { verb: 'POST', path: '/v1/actors/{address}/suspend' },
    example: { p: { address: 'visits', reason: 'figures under review' }, r: {} },
    over: 'addresses',
    run: given(({ system }, address, as) => system.admin.suspend(address, as)),
  }),
  'actor.resume': kernelMethod({
    ...OF_ACTOR,
    means: 'Resumes a suspended actor. One that failed again and again is restarted.',
    does: 'changes',
    http: { verb: 'POST', path: '/v1/actors/{address}/resume' },
    over: 'addresses',
    run: given(({ system }, address, as) => system.admin.resume(address, as)),
  }),
  'actor.step': kernelMethod({
    ...OF_ACTOR,
    means:
      'Lets a suspended actor take one message and stay suspended. `event` is its type; null if there was none ' +
      'to take.',
    does: 'changes',
    result: z.object({ event: z.string().nullable() }),
    http: { verb: 'POST', path: '/v1/actors/{address}/step' },
    example: { p: { address: 'visits' }, r: { event: 'add' } },
    over: 'addresses',
    run: async ({ address, ...said }, { caller }, { system: { admin } }) => ({
      event: (await admin.step(reach(caller, address), orderedBy(caller, said)))?.type ?? null,
    }),
  }),
  'actor.replace': kernelMethod({
    means:
      'Puts a suspended machine into another state value, gives it another context, or both. Entry and exit ' +
      'actions do not run.',
    scope: 'actor:admin',
    does: 'destroys',
    params: z.object({
      address,
      value: z.unknown().optional(),
      context: z.record(z.string(), z.unknown()).optional(),
      ifSequence,
      ...order,
    }),
    result: actorView,
    http: { verb: 'POST', path: '/v1/actors/{address}/replace' },
    example: {
      p: { address: 'visits', context: { count: 1 }, ifSequence: 1, reason: 'counted twice' },
      r: { ...counter, status: 'suspended' },
    },
    over: 'address',
    run: async ({ address, value, context, ifSequence, ...said }, { caller }, { system: { admin }, views }) => {
      const next = {
        ...(value !== undefined && { value: value as StateValue }),
        ...(context !== undefined && { context }),
      };
      await admin.replaceState(reach(caller, address), next, orderedBy(caller, said), { ifSequence });
      return views.actor(address);
    },
  }),
  'table.put': kernelMethod({
    means:
      'Sets one row of a table of the context of a suspended machine. BOSUN_TABLE_UNKNOWN if the context has no ' +
      'such table.',
    scope: 'actor:admin',
    does: 'destroys',
    params: OF_ROW.extend({ row: z.unknown() }),
    result: actorView,
    http: { verb: 'POST', path: '/v1/actors/{address}/tables/{table}/put' },
    example: {
      p: { address: 'visits', table: 'guests', key: 'ada', row: { count: 2 } },
      r: { ...counter, status: 'suspended' },
    },
    over: 'address',
    run: async ({ address, table, key, row, ifSequence, ...said }, { caller }, { system: { admin }, views }) => {
      await admin.putRow(reach(caller, address), { table, key }, row, orderedBy(caller, said), { ifSequence });
      return views.actor(address);
    },
  }),
  'table.delete': kernelMethod({
    means:
      'Removes one row of a table of the context of a suspended machine. BOSUN_ORDER_REFUSED if there is no such row.',
    scope: 'actor:admin',
    does: 'destroys',
    params: OF_ROW,
    result: actorView,
    http: { verb: 'POST', path: '/v1/actors/{address}/tables/{table}/delete' },
    example: {
      p: { address: 'visits', table: 'guests', key: 'bob', reason: 'was never here' },
      r: { ...counter, status: 'suspended' },
    },
    over: 'address',
    run: async ({ address, table, key, ifSequence, ...said }, { caller }, { system: { admin }, views }) => {
      await admin.deleteRow(reach(caller, address), { table, key }, orderedBy(caller, said), { ifSequence });
      return views.actor(address);
    },
  }),
  'actor.kill': kernelMethod({
    ...OF_ACTOR,
    means: 'Fails an actor with BOSUN_KILLED: its Boss, or the machine that it belongs to, handles that like a crash.',
    does: 'destroys',
    http: { verb: 'POST', path: '/v1/actors/{address}/kill' },
    over: 'addresses',
    run: given(({ system }, address, as) => system.admin.kill(address, as)),
  }),
  'actor.stop': kernelMethod({
    ...OF_ACTOR,
    means: 'Ends a child of a Boss, as `boss.terminateChild` does.',
    does: 'destroys',
    http: { verb: 'POST', path: '/v1/actors/{address}/stop' },
    over: 'addresses',
    run: given(({ system }, address, as) => stop(system, address, as)),
  }),
  'actor.restart': kernelMethod({
    ...OF_ACTOR,
    means:
      'Ends a child of a Boss and has the Boss start it again. BOSUN_ORDER_REFUSED for children that a Boss ' +
      'forgets when they end.',
    does: 'destroys',
    http: { verb: 'POST', path: '/v1/actors/{address}/restart' },
    over: 'addresses',
    run: given(({ system }, address, as) => restart(system, address, as)),
  }),
  'actor.erase': kernelMethod({
    ...OF_ACTOR,
    means: 'Removes an actor and everything below it for good, from the files too.',
    does: 'destroys',
    http: { verb: 'POST', path: '/v1/actors/{address}/erase' },
    over: 'addresses',
    run: given(({ system }, address, as) => system.erase(address, as)),
  }),
  'boss.terminateChild': kernelMethod({
    ...OF_CHILD,
    means: 'Ends a child. Its record is kept, but for temporary and dynamic children.',
    does: 'destroys',
    http: { verb: 'POST', path: '/v1/bosses/{address}/terminate' },
    over: 'child',
    run: (params, { caller }, { system }) => bossOf(system, caller, params).terminateChild(params.id).then(noResult),
  }),
  'boss.restartChild': kernelMethod({
    ...OF_CHILD,
    means: 'Restarts a child that has ended.',
    does: 'changes',
    result: z.object({ address: z.string() }),
    http: { verb: 'POST', path: '/v1/bosses/{address}/restart' },
    example: { p: { address: 'root', id: 'visits' }, r: { address: 'visits' } },
    over: 'child',
    run: async (params, { caller }, { system }) => ({
      address: await bossOf(system, caller, params).restartChild(params.id),
    }),
  }),
  'boss.deleteChild': kernelMethod({
    ...OF_CHILD,
    means: 'Deletes the spec of a child that has ended.',
    does: 'destroys',
    http: { verb: 'POST', path: '/v1/bosses/{address}/delete' },
    over: 'child',
    run: (params, { caller }, { system }) => bossOf(system, caller, params).deleteChild(params.id).then(noResult),
  }),
  'deadletter.redeliver': kernelMethod({
    means:
      "Takes a dead letter out and puts it, or `event` in its place, at the end of its receiver's mailbox. A " +
      'repeat finds it gone.',
    scope: 'actor:admin',
    does: 'changes',
    params: z.object({ number: z.number().int().positive(), event: event.optional(), ...order }),
    result: nothing,
    http: { verb: 'POST', path: '/v1/dead-letters/redeliver' },
    example: { p: { number: 3 }, r: {} },
    over: 'joined',
    run: ({ number, event, ...said }, { caller }, { system }) => {
      const { address } = reachLetter(system, caller, number);
      const as = orderedBy(caller, said);
      if (event === undefined) return system.deadLetters.redeliver(number, as).then(noResult);
      const edited = spokenBy(caller, event as EventObject, () => system.clientApi.agentAt(address));
      return system.deadLetters.edit(number, edited, as).then(noResult);
    },
  }),
  'deadletter.discard': kernelMethod({
    means: 'Removes a dead letter for good.',
    scope: 'actor:admin',
    does: 'destroys',
    params: z.object({ number: z.number().int().positive(), ...order }),
    result: nothing,
    http: { verb: 'POST', path: '/v1/dead-letters/discard' },
    example: { p: { number: 3 }, r: {} },
    over: 'joined',
    run: ({ number, ...said }, { caller }, { system }) => {
      reachLetter(system, caller, number);
      return system.deadLetters.discard(number, orderedBy(caller, said)).then(noResult);
    },
  }),
};

interface Reasons {
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
}

/** Carries out an order about one actor that has no result. */
function given(give: (parts: CallParts, address: string, as: OrderedBy) => Promise<void>) {
  return ({ address, ...said }: Reasons & { readonly address: string }, { caller }: Call, parts: CallParts) =>
    give(parts, reach(caller, address), orderedBy(caller, said)).then(noResult);
}

/** The Boss of a child. The caller must be allowed to reach the child, not only its Boss. */
function bossOf(system: Shard, caller: Caller, { address, id, ...said }: Reasons & { address: string; id: string }) {
  reach(caller, childAddress(address, id));
  return system.boss(address, orderedBy(caller, said));
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

function noResult(): object {
  return {};
}
