/** The shapes in which hosts get the trace of a turn. tracing.ts creates them. */
import { type EventObject } from 'xstate';
import { type TakenTransition } from './step-engine.ts';
import { type ActorStatus, type StateChange } from './state.ts';

/** One turn, or the end of an actor. */
export interface TraceRecord {
  /** The number of the turn, rising in the order in which the turns of a run end. Kept turns are numbered per actor. */
  readonly number: number;
  /**
   * `spawn`: the first turn of a life. `restarted`: the first turn after a restart from the initial state. `failed`:
   * the turn, or one of its effects, threw. `stopped`: the actor was removed.
   */
  readonly kind: TraceKind;
  readonly epoch: number;
  /** Kernel time at which the turn began. */
  readonly atMs: number;
  readonly address: string;
  /** The name of the agent; for a child of a machine, its name within that machine. */
  readonly agent: string;
  readonly life: number;
  /** Number of changes of the actor's state so far, including this turn's. */
  readonly sequence: number;
  /** The event that the turn took; null for a first turn and an end. */
  readonly event: EventObject | null;
  /**
   * The sender of that event. `sequence` is the number of the sending turn, null if that is more than 10,000 turns
   * ago or was before the start. Null for a host.
   */
  readonly cause: TraceCause | null;
  /** Machines: the transitions of each microstep, in order. The last ones led to `value`. */
  readonly microsteps: readonly (readonly TakenTransition[])[];
  /** Names of the custom, durable and emitting actions and of the logs. */
  readonly actions: readonly string[];
  readonly sent: readonly TracedSend[];
  /** Addresses of the children born in the turn. */
  readonly born: readonly string[];
  /**
   * The change of the state, in its stored form; null if the turn failed, for effects, and where contents were not
   * recorded.
   */
  readonly change: StateChange | null;
  /** The state value of a machine after the turn; null for other logic. */
  readonly value: unknown;
  readonly status: ActorStatus;
  /** The error of a failed turn. */
  readonly error: unknown;
  /** Wall time of the turn. */
  readonly durationMs: number;
}

/** The kind of a turn: a birth, a restart, a transition, a failure or an end. */
export type TraceKind = 'spawn' | 'restarted' | 'transition' | 'failed' | 'stopped';

/** The sender of the message that a turn took, and the number of the sending turn. All null for a sender outside. */
export interface TraceCause {
  readonly address: string | null;
  readonly life: number;
  readonly sequence: number | null;
}

/** A message that a turn sent. */
export interface TracedSend {
  /** The receiver's address, or the empty text where it was never born. */
  readonly to: string;
  readonly event: EventObject;
  /** The delay of a delayed message, and the id with which it is cancelled. */
  readonly delayMs: number | null;
  readonly id: string | null;
}

/** A kept turn, with the whole context after it. */
export interface KeptTurn extends TraceRecord {
  /** The context after the turn. A table stands as `{ size }`: its changed rows are in `change.rows`. */
  readonly context: unknown;
}

/** Stands in place of records that were dropped because the reader was too slow. */
export interface TraceLoss {
  readonly kind: 'lost';
  readonly count: number;
}

/** The message published on the channel `bosun:turn` of `node:diagnostics_channel`. */
export interface PublishedTurn {
  /** The name of the system's store: a directory, or `memory`. */
  readonly store: string;
  readonly record: TraceRecord;
}
