/**
 * What is done to the store of a running system beside its commits: the scrubber, copies, erasures. Copies and erasures
 * take turns, because an erasure closes the store for a moment under whoever reads it.
 */
import { type Store } from '../actors/model/ports.ts';
import { BosunError } from '../errors.ts';
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

  /** Nothing further begins. Resolves when what was under way is over. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#last;
    await this.#scrubber?.stop();
  }

  backup(to: string): Promise<Verification> {
    return this.#inTurn(() => backup(this.#store, to));
  }

  /** null for a store in memory, and while it is not open. */
  async storeBytes(): Promise<number | null> {
    return this.#isRunning && this.#store.bytes !== undefined ? await this.#store.bytes() : null;
  }

  /** Runs what deletes and compacts, with nobody else reading. */
  erase(task: () => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      await this.#scrubber?.stop();
      await task();
      this.#scrubber?.start();
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
