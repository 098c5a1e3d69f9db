/** Every event that the Lead Coordinator takes. Schemas of events that may come from outside are in messages.ts. */
import { z } from 'zod';
import { type ReplyTo } from '../../../actors/model/talk-actions.ts';
import { type DebateNews, type DebateReport } from '../debates/debate-state.ts';
import { type Message } from '../messages/messages.ts';
import { type GateReport } from '../../people/gates/gate.ts';
import { type WaitingNotice } from '../../people/tickets/awaited-tickets.ts';
import { type MessageIn, programOrPerson } from '../../work/message-schema.ts';
import { type PauseManagerReport } from '../pauses/pause-messages.ts';
import { type StageReport } from '../../work/stage.ts';

interface Replyable {
  readonly replyTo?: ReplyTo;
}

/** Orders and questions from people and tools, besides the messages of the crew. */
export const orders = {
  'plan.pause': z.object({
    item: z.string(),
    reason: z.string().max(1_000).optional(),
    by: programOrPerson.optional(),
  }),
  'plan.resume': z.object({ item: z.string() }),
  'plan.report': z.object({}),
  'pause.state': z.object({ item: z.string() }),
  'checkpoint.preserve': z.object({ task: z.string(), isPreserved: z.boolean() }),
};

export type CoordinatorEvent =
  | (MessageIn<typeof orders, keyof typeof orders> & Replyable)
  | { readonly type: 'child.exited'; readonly id: string; readonly error: unknown }
  | { readonly type: 'checkpoint.due'; readonly task: string }
  | (Message<'pause.request' | 'resume.command' | 'pause.extend' | 'pause.expire'> & Replyable)
  | (Message<'talk.finding' | 'talk.request' | 'talk.challenge' | 'talk.confirmation' | 'talk.alert'> & Replyable)
  | Message<
      'cause.cleared' | 'item.cancel' | 'capacity.set' | 'gate.request' | 'gate.validate' | 'correlation.detected'
    >
  | Extract<GateReport, { readonly type: 'gate.closed' }>
  | DebateNews
  | Extract<DebateReport, { readonly type: 'debate.resolved' }>
  | StageReport
  | WaitingNotice
  | PauseManagerReport;

/** The events that the coordinator raises to move the plan as a whole from state to state. */
export interface PlanEvent {
  readonly type: 'plan.continued' | 'plan.stalled' | 'plan.failed' | 'plan.completed';
}

export type EventOf<Type extends CoordinatorEvent['type']> = Extract<CoordinatorEvent, { readonly type: Type }>;
