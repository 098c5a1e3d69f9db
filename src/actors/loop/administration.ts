/**
 * The administrator's operations on one actor, as changes of the world: each happens completely or throws.
 * audited-order.ts records them and their authors; admin-handle.ts is the API for hosts. A suspended actor takes no
 * turns (quarantine.ts): it lives, its mailbox fills, its timers come due and wait, its effects run on.
 */
import { type EventObject, type StateValue } from 'xstate';
import { BosunError, isBosunError, messageOf } from '../../errors.ts';
import { isTable, table, type Table, tableIn, type TableView } from '../../table.ts';
import { admitError, causeOf } from '../model/thrown.ts';
import { type OrderedBy } from '../world/audit-record.ts';
import { type Bosses } from '../world/bosses.ts';
import { type Cell } from '../world/cell.ts';
import { type Effects } from '../world/effects/effects.ts';
import { applyMigration, type Migration, prepareState } from './versions/migration.ts';
import { type Configuration } from '../model/ports.ts';
import { type Quarantine } from '../turn/quarantine.ts';
import { exempt, suspendByOrder } from '../world/suspension.ts';
import { Queue } from '../model/queue.ts';
import { type Turns } from '../turn/turn.ts';
import { type StoredState } from '../model/version-rules.ts';
import { type World } from '../world/world.ts';

/** The replacement of a machine's state; missing parts stay as they are. */
export interface StateReplacement {
  /** The state value in XState's form: `'paused'`, `{ working: 'reading' }`. */
  readonly value?: StateValue;
  /** The whole new context. */
  readonly context?: unknown;
}

/** A row of a table of a context. */
export interface RowPlace {
  /** The key of the table in the context. */
  readonly table: string;
  readonly key: string;
}

/** A turn that was ordered and has not been taken yet. */
interface Step {
  readonly cell: Cell;
  /**
   * Called with the event that was taken, or null for none; or with the reason why no turn could be taken. In the epoch
   * of the turn.
   */
  readonly taken: (result: EventObject | BosunError | null) => void;
}

/**
 * The check that a run makes after one that died: a turn is taken only for durable messages, and is recorded before it
 * begins.
 */
export interface Guard {
  isReady(cell: Cell): boolean;
  begin(cell: Cell): void;
}

export class Administration {
  readonly #world: World;
  readonly #turns: Turns;
  readonly #bosses: Bosses;
  readonly #effects: Effects;
  readonly #quarantine: Quarantine;
  readonly #hold: boolean;
  readonly #steps = new Queue<Step>();

  constructor(parts: {
    world: World;
    turns: Turns;
    bosses: Bosses;
    effects: Effects;
    quarantine: Quarantine;
    hold: boolean;
  }) {
    this.#world = parts.world;
    this.#turns = parts.turns;
    this.#bosses = parts.bosses;
    this.#effects = parts.effects;
    this.#quarantine = parts.quarantine;
    this.#hold = parts.hold;
  }

