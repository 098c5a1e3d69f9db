/**
 * Notes in a file: one line, overwritten in place by one system call, so that it survives even if the process dies
 * right afterwards. Best effort: a note that cannot be written must not stop the work that it is about.
 */
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { type Notes } from '../../actors/model/ports.ts';
import { PRIVATE_FILE } from './private-files.ts';

export class FileNotes implements Notes {
  readonly #path: string;
  #descriptor: number | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  read(): string | undefined {
    try {
      const text = readFileSync(this.#path, 'utf8');
      // A longer earlier line may have left its rest behind the first line.
      return text.slice(0, text.indexOf('\n'));
    } catch {
      return undefined;
    }
  }

  write(line: string): void {
    try {
      this.#descriptor ??= openSync(this.#path, constants.O_WRONLY | constants.O_CREAT, PRIVATE_FILE);
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
