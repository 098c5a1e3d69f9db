/**
 * Pages of a window, each of them a live topic: the first one, and as many behind it as a person has asked for. A page
 * begins where the one before it ends at present, so that together they have every row. The page before stays while
 * its successor is loaded, so that nobody who reads loses the place.
 */
import { type ReadonlySignal } from '@preact/signals';
import { rowsInOrder, type WindowPage } from '../gateway/protocol/window-page.ts';
import { type Part } from './part.ts';

/** The rows of a window as far as they are loaded. */
export interface WindowRows<Row> extends Part<Row> {
  /** Number of rows of the whole window. */
  readonly size: number;
  /** Whether there are further pages. */
  readonly hasMore: boolean;
}

/** The rows of some pages, in the order of the window. A row on two pages is that of the first of them. */
export function windowRows<Row>(pages: readonly WindowPage<Row>[]): WindowRows<Row> | undefined {
  const [first] = pages;
  if (first === undefined) return undefined;
  const byKey = Object.fromEntries(pages.toReversed().flatMap((page) => Object.entries(page.rows)));
  const rows = rowsInOrder({ ...first, rows: byKey });
  return { rows, size: first.size, left: Math.max(0, first.size - rows.length), hasMore: pages.at(-1)!.next !== null };
}

/** A topic that others may watch too. */
interface Topic {
  readonly live: ReadonlySignal<{ readonly view: unknown; readonly error: Error | undefined }>;
  readonly release: () => void;
}

interface Place<Row> {
  readonly topic: string;
  readonly of: Topic;
  readonly stop: () => void;
  /** The last page that was loaded here, of this topic or of the one before. */
  page: WindowPage<Row> | undefined;
}

interface Surroundings<Row> {
  /** The topic of the page that begins after a key; undefined for the first page. */
  readonly topicOf: (after: string | undefined) => string;
  readonly share: (topic: string) => Topic;
  readonly changed: (pages: readonly WindowPage<Row>[], error: Error | undefined) => void;
}

/** Follows the pages of one window. */
export class WindowPages<Row> {
  readonly #around: Surroundings<Row>;
  readonly #places: Place<Row>[] = [];
  #wanted = 1;
  #isUpdating = false;

  constructor(around: Surroundings<Row>) {
    this.#around = around;
  }

  /** Shows a number of pages, from the first one on. */
  show(wanted: number): void {
    this.#wanted = wanted;
    this.#update();
  }

  stop(): void {
    this.#drop(0);
  }

  #update(): void {
    // Subscribing calls back at once.
    if (this.#isUpdating) return;
    this.#isUpdating = true;
    let after: string | null | undefined;
    let at = 0;
    for (; at < this.#wanted && after !== null; at++) {
      const place = this.#follow(at, this.#around.topicOf(after));
      place.page = (place.of.live.peek().view as WindowPage<Row> | undefined) ?? place.page;
      after = place.page === undefined ? null : place.page.next;
    }
    this.#drop(at);
    this.#isUpdating = false;
    const pages = this.#places.flatMap(({ page }) => page ?? []);
    this.#around.changed(
      pages,
      this.#places.map(({ of }) => of.live.peek().error).find((error) => error !== undefined),
    );
  }

  #follow(at: number, topic: string): Place<Row> {
    const known = this.#places[at];
    if (known?.topic === topic) return known;
    const of = this.#around.share(topic);
    let isFirst = true;
    const stop = of.live.subscribe(() => {
      if (!isFirst) this.#update();
    });
    isFirst = false;
    known?.stop();
    known?.of.release();
    return (this.#places[at] = { topic, of, stop, page: known?.page });
  }

  #drop(from: number): void {
    for (const { stop, of } of this.#places.splice(from)) {
      stop();
      of.release();
    }
  }
}
