/**
 * Watches the folders of a tree, one watcher each: Node's recursive watcher would also watch what is ignored, which is
 * most of a tree. A change is told once, after a quiet moment, which does not wait forever; which file it was, reading
 * again finds out.
 */
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { type Cancel, type Clock } from '../clock.ts';
import { CHANGE_QUIET_MS, CHANGE_WAIT_MS_MAX, DIRECTORIES_WATCHED_MAX } from './limits.ts';

export class TreeWatch {
  readonly #root: string;
  readonly #clock: Clock;
  readonly #changed: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #cancel: Cancel | undefined;
  /** The time of the first change that has not been told. */
  #sinceMs: number | undefined;
  #isWhole = true;

  constructor(root: string, clock: Clock, changed: () => void) {
    this.#root = root;
    this.#clock = clock;
    this.#changed = changed;
  }

  /** Whether every folder is watched. The system and the bounds both limit the number of watchers. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Watches exactly these folders. */
  watch(directories: readonly string[]): void {
    const wanted = new Set(directories.slice(0, DIRECTORIES_WATCHED_MAX));
    this.#isWhole = wanted.size === directories.length;
    for (const [directory, watcher] of this.#watchers) {
      if (wanted.has(directory)) continue;
      watcher.close();
      this.#watchers.delete(directory);
    }
    for (const directory of wanted) if (!this.#watchers.has(directory)) this.#add(directory);
  }

  close(): void {
    this.#cancel?.();
    this.watch([]);
  }

  #add(directory: string): void {
    try {
      const watcher = watch(join(this.#root, directory), () => this.#stir());
      watcher.on('error', () => this.#lose(directory));
      this.#watchers.set(directory, watcher);
    } catch {
      // Too many watchers, or a folder that has just gone: the next reading lists folders anew.
      this.#isWhole = false;
    }
  }

  #lose(directory: string): void {
    this.#watchers.get(directory)?.close();
    this.#watchers.delete(directory);
    this.#stir();
  }

  #stir(): void {
    this.#cancel?.();
    const nowMs = this.#clock.monotonicMs();
    this.#sinceMs ??= nowMs;
    const leftMs = this.#sinceMs + CHANGE_WAIT_MS_MAX - nowMs;
    const tell = () => {
      this.#sinceMs = undefined;
      this.#changed();
    };
    this.#cancel = this.#clock.setTimeout(tell, Math.max(0, Math.min(CHANGE_QUIET_MS, leftMs)), { isBackground: true });
  }
}
