/**
 * The numbers of sends in their session: without gaps, and never a second number for a send that the gateway may have
 * accepted. Only the gateway knows whether a refused send has used its number: the next send takes the next number, and
 * a gap that the gateway reports says where to go on.
 */

export interface NumberedCall {
  seq: number | undefined;
  isUncertain: boolean;
}

export class SendNumbering {
  #next = 1;
  /** The highest number whose send was acknowledged. No other send gets it, whatever the gateway expects. */
  #accepted = 0;
  /** The highest number whose send was answered for good. The gateway may have accepted it. */
  #answered = 0;
  #expected: number | undefined;
  #isHeld = false;

  /** Whether sends must wait until those under way are answered, because numbers may have to be reassigned. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /**
   * Begins a connection.
   *
   * @param last Number of the last send that the gateway has accepted.
   * @param sends In order.
   */
  begin(last: number, sends: readonly NumberedCall[]): void {
    this.#expected = undefined;
    this.#isHeld = false;
    this.#accepted = this.#answered = last;
    this.#giveAnew(last + 1, sends);
  }

  /** Records that a send was answered for good. A refused one leaves its number free only by word of the gateway. */
  answered({ seq = 0 }: Pick<NumberedCall, 'seq'>, isAccepted: boolean): void {
    this.#answered = Math.max(this.#answered, seq);
    if (isAccepted) this.#accepted = Math.max(this.#accepted, seq);
  }

  next(): number {
    return this.#next++;
  }

  hold(): void {
    this.#isHeld = true;
  }

  /** Handles BOSUN_SEQUENCE_GAP: the gateway refused the send because an earlier number is free. */
  gap(send: NumberedCall, expected: number): void {
    send.isUncertain = false;
    this.#expected = expected;
    this.hold();
  }

  /** Allows sends again, once none is under way. */
  realign(sends: readonly NumberedCall[]): void {
    this.#isHeld = false;
    const lowest = Math.min(this.#next, ...sends.flatMap(({ seq }) => seq ?? []));
    const expected = this.#expected ?? Math.max(lowest, this.#answered + 1);
    this.#giveAnew(Math.max(expected, this.#accepted + 1), sends);
    this.#expected = undefined;
  }

  /** Reassigns numbers. Uncertain sends keep theirs and come first; the others get one when they are transmitted. */
  #giveAnew(from: number, sends: readonly NumberedCall[]): void {
    const kept = sends.flatMap(({ seq, isUncertain }) => (isUncertain && seq !== undefined ? [seq] : []));
    for (const send of sends) if (!send.isUncertain) send.seq = undefined;
    this.#next = Math.max(from, ...kept.map((seq) => seq + 1));
  }
}
