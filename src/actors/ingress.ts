/**
 * The way in for hosts: an event that has passed its schema becomes a message, and its sender is told once that is durable.
 */
import { type EventObject } from 'xstate';
import { BosunError } from '../errors.ts';
import { MAILBOX_MESSAGES_MAX } from '../limits.ts';
import { admit } from './admission.ts';
import { type Cell } from './cell.ts';
import { type Session, type Sessions } from './sessions.ts';
import { type World } from './world.ts';

interface Parts {
  readonly world: World;
  readonly sessions: Sessions;
  /** Nothing runs: an order counts as carried out when it is durable. */
  readonly hold: boolean;
  readonly isOpen: () => boolean;
  readonly wake: () => void;
}

export class Ingress {
  readonly #parts: Parts;
  /** Who waits for an epoch to become durable. */
  readonly #waiting = new Set<(error: BosunError) => void>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * @returns A promise that resolves when the event is durable (not: processed).
   * Rejects with BOSUN_MAILBOX_FULL, BOSUN_VALUE_REFUSED, BOSUN_SYSTEM_CLOSED or, after a failed write,
   * BOSUN_STORE_FAILED; then the event may or may not have become durable.
   */
  send(to: Cell, event: EventObject, session?: Session): Promise<void> {
    const { world, sessions } = this.#parts;
    return this.#accept(to, (resolve) => {
      const admitted = admit(event, `event ${event.type}`, world.own);
      if (session === undefined || sessions.accept(session)) world.post(to, admitted, 0);
      // A repeated send is acknowledged with the epoch that is open now: the first one is in it or in an earlier one.
      world.draft.output(resolve);
    });
  }

  /** Like `send`, but resolves when the turn that the event causes is durable. */
  order(to: Cell, event: EventObject): Promise<void> {
    const { world, hold } = this.#parts;
    return this.#accept(to, (resolve) => {
      const admitted = admit(event, `event ${event.type}`, world.own);
      if (hold) world.post(to, admitted, 0);
      else world.post(to, admitted, 0, resolve);
      if (hold) world.draft.output(resolve);
    });
  }

  /** Nothing further becomes durable. */
  rejectAll(reason: BosunError): void {
    for (const reject of this.#waiting) reject(reason);
    this.#waiting.clear();
  }

  #accept(to: Cell, enter: (resolve: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.#parts.isOpen()) throw new BosunError('BOSUN_SYSTEM_CLOSED', 'the system is not running');
      const { address } = to.identity;
      if (to.mailbox.size >= MAILBOX_MESSAGES_MAX) {
        throw new BosunError('BOSUN_MAILBOX_FULL', `${address} has ${MAILBOX_MESSAGES_MAX} unread messages`, { details: { address } });
      }
      enter(() => {
        this.#waiting.delete(reject);
        resolve();
      });
      this.#waiting.add(reject);
      this.#parts.wake();
    });
  }
}
