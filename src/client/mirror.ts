/**
 * The local copy of one actor's view, in an atom of @xstate/store. It is kept over breaks, and subscribed only while
 * somebody watches.
 */
import { type Atom, createAtom } from '@xstate/store';
import { type ClientError } from './client-error.ts';
import { type ActorView } from '../gateway/protocol/actor-view.ts';
import { type RemoteSnapshot, snapshotOf } from './remote-snapshot.ts';
import { Replica } from './replica.ts';
import { toldTo } from './platform.ts';
import { type TopicListener, type TopicFrame, type SubscribedTopics } from './subscribed-topics.ts';

export interface MirrorWatcher<A> {
  readonly next?: ((snapshot: RemoteSnapshot<A>) => void) | undefined;
  /** Called when the actor can no longer be seen, or never could. No further call follows. */
  readonly error?: ((error: unknown) => void) | undefined;
  /** Whether `next` is also called with the present snapshot, as soon as that is known to be current. */
  readonly current?: boolean;
}

interface ToldWatcher<A> {
  readonly next: (snapshot: RemoteSnapshot<A>) => void;
  readonly error: (error: unknown) => void;
  readonly current: boolean;
}

export class Mirror<A> {
  readonly #address: string;
  /**
   * The remote actor, referenced so that it is not garbage-collected while it has observers. Otherwise the next caller
   * would get a new one without a view.
   */
  readonly owner: object;
  readonly #topics: SubscribedTopics;
  readonly #store: Atom<RemoteSnapshot<A>>;
  readonly #watchers = new Set<ToldWatcher<A>>();
  readonly #listener: TopicListener;
  readonly #replica = new Replica<ActorView | null>();
  /** Whether the view has arrived, or was confirmed, since the first watcher came. */
  #isFresh = false;

  constructor(address: string, topics: SubscribedTopics, owner: object) {
    this.owner = owner;
    this.#address = address;
    this.#topics = topics;
    this.#store = createAtom<RemoteSnapshot<A>>(snapshotOf<A>(address, undefined));
    this.#listener = {
      topic: `actor/${address}`,
      mode: 'state',
      at: () => this.#replica.at,
      // An actor that was seen since the first watcher came, and is not there any more, is gone.
      ifUnborn: () => (this.#isFresh && this.#replica.view ? 'end' : 'wait'),
      hear: (frame) => this.#hear(frame),
      ended: (error) => this.#ended(error),
    };
  }

  get snapshot(): RemoteSnapshot<A> {
    return this.#store.get();
  }

  /** Calls `next` for each change from now on. */
  watch(given: MirrorWatcher<A>): () => void {
    // A copy, since the same watcher may be passed twice.
    const { failed } = this.#topics;
    const [next, error] = [toldTo(given.next, failed), toldTo(given.error, failed)];
    const watcher = { next, error, current: given.current === true };
    const subscription = this.#store.subscribe(watcher.next);
    this.#watchers.add(watcher);
    if (this.#watchers.size === 1) {
      this.#isFresh = false;
      this.#topics.open(this.#listener);
    } else if (this.#isFresh && watcher.current) watcher.next(this.snapshot);
    return () => {
      subscription.unsubscribe();
      if (this.#watchers.delete(watcher) && this.#watchers.size === 0) this.#topics.close(this.#listener);
    };
  }

  #hear(frame: TopicFrame): boolean {
    const heard = this.#replica.hear(frame);
    if (heard === 'nothing' || heard === 'misfit') return heard === 'nothing';
    const wasFresh = this.#isFresh;
    this.#isFresh = true;
    // A confirmed view needs no update, unless the snapshot says that the actor is gone.
    if (heard === 'new' || this.snapshot.status === 'stopped') this.#show();
    else if (!wasFresh) for (const watcher of [...this.#watchers]) if (watcher.current) watcher.next(this.snapshot);
    return true;
  }

  #show(): void {
    this.#store.set(snapshotOf<A>(this.#address, this.#replica.view));
  }

  #ended(error: ClientError): void {
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    this.#replica.at = undefined;
    this.#store.set(snapshotOf<A>(this.#address, this.#replica.view, { reason: error }));
    for (const watcher of watchers) watcher.error(error);
  }
}
