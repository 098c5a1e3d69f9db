/**
 * A desk that has an actor for each of its items: it keeps a record of each, passes orders on to it, and replies to
 * every order. What is sent to an item before its actor has begun is held, and an order that its actor never answers is
 * refused when that actor ends. The actors are children of a Boss of their own.
 */
import { type AnyActorRef, type AnyEventObject } from 'xstate';
import { type ReplyTo } from '../../actors/model/talk-actions.ts';
import { DESK_ORDER_BYTES_MAX, DESK_ORDERS_OPEN_MAX } from '../../limits.ts';
import { table, type Table } from '../../table.ts';
import { noRecords, type RecordKind, Records, type RecordTables } from './records.ts';
import { numberKey, pairKey, pairsOf } from './table-keys.ts';
import { type Asked, type OrderReply, refused, type Turn } from './turn.ts';
import { fits } from './value-size.ts';

/** Something for an item's actor that it has not been sent, or an order that it has not answered. */
interface Held {
  readonly number: number;
  readonly event: AnyEventObject;
  /** Whether it is answered. */
  readonly isOrder: boolean;
  readonly replyTo: ReplyTo | null;
}

export interface DeskRecord {
  readonly id: string;
  /** Rises with every record of the desk: the order of arrival. */
  readonly number: number;
  readonly isOver: boolean;
  /** Its actor; null until that has begun, and after it has ended. */
  readonly ref: AnyActorRef | null;
  /** What has been held for it so far: each thing has its number. */
  readonly orders: number;
}

type Own = 'number' | 'isOver' | 'ref' | 'orders';

/** What a record is made from. */
export type Facts<Row extends DeskRecord> = Omit<Row, Own>;

/** The part of a desk's context that its records are in. */
export interface DeskContext<Row> extends RecordTables<Row> {
  /** The number that the next record gets. */
  readonly next: number;
  /** What is held for each item. */
  readonly held: Table<Held>;
}

export interface DeskOf<Row extends DeskRecord> extends Pick<RecordKind<Row>, 'endedMax'> {
  /** What people call an item: `gate`. */
  readonly noun: string;
  /** System id of the Boss of its actors. */
  readonly boss: string;
  /** How one that is over has ended: `closed: answered`. */
  readonly ending: (row: Row) => string;
  /** Id of its actor. Default: that of the item. */
  readonly actorOf?: (row: Row) => string;
}

const RECORDS: RecordKind<DeskRecord> = { keyOf: ({ id }) => id, isOver: ({ isOver }) => isOver };

/** What a desk begins with: no records. */
export function newDesk<Row extends DeskRecord>(): DeskContext<Row> {
  return { next: 1, held: table(), ...noRecords<Row>() };
}

/** An order as an item's actor gets it from its desk; asked directly it has no number. */
export interface PassedOrder {
  readonly order?: number;
  readonly replyTo?: ReplyTo;
}

/** From an item's actor to its desk. */
export interface OrderAnswered {
  readonly type: 'order.answered';
  readonly id: string;
  readonly order: number;
  readonly reply: OrderReply;
}

/** From a Boss to the desk. */
export interface ChildExited {
  readonly type: 'child.exited';
  readonly id: string;
}

/** The records of a desk in one turn of it. */
export class Desk<Row extends DeskRecord> {
  readonly records: Records<Row>;
  readonly #turn: Turn<DeskContext<Row>, never>;
  readonly #of: DeskOf<Row>;

  constructor(turn: Turn<DeskContext<Row>, never>, of: DeskOf<Row>) {
    this.#turn = turn;
    this.#of = of;
    this.records = new Records(turn, { ...RECORDS, ...(of.endedMax !== undefined && { endedMax: of.endedMax }) });
  }

