/**
 * The sends of one connection that are acknowledged together, for clients that ask for it in `hello`: one `ack` says
 * that all up to a number are durable. A send that is refused, or not durable in time, has a `res` of its own before.
 */
import { type Cancel, type Clock } from '../../clock.ts';
import { type CallDesk, tooLate } from '../calls/call-desk.ts';
import { type CallsUnderWay } from '../calls/calls-under-way.ts';
import { type SequencedListener, type SequencedSends } from '../calls/sequenced-sends.ts';
import { BosunError } from '../../errors.ts';
import { CALL_MS } from '../limits.ts';
import { type Req, type ServerFrame } from '../protocol/frames.ts';
import { type Caller } from '../callers/callers.ts';

interface OpenSend {
  readonly sequence: number;
  readonly untilMs: number;
  readonly leftMs: number;
}

export interface AcknowledgedSendsParts {
  readonly caller: Caller;
  readonly clock: Clock;
  readonly desk: Pick<CallDesk, 'plainSend'>;
  readonly underWay: CallsUnderWay;
  readonly deliverTo: (listener: SequencedListener) => SequencedSends;
  readonly send: (frame: ServerFrame) => void;
  /** Answers a call with an error. */
  readonly fail: (id: string, error: unknown) => void;
}

export class AcknowledgedSends implements SequencedListener {
  readonly #parts: AcknowledgedSendsParts;
  readonly #sends: SequencedSends;
  /** Unanswered sends by the id of their call, in the order of their numbers. */
  readonly #open = new Map<string, OpenSend>();
  /** Ids of sends that need a `res` of their own, above all repeats. */
  readonly #apart = new Set<string>();
  /** Number of an `ack` that is held back for those: no `ack` may pass a send that may still be refused. 0 for none. */
  #held = 0;
  #cancel: Cancel | undefined;
  #alarmMs = Infinity;

  constructor(parts: AcknowledgedSendsParts) {
    this.#parts = parts;
    this.#sends = parts.deliverTo(this);
  }

  get size(): number {
    return this.#open.size;
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  /**
   * Takes a call. Throws if it is refused.
   *
   * @returns False if the call cannot be acknowledged together with others.
   */
  take({ id, m, p, seq, key, deadlineMs: leftMs = CALL_MS }: Req): boolean {
    if (m !== 'actor.send' || seq === undefined || key !== undefined) return false;
    const { caller, clock, desk, underWay } = this.#parts;
    const send = desk.plainSend(caller, p);
    if (send === undefined) return false;
    underWay.enter(caller);
    let isTaken = false;
    try {
      isTaken = this.#sends.deliver(seq, send);
    } finally {
      if (!isTaken) underWay.leave(caller);
    }
    if (!isTaken) {
      this.#apart.add(id);
      return false;
    }
    const untilMs = clock.monotonicMs() + leftMs;
    this.#open.set(id, { sequence: seq, untilMs, leftMs });
    if (untilMs < this.#alarmMs) this.#wakeAt(untilMs);
    return true;
  }

  /** Ends the wait for a send with BOSUN_CALL_CANCELLED; it may still happen. */
  cancel(id: string): void {
    if (this.#open.delete(id))
      this.#parts.fail(id, new BosunError('BOSUN_CALL_CANCELLED', 'the call was cancelled; it may still take effect'));
  }

  durable(last: number, sends: number): void {
    const { caller, underWay, send } = this.#parts;
    underWay.leave(caller, sends);
    const before = this.#open.size;
    for (const [id, { sequence }] of this.#open) {
      if (sequence > last) break;
      this.#open.delete(id);
    }
    if (this.#open.size === before) return;
    if (this.#apart.size > 0) this.#held = last;
    else send({ t: 'ack', seq: last });
  }

  /** Records that a call was answered by a `res` of its own. */
  answered(id: string): void {
    if (!this.#apart.delete(id) || this.#apart.size > 0 || this.#held === 0) return;
    this.#parts.send({ t: 'ack', seq: this.#held });
    this.#held = 0;
  }

  replayed(sequence: number): void {
    this.#parts.underWay.leave(this.#parts.caller);
    const id = this.#taken(sequence);
    if (id !== undefined) this.#parts.send({ t: 'res', id, ok: true, r: { taken: null }, replayed: true });
  }

  refused(sequence: number, error: unknown): void {
    this.#parts.underWay.leave(this.#parts.caller);
    const id = this.#taken(sequence);
    if (id !== undefined) this.#parts.fail(id, error);
  }

  lost(first: number, last: number, error: unknown, sends: number): void {
    this.#parts.underWay.leave(this.#parts.caller, sends);
    for (const [id, { sequence }] of this.#open) {
      if (sequence < first || sequence > last) continue;
      this.#open.delete(id);
      this.#parts.fail(id, error);
    }
  }

  /** Ends all waits without answers, since the connection is closed. */
  end(): void {
    this.#cancel?.();
    this.#open.clear();
  }

  /**
   * Removes an open send.
   *
   * @returns The id of its call; undefined if it has been answered.
   */
  #taken(sequence: number): string | undefined {
    for (const [id, send] of this.#open) {
      if (send.sequence !== sequence) continue;
      this.#open.delete(id);
      return id;
    }
    return undefined;
  }

  /** Sets the single timer. It keeps running while nothing is open, since most sends are durable long before. */
  #wakeAt(atMs: number): void {
    const { clock } = this.#parts;
    this.#cancel?.();
    this.#alarmMs = atMs;
    // An acknowledgement that comes at the same instant still counts.
    const late = () => clock.defer(() => this.#endLate());
    this.#cancel = clock.setTimeout(late, Math.max(0, atMs - clock.monotonicMs()), { isBackground: true });
  }

  #endLate(): void {
    const nowMs = this.#parts.clock.monotonicMs();
    for (const [id, { untilMs, leftMs }] of this.#open) {
      if (untilMs > nowMs) continue;
      this.#open.delete(id);
      this.#parts.fail(id, tooLate(leftMs));
    }
    this.#alarmMs = Infinity;
    const next = Math.min(...[...this.#open.values()].map(({ untilMs }) => untilMs));
    if (next < Infinity) this.#wakeAt(next);
  }
}
