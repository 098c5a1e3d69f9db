/**
 * What the page reads of the gateway's answers and topics: parts of what docs/protocol.md has, as JSON. The view of an
 * actor is the client's. No behaviour.
 */

export type Status = 'active' | 'done' | 'error' | 'stopped' | 'suspended';

/** Of `welcome`: what the caller is to the gateway. */
export interface Principal {
  readonly id: string;
  readonly scopes: readonly string[];
  /** Methods that destroy are open to it. */
  readonly mayDestroy: boolean;
}

/** `actor.tree`, and the topic `tree`. */
export interface TreeNode {
  readonly address: string;
  /** The caller may not see it, only what is below. */
  readonly hidden?: true;
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
  readonly children?: readonly TreeNode[];
}

/** The topic `inspection/{address}`. */
export interface Inspection {
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
export interface DeadLetter {
  readonly number: number;
  readonly reason: string;
  readonly address: string;
  readonly atMs: number;
  readonly error: unknown;
  readonly event: { readonly type: string };
  readonly action: { readonly name: string; readonly params: unknown; readonly effectId: string } | null;
}

/** `wait.list`. */
export interface Wait {
  readonly kind: string;
  readonly address: string | null;
  readonly state: unknown;
  readonly for: string | null;
  readonly sinceMs: number | null;
  readonly untilMs: number | null;
}

/** `audit.list`. */
export interface AuditRecord {
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
export interface AgentList {
  readonly agents: readonly {
    readonly name: string;
    readonly version: number;
    readonly events: Readonly<Record<string, JsonSchema>>;
  }[];
}

/** As much of JSON Schema as a form is made from. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** Alternatives. */
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
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

/** A task of a plan, in the context of its coordinator. */
export interface PlanTask {
  readonly id: string;
  readonly item: string | null;
  readonly stage: string | null;
  readonly agent: string;
  readonly duration: number;
  readonly after: readonly string[];
  readonly barrier: readonly string[] | false;
}

export interface Plan {
  readonly name: string;
  readonly unit: string;
  readonly capacity: Readonly<Record<string, number>>;
  readonly tasks: readonly PlanTask[];
}

/** One record an item, under `item:NAME`. */
export interface ItemProgress {
  readonly phase: 'running' | 'pausing' | 'paused' | 'resuming';
  readonly done: readonly string[];
  readonly running: readonly string[];
  readonly failed: readonly { readonly task: string; readonly error: string }[];
  readonly reason: string | null;
}
