/**
 * Sends of sessions over several workers. A session numbers its sends over all workers, while each worker knows only
 * the sends that it received. So the sends of a session go to one worker at a time: a send to another worker waits
 * until all before it are durable. Then the highest number known to any worker is the last one accepted, and no death
 * of workers loses or duplicates a send.
 */
import { type Clock } from '../../clock.ts';
import { SESSION_QUEUES_MAX, SESSION_SILENT_MS } from '../limits.ts';
import { type Caller } from '../callers/callers.ts';

/** A send that waits for its turn. */
interface WaitingSend {
  /** The worker that receives the send. Undefined for a question to all workers, which needs the session idle. */
  readonly worker: number | undefined;
  /** Starts; resolves with a function that reports the result to the caller. */
  go(): Promise<() => void>;
  fail(error: unknown): void;
}

interface SessionQueue {
  readonly ask: () => Promise<number>;
  /** All sends up to this number, at least, have been accepted. */
  accepted: number;
  /**
   * Whether later numbers may have been accepted, since a refused send may have used up its number. The workers are
   * asked once no send is under way.
   */
  isDoubtful: boolean;
  usedMs: number;
  /** The worker of the sends under way. */
  worker: number | undefined;
  underWay: number;
  readonly waiting: WaitingSend[];
}

interface SessionQueuesParts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Asks every worker for its highest accepted number, and returns the highest of all. */
  readonly ask: (caller: Caller, session: string) => Promise<number>;
}

export class SessionQueues {
  readonly #parts: SessionQueuesParts;
  /** Queues by caller and session, the least recently used first. */
  readonly #lines = new Map<string, SessionQueue>();

  constructor(parts: SessionQueuesParts) {
    this.#parts = parts;
  }

  /** The number of remembered sessions. */
  get size(): number {
    return this.#lines.size;
  }

  /** Number of the last accepted send, once no send of the session is under way. */
  last(caller: Caller, session: string): Promise<number> {
    const line = this.#line(caller, session);
    line.isDoubtful = true;
    return this.#wait(line, undefined, () => Promise.resolve(line.accepted));
  }

  /**
   * Sends in order.
   *
   * @param go Sends, given the number up to which all sends have been accepted. Sends to one worker are passed on in
   * order.
   */
  send<T>(
    caller: Caller,
    { id, sequence }: { readonly id: string; readonly sequence: number },
    worker: number,
    go: (accepted: number) => Promise<T>,
  ): Promise<T> {
    const line = this.#line(caller, id);
    return this.#wait(line, worker, async () => {
      try {
        const result = await go(line.accepted);
        line.accepted = Math.max(line.accepted, sequence);
        return result;
      } catch (error) {
        line.isDoubtful = true;
        throw error;
      }
    });
  }

  #wait<T>(line: SessionQueue, worker: number | undefined, go: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      line.waiting.push({
        worker,
        go: () =>
          go().then(
            (done) => () => resolve(done),
            (error: unknown) => () => reject(error),
          ),
        fail: reject,
      });
      this.#goOn(line);
    });
  }

  #goOn(line: SessionQueue): void {
    for (let next = line.waiting[0]; next !== undefined; next = line.waiting[0]) {
      if (line.underWay > 0 && (next.worker === undefined || next.worker !== line.worker)) return;
      // While sends are under way, their worker knows the numbers best.
      if (line.underWay === 0 && line.isDoubtful) return this.#enter(line, undefined, () => learn(line));
      line.waiting.shift();
      this.#enter(line, next.worker, () => next.go());
    }
  }

  #enter(line: SessionQueue, worker: number | undefined, work: () => Promise<() => void>): void {
    line.worker = worker;
    line.underWay += 1;
    void work().then((tell) => {
      line.underWay -= 1;
      tell();
      this.#goOn(line);
    });
  }

  #line(caller: Caller, session: string): SessionQueue {
    const key = `${caller.id}\0${session}`;
    const nowMs = this.#parts.clock.monotonicMs();
    const line = this.#lines.get(key) ?? {
      ask: () => this.#parts.ask(caller, session),
      accepted: 0,
      isDoubtful: true,
      usedMs: nowMs,
      worker: undefined,
      underWay: 0,
      waiting: [],
    };
    if (nowMs - line.usedMs > SESSION_SILENT_MS) line.isDoubtful = true;
    line.usedMs = nowMs;
    this.#lines.delete(key);
    this.#lines.set(key, line);
    if (this.#lines.size > SESSION_QUEUES_MAX) this.#forgetOne();
    return line;
  }

  #forgetOne(): void {
    for (const [key, { underWay, waiting }] of this.#lines) {
      if (underWay > 0 || waiting.length > 0) continue;
      this.#lines.delete(key);
      return;
    }
  }
}

/** Asks the workers for the last number. If that fails, all waiting sends are refused. */
async function learn(line: SessionQueue): Promise<() => void> {
  try {
    line.accepted = await line.ask();
    line.isDoubtful = false;
    return () => {};
  } catch (error) {
    return () => line.waiting.splice(0).forEach(({ fail }) => fail(error));
  }
}
