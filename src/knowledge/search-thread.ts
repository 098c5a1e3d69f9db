/**
 * The script of the search thread. It reads folders and records in slices and answers between them, so that a question
 * never waits for the index. It keeps nothing: what it knows is read again by the next thread.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { assert } from '../assert.ts';
import { systemClock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { Finder } from './finder.ts';
import { Folder } from './folder.ts';
import { SLICE_MS } from './limits.ts';
import {
  type FromThread,
  type KnowledgeReport,
  type Requests,
  type ThreadData,
  type ToThread,
} from './thread-messages.ts';
import { TreeWatch } from './watch.ts';

assert(parentPort !== null, 'this module is the thread of a search');
const host: MessagePort = parentPort;
const data = workerData as ThreadData;

class SearchService {
  readonly #finder = new Finder();
  readonly #folders = data.folders.map(({ scope, path }) => new Folder(scope, path, this.#finder));
  readonly #watches = new Map<Folder, TreeWatch>();
  /** Folders to read; the first one is being read. */
  readonly #unread = new Set(this.#folders);
  #reading: { readonly folder: Folder; readonly steps: Generator<void, void> } | undefined;
  /** Requests that wait until all folders have been read. */
  readonly #waiting: number[] = [];
  #isAtWork = false;

  /** Works until all folders have been read, one slice at a time. */
  work(): void {
    if (this.#isAtWork) return;
    this.#isAtWork = true;
    const slice = () => {
      const endMs = systemClock.monotonicMs() + SLICE_MS;
      let isMore = true;
      while (isMore && systemClock.monotonicMs() < endMs) isMore = this.#step();
      // Messages that have come in are heard before the next slice.
      if (isMore) return systemClock.defer(slice);
      this.#isAtWork = false;
      this.#finish();
    };
    systemClock.defer(slice);
  }

  get #isComplete(): boolean {
    return this.#unread.size === 0 && this.#reading === undefined;
  }

  /**
   * Does a small piece of work.
   *
   * @returns Whether more work is left.
   */
  #step(): boolean {
    if (this.#reading === undefined) {
      const [folder] = this.#unread;
      if (folder === undefined) return false;
      this.#unread.delete(folder);
      this.#reading = { folder, steps: folder.refresh() };
    }
    const { folder, steps } = this.#reading;
    if (steps.next().done !== true) return true;
    this.#reading = undefined;
    this.#watch(folder);
    return true;
  }

  #finish(): void {
    say({ is: 'complete' });
    for (const id of this.#waiting.splice(0)) say({ is: 'answer', id, answer: this.#report() });
  }

  answer(message: ToThread): void {
    const { id } = message;
    try {
      if (message.is === 'refresh') {
        for (const folder of this.#folders) this.#unread.add(folder);
        this.#waiting.push(id);
        this.work();
      } else say({ is: 'answer', id, answer: this.#answerTo(message) });
    } catch (error) {
      // One question that fails is refused; the index is as it was.
      say({ is: 'refused', id, message: messageOf(error) });
    }
  }

  #answerTo(message: Extract<ToThread, { readonly is: Exclude<keyof Requests, 'refresh'> }>) {
    const complete = this.#isComplete;
    if (message.is === 'retrieve') return { evidence: this.#finder.evidenceFor(message.input), complete };
    if (message.is === 'framework') return this.#finder.placeOf(message.input) ?? null;
    if (message.is === 'report') return this.#report();
    const times = this.#folders.map((folder) => folder.changedAtMs());
    return times.every((ms) => ms !== null) ? Math.max(...times) : null;
  }

  #report(): KnowledgeReport {
    const isWatching = data.isWatching && [...this.#watches.values()].every(({ isWhole }) => isWhole);
    return { folders: this.#folders.map((folder) => folder.report()), complete: this.#isComplete, isWatching };
  }

  #watch(folder: Folder): void {
    if (!data.isWatching) return;
    let watch = this.#watches.get(folder);
    if (watch === undefined) {
      watch = new TreeWatch(folder.path, systemClock, () => {
        this.#unread.add(folder);
        this.work();
      });
      this.#watches.set(folder, watch);
    }
    watch.watch(folder.directories());
  }
}

function say(message: FromThread): void {
  host.postMessage(message);
}

const service = new SearchService();
host.on('message', (message: ToThread) => service.answer(message));
service.work();
