/**
 * The example of docs/workers.md, run as a reader would run it: a module of agents, and two hosts in separate
 * processes.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LONG } from '../support/effort.ts';
import { UserFolder } from '../support/user-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');

it('the example of docs/workers.md prints the documented output', LONG, () => {
  const page = readFileSync(join(ROOT, 'docs/workers.md'), 'utf8');
  const files = [...page.matchAll(/^```js (\S+)\n([^]*?)^```$/gm)].map(([, name, text]) => [name!, text!] as const);
  const folder = new UserFolder(Object.fromEntries(files));
  onTestFinished(() => folder[Symbol.dispose]());
  const printed = ['main.js', 'gateway.js']
    .map((name) => execFileSync(process.execPath, [name], { cwd: folder.path, encoding: 'utf8' }))
    .join('');
  const said = files.flatMap(([, text]) =>
    [...text.matchAll(/console\.log\(.*\/\/ -> (.*)$/gm)].map(([, what]) => what),
  );
  expect(printed.trim().split('\n')).toEqual(said);
});
