/**
 * The items of one batch and what is asked of all of them: which is next, how many stand where, whether all is over.
 * Counts and indexes go along with every item that changes, so that no question goes through the items (seed 002,
 * CA-048 to CA-057). Pure.
 */
import { table, type Table } from '../../../table.ts';
import { nameKey, numberKey } from '../../people/table-keys.ts';
import { type BatchCounts, type BatchItem, type BatchStatus } from './batch-rules.ts';

type State = BatchItem['state'];

/** An item in its place: in which order the items were named. */
export interface PlacedItem extends BatchItem {
  readonly place: number;
}

/** The part of a batch's context that its items are in. */
export interface BatchItems {
  /** By name. */
  readonly items: Table<PlacedItem>;
  /** Names of those that are to be paused yet, by their places. */
  readonly waiting: Table<string>;
  /** Names of those that may be resumed, in the order in which they are. */
  readonly resumable: Table<string>;
  readonly states: Readonly<Record<State, number>>;
  /** Orders under way. */
  readonly slotsHeld: number;
}

const NO_ITEMS: BatchItems = {
  items: table(),
  waiting: table(),
  resumable: table(),
  states: { waiting: 0, pausing: 0, paused: 0, resuming: 0, resumed: 0, failed: 0 },
  slotsHeld: 0,
};

/** The last of two of one name counts, in the place of the first. */
export function batchItemsOf(items: readonly BatchItem[]): BatchItems {
  return items.reduce(withItem, NO_ITEMS);
}

export function itemNamed({ items }: Pick<BatchItems, 'items'>, name: string): PlacedItem | undefined {
  return items.get(nameKey(name));
}

/** With an item that is new or has changed. */
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

/** In the order in which they were named. Costs all of them. */
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

/** Whether one is to be paused yet. */
export function isNew({ states }: BatchItems): boolean {
  return states.waiting > 0;
}

/** Items to be paused now: in the order in which they were named, as many as there is room for. */
export function toPause(batch: BatchItems, limit: number): readonly PlacedItem[] {
  const next: PlacedItem[] = [];
  for (const name of batch.waiting.values()) {
    if (next.length >= room(batch, limit)) break;
    next.push(itemNamed(batch, name)!); // it is in the index
  }
  return next;
}

/** The item to resume next; null where there is none or no room. */
export function toResume(batch: BatchItems, limit: number): BatchItem | null {
  const next = room(batch, limit) === 0 ? undefined : batch.resumable.first();
  return next === undefined ? null : itemNamed(batch, next[1])!; // it is in the index
}

/** CA-052: gate timeouts first, manual pauses last, and of one kind the oldest pause first. Costs all of them. */
export function inResumeOrder(batch: BatchItems): readonly BatchItem[] {
  return [...batch.resumable.values()].map((name) => itemNamed(batch, name)!); // they are in the index
}

/** CA-055, X-35: more than half have failed. Exactly half has not. */
export function hasCollapsed({ items, states }: BatchItems): boolean {
  return states.failed * 2 > items.size;
}

/** Nothing is left to be done for any item. */
export function isOver({ items, states }: BatchItems): boolean {
  return states.resumed + states.failed === items.size;
}

/** How a batch has ended. */
export function endOf(batch: BatchItems): Exclude<BatchStatus, 'IN_PROGRESS'> {
  if (hasCollapsed(batch)) return 'FAILED';
  return batch.states.failed > 0 ? 'PARTIALLY_FAILED' : 'COMPLETED';
}

function room({ slotsHeld }: BatchItems, limit: number): number {
  return Math.max(0, limit - slotsHeld);
}

interface Change {
  readonly before: PlacedItem | undefined;
  readonly after: PlacedItem;
  /** Null where an item has no place in the index. */
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

/** Digits of the largest number that is exact. */
const AGE_DIGITS = String(Number.MAX_SAFE_INTEGER).length;

/** Null for one that does not stand or come to stand, or whose order is under way. */
function resumeKey({ item, state, trigger, pausedAtMs, holdsSlot }: PlacedItem): string | null {
  if (holdsSlot || (state !== 'paused' && state !== 'pausing')) return null;
  const rank = trigger === 'GATE_TIMEOUT' ? 0 : trigger === 'MANUAL' ? 2 : 1;
  const age = String(pausedAtMs ?? Number.MAX_SAFE_INTEGER).padStart(AGE_DIGITS, '0');
  return `${rank}${age}${item}`.toWellFormed();
}
