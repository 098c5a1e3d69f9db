/** The limits of the output of sessions and of what their commands leave behind. */

/**
 * Bytes kept of one output stream of a session's command: of its beginning, and at least of its end. A stream of any
 * length takes no more than the beginning and twice the end.
 */
export const OUTPUT_HEAD_BYTES = 8 * 1024 * 1024;
export const OUTPUT_END_BYTES = 2 * 1024 * 1024;

/** Tries of sessions of which output is kept, and bytes of all of them. The oldest are dropped first. */
export const OUTPUT_TRIES_KEPT = 1_000;
export const OUTPUT_BYTES_KEPT = 512 * 1024 * 1024;

/** The longest time for which output is taken of a command that has exited while it still comes. */
export const OUTPUT_DRAIN_MS = 5_000;

/** Interval of looking for what commands have left outside of their process groups. */
export const STRAYS_EVERY_MS = 250;

/** Files that a session may change in its tree, and their bytes: more is data, which has no place in a repository. */
export const CHANGED_FILES_MAX = 20_000;
export const CHANGED_BYTES_MAX = 64 * 1024 * 1024;

/** Bytes of patches that are kept of sessions that have closed. The oldest are dropped first. */
export const PATCH_BYTES_KEPT = 512 * 1024 * 1024;
