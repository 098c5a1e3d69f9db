/**
 * One batch (seed 002, CA-048 to CA-057): pauses its items so many at a time, and resumes them so, in their order,
 * asking for resources before each. More than half failed, and all of it is paused again; less, and only those that
 * failed are. Items are paused and resumed by the Lead Coordinator; what it reports comes by way of the BatchManager.
 * Rules: batch-rules.ts.
 */
import { type AnyActorRef, assign, enqueueActions, fromPromise, sendTo, setup } from 'xstate';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import {
  BATCH_EXPIRY_MS,
  type BatchItem,
  type BatchRecord,
  type BatchStatus,
  countsOf,
  endOf,
  hasCollapsed,
  isOver,
  type Resources,
  SLOT_PATIENCE_MS,
  toPause,
  toResume,
  readinessOf,
} from './batch-rules.ts';
import { postTo, recordIn, recordsUnder } from '../../people/keyed-records.ts';
import { DESKS } from '../../work/system-ids.ts';
import { type Message } from '../messages/messages.ts';
import { type BatchEvent, type BatchInput, type BatchReport, type ResourceQuestion } from './batch-messages.ts';
import { type Port, portLogic } from '../../work/port.ts';

type Context = Omit<BatchInput, 'items'> & {
  readonly phase: BatchRecord['phase'];
  readonly status: BatchStatus;
  readonly createdAtMs: number;
  readonly completedAtMs: number | null;
  readonly notBeforeMs: number | null;
  readonly note: string | null;
  /** The item that resources are asked about. */
  readonly candidate: string | null;
  readonly runningTasks: number;
} & { readonly [key in `item:${string}`]?: BatchItem };

type Event = BatchEvent | { readonly type: 'slot.overdue'; readonly item: string };

const FREE = { isFree: true } as const;

/** A service that does not say is not waited for: what it would have said is not known. */
const RESOURCES_TIMEOUT_MS = 30_000;

const put = recordIn<Context>();

