/**
 * Every event that the Lead Coordinator takes, whoever sends it. What may come from outside has its schema in
 * messages.ts.
 */
import { type ReplyTo } from '../../../actors/model/talk-actions.ts';
import { type DebateNews, type DebateReport } from '../debates/debate-state.ts';
import { type Message } from '../messages/messages.ts';
import { type PauseManagerReport } from '../pauses/pause-messages.ts';
import { type StageReport } from '../../work/stage.ts';

interface Replyable {
  readonly replyTo?: ReplyTo;
}

/** How a gate ended, as the desk of gates tells whoever asked. */
export interface GateClosed {
  readonly type: 'gate.closed';
  readonly result: {
    readonly gate: string;
    readonly outcome: 'answered' | 'timedOut' | 'withdrawn' | 'failed';
    readonly answer: unknown;
    readonly openedAtMs: number;
    readonly closedAtMs: number;
  };
}

export type CoordinatorEvent =
  | { readonly type: 'plan.pause'; readonly item: string; readonly reason?: string | undefined }
  | { readonly type: 'plan.resume'; readonly item: string }
  | { readonly type: 'plan.report' }
  | { readonly type: 'child.exited'; readonly id: string; readonly error: unknown }
  | { readonly type: 'checkpoint.preserve'; readonly task: string; readonly isPreserved: boolean }
  | { readonly type: 'checkpoint.due'; readonly task: string }
  | ({ readonly type: 'pause.state'; readonly item: string } & Replyable)
  | (Message<'pause.request' | 'resume.command' | 'pause.extend' | 'pause.expire'> & Replyable)
  | (Message<'talk.finding' | 'talk.request' | 'talk.challenge' | 'talk.confirmation' | 'talk.alert'> & Replyable)
  | Message<
      'cause.cleared' | 'item.cancel' | 'capacity.set' | 'gate.request' | 'gate.validate' | 'correlation.detected'
    >
  | GateClosed
  | DebateNews
  | Extract<DebateReport, { readonly type: 'debate.resolved' }>
  | StageReport
  | PauseManagerReport;

/** How the plan as a whole goes on: raised by the coordinator itself. */
export interface PlanEvent {
  readonly type: 'plan.continued' | 'plan.stalled' | 'plan.failed' | 'plan.completed';
}

export type EventOf<Type extends CoordinatorEvent['type']> = Extract<CoordinatorEvent, { readonly type: Type }>;
