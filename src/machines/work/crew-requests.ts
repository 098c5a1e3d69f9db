/**
 * Requests of an agent function to the crew while it works: a pause of its item, a decision by people, an answer of a
 * person, places for its agent type, and its part in debates about its own findings or those of others. Types only.
 */

/** The crew's answer: whether it took the message or request, and the reason if it did not, or only in part. */
export interface CrewAnswer {
  readonly taken: boolean;
  readonly problems: readonly string[];
}

/** A question to people about the item. No further task of the item starts until they have decided. */
export interface GateRequest {
  /**
   * The gate's name within the item: 1 to 40 letters, digits or `-`. A gate that has been passed is not asked again.
   */
  readonly gate: string;
  readonly title: string;
  /** Names of the people whose answer counts. Default: anybody's. */
  readonly audience?: readonly string[];
  /** Milliseconds after the opening. Default: no reminders. */
  readonly remindAfterMs?: readonly number[];
  /** The item pauses if nobody has answered by then. Default: it waits for ever. */
  readonly deadlineMs?: number | null;
  /** Material for the decision, in addition to what the crew knows of the item. Data. */
  readonly materials?: unknown;
}

/** A question to a person, which becomes a ticket. */
export interface PersonQuestion {
  /**
   * The question's own name within the task: 1 to 60 letters, digits or `-_.`. A later attempt that asks under the same
   * name finds the same ticket.
   */
  readonly name: string;
  /** At most 200 characters. */
  readonly title: string;
  /** At most 800 characters. */
  readonly description?: string;
  /** The possible answers, at most 10; people get buttons. */
  readonly options?: readonly string[];
  /** Passages that bear on the question, at most 10 of at most 500 characters. */
  readonly evidence?: readonly { readonly source: string; readonly excerpt: string; readonly isDeclared?: boolean }[];
  /** 1 is the most urgent. Default: 2. */
  readonly priority?: 1 | 2 | 3;
  /** The person who should answer. Default: nobody in particular. */
  readonly assignee?: string;
  /** Names of the people whose answer counts. Default: anybody's. */
  readonly audience?: readonly string[];
}

/** The answer of a person. */
export interface PersonAnswer {
  readonly ticket: string;
  readonly text: string;
  /** The chosen option; null if none was chosen. */
  readonly option: string | null;
  readonly by: string;
}

export interface EvidenceGiven {
  /** The kind of evidence, as named in a challenge's requirements: `filing`, `calculation`. */
  readonly kind: string;
  readonly source: string;
  /** The weight of the evidence, from 0 to 1. */
  readonly strength: number;
}

export interface PositionGiven {
  readonly statement: string;
  /** The value, in the unit of its kind. */
  readonly value?: number | string | null;
  /** The damage if the position were wrong, in a unit that both sides use: higher is worse. */
  readonly worstCase?: number | null;
  readonly isReversible?: boolean | null;
  readonly isVerified?: boolean | null;
}

/** A dependent of the disputed value: a task of the plan by id or by stage. */
export interface DependentGiven {
  readonly id: string;
  /** The measure that the task produces. Its declared threshold says how much may change before the task runs again. */
  readonly measure: string;
  readonly current: number | null;
  readonly response: 'proportional' | 'unknown' | { readonly perUnit: number };
  readonly runMs: number;
  readonly after?: readonly string[];
  readonly confidence?: number | null;
}