const machine = setup({
  types: {} as { context: Context; events: Event; input: BatchInput },
  actors: {
    resources: fromPromise<Resources, ResourceQuestion>(() =>
      Promise.resolve({ apiQuota: FREE, compute: FREE, connections: FREE }),
    ),
  },
  delays: {
    patience: SLOT_PATIENCE_MS,
    expiry: BATCH_EXPIRY_MS,
    untilFree: ({ context, self }) => Math.max(0, context.notBeforeMs! - timeOf(self)),
  },
  guards: {
    mayPause: ({ context }) => toPause(itemsIn(context), context.concurrencyLimit).length > 0,
    mayResume: ({ context }) => toResume(itemsIn(context), context.concurrencyLimit) !== null,
    isNew: ({ context }) => itemsIn(context).some(({ state }) => state === 'waiting'),
    isAsked: ({ context }) => itemsIn(context).every(({ state, holdsSlot }) => state !== 'waiting' && !holdsSlot),
    isCorrelated: ({ context }) => context.correlationId !== null,
    isFree: ({ context }) => context.notBeforeMs === null,
    isOver: ({ context }) => isOver(itemsIn(context)),
    hasCollapsed: ({ context }) => hasCollapsed(itemsIn(context)),
  },
  actions: {
    report: sendTo(
      ({ context }) => context.desk,
      ({ context, self }): BatchReport => ({ type: 'batch.changed', batch: self, record: recordOf(context) }),
    ),
    pauseNext: enqueueActions(({ context, enqueue, system }) => {
      const post = postTo(enqueue.sendTo, system);
      for (const item of toPause(itemsIn(context), context.concurrencyLimit)) {
        enqueue.assign(put(`item:${item.item}`, { ...item, state: 'pausing', holdsSlot: true }));
        post(DESKS.coordinator, pauseRequest(context, item.item, context.reason));
        enqueue.raise({ type: 'slot.overdue', item: item.item }, { delay: 'patience', id: slotTimer(item.item) });
      }
    }),
    goOn: enqueueActions(({ context, event, enqueue }) => {
      if (event.type === 'batch.go-on' && event.concurrencyLimit !== null)
        enqueue.assign({ concurrencyLimit: event.concurrencyLimit });
      // What was not yet asked to pause has never stood still.
      for (const item of itemsIn(context).filter(({ state }) => state === 'waiting'))
        enqueue.assign(put(`item:${item.item}`, { ...item, state: 'resumed' }));
    }),
    chooseNext: assign(({ context, system }) => ({
      candidate: toResume(itemsIn(context), context.concurrencyLimit)?.item ?? null,
      runningTasks: runningTasksOf(system.get(DESKS.coordinator) as AnyActorRef | undefined),
    })),
    resumeCandidate: enqueueActions(({ context, enqueue, system }) => {
      const item = context[`item:${context.candidate}`];
      enqueue.assign({ candidate: null });
      // It may have been resumed by somebody else while the resources were asked about.
      if (item === undefined || item.state === 'resumed' || item.state === 'failed') return;
      enqueue.assign(put(`item:${item.item}`, { ...item, state: 'resuming', holdsSlot: true }));
      postTo(enqueue.sendTo, system)(DESKS.coordinator, {
        type: 'resume.command',
        item: item.item,
        resumePlan: null,
        notify: true,
      });
      enqueue.raise({ type: 'slot.overdue', item: item.item }, { delay: 'patience', id: slotTimer(item.item) });
    }),
    pauseAll: enqueueActions(({ context, enqueue, system }) => {
      const post = postTo(enqueue.sendTo, system);
      for (const item of itemsIn(context).filter(({ state }) => state === 'resumed' || state === 'resuming')) {
        enqueue.assign(put(`item:${item.item}`, { ...item, state: 'paused', holdsSlot: false }));
        enqueue.cancel(slotTimer(item.item));
        post(DESKS.coordinator, pauseRequest(context, item.item, `more than half of ${context.id} failed`));
      }
    }),
    giveUp: enqueueActions(({ context, enqueue }) => {
      for (const item of itemsIn(context).filter(({ state }) => state !== 'resumed' && state !== 'failed')) {
        enqueue.assign(
          put(`item:${item.item}`, { ...item, state: 'failed', error: 'not resumed within 30 days', holdsSlot: false }),
        );
      }
    }),
    conclude: enqueueActions(({ context, enqueue, self, system }) => {
      const status = endOf(itemsIn(context));
      const post = postTo(enqueue.sendTo, system);
      enqueue.assign({ phase: 'finished', status, completedAtMs: timeOf(self), notBeforeMs: null });
      post(DESKS.alerts, finishAlert(context, status));
      for (const desk of [DESKS.alerts, DESKS.correlator])
        post(desk, { type: 'batch.finished', batchId: context.id, correlationId: context.correlationId, status });
    }),
  },
}).createMachine({
  id: 'batch',
  context: ({ input: { items, ...rest }, self }) => ({
    ...rest,
    phase: 'pausing',
    status: 'IN_PROGRESS',
    createdAtMs: timeOf(self),
    completedAtMs: null,
    notBeforeMs: null,
    note: null,
    candidate: null,
    runningTasks: 0,
    ...Object.fromEntries(items.map((item) => [`item:${item.item}`, item])),
  }),
  initial: 'starting',
  on: {
    'pause.complete': {
      actions: [
        enqueueActions(({ context, event: { item, pausedAtMs, trigger = null }, enqueue }) => {
          const known = context[`item:${item}`];
          if (known === undefined || known.state === 'failed' || known.state === 'resuming') return;
          // Who resumed it as part of this batch has not meant it to stand again.
          if (known.state === 'resumed' && context.phase === 'resuming')
            return settle(enqueue as Enqueue, known, { state: 'failed', error: 'paused again' });
          enqueue.assign(
            put(`item:${item}`, {
              ...known,
              state: 'paused',
              pausedAtMs,
              trigger: trigger ?? known.trigger,
              holdsSlot: false,
            }),
          );
          enqueue.cancel(slotTimer(item));
        }),
        'report',
      ],
    },
    'item.resumed': {
      actions: [
        enqueueActions(({ context, event: { item }, enqueue }) =>
          settle(enqueue as Enqueue, context[`item:${item}`], { state: 'resumed', error: null }),
        ),
        'report',
      ],
    },
    'item.failed': {
      actions: [
        enqueueActions(({ context, event: { item, error }, enqueue, system }) => {
          const known = context[`item:${item}`];
          // The answer to its own order to pause what has failed: told of it again, batch and coordinator would never
          // end.
          if (known === undefined || known.state === 'failed') return;
          settle(enqueue as Enqueue, known, { state: 'failed', error });
          if (context.phase === 'resuming')
            postTo(enqueue.sendTo, system)(DESKS.coordinator, pauseRequest(context, item, error));
        }),
        'report',
      ],
    },
    'batch.add': {
      actions: [
        enqueueActions(({ context, event: { items, reason }, enqueue }) => {
          enqueue.assign({ reason });
          for (const item of items)
            if (context[`item:${item.item}`] === undefined) enqueue.assign(put(`item:${item.item}`, item));
        }),
        'report',
      ],
    },
  },
  states: {
    starting: { entry: 'report', always: [{ guard: 'isNew', target: 'pausing' }, { target: 'resuming' }] },
    pausing: {
      entry: assign({ phase: 'pausing' }),
      always: [
        { guard: 'mayPause', actions: ['pauseNext', 'report'] },
        { guard: 'isOver', target: 'finished' },
        { guard: 'isAsked', target: 'paused' },
      ],
      on: {
        'batch.go-on': { target: 'resuming', actions: 'goOn' },
        // A task may take hours to its boundary: it is still pausing, but others get its place.
        'slot.overdue': {
          actions: enqueueActions(({ context, event: { item }, enqueue }) =>
            enqueue.assign(put(`item:${item}`, { ...context[`item:${item}`]!, holdsSlot: false })),
          ),
        },
      },
    },
    paused: {
      entry: [assign({ phase: 'paused' }), 'report'],
      always: [
        { guard: 'isNew', target: 'pausing' },
        { guard: 'isOver', target: 'finished' },
      ],
      on: { 'batch.go-on': { target: 'resuming', actions: 'goOn' } },
      after: { expiry: { target: 'finished', actions: 'giveUp' } },
      initial: 'settling',
      states: {
        settling: { always: [{ guard: 'isCorrelated', target: 'asking' }, { target: 'resting' }] },
        // Where the cause has a known end, a reset of a quota say, the batch goes on by itself then (CA-032).
        asking: {
          entry: 'chooseNext',
          invoke: {
            src: 'resources',
            input: ({ context }) => questionOf(context, null),
            onDone: {
              target: 'asked',
              actions: assign({ notBeforeMs: ({ event, self }) => resetOf(event.output, timeOf(self)) }),
            },
            onError: 'resting',
          },
        },
        asked: { always: [{ guard: 'isFree', target: 'resting' }, { target: '#batch.resuming' }] },
        resting: {},
      },
    },
    resuming: {
      entry: [assign({ phase: 'resuming' }), 'report'],
      always: [
        { guard: 'hasCollapsed', target: 'finished', actions: 'pauseAll' },
        { guard: 'isOver', target: 'finished' },
        // Others that failed of the same cause meanwhile: they stand before they go on.
        { guard: 'mayPause', actions: ['pauseNext', 'report'] },
      ],
      on: {
        'slot.overdue': {
          actions: [
            enqueueActions(({ context, event: { item }, enqueue, system }) => {
              const error = 'no answer within 30 minutes';
              const known = context[`item:${item}`]!;
              if (known.state === 'pausing') return enqueue.assign(put(`item:${item}`, { ...known, holdsSlot: false }));
              settle(enqueue as Enqueue, context[`item:${item}`], { state: 'failed', error });
              postTo(enqueue.sendTo, system)(DESKS.coordinator, pauseRequest(context, item, error));
            }),
            'report',
          ],
        },
      },
      after: { expiry: { target: 'finished', actions: 'giveUp' } },
      initial: 'deciding',
      states: {
        deciding: { always: { guard: 'mayResume', target: 'checking' } },
        checking: {
          entry: 'chooseNext',
          invoke: {
            src: 'resources',
            input: ({ context }) => questionOf(context, context.candidate),
            onDone: {
              target: 'checked',
              actions: assign({ notBeforeMs: ({ event, self }) => untilOf(event.output, timeOf(self)) }),
            },
            // Not known is no reason to keep an item for ever: it goes on, and the record says so.
            onError: { target: 'checked', actions: assign({ notBeforeMs: null, note: 'resources are not known' }) },
          },
        },
        checked: {
          always: [
            { guard: 'isFree', target: 'deciding', actions: ['resumeCandidate', 'report'] },
            { target: 'waiting' },
          ],
        },
        waiting: { entry: 'report', after: { untilFree: 'checking' } },
      },
    },
    finished: { type: 'final', entry: ['conclude', 'report'] },
  },
});

