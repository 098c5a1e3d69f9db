/**
 * One batch (seed 002, CA-048 to CA-057): pauses its items, a limited number at a time, and resumes them likewise, in
 * order, querying resources before each item. If more than half of the items fail, the whole batch is paused again;
 * otherwise only the failed items are. The Lead Coordinator pauses and resumes the items; its reports come through the
 * BatchManager. Rules: batch-rules.ts and batch-items.ts.
 */
import { notify } from '../../people/notice.ts';
import { type AnyActorRef, assign, fromPromise, sendTo, setup } from 'xstate';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import {
  type BatchItems,
  batchItemsOf,
  countsOf,
  endOf,
  hasCollapsed,
  judgedBatch,
  isNew,
  isOver,
  itemNamed,
  itemsInOrder,
  toPause,
  toResume,
  withItem,
} from './batch-items.ts';
import {
  BATCH_EXPIRY_MS,
  type BatchCounts,
  type BatchItem,
  type BatchRecord,
  type BatchStatus,
  RESOURCES,
  type Resources,
  SLOT_PATIENCE_MS,
  waitingFor,
  waitingForReset,
} from './batch-rules.ts';
import { inTurn, type Turn } from '../../rules/turn.ts';
import { type BatchEvent, type BatchInput, type BatchReport, type ResourceQuestion } from './batch-messages.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { PEOPLE_DESKS } from '../../people/system-ids.ts';
import { COORDINATION_DESKS } from '../system-ids.ts';
import { type CoordinatorContext } from '../coordinator/coordinator-context.ts';
import { type Message } from '../messages/messages.ts';
import { heard, type Port, portLogic } from '../../work/port.ts';

interface Context extends Omit<BatchRecord, keyof BatchCounts | 'decision'>, BatchItems {
  readonly desk: AnyActorRef;
  /** The item that the resource query is about. */
  readonly candidate: string | null;
  readonly runningTasks: number;
}

type BatchTurn = Turn<Context>;

type Event = BatchEvent | { readonly type: 'slot.overdue'; readonly item: string };

const FREE = { isFree: true } as const;

