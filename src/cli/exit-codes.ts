/** What the command line's exit codes mean. They are API. */
export const EXIT = {
  completed: 0,
  failed: 1,
  badInput: 2,
  /** Paused, or waiting for someone. */
  paused: 3,
  /** Another process has the data directory open. */
  inUse: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
