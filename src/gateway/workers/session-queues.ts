/**
 * Sends of a session, which are numbered over all workers while each worker knows only those that came to it. So they
 * are on their way to one worker at a time: who sends to another waits until all before are durable. Then the highest
 * number that any worker knows is the last one accepted, and a death of any of them, or of all, loses and doubles
 * nothing.
 */
import { type Clock } from '../../clock.ts';
import { SESSION_QUEUES_MAX, SESSION_SILENT_MS } from '../../limits.ts';
import { type Caller } from '../client/callers.ts';

/** Who waits for its turn. */
interface WaitingSend {
  /** Undefined: with nothing else under way. */
  readonly worker: number | undefined;
  /** Resolves with what tells who waits. */
  go(): Promise<() => void>;
  fail(error: unknown): void;
}

interface SessionQueue {
  readonly ask: () => Promise<number>;
  /** At least up to this number all have been accepted. */
  accepted: number;
  /**
   * More may have been: a send that was refused may have used up its number, or not. The workers are asked once nothing
   * is under way.
   */
  isDoubtful: boolean;
  usedMs: number;
  /** Where those under way go. */
  worker: number | undefined;
  underWay: number;
  readonly waiting: WaitingSend[];
}

interface SessionQueuesParts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** The highest number that any worker has accepted. */
  readonly ask: (caller: Caller, session: string) => Promise<number>;
}

export class SessionQueues {
  readonly #parts: SessionQueuesParts;
  /** By caller and session; the one that was used longest ago comes first. */
  readonly #lines = new Map<string, SessionQueue>();

  constructor(parts: SessionQueuesParts) {
    this.#parts = parts;
  }

  /** How many are remembered. */
  get size(): number {
    return this.#lines.size;
  }

  /** The last one accepted, once nothing of the session is under way. */
  last(caller: Caller, session: string): Promise<number> {
    const line = this.#line(caller, session);
    line.isDoubtful = true;
    return this.#wait(line, undefined, () => Promise.resolve(line.accepted));
  }

  /**
   * @param go Sends, told up to which number all have been accepted. Sends to one worker are handed on in their order.
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
      // Of those under way their worker knows better than anybody.
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

/** What cannot be learned refuses all who wait for it. */
async function learn(line: SessionQueue): Promise<() => void> {
  try {
    line.accepted = await line.ask();
    line.isDoubtful = false;
    return () => {};
  } catch (error) {
    return () => line.waiting.splice(0).forEach(({ fail }) => fail(error));
  }
}