const machine = setup({
  types: {} as { context: Context; events: Event; input: BatchInput },
  actors: {
    resources: fromPromise<Resources, ResourceQuestion>(() =>
      Promise.resolve({ apiQuota: FREE, compute: FREE, connections: FREE }),
    ),
  },
  delays: {
    expiry: BATCH_EXPIRY_MS,
    untilFree: ({ context, self }) => Math.max(0, context.notBeforeMs! - timeOf(self)),
  },
  guards: {
    mayPause: ({ context }) => toPause(context, context.concurrencyLimit).length > 0,
    mayResume: ({ context }) => toResume(context, context.concurrencyLimit) !== null,
    isNew: ({ context }) => isNew(context),
    isAsked: ({ context }) => !isNew(context) && context.slotsHeld === 0,
    isCorrelated: ({ context }) => context.correlationId !== null,
    isFree: ({ context }) => context.notBeforeMs === null,
    isOver: ({ context }) => isOver(context),
    hasCollapsed: ({ context }) => hasCollapsed(context),
  },
  actions: {
    report: sendTo(
      ({ context }) => context.desk,
      ({ context, self }): BatchReport => ({ type: 'batch.changed', batch: self, record: recordOf(context) }),
    ),
    pauseNext: inTurn((turn) => {
      const { concurrencyLimit, reason } = turn.context;
      for (const item of toPause(turn.context, concurrencyLimit)) {
        takeSlot(turn, item, 'pausing');
        askToPause(turn, item.item, reason);
      }
    }),
    hear: assign(({ self }, ended: object) => waitingFor(heard(RESOURCES, ended), timeOf(self))),
    hearReset: assign(({ self }, ended: object) => waitingForReset(heard(RESOURCES, ended), timeOf(self))),
    limit: assign({
      concurrencyLimit: ({ context, event }) =>
        event.type === 'batch.go-on' ? (event.concurrencyLimit ?? context.concurrencyLimit) : context.concurrencyLimit,
    }),
    goOn: inTurn((turn) => {
      // Items that were not asked to pause yet are still running.
      for (const item of toPause(turn.context, Infinity)) put(turn, { ...item, state: 'resumed' });
    }),
    chooseNext: assign(({ context, system }) => ({
      candidate: toResume(context, context.concurrencyLimit)?.item ?? null,
      runningTasks: runningTasksOf(system.get(WORK_DESKS.coordinator) as AnyActorRef | undefined),
    })),
    resumeCandidate: inTurn((turn) => {
      const item = itemOf(turn, turn.context.candidate);
      turn.assign({ candidate: null });
      // Somebody else may have resumed the item while resources were queried.
      if (item === undefined || item.state === 'resumed' || item.state === 'failed') return;
      takeSlot(turn, item, 'resuming');
      turn.send(WORK_DESKS.coordinator, { type: 'resume.command', item: item.item, resumePlan: null, notify: true });
    }),
    pauseAll: inTurn((turn) => {
      for (const item of itemsInOrder(turn.context).filter(
        ({ state }) => state === 'resumed' || state === 'resuming',
      )) {
        settle(turn, item, { state: 'paused' });
        const reason = `more than half of ${turn.context.id} failed`;
        askToPause(turn, item.item, reason);
      }
    }),
    giveUp: inTurn((turn) => {
      for (const item of itemsInOrder(turn.context).filter(({ state }) => state !== 'resumed' && state !== 'failed'))
        put(turn, { ...item, state: 'failed', error: 'not resumed within 30 days', holdsSlot: false });
    }),
    conclude: inTurn((turn) => {
      const { id: batchId, correlationId } = turn.context;
      const status = endOf(turn.context);
      turn.assign({ phase: 'finished', status, completedAtMs: turn.nowMs, notBeforeMs: null });
      tellOfEnd(turn, status);
      for (const desk of [PEOPLE_DESKS.alerts, COORDINATION_DESKS.correlator])
        turn.send(desk, { type: 'batch.finished', batchId, correlationId, status });
    }),
    notePaused: inTurn((turn, event) => {
      if (event.type !== 'pause.complete') return;
      const { item, pausedAtMs, trigger = null } = event;
      const known = itemOf(turn, item);
      if (known === undefined || known.state === 'failed' || known.state === 'resuming') return;
      // An item resumed as part of this batch was not meant to pause again.
      if (known.state === 'resumed' && turn.context.phase === 'resuming')
        settle(turn, known, { state: 'failed', error: 'paused again' });
      else settle(turn, known, { state: 'paused', pausedAtMs, trigger: trigger ?? known.trigger });
    }),
    noteResumed: inTurn((turn, event) => {
      if (event.type === 'item.resumed') settle(turn, itemOf(turn, event.item), { state: 'resumed', error: null });
    }),
    noteFailed: inTurn((turn, event) => {
      if (event.type !== 'item.failed') return;
      const { item, error } = event;
      const known = itemOf(turn, item);
      // This event answers the batch's own order to pause a failed item. Reacting to it would make the batch and the
      // coordinator loop for ever.
      if (known === undefined || known.state === 'failed') return;
      settle(turn, known, { state: 'failed', error });
      if (turn.context.phase === 'resuming') askToPause(turn, item, error);
    }),
    addItems: inTurn((turn, event) => {
      if (event.type !== 'batch.add') return;
      turn.assign({ reason: event.reason });
      for (const item of event.items) if (itemOf(turn, item.item) === undefined) put(turn, item);
    }),
    /**
     * Frees the place of an item whose task may take hours to reach its boundary: the item is still pausing, but others
     * can use the place.
     */
    freeSlot: inTurn((turn, event) => {
      if (event.type === 'slot.overdue') put(turn, { ...itemOf(turn, event.item)!, holdsSlot: false });
    }),
    /** Marks an item that does not resume in time as failed. */
    giveSlotUp: inTurn((turn, event) => {
      if (event.type !== 'slot.overdue') return;
      const { item } = event;
      const known = itemOf(turn, item)!;
      if (known.state === 'pausing') return put(turn, { ...known, holdsSlot: false });
      const error = 'no answer within 30 minutes';
      settle(turn, known, { state: 'failed', error });
      askToPause(turn, item, error);
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
    ...batchItemsOf(items),
  }),
  initial: 'starting',
  on: {
    'pause.complete': { actions: ['notePaused', 'report'] },
    'item.resumed': { actions: ['noteResumed', 'report'] },
    'item.failed': { actions: ['noteFailed', 'report'] },
    'batch.add': { actions: ['addItems', 'report'] },
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
        'batch.go-on': { target: 'resuming', actions: ['limit', 'goOn'] },
        'slot.overdue': { actions: 'freeSlot' },
      },
    },
    paused: {
      entry: [assign({ phase: 'paused' }), 'report'],
      always: [
        { guard: 'isNew', target: 'pausing' },
        { guard: 'isOver', target: 'finished' },
      ],
      on: { 'batch.go-on': { target: 'resuming', actions: ['limit', 'goOn'] } },
      after: { expiry: { target: 'finished', actions: 'giveUp' } },
      initial: 'settling',
      states: {
        settling: { always: [{ guard: 'isCorrelated', target: 'asking' }, { target: 'resting' }] },
        // If the end of the cause is known, such as the reset of a quota, the batch resumes automatically then
        // (CA-032).
        asking: {
          entry: 'chooseNext',
          invoke: {
            src: 'resources',
            input: ({ context }) => questionOf(context, null),
            onDone: { target: 'asked', actions: { type: 'hearReset', params: ({ event }) => event } },
            onError: { target: 'asked', actions: { type: 'hearReset', params: ({ event }) => event } },
          },
        },
        asked: { always: [{ guard: 'isFree', target: 'resting' }, { target: '#batch.resuming' }] },
        // The answer about resources, or its absence, is shown in the list.
        resting: { entry: 'report' },
      },
    },
    resuming: {
      entry: [assign({ phase: 'resuming' }), 'report'],
      always: [
        { guard: 'hasCollapsed', target: 'finished', actions: 'pauseAll' },
        { guard: 'isOver', target: 'finished' },
        // Items that joined meanwhile, because they failed from the same cause, are paused before they resume.
        { guard: 'mayPause', actions: ['pauseNext', 'report'] },
      ],
      on: {
        'slot.overdue': { actions: ['giveSlotUp', 'report'] },
        'batch.go-on': { actions: ['limit', 'report'] },
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
            onDone: { target: 'checked', actions: { type: 'hear', params: ({ event }) => event } },
            onError: { target: 'checked', actions: { type: 'hear', params: ({ event }) => event } },
          },
        },
        checked: {
          always: [
            { guard: 'isFree', target: 'deciding', actions: ['resumeCandidate', 'report'] },
            { target: 'waiting' },
          ],
        },
        waiting: {
          entry: 'report',
          after: { untilFree: 'checking' },
          // A person's order overrides the known time: resources are queried again.
          on: { 'batch.go-on': { target: 'checking', actions: 'limit' } },
        },
      },
    },
    finished: { type: 'final', entry: ['conclude', 'report'] },
  },
});

