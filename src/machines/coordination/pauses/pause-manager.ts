/**
 * The PauseManager of one item (seed 002, CA-016 to CA-032): RUNNING, PAUSING, PAUSED, STALE, EXPIRED, RESUMING. A
 * pause begins at once but is complete only when the running stages have ended, because the checkpoint is complete only
 * at a stage boundary. The effects of a pause's age are in pause-record.ts, those of resuming in resume-plan.ts; the
 * coordinator carries them out.
 */
import { notify } from '../../people/notice.ts';
import { assign, fromPromise, type PromiseActorLogic, setup } from 'xstate';
import { type Agent, type EventSchemas } from '../../../actors/model/agent.ts';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { reply } from '../../../actors/model/talk-actions.ts';
import { inTurn, refused, TAKEN, type Turn } from '../../rules/turn.ts';
import { PEOPLE_DESKS } from '../../people/system-ids.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { type Message, type ResumePlan } from '../messages/messages.ts';
import {
  type ItemAtWork,
  type MemoryInput,
  type PauseManagerContext,
  type PauseManagerEvent,
  type PauseManagerInput,
  type PauseManagerReport,
  type PauseState,
  runningState,
} from './pause-messages.ts';
import {
  ALERT_DAYS,
  AUTO_RESUMES_MAX,
  EXPIRY_DAY,
  extended,
  FAILED_PLAN_RETENTION_MS,
  isNews,
  MEMORY_TTL_MS,
  newRecord,
  noticeOfDay,
  PAUSED_MEMORY_TTL_MS,
  pauseNotice,
  type PauseRecord,
  PAUSING_MS,
  RESUMED_RETENTION_MS,
  untilDay,
  withFailedPlan,
  withFurther,
} from './pause-record.ts';
import { flawOfPlan, resolveDependencies } from './resume-plan.ts';

type PauseTurn = Turn<PauseManagerContext>;

/** The transitions of a paused item that do not depend on the length of the pause. */
const STANDING = {
  'pause.request': { actions: 'rejoin' },
  'pause.expire': { target: 'EXPIRED', actions: ['stopCounting', 'expire'] },
  'resume.command': [
    { guard: 'isSound', target: 'RESUMING', actions: ['stopCounting', 'resume'] },
    { actions: 'refuse' },
  ],
  'cause.cleared': [
    { guard: 'mayResumeItself', target: 'RESUMING', actions: ['stopCounting', 'resume'] },
    { actions: 'refuseToResume' },
  ],
} as const;

/**
 * Milliseconds to wait until a change of the working memory's lifetime is confirmed. Without confirmation the lifetime
 * is unknown.
 */
const MEMORY_TIMEOUT_MS = 30_000;

/** The invocation that sets how long the working memory is kept. */
function keepMemory(ttlMs: number, memory: PauseManagerContext['memory']) {
  return {
    src: 'setMemoryTtl',
    input: ({ context: { item } }: { context: PauseManagerContext }) => ({ item, ttlMs }),
    onDone: { actions: { type: 'memorySet', params: { memory } } },
    onError: { actions: { type: 'memorySet', params: { memory: 'unknown' } } },
  } as const;
}

