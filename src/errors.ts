/**
 * The one error class and the one table of codes. Codes are API and never change meaning; messages are for people and
 * may. A new code gets a row here, a throw, a test, and a row in docs/errors.md (a test compares the two).
 */

interface ErrorRow {
  /** What happened and what to do about it, for a person. */
  readonly means: string;
  /** Whether doing the same thing again later may succeed. */
  readonly retryable: boolean;
}

export const ERROR_CODES = {
  BOSUN_ACTOR_CHANGED: {
    means: 'The actor is not at the sequence that the call names; `details.sequence` is the present one. Look again.',
    retryable: false,
  },
  BOSUN_ACTOR_SUSPENDED: {
    means: 'An administrator suspended the actor. The message says who and why; resume it.',
    retryable: true,
  },
  BOSUN_ACTOR_UNKNOWN: {
    means: 'No actor lives at this address. Spawn it first, or check the spelling.',
    retryable: false,
  },
  BOSUN_ADDRESS_INVALID: {
    means: 'An address is one to 16 segments of letters, digits and -_.:@+~ joined by "/".',
    retryable: false,
  },
  BOSUN_AGENT_INVALID: {
    means: 'The agent definition contradicts itself; the message names the place.',
    retryable: false,
  },
  BOSUN_AGENT_UNKNOWN: {
    means: 'A stored actor or a child spec names an agent that the system was not given.',
    retryable: false,
  },
  BOSUN_AGENT_UNREADABLE: {
    means: 'The current code cannot read the stored state of this actor, which is suspended with its record untouched.',
    retryable: false,
  },
  BOSUN_ASK_FAILED: {
    means: 'The actor that was asked crashed over the request, or ended before it replied.',
    retryable: false,
  },
  BOSUN_ASKS_FULL: {
    means: 'Too many asks are open or remembered for another one to begin. Ask again later.',
    retryable: true,
  },
  BOSUN_CALL_CANCELLED: {
    means: 'The caller took the call back. What it asked for may still happen.',
    retryable: false,
  },
  BOSUN_CALL_INVALID: {
    means: 'A frame, a call or a parameter is not what the protocol says; the message names the place.',
    retryable: false,
  },
  BOSUN_CHART_TOO_LARGE: {
    means: 'The machine has more states or transitions than are charted; the message has the bounds.',
    retryable: false,
  },
  BOSUN_CHART_UNKNOWN: {
    means: 'The actor runs no machine, or one that the code lacks: there is no chart of it.',
    retryable: false,
  },
  BOSUN_CHILD_DYNAMIC: {
    means:
      'The Boss has children of a template and keeps no specs of those that ended, so none is restarted or ' +
      'deleted by order.',
    retryable: false,
  },
  BOSUN_CHILD_PRESENT: {
    means: 'The Boss knows a child of this id that has ended. Restart it, or delete it first.',
    retryable: false,
  },
  BOSUN_CHILD_RESTARTING: { means: 'The child waits for its restart. Terminate it first, or wait.', retryable: true },
  BOSUN_CHILD_RUNNING: { means: 'The Boss has a child of this id, and it runs. Terminate it first.', retryable: false },
  BOSUN_CHILD_SPEC_INVALID: { means: 'A child spec is not valid; the message names the field.', retryable: false },
  BOSUN_CHILD_UNKNOWN: { means: 'The Boss knows no child of this id.', retryable: false },
  BOSUN_CHILDREN_FULL: { means: 'The Boss has as many children as its maxChildren allows.', retryable: true },
  BOSUN_CHILDREN_UNREAD: {
    means:
      'The Boss has more children than are in memory, so they cannot be listed or counted at once. Ask for one ' +
      'by its address.',
    retryable: false,
  },
  BOSUN_CLIENT_CLOSED: {
    means: 'The client was closed, or the gateway told it to stop; the message says which.',
    retryable: false,
  },
  BOSUN_CLOCK_SUSPECT: {
    means: 'The wall clock is more than a year ahead of the last epoch; every timer would come up.',
    retryable: false,
  },
  BOSUN_CONFIG_INVALID: { means: 'An option of createSystem is not valid; the message names it.', retryable: false },
  BOSUN_CONNECTION_LOST: {
    means:
      'The line to the gateway broke before the answer. The call may have happened; give it a key, and it is repeated.',
    retryable: true,
  },
  BOSUN_DRAINING: {
    means: 'The gateway is about to close and takes no further calls. Connect again later.',
    retryable: true,
  },
  BOSUN_EFFECT_HUNG: { means: 'An effect gave no sign of life for longer than its heartbeatMs.', retryable: true },
  BOSUN_EFFECT_OVER: {
    means: 'This start of the effect is over: it was stopped, or a later start has taken its place.',
    retryable: false,
  },
  BOSUN_EFFECT_TIMEOUT: { means: 'An effect or a durable action took longer than its timeoutMs.', retryable: true },
  BOSUN_EVENT_INVALID: { means: "The event does not match the agent's schema for its type.", retryable: false },
  BOSUN_EVENT_NOT_TAKEN: {
    means: 'The event arrived, but the present state of the actor does nothing with it.',
    retryable: false,
  },
  BOSUN_EVENT_REFUSED: {
    means: 'The agent declares no such event for the outside, or the type is reserved.',
    retryable: false,
  },
  BOSUN_FORBIDDEN: { means: 'The caller may not do this, or not at this address.', retryable: false },
  BOSUN_GATEWAY_FULL: {
    means: 'The caller has as many connections, subscriptions or calls in flight as it may have.',
    retryable: true,
  },
  BOSUN_HOST_KILLED: {
    means: 'The process died again and again in the middle of this message, birth or effect, so it was put aside.',
    retryable: false,
  },
  BOSUN_INTENSITY_EXCEEDED: {
    means: 'A Boss restarted its children more often than its intensity allows and gave up.',
    retryable: false,
  },
  BOSUN_INTERNAL: { means: 'Bosun broke one of its own rules. Please report it with the message.', retryable: false },
  BOSUN_KEY_CONFLICT: { means: 'The idempotency key was used before, for something else.', retryable: false },
  BOSUN_KILLED: {
    means: 'An administrator killed the actor. Its Boss does with it what it does after a crash.',
    retryable: false,
  },
  BOSUN_LINK_DOWN: { means: 'An actor that this one is linked to ended, and not normally.', retryable: false },
  BOSUN_MAILBOX_FULL: { means: 'The mailbox of the receiver is at its limit. Send again later.', retryable: true },
  BOSUN_MESSAGE_UNKNOWN: { means: 'No message with this number is among the dead letters.', retryable: false },
  BOSUN_OFFLINE: {
    means: 'The client has no line to the gateway, and a call without a key does not wait for one.',
    retryable: true,
  },
  BOSUN_ON_ANOTHER_WORKER: {
    means:
      'Monitors and links by address are for actors of the same worker, and this one lives on another. Use a ' +
      'reference.',
    retryable: false,
  },
  BOSUN_ORDER_REFUSED: {
    means: 'The order does not fit the actor as it is now; the message says why. Nothing was changed.',
    retryable: false,
  },
  BOSUN_OVER_WORKERS: {
    means: 'A system that is spread over workers does not have this; the message says what.',
    retryable: false,
  },
  BOSUN_OVERLOADED: {
    means:
      'More is on its way into the system than it can make durable in time. Send again later, after ' +
      '`details.retryAfterMs` where it is there.',
    retryable: true,
  },
  BOSUN_PLAN_INVALID: {
    means: 'The plan file is not valid; the message names file, line and column.',
    retryable: false,
  },
  BOSUN_QUEUE_FULL: {
    means: 'Too many calls of this client wait for an answer, or too many events to be taken.',
    retryable: true,
  },
  BOSUN_RATE_LIMITED: {
    means: 'The caller calls more often than it may. Call again after `details.retryAfterMs`.',
    retryable: true,
  },
  BOSUN_SECRET_KEY: {
    means: 'What the actor holds is encrypted under a key that was not given. Start again with BOSUN_SECRET_KEY.',
    retryable: false,
  },
  BOSUN_SEQUENCE_GAP: {
    means: 'The sequence of a send leaves some out; `details.expected` is the next one of the session.',
    retryable: false,
  },
  BOSUN_SESSIONS_FULL: {
    means: 'Too many sessions are remembered for another one to begin. Send again later.',
    retryable: true,
  },
  BOSUN_START_FAILED: {
    means: 'A child that was to be started failed in its first turn; the cause says how. Nothing of it is left.',
    retryable: false,
  },
  BOSUN_STATE_SUSPECT: {
    means: 'Two messages in a row crashed the agent until quarantine, so it was suspended. Mend it, then resume it.',
    retryable: false,
  },
  BOSUN_STORE_DAMAGED: {
    means: 'A record of the store does not match its checksum or its place in the chain.',
    retryable: false,
  },
  BOSUN_STORE_FAILED: { means: 'A write to the store failed. Nothing unsynced was acknowledged.', retryable: true },
  BOSUN_STORE_FORMAT: {
    means: 'Another build wrote the store, and this one cannot read it. Run it with that build, or begin anew.',
    retryable: false,
  },
  BOSUN_STORE_LOCKED: { means: 'Another process, or another system in this one, has the store open.', retryable: true },
  BOSUN_STORE_UNAVAILABLE: {
    means: 'The store cannot be written at present (a full disk, most often). Nothing of this call was kept.',
    retryable: true,
  },
  BOSUN_SYSTEM_CLOSED: { means: 'The system has stopped or is stopping.', retryable: false },
  BOSUN_TABLE_UNKNOWN: {
    means: 'The context of the actor has no table of that name. Look at the actor for those that it has.',
    retryable: false,
  },
  BOSUN_TIMEOUT: {
    means: 'The condition did not come true in time. What was asked may still happen.',
    retryable: true,
  },
  BOSUN_UNAUTHENTICATED: { means: 'There is no token, or not a valid one.', retryable: false },
  BOSUN_VALUE_REFUSED: {
    means: 'A value is not data: function, symbol, foreign class, too deep, too large, or a forbidden key.',
    retryable: false,
  },
  BOSUN_WORKER_DOWN: {
    means:
      'The worker where the actor lives died before it answered; it is started again. What was asked may still happen.',
    retryable: true,
  },
  BOSUN_WORKERS_CHANGED: {
    means:
      'The store belongs to another number of workers, to another of them, or to a tree that placed its actors ' +
      'elsewhere; the message says which.',
    retryable: false,
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Every error Bosun throws on purpose. `details` is plain data, safe to log. */
export class BosunError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: Record<string, unknown> } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'BosunError';
    this.code = code;
    this.details = options.details ?? {};
  }

  get retryable(): boolean {
    return ERROR_CODES[this.code].retryable;
  }
}

export function isBosunError(error: unknown, code?: ErrorCode): error is BosunError {
  return error instanceof BosunError && (code === undefined || error.code === code);
}

/**
 * A plain Error that says what another one said. Taking a stack of its own is most of what a new Error costs, and this
 * one has its stack already.
 */
export function retold(said: {
  name: string;
  message: string;
  stack: string | undefined;
  code?: unknown;
  cause?: unknown;
}): Error {
  const { stackTraceLimit } = Error;
  // As an option that a process may have made unwritable.
  Reflect.set(Error, 'stackTraceLimit', 0);
  const error = new Error(said.message, 'cause' in said ? { cause: said.cause } : undefined);
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  if (said.name !== error.name) hide(error, 'name', said.name);
  hide(error, 'stack', said.stack);
  if ('code' in said) Object.assign(error, { code: said.code });
  return error;
}

/** Like what the engine sets on an error: there, but not enumerable. */
function hide(error: Error, key: 'name' | 'stack', value: string | undefined): void {
  Object.defineProperty(error, key, { value, writable: true, configurable: true, enumerable: false });
}

/** The text of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
