/**
 * The host's calls to workers, from the call to its answer, over the deaths of workers: what may be done twice is
 * called again once the worker is back, what may not is rejected with BOSUN_WORKER_DOWN, and what had not been sent yet
 * waits.
 */
import { type Clock } from '../clock.ts';
import { BosunError } from '../errors.ts';
import { WORKER_CALLS_WAITING_MAX } from '../limits.ts';
import {
  type AnswerMessage,
  type CallMessage,
  errorOf,
  WORKER_GATEWAY,
  Outgoing,
  type ToldError,
  unpacked,
} from './call-messages.ts';
import { type Staff } from './staff.ts';
import { type Verb, type HostVerbs, type HostWatch, type Watches } from './host-verbs.ts';

interface PendingHostCall {
  readonly call: CallMessage;
  readonly isRepeatable: boolean;
  isSent: boolean;
  word(what: unknown): void;
  answer(what: unknown): void;
  reject(error: BosunError): void;
}

/** One worker. */
interface WorkerChannel {
  readonly out: Outgoing<CallMessage>;
  /** By number, in the order of the calls. */
  readonly pending: Map<number, PendingHostCall>;
  isUp: boolean;
}

/** What hears a call that goes on. `completed`: the actor is gone. `lost`: it cannot be heard any more, and why. */
export interface Hearer<Word> {
  next(word: Word): void;
  completed?: (() => void) | undefined;
  lost?: ((error: BosunError) => void) | undefined;
}

type Arguments<V extends Verb> = Parameters<HostVerbs[V]>;
type Result<V extends Verb> = Awaited<ReturnType<HostVerbs[V]>>;

export class HostCalls {
  readonly #lines: readonly WorkerChannel[];
  #number = 0;
  #closed: BosunError | undefined = new BosunError('BOSUN_SYSTEM_CLOSED', 'the system has not been started');

  constructor(staff: Staff, clock: Clock) {
    this.#lines = Array.from({ length: staff.count }, (_, worker) => ({
      out: new Outgoing<CallMessage>(clock, (bytes) => staff.post(worker, bytes)),
      pending: new Map<number, PendingHostCall>(),
      isUp: false,
    }));
  }

  open(): void {
    this.#closed = undefined;
  }

  isUp(worker: number): boolean {
    return this.#lines[worker]!.isUp;
  }

  /**
   * @param isRepeatable It changes nothing, or nothing a second time. Rejects as the verb does, and with
   *   BOSUN_WORKER_DOWN, BOSUN_SYSTEM_CLOSED.
   */
  call<V extends Verb>(
    worker: number,
    verb: V,
    args: Arguments<V>,
    { isRepeatable }: { readonly isRepeatable: boolean },
  ): Promise<Result<V>> {
    return new Promise((resolve, reject) => {
      this.#enter(worker, [++this.#number, verb, args], {
        isRepeatable,
        word: IGNORED,
        answer: (what) => resolve(what as Result<V>),
        reject,
      });
    });
  }

  /**
   * Begins a call of the worker gateway beside a worker's system. `how` tells what comes of it, unless it has been
   * ended before. @returns What ends it.
   */
  workerGateway(
    worker: number,
    verb: string,
    args: readonly unknown[],
    how: Pick<PendingHostCall, 'isRepeatable' | 'answer' | 'reject'>,
  ): () => void {
    return this.#begin(worker, [++this.#number, WORKER_GATEWAY, [verb, ...args]], { ...how, word: IGNORED });
  }

  /**
   * Begins a call that goes on over deaths of the worker, until it is ended. Resolves with its first word, which has
   * been told then, or, of one that need not have any, when it is sent. @returns What ends it.
   */
  watch<W extends HostWatch>(
    worker: number,
    watch: W,
    args: Parameters<Watches[W]>,
    hearer: Hearer<ReturnType<Watches[W]>>,
  ): () => void {
    const lost = (error: BosunError) => hearer.lost?.(error);
    return this.#begin(worker, [++this.#number, watch, args], {
      isRepeatable: true,
      word: (what) => hearer.next(what as ReturnType<Watches[W]>),
      answer: () => hearer.completed?.(),
      reject: lost,
    });
  }

  heard(worker: number, bytes: Uint8Array): void {
    const { pending } = this.#lines[worker]!;
    for (const answer of unpacked<readonly AnswerMessage[]>(bytes)) {
      const [number, kind, what] = typeof answer === 'number' ? ([answer, 'answer', undefined] as const) : answer;
      const call = pending.get(number);
      if (kind === 'word') call?.word(what);
      else {
        pending.delete(number);
        if (kind === 'answer') call?.answer(what);
        else call?.reject(errorOf(what as ToldError));
      }
    }
  }

  up(worker: number): void {
    const line = this.#lines[worker]!;
    line.isUp = true;
    for (const pending of line.pending.values()) this.#send(line, pending);
  }

  down(worker: number, why: BosunError): void {
    const line = this.#lines[worker]!;
    line.isUp = false;
    line.out.forget();
    for (const [number, { isRepeatable, isSent, reject }] of [...line.pending]) {
      if (isRepeatable || !isSent) continue;
      line.pending.delete(number);
      reject(
        new BosunError('BOSUN_WORKER_DOWN', `worker ${worker} died before it answered: ${why.message}`, {
          cause: why,
          details: { worker, unknownOutcome: true },
        }),
      );
    }
  }

  /** Rejects all that waits and all that is called from now on. */
  close(reason: BosunError): void {
    this.#closed ??= reason;
    for (const { pending, out } of this.#lines) {
      out.forget();
      for (const { reject } of pending.values()) reject(reason);
      pending.clear();
    }
  }

  #begin(worker: number, call: CallMessage, how: Omit<PendingHostCall, 'call' | 'isSent'>): () => void {
    this.#enter(worker, call, how);
    const line = this.#lines[worker]!;
    return () => {
      if (line.pending.delete(call[0]) && line.isUp) line.out.say([call[0], null, []]);
    };
  }

  #enter(worker: number, call: CallMessage, how: Omit<PendingHostCall, 'call' | 'isSent'>): void {
    const line = this.#lines[worker]!;
    if (this.#closed !== undefined) {
      how.reject(this.#closed);
      return;
    }
    if (!line.isUp && line.pending.size >= WORKER_CALLS_WAITING_MAX) {
      how.reject(
        new BosunError(
          'BOSUN_WORKER_DOWN',
          `${WORKER_CALLS_WAITING_MAX} calls wait for worker ${worker} to be started again`,
          { details: { worker, unknownOutcome: false } },
        ),
      );
      return;
    }
    const pending = { ...how, call, isSent: false };
    line.pending.set(call[0], pending);
    if (line.isUp) this.#send(line, pending);
  }

  #send({ out }: WorkerChannel, pending: PendingHostCall): void {
    pending.isSent = true;
    out.say(pending.call);
  }
}

/** Of a call with one answer. */
const IGNORED = (): void => {};