  /**
   * Suspends an actor, also a suspect one, which then stays suspended when a step succeeds. Throws BOSUN_ORDER_REFUSED,
   * or the reason why the code cannot read it.
   */
  suspend(cell: Cell, as: OrderedBy): void {
    checkLiving(cell, 'suspended');
    const { by, reason = null } = as;
    const error = suspendByOrder(this.#world, cell, { by, reason, atMs: this.#world.time.nowMs() });
    // On hold nothing runs, so only the author of the order has to know.
    if (error !== undefined && !this.#hold) this.#world.incidents.suspended(cell, error);
  }

  /**
   * Resumes an actor; on hold, the next start carries out what that takes. Throws the reason why the code cannot read
   * it.
   */
  resume(cell: Cell): void {
    const restart = this.#quarantine.resume(cell);
    if (restart !== null && !this.#hold) this.#bosses.restartHeld(cell, restart);
  }

  /**
   * Fails an actor like a throw: its Boss, or the machine that it belongs to, handles it. Throws BOSUN_ORDER_REFUSED,
   * or the reason why the code cannot read it.
   */
  kill(cell: Cell, { by, reason }: OrderedBy): void {
    const { address } = cell;
    checkLiving(cell, 'killed');
    if (cell.status === 'error') throw refused(`${address} has crashed already and waits for its Boss`, { address });
    const why = `${address}: killed by ${by}${reason === undefined ? '' : `: ${reason}`}`;
    if (cell.definition.isEffect) this.#effects.stop(cell);
    this.#turns.fail(cell, admitError(new BosunError('BOSUN_KILLED', why, { details: { address, by, reason } })));
  }

  /**
   * Replaces the state of a suspended machine. Effects, child machines and delayed transitions of states that stay
   * active go on, those of exited states end, those of entered states begin; entry and exit actions do not run. Throws
   * BOSUN_ORDER_REFUSED, BOSUN_VALUE_REFUSED, or the reason why the code cannot read it; nothing has happened then.
   */
  replaceState(cell: Cell, next: StateReplacement | ((state: StoredState<unknown>) => StateReplacement)): void {
    const configuration = checkReplaceable(cell);
    applyMigration(this.#world, this.#bosses, cell, this.#prepared(cell, configuration, next));
  }

  /**
   * Sets a row of a table in a suspended machine's context, or removes it. Throws as replaceState does, and
   * BOSUN_TABLE_UNKNOWN.
   */
  putRow(cell: Cell, { table: name, key }: RowPlace, row: unknown): void {
    checkReplaceable(cell);
    this.replaceState(cell, { context: withRowsOf(cell, name, (rows) => rows.set(key, row)) });
  }

  /** Removes a row, as {@link putRow} sets it; refused if there is no such row. */
  deleteRow(cell: Cell, { table: name, key }: RowPlace): void {
    checkReplaceable(cell);
    const { address } = cell;
    const without = (rows: Table<unknown>) => {
      if (rows.has(key)) return rows.delete(key);
      throw refused(`the table ${JSON.stringify(name)} of ${address} has no row ${JSON.stringify(key)}`, { address });
    };
    this.replaceState(cell, { context: withRowsOf(cell, name, without) });
  }

  /** Checks a step. Throws BOSUN_ORDER_REFUSED if a suspended actor could not take a turn. */
  checkStep(cell: Cell): void {
    const { address } = cell;
    if (this.#hold) throw refused(`${address} cannot take a step while the system is on hold`, { address });
    checkLiving(cell, 'stepped');
    if (cell.suspension === undefined)
      throw refused(`${address} must be suspended before it takes single steps`, { address });
  }

  /** Lets a suspended actor take one message, or its first turn; the order keeps it suspended. */
  step(cell: Cell, as: OrderedBy, taken: Step['taken']): void {
    this.suspend(cell, as);
    this.#steps.push({ cell, taken });
    this.#world.wake();
  }

  /** Whether ordered turns wait. */
  get hasSteps(): boolean {
    return this.#steps.size > 0;
  }

  /** Takes the ordered turns that are possible now. */
  takeSteps(guard?: Guard): void {
    for (let left = this.#steps.size; left > 0; left--) {
      const step = this.#steps.shift()!;
      const isIdle = step.cell.status !== 'starting' && step.cell.mailbox.peek() === null;
      if (guard === undefined || isIdle || guard.isReady(step.cell)) this.#take(step, guard);
      else this.#steps.push(step);
    }
  }

  #take({ cell, taken }: Step, guard: Guard | undefined): void {
    let event: EventObject | null;
    try {
      if (cell.gone)
        throw new BosunError('BOSUN_ACTOR_UNKNOWN', `${cell.address} was removed before its step`, {
          details: { address: cell.address },
        });
      this.checkStep(cell);
      event = cell.status === 'starting' ? { type: 'xstate.init' } : (cell.mailbox.peek()?.event ?? null);
    } catch (error) {
      taken(error as BosunError);
      return;
    }
    exempt(cell, () => {
      if (cell.isRunnable) {
        guard?.begin(cell);
        this.#turns.take(cell);
      } else event = null;
    });
    this.#world.draft.touch(cell);
    taken(event);
  }

  #prepared(
    cell: Cell,
    configuration: number,
    next: StateReplacement | ((state: StoredState<unknown>) => StateReplacement),
  ): Migration {
    const { address } = cell;
    const stored = configurationOf(cell, configuration);
    try {
      const before = { value: stored.value as StateValue, context: cell.context };
      const given = typeof next === 'function' ? next(before) : next;
      if (typeof given !== 'object' || given === null || (given.value === undefined && given.context === undefined)) {
        throw new Error('a replacement must be an object with a value, a context or both');
      }
      const { value = before.value, context = before.context } = given;
      if (typeof context !== 'object' || context === null) throw new Error('a context must be an object');
      return prepareState(this.#world, cell, stored, { value, context: withTables(before.context, context) });
    } catch (error) {
      if (isBosunError(error, 'BOSUN_VALUE_REFUSED')) throw error;
      throw refused(`the state of ${address} was not replaced: ${messageOf(error)}`, { address }, causeOf(error));
    }
  }
}

/**
 * The given context, with tables where the current one has tables: a table that was read as a view is converted back.
 * Throws if a view says that it is incomplete.
 */
function withTables(today: unknown, given: object): object {
  const fields = Object.entries(given).map(([key, value]) => {
    const held = isTable(value) ? undefined : (today as Readonly<Record<string, unknown>> | null)?.[key];
    return [key, isTable(held) ? tableFrom(key, value as Partial<TableView> | null) : value] as const;
  });
  return Object.fromEntries(fields);
}

function tableFrom(key: string, view: Partial<TableView> | null): Table<unknown> {
  const { size, rows, next } = view ?? {};
  if (typeof rows !== 'object' || rows === null || next !== null || size !== Object.keys(rows).length)
    throw new Error(`"${key}" is a table: give { size, rows, next: null } with all its rows, or a function`);
  return table(Object.entries(rows));
}

/** The context of an actor with a changed table. Throws BOSUN_TABLE_UNKNOWN. */
function withRowsOf({ address, context }: Cell, name: string, change: (rows: Table<unknown>) => Table<unknown>) {
  return { ...(context as object), [name]: change(tableIn(context, name, address)) };
}

/** The configuration of an actor; one that first occurred in this epoch has to be described here. */
function configurationOf({ definition: { configurations } }: Cell, number: number): Configuration {
  const known = configurations.at(number)!;
  return known.value === undefined ? { ...known, ...configurations.describe?.(known.nodes) } : known;
}

/**
 * Checks that an actor lives. Throws BOSUN_ORDER_REFUSED for the root, which is the system, and for an ended actor; for
 * an unreadable one, the reason.
 */
function checkLiving(cell: Cell, what: string): void {
  const { address, bond, status } = cell;
  if (cell.isUnreadable) throw cell.suspension!;
  if (cell.parent === undefined) throw refused(`${address} cannot be ${what}: stop the system instead`, { address });
  if (status === 'done' || status === 'stopped' || (status === 'error' && bond === 'invoked'))
    throw refused(`${address} has ended`, { address });
}

/**
 * Checks that a state can be replaced. Throws BOSUN_ORDER_REFUSED otherwise.
 *
 * @returns The actor's configuration.
 */
function checkReplaceable(cell: Cell): number {
  const { address } = cell;
  checkLiving(cell, 'given another state');
  if (cell.suspension === undefined)
    throw refused(`${address} must be suspended before its state is replaced`, { address });
  if (cell.role.supervises || cell.definition.kind !== 'machine')
    throw refused(`${address} does not run a machine of an agent`, { address });
  if (cell.status !== 'active' || cell.configuration === null)
    throw refused(`${address} has no state yet, or has crashed`, { address });
  return cell.configuration;
}

function refused(why: string, details: Record<string, unknown>, cause?: unknown): BosunError {
  return new BosunError('BOSUN_ORDER_REFUSED', why, { details, cause });
}
