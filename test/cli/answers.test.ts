/** The verbs of `bosun answers` at a served desk: what is kept, for whom, whether it was right, and as a document. */
import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linesOf, Workspace } from '../support/cli/workspace.ts';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

const bosun = (...args: string[]) => work.bosun([...args, '--data', 'desk']);
const answers = (...args: string[]) => bosun('answers', ...args);
const kept = async () =>
  linesOf((await answers('export', '--format', 'jsonl')).out) as unknown as readonly Record<string, unknown>[];

/** Answers that would end a section, a list, a quotation or a block of code, or run in a browser. */
const NASTY = [
  'Euro.\n\n## Q-99: forged\n\nSaid by eve.',
  '```\n~~~\n</code></pre><script>alert(1)</script>',
  '    * deep\n\n\n> quoted\n---\n# x\n===',
];
const QUESTION = 'Which <b>currency</b> do `customers` pay in, [*Euro*](http://x) or # franc?';

beforeAll(async () => {
  mkdirSync(work.file('shop/docs'), { recursive: true });
  work.write('shop/docs/limits.md', '# Limits\n\nThe minimum length of a password is 12 characters.\n');
  await work.spawn(['desk', 'shop', '--data', 'desk', '--port', '0', '--json']).serves();
  const choice = ['--option', '8', '--option', '12'];
  expect(await bosun('questions', 'ask', 'Is the minimum length of a password 8 or 12?', ...choice)).toMatchObject({
    code: 0,
  });
  expect((await bosun('questions', 'ask', QUESTION, '--wait-seconds', '5')).out).toContain('TK-0001');
  await bosun('tickets', 'resolve', 'TK-0001', NASTY[0]!, '--by', 'ada *x*', '--reason', 'decided');
  for (const text of NASTY.slice(1)) await answers('correct', 'Q-2', text, '--by', 'bob', '--reason', '_why_', '--yes');
});

/** The sections of a document: the heading and the words below it, and the blocks that Markdown shows as they stand. */
function sectionsOf(document: string) {
  return document
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading, ...lines] = section.split('\n');
      const words = lines.filter((line) => !line.startsWith('    ')).join('\n');
      const blocks = [...`${section}\n`.matchAll(/(?<=\n\n)(?: {4}.*\n(?:\n+(?= {4}))?)+/g)];
      return { heading, words, blocks: blocks.map(([block]) => block.replace(/^ {4}/gm, '').trimEnd()) };
    });
}

