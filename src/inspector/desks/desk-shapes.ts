/**
 * What the pages of the desks read of the contexts of the coordination agents: parts of them, as the gateway shows
 * them, references as `{ actor: address }`. Times are milliseconds of kernel time. No behaviour;
 * test/inspector/desks.test.ts holds it against the agents.
 */
import { type JsonSchema } from '../json-schema.ts';

/** Names of the agents. */
export const DESK_AGENTS = {
  gates: 'gate-desk',
  alerts: 'alert-desk',
  batches: 'batch-manager',
  debates: 'debate-facilitator',
  coordinator: 'lead-coordinator',
} as const;

/** The reply to every order. */
export interface OrderReply {
  readonly taken: boolean;
  readonly problems: readonly string[];
}

/** A reference to an actor. */
export interface ShownRef {
  readonly actor: string;
}

/** One place of the gate desk, under `record:N`. */
export interface GateRow {
  readonly id: string;
  readonly number: number;
  readonly kind: string;
  readonly title: string;
  readonly audience: readonly string[];
  readonly phase: 'opening' | 'open' | 'reminded' | 'answered' | 'timedOut' | 'withdrawn' | 'failed';
  readonly isOver: boolean;
  readonly openedAtMs: number;
  readonly deadlineAtMs: number | null;
  readonly result: {
    readonly answer: unknown;
    readonly by: string | null;
    readonly onTimeout: Fallback | null;
    readonly closedAtMs: number;
  } | null;
  readonly ref: ShownRef | null;
  readonly askedBy: ShownRef | null;
  readonly lastOrder: {
    readonly type: string;
    readonly by: string | null;
    readonly reason: string | null;
    readonly atMs: number;
  } | null;
}

/** What holds when nobody answers. */
interface Fallback {
  readonly name: string;
  readonly value: unknown;
}

/** A gate's own context. */
export interface GateShown {
  readonly question: {
    readonly package: unknown;
    readonly form: JsonSchema;
    readonly audience: readonly string[];
    readonly onTimeout: Fallback | null;
  };
  readonly reminders: number;
}

export type Priority = 'AGENT_FAILURE' | 'CRITICAL' | 'HIGH' | 'MEDIUM' | 'LOW';

/** One card at the alert desk, under `card:ID`. */
export interface AlertRow {
  readonly id: string;
  readonly item: string | null;
  readonly kind: string;
  readonly priority: Priority;
  readonly title: string;
  readonly state: 'SENT' | 'DELIVERED' | 'OPENED' | 'ACKNOWLEDGED';
  readonly raisedAtMs: number;
  readonly repeats: number;
  readonly acknowledgedAtMs: number | null;
  readonly acknowledgedBy: string | null;
  /** Why it was escalated; null while it was not. */
  readonly escalation: string | null;
  readonly problem: string | null;
  readonly ref: ShownRef | null;
}

/** A button. */
export interface AlertButton {
  readonly name: string;
  readonly label: string;
  readonly to: string | null;
  readonly event: { readonly type: string; readonly [field: string]: unknown } | null;
}

/** A card's own context. */
export interface AlertShown {
  readonly detail: string;
  readonly actions: readonly AlertButton[];
  readonly data: Readonly<Record<string, unknown>>;
}

/** One batch at its desk, under `batch:ID`; its items are under `items:ID`. */
export interface BatchRow {
  readonly id: string;
  readonly name: string;
  readonly reason: string;
  readonly phase: 'pausing' | 'paused' | 'resuming' | 'finished';
  readonly status: 'IN_PROGRESS' | 'COMPLETED' | 'PARTIALLY_FAILED' | 'FAILED';
  readonly concurrencyLimit: number;
  readonly createdAtMs: number;
  readonly completedAtMs: number | null;
  /** Resumption waits for resources until then. */
  readonly notBeforeMs: number | null;
  readonly note: string | null;
  readonly total: number;
  readonly paused: number;
  readonly resumed: number;
  readonly failed: number;
  readonly pending: number;
  readonly ref: ShownRef | null;
}

/** One item of a batch, in the context of the batch, under `item:NAME`. */
export interface BatchItemRow {
  readonly item: string;
  readonly state: 'waiting' | 'pausing' | 'paused' | 'resuming' | 'resumed' | 'failed';
  readonly error: string | null;
}

/** The record in the context of a PauseManager. */
export interface PauseRow {
  readonly item: string;
  readonly status: 'PAUSING' | 'PAUSED' | 'RESUMING' | 'RESUMED' | 'STALE' | 'EXPIRED';
  readonly reason: string;
  readonly trigger: string;
  readonly createdBy: string;
  readonly pausedAtMs: number;
  readonly extendedUntilMs: number | null;
  readonly extensionReason: string | null;
}

export type Side = 'challenger' | 'challenged';

interface Position {
  readonly statement: string;
  readonly value?: unknown;
}

export interface ProvisionalShown {
  readonly side: Side;
  readonly position: Position;
  readonly rationale: string;
  readonly appliedAtMs: number;
  readonly overrideUntilMs: number;
}

/** Credibility of one side, as it was worked out. */
export interface CredibilityShown {
  readonly score: number;
  readonly interval: number;
  readonly samples: number;
  readonly factors: Readonly<Record<'base' | 'temporal' | 'regime' | 'trend' | 'override', { readonly value: number }>>;
  readonly evidenceQuality: number;
}

export interface AnalysisShown extends Readonly<Record<Side, CredibilityShown>> {
  readonly regime: string;
  readonly differential: number;
  readonly required: number;
  readonly higher: Side | null;
  readonly notKnown: readonly string[];
}

/** One debate at the facilitator, under `record:N`. */
export interface DebateRow {
  readonly id: string;
  readonly number: number;
  readonly topic: string;
  readonly item: string | null;
  readonly priority: 'critical-path' | 'valuation' | 'supporting';
  readonly challenger: string;
  readonly challenged: string;
  readonly level: string;
  readonly isOver: boolean;
  readonly expert: string | null;
  readonly provisional: ProvisionalShown | null;
  readonly analysis: AnalysisShown | null;
  readonly summary: {
    readonly outcome: string;
    readonly method: string;
    readonly level: number;
    readonly side: Side | null;
    readonly resolvedAtMs: number;
  } | null;
  readonly openedAtMs: number;
  readonly ref: ShownRef | null;
}

/** The facilitator's context beside its records. */
export interface FacilitatorShown {
  readonly experts: Readonly<Record<string, { readonly isAvailable: boolean }>>;
  readonly nextGate: { readonly gate: string; readonly atMs: number } | null;
}

/** A debate's own context; what was said stands beside it under `said:N`. */
export interface DebateShown {
  readonly challenge: {
    readonly disputedFinding: string;
    readonly basis: { readonly statement: string; readonly evidence: readonly EvidenceShown[] };
  };
  readonly positions: Readonly<Record<Side, Position>>;
  readonly gate: string | null;
}

interface EvidenceShown {
  readonly kind: string;
  readonly source: string;
  readonly strength: number;
}

export interface SaidShown {
  readonly side: Side;
  readonly statement: string;
  readonly evidence: readonly EvidenceShown[];
  readonly atMs: number;
  /** Why it does not count; null where it does. */
  readonly flaw: string | null;
}
