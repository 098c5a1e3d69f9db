/** What a trace says of one turn: the shapes that hosts get. How they come about is in tracing.ts. */
import { type EventObject } from 'xstate';
import { type TakenTransition } from './step-engine.ts';
import { type ActorStatus, type StateChange } from './state.ts';

/** One turn, or the end of an actor. */
export interface TraceRecord {
  /** Rises with every turn of the run, in the order in which turns end. Kept ones count anew for each actor. */
  readonly number: number;
  /**
   * `spawn`, `restarted`: its first turn, of a life or after a restart from initial. `failed`: the turn, or what it
   * meant, threw. `stopped`: it was removed.
   */
  readonly kind: TraceKind;
  readonly epoch: number;
  /** Kernel time at which it began. */
  readonly atMs: number;
  readonly address: string;
  /** Its name; of a child of a machine, the name by which that has it. */
  readonly agent: string;
  readonly life: number;
  /** Changes of the actor's state so far, this turn's included. */
  readonly sequence: number;
  /** What the turn took; null for a first turn and an end. */
  readonly event: EventObject | null;
  /**
   * Who sent that: `sequence` is that of the turn that did, null where that is more than 10,000 turns ago or was before
   * the start. Null for a host.
   */
  readonly cause: TraceCause | null;
  /** Of machines: the transitions taken together, in order. The last ones led to `value`. */
  readonly microsteps: readonly (readonly TakenTransition[])[];
  /** Custom, durable and emitting actions and logs, by their names. */
  readonly actions: readonly string[];
  readonly sent: readonly TracedSend[];
  /** Addresses of children born in it. */
  readonly born: readonly string[];
  /**
   * What of the state changed, as it is stored; null where the turn failed, for effects, and where contents were not
   * recorded.
   */
  readonly change: StateChange | null;
  /** State value of a machine after the turn; null for other logic. */
  readonly value: unknown;
  readonly status: ActorStatus;
  /** Of a failed one. */
  readonly error: unknown;
  /** Wall time that the turn took. */
  readonly durationMs: number;
}

export type TraceKind = 'spawn' | 'restarted' | 'transition' | 'failed' | 'stopped';

export interface TraceCause {
  readonly address: string | null;
  readonly life: number;
  readonly sequence: number | null;
}

export interface TracedSend {
  /** Address, or the empty text where the receiver was never born. */
  readonly to: string;
  readonly event: EventObject;
  /** Of a delayed one: for how long, and the id by which it is cancelled. */
  readonly delayMs: number | null;
  readonly id: string | null;
}

/** A turn of an agent that keeps them, with the whole of what the actor knew after it. */
export interface KeptTurn extends TraceRecord {
  /** A table of it stands as `{ size }`: its rows that changed are in `change.rows`. */
  readonly context: unknown;
}

/** In the place of records that were dropped because the reader was behind. */
export interface TraceLoss {
  readonly kind: 'lost';
  readonly count: number;
}

/** What is published on the channel `bosun:turn` of `node:diagnostics_channel`. */
export interface PublishedTurn {
  /** The name of the system's store: a directory, or `memory`. */
  readonly store: string;
  readonly record: TraceRecord;
}