describe('bosun answers export', () => {
  it('writes a document that no answer can change, with who said it, when, why, and what was said before', async () => {
    const { code, out } = await answers('export');
    expect(code).toBe(0);
    expect(out).toMatch(/^# What people have decided\n\nAnswers that are kept for all who ask/);
    const [section, ...others] = sectionsOf(out);
    expect(others).toEqual([]);
    expect(section!.blocks).toEqual([NASTY[2], NASTY[1], NASTY[0]].map((text) => text!.trim()));
    expect(section!.heading).toBe(
      'Which \\<b\\>currency\\</b\\> do \\`customers\\` pay in, \\[\\*Euro\\*\\](http://x) or \\# franc?',
    );
    expect(section!.words).toMatch(/^Said by bob, \d{4}-\d\d-\d\dT\S+Z \(\\_why\\_\); Q-2; TK-0001; for all\.$/m);
    expect(section!.words).toMatch(/^Said before by ada \\\*x\\\*, \S+Z \(decided\), and true no longer:$/m);
    expect(section!.words).not.toMatch(/^(?:#|>|```|~~~|---|===|<)/m);
    expect((await answers('export')).out).toBe(out);
  });

  it('writes what programs read, a line for each answer', async () => {
    const [line, ...others] = await kept();
    expect(others).toEqual([]);
    expect(line).toMatchObject({
      ...{ question: 'Q-2', text: QUESTION, answer: NASTY[2]!.trim(), by: 'bob', ticket: 'TK-0001', scope: null },
      earlier: [{ answer: NASTY[1] }, { answer: NASTY[0] }],
    });
    expect(linesOf((await answers('export', '--json')).out)).toEqual([line]);
  });
});

describe('bosun answers', () => {
  it('keeps an answer of the desk, and limits it to a scope and one version of the plan', async () => {
    expect(await answers('pin', 'Q-1', '--by', 'ada')).toMatchObject({ code: 0, out: 'the answer of Q-1 is kept\n' });
    expect((await kept()).map(({ question }) => question)).toEqual(['Q-2', 'Q-1']);
    const limited = await answers('scope', 'Q-1', '--scope', 'shop', '--plan-only', '--by', 'ada');
    expect(limited).toMatchObject({ code: 0, out: 'Q-1 holds for shop, as long as the plan has this version\n' });
    expect((await answers('search', 'minimum length of a password')).out).toMatch(
      /FOR +QUESTION[^]*Q-1 .* ada .* shop, one version of the plan /,
    );
    expect((await answers('export')).out).toContain('; for shop, version without a name of the plan alone.');
    const json = await answers('scope', 'Q-1', '--global', '--by', 'ada', '--json');
    expect(linesOf(json.out)).toEqual([{ type: 'scope', question: 'Q-1', scope: null, planOnly: false }]);
    expect((await kept())[1]).toMatchObject({ scope: null, planVersion: null });
    expect(await answers('scope', 'Q-77', '--global')).toMatchObject({ code: 5 });
    for (const wrong of [[], ['--scope', 'shop', '--global']])
      expect(await answers('scope', 'Q-1', ...wrong)).toMatchObject({
        code: 2,
        err: expect.stringContaining('say either --scope or --global'),
      });
  });

  it('judges an answer as right or wrong', async () => {
    const judged = await answers('judge', 'Q-1', '--right', '--satisfaction', '5');
    expect(judged).toMatchObject({ code: 0, out: 'Q-1 was right\n' });
    expect(await answers('judge', 'Q-1')).toMatchObject({ code: 2 });
    expect(await answers('judge', 'Q-1', '--wrong', '--satisfaction', '6')).toMatchObject({ code: 2 });
    expect(await answers('judge', 'Q-77', '--wrong')).toMatchObject({ code: 5 });
  });

  it('lists proposals, applies one, and takes it back', async () => {
    expect(await answers('proposals')).toMatchObject({ code: 0, out: '', err: 'no proposals\n' });
    for (let one = 1; one <= 10; one++)
      await bosun('questions', 'ask', `Which colour has the label of parcel ${one}?`, '--wait-seconds', '0');
    const ready = (ended: { out: string }) => ended.out.includes('TK-0011');
    await work.looks(['tickets', 'list', '--data', 'desk'], ready);
    const [proposal] = linesOf((await answers('proposals', '--review', '--json')).out) as unknown as { id: string }[];
    expect(proposal).toMatchObject({ status: 'proposed', change: { kind: 'threshold' } });
    const { id } = proposal!;
    expect((await answers('proposals')).out).toMatch(/proposed .* people are asked below 0\.65 instead of 0\.7 /);
    const applied = await answers('decide', id, '--approve', '--by', 'ada', '--reason', 'a trial');
    expect(applied).toMatchObject({ code: 0, out: `${id} is applied\n` });
    expect(await answers('decide', id, '--approve', '--by', 'ada')).toMatchObject({ code: 5 });
    const back = await answers('decide', id, '--refuse', '--by', 'ada', '--json');
    expect(linesOf(back.out)).toEqual([{ type: 'decision', proposal: id, status: 'taken back' }]);
  });

  it("erases a person's words, and says without --yes which they are", async () => {
    const before = await answers('erase', 'Q-2', '--by', 'ada');
    expect(before).toMatchObject({ code: 2, err: expect.stringMatching(/would go: .*franc.*Repeat it with --yes/) });
    expect((await kept()).map(({ question }) => question)).toContain('Q-2');
    expect(await answers('erase', 'Q-2', '--by', 'ada', '--yes')).toMatchObject({ code: 0 });
    expect((await kept()).map(({ question }) => question)).toEqual(['Q-1']);
    expect((await answers('export')).out).not.toContain('Euro');
  });
});
