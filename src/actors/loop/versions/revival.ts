/**
 * Makes a cell of one stored actor: read by the code of today, migrated, kept on the old machine, or suspended with its
 * record unchanged (design P12). A start does this to every actor that it reads (recovery.ts), and later to each that
 * wakes (residency/residency.ts), with the same result.
 */
import { BosunError, messageOf } from '../../../errors.ts';
import type { Bosses } from '../../world/bosses.ts';
import { Cell } from '../../world/cell.ts';
import { imageOf } from '../../world/standing.ts';
import { type Definition } from '../../model/step-engine.ts';
import { causeOf } from '../../model/thrown.ts';
import { concealedIn, keyMissing } from '../../world/missing-keys.ts';
import { type ActorState, type Identity } from '../../model/state.ts';
import type { World } from '../../world/world.ts';
import { applyMigration, type Migration, prepareMigration } from './migration.ts';
import { type Roster } from './roster.ts';
import { type Reading, readingOf } from '../../model/version-rules.ts';

/** The result of reading an actor. `refused` has the error for which it is suspended. */
export type Verdict =
  | Exclude<Reading<Definition>, { kind: 'refused' }>
  | { readonly kind: 'refused'; readonly error: BosunError }
  /** The actor has ended: nothing goes on. */
  | { readonly kind: 'over' };

/** Withholds an actor whose parent's identity is not known. */
export function withhold(world: World, { life, parent, address }: Identity): void {
  const above = world.unreadable.of(parent);
  const why = `${address} waits: the actor that it belongs to cannot be read`;
  world.unreadable.add(
    { life, address },
    new BosunError('BOSUN_STORE_DAMAGED', why, { cause: above, details: { life, address, below: parent } }),
  );
}

/** One actor as stored. */
export interface Stored {
  readonly identity: Identity;
  readonly state: ActorState;
  /** The reason why its record cannot be read. */
  readonly damage: BosunError | undefined;
  /** Whether a live effect was stored under this life, which decides what an actor with unknown logic is. */
  readonly isEffect: boolean;
}

/**
 * Creates the cell.
 *
 * @param above Why the actor that it belongs to is suspended.
 */
export function populate(
  world: World,
  { identity, state, damage, isEffect }: Stored,
  roster: Roster,
  above: BosunError | undefined,
): { cell: Cell; verdict: Verdict } {
  const parent = world.cells.get(identity.parent);
  const { today, flaw } = codeFor(identity, parent, roster);
  const verdict = ((): Verdict => {
    if (damage !== undefined) return { kind: 'refused', error: damage };
    const locked = concealedIn(identity, state);
    if (locked !== undefined) return { kind: 'refused', error: keyMissing(identity, locked) };
    if (parent !== undefined && above !== undefined) return below(identity, parent, above);
    if (flaw !== undefined) return { kind: 'refused', error: flaw };
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
    identity,
    definition,
    ref,
    parent,
    state,
  });
  world.adopt(cell);
  return { cell, verdict };
}

/** The code for an actor. A machine that cannot be prepared stops only the actors that run it. */
function codeFor(
  identity: Identity,
  parent: Cell | undefined,
  roster: Roster,
): { readonly today?: Definition | undefined; readonly flaw?: BosunError } {
  const { bond, agent, address } = identity;
  try {
    return { today: bond === 'supervised' ? roster.today(agent) : parent?.definition.child(agent) };
  } catch (error) {
    const why = `${address} runs "${agent}", which the code has but cannot run: ${messageOf(error)}`;
    const details = { ...facts(identity), current: null };
    return { flaw: new BosunError('BOSUN_AGENT_UNREADABLE', why, { cause: causeOf(error), details }) };
  }
}

/** Restores the snapshot, after all cells exist, because snapshots hold references to children. */
export function rehydrate(world: World, cell: Cell, verdict: Verdict, roster: Roster): Verdict {
  const { identity, definition, state } = cell;
  const { definitions } = roster;
  let read = verdict;
  if (hasTakenATurn(cell)) {
    const stored = () => world.engine.stored(definitions.absent(identity, definition.isEffect), state);
    if (verdict.kind === 'refused' || verdict.kind === 'migrates' || verdict.kind === 'over') cell.snapshot = stored();
    else {
      if (roster.hasRestored(cell)) {
        cell.restoreLater(world.restore);
        cell.showAs(cell);
        return read;
      }
      // A Boss's machine does not know its children: they are in its table.
      const children = cell.role.supervises
        ? {}
        : Object.fromEntries([...cell.children].map(([id, child]) => [id, child.ref]));
      try {
        cell.snapshot = world.engine.restore(definition, cell.ref, state, children);
        roster.restored(cell);
      } catch (error) {
        cell.snapshot = stored();
        read = { kind: 'refused', error: unreadable(identity, definition, messageOf(error), causeOf(error)) };
      }
    }
  }
  cell.showAs(cell);
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
    // A change of its own, so that on disk a new identity never stands without its state.
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
 * Whether an actor has ended for good. A machine that failed under a Boss may go on from where it was; any other that
 * has ended begins anew or is removed.
 */
function isOver({ bond }: Identity, { status }: ActorState): boolean {
  return status === 'done' || status === 'stopped' || (status === 'error' && bond === 'invoked');
}

export function suspend(cell: Cell, error: BosunError): void {
  cell.showAs({ ...imageOf(cell.durable!), suspension: error });
  cell.suspension = error;
}

/** Computes a migration. Throws BOSUN_AGENT_UNREADABLE. */
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

/**
 * The error of an actor whose parent is suspended.
 *
 * @param cause The error of the parent.
 */
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
    ? `is stored as agent "${agent}", which createSystem was not given`
    : `runs "${agent}", which ${parent?.agent ?? 'its parent'} no longer has`;
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
