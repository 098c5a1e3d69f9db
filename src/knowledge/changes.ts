/**
 * The last change of a folder: that of the files that its ignore rules leave, and of the directories from which one was
 * removed. It blocks its thread.
 */
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listFiles } from './reader.ts';

/** Matches files of git and of Bosun itself, which change without anybody at work. */
const OWN = /(?:^|\/)\.(?:git|bosun)\//;

export class Changes {
  readonly #root: string;
  /** The entries of directories, and when they changed: ignored files that come and go are no change of theirs. */
  #seen = new Map<string, { readonly entries: string; readonly changedMs: number }>();

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * The time of the last change in milliseconds since 1970; null if the folder has gone. Only the system sets that
   * time: programs may give a file an age of their own.
   */
  lastMs(): number | null {
    const changes = new Map<string, number>();
    const entries = new Map([['.', '']]);
    const add = (path: string): void => {
      const changedMs = changes.has(path) ? undefined : this.#changedMs(path);
      if (changedMs === undefined) return;
      changes.set(path, changedMs);
      if (path === '.') return;
      entries.set(dirname(path), `${entries.get(dirname(path)) ?? ''}${path}\n`);
      add(dirname(path));
    };
    for (const file of ['.', ...listFiles(this.#root).files]) if (!OWN.test(file)) add(file);
    for (const [directory, listed] of entries) {
      const before = this.#seen.get(directory);
      if (before?.entries === listed) changes.set(directory, before.changedMs);
      else this.#seen.set(directory, { entries: listed, changedMs: changes.get(directory) ?? 0 });
    }
    return changes.size === 0 ? null : [...changes.values()].reduce((last, ms) => Math.max(last, ms));
  }

  /** The time of a file or directory; undefined if it has gone. */
  #changedMs(path: string): number | undefined {
    return lstatSync(join(this.#root, path), { throwIfNoEntry: false })?.ctimeMs;
  }
}
