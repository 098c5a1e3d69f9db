/**
 * The calls of a client: queued, under way, and repeated after a break. Sends are numbered without gaps in one durable
 * session, so each acknowledged send has happened exactly once; calls with a key are repeated with it; all others are
 * sent once.
 */
import type { Req, ServerFrame, Welcome } from '../gateway/protocol/frames.ts';
import { DEADLINE_MS_MAX, RETRY_MS } from './bounds.ts';
import { ClientError, errorFrom } from './client-error.ts';
import { SendNumbering } from './numbering.ts';
import { copied } from './outgoing.ts';
import { type ClientClock, secretName } from './platform.ts';
import { checkTimeLimit, retryDelayMs } from './time-limit.ts';
import { type Turns } from './turns.ts';

/** Idempotency, timeout and cancellation of a call. */
export interface CallOptions {
  /** Idempotency key: the call counts once, waits while offline, and is repeated after a break. */
  readonly key?: string;
  /**
   * Time limit for the whole call. Default: none in the client; the gateway's is 30 s from when it receives the call.
   */
  readonly timeoutMs?: number;
  /** Cancels the wait. The call may still be carried out. */
  readonly signal?: AbortSignal;
}

export interface ClientRequest {
  readonly m: string;
  readonly p: Readonly<Record<string, unknown>>;
  readonly key?: string | undefined;
}

/** An unanswered call. */
export interface OpenCall extends ClientRequest {
  /** Time by which the caller wants the answer, on the client's clock. */
  readonly dueMs?: number | undefined;
  /** Whether it is a send, which has a number in the session. */
  readonly isSend: boolean;
  /** Number of a send, once it has been transmitted. */
  seq: number | undefined;
  /** Whether the gateway may have accepted it. Its number must not change then. */
  isUncertain: boolean;
  /**
   * Whether the answer is no longer awaited. A numbered send is transmitted all the same: if its number stayed unused,
   * later numbers would never count.
   */
  isForgotten: boolean;
  readonly settle: (answer: unknown, error?: ClientError) => void;
}

export interface ClientCallsParts {
  readonly clock: ClientClock;
  readonly turns: Turns;
  readonly queueMax: number;
  readonly transmit: (frame: Req) => void;
  readonly cancel: (id: string) => void;
  /** Whether no call can be transmitted soon. */
  readonly isOffline: () => boolean;
  /** Returns the reason why calls are refused for good. */
  readonly failure: () => ClientError | undefined;
  /** Called when the unacknowledged sends have changed. */
  readonly changed: () => void;
  /** Called when the unacknowledged sends have changed and are about to be transmitted: they must be stored before. */
  readonly keep: () => void;
}

export class ClientCalls {
  readonly #parts: ClientCallsParts;
  readonly #numbering = new SendNumbering();
  /** Unanswered calls, oldest first, including those under way. */
  readonly #open = new Set<OpenCall>();
  readonly #onTheWay = new Map<string, OpenCall>();
  /** Ids of calls under way whose answers are no longer wanted. */
  readonly #cancels = new Set<string>();
  #ids = 0;
  #inFlightMax = 0;
  /** Cancels the end of a pause that the gateway asked for. */
  #alarm: (() => void) | undefined;

  constructor(parts: ClientCallsParts) {
    this.#parts = parts;
    parts.turns.add<OpenCall>({
      waiting: () => this.#ready(),
      transmit: (calls) => this.#transmitAll(calls),
    });
    parts.turns.add<string>({
      waiting: () => this.#cancels,
      transmit: (ids) => {
        for (const id of ids) if (this.#cancels.delete(id)) parts.cancel(id);
      },
    });
  }

  /** Unacknowledged sends, in order. */
  sends(): OpenCall[] {
    return [...this.#open].filter(({ isSend }) => isSend);
  }

  /** Adds the sends of an earlier run, for which nobody waits. */
  restore(sends: readonly Pick<OpenCall, 'p' | 'seq'>[]): void {
    for (const { p, seq } of sends)
      this.#open.add({
        m: 'actor.send',
        p,
        isSend: true,
        seq,
        isUncertain: seq !== undefined,
        isForgotten: true,
        settle: () => {},
      });
  }

  send(request: ClientRequest, options: CallOptions): Promise<unknown> {
    return this.#begin(request, options, true);
  }

  /** Sends many, each as `send` does. Rejects with BOSUN_SENDS_REFUSED, and with the reason of `signal`. */
  async sendMany(requests: readonly ClientRequest[], options: CallOptions): Promise<void> {
    const sent = await Promise.allSettled(requests.map((request) => this.send(request, options)));
    const refused = sent.flatMap((one, index) =>
      one.status === 'rejected' ? [{ index, error: one.reason as ClientError }] : [],
    );
    const [first] = refused;
    if (first === undefined) return;
    for (const { error } of refused) if (error === options.signal?.reason) throw error;
    throw new ClientError(
      'BOSUN_SENDS_REFUSED',
      `${refused.length} of ${sent.length} events were refused: ${first.error.message}`,
      { details: { refused } },
    );
  }

