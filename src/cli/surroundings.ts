/**
 * What the command line is given of the process around it. It takes nothing else: a test or a program can call it as
 * often as it likes.
 */

/** A stream, or anything that takes text. */
export interface Output {
  write(text: string): unknown;
  /** A terminal gets colours and a live picture. */
  readonly isTTY?: boolean;
  /** Of a terminal, in characters. */
  readonly columns?: number;
}

/** A logger that writes each call as one line to the stream for messages. */
export function logTo(err: Output): (...args: unknown[]) => void {
  return (...args) => void err.write(`${args.map(String).join(' ')}\n`);
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Variables by name, as in `process.env`. */
export type Environment = Record<string, string | undefined>;

export interface Surroundings {
  /** For data. */
  readonly out: Output;
  /** For talk. */
  readonly err: Output;
  /**
   * Read for NO_COLOR and the keys of a store, and handed on to shell commands without those. A run writes
   * BOSUN_DATA_DIR into it: agents that look there for a place of their own see that only where this is `process.env`.
   */
  readonly env: Environment;
  /** Absolute. Relative paths in arguments begin here, and so do shell commands. */
  readonly cwd: string;
  /**
   * Called by a verb that can end in good order, once: the signal tells it to. A verb that does not call it may be cut
   * off anywhere.
   */
  interruption(): AbortSignal;
}

/** What every verb on a data directory is given. */
export interface DataCommand extends Pick<Surroundings, 'out' | 'err' | 'cwd' | 'env'> {
  /** The data directory, as the user wrote it. */
  readonly data: string;
  /** Print JSON on `out`, and nothing else there. */
  readonly json: boolean;
}

/** Colours only on a terminal, and never where NO_COLOR asks for none (no-color.org). */
export function hasColour({ isTTY }: Output, env: Environment): boolean {
  return isTTY === true && (env['NO_COLOR'] ?? '') === '';
}
