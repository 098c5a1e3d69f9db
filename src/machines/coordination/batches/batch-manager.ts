/**
 * The BatchManager (seed 002, CA-048 to CA-057): the desk that opens batches for people, the Lead Coordinator and the
 * FailureCorrelator, and lists them. Each batch is an actor (batch.ts). The desk forwards to each batch the
 * coordinator's reports on its items. It also records when and why each item was paused, which determines the order of
 * resumption.
 */
import { z } from 'zod';
import { isTable, rowsOf, table, type Table, type Whole } from '../../../table.ts';
import { batch } from './batch.ts';
import { type BatchReport } from './batch-messages.ts';
import { batchItemsOf, judgedBatch } from './batch-items.ts';
import { BATCH_RETENTION_MS, type BatchItem, type BatchRecord, CONCURRENCY } from './batch-rules.ts';
import {
  type ChildExited,
  Desk,
  type DeskApart,
  deskChildren,
  type DeskContext,
  deskInOneTable,
  type DeskOf,
  type DeskRecord,
  listed,
  newDesk,
} from '../../rules/desk.ts';
import { inArrivalOrder, recordsIn } from '../../rules/records.ts';
import { latestFirstKey, nameKey, pairKey, pairsOf } from '../../rules/table-keys.ts';
import { order, type OrderReply, refused, ruledAgent, type Rules, TAKEN, type Turn } from '../../rules/turn.ts';
import { COORDINATION_DESKS } from '../system-ids.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { PEOPLE_DESKS } from '../../people/system-ids.ts';
import { type Message, type PauseTrigger } from '../messages/messages.ts';

/** A batch in the desk's records. */
export interface ListedBatch extends BatchRecord, DeskRecord {
  /** Signature of the failures that caused the batch; null if none did. */
  readonly signature: string | null;
}

/** An item of a batch and its place in the order in which the items were named. */
export interface BatchMember {
  readonly batchId: string;
  readonly item: string;
  readonly place: number;
}

interface NamedItems {
  readonly id: string;
  readonly items: readonly string[];
}

interface PausedItem {
  readonly item: string;
  readonly pausedAtMs: number;
  readonly trigger: PauseTrigger | null;
}

export interface BatchManagerContext extends DeskContext<ListedBatch> {
  /** Items of each batch. */
  readonly members: Table<BatchMember>;
  /** Pauses by item. */
  readonly paused: Table<PausedItem>;
  /** Ids of the open batches of each item. */
  readonly batchesOfItems: Table<string>;
  /** Ids of open batches by correlation. */
  readonly correlated: Table<string>;
  /** Ids of open batches by actor. */
  readonly actors: Table<string>;
}

/** Events emitted to watchers once they are durable. */
export type BatchEmitted = { readonly type: 'batch.changed'; readonly batchId: string } & Pick<
  BatchRecord,
  'reason' | 'phase' | 'status' | 'total' | 'resumed' | 'failed' | 'notBeforeMs'
>;

type BatchTurn = Turn<BatchManagerContext, BatchEmitted>;

const BATCHES: DeskOf<ListedBatch> = {
  noun: 'batch',
  placeOf: ({ number }) => latestFirstKey(number),
  boss: COORDINATION_DESKS.batchActors,
  ending: ({ status }) => `over: ${status}`,
  actorOf,
};

/** Id of a batch's actor. It differs from the batch's id, because the sender may choose the latter. */
function actorOf({ number }: ListedBatch): string {
  return `batch-${number}`;
}

const desk = (turn: BatchTurn) => new Desk(turn, BATCHES);

/** Items per event to a batch: the desk holds an event for a batch that is still starting in one table row. */
const ADDED_AT_ONCE = 100;

const names = z.array(z.string().min(1).max(200)).min(1).max(10_000);
const concurrency = z.int().min(1).max(1_000);

const pauseOrder = z.object({ items: names, reason: z.string().max(2_000), maxConcurrency: concurrency.optional() });
const resumeOrder = z.object({
  items: names.optional(),
  batchId: z.string().optional(),
  concurrencyLimit: concurrency.optional(),
});

interface BatchReply extends OrderReply {
  readonly batchId: string;
}

