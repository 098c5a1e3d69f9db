/**
 * Takes a call from wherever it came (WebSocket, HTTP), checks who calls, what and with what, sees to its key and its
 * deadline, and has it carried out. One for a gateway; it knows no sockets.
 */
import { type Cancel, type Clock } from '../clock.ts';
import { BosunError } from '../errors.ts';
import { CALL_MS, CALLS_WAITING_MAX } from '../limits.ts';
import { type Session } from '../actors/mailbox/arrival.ts';
import { type Call, type CallParts, handlersOf, Marked, Over } from './calls.ts';
import { type Caller, checkScope } from './callers.ts';
import { type MethodName, type MethodRow, rowOf } from './methods.ts';
import { type Repeatable } from './repeats.ts';
import { firstIssue, invalid } from './wire-errors.ts';

/** A call as it came in. */
export interface CallRequest {
  readonly caller: Caller;
  readonly method: string;
  readonly params: unknown;
  readonly session?: Session | undefined;
  readonly key?: string | undefined;
  readonly deadlineMs?: number | undefined;
}

export interface CallDeskParts extends CallParts {
  readonly clock: Clock;
  /** Whether methods that destroy may be called at all. */
  readonly destructive: boolean;
}

/** Their answers are kept by the store, or are what the second call finds. */
const KEYS_OF_THEIR_OWN: ReadonlySet<string> = new Set<MethodName>(['actor.send', 'actor.ask']);

type Handler = (params: unknown, call: Call) => unknown;

export class CallDesk {
  readonly #parts: CallDeskParts;
  readonly #handlers: Readonly<Record<MethodName, Handler>>;
  /** Calls under way, by caller; also those that nobody waits for any more. */
  readonly #waiting = new Map<string, number>();

  constructor(parts: CallDeskParts) {
    this.#parts = parts;
    this.#handlers = handlersOf(parts) as Readonly<Record<MethodName, Handler>>;
  }

  /** Calls under way of all callers. */
  get underWay(): number {
    return [...this.#waiting.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Rejects with what the call comes to, with BOSUN_TIMEOUT, or with BOSUN_CALL_CANCELLED when `cancel` aborts. */
  async take(request: CallRequest, cancel: AbortSignal): Promise<Repeatable<unknown>> {
    const { caller, method, session, key, deadlineMs = CALL_MS } = request;
    const row = rowOf(method);
    if (row === undefined) throw invalid(`there is no method ${JSON.stringify(method)}`);
    checkScope(caller, row.scope);
    if (row.does === 'destroys' && !this.#parts.destructive && caller.isOperator !== true) throw new BosunError('BOSUN_FORBIDDEN', 'this gateway was made without what destroys (destructive: true)');
    if (session !== undefined && method !== 'actor.send') throw invalid('only actor.send has a sequence');
    if (session !== undefined && key !== undefined) throw invalid('a send has a sequence or a key, not both');
    const params = parsed(row, request.params);
    const underWay = this.#waiting.get(caller.id) ?? 0;
    if (underWay >= CALLS_WAITING_MAX) throw new BosunError('BOSUN_GATEWAY_FULL', `${CALLS_WAITING_MAX} calls of this caller are under way`);
    const over = new Over();
    const call: Call = { caller, session, key, leftMs: deadlineMs, over };
    const work = this.#work(method as MethodName, row, params, call);
    this.#waiting.set(caller.id, underWay + 1);
    void work.then(() => {}, () => {}).then(() => this.#ended(caller));
    return this.#withinTime(work, { deadlineMs, cancel, over });
  }

  async #work(method: MethodName, row: MethodRow, params: unknown, call: Call): Promise<Repeatable<unknown>> {
    const carryOut = async () => this.#handlers[method](params, call);
    if (call.key !== undefined && row.does !== 'nothing' && !KEYS_OF_THEIR_OWN.has(method)) return this.#parts.repeats.keyed(call.caller, call.key, [method, params], carryOut);
    const result = await carryOut();
    return result instanceof Marked ? result : { result, replayed: false };
  }

  #withinTime<T>(work: Promise<T>, { deadlineMs, cancel, over }: { deadlineMs: number; cancel: AbortSignal; over: Over }): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let stop: Cancel = () => {};
      const finish = (settle: () => void) => {
        stop();
        cancel.removeEventListener('abort', cancelled);
        over.isOver = true;
        settle();
      };
      const cancelled = () => finish(() => reject(new BosunError('BOSUN_CALL_CANCELLED', 'the call was taken back; it may still happen')));
      // What keeps a time of its own is late by as much; it knows better what it waited for.
      stop = this.#parts.clock.setTimeout(() => this.#parts.clock.defer(() => finish(() => reject(tooLate(deadlineMs)))), deadlineMs);
      cancel.addEventListener('abort', cancelled, { once: true });
      work.then((result) => finish(() => resolve(result)), (error: unknown) => finish(() => reject(error as Error)));
      if (cancel.aborted) cancelled();
    });
  }

  #ended({ id }: Caller): void {
    const left = (this.#waiting.get(id) ?? 1) - 1;
    if (left === 0) this.#waiting.delete(id);
    else this.#waiting.set(id, left);
  }
}

function tooLate(deadlineMs: number): BosunError {
  return new BosunError('BOSUN_TIMEOUT', `no answer within ${deadlineMs} ms; it may still happen`, { details: { unknownOutcome: true } });
}

function parsed({ params }: MethodRow, given: unknown): unknown {
  const result = params.safeParse(given ?? {});
  if (result.success) return result.data;
  throw invalid(firstIssue(result.error, 'p'));
}

