/**
 * The way in for hosts: an event that has passed its schema waits here until the epoch in the making has room for the
 * turn that it causes, and its sender is told once that epoch is durable. So what is acknowledged was processed or is
 * on disk, and what waits costs the disk nothing.
 */
import { type EventObject } from 'xstate';
import { BosunError } from '../../../errors.ts';
import { MAILBOX_MESSAGES_MAX } from '../../../limits.ts';
import { admit, takeCount } from '../../model/value-check.ts';
import { InboundRequest, type InboundOptions, notTaken, type Session, Waiter } from '../../world/mailbox/inbound.ts';
import { type AskOptions } from '../../world/talk/ask-record.ts';
import { type AuditFacts } from '../../world/audit-record.ts';
import { type Cell } from '../../world/cell.ts';
import { AdmissionControl } from './admission-control.ts';
import { Queue } from '../../model/queue.ts';
import { FROM_HOST } from '../../world/mailbox/message.ts';
import { type Sessions } from './sessions.ts';
import { type World } from '../../world/world.ts';

interface Parts {
  readonly world: World;
  readonly sessions: Sessions;
  /** Nothing runs: an order counts as carried out when it is durable. */
  readonly hold: boolean;
  /** Why nothing is taken at present. */
  readonly refusal: () => BosunError | undefined;
  readonly wake: () => void;
}

/** What is asked of whom. */
export interface Request {
  readonly to: Cell;
  /** Checked by the agent's schema. */
  readonly event: EventObject;
  readonly mailboxMessages: number;
  /** FROM_HOST unless told. */
  readonly from?: number;
}

export interface TakeOptions {
  readonly session?: Session | undefined;
  readonly from?: number;
  readonly ifSequence?: number | undefined;
}

