/**
 * The calls of a client: what waits, what is on its way, and what is repeated after a break. Sends are numbered without
 * holes in one durable session, so each that is acknowledged has happened once; calls with a key are repeated with it;
 * all others are sent once.
 */
import type { Req, ServerFrame, Welcome } from '../gateway/protocol/frames.ts';
import { DEADLINE_MS_MAX, RETRY_MS } from './bounds.ts';
import { ClientError, errorFrom } from './client-error.ts';
import { SendNumbering } from './numbering.ts';
import { copied } from './outgoing.ts';
import { Pace } from './pace.ts';
import { type ClientClock } from './platform.ts';

export interface CallOptions {
  /** Idempotency key: the call counts once, waits while there is no line, and is repeated after a break. */
  readonly key?: string;
  /** At most so long for all of it. Default: none of ours; the gateway's is 30 s from when it has the call. */
  readonly timeoutMs?: number;
  /** Nobody waits any more. What was asked may still happen. */
  readonly signal?: AbortSignal;
}

export interface ClientRequest {
  readonly m: string;
  readonly p: Readonly<Record<string, unknown>>;
  readonly key?: string | undefined;
}

/** A call that is not answered. */
export interface OpenCall extends ClientRequest {
  readonly deadlineMs?: number | undefined;
  /** Has a place in the session. */
  readonly isSend: boolean;
  /** Of a send: its number, once it has been sent. */
  seq: number | undefined;
  /** Whether the gateway took it is not known: its number is not to be changed. */
  isUncertain: boolean;
  /** Nobody waits for it any more; it goes on for the sake of the numbers behind it. */
  isForgotten: boolean;
  readonly settle: (answer: unknown, error?: ClientError) => void;
}

export interface ClientCallsParts {
  readonly clock: ClientClock;
  readonly queueMax: number;
  readonly transmit: (frame: Req) => void;
  readonly cancel: (id: string) => void;
  /** Whether calls go out, and whether they may soon. */
  readonly state: () => 'live' | 'soon' | 'offline';
  /** Why nothing is taken any more. */
  readonly failure: () => ClientError | undefined;
  /** Sends that are not acknowledged have changed. */
  readonly changed: () => void;
  /** The same, and they are about to go out: they have to be kept before. */
  readonly keep: () => void;
}

export class ClientCalls {
  readonly #parts: ClientCallsParts;
  readonly #pace: Pace;
  readonly #numbering = new SendNumbering();
  /** Oldest first; those on their way among them. */
  readonly #open = new Set<OpenCall>();
  readonly #onTheWay = new Map<string, OpenCall>();
  #ids = 0;
  #inFlightMax = 0;
  #alarm: (() => void) | undefined;

  constructor(parts: ClientCallsParts) {
    this.#parts = parts;
    this.#pace = new Pace(parts.clock);
  }

