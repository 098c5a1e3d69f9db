/** The progress of a plan: items by stages, derived from the context of its coordinator. Pure. */
import type { TableView } from '../../gateway/protocol/actor-view.ts';
import type { ItemProgress, Tally, ToldPhase } from '../../machines/coordination/coordinator/progress.ts';
import type { Plan, PlanTask } from '../../machines/coordination/plan/plan.ts';
import type { WideRow } from '../../machines/rules/wide-rows.ts';
import { type LoadedTable, loadedTable } from '../loaded-table.ts';

/** The fields of an item's record that the page shows. */
export type ItemShown = Pick<ItemProgress, 'phase' | 'done' | 'running' | 'failed' | 'reason' | 'gates' | 'tickets'>;

/**
 * The part of a coordinator's context that is shown. An item's record is a row of a table, or, if too large, in a slot:
 * a key of its own, `items/1`. An earlier version of the coordinator kept it under `items:ITEM`.
 */
export interface CoordinatorShown {
  readonly plan?: Plan;
  /** The first items; an untouched item has no row. */
  readonly items?: TableView<ItemShown>;
  /** Totals over all items, loaded or not. */
  readonly tally?: Tally;
  readonly [slot: `items/${string}`]: unknown;
  readonly [earlierPlace: `items:${string}`]: ItemShown | undefined;
}

export type TaskState = 'done' | 'running' | 'failed' | 'waiting' | 'notLoaded';

export interface ItemRow {
  readonly item: string;
  /** The phase; `notLoaded` while the page does not have the item's record. */
  readonly phase: ToldPhase | 'notLoaded';
  readonly reason: string | null;
  /** The questions for whose answer it waits, each with the view that shows it. */
  readonly asks: readonly { readonly view: 'gates' | 'tickets'; readonly id: string }[];
  readonly done: number;
  readonly total: number;
  /** Tasks by stage; in a plan of tasks the only task has the key ''. */
  readonly tasks: ReadonlyMap<string, ItemTask>;
}

export interface ItemTask {
  readonly task: PlanTask;
  readonly state: TaskState;
  readonly error: string | null;
}

export interface PlanProgress {
  readonly plan: Plan;
  /** Stages in the order of the plan; none in a plan of tasks. */
  readonly stages: readonly string[];
  readonly items: readonly ItemRow[];
  /** Number of items whose record is loaded. */
  readonly loaded: number;
  /** Number of tasks that are done, in all items. */
  readonly done: number;
  /** Number of tasks under way, in all items. */
  readonly running: number;
  readonly total: number;
}

const UNTOUCHED: ItemShown = { phase: 'running', done: [], running: [], failed: [], reason: null };

export interface PhaseBadge {
  readonly words: string;
  readonly sign: string;
  readonly tone: 'good' | 'calm' | 'warn' | 'bad';
  /** The order that the item accepts now; null if none. */
  readonly order: 'Pause' | 'Resume' | null;
}

const NO_ITEMS: TableView<ItemShown> = { size: 0, rows: {}, next: null };
const NO_TALLY: Pick<Tally, 'done' | 'running'> = { done: 0, running: 0 };

const PHASES: Readonly<Record<ItemRow['phase'], PhaseBadge>> = {
  running: { words: 'running', sign: '\u25cf', tone: 'good', order: 'Pause' },
  waitingForHuman: { words: 'waits for people', sign: '?', tone: 'warn', order: null },
  completed: { words: 'completed', sign: '\u2713', tone: 'calm', order: null },
  pausing: { words: 'pausing', sign: '\u275a\u275a', tone: 'warn', order: null },
  paused: { words: 'paused', sign: '\u275a\u275a', tone: 'warn', order: 'Resume' },
  failed: { words: 'failed', sign: '\u2715', tone: 'bad', order: null },
  expired: { words: 'expired', sign: '\u2715', tone: 'bad', order: null },
  notLoaded: { words: 'not loaded', sign: '\u2026', tone: 'calm', order: null },
};

