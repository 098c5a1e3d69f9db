/**
 * The host's calls to workers, from call to answer, over the deaths of workers: a repeatable call is repeated once the
 * worker is back, any other is rejected with BOSUN_WORKER_DOWN, and a call that was not sent yet waits.
 */
import { type Hearer } from '../actors/api/actor-handle.ts';
import { type Clock } from '../clock.ts';
import { BosunError } from '../errors.ts';
import { WORKER_CALLS_WAITING_MAX } from '../limits.ts';
import { type AnswerMessage, type CallMessage, errorOf, Outgoing, toldError, unpacked } from './call-messages.ts';
import { type Staff } from './staff.ts';

interface PendingHostCall {
  readonly call: CallMessage;
  readonly isRepeatable: boolean;
  isSent: boolean;
  word(what: unknown): void;
  answer(what: unknown): void;
  reject(error: BosunError): void;
}

/** The calls to one worker. */
interface WorkerChannel {
  readonly out: Outgoing<CallMessage>;
  /** Unanswered calls by number, in order, without sends. */
  readonly pending: Map<number, PendingHostCall>;
  /** Unanswered sends by number, in order: they are acknowledged together. */
  readonly sends: Map<number, PendingHostCall>;
  isUp: boolean;
}

export class HostCalls {
  readonly #lines: readonly WorkerChannel[];
  #number = 0;
  #closed: BosunError | undefined = new BosunError('BOSUN_SYSTEM_CLOSED', 'the system has not been started');

  constructor(staff: Staff, clock: Clock) {
    this.#lines = Array.from({ length: staff.count }, (_, worker) => ({
      out: new Outgoing<CallMessage>({
        clock,
        post: (bytes) => staff.post(worker, bytes),
        refused: ([number], error) => void taken(this.#lines[worker]!, number)?.reject(errorOf(toldError(error))),
      }),
      pending: new Map<number, PendingHostCall>(),
      sends: new Map<number, PendingHostCall>(),
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
   * Calls a worker.
   *
   * @param isRepeatable Whether repeating the call has no further effect. Rejects as the call does, and with
   * BOSUN_WORKER_DOWN, BOSUN_SYSTEM_CLOSED.
   */
  call(
    worker: number,
    name: string,
    args: readonly unknown[],
    { isRepeatable }: { readonly isRepeatable: boolean },
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#enter(worker, {
        call: [++this.#number, name, args],
        isRepeatable,
        isSent: false,
        word: IGNORED,
        answer: resolve,
        reject,
      });
    });
  }

  /**
   * Begins a call. `how` receives the outcome, unless the call was ended before.
   *
   * @returns A function that ends the call.
   */
  begin(
    worker: number,
    name: string,
    args: readonly unknown[],
    how: Pick<PendingHostCall, 'isRepeatable' | 'answer' | 'reject'>,
  ): () => void {
    return this.#begin(worker, [++this.#number, name, args], { ...how, word: IGNORED });
  }

  /**
   * Begins a long call, which goes on over deaths of the worker until it is ended. `hearer` receives its values.
   *
   * @returns A function that ends the call.
   */
  watch(worker: number, name: string, args: readonly unknown[], hearer: Hearer<unknown>): () => void {
    return this.#begin(worker, [++this.#number, name, args], {
      isRepeatable: true,
      word: (what) => hearer.next(what),
      answer: () => hearer.completed?.(),
      reject: (error) => hearer.lost?.(error),
    });
  }

  heard(worker: number, bytes: Uint8Array): void {
    const line = this.#lines[worker]!;
    for (const answer of unpacked<readonly AnswerMessage[]>(bytes)) {
      if (typeof answer === 'number') taken(line, answer)?.answer(undefined);
      else hear(line, answer);
    }
  }

  up(worker: number): void {
    const line = this.#lines[worker]!;
    line.isUp = true;
    for (const pending of unanswered(line)) this.#send(line, pending);
  }

  down(worker: number, why: BosunError): void {
    const line = this.#lines[worker]!;
    line.isUp = false;
    line.out.forget();
    for (const { call, isRepeatable, isSent, reject } of unanswered(line)) {
      if (isRepeatable || !isSent) continue;
      taken(line, call[0]);
      reject(
        new BosunError('BOSUN_WORKER_DOWN', `worker ${worker} died before it answered: ${why.message}`, {
          cause: why,
          details: { worker, unknownOutcome: true },
        }),
      );
    }
  }

  /** Rejects all waiting and all later calls. */
  close(reason: BosunError): void {
    this.#closed ??= reason;
    for (const line of this.#lines) {
      line.out.forget();
      const rejected = unanswered(line);
      line.pending.clear();
      line.sends.clear();
      for (const { reject } of rejected) reject(reason);
    }
  }

  #begin(worker: number, call: CallMessage, how: Omit<PendingHostCall, 'call' | 'isSent'>): () => void {
    this.#enter(worker, { ...how, call, isSent: false });
    const line = this.#lines[worker]!;
    return () => {
      if (line.pending.delete(call[0]) && line.isUp) line.out.say([call[0], null, []]);
    };
  }

  #enter(worker: number, pending: PendingHostCall): void {
    const line = this.#lines[worker]!;
    if (this.#closed !== undefined) {
      pending.reject(this.#closed);
      return;
    }
    if (!line.isUp && line.pending.size + line.sends.size >= WORKER_CALLS_WAITING_MAX) {
      pending.reject(
        new BosunError(
          'BOSUN_WORKER_DOWN',
          `worker ${worker} is down, and ${WORKER_CALLS_WAITING_MAX} calls wait for it already; try again later`,
          { details: { worker, unknownOutcome: false } },
        ),
      );
      return;
    }
    const [number, verb] = pending.call;
    (verb === 'send' ? line.sends : line.pending).set(number, pending);
    if (line.isUp) this.#send(line, pending);
  }

  #send({ out }: WorkerChannel, pending: PendingHostCall): void {
    pending.isSent = true;
    out.say(pending.call);
  }
}

/** All unanswered calls, in order. */
function unanswered({ pending, sends }: WorkerChannel): PendingHostCall[] {
  return [...pending.values(), ...sends.values()].sort((a, b) => a.call[0] - b.call[0]);
}

/** Takes out a call that is answered. */
function taken({ pending, sends }: WorkerChannel, number: number): PendingHostCall | undefined {
  const of = sends.has(number) ? sends : pending;
  const call = of.get(number);
  of.delete(number);
  return call;
}

function hear(line: WorkerChannel, answer: Exclude<AnswerMessage, number>): void {
  const [number, kind] = answer;
  switch (kind) {
    case 'word':
      return line.pending.get(number)?.word(answer[2]);
    case 'answer':
      return taken(line, number)?.answer(answer[2]);
    case 'error':
      return taken(line, number)?.reject(errorOf(answer[2]));
    case 'durable':
      for (const [sent, { answer: tell }] of line.sends) {
        if (sent > number) return;
        line.sends.delete(sent);
        tell(undefined);
      }
      return;
    case 'lost':
      for (const [sent, { reject }] of line.sends) {
        if (sent < answer[2].first || sent > number) continue;
        line.sends.delete(sent);
        reject(errorOf(answer[2].error));
      }
  }
}

/** Calls with one answer have no intermediate values. */
const IGNORED = (): void => {};