const RULES = {
  /** Replies with the id of the batch. Default of `maxConcurrency`: 5. */
  'batch.pause': order(pauseOrder, (turn: BatchTurn, { items, reason, maxConcurrency = CONCURRENCY }) => {
    const id = nextId(turn);
    open(turn, { id, reason, correlationId: null, concurrencyLimit: maxConcurrency, items: items.map(toBePaused) });
    return { ...TAKEN, batchId: id } satisfies BatchReply;
  }),
  /**
   * Resumes a batch by its id, or a list of items. A list of exactly the items of an open batch resumes that batch.
   * Replies with the id of the batch. Default of `concurrencyLimit`: 5.
   */
  'batch.resume': order(resumeOrder, resume),
  /** Replies with the record of the batch and its items; null for an unknown id. */
  'batch.status': order(z.object({ batchId: z.string() }), (turn: BatchTurn, { batchId }) => {
    const record = desk(turn).records.get(batchId);
    return record === undefined ? null : shownBatch(turn.context, record);
  }),
  /** Replies with all batches, the oldest first. */
  'batch.list': order(z.object({}), ({ context }: BatchTurn) =>
    batchesIn(context).map((record) => shownBatch(context, record)),
  ),
  'batch.pause-request': (turn: BatchTurn, event: Message<'batch.pause-request'>) => {
    const { items, reason, batchId: id, maxConcurrency: concurrencyLimit } = event;
    if (!grow(turn, { id, items, reason }))
      open(turn, { id, reason, correlationId: null, concurrencyLimit, items: items.map(toBePaused) });
  },
  'batch.trigger': trigger,
  'correlation.detected': (turn: BatchTurn, { correlationId, signature }: Message<'correlation.detected'>) => {
    const known = batchOf(turn, correlationId);
    if (known !== undefined) desk(turn).change(known.id, { signature });
  },
  'pause.complete': (turn: BatchTurn, event: Message<'pause.complete'>) => {
    const { item, pausedAtMs, trigger = null } = event;
    turn.assign({ paused: turn.context.paused.set(nameKey(item), { item, pausedAtMs, trigger }) });
    tellBatches(turn, event);
  },
  'item.resumed': (turn: BatchTurn, event: Message<'item.resumed'>) => {
    turn.assign({ paused: turn.context.paused.delete(nameKey(event.item)) });
    tellBatches(turn, event);
  },
  'item.failed': tellBatches,
  'batch.changed': changed,
  'batch.forget': (turn: BatchTurn, { batchId }: { readonly batchId: string }) => {
    desk(turn).records.remove(batchId);
    dropMembers(turn, batchId);
  },
  'child.exited': giveUp,
} satisfies Rules<BatchManagerContext, BatchEmitted>;

export const batchManager = ruledAgent({
  name: 'batch-manager',
  rules: RULES,
  context: (): BatchManagerContext => ({
    ...newDesk(),
    members: table(),
    paused: table(),
    batchesOfItems: table(),
    correlated: table(),
    actors: table(),
  }),
  version: 2,
  // Version 1 had a table for open batches and one for others.
  migrate: { 2: (old: DeskApart<BatchManagerContext>): BatchManagerContext => deskInOneTable(old, BATCHES) },
});

export function batchChildren() {
  return deskChildren({
    desk: WORK_DESKS.batches,
    boss: COORDINATION_DESKS.batchActors,
    agent: batchManager.name,
    item: batch.name,
  });
}

/** The batches, the oldest first. */
export function batchesIn(context: Whole<BatchManagerContext>): ListedBatch[] {
  return recordsIn(context);
}

/** A batch as it is listed, with its items. */
export function shownBatch({ members }: Pick<Whole<BatchManagerContext>, 'members'>, record: ListedBatch) {
  return { ...listed(record), items: itemsOf(members, record.id) };
}