  call(request: ClientRequest, options: CallOptions): Promise<unknown> {
    return this.#begin(request, options, false);
  }

  up({ session, limits }: Welcome): void {
    this.#inFlightMax = limits.inFlight;
    this.#numbering.begin(session?.sequence ?? 0, this.sends());
  }

  /**
   * Handles a break; with an error, for good. The outcome of calls that cannot be repeated is unknown. Sends are kept
   * for the next connection or run.
   */
  down(error: ClientError | undefined): void {
    this.#alarm?.();
    this.#alarm = undefined;
    const lost = new ClientError(
      'BOSUN_CONNECTION_LOST',
      'the connection broke before the answer; the call may have happened',
      {
        retryable: true,
        details: { unknownOutcome: true },
      },
    );
    for (const call of this.#onTheWay.values()) {
      call.isUncertain = true;
      if (!isRepeatable(call)) this.#finish(call, undefined, error ?? lost);
    }
    this.#onTheWay.clear();
    this.#cancels.clear();
    for (const call of [...this.#open]) {
      if (error !== undefined) this.#settle(call, undefined, error);
      else if (!isRepeatable(call)) this.#finish(call, undefined, offline());
    }
  }

  hear(frame: ServerFrame & { readonly t: 'res' }): void {
    const call = this.#onTheWay.get(frame.id);
    if (call === undefined) return;
    this.#landed(frame.id);
    if (frame.ok) this.#finish(call, frame.r);
    else this.#refused(call, errorFrom(frame.e));
    this.#parts.turns.pump();
  }

  /** Handles an `ack`: all sends up to this number are durable, unless they were refused or wait for their turn. */
  acknowledged(through: number): void {
    for (const [id, call] of this.#onTheWay) {
      if (!call.isSend || call.seq! > through || waitsForTurn(call)) continue;
      this.#landed(id);
      this.#finish(call, { taken: null });
    }
    this.#parts.turns.pump();
  }

  #landed(id: string): void {
    this.#onTheWay.delete(id);
    this.#cancels.delete(id);
  }

