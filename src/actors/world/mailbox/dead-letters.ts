/**
 * Dead letters: every event that reached nobody or was quarantined, with the reason, in one durable list. Quarantined
 * messages and the others have a bound each, so that a flood of one kind does not displace the other; the oldest makes
 * room for the newest.
 */
import { type EventObject } from 'xstate';
import { DEAD_LETTERS_MAX, QUARANTINE_MESSAGES_MAX } from '../../../limits.ts';
import {
  concealedLetter,
  type DeadLetter,
  deadLetterOf,
  type DeadLetterRow,
  type NewDeadLetter,
} from './dead-letter.ts';
import { KEYSPACE } from '../../model/ports.ts';
import { rowKey } from '../../model/row-keys.ts';
import { type Surroundings } from '../surroundings.ts';

type Needs = Pick<Surroundings, 'audience' | 'draft' | 'next' | 'time' | 'wake'>;

export class DeadLetters {
  readonly #world: Needs;
  readonly #rows = new Map<number, DeadLetterRow>();
  /** Numbers, oldest first. */
  readonly #quarantined = new Set<number>();
  readonly #others = new Set<number>();
  /** Called once a letter is durable. */
  readonly watchers = new Set<(letter: DeadLetter) => void>();

  constructor(world: Needs) {
    this.#world = world;
  }

  load(number: number, row: DeadLetterRow): void {
    this.#rows.set(number, row);
    this.#classOf(row).add(number);
  }

  /** Adds a letter. Everything in it has been admitted. */
  add(facts: NewDeadLetter): void {
    const number = this.#world.next('quarantine');
    const row: DeadLetterRow = { ...facts, atMs: this.#world.time.nowMs() };
    this.load(number, row);
    const life = 'message' in row ? row.message[0] : row.action.life;
    this.#world.draft.putOf(life, rowKey(KEYSPACE.deadLetters, number), row, (conceal) =>
      concealedLetter(row, conceal),
    );
    const kin = this.#classOf(row);
    const [oldest] = kin;
    if (kin.size > (kin === this.#quarantined ? QUARANTINE_MESSAGES_MAX : DEAD_LETTERS_MAX)) this.remove(oldest!);
    // Wakes the loop even if no turn follows, because the letter has to become durable.
    this.#world.wake();
    if (this.watchers.size === 0) return;
    const letter = deadLetterOf(number, row);
    this.#world.draft.output(() => {
      for (const watcher of [...this.watchers]) this.#world.audience.guarded(() => watcher(letter));
    });
  }

  /** Adds an event whose receiver has ended. */
  undeliverable(to: { readonly life: number; readonly address: string }, event: EventObject, from: number): void {
    this.add({
      reason: 'undeliverable',
      address: to.address,
      error: undefined,
      message: [to.life, 'event', event, from, 0, 0],
    });
  }

  row(number: number): DeadLetterRow | undefined {
    return this.#rows.get(number);
  }

  remove(number: number): void {
    const row = this.#rows.get(number);
    if (row === undefined) return;
    this.#rows.delete(number);
    this.#classOf(row).delete(number);
    this.#world.draft.remove(rowKey(KEYSPACE.deadLetters, number));
  }

  /** Removes letters for which `drop` returns true. */
  removeWhere(drop: (row: DeadLetterRow) => boolean): void {
    for (const [number, row] of [...this.#rows]) if (drop(row)) this.remove(number);
  }

  #classOf({ reason }: DeadLetterRow): Set<number> {
    return reason === 'quarantined' ? this.#quarantined : this.#others;
  }
}