/** The badge of a phase. A phase known only to a newer server is shown by its name. */
export function phaseBadge(phase: string): PhaseBadge {
  if (Object.hasOwn(PHASES, phase)) return PHASES[phase as ItemRow['phase']];
  return { words: phase, sign: '\u00b7', tone: 'calm', order: null };
}

/**
 * The progress in a coordinator's context; undefined for any other context.
 *
 * @param known The records of the items as far as they are loaded. Default: those in the context.
 */
export function planProgress(
  context: CoordinatorShown | null | undefined,
  known: LoadedTable<ItemShown> = loadedTable(context?.items ?? NO_ITEMS, undefined),
): PlanProgress | undefined {
  const { plan, tally: { done, running } = NO_TALLY, ...others } = context ?? {};
  if (plan === undefined || !Array.isArray(plan.tasks)) return undefined;
  const byItem = new Map<string, PlanTask[]>();
  for (const task of plan.tasks) {
    const item = task.item ?? task.id;
    const own = byItem.get(item) ?? [];
    own.push(task);
    byItem.set(item, own);
  }
  const wide = wideItemsIn(others);
  const recordOf = (item: string) =>
    wide.get(item) ?? others[`items:${item}`] ?? known.get(item) ?? (known.isLoaded(item) ? UNTOUCHED : undefined);
  const items = [...byItem].map(([item, tasks]) => rowOf(item, tasks, recordOf(item)));
  const stages = [...new Set(plan.tasks.flatMap(({ stage }) => stage ?? []))];
  const loaded = items.filter(({ phase }) => phase !== 'notLoaded').length;
  return { plan, stages, items, loaded, done, running, total: plan.tasks.length };
}

/** The records of items that are in slots. */
function wideItemsIn(context: object): ReadonlyMap<string, ItemShown> {
  const slots = Object.entries(context).filter(([place]) => /^items\/\d+$/.test(place));
  // A free slot holds a number.
  const wide = slots.map(([, slot]) => slot as WideRow<ItemShown> | number);
  return new Map(wide.flatMap((slot) => (typeof slot === 'number' ? [] : [[slot.key, slot.row]])));
}

/**
 * The row of an item.
 *
 * @param known The item's record; undefined if it is not loaded.
 */
function rowOf(item: string, tasks: readonly PlanTask[], known: ItemShown | undefined): ItemRow {
  const stateOf = (id: string) => (known === undefined ? 'notLoaded' : taskState(id, known));
  const asks: ItemRow['asks'] = [
    ...Object.values(known?.gates ?? {}).flatMap(({ state, id }) =>
      state === 'waiting' ? [{ view: 'gates' as const, id }] : [],
    ),
    ...Object.keys(known?.tickets ?? {}).map((id) => ({ view: 'tickets' as const, id })),
  ];
  const failures = known?.failed ?? [];
  return {
    item,
    phase: phaseOf(known, asks, tasks),
    reason: known?.reason ?? null,
    asks,
    done: tasks.filter(({ id }) => stateOf(id) === 'done').length,
    total: tasks.length,
    tasks: new Map(
      tasks.map((task) => [
        task.stage ?? '',
        { task, state: stateOf(task.id), error: failures.find((failure) => failure.task === task.id)?.error ?? null },
      ]),
    ),
  };
}

function phaseOf(known: ItemShown | undefined, asks: ItemRow['asks'], tasks: readonly PlanTask[]): ItemRow['phase'] {
  if (known === undefined) return 'notLoaded';
  if (known.phase !== 'running') return known.phase;
  if (asks.length > 0) return 'waitingForHuman';
  return tasks.every(({ id }) => taskState(id, known) === 'done') ? 'completed' : 'running';
}

function taskState(id: string, { done, running, failed }: ItemShown): TaskState {
  if (running.includes(id)) return 'running';
  if (failed.some(({ task }) => task === id)) return 'failed';
  return done.includes(id) ? 'done' : 'waiting';
}
