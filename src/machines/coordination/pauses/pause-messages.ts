/** What the PauseManager of an item is told and tells, and what it holds. */
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

/** How long what an item has in working memory is kept, told to whoever keeps it. */
export interface MemoryInput {
  readonly item: string;
  readonly ttlMs: number;
}

export type PauseManagerEvent =
  | { readonly type: 'pause.request'; readonly request: PauseRequest }
  | { readonly type: 'checkpoint.saved'; readonly checkpoint: ItemCheckpoint }
  | (Message<'resume.command'> & { readonly replyTo?: ReplyTo })
  | { readonly type: 'cause.cleared'; readonly cause: string }
  /** What was to run again has begun to succeed, or nothing had to. */
  | { readonly type: 'resume.completed' }
  | (Message<'pause.extend'> & { readonly replyTo?: ReplyTo })
  | (Message<'pause.expire'> & { readonly replyTo?: ReplyTo })
  | { readonly type: 'pause.state'; readonly replyTo?: ReplyTo }
  /** The item has failed for good meanwhile: there is nothing left to resume. */
  | { readonly type: 'pause.end' }
  | { readonly type: 'pause.day'; readonly day: AlertDay }
  | { readonly type: 'pause.extensionOver' }
  | { readonly type: 'plan.forget'; readonly atMs: number };

/** What the coordinator is told. */
export type PauseManagerReport =
  | { readonly type: 'pause.pausing'; readonly item: string; readonly manager: AnyActorRef; readonly reason: string }
  /** The tasks under way are to be stopped. */
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

/** Of an item that nobody has paused, or that has been resumed. */
export function runningState(item: string): PauseState {
  return { item, status: 'RUNNING', reason: null, checkpointId: null, pausedAtMs: null, resumeDependencies: null };
}

export interface PauseManagerContext {
  readonly item: string;
  readonly coordinator: AnyActorRef;
  /** What it was asked last. */
  readonly request: PauseRequest;
  /** Of the pause under way, or the last one until it is archived (CA-030). */
  readonly record: PauseRecord | null;
  /** Pauses so far. */
  readonly pauses: number;
  readonly checkpoint: ItemCheckpoint | null;
  readonly resumePlan: ResumePlan | null;
  /** Whether the resume under way was begun by nobody. */
  readonly isAutomatic: boolean;
  /** Auto-resumes that failed since the last resume that did not (CA-032). */
  readonly failedAutoResumes: number;
  /** Whether people are told that it has gone well. */
  readonly notify: boolean;
  /** Plans by which resuming failed, by when it did. */
  readonly failedPlans: readonly FailedPlan[];
  /** What whoever keeps the working memory has been told, as far as is known (CA-027). */
  readonly memory: 'normal' | 'extended' | 'unknown';
}
