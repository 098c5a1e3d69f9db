/**
 * The way in for hosts: an event that has passed its schema waits here until the epoch in the making has room for the turn
 * that it causes, and its sender is told once that epoch is durable. So what is acknowledged was processed or is on disk,
 * and what waits costs the disk nothing.
 */
import { type EventObject } from 'xstate';
import { BosunError } from '../errors.ts';
import { MAILBOX_MESSAGES_MAX } from '../limits.ts';
import { admit } from './admission.ts';
import { type Cell } from './cell.ts';
import { Queue } from './queue.ts';
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

interface Arrival {
  readonly to: Cell;
  readonly event: EventObject;
  readonly session: Session | undefined;
  /** Told of the turn that the event causes, instead of the event. */
  readonly isOrder: boolean;
  readonly resolve: () => void;
  readonly reject: (error: BosunError) => void;
}

export class Ingress {
  readonly #parts: Parts;
  readonly #arrivals = new Queue<Arrival>();
  /** Taken in; their epoch is not durable yet. */
  readonly #pending = new Set<Arrival>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Events that wait for room. */
  get size(): number {
    return this.#arrivals.size;
  }

  /**
   * @returns A promise that resolves when the event is durable (not: processed).
   * Rejects with BOSUN_MAILBOX_FULL, BOSUN_VALUE_REFUSED, BOSUN_SYSTEM_CLOSED, BOSUN_ACTOR_UNKNOWN where the receiver was
   * removed meanwhile, or, after a failed write, BOSUN_STORE_FAILED; then the event may or may not have become durable.
   */
  send(to: Cell, event: EventObject, options: { session?: Session | undefined; mailboxMessages: number }): Promise<void> {
    return this.#accept({ to, event, session: options.session, isOrder: false }, options.mailboxMessages);
  }

  /** Like `send`, but resolves when the turn that the event causes is durable. */
  order(to: Cell, event: EventObject): Promise<void> {
    return this.#accept({ to, event, session: undefined, isOrder: !this.#parts.hold }, MAILBOX_MESSAGES_MAX);
  }

  /** Moves at most `count` of those that wait into mailboxes. */
  takeIn(count: number): void {
    for (let n = 0; n < count; n++) {
      const arrival = this.#arrivals.shift();
      if (arrival === undefined) return;
      this.#takeIn(arrival);
    }
  }

  /** Nothing further becomes durable. */
  rejectAll(reason: BosunError): void {
    for (const { reject } of [...this.#pending, ...this.#arrivals.toArray()]) reject(reason);
    this.#pending.clear();
    this.#arrivals.clear();
  }

  #accept(facts: Omit<Arrival, 'resolve' | 'reject'>, mailboxMessages: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const { world, sessions, isOpen, wake } = this.#parts;
      if (!isOpen()) throw new BosunError('BOSUN_SYSTEM_CLOSED', 'the system is not running');
      const { to, session } = facts;
      if (to.mailbox.size + to.incoming >= mailboxMessages) {
        const { address } = to.identity;
        throw new BosunError('BOSUN_MAILBOX_FULL', `${address} has ${mailboxMessages} unread messages`, { details: { address } });
      }
      const event = admit(facts.event, `event ${facts.event.type}`, world.own);
      if (session !== undefined) sessions.check(session);
      to.incoming += 1;
      this.#arrivals.push({ ...facts, event, resolve, reject });
      wake();
    });
  }

  #takeIn(arrival: Arrival): void {
    const { world, sessions } = this.#parts;
    const { to, event, session, isOrder, resolve, reject } = arrival;
    to.incoming -= 1;
    if (to.gone) {
      const { address } = to.identity;
      reject(new BosunError('BOSUN_ACTOR_UNKNOWN', `${address} was removed before the event arrived`, { details: { address } }));
      return;
    }
    this.#pending.add(arrival);
    const settle = () => {
      this.#pending.delete(arrival);
      resolve();
    };
    // A repeated send is acknowledged with the epoch that is open now: the first one is in it or in an earlier one.
    const isNew = session === undefined || sessions.accept(session);
    if (isOrder) world.post(to, event, 0, settle);
    else {
      if (isNew) world.post(to, event, 0);
      world.draft.output(settle);
    }
  }
}
