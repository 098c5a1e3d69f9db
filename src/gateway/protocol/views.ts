/**
 * Types of the views in answers and topics. The gateway is compiled against them, and the page reads them. They are the
 * kernel's types without the fields that are not for clients. Types only.
 */
import type { InspectedTimer, Inspection } from '../../actors/api/actor-inspection.ts';
import type { Wait } from '../../actors/api/waits.ts';
import type { TraceRecord } from '../../actors/model/trace-record.ts';
import type { AuditRecord } from '../../actors/world/audit-record.ts';
import type { DeadAction, DeadLetter } from '../../actors/world/mailbox/dead-letter.ts';
import type { ListedRow, TreeNode } from '../../system-options.ts';

export type { ActorView } from './actor-view.ts';
export type { ListedRow };

/** An actor of a tree. */
export interface TreeView extends Omit<TreeNode, 'children'> {
  readonly hidden?: undefined;
  /** The children of the actor; absent below the requested depth. */
  readonly children?: readonly TreeBranch[] | undefined;
}

/** An ancestor of shown actors that the caller may not reach or that was on an earlier page. */
export interface HiddenView {
  readonly address: string;
  readonly hidden: true;
  readonly children: readonly TreeBranch[];
}

export type TreeBranch = TreeView | HiddenView;

/**
 * A page of a tree, from its root: the answer of `actor.tree`. Actors shown on earlier pages are hidden on this one.
 * The topic `tree` joins its pages and keeps `next` until it has all of them.
 */
export type PagedTree = TreeBranch & {
  /** Address of the last actor of this page; absent on the last page. */
  readonly next?: string;
};

/** An actor of a page. `row()` and `node()` are expensive and called only for shown actors. */
export interface ListedActor {
  readonly address: string;
  readonly agent: string;
  /** The actor's place in the order of births. */
  readonly life: number;
  readonly parent: ListedActor | undefined;
  /** The actor in a list. */
  row(): ListedRow;
  /** The actor in a tree. */
  node(): Omit<TreeNode, 'children'>;
}

/** The fields of an inspection that every caller who may see the actor gets. */
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
  | 'records'
  | 'children';

/** The answer of `actor.inspect`, and the state of the topic `inspection/{address}`. */
export interface InspectionView extends Pick<Inspection, Inspected> {
  readonly timers: readonly Omit<InspectedTimer, 'dueInMs'>[];
  readonly last: LastStep | null;
}

/** The step that an actor took last. */
export interface LastStep {
  /** Number of state changes of the actor, including this step. */
  readonly sequence: number;
  /** Kernel time. */
  readonly atMs: number;
  /** Type of the event taken; null for a first step. */
  readonly event: string | null;
  /** Ids of the transitions taken, in order, as in the actor's chart. */
  readonly edges: readonly string[];
}

/** The answer of `deadletter.list`, and the state of the topic `dead-letters`. */
export interface DeadLetterView extends Omit<DeadLetter, 'event' | 'action'> {
  readonly event: ShownEvent;
  readonly action: DeadAction | null;
}

/** The answer of `wait.list`. */
export type WaitView = Wait;

/** The answer of `audit.list`. */
export type AuditView = AuditRecord;

/** The answer of `agent.list`. */
export interface AgentListView {
  readonly agents: readonly {
    readonly name: string;
    readonly version: number;
    readonly events: Readonly<Record<string, object>>;
  }[];
}

/** The answer of `system.info`. */
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

/** An event of the topic `trace/{address}`; the methods `actor.turns` and `actor.history` answer with it too. */
export interface TurnView
  extends Omit<TraceRecord, 'epoch' | 'actions' | 'event' | 'microsteps' | 'sent' | 'change' | 'error'> {
  /** The event of the turn; null for a first turn and an end. */
  readonly event: ShownEvent | null;
  readonly microsteps: readonly (readonly { readonly edge: string }[])[];
  /** The messages that the turn sent; empty if only names were recorded. */
  readonly sent: readonly SentView[];
  /**
   * The change of the context: top-level keys that were set and removed, or the whole context. null if only names were
   * recorded or nothing is known.
   */
  readonly change: {
    readonly context?: unknown;
    readonly set?: Readonly<Record<string, unknown>>;
    readonly unset?: readonly string[];
    /** Changed rows of tables, by top-level key. */
    readonly rows?: Readonly<Record<string, ShownRows>>;
    readonly output?: unknown;
    readonly status?: string;
  } | null;
  readonly error: { readonly message: string } | null;
}

export interface ShownRows {
  /** Number of rows after the turn. */
  readonly size: number;
  /** The first 1,000 rows that were set; a text if they are secret. */
  readonly set: Readonly<Record<string, unknown>> | string;
  readonly unset: readonly string[];
}

export interface ShownEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface SentView {
  /** The address of the recipient; null if the caller may not reach it, empty if it was never born. */
  readonly to: string | null;
  readonly event: ShownEvent | null;
  readonly delayMs: number | null;
  readonly id: string | null;
}

/** A turn kept in the store. */
export interface KeptTurnView extends TurnView {
  /** The context after the turn. */
  readonly context: unknown;
}
