/** The workers of a system as the host's side sees them: threads, or, in tests, simulated workers. Interfaces only. */
import { type BosunError } from '../errors.ts';

/** Facts that a worker reports once its system runs. */
export interface WorkerFacts {
  /** Addresses of the Bosses with a partition on every worker, except the root. */
  readonly spread: readonly string[];
}

export interface StaffListener {
  /** Receives a frame of answers. */
  heard(worker: number, bytes: Uint8Array): void;
  up(worker: number, facts: WorkerFacts): void;
  /** The worker died and is being restarted. Frames posted to it are lost; what it acknowledged is not. */
  down(worker: number, why: BosunError): void;
  /** A worker closed by itself, or died too often: the system cannot go on. */
  failed(reason: BosunError): void;
}

export interface Staff {
  readonly count: number;
  /** The absolute path of the directory with the stores; undefined for stores in memory. */
  readonly directory?: string;
  /** Resolves when every worker is up. Rejects with the error of the first one that refuses to start. */
  start(listener: StaffListener): Promise<void>;
  /** Sends a frame of calls to a worker that is up. */
  post(worker: number, bytes: Uint8Array): void;
  /** Ends a worker as a crash would. Resolves when it has ended. */
  kill(worker: number): Promise<void>;
  /** Ends all workers, whose systems have stopped or cannot be stopped. Never rejects. */
  end(): Promise<void>;
}