const pauseManagerMachine = setup({
  types: {} as { context: PauseManagerContext; events: PauseManagerEvent; input: PauseManagerInput },
  actors: { setMemoryTtl: fromPromise<void, MemoryInput>(() => Promise.resolve()) },
  delays: { pausing: PAUSING_MS, retention: RESUMED_RETENTION_MS },
  guards: {
    mayResumeItself: ({ context }) => context.failedAutoResumes < AUTO_RESUMES_MAX,
    isSound: ({ context, event }) =>
      event.type === 'resume.command' &&
      (event.resumePlan === null || problemOf(context, event.resumePlan) === undefined),
    isLastDay: (_, { day }: { day: number }) => day === EXPIRY_DAY,
    isStaleDay: ({ context }, { day }: { day: number }) => day === 14 && context.record!.extendedUntilMs === null,
  },
  actions: {
    begin: inTurn((turn, event) => {
      const { item, coordinator, ...context } = turn.context;
      const { request, atWork } = event.type === 'pause.request' ? event : context;
      const pauses = context.pauses + 1;
      const resumeDependencies = atWork === undefined ? null : planOf(atWork);
      const record = { ...newRecord(item, pauses, request, turn.nowMs), resumeDependencies };
      turn.assign({ request, record, pauses, checkpoint: null, resumePlan: null });
      for (const day of ALERT_DAYS)
        turn.raise({ type: 'pause.day', day }, { id: `day${day}`, delay: untilDay(record, day, turn.nowMs) });
      report(turn, { type: 'pause.pausing', item, manager: turn.self, reason: request.reason });
      notify(turn, noticeOfDay(record, 0));
    }),
    /** Cancels the timers for the days of the pause when it ends. */
    stopCounting: inTurn((turn) => {
      for (const day of ALERT_DAYS) turn.cancel(`day${day}`);
      turn.cancel('extension');
    }),
    hold: inTurn((turn) => {
      const { checkpoint, record: before } = turn.context;
      const checkpointId = before!.checkpointId ?? checkpoint!.checkpointId;
      const resumeDependencies = planOf({ ...checkpoint!, running: [] });
      const record = changeRecord(turn, { status: 'PAUSED', checkpointId, resumeDependencies });
      report(turn, completeOf(record));
      turn.send(PEOPLE_DESKS.alerts, completeOf(record));
    }),
    /**
     * Answers a pause request for an item that is paused already, and reports the pause again for the batch that asks.
     */
    rejoin: inTurn((turn, event) => {
      if (event.type !== 'pause.request') return;
      const batchId = event.request.batchId ?? turn.context.record!.batchId;
      report(turn, completeOf(changeRecord(turn, { batchId })));
    }),
    sayDay: inTurn((turn, event) => {
      if (event.type !== 'pause.day') return;
      const { day } = event;
      if (!isNews(turn.context.record!, day, turn.nowMs)) return;
      const sent = { ...(day === 3 && { alertDay3Sent: true }), ...(day === 7 && { alertDay7Sent: true }) };
      notify(turn, noticeOfDay(changeRecord(turn, sent), day));
    }),
    sayExtensionOver: inTurn((turn) => {
      if (untilDay(turn.context.record!, EXPIRY_DAY, turn.nowMs) === 0) return;
      const title = `${turn.context.item} is STALE: its extension is over`;
      notify(turn, pauseNotice(turn.context.record!, { kind: 'pause.extensionOver', priority: 'HIGH', title }));
    }),
    extend: inTurn((turn, event) => {
      if (event.type !== 'pause.extend') return;
      const record = extended(turn.context.record!, event);
      if ('problem' in record) return turn.answer(refused(record.problem));
      turn.assign({ record });
      const leftMs = record.extendedUntilMs! - turn.nowMs;
      if (leftMs < untilDay(record, EXPIRY_DAY, turn.nowMs))
        turn.raise({ type: 'pause.extensionOver' }, { id: 'extension', delay: leftMs });
      turn.answer(TAKEN);
    }),
    setStatus: inTurn((turn, _, change: Pick<PauseRecord, 'status'>) => void changeRecord(turn, change)),
    sayTooLong: inTurn((turn) => report(turn, { type: 'pause.stopWork', item: turn.context.item })),
    resume: inTurn((turn, event) => {
      const { item, checkpoint } = turn.context;
      const given = event.type === 'resume.command' ? event.resumePlan : null;
      const plan = given ?? planOf({ ...checkpoint!, running: [] });
      changeRecord(turn, { status: 'RESUMING', resumeDependencies: plan });
      const isAutomatic = event.type === 'cause.cleared';
      turn.assign({ resumePlan: plan, isAutomatic, notify: event.type !== 'resume.command' || event.notify });
      report(turn, { type: 'pause.resuming', item, plan });
      turn.answer(TAKEN);
    }),
    refuseToResume: inTurn((turn) => {
      const title = `${turn.context.item} has failed to resume by itself ${AUTO_RESUMES_MAX} times: resume it by hand`;
      notify(turn, pauseNotice(turn.context.record!, { kind: 'resume.manual', priority: 'CRITICAL', title }));
    }),
    recordResumed: inTurn((turn) => {
      const { item, isAutomatic, notify: isTold } = turn.context;
      const record = changeRecord(turn, { status: 'RESUMED', resumedAtMs: turn.nowMs });
      turn.assign({ checkpoint: null, failedAutoResumes: 0 });
      const title = isAutomatic ? `${item} has resumed by itself` : `${item} has resumed`;
      if (isTold) notify(turn, pauseNotice(record, { kind: 'item.resumed', priority: 'MEDIUM', title }));
    }),
    recordFailedResume: inTurn((turn) => {
      const { item, record, resumePlan, isAutomatic, failedAutoResumes, failedPlans } = turn.context;
      const atMs = turn.nowMs;
      turn.assign({
        failedAutoResumes: isAutomatic ? failedAutoResumes + 1 : failedAutoResumes,
        failedPlans: withFailedPlan(failedPlans, { atMs, plan: resumePlan! }),
      });
      turn.raise({ type: 'plan.forget', atMs }, { id: `plan:${atMs}`, delay: FAILED_PLAN_RETENTION_MS });
      const title = isAutomatic ? `${item} has failed to resume by itself` : `${item} has failed to resume`;
      notify(turn, pauseNotice(record!, { kind: 'resume.failed', priority: 'CRITICAL', title }));
    }),
    forgetPlan: assign(({ context, event }) => ({
      failedPlans:
        event.type === 'plan.forget'
          ? context.failedPlans.filter(({ atMs }) => atMs !== event.atMs)
          : context.failedPlans,
    })),
    expire: inTurn((turn, event) => {
      const { item, record } = turn.context;
      const reason = event.type === 'pause.expire' ? event.reason : `paused for ${EXPIRY_DAY} days: ${record!.reason}`;
      changeRecord(turn, { status: 'EXPIRED' });
      turn.assign({ checkpoint: null, resumePlan: null });
      if (event.type === 'pause.end') return;
      report(turn, { type: 'pause.expired', item, reason });
      turn.answer(TAKEN);
    }),
    refuse: inTurn((turn, event) => {
      const { context } = turn;
      const { item, checkpoint, record } = context;
      const plan = event.type === 'resume.command' ? event.resumePlan : null;
      const flaw = plan === null || checkpoint === null ? undefined : problemOf(context, plan);
      const error = flaw ?? `${item} is ${stateOf(context).status}`;
      turn.answer(refused(error));
      if (event.type !== 'resume.command') return;
      // An item that somebody else has resumed is already in the state that a batch wants.
      const runs = record === null || record.status === 'RESUMED' || record.status === 'RESUMING';
      turn.send(WORK_DESKS.batches, runs ? { type: 'item.resumed', item } : { type: 'item.failed', item, error });
    }),
    archive: assign({ record: null, resumePlan: null }),
    memorySet: assign((_, { memory }: Pick<PauseManagerContext, 'memory'>) => ({ memory })),
  },
}).createMachine({
  id: 'pause-manager',
  context: ({ input }) => ({
    ...input,
    record: null,
    pauses: 0,
    checkpoint: null,
    resumePlan: null,
    isAutomatic: false,
    failedAutoResumes: 0,
    notify: false,
    failedPlans: [],
    memory: 'normal',
  }),
  initial: 'PAUSING',
  entry: 'begin',
  on: {
    'pause.state': { actions: reply(({ context }) => stateOf(context)) },
    'resume.command': { actions: 'refuse' },
    'pause.extend': { actions: 'refuse' },
    'pause.expire': { actions: 'refuse' },
    'plan.forget': { actions: 'forgetPlan' },
    'pause.end': { target: '.EXPIRED', actions: ['stopCounting', 'expire'] },
  },
  states: {
    RUNNING: {
      invoke: keepMemory(MEMORY_TTL_MS, 'normal'),
      after: { retention: { actions: 'archive' } },
      on: { 'pause.request': { target: 'PAUSING', actions: 'begin' } },
    },
    PAUSING: {
      // A task without a time limit could keep the item pausing for ever.
      after: { pausing: { actions: 'sayTooLong' } },
      on: {
        'pause.request': {
          actions: assign(({ context, event }) => ({ record: withFurther(context.record!, event.request) })),
        },
        'checkpoint.saved': {
          target: 'PAUSED',
          actions: [assign({ checkpoint: ({ event }) => event.checkpoint }), 'hold'],
        },
        'pause.day': { actions: 'sayDay' },
      },
    },
    PAUSED: {
      invoke: keepMemory(PAUSED_MEMORY_TTL_MS, 'extended'),
      on: {
        'pause.day': [
          {
            guard: { type: 'isStaleDay', params: ({ event }) => event },
            target: 'STALE',
            actions: [{ type: 'setStatus', params: { status: 'STALE' } }, 'sayDay'],
          },
          {
            guard: { type: 'isLastDay', params: ({ event }) => event },
            target: 'EXPIRED',
            actions: ['stopCounting', 'expire', 'sayDay'],
          },
          { actions: 'sayDay' },
        ],
        'pause.extensionOver': {
          target: 'STALE',
          actions: [{ type: 'setStatus', params: { status: 'STALE' } }, 'sayExtensionOver'],
        },
        ...STANDING,
        'pause.extend': { actions: 'extend' },
      },
    },
    STALE: {
      on: {
        ...STANDING,
        'pause.day': { target: 'EXPIRED', actions: ['stopCounting', 'expire', 'sayDay'] },
      },
    },
    RESUMING: {
      on: {
        'resume.completed': { target: 'RUNNING', actions: 'recordResumed' },
        // A failure while resuming pauses the item again (CA-017).
        'pause.request': { target: 'PAUSING', actions: ['recordFailedResume', 'begin'] },
      },
    },
    /** The item is abandoned; its record stays (CA-019). */
    EXPIRED: {},
  },
});

