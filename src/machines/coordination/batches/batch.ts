/**
 * One batch (seed 002, CA-048 to CA-057): pauses its items so many at a time, and resumes them so, in their order,
 * asking for resources before each. More than half failed, and all of it is paused again; less, and only those that
 * failed are. Items are paused and resumed by the Lead Coordinator; what it reports comes by way of the BatchManager.
 * Rules: batch-rules.ts and batch-items.ts.
 */
import { type AnyActorRef, assign, fromPromise, sendTo, setup } from 'xstate';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import {
  type BatchItems,
  batchItemsOf,
  countsOf,
  endOf,
  hasCollapsed,
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
  type Resources,
  SLOT_PATIENCE_MS,
  readinessOf,
} from './batch-rules.ts';
import { inTurn, type Turn } from '../../people/turn.ts';
import { type BatchEvent, type BatchInput, type BatchReport, type ResourceQuestion } from './batch-messages.ts';
import { DESKS } from '../../work/system-ids.ts';
import { type CoordinatorContext } from '../coordinator/coordinator-context.ts';
import { type Message } from '../messages/messages.ts';
import { type Port, portLogic } from '../../work/port.ts';

interface Context extends Omit<BatchRecord, keyof BatchCounts>, BatchItems {
  readonly desk: AnyActorRef;
  /** The item that resources are asked about. */
  readonly candidate: string | null;
  readonly runningTasks: number;
}

type BatchTurn = Turn<Context>;

type Event = BatchEvent | { readonly type: 'slot.overdue'; readonly item: string };

const FREE = { isFree: true } as const;

/** A service that does not say is not waited for: what it would have said is not known. */
const RESOURCES_TIMEOUT_MS = 30_000;

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
    goOn: inTurn((turn, event) => {
      if (event.type === 'batch.go-on' && event.concurrencyLimit !== null)
        turn.assign({ concurrencyLimit: event.concurrencyLimit });
      // What was not yet asked to pause has never stood still.
      for (const item of toPause(turn.context, Infinity)) put(turn, { ...item, state: 'resumed' });
    }),
    chooseNext: assign(({ context, system }) => ({
      candidate: toResume(context, context.concurrencyLimit)?.item ?? null,
      runningTasks: runningTasksOf(system.get(DESKS.coordinator) as AnyActorRef | undefined),
    })),
    resumeCandidate: inTurn((turn) => {
      const item = itemOf(turn, turn.context.candidate);
      turn.assign({ candidate: null });
      // It may have been resumed by somebody else while the resources were asked about.
      if (item === undefined || item.state === 'resumed' || item.state === 'failed') return;
      takeSlot(turn, item, 'resuming');
      turn.send(DESKS.coordinator, { type: 'resume.command', item: item.item, resumePlan: null, notify: true });
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
      for (const desk of [DESKS.alerts, DESKS.correlator])
        turn.send(desk, { type: 'batch.finished', batchId, correlationId, status });
    }),
    notePaused: inTurn((turn, event) => {
      if (event.type !== 'pause.complete') return;
      const { item, pausedAtMs, trigger = null } = event;
      const known = itemOf(turn, item);
      if (known === undefined || known.state === 'failed' || known.state === 'resuming') return;
      // Who resumed it as part of this batch has not meant it to stand again.
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
      // The answer to its own order to pause what has failed: told of it again, batch and coordinator would never
      // end.
      if (known === undefined || known.state === 'failed') return;
      settle(turn, known, { state: 'failed', error });
      if (turn.context.phase === 'resuming') askToPause(turn, item, error);
    }),
    addItems: inTurn((turn, event) => {
      if (event.type !== 'batch.add') return;
      turn.assign({ reason: event.reason });
      for (const item of event.items) if (itemOf(turn, item.item) === undefined) put(turn, item);
    }),
    /** A task may take hours to its boundary: it is still pausing, but others get its place. */
    freeSlot: inTurn((turn, event) => {
      if (event.type === 'slot.overdue') put(turn, { ...itemOf(turn, event.item)!, holdsSlot: false });
    }),
    /** One that does not resume in time has failed. */
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
        'batch.go-on': { target: 'resuming', actions: 'goOn' },
        'slot.overdue': { actions: 'freeSlot' },
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
        'slot.overdue': { actions: ['giveSlotUp', 'report'] },
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

