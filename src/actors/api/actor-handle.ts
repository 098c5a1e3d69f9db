/**
 * A handle on an actor, for hosts: send, ask, read, watch, wait. It means the same whether the actor's kernel is in
 * this thread or another one: it shows the last durable snapshot that it has heard.
 */
import { type EventObject } from 'xstate';
import { type Cancel, type Clock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { callBack, type Log } from '../../log.ts';
import { due } from '../../user-code.ts';
import { type ActorResult } from '../model/results.ts';
import { shownSnapshot } from '../model/shown-snapshot.ts';
import { type ActorSnapshot, type Subscription } from '../world/actor-view.ts';
import { type AskOptions } from '../world/talk/ask-record.ts';
import { type HeardSnapshot, heardSnapshot, lastSnapshot, newsOf, type SnapshotNews } from './heard-snapshot.ts';
import { type ResultOptions } from './result-box.ts';

/** Receives what a watch reports. `completed`: the actor is gone. `lost`: the watch has failed. */
export interface Hearer<Word> {
  next(word: Word): void;
  completed?: (() => void) | undefined;
  lost?: ((error: BosunError) => void) | undefined;
}

type AskedEvent = EventObject & { readonly [field: string]: unknown };

/** The services of the system for a handle. A watch returns the function that ends it. */
export interface HandleHost {
  readonly clock: Clock;
  readonly log: Log;
  send(address: string, event: EventObject): Promise<void>;
  sendMany(requests: readonly { readonly to: string; readonly event: EventObject }[]): Promise<void>;
  ask(address: string, event: AskedEvent, options?: AskOptions): Promise<unknown>;
  result(address: string, options?: ResultOptions): Promise<ActorResult>;
  /** Reports the present snapshot first, then one for every durable epoch that changed the actor. */
  snapshots(address: string, hearer: Hearer<SnapshotNews>): () => void;
  emitted(address: string, type: string, hearer: Hearer<EventObject>): () => void;
}

/** Callbacks of a subscription to snapshots. */
export interface SnapshotObserver<Snapshot> {
  readonly next?: ((snapshot: Snapshot) => void) | undefined;
  /** Called when the subscription has failed: the system has closed. Nothing follows. */
  readonly error?: ((error: unknown) => void) | undefined;
  /** Called when the actor is removed. Nothing follows. */
  readonly complete?: (() => void) | undefined;
}

/** An actor of a system: to send, ask, read, watch and wait. */
export class ActorHandle<Event extends EventObject = EventObject, Snapshot extends ActorSnapshot = ActorSnapshot> {
  readonly address: string;
  readonly #host: HandleHost;
  readonly #heard: HeardActor;

  /** Use `system.actor`. */
  constructor(host: HandleHost, heard: HeardActor) {
    this.#host = host;
    this.#heard = heard;
    this.address = heard.address;
  }

  /**
   * Sends an event. Resolves when it is durable, which may be before or after it is processed. It reaches the actor
   * that lives at the address at the time. Rejections: see System.send.
   */
  send(event: Event): Promise<void> {
    return this.#host.send(this.address, event);
  }

  /** Sends many events in order, with one promise for all. Resolves and rejects as System.sendMany. */
  sendMany(events: readonly Event[]): Promise<void> {
    return this.#host.sendMany(events.map((event) => ({ to: this.address, event })));
  }

  /** Asks, and resolves with the actor's reply. Resolves and rejects as System.ask. */
  async ask<Reply = unknown>(event: Event, options?: AskOptions): Promise<Reply> {
    return (await this.#host.ask(this.address, event as Event & AskedEvent, options)) as Reply;
  }

  /**
   * Returns the last durable snapshot that was heard. After the actor's end it is the last one, with the status
   * `stopped` if the actor was removed before its end.
   */
  getSnapshot(): HeardSnapshot<Snapshot, Event> {
    return this.#heard.snapshot as HeardSnapshot<Snapshot, Event>;
  }

  /** The result of the actor, at once or when it has ended. Resolves and rejects as System.result. */
  async result(options?: ResultOptions): Promise<ActorResult> {
    return this.#heard.result ?? (await this.#host.result(this.address, options));
  }

  /** Whether the actor still lives, as far as was heard. */
  get isLive(): boolean {
    return this.#heard.isLive;
  }

  /** Subscribes to snapshots from now on: one for every durable epoch that changes the actor. */
  subscribe(observer: SnapshotObserver<HeardSnapshot<Snapshot, Event>>): Subscription;
  subscribe(
    next: (snapshot: HeardSnapshot<Snapshot, Event>) => void,
    error?: (error: unknown) => void,
    complete?: () => void,
  ): Subscription;
  subscribe(
    first: SnapshotObserver<HeardSnapshot<Snapshot, Event>> | ((snapshot: HeardSnapshot<Snapshot, Event>) => void),
    error?: (error: unknown) => void,
    complete?: () => void,
  ): Subscription {
    const observer = typeof first === 'function' ? { next: first, error, complete } : first;
    return this.#heard.subscribe(observer as SnapshotObserver<HeardSnapshot>, this);
  }

  /** Subscribes to emitted events of this type (`'*'`: of any type), once their epoch is durable. */
  on(type: string, handler: (event: EventObject) => void): Subscription {
    const next = (event: EventObject) =>
      callBack(this.#host.log, `an observer of ${this.address}`, () => handler(event));
    return { unsubscribe: this.#host.emitted(this.address, type, { next }) };
  }

  /**
   * Waits until a durable snapshot fulfils the condition, the present one included. Rejects with the error of the
   * condition, with BOSUN_VALUE_REFUSED for a condition that gives a promise, with BOSUN_TIMEOUT, with
   * BOSUN_ACTOR_UNKNOWN where the actor is removed first, or with the error for which the system closed. Without
   * `timeoutMs` there is no limit.
   */
  waitFor(
    condition: (snapshot: HeardSnapshot<Snapshot, Event>) => boolean,
    { timeoutMs }: { readonly timeoutMs?: number } = {},
  ): Promise<HeardSnapshot<Snapshot, Event>> {
    const { address } = this;
    return new Promise((resolve, reject) => {
      let cancel: Cancel | undefined;
      let unsubscribe = (): void => {};
      let isOver = false;
      const finish = (settle: () => void) => {
        if (isOver) return;
        isOver = true;
        cancel?.();
        unsubscribe();
        settle();
      };
      const check = (snapshot: HeardSnapshot<Snapshot, Event>) => {
        try {
          if (!isOver && due(condition(snapshot), 'the condition of waitFor')) finish(() => resolve(snapshot));
        } catch (error) {
          finish(() => reject(error as Error));
        }
      };
      check(this.getSnapshot());
      if (isOver) return;
      const removed = () =>
        new BosunError('BOSUN_ACTOR_UNKNOWN', `${address} was removed during the wait`, { details: { address } });
      const timedOut = () => {
        const { status, value } = this.getSnapshot();
        const what = `${address} did not meet the awaited condition within ${timeoutMs} ms`;
        const where = value === null ? '' : `, and is ${status} in ${JSON.stringify(value)}`;
        return new BosunError('BOSUN_TIMEOUT', `${what}${where}`, { details: { address, status, value } });
      };
      if (timeoutMs !== undefined)
        cancel = this.#host.clock.setTimeout(() => finish(() => reject(timedOut())), timeoutMs);
      ({ unsubscribe } = this.subscribe({
        next: check,
        error: (error) => finish(() => reject(error as Error)),
        complete: () => finish(() => reject(removed())),
      }));
    });
  }
}

/** News of one life at an address, received by one watch for all handles on it. */
export class HeardActor {
  readonly address: string;
  /** The result of an actor that had ended before anything was heard of it. */
  readonly result: ActorResult | undefined;
  readonly #log: Log;
  readonly #end: () => void;
  readonly #listeners = new Set<{ readonly observer: SnapshotObserver<HeardSnapshot>; readonly owner: object }>();
  #news!: SnapshotNews;
  /** The snapshot that is shown, and its view. */
  #snapshot: HeardSnapshot | undefined;
  #view: ActorSnapshot | undefined;
  /** Why nothing more is heard; null after the actor's end. */
  #over: BosunError | null | undefined;

  private constructor(host: HandleHost, of: string | ActorResult, settled: (error?: BosunError) => void = () => {}) {
    this.#log = host.log;
    if (typeof of !== 'string') {
      this.address = of.address;
      this.result = of;
      this.#news = newsOf(of);
      this.#over = null;
      this.#end = () => {};
      return;
    }
    const address = (this.address = of);
    this.#end = host.snapshots(address, {
      next: (news) => this.#hear(news, settled),
      completed: () => this.#finish(null),
      lost: (error) => {
        if (this.#news === undefined) settled(error);
        // After a death of its shard nobody lives there any more.
        this.#finish(error.code === 'BOSUN_ACTOR_UNKNOWN' ? null : error);
      },
    });
  }

  /** Begins to hear of the actor at an address. Rejects with BOSUN_ACTOR_UNKNOWN, BOSUN_SYSTEM_CLOSED. */
  static begin(host: HandleHost, address: string): Promise<HeardActor> {
    return new Promise((resolve, reject) => {
      let settle = (error?: BosunError): void => {
        // The first news may come before the constructor returns.
        settle = () => {};
        if (error === undefined) queueMicrotask(() => resolve(heard));
        else reject(error);
      };
      const heard: HeardActor = new HeardActor(host, address, (error) => settle(error));
    });
  }

  /** An actor that has ended. */
  static ended(host: HandleHost, result: ActorResult): HeardActor {
    return new HeardActor(host, result);
  }

  get isLive(): boolean {
    return this.#over === undefined;
  }

  get snapshot(): HeardSnapshot {
    const { accepts, view } = this.#news;
    const news = { accepts, view: shownSnapshot(view) };
    if (this.#snapshot === undefined || this.#view !== news.view) {
      this.#view = news.view;
      this.#snapshot = this.#over === null ? lastSnapshot(news) : heardSnapshot(news);
    }
    return this.#snapshot;
  }

  /** Calls the observer with each snapshot. `owner` is not collected while it listens. */
  subscribe(observer: SnapshotObserver<HeardSnapshot>, owner: object): Subscription {
    const listener = { observer, owner };
    if (this.#over === undefined) this.#listeners.add(listener);
    else this.#tell(endOf(observer, this.#over));
    return { unsubscribe: () => void this.#listeners.delete(listener) };
  }

  stop(): void {
    this.#end();
  }

  #hear(news: SnapshotNews, settled: () => void): void {
    const before = this.#news as SnapshotNews | undefined;
    this.#news = news;
    this.#snapshot = undefined;
    if (before === undefined) settled();
    // A shard that has come back repeats what was heard before.
    else if (!isSame(before, news))
      for (const { observer } of [...this.#listeners]) this.#tell(() => observer.next?.(this.snapshot));
  }

  #finish(reason: BosunError | null): void {
    if (this.#over !== undefined) return;
    this.#over = reason;
    this.#snapshot = undefined;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const { observer } of listeners) this.#tell(endOf(observer, reason));
  }

  /** Calls an observer. An error in it must not keep others from being called. */
  #tell(call: () => unknown): void {
    callBack(this.#log, `an observer of ${this.address}`, call);
  }
}

/** The last call of an observer: `reason` is null after the actor's end. */
function endOf(observer: SnapshotObserver<HeardSnapshot>, reason: BosunError | null): () => unknown {
  return () => (reason === null ? observer.complete?.() : observer.error?.(reason));
}

function isSame({ view: before }: SnapshotNews, { view: now }: SnapshotNews): boolean {
  return before.effectId === now.effectId && before.sequence === now.sequence && before.status === now.status;
}