/**
 * A PauseManager agent that sets how long an item's working memory is kept through `setMemoryTtl`. If that fails, the
 * memory's lifetime is unknown.
 */
export function pauseManagerAgent(
  setMemoryTtl?: PromiseActorLogic<void, MemoryInput>,
): Agent<typeof pauseManagerMachine, EventSchemas> {
  const machine =
    setMemoryTtl === undefined ? pauseManagerMachine : pauseManagerMachine.provide({ actors: { setMemoryTtl } });
  const effects = { setMemoryTtl: { retry: { attempts: 3 }, timeoutMs: MEMORY_TIMEOUT_MS } };
  return defineAgent({ name: 'pause-manager', machine, events: {}, effects });
}

/** The PauseManager agent that keeps working memory in the coordinator's own record, which does not expire. */
export const pauseManager = pauseManagerAgent();

function planOf({ tasks, completed, failed, running }: ItemAtWork): ResumePlan {
  return resolveDependencies(tasks, failed, { completed, running });
}

function completeOf(record: PauseRecord): Message<'pause.complete'> {
  const { item, pausedAtMs, resumeDependencies, trigger, reason, checkpointId, failedTask } = record;
  const facts = { item, pausedAtMs, trigger, reason, failedTask };
  return { type: 'pause.complete', ...facts, resumeDependencies: resumeDependencies!, checkpointId: checkpointId! };
}

function problemOf({ checkpoint }: PauseManagerContext, plan: ResumePlan): string | undefined {
  const { tasks, completed, failed } = checkpoint!;
  return flawOfPlan(plan, tasks, failed, { completed, running: [] });
}

function stateOf({ item, record }: PauseManagerContext): PauseState {
  if (record === null || record.status === 'RESUMED') return runningState(item);
  const { status, reason, checkpointId, pausedAtMs, resumeDependencies } = record;
  return { item, status, reason, checkpointId, pausedAtMs, resumeDependencies };
}

/** Changes the record and returns it. */
function changeRecord(turn: PauseTurn, change: Partial<PauseRecord>): PauseRecord {
  const record = { ...turn.context.record!, ...change };
  turn.assign({ record });
  return record;
}

function report(turn: PauseTurn, said: PauseManagerReport): void {
  turn.send(turn.context.coordinator, said);
}
