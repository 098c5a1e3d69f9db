/**
 * The commit line: makes frozen epochs durable, one at a time, and sits out the time in which the store cannot be
 * written.
 *
 * Nothing of an epoch has left before it is durable, so a write that failed is not undone in memory: the same epoch is
 * written again, until it is there (docs/decisions/0013). Meanwhile hosts are refused and readers are served.
 */
import { type Cancel, type Clock } from '../../clock.ts';
import { BosunError, messageOf } from '../../errors.ts';
import { STORE_RETRY_MS_MAX, STORE_RETRY_MS_MIN } from '../../limits.ts';
import { type Frozen } from '../world/epoch-draft.ts';
import { type Journal } from '../model/ports.ts';

interface Parts {
  readonly journal: Journal;
  readonly clock: Clock;
  /** After so long without a store that can be written the system closes. */
  readonly outageMs: number;
  readonly log: (...args: unknown[]) => void;
}

/** A try that is due after a while. */
interface Wait {
  readonly cancel: Cancel;
  readonly wake: () => void;
}

export class CommitLine {
  readonly #parts: Parts;
  /** What is being made durable. */
  writing: Frozen | null = null;
  /** Why hosts are refused at present. */
  outage: BosunError | undefined;
  #wait: Wait | undefined;
  readonly #onWait: () => void;
  #patience: 'endless' | 'one more try' | 'none' = 'endless';

  /** @param onWait Called when only time can change something. */
  constructor(parts: Parts, onWait: () => void) {
    this.#parts = parts;
    this.#onWait = onWait;
  }

  /** Between two tries. */
  get isWaiting(): boolean {
    return this.#wait !== undefined;
  }

  /**
   * @param isPurge Whether it is to leave nothing deleted on the medium. Resolves once the epoch is durable. Rejects
   *   with a BOSUN_STORE_* code where it will not be, in this run.
   */
  async write(frozen: Frozen, isPurge: boolean): Promise<void> {
    const { journal } = this.#parts;
    this.writing = frozen;
    try {
      await (isPurge ? journal.purge(frozen.epoch) : journal.commit(frozen.epoch));
    } catch (error) {
      await this.#insist(error);
    }
    this.writing = null;
  }

  /** The system stops, and will not wait for a store that cannot be written; `atOnce`: it is dead already. */
  giveUp(atOnce: boolean): void {
    this.#patience = atOnce ? 'none' : 'one more try';
    this.#wait?.cancel();
    this.#wait?.wake();
  }

  /** @param error Of the first try. The second is made at once, and nobody notices if it succeeds. */
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
  return error instanceof BosunError && error.code === 'BOSUN_STORE_FAILED';
}

function longer(delayMs: number): number {
  return Math.min(STORE_RETRY_MS_MAX, Math.max(STORE_RETRY_MS_MIN, delayMs * 2));
}
