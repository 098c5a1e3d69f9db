/**
 * The epoch in the making: gathers what turns change until it is frozen into one commit. What appears and vanishes
 * within one epoch (a message sent and read, a timer armed and cancelled) leaves no trace in it.
 */
import { type Waiter } from './mailbox/inbound.ts';
import { type Cell, type Image, imageOf } from './cell.ts';
import { concealedMessage, type Message, messageRow } from './mailbox/message.ts';
import { type Conceal, type Counters, type Deltas, type Epoch, type RowKey, KEYSPACE } from '../model/ports.ts';
import { isEnrolled } from './residency/rest.ts';
import { rowKey } from '../model/row-keys.ts';
import { type Timer, timerRow } from '../model/timers.ts';

/** What happens once the epoch is durable. */
export type Output = () => void;

/** A frozen epoch and what its durability releases. */
export interface Frozen {
  /** There is nothing to write. */
  readonly isVoid: boolean;
  /** Number of the last turn in it. */
  readonly lastTurn: number;
  readonly epoch: Epoch;
  /** Those of the epoch, with what the kernel knows besides. */
  readonly images: readonly Image[];
  readonly outputs: readonly Output[];
  /** Hosts that are told. */
  readonly settled: readonly Waiter[];
}

/** Whose values are stored encrypted, and how; undefined where there is no key. */
export interface Concealment {
  readonly conceal: Conceal;
  isSecret(life: number): boolean;
}

export class EpochDraft {
  readonly #concealment: Concealment | undefined;
  /** Changes of states; whoever adds one touches the cell. */
  readonly deltas: Deltas;
  #rows = new Map<RowKey, unknown>();
  #concealed = new Map<RowKey, unknown>();
  /** Accepted, or delivered once more. Most of them are read before the epoch ends. */
  readonly #messages: Message[] = [];
  readonly #timers: Timer[] = [];
  readonly #touched: Cell[] = [];
  /** Lives of children of Bosses whose row of the roll says that they have not begun. */
  readonly #unbegun = new Set<number>();
  #outputs: Output[] = [];
  #settled: Waiter[] = [];
  turns = 0;
  /** What its turns admitted, and the events of hosts. */
  bytes = 0;

  constructor(deltas: Deltas, concealment?: Concealment) {
    this.deltas = deltas;
    this.#concealment = concealment;
  }

  /** Whether there is anything to write or to release. */
  get isEmpty(): boolean {
    const { length: changes } = this.#touched;
    return (
      changes +
        this.#rows.size +
        this.#messages.length +
        this.#timers.length +
        this.#outputs.length +
        this.#settled.length ===
      0
    );
  }

