/**
 * A desk with one actor per item: it keeps a record of each item, passes orders on to the item's actor, and replies to
 * every order. Events for an actor that is still starting are held; orders that an actor leaves unanswered are refused
 * when it ends. The actors are children of a Boss of their own.
 */
import { type AnyActorRef, type AnyEventObject } from 'xstate';
import { type ReplyTo } from '../../actors/model/talk-actions.ts';
import { DESK_ORDER_BYTES_MAX, DESK_ORDERS_OPEN_MAX } from '../limits.ts';
import { table, type Table } from '../../table.ts';
import { inOneTable, noRecords, type RecordKind, Records, type RecordsApart, type RecordTables } from './records.ts';
import { numberKey, pairKey, pairsOf } from './table-keys.ts';
import { type Asked, type OrderReply, refused, type Turn } from './turn.ts';
import { fits } from './value-size.ts';

/** An event not yet sent to an item's actor, or an order that the actor has not answered. */
interface Held {
  readonly number: number;
  readonly event: AnyEventObject;
  /** Whether the desk waits for an answer from the actor. */
  readonly isOrder: boolean;
  readonly replyTo: ReplyTo | null;
}

export interface DeskRecord {
  readonly id: string;
  /** Sequence number of the record at its desk: the order of arrival. */
  readonly number: number;
  readonly isOver: boolean;
  /** The item's actor; null before it has started and after it has ended. */
  readonly ref: AnyActorRef | null;
  /** Number of events and orders held for the actor so far, which is also the number of the last one. */
  readonly orders: number;
}

type Own = 'number' | 'isOver' | 'ref' | 'orders';

/** The fields of a record that the particular desk supplies; the class Desk supplies the others. */
export type Facts<Row extends DeskRecord> = Omit<Row, Own>;

/** The part of a desk's context that holds its records. */
export interface DeskContext<Row> extends RecordTables<Row> {
  /** The sequence number of the next record. */
  readonly next: number;
  /** Held events and orders, by item and number. */
  readonly held: Table<Held>;
}

export interface DeskOf<Row extends DeskRecord> extends Pick<RecordKind<Row>, 'endedMax' | 'placeOf'> {
  /** The noun for an item in texts: `gate`. */
  readonly noun: string;
  /** System id of the Boss of the items' actors. */
  readonly boss: string;
  /** Describes how an item ended, for example `closed: answered`. */
  readonly ending: (row: Row) => string;
  /** The reply to orders that are open when the item ends. Default: they are refused. */
  readonly lastReply?: (row: Row) => OrderReply;
  /** Id of an item's actor. Default: the id of the item. */
  readonly actorOf?: (row: Row) => string;
}

const RECORDS: RecordKind<DeskRecord> = { keyOf: ({ id }) => id, isOver: ({ isOver }) => isOver };

function recordKind<Row extends DeskRecord>({ endedMax, placeOf }: DeskOf<Row>): RecordKind<Row> {
  return { ...RECORDS, placeOf, ...(endedMax !== undefined && { endedMax }) };
}

/** Migrates the context of a desk of an earlier build to one table of records and its index. */
export function deskInOneTable<Row extends DeskRecord, Before extends RecordsApart<Row>>(
  before: Before & RecordsApart<Row>,
  of: DeskOf<Row>,
): Omit<Before, keyof RecordsApart<Row>> & RecordTables<Row> {
  return inOneTable<Row, Before>(before, recordKind(of));
}

/** The context of a desk of an earlier build, from the one of today without what is given. */
export type DeskApart<Context extends DeskContext<unknown>> = Omit<Context, keyof RecordTables<unknown>> &
  RecordsApart<Context extends DeskContext<infer Row> ? Row : never>;

/** The context of a new desk, without records. */
export function newDesk<Row extends DeskRecord>(): DeskContext<Row> {
  return { next: 1, held: table(), ...noRecords<Row>() };
}

/** An order as its desk passes it to an item's actor. An order sent to the actor directly has no number. */
export interface PassedOrder {
  readonly order?: number;
  readonly replyTo?: ReplyTo;
}

/** The answer to an order, from an item's actor to its desk. */
export interface OrderAnswered {
  readonly type: 'order.answered';
  readonly id: string;
  readonly order: number;
  readonly reply: OrderReply;
}

/** The notice from a Boss to the desk that an actor has ended. */
export interface ChildExited {
  readonly type: 'child.exited';
  readonly id: string;
}

/** The records of a desk during one turn. */
export class Desk<Row extends DeskRecord> {
  readonly records: Records<Row>;
  readonly #turn: Turn<DeskContext<Row>, never>;
  readonly #of: DeskOf<Row>;

