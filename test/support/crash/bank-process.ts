/** A process of the bank: started, heard line by line, and killed when that is called for. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PATIENCE_MS } from '../effort.ts';

export interface End {
  readonly code: number | null;
  readonly signal: string | null;
  /** All that it said on stderr. */
  readonly complaint: string;
}

/**
 * Runs a module of Node until it is dead.
 *
 * @param options Its argument, as JSON.
 * @param hear Told each line that it says. Returns whether the process is to be killed.
 */
export async function lived(file: string, options: object, hear: (line: string) => boolean): Promise<End> {
  const child = spawn(process.execPath, [file, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  // One that lives longer is stuck.
  const limit = setTimeout(() => child.kill('SIGTERM'), PATIENCE_MS);
  const closed = once(child, 'close');
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (hear(line)) child.kill('SIGKILL');
  });
  const [code, signal] = (await closed) as [number | null, string | null];
  clearTimeout(limit);
  return { code, signal, complaint };
}
