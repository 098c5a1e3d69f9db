/** The example as its README describes it, in a copy: the tests fail, are mended, pass, and the plan is archived. */
import { cpSync, readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { Repository } from '../../test/support/git/repository.ts';
import { Workspace } from '../../test/support/cli/workspace.ts';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

it('mends the tests, and prints the lineage that its README shows', async () => {
  cpSync(import.meta.dirname, work.path, { recursive: true });
  const repository = new Repository({ '.gitignore': 'data\nnode_modules\n' }, work.path);
  // The user is in the middle of something else.
  repository.write({ 'sum.test.mjs': `${work.read('sum.test.mjs')}// mine\n`, 'notes.txt': 'mine\n' });
  const { 'sum.mjs': _, ...own } = repository.own(['data', 'node_modules']);
  expect((await work.bosun(['hub', 'check', 'hub.yaml'])).code).toBe(0);
  const { code, out } = await work.bosun(['hub', 'run', 'hub.yaml']);
  const readme = readFileSync(`${import.meta.dirname}/README.md`, 'utf8');
  expect({ code, lines: out.split('\n').slice(0, -1) }).toEqual({
    code: 0,
    lines: readme
      .match(/^ {4}fix-and-verify \(R-1\)[^]*?(?=\n\n)/m)![0]
      .split('\n')
      .map((line) => line.slice(4)),
  });
  const { 'sum.mjs': __, ...after } = repository.own(['data', 'node_modules']);
  expect(after).toEqual(own);
  expect(repository.trees()).toEqual([]);
  expect(work.read('sum.mjs')).toContain('a + b');
});
