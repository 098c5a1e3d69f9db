/**
 * The example of docs/workers.md, run as a reader would run it: a module of agents, and two hosts in separate
 * processes.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { LONG } from '../support/effort.ts';

const ROOT = resolve(import.meta.dirname, '../..');

it('the example of docs/workers.md prints the documented output', LONG, () => {
  const page = readFileSync(join(ROOT, 'docs/workers.md'), 'utf8');
  const files = [...page.matchAll(/^```js (\S+)\n([^]*?)^```$/gm)].map(([, name, text]) => [name!, text!] as const);
  // Inside the repository, so that `bosun` resolves to it.
  mkdirSync(join(ROOT, 'test/tmp'), { recursive: true });
  const directory = mkdtempSync(join(ROOT, 'test/tmp/workers-'));
  try {
    for (const [name, text] of files) writeFileSync(join(directory, name), text);
    const printed = ['main.js', 'gateway.js']
      .map((name) => execFileSync(process.execPath, [name], { cwd: directory, encoding: 'utf8' }))
      .join('');
    const said = files.flatMap(([, text]) =>
      [...text.matchAll(/console\.log\(.*\/\/ -> (.*)$/gm)].map(([, what]) => what),
    );
    expect(printed.trim().split('\n')).toEqual(said);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
