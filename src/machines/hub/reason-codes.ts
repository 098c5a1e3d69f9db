/** Reason codes of spawns and preparations (HS-056), as records and replies have them. */

/** The codes with their meanings. */
export const REASON_CODES = {
  SPAWN_ACCEPTED: 'the session is open',
  SPAWN_REJECT_ACTIVE_LANE: 'another session has the writing lane',
  SPAWN_REJECT_DUPLICATE_DEBOUNCE: 'the same request came again: the first one counts',
  SPAWN_CANCELLED_TOKEN: 'the run is being stopped, and nothing new begins',
  SPAWN_RELEASE_COMPLETE: 'the session completed, and its lane is free',
  SPAWN_RELEASE_HANDOFF: 'the session handed off, and its lane is free',
  SPAWN_RELEASE_ERROR_PATH: 'the session failed, and its lane is free',
  SPAWN_STALE_RECOVERY: 'the session was silent too long, and its lane is free',
  SPAWN_PREP_ONLY: 'prepared, and nothing is spawned',
  SPAWN_PREP_LEGACY_ALIAS: '`spawn_config` is deprecated: read `prep_config`',
  SPAWN_PREP_DEPRECATED_INPUT_IGNORED: 'fields about execution are ignored: preparation executes nothing',
  SPAWN_PREP_CONTEXT_PARTIAL: 'the work plan could not be read: the prompt lacks its context',
} as const;
/** A reason code. */
export type ReasonCode = keyof typeof REASON_CODES;
