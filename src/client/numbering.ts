/**
 * The numbers of sends in their session: without holes, and never two for a send of which the gateway may have the
 * first. What the gateway refuses leaves its number free, or not, which only the gateway knows: the next send takes the
 * next number, and a gap that the gateway reports says where to go on.
 */

export interface NumberedCall {
  seq: number | undefined;
  isUncertain: boolean;
}

export class SendNumbering {
  #next = 1;
  #expected: number | undefined;
  #isHeld = false;

  /** No send goes out until those on their way are answered: their numbers may have to be given anew. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** @param last Of the last send that the gateway has accepted. @param sends In order. */
  begin(last: number, sends: readonly NumberedCall[]): void {
    this.#expected = undefined;
    this.#isHeld = false;
    this.#giveAnew(last + 1, sends);
  }

  next(): number {
    return this.#next++;
  }

  hold(): void {
    this.#isHeld = true;
  }

  /** The gateway did not take it, because an earlier number is free. */
  gap(send: NumberedCall, expected: number): void {
    send.isUncertain = false;
    this.#expected = expected;
    this.hold();
  }

  /** Lets sends go out again: none is on its way. */
  realign(sends: readonly NumberedCall[]): void {
    this.#isHeld = false;
    const lowest = Math.min(this.#next, ...sends.flatMap(({ seq }) => seq ?? []));
    this.#giveAnew(this.#expected ?? lowest, sends);
    this.#expected = undefined;
  }

  /** Those that are uncertain keep theirs; they come first. The others get theirs when they go out. */
  #giveAnew(from: number, sends: readonly NumberedCall[]): void {
    const kept = sends.flatMap(({ seq, isUncertain }) => (isUncertain && seq !== undefined ? [seq] : []));
    for (const send of sends) if (!send.isUncertain) send.seq = undefined;
    this.#next = Math.max(from, ...kept.map((seq) => seq + 1));
  }
}
