/**
 * The PauseManager of one item (seed 002, CA-016 to CA-032): RUNNING, PAUSING, PAUSED, STALE, EXPIRED, RESUMING. A
 * pause begins at once, but holds only when the stages under way have ended: at a stage boundary the checkpoint is
 * whole. What the age of a pause means is in pause-record.ts, what resuming means in resume-plan.ts; the coordinator
 * carries it out.
 */
import { type AnyActorRef, assign, enqueueActions, fromPromise, type PromiseActorLogic, setup } from 'xstate';
import { type Agent, type EventSchemas } from '../../../actors/model/agent.ts';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import { reply } from '../../../actors/model/talk-actions.ts';
import { notify } from '../../people/notice.ts';
import { refused, TAKEN } from '../../people/turn.ts';
import { DESKS } from '../../work/system-ids.ts';
import { type Message, type ResumePlan } from '../messages/messages.ts';
import {
  type ItemCheckpoint,
  type MemoryInput,
  type PauseManagerContext,
  type PauseManagerEvent,
  type PauseManagerInput,
  type PauseManagerReport,
  type PauseState,
} from './pause-messages.ts';
import {
  ALERT_DAYS,
  AUTO_RESUMES_MAX,
  EXPIRY_DAY,
  extended,
  FAILED_PLAN_RETENTION_MS,
  MEMORY_TTL_MS,
  newRecord,
  noticeOfDay,
  PAUSED_MEMORY_TTL_MS,
  pauseNotice,
  type PauseRecord,
  type PauseStatus,
  PAUSING_MS,
  RESUMED_RETENTION_MS,
  untilDay,
  withFailedPlan,
  withFurther,
} from './pause-record.ts';
import { flawOfPlan, resolveDependencies } from './resume-plan.ts';

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
    begin: enqueueActions(({ context, event, enqueue, self, system }) => {
      const request = event.type === 'pause.request' ? event.request : context.request;
      const nowMs = timeOf(self);
      const pauses = context.pauses + 1;
      const record = newRecord(context.item, pauses, request, nowMs);
      enqueue.assign({ request, record, pauses, checkpoint: null, resumePlan: null });
      for (const day of ALERT_DAYS)
        enqueue.raise({ type: 'pause.day', day }, { id: `day${day}`, delay: untilDay(record, day, nowMs) });
      enqueue.sendTo(context.coordinator, {
        type: 'pause.pausing',
        item: context.item,
        manager: self,
        reason: request.reason,
      } satisfies PauseManagerReport);
      notify(enqueue as Sender, system, noticeOfDay(record, 0));
    }),
    /** The state is left, and its days no longer count. */
    stopCounting: enqueueActions(({ enqueue }) => {
      for (const day of ALERT_DAYS) enqueue.cancel(`day${day}`);
      enqueue.cancel('extension');
    }),
    hold: enqueueActions(({ context, enqueue, system }) => {
      const { record: before, checkpoint, coordinator } = context;
      const record: PauseRecord = {
        ...before!,
        status: 'PAUSED',
        checkpointId: checkpoint!.checkpointId,
        resumeDependencies: planOf(checkpoint!),
      };
      enqueue.assign({ record });
      enqueue.sendTo(coordinator, completeOf(record));
      const alerts = system.get(DESKS.alerts) as AnyActorRef | undefined;
      if (alerts !== undefined) enqueue.sendTo(alerts, completeOf(record));
    }),
    /** It stands still already: whoever asked is told so, and a batch takes it in. */
    rejoin: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'pause.request') return;
      const record: PauseRecord = { ...context.record!, batchId: event.request.batchId ?? context.record!.batchId };
      enqueue.assign({ record });
      enqueue.sendTo(context.coordinator, completeOf(record));
    }),
    sayDay: enqueueActions(({ context, event, enqueue, system }) => {
      if (event.type !== 'pause.day') return;
      const record: PauseRecord = {
        ...context.record!,
        ...(event.day === 3 && { alertDay3Sent: true }),
        ...(event.day === 7 && { alertDay7Sent: true }),
      };
      enqueue.assign({ record });
      notify(enqueue as Sender, system, noticeOfDay(record, event.day));
    }),
    sayExtensionOver: enqueueActions(({ context, enqueue, system }) => {
      const title = `${context.item} is STALE: its extension is over`;
      notify(
        enqueue as Sender,
        system,
        pauseNotice(context.record!, { kind: 'pause.extensionOver', priority: 'HIGH', title }),
      );
    }),
    extend: enqueueActions(({ context, event, enqueue, self }) => {
      if (event.type !== 'pause.extend') return;
      const record = extended(context.record!, event);
      if ('problem' in record) return enqueue(reply(refused(record.problem)));
      enqueue.assign({ record });
      const leftMs = record.extendedUntilMs! - timeOf(self);
      if (leftMs < untilDay(record, EXPIRY_DAY, timeOf(self)))
        enqueue.raise({ type: 'pause.extensionOver' }, { id: 'extension', delay: leftMs });
      enqueue(reply(TAKEN));
    }),
    setStatus: assign(({ context }, { status }: { status: PauseStatus }) => ({
      record: { ...context.record!, status },
    })),
    sayTooLong: enqueueActions(({ context, enqueue }) => {
      enqueue.sendTo(context.coordinator, { type: 'pause.stopWork', item: context.item } satisfies PauseManagerReport);
    }),
    resume: enqueueActions(({ context, event, enqueue }) => {
      const given = event.type === 'resume.command' ? event.resumePlan : null;
      const plan = given ?? planOf(context.checkpoint!);
      enqueue.assign({
        record: { ...context.record!, status: 'RESUMING', resumeDependencies: plan },
        resumePlan: plan,
        isAutomatic: event.type === 'cause.cleared',
        notify: event.type !== 'resume.command' || event.notify,
      });
      enqueue.sendTo(context.coordinator, {
        type: 'pause.resuming',
        item: context.item,
        plan,
      } satisfies PauseManagerReport);
      enqueue(reply(TAKEN));
    }),
    refuseToResume: enqueueActions(({ context, enqueue, system }) => {
      const title = `${context.item} has failed to resume by itself ${AUTO_RESUMES_MAX} times: resume it by hand`;
      notify(
        enqueue as Sender,
        system,
        pauseNotice(context.record!, { kind: 'resume.manual', priority: 'CRITICAL', title }),
      );
    }),
    recordResumed: enqueueActions(({ context, enqueue, self, system }) => {
      const { item, isAutomatic, notify: isTold } = context;
      const record: PauseRecord = { ...context.record!, status: 'RESUMED', resumedAtMs: timeOf(self) };
      enqueue.assign({ record, checkpoint: null, failedAutoResumes: 0 });
      const title = isAutomatic ? `${item} has resumed by itself` : `${item} has resumed`;
      if (isTold)
        notify(enqueue as Sender, system, pauseNotice(record, { kind: 'item.resumed', priority: 'MEDIUM', title }));
    }),
    recordFailedResume: enqueueActions(({ context, enqueue, self, system }) => {
      const { item, record, resumePlan, isAutomatic, failedAutoResumes, failedPlans } = context;
      const atMs = timeOf(self);
      enqueue.assign({
        failedAutoResumes: isAutomatic ? failedAutoResumes + 1 : failedAutoResumes,
        failedPlans: withFailedPlan(failedPlans, { atMs, plan: resumePlan! }),
      });
      enqueue.raise({ type: 'plan.forget', atMs }, { id: `plan:${atMs}`, delay: FAILED_PLAN_RETENTION_MS });
      const title = isAutomatic ? `${item} has failed to resume by itself` : `${item} has failed to resume`;
      notify(enqueue as Sender, system, pauseNotice(record!, { kind: 'resume.failed', priority: 'CRITICAL', title }));
    }),
    forgetPlan: assign(({ context, event }) => ({
      failedPlans:
        event.type === 'plan.forget'
          ? context.failedPlans.filter(({ atMs }) => atMs !== event.atMs)
          : context.failedPlans,
    })),
    expire: enqueueActions(({ context, event, enqueue }) => {
      const reason =
        event.type === 'pause.expire' ? event.reason : `paused for ${EXPIRY_DAY} days: ${context.record!.reason}`;
      const record: PauseRecord = { ...context.record!, status: 'EXPIRED' };
      enqueue.assign({ record, checkpoint: null, resumePlan: null });
      if (event.type === 'pause.end') return;
      enqueue.sendTo(context.coordinator, {
        type: 'pause.expired',
        item: context.item,
        reason,
      } satisfies PauseManagerReport);
      enqueue(reply(TAKEN));
    }),
    refuse: enqueueActions(({ context, event, enqueue, system }) => {
      const { item, checkpoint } = context;
      const plan = event.type === 'resume.command' ? event.resumePlan : null;
      const flaw = plan === null || checkpoint === null ? undefined : problemOf(context, plan);
      const problem = flaw ?? `${item} is ${stateOf(context).status}`;
      enqueue(reply(refused(problem)));
      const batches = system.get(DESKS.batches) as AnyActorRef | undefined;
      if (event.type !== 'resume.command' || batches === undefined) return;
      // What somebody else has resumed already is where a batch wants it.
      const runs =
        context.record === null || context.record.status === 'RESUMED' || context.record.status === 'RESUMING';
      enqueue.sendTo(batches, runs ? { type: 'item.resumed', item } : { type: 'item.failed', item, error: problem });
    }),
    archive: assign({ record: null, resumePlan: null }),
    memorySet: assign((_, { memory }: { memory: PauseManagerContext['memory'] }) => ({ memory })),
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
      invoke: {
        src: 'setMemoryTtl',
        input: ({ context }) => ({ item: context.item, ttlMs: MEMORY_TTL_MS }),
        onDone: { actions: { type: 'memorySet', params: { memory: 'normal' } } },
        onError: { actions: { type: 'memorySet', params: { memory: 'unknown' } } },
      },
      after: { retention: { actions: 'archive' } },
      on: { 'pause.request': { target: 'PAUSING', actions: 'begin' } },
    },
    PAUSING: {
      // A task without a time limit could keep it here for ever.
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
      invoke: {
        src: 'setMemoryTtl',
        input: ({ context }) => ({ item: context.item, ttlMs: PAUSED_MEMORY_TTL_MS }),
        onDone: { actions: { type: 'memorySet', params: { memory: 'extended' } } },
        onError: { actions: { type: 'memorySet', params: { memory: 'unknown' } } },
      },
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
        'pause.request': { actions: 'rejoin' },
        'pause.extend': { actions: 'extend' },
        'pause.expire': { target: 'EXPIRED', actions: ['stopCounting', 'expire'] },
        'resume.command': [
          { guard: 'isSound', target: 'RESUMING', actions: ['stopCounting', 'resume'] },
          { actions: 'refuse' },
        ],
        'cause.cleared': [
          { guard: 'mayResumeItself', target: 'RESUMING', actions: ['stopCounting', 'resume'] },
          { actions: 'refuseToResume' },
        ],
      },
    },
    STALE: {
      on: {
        'pause.request': { actions: 'rejoin' },
        'pause.day': { target: 'EXPIRED', actions: ['stopCounting', 'expire', 'sayDay'] },
        'pause.expire': { target: 'EXPIRED', actions: ['stopCounting', 'expire'] },
        'resume.command': [
          { guard: 'isSound', target: 'RESUMING', actions: ['stopCounting', 'resume'] },
          { actions: 'refuse' },
        ],
        'cause.cleared': [
          { guard: 'mayResumeItself', target: 'RESUMING', actions: ['stopCounting', 'resume'] },
          { actions: 'refuseToResume' },
        ],
      },
    },
    RESUMING: {
      on: {
        'resume.completed': { target: 'RUNNING', actions: 'recordResumed' },
        // A failure while resuming pauses again (CA-017).
        'pause.request': { target: 'PAUSING', actions: ['recordFailedResume', 'begin'] },
      },
    },
    /** The item is given up; the record stays (CA-019). */
    EXPIRED: {},
  },
});

