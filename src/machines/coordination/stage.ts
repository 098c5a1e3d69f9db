/**
 * The stage agent: does one task of a plan. It invokes the work and reports what came of it; it does not retry. Work that
 * fails is the stage's own failure, which its Boss answers: restarted with backoff, the same work starts again with the
 * same effect id, until the Boss's intensity, the task's number of attempts, is used up.
 */
import { type AnyActorLogic, type AnyActorRef, assign, emit, type PromiseActorLogic, sendTo, setup } from 'xstate';
import { type Agent, defineAgent, type EventSchemas } from '../../actors/agent.ts';
import { itemOf, type PlanTask } from './plan.ts';

export interface StageInput {
  readonly task: PlanTask;
  /** Outputs of earlier stages of the item by stage name; in a plan of tasks, of the tasks waited for by their ids. */
  readonly results: Readonly<Record<string, unknown>>;
  readonly coordinator: AnyActorRef;
}

/** What the work is given: a promise logic and a machine alike, as their input. */
export interface WorkInput {
  readonly task: PlanTask;
  /** The item, or in a plan of tasks the task. */
  readonly item: string;
  /** The task's input from the plan. */
  readonly input: unknown;
  readonly results: Readonly<Record<string, unknown>>;
}

/** What the work tells the stage while it runs; it knows its effect id and attempt, the machine does not. */
export type WorkReport =
  | { readonly type: 'work.started'; readonly effectId: string; readonly attempt: number }
  | { readonly type: 'work.failed'; readonly effectId: string; readonly attempt: number; readonly error: string }
  | { readonly type: 'work.checkpoint'; readonly value: unknown };

/** What is said to whoever watches, once it is durable. */
export type StageEmitted =
  /** The stage began; work that reports by {@link WorkReport} says more. */
  | { readonly type: 'stage.entered'; readonly task: string }
  | { readonly type: 'task.started'; readonly task: string; readonly effectId: string; readonly attempt: number }
  | { readonly type: 'task.failed'; readonly task: string; readonly effectId: string; readonly attempt: number; readonly error: string }
  | { readonly type: 'task.completed'; readonly task: string; readonly effectId: string; readonly attempt: number };

/** What the coordinator is told. */
export interface TaskCompleted {
  readonly type: 'task.completed';
  readonly task: string;
  readonly output: unknown;
}

export interface StageContext extends StageInput {
  readonly effectId: string;
  readonly attempt: number;
  /** The last value that the work checkpointed; its next start begins there. */
  readonly checkpoint: unknown;
}

const stageMachine = setup({
  types: {} as { context: StageContext; events: WorkReport; emitted: StageEmitted; input: StageInput },
  actors: { work: {} as PromiseActorLogic<unknown, WorkInput> },
}).createMachine({
  id: 'stage',
  context: ({ input }) => ({ ...input, effectId: input.task.id, attempt: 1, checkpoint: undefined }),
  initial: 'working',
  states: {
    working: {
      entry: emit(({ context }) => ({ type: 'stage.entered', task: context.task.id }) as const),
      invoke: {
        id: 'work',
        src: 'work',
        input: ({ context: { task, results } }) => ({ task, item: itemOf(task), input: task.input, results }),
        onDone: {
          target: 'completed',
          actions: [
            sendTo(
              ({ context }) => context.coordinator,
              ({ context, event }): TaskCompleted => ({ type: 'task.completed', task: context.task.id, output: event.output }),
            ),
            emit(({ context: { task, effectId, attempt } }) => ({ type: 'task.completed', task: task.id, effectId, attempt }) as const),
          ],
        },
      },
      on: {
        'work.started': {
          actions: [
            assign({ effectId: ({ event }) => event.effectId, attempt: ({ event }) => event.attempt }),
            emit(({ context, event }) => ({ ...event, type: 'task.started', task: context.task.id }) as const),
          ],
        },
        'work.failed': { actions: emit(({ context, event }) => ({ ...event, type: 'task.failed', task: context.task.id }) as const) },
        'work.checkpoint': { actions: assign({ checkpoint: ({ event }) => event.value }) },
      },
    },
    completed: { type: 'final' },
  },
});

/** Name of the agent that does tasks of an agent type. */
export function stageName(agentType: string): string {
  return `stage:${agentType}`;
}

/** The agent for one agent type. `work` is a promise logic that reports by {@link WorkReport}, or a machine with an output. */
export function stageAgent(agentType: string, work: AnyActorLogic): Agent<typeof stageMachine, EventSchemas> {
  const machine = stageMachine.provide({ actors: { work: work as PromiseActorLogic<unknown, WorkInput> } });
  return defineAgent({ name: stageName(agentType), machine, events: {} });
}