export class Ingress {
  readonly #parts: Parts;
  readonly #arrivals = new Queue<InboundRequest>();
  readonly #intake: AdmissionControl;
  /** Orders taken in whose turn has not been taken. */
  readonly #orders = new Set<Waiter>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#intake = new AdmissionControl(() => parts.world.clock.monotonicMs());
  }

  /** Events that wait for room. */
  get size(): number {
    return this.#arrivals.size;
  }

  /**
   * @returns A promise that resolves when the event is durable (not: processed). It rejects with BOSUN_ACTOR_UNKNOWN
   *   where the receiver was removed meanwhile, and with what the system closed for; the event may or may not have
   *   become durable then.
   * @throws BOSUN_MAILBOX_FULL, BOSUN_OVERLOADED, BOSUN_VALUE_REFUSED, BOSUN_STORE_UNAVAILABLE, BOSUN_SYSTEM_CLOSED.
   */
  send(
    to: Cell,
    event: EventObject,
    mailboxMessages: number,
    session: Session | undefined,
    from = FROM_HOST,
  ): Promise<void> {
    return this.#accept(to, event, mailboxMessages, { session, isOrder: false, ask: undefined, from }).promise;
  }

  /**
   * Sends as `send` does, and waits for the turn that the event causes to be durable.
   *
   * @returns Whether the state took it; null for a repeat, and where nothing runs. Rejects besides with
   *   BOSUN_EVENT_NOT_TAKEN where the actor ended before, with BOSUN_ASK_FAILED where it crashed over the event until
   *   that was put aside, and with BOSUN_ACTOR_CHANGED where the actor is not at `ifSequence` when its turn comes.
   * @throws As `send`.
   */
  take(
    to: Cell,
    event: EventObject,
    mailboxMessages: number,
    { session, from = FROM_HOST, ifSequence }: TakeOptions,
  ): Promise<boolean | null> {
    const arrival = this.#accept(to, event, mailboxMessages, {
      session,
      isOrder: !this.#parts.hold,
      ask: undefined,
      from,
      ifSequence,
    });
    return arrival.promise.then(() => {
      if (!arrival.isOrder) return null;
      if (arrival.taken === undefined) throw notTaken(arrival);
      return arrival.taken;
    });
  }

  /**
   * Asks, or joins an ask that its id names already; `receiver` is called only for one that is new.
   *
   * @returns The reply. Rejects with BOSUN_TIMEOUT, BOSUN_ASK_FAILED, BOSUN_ACTOR_UNKNOWN, or what the system closed
   *   for.
   * @throws As `send`, BOSUN_VALUE_REFUSED for options that are none, BOSUN_ASKS_FULL, and what `receiver` throws.
   */
  ask(address: string, options: AskOptions, receiver: () => Request): Promise<unknown> {
    const { world, refusal } = this.#parts;
    const reason = refusal();
    if (reason !== undefined) throw reason;
    const deadlineMs = world.asks.deadlineOf(options);
    const known = world.asks.known(options.id, address, options.digest);
    if (known !== undefined) return world.asks.wait(known, deadlineMs);
    const { to, event, mailboxMessages, from = FROM_HOST } = receiver();
    const ask = world.asks.open(to, { id: options.id, digest: options.digest, asker: 0, deadlineMs });
    let arrival: InboundRequest;
    try {
      arrival = this.#accept(to, { ...event, replyTo: world.asks.replyTo(ask) } as EventObject, mailboxMessages, {
        session: undefined,
        isOrder: !this.#parts.hold,
        ask,
        from,
      });
    } catch (error) {
      world.asks.drop(ask);
      throw error;
    }
    const reply = world.asks.wait(ask, deadlineMs);
    arrival.promise.catch((error: unknown) => world.asks.fail(ask, error as BosunError));
    return reply;
  }

  /**
   * An order to a Boss. Resolves with its answer when what it asks for is done and durable: a start when the child has
   * begun. Rejects with BOSUN_CHILD_* where it is refused, and with what a start failed for. Throws where it does not
   * reach the Boss.
   *
   * @param audited Recorded in the epoch of the order, and closed in that of its end.
   */
  order(to: Cell, event: EventObject, audited?: AuditFacts): Promise<unknown> {
    if (to.suspension !== undefined) throw to.suspension;
    const arrival = this.#accept(to, event, MAILBOX_MESSAGES_MAX, {
      session: undefined,
      isOrder: !this.#parts.hold,
      ask: undefined,
      from: FROM_HOST,
    });
    arrival.audited = audited;
    return arrival.promise.then(() => arrival.answer);
  }

  /**
   * For what takes a turn: the promise resolves when the epoch is durable in which `settle` was called. Throws as
   * `enter` does.
   */
  request(): { readonly waiting: Promise<void>; readonly settle: () => void } {
    const { world, refusal } = this.#parts;
    const reason = refusal();
    if (reason !== undefined) throw reason;
    const waiting = new Waiter();
    this.#orders.add(waiting);
    return { waiting: waiting.promise, settle: () => world.draft.settle(waiting) };
  }

  /** Makes a change of the world at once, which throws or is whole. Resolves when it is durable. */
  enter(change: () => void): Promise<void> {
    const { world, refusal, wake } = this.#parts;
    const reason = refusal();
    if (reason !== undefined) throw reason;
    change();
    const waiting = new Waiter();
    world.draft.settle(waiting);
    wake();
    return waiting.promise;
  }

  /**
   * Moves at most `count` of those that wait into mailboxes, while the epoch in the making holds fewer than `bytes`.
   */
  takeIn(count: number, bytes = Infinity): void {
    const { draft } = this.#parts.world;
    for (let n = 0; n < count && draft.bytes < bytes; n++) {
      const arrival = this.#arrivals.shift();
      if (arrival === undefined) return;
      this.#takeIn(arrival);
    }
  }

  /** Tells hosts that what they wait for is durable. */
  acknowledge(hosts: readonly Waiter[]): void {
    for (const host of hosts) {
      this.#orders.delete(host);
      this.#intake.gone(host.bytes);
      host.tell();
    }
    this.#intake.durable(this.#arrivals.size);
  }

  /** Nothing further becomes durable: tells all that wait, also those whose epoch was on its way. */
  rejectAll(reason: BosunError, onTheWay: readonly Waiter[]): void {
    for (const host of [...onTheWay, ...this.#orders, ...this.#arrivals.toArray()]) host.reject(reason);
    this.#parts.world.asks.rejectAll(reason);
    this.#orders.clear();
    this.#arrivals.clear();
  }

  #accept(to: Cell, event: EventObject, mailboxMessages: number, how: InboundOptions): InboundRequest {
    const { world, sessions, refusal, wake } = this.#parts;
    const reason = refusal();
    if (reason !== undefined) throw reason;
    if (unreadOf(to) + to.incoming >= mailboxMessages) {
      const { address } = to;
      throw new BosunError('BOSUN_MAILBOX_FULL', `${address} has ${mailboxMessages} unread messages`, {
        details: { address },
      });
    }
    this.#intake.check(this.#arrivals.size);
    takeCount();
    const admitted = admit(event, `event ${event.type}`, world.own);
    const bytes = takeCount();
    if (how.session !== undefined) sessions.check(how.session);
    const arrival = new InboundRequest(to, admitted, how);
    arrival.bytes = bytes;
    this.#intake.taken(bytes);
    to.incoming += 1;
    this.#arrivals.push(arrival);
    wake();
    return arrival;
  }

  #record(arrival: InboundRequest, facts: AuditFacts): void {
    const { audit } = this.#parts.world;
    const number = audit.enter(facts, arrival.to.gone ? 'BOSUN_ACTOR_UNKNOWN' : 'open');
    arrival.conclude = () =>
      audit.close(number, arrival.failure?.code ?? 'done', isStart(arrival) ? arrival.answer : undefined);
  }

  #takeIn(arrival: InboundRequest): void {
    const { world, sessions } = this.#parts;
    const { to, event, session, isOrder, from } = arrival;
    to.incoming -= 1;
    this.#intake.entered();
    world.draft.bytes += arrival.bytes;
    if (arrival.audited !== undefined) this.#record(arrival, arrival.audited);
    if (to.gone) {
      const { address } = to;
      this.#intake.gone(arrival.bytes);
      arrival.reject(
        new BosunError('BOSUN_ACTOR_UNKNOWN', `${address} was removed before the event arrived`, {
          details: { address },
        }),
      );
      return;
    }
    if (arrival.ask !== undefined) world.asks.enter(arrival.ask);
    if (isOrder) {
      if (session !== undefined && !sessions.accept(session)) {
        arrival.taken = null;
        world.draft.settle(arrival);
        return;
      }
      // Its host waits for more than to be durable, which may take as long as it likes.
      this.#intake.gone(arrival.bytes);
      arrival.bytes = 0;
      this.#orders.add(arrival);
      world.post(to, event, from, arrival);
      return;
    }
    // A repeated send is acknowledged with the epoch that is open now: the first one is in it or in an earlier one.
    if (session === undefined || sessions.accept(session)) world.post(to, event, from);
    world.draft.settle(arrival);
  }
}

/** What makes a mailbox full for hosts. Where the oldest event gives way it never is. */
function unreadOf({ mailbox, definition }: Cell): number {
  return definition.overflow.policy === 'drop-oldest' ? 0 : mailbox.size - mailbox.deferred;
}

/** A start is answered with the address of the child, which nobody knew before where its Boss gives it. */
function isStart(arrival: InboundRequest): arrival is InboundRequest & { readonly answer: string } {
  return arrival.failure === undefined && typeof arrival.answer === 'string';
}
