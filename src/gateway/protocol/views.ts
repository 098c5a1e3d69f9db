/**
 * Shapes of what the gateway shows, in answers and topics: what it makes is checked against them, and the page reads
 * them. What the kernel shows is shown as it has it, less what is not for clients. Types only.
 */
import type { InspectedTimer, Inspection } from '../../actors/api/actor-inspection.ts';
import type { Wait } from '../../actors/api/waits.ts';
import type { TraceRecord } from '../../actors/model/trace-record.ts';
import type { AuditRecord } from '../../actors/world/audit-record.ts';
import type { DeadAction, DeadLetter } from '../../actors/world/mailbox/dead-letter.ts';
import type { TreeNode } from '../../system-options.ts';

export type { ActorView } from './actor-view.ts';

/** `actor.tree`, and the topic `tree`. */
export interface TreeView extends Omit<TreeNode, 'children'> {
  readonly hidden?: undefined;
  /** Absent below the depth that was asked for. */
  readonly children?: readonly TreeBranch[] | undefined;
}

/** An actor that the caller may not reach, above some that it may. */
export interface HiddenView {
  readonly address: string;
  readonly hidden: true;
  readonly children: readonly TreeBranch[];
}

export type TreeBranch = TreeView | HiddenView;

/** The fields of an inspection that are shown to everybody who may see the actor. */
type Inspected =
  | 'address'
  | 'agent'
  | 'life'
  | 'kind'
  | 'version'
  | 'incarnation'
  | 'attempt'
  | 'parent'
  | 'suspended'
  | 'mailbox'
  | 'unread'
  | 'children';

/** `actor.inspect`, and the topic `inspection/{address}`. */
export interface InspectionView extends Pick<Inspection, Inspected> {
  readonly timers: readonly Omit<InspectedTimer, 'dueInMs'>[];
  readonly last: LastStep | null;
}

/** The step that an actor took last. */
export interface LastStep {
  /** Changes of the actor's state so far, this step's included. */
  readonly sequence: number;
  /** Kernel time. */
  readonly atMs: number;
  /** Type of the event that it took; null for a first step. */
  readonly event: string | null;
  /** Ids of the transitions taken, in order, as its chart has them. */
  readonly edges: readonly string[];
}

/** `deadletter.list`, and the topic `dead-letters`. */
export interface DeadLetterView extends Omit<DeadLetter, 'event' | 'action'> {
  readonly event: ShownEvent;
  readonly action: DeadAction | null;
}

/** `wait.list`. */
export type WaitView = Wait;

/** `audit.list`. */
export type AuditView = AuditRecord;

/** `agent.list`. */
export interface AgentListView {
  readonly agents: readonly {
    readonly name: string;
    readonly version: number;
    readonly events: Readonly<Record<string, object>>;
  }[];
}

/** `system.info`. */
export interface SystemInfo {
  readonly epoch: number;
  readonly nowMs: number;
  readonly outage: string | null;
  readonly damaged: number;
  readonly unreadable: number;
  readonly deadLetters: number;
  readonly eventLoopDelayMs: number | null;
  readonly storeBytes: number | null;
  readonly gateway: Readonly<Record<string, number>>;
}

/** The topic `trace/{address}`, and the methods `actor.turns` and `actor.history`. */
export interface TurnView
  extends Omit<TraceRecord, 'epoch' | 'actions' | 'event' | 'microsteps' | 'sent' | 'change' | 'error'> {
  /** null for a first turn and an end. */
  readonly event: ShownEvent | null;
  readonly microsteps: readonly (readonly { readonly edge: string }[])[];
  /** Empty where only names were recorded. */
  readonly sent: readonly SentView[];
  /**
   * Of the context: top-level keys that were set and removed, or all of it. null where only names were recorded, or
   * nothing is known.
   */
  readonly change: {
    readonly context?: unknown;
    readonly set?: Readonly<Record<string, unknown>>;
    readonly unset?: readonly string[];
    /** By top-level key: what changed in its table. */
    readonly rows?: Readonly<Record<string, ShownRows>>;
    readonly output?: unknown;
    readonly status?: string;
  } | null;
  readonly error: { readonly message: string } | null;
}

export interface ShownRows {
  /** Rows of the table behind the turn. */
  readonly size: number;
  /** The first 1,000 that were set; a text where they are secret. */
  readonly set: Readonly<Record<string, unknown>> | string;
  readonly unset: readonly string[];
}

export interface ShownEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface SentView {
  /** null for one whom the caller may not reach; the empty text for one that was never born. */
  readonly to: string | null;
  readonly event: ShownEvent | null;
  readonly delayMs: number | null;
  readonly id: string | null;
}

/** One that the store has kept. */
export interface KeptTurnView extends TurnView {
  /** After it. */
  readonly context: unknown;
}
