/** What the command line's exit codes mean. They are API. */
export const EXIT = {
  completed: 0,
  failed: 1,
  /** Also what is not there: an actor, a plan, a store. */
  badInput: 2,
  /** Paused, or waiting for someone. */
  paused: 3,
  /** Another process has the data directory open, and has no gateway that could be asked. */
  inUse: 4,
  /** The actor or the gateway refused the event or the call. */
  refused: 5,
  /** No answer in time. What was asked may still happen. */
  timeout: 6,
  /** Only a running system can do this, and none runs on the data directory. */
  notRunning: 7,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
