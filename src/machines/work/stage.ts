/**
 * The stage agent: does one task of a plan. It invokes the work, keeps its checkpoints, and decides about failures by
 * their tiers. A failure that ends the task is reported to the coordinator; any other failure fails the stage itself.
 * Its Boss restarts the stage with backoff, and the same work starts again with the same effect id.
 *
 * Work tells its stage of a failed attempt by `work.failed`, on which alone the stage decides; the rejection after it
 * ends the attempt, and says nothing (decision 0077). Work that is a machine tells nothing: there the error itself is
 * read, and only the Boss counts attempts.
 */
import {
  type AnyActorLogic,
  type AnyActorRef,
  assign,
  emit,
  enqueueActions,
  type PromiseActorLogic,
  sendTo,
  setup,
} from 'xstate';
import { type Agent, type EventSchemas, isVersion } from '../../actors/model/agent.ts';
import { defineAgent } from '../../actors/api/define-agent.ts';
import { timeOf } from '../../actors/model/ref.ts';
import { BosunError } from '../../errors.ts';
import {
  type AgentCheckpoint,
  afterFailure,
  afterSubtask,
  type CheckpointMigrations,
  firstCheckpoint,
  type Flaw,
  seal,
  type SealedCheckpoint,
  type Subtask,
  unseal,
} from './checkpoints.ts';
import { type Decisions, talkMessageOf, type Said } from './agent-function.ts';
import { endOf, type FailedAttempts, type Failure, failureOf, isRetried, withAttempt } from './failure-tiers.ts';
import { itemOf, type Task } from './task.ts';

export interface StageInput {
  readonly task: Task;
  /** Outputs of earlier stages of the item by stage name; in a plan of tasks, outputs of the dependencies by id. */
  readonly results: Readonly<Record<string, unknown>>;
  readonly coordinator: AnyActorRef;
  /** Expected duration; null if there is none. */
  readonly expectedMs: number | null;
  /** The last checkpoint from an earlier start of this task; null if there is none. */
  readonly checkpoint: SealedCheckpoint | null;
  readonly decisions: Decisions;
}

/** The input of the work, for a promise logic and a machine alike. */
export interface WorkInput {
  readonly task: Task;
  /** The item; in a plan of tasks, the task. */
  readonly item: string;
  /** The task's input from the plan. */
  readonly input: unknown;
  readonly results: Readonly<Record<string, unknown>>;
  readonly decisions: Decisions;
  /** The last checkpoint when this state was entered. A promise that is started again reads the stage's snapshot. */
  readonly checkpoint: AgentCheckpoint;
}

/** Reports from the work to the stage while it runs. The work knows its effect id and attempt; the machine does not. */
export type WorkReport =
  | { readonly type: 'work.started'; readonly effectId: string; readonly attempt: number }
  | {
      readonly type: 'work.failed';
      readonly effectId: string;
      readonly attempt: number;
      readonly failure: Failure;
    }
  | { readonly type: 'work.checkpoint'; readonly value: unknown }
  /** A subtask is complete: a boundary (CA-033). */
  | { readonly type: 'work.subtask'; readonly subtask: string; readonly result: unknown }
  /** A message to the rest of the crew, passed on in the name of the agent type. */
  | { readonly type: 'work.said'; readonly said: Said };

/** Events of a stage. It raises `stage.overdue` itself when the expected duration has passed. */
type StageEvent = WorkReport | { readonly type: 'stage.overdue' };

/** Events emitted to watchers once they are durable. */
export type StageEmitted =
  /** The stage has started; work that reports by {@link WorkReport} adds details. */
  | { readonly type: 'stage.entered'; readonly task: string }
  | { readonly type: 'task.started'; readonly task: string; readonly effectId: string; readonly attempt: number }
  | {
      readonly type: 'task.failed';
      readonly task: string;
      readonly effectId: string;
      readonly attempt: number;
      readonly error: string;
    }
  | { readonly type: 'task.completed'; readonly task: string; readonly effectId: string; readonly attempt: number };

/** Reports to the coordinator. */
export type StageReport =
  | {
      readonly type: 'task.completed';
      readonly task: string;
      readonly output: unknown;
      readonly tookMs: number;
      readonly expectedMs: number | null;
    }
  /** The attempt failed; the Boss tries again while attempts are left. */
  | { readonly type: 'task.attemptFailed'; readonly task: string }
  /** The task failed and is not tried again. */
  | { readonly type: 'task.failed'; readonly task: string; readonly failure: Failure }
  | { readonly type: 'task.checkpointed'; readonly task: string; readonly checkpoint: SealedCheckpoint }
  | { readonly type: 'task.overdue'; readonly task: string; readonly expectedMs: number };

