/**
 * The port between the kernel and Bosses: the events that a Boss is told, the facts that it decides by, and the
 * commands that it may give. A Boss decides (src/supervisor, a machine like any other); the kernel performs
 * (world/bosses.ts) in the turn that decided.
 */
import { type ErrorCode } from '../../errors.ts';

/** How a child of a Boss ended. */
export interface ChildExit {
  /** `shutdown`: a Boss that gave up. */
  readonly reason: 'normal' | 'error' | 'shutdown';
  readonly error: unknown;
  /** The same message crashed it before; that restart has been counted. */
  readonly redelivery: boolean;
  /** The message of a client has brought it about. Nothing that a client sends may make a Boss give up (design P9). */
  readonly byClient?: boolean;
  /** Set when a Boss gave up: the child that caused it, as an address below that Boss. */
  readonly over?: string | undefined;
  /** It has never taken a turn: its first start failed. */
  readonly isUnborn?: boolean;
}

/** How a Boss ends: it gave up, or `over` is undefined. */
export interface BossOutput {
  readonly reason: 'shutdown';
  /** The child that it gave up over, as an address below it. */
  readonly over: string | undefined;
  readonly error: unknown;
}

/** Events from the kernel to a Boss. */
export type BossSignal =
  | { readonly type: 'bosun.declare'; readonly input: unknown }
  /** The root, at the first start after it gave up. */
  | { readonly type: 'bosun.resumed' }
  /** From its own Boss: end your children, then yourself. */
  | { readonly type: 'bosun.shutdown' }
  | ExitSignal;

/** A child has ended. */
export interface ExitSignal extends ChildExit {
  readonly type: 'bosun.exit';
  readonly id: string;
}

/** The part of a Boss's record of a child that the kernel reads; the rest is the supervisor's. */
export interface ChildRow {
  /**
   * `waiting`: its restart is delayed by backoff. `stopping`: told to end. `ended`: the record is kept, nothing runs.
   */
  readonly status: 'running' | 'waiting' | 'stopping' | 'ended';
  /** When a waiting child is started again, kernel time. */
  readonly retry: { readonly atMs: number } | null;
}

/** The part of a Boss's context that the kernel reads. */
export interface BossView {
  /** While it waits for children to end: it looks at nothing else then. */
  readonly script: object | null;
  /** Its children are made by one template, and are given ids where they have none. */
  readonly template?: object | undefined;
}

/** Facts that the kernel adds to every event of a Boss. */
export interface BossFacts<Row extends ChildRow = ChildRow> {
  /** The child table as of before this turn, by child id. */
  readonly children: ReadonlyMap<string, Row>;
  /** Whether a child, or one below it, has something to do before it ends. */
  readonly lingers: (id: string) => boolean;
  readonly isRoot: boolean;
  readonly nowMs: number;
  /** In [0, 1). */
  readonly random: number;
}

/** Go on from the last committed state, or begin anew. */
export type RestartMode = 'committed' | 'initial';

/** How a child is started; `input` of a Boss is its spec. */
export interface ChildStart {
  readonly id: string;
  readonly agent: string;
  readonly input: unknown;
  readonly systemId: string | null;
}

/** Why an order is refused, with OTP's word for it in the message. */
export type RefusalCode = Extract<
  ErrorCode,
  | 'BOSUN_CHILD_RUNNING'
  | 'BOSUN_CHILD_PRESENT'
  | 'BOSUN_CHILD_RESTARTING'
  | 'BOSUN_CHILD_UNKNOWN'
  | 'BOSUN_CHILD_DYNAMIC'
  | 'BOSUN_CHILDREN_FULL'
>;

/** Commands about a child, by name. `record` replaces the child's in the child table; null deletes it. */
interface ChildCommands<Row extends ChildRow> {
  start: ChildStart & { readonly record: Row };
  restart: ChildStart & { readonly mode: RestartMode; readonly record: Row };
  /** Has a child that is a Boss learn what the code declares for it. */
  declare: { readonly id: string; readonly input: unknown };
  /** Tells it to end by itself. */
  shutdown: { readonly id: string; readonly record: Row };
  /** Ends it, and keeps address, mailbox and references for the restart that follows. */
  halt: { readonly id: string };
  /** Ends it for good, with all that is below it. */
  terminate: { readonly id: string; readonly record: Row | null };
  record: { readonly id: string; readonly record: Row | null };
  /** The order under way is answered when the child has begun. */
  awaitStart: { readonly id: string };
  /** The order under way cannot be carried out; whoever gave it is told. */
  refuse: { readonly id: string; readonly code: RefusalCode };
}

/** A custom action of a Boss, which the kernel performs. */
export type ChildCommand<Row extends ChildRow = ChildRow> = {
  [Name in keyof ChildCommands<Row>]: {
    readonly type: `bosun.child.${Name}`;
    readonly params: ChildCommands<Row>[Name];
  };
}[keyof ChildCommands<Row>];