function itemOf(turn: BatchTurn, item: string | null): BatchItem | undefined {
  return item === null ? undefined : itemNamed(turn.context, item);
}

function put(turn: BatchTurn, item: BatchItem): void {
  turn.assign(withItem(turn.context, item));
}

/** Its order is given: others wait for its place until it is carried out, or takes too long. */
function takeSlot(turn: BatchTurn, item: BatchItem, state: 'pausing' | 'resuming'): void {
  put(turn, { ...item, state, holdsSlot: true });
  turn.raise({ type: 'slot.overdue', item: item.item }, { delay: SLOT_PATIENCE_MS, id: slotTimer(item.item) });
}

/** What came of an item's order; its place is free. */
function settle(turn: BatchTurn, item: BatchItem | undefined, end: Partial<BatchItem>): void {
  if (item === undefined) return;
  put(turn, { ...item, ...end, holdsSlot: false });
  turn.cancel(slotTimer(item.item));
}

function recordOf(context: Context): BatchRecord {
  const { id, name, reason, correlationId, phase, status, concurrencyLimit, note } = context;
  const { createdAtMs, completedAtMs, notBeforeMs } = context;
  const facts = { id, name, reason, correlationId, phase, status, concurrencyLimit, note };
  return { ...facts, createdAtMs, completedAtMs, notBeforeMs, ...countsOf(context) };
}

function questionOf(context: Context, item: string | null): ResourceQuestion {
  const { id: batchId, reason, runningTasks } = context;
  return { batchId, reason, item, underWay: context.slotsHeld, runningTasks };
}

/** When to ask again; null where nothing is lacking. */
function untilOf(resources: Resources, nowMs: number): number | null {
  const readiness = readinessOf(resources, nowMs);
  return readiness.kind === 'wait' ? readiness.untilMs : null;
}

/** The same, null where nobody knows when what is lacking is there again. */
function resetOf(resources: Resources, nowMs: number): number | null {
  const readiness = readinessOf(resources, nowMs);
  return readiness.kind === 'wait' && readiness.isReset ? readiness.untilMs : null;
}

function askToPause(turn: BatchTurn, item: string, reason: string): void {
  const { id: batchId, correlationId } = turn.context;
  const trigger = correlationId === null ? 'MANUAL' : 'AUTO_BATCH_CORRELATION';
  const request: Message = { type: 'pause.request', item, reason, checkpointId: null, trigger, batchId };
  turn.send(DESKS.coordinator, request);
}

function tellOfEnd(turn: BatchTurn, status: Exclude<BatchStatus, 'IN_PROGRESS'>): void {
  const { context } = turn;
  const counts = countsOf(context);
  const failures = itemsInOrder(context).flatMap(({ item, error }) => (error === null ? [] : [`${item}: ${error}`]));
  turn.notify({
    subject: context.id,
    kind: 'batch.finished',
    priority: ({ COMPLETED: 'LOW', PARTIALLY_FAILED: 'HIGH', FAILED: 'CRITICAL' } as const)[status],
    title: `${context.name}: ${counts.resumed}/${counts.total} successful`,
    detail: [context.reason, ...failures].join('\n'),
    data: { status, ...counts },
  });
}

/** Of a plan's Lead Coordinator; 0 where there is none. */
function runningTasksOf(coordinator: AnyActorRef | undefined): number {
  const snapshot = coordinator?.getSnapshot() as { context?: Partial<Pick<CoordinatorContext, 'tally'>> } | undefined;
  return snapshot?.context?.tally?.running ?? 0;
}

function slotTimer(item: string): string {
  return `slot:${item}`;
}
