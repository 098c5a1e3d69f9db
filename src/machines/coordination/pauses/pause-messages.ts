/** The messages from and to an item's PauseManager, and its context. */
import { type AnyActorRef } from 'xstate';
import { type ReplyTo } from '../../../actors/model/talk-actions.ts';
import { type GraphTask } from '../../work/dependency-graph.ts';
import { type Message, type ResumePlan } from '../messages/messages.ts';
import {
  type AlertDay,
  type FailedPlan,
  type PauseRecord,
  type PauseRequest,
  type PauseStatus,
} from './pause-record.ts';

/** State of an item at a stage boundary. */
export interface ItemCheckpoint {
  /** Id of the checkpoint, unique per item; its number rises with every pause. */
  readonly checkpointId: string;
  readonly tasks: readonly GraphTask[];
  readonly completed: readonly string[];
  readonly failed: readonly string[];
}

/** The progress of an item when its pause begins. */
export interface ItemAtWork extends Omit<ItemCheckpoint, 'checkpointId'> {
  readonly running: readonly string[];
}

export interface PauseManagerInput {
  readonly item: string;
  readonly request: PauseRequest;
  readonly atWork?: ItemAtWork;
  readonly coordinator: AnyActorRef;
}

/** The lifetime of an item's working memory, as passed to the port of the memory. */
export interface MemoryInput {
  readonly item: string;
  readonly ttlMs: number;
}

export type PauseManagerEvent =
  | { readonly type: 'pause.request'; readonly request: PauseRequest; readonly atWork?: ItemAtWork }
  | { readonly type: 'checkpoint.saved'; readonly checkpoint: ItemCheckpoint }
  | (Message<'resume.command'> & { readonly replyTo?: ReplyTo })
  | { readonly type: 'cause.cleared'; readonly cause: string }
  /** A restarted task has succeeded, or no task had to restart. */
  | { readonly type: 'resume.completed' }
  | (Message<'pause.extend'> & { readonly replyTo?: ReplyTo })
  | (Message<'pause.expire'> & { readonly replyTo?: ReplyTo })
  | { readonly type: 'pause.state'; readonly replyTo?: ReplyTo }
  /** The item has failed for good meanwhile; nothing is left to resume. */
  | { readonly type: 'pause.end' }
  | { readonly type: 'pause.day'; readonly day: AlertDay }
  | { readonly type: 'pause.extensionOver' }
  | { readonly type: 'plan.forget'; readonly atMs: number };

/** Reports to the coordinator. */
export type PauseManagerReport =
  | { readonly type: 'pause.pausing'; readonly item: string; readonly manager: AnyActorRef; readonly reason: string }
  /** An order to stop the running tasks. */
  | { readonly type: 'pause.stopWork'; readonly item: string }
  | Message<'pause.complete'>
  | { readonly type: 'pause.resuming'; readonly item: string; readonly plan: ResumePlan }
  | { readonly type: 'pause.expired'; readonly item: string; readonly reason: string };

/** The answer to `pause.state` (CA-024). */
export interface PauseState {
  readonly item: string;
  readonly status: 'RUNNING' | PauseStatus;
  readonly reason: string | null;
  readonly checkpointId: string | null;
  readonly pausedAtMs: number | null;
  readonly resumeDependencies: ResumePlan | null;
}

/** The pause state of an item that was never paused, or has been resumed. */
export function runningState(item: string): PauseState {
  return { item, status: 'RUNNING', reason: null, checkpointId: null, pausedAtMs: null, resumeDependencies: null };
}

export interface PauseManagerContext {
  readonly atWork?: ItemAtWork;
  readonly item: string;
  readonly coordinator: AnyActorRef;
  /** The latest pause request. */
  readonly request: PauseRequest;
  /** The record of the present pause, or of the last one until it is archived (CA-030). */
  readonly record: PauseRecord | null;
  /** Pauses so far. */
  readonly pauses: number;
  readonly checkpoint: ItemCheckpoint | null;
  readonly resumePlan: ResumePlan | null;
  /** Whether the present resume began automatically. */
  readonly isAutomatic: boolean;
  /** Automatic resumes that failed since the last successful resume (CA-032). */
  readonly failedAutoResumes: number;
  /** Whether people are notified of a successful resume. */
  readonly notify: boolean;
  /** Failed resume plans in order of time. */
  readonly failedPlans: readonly FailedPlan[];
  /** The working memory's last known lifetime setting (CA-027). */
  readonly memory: 'normal' | 'extended' | 'unknown';
}
