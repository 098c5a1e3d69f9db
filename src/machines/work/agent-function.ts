/** An agent of a plan as a function: what its author writes, what it is given, and what it may say to the crew. */
import { type MessagePriority, type TalkMessage } from './talk-messages.ts';

/** What a debate means for an item that builds on what it is about (CA-124, CA-134). */
export interface ItemDebate {
  readonly debate: string;
  readonly topic: string;
  /** `deferred`: there is no value yet. `provisional`: it may still be overridden. */
  readonly state: 'deferred' | 'provisional' | 'decided';
  /** The position that is gone on with; null while there is none, and where neither side was right. */
  readonly statement: string | null;
  readonly value: number | string | null;
  /** `provisional - conservative default`, `final`, ... */
  readonly mark: string;
  /** Of who decided, from 0 to 1; null until somebody has. */
  readonly confidence: number | null;
  /** Tasks that rest on it, by id, as far as they are tasks of this item. */
  readonly flagged: readonly string[];
}

/** By debate: what was decided of what an item builds on, and how far that is settled (CA-124). */
export type Decisions = Readonly<Record<string, ItemDebate>>;

/**
 * What an agent says to the rest of the crew. A `challenge` opens a debate; its content is a challenge as the Debate
 * Facilitator takes it.
 */
export interface Said {
  readonly kind: 'finding' | 'request' | 'challenge' | 'confirmation' | 'alert';
  readonly content: unknown;
  /** The system id of who is meant. Default: whoever such messages go to. */
  readonly to?: string | null;
  /** Default `normal`. A finding that is `critical` reaches people. */
  readonly priority?: MessagePriority;
  readonly requiresResponse?: boolean;
}

export function talkMessageOf(
  { kind, content, to = null, priority = 'normal', requiresResponse = false }: Said,
  { from, item }: { readonly from: string; readonly item: string },
): TalkMessage<`talk.${Said['kind']}`> {
  return { type: `talk.${kind}`, from, to, item, content, priority, requiresResponse };
}

/** The second argument of an agent function. */
export interface WorkContext {
  /** Aborted when the plan stops or the attempt takes longer than `timeoutMs`. */
  readonly signal: AbortSignal;
  /** The same for every attempt: use it as idempotency key towards the outside. */
  readonly effectId: string;
  /** 1 for the first start, one more for each later one, after a failure or a restart of the process. */
  readonly attempt: number;
  /** Stores a value for later attempts. Resolves when it is durable. */
  readonly checkpoint: (value: unknown) => Promise<void>;
  /** What an earlier attempt stored last; undefined when none did. */
  readonly checkpointed: unknown;
  /**
   * A part of the work, by name: runs `work` unless an attempt has completed it before, and gives its result. Resolves
   * when that is durable. What was completed stays so over failures, pauses and restarts. The result must be data.
   */
  readonly subtask: <Result>(name: string, work: () => Result | PromiseLike<Result>) => Promise<Result>;
  readonly item: string;
  /**
   * Says something to the rest of the crew, in the name of the agent type and about the item. Resolves when that is
   * durable. Said again by a later attempt it is said twice; a debate of the same id is opened once.
   */
  readonly say: (said: Said) => Promise<void>;
  /** What debates have decided of what the item builds on, by debate: values that hold for now among them. */
  readonly decisions: Decisions;
  /** Outputs of earlier stages of the item, by stage; in a plan of tasks, of the tasks waited for, by id. */
  readonly results: Readonly<Record<string, unknown>>;
}

/**
 * An agent as a function: its result is stored and handed to later stages, so it must be data. An error that it throws
 * may say what it is by properties of its own, `errorType` and `dataSource` (StatedFailure in failure-tiers.ts).
 */
export type AgentFunction = (input: unknown, context: WorkContext) => Promise<unknown>;
