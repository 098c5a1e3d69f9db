/**
 * Views shared by the subscribers of one actor: one read for every change, one observer in the kernel, and so one patch
 * and one text, however many subscribers there are. A shared view exists while somebody watches its actor.
 */
import { type Shard } from '../../shard.ts';
import { type StateTopic, type View, type ViewWatcher } from './topic.ts';
import { type ActorViews } from './actor-views.ts';

interface SharedView {
  readonly watchers: Set<ViewWatcher>;
  readonly leave: () => void;
  /** The last view read; valid while the cursor is the same. */
  latest: View | undefined;
}

export class SharedViews {
  readonly #system: Shard;
  readonly #views: ActorViews;
  readonly #shared = new Map<string, SharedView>();

  constructor(system: Shard, views: ActorViews) {
    this.#system = system;
    this.#views = views;
  }

  topic(address: string): StateTopic {
    return {
      maxHz: Infinity,
      view: () => this.#view(address),
      watch: (changed, ended) => this.#watch(address, { changed, ended }),
    };
  }

  #view(address: string): View {
    const at = this.#views.cursor(address);
    const shared = this.#shared.get(address);
    const latest = shared?.latest;
    if (latest !== undefined && latest.at.seq === at.seq && latest.at.epoch === at.epoch) return latest;
    const view = { at, d: this.#views.actor(address) };
    if (shared !== undefined) shared.latest = view;
    return view;
  }

  #watch(address: string, watcher: ViewWatcher): () => void {
    const shared = this.#shared.get(address) ?? this.#open(address);
    shared.watchers.add(watcher);
    return () => {
      shared.watchers.delete(watcher);
      if (shared.watchers.size > 0) return;
      shared.leave();
      if (this.#shared.get(address) === shared) this.#shared.delete(address);
    };
  }

  #open(address: string): SharedView {
    const watchers = new Set<ViewWatcher>();
    const subscription = this.#system.clientApi.watch(address, {
      changed: () => {
        for (const watcher of watchers) watcher.changed();
      },
      ended: () => {
        // Later watchers watch another life.
        this.#shared.delete(address);
        for (const watcher of watchers) watcher.ended();
      },
    });
    const shared: SharedView = { watchers, leave: () => subscription.unsubscribe(), latest: undefined };
    this.#shared.set(address, shared);
    return shared;
  }
}
