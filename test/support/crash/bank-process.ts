/** A process of the bank: started, read line by line, and killed when the test says so. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PATIENCE_MS } from '../effort.ts';

export interface End {
  readonly code: number | null;
  readonly signal: string | null;
  /** Its output on stderr. */
  readonly complaint: string;
}

/**
 * Runs a module of Node until the process has ended.
 *
 * @param options The module's argument, passed as JSON.
 * @param hear Called with each line of output. Returns whether to kill the process.
 */
export async function lived(file: string, options: object, hear: (line: string) => boolean): Promise<End> {
  const child = spawn(process.execPath, [file, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process that lives longer is stuck, and ends by SIGTERM.
    timeout: PATIENCE_MS,
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  const closed = once(child, 'close');
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (hear(line)) child.kill('SIGKILL');
  });
  const [code, signal] = (await closed) as [number | null, string | null];
  return { code, signal, complaint };
}
