/** What createSystem and a system's methods take, and the shapes that they give. No behaviour. */
import { type AnyStateMachine, type SnapshotFrom } from 'xstate';
import { type ActorSnapshot } from './actors/world/actor-view.ts';
import { type Agent, type AgentInput, type AnyAgent, type EventSchemas } from './actors/model/agent.ts';
import { type StepEngineName } from './actors/model/step-engine.ts';
import { type Random, type Store } from './actors/model/ports.ts';
import { type Clock } from './clock.ts';
import { type Durability, type JournalOptions } from './persistence/journal.ts';
import { type ScrubOptions } from './persistence/scrubber.ts';
import { type BossOptions, type ChildOptions } from './supervisor/child-spec.ts';
import { type Strategy } from './supervisor/strategies.ts';

export interface SystemOptions<A extends AnyAgent = AnyAgent> {
  /** Every agent that an actor of this system may run. */
  readonly agents: readonly A[];
  /** Asked for an agent that is not in `agents`, by its name. */
  readonly resolveAgent?: (name: string) => AnyAgent | undefined;
  /** `levelStore('./data')` or `memoryStore()`. The system opens and closes it. */
  readonly store: Store;
  /**
   * What an acknowledgement survives: `disk` (the default) a power cut, `process` the death of the process, `memory`
   * nothing. Not on macOS, whose LevelDB lacks the full flush: there `disk` may lose the last writes in a power cut.
   */
  readonly durability?: Durability;
  /**
   * How long to go on while the store cannot be written (a full disk), before the system closes. Meanwhile sends and
   * spawns are refused with BOSUN_STORE_UNAVAILABLE, reads are served, and what was taken before waits. Default: for
   * ever.
   */
  readonly outageMs?: number;
  /** For tests, which fold early. */
  readonly journal?: Pick<JournalOptions, 'fold' | 'storeId'>;
  /**
   * For a store whose journal is damaged: the epoch to go on from, between the two that BOSUN_STORE_DAMAGED names in
   * its details. What came after it is undone, though it may have been acknowledged and its effects may have run; its
   * records are kept aside in the store. Refused with BOSUN_CONFIG_INVALID where the journal is sound.
   */
  readonly recoverTo?: number;
  /**
   * Under which agents that mark something as `secret` are stored encrypted: 32 bytes as base64 or hexadecimal digits.
   * Default: they are stored as they are. Actors whose key is missing at a start are suspended with BOSUN_SECRET_KEY.
   * `bosun serve` and its kin take it from the environment.
   */
  readonly secretKey?: string | undefined;
  /** Keys that were used before, for reading. */
  readonly previousSecretKeys?: readonly string[];
  /** The root Boss and its static children. */
  readonly tree?: BossOptions;
  readonly clock?: Clock;
  readonly random?: Random;
  /**
   * Reading the store in the background to find damage early; false turns it off. Default: 256 records a second, and
   * off for a system on hold or of durability `memory`.
   */
  readonly scrub?: ScrubOptions | false;
  /** Take messages and answer reads, but run nothing: to look at a store, or to leave orders for its next start. */
  readonly hold?: boolean;
  /**
   * How many actors to keep in memory, roughly: with it a start reads only those who have something to do, others wake
   * when somebody asks for them, and those unused for longest leave memory while there are more. Bosses, actors with
   * effects under way, unread messages, observers or a suspension stay, however many they are. Default: all are in
   * memory, always, and a start finds all damage and every actor that the agents cannot read; with it, that is found
   * when the actor wakes. Needs a store with `getSync` (BOSUN_CONFIG_INVALID otherwise). Without effect on hold.
   */
  readonly residentActors?: number | undefined;
  /**
   * For how long a system with more to do gathers turns before it writes their epoch: longer is more throughput,
   * shorter are sooner acknowledgements under load. One with nothing more to do writes at once; where a host waits and
   * none stands behind him, too. Default 4.
   */
  readonly epochMs?: number | undefined;
  /**
   * Believe the wall clock at this start wherever it stands, once it has been looked at: more than a year ahead of the
   * last epoch, which is refused otherwise with BOSUN_CLOCK_SUSPECT, or before it, which sets kernel time back; then
   * every timer keeps what was left of it. Meant for one start, not for good.
   */
  readonly trustWallClock?: boolean;
  /**
   * Whether to find out what kills the process: after a run that did not stop, the first seconds take turns only for
   * what is durable, and note each of them. Default true; without effect for a store without notes (memory).
   */
  readonly caution?: boolean;
  /**
   * For tests and measurements: who takes the steps of machines. Both give the same results; `plan` (the default) is
   * faster, `xstate` calls XState for each.
   */
  readonly stepEngine?: StepEngineName;
  /** Where `log` actions and reports of the runtime go. Default: standard error. */
  readonly log?: (...args: unknown[]) => void;
}

export interface SpawnOptions<A extends AnyAgent = AnyAgent> {
  /** Address of the Boss. Default: the root. */
  readonly under?: string;
  /** Default `transient`: restarted after a failure, removed after its end. */
  readonly restart?: ChildOptions['restart'];
  readonly input?: AgentInput<A>;
  readonly backoff?: ChildOptions['backoff'];
  readonly resume?: 'committed' | 'initial';
}

/** Options of a send that may be repeated: the second of equal or lower sequence in a session is ignored. */
export interface SendOptions {
  readonly session?: { readonly id: string; readonly sequence: number };
}

/** One actor in the supervision tree, as of the last durable epoch. */
export interface TreeNode {
  readonly address: string;
  readonly agent: string;
  readonly status: ActorSnapshot['status'];
  /** State value of a machine; null for other logic. */
  readonly state: unknown;
  /** Unread messages, at this moment. */
  readonly mailbox: number;
  /**
   * Milliseconds of kernel time for which the oldest of them has waited: since the first epoch that was written while
   * it was unread, or since its timer came due. Null where none has waited through an epoch.
   */
  readonly oldestMessageMs: number | null;
  /** Restarts by its Boss since it was started; null for the root and for children of machines. */
  readonly restarts: number | null;
  /** Of a suspended one, what it is suspended for. */
  readonly lastError: unknown;
  /** Milliseconds of kernel time until its Boss starts it again; null where it does not wait for that. */
  readonly restartInMs: number | null;
  /** Of a Boss: its strategy, and how many of the restarts that it allows it has used up; null for others. */
  readonly boss: {
    readonly strategy: Strategy;
    readonly intensity: number;
    readonly periodMs: number;
    readonly restartsInPeriod: number;
  } | null;
  /**
   * Of a Boss: there are children on disk that are not shown, because there is no room for all of them in memory
   * (`residentActors`). Absent otherwise.
   */
  readonly isPartial?: true;
  readonly children: readonly TreeNode[];
}

type MachineOf<A> = A extends Agent<infer Machine, EventSchemas> ? Machine : AnyStateMachine;

/** A snapshot whose context is typed by the agent's machine. */
export type SnapshotOf<A extends AnyAgent> = ActorSnapshot & {
  readonly context: SnapshotFrom<MachineOf<A>>['context'];
};
