/**
 * The items of one batch and queries on all of them: the next item, the counts by state, the final status. Counts and
 * indexes are updated with every item, so that no query reads all items (seed 002, CA-048 to CA-057). Pure.
 */
import { table, type Table } from '../../../table.ts';
import { nameKey, numberKey } from '../../rules/table-keys.ts';
import { type Lane, roomIn, startable, turnKey } from '../../work/capacity-queue.ts';
import { type GateDecision, judge, type ThresholdGate } from '../../work/threshold-gate.ts';
import { type BatchCounts, type BatchItem, type BatchStatus } from './batch-rules.ts';

type State = BatchItem['state'];

/** An item and its place in the order in which the items were named. */
export interface PlacedItem extends BatchItem {
  readonly place: number;
}

/** The part of a batch's context that holds its items. */
export interface BatchItems {
  /** Items by name. */
  readonly items: Table<PlacedItem>;
  /** Names of the items still to be paused, by place. */
  readonly waiting: Table<string>;
  /** Names of the items that may be resumed, in the order of resumption. */
  readonly resumable: Table<string>;
  readonly states: Readonly<Record<State, number>>;
  /** Number of items with an order in progress. */
  readonly slotsHeld: number;
}

const NO_ITEMS: BatchItems = {
  items: table(),
  waiting: table(),
  resumable: table(),
  states: { waiting: 0, pausing: 0, paused: 0, resuming: 0, resumed: 0, failed: 0 },
  slotsHeld: 0,
};

/** The items of a new batch. If two items share a name, the last one takes the place of the first. */
export function batchItemsOf(items: readonly BatchItem[]): BatchItems {
  return items.reduce(withItem, NO_ITEMS);
}

export function itemNamed({ items }: Pick<BatchItems, 'items'>, name: string): PlacedItem | undefined {
  return items.get(nameKey(name));
}

/** Adds or changes an item. */
export function withItem({ items, waiting, resumable, states, slotsHeld }: BatchItems, item: BatchItem): BatchItems {
  const before = itemNamed({ items }, item.item);
  const after: PlacedItem = { ...item, place: before?.place ?? items.size };
  return {
    items: items.set(nameKey(item.item), after),
    waiting: indexed(waiting, { before, after, keyOf: waitingKey }),
    resumable: indexed(resumable, { before, after, keyOf: resumeKey }),
    states: {
      ...states,
      ...(before !== undefined && { [before.state]: states[before.state] - 1 }),
      [after.state]: states[after.state] + Number(before?.state !== after.state),
    },
    slotsHeld: slotsHeld + Number(after.holdsSlot) - Number(before?.holdsSlot ?? false),
  };
}

/** Items in the order in which they were named. O(items). */
export function itemsInOrder({ items }: Pick<BatchItems, 'items'>): PlacedItem[] {
  return [...items.values()].sort((a, b) => a.place - b.place);
}

export function countsOf({ items, states }: BatchItems): BatchCounts {
  return {
    total: items.size,
    paused: states.paused,
    resumed: states.resumed,
    failed: states.failed,
    pending: states.waiting + states.pausing + states.resuming,
  };
}

/** Whether any item is still to be paused. */
export function isNew({ states }: BatchItems): boolean {
  return states.waiting > 0;
}

/** Items to pause now, in the order in which they were named, as many as there is room for. */
export function toPause(batch: BatchItems, limit: number): readonly PlacedItem[] {
  const lanes = new Map([[BATCH, laneOf(batch, limit)]]);
  const names = startable(batch.waiting.values(), { lanes, laneOf: () => BATCH });
  return names.map((name) => itemNamed(batch, name)!); // they are in the index
}

/** The item to resume next; null if there is none or no room. */
export function toResume(batch: BatchItems, limit: number): BatchItem | null {
  const next = roomIn(laneOf(batch, limit)) === 0 ? undefined : batch.resumable.first();
  return next === undefined ? null : itemNamed(batch, next[1])!; // it is in the index
}

/**
 * Items in the order of resumption (CA-052): gate timeouts first, manual pauses last, and within a kind the oldest
 * pause first. O(items).
 */
export function inResumeOrder(batch: BatchItems): readonly BatchItem[] {
  return [...batch.resumable.values()].map((name) => itemNamed(batch, name)!); // they are in the index
}

/**
 * The share of failed items beyond which a batch is paused again as a whole (CA-055, X-35). With exactly this share it
 * continues.
 */
const FAILED_SHARE = {
  gate: 'failed share of a batch',
  passes: 'atMost',
  threshold: 0.5,
  onPass: 'goes on',
  onFail: 'paused as a whole',
} as const satisfies ThresholdGate;

export function judgedBatch({ items, states }: BatchItems): GateDecision {
  return judge(FAILED_SHARE, items.size === 0 ? 0 : states.failed / items.size);
}

export function hasCollapsed(batch: BatchItems): boolean {
  return !judgedBatch(batch).isPassed;
}

/** Whether every item has been resumed or has failed. */
export function isOver({ items, states }: BatchItems): boolean {
  return states.resumed + states.failed === items.size;
}

/** The final status of a batch. */
export function endOf(batch: BatchItems): Exclude<BatchStatus, 'IN_PROGRESS'> {
  if (hasCollapsed(batch)) return 'FAILED';
  return batch.states.failed > 0 ? 'PARTIALLY_FAILED' : 'COMPLETED';
}

/** The single lane of a batch. */
const BATCH = 'batch';

function laneOf({ slotsHeld: held }: BatchItems, capacity: number): Lane {
  return { capacity, held };
}

interface Change {
  readonly before: PlacedItem | undefined;
  readonly after: PlacedItem;
  /** The key of an item in the index; null for an item that does not belong there. */
  readonly keyOf: (item: PlacedItem) => string | null;
}

function indexed(index: Table<string>, { before, after, keyOf }: Change): Table<string> {
  const old = before === undefined ? null : keyOf(before);
  const key = keyOf(after);
  if (old === key) return index;
  const rest = old === null ? index : index.delete(old);
  return key === null ? rest : rest.set(key, after.item);
}

function waitingKey({ state, place }: PlacedItem): string | null {
  return state === 'waiting' ? numberKey(place) : null;
}

/** The key that orders resumption; null for an item that is neither paused nor pausing, or has an order in progress. */
function resumeKey({ item, state, trigger, pausedAtMs, holdsSlot }: PlacedItem): string | null {
  if (holdsSlot || (state !== 'paused' && state !== 'pausing')) return null;
  const rank = trigger === 'GATE_TIMEOUT' ? 0 : trigger === 'MANUAL' ? 2 : 1;
  return turnKey({ rank, arrival: pausedAtMs ?? Number.MAX_SAFE_INTEGER }, item);
}
