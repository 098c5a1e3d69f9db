/**
 * The table of error codes. Codes are API and never change their meaning; messages are for people and may change. A new
 * code gets a row here, a throw, a test, and a row in docs/errors.md (a test compares the two).
 */

interface ErrorRow {
  /** The meaning and the way out, for people. */
  readonly means: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
}

/** All codes, with their meaning and whether the same call may succeed later. */
export const ERROR_CODES = {
  BOSUN_ACTOR_CHANGED: {
    means:
      'The actor is not at the sequence that the call names; `details.sequence` is the current one. Read the ' +
      'actor again.',
    retryable: false,
  },
  BOSUN_ACTOR_FAILING: { means: 'The actor failed too often. Mend the cause, then resume it.', retryable: false },
  BOSUN_ACTOR_SUSPENDED: {
    means: 'An administrator suspended the actor. The message says who and why. Resume the actor first.',
    retryable: true,
  },
  BOSUN_ACTOR_UNKNOWN: {
    means: 'No actor lives at this address. Spawn it first, or check the spelling.',
    retryable: false,
  },
  BOSUN_ADDRESS_INVALID: {
    means:
      'An address is one to 16 segments of letters, digits and -_.:@+~ joined by "/"; "." and ".." are not segments.',
    retryable: false,
  },
  BOSUN_AGENT_INVALID: {
    means: 'The agent definition is incomplete or contradicts itself; the message names the place.',
    retryable: false,
  },
  BOSUN_AGENT_UNKNOWN: {
    means:
      'A stored actor, the tree or a child spec names an agent that createSystem was not given. Add it to `agents`.',
    retryable: false,
  },
  BOSUN_AGENT_UNREADABLE: {
    means:
      'The current code cannot read the stored state of the actor. The actor is suspended, its record left untouched.',
    retryable: false,
  },
  BOSUN_ASK_FAILED: {
    means: 'The actor crashed while it handled the ask, or ended before it replied.',
    retryable: false,
  },
  BOSUN_ASKS_FULL: {
    means: 'Too many asks are open or remembered. Ask again later.',
    retryable: true,
  },
  BOSUN_CALL_CANCELLED: {
    means: 'The caller cancelled the call. It may still take effect.',
    retryable: false,
  },
  BOSUN_CALL_INVALID: {
    means: 'A frame, a call or a parameter does not follow the protocol; the message names the place.',
    retryable: false,
  },
  BOSUN_CHART_TOO_LARGE: {
    means: 'The machine has too many states or transitions for a chart; the message has the bounds.',
    retryable: false,
  },
  BOSUN_CHART_UNKNOWN: {
    means: 'There is no chart: the actor does not run a machine, or the code lacks the machine.',
    retryable: false,
  },
  BOSUN_CHILD_DYNAMIC: {
    means:
      'The Boss has the strategy dynamic. It keeps no spec of a child that ended, so the child cannot be ' +
      'restarted or deleted.',
    retryable: false,
  },
  BOSUN_CHILD_PRESENT: {
    means: 'The Boss has a child of this id that has ended. Restart it, or delete it first.',
    retryable: false,
  },
  BOSUN_CHILD_RESTARTING: { means: 'The child waits for its restart. Terminate it first, or wait.', retryable: true },
  BOSUN_CHILD_RUNNING: {
    means: 'The Boss has a running child of this id. Terminate it first.',
    retryable: false,
  },
  BOSUN_CHILD_SPEC_INVALID: { means: 'A child spec is not valid; the message names the field.', retryable: false },
  BOSUN_CHILD_UNKNOWN: {
    means: 'The Boss has no child of this id.',
    retryable: false,
  },
  BOSUN_CHILDREN_FULL: { means: 'The Boss has as many children as its maxChildren allows.', retryable: true },
  BOSUN_CHILDREN_UNREAD: {
    means:
      'Some children of the Boss are not in memory, so they cannot be listed or counted. Look one up by its address.',
    retryable: false,
  },
  BOSUN_CLIENT_CLOSED: {
    means: 'The client was closed, or the gateway told it to stop; the message says which.',
    retryable: false,
  },
  BOSUN_CLOCK_SUSPECT: {
    means:
      'The wall clock is more than a year ahead of the last epoch, so every timer would fire. If it is right, ' +
      'start once with trustWallClock.',
    retryable: false,
  },
  BOSUN_CONFIG_INVALID: {
    means: 'An option of createSystem, createGateway or createClient is not valid; the message names it.',
    retryable: false,
  },
  BOSUN_CONNECTION_LOST: {
    means:
      'The connection to the gateway broke before the answer. The call may have happened; a call with a key is ' +
      'repeated.',
    retryable: true,
  },
  BOSUN_DRAINING: {
    means: 'The gateway is closing and accepts no further calls. Connect again later.',
    retryable: true,
  },
  BOSUN_EFFECT_HUNG: {
    means: 'An effect sent no heartbeat for longer than its heartbeatMs.',
    retryable: true,
  },
  BOSUN_EFFECT_OVER: {
    means: 'This start of the effect is over: it was stopped, or a later start has replaced it.',
    retryable: false,
  },
  BOSUN_EFFECT_TIMEOUT: { means: 'An effect or a durable action took longer than its timeoutMs.', retryable: true },
  BOSUN_EVENT_INVALID: { means: "The event does not match the agent's schema for its type.", retryable: false },
  BOSUN_EVENT_NOT_TAKEN: {
    means: "The event arrived, but the actor's current state has no transition for it.",
    retryable: false,
  },
  BOSUN_EVENT_REFUSED: {
    means: 'The agent does not accept this event from outside, or its type is reserved.',
    retryable: false,
  },
  BOSUN_FORBIDDEN: {
    means: 'The caller may not do this, or not at this address.',
    retryable: false,
  },
  BOSUN_GATEWAY_FULL: {
    means: 'The caller has reached its limit of connections, subscriptions or calls in flight.',
    retryable: true,
  },
  BOSUN_HOST_FAILED: {
    means:
      'A function or a schema that the host gave its gateway failed; the message names it, and the log of the host ' +
      'says why under `details.reference`.',
    retryable: false,
  },
  BOSUN_HOST_KILLED: {
    means: 'The process died repeatedly while it handled this message, birth or effect, which was therefore set aside.',
    retryable: false,
  },
  BOSUN_INPUT_TOO_LARGE: {
    means: 'The call brings more than it may; the message has the bound. Send less.',
    retryable: false,
  },
  BOSUN_INTENSITY_EXCEEDED: {
    means: 'A Boss restarted its children more often than its intensity allows and gave up.',
    retryable: false,
  },
  BOSUN_INTERNAL: { means: 'Bosun broke one of its own rules. Please report it with the message.', retryable: false },
  BOSUN_KEY_CONFLICT: {
    means: 'The idempotency key was used before, for another request.',
    retryable: false,
  },
  BOSUN_KILLED: {
    means: 'An administrator killed the actor. Its Boss handles that as it handles a crash.',
    retryable: false,
  },
  BOSUN_KNOWLEDGE_CLOSED: { means: 'The knowledge was closed; it answers no more questions.', retryable: false },
  BOSUN_KNOWLEDGE_FAILED: {
    means: 'The search thread died or could not answer; the message says why. A new thread reads the folders again.',
    retryable: true,
  },
  BOSUN_KNOWLEDGE_FOLDER: {
    means: 'A folder that is to be searched is missing or cannot be read; the message has its path.',
    retryable: false,
  },
  BOSUN_KNOWLEDGE_FULL: { means: 'Too many questions wait for the search. Ask again later.', retryable: true },
  BOSUN_LINK_DOWN: {
    means: 'An actor to which this one is linked ended abnormally.',
    retryable: false,
  },
  BOSUN_MAILBOX_FULL: { means: 'The mailbox of the receiver is at its limit. Send again later.', retryable: true },
  BOSUN_MESSAGE_UNKNOWN: {
    means: 'There is no dead letter with this number.',
    retryable: false,
  },
  BOSUN_OFFLINE: {
    means: 'The client is not connected, and a call without a key does not wait for the connection.',
    retryable: true,
  },
  BOSUN_ON_ANOTHER_WORKER: {
    means:
      'Monitors and links by address work only within one worker, and the actor lives on another. Use a reference.',
    retryable: false,
  },
  BOSUN_ORDER_REFUSED: {
    means: 'The order does not fit the current state of the actor; the message says why. Nothing was changed.',
    retryable: false,
  },
  BOSUN_OVER_WORKERS: {
    means: 'A system that is spread over workers does not support this; the message says what.',
    retryable: false,
  },
  BOSUN_OVERLOADED: {
    means:
      'The system receives more than it can make durable in time. Send again later, after ' +
      '`details.retryAfterMs` if given.',
    retryable: true,
  },
  BOSUN_PLAN_INVALID: {
    means: 'The plan file is not valid; the message names file, line and column.',
    retryable: false,
  },
  BOSUN_PROFILE_INVALID: { means: 'The profile of an agent is not valid; the message says why.', retryable: false },
  BOSUN_PROPERTY_VACUOUS: {
    means: 'A property holds because what it is about never happened; the message names the states never entered.',
    retryable: false,
  },
  BOSUN_QUEUE_FULL: {
    means: 'Too many calls of this client wait for an answer, or too many of its events wait to be read.',
    retryable: true,
  },
  BOSUN_RATE_LIMITED: {
    means: 'The caller exceeds its rate limit. Call again after `details.retryAfterMs`.',
    retryable: true,
  },
  BOSUN_RECORDS_UNKNOWN: {
    means: 'The agent declares no records of this name, or no such key for them.',
    retryable: false,
  },
  BOSUN_RUNTIME_UNFIT: {
    means:
      'Node, XState or zod is too old for Bosun; the message has the versions found and needed. Install newer ones.',
    retryable: false,
  },
  BOSUN_SECRET_KEY: {
    means: 'Data of the actor is encrypted under a secret key that was not given. Start again with BOSUN_SECRET_KEY.',
    retryable: false,
  },
  BOSUN_SENDS_REFUSED: {
    means:
      'Some of the events sent together were refused: `details.refused` has the index and the error of each. ' +
      'The others are durable.',
    retryable: false,
  },
  BOSUN_SEQUENCE_GAP: {
    means: 'The sequence of a send skips a number; `details.expected` is the next one of the session.',
    retryable: false,
  },
  BOSUN_SESSIONS_FULL: {
    means: 'Too many sessions are remembered. Send again later.',
    retryable: true,
  },
  BOSUN_SPAWN_REFUSED: {
    means:
      'The session may not spawn this, or not now; `details.because` says why. A spoke recommends it in its ' +
      'hand-off instead.',
    retryable: false,
  },
  BOSUN_START_FAILED: {
    means: 'A new child failed in its first turn; the cause says how. Nothing of it was kept.',
    retryable: false,
  },
  BOSUN_STATE_SUSPECT: {
    means:
      'Two messages in a row crashed the actor until they were quarantined, so it was suspended. Fix its ' +
      'agent, then resume it.',
    retryable: false,
  },
  BOSUN_STORE_DAMAGED: {
    means: 'A record of the store does not match its checksum or its place in the chain.',
    retryable: false,
  },
  BOSUN_STORE_FAILED: { means: 'A write to the store failed. Nothing unsynced was acknowledged.', retryable: true },
  BOSUN_STORE_FORMAT: {
    means: 'Another build wrote the store, and this one cannot read it. Use that build, or start with an empty store.',
    retryable: false,
  },
  BOSUN_STORE_LOCKED: { means: 'Another process, or another system in this one, has the store open.', retryable: true },
  BOSUN_STORE_UNAVAILABLE: {
    means: 'The store cannot be written at present; most often the disk is full. Nothing of this call was kept.',
    retryable: true,
  },
  BOSUN_SYSTEM_CLOSED: { means: 'The system has stopped or is stopping.', retryable: false },
  BOSUN_TABLE_UNKNOWN: {
    means: 'The context of the actor has no table of this name. Read the actor to see its tables.',
    retryable: false,
  },
  BOSUN_TASK_FAILED: {
    means: 'A single task of a crew has failed, was turned down by people, or was cancelled; the message says why.',
    retryable: false,
  },
  BOSUN_TICKET_REJECTED: {
    means: 'People have rejected the ticket for whose answer a task waits. Reopen it and resume, to have it answered.',
    retryable: false,
  },
  BOSUN_TIMEOUT: {
    means: 'The call or the awaited condition did not finish in time. The call may still take effect.',
    retryable: true,
  },
  BOSUN_UNAUTHENTICATED: {
    means: 'The token is missing or not valid.',
    retryable: false,
  },
  BOSUN_VALUE_REFUSED: {
    means: 'A value is not data: function, symbol, foreign class, too deep, too large, or a forbidden key.',
    retryable: false,
  },
  BOSUN_WORKER_DOWN: {
    means: 'The worker of the actor died before it answered, and is started again. The call may still take effect.',
    retryable: true,
  },
  BOSUN_WORKERS_CHANGED: {
    means:
      'The store belongs to another number of workers, to another worker, or to a tree that placed its actors ' +
      'elsewhere; the message says which.',
    retryable: false,
  },
} as const satisfies Record<string, ErrorRow>;

/** A code of a `BosunError`. */
export type ErrorCode = keyof typeof ERROR_CODES;
