/**
 * The middle of a turn: everything that a step describes is admitted and checked here, while a throw still leaves no
 * trace. Applying the result cannot fail.
 */
import { type EventObject } from 'xstate';
import { BosunError } from '../../errors.ts';
import { disown } from '../../user-code.ts';
import { BOSS_COMMAND_BYTES_MAX, DURABLE_ACTIONS_MAX } from '../../limits.ts';
import { admitChange } from '../model/change-check.ts';
import { admitEvent } from '../model/event-check.ts';
import { admit, type ResolveHandle, takeCount } from '../model/value-check.ts';
import { type Cell } from '../world/cell.ts';
import { type Birth, type Effect, type Snapshot, type Step } from '../model/step-engine.ts';
import { checkRecordCount, type NewRecord, numbered } from '../model/records.ts';
import { Ref } from '../model/ref.ts';
import { checkTimerId } from '../model/schedules.ts';
import { type Prepared } from '../model/prepared.ts';
import { type Change } from '../model/state.ts';
import { admitTalk, checkTalk } from './talk-commands.ts';
import { type Role } from '../world/role.ts';
import { type World } from '../world/world.ts';
import { KERNEL_ACTION_PREFIX } from '../xstate/step-effects.ts';

/**
 * Prepares a step. Throws BOSUN_VALUE_REFUSED, BOSUN_ADDRESS_INVALID or BOSUN_AGENT_INVALID; the step has not happened
 * then.
 */
export function prepare(world: World, cell: Cell, before: Snapshot | undefined, step: Step): Prepared {
  try {
    return admitted(world, cell, before, step);
  } catch (error) {
    // The walk ended at the first value that it refused, and others may be promises too.
    disownStep(step);
    throw error;
  }
}

function admitted(world: World, cell: Cell, before: Snapshot | undefined, step: Step): Prepared {
  const { snapshot, births, dropped, effects } = step;
  takeCount();
  const change = admitChange(world.engine.changeOf(cell.definition, before, snapshot), world.own);
  const prepared: Prepared = {
    change,
    snapshot,
    dropped,
    births: births.length === 0 ? births : admitBirths(world, cell, births),
    effects: effects.length === 0 ? effects : numberRecords(world, cell, admitEffects(world, cell, effects), change),
    // Last, because it counts everything above.
    bytes: takeCount(),
  };
  world.tracing.prepared(cell, prepared);
  return prepared;
}

function disownStep({ snapshot, births, effects }: Step): void {
  const { context, output } = snapshot as { readonly context?: unknown; readonly output?: unknown };
  for (const value of [context, output, ...births.map(({ input }) => input)]) disown(value);
  for (const effect of effects) {
    if ('event' in effect) disown(effect.event);
    if ('params' in effect) disown(effect.params);
    if ('value' in effect) disown(effect.value);
  }
}

/** Admits effects; returns the same list where all are admitted unchanged. */
function admitEffects(world: World, cell: Cell, effects: readonly Effect[]): readonly Effect[] {
  let copy: Effect[] | undefined;
  let arms = 0;
  let commands = 0;
  for (let index = 0; index < effects.length; index++) {
    const effect = effects[index]!;
    if (effect.kind === 'arm') arms += 1;
    else if (effect.kind === 'command') commands += 1;
    const one = admitEffect(world, cell, effect);
    if (one !== effect) (copy ??= [...effects])[index] = one;
  }
  const admitted = copy ?? effects;
  if (arms > 0) world.timers.check(cell, arms);
  if (cell.definition.durable !== undefined) checkDurable(cell, admitted);
  if (commands > 0 && !cell.role.supervises) checkTalk(world, cell, admitted);
  return admitted;
}

/** Numbers the records of a turn, also in its change. Throws BOSUN_VALUE_REFUSED. */
function numberRecords(
  { records: { mayDrop } }: World,
  { address, state, definition }: Cell,
  effects: readonly Effect[],
  change: Change,
): readonly Effect[] {
  const { records: policies } = definition;
  if (policies === undefined || !effects.some(isRecord)) return effects;
  const fresh = effects.filter(isRecord).map(({ params }) => params as NewRecord);
  checkRecordCount(fresh.length, address);
  const { spans, records } = numbered(state.records, fresh, policies, mayDrop);
  change.records = spans;
  const rest = records.values();
  return effects.map((effect) => (isRecord(effect) ? { ...effect, params: rest.next().value! } : effect));
}

function isRecord(effect: Effect): effect is Extract<Effect, { kind: 'command' }> {
  return effect.kind === 'command' && effect.name === 'bosun.record';
}

/**
 * Admits an event that is sent.
 *
 * @param from The sender, for the message and for its rights.
 * Throws BOSUN_VALUE_REFUSED. `xstate.stop` would end a machine without its parent's knowledge, and `bosun.*` are
 * events of the kernel and Bosses for Bosses.
 */
export function admitSent(
  event: EventObject,
  from: { readonly address: string; readonly role?: Role },
  own: ResolveHandle,
): EventObject {
  const admitted = admitEvent(event, from.address, own);
  const { type } = admitted;
  if (type === 'xstate.stop' || (type.startsWith(KERNEL_ACTION_PREFIX) && from.role?.isOfRuntime !== true)) {
    throw new BosunError('BOSUN_VALUE_REFUSED', `${from.address} sends ${type}, a type reserved for the runtime`);
  }
  return admitted;
}

function admitBirths(world: World, parent: Cell, births: readonly Birth[]): readonly Birth[] {
  return births.map((birth) => admitBirth(world, parent, birth));
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
  const systemId: unknown = birth.systemId;
  if (systemId !== null && typeof systemId !== 'string')
    throw new BosunError(
      'BOSUN_VALUE_REFUSED',
      `${parent.address} gives its child ${address} a system id that is not a string`,
    );
  const input = admit(birth.input, `input ${place}`, world.own);
  if (systemId !== null) admit(systemId, `system id ${place}`);
  return input === birth.input ? birth : { ...birth, input };
}

function admitEffect(world: World, cell: Cell, effect: Effect): Effect {
  const { own } = world;
  const { address } = cell;
  switch (effect.kind) {
    case 'send':
    case 'arm': {
      const event = admitSent(effect.event, cell, own);
      if (!isActor(effect.to, own))
        throw new BosunError('BOSUN_VALUE_REFUSED', `${address} sends ${event.type} to something that is not an actor`);
      if (effect.kind === 'arm') {
        if (Number.isNaN(effect.delayMs))
          throw new BosunError('BOSUN_VALUE_REFUSED', `${address} delays ${event.type} by NaN`);
        if (effect.id !== undefined) checkTimerId(admit(effect.id, `id of a timer of ${address}`), cell);
      }
      return event === effect.event ? effect : { ...effect, event };
    }
    case 'emit':
      return { ...effect, event: admitSent(effect.event, cell, own) };
    case 'command':
      if (!cell.role.supervises) return admitTalk(world, cell, effect, admitSent);
      return { ...effect, params: admit(effect.params, `${effect.name} of ${address}`, own, BOSS_COMMAND_BYTES_MAX) };
    case 'call': {
      // An inline function may happen to have the name.
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
 * Whether the object is an actor: one of ours, or XState's object for a child that was stopped before it was born.
 * Sends to that one are lost, as in XState.
 */
function isActor(to: object, own: ResolveHandle): boolean {
  return own(to) !== undefined || (!(to instanceof Ref) && typeof (to as { send?: unknown }).send === 'function');
}
