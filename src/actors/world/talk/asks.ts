/**
 * Asks: a request whose reply is awaited, by a host or by a machine's `ask`. The request is an ordinary event with a
 * durable reply address; the first reply counts. An ask with an id, and every ask of a machine, is a row: asking again
 * with that id joins it instead of sending again, and its reply is remembered. A host's waiting ends with its process;
 * only an ask with an id survives.
 */
import { type EventObject } from 'xstate';
import { BosunError, messageOf } from '../../../errors.ts';
import { ASK_ID_CHARS_MAX, ASK_MS_MAX, ASK_TIMEOUT_MS, ASK_WINDOW_MS, ASKS_MAX } from '../../../limits.ts';
import { type Cell } from '../cell.ts';
import { keyMissing } from '../missing-keys.ts';
import { Concealed, KEYSPACE } from '../../model/ports.ts';
import { type Ref } from '../../model/ref.ts';
import { type Elsewhere } from '../shards/other-shards.ts';
import { type Ask, type AskOptions, type AskRow, type AskWaiter } from './ask-record.ts';
import { Remembered } from '../remembered.ts';
import { refusalOfAwaited } from '../mailbox/suspended-receivers.ts';
import { rowKey } from '../../model/row-keys.ts';
import { type Surroundings } from '../surroundings.ts';

type Needs = Pick<
  Surroundings,
  'cells' | 'clock' | 'draft' | 'letters' | 'next' | 'post' | 'refOf' | 'shards' | 'time' | 'wake'
>;

export class Asks {
  readonly #world: Needs;
  readonly #byNumber = new Map<number, Ask>();
  /** Asks of hosts with an id. */
  readonly #named = new Remembered<Ask>();
  /** Unanswered asks, by the life of the receiver. */
  readonly #open = new Map<number, Set<Ask>>();
  /** Waiters, also those whose end is in an epoch that is not durable yet. */
  readonly #waiters = new Set<AskWaiter>();
  /** Unanswered asks as of the last durable epoch. */
  readonly #shown = new Set<Ask>();

  constructor(world: Needs) {
    this.#world = world;
  }

  /** Loads a row that recovery found. The population exists. */
  load(number: number, row: AskRow): void {
    const [id, asker, to, address, storedDeadlineMs, storedUsedAtMs, answer, storedSinceMs, digest] = row;
    const { setBackMs } = this.#world.time;
    const cell = this.#world.cells.get(asker);
    if (asker !== 0 && cell === undefined) return;
    const deadlineMs = storedDeadlineMs - setBackMs;
    const usedAtMs = storedUsedAtMs - setBackMs;
    const ask: Ask = {
      number,
      id,
      digest,
      asker,
      to,
      address,
      sinceMs: storedSinceMs - setBackMs,
      deadlineMs,
      usedAtMs,
      answer: answer && { value: answer[0] },
      isEntered: true,
      isTold: answer !== null,
      waiters: new Set(),
    };
    if (cell !== undefined) cell.asked = ask;
    this.#index(ask);
    if (answer === null) this.#shown.add(ask);
  }