function resume(turn: BatchTurn, event: z.output<typeof resumeOrder>): BatchReply | OrderReply {
  const { batchId, concurrencyLimit } = event;
  const items = event.items ?? (batchId === undefined ? [] : itemsOf(turn.context.members, batchId));
  if (items.length === 0) return refused('there is nothing to resume');
  const known = batchId === undefined ? holding(turn, items) : desk(turn).records.get(batchId);
  if (known !== undefined && !known.isOver) {
    desk(turn).tell(known, { type: 'batch.go-on', concurrencyLimit: concurrencyLimit ?? null });
    return { ...TAKEN, batchId: known.id };
  }
  const id = nextId(turn);
  open(turn, {
    id,
    reason: known?.reason ?? 'resumed together',
    correlationId: known?.correlationId ?? null,
    concurrencyLimit: concurrencyLimit ?? CONCURRENCY,
    items: items.map((item) => toBeResumed(turn, item)),
  });
  return { ...TAKEN, batchId: id };
}

/** Opens the batch of a correlation at its first trigger, and adds items to it at later triggers. */
function trigger(turn: BatchTurn, { items, rootCause: reason, correlationId }: Message<'batch.trigger'>): void {
  const known = batchOf(turn, correlationId);
  const id = known?.id ?? nextId(turn);
  const free = items.filter((item) => !openBatchesOf(turn, item).some((other) => other.id !== id));
  if (known !== undefined) grow(turn, { id, items: free, reason });
  else {
    open(turn, { id, reason, correlationId, concurrencyLimit: CONCURRENCY, items: free.map(toBePaused) });
    turn.send(COORDINATION_DESKS.correlator, { type: 'batch.opened', batchId: id, correlationId });
  }
  turn.send(PEOPLE_DESKS.alerts, { type: 'alert.batch', batchId: id, items: free, reason });
}

function changed(turn: BatchTurn, { batch: ref, record }: BatchReport): void {
  const known = desk(turn).records.get(record.id);
  if (known === undefined) return;
  desk(turn).begin(record.id, ref);
  if (record.phase === 'finished') close(turn, record);
  else desk(turn).change(record.id, record);
  const isNews = known.ref === null || known.phase !== record.phase || known.notBeforeMs !== record.notBeforeMs;
  if (isNews) announce(turn, record);
}

function close(turn: BatchTurn, record: BatchRecord): void {
  const closed = desk(turn).close(record.id, record);
  if (closed !== undefined) unindex(turn, closed);
  turn.raise({ type: 'batch.forget', batchId: record.id }, { delay: BATCH_RETENTION_MS, id: `forget:${record.id}` });
}

/** Closes the record of a batch whose actor ended without a report; its items stay as they are. */
function giveUp(turn: BatchTurn, { id: actor }: ChildExited): void {
  const record = desk(turn).records.get(turn.context.actors.get(actor) ?? '');
  if (record === undefined || record.isOver) return;
  const ended = { phase: 'finished', status: 'FAILED', completedAtMs: turn.nowMs, notBeforeMs: null } as const;
  close(turn, { ...record, ...ended, note: 'the batch itself has failed' });
  announce(turn, { ...record, ...ended });
}

function announce(turn: BatchTurn, record: BatchRecord): void {
  const { id, reason, phase, status, total, resumed, failed, notBeforeMs } = record;
  turn.emit({ type: 'batch.changed', batchId: id, reason, phase, status, total, resumed, failed, notBeforeMs });
}

interface Opening extends Pick<BatchRecord, 'id' | 'reason' | 'correlationId' | 'concurrencyLimit'> {
  readonly items: readonly BatchItem[];
}

function open(turn: BatchTurn, { items: given, ...asked }: Opening): void {
  const items = [...new Map(given.map((item) => [item.item, item])).values()];
  const own = { ...asked, name: asked.correlationId ?? asked.id };
  // An ended batch may have had the same id.
  dropMembers(turn, asked.id);
  const opened = desk(turn).open(
    {
      ...own,
      phase: 'pausing',
      status: 'IN_PROGRESS',
      ...{ total: items.length, paused: 0, resumed: 0, failed: 0, pending: items.length },
      createdAtMs: turn.nowMs,
      completedAtMs: null,
      notBeforeMs: null,
      note: null,
      decision: judgedBatch(batchItemsOf([])),
      signature: null,
    },
    { ...own, items },
  );
  if (opened === undefined) return;
  join(turn, { id: opened.id, items: items.map(({ item }) => item) });
  const { actors, correlated } = turn.context;
  turn.assign({
    actors: actors.set(actorOf(opened), opened.id),
    ...(opened.correlationId !== null && { correlated: correlated.set(nameKey(opened.correlationId), opened.id) }),
  });
}