  /** The calls that the gateway would take now. */
  *#ready(): Generator<OpenCall> {
    if (this.#alarm !== undefined) return;
    const underWay = new Set(this.#onTheWay.values());
    if (this.#numbering.isHeld && ![...underWay].some(({ isSend }) => isSend)) this.#numbering.realign(this.sends());
    let room = this.#inFlightMax - underWay.size;
    for (const call of this.#open) {
      if (room <= 0) return;
      if (underWay.has(call) || (call.isSend && this.#numbering.isHeld)) continue;
      room -= 1;
      yield call;
    }
  }

  #transmitAll(calls: readonly OpenCall[]): void {
    const fresh = calls.filter(({ isSend, seq }) => isSend && seq === undefined);
    for (const send of fresh) send.seq = this.#numbering.next();
    if (fresh.length > 0) this.#parts.keep();
    for (const call of calls) if (this.#open.has(call)) this.#transmit(call);
  }

  #transmit(call: OpenCall): void {
    const { m, p, key, dueMs, isSend, seq } = call;
    const id = String(++this.#ids);
    this.#onTheWay.set(id, call);
    this.#parts.transmit({
      t: 'req',
      id,
      m,
      p,
      ...(isSend && { seq }),
      ...(key !== undefined && { key }),
      // The gateway's default may be shorter.
      ...(dueMs !== undefined && {
        deadlineMs: Math.min(DEADLINE_MS_MAX, Math.max(1, Math.ceil(this.#leftMs(dueMs)))),
      }),
    });
  }

  #leftMs(dueMs: number): number {
    return dueMs - this.#parts.clock.monotonicMs();
  }

  #refused(call: OpenCall, error: ClientError): void {
    const { code, details, retryable } = error;
    if (code === 'BOSUN_TIMEOUT' && this.#isAwaitedStill(call)) {
      if (call.isSend) call.isUncertain = true;
      return;
    }
    if (call.isSend && code === 'BOSUN_SEQUENCE_GAP') return this.#numbering.gap(call, Number(details['expected']));
    const isLate = code === 'BOSUN_TIMEOUT' && call.isSend && !waitsForTurn(call);
    // For a call that may have been accepted before, a temporary refusal is no answer: it is repeated until
    // acknowledged.
    const isDoubtful = retryable && call.isUncertain && isRepeatable(call) && code !== 'BOSUN_TIMEOUT';
    if (!isAgain(call, code) && !isLate && !isDoubtful) return this.#finish(call, undefined, error);
    if (isLate) call.isUncertain = true;
    if (call.isSend) this.#numbering.hold();
    const retryAfterMs = retryDelayMs(error, RETRY_MS);
    if (code === 'BOSUN_RATE_LIMITED') this.#parts.turns.refused(retryAfterMs);
    else this.#later(retryAfterMs);
  }

  /** Whether the gateway's time is over, but not the caller's, which may be longer, and the call can be repeated. */
  #isAwaitedStill(call: OpenCall): boolean {
    const isHarmless = call.isSend ? waitsForTurn(call) : call.key !== undefined || WAITS.has(call.m);
    return isHarmless && call.dueMs !== undefined && this.#leftMs(call.dueMs) > 0;
  }

  #later(ms: number): void {
    this.#alarm ??= this.#parts.clock.setTimeout(() => {
      this.#alarm = undefined;
      this.#parts.turns.pump();
    }, ms);
  }

  #begin(request: ClientRequest, { timeoutMs, signal }: CallOptions, isSend: boolean): Promise<unknown> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      checkTimeLimit(timeoutMs);
      const key = request.key ?? keyFor(request, timeoutMs);
      const refusal = this.#refusal(isSend || key !== undefined);
      if (refusal !== undefined) throw refusal;
      let stop: () => void = () => {};
      const leave = (reason: unknown) => {
        this.#forget(call);
        done();
        reject(reason as Error);
      };
      const aborted = () => leave(signal!.reason);
      const done = () => {
        stop();
        signal?.removeEventListener('abort', aborted);
      };
      const call: OpenCall = {
        ...request,
        key,
        p: copied(request.p),
        dueMs: timeoutMs === undefined ? undefined : this.#parts.clock.monotonicMs() + timeoutMs,
        isSend,
        seq: undefined,
        isUncertain: false,
        isForgotten: false,
        settle: (answer, error) => {
          done();
          if (error === undefined) resolve(answer);
          else reject(error);
        },
      };
      signal?.addEventListener('abort', aborted, { once: true });
      const late = () =>
        leave(
          new ClientError('BOSUN_TIMEOUT', `no answer within ${timeoutMs} ms; the call may still take effect`, {
            retryable: true,
            details: { unknownOutcome: true },
          }),
        );
      if (timeoutMs !== undefined) stop = this.#parts.clock.setTimeout(late, timeoutMs);
      this.#open.add(call);
      if (isSend) this.#parts.changed();
      this.#parts.turns.pump();
    });
  }

  #refusal(isRepeatable: boolean): ClientError | undefined {
    const { queueMax, isOffline, failure } = this.#parts;
    const closed = failure();
    if (closed !== undefined) return closed;
    if (this.#open.size >= queueMax)
      return new ClientError('BOSUN_QUEUE_FULL', `${queueMax} calls wait for an answer`, { retryable: true });
    if (isRepeatable || !isOffline()) return undefined;
    return offline();
  }

  #forget(call: OpenCall): void {
    call.isForgotten = true;
    // An assigned number must be used, or later numbers never count.
    if (call.isSend && call.seq !== undefined) return;
    this.#open.delete(call);
    if (call.isSend) this.#parts.changed();
    for (const [id, one] of this.#onTheWay) if (one === call) this.#cancels.add(id);
    this.#parts.turns.pump();
  }

  #finish(call: OpenCall, answer: unknown, error?: ClientError): void {
    if (!this.#open.delete(call)) return;
    if (call.isSend) {
      this.#numbering.answered(call, error === undefined);
      this.#parts.changed();
    }
    this.#settle(call, answer, error);
  }

  #settle(call: OpenCall, answer: unknown, error?: ClientError): void {
    if (!call.isForgotten) call.settle(answer, error);
    call.isForgotten = true;
  }
}

/** Methods that only wait: repeating them changes nothing. */
const WAITS = new Set(['actor.wait', 'run.get']);

/** A key for an ask that its user has given none, but more time than the gateway has: it is repeated until then. */
function keyFor({ m }: ClientRequest, timeoutMs = 0): string | undefined {
  return m === 'actor.ask' && timeoutMs > DEADLINE_MS_MAX ? secretName() : undefined;
}

/** Whether to repeat after this refusal: the call was not carried out, or a repeat is recognised. */
function isAgain(call: OpenCall, code: string): boolean {
  if (code === 'BOSUN_RATE_LIMITED' || code === 'BOSUN_DRAINING') return true;
  if (code === 'BOSUN_GATEWAY_FULL') return call.isSend || call.m === 'actor.ask';
  return code === 'BOSUN_SYSTEM_CLOSED' && isRepeatable(call);
}

function isRepeatable({ isSend, key }: OpenCall): boolean {
  return isSend || key !== undefined;
}

/** Whether the gateway answers the call only after the turn of its event. */
function waitsForTurn({ p }: OpenCall): boolean {
  return p['until'] === 'taken';
}

function offline(): ClientError {
  return new ClientError(
    'BOSUN_OFFLINE',
    'not connected to the gateway, and a call without a key does not wait for the connection',
    { retryable: true },
  );
}
