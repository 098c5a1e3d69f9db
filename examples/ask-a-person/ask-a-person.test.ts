/** The example as a reader runs it: killed while the question waits, answered after the next start. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { LONG } from '../../test/support/effort.ts';
import { until } from '../../test/support/until.ts';

const JITI = resolve(import.meta.dirname, '../../node_modules/jiti/lib/jiti-cli.mjs');
const MAIN = resolve(import.meta.dirname, './main.ts');

let running: ChildProcess | undefined;

async function started(cwd: string): Promise<{ readonly url: string; readonly lines: Interface }> {
  const child = spawn(process.execPath, [JITI, MAIN], { cwd, env: { ...process.env, PORT: '0' }, stdio: 'pipe' });
  running = child;
  const lines = createInterface(child.stdout);
  const [line] = (await once(lines, 'line')) as [string];
  return { url: /^answer at (.*)\/#\/inbox$/.exec(line)![1]!, lines };
}

async function killed(): Promise<void> {
  if (running?.exitCode !== null || running.signalCode !== null) return;
  const gone = once(running, 'exit');
  running.kill('SIGKILL');
  await gone;
}

afterEach(killed);

describe('an agent that asks a person', LONG, () => {
  it('keeps its question over kill -9, and goes on with the answer', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'bosun-ask-'));
    try {
      const listed = async (url: string): Promise<readonly object[]> => {
        const { tickets } = (await (await fetch(`${url}/v1/tickets`)).json()) as { tickets: readonly object[] };
        return tickets;
      };
      const first = await started(directory);
      await until(
        async () => (await listed(first.url)).length === 1,
        () => 'the ticket',
      );
      await killed();
      const { url, lines } = await started(directory);
      expect(await listed(url)).toMatchObject([{ id: 'TK-0001', title: 'Which currency is order o-17 paid in?' }]);
      const printed = once(lines, 'line');
      const body = JSON.stringify({ ticket: 'TK-0001', text: 'Euro', option: 'Euro', by: 'ada' });
      const headers = { 'Content-Type': 'application/json' };
      await fetch(`${url}/v1/procedures/tickets.reply`, { method: 'POST', headers, body });
      expect(await printed).toEqual(['Order o-17: Euro, says ada.']);
      if (running!.exitCode === null) await once(running!, 'exit');
      expect(running!.exitCode).toBe(0);
    } finally {
      await killed();
      rmSync(directory, { recursive: true });
    }
  });
});
