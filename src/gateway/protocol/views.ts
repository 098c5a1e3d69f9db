/**
 * Shapes of what the gateway shows, in answers and topics: what it makes is checked against them, and client and page
 * read them. Types only, without imports.
 */

export type Status = 'active' | 'done' | 'error' | 'stopped' | 'suspended';

/** `actor.get`, and the topic `actor/{address}`. */
export interface ActorView {
  readonly address: string;
  readonly agent: string;
  readonly status: Status;
  readonly value: unknown;
  readonly context: unknown;
  readonly tags: readonly string[];
  readonly output: unknown;
  readonly error: unknown;
  readonly sequence: number;
  /** Types of the declared events that the present state takes, guards aside. */
  readonly accepts: readonly string[];
}

/** `actor.tree`, and the topic `tree`. */
export interface TreeView {
  readonly address: string;
  readonly hidden?: undefined;
  readonly agent: string;
  readonly status: Status;
  readonly state: unknown;
  readonly mailbox: number;
  readonly oldestMessageMs: number | null;
  readonly restarts: number | null;
  readonly lastError: unknown;
  readonly restartInMs: number | null;
  readonly boss: {
    readonly strategy: string;
    readonly intensity: number;
    readonly periodMs: number;
    readonly restartsInPeriod: number;
  } | null;
  /** There are children on disk that are not shown. */
  readonly isPartial?: true;
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

/** The topic `inspection/{address}`. */
export interface InspectionView {
  readonly address: string;
  readonly agent: string;
  readonly life: number;
  readonly kind: string;
  readonly version: number;
  readonly incarnation: number;
  readonly attempt: number;
  readonly parent: string | null;
  readonly suspended: {
    readonly code: string;
    readonly message: string;
    readonly by: string | null;
    readonly reason: string | null;
    readonly atMs: number | null;
  } | null;
  readonly mailbox: number;
  readonly unread: readonly {
    readonly kind: string;
    readonly event: string;
    readonly from: string | null;
    readonly sinceMs: number | null;
    readonly deliveries: number;
  }[];
  readonly timers: readonly { readonly id: string; readonly deadlineMs: number; readonly event: string | null }[];
  readonly children: readonly string[];
  readonly last: {
    readonly sequence: number;
    readonly atMs: number;
    readonly event: string | null;
    readonly edges: readonly string[];
  } | null;
}

/** The topic `dead-letters`. */
export interface DeadLetterView {
  readonly number: number;
  readonly reason: string;
  readonly address: string;
  readonly atMs: number;
  readonly error: unknown;
  readonly event: { readonly type: string };
  readonly action: { readonly name: string; readonly params: unknown; readonly effectId: string } | null;
}

/** `wait.list`. */
export interface WaitView {
  readonly kind: string;
  readonly address: string | null;
  readonly state: unknown;
  readonly for: string | null;
  readonly sinceMs: number | null;
  readonly untilMs: number | null;
}

/** `audit.list`. */
export interface AuditView {
  readonly number: number;
  readonly atMs: number;
  readonly by: string;
  readonly reason: string | null;
  readonly order: string;
  readonly address: string;
  readonly arguments: unknown;
  readonly outcome: string;
}

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
export interface TurnView {
  /** Rises from turn to turn. */
  readonly number: number;
  readonly kind: 'spawn' | 'restarted' | 'transition' | 'failed' | 'stopped';
  /** Kernel time. */
  readonly atMs: number;
  readonly address: string;
  readonly agent: string;
  readonly life: number;
  readonly sequence: number;
  /** null for a first turn and an end. */
  readonly event: ShownEvent | null;
  /** null for what came from outside. */
  readonly cause: { readonly address: string | null; readonly life: number; readonly sequence: number | null } | null;
  /** Addresses of children born in it. */
  readonly born: readonly string[];
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
    readonly output?: unknown;
    readonly status?: string;
  } | null;
  readonly value: unknown;
  readonly status: string;
  readonly error: { readonly message: string } | null;
  readonly durationMs: number;
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
