/**
 * How one stored actor becomes a cell: read by the code of today, migrated, kept on the old machine, or suspended with
 * its record as it is (design P12). At a start this is done to everyone who is called (recovery.ts), later to whoever
 * wakes (residency/residency.ts), and comes to the same.
 */
import { BosunError, messageOf } from '../../../errors.ts';
import type { Bosses } from '../../world/bosses.ts';
import { Cell, imageOf } from '../../world/cell.ts';
import { type Definition } from '../../model/step-engine.ts';
import { deepFreeze } from '../../model/frozen.ts';
import { concealedIn, keyMissing } from '../../world/missing-keys.ts';
import { type ActorState, type Identity, identityOf, stateOf } from '../../model/state.ts';
import type { World } from '../../world/world.ts';
import { applyMigration, type Migration, prepareMigration } from './migration.ts';
import { type Roster } from './roster.ts';
import { type Reading, readingOf } from '../../model/version-rules.ts';

/** How an actor is read; `refused` with the report that it is suspended for. */
export type Verdict =
  | Exclude<Reading<Definition>, { kind: 'refused' }>
  | { readonly kind: 'refused'; readonly error: BosunError }
  /** It has ended: there is nothing to go on with. */
  | { readonly kind: 'over' };

/** An actor that belongs to one of which not even the identity is known. */
export function withhold(world: World, { life, parent, address }: Identity): void {
  const above = world.unreadable.of(parent);
  const why = `${address} waits: the actor that it belongs to cannot be read`;
  world.unreadable.add(
    { life, address },
    new BosunError('BOSUN_STORE_DAMAGED', why, { cause: above, details: { life, address, below: parent } }),
  );
}

/** One actor as it is stored. */
export interface Stored {
  readonly identity: Identity;
  readonly state: ActorState;
  /** Why its record cannot be read. */
  readonly damage: BosunError | undefined;
  /** Whether a live effect was stored under this life: tells what an actor is whose logic is unknown. */
  readonly isEffect: boolean;
}

/** Makes the cell. @param above Why the actor that it belongs to is suspended. */
export function populate(
  world: World,
  { identity, state, damage, isEffect }: Stored,
  roster: Roster,
  above: BosunError | undefined,
): { cell: Cell; verdict: Verdict } {
  const parent = world.cells.get(identity.parent);
  const today =
    identity.bond === 'supervised' ? roster.today(identity.agent) : parent?.definition.child(identity.agent);
  const verdict = ((): Verdict => {
    if (damage !== undefined) return { kind: 'refused', error: damage };
    const locked = concealedIn(identity, state);
    if (locked !== undefined) return { kind: 'refused', error: keyMissing(identity, locked) };
    if (parent !== undefined && above !== undefined) return below(identity, parent, above);
    if (today === undefined) return absent(identity, parent);
    const stored = { version: identity.version, hash: identity.definition };
    if (stored.hash === today.hash && stored.version === today.version) return { kind: 'fine' };
    if (state.status === 'starting') return { kind: 'renumbered' };
    const reading = readingOf(stored, {
      ...today,
      kept: identity.bond === 'supervised' ? roster.kept(identity.agent) : [],
    });
    if (reading.kind !== 'fine' && isOver(identity, state)) return { kind: 'over' };
    if (reading.kind === 'refused') return { kind: 'refused', error: unreadable(identity, today, reading.why) };
    return reading.kind === 'migrates' && today.kind !== 'machine' ? { kind: 'renumbered' } : reading;
  })();
  const unknown = () => roster.definitions.absent(identity, isEffect);
  const definition =
    verdict.kind === 'kept'
      ? verdict.definition
      : verdict.kind === 'refused' || today === undefined
        ? unknown()
        : today;
  const ref = world.refOf(identity.life, identity.address);
  const cell = new Cell({
    identity: deepFreeze(sharing(identity, definition, parent?.children.values().next().value?.identity)),
    definition,
    ref,
    parent,
    state: stateOf(state),
  });
  deepFreeze([state.context, state.output, state.error]);
  world.adopt(cell);
  return { cell, verdict };
}

/** The same, with texts that all of its kind have: what is read has a copy of each for every actor. */
function sharing(identity: Identity, { hash }: Definition, siblings: Identity | undefined): Identity {
  const { definition, agent, bond } = identity;
  return identityOf({
    ...identity,
    definition: definition === hash ? hash : definition,
    agent: siblings?.agent === agent ? siblings.agent : agent,
    bond: bond === 'supervised' ? 'supervised' : 'invoked',
  });
}

