/**
 * Processes that have left the process group of their command, by `setsid` for example. They are ended soon after their
 * command: one reading of all processes serves every command that has ended meanwhile.
 */
import { STRAYS_EVERY_MS } from './limits.ts';
import { type LeftOvers } from './processes.ts';
import { after } from './waits.ts';

export class Strays {
  readonly #leftOvers: LeftOvers;
  #names = new Set<string>();
  #round: Promise<void> | undefined;

  constructor(leftOvers: LeftOvers) {
    this.#leftOvers = leftOvers;
  }

  /** Ends what an ended command has left anywhere. Resolves when it has been killed; the command may start then. */
  end(name: string): Promise<void> {
    this.#names.add(name);
    this.#round ??= this.#next();
    return this.#round;
  }

  async #next(): Promise<void> {
    await after(STRAYS_EVERY_MS);
    const names = this.#names;
    this.#names = new Set();
    this.#round = undefined;
    const killed = await this.#leftOvers.end((name) => names.has(name));
    await this.#leftOvers.dead([...killed.values()].flat());
  }
}
