/**
 * The epoch in the making: collects the changes of turns until it is frozen into one commit. What appears and vanishes
 * within one epoch (a message sent and read, a timer armed and cancelled) leaves no trace in it.
 */
import { type Waiter } from './mailbox/inbound.ts';
import { type Cell } from './cell.ts';
import { type Image, imageOf } from './standing.ts';
import { concealedMessage, type Message, messageRow } from './mailbox/message.ts';
import { type Conceal, type Counters, type Deltas, type Epoch, type RowKey, KEYSPACE } from '../model/ports.ts';
import { rowKey } from '../model/row-keys.ts';
import { isEnrolled } from '../model/state.ts';
import { type Timer, timerRow } from '../model/timers.ts';

/** An action to run once the epoch is durable. */
export type Output = () => void;

/** A frozen epoch, and everything to release when it is durable. */
export interface Frozen {
  /** Whether there is nothing to write. */
  readonly isVoid: boolean;
  /** Number of the last turn in it. */
  readonly lastTurn: number;
  readonly epoch: Epoch;
  /** The images of the epoch, with the kernel's cells. */
  readonly images: readonly Image[];
  readonly outputs: readonly Output[];
  /** Hosts to be told. */
  readonly settled: readonly Waiter[];
}

/** The actors whose values are encrypted, and how; undefined if there is no key. */
export interface Concealment {
  readonly conceal: Conceal;
  isSecret(life: number): boolean;
}

export class EpochDraft {
  readonly #concealment: Concealment | undefined;
  /** Changes of states; adding one requires touching the cell. */
  readonly deltas: Deltas;
  #rows = new Map<RowKey, unknown>();
  #concealed = new Map<RowKey, unknown>();
  /** Messages that were accepted or redelivered. Most are read before the epoch ends. */
  readonly #messages: Message[] = [];
  readonly #timers: Timer[] = [];
  readonly #touched: Cell[] = [];
  /** Lives of children of Bosses with a row in the roll that says that they have not begun. */
  readonly #unbegun = new Set<number>();
  #outputs: Output[] = [];
  #settled = new Set<Waiter>();
  /** Functions that add rows and outputs at the end of the epoch. No caller waits for them. */
  readonly #gatherers: (() => void)[] = [];
  #awaited = 0;
  /** Keys being removed, recorded while an operation reads durable rows and must not bring them back. */
  removals: Set<RowKey> | undefined;
  turns = 0;
  /** Number of drafts before this one in this run, to recognise data of the current draft. */
  ordinal = 0;
  /** Bytes admitted by its turns and for host events. */
  bytes = 0;

  constructor(deltas: Deltas, concealment?: Concealment) {
    this.deltas = deltas;
    this.#concealment = concealment;
  }

  /** Whether there is nothing to write or to release. */
  get isEmpty(): boolean {
    const { length: changes } = this.#touched;
    return (
      changes +
        this.#rows.size +
        this.#messages.length +
        this.#timers.length +
        this.#outputs.length +
        this.#settled.size +
        this.#gatherers.length ===
      0
    );
  }

  /** Whether there is nothing to write, only something to release: messages came and went, and no state has changed. */
  get isVoid(): boolean {
    if (!this.deltas.isEmpty || this.#rows.size + this.#touched.length + this.#gatherers.length > 0) return false;
    return this.#messages.every(({ isGone }) => isGone) && this.#timers.every(({ gone }) => gone);
  }

  /** Number of events and orders for which hosts wait in this epoch. */
  get awaited(): number {
    return this.#awaited;
  }

  /**
   * Whether anybody outside waits for the epoch: a host, an effect that begins with it, or a reader of emitted events.
   */
  get isAwaited(): boolean {
    return this.#settled.size + this.#outputs.length > 0;
  }

  /**
   * Marks a birth, a death or a change of the cell. An unreadable actor's record is left untouched while the actor
   * exists.
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

  /** Puts a row with values of an actor: `stored` returns the stored form where those are concealed. */
  putOf(life: number, key: RowKey, row: unknown, stored: (conceal: Conceal) => unknown): void {
    this.put(key, row);
    const concealment = this.#concealment;
    if (concealment?.isSecret(life) === true) this.#concealed.set(key, stored(concealment.conceal));
  }

  remove(key: RowKey): void {
    this.#rows.set(key, null);
    this.removals?.add(key);
  }

  output(output: Output): void {
    this.#outputs.push(output);
  }

  /**
   * Adds a function that is called when the epoch closes, to enter rows and outputs. Does not make the epoch close
   * sooner.
   */
  atEnd(gather: () => void): void {
    this.#gatherers.push(gather);
  }

  /** Notifies the host when this epoch is durable; once, however many of its events the host waits for. */
  settle(host: Waiter): void {
    this.#awaited += 1;
    this.notify(host);
  }

  /** Notifies a waiter as `settle` does, without counting it among those for whom an epoch is written sooner. */
  notify(host: Waiter): void {
    this.#settled.add(host);
  }

  /** Records that a message was accepted, or that its delivery count increased. */
  unread(message: Message): void {
    if (message.timer !== null || message.isListed) return;
    message.isListed = true;
    this.#messages.push(message);
  }

  /** Records that a message was read or discarded. */
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

  /** Records that a timer was disarmed. */
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
    for (const gather of this.#gatherers.splice(0)) gather();
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
    const frozen: Frozen = { isVoid, lastTurn, epoch, images, outputs: this.#outputs, settled: [...this.#settled] };
    this.#rows = new Map();
    if (this.#concealed.size > 0) this.#concealed = new Map();
    this.#outputs = [];
    this.#settled = new Set();
    this.#awaited = 0;
    this.ordinal += 1;
    return frozen;
  }

  /** Takes the waiting hosts, when there will be no further epoch. */
  takeSettled(): readonly Waiter[] {
    const settled = [...this.#settled];
    this.#settled.clear();
    return settled;
  }

  /** Loads a row of the roll about an actor that has not begun. */
  loadUnbegun(life: number): void {
    this.#unbegun.add(life);
  }

  /** Enters a child of a Boss that has not begun into the roll, so that the next start reads it. */
  #enrol(cell: Cell): void {
    const { life } = cell;
    const isUnbegun = cell.status === 'starting' && !cell.gone && !isEnrolled(cell.identity);
    if (isUnbegun === this.#unbegun.has(life)) return;
    if (isUnbegun) {
      this.#unbegun.add(life);
      this.put(rowKey(KEYSPACE.roll, life), 0);
    } else {
      this.#unbegun.delete(life);
      this.remove(rowKey(KEYSPACE.roll, life));
    }
  }

  /** Writes rows of messages that are still unread and timers that are still armed. */
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

  /** Writes the row of a timer. An event for another actor is concealed if either of them has secrets. */
  #putTimer(timer: Timer): void {
    const { owner, to, event } = timer;
    const whose = this.#concealment?.isSecret(owner) === true ? owner : to;
    const row: readonly unknown[] = timerRow(timer);
    this.putOf(whose, rowKey(KEYSPACE.timers, timer.number), row, (conceal) => row.with(4, conceal(event, event.type)));
  }
}
