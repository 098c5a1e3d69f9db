/** Bounds of the client, each with its reason. Those of the gateway come in its `welcome`. */

/** Calls that are not answered: whoever is offline should learn it before memory does. About 1 MB of small events. */
export const CALLS_OPEN_MAX = 1_000;

/** Events that came and were not taken by whoever iterates: as many as the gateway itself keeps for one who is away. */
export const EVENTS_WAITING_MAX = 4_096;

/** Of the first wait after a break, and the most: thousands of clients must not come back as one. */
export const BACKOFF_MIN_MS = 250;
export const BACKOFF_MAX_MS = 30_000;

/** A line that has held so long was no mistake: the next break begins with the shortest wait. */
export const HEALTHY_MS = 10_000;

/**
 * From the opening of a socket to its `welcome`. The gateway gives five seconds to a `hello`, and a network takes its
 * part.
 */
export const WELCOME_MS = 15_000;

/** What could not be done for a reason that passes, and says not when, is tried again after this. */
export const RETRY_MS = 1_000;

/** Of the parameters of a call: what a frame may have (1 MB, 36 levels, 100,000 values), less what is around them. */
export const PARAMS_BYTES_MAX = 1_024 * 1_024 - 1_024;
export const PARAMS_DEPTH_MAX = 35;
export const PARAMS_VALUES_MAX = 99_990;

/** Longest deadline that a call may name to the gateway. */
export const DEADLINE_MS_MAX = 600_000;
