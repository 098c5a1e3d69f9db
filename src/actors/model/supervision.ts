/**
 * The port between the kernel and Bosses: the events that a Boss receives, the facts that it decides by, and the
 * commands that it may give. A Boss decides (src/supervisor, a machine like any other); the kernel performs
 * (world/bosses.ts) in the turn that decided.
 */
import { type ErrorCode } from '../../error-codes.ts';
import { shared } from './shared-text.ts';

/** The agent name of every Boss. */
export const BOSS_AGENT = 'bosun.boss';

/** How a child of a Boss ended. */
export interface ChildExit {
  /** `shutdown` means that the child is a Boss that gave up. */
  readonly reason: 'normal' | 'error' | 'shutdown';
  readonly error: unknown;
  /** Whether the same message crashed it before; that restart has been counted already. */
  readonly redelivery: boolean;
  /** Whether the message of a client caused the exit. No message of a client may make a Boss give up (design P9). */
  readonly byClient?: boolean;
  /** Relative address of the child that made a Boss give up; set only then. */
  readonly over?: string | undefined;
  /** Whether the child has never taken a turn, because its first start failed. */
  readonly isUnborn?: boolean;
  /** Whether there is no such child, because it could not even be born: its name is taken, or its agent unknown. */
  readonly isAbsent?: boolean;
}

/** The output of a Boss that gave up, or that ended otherwise, with `over` undefined. */
export interface BossOutput {
  readonly reason: 'shutdown';
  /** Relative address of the child that made the Boss give up. */
  readonly over: string | undefined;
  readonly error: unknown;
}

/** Events from the kernel to a Boss. */
export type BossSignal =
  | { readonly type: 'bosun.declare'; readonly input: unknown }
  /** The root is started for the first time since it gave up. */
  | { readonly type: 'bosun.resumed' }
  /** The Boss's own Boss tells it to end its children, then itself. */
  | { readonly type: 'bosun.shutdown' }
  | ExitSignal;

/** The end of a child. */
export interface ExitSignal extends ChildExit {
  readonly type: 'bosun.exit';
  readonly id: string;
}

/** The part of a Boss's record of a child that the kernel reads; the rest belongs to the supervisor. */
export interface ChildRow {
  /**
   * `waiting`: its restart is delayed by backoff. `stopping`: told to end. `ended`: the record is kept, nothing runs.
   */
  readonly status: 'running' | 'waiting' | 'stopping' | 'ended';
  /** The time at which a waiting child is started again, in kernel time. */
  readonly retry: { readonly atMs: number } | null;
  /** Number of restarts since it was started. */
  readonly restarts: number;
  /** Kernel time of its first start; absent where an earlier build started it. */
  readonly bornAtMs?: number;
}

/**
 * Gives a record read from disk the strings of its siblings: decoding makes a copy of each for every child. The input
 * of the child may be secret and stays as it is. The record is not frozen yet: a copy of a frozen one would have a
 * hidden class of its own.
 */
export function shareTexts(row: ChildRow, id: string): void {
  const { spec } = row as { spec?: object };
  shareTextsOf(row, id);
  if (spec !== undefined) shareTextsOf(spec, id);
}

function shareTextsOf(fields: object, id: string): void {
  for (const [key, value] of Object.entries(fields))
    if (typeof value === 'string' && key !== 'input')
      (fields as Record<string, unknown>)[key] = value === id ? id : shared(value);
}

/** The part of a Boss's context that the kernel reads. */
export interface BossView {
  /** The steps under way while it waits for children to end; it handles nothing else then. */
  readonly script: object | null;
  /** The template that all its children are made from; it gives ids to children without one. */
  readonly template?: object | undefined;
  /** The number of restarts that it allows within a period. */
  readonly intensity: number;
  readonly periodMs: number;
  /** The child that makes it give up; null unless it does. */
  readonly failed: object | null;
}

/** Facts that the kernel adds to every event for a Boss. */
export interface BossFacts<Row extends ChildRow = ChildRow> {
  /** The child table before this turn, by child id. */
  readonly children: ReadonlyMap<string, Row>;
  /** Whether a child, or an actor below it, has work to do before it ends. */
  readonly lingers: (id: string) => boolean;
  /** Whether the result of an ended child is kept, or why that cannot be read. */
  readonly hasResult: (id: string) => boolean | RefusalCode;
  readonly isRoot: boolean;
  readonly nowMs: number;
  /** A random number in [0, 1). */
  readonly random: number;
}

/** The state from which a restart begins: the last committed one, or the initial one. */
export type RestartMode = 'committed' | 'initial';

/** The start of a child; `input` of a Boss is its spec. */
export interface ChildStart {
  readonly id: string;
  readonly agent: string;
  readonly input: unknown;
  readonly systemId: string | null;
}

/** The code of a refused order; the message has OTP's word for it. */
export type RefusalCode = Extract<
  ErrorCode,
  | 'BOSUN_CHILD_RUNNING'
  | 'BOSUN_CHILD_PRESENT'
  | 'BOSUN_CHILD_RESTARTING'
  | 'BOSUN_CHILD_UNKNOWN'
  | 'BOSUN_CHILD_DYNAMIC'
  | 'BOSUN_CHILDREN_FULL'
  | 'BOSUN_STORE_DAMAGED'
  | 'BOSUN_STORE_UNAVAILABLE'
>;

/** Commands about a child, by name. `record` replaces the child's record in the child table; null deletes it. */
interface ChildCommands<Row extends ChildRow> {
  start: ChildStart & { readonly record: Row };
  /** `isDelayed`: its own backoff has delayed the restart, so that its failed effects need not wait themselves. */
  restart: ChildStart & { readonly mode: RestartMode; readonly isDelayed: boolean; readonly record: Row };
  /** Gives a child that is a Boss the current declaration in the code. */
  declare: { readonly id: string; readonly input: unknown };
  /** Tells the child to end by itself. */
  shutdown: { readonly id: string; readonly record: Row };
  /** Ends the child, and keeps address, mailbox and references for the restart that follows. */
  halt: { readonly id: string };
  /** Leaves the failed child as it is, with its mailbox, until a person resumes it; then it restarts in this mode. */
  suspend: {
    readonly id: string;
    readonly mode: RestartMode;
    readonly failures: number;
    readonly error: unknown;
    readonly record: Row;
  };
  /** Ends the child for good, with everything below it. */
  terminate: { readonly id: string; readonly record: Row | null };
  record: { readonly id: string; readonly record: Row | null };
  /** Delays the answer to the current order until the child has begun. */
  awaitStart: { readonly id: string };
  /** Refuses the current order, and tells its sender. */
  refuse: { readonly id: string; readonly code: RefusalCode };
}

/** A custom action of a Boss that the kernel performs. */
export type ChildCommand<Row extends ChildRow = ChildRow> = {
  [Name in keyof ChildCommands<Row>]: {
    readonly type: `bosun.child.${Name}`;
    readonly params: ChildCommands<Row>[Name];
  };
}[keyof ChildCommands<Row>];
