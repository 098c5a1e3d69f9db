/** An agent of a plan as a function: its input, its context, and the messages that it may send to the crew. */
import { type CrewAnswer, type CrewRequests } from './crew-requests.ts';
import { type MessagePriority, type TalkMessage } from './talk-messages.ts';

/** A debate that concerns an item, because the item builds on the disputed value (CA-124, CA-134). */
export interface ItemDebate {
  readonly debate: string;
  readonly topic: string;
  /** `deferred`: there is no value yet. `provisional`: it may still be overridden. */
  readonly state: 'deferred' | 'provisional' | 'decided';
  /** The position that work continues with; null if there is none yet, or if neither side was right. */
  readonly statement: string | null;
  readonly value: number | string | null;
  /** The mark of the value, such as `provisional - conservative default` or `final`. */
  readonly mark: string;
  /** Confidence of the decision, from 0 to 1; null until somebody has decided. */
  readonly confidence: number | null;
  /** Ids of this item's tasks that depend on the value. */
  readonly flagged: readonly string[];
  /** Material for the people who confirm or override a provisional value (CA-132); null for any other value. */
  readonly review: DebateReview | null;
}

export interface DebateReview {
  /** Both positions: which of them is in force, and how credible each side is; a null score is not known. */
  readonly positions: readonly {
    readonly side: 'challenger' | 'challenged';
    readonly position: { readonly statement: string; readonly value: number | string | null };
    readonly isApplied: boolean;
    readonly score: number | null;
  }[];
  readonly rationale: string;
  readonly dependents: readonly string[];
}

/** Debates about values that an item builds on, by debate, and how far each is settled (CA-124). */
export type Decisions = Readonly<Record<string, ItemDebate>>;

/**
 * A message from an agent to the rest of the crew. A `challenge` opens a debate; its content is a challenge in the form
 * that the Debate Facilitator takes.
 */
export interface Said {
  readonly kind: 'finding' | 'request' | 'challenge' | 'confirmation' | 'alert';
  readonly content: unknown;
  /** The system id of the receiver. Default: the agent responsible for messages of this kind. */
  readonly to?: string | null;
  /** The urgency of the message. Default `normal`. A finding that is `critical` reaches people. */
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
  /** The id of the work, the same for every attempt: use it as an idempotency key towards the outside world. */
  readonly effectId: string;
  /** The number of this start, from 1; failures and restarts of the process each add one. */
  readonly attempt: number;
  /** Stores a value for later attempts. Resolves when it is durable. */
  readonly checkpoint: (value: unknown) => Promise<void>;
  /** The value that an earlier attempt stored last; undefined if there is none. */
  readonly checkpointed: unknown;
  /**
   * Runs `work` as a named part of the task, unless an earlier attempt has completed that part, and returns its result.
   * Resolves when the result is durable. A completed part stays completed through failures, pauses and restarts. The
   * result must be data.
   */
  readonly subtask: <Result>(name: string, work: () => Result | PromiseLike<Result>) => Promise<Result>;
  readonly item: string;
  /**
   * Sends a message to the rest of the crew, in the name of the agent type and about the item. Resolves with the crew's
   * answer. A message that a later attempt repeats is sent twice, but a debate with the same id is opened only once.
   */
  readonly say: (said: Said) => Promise<CrewAnswer>;
  /** Requests to the crew. */
  readonly crew: CrewRequests;
  /** Debates about values that the item builds on, by debate, provisional ones included. */
  readonly decisions: Decisions;
  /** Outputs of earlier stages of the item by stage; in a plan of tasks, outputs of the dependencies by id. */
  readonly results: Readonly<Record<string, unknown>>;
}

/**
 * An agent as a function. Its result is stored and handed to later stages, so it must be data. An error that it throws
 * may classify itself by the properties `errorType` and `dataSource` (StatedFailure in failure-tiers.ts).
 */
export type AgentFunction = (input: unknown, context: WorkContext) => Promise<unknown>;