/** The agent for batches, with the host's port for resources where it has one. */
export function batchAgent(resources?: Port<ResourceQuestion, Resources>) {
  const own = resources === undefined ? machine : machine.provide({ actors: { resources: portLogic(resources) } });
  return defineAgent({
    name: 'batch',
    machine: own,
    events: {},
    effects: { resources: { timeoutMs: RESOURCES_TIMEOUT_MS } },
  });
}

/** Resumes without asking for anything. */
export const batch = batchAgent();

interface Enqueue {
  assign(patch: Partial<Context>): void;
  cancel(id: string): void;
}

/** What came of an item's order; its place is free. */
function settle(enqueue: Enqueue, item: BatchItem | undefined, end: Pick<BatchItem, 'state' | 'error'>): void {
  if (item === undefined) return;
  enqueue.assign(put(`item:${item.item}`, { ...item, ...end, holdsSlot: false }));
  enqueue.cancel(slotTimer(item.item));
}

function itemsIn(context: Context): BatchItem[] {
  return recordsUnder<BatchItem>(context, 'item:');
}

function recordOf(context: Context): BatchRecord {
  const {
    id,
    name,
    reason,
    correlationId,
    phase,
    status,
    concurrencyLimit,
    createdAtMs,
    completedAtMs,
    notBeforeMs,
    note,
  } = context;
  return {
    id,
    name,
    reason,
    correlationId,
    phase,
    status,
    concurrencyLimit,
    createdAtMs,
    completedAtMs,
    notBeforeMs,
    note,
    ...countsOf(itemsIn(context)),
  };
}

