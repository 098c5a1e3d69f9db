/** Notifies watchers of durable epochs while there are any. */
import { type Shard } from '../../shard.ts';

export class EpochWatch {
  readonly #system: Shard;
  readonly #watchers = new Set<() => void>();
  #isOn = false;

  constructor(system: Shard) {
    this.#system = system;
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    if (!this.#isOn) void this.#run();
    return () => void this.#watchers.delete(changed);
  }

  async #run(): Promise<void> {
    this.#isOn = true;
    while (this.#watchers.size > 0 && this.#system.clientApi.isRunning) {
      await this.#system.clientApi.nextEpoch();
      for (const changed of [...this.#watchers]) changed();
    }
    this.#isOn = false;
  }
}
