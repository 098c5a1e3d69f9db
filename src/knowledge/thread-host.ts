/**
 * The host's side of a search thread: requests and their answers, a bound on how many are open, and the end of either
 * side. The host's loop only passes messages on.
 */
import { Worker } from 'node:worker_threads';
import { BosunError, messageOf } from '../errors.ts';
import { QUESTIONS_OPEN_MAX, THREAD_MEGABYTES_MAX } from './limits.ts';
import { type FromThread, type Requests, type ThreadData, type ToThread } from './thread-messages.ts';

/** The module of the thread. It is beside this file, in sources and package alike. */
const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './search-thread.ts' : './search-thread.js', import.meta.url);

export interface ThreadHostParts {
  /** Called when the thread has ended by itself. */
  readonly ended: (why: BosunError) => void;
  /** Called whenever all folders are in the index. */
  readonly completed: () => void;
  /** The script of the thread, for tests in which Node may not read TypeScript. */
  readonly entry: URL | undefined;
}

interface OpenRequest {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
  readonly forget: () => void;
}

export class ThreadHost {
  readonly #parts: ThreadHostParts;
  readonly #open = new Map<number, OpenRequest>();
  readonly #worker: Worker;
  #lastId = 0;
  #end: BosunError | undefined;
  #died: unknown;

  constructor(data: ThreadData, parts: ThreadHostParts) {
    this.#parts = parts;
    this.#worker = new Worker(parts.entry ?? ENTRY, {
      workerData: data,
      name: 'bosun knowledge',
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MEGABYTES_MAX },
    });
    // Whoever waits for an answer keeps the process alive; an index alone does not.
    this.#worker.unref();
    this.#worker.on('message', (message: FromThread) => this.#hear(message));
    this.#worker.on('error', (error) => (this.#died = error));
    this.#worker.on('exit', () => this.#exited());
  }

  /** Sends a request to the thread. Rejects when the signal is aborted; the answer is then dropped. */
  request<Name extends keyof Requests>(
    is: Name,
    input: Requests[Name]['input'],
    signal?: AbortSignal,
  ): Promise<Requests[Name]['answer']> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    if (this.#open.size >= QUESTIONS_OPEN_MAX) {
      const message = `${QUESTIONS_OPEN_MAX} questions already wait for the knowledge of this process; ask again later`;
      return Promise.reject(new BosunError('BOSUN_KNOWLEDGE_FULL', message));
    }
    return new Promise((resolve, reject) => {
      const id = (this.#lastId += 1);
      const abort = () => this.#settle(id)?.reject(signal!.reason);
      signal?.addEventListener('abort', abort, { once: true });
      this.#open.set(id, { resolve, reject, forget: () => signal?.removeEventListener('abort', abort) });
      this.#worker.ref();
      this.post({ is, id, input } as ToThread);
    });
  }

  post(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  /** Ends the thread; open requests reject with the reason. */
  async close(why: BosunError): Promise<void> {
    this.#finish(why);
    await this.#worker.terminate();
  }

  #hear(message: FromThread): void {
    if (message.is === 'complete') this.#parts.completed();
    else if (message.is === 'answer') this.#settle(message.id)?.resolve(message.answer as never);
    else this.#settle(message.id)?.reject(new BosunError('BOSUN_KNOWLEDGE_FAILED', message.message));
  }

  #settle(id: number): OpenRequest | undefined {
    const request = this.#open.get(id);
    this.#open.delete(id);
    if (this.#open.size === 0) this.#worker.unref();
    request?.forget();
    return request;
  }

  #exited(): void {
    if (this.#end !== undefined) return;
    const why =
      this.#died === undefined ? 'the search thread ended' : `the search thread died: ${messageOf(this.#died)}`;
    const error = new BosunError('BOSUN_KNOWLEDGE_FAILED', why, { cause: this.#died });
    this.#finish(error);
    this.#parts.ended(error);
  }

  #finish(why: BosunError): void {
    this.#end ??= why;
    for (const id of [...this.#open.keys()]) this.#settle(id)?.reject(why);
  }
}
