/** Bounds of the client. Those of the gateway come in its `welcome`. */

/** Unanswered calls: an offline caller should get an error before memory runs out. About 1 MB of small events. */
export const CALLS_OPEN_MAX = 1_000;

/**
 * Sends of an earlier run that a record in a storage may hold, unless `queueMax` is more. A record of more is not one
 * of a client: with each acknowledgement all of them are written.
 */
export const SENDS_KEPT_MAX = 10 * CALLS_OPEN_MAX;

/** Events received that the iteration has not taken: as many as the gateway keeps for a client that is away. */
export const EVENTS_WAITING_MAX = 4_096;

/**
 * Records received that the iteration has not taken; further ones are requested later. The largest are 64 MiB together.
 */
export const RECORDS_WAITING_MAX = 256;

/**
 * First and longest delay before reconnecting. Delays grow and are random, so that thousands of clients do not
 * reconnect at once.
 */
export const BACKOFF_MIN_MS = 250;
export const BACKOFF_MAX_MS = 30_000;

/** Time after which a connection counts as healthy: the next break begins with the shortest delay. */
export const HEALTHY_MS = 10_000;

/**
 * Time from opening a socket to its `welcome`. The gateway allows five seconds for a `hello`; the rest is for the
 * network.
 */
export const WELCOME_MS = 15_000;

/**
 * Subscriptions sent and not answered. With the calls that may be in flight (64), they are fewer than the refusals in a
 * row (100) after which the gateway closes a connection: a client that cannot know how much of its rate others have
 * used is refused, but stays connected.
 */
export const SUBSCRIPTIONS_UNANSWERED_MAX = 32;

/** Delay before a retry if the error is temporary and names no time. */
export const RETRY_MS = 1_000;

/**
 * Bytes and nesting of the parameters of a call: the limits of a frame (1 MB, 36 levels, 100,000 values) less its own
 * fields.
 */
export const PARAMS_BYTES_MAX = 1_024 * 1_024 - 1_024;
export const PARAMS_DEPTH_MAX = 35;
export const PARAMS_VALUES_MAX = 99_990;

/** Longest deadline that a call may request. */
export const DEADLINE_MS_MAX = 600_000;
