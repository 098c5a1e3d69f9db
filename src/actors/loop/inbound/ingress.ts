/**
 * The entrance for host events: an event that satisfies its schema waits here until the epoch in the making has room
 * for its turn, and its sender is told once that epoch is durable. So an acknowledged event was processed or is on
 * disk, and a waiting event costs no disk write.
 */
import { type EventObject } from 'xstate';
import { BosunError } from '../../../errors.ts';
import { MAILBOX_MESSAGES_MAX } from '../../../limits.ts';
import { type AnyAgent, parseEvent } from '../../model/agent.ts';
import { flatEvent } from '../../model/flat-events.ts';
import { admit, takeCount } from '../../model/value-check.ts';
import {
  type Arrival,
  Awaited,
  InboundRequest,
  type InboundOptions,
  notTaken,
  type Session,
  unread,
  type Waiter,
} from '../../world/mailbox/inbound.ts';
import { type AskOptions } from '../../world/talk/ask-record.ts';
import { refusalOfAwaited, refusalOfEvent } from '../../world/mailbox/suspended-receivers.ts';
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
  /** Whether nothing runs: then an order counts as carried out when it is durable. */
  readonly hold: boolean;
  /** Returns the reason why nothing is accepted at present. */
  readonly refusal: () => BosunError | undefined;
  readonly wake: () => void;
}

/** A parsed event with its receiver. */
export interface Request {
  readonly to: Cell;
  /** The event, parsed by the agent's schema. */
  readonly event: EventObject;
  readonly mailboxMessages: number;
  /** The life of the sender. Default FROM_HOST. */
  readonly from?: number;
}

export interface TakeOptions {
  readonly session?: Session | undefined;
  readonly from?: number;
  readonly ifSequence?: number | undefined;
  /** The treatment of a suspended receiver. Default `wait`, for an unlimited time. */
  readonly ifSuspended?: 'wait' | 'refuse';
}

