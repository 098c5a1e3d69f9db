/**
 * The middle of a turn: everything that a step means is admitted and checked here, while a throw still leaves no trace.
 * What comes out can be applied without any doubt.
 */
import { type EventObject } from 'xstate';
import { BosunError } from '../../errors.ts';
import { DURABLE_ACTIONS_MAX } from '../../limits.ts';
import { admit, admitChange, type ResolveHandle, takeCount } from '../model/value-check.ts';
import { type Cell } from '../world/cell.ts';
import { type Birth, type Effect, type Snapshot, type Step } from '../model/step-engine.ts';
import { Ref } from '../model/ref.ts';
import { checkTimerId } from '../model/schedules.ts';
import { type Prepared } from '../model/prepared.ts';
import { admitTalk, checkTalk } from './talk-commands.ts';
import { type World } from '../world/world.ts';
import { KERNEL_ACTION_PREFIX } from '../xstate/step-effects.ts';

/** Throws BOSUN_VALUE_REFUSED, BOSUN_ADDRESS_INVALID or BOSUN_AGENT_INVALID; the step has not happened then. */
export function prepare(world: World, cell: Cell, before: Snapshot | undefined, step: Step): Prepared {
  const { snapshot, births, dropped, effects } = step;
  takeCount();
  const change = admitChange(world.engine.changeOf(cell.definition, before, snapshot), world.own);
  const prepared: Prepared = {
    change,
    snapshot,
    dropped,
    births: births.length === 0 ? births : births.map((birth) => admitBirth(world, cell, birth)),
    effects: effects.length === 0 ? effects : admitEffects(world, cell, effects),
    // Last: the count is of all above.
    bytes: takeCount(),
  };
  world.tracing.prepared(cell, prepared);
  return prepared;
}

function admitEffects(world: World, cell: Cell, effects: readonly Effect[]): readonly Effect[] {
  const admitted: Effect[] = [];
  let arms = 0;
  let commands = 0;
  for (const effect of effects) {
    if (effect.kind === 'arm') arms += 1;
    else if (effect.kind === 'command') commands += 1;
    admitted.push(admitEffect(world, cell, effect));
  }
  if (arms > 0) world.timers.check(cell, arms);
  if (cell.definition.durable !== undefined) checkDurable(cell, admitted);
  if (commands > 0 && !cell.isBoss) checkTalk(world, cell, admitted);
  return admitted;
}

/**
 * @param from The sender, for the message and for what it may say.
 * Throws BOSUN_VALUE_REFUSED. `xstate.stop` would end a machine behind the back of whoever it
 * belongs to, and by `bosun.*` the kernel and Bosses speak to Bosses.
 */
export function admitEvent(
  event: EventObject,
  from: { readonly address: string; readonly isBoss?: boolean },
  own: ResolveHandle,
): EventObject {
  const { address: sender, isBoss = false } = from;
  const type: unknown = event?.type;
  if (typeof type !== 'string') {
    throw new BosunError('BOSUN_VALUE_REFUSED', `${sender} sends something that is not an event: it has no type`);
  }
  if (type === 'xstate.stop' || (type.startsWith(KERNEL_ACTION_PREFIX) && !isBoss)) {
    throw new BosunError('BOSUN_VALUE_REFUSED', `${sender} sends ${type}, which only the runtime may`);
  }
  return admit(event, `event ${type} of ${sender}`, own);
}

function admitBirth(world: World, parent: Cell, birth: Birth): Birth {
  const { address } = birth.ref;
  const occupant = world.addresses.get(address);
  if (occupant !== undefined && occupant.parent !== parent) {
    throw new BosunError(
      'BOSUN_ADDRESS_INVALID',
      `${parent.address} would give its child the address of another actor, ${address}`,
    );
  }
  const place = `of ${address}`;
  const { systemId } = birth;
  return {
    ...birth,
    input: admit(birth.input, `input ${place}`, world.own),
    systemId: admit(systemId, `system id ${place}`),
  };
}

function admitEffect(world: World, cell: Cell, effect: Effect): Effect {
  const { own } = world;
  const { address } = cell;
  switch (effect.kind) {
    case 'send':
    case 'arm': {
      const event = admitEvent(effect.event, { address, isBoss: cell.isBoss }, own);
      if (!isActor(effect.to, own))
        throw new BosunError('BOSUN_VALUE_REFUSED', `${address} sends ${event.type} to something that is no actor`);
      if (effect.kind === 'arm') {
        if (Number.isNaN(effect.delayMs))
          throw new BosunError('BOSUN_VALUE_REFUSED', `${address} delays ${event.type} by NaN`);
        if (effect.id !== undefined) checkTimerId(effect.id, cell);
      }
      return event === effect.event ? effect : { ...effect, event };
    }
    case 'emit':
      return { ...effect, event: admitEvent(effect.event, { address, isBoss: cell.isBoss }, own) };
    case 'command':
      if (!cell.isBoss) return admitTalk(world, cell, effect, admitEvent);
      return { ...effect, params: admit(effect.params, `${effect.name} of ${address}`, own) };
    case 'call': {
      // An inline function may have the name by chance.
      if (cell.definition.durable?.get(effect.name)?.exec !== effect.exec) return effect;
      const { name, params, info } = effect;
      const { event } = info as { event: EventObject };
      const place = `of ${name} of ${address}`;
      return {
        kind: 'durable',
        name,
        event: admit(event, `event ${place}`, own),
        params: admit(params, `params ${place}`, own),
      };
    }
    case 'cancel':
      checkTimerId(effect.id, cell);
      return effect;
    case 'log':
    case 'durable':
      return effect;
  }
}

function checkDurable(cell: Cell, effects: readonly Effect[]): void {
  if (cell.unsent + effects.filter(({ kind }) => kind === 'durable').length <= DURABLE_ACTIONS_MAX) return;
  throw new BosunError(
    'BOSUN_VALUE_REFUSED',
    `${cell.address} would have more than ${DURABLE_ACTIONS_MAX} durable actions to run`,
  );
}

/**
 * One of ours, or what XState made for a child that was stopped before it was born: sends to that one are lost, as in
 * XState.
 */
function isActor(to: object, own: ResolveHandle): boolean {
  return own(to) !== undefined || (!(to instanceof Ref) && typeof (to as { send?: unknown }).send === 'function');
}
