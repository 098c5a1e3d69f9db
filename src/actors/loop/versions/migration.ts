/**
 * Brings one actor stored by an older machine to the machine of today (design P12). First everything is computed and
 * checked, which runs the user's steps and may throw; then it is entered into the epoch in the making as a whole. After
 * a crash, the next start repeats it from the same record.
 */
import { type EventObject } from 'xstate';
import { BosunError, isBosunError, messageOf } from '../../../errors.ts';
import { shown } from '../../../lending.ts';
import { disown, isThenable } from '../../../user-code.ts';
import { admitChange } from '../../model/change-check.ts';
import { causeOf } from '../../model/thrown.ts';
import { admit } from '../../model/value-check.ts';
import { invokedAddress } from '../../model/address.ts';
import { type Bosses } from '../../world/bosses.ts';
import { type Cell } from '../../world/cell.ts';
import { offerAgain } from '../../world/mailbox/deferral.ts';
import { type Birth, type Definition, type Entry } from '../../model/step-engine.ts';
import { type Configuration } from '../../model/ports.ts';
import { Change, type StateChange } from '../../model/state.ts';
import { type Timer } from '../../model/timers.ts';
import { type Leg, type StoredState } from '../../model/version-rules.ts';
import { type World } from '../../world/world.ts';

/** XState's prefix of the ids of delayed transitions' timers. */
const AFTER = 'xstate.after.';

/** A computed migration. Applying it cannot fail. */
export interface Migration {
  readonly change: StateChange;
  /** Children that no current state invokes, or whose logic the machine does not have. */
  readonly leaving: readonly Cell[];
  readonly lapsed: readonly Timer[];
  readonly births: Entry['births'];
  readonly arms: Entry['arms'];
}

/**
 * Computes a migration.
 *
 * @param cell Its definition is that of today, its identity and state are as stored.
 * @param stored Its configuration, as described by the machine that stored it.
 * @throws BOSUN_AGENT_UNREADABLE, with the error of the step as its cause.
 */
export function prepareMigration(
  world: World,
  cell: Cell,
  stored: Configuration | undefined,
  legs: readonly Leg[],
): Migration {
  const { address } = cell;
  if (stored?.value === undefined) throw refusal(address, 'its state value was not stored');
  let state: StoredState<unknown> = { value: stored.value as StoredState['value'], context: shown(cell.context) };
  for (const leg of legs) state = migrated(cell, leg, state);
  try {
    return prepareState(world, cell, stored, state);
  } catch (error) {
    throw isBosunError(error, 'BOSUN_AGENT_UNREADABLE') && error.message.startsWith(address)
      ? error
      : refusal(address, messageOf(error), error);
  }
}

/** Runs one step. Throws BOSUN_AGENT_UNREADABLE. */
function migrated({ address, agent }: Cell, { to, step }: Leg, state: StoredState<unknown>): StoredState<unknown> {
  let given: unknown;
  let isDone: boolean;
  try {
    given = step(state as never);
    isDone = isState(given);
  } catch (error) {
    throw refusal(address, `the migration to version ${to} threw: ${messageOf(error)}`, error);
  }
  if (isDone) return given as StoredState<unknown>;
  const what = isThenable(given) ? 'gives a promise, and nobody waits for it' : 'returned no { value, context }';
  disown(given);
  throw refusal(address, `the migration of ${agent} to version ${to} ${what}`);
}