  /** Sends that are not acknowledged, in order. */
  sends(): OpenCall[] {
    return [...this.#open].filter(({ isSend }) => isSend);
  }

  /** Takes up sends of an earlier run; nobody waits for them. */
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

  call(request: ClientRequest, options: CallOptions): Promise<unknown> {
    return this.#begin(request, options, false);
  }

  up({ session, limits }: Welcome): void {
    this.#inFlightMax = limits.inFlight;
    this.#pace.begin(limits);
    this.#numbering.begin(session?.sequence ?? 0, this.sends());
    this.pump();
  }

  /**
   * The line broke; with an error, for good. What cannot be repeated has an unknown outcome. Sends stay as they are,
   * for the next run.
   */
  down(error: ClientError | undefined): void {
    this.#alarm?.();
    this.#alarm = undefined;
    const lost = new ClientError('BOSUN_CONNECTION_LOST', 'the line broke before the answer; it may have happened', {
      retryable: true,
      details: { unknownOutcome: true },
    });
    for (const call of this.#onTheWay.values()) {
      call.isUncertain = true;
      if (!isRepeatable(call)) this.#finish(call, undefined, error ?? lost);
    }
    this.#onTheWay.clear();
    for (const call of [...this.#open]) {
      if (error !== undefined) this.#settle(call, undefined, error);
      else if (!isRepeatable(call)) this.#finish(call, undefined, offline());
    }
  }

  hear(frame: ServerFrame & { readonly t: 'res' }): void {
    const call = this.#onTheWay.get(frame.id);
    if (call === undefined) return;
    this.#onTheWay.delete(frame.id);
    if (frame.ok) this.#finish(call, frame.r);
    else this.#refused(call, errorFrom(frame.e));
    this.pump();
  }

  /** Sends what there is to send, as far as the gateway takes it. */
  pump(): void {
    if (this.#alarm !== undefined || this.#parts.state() !== 'live') return;
    const underWay = new Set(this.#onTheWay.values());
    if (this.#numbering.isHeld && ![...underWay].some(({ isSend }) => isSend)) this.#numbering.realign(this.sends());
    const batch: OpenCall[] = [];
    for (const call of this.#open) {
      if (underWay.size + batch.length >= this.#inFlightMax) break;
      if (underWay.has(call) || (call.isSend && this.#numbering.isHeld)) continue;
      const waitMs = this.#pace.take();
      if (waitMs > 0) {
        this.#later(waitMs);
        break;
      }
      batch.push(call);
    }
    const fresh = batch.filter(({ isSend, seq }) => isSend && seq === undefined);
    for (const send of fresh) send.seq = this.#numbering.next();
    if (fresh.length > 0) this.#parts.keep();
    for (const call of batch) this.#transmit(call);
  }

  #transmit(call: OpenCall): void {
    const { m, p, key, deadlineMs, isSend, seq } = call;
    const id = String(++this.#ids);
    this.#onTheWay.set(id, call);
    this.#parts.transmit({
      t: 'req',
      id,
      m,
      p,
      ...(isSend && { seq }),
      ...(key !== undefined && { key }),
      ...(deadlineMs !== undefined && { deadlineMs }),
    });
  }

  #refused(call: OpenCall, error: ClientError): void {
    const { code, details, retryable } = error;
    if (call.isSend && code === 'BOSUN_SEQUENCE_GAP') return this.#numbering.gap(call, Number(details['expected']));
    const isLate = code === 'BOSUN_TIMEOUT' && call.isSend && call.p['until'] !== 'taken';
    // Of what may have been taken before, only an acknowledgement is an answer.
    const isDoubtful = retryable && call.isUncertain && isRepeatable(call) && code !== 'BOSUN_TIMEOUT';
    if (!isAgain(call, code) && !isLate && !isDoubtful) return this.#finish(call, undefined, error);
    if (isLate) call.isUncertain = true;
    if (call.isSend) this.#numbering.hold();
    const retryAfterMs = Number(details['retryAfterMs'] ?? RETRY_MS);
    if (code === 'BOSUN_RATE_LIMITED') this.#pace.refused(retryAfterMs);
    else this.#later(retryAfterMs);
  }

  #later(ms: number): void {
    this.#alarm ??= this.#parts.clock.setTimeout(() => {
      this.#alarm = undefined;
      this.pump();
    }, ms);
  }

  #begin(request: ClientRequest, { timeoutMs, signal }: CallOptions, isSend: boolean): Promise<unknown> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const refusal = this.#refusal(isSend || request.key !== undefined);
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
        p: copied(request.p),
        // The gateway's own default may be shorter.
        deadlineMs: timeoutMs === undefined ? undefined : Math.min(DEADLINE_MS_MAX, Math.max(1, Math.ceil(timeoutMs))),
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
          new ClientError('BOSUN_TIMEOUT', `no answer within ${timeoutMs} ms; it may still happen`, {
            retryable: true,
            details: { unknownOutcome: true },
          }),
        );
      if (timeoutMs !== undefined) stop = this.#parts.clock.setTimeout(late, timeoutMs);
      this.#open.add(call);
      if (isSend) this.#parts.changed();
      this.pump();
    });
  }

  #refusal(isRepeatable: boolean): ClientError | undefined {
    const { queueMax, state, failure } = this.#parts;
    const closed = failure();
    if (closed !== undefined) return closed;
    if (this.#open.size >= queueMax)
      return new ClientError('BOSUN_QUEUE_FULL', `${queueMax} calls wait for an answer`, { retryable: true });
    if (isRepeatable || state() !== 'offline') return undefined;
    return offline();
  }

  #forget(call: OpenCall): void {
    call.isForgotten = true;
    // A number that is given must be used, or those behind it never count.
    if (call.isSend && call.seq !== undefined) return;
    this.#open.delete(call);
    if (call.isSend) this.#parts.changed();
    for (const [id, one] of this.#onTheWay) if (one === call) this.#parts.cancel(id);
  }

  #finish(call: OpenCall, answer: unknown, error?: ClientError): void {
    if (!this.#open.delete(call)) return;
    if (call.isSend) this.#parts.changed();
    this.#settle(call, answer, error);
  }

  #settle(call: OpenCall, answer: unknown, error?: ClientError): void {
    if (!call.isForgotten) call.settle(answer, error);
    call.isForgotten = true;
  }
}

/** Refusals that are the line's business, and not that of who calls: it was not done, or is known for a repeat. */
function isAgain(call: OpenCall, code: string): boolean {
  if (code === 'BOSUN_RATE_LIMITED' || code === 'BOSUN_DRAINING') return true;
  if (code === 'BOSUN_GATEWAY_FULL') return call.isSend || call.m === 'actor.ask';
  return code === 'BOSUN_SYSTEM_CLOSED' && isRepeatable(call);
}

function isRepeatable({ isSend, key }: OpenCall): boolean {
  return isSend || key !== undefined;
}

function offline(): ClientError {
  return new ClientError(
    'BOSUN_OFFLINE',
    'there is no line to the gateway, and a call without a key does not wait for one',
    { retryable: true },
  );
}
