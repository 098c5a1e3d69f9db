/**
 * What the subscribers of one actor share: one look at it for every change, one observer in the kernel, and so one
 * patch and one text, however many they are. A board is there as long as somebody watches its actor.
 */
import { type System } from '../../system.ts';
import type { StateTopic, View } from './topics.ts';
import { type Views } from './views.ts';

interface Watcher {
  changed(): void;
  ended(): void;
}

interface Board {
  readonly watchers: Set<Watcher>;
  readonly leave: () => void;
  /** The last look; good as long as the cursor is the same. */
  latest: View | undefined;
}

export class Boards {
  readonly #system: System;
  readonly #views: Views;
  readonly #boards = new Map<string, Board>();

  constructor(system: System, views: Views) {
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
    const board = this.#boards.get(address);
    const latest = board?.latest;
    if (latest !== undefined && latest.at.seq === at.seq && latest.at.epoch === at.epoch) return latest;
    const view = { at, d: this.#views.actor(address) };
    if (board !== undefined) board.latest = view;
    return view;
  }

  #watch(address: string, watcher: Watcher): () => void {
    const board = this.#boards.get(address) ?? this.#open(address);
    board.watchers.add(watcher);
    return () => {
      board.watchers.delete(watcher);
      if (board.watchers.size > 0) return;
      board.leave();
      if (this.#boards.get(address) === board) this.#boards.delete(address);
    };
  }

  #open(address: string): Board {
    const watchers = new Set<Watcher>();
    const subscription = this.#system.reception.watch(address, {
      changed: () => {
        for (const watcher of watchers) watcher.changed();
      },
      ended: () => {
        // Whoever comes now watches another life.
        this.#boards.delete(address);
        for (const watcher of watchers) watcher.ended();
      },
    });
    const board: Board = { watchers, leave: () => subscription.unsubscribe(), latest: undefined };
    this.#boards.set(address, board);
    return board;
  }
}
