/**
 * Types of the coordination agents' contexts as the gateway shows them, derived from the agents' own types. Times are
 * milliseconds of kernel time. No behaviour.
 */
import type { PlacedItem } from '../../machines/coordination/batches/batch-items.ts';
import type { ListedBatch } from '../../machines/coordination/batches/batch-manager.ts';
import type { Contribution } from '../../machines/coordination/debates/challenge.ts';
import type { FacilitatorContext } from '../../machines/coordination/debates/facilitator-context.ts';
import type { DebateRecord } from '../../machines/coordination/debates/debate-records.ts';
import type { DebateContext } from '../../machines/coordination/debates/debate-state.ts';
import type { PauseRecord } from '../../machines/coordination/pauses/pause-record.ts';
import type { AlertRecord } from '../../machines/people/alerts/alert-desk.ts';
import type { Alert } from '../../machines/people/alerts/alert-rules.ts';
import type { GateQuestion } from '../../machines/people/gates/gate.ts';
import type { GateRecord } from '../../machines/people/gates/gate-desk.ts';
import type {
  ThreadEntry,
  TicketContext,
  TicketRow as ListedTicket,
} from '../../machines/people/tickets/ticket-state.ts';
import { type JsonSchema } from '../json-schema.ts';

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
} as const;

/** A reference to an actor, as the gateway shows it. */
export interface ShownRef {
  readonly actor: string;
}

/** A value as the gateway shows it. */
type Shown<Value> = Value extends { readonly sessionId: string }
  ? ShownRef
  : Value extends object
    ? { readonly [Key in keyof Value]: Shown<Value[Key]> }
    : Value;

/** Fields of a record that only the desk itself uses. */
type Own = 'orders';

export type GateRow = Shown<Omit<GateRecord, Own>>;
export type AlertRow = Shown<Omit<AlertRecord, Own>>;
export type BatchRow = Shown<Omit<ListedBatch, Own>>;
export type DebateRow = Shown<Omit<DebateRecord, Own>>;
export type PauseRow = PauseRecord;
export type BatchItemRow = PlacedItem;
export type SaidShown = Contribution;
export type Priority = Alert['priority'];
export type Side = Contribution['side'];
export type AlertShown = Pick<Alert, 'detail' | 'actions' | 'data'>;
export type AlertButton = Alert['actions'][number];
export type AnalysisShown = NonNullable<DebateRow['analysis']>;
export type FacilitatorShown = Pick<FacilitatorContext, 'experts' | 'nextGate'>;
export type DebateShown = Pick<DebateContext, 'challenge' | 'positions' | 'gate'>;

/** A gate's own context. */
export interface GateShown {
  readonly question: Pick<GateQuestion, 'package' | 'audience' | 'onTimeout'> & { readonly form: JsonSchema };
  readonly reminders: number;
}

/** A row of the ticket desk's list, with the ticket's actor while it has one. */
export type TicketRow = Shown<ListedTicket> & { readonly ref: ShownRef | null };
export type ThreadShown = ThreadEntry;

/** A ticket's own context. */
export interface TicketShown {
  readonly question: Pick<TicketContext['question'], 'description' | 'options' | 'evidence'>;
  readonly thread: { readonly rows: Readonly<Record<string, ThreadShown>> };
}
