/**
 * Places for agent functions: how many of an agent type run at once in this process. A function that finds none waits,
 * in order of arrival. Nothing is stored, because no function runs beyond its process.
 */

export class Places {
  readonly #capacity: Readonly<Record<string, number>>;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /**
   * Makes the places.
   *
   * @param capacity The number of places by agent type; other types have no limit.
   */
  constructor(capacity: Readonly<Record<string, number>>) {
    this.#capacity = capacity;
  }

  /**
   * Waits for a place. Rejects with the reason of the signal.
   *
   * @returns A function that gives the place back.
   */
  async enter(agent: string, signal: AbortSignal): Promise<() => void> {
    const limit = Object.hasOwn(this.#capacity, agent) ? this.#capacity[agent]! : Infinity;
    while ((this.#taken.get(agent) ?? 0) >= limit) await this.#turn(agent, signal);
    signal.throwIfAborted();
    this.#taken.set(agent, (this.#taken.get(agent) ?? 0) + 1);
    return () => {
      this.#taken.set(agent, this.#taken.get(agent)! - 1);
      this.#waiting.get(agent)?.shift()?.();
    };
  }

  /** Waits until a place may be free. */
  #turn(agent: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(agent) ?? [];
      this.#waiting.set(agent, waiting);
      const next = () => {
        signal.removeEventListener('abort', gone);
        resolve();
      };
      const gone = () => {
        waiting.splice(waiting.indexOf(next), 1);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', gone, { once: true });
      if (signal.aborted) gone();
      else waiting.push(next);
    });
  }
}
