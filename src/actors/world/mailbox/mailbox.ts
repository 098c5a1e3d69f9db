/**
 * A mailbox. One lane, first in, first out, is all that most ever have. Commands to Bosses overtake it; an agent may
 * declare some of its events high or low, and then has a lane for each level. What a Boss does not look at for the time
 * being, and what an actor has deferred, is set aside, in order, and comes back to the front of its lane.
 */
import { PRIORITY_RUN_MAX } from '../../../limits.ts';
import { isCancelled, Lane } from './lane.ts';
import { type Message } from './message.ts';

/** What a mailbox has beside its lane, once it needs it: that of an actor at rest is to be one small object. */
class Annex {
  readonly command = new Lane();
  readonly high = new Lane();
  readonly low = new Lane();
  heldBack: Message[] = [];
  deferred: Message[] = [];
  /** Messages of higher levels taken since one of this level, while one waited. */
  passedNormal = 0;
  passedLow = 0;
}

/** It is its own lane for messages of the normal level. */
export class Mailbox extends Lane {
  #size = 0;
  #annex: Annex | undefined;

  /** All that is unread, what is set aside among it. */
  get size(): number {
    return this.#size;
  }

  /** How much is deferred. */
  get deferred(): number {
    return this.#annex === undefined ? 0 : this.#annex.deferred.length;
  }

  /**
   * Since when the oldest one waits, as far as that is known; null where nothing has waited through an epoch. Constant.
   */
  get oldestAtMs(): number | null {
    const annex = this.#annex;
    // Each lane, and what is set aside, is in order of arrival.
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

  /** Removes what `peek` gave. */
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

  /** To be told of every timer marked as gone whose message is still unread. */
  forget(): void {
    this.#size -= 1;
    if (this.#size === 0) this.#clear();
  }

  /**
   * Takes out the oldest message that fits, of the lowest level that has one; null where none has. What is set aside
   * stays.
   */
  takeOldest(fits: (message: Message) => boolean): Message | null {
    const annex = this.#annex;
    const message = annex?.low.takeFirst(fits) ?? this.takeFirst(fits) ?? annex?.high.takeFirst(fits) ?? null;
    if (message !== null) this.forget();
    return message;
  }

  /** Puts what `peek` gives aside, until `release`. */
  holdBack(): void {
    const message = this.peek()!;
    this.shift();
    this.#size += 1;
    (this.#annex ??= new Annex()).heldBack.push(message);
  }

  /** Of the lane that overtakes. */
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

  /** Sets a message aside that is in no lane, behind those set aside before, until `offerAgain`. */
  defer(message: Message): void {
    this.#size += 1;
    (this.#annex ??= new Annex()).deferred.push(message);
  }

  /** Puts what is deferred to the front of its lanes. @returns What that was, in order. */
  offerAgain(): readonly Message[] {
    const annex = this.#annex;
    if (annex === undefined) return [];
    const { deferred } = annex;
    annex.deferred = [];
    this.#putBack(deferred);
    return deferred;
  }

  /** Removes unread messages for which `drop` says so, wherever they are. Linear. */
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

  /** Empties the mailbox. @returns What was unread. */
  drain(): Message[] {
    const unread = this.unread();
    this.#size = 0;
    this.#clear();
    this.#annex = undefined;
    for (const message of unread) message.next = null;
    return unread;
  }

  /** What is set aside comes first, then level by level. */
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

  /** Which lane is next. One whose turn was taken by higher ones often enough has it now. */
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

  /** Drops cancelled timers: nothing else is left. */
  #clear(): void {
    this.clear();
    this.#annex?.high.clear();
    this.#annex?.low.clear();
  }
}