function questionOf(context: Context, item: string | null): ResourceQuestion {
  const { id, reason, runningTasks } = context;
  return {
    batchId: id,
    reason,
    item,
    underWay: itemsIn(context).filter(({ holdsSlot }) => holdsSlot).length,
    runningTasks,
  };
}

/** When what is lacking is there again; null where nothing is, or nobody knows when. */
function resetOf(resources: Resources, nowMs: number): number | null {
  const verdict = readinessOf(resources, nowMs);
  return verdict.kind === 'wait' && verdict.isReset ? verdict.untilMs : null;
}

/** When to ask again; null where nothing is lacking. */
function untilOf(resources: Resources, nowMs: number): number | null {
  const verdict = readinessOf(resources, nowMs);
  return verdict.kind === 'wait' ? verdict.untilMs : null;
}

function pauseRequest({ id, correlationId }: Context, item: string, reason: string): Message<'pause.request'> {
  return {
    type: 'pause.request',
    item,
    reason,
    checkpointId: null,
    trigger: correlationId === null ? 'MANUAL' : 'AUTO_BATCH_CORRELATION',
    batchId: id,
  };
}

function finishAlert(context: Context, status: Exclude<BatchStatus, 'IN_PROGRESS'>): Message<'alert.raise'> {
  const items = itemsIn(context);
  const { total, resumed } = countsOf(items);
  const failures = items.flatMap(({ item, error }) => (error === null ? [] : [`${item}: ${error}`]));
  return {
    type: 'alert.raise',
    item: context.id,
    kind: 'batch.finished',
    priority: { COMPLETED: 'LOW', PARTIALLY_FAILED: 'HIGH', FAILED: 'CRITICAL' }[status] as 'LOW' | 'HIGH' | 'CRITICAL',
    title: `${context.name}: ${resumed}/${total} successful`,
    detail: [context.reason, ...failures].join('\n').slice(0, 2_000),
    actions: [],
    data: { status, ...countsOf(items) },
  };
}

/** Of a plan's Lead Coordinator; 0 where there is none. */
function runningTasksOf(coordinator: AnyActorRef | undefined): number {
  const context = (coordinator?.getSnapshot() as { context?: object } | undefined)?.context ?? {};
  return recordsUnder<{ running?: readonly string[] }>(context, 'item:').reduce(
    (sum, { running = [] }) => sum + running.length,
    0,
  );
}

function slotTimer(item: string): string {
  return `slot:${item}`;
}
