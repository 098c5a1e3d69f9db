/**
 * The sends of one session that come in order on one connection, over workers: each is a call of the worker where its
 * receiver lives, and what is durable is told in order, together where it comes together.
 */
import { type PlainSend, type SequencedListener, type SequencedSends } from '../calls/sequenced-sends.ts';

export class OrderedSends implements SequencedSends {
  readonly #send: (sequence: number, send: PlainSend) => Promise<boolean>;
  readonly #listener: SequencedListener;
  /** Sends whose outcome has not been reported, oldest first, and whether they are durable. */
  readonly #open = new Map<number, boolean>();
  #isTelling = false;

  /**
   * Makes the line.
   *
   * @param send Resolves when the send is durable, with whether it had been carried out before.
   */
  constructor(send: (sequence: number, send: PlainSend) => Promise<boolean>, listener: SequencedListener) {
    this.#send = send;
    this.#listener = listener;
  }

  deliver(sequence: number, send: PlainSend): boolean {
    if (this.#open.has(sequence)) return false;
    this.#open.set(sequence, false);
    this.#send(sequence, send).then(
      (isReplayed) => {
        if (isReplayed) this.#listener.replayed(sequence);
        this.#settled(sequence, isReplayed);
      },
      (error: unknown) => {
        this.#listener.refused(sequence, error);
        this.#settled(sequence, true);
      },
    );
    return true;
  }

  #settled(sequence: number, isTold: boolean): void {
    if (isTold) this.#open.delete(sequence);
    else this.#open.set(sequence, true);
    if (this.#isTelling) return;
    this.#isTelling = true;
    // After the other answers of the same frame of a worker.
    queueMicrotask(() => this.#tell());
  }

  #tell(): void {
    this.#isTelling = false;
    let [last, sends] = [0, 0];
    for (const [sequence, isDurable] of this.#open) {
      if (!isDurable) break;
      this.#open.delete(sequence);
      last = sequence;
      sends += 1;
    }
    if (sends > 0) this.#listener.durable(last, sends);
  }
}
