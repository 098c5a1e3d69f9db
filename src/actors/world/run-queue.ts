/** The run queue: cells that may take a turn, in order. A cell knows whether it is in it, and is in it once. */
import { Queue } from '../model/queue.ts';

export class RunQueue<T extends { queued: boolean }> {
  readonly #cells = new Queue<T>();

  get size(): number {
    return this.#cells.size;
  }

  push(cell: T): void {
    cell.queued = true;
    this.#cells.push(cell);
  }

  /** Puts a cell in front of all others. */
  unshift(cell: T): void {
    cell.queued = true;
    this.#cells.unshift(cell);
  }

  shift(): T | undefined {
    return left(this.#cells.shift());
  }

  /** Removes the cell at an index and leaves the others in order. */
  take(place: number): T | undefined {
    return left(this.#cells.take(place));
  }
}

function left<T extends { queued: boolean }>(cell: T | undefined): T | undefined {
  if (cell !== undefined) cell.queued = false;
  return cell;
}
