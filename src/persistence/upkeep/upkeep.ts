/**
 * Maintenance of the store of a running system, beside its commits: the scrubber, copies, erasures. Copies and erasures
 * take turns, because an erasure closes the store for a moment.
 */
import { type Store } from '../../actors/model/ports.ts';
import { BosunError } from '../../errors.ts';
import { backup } from './backup.ts';
import { Scrubber, type ScrubberParts } from './scrubber.ts';
import { type Verification } from './verify.ts';

export class Upkeep {
  readonly #store: Store;
  readonly #scrubber: Scrubber | null;
  #isRunning = false;
  #last: Promise<void> = Promise.resolve();

  constructor(store: Store, scrubber: Omit<ScrubberParts, 'store'> | null) {
    this.#store = store;
    this.#scrubber = scrubber && new Scrubber({ ...scrubber, store });
  }

  start(): void {
    this.#isRunning = true;
    this.#scrubber?.start();
  }

  /** Starts no further task. Resolves when running tasks are over. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#last;
    await this.stopScrubbing();
  }

  /** Stops the scrubber, so that the store can be closed; resolves when no slice is under way. */
  async stopScrubbing(): Promise<void> {
    await this.#scrubber?.stop();
  }

  backup(to: string): Promise<Verification> {
    return this.#inTurn(() => backup(this.#store, to));
  }

  /** The size of the store in bytes; null for a store in memory, and while it is not open. */
  async storeBytes(): Promise<number | null> {
    return this.#isRunning && this.#store.bytes !== undefined ? await this.#store.bytes() : null;
  }

  /** Runs a task that deletes and compacts, while nobody else reads the store. */
  erase(task: () => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      await this.#scrubber?.stop();
      try {
        await task();
      } finally {
        if (this.#isRunning) this.#scrubber?.start();
      }
    });
  }

  async #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const turn = (async () => {
      await before;
      if (!this.#isRunning) throw new BosunError('BOSUN_SYSTEM_CLOSED', 'the system is not running');
      return await task();
    })();
    const over = () => {};
    this.#last = turn.then(over, over);
    return await turn;
  }
}
