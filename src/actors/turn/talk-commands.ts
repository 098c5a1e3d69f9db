/**
 * What the actions of talk-actions.ts mean: each is a command to the kernel, checked while its turn may still throw and
 * performed within the turn, so that it is durable with it.
 */
import { type EventObject } from 'xstate';
import { BosunError } from '../../errors.ts';
import { GROUP_NAME_CHARS_MAX, GROUPS_PER_ACTOR_MAX, MONITORS_PER_ACTOR_MAX } from '../../limits.ts';
import { admit, type ResolveHandle } from '../model/value-check.ts';
import { type Cell } from '../world/cell.ts';
import { type Effect } from '../model/step-engine.ts';
import { Ref } from '../model/ref.ts';
import { type World } from '../world/world.ts';

type Command = Extract<Effect, { kind: 'command' }>;
type AdmitEvent = (event: EventObject, from: { readonly address: string }, own: ResolveHandle) => EventObject;

interface Params {
  readonly to?: unknown;
  readonly value?: unknown;
  readonly group?: unknown;
  readonly event?: unknown;
}

/** Throws BOSUN_VALUE_REFUSED for what the command cannot be given, BOSUN_AGENT_INVALID for one that is none. */
export function admitTalk({ own, shards }: World, cell: Cell, command: Command, admitEvent: AdmitEvent): Command {
  const { name } = command;
  const { address } = cell;
  const { to, value, group, event } = (command.params ?? {}) as Params;
  const refuse = (what: string) => new BosunError('BOSUN_VALUE_REFUSED', `${address}: ${name} ${what}`);
  const ref = typeof to === 'object' && to !== null ? own(to) : undefined;
  switch (name) {
    case 'bosun.defer':
      if (cell.status === 'starting') throw refuse('is done by the first turn, which has no message');
      return command;
    case 'bosun.reply':
      return { ...command, params: { to: ref, value: admit(value, `reply of ${address}`, own) } };
    case 'bosun.monitor':
    case 'bosun.demonitor':
    case 'bosun.link':
    case 'bosun.unlink':
      if (ref === undefined && typeof to !== 'string') throw refuse('needs a reference to an actor, or an address');
      if (typeof to === 'string' && shards?.isElsewhere(to) === true) {
        throw new BosunError(
          'BOSUN_ON_ANOTHER_WORKER',
          `${address}: ${name} by address is for actors of the same worker; ask for a reference`,
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
      const params: Params = {
        group: admit(group, `name of ${address}`),
        value: admit(value, `value of ${address}`, own),
        ...(name === 'bosun.publish' && { event: admitEvent(event as EventObject, { address }, own) }),
      };
      return { ...command, params };
    }
    default:
      throw new BosunError('BOSUN_AGENT_INVALID', `${address} has an action of the reserved name ${name}`);
  }
}

/** Checks the bounds of all commands of a turn together. Throws BOSUN_VALUE_REFUSED. */
export function checkTalk({ monitors, groups }: World, cell: Cell, effects: readonly Effect[]): void {
  const count = (names: readonly string[]) =>
    effects.filter((effect) => effect.kind === 'command' && names.includes(effect.name)).length;
  const watching = count(['bosun.monitor', 'bosun.link']);
  const joining = count(['bosun.join', 'bosun.register']);
  const { address } = cell;
  if (watching > 0 && monitors.count(cell) + watching > MONITORS_PER_ACTOR_MAX) {
    throw new BosunError('BOSUN_VALUE_REFUSED', `${address} would watch more than ${MONITORS_PER_ACTOR_MAX} lives`);
  }
  if (joining > 0 && groups.count(cell) + joining > GROUPS_PER_ACTOR_MAX) {
    throw new BosunError(
      'BOSUN_VALUE_REFUSED',
      `${address} would be in more than ${GROUPS_PER_ACTOR_MAX} groups, names included`,
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
      // An event that was sent and not asked has nobody to reply to.
      if (to instanceof Ref) world.asks.reply(cell, to, value);
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
