/**
 * The PauseManager of one item: RUNNING, PAUSING, PAUSED, RESUMING (seed 002, CA-016, CA-021 to CA-024). A pause begins at
 * once, but holds only when the stages under way have ended: at a stage boundary the checkpoint is whole. What resuming
 * means is worked out by the pure rule in resume-plan.ts; the coordinator carries it out.
 */
import { type AnyActorRef, assign, sendTo, setup } from 'xstate';
import { defineAgent } from '../../actors/agent.ts';
import { resolveDependencies, type ResumePlan } from './resume-plan.ts';
import { type GraphTask } from './dependency-graph.ts';

/** Why an item is paused, and who asked (CA-025). */
export interface PauseRequest {
  readonly reason: string;
  readonly trigger: 'AUTO_TIER2' | 'MANUAL';
  /** The task whose failure led to it. */
  readonly failedTask: string | null;
}

/** State of an item at a stage boundary. */
export interface ItemCheckpoint {
  /** Unique per item; rises with every pause. */
  readonly checkpointId: string;
  readonly tasks: readonly GraphTask[];
  readonly completed: readonly string[];
  readonly failed: readonly string[];
}

export interface PauseManagerInput {
  readonly item: string;
  readonly request: PauseRequest;
  readonly coordinator: AnyActorRef;
}

export type PauseManagerEvent =
  | { readonly type: 'pause.request'; readonly request: PauseRequest }
  | { readonly type: 'checkpoint.saved'; readonly checkpoint: ItemCheckpoint }
  | { readonly type: 'resume.request' }
  | { readonly type: 'resume.completed' };

/** What the coordinator is told. */
export type PauseManagerReport =
  | { readonly type: 'pause.pausing'; readonly item: string; readonly manager: AnyActorRef }
  | { readonly type: 'pause.paused'; readonly item: string; readonly request: PauseRequest; readonly checkpointId: string }
  | { readonly type: 'pause.resuming'; readonly item: string; readonly plan: ResumePlan };

interface Context {
  readonly item: string;
  readonly coordinator: AnyActorRef;
  readonly request: PauseRequest;
  readonly checkpoint: ItemCheckpoint | null;
  readonly resumePlan: ResumePlan | null;
}

const pauseManagerMachine = setup({
  types: {} as { context: Context; events: PauseManagerEvent; input: PauseManagerInput },
  actions: {
    reportPausing: sendTo(
      ({ context }) => context.coordinator,
      ({ context, self }): PauseManagerReport => ({ type: 'pause.pausing', item: context.item, manager: self }),
    ),
    reportPaused: sendTo(
      ({ context }) => context.coordinator,
      ({ context: { item, request, checkpoint } }): PauseManagerReport => ({
        type: 'pause.paused',
        item,
        request,
        checkpointId: checkpoint!.checkpointId,
      }),
    ),
    reportResuming: sendTo(
      ({ context }) => context.coordinator,
      ({ context: { item, resumePlan } }): PauseManagerReport => ({ type: 'pause.resuming', item, plan: resumePlan! }),
    ),
  },
}).createMachine({
  id: 'pause-manager',
  context: ({ input }) => ({ ...input, checkpoint: null, resumePlan: null }),
  initial: 'PAUSING',
  states: {
    RUNNING: {
      on: { 'pause.request': { target: 'PAUSING', actions: assign({ request: ({ event }) => event.request }) } },
    },
    PAUSING: {
      entry: 'reportPausing',
      on: {
        'checkpoint.saved': { target: 'PAUSED', actions: assign({ checkpoint: ({ event }) => event.checkpoint }) },
      },
    },
    PAUSED: {
      entry: 'reportPaused',
      on: { 'resume.request': 'RESUMING' },
    },
    RESUMING: {
      entry: [assign({ resumePlan: ({ context }) => resumePlanOf(context.checkpoint!) }), 'reportResuming'],
      on: {
        'resume.completed': 'RUNNING',
        // A failure while resuming pauses again (CA-017).
        'pause.request': { target: 'PAUSING', actions: assign({ request: ({ event }) => event.request }) },
      },
    },
  },
});

export const pauseManager = defineAgent({ name: 'pause-manager', machine: pauseManagerMachine, events: {} });

function resumePlanOf({ tasks, completed, failed }: ItemCheckpoint): ResumePlan {
  return resolveDependencies(tasks, failed, { completed, running: [] });
}
