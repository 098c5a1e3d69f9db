/**
 * The leftovers of ended actors: their results, records and kept turns. Removes in slices, beside the turns, what
 * nothing points to any more or what is too old.
 */
import { type RecordSpans } from '../model/records.ts';
import { type EndedActor } from './cell.ts';
import { type Records } from './records.ts';
import { type Results } from './results.ts';
import { type KeptTurns } from './tracing/kept-turns.ts';

interface Needs {
  readonly results: Results;
  readonly records: Records;
  readonly tracing: { readonly kept: KeptTurns };
}

export class Leftovers {
  readonly #world: Needs;

  constructor(world: Needs) {
    this.#world = world;
  }

  /** Removes the records and kept turns of an ended actor, slice by slice. */
  forget(ended: EndedActor, spans: RecordSpans | null | undefined): void {
    this.#world.tracing.kept.forget(ended);
    this.#world.records.purge(ended, spans ?? {});
  }

  /** Removes the next slice. */
  tidy(): void {
    this.#world.results.tidy();
    this.#world.records.tidy();
  }

  /** Whether there is more to remove at once. */
  get isBusy(): boolean {
    return this.#world.results.isBusy || this.#world.records.isBusy;
  }

  /** Whether rows are being read that are to be removed. */
  get isReading(): boolean {
    return (this.#world.results.reading ?? this.#world.records.reading) !== undefined;
  }
}