/** A challenge to a finding of another agent. The challenger and the item are those of the agent that sends it. */
export interface ChallengeGiven {
  /** The id of the debate: 1 to 64 letters, digits or `-_.:@+~`. */
  readonly id: string;
  readonly topic: string;
  readonly challenged: { readonly agent: string; readonly agentType?: string };
  readonly disputedFinding: string;
  /** The evidence: at least one piece. */
  readonly basis: { readonly statement: string; readonly evidence: readonly EvidenceGiven[] };
  /** The requirements on an answer, in words. */
  readonly requiredResponse?: string;
  /** Kinds of evidence; an answer has to bring at least one of them. */
  readonly requiredEvidence?: readonly string[];
  readonly strengthMin?: number;
  readonly escalationMs?: number;
  /** `critical-path`, `ordinary`, `supporting`, or a name that the plan declares. */
  readonly priority: string;
  /** The kind of value, which determines the conservative choice. */
  readonly valueKind?: string;
  readonly positions: { readonly challenger: PositionGiven; readonly challenged: PositionGiven };
  readonly context?: Readonly<Record<string, string>>;
  readonly expert?: string | null;
  readonly dependents?: readonly DependentGiven[];
}

/** A contribution of one side to a debate. */
export interface ResponseGiven {
  readonly statement: string;
  readonly evidence?: readonly EvidenceGiven[];
  /** The side's new position, if it changes. */
  readonly position?: PositionGiven;
  /** Points that the side concedes. */
  readonly granted?: readonly string[];
}

/** An open debate, as one of its sides sees it. */
export interface OpenDebate {
  readonly debate: string;
  readonly topic: string;
  readonly item: string | null;
  /** The agent's own side. */
  readonly side: 'challenger' | 'challenged';
  /** The agent on the other side. */
  readonly other: string;
  /** `L1` while the agents settle the debate among themselves; later levels belong to the facilitator and to people. */
  readonly level: string;
  readonly disputedFinding: string;
  readonly basis: { readonly statement: string; readonly evidence: readonly EvidenceGiven[] };
  readonly requiredResponse: string;
  readonly requiredEvidence: readonly string[];
  readonly openedAtMs: number;
}

/**
 * Requests of a running task. Each resolves with the crew's answer; a malformed request is refused in that answer.
 * Rejects with BOSUN_TIMEOUT if the crew does not answer within a minute.
 */
export interface CrewRequests {
  /** Pauses the item once its running tasks have ended, this one included. It continues when people resume it. */
  readonly pause: (reason: string) => Promise<CrewAnswer>;
  /**
   * Opens a gate about the item. The task continues meanwhile. `isValidated`: people have approved already and are not
   * asked again.
   */
  readonly gate: (request: GateRequest) => Promise<CrewAnswer & { readonly isValidated?: boolean }>;
  /** Opens a ticket about the item, and goes on. */
  readonly openTicket: (question: PersonQuestion) => Promise<CrewAnswer & { readonly ticket: string | null }>;
  /**
   * Opens a ticket about the item and waits for the answer, over restarts of the process, for weeks if need be. The
   * time does not count for `timeoutMs`. Rejects with BOSUN_ORDER_REFUSED for a question that cannot become a ticket,
   * and with BOSUN_TICKET_REJECTED (`details`: `ticket`, `by`, `reason`) if people reject it, which pauses the item.
   */
  readonly askPerson: (question: PersonQuestion) => Promise<PersonAnswer>;
  /**
   * Sets how many tasks of an agent type may run at once from now on; null restores the plan's number. Default: the
   * agent's own type.
   */
  readonly capacity: (places: number | null, agentType?: string) => Promise<CrewAnswer>;
  /** Opens a debate about a finding of another agent. */
  readonly challenge: (challenge: ChallengeGiven) => Promise<CrewAnswer>;
  /** Returns the open debates about the item in which the agent type is a side, the oldest first. */
  readonly debates: () => Promise<readonly OpenDebate[]>;
  /** Acknowledges a challenge; the other side then waits for an answer as long as the challenge allows. */
  readonly acknowledge: (debate: string) => Promise<CrewAnswer>;
  /** Contributes to a debate. `problems` say why the contribution does not count as a defence by evidence. */
  readonly respond: (debate: string, response: ResponseGiven) => Promise<CrewAnswer>;
  /** Accepts the other side's position, which ends the debate. */
  readonly accept: (debate: string) => Promise<CrewAnswer>;
}
