/** Messages posted between the host's thread and a worker's thread. Ports are passed along with them. */
import { type MessagePort } from 'node:worker_threads';
import { type LogLine } from '../log.ts';
import { type WorkerFacts } from './staff.ts';

/** The data that a worker's thread starts with. */
export interface ThreadData {
  /** URL of the module whose export has the options of the system. */
  readonly module: string;
  readonly exported: string;
  readonly index: number;
  readonly count: number;
  /** URL of the module of its worker gateway; undefined if it has none. */
  readonly workerGateway: string | undefined;
  /** Directory of its store. */
  readonly directory: string;
  /** Ports to the other workers, by index; none to itself. */
  readonly peers: readonly (readonly [index: number, port: MessagePort])[];
}

export type ToThread =
  | { readonly is: 'calls'; readonly bytes: Uint8Array }
  | { readonly is: 'peer'; readonly index: number; readonly port: MessagePort }
  /** The stores of all workers match. */
  | { readonly is: 'go' };

export type FromThread =
  /** The store of this worker matches. */
  | { readonly is: 'ready' }
  | { readonly is: 'answers'; readonly bytes: Uint8Array }
  /** A line for the host's log. `facts`: null for a line that is not the runtime's own. */
  | { readonly is: 'logged'; readonly text: string; readonly facts: LogLine['facts'] | null }
  | { readonly is: 'up'; readonly facts: WorkerFacts }
  /** The worker did not start, or has closed by itself. `error` is a packed `ToldError`. */
  | { readonly is: 'failed'; readonly error: Uint8Array };