/** Snapshots come after all cells exist, because they hold references to children. */
export function rehydrate(world: World, cell: Cell, verdict: Verdict, { definitions }: Roster): Verdict {
  const { identity, definition, state } = cell;
  let read = verdict;
  if (hasTakenATurn(cell)) {
    const stored = () => world.engine.stored(definitions.absent(identity, definition.isEffect), state);
    if (verdict.kind === 'refused' || verdict.kind === 'migrates' || verdict.kind === 'over') cell.snapshot = stored();
    else {
      // Of a Boss's children its machine knows nothing: they are in its table.
      const children = cell.isBoss ? {} : Object.fromEntries([...cell.children].map(([id, child]) => [id, child.ref]));
      try {
        cell.snapshot = world.engine.restore(definition, cell.ref, state, children);
      } catch (error) {
        cell.snapshot = stored();
        read = { kind: 'refused', error: unreadable(identity, definition, messageOf(error), error) };
      }
    }
  }
  cell.durable = imageOf(cell);
  return read;
}

function hasTakenATurn({ state, identity }: Cell): boolean {
  if (state.status === 'starting') return false;
  return identity.definition === '' ? state.context !== undefined : state.configuration !== null;
}

export function bringForward(
  world: World,
  cell: Cell,
  verdict: Verdict,
  { roster, bosses }: { roster: Roster; bosses: Bosses },
): void {
  if (cell.isUnreadable) return;
  if (cell.parent?.isUnreadable === true) {
    suspend(cell, below(cell.identity, cell.parent, cell.parent.suspension!).error);
    return;
  }
  if (verdict.kind === 'renumbered') {
    world.redefine(cell, cell.definition);
    // A change of its own: so that on disk a new identity never stands without its state.
    world.change(cell, {}, cell.snapshot, true);
  }
  if (verdict.kind !== 'migrates') return;
  try {
    applyMigration(world, bosses, cell, tryMigration(world, cell, verdict, roster));
  } catch (error) {
    suspend(cell, error as BosunError);
  }
}

/**
 * A machine that failed under a Boss may go on from where it was; anything else that has ended begins anew or is
 * removed.
 */
function isOver({ bond }: Identity, { status }: ActorState): boolean {
  return status === 'done' || status === 'stopped' || (status === 'error' && bond === 'invoked');
}

export function suspend(cell: Cell, error: BosunError): void {
  cell.suspension = error;
  cell.durable = { ...cell.durable!, suspension: error };
}

/** What a migration would come to. Throws BOSUN_AGENT_UNREADABLE. */
export function tryMigration(
  world: World,
  cell: Cell,
  verdict: Extract<Verdict, { kind: 'migrates' }>,
  { definitions }: Roster,
): Migration {
  const { configuration } = cell.state;
  const stored = configuration === null ? undefined : definitions.table(cell.identity.definition).at(configuration);
  try {
    return prepareMigration(world, cell, stored, verdict.steps);
  } catch (error) {
    throw unreadable(cell.identity, cell.definition, messageOf(error), error);
  }
}

/** @param cause What the parent is suspended for. */
export function below(
  { address, agent }: Identity,
  parent: Cell,
  cause: BosunError,
): { kind: 'refused'; error: BosunError } {
  const why = `${address} is suspended with ${parent.address}, to which it belongs`;
  const code = cause.code === 'BOSUN_STORE_DAMAGED' ? cause.code : 'BOSUN_AGENT_UNREADABLE';
  return {
    kind: 'refused',
    error: new BosunError(code, why, { cause, details: { address, agent, parent: parent.address } }),
  };
}

function absent(identity: Identity, parent: Cell | undefined): { kind: 'refused'; error: BosunError } {
  const { bond, address, agent } = identity;
  const isAgent = bond === 'supervised';
  const what = isAgent
    ? `is stored as agent "${agent}", which is not given`
    : `runs "${agent}", which ${parent?.agent ?? 'nobody'} has no more`;
  const code = isAgent ? 'BOSUN_AGENT_UNKNOWN' : 'BOSUN_AGENT_UNREADABLE';
  return {
    kind: 'refused',
    error: new BosunError(code, `${address} ${what}`, { details: { ...facts(identity), current: null } }),
  };
}

function unreadable(identity: Identity, today: Definition, why: string, cause?: unknown): BosunError {
  const { address, agent, version, definition } = identity;
  const what =
    `${address} was stored by version ${version} of ${agent} (structure ${definition}), and the code has version ` +
    `${today.version} (${today.hash})`;
  const current = { version: today.version, structure: today.hash };
  return new BosunError('BOSUN_AGENT_UNREADABLE', `${what}: ${why}`, {
    cause,
    details: { ...facts(identity), current },
  });
}

function facts({ address, agent, version, definition }: Identity): Record<string, unknown> {
  return { address, agent, stored: { version, structure: definition } };
}
