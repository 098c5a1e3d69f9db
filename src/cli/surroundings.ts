/**
 * The environment that the command line runs in: streams, variables, directory and interruption. It uses nothing else
 * of the process, so tests and programs can call it as often as they like.
 */
import { type Readable, type Writable } from 'node:stream';
import { plainLine } from '../plain-text.ts';

/** A stream, or any object that accepts text. */
export interface Output {
  write(text: string): unknown;
  /** Whether it is a terminal, which gets colours and a live display. */
  readonly isTTY?: boolean;
  /** Width of a terminal in characters. */
  readonly columns?: number | undefined;
}

/** The streams of a verb that speaks a protocol on them. */
export interface ProtocolStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/** A logger that writes each call as one line to the stream for messages. */
export function logTo(err: Output): (...args: unknown[]) => void {
  return (...args) => void err.write(`${plainLine(args.map(String).join(' '))}\n`);
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Variables by name, as in `process.env`. */
export type Environment = Record<string, string | undefined>;

export type OnUnawaited = (hear: (reason: unknown) => void) => void;

export interface Surroundings {
  /** The stream for data. */
  readonly out: Output;
  /** The stream for messages. */
  readonly err: Output;
  /**
   * Environment variables. NO_COLOR and the store's keys are read from them, and shell commands get them without the
   * keys. A run sets BOSUN_DATA_DIR in them; agents that read it see it only if this is `process.env`.
   */
  readonly env: Environment;
  /** The working directory, an absolute path, against which relative paths are resolved. Shell commands run in it. */
  readonly cwd: string;
  /**
   * Returns a signal that tells the verb to end. Called once by a verb that can end in good order; any other verb may
   * be cut off at any point.
   */
  interruption(): AbortSignal;
  /**
   * Hears from now on of rejected promises that nobody awaits, which then do not end the process. Called by verbs that
   * run users' agents: such a promise is theirs.
   */
  readonly onUnawaited?: OnUnawaited | undefined;
  /**
   * Reserves stdin and stdout for a protocol; called once. From then on all other output of this process to stdout,
   * including that of users' agents, goes to stderr. Undefined if no protocol is possible.
   */
  readonly protocol?: () => ProtocolStreams;
}

/** The arguments of every verb that works on a data directory. */
export interface DataCommand extends Pick<Surroundings, 'out' | 'err' | 'cwd' | 'env'> {
  /** The data directory, as the user wrote it. */
  readonly data: string;
  /** Whether to print JSON on `out`, and nothing else there. */
  readonly json: boolean;
  /** A remote gateway, instead of the system on the data directory. */
  readonly remote?: RemoteGateway | undefined;
}

/** The gateway of a running system, as given by `--url` and `--token`. */
export interface RemoteGateway {
  /** The URL without a trailing slash. */
  readonly url: string;
  readonly token: string | undefined;
}

/** Whether to use colours: only on a terminal, and never if NO_COLOR is set (no-color.org). */
export function hasColour({ isTTY }: Output, env: Environment): boolean {
  return isTTY === true && (env['NO_COLOR'] ?? '') === '';
}
