/**
 * The end of a system: it is stopped, or it closes by itself. For the host, and for parts that the runtime attaches.
 */
import { type BosunError } from './errors.ts';

export class Closing {
  #resolve!: () => void;
  #reject!: (error: BosunError) => void;
  #over!: () => void;
  /**
   * Settles when the system has closed. It has no handler here, so that a host without one gets a failure as an
   * unhandled rejection.
   */
  readonly closed = new Promise<void>((resolve, reject) => {
    this.#resolve = resolve;
    this.#reject = reject;
  });
  /** Resolves when the system has closed, for whatever reason. Awaiting it does not count as handling `closed`. */
  readonly over = new Promise<void>((resolve) => (this.#over = resolve));

  stopped(): void {
    this.#over();
    this.#resolve();
  }

  failed(error: BosunError): void {
    this.#over();
    this.#reject(error);
  }
}
