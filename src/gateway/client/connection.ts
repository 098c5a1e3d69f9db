/**
 * One connection, from hello to close: receives frames, answers them and enforces rates. It knows no sockets: it is
 * given a {@link ClientWire}, real or simulated, which passes on incoming frames.
 */
import { BosunError, isBosunError } from '../../errors.ts';
import { AcknowledgedSends } from './acknowledged-sends.ts';
import { CALLS_IN_FLIGHT_MAX, CLOSE_MS, HELLO_MS, PING_EVERY_MS, SILENCE_MS_MAX } from '../limits.ts';
import { type Session } from '../../actors/world/mailbox/inbound.ts';
import { type PendingCall } from '../calls/call-desk.ts';
import { type Caller } from '../callers/callers.ts';
import { frameText, parseJson } from './frame-text.ts';
import { type Entrance, type Hub, type Peer } from './hub.ts';
import { PeerTimers } from './peer-timers.ts';
import { SendBuffer, type ClientWire } from './send-buffer.ts';
import { type ClientFrame, clientFrame, type Hello, type Req, type ServerFrame, type Sub } from '../protocol/frames.ts';
import { type CloseName, CLOSES } from '../protocol/protocol.ts';
import { TokenBucket } from '../protocol/token-bucket.ts';
import { Subscriptions } from '../topics/subscriptions.ts';
import { firstIssue, invalid } from '../callers/wire-errors.ts';

export interface ConnectionParts {
  readonly hub: Hub;
  readonly wire: ClientWire;
  /**
   * Credentials from the handshake. Its token takes precedence over the one in `hello`; its pass counts only if there
   * is no token at all.
   */
  readonly entrance: Entrance;
}

/**
 * Consecutive calls refused for their rate after which the connection is closed: a client that ignores refusals must be
 * disconnected.
 */
const REFUSALS_MAX = 100;

/** A client's connection to the gateway. */
export class Connection implements Peer {
  readonly #hub: Hub;
  readonly #wire: ClientWire;
  readonly #entrance: Entrance;
  readonly #out: SendBuffer;
  readonly #subscriptions: Subscriptions;
  readonly #calls = new Map<string, PendingCall>();
  /** Sends that are acknowledged together; undefined if the client has not asked for it. */
  #sends: AcknowledgedSends | undefined;
  readonly #bucket: TokenBucket;
  readonly #timers: PeerTimers;
  #heardMs: number;
  #refusals = 0;
  #phase: 'new' | 'greeting' | 'open' | 'closing' | 'closed' = 'new';
  /** Frames that arrived while the token was being checked. */
  #early: ClientFrame[] = [];
  #caller: Caller | undefined;
  #session: string | undefined;

