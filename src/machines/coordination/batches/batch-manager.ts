/**
 * The BatchManager (seed 002, CA-048 to CA-057): where batches are asked for, by people, the Lead Coordinator and the
 * FailureCorrelator, and listed. Each is an actor (batch.ts); this desk tells them what the coordinator reports of
 * their items and remembers why and since when items are paused, by which they are resumed in order.
 */
import { type AnyActorRef, enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import { reply } from '../../../actors/model/talk-actions.ts';
import { batch } from './batch.ts';
import { type BatchEvent, type BatchInput, type BatchReport } from './batch-messages.ts';
import { BATCH_RETENTION_MS, type BatchItem, type BatchRecord, CONCURRENCY } from './batch-rules.ts';
import { postTo, recordIn, recordsUnder } from '../../people/keyed-records.ts';
import { DESKS } from '../../work/system-ids.ts';
import { type Message, type PauseTrigger } from '../messages/messages.ts';

/** A batch as the desk has it. */
interface Listed extends BatchRecord {
  /** Null until it has begun, and after it has ended. */
  readonly batch: AnyActorRef | null;
  /** Of the failures that led to it; null where none did. */
  readonly signature: string | null;
  /** What it is to be told once it has begun. */
  readonly untold: readonly BatchEvent[];
}

interface PausedItem {
  readonly item: string;
  readonly pausedAtMs: number;
  readonly trigger: PauseTrigger | null;
}

export type BatchManagerContext = { readonly next: number } & { readonly [key in `batch:${string}`]?: Listed } & {
  /** Items of a batch, written only when they change. */
  readonly [key in `items:${string}`]?: readonly string[];
} & { readonly [key in `paused:${string}`]?: PausedItem };

/** What is said to whoever watches, once it is durable. */
export type BatchEmitted = { readonly type: 'batch.changed'; readonly batchId: string } & Pick<
  BatchRecord,
  'reason' | 'phase' | 'status' | 'total' | 'resumed' | 'failed' | 'notBeforeMs'
>;

type Event =
  | Message<
      | 'batch.pause-request'
      | 'batch.trigger'
      | 'correlation.detected'
      | 'pause.complete'
      | 'item.resumed'
      | 'item.failed'
    >
  | {
      readonly type: 'batch.pause';
      readonly items: readonly string[];
      readonly reason: string;
      readonly maxConcurrency?: number | undefined;
    }
  | {
      readonly type: 'batch.resume';
      readonly items?: readonly string[] | undefined;
      readonly batchId?: string | undefined;
      readonly concurrencyLimit?: number | undefined;
    }
  | { readonly type: 'batch.status' | 'batch.forget'; readonly batchId: string }
  | { readonly type: 'batch.list' }
  | { readonly type: 'child.exited'; readonly id: string }
  | BatchReport;

const put = recordIn<BatchManagerContext>();

const machine = setup({
  types: {} as { context: BatchManagerContext; events: Event; emitted: BatchEmitted },
  delays: { retention: BATCH_RETENTION_MS },
}).createMachine({
  id: 'batch-manager',
  context: { next: 1 },
  on: {
    'batch.pause': {
      actions: enqueueActions(
        ({ context, event: { items, reason, maxConcurrency = CONCURRENCY }, enqueue, self, system }) => {
          const order = {
            id: `batch-${context.next}`,
            reason,
            correlationId: null,
            concurrencyLimit: maxConcurrency,
            items: items.map(toBePaused),
          };
          open(enqueue as Enqueue, { context, order, self, system });
          enqueue(reply(() => ({ batchId: order.id })));
        },
      ),
    },
    'batch.pause-request': {
      actions: enqueueActions(
        ({ context, event: { items, reason, batchId, maxConcurrency }, enqueue, self, system }) => {
          if (grow(enqueue as Enqueue, context, { batchId, items, reason })) return;
          open(enqueue as Enqueue, {
            context,
            order: {
              id: batchId,
              reason,
              correlationId: null,
              concurrencyLimit: maxConcurrency,
              items: items.map(toBePaused),
            },
            self,
            system,
          });
        },
      ),
    },
    // The first trigger of a correlation opens its batch, later ones add to it.
    'batch.trigger': {
      actions: enqueueActions(({ context, event: { items, rootCause, correlationId }, enqueue, self, system }) => {
        const post = postTo(enqueue.sendTo, system);
        const known = batchesIn(context).find(
          (other) => other.correlationId === correlationId && other.phase !== 'finished',
        );
        const id = known?.id ?? `batch-${context.next}`;
        const free = items.filter((item) => !openBatchesOf(context, item).some((other) => other.id !== id));
        if (known !== undefined) grow(enqueue as Enqueue, context, { batchId: id, items: free, reason: rootCause });
        else {
          open(enqueue as Enqueue, {
            context,
            order: { id, reason: rootCause, correlationId, concurrencyLimit: CONCURRENCY, items: free.map(toBePaused) },
            self,
            system,
          });
          post(DESKS.correlator, { type: 'batch.opened', batchId: id, correlationId });
        }
        post(DESKS.alerts, { type: 'alert.batch', batchId: id, items: free, reason: rootCause });
      }),
    },
    'correlation.detected': {
      actions: enqueueActions(({ context, event: { correlationId, signature }, enqueue }) => {
        const known = batchesIn(context).find(
          (other) => other.correlationId === correlationId && other.phase !== 'finished',
        );
        if (known !== undefined) enqueue.assign(put(`batch:${known.id}`, { ...known, signature }));
      }),
    },
    'batch.resume': {
      actions: enqueueActions(({ context, event, enqueue, self, system }) => {
        const { batchId, concurrencyLimit } = event;
        const items = event.items ?? (batchId === undefined ? [] : (context[`items:${batchId}`] ?? []));
        const known = batchId === undefined ? holding(context, items) : context[`batch:${batchId}`];
        const id = known === undefined || known.phase === 'finished' ? `batch-${context.next}` : known.id;
        if (id === known?.id)
          tell(enqueue as Enqueue, known, { type: 'batch.go-on', concurrencyLimit: concurrencyLimit ?? null });
        else {
          const order = {
            id,
            reason: known?.reason ?? 'resumed together',
            correlationId: known?.correlationId ?? null,
            concurrencyLimit: concurrencyLimit ?? CONCURRENCY,
            items: items.map((item) => toBeResumed(context, item)),
          };
          if (items.length > 0) open(enqueue as Enqueue, { context, order, self, system });
        }
        enqueue(reply(() => ({ batchId: items.length > 0 ? id : null })));
      }),
    },
    'batch.status': { actions: reply(({ context, event }) => shown(context, context[`batch:${event.batchId}`])) },
    'batch.list': { actions: reply(({ context }) => batchesIn(context).map((record) => shown(context, record))) },
    'pause.complete': {
      actions: enqueueActions(({ context, event, enqueue }) => {
        const { item, pausedAtMs, trigger = null } = event;
        enqueue.assign(put(`paused:${item}`, { item, pausedAtMs, trigger }));
        for (const other of openBatchesOf(context, item)) tell(enqueue as Enqueue, other, event);
      }),
    },
    'item.resumed': {
      actions: enqueueActions(({ context, event, enqueue }) => {
        enqueue.assign(put(`paused:${event.item}`, undefined));
        for (const other of openBatchesOf(context, event.item)) tell(enqueue as Enqueue, other, event);
      }),
    },
    'item.failed': {
      actions: enqueueActions(({ context, event, enqueue }) => {
        for (const other of openBatchesOf(context, event.item)) tell(enqueue as Enqueue, other, event);
      }),
    },
    'batch.changed': {
      actions: enqueueActions(({ context, event: { batch: actor, record }, enqueue }) => {
        const known = context[`batch:${record.id}`];
        if (known === undefined) return;
        const isFinished = record.phase === 'finished';
        enqueue.assign(
          put(`batch:${record.id}`, { ...known, ...record, batch: isFinished ? null : actor, untold: [] }),
        );
        for (const event of isFinished ? [] : known.untold) enqueue.sendTo(actor, event);
        if (known.batch === null || known.phase !== record.phase || known.notBeforeMs !== record.notBeforeMs)
          enqueue.emit(newsOf(record));
        if (isFinished)
          enqueue.raise(
            { type: 'batch.forget', batchId: record.id },
            { delay: 'retention', id: `forget:${record.id}` },
          );
      }),
    },
    'batch.forget': {
      actions: enqueueActions(({ event: { batchId }, enqueue }) => {
        enqueue.assign(put(`batch:${batchId}`, undefined));
        enqueue.assign(put(`items:${batchId}`, undefined));
      }),
    },
    // Ended; its record here says all that is left to say.
    'child.exited': {
      actions: enqueueActions(({ event: { id }, enqueue, system }) =>
        enqueue.sendTo(system.get(DESKS.batchActors) as AnyActorRef, { type: 'child.delete', id }),
      ),
    },
  },
});

const names = z.array(z.string().min(1).max(200)).min(1).max(10_000);
const concurrency = z.int().min(1).max(1_000);

export const batchManager = defineAgent({
  name: 'batch-manager',
  machine,
  events: {
    /** Replies with the id of the batch. `maxConcurrency` is 5 unless given. */
    'batch.pause': z.object({ items: names, reason: z.string().max(2_000), maxConcurrency: concurrency.optional() }),
    /**
     * A batch by its id, or items: those that are all of a paused batch resume as that one. Replies with the id of the
     * batch, null where there is nothing to resume. `concurrencyLimit` is 5 unless given.
     */
    'batch.resume': z.object({
      items: names.optional(),
      batchId: z.string().optional(),
      concurrencyLimit: concurrency.optional(),
    }),
    /** Replies with the record and its items, null for an id that is none. */
    'batch.status': z.object({ batchId: z.string() }),
    /** Replies with all of them, the eldest first. */
    'batch.list': z.object({}),
  },
});

/** The batches, the eldest first. */
export function batchesIn(context: BatchManagerContext): Listed[] {
  return recordsUnder<Listed>(context, 'batch:').sort((a, b) => a.createdAtMs - b.createdAtMs);
}

function newsOf({ id, reason, phase, status, total, resumed, failed, notBeforeMs }: BatchRecord): BatchEmitted {
  return { type: 'batch.changed', batchId: id, reason, phase, status, total, resumed, failed, notBeforeMs };
}

interface Enqueue {
  assign(patch: Partial<BatchManagerContext>): void;
  sendTo(to: AnyActorRef, event: { readonly type: string }): void;
}

interface Opening {
  readonly context: BatchManagerContext;
  readonly order: Omit<BatchInput, 'desk' | 'name'>;
  readonly self: AnyActorRef;
  readonly system: { get(key: string): AnyActorRef | undefined };
}

function open(enqueue: Enqueue, { context, order, self, system }: Opening): void {
  const { id, reason, correlationId, concurrencyLimit } = order;
  const child = `batch-${context.next}`;
  const items = [...new Map(order.items.map((item) => [item.item, item])).values()];
  const name = correlationId ?? id;
  const spec = {
    id: child,
    agent: batch.name,
    restart: 'transient',
    reportTo: self,
    input: { ...order, items, name, desk: self },
  };
  const counts = { total: items.length, paused: 0, resumed: 0, failed: 0, pending: items.length };
  const now = {
    phase: 'pausing',
    status: 'IN_PROGRESS',
    createdAtMs: timeOf(self),
    completedAtMs: null,
    notBeforeMs: null,
    note: null,
  } as const;
  enqueue.assign({ next: context.next + 1 });
  enqueue.assign(
    put(
      `items:${id}`,
      items.map(({ item }) => item),
    ),
  );
  enqueue.assign(
    put(`batch:${id}`, {
      id,
      name,
      reason,
      correlationId,
      concurrencyLimit,
      ...counts,
      ...now,
      batch: null,
      signature: null,
      untold: [],
    }),
  );
  enqueue.sendTo(system.get(DESKS.batchActors)!, { type: 'child.start', id: child, spec } as { type: string });
}

/** Adds items to a batch that is open. False where there is none. */
function grow(
  enqueue: Enqueue,
  context: BatchManagerContext,
  { batchId, items, reason }: { batchId: string; items: readonly string[]; reason: string },
): boolean {
  const known = context[`batch:${batchId}`];
  if (known === undefined || known.phase === 'finished') return false;
  const before = context[`items:${batchId}`] ?? [];
  enqueue.assign(put(`items:${batchId}`, [...new Set([...before, ...items])]));
  tell(enqueue, known, {
    type: 'batch.add',
    reason,
    items: items.filter((item) => !before.includes(item)).map(toBePaused),
  });
  return true;
}

/** A batch that has not begun yet is told when it has. */
function tell(enqueue: Enqueue, known: Listed, event: BatchEvent): void {
  if (known.batch === null) enqueue.assign(put(`batch:${known.id}`, { ...known, untold: [...known.untold, event] }));
  else enqueue.sendTo(known.batch, event);
}

function openBatchesOf(context: BatchManagerContext, item: string): Listed[] {
  return batchesIn(context).filter(
    ({ id, phase }) => phase !== 'finished' && (context[`items:${id}`] ?? []).includes(item),
  );
}

/** The open batch that has these items and no others. */
function holding(context: BatchManagerContext, items: readonly string[]): Listed | undefined {
  const wanted = new Set(items);
  return batchesIn(context).find(({ id, phase }) => {
    const own = context[`items:${id}`] ?? [];
    return phase !== 'finished' && own.length === wanted.size && own.every((item) => wanted.has(item));
  });
}

function toBePaused(item: string): BatchItem {
  return { item, state: 'waiting', pausedAtMs: null, trigger: null, error: null, holdsSlot: false };
}

function toBeResumed(context: BatchManagerContext, item: string): BatchItem {
  const known = context[`paused:${item}`];
  return {
    item,
    state: 'paused',
    pausedAtMs: known?.pausedAtMs ?? null,
    trigger: known?.trigger ?? null,
    error: null,
    holdsSlot: false,
  };
}

/** As it is listed: with its items, without what is of use to the desk alone. */
function shown(
  context: BatchManagerContext,
  listed: Listed | undefined,
): (BatchRecord & Pick<Listed, 'signature'> & { readonly items: readonly string[] }) | null {
  if (listed === undefined) return null;
  const { batch: _, untold: __, ...record } = listed;
  return { ...record, items: context[`items:${listed.id}`] ?? [] };
}
