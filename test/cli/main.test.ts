/** The command line as a whole: help, versions, unknown words, and what goes to which stream. */
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { linesOf, Workspace } from './workspace.ts';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

work.write('agents.mjs', "export async function worker(_, { attempt }) { console.log('talking'); if (attempt === 1) throw new Error('once'); }");
work.write('plan.yaml', '{ version: 1, plan: p, agents: ./agents.mjs, tasks: [{ id: a, agent: worker, retry: { backoff: { minMs: 1 } } }] }');

describe('bosun --help', () => {
  const verbs = [[], ['run'], ['schedule'], ['plan'], ['plan', 'pause'], ['plan', 'resume'], ['tree'], ['check'], ['verify'], ['backup'], ['restore'], ['erase']];

  it('shows two examples for every verb, on stdout, within 80 columns', async () => {
    for (const verb of verbs) {
      const { code, out, err } = await work.bosun([...verb, '--help']);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out.match(/^ {2}\$ bosun .+$/gm), `bosun ${verb.join(' ')} --help`).toHaveLength(2);
      expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
    }
  });
});

describe('bosun', () => {
  it('says its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
    expect(await work.bosun(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  it('exits with 2 and points to --help for a word or an option that it does not know', async () => {
    for (const args of [['runn'], ['run'], ['run', 'plan.yaml', '--jsn'], ['tree', '--data']]) {
      const { code, out, err } = await work.bosun(args);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/^error: .*\n(\(Did you mean .*\)\n)?\(add --help for the options\)\n$/);
    }
  });
});

describe('streams', () => {
  it('have only JSON objects on stdout with --json, whatever agents print', async () => {
    const { code, out, err } = await work.bosun(['run', 'plan.yaml', '--json', '--data', 'json']);
    expect(code).toBe(0);
    expect(linesOf(out).map(({ type }) => type)).toEqual(['task.started', 'task.failed', 'task.started', 'task.completed', 'plan.completed']);
    expect(err).toContain('talking\n');
  });

  it('have the result on stdout and the talk on stderr without it, and no colours where there is no terminal', async () => {
    const { out, err } = await work.bosun(['run', 'plan.yaml', '--data', 'plain']);
    expect(out).toBe('p\n  a: completed\n');
    expect(err).toMatch(/^p: 1 task\. [^]*started {4}a\n[^]*failed {5}a: once\n[^]*completed {2}a \(attempt 2\)\n/);
    expect(err).toContain('bosun tree --data plain.');
    expect(out + err).not.toContain('\u001b');
    expect((await work.bosun(['schedule', 'plan.yaml'])).out).not.toContain('\u001b');
  });
});