export interface StageContext extends StageInput {
  readonly effectId: string;
  readonly attempt: number;
  readonly startedAtMs: number;
  /** The checkpoint from which the work continues at its next start. */
  readonly progress: AgentCheckpoint;
  /** Failed attempts; null before the first failure, and for work that does not report its failures. */
  readonly failed: FailedAttempts | null;
  /** The attempt whose failure was reported last; absent before the first report. */
  readonly reported?: number;
  /** Why the given checkpoint cannot be used. */
  readonly flaw: string | null;
}

/** The subtasks of an agent type and the version of its checkpoints. */
export interface StageOptions {
  readonly subtasks?: readonly Subtask[];
  /** Version of the checkpoints' form, from 1. */
  readonly version?: number;
  readonly migrations?: CheckpointMigrations;
}

const stageMachine = setup({
  types: {} as { context: StageContext; events: StageEvent; emitted: StageEmitted; input: StageInput },
  actors: { work: {} as PromiseActorLogic<unknown, WorkInput> },
  guards: {
    isSound: ({ context }) => context.flaw === null,
    endsTask: ({ context: { failed, task }, event }) =>
      event.type === 'work.failed' && endOf(withAttempt(failed, event.failure), task.retry.attempts) !== null,
    /** Whether the failure of an attempt that has reported none ends the task. A reported one was decided on before. */
    isHopeless: ({ context: { reported, attempt } }, { error }: { error: unknown }) =>
      reported !== attempt && !isRetried(failureOf(error)),
  },
  actions: {
    /** Reads the given checkpoint. The agent's options supply version and migrations. */
    restore: assign(({ context, self }) => restored(context, {}, timeOf(self))),
    keepSubtask: assign(({ context, event, self }) => subtaskKept(context, event, [], timeOf(self))),
    expect: enqueueActions(({ context: { expectedMs }, enqueue }) => {
      if (expectedMs !== null && expectedMs > 0)
        enqueue.raise({ type: 'stage.overdue' }, { id: 'overdue', delay: expectedMs });
    }),
    /** Sends the checkpoint to the coordinator at each boundary, because the stage ends with its Boss. */
    handOver: sendTo(
      ({ context }) => context.coordinator,
      ({ context: { task, progress } }) => boundary(task, progress),
    ),
    noteFailure: enqueueActions(({ context, event, enqueue, self }) => {
      if (event.type !== 'work.failed') return;
      const { effectId, attempt, failure } = event;
      const { task, progress: before, failed, coordinator } = context;
      enqueue.emit({ type: 'task.failed', task: task.id, effectId, attempt, error: failure.message });
      enqueue.assign({ failed: withAttempt(failed, failure), reported: attempt });
      if (before.completedSubtasks.length === 0 && before.workingMemory === null) return;
      const progress = afterFailure(before, failure, timeOf(self));
      enqueue.assign({ progress });
      enqueue.sendTo(coordinator, boundary(task, progress));
    }),
    giveUp: sendTo(
      ({ context }) => context.coordinator,
      ({ context: { task } }, { failure }: { failure: Failure }): StageReport => ({
        type: 'task.failed',
        task: task.id,
        failure,
      }),
    ),
  },
}).createMachine({
  id: 'stage',
  context: ({ input, self }) => ({
    ...input,
    effectId: input.task.id,
    attempt: 1,
    startedAtMs: timeOf(self),
    failed: null,
    progress: blankOf(input.task, {}, timeOf(self)),
    flaw: null,
  }),
  entry: 'restore',
  initial: 'restoring',
  states: {
    restoring: {
      always: [
        { guard: 'isSound', target: 'working' },
        { target: 'failed', actions: { type: 'giveUp', params: ({ context }) => ({ failure: damageOf(context) }) } },
      ],
    },
    working: {
      entry: [emit(({ context }) => ({ type: 'stage.entered', task: context.task.id }) as const), 'expect'],
      invoke: {
        id: 'work',
        src: 'work',
        input: ({ context: { task, results, progress, decisions } }) => ({
          task,
          item: itemOf(task),
          input: task.input,
          results,
          decisions,
          checkpoint: progress,
        }),
        onDone: {
          target: 'completed',
          actions: [
            sendTo(
              ({ context }) => context.coordinator,
              ({ context: { task, startedAtMs, expectedMs }, event, self }): StageReport => ({
                type: 'task.completed',
                task: task.id,
                output: event.output,
                tookMs: timeOf(self) - startedAtMs,
                expectedMs,
              }),
            ),
            emit(
              ({ context: { task, effectId, attempt } }) =>
                ({ type: 'task.completed', task: task.id, effectId, attempt }) as const,
            ),
          ],
        },
        // If the guard refuses, the stage itself fails and its Boss tries again.
        onError: {
          guard: { type: 'isHopeless', params: ({ event }) => event },
          target: 'failed',
          actions: { type: 'giveUp', params: ({ event }) => ({ failure: failureOf(event.error) }) },
        },
      },
      on: {
        'work.started': {
          actions: [
            assign({ effectId: ({ event }) => event.effectId, attempt: ({ event }) => event.attempt }),
            emit(({ context, event }) => ({ ...event, type: 'task.started', task: context.task.id }) as const),
          ],
        },
        'work.failed': [
          {
            guard: 'endsTask',
            target: 'failed',
            actions: [
              'noteFailure',
              {
                type: 'giveUp',
                params: ({ context: { failed, task } }) => ({ failure: endOf(failed!, task.retry.attempts)! }),
              },
            ],
          },
          {
            actions: [
              'noteFailure',
              sendTo(
                ({ context }) => context.coordinator,
                ({ context: { task } }): StageReport => ({ type: 'task.attemptFailed', task: task.id }),
              ),
            ],
          },
        ],
        'work.checkpoint': {
          actions: [
            assign({
              progress: ({ context, event, self }) => ({
                ...context.progress,
                workingMemory: event.value ?? null,
                checkpointTimeMs: timeOf(self),
              }),
            }),
            'handOver',
          ],
        },
        'work.subtask': { actions: ['keepSubtask', 'handOver'] },
        'work.said': {
          actions: sendTo(
            ({ context }) => context.coordinator,
            ({ context: { task }, event: { said } }) => talkMessageOf(said, { from: task.agent, item: itemOf(task) }),
          ),
        },
        'stage.overdue': {
          actions: sendTo(
            ({ context }) => context.coordinator,
            ({ context: { task, expectedMs } }): StageReport => ({
              type: 'task.overdue',
              task: task.id,
              expectedMs: expectedMs!,
            }),
          ),
        },
      },
    },
    completed: { type: 'final' },
    failed: { type: 'final' },
  },
});

