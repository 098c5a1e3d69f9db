/**
 * Types of the coordination agents' contexts as the gateway shows them, derived from the agents' own types: a table in
 * them may be a view of its first rows. Times are milliseconds of kernel time. No behaviour.
 */
import { type Shown } from '../../client/contract.ts';
import type { GateShown, gateProcedures } from '../../crew-gates.ts';
import type { AgentRegistryContext } from '../../machines/agents/agent-registry.ts';
import type { AnswerDeskContext } from '../../machines/answers/desk-state.ts';
import type { BatchItems, PlacedItem } from '../../machines/coordination/batches/batch-items.ts';
import type { BatchManagerContext, ListedBatch } from '../../machines/coordination/batches/batch-manager.ts';
import type { Contribution } from '../../machines/coordination/debates/challenge.ts';
import type { FacilitatorContext } from '../../machines/coordination/debates/facilitator-context.ts';
import type { DebateRecord } from '../../machines/coordination/debates/debate-records.ts';
import type { DebateContext } from '../../machines/coordination/debates/debate-state.ts';
import type { PauseManagerContext } from '../../machines/coordination/pauses/pause-messages.ts';
import type { PauseRecord } from '../../machines/coordination/pauses/pause-record.ts';
import type { HubDeskContext, RunRecord } from '../../machines/hub/hub-desk.ts';
import type { AlertDeskContext, AlertRecord } from '../../machines/people/alerts/alert-desk.ts';
import type { Alert } from '../../machines/people/alerts/alert-rules.ts';
import type { TicketDeskContext } from '../../machines/people/tickets/ticket-desk.ts';
import type {
  ThreadEntry,
  TicketContext,
  TicketRow as ListedTicket,
} from '../../machines/people/tickets/ticket-state.ts';
import { type CoordinatorShown } from '../plan/plan-progress.ts';

/** Names of the agents. */
export const DESK_AGENTS = {
  gates: 'gate-desk',
  tickets: 'ticket-desk',
  alerts: 'alert-desk',
  batches: 'batch-manager',
  debates: 'debate-facilitator',
  coordinator: 'lead-coordinator',
  answers: 'answer-desk',
  agents: 'agent-registry',
  hubs: 'hub-desk',
} as const;

/** A reference to an actor, as the gateway shows it. */
export interface ShownRef {
  readonly actor: string;
}

/** Fields of a record that only the desk itself uses. */
type Own = 'orders';

/** The contexts of desks, by the names of their agents. */
export interface DeskContexts {
  readonly 'ticket-desk': Shown<TicketDeskContext>;
  readonly 'alert-desk': Shown<AlertDeskContext>;
  readonly 'batch-manager': Shown<BatchManagerContext>;
  readonly 'debate-facilitator': Shown<FacilitatorContext>;
  readonly 'lead-coordinator': CoordinatorShown;
  readonly 'answer-desk': Shown<AnswerDeskContext>;
  readonly 'agent-registry': Shown<AgentRegistryContext>;
  readonly 'hub-desk': Shown<HubDeskContext>;
}

export type GateRow = GateShown;
export type AlertRow = Shown<Omit<AlertRecord, Own>>;
export type BatchRow = Shown<Omit<ListedBatch, Own>>;
export type RunRow = Shown<Omit<RunRecord, Own>>;
export type DebateRow = Shown<Omit<DebateRecord, Own>>;
export type PauseRow = PauseRecord;
export type BatchItemRow = PlacedItem;
export type SaidShown = Contribution;
export type Priority = Alert['priority'];
export type Side = Contribution['side'];
export type AlertShown = Pick<Alert, 'detail' | 'actions' | 'data'>;
export type AlertButton = Alert['actions'][number];
export type AnalysisShown = NonNullable<DebateRow['analysis']>;
export type FacilitatorShown = DeskContexts['debate-facilitator'];
export type PauseManagerShown = Shown<Pick<PauseManagerContext, 'record'>>;
export type BatchShown = Shown<Pick<BatchItems, 'items'>>;
export type DebateShown = Pick<DebateContext, 'challenge' | 'positions' | 'gate'>;

/** Numbers of gates by urgency, as `gates.counts` answers. */
export type GateCounts = (typeof gateProcedures)['gates.counts']['result']['_zod']['output'];

/** The question of an open gate, as `gates.get` answers. */
export type QuestionOfGate = NonNullable<(typeof gateProcedures)['gates.get']['result']['_zod']['output']['question']>;

/** A row of the ticket desk's list, with the ticket's actor while it has one. */
export type TicketRow = Shown<ListedTicket> & { readonly ref: ShownRef | null };
export type ThreadShown = Shown<ThreadEntry>;

/** A ticket's own context. */
export type TicketShown = Shown<Pick<TicketContext, 'question' | 'thread'>>;