export class Ingress {
  readonly #parts: Parts;
  readonly #arrivals = new Queue<Arrival>();
  readonly #intake: AdmissionControl;
  /** Accepted orders whose turn has not run yet. */
  readonly #orders = new Set<Waiter>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#intake = new AdmissionControl(() => parts.world.clock.monotonicMs());
  }

  /** The number of events that wait for room. */
  get size(): number {
    return this.#arrivals.size;
  }

  /**
   * Accepts an event as its sender has it, for the agent that runs at the receiver. The host is told when the event is
   * durable (not: processed), or that it was refused: with BOSUN_ACTOR_UNKNOWN if the receiver has been removed, and
   * with the error for which the system closed; the event may or may not have become durable then.
   *
   * @throws BOSUN_EVENT_REFUSED, BOSUN_EVENT_INVALID, BOSUN_MAILBOX_FULL, BOSUN_OVERLOADED, BOSUN_VALUE_REFUSED,
   * BOSUN_STORE_UNAVAILABLE, BOSUN_SYSTEM_CLOSED, and the reason why the receiver is suspended, unless a person
   * suspended it.
   */
  receive(arrival: Arrival, event: EventObject, agent: AnyAgent): void {
    this.#refuse(refusalOfEvent(arrival.to), arrival.session);
    takeCount();
    const flat = flatEvent(agent.events, event);
    const parsed = flat ?? parseEvent(agent, event);
    this.#check(arrival.to, agent.limits.mailboxMessages);
    if (flat === undefined) this.#receive(arrival, this.#admitted(parsed));
    else this.#receive(arrival, flat);
  }

  /**
   * Sends like `send`, and waits for the resulting turn to be durable.
   *
   * @returns Whether the state handled the event; null for a repeat, and where nothing runs. Also rejects with
   * BOSUN_EVENT_NOT_TAKEN if the actor ended first, with BOSUN_ASK_FAILED if it crashed over the event until that
   * was quarantined, and with BOSUN_ACTOR_CHANGED if the actor is not at `ifSequence` when its turn comes.
   * @throws As `send`, and on request the reason why a person suspended the receiver.
   */
  take(
    to: Cell,
    event: EventObject,
    mailboxMessages: number,
    { session, from = FROM_HOST, ifSequence, ifSuspended = 'wait' }: TakeOptions,
  ): Promise<boolean | null> {
    const { hold } = this.#parts;
    this.#refuse(ifSuspended === 'refuse' && !hold ? refusalOfAwaited(to) : refusalOfEvent(to), session);
    const arrival = this.#accept(to, event, mailboxMessages, {
      session,
      isOrder: !hold,
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
   * Asks, or joins an existing ask with this id; `receiver` is called only for a new one.
   *
   * @returns The reply. Rejects with BOSUN_TIMEOUT, BOSUN_ASK_FAILED, BOSUN_ACTOR_UNKNOWN, or the error for which the
   * system closed.
   * @throws As `send`, BOSUN_VALUE_REFUSED for invalid options, BOSUN_ASKS_FULL, the errors of `receiver`, and for a
   * new ask the reason why the receiver is suspended, whoever suspended it.
   */
  ask(address: string, options: AskOptions, receiver: () => Request): Promise<unknown> {
    const { world, refusal } = this.#parts;
    const reason = refusal();
    if (reason !== undefined) throw reason;
    const deadlineMs = world.asks.deadlineOf(options);
    const known = world.asks.known(options.id, address, options.digest);
    if (known !== undefined) return world.asks.wait(known, deadlineMs);
    const { to, event, mailboxMessages, from = FROM_HOST } = receiver();
    this.#refuse(this.#parts.hold ? refusalOfEvent(to) : refusalOfAwaited(to));
    const ask = world.asks.open(to, { id: options.id, digest: options.digest, asker: 0, deadlineMs });
    let arrival: InboundRequest;
    try {
      // Parsing made this object, so it may be changed.
      arrival = this.#accept(to, Object.assign(event, { replyTo: world.asks.replyTo(ask) }), mailboxMessages, {
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
   * Sends an order to a Boss. Resolves with its answer when the order is carried out and durable: a start when the
   * child has begun. Rejects with BOSUN_CHILD_* if it is refused, with the error of a failed start, and with
   * BOSUN_ACTOR_UNKNOWN if the Boss has ended before it read the order. Throws if the order does not reach the
   * Boss.
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
    return arrival.promise.then(() => {
      if (arrival.isOrder && !arrival.isInHand) throw unread(arrival);
      return arrival.answer;
    });
  }

  /**
   * A promise for an operation that takes a turn: it resolves when the epoch in which `settle` was called is durable.
   * Throws as `enter` does.
   */
  request(): { readonly waiting: Promise<void>; readonly settle: () => void } {
    const { world, refusal } = this.#parts;
    const reason = refusal();
    if (reason !== undefined) throw reason;
    const waiting = new Awaited();
    this.#orders.add(waiting);
    return { waiting: waiting.promise, settle: () => world.draft.settle(waiting) };
  }

  /** Makes an immediate change of the world, which happens completely or throws. Resolves when it is durable. */
  enter(change: () => void): Promise<void> {
    const { world, refusal, wake } = this.#parts;
    const reason = refusal();
    if (reason !== undefined) throw reason;
    change();
    const waiting = new Awaited();
    world.draft.settle(waiting);
    wake();
    return waiting.promise;
  }

  /** Moves at most `count` waiting events into mailboxes, while the epoch in the making holds fewer than `bytes`. */
  takeIn(count: number, bytes = Infinity): void {
    const { draft } = this.#parts.world;
    for (let n = 0; n < count && draft.bytes < bytes; n++) {
      const arrival = this.#arrivals.shift();
      if (arrival === undefined) return;
      this.#takeIn(arrival);
    }
  }

  /** Restarts the measurement of pace after an outage, whose length says nothing about it. */
  outageEnds(): void {
    this.#intake.beginAnew();
  }

  /** Tells hosts that their events are durable. */
  acknowledge(hosts: readonly Waiter[]): void {
    for (const host of hosts) {
      if (this.#orders.size > 0) this.#orders.delete(host);
      this.#intake.gone(host.bytes);
      // A host that fails must not keep the others from being told.
      try {
        host.tell();
      } catch (error) {
        this.#parts.world.audience.failed(error);
      }
    }
    this.#intake.durable(this.#arrivals.size);
  }

  /**
   * Rejects every open request, because nothing further becomes durable, including those whose epoch was being written.
   */
  rejectAll(reason: BosunError, onTheWay: readonly Waiter[]): void {
    const { audience } = this.#parts.world;
    for (const host of [...onTheWay, ...this.#orders, ...this.#arrivals.toArray()])
      audience.guarded(() => host.reject(reason));
    this.#parts.world.asks.rejectAll(reason);
    this.#orders.clear();
    this.#arrivals.clear();
  }

  #accept(to: Cell, event: EventObject, mailboxMessages: number, how: InboundOptions): InboundRequest {
    this.#check(to, mailboxMessages);
    const request = new InboundRequest(to, how);
    this.#receive(request, this.#admitted(event));
    return request;
  }

  /** Throws the reason, if any, unless the event was accepted earlier: then it stays accepted. */
  #refuse(reason: BosunError | undefined, session?: Session): void {
    if (reason === undefined) return;
    if (session === undefined || !this.#parts.sessions.isRepeat(session)) throw reason;
  }

  /** Checks that another event may enter for an actor. Throws as `send` does. */
  #check(to: Cell, mailboxMessages: number): void {
    const reason = this.#parts.refusal();
    if (reason !== undefined) throw reason;
    if (to.isFullForHosts(mailboxMessages)) {
      const { address } = to;
      throw new BosunError('BOSUN_MAILBOX_FULL', `${address} has ${mailboxMessages} unread messages`, {
        details: { address },
      });
    }
    this.#intake.check(this.#arrivals.size);
  }

  /** Admits an event. No other admission happens between this and `#receive`. */
  #admitted(event: EventObject): EventObject {
    takeCount();
    return admit(event, `event ${event.type}`, this.#parts.world.own);
  }

  #receive(arrival: Arrival, admitted: EventObject): void {
    if (arrival.session !== undefined) this.#parts.sessions.check(arrival.session);
    arrival.event = admitted;
    arrival.bytes = takeCount();
    this.#intake.taken(arrival.bytes);
    arrival.to.expect();
    this.#arrivals.push(arrival);
    this.#parts.wake();
  }

  #record(arrival: InboundRequest, facts: AuditFacts): void {
    const { audit } = this.#parts.world;
    const entry = audit.enter(facts, arrival.to.gone ? 'BOSUN_ACTOR_UNKNOWN' : 'open');
    arrival.conclude = () =>
      audit.close(entry, arrival.failure?.code ?? 'done', isStart(arrival) ? arrival.answer : undefined);
  }

  #takeIn(arrival: Arrival): void {
    const { world, sessions } = this.#parts;
    const { to, event, session, from } = arrival;
    to.arrived();
    this.#intake.entered();
    world.draft.bytes += arrival.bytes;
    const request = arrival instanceof InboundRequest ? arrival : undefined;
    if (request?.audited !== undefined) this.#record(request, request.audited);
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
    if (request?.ask !== undefined) world.asks.enter(request.ask);
    // A repeated send is acknowledged with the current epoch: the first one is in it or in an earlier one.
    const isRepeat = session !== undefined && !sessions.accept(session);
    if (request?.isOrder !== true || isRepeat) {
      if (!isRepeat) world.post(to, event, from);
      else if (request?.isOrder === true) request.taken = null;
      world.draft.settle(arrival.enters(world.draft.ordinal));
      return;
    }
    // Its host waits for more than durability, which may take any time.
    this.#intake.gone(request.bytes);
    request.bytes = 0;
    this.#orders.add(request);
    world.post(to, event, from, request!);
  }
}

/** Whether the request is a start, which is answered with the address of the child, because its Boss may choose it. */
function isStart(arrival: InboundRequest): arrival is InboundRequest & { readonly answer: string } {
  return arrival.failure === undefined && typeof arrival.answer === 'string';
}