  /** Keeps a record of a new item, and has its actor started. Undefined without a Boss to start it. */
  open(facts: Facts<Row>, input: object): Row | undefined {
    const boss = this.#turn.find(this.#of.boss);
    if (boss === undefined) return undefined;
    const { next: number } = this.#turn.context;
    this.#turn.assign({ next: number + 1 });
    // A record is its facts and what is the desk's.
    const row = { ...facts, number, isOver: false, ref: null, orders: 0 } as unknown as Row;
    this.records.put(row);
    const id = this.#of.actorOf?.(row) ?? row.id;
    const spec = { id, input: { ...input, desk: this.#turn.self }, reportTo: this.#turn.self };
    this.#turn.send(boss, { type: 'child.start', id, spec });
    return row;
  }

  /** Sends the item's actor an event: at once, or as soon as it has begun. */
  tell({ id }: Row, event: AnyEventObject): void {
    const row = this.records.get(id)!;
    if (row.ref !== null) this.#turn.send(row.ref, event);
    else this.#hold(row, { event, isOrder: false, replyTo: null });
  }

  /** Passes an order on to the item's actor, which answers it. The reply, where it is refused here. */
  pass(
    id: string,
    { replyTo, ...event }: Asked & AnyEventObject,
    facts: Partial<Facts<Row>> = {},
  ): OrderReply | undefined {
    const row = this.records.get(id);
    const problem = this.problemOf(id);
    if (row === undefined || problem !== undefined) return refused(problem!);
    if (this.#heldFor(id).length >= DESK_ORDERS_OPEN_MAX)
      return refused(`${this.#of.noun} "${id}" has ${DESK_ORDERS_OPEN_MAX} orders to answer first`);
    if (!fits(event, DESK_ORDER_BYTES_MAX)) return refused(`an order has at most ${DESK_ORDER_BYTES_MAX} bytes`);
    const order = this.#hold({ ...row, ...facts }, { event, isOrder: true, replyTo: replyTo ?? null });
    if (row.ref !== null) this.#turn.send(row.ref, { ...event, order });
    return undefined;
  }

  /** Why there is nothing to be ordered; undefined where there is. */
  problemOf(id: string): string | undefined {
    const row = this.records.get(id);
    if (row === undefined) return `no ${this.#of.noun} "${id}"`;
    return row.isOver ? `${this.#of.noun} "${id}" is ${this.#of.ending(row)}` : undefined;
  }

  /** Its actor has begun: it gets what was held for it. */
  begin(id: string, ref: AnyActorRef): void {
    const row = this.records.get(id);
    if (row === undefined || row.isOver || row.ref !== null) return;
    for (const held of this.#heldFor(id)) {
      const { event, isOrder, number } = held;
      this.#turn.send(ref, isOrder ? { ...event, order: number } : event);
      if (!isOrder) this.#release(id, held);
    }
    this.records.put({ ...row, ref });
  }

  /** What its actor says of an order, for whoever gave it. */
  answer({ id, order, reply }: OrderAnswered): void {
    const held = this.#turn.context.held.get(heldKey(id, order));
    if (held === undefined) return;
    this.#turn.reply(held.replyTo ?? undefined, reply);
    this.#release(id, held);
  }

  change(id: string, facts: Partial<Facts<Row>>): Row | undefined {
    const row = this.records.get(id);
    if (row === undefined) return undefined;
    const next = { ...row, ...facts };
    this.records.put(next);
    return next;
  }

  /** Its actor has ended or is about to: open orders are refused. Undefined for an item that was over already. */
  close(id: string, facts: Partial<Facts<Row>>): Row | undefined {
    const row = this.records.get(id);
    if (row === undefined || row.isOver) return undefined;
    const closed = { ...row, ...facts, isOver: true, ref: null };
    this.records.put(closed);
    for (const held of this.#heldFor(id)) {
      this.#turn.reply(held.replyTo ?? undefined, refused(this.problemOf(id)!));
      this.#release(id, held);
    }
    return closed;
  }

  /** In order. */
  #heldFor(id: string): readonly Held[] {
    return [...this.#turn.context.held.values(pairsOf(id))];
  }

  /** The number that it is held under. */
  #hold(row: Row, what: Omit<Held, 'number'>): number {
    const number = row.orders + 1;
    this.records.put({ ...row, orders: number });
    this.#turn.assign({ held: this.#turn.context.held.set(heldKey(row.id, number), { ...what, number }) });
    return number;
  }

  #release(id: string, { number }: Held): void {
    this.#turn.assign({ held: this.#turn.context.held.delete(heldKey(id, number)) });
  }
}

function heldKey(id: string, number: number): string {
  return pairKey(id, numberKey(number));
}

/** Answers an order, by way of the desk that has passed it on. Called by an item's actor. */
export function answerOrder(
  turn: Turn<{ readonly desk: AnyActorRef }, never>,
  id: string,
  { order, replyTo }: PassedOrder,
  reply: OrderReply,
): void {
  if (order === undefined) turn.reply(replyTo, reply);
  else turn.send(turn.context.desk, { type: 'order.answered', id, order, reply } satisfies OrderAnswered);
}

/** One item that crashes must not end the others: only a flood of crashes ends their Boss. */
const INTENSITY = 100;

/**
 * A desk and the Boss of its items, as children of a Boss. The Boss first: the desk talks to it from its first turn on.
 */
export function deskChildren({ desk, boss, agent, item, input }: DeskPlace) {
  const template = { agent: item, restart: 'transient' as const };
  return [
    { id: boss, systemId: boss, boss: { strategy: 'dynamic' as const, template, intensity: INTENSITY } },
    { id: desk, systemId: desk, agent, ...(input !== undefined && { input }) },
  ];
}

interface DeskPlace {
  /** System ids. */
  readonly desk: string;
  readonly boss: string;
  /** Names of agents. */
  readonly agent: string;
  readonly item: string;
  readonly input?: object;
}

/** As a desk lists a record: without what is of use to itself alone. */
export function listed<Row extends DeskRecord>(row: Row): Omit<Row, 'number' | 'ref' | 'orders'> {
  const { number: _, ref: __, orders: ___, ...facts } = row;
  return facts;
}
