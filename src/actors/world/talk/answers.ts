/**
 * Answers to host orders to Bosses. An order is answered when it is carried out, which may be later than the turn that
 * takes it: a start when the child has begun or has failed to, an end when the told children have ended. Waiting orders
 * are lost with the process, and so are the hosts that wait.
 */
import { ERROR_CODES, type ErrorCode } from '../../../error-codes.ts';
import { BosunError, messageOf } from '../../../errors.ts';
import { type InboundRequest } from '../mailbox/inbound.ts';
import { type EpochDraft } from '../epoch-draft.ts';
import { type Message } from '../mailbox/message.ts';

export class Answers {
  readonly #draft: EpochDraft;
  /** The order that the current turn takes. */
  #asked: InboundRequest | null = null;
  /** Orders that wait for a child to have begun, by its life. */
  readonly #starts = new Map<number, InboundRequest[]>();
  /** Orders that take several turns, by the life of the Boss. */
  readonly #scripts = new Map<number, InboundRequest>();

  constructor(draft: EpochDraft) {
    this.#draft = draft;
  }

  /** Records that a Boss takes a message. */
  begin({ order }: Message): void {
    this.#asked = order;
    if (order !== null) order.isInHand = true;
  }

  /** Records that a Boss has taken the message. */
  end(boss: number, isBusy: boolean): void {
    const asked = this.#asked;
    this.#asked = null;
    if (isBusy) {
      if (asked !== null) this.#scripts.set(boss, asked);
      return;
    }
    if (asked !== null) this.#settle(asked);
    const script = this.#scripts.get(boss);
    if (script === undefined) return;
    this.#scripts.delete(boss);
    this.#settle(script);
  }

  refuse(error: unknown): void {
    if (this.#asked !== null) this.#asked.failure ??= failureOf(error);
  }

  /** Delays the answer to the current order until the child has begun. */
  awaitStart(child: number, answer: unknown): void {
    const asked = this.#asked;
    if (asked === null) return;
    this.#asked = null;
    asked.answer = answer;
    const others = this.#starts.get(child);
    if (others === undefined) this.#starts.set(child, [asked]);
    else others.push(asked);
  }

  begun(child: number): void {
    if (this.#starts.size === 0) return;
    for (const asked of this.#take(child)) this.#settle(asked);
  }

  /**
   * Handles the failed start of a child; 0 for one that could not even be born.
   *
   * @returns An order to go with the signal to the Boss, so that it is answered when the Boss has handled it.
   */
  startFailed(child: number, error: unknown): InboundRequest | null {
    const asked = child === 0 ? this.#asked : null;
    if (asked !== null) this.#asked = null;
    const [first = null, ...others] = asked === null ? this.#take(child) : [asked];
    if (first === null) return null;
    for (const order of [first, ...others]) order.failure = failureOf(error);
    for (const order of others) this.#settle(order);
    first.isInHand = false;
    return first;
  }

  /** Fails the orders that waited for a removed actor. */
  gone(life: number, address: string): void {
    if (this.#starts.size + this.#scripts.size === 0) return;
    const script = this.#scripts.get(life);
    this.#scripts.delete(life);
    for (const order of [...this.#take(life), ...(script === undefined ? [] : [script])]) {
      order.failure = new BosunError('BOSUN_ACTOR_UNKNOWN', `${address} was removed before the order was complete`, {
        details: { address },
      });
      this.#settle(order);
    }
  }

  #settle(order: InboundRequest): void {
    order.conclude?.();
    this.#draft.settle(order);
  }

  #take(child: number): InboundRequest[] {
    const waiting = this.#starts.get(child) ?? [];
    this.#starts.delete(child);
    return waiting;
  }
}

function failureOf(error: unknown): BosunError {
  if (error instanceof BosunError) return error;
  // An admitted error is a plain error with the original code.
  const { code } = (error ?? {}) as { code?: unknown };
  const known =
    typeof code === 'string' && Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'BOSUN_START_FAILED';
  return new BosunError(known, messageOf(error), { cause: error });
}