  /** Whether there is nothing to write, only to release: what came is gone again, and nothing has changed. */
  get isVoid(): boolean {
    if (!this.deltas.isEmpty || this.#rows.size + this.#touched.length > 0) return false;
    return this.#messages.every(({ isGone }) => isGone) && this.#timers.every(({ gone }) => gone);
  }

  /** How many hosts wait for it to be durable. */
  get awaited(): number {
    return this.#settled.length;
  }

  /**
   * Marks a birth, a death or a change of the cell. The record of one that cannot be read stays as it is, while it
   * lives.
   */
  touch(cell: Cell): void {
    if (cell.isTouched || (cell.suspension !== undefined && cell.isIllegible && !cell.gone)) return;
    cell.isTouched = true;
    this.#touched.push(cell);
  }

  put(key: RowKey, row: unknown): void {
    this.#rows.set(key, row);
    if (this.#concealed.size > 0) this.#concealed.delete(key);
  }

  /** One that holds values of an actor: `stored` is what is written where those are to be concealed. */
  putOf(life: number, key: RowKey, row: unknown, stored: (conceal: Conceal) => unknown): void {
    this.put(key, row);
    const concealment = this.#concealment;
    if (concealment?.isSecret(life) === true) this.#concealed.set(key, stored(concealment.conceal));
  }

  remove(key: RowKey): void {
    this.#rows.set(key, null);
  }

  output(output: Output): void {
    this.#outputs.push(output);
  }

  /** Tells the host when this epoch is durable. */
  settle(host: Waiter): void {
    this.#settled.push(host);
  }

  /** A message was accepted, or its delivery count rose. */
  unread(message: Message): void {
    if (message.timer !== null || message.isListed) return;
    message.isListed = true;
    this.#messages.push(message);
  }

  /** A message was read or discarded. */
  read(message: Message): void {
    message.isGone = true;
    if (message.order !== null && !message.order.isInHand) this.settle(message.order);
    if (message.key !== null && message.timer === null) this.remove(message.key);
  }

  armed(timer: Timer): void {
    if (timer.isListed) return;
    timer.isListed = true;
    this.#timers.push(timer);
  }

  /** The timer is marked as gone. */
  disarmed(timer: Timer): void {
    if (timer.stored) this.remove(rowKey(KEYSPACE.timers, timer.number));
  }

  /** Closes the draft and begins a new one. */
  freeze(head: {
    number: number;
    kernelTimeMs: number;
    counters: Counters;
    configurations: Epoch['configurations'];
    isVoid: boolean;
    lastTurn: number;
  }): Frozen {
    this.#store(head.kernelTimeMs);
    const images = this.#touched.map(imageOf);
    for (const cell of this.#touched) {
      cell.isTouched = false;
      if (cell.status === 'starting' || this.#unbegun.size > 0) this.#enrol(cell);
    }
    this.#touched.length = 0;
    this.#messages.length = 0;
    this.#timers.length = 0;
    this.turns = 0;
    this.bytes = 0;
    const { number, kernelTimeMs, counters, configurations, isVoid, lastTurn } = head;
    const epoch: Epoch = {
      number,
      kernelTimeMs,
      counters,
      configurations,
      deltas: this.deltas.take(),
      rows: this.#rows,
      concealed: this.#concealed,
      images,
    };
    const frozen: Frozen = { isVoid, lastTurn, epoch, images, outputs: this.#outputs, settled: this.#settled };
    this.#rows = new Map();
    if (this.#concealed.size > 0) this.#concealed = new Map();
    this.#outputs = [];
    this.#settled = [];
    return frozen;
  }

  /** Those who would have been told, when there will be no further epoch. */
  takeSettled(): readonly Waiter[] {
    const settled = this.#settled;
    this.#settled = [];
    return settled;
  }

  /** Takes in a row of the roll that recovery found of one that has not begun. */
  loadUnbegun(life: number): void {
    this.#unbegun.add(life);
  }

  /** A child of a Boss that has not begun has to be in memory at the next start. */
  #enrol(cell: Cell): void {
    const { life } = cell;
    const isUnbegun = cell.status === 'starting' && !cell.gone && !isEnrolled(cell);
    if (isUnbegun === this.#unbegun.has(life)) return;
    if (isUnbegun) {
      this.#unbegun.add(life);
      this.put(rowKey(KEYSPACE.roll, life), 0);
    } else {
      this.#unbegun.delete(life);
      this.remove(rowKey(KEYSPACE.roll, life));
    }
  }

  /** What is still unread or armed becomes rows. */
  #store(nowMs: number): void {
    for (const message of this.#messages) {
      message.isListed = false;
      if (message.isGone) continue;
      message.storedAtMs ??= nowMs;
      message.key ??= rowKey(KEYSPACE.mailboxes, message.id);
      this.putOf(message.to, message.key, messageRow(message), (conceal) =>
        concealedMessage(messageRow(message), conceal),
      );
    }
    for (const timer of this.#timers) {
      timer.isListed = false;
      if (timer.gone) continue;
      this.#putTimer(timer);
      timer.stored = true;
    }
  }

  /** One that is for another actor is concealed for either's sake. */
  #putTimer(timer: Timer): void {
    const { owner, to, event } = timer;
    const whose = this.#concealment?.isSecret(owner) === true ? owner : to;
    const row: readonly unknown[] = timerRow(timer);
    this.putOf(whose, rowKey(KEYSPACE.timers, timer.number), row, (conceal) => row.with(4, conceal(event, event.type)));
  }
}