  constructor(turn: Turn<DeskContext<Row>, never>, of: DeskOf<Row>) {
    this.#turn = turn;
    this.#of = of;
    this.records = new Records(turn, recordKind(of));
  }

  /** Records a new item and has its Boss start its actor. Undefined if there is no Boss to start it. */
  open(facts: Facts<Row>, input: object): Row | undefined {
    const boss = this.#turn.find(this.#of.boss);
    if (boss === undefined) return undefined;
    const { next: number } = this.#turn.context;
    this.#turn.assign({ next: number + 1 });
    // A record consists of its facts and the desk's own fields.
    const row = { ...facts, number, isOver: false, ref: null, orders: 0 } as unknown as Row;
    this.records.put(row);
    const id = this.#of.actorOf?.(row) ?? row.id;
    const spec = { id, input: { ...input, desk: this.#turn.self }, reportTo: this.#turn.self };
    this.#turn.send(boss, { type: 'child.start', id, spec });
    return row;
  }

  /** Sends an event to the item's actor, at once or as soon as it has started. */
  tell({ id }: Row, event: AnyEventObject): void {
    const row = this.records.get(id)!;
    if (row.ref !== null) this.#turn.send(row.ref, event);
    else this.#hold(row, { event, isOrder: false, replyTo: null });
  }

  /** Passes an order on to the item's actor, which answers it. Returns the reply if the order is refused here. */
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

  /** Why the item takes no orders; undefined if it takes orders. */
  problemOf(id: string): string | undefined {
    const row = this.records.get(id);
    if (row === undefined) return `no ${this.#of.noun} "${id}"`;
    return row.isOver ? `${this.#of.noun} "${id}" is ${this.#of.ending(row)}` : undefined;
  }

  /** Records the start of an item's actor with its first facts, and sends it the held events. */
  begin(id: string, ref: AnyActorRef, facts?: Partial<Facts<Row>>): Row | undefined {
    const row = this.records.get(id);
    if (row === undefined || row.isOver || row.ref !== null) return facts && this.change(id, facts);
    for (const held of this.#heldFor(id)) {
      const { event, isOrder, number } = held;
      this.#turn.send(ref, isOrder ? { ...event, order: number } : event);
      if (!isOrder) this.#release(id, held);
    }
    const begun = { ...row, ...facts, ref };
    this.records.put(begun);
    return begun;
  }

  /** Forwards the actor's answer to the sender of the order. `finish` may add what the desk alone knows. */
  answer(
    { id, order, reply }: OrderAnswered,
    finish: (reply: OrderReply, order: AnyEventObject) => OrderReply = (given) => given,
  ): void {
    const held = this.#turn.context.held.get(heldKey(id, order));
    if (held === undefined) return;
    this.#turn.reply(held.replyTo ?? undefined, finish(reply, held.event));
    this.#release(id, held);
  }

  change(id: string, facts: Partial<Facts<Row>>): Row | undefined {
    const row = this.records.get(id);
    if (row === undefined) return undefined;
    const next = { ...row, ...facts };
    this.records.put(next);
    return next;
  }

  /** Marks an item as over and refuses its open orders. Undefined for an item that was over already. */
  close(id: string, facts: Partial<Facts<Row>>): Row | undefined {
    const row = this.records.get(id);
    if (row === undefined || row.isOver) return undefined;
    const closed = { ...row, ...facts, isOver: true, ref: null };
    this.records.put(closed);
    for (const held of this.#heldFor(id)) {
      this.#turn.reply(held.replyTo ?? undefined, this.#of.lastReply?.(closed) ?? refused(this.problemOf(id)!));
      this.#release(id, held);
    }
    return closed;
  }

  /** Events and orders held for an item, in order of arrival. */
  #heldFor(id: string): readonly Held[] {
    return [...this.#turn.context.held.values(pairsOf(id))];
  }

  /** Holds an event or order and returns its number. */
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

/** Answers an order through the desk that passed it on. Called by an item's actor. */
export function answerOrder(
  turn: Turn<{ readonly desk: AnyActorRef }, never>,
  id: string,
  { order, replyTo }: PassedOrder,
  reply: OrderReply,
): void {
  if (order === undefined) turn.reply(replyTo, reply);
  else turn.send(turn.context.desk, { type: 'order.answered', id, order, reply } satisfies OrderAnswered);
}

/** Restart intensity of the Boss of the items: so high that a single crashing item does not end the others. */
const INTENSITY = 100;

/**
 * Child specifications of a desk and the Boss of its items. The Boss comes first: the desk sends to it from its first
 * turn on.
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

/** A record as its desk lists it: without the fields that only the desk uses. */
export function listed<Row extends DeskRecord>(row: Row): Omit<Row, 'number' | 'ref' | 'orders'> {
  const { number: _, ref: __, orders: ___, ...facts } = row;
  return facts;
}