/** Enters the migration into the epoch in the making. */
export function applyMigration(
  world: World,
  bosses: Bosses,
  cell: Cell,
  { change, leaving, lapsed, births, arms }: Migration,
): void {
  const { life } = cell.identity;
  for (const timer of lapsed) world.timers.disarm(cell, timer);
  for (const child of leaving) bosses.remove(child);
  const newborn = births.map((birth): Birth => {
    const number = world.next('life');
    return { ...birth, life: number, ref: world.refOf(number, invokedAddress(cell.address, birth.childId)) };
  });
  const children = [...cell.children.values()].map(({ identity, ref }) => [identity.childId, ref] as const);
  const refs = Object.fromEntries([...children, ...newborn.map(({ childId, ref }) => [childId, ref] as const)]);
  const { configuration, context, history } = change;
  const state = {
    ...cell.state,
    configuration: configuration!,
    context: context!.value,
    history: history ?? cell.state.history,
  };
  const snapshot = world.engine.restore(cell.definition, cell.ref, state, refs);
  world.redefine(cell, cell.definition);
  world.change(cell, change, snapshot, true);
  newborn.forEach((birth, index) => world.bear(cell, birth, `${life}/${cell.seq}/${index}`));
  for (const arm of arms) world.timers.arm(cell, { ...arm, to: life });
  offerAgain(world, cell);
}

/**
 * Computes the change that puts a machine into a state. Throws BOSUN_AGENT_UNREADABLE for a value that the machine does
 * not have, BOSUN_VALUE_REFUSED for a context that is not data, and the errors of the user's code for inputs and
 * delays.
 */
export function prepareState(
  world: World,
  cell: Cell,
  stored: Configuration,
  { value, context }: StoredState<unknown>,
): Migration {
  const { definition, ref, state } = cell;
  const admitted = admitChange(Change.of({ context: { value: context } }), world.own);
  const kept = new Set<string>();
  const running = {
    child: (id: string, src: string) => {
      const child = cell.children.get(id);
      const runs = child !== undefined && child.agent === src && isFit(definition, child);
      if (runs) kept.add(id);
      return runs;
    },
    timer: (id: string) => cell.timers.has(id),
  };
  const entry = world.engine.enter(
    definition,
    ref,
    { value, context: admitted.context!.value, history: state.history },
    running,
  );
  const { configuration, history, invokes, afters, arms } = entry;
  const leaving = [...cell.children.values()].filter((child) => {
    const { childId, bond } = child;
    // Children of a Boss belong to its table, not to its machine.
    if (bond === 'supervised') return false;
    if (!isFit(definition, child)) return true;
    // A spawned child belongs to no state, and stays.
    return (stored.invokes?.includes(childId) === true || invokes.has(childId)) && !kept.has(childId);
  });
  const births = entry.births.map((birth) => admitBirth(world, cell, leaving, birth));
  world.timers.check(cell, arms.length);
  return {
    change: { ...admitted, configuration, ...(history && { history }) },
    leaving,
    lapsed: [...cell.timers.values()].filter(({ id }) => id.startsWith(AFTER) && !afters.has(id)),
    births,
    arms: arms.map((arm) => ({ ...arm, event: admit<EventObject>(arm.event, `timer ${arm.id}`) })),
  };
}

/** Whether the machine still has the child's logic, of the same kind. */
function isFit(definition: Definition, { identity }: Cell): boolean {
  const logic = definition.child(identity.agent);
  return logic !== undefined && (logic.hash === '') === (identity.definition === '');
}

function admitBirth(
  world: World,
  cell: Cell,
  leaving: readonly Cell[],
  birth: Entry['births'][number],
): Entry['births'][number] {
  const address = invokedAddress(cell.address, birth.childId);
  const { systemId } = birth;
  const holders = [world.addresses.get(address), systemId === null ? undefined : world.names.get(systemId)];
  const stranger = holders.find((holder) => holder !== undefined && !leaving.includes(holder));
  if (stranger !== undefined)
    throw new Error(`the child ${birth.childId} would take the address or system id of ${stranger.address}`);
  return { ...birth, input: admit(birth.input, `input of ${address}`, world.own) };
}

function isState(state: unknown): state is StoredState<unknown> {
  if (typeof state !== 'object' || state === null || !('value' in state)) return false;
  const { context } = state as { context?: unknown };
  return typeof context === 'object' && context !== null;
}

function refusal(address: string, why: string, thrown?: unknown): BosunError {
  return new BosunError('BOSUN_AGENT_UNREADABLE', `${address} cannot be migrated: ${why}`, {
    cause: causeOf(thrown),
    details: { address },
  });
}