/** Records new items of an open batch. */
function join(turn: BatchTurn, { id, items }: NamedItems): void {
  let { members, batchesOfItems } = turn.context;
  let place = itemsOf(members, id).length;
  for (const item of items) {
    members = members.set(pairKey(id, item), { batchId: id, item, place: place++ });
    batchesOfItems = batchesOfItems.set(pairKey(item, id), id);
  }
  turn.assign({ members, batchesOfItems });
}

function dropMembers(turn: BatchTurn, id: string): void {
  let { members } = turn.context;
  for (const item of itemsOf(members, id)) members = members.delete(pairKey(id, item));
  turn.assign({ members });
}

/** Removes an ended batch from the indexes. From then on it can be found by its id only. */
function unindex(turn: BatchTurn, closed: ListedBatch): void {
  let { batchesOfItems } = turn.context;
  const { members, correlated, actors } = turn.context;
  for (const item of itemsOf(members, closed.id)) batchesOfItems = batchesOfItems.delete(pairKey(item, closed.id));
  const { correlationId } = closed;
  const isKnownBy = correlationId !== null && correlated.get(nameKey(correlationId)) === closed.id;
  turn.assign({
    batchesOfItems,
    actors: actors.delete(actorOf(closed)),
    ...(isKnownBy && { correlated: correlated.delete(nameKey(correlationId)) }),
  });
}

/** Adds items to an open batch; false if there is none. */
function grow(turn: BatchTurn, { id, items, reason }: NamedItems & { readonly reason: string }): boolean {
  const known = desk(turn).records.get(id);
  if (known === undefined || known.isOver) return false;
  const { members } = turn.context;
  const added = items.filter((item) => !members.has(pairKey(id, item)));
  join(turn, { id, items: [...new Set(added)] });
  for (let from = 0; from < added.length || from === 0; from += ADDED_AT_ONCE) {
    const part = added.slice(from, from + ADDED_AT_ONCE).map(toBePaused);
    desk(turn).tell(desk(turn).records.get(id)!, { type: 'batch.add', reason, items: part });
  }
  return true;
}

function tellBatches(turn: BatchTurn, event: Message<'pause.complete' | 'item.resumed' | 'item.failed'>): void {
  for (const open of openBatchesOf(turn, event.item)) desk(turn).tell(open, event);
}

function nextId(turn: BatchTurn): string {
  return `batch-${turn.context.next}`;
}

/** Items of a batch in the order in which they were named. */
function itemsOf(members: Whole<BatchManagerContext>['members'], id: string): readonly string[] {
  const rows = isTable(members) ? [...members.values(pairsOf(id))] : rowsOf(members);
  return rows
    .filter(({ batchId }) => batchId === id)
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

function openBatchesOf(turn: BatchTurn, item: string): ListedBatch[] {
  const ids = [...turn.context.batchesOfItems.values(pairsOf(item))];
  return inArrivalOrder(ids.flatMap((id) => desk(turn).records.get(id) ?? []));
}

/** The open batch of a correlation. */
function batchOf(turn: BatchTurn, correlationId: string): ListedBatch | undefined {
  return desk(turn).records.get(turn.context.correlated.get(nameKey(correlationId)) ?? '');
}

/** The open batch with exactly these items. */
function holding(turn: BatchTurn, items: readonly string[]): ListedBatch | undefined {
  const wanted = new Set(items);
  return openBatchesOf(turn, items[0]!).find(({ id }) => {
    const own = itemsOf(turn.context.members, id);
    return own.length === wanted.size && own.every((item) => wanted.has(item));
  });
}

function toBePaused(item: string): BatchItem {
  return { item, state: 'waiting', pausedAtMs: null, trigger: null, error: null, holdsSlot: false };
}

function toBeResumed(turn: BatchTurn, item: string): BatchItem {
  const { pausedAtMs = null, trigger = null } = turn.context.paused.get(nameKey(item)) ?? {};
  return { item, state: 'paused', pausedAtMs, trigger, error: null, holdsSlot: false };
}
