/**
 * Takes a call from any transport (WebSocket, HTTP), checks the caller, the method and the parameters, applies its key
 * and its deadline, and has it carried out. There is one per gateway; it knows no sockets.
 */
import { type Cancel, type Clock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { CALL_MS } from '../limits.ts';
import { type Session } from '../../actors/world/mailbox/inbound.ts';
import { type Call, type Handler, Marked } from './call.ts';
import { type CallsUnderWay } from './calls-under-way.ts';
import { type Caller, checkScope } from '../callers/callers.ts';
import { checkGranted } from '../callers/grants.ts';
import { type AllLooks, checkLooks, type Looks } from '../callers/looks.ts';
import { checkedByHost } from './host-code.ts';
import { type KeyedAnswers } from './keyed-answers.ts';
import { type MethodRow } from './method-row.ts';
import { type MethodTable } from './method-table.ts';
import { METHODS, type ParamsOf } from './methods.ts';
import { type Repeatable } from './repeats.ts';
import { type PlainSend } from './sequenced-sends.ts';
import { firstIssue, invalid } from '../callers/wire-errors.ts';

/** A call as the transport received it. */
export interface CallRequest {
  readonly caller: Caller;
  readonly method: string;
  readonly params: unknown;
  readonly session?: Session | undefined;
  readonly key?: string | undefined;
  readonly deadlineMs?: number | undefined;
}

export interface CallDeskParts {
  readonly methods: MethodTable;
  /** The handler of each method and procedure. */
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly answers: KeyedAnswers;
  readonly underWay: CallsUnderWay;
  readonly clock: Clock;
  readonly looks: AllLooks;
  /** Takes further calls from the caller's rate, for a method that costs more than one. */
  readonly charge: (caller: Caller, calls: number) => void;
  /** Whether destructive methods may be called at all. */
  readonly destructive: boolean;
}

/**
 * Receives the outcome of a call: exactly one of the two methods is called, once, and never before `take` has returned.
 * If `answered` throws, `refused` is called with that error.
 */
export interface CallOutcome {
  answered(answer: Repeatable<unknown>): void;
  /** Receives the error of the call, BOSUN_TIMEOUT, or BOSUN_CALL_CANCELLED. */
  refused(error: unknown): void;
}

export class CallDesk {
  readonly #parts: CallDeskParts;

  constructor(parts: CallDeskParts) {
    this.#parts = parts;
  }

  /**
   * Begins a call. Throws if the call is refused before any work is done.
   *
   * @returns The call, which can be cancelled.
   */
  take(request: CallRequest, told: CallOutcome): PendingCall {
    const { caller, method, session, key, deadlineMs = CALL_MS } = request;
    const row = this.#parts.methods.row(method);
    if (row === undefined) throw invalid(`there is no method ${JSON.stringify(method)}`);
    checkGranted(caller, method, row.isGranted);
    checkScope(caller, row.scope);
    if (row.mcp?.isForPeople === true && caller.isAgent === true)
      throw new BosunError('BOSUN_FORBIDDEN', `${method} is for people, and this caller is a program`);
    if (row.does === 'destroys' && !this.#parts.destructive && caller.isOperator !== true)
      throw new BosunError(
        'BOSUN_FORBIDDEN',
        'this gateway refuses destructive calls; create it with destructive: true to allow them',
      );
    if (session !== undefined && method !== 'actor.send') throw invalid('only actor.send has a sequence');
    if (session !== undefined && key !== undefined) throw invalid('a send has a sequence or a key, not both');
    const params = parsedParams(method, row, request.params);
    const { underWay } = this.#parts;
    const looks = this.#parts.looks.of(caller);
    if (row.looks === true) checkLooks(looks);
    const { cost = 1 } = row;
    if (cost > 1) this.#parts.charge(caller, cost - 1);
    const call = new PendingCall({ caller, session, key, leftMs: deadlineMs, looks }, told);
    underWay.enter(caller);
    let work: Promise<unknown>;
    try {
      work = Promise.resolve(this.#work(method, row, params, call));
    } catch (error) {
      underWay.leave(caller);
      throw error;
    }
    if (row.keepsTime !== true) call.endWithin(this.#parts.clock);
    work.then(
      (result) => {
        underWay.leave(caller);
        call.answer(result);
      },
      (error: unknown) => {
        underWay.leave(caller);
        call.refuse(error);
      },
    );
    return call;
  }

  /**
   * Checks a send as `take` does, with the same errors, without starting it.
   *
   * @returns The parameters of a send whose answer only confirms its durability; undefined for any other.
   */
  plainSend(caller: Caller, params: unknown): PlainSend | undefined {
    const row = METHODS['actor.send'];
    checkGranted(caller, 'actor.send');
    checkScope(caller, row.scope);
    const send = parsedParams('actor.send', row, params) as ParamsOf<'actor.send'>;
    return send.until === 'taken' || send.ifSequence !== undefined ? undefined : send;
  }

  #work(method: string, row: MethodRow, params: unknown, call: Call): unknown {
    const { caller, key } = call;
    const handler = this.#parts.handlers[method]!;
    if (key === undefined || row.does === 'nothing' || row.keepsKeys === true) return handler(params, call);
    const carryOut = async () => handler(params, call);
    return this.#parts.answers.once(caller, key, [method, params], carryOut).then((done) => new Marked(done));
  }
}

/**
 * A call under way. It ends once: with its answer or error, at its deadline, or by cancellation. It uses no
 * AbortSignal, which alone took 7 of the 37 microseconds of an ask.
 */
export class PendingCall implements Call {
  readonly caller: Caller;
  readonly session: Session | undefined;
  readonly key: string | undefined;
  readonly leftMs: number;
  readonly looks: Looks;
  isOver = false;
  readonly #told: CallOutcome;
  #stop: Cancel | undefined;

  constructor({ caller, session, key, leftMs, looks }: Omit<Call, 'isOver'>, told: CallOutcome) {
    this.caller = caller;
    this.session = session;
    this.key = key;
    this.leftMs = leftMs;
    this.looks = looks;
    this.#told = told;
  }

  answer(result: unknown): void {
    if (!this.#end()) return;
    try {
      this.#told.answered(result instanceof Marked ? result : { result, replayed: false });
    } catch (error) {
      // An answer that cannot be put into a frame is reported to the caller as an error.
      this.#told.refused(error);
    }
  }

  refuse(error: unknown): void {
    if (this.#end()) this.#told.refused(error);
  }

  /** Ends the call with BOSUN_CALL_CANCELLED; the work itself may still happen. */
  cancel(): void {
    if (!this.isOver)
      this.refuse(new BosunError('BOSUN_CALL_CANCELLED', 'the call was cancelled; it may still take effect'));
  }

  /** Refuses the call at its deadline. An answer that arrives at the same instant still counts. */
  endWithin(clock: Clock): void {
    this.#stop = clock.setTimeout(() => clock.defer(() => this.refuse(tooLate(this.leftMs))), this.leftMs);
  }

  #end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    this.#stop?.();
    return true;
  }
}

/** The error for a call that is not answered before its deadline. */
export function tooLate(deadlineMs: number): BosunError {
  return new BosunError('BOSUN_TIMEOUT', `no answer within ${deadlineMs} ms; the call may still take effect`, {
    details: { unknownOutcome: true },
  });
}

/** The parameters of a call by their schema. Throws BOSUN_CALL_INVALID. */
export function parsedParams(method: string, { params, isOfHost }: MethodRow, given: unknown): unknown {
  const result =
    isOfHost === true
      ? checkedByHost(`the parameter schema of the procedure ${method}`, params, given ?? {})
      : params.safeParse(given ?? {});
  if (result.success) return result.data;
  throw invalid(firstIssue(result.error, 'p'));
}