  /** Sorts the ids by use, after all rows are loaded. */
  loaded(): void {
    const byUse = [...this.#byNumber.values()].sort((a, b) => a.usedAtMs - b.usedAtMs);
    for (const ask of byUse) if (ask.id !== null) this.#named.enter(ask.id, ask);
  }

  /** The asks for which a caller waits, as of the last durable epoch: not answered, and not overdue. */
  pending(): Ask[] {
    const nowMs = this.#world.time.nowMs();
    return [...this.#shown].filter(({ deadlineMs }) => deadlineMs > nowMs);
  }

  /** The deadline of an ask. Throws BOSUN_VALUE_REFUSED. */
  deadlineOf({ timeoutMs = ASK_TIMEOUT_MS, deadlineMs }: AskOptions): number {
    const nowMs = this.#world.time.nowMs();
    const untilMs = deadlineMs ?? nowMs + timeoutMs;
    if (!(untilMs - nowMs <= ASK_MS_MAX) || !Number.isFinite(untilMs)) {
      throw new BosunError('BOSUN_VALUE_REFUSED', `the timeout of an ask must be at most ${ASK_MS_MAX} ms`);
    }
    return untilMs;
  }

  /**
   * The existing ask with a host's id. Throws BOSUN_VALUE_REFUSED for an invalid id, and for the id of another caller's
   * ask; BOSUN_KEY_CONFLICT for an ask with another digest.
   */
  known(id: string | undefined, address: string, digest?: string): Ask | undefined {
    if (id === undefined) return undefined;
    if (!isName(id) || (digest !== undefined && !isName(digest))) {
      throw new BosunError(
        'BOSUN_VALUE_REFUSED',
        `the id of an ask must be text of 1 to ${ASK_ID_CHARS_MAX} characters`,
      );
    }
    this.#named.forgetThrough(this.#world.time.nowMs() - ASK_WINDOW_MS, (ask) => this.drop(ask));
    const known = this.#named.get(id);
    if (known !== undefined && known.address !== address) {
      throw new BosunError(
        'BOSUN_VALUE_REFUSED',
        `the id ${JSON.stringify(id)} is in use by an ask of ${known.address}`,
      );
    }
    if (known !== undefined && known.digest !== digest) {
      throw new BosunError(
        'BOSUN_KEY_CONFLICT',
        `the id ${JSON.stringify(id)} was used for another request to ${address}`,
      );
    }
    return known;
  }

  /** Creates an ask, which takes effect when it is entered. Throws BOSUN_ASKS_FULL for an ask of a host. */
  open(
    to: Pick<Cell, 'life' | 'address'>,
    {
      id = null,
      digest,
      asker,
      deadlineMs,
    }: { id?: string | null | undefined; digest?: string | undefined; asker: number; deadlineMs: number },
  ): Ask {
    if (asker === 0 && this.#byNumber.size >= ASKS_MAX) this.#makeRoom();
    const { life, address } = to;
    const usedAtMs = this.#world.time.nowMs();
    const ask: Ask = {
      number: this.#world.next('life'),
      id,
      digest,
      asker,
      to: life,
      address,
      sinceMs: usedAtMs,
      deadlineMs,
      usedAtMs,
      answer: null,
      isEntered: false,
      isTold: false,
      waiters: new Set(),
    };
    this.#index(ask);
    return ask;
  }

  /** The reply address: a reference to a life that no actor has. Code outside of the kernel cannot make one up. */
  replyTo({ number }: Ask): Ref {
    return this.#world.refOf(number, `ask:${number}`);
  }

  /** Enters an ask into the epoch of its request. */
  enter(ask: Ask): void {
    ask.isEntered = true;
    this.#world.draft.output(() => {
      if (this.#byNumber.has(ask.number)) this.#shown.add(ask);
    });
    if (ask.id !== null || ask.asker !== 0) this.#put(ask);
  }

  /** Waits for the reply. Rejects with BOSUN_TIMEOUT, BOSUN_ASK_FAILED, or the error for which the system closed. */
  wait(ask: Ask, deadlineMs: number): Promise<unknown> {
    const { time, clock } = this.#world;
    this.#use(ask, deadlineMs);
    if (ask.answer?.value instanceof Concealed) return Promise.reject(keyMissing(ask, ask.answer.value));
    if (ask.isTold) return Promise.resolve(ask.answer!.value);
    return new Promise((resolve, reject) => {
      const cancel = clock.setTimeout(
        () => {
          ask.waiters.delete(waiter);
          this.#waiters.delete(waiter);
          // Nobody can ask for its outcome any more.
          if (ask.id === null && ask.asker === 0 && ask.waiters.size === 0) this.drop(ask);
          const { address, id } = ask;
          reject(
            new BosunError('BOSUN_TIMEOUT', `${address} did not reply in time; it may still handle the ask`, {
              details: { address, id, unknownOutcome: true },
            }),
          );
        },
        Math.max(0, Math.ceil(deadlineMs - time.nowMs())),
      );
      const waiter: AskWaiter = { resolve, reject, cancel };
      ask.waiters.add(waiter);
      this.#waiters.add(waiter);
    });
  }

  /**
   * Asks on behalf of an effect. With `once`, one ask however often the effect is started. Otherwise a new one with
   * every call, which waits no longer than this process lives. Throws BOSUN_MAILBOX_FULL, the reason why the receiver
   * is suspended, and the errors of admission.
   */
  fromEffect(
    asker: Cell,
    to: Cell | Elsewhere,
    { often, ...options }: AskOptions & { readonly often: 'once' | 'everyCall' },
    request: (replyTo: Ref) => EventObject,
  ): Promise<unknown> {
    const deadlineMs = this.deadlineOf(options);
    const before = often === 'once' ? asker.asked : undefined;
    if (before !== undefined) {
      // A deadline in the future outlives the start that set it; one that has passed begins anew.
      return this.wait(before, before.deadlineMs > this.#world.time.nowMs() ? before.deadlineMs : deadlineMs);
    }
    const reason = 'suspension' in to ? refusalOfAwaited(to) : undefined;
    if (reason !== undefined) throw reason;
    if (to.isFull)
      throw new BosunError('BOSUN_MAILBOX_FULL', `${to.address} has too many unread messages to be asked`, {
        details: { address: to.address },
      });
    const ask = this.open(to, { asker: often === 'once' ? asker.life : 0, deadlineMs });
    try {
      const event = request(this.replyTo(ask));
      if (often === 'once') asker.asked = ask;
      this.enter(ask);
      if ('deliver' in to) to.deliver(event);
      else this.#world.post(to, event, asker.life);
    } catch (error) {
      this.drop(ask);
      throw error;
    }
    return this.wait(ask, deadlineMs);
  }

  /** Takes an admitted reply. It becomes a dead letter if no caller waits for it any more. */
  reply(from: Pick<Cell, 'life' | 'address'>, to: Ref, value: unknown): void {
    if (this.#world.shards?.reply(from, to, value) === true) return;
    const ask = this.#byNumber.get(to.life);
    const isLate = ask === undefined || ask.answer !== null || this.#world.time.nowMs() >= ask.deadlineMs;
    if (isLate) {
      const { life, address } = from;
      const event = Object.freeze({ type: 'bosun.reply', value });
      this.#world.letters.add({
        reason: 'late',
        address,
        error: undefined,
        message: [to.life, 'event', event, life, 0, 0],
      });
    }
    if (ask === undefined || ask.answer !== null) return;
    ask.answer = { value };
    this.#close(ask);
    if (ask.id === null && ask.asker === 0) this.#byNumber.delete(ask.number);
    else this.#use(ask, ask.deadlineMs, true);
    this.#world.draft.output(() => {
      ask.isTold = true;
      this.#shown.delete(ask);
      this.#settle(ask, ({ resolve }) => resolve(value));
    });
  }

