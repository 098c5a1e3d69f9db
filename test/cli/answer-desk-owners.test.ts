/** One answer desk of a folder, whoever runs it: `bosun desk`, one coding agent or another, each killed in turn. */
import { afterEach, describe, expect, it } from 'vitest';
import { type McpProcess, Repository } from '../support/cli/mcp-process.ts';
import { linesOf, Workspace } from '../support/cli/workspace.ts';
import { toldBy } from '../support/gateway/mcp-clients.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

function shop(): { readonly folder: Repository; readonly shell: Workspace; readonly data: string } {
  const [folder, shell] = [new Repository(), new Workspace()];
  open.push(folder, shell);
  folder.write('docs/limits.md', '# Limits\n\nThe minimum length of a password is 12 characters.\n');
  return { folder, shell, data: `${folder.path}/.bosun` };
}

const CURRENCY = { question: 'Which currency do customers pay in?', max_wait_seconds: 20 };
const LENGTH = {
  question: 'Is the minimum length of a password 8 or 12?',
  possible_options: ['8', '12'],
  max_wait_seconds: 20,
};

describe('the answer desk of a folder', () => {
  it('is run by the agent that works there, where nobody runs it', async () => {
    const { folder } = shop();
    const agent = await folder.mcp();
    expect((await agent.tools()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['askQuestion', 'waitForAnswer', 'searchKnowledge']),
    );
    expect(toldBy(await agent.call('askQuestion', LENGTH))).toMatchObject({
      status: 'answered',
      source: 'docs/limits.md:3',
    });
    expect(folder.git('status', '--porcelain', '.bosun')).toBe('');
  });

  it('has one question for one question, over two agents and a desk that are killed in turn', async () => {
    const { folder, shell, data } = shop();
    const serve = () => shell.spawn(['desk', folder.path, '--data', data, '--port', '0', '--json']).serves();
    const desk = await serve();
    const one = await folder.mcp('of 2026', ['--as', 'one']);
    const two = await folder.mcp('1.32', ['--as', 'two']);
    const first = toldBy(await one.call('askQuestion', CURRENCY));
    expect(first).toMatchObject({ status: 'waiting', question_id: 'Q-1', ticket_id: 'TK-0001' });
    expect(toldBy(await two.call('askQuestion', LENGTH))).toMatchObject({ status: 'answered', question_id: 'Q-2' });

    await desk.end('SIGKILL');
    expect(toldBy(await two.call('askQuestion', LENGTH))).toMatchObject({ status: 'answered', question_id: 'Q-2' });
    expect(two.err).toContain('runs answers about');
    const again = { ...CURRENCY, max_wait_seconds: 1 };
    expect(toldBy(await one.call('askQuestion', again))).toMatchObject({ status: 'waiting', question_id: 'Q-1' });

    const waiting = one.call('waitForAnswer', { question_id: 'Q-1', max_wait_seconds: 40 });
    await two.call('searchKnowledge', { question: 'password' });
    two.kill();
    const bosun = (...args: string[]) => shell.bosun([...args, '--data', data]);
    await shell.looks(['questions', 'show', 'Q-1', '--json', '--data', data], ({ code }) => code === 0);
    expect(one.err).toContain('runs answers about');
    await bosun('tickets', 'resolve', 'TK-0001', 'Euro only.', '--by', 'ada', '--reason', 'decided');
    expect(toldBy(await waiting)).toMatchObject({ status: 'answered', answer: 'Euro only.', question_id: 'Q-1' });

    one.kill();
    const last = await serve();
    const third = await folder.mcp('of 2025', ['--as', 'one']);
    expect(toldBy(await third.call('askQuestion', CURRENCY))).toMatchObject({
      status: 'answered',
      answer: 'Euro only.',
      question_id: 'Q-1',
    });
    const { out } = await bosun('questions', 'list', '--all', '--json');
    expect(linesOf(out).map((line) => (line as unknown as { id: string }).id)).toEqual(['Q-2', 'Q-1']);
    expect((await last.end('SIGTERM')).code).toBe(0);
  });

  it.each([
    ['a desk', { isDesk: true, isKilled: false }],
    ['a desk that is killed', { isDesk: true, isKilled: true }],
    ['an agent that is killed', { isDesk: false, isKilled: true }],
  ])('asks people once what two agents and a user ask at the same time, run by %s', async (_, { isDesk, isKilled }) => {
    const { folder, shell, data } = shop();
    const args = (...words: string[]) => [...words, '--json', '--data', data];
    const desk = isDesk ? await shell.spawn(args('desk', folder.path, '--port', '0')).serves() : undefined;
    const owner = await folder.mcp('of 2026', ['--as', 'owner']);
    await owner.tools();
    const agents = [await folder.mcp('of 2026', ['--as', 'one']), await folder.mcp('1.32', ['--as', 'two'])];

    // Who asks before there is a ticket is told of it, and goes on waiting.
    const answerOf = async (agent: McpProcess) => {
      const told = toldBy(await agent.call('askQuestion', { ...CURRENCY, max_wait_seconds: 45 }));
      if (told['status'] !== 'waiting') return told;
      const { question_id } = told;
      return toldBy(await agent.call('waitForAnswer', { question_id, max_wait_seconds: 45 }));
    };
    // The call of a command ends with its gateway, and its user asks again.
    const askedInShell = () =>
      shell.looks(args('questions', 'ask', 'which currency do customers pay in', '--wait-seconds', '45'), (ended) =>
        ended.out.includes('"answered"'),
      );
    const asking = Promise.all([...agents.map(answerOf), askedInShell().then(({ out }) => linesOf(out)[0])]);

    const isAsked = () =>
      shell.looks(args('questions', 'show', 'Q-1'), ({ out }) => {
        const [shown] = linesOf(out) as unknown as readonly [{ users: unknown[]; ticket: string | null }?];
        return shown?.users.length === 3 && shown.ticket !== null;
      });
    await isAsked();
    if (isKilled) {
      if (desk === undefined) owner.kill();
      else await desk.end('SIGKILL');
      await isAsked();
    }
    await shell.bosun(args('tickets', 'resolve', 'TK-0001', 'Euro only.', '--by', 'ada', '--reason', 'decided'));

    const had = { status: 'answered', answer: 'Euro only.', question_id: 'Q-1', ticket_id: 'TK-0001' };
    expect(await asking).toMatchObject([had, had, had]);
    const questions = await shell.bosun(args('questions', 'list', '--all'));
    expect(linesOf(questions.out)).toMatchObject([{ id: 'Q-1', ticket: 'TK-0001', by: 'ada' }]);
    const tickets = await shell.bosun(args('tickets', 'list', '--all'));
    expect(linesOf(tickets.out)).toMatchObject([{ id: 'TK-0001', about: 'Q-1', status: 'resolved' }]);
  });
});
