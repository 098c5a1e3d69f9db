/**
 * Properties of a simulated system, and the view of it that a property gets. Pure: judge.ts decides when each is
 * asked.
 */
import { type DeadLetter } from '../../actors/world/mailbox/dead-letter.ts';
import { type ActorSnapshot } from '../../actors/world/actor-view.ts';
import { type Wait } from '../../actors/api/waits.ts';
import { type ClientSend } from './plan.ts';

/** An event that a client sent, with its outcome. */
export interface SentByClient extends ClientSend {
  /** The reply to an ask. */
  readonly reply?: unknown;
  /** The error code, if the event was refused. */
  readonly refusal?: string;
}

/** A view of the system as of its last durable epoch, for properties. */
export interface View<World> {
  /** The model of the outside world, which survives crashes of the system. */
  readonly world: World;
  /** Milliseconds since the beginning of the run. */
  readonly nowMs: number;
  /** The snapshot of the actor at an address; undefined if there is none. */
  snapshot(address: string): ActorSnapshot | undefined;
  /** Living actors of an agent, in order of birth. Without an agent: all actors except Bosses. */
  actors(agent?: string): readonly ActorSnapshot[];
  /** Acknowledged sends, in the order of their acknowledgements. */
  readonly acked: readonly SentByClient[];
  /** Refused sends, which have had no effect. */
  readonly refused: readonly SentByClient[];
  /** Sends with an unknown outcome: still unanswered, or asks whose reply did not come in time. */
  readonly open: readonly ClientSend[];
  deadLetters(): readonly DeadLetter[];
  waiting(): readonly Wait[];
}

/** The verdict of a property: false, a text that describes the fault, or an exception mean that it does not hold. */
export type Verdict = boolean | string | undefined | void;

/** A property of a run, made by `always`, `finally_`, `leadsTo` or `sometimes`. */
export type Property<World = unknown> =
  | {
      readonly kind: 'always' | 'finally';
      readonly name: string;
      readonly holds: (view: View<World>) => Verdict;
    }
  | {
      readonly kind: 'leadsTo';
      readonly name: string;
      readonly when: (view: View<World>) => Iterable<string>;
      readonly then: (view: View<World>, key: string) => boolean;
      readonly withinMs: number;
    }
  | { readonly kind: 'sometimes'; readonly name: string; readonly holds: (view: View<World>) => boolean };

/** A property that must hold whenever a write has become durable. */
export function always<World>(name: string, holds: (view: View<World>) => Verdict): Property<World> {
  return { kind: 'always', name, holds };
}

/** A property that must hold at the end, when faults are over and time has passed. */
export function finally_<World>(name: string, holds: (view: View<World>) => Verdict): Property<World> {
  return { kind: 'finally', name, holds };
}

/**
 * A property: each key that `when` returns is later returned by `then`, within a time without faults. A fault
 * restarts the wait.
 */
export function leadsTo<World>(
  name: string,
  {
    when,
    then,
    withinMs,
  }: {
    readonly when: (view: View<World>) => Iterable<string>;
    readonly then: (view: View<World>, key: string) => boolean;
    readonly withinMs: number;
  },
): Property<World> {
  return { kind: 'leadsTo', name, when, then, withinMs };
}

/** A property that must hold at least once in a campaign. A case that never occurs was not tested. */
export function sometimes<World>(name: string, holds: (view: View<World>) => boolean): Property<World> {
  return { kind: 'sometimes', name, holds };
}

/** A model of the state that clients may expect, from their acknowledged sends. */
export interface Model<World, State = unknown> {
  init(): State;
  /** Returns the state after one more acknowledged send. Must not change the given state. */
  apply(state: State, sent: SentByClient): State;
  /**
   * Checks the view against the state when the system is idle. A send with an unknown outcome may or may not have been
   * applied: one combination must hold.
   */
  check(state: State, view: View<World>): Verdict;
}

/** A property that does not hold, and when. */
export interface Violation {
  readonly property: string;
  readonly detail: string;
  readonly atMs: number;
  /** Index of the step after which the violation was seen. The number of steps stands for the end. */
  readonly step: number;
}

/** Names of the properties that hold for every system under Bosun. */
export const BUILT_IN_PROPERTIES = [
  'no acknowledged event is forgotten',
  'no timer comes up early or twice',
  'nobody waits without a limit',
  'no dead letter goes unmentioned',
  'a restart goes on from what was shown',
  'restarts stay within their intensity',
  'the system does not close by itself',
  'the system comes to rest',
  'a seed does the same twice',
] as const;

/** The name of a property that holds for every system under Bosun. */
export type BuiltInProperty = (typeof BUILT_IN_PROPERTIES)[number];
