/**
 * The commands behind the actions of talk-actions.ts: checked while the turn may still throw, and performed within the
 * turn, so that they are durable with it.
 */
import { type EventObject } from 'xstate';
import { BosunError } from '../../errors.ts';
import { disown } from '../../user-code.ts';
import { GROUP_NAME_CHARS_MAX, GROUPS_PER_ACTOR_MAX, MONITORS_PER_ACTOR_MAX, RECORD_BYTES_MAX } from '../../limits.ts';
import { admit, type ResolveHandle } from '../model/value-check.ts';
import { type Cell } from '../world/cell.ts';
import { type Effect } from '../model/step-engine.ts';
import { newRecord, type NewRecord, type NumberedRecord } from '../model/records.ts';
import { Ref } from '../model/ref.ts';
import { type World } from '../world/world.ts';

type Command = Extract<Effect, { kind: 'command' }>;
type AdmitSent = (event: EventObject, from: { readonly address: string }, own: ResolveHandle) => EventObject;

interface Params {
  readonly to?: unknown;
  readonly name?: unknown;
  readonly value?: unknown;
  readonly group?: unknown;
  readonly event?: unknown;
}

/**
 * Admits a command. Throws BOSUN_VALUE_REFUSED for an invalid parameter, BOSUN_AGENT_INVALID for an unknown command.
 */
export function admitTalk(world: World, cell: Cell, command: Command, admitSent: AdmitSent): Command {
  const { name } = command;
  const { own, shards } = world;
  const { address } = cell;
  const params = (command.params ?? {}) as Params;
  const { to, value, group, event } = params;
  const refuse = (what: string) => new BosunError('BOSUN_VALUE_REFUSED', `${address}: ${name} ${what}`);
  const ref = typeof to === 'object' && to !== null ? own(to) : undefined;
  if (ref === undefined) disown(to);
  switch (name) {
    case 'bosun.defer':
      if (cell.status === 'starting') throw refuse('is used in the first turn, which has no message');
      return command;
    case 'bosun.reply':
      return { ...command, params: { to: ref, value: admit(value, `reply of ${address}`, own) } };
    case 'bosun.record':
      return { ...command, params: admitRecord(world, cell, params) as unknown as object };
    case 'bosun.monitor':
    case 'bosun.demonitor':
    case 'bosun.link':
    case 'bosun.unlink':
      if (ref === undefined && typeof to !== 'string') throw refuse('needs a reference to an actor, or an address');
      if (typeof to === 'string' && shards?.isElsewhere(to) === true) {
        throw new BosunError(
          'BOSUN_ON_ANOTHER_WORKER',
          `${address}: ${name} by address works only within one worker; use a reference`,
          { details: { address, to } },
        );
      }
      return { ...command, params: { to: ref ?? admit(to, `address of ${address}`) } };
    case 'bosun.join':
    case 'bosun.leave':
    case 'bosun.publish':
    case 'bosun.register':
    case 'bosun.unregister': {
      if (typeof group !== 'string' || group.length === 0 || group.length > GROUP_NAME_CHARS_MAX)
        throw refuse(`needs a name of 1 to ${GROUP_NAME_CHARS_MAX} characters`);
      const admitted: Params = {
        group: admit(group, `name of ${address}`),
        value: admit(value, `value of ${address}`, own),
        ...(name === 'bosun.publish' && { event: admitSent(event as EventObject, { address }, own) }),
      };
      return { ...command, params: admitted };
    }
    default:
      throw new BosunError('BOSUN_AGENT_INVALID', `${address} has an action with the reserved name ${name}`);
  }
}

/** Admits a record. Throws BOSUN_VALUE_REFUSED. */
function admitRecord({ own, records }: World, { address, definition }: Cell, { name, value }: Params): NewRecord {
  if (records.shelf === undefined)
    throw new BosunError('BOSUN_VALUE_REFUSED', `${address} cannot keep records: the store has no getSync`);
  const fresh = newRecord(definition.records, name, value, address);
  return { ...fresh, value: admit(fresh.value, `record "${fresh.name}" of ${address}`, own, RECORD_BYTES_MAX) };
}

/** Checks the bounds of all commands of a turn together. Throws BOSUN_VALUE_REFUSED. */
export function checkTalk({ monitors, groups }: World, cell: Cell, effects: readonly Effect[]): void {
  const count = (names: readonly string[]) =>
    effects.filter((effect) => effect.kind === 'command' && names.includes(effect.name)).length;
  const watching = count(['bosun.monitor', 'bosun.link']);
  const joining = count(['bosun.join', 'bosun.register']);
  const { address } = cell;
  if (watching > 0 && monitors.count(cell) + watching > MONITORS_PER_ACTOR_MAX) {
    throw new BosunError('BOSUN_VALUE_REFUSED', `${address} would monitor more than ${MONITORS_PER_ACTOR_MAX} actors`);
  }
  if (joining > 0 && groups.count(cell) + joining > GROUPS_PER_ACTOR_MAX) {
    throw new BosunError(
      'BOSUN_VALUE_REFUSED',
      `${address} would have more than ${GROUPS_PER_ACTOR_MAX} groups and registered names together`,
    );
  }
}

/** Performs a command that has been admitted. Never throws. */
export function performTalk(world: World, cell: Cell, { name, params }: Command): void {
  const { to, value, group, event } = params as { to: Ref | string; value: unknown; group: string; event: EventObject };
  switch (name) {
    case 'bosun.defer':
      // Done where the message would have been read.
      return;
    case 'bosun.reply':
      // An event that was not an ask has nobody to reply to.
      if (to instanceof Ref) world.asks.reply(cell, to, value);
      return;
    case 'bosun.record':
      world.records.append(cell, params as NumberedRecord);
      return;
    case 'bosun.monitor':
      world.monitors.monitor(cell, to);
      return;
    case 'bosun.demonitor':
      world.monitors.demonitor(cell, to);
      return;
    case 'bosun.link':
      world.monitors.link(cell, to);
      return;
    case 'bosun.unlink':
      world.monitors.unlink(cell, to);
      return;
    case 'bosun.join':
      world.groups.join(cell, group);
      return;
    case 'bosun.leave':
      world.groups.leave(cell, group);
      return;
    case 'bosun.publish':
      for (const member of world.groups.members(group)) world.post(member, event, cell.life);
      world.shards?.publish(group, event, cell.life);
      return;
    case 'bosun.unregister':
      world.groups.unregister(cell, group);
      return;
    default: {
      const elsewhere = world.groups.holder(group) === cell ? undefined : world.shards?.holder(group);
      const holder = elsewhere ?? world.groups.register(cell, group, value)?.ref;
      if (holder === undefined) return;
      const taken = { type: 'bosun.name.taken', name: group, ref: holder, address: holder.address };
      world.enqueue(cell, Object.freeze(taken), 'down', 0);
    }
  }
}
