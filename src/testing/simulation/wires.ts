/**
 * The wires between workers, made by chance: which line is next, and how long a line stands still. Frames of one line
 * keep their order, as those of a message port do; those of different lines do not. Limit: a frame is lost with its
 * receiver and in no other way.
 */
import { type SeededRandom } from '../seeded-random.ts';
import { type Wires } from '../spread-test-system.ts';
import { type VirtualClock } from '../virtual-clock.ts';
import { chanceOf } from './keyed-chance.ts';

/** The probability that nothing arrives on a line in a round. */
const LATER = 0.3;

export class SeededWires implements Wires {
  readonly #clock: VirtualClock;
  /** Frames in transit, by line. Lines without frames have no entry. */
  readonly #lines = new Map<string, (() => void)[]>();
  readonly #still = new Set<string>();
  #chance: SeededRandom | undefined;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  /**
   * Begins a step.
   *
   * @param order The seed of delays; with 0, every frame arrives in the next round.
   */
  begin(order: number): void {
    this.#chance = order === 0 ? undefined : chanceOf(order, 'wires');
  }

  travel(line: string, arrive: () => void): void {
    const frames = this.#lines.get(line);
    if (frames === undefined) this.#lines.set(line, [arrive]);
    else frames.push(arrive);
    this.#soon();
  }

  /** Delays all frames on a line for a while. */
  delay(line: string, forMs: number): void {
    if (this.#still.has(line)) return;
    this.#still.add(line);
    this.#clock.setTimeout(() => this.#goOn(line), forMs);
  }

  heal(): void {
    for (const line of [...this.#still]) this.#goOn(line);
  }

  #goOn(line: string): void {
    if (!this.#still.delete(line)) return;
    for (const _ of this.#lines.get(line) ?? []) this.#soon();
  }

  /** Delivers each frame in a round of its own, so that every frame has arrived when no work is deferred any more. */
  #soon(): void {
    this.#clock.defer(() => {
      if (this.#chance !== undefined && this.#chance.next() < LATER) this.#soon();
      else this.#next();
    });
  }

  #next(): void {
    const ready = [...this.#lines.keys()].filter((line) => !this.#still.has(line));
    // The frame of this round is on a line that stands still, and has its round when that goes on.
    if (ready.length === 0) return;
    const line = this.#chance === undefined ? ready[0]! : this.#chance.pick(ready);
    const frames = this.#lines.get(line)!;
    const arrive = frames.shift()!;
    if (frames.length === 0) this.#lines.delete(line);
    arrive();
  }
}