  constructor({ hub, wire, entrance }: ConnectionParts) {
    this.#hub = hub;
    this.#wire = wire;
    this.#entrance = entrance;
    this.#out = new SendBuffer({
      wire,
      text: frameText,
      clock: hub.clock,
      onWell: () => this.#subscriptions.pump(),
      onSlow: () => hub.counters.add('slow'),
      onHopeless: () => this.close('slow_consumer'),
    });
    this.#subscriptions = new Subscriptions({
      hub,
      send: (frame, isMore) => this.#out.send(frame, isMore),
      isSlow: () => this.#out.isSlow,
      isOpen: () => this.#phase === 'open',
    });
    this.#timers = new PeerTimers(hub.clock);
    this.#heardMs = hub.clock.monotonicMs();
    this.#bucket = new TokenBucket(hub.rate, this.#heardMs);
    this.#timers.later(HELLO_MS, () => this.#caller === undefined && this.close('hello_timeout'));
    this.#watchSilence(PING_EVERY_MS);
  }

  get caller(): Caller | undefined {
    return this.#caller;
  }

  get session(): string | undefined {
    return this.#session;
  }

  get inFlight(): number {
    return this.#calls.size + (this.#sends?.size ?? 0);
  }

  /** Handles a frame; `data` is undefined for a binary frame, which the protocol does not have. Never throws. */
  receive(data: string | undefined): void {
    if (this.#phase === 'closing' || this.#phase === 'closed') return;
    this.#heardMs = this.#hub.clock.monotonicMs();
    this.#hub.counters.add('frames.in');
    try {
      const frame = this.#decoded(data);
      if (frame !== undefined) this.#take(frame);
    } catch (error) {
      this.#out.send({ t: 'err', e: this.#hub.counted(error) });
      this.close(error instanceof BosunError ? 'bad_frame' : 'internal');
    }
  }

  /**
   * Handles a ping of the WebSocket layer.
   *
   * @returns Whether to answer it; pings that come too often are not answered.
   */
  pinged(): boolean {
    if (this.#phase !== 'open' || this.#out.isSlow) return false;
    this.#heardMs = this.#hub.clock.monotonicMs();
    return this.#throttle() === 0;
  }

  /** Called when buffered data has left. */
  drained(): void {
    this.#out.drained();
  }

  /** Called when the wire has closed. */
  gone(): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    this.#release();
    this.#hub.left(this);
  }

  send(frame: ServerFrame): void {
    this.#out.send(frame);
  }

  close(name: CloseName, reason: string = name): void {
    if (this.#phase === 'closing' || this.#phase === 'closed') return;
    this.#phase = 'closing';
    this.#release();
    this.#hub.counters.add(`closed.${name}`);
    this.#wire.close(CLOSES[name].code, reason);
    // A client that does not read will not answer the close.
    this.#timers.later(CLOSE_MS, () => this.#wire.terminate());
  }

  cut(): void {
    this.#wire.terminate();
    this.gone();
  }

  /**
   * Decodes a frame.
   *
   * @returns undefined for a frame that has been answered already.
   */
  #decoded(data: string | undefined): ClientFrame | undefined {
    if (data === undefined) throw invalid('this subprotocol accepts text frames only');
    const value = parseJson(data);
    const parsed = clientFrame.safeParse(value);
    const { t, id } = (value ?? {}) as { t?: unknown; id?: unknown };
    const isKnown = this.#phase === 'open' && typeof id === 'string' && id.length > 0 && id.length <= 64;
    const retryAfterMs = parsed.success && parsed.data.t === 'hello' ? 0 : this.#throttle();
    const error = parsed.success
      ? retryAfterMs > 0
        ? tooFast(retryAfterMs)
        : undefined
      : invalid(firstIssue(parsed.error, 'frame'));
    if (error === undefined && parsed.success) return parsed.data;
    // A refused call or subscription is answered under its id. Other frames have no answer: an invalid one closes the
    // connection, one beyond the rate is counted. What ends something is done all the same: the client could not know
    // that it is open still.
    if (isKnown && t === 'req') this.#refuse(id, error);
    else if (isKnown && t === 'sub') this.#end(id, error);
    else if (!parsed.success || this.#phase !== 'open') throw error;
    else {
      this.#hub.count(error);
      if (parsed.data.t === 'unsub' || parsed.data.t === 'cancel') return parsed.data;
    }
    return undefined;
  }

  #throttle(): number {
    const nowMs = this.#hub.clock.monotonicMs();
    const retryAfterMs = Math.max(
      this.#bucket.take(nowMs),
      this.#caller === undefined ? 0 : this.#hub.takeCall(this.#caller, nowMs),
    );
    this.#refusals = retryAfterMs > 0 ? this.#refusals + 1 : 0;
    if (this.#refusals > REFUSALS_MAX) this.close('rate_limited', `rate_limited;retryAfterMs=${retryAfterMs}`);
    return retryAfterMs;
  }

  #take(frame: ClientFrame): void {
    if (this.#phase === 'new') {
      if (frame.t !== 'hello') throw invalid('the first frame must be hello');
      this.#phase = 'greeting';
      this.#greet(frame).catch((error: unknown) => this.#turnAway(error));
      return;
    }
    if (this.#phase === 'greeting') {
      if (this.#early.length >= CALLS_IN_FLIGHT_MAX) throw invalid('too many frames before welcome');
      this.#early.push(frame);
      return;
    }
    switch (frame.t) {
      case 'hello':
        throw invalid('hello came twice');
      case 'req':
        return this.#call(frame);
      case 'cancel':
        this.#sends?.cancel(frame.id);
        return this.#calls.get(frame.id)?.cancel();
      case 'sub':
        return this.#subscribe(frame);
      case 'unsub':
        return this.#subscriptions.close(frame.id);
      case 'ping':
        return this.#out.send({ t: 'pong' });
      case 'pong':
        return;
    }
  }

  #subscribe(frame: Sub): void {
    const refuse = (error: unknown) => this.#end(frame.id, error);
    try {
      this.#subscriptions.open(this.#caller!, frame)?.catch(refuse);
    } catch (error) {
      refuse(error);
    }
  }

  async #greet({ token, session, acks }: Hello): Promise<void> {
    const caller = await this.#hub.identify(this.#entrance.token ?? token, this.#entrance.pass);
    if (this.#phase !== 'greeting') return;
    if (!this.#hub.admits(caller)) return this.close('rate_limited', 'rate_limited;too many connections');
    const asked = session === undefined ? 0 : this.#hub.backend.lastSequence(caller, session);
    const sequence = typeof asked === 'number' ? asked : await this.#answered(asked);
    if (sequence === undefined) return;
    this.#caller = caller;
    this.#session = session && `${caller.id}\0${session}`;
    if (session !== undefined && acks === true) this.#sends = this.#acknowledged(caller, session);
    this.#phase = 'open';
    this.#out.send(this.#hub.welcome(this, session === undefined ? null : { resumed: sequence > 0, sequence }));
    this.#timers.watchExpiry(
      caller,
      () => this.close('token_expired'),
      (inMs) => this.#out.send({ t: 'note', code: 'token_expiring', inMs }),
    );
    for (const frame of this.#early.splice(0)) this.#takeEarly(frame);
  }

  #acknowledged(caller: Caller, session: string): AcknowledgedSends {
    const { clock, desk, underWay, backend } = this.#hub;
    return new AcknowledgedSends({
      caller,
      clock,
      desk,
      underWay,
      deliverTo: (listener) => backend.sequenced({ caller, session, listener }),
      send: (frame) => this.#out.send(frame),
      fail: (id, error) => this.#refuse(id, error),
    });
  }

  /**
   * Awaits an answer.
   *
   * @returns undefined if the connection has closed meanwhile.
   */
  async #answered(asked: Promise<number>): Promise<number | undefined> {
    const sequence = await asked;
    return this.#phase === 'greeting' ? sequence : undefined;
  }

  #takeEarly(frame: ClientFrame): void {
    try {
      if (this.#phase === 'open') this.#take(frame);
    } catch (error) {
      this.#turnAway(error);
    }
  }

  #turnAway(error: unknown): void {
    this.#out.send({ t: 'err', e: this.#hub.counted(error) });
    // Only an authentication error is the client's fault; after other errors it may try again.
    this.close(
      isBosunError(error, 'BOSUN_UNAUTHENTICATED')
        ? 'unauthenticated'
        : isBosunError(error, 'BOSUN_CALL_INVALID')
          ? 'bad_frame'
          : 'internal',
    );
  }

  #call(frame: Req): void {
    const { id, m, p, seq, key, deadlineMs } = frame;
    if (this.#calls.has(id) || this.#sends?.has(id) === true)
      return this.#refuse(id, invalid('a call with this id is in progress'));
    if (this.inFlight >= CALLS_IN_FLIGHT_MAX)
      return this.#refuse(id, new BosunError('BOSUN_GATEWAY_FULL', `${CALLS_IN_FLIGHT_MAX} calls are in flight`));
    if (this.#hub.isDraining) return this.#refuse(id, new BosunError('BOSUN_DRAINING', 'the gateway is closing'));
    let session: Session | undefined;
    if (seq !== undefined) {
      if (this.#session === undefined) return this.#refuse(id, invalid('a sequence needs a session, named in hello'));
      session = { id: this.#session.slice(this.#session.indexOf('\0') + 1), sequence: seq };
    }
    try {
      if (this.#sends?.take(frame) === true) return;
      const call = this.#hub.desk.take(
        { caller: this.#caller!, method: m, params: p, session, key, deadlineMs },
        {
          answered: ({ result, replayed }) =>
            this.#answer({ t: 'res', id, ok: true, r: result, ...(replayed && { replayed }) }),
          refused: (error) => this.#fail(id, error),
        },
      );
      this.#calls.set(id, call);
    } catch (error) {
      this.#refuse(id, error);
    }
  }

  #fail(id: string, error: unknown): void {
    this.#answer({ t: 'res', id, ok: false, e: this.#hub.counted(error) });
  }

  #answer(frame: ServerFrame & { t: 'res' }): void {
    this.#calls.delete(frame.id);
    // Answers of calls made together come from one epoch and leave in one write.
    this.#out.send(frame, this.#calls.size > 0);
    this.#sends?.answered(frame.id);
  }

  #refuse(id: string, error: unknown): void {
    this.#out.send({ t: 'res', id, ok: false, e: this.#hub.counted(error) });
    this.#sends?.answered(id);
  }

  #end(id: string, error: unknown): void {
    this.#out.send({ t: 'end', id, e: this.#hub.counted(error) });
  }

  #watchSilence(afterMs: number): void {
    this.#timers.later(afterMs, () => {
      const silentMs = this.#hub.clock.monotonicMs() - this.#heardMs;
      // While reading is paused, silence means nothing.
      if (silentMs >= SILENCE_MS_MAX && !this.#out.isSlow) return this.close('silent');
      if (silentMs < PING_EVERY_MS) return this.#watchSilence(PING_EVERY_MS - silentMs);
      if (this.#phase === 'open') this.#out.send({ t: 'ping' });
      this.#watchSilence(Math.max(1, SILENCE_MS_MAX - silentMs));
    });
  }

  #release(): void {
    this.#timers.end();
    this.#subscriptions.end();
    this.#out.end();
    for (const call of [...this.#calls.values()]) call.cancel();
    this.#calls.clear();
    this.#sends?.end();
  }
}

function tooFast(retryAfterMs: number): BosunError {
  return new BosunError('BOSUN_RATE_LIMITED', 'too many calls', { details: { retryAfterMs } });
}