/** The agent for batches; `resources` is the host's port, if it has one. */
export function batchAgent(resources?: Port<ResourceQuestion, Resources>) {
  const own = resources === undefined ? machine : machine.provide({ actors: { resources: portLogic(resources) } });
  return defineAgent({
    name: 'batch',
    machine: own,
    events: {},
    effects: { resources: { timeoutMs: RESOURCES.timeoutMs } },
  });
}

/** The agent for batches that resumes without querying resources. */
export const batch = batchAgent();

function itemOf(turn: BatchTurn, item: string | null): BatchItem | undefined {
  return item === null ? undefined : itemNamed(turn.context, item);
}

function put(turn: BatchTurn, item: BatchItem): void {
  turn.assign(withItem(turn.context, item));
}

/** Records an order to an item. The order takes a place until it is carried out or takes too long. */
function takeSlot(turn: BatchTurn, item: BatchItem, state: 'pausing' | 'resuming'): void {
  put(turn, { ...item, state, holdsSlot: true });
  turn.raise({ type: 'slot.overdue', item: item.item }, { delay: SLOT_PATIENCE_MS, id: slotTimer(item.item) });
}

/** Records the result of an item's order and frees its place. */
function settle(turn: BatchTurn, item: BatchItem | undefined, end: Partial<BatchItem>): void {
  if (item === undefined) return;
  put(turn, { ...item, ...end, holdsSlot: false });
  turn.cancel(slotTimer(item.item));
}

function recordOf(context: Context): BatchRecord {
  const { id, name, reason, correlationId, phase, status, concurrencyLimit, note } = context;
  const { createdAtMs, completedAtMs, notBeforeMs } = context;
  const facts = { id, name, reason, correlationId, phase, status, concurrencyLimit, note };
  const decision = judgedBatch(context);
  return { ...facts, createdAtMs, completedAtMs, notBeforeMs, ...countsOf(context), decision };
}

function questionOf(context: Context, item: string | null): ResourceQuestion {
  const { id: batchId, reason, runningTasks } = context;
  return { batchId, reason, item, underWay: context.slotsHeld, runningTasks };
}

function askToPause(turn: BatchTurn, item: string, reason: string): void {
  const { id: batchId, correlationId } = turn.context;
  const trigger = correlationId === null ? 'MANUAL' : 'AUTO_BATCH_CORRELATION';
  const request: Message = { type: 'pause.request', item, reason, checkpointId: null, trigger, batchId };
  turn.send(WORK_DESKS.coordinator, request);
}

function tellOfEnd(turn: BatchTurn, status: Exclude<BatchStatus, 'IN_PROGRESS'>): void {
  const { context } = turn;
  const counts = countsOf(context);
  const notes = context.note === null ? [] : [context.note];
  const failures = itemsInOrder(context).flatMap(({ item, error }) => (error === null ? [] : [`${item}: ${error}`]));
  notify(turn, {
    subject: context.id,
    kind: 'batch.finished',
    priority: ({ COMPLETED: 'LOW', PARTIALLY_FAILED: 'HIGH', FAILED: 'CRITICAL' } as const)[status],
    title: `${context.name}: ${counts.resumed}/${counts.total} successful`,
    detail: [context.reason, ...notes, ...failures].join('\n'),
    data: { status, ...counts },
  });
}

/** Running tasks of a plan's Lead Coordinator; 0 if there is none. */
function runningTasksOf(coordinator: AnyActorRef | undefined): number {
  const snapshot = coordinator?.getSnapshot() as { context?: Partial<Pick<CoordinatorContext, 'tally'>> } | undefined;
  return snapshot?.context?.tally?.running ?? 0;
}

function slotTimer(item: string): string {
  return `slot:${item}`;
}