/**
 * An agent whose items' working memory is kept by `setMemoryTtl`; it may fail, then it is not known how long that is
 * kept.
 */
export function pauseManagerAgent(
  setMemoryTtl?: PromiseActorLogic<void, MemoryInput>,
): Agent<typeof pauseManagerMachine, EventSchemas> {
  const machine =
    setMemoryTtl === undefined ? pauseManagerMachine : pauseManagerMachine.provide({ actors: { setMemoryTtl } });
  const effects = { setMemoryTtl: { retry: { attempts: 3 } } };
  return defineAgent({ name: 'pause-manager', machine, events: {}, effects });
}

/** Keeps working memory in the coordinator's own record, which has no time to live. */
export const pauseManager = pauseManagerAgent();

function planOf({ tasks, completed, failed }: ItemCheckpoint): ResumePlan {
  return resolveDependencies(tasks, failed, { completed, running: [] });
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
  if (record === null || record.status === 'RESUMED')
    return { item, status: 'RUNNING', reason: null, checkpointId: null, pausedAtMs: null, resumeDependencies: null };
  const { status, reason, checkpointId, pausedAtMs, resumeDependencies } = record;
  return { item, status, reason, checkpointId, pausedAtMs, resumeDependencies };
}

interface Sender {
  sendTo(to: AnyActorRef, event: { readonly type: string }): void;
}
