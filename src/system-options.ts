/** The options of createSystem and the parameters and results of a system's methods. Types only. */
import { type EventObject } from 'xstate';
import { type AnyStateMachine, type SnapshotFrom } from 'xstate';
import { type ActorSnapshot } from './actors/world/actor-view.ts';
import { type Agent, type AgentInput, type AnyAgent, type EventSchemas } from './actors/model/agent.ts';
import { type StepEngineName } from './actors/model/step-engine.ts';
import { type Random, type Store, type TurnOrder } from './actors/model/ports.ts';
import { type Clock } from './clock.ts';
import { type BosunError } from './errors.ts';
import { type Durability, type JournalOptions } from './persistence/journal/journal.ts';
import { type ScrubOptions } from './persistence/upkeep/scrubber.ts';
import { type BossOptions, type ChildOptions, type NamedAgent } from './supervisor/child-spec.ts';
import { type Strategy } from './supervisor/strategies.ts';

/**
 * The options of `createSystem`.
 *
 * @typeParam Asked The agents that `resolveAgent` returns.
 * @typeParam Named The names in the tree; `string` where the compiler has not followed them.
 */
export interface SystemOptions<
  A extends AnyAgent = AnyAgent,
  Asked extends AnyAgent = AnyAgent,
  Named extends string = string,
> {
  /** Every agent that an actor of this system may run. */
  readonly agents: readonly A[];
  /** Returns an agent that is not in `agents`, for its name. */
  readonly resolveAgent?: (name: string) => Asked | undefined;
  /** `levelStore('./data')` or `memoryStore()`. The system opens and closes the store. */
  readonly store: Store;
  /**
   * The failure that an acknowledgement survives: `disk` (the default) a power cut, `process` the death of the process,
   * `memory` none. On macOS LevelDB lacks the full flush, so `disk` may lose the last writes in a power cut there.
   */
  readonly durability?: Durability;
  /**
   * Milliseconds for which the system continues while the store cannot be written (a full disk), before it closes.
   * Meanwhile sends and spawns are refused with BOSUN_STORE_UNAVAILABLE, reads are served, and earlier events wait.
   * Default: no limit.
   */
  readonly outageMs?: number;
  /** Journal options for tests that fold early. */
  readonly journal?: Pick<JournalOptions, 'fold' | 'storeId'>;
  /**
   * The epoch from which to continue with a damaged journal, between the two that BOSUN_STORE_DAMAGED names in its
   * details. Later epochs are undone, though they may have been acknowledged and their effects may have run; their
   * records are kept aside in the store. Refused with BOSUN_CONFIG_INVALID if the journal is sound.
   */
  readonly recoverTo?: number;
  /**
   * The key that encrypts agents that mark something as `secret`: 32 bytes as base64 or hexadecimal digits. Default:
   * they are stored in plain text. Actors whose key is missing at a start are suspended with BOSUN_SECRET_KEY. `bosun
   * serve` and the other verbs read it from the environment.
   */
  readonly secretKey?: string | undefined;
  /** Earlier keys, used for reading only. */
  readonly previousSecretKeys?: readonly string[];
  /** The root Boss and its static children. */
  readonly tree?: BossOptions<{ readonly agent: Named; readonly input?: unknown }> &
    BossOptions<string extends Named ? NamedAgent : NamedIn<A | Asked>>;
  readonly clock?: Clock;
  readonly random?: Random;
  /**
   * Options of the scrubber, which reads the store in the background to find damage early; false turns it off. Default:
   * 256 records a second, and off for a system on hold or with durability `memory`.
   */
  readonly scrub?: ScrubOptions | false;
  /**
   * Accepts messages and answers reads, but runs nothing: to inspect a store, or to leave orders for its next start.
   */
  readonly hold?: boolean;
  /**
   * The approximate number of actors to keep in memory. If set, a start reads only actors that have something to do,
   * others wake when they are needed, and the least recently used are evicted beyond that number. Bosses, and actors
   * with running effects, unread messages, observers or a suspension, stay in any case. Default: all actors are always
   * in memory, and a start finds all damage and every actor that the agents cannot read; with this option, that is
   * found when the actor wakes. Needs a store with `getSync` (BOSUN_CONFIG_INVALID otherwise). Ignored on hold.
   */
  readonly residentActors?: number | undefined;
  /**
   * Milliseconds for which a busy system gathers turns before it writes an epoch for which a caller waits; five times
   * as long if none waits. A higher value means more throughput, a lower one earlier acknowledgements under load. A
   * system with nothing left to do writes at once, also if a host waits and no other event is queued. Default 4.
   */
  readonly epochMs?: number | undefined;
  /**
   * Accepts the wall clock at this start whatever it says: more than a year ahead of the last epoch, which is otherwise
   * refused with BOSUN_CLOCK_SUSPECT, or before it, which sets kernel time back; every timer then keeps its remaining
   * time. Meant for one start, after the clock has been checked.
   */
  readonly trustWallClock?: boolean;
  /**
   * Whether to find the message that kills the process: after a run that did not stop properly, the first seconds take
   * turns only for durable messages, and note each of them. Default true; ignored for a store without notes (memory).
   */
  readonly caution?: boolean;
  /**
   * The engine that takes the steps of machines, for tests and measurements. Both give the same results; `plan` (the
   * default) is faster, `xstate` calls XState for each step.
   */
  readonly stepEngine?: StepEngineName;
  /** The order of turns, for tests. Default: the actor that has waited longest is next. */
  readonly turnOrder?: TurnOrder;
  /** Receives `log` actions and reports of the runtime. Default: standard error. */
  readonly log?: (...args: unknown[]) => void;
}

