/**
 * The epoch in the making: gathers what turns change until it is frozen into one commit. What appears and vanishes within
 * one epoch (a message sent and read, a timer armed and cancelled) leaves no trace in it.
 */
import { type Cell, type Image } from './cell.ts';
import { type Message, messageRow } from './message.ts';
import { type Counters, type Delta, type Epoch, type NewConfiguration, type RowKey } from './ports.ts';
import { rowKey } from './rows.ts';
import { type ActorState } from './state.ts';
import { type Timer, timerRow } from './timers.ts';

/** What happens once the epoch is durable. */
export type Output = () => void;

/** A frozen epoch and what its durability releases. */
export interface Frozen {
  readonly epoch: Epoch;
  /** Every actor that changed, as it is at the end of the epoch; one that is gone, as it was last. */
  readonly images: ReadonlyMap<Cell, Image>;
  readonly outputs: readonly Output[];
}

export class EpochDraft {
  #deltas: Delta[] = [];
  #rows = new Map<RowKey, unknown>();
  #unread = new Set<Message>();
  #armed = new Set<Timer>();
  #touched = new Set<Cell>();
  #outputs: Output[] = [];
  turns = 0;

  /** Whether there is anything to write or to release. */
  get isEmpty(): boolean {
    return this.#rows.size + this.#unread.size + this.#armed.size + this.#touched.size + this.#outputs.length === 0;
  }

  delta(cell: Cell, body: Uint8Array): void {
    const { seq, hash } = cell.state;
    this.#deltas.push({ life: cell.identity.life, seq, hash, body });
    this.#touched.add(cell);
  }

  /** Marks a birth, a death or a change of the cell. */
  touch(cell: Cell): void {
    this.#touched.add(cell);
  }

  put(key: RowKey, row: unknown): void {
    this.#rows.set(key, row);
  }

  remove(key: RowKey): void {
    this.#rows.set(key, null);
  }

  output(output: Output): void {
    this.#outputs.push(output);
  }

  /** A message was accepted, or its delivery count rose. */
  unread(message: Message): void {
    if (message.timer === null) this.#unread.add(message);
  }

  /** A message was read or discarded. */
  read(message: Message): void {
    if (message.settled !== null) this.output(message.settled);
    if (message.timer !== null) return;
    this.#unread.delete(message);
    if (message.stored) this.remove(rowKey('m', message.id));
  }

  armed(timer: Timer): void {
    this.#armed.add(timer);
  }

  disarmed(timer: Timer): void {
    this.#armed.delete(timer);
    if (timer.stored) this.remove(rowKey('t', timer.number));
  }

  /** Closes the draft and begins a new one. */
  freeze(head: {
    number: number;
    kernelTimeMs: number;
    counters: Counters;
    configurations: readonly NewConfiguration[];
  }): Frozen {
    for (const message of this.#unread) {
      this.#rows.set(rowKey('m', message.id), messageRow(message));
      message.stored = true;
    }
    for (const timer of this.#armed) {
      this.#rows.set(rowKey('t', timer.number), timerRow(timer));
      timer.stored = true;
    }
    const states = new Map<number, ActorState | null>();
    const images = new Map<Cell, Image>();
    for (const cell of this.#touched) {
      states.set(cell.identity.life, cell.gone ? null : cell.state);
      images.set(cell, { state: cell.state, snapshot: cell.snapshot, isGone: cell.gone });
    }
    const epoch: Epoch = { ...head, deltas: this.#deltas, rows: this.#rows, states };
    const frozen: Frozen = { epoch, images, outputs: this.#outputs };
    this.#deltas = [];
    this.#rows = new Map();
    this.#unread = new Set();
    this.#armed = new Set();
    this.#touched = new Set();
    this.#outputs = [];
    this.turns = 0;
    return frozen;
  }
}
