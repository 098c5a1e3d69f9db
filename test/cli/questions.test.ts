/** `bosun questions ask` in a folder, without a store and without a server. */
import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Line, linesOf, Workspace } from '../support/cli/workspace.ts';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

/** A process of its own, since the folder is read in a thread of the built package. */
const ask = (question: string, ...args: string[]) => work.spawn(['questions', 'ask', question, ...args]).ended;
const replyIn = (out: string) => linesOf(out)[0] as Line & Record<string, unknown>;

beforeAll(() => {
  mkdirSync(work.file('shop/docs'), { recursive: true });
  work.write('shop/package.json', '{\n  "dependencies": {\n    "zod": "^4.0.0"\n  }\n}\n');
  work.write('shop/.env', 'PASSWORD_MINIMUM=99\n');
  work.write('shop/docs/limits.md', '# Limits\n\nThe minimum length of a password is 12 characters.\n');
  work.write('shop/docs/session.md', '# Sessions\n\nA session of a courier ends after 45 minutes.\n');
  work.write('shop/session.yaml', 'courier:\n  session_minutes: 30\n');
});

describe('bosun questions ask', () => {
  it('AT-002, AT-006: answers from the working directory with file and line, and writes nothing', async () => {
    const { code, out } = await ask('Zod or Joi?', '--option', 'Zod', '--option', 'Joi');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^state +answered\nanswer +Zod \(declared in .*package\.json:3\)/),
    ]);
    expect(work.has('data')).toBe(false);
  });

  it('answers from another folder, with everything that made its confidence', async () => {
    const question = 'How long must a password be?';
    const { code, out } = await ask(question, '--in', 'shop', '--json');
    expect(code).toBe(0);
    expect(replyIn(out)).toMatchObject({
      status: 'answered',
      source: 'docs/limits.md:3',
      sources: [{ type: 'prd', location: 'docs/limits.md:3', excerpt: expect.stringContaining('12 characters') }],
      problems: [],
      next: null,
      factors: { margin: 1, kinds: 1, caps: [] },
      folder: { files: 4, leftOut: { secret: { count: 1, files: ['.env'] } } },
    });
    expect(out).not.toContain('99');
    const explained = await ask(question, '--in', 'shop', '--explain');
    expect(explained.out).toMatch(/sum +30 \+ 35 × 1\.00 .* = \d\d\n/);
    expect(explained.out).toMatch(/read +4 files, \d+ passages/);
    expect(explained.out).toMatch(/docs\/limits\.md:3 +declared +100 %/);
  });

  it('says both sides if sources differ, and that a person has to confirm one', async () => {
    const { code, out } = await ask(
      'After how many minutes does a session of a courier end?',
      '--in',
      'shop',
      '--json',
    );
    expect(code).toBe(3);
    expect(replyIn(out)).toMatchObject({
      status: 'provisional',
      answer: expect.stringContaining('Sources differ.'),
      problems: ['two sources say different things'],
      next: expect.stringContaining('bosun desk'),
    });
  });

  it('has no answer with exit code 3 where the files do not say it', async () => {
    const { code, out } = await ask('Which currency do customers pay in?', '--in', 'shop');
    expect(code).toBe(3);
    expect(out).toMatch(
      /^state +unanswered\nconfidence +0 %\nbecause +no source says anything about it\nnext +ask a person/,
    );
  });

  it('refuses a vague question with 5, a missing folder with 2, and options of a desk beside a folder', async () => {
    expect(await ask('What is the best way to do this?', '--in', 'shop')).toMatchObject({
      code: 5,
      out: expect.stringContaining('it does not say what it is about'),
    });
    expect(await ask('Zod or Joi?', '--in', 'nowhere')).toMatchObject({
      code: 2,
      err: expect.stringContaining('nowhere'),
    });
    expect(await work.bosun(['questions', 'ask', 'Zod or Joi?', '--in', 'shop', '--task', 'T-1'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--in answers without a desk: leave out --task'),
    });
    expect(await work.bosun(['questions', 'ask', 'Zod or Joi?', '--task', 'T-1'])).toMatchObject({
      code: 7,
      err: expect.stringContaining('no system with a gateway runs'),
    });
  });
});
