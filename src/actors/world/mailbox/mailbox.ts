/**
 * A mailbox. Most never have more than one first-in, first-out lane. Commands to Bosses overtake it; an agent may
 * declare some of its events high or low priority, and then has a lane for each level. Messages that a Boss ignores for
 * the time being, and those that an actor has deferred, are set aside in order, and return to the front of their lane.
 */
import { PRIORITY_RUN_MAX } from '../../../limits.ts';
import { isCancelled, Lane } from './lane.ts';
import { type Message } from './message.ts';

/** The rarely used parts of a mailbox, created on demand, so that an idle mailbox is one small object. */
class Annex {
  readonly command = new Lane();
  readonly high = new Lane();
  readonly low = new Lane();
  heldBack: Message[] = [];
  deferred: Message[] = [];
  /** Messages of higher levels taken since the last one of this level, while one waited. */
  passedNormal = 0;
  passedLow = 0;
}

/** The mailbox itself is the lane of messages with normal priority. */
export class Mailbox extends Lane {
  #size = 0;
  #annex: Annex | undefined;

  /** The number of unread messages, including those set aside. */
  get size(): number {
    return this.#size;
  }

  /** The number of deferred messages. */
  get deferred(): number {
    return this.#annex === undefined ? 0 : this.#annex.deferred.length;
  }

  /** The time since when the oldest message waits; null if none has waited through an epoch. Takes constant time. */
  get oldestAtMs(): number | null {
    if (this.#size === 0) return null;
    const annex = this.#annex;
    // Each lane, and each list of messages set aside, is in order of arrival.
    const heads = [
      this.head(),
      annex?.command.head(),
      annex?.high.head(),
      annex?.low.head(),
      annex?.heldBack[0],
      annex?.deferred[0],
    ];
    const times = heads.flatMap((message) => message?.storedAtMs ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  push(message: Message): void {
    this.#size += 1;
    if (message.level === 0 && message.kind !== 'command') this.append(message);
    else this.#laneOf(message).append(message);
  }

  /** Puts a message before all others of its level. */
  pushFirst(message: Message): void {
    this.#size += 1;
    this.#laneOf(message).prepend(message);
  }

  peek(): Message | null {
    return this.#annex === undefined ? this.head() : this.#next(this.#annex).head();
  }

  /** Removes the message that `peek` returned. */
  shift(): void {
    this.#size -= 1;
    const annex = this.#annex;
    if (annex === undefined) this.removeHead();
    else {
      const lane = this.#next(annex);
      lane.removeHead();
      this.#count(annex, lane);
    }
    if (this.#size === 0) this.#clear();
  }

  /** Updates the count. Must be called for every timer marked as gone whose message is still unread. */
  forget(): void {
    this.#size -= 1;
    if (this.#size === 0) this.#clear();
  }

  /**
   * Removes the oldest matching message of the lowest level that has one; null if none has. Messages set aside stay.
   */
  takeOldest(fits: (message: Message) => boolean): Message | null {
    const annex = this.#annex;
    const message = annex?.low.takeFirst(fits) ?? this.takeFirst(fits) ?? annex?.high.takeFirst(fits) ?? null;
    if (message !== null) this.forget();
    return message;
  }

  /** Sets the next message aside, until `release`. */
  holdBack(): void {
    const message = this.peek()!;
    this.shift();
    this.#size += 1;
    (this.#annex ??= new Annex()).heldBack.push(message);
  }

  /** Whether the lane that overtakes has messages. */
  get hasCommands(): boolean {
    return this.#annex !== undefined && this.#annex.command.head() !== null;
  }

  get isHolding(): boolean {
    return this.#annex !== undefined && this.#annex.heldBack.length > 0;
  }

  release(): void {
    const annex = this.#annex;
    if (annex === undefined) return;
    const { heldBack } = annex;
    annex.heldBack = [];
    this.#putBack(heldBack);
  }

  /** Sets a message aside that is in no lane, behind earlier ones, until `offerAgain`. */
  defer(message: Message): void {
    this.#size += 1;
    (this.#annex ??= new Annex()).deferred.push(message);
  }

  /**
   * Puts the deferred messages to the front of their lanes.
   *
   * @returns These messages, in order.
   */
  offerAgain(): readonly Message[] {
    const annex = this.#annex;
    if (annex === undefined) return [];
    const { deferred } = annex;
    annex.deferred = [];
    this.#putBack(deferred);
    return deferred;
  }

  /** Removes unread messages for which `drop` returns true, wherever they are. Takes linear time. */
  removeWhere(drop: (message: Message) => boolean): void {
    const annex = this.#annex;
    const heldBack = annex?.heldBack ?? [];
    const deferred = annex?.deferred ?? [];
    if (annex !== undefined) annex.heldBack = annex.deferred = [];
    for (const message of this.drain()) if (!drop(message)) this.push(message);
    const isKept = (message: Message) => !isCancelled(message) && !drop(message);
    for (const message of heldBack.filter(isKept)) this.#aside(message, 'heldBack');
    for (const message of deferred.filter(isKept)) this.#aside(message, 'deferred');
  }

  /**
   * Empties the mailbox.
   *
   * @returns The unread messages.
   */
  drain(): Message[] {
    const unread = this.unread();
    this.#size = 0;
    this.#clear();
    this.#annex = undefined;
    for (const message of unread) message.next = null;
    return unread;
  }

  /** The unread messages: those set aside first, then level by level. */
  unread(): Message[] {
    const annex = this.#annex;
    const unread =
      annex === undefined ? [] : [...annex.heldBack, ...annex.deferred].filter((message) => !isCancelled(message));
    annex?.command.collect(unread);
    annex?.high.collect(unread);
    this.collect(unread);
    annex?.low.collect(unread);
    return unread;
  }

  #aside(message: Message, where: 'heldBack' | 'deferred'): void {
    this.#size += 1;
    (this.#annex ??= new Annex())[where].push(message);
  }

  #laneOf({ kind, level }: Message): Lane {
    if (kind !== 'command' && level === 0) return this;
    const annex = (this.#annex ??= new Annex());
    if (kind === 'command') return annex.command;
    return level < 0 ? annex.high : annex.low;
  }

  #putBack(messages: readonly Message[]): void {
    for (const message of messages.toReversed()) if (!isCancelled(message)) this.#laneOf(message).prepend(message);
  }

  /** The next lane. A lane that was passed over often enough by higher ones has its turn. */
  #next({ command, high, low, passedLow, passedNormal }: Annex): Lane {
    if (command.head() !== null) return command;
    if (passedLow >= PRIORITY_RUN_MAX && low.head() !== null) return low;
    if (passedNormal >= PRIORITY_RUN_MAX && this.head() !== null) return this;
    if (high.head() !== null) return high;
    return this.head() === null ? low : this;
  }

  #count(annex: Annex, taken: Lane): void {
    const { high, low } = annex;
    if (taken === low) annex.passedLow = 0;
    else if (taken !== annex.command) annex.passedLow = low.head() === null ? 0 : annex.passedLow + 1;
    if (taken === this) annex.passedNormal = 0;
    else if (taken === high) annex.passedNormal = this.head() === null ? 0 : annex.passedNormal + 1;
  }

  /** Drops cancelled timers, when nothing else is left. */
  #clear(): void {
    this.clear();
    this.#annex?.high.clear();
    this.#annex?.low.clear();
  }
}
