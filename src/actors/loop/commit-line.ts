/**
 * The commit line: makes frozen epochs durable, one at a time, and retries while the store cannot be written.
 *
 * Nothing of an epoch leaves before it is durable, so a failed write need not be undone in memory: the same epoch is
 * written again until it succeeds (docs/decisions/0013). Meanwhile hosts are refused and readers are served.
 */
import { type Cancel, type Clock } from '../../clock.ts';
import { BosunError, isBosunError, messageOf } from '../../errors.ts';
import { STORE_RETRY_MS_MAX, STORE_RETRY_MS_MIN } from '../../limits.ts';
import { type Frozen } from '../world/epoch-draft.ts';
import { type Journal } from '../model/ports.ts';

interface Parts {
  readonly journal: Journal;
  readonly clock: Clock;
  /** Milliseconds for which the store may be unwritable before the system closes. */
  readonly outageMs: number;
  readonly log: (...args: unknown[]) => void;
}

/** A pause before the next try. */
interface Wait {
  readonly cancel: Cancel;
  readonly wake: () => void;
}

export class CommitLine {
  readonly #parts: Parts;
  /** The epoch that is being written. */
  writing: Frozen | null = null;
  /** The reason why hosts are refused at present. */
  outage: BosunError | undefined;
  #wait: Wait | undefined;
  readonly #onWait: () => void;
  #patience: 'endless' | 'one more try' | 'none' = 'endless';

  /**
   * Makes the line.
   *
   * @param onWait Called when only the passing of time can change something.
   */
  constructor(parts: Parts, onWait: () => void) {
    this.#parts = parts;
    this.#onWait = onWait;
  }

  /** Whether it pauses between two tries. */
  get isWaiting(): boolean {
    return this.#wait !== undefined;
  }

  /**
   * Writes an epoch. Resolves once it is durable. Rejects with a BOSUN_STORE_* code where it will not become durable in
   * this run.
   *
   * @param isPurge Whether to leave nothing deleted on the medium.
   * @returns Whether there was an outage.
   */
  async write(frozen: Frozen, isPurge: boolean): Promise<boolean> {
    const { journal } = this.#parts;
    let hasFailed = false;
    this.writing = frozen;
    try {
      await (isPurge ? journal.purge(frozen.epoch) : journal.commit(frozen.epoch));
    } catch (error) {
      hasFailed = true;
      await this.#insist(error);
    }
    this.writing = null;
    return hasFailed;
  }

  /** Ends the retries, because the system stops: after one more try, or `atOnce` if the system is dead already. */
  giveUp(atOnce: boolean): void {
    this.#patience = atOnce ? 'none' : 'one more try';
    this.#wait?.cancel();
    this.#wait?.wake();
  }

  /**
   * Retries a write. The second try follows at once and is not reported if it succeeds.
   *
   * @param error The error of the first try.
   */
  async #insist(error: unknown): Promise<void> {
    const { journal, clock, outageMs, log } = this.#parts;
    const untilMs = clock.monotonicMs() + outageMs;
    let cause = error;
    for (let delayMs = 0; isTransient(cause); delayMs = longer(delayMs)) {
      if (delayMs > 0) {
        if (this.#patience !== 'endless' || clock.monotonicMs() + delayMs > untilMs) break;
        await this.#pause(delayMs);
      }
      if (this.#patience === 'none') break;
      try {
        await journal.retry();
        if (this.outage !== undefined) log('the store can be written again');
        this.outage = undefined;
        return;
      } catch (failure) {
        cause = failure;
        if (this.outage === undefined) log(`the store cannot be written, trying again: ${messageOf(cause)}`);
        this.outage = new BosunError(
          'BOSUN_STORE_UNAVAILABLE',
          `the store cannot be written at present: ${messageOf(cause)}`,
          { cause },
        );
      }
    }
    throw cause;
  }

  async #pause(delayMs: number): Promise<void> {
    await new Promise<void>((wake) => {
      this.#wait = { cancel: this.#parts.clock.setTimeout(wake, delayMs), wake };
      this.#onWait();
    });
    this.#wait = undefined;
  }
}

function isTransient(error: unknown): boolean {
  return isBosunError(error, 'BOSUN_STORE_FAILED');
}

function longer(delayMs: number): number {
  return Math.min(STORE_RETRY_MS_MAX, Math.max(STORE_RETRY_MS_MIN, delayMs * 2));
}
