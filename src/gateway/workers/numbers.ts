/**
 * Numbers that each worker gives out by itself (of dead letters, orders and turns), as one range: the n-th of a worker
 * is the one that a round of all workers would have given it. So they say their worker, and rise for each.
 */

export interface Own {
  readonly worker: number;
  readonly number: number;
}

export class Numbers {
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  shown({ worker, number }: Own): number {
    return (number - 1) * this.#count + worker + 1;
  }

  own(shown: number): Own {
    return { worker: (shown - 1) % this.#count, number: Math.floor((shown - 1) / this.#count) + 1 };
  }

  /** The highest own number whose shown one is not above `shown`; 0 where all are. */
  upTo(shown: number, worker: number): number {
    return Math.floor((shown - 1 - worker) / this.#count) + 1;
  }

  /** What a worker tells, with the numbers that are shown. */
  of<Row extends { readonly number: number }>(worker: number, rows: readonly Row[]): Row[] {
    return rows.map((row) => ({ ...row, number: this.shown({ worker, number: row.number }) }));
  }
}