/** Versions of the checkpoints of agent types by name, with the migrations to them. */
export type CheckpointVersions = Readonly<Record<string, Pick<StageOptions, 'version' | 'migrations'>>>;

/** The name of the agent that does tasks of an agent type. */
export function stageName(agentType: string): string {
  return `stage:${agentType}`;
}

/**
 * The stage agent for one agent type. `work` is a promise logic that reports by {@link WorkReport}, or a machine with
 * an output. Throws BOSUN_AGENT_INVALID for an invalid version.
 */
export function stageAgent(
  agentType: string,
  work: AnyActorLogic,
  options: StageOptions = {},
): Agent<typeof stageMachine, EventSchemas> {
  if (options.version !== undefined && !isVersion(options.version))
    throw new BosunError('BOSUN_AGENT_INVALID', `${stageName(agentType)}: its version must be a whole number from 1`);
  const machine = stageMachine.provide({
    actors: { work: work as PromiseActorLogic<unknown, WorkInput> },
    actions: {
      restore: assign(({ context, self }) => restored(context, options, timeOf(self))),
      keepSubtask: assign(({ context, event, self }) =>
        subtaskKept(context, event, options.subtasks ?? [], timeOf(self)),
      ),
    },
  });
  return defineAgent({ name: stageName(agentType), machine, events: {} });
}

function blankOf(task: Task, { subtasks = [], version = 1 }: StageOptions, nowMs: number): AgentCheckpoint {
  const facts = {
    item: itemOf(task),
    agentType: task.agent,
    analysisId: task.id,
    agentConfig: task.input,
    agentVersion: version,
    checkpointTimeMs: nowMs,
  };
  return firstCheckpoint(facts, subtasks);
}

function restored(
  { task, checkpoint }: StageContext,
  options: StageOptions,
  nowMs: number,
): Pick<StageContext, 'progress' | 'flaw' | 'checkpoint'> {
  const opened: AgentCheckpoint | Flaw =
    checkpoint === null ? blankOf(task, options, nowMs) : unseal(checkpoint, options.version ?? 1, options.migrations);
  // The given checkpoint is dropped: from here on only the progress counts.
  return 'flaw' in opened
    ? { progress: blankOf(task, options, nowMs), flaw: opened.flaw, checkpoint: null }
    : { progress: opened, flaw: null, checkpoint: null };
}

function subtaskKept(
  { progress }: StageContext,
  event: StageEvent,
  subtasks: readonly Subtask[],
  atMs: number,
): Pick<StageContext, 'progress'> {
  return { progress: event.type === 'work.subtask' ? afterSubtask(progress, { ...event, atMs }, subtasks) : progress };
}

/** The report of a checkpoint to the coordinator. */
function boundary({ id }: Task, progress: AgentCheckpoint): StageReport {
  return { type: 'task.checkpointed', task: id, checkpoint: seal(progress) };
}

/** The failure for a damaged checkpoint, from which work must not continue (CA-037). */
function damageOf({ flaw }: StageContext): Failure {
  return {
    tier: 3,
    errorType: 'integrity_violation',
    message: `its checkpoint is not sound: ${flaw}`,
    dataSource: null,
    isStated: true,
  };
}
