/** What passes between the thread of the host and that of a worker, as it is posted. Ports travel beside it. */
import { type MessagePort } from 'node:worker_threads';
import { type WorkerFacts } from './staff.ts';

/** What a worker's thread begins with. */
export interface ThreadData {
  /** URL of the module whose export has the options of the system. */
  readonly module: string;
  readonly exported: string;
  readonly index: number;
  readonly count: number;
  /** URL of the module of its worker gateway; undefined where it has none. */
  readonly workerGateway: string | undefined;
  /** Of its store. */
  readonly directory: string;
  /** To the other workers, by their index; none to itself. */
  readonly peers: readonly (readonly [index: number, port: MessagePort])[];
}

export type ToThread =
  | { readonly is: 'calls'; readonly bytes: Uint8Array }
  | { readonly is: 'peer'; readonly index: number; readonly port: MessagePort }
  /** All stores fit. */
  | { readonly is: 'go' };

export type FromThread =
  /** The store fits. */
  | { readonly is: 'ready' }
  | { readonly is: 'answers'; readonly bytes: Uint8Array }
  | { readonly is: 'up'; readonly facts: WorkerFacts }
  /** It did not come up, or has closed by itself. `ToldError`, packed. */
  | { readonly is: 'failed'; readonly error: Uint8Array };
