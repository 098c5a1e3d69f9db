/** `bosun desk` with a real folder, and the verbs of questions and answers, killed and started again in between. */
import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linesOf, Workspace } from '../support/cli/workspace.ts';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

const desk = () => work.spawn(['desk', 'shop', '--data', 'desk', '--port', '0', '--json']).serves();
const bosun = (...args: string[]) => work.bosun([...args, '--data', 'desk']);
const shown = async (id: string) =>
  linesOf((await bosun('questions', 'show', id, '--json')).out)[0] as unknown as Record<string, unknown>;

beforeAll(() => {
  mkdirSync(work.file('shop/docs'), { recursive: true });
  work.write('shop/package.json', '{\n  "name": "shop",\n  "dependencies": {\n    "zod": "^4.0.0"\n  }\n}\n');
  work.write('shop/docs/limits.md', '# Limits\n\nThe minimum length of a password is 12 characters.\n');
});

describe('bosun desk', () => {
  it('AT-002, AT-006, AT-061: answers from the folder, by a person, and for the next asker, over kill -9', async () => {
    const call = await desk();
    const choice = ['--option', '8', '--option', '12'];
    const length = await bosun('questions', 'ask', 'Is the minimum length of a password 8 or 12?', ...choice, '--json');
    expect({ ...length, out: linesOf(length.out) }).toMatchObject({
      code: 0,
      out: [{ status: 'answered', answer: expect.stringMatching(/^12 /), source: 'docs/limits.md:3' }],
    });

    const shownLength = await bosun('questions', 'show', 'Q-1');
    expect(shownLength.out).toMatch(/sources +docs\/limits\.md:3\n[^]*sum +30 \+ 35 × 1\.00 .* = \d\d\n/);

    const currency = await bosun('questions', 'ask', 'Which currency do customers pay in?');
    expect(currency).toMatchObject({ code: 3, out: expect.stringContaining('TK-0001') });
    expect(currency.out).toContain('bosun questions show Q-2');
    expect((await bosun('questions', 'list')).out).toContain('waiting');

    expect((await call.end('SIGKILL')).code).toBe(null);
    const again = await desk();
    expect(await shown('Q-2')).toMatchObject({ status: 'waiting', ticket: 'TK-0001' });
    await bosun('tickets', 'resolve', 'TK-0001', 'Euro only.', '--by', 'ada', '--reason', 'decided');
    expect(await shown('Q-2')).toMatchObject({ status: 'answered', by: 'ada' });
    expect((await bosun('answers', 'search', 'In which currency do customers pay?')).out).toContain('Euro only.');

    const unsure = await bosun('answers', 'correct', 'Q-2', 'Franc.', '--by', 'bob', '--json');
    expect([unsure.code, linesOf(unsure.out), linesOf(unsure.err)]).toEqual([
      2,
      [expect.objectContaining({ type: 'correction', question: 'Q-2', done: false })],
      [expect.objectContaining({ type: 'error', code: 'BOSUN_CALL_INVALID' })],
    ]);
    expect(await shown('Q-2')).toMatchObject({ by: 'ada' });
    expect(await bosun('answers', 'correct', 'Q-2', 'Franc.', '--by', 'bob', '--yes')).toMatchObject({ code: 0 });
    expect(await shown('Q-2')).toMatchObject({ by: 'bob', earlier: [{ answer: 'Euro only.', by: 'ada' }] });
    expect((await again.end('SIGTERM')).code).toBe(0);
  });

  it('refuses a vague question with exit code 5, and a missing folder with 2', async () => {
    const call = await desk();
    expect(await bosun('questions', 'ask', 'What is the best way to do this?')).toMatchObject({
      code: 5,
      out: expect.stringContaining('vague'),
    });
    expect(await bosun('questions', 'show', 'Q-99')).toMatchObject({ code: 2 });
    await call.end('SIGTERM');
    const none = await work.bosun(['desk', 'nowhere', '--data', 'other', '--port', '0']);
    expect(none.code).toBe(2);
    expect(none.err).toContain('nowhere');
  });
});