/** A choice of agents by name, each with the input that its machine takes. */
export type NamedIn<A extends AnyAgent> = A extends unknown ? { readonly agent: A['name'] } & InputOf<A> : never;

/** The input, required where the machine's types require it. */
type InputOf<A extends AnyAgent> =
  undefined extends AgentInput<A> ? { readonly input?: AgentInput<A> | undefined } : { readonly input: AgentInput<A> };

/** The last arguments of `spawn`: the options are optional where the machine needs no input. */
export type SpawnArguments<A extends AnyAgent> =
  undefined extends AgentInput<A> ? [options?: SpawnOptions<A>] : [options: SpawnOptions<A> & InputOf<A>];

/** The place and options of an actor that `system.spawn` starts if it does not exist. */
export interface SpawnOptions<A extends AnyAgent = AnyAgent> {
  /** Address of the Boss under which to start it. Default: the root. */
  readonly under?: string;
  /** When the actor is restarted. Default `transient`: restarted after a failure, removed after its end. */
  readonly restart?: ChildOptions['restart'];
  readonly input?: AgentInput<A>;
  readonly backoff?: ChildOptions['backoff'];
  readonly resume?: 'committed' | 'initial';
  /**
   * Whether to begin anew where the actor has ended and its result is kept. Default: the result is returned, as the
   * handle of an ended actor, and nothing is done again.
   */
  readonly again?: boolean;
}

/**
 * Options of a send that may be repeated: a send whose sequence in the session is not higher than an earlier one is
 * ignored.
 */
export interface SendOptions {
  readonly session?: { readonly id: string; readonly sequence: number };
}

/** One of several events that are sent together. */
export interface SendRequest<Event extends EventObject = EventObject> extends SendOptions {
  /** The address of the receiver. */
  readonly to: string;
  readonly event: Event;
}

/** The state of a system's kernels and stores. */
export interface SystemHealth {
  /** The number of the last epoch begun; over workers the highest. */
  readonly epoch: number;
  /** The number of actors in memory: all of them, unless `residentActors` is set. */
  readonly residents: number;
  /** The size of the stores in bytes; null for stores in memory. */
  readonly storeBytes: number | null;
  /** The reason why sends are refused while a store cannot be written; undefined when there is no outage. */
  readonly outage: BosunError | undefined;
}

/** One actor in the supervision tree, as of the last durable epoch. */
export interface TreeNode {
  readonly address: string;
  readonly agent: string;
  readonly status: ActorSnapshot['status'];
  /** State value of a machine; null for other logic. */
  readonly state: unknown;
  /** Number of unread messages, now. */
  readonly mailbox: number;
  /**
   * Milliseconds of kernel time for which the oldest unread message has waited: since the first epoch that was written
   * while it was unread, or since its timer came due. Null if none has waited through an epoch.
   */
  readonly oldestMessageMs: number | null;
  /** Restarts by its Boss since it was started; null for the root and for children of machines. */
  readonly restarts: number | null;
  /** The error for which the actor is suspended; undefined if it is not. */
  readonly lastError: unknown;
  /** Milliseconds of kernel time until its Boss restarts it; null if it does not wait for that. */
  readonly restartInMs: number | null;
  /** The strategy of a Boss, and the number of its allowed restarts that are used up; null for other actors. */
  readonly boss: {
    readonly strategy: Strategy;
    readonly intensity: number;
    readonly periodMs: number;
    readonly restartsInPeriod: number;
  } | null;
  /**
   * Whether a Boss has children on disk that are not shown, because they do not all fit into memory (`residentActors`).
   */
  readonly isPartial?: true;
  readonly children: readonly TreeNode[];
}

/** One actor in a list. */
export interface ListedRow extends Pick<TreeNode, 'address' | 'agent' | 'status' | 'state' | 'mailbox' | 'restarts'> {
  /**
   * Kernel time of its first start; null for the root, for children of machines, and where an earlier build started it.
   */
  readonly startedAtMs: number | null;
}

type MachineOf<A> = A extends Agent<infer Machine, EventSchemas> ? Machine : AnyStateMachine;

/** A snapshot whose context and state value are typed by the agent's machine. */
export type SnapshotOf<A extends AnyAgent> = ActorSnapshot & {
  readonly context: SnapshotFrom<MachineOf<A>>['context'];
  /** `matchesState('parent.child', value)` of XState looks into a nested one. */
  readonly value: SnapshotFrom<MachineOf<A>>['value'];
};
