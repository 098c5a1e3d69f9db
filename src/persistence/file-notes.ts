/**
 * Notes in a file: one line, overwritten in place by one system call, so that it survives whatever happens to the
 * process a moment later. Best effort: a note that cannot be written must not stop what it is about.
 */
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { type Notes } from '../actors/model/ports.ts';

export class FileNotes implements Notes {
  readonly #path: string;
  #descriptor: number | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  read(): string | undefined {
    try {
      const text = readFileSync(this.#path, 'utf8');
      // Behind the first line there may be the rest of a longer one.
      return text.slice(0, text.indexOf('\n'));
    } catch {
      return undefined;
    }
  }

  write(line: string): void {
    try {
      this.#descriptor ??= openSync(this.#path, constants.O_WRONLY | constants.O_CREAT, 0o644);
      writeSync(this.#descriptor, `${line}\n`, 0);
    } catch {
      this.close();
    }
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }
}
