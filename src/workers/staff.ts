/**
 * The workers of a system as the host's side sees them, whether they are threads or, in tests, parts of one. Ports
 * only.
 */
import { type BosunError } from '../errors.ts';

/** What a worker says of itself once its system runs. */
export interface WorkerFacts {
  /** Addresses of the Bosses that have a partition on every worker, but for the root. */
  readonly spread: readonly string[];
}

export interface StaffListener {
  /** A frame of answers. */
  heard(worker: number, bytes: Uint8Array): void;
  up(worker: number, facts: WorkerFacts): void;
  /** It died and is being started again. What it was told is lost, what it had acknowledged is not. */
  down(worker: number, why: BosunError): void;
  /** A worker closed by itself, or died too often: the system cannot go on. */
  failed(reason: BosunError): void;
}

export interface Staff {
  readonly count: number;
  /** Resolves when every worker is up. Rejects with what the first one that is not refuses for. */
  start(listener: StaffListener): Promise<void>;
  /** Hands a frame of calls to a worker that is up. */
  post(worker: number, bytes: Uint8Array): void;
  /** Ends a worker as whatever kills one does. Resolves when it has ended. */
  kill(worker: number): Promise<void>;
  /** Ends all workers, whose systems have stopped or are beyond that. Never rejects. */
  end(): Promise<void>;
}
