/**
 * What administrators may do to one actor, as changes of the world: each is whole or throws. Who they are, what is
 * recorded of it and when it counts is audited-order.ts; how hosts say it, admin-handle.ts. An actor that somebody
 * suspended is one more that takes no turns (quarantine.ts): it lives, its mailbox fills, its timers come due and wait,
 * its effects run on.
 */
import { type EventObject, type StateValue } from 'xstate';
import { BosunError, messageOf } from '../../errors.ts';
import { isTable, table, type Table, type TableView } from '../../table.ts';
import { admitError } from '../model/value-check.ts';
import { type OrderedBy } from '../world/audit-record.ts';
import { type Bosses } from '../world/bosses.ts';
import { type Cell, type Held } from '../world/cell.ts';
import { type Effects } from '../world/effects/effects.ts';
import { applyMigration, type Migration, prepareState } from './versions/migration.ts';
import { type Configuration } from '../model/ports.ts';
import { type Quarantine, suspicion } from '../turn/quarantine.ts';
import { Queue } from '../model/queue.ts';
import { type Turns } from '../turn/turn.ts';
import { type StoredState } from '../model/version-rules.ts';
import { type World } from '../world/world.ts';

/** What takes the place of a machine's state; what is left out stays as it is. */
export interface StateReplacement {
  /** In XState's form: `'paused'`, `{ working: 'reading' }`. */
  readonly value?: StateValue;
  /** The whole new context. */
  readonly context?: unknown;
}

/** A turn that was ordered and not taken yet. */
interface Step {
  readonly cell: Cell;
  /** Told of the event that was taken, null for none; or why no turn could be taken. In the epoch of the turn. */
  readonly taken: (result: EventObject | BosunError | null) => void;
}

/** A run after one that died: a turn is taken for what is durable only, and noted first. */
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
   * Also one that is suspect: it stays suspended then when a step goes well. Throws BOSUN_ORDER_REFUSED, or why the
   * code cannot read it.
   */
  suspend(cell: Cell, as: OrderedBy): void {
    checkLiving(cell, 'suspended');
    if (cell.held?.order !== undefined) return;
    const { by, reason = null } = as;
    const held: Held = {
      strikes: 0,
      error: undefined,
      restart: null,
      ...cell.held,
      order: { by, reason, atMs: this.#world.time.nowMs() },
    };
    this.#world.hold(cell, held);
    cell.suspension = suspicion(cell, held);
  }

  /** Throws why the code cannot read it. */
  resume(cell: Cell): void {
    this.#quarantine.resume(cell);
  }

  /**
   * Fails an actor as a throw does: its Boss, or the machine that it belongs to, deals with it. Throws
   * BOSUN_ORDER_REFUSED, or why the code cannot read it.
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
   * Puts a suspended machine into another state. Effects, child machines and delayed transitions of states that stay go
   * on, those of states that are left end, those of states that are entered begin; entry and exit actions do not run.
   * Throws BOSUN_ORDER_REFUSED, BOSUN_VALUE_REFUSED, or why the code cannot read it; nothing has happened then.
   */
  replaceState(cell: Cell, next: StateReplacement | ((state: StoredState<unknown>) => StateReplacement)): void {
    const { address } = cell;
    checkLiving(cell, 'given another state');
    if (cell.suspension === undefined)
      throw refused(`${address} has to be suspended before its state is replaced`, { address });
    if (cell.isBoss || cell.definition.kind !== 'machine')
      throw refused(`${address} is no machine of yours`, { address });
    if (cell.status !== 'active' || cell.configuration === null)
      throw refused(`${address} has no state yet, or has crashed`, { address });
    applyMigration(this.#world, this.#bosses, cell, this.#prepared(cell, cell.configuration, next));
  }

  /** Throws BOSUN_ORDER_REFUSED where a suspended actor could not take a turn. */
  checkStep(cell: Cell): void {
    const { address } = cell;
    if (this.#hold) throw refused(`${address} cannot take a step on hold, where nothing runs`, { address });
    checkLiving(cell, 'stepped');
    if (cell.suspension === undefined)
      throw refused(`${address} has to be suspended before it takes single steps`, { address });
  }

  /** Has a suspended actor take one message, or its first turn; `by` keeps it suspended. */
  step(cell: Cell, as: OrderedBy, taken: Step['taken']): void {
    this.suspend(cell, as);
    this.#steps.push({ cell, taken });
    this.#world.wake();
  }

  /** Whether ordered turns wait. */
  get hasSteps(): boolean {
    return this.#steps.size > 0;
  }

  /** Takes those that can be taken now. */
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
    cell.suspension = undefined;
    if (cell.isRunnable) {
      guard?.begin(cell);
      this.#turns.take(cell);
    } else event = null;
    if (!cell.gone && cell.held !== undefined) cell.suspension = suspicion(cell, cell.held);
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
        throw new Error('a replacement is an object with a value, a context or both');
      }
      const { value = before.value, context = before.context } = given;
      if (typeof context !== 'object' || context === null) throw new Error('a context is an object');
      return prepareState(this.#world, cell, stored, { value, context: withTables(before.context, context) });
    } catch (error) {
      if (error instanceof BosunError && error.code === 'BOSUN_VALUE_REFUSED') throw error;
      throw refused(`the state of ${address} is not replaced: ${messageOf(error)}`, { address }, error);
    }
  }
}

/**
 * The given context, with tables where tables are today: what was read as a view comes back as one. Throws where a view
 * says that there is more than it shows.
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

/** One that was met in this epoch has not been described yet. */
function configurationOf({ definition: { configurations } }: Cell, number: number): Configuration {
  const known = configurations.at(number)!;
  return known.value === undefined ? { ...known, ...configurations.describe?.(known.nodes) } : known;
}

/**
 * Throws BOSUN_ORDER_REFUSED for the root, which is the system, and for one that has ended; why the code cannot read
 * it, for one that it cannot.
 */
function checkLiving(cell: Cell, what: string): void {
  const { address, bond, status } = cell;
  if (cell.isUnreadable) throw cell.suspension!;
  if (cell.parent === undefined) throw refused(`${address} cannot be ${what}: stop the system instead`, { address });
  if (status === 'done' || status === 'stopped' || (status === 'error' && bond === 'invoked'))
    throw refused(`${address} has ended`, { address });
}

function refused(why: string, details: Record<string, unknown>, cause?: unknown): BosunError {
  return new BosunError('BOSUN_ORDER_REFUSED', why, { details, cause });
}