  /**
   * Fails an ask that will not be answered, because it crashed its receiver, or the receiver has ended. Its id may be
   * used again.
   */
  fail(ask: Ask, error: BosunError): void {
    this.drop(ask);
    this.#world.draft.output(() => this.#settle(ask, ({ reject }) => reject(error)));
    this.#world.wake();
  }

  /** Handles the request that crashed its receiver until it was quarantined, if it was one. */
  crashed({ address }: { readonly address: string }, event: EventObject, cause: unknown): void {
    const to = (event as { replyTo?: { life?: unknown } }).replyTo;
    if (typeof to?.life !== 'number') return;
    const asked = this.#byNumber.get(to.life) ?? { address, id: null };
    const details = { address: asked.address, id: asked.id };
    const error = new BosunError('BOSUN_ASK_FAILED', `${asked.address} failed on the ask: ${messageOf(cause)}`, {
      cause,
      details,
    });
    if (this.#world.shards?.fail(to.life, address, error) !== true) this.failed(to.life, error);
  }

  /** Fails the ask with this number, if it is open. */
  failed(number: number, error: BosunError): void {
    const ask = this.#byNumber.get(number);
    if (ask !== undefined && ask.answer === null) this.fail(ask, error);
  }

  /** Fails all asks to an ended life. */
  ended({ life, address }: Cell): void {
    for (const ask of [...(this.#open.get(life) ?? [])]) {
      this.fail(
        ask,
        new BosunError('BOSUN_ASK_FAILED', `${address} ended before it replied`, { details: { address, id: ask.id } }),
      );
    }
  }

  /** Forgets the ask of an effect that has ended for good. */
  forget(asker: Cell): void {
    const ask = asker.asked;
    asker.asked = undefined;
    if (ask !== undefined) this.drop(ask);
  }

  /** Rejects all waiters, because nothing further becomes durable. */
  rejectAll(reason: BosunError): void {
    for (const { cancel, reject } of this.#waiters) {
      cancel();
      reject(reason);
    }
    this.#waiters.clear();
  }

  /** Drops asks to and from these lives. */
  erase(lives: ReadonlySet<number>): void {
    for (const ask of [...this.#byNumber.values()]) if (lives.has(ask.to) || lives.has(ask.asker)) this.drop(ask);
  }

  #index(ask: Ask): void {
    this.#byNumber.set(ask.number, ask);
    if (ask.id !== null) this.#named.enter(ask.id, ask);
    if (ask.answer !== null) return;
    const open = this.#open.get(ask.to);
    if (open === undefined) this.#open.set(ask.to, new Set([ask]));
    else open.add(ask);
  }

  #close(ask: Ask): void {
    const open = this.#open.get(ask.to);
    open?.delete(ask);
    if (open?.size === 0) this.#open.delete(ask.to);
  }

  /** Forgets an ask whose outcome no caller will learn. */
  drop(ask: Ask): void {
    this.#close(ask);
    this.#byNumber.delete(ask.number);
    if (ask.id !== null && this.#named.get(ask.id) === ask) this.#named.leave(ask.id);
    if (ask.asker !== 0) {
      const asker = this.#world.cells.get(ask.asker);
      if (asker?.asked === ask) asker.asked = undefined;
    }
    // An ask without a row is forgotten at once.
    if (ask.id === null && ask.asker === 0) this.#shown.delete(ask);
    else {
      this.#world.draft.remove(rowKey(KEYSPACE.asks, ask.number));
      if (this.#shown.has(ask)) this.#world.draft.output(() => this.#shown.delete(ask));
    }
  }

  /** Extends the window of an ask that was repeated or answered. */
  #use(ask: Ask, deadlineMs: number, always = false): void {
    if (ask.id === null && ask.asker === 0) {
      ask.deadlineMs = Math.max(ask.deadlineMs, deadlineMs);
      return;
    }
    const nowMs = this.#world.time.nowMs();
    if (!always && ask.usedAtMs === nowMs && ask.deadlineMs >= deadlineMs) return;
    ask.usedAtMs = nowMs;
    if (ask.answer === null) ask.deadlineMs = Math.max(ask.deadlineMs, deadlineMs);
    if (ask.id !== null) this.#named.enter(ask.id, ask);
    if (!ask.isEntered) return;
    this.#put(ask);
    this.#world.wake();
  }

  #put({ number, id, digest, asker, to, address, sinceMs, deadlineMs, usedAtMs, answer }: Ask): void {
    const row: AskRow = [id, asker, to, address, deadlineMs, usedAtMs, answer && [answer.value], sinceMs];
    const whole = Object.freeze(digest === undefined ? row : ([...row, digest] as const));
    this.#world.draft.putOf(to, rowKey(KEYSPACE.asks, number), whole, (conceal) =>
      whole.with(6, answer && [conceal(answer.value)]),
    );
  }

  #settle({ waiters }: Ask, settle: (waiter: AskWaiter) => void): void {
    for (const waiter of waiters) {
      waiter.cancel();
      this.#waiters.delete(waiter);
      settle(waiter);
    }
    waiters.clear();
  }

  /** Forgets a remembered ask for which no caller waits. Throws BOSUN_ASKS_FULL if there is none. */
  #makeRoom(): void {
    const ask = this.#named.toGiveWay(this.#world.time.nowMs(), ({ waiters }) => waiters.size > 0);
    if (ask === undefined)
      throw new BosunError('BOSUN_ASKS_FULL', `no room: ${ASKS_MAX} asks are open or were recently used`);
    this.drop(ask);
  }
}

function isName(text: unknown): text is string {
  return typeof text === 'string' && text.length > 0 && text.length <= ASK_ID_CHARS_MAX && text.isWellFormed();
}
