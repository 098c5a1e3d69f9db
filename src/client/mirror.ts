/**
 * The local read model of one actor, in an atom of @xstate/store: the view as of the last frame, kept over breaks. It
 * is subscribed while somebody watches, and only then.
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
  /** The actor cannot be seen any more, or at all. Nothing follows. */
  readonly error?: ((error: unknown) => void) | undefined;
  /** `next` is called with the present snapshot too, as soon as it is known to be that. */
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
   * Whom it belongs to: not to be collected while somebody watches, or the next who asks for the actor gets one that
   * knows nothing.
   */
  readonly owner: object;
  readonly #topics: SubscribedTopics;
  readonly #store: Atom<RemoteSnapshot<A>>;
  readonly #watchers = new Set<ToldWatcher<A>>();
  readonly #listener: TopicListener;
  readonly #replica = new Replica<ActorView>();
  /** What is shown has come, or was confirmed, since somebody began to watch. */
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
      hear: (frame) => this.#hear(frame),
      ended: (error) => this.#ended(error),
    };
  }

  get snapshot(): RemoteSnapshot<A> {
    return this.#store.get();
  }

  /** Calls `next` for each change from now on. */
  watch(given: MirrorWatcher<A>): () => void {
    // A copy, since one may be given twice.
    const watcher = { next: toldTo(given.next), error: toldTo(given.error), current: given.current === true };
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
    // What is there is what there is, unless its last word was that there is none.
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
