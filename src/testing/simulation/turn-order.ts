/**
 * The order of turns, made by chance: who is next, for how long, and where an epoch ends. Each step of a plan has a
 * number of its own for it; 0 is the usual order.
 */
import { type TurnOrder } from '../../actors/model/ports.ts';
import { MESSAGES_PER_VISIT } from '../../limits.ts';
import { type SeededRandom } from '../seeded-random.ts';
import { chanceOf } from './keyed-chance.ts';

export class SeededOrder implements TurnOrder {
  #chance: SeededRandom | undefined;

  /**
   * Begins a step.
   *
   * @param order The seed of the order of turns; 0 for the usual order.
   */
  begin(order: number): void {
    this.#chance = order === 0 ? undefined : chanceOf(order, 'order');
  }

  next(waiting: number): number {
    return this.#chance === undefined || waiting === 1 ? 0 : this.#chance.integer(waiting);
  }

  messages(): number {
    return this.#chance === undefined ? MESSAGES_PER_VISIT : this.#chance.pick([1, 1, 2, MESSAGES_PER_VISIT]);
  }

  endsSlice(): boolean {
    return this.#chance !== undefined && this.#chance.next() < 0.1;
  }
}
