/** The example as a reader runs it: a process that is killed while people think. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { LONG } from '../../test/support/effort.ts';
import { until } from '../../test/support/until.ts';

const JITI = resolve(import.meta.dirname, '../../node_modules/jiti/lib/jiti-cli.mjs');
const MAIN = resolve(import.meta.dirname, './main.ts');

let running: ChildProcess | undefined;

async function started(cwd: string): Promise<string> {
  const child = spawn(process.execPath, [JITI, MAIN], { cwd, env: { ...process.env, PORT: '0' }, stdio: 'pipe' });
  running = child;
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  return url;
}

async function killed(): Promise<void> {
  if (running?.exitCode !== null || running.signalCode !== null) return;
  const gone = once(running, 'exit');
  running.kill('SIGKILL');
  await gone;
}

afterEach(killed);

describe('the embedded crew', LONG, () => {
  it('DC-011: keeps a note and its question over kill -9, and answers with the result', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'bosun-embedded-'));
    try {
      let url = await started(directory);
      const call = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
        const response = await fetch(`${url}/${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
        return (await response.json()) as Record<string, unknown>;
      };
      await call('PUT', 'notes/n1', { topic: 'otters' });
      const waits = async () => (await call('GET', 'notes/n1'))['state'] === 'waitingForHuman';
      await until(waits, () => 'the question');
      await killed();
      url = await started(directory);
      await until(
        async () => ((await call('GET', 'gates')) as unknown as unknown[]).length === 1,
        () => 'the gate',
      );
      expect(await call('GET', 'gates')).toMatchObject([{ id: 'task.n1.result', title: 'Print the note on otters?' }]);
      expect(await call('PUT', 'notes/n1', { topic: 'otters' })).toMatchObject({ state: 'waitingForHuman' });
      expect(await call('PUT', 'notes/n1', { topic: 'seals' })).toMatchObject({
        error: expect.stringContaining('is there, with another agent or input') as string,
      });
      await call('POST', 'gates/task.n1.result', { by: 'ada', decision: 'approve' });
      const isDone = async () => (await call('GET', 'notes/n1'))['state'] === 'done';
      await until(isDone, () => 'the end');
      expect(await call('GET', 'notes/n1')).toMatchObject({ output: 'A note with three facts on otters.' });
    } finally {
      await killed();
      rmSync(directory, { recursive: true });
    }
  });
});
