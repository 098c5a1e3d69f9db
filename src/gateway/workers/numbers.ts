/**
 * One range for the numbers that each worker assigns itself (of dead letters, orders and turns): workers take turns, as
 * if a round over all workers assigned them. So a shown number identifies its worker, and the numbers of each worker
 * increase.
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

  /** The highest own number whose shown one is not above `shown`; 0 if all are. */
  upTo(shown: number, worker: number): number {
    return Math.floor((shown - 1 - worker) / this.#count) + 1;
  }

  /** Rows of a worker with shown numbers. */
  of<Row extends { readonly number: number }>(worker: number, rows: readonly Row[]): Row[] {
    return rows.map((row) => ({ ...row, number: this.shown({ worker, number: row.number }) }));
  }
}
