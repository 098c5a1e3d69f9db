/**
 * The examples of questions between agents, people and the two teams (seed 000), each twice where it has figures: with
 * a model's answer from the ports, and by the desk itself, which has nothing but a small repository.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { type AnswerPorts } from '../../../src/machines/answers/answer-ports.ts';
import { DOUBTS } from '../../../src/machines/answers/question-quality.ts';
import { type TicketContext } from '../../../src/machines/people/tickets/ticket-state.ts';
import { DESKS } from '../../../src/machines/desks.ts';
import { finderOver } from '../../support/knowledge/fixture-finder.ts';
import { answering, AnswerRoom, evidenceFor, PORT_QUESTION, SECOND_MS } from '../../support/machines/answer-room.ts';

let room: AnswerRoom;
afterEach(() => room.test.system.stop());

async function start(ports: Partial<AnswerPorts> = {}): Promise<AnswerRoom> {
  return (room = await AnswerRoom.start({ ports }));
}

/** The port of a search over files, given as `path: text`. */
function folder(files: Readonly<Record<string, string>>): Partial<AnswerPorts> {
  const text = Object.entries(files).map(([path, content]) => `=== ${path}\n${content}\n`);
  const finder = finderOver('project', text.join(''));
  return { retrieve: (input) => Promise.resolve({ evidence: finder.evidenceFor(input), complete: true }) };
}

const ticket = (id = 'TK-0001') => room.context<TicketContext>(`${DESKS.openTickets}/${id}`);
const reply = (text: string) =>
  room.order({ type: 'tickets.reply', ticket: 'TK-0001', by: 'ada', text }, DESKS.tickets);

const DATABASE = 'PostgreSQL or MongoDB?';
const choice = { possible_options: ['PostgreSQL', 'MongoDB'] };

describe('"PostgreSQL or MongoDB?"', () => {
  it('MX-E01: is answered by the Answer Team where an agent asks it, and the review has nothing to do', async () => {
    await start(
      folder({ 'docs/adr/0002.md': '# 2. Database\n\nStatus: accepted\n\nThe shop stores orders in PostgreSQL.\n' }),
    );
    const answered = await room.askNow('Does the shop store orders in PostgreSQL or MongoDB?', { bundle: choice });
    expect(answered).toMatchObject({ status: 'answered', source: 'docs/adr/0002.md:5', ticket_id: null });
    expect(answered.answer).toMatch(/^PostgreSQL /);
    expect(room.test.shard.snapshot(`${DESKS.openTickets}/TK-0001`)).toBe(undefined);
  });

  it('MX-E01, MX-041: is reviewed by Clarity where a person replies, of which the team hears the end', async () => {
    await start();
    await room.askNow(DATABASE, { bundle: choice });
    await reply('Use PostgreSQL because the reports are joins over five tables.');
    expect(ticket()).toMatchObject({ status: 'in_review' });
    expect(room.row('Q-1')).toMatchObject({ status: 'waiting', response: null });
    await room.test.advance(5 * SECOND_MS);
    expect(ticket()).toMatchObject({ status: 'resolved', reviews: 1 });
    expect(room.row('Q-1')).toMatchObject({ status: 'answered', by: 'ada', ticket: 'TK-0001' });
  });
});

describe('a good question', () => {
  const GOOD = [
    ['POST /auth/register: is the password min length 8 or 12? The plan says "secure".', 'docs/limits.md:3', '12'],
    ['Do validation errors answer 400 or 422?', 'docs/api.md:3', '422'],
    ['UserService: is its async constructor safe?', 'src/user-service.js:1', ''],
  ] as const;
  const FILES = {
    'docs/limits.md': '# Limits\n\nThe password of POST /auth/register has a minimum length of 12.\n',
    'docs/api.md': '# API\n\nValidation errors answer 422.\n',
    'src/user-service.js':
      '// UserService: a constructor is never async; use UserService.open().\nclass UserService {}\n',
  };

  it.each(GOOD)('MX-E05: is taken, and answered by a model from its source: %s', async (question, file) => {
    const found = [evidenceFor('so', { source: { type: 'code', scope: 'shop', file, line: 3 } })];
    await start({
      retrieve: () => Promise.resolve({ evidence: found, complete: true }),
      formulate: ({ bundle, evidence }) =>
        Promise.resolve({ answer: `\`so\`: ${bundle.question}`, confidence: 92, citations: [...evidence] }),
    });
    const answered = await room.askNow(question);
    expect(answered).toMatchObject({ status: 'answered', source: `${file}:3` });
    expect(answered.confidence).toBeGreaterThanOrEqual(70);
  });

  it.each(GOOD)(
    'MX-E05: is taken, and answered by the repository or by people: %s',
    async (question, source, value) => {
      await start(folder(FILES));
      const answered = await room.askNow(question);
      if (value === '') return expect(answered).toMatchObject({ problems: [], escalated_to_user: true });
      expect(answered).toMatchObject({ status: 'answered', source });
      expect(answered.answer).toMatch(new RegExp(`^${value} `));
      expect(answered.confidence).toBeGreaterThanOrEqual(70);
      // Another repository has another answer, so that it is not the question that knows.
      const other = Object.fromEntries(
        Object.entries(FILES).map(([file, text]) => [file, text.replace('of 12', 'of 8').replace('422', '400')]),
      );
      await room.test.system.stop();
      await start(folder(other));
      expect((await room.askNow(question)).answer).toMatch(value === '12' ? /^8 / : /^400 /);
    },
  );

  it.each([
    ['How should I handle errors?', 'vague'],
    ['Should I refactor the entire auth module?', 'scope_creep'],
  ])('MX-E06: is not: %s, which is %s, and nobody is asked', async (question, reason) => {
    await start(answering(90));
    const refused = await room.askNow(question);
    expect(refused).toMatchObject({ status: 'refused', question_id: null, ticket_id: null });
    expect(refused.problems).toEqual([expect.stringMatching(new RegExp(`^${reason}: `))]);
    expect(room.desk.next).toBe(1);
  });

  it.each([
    ['feature_strategy', 'Does the cart keep its items in the cookie or in the account?'],
    ['technology_choice', 'Does the shop validate input with Zod or Joi?'],
    ['design_system', 'Does the primary button of the shop use the token accent or brand?'],
    ['error_handling', 'Does the payment client retry a declined card, or fail the order?'],
    ['security', 'Do sessions of couriers end after 15 or 30 minutes?'],
    ['test_strategy', 'Are the payment tests run against the sandbox or a recorded server?'],
  ])('MX-051: is asked in the category %s', async (category, question) => {
    expect(DOUBTS).toContain(category);
    await start(answering(90));
    expect(await room.askNow(question, { bundle: { confidence_level: 94, priority_level: 1 } })).toMatchObject({
      question_id: 'Q-1',
    });
  });
});

describe('a question that an agent is 30 % sure of', () => {
  const unsure = { confidence_level: 30, current_task_id: 'TASK-3', context_summary: 'For the delivery service.' };
  const snippets = [{ file: 'src/delivery.js', content: 'listen(north);' }];

  it('MX-E13, MX-072: has the answer with its evidence where the team is 70 % sure', async () => {
    await start(answering(70));
    const answered = await room.askNow(PORT_QUESTION, { bundle: { ...unsure, relevant_snippets: snippets } });
    expect(answered).toMatchObject({
      status: 'answered',
      confidence: 70,
      ticket_id: null,
      sources: [{ type: 'code' }],
    });
  });

  it('MX-E14, MX-072, MX-075: is a ticket for a person where it is 25 % sure, and blocks the task', async () => {
    await start(answering(25));
    const waiting = await room.askNow(PORT_QUESTION, { bundle: { ...unsure, relevant_snippets: snippets } });
    expect(waiting).toMatchObject({ status: 'waiting', answer: null, sources: [], ticket_id: 'TK-0001' });
    expect(ticket()).toMatchObject({
      status: 'open',
      question: {
        kind: 'ai_to_human',
        creator: 'orchestrator',
        task: 'TASK-3',
        isBlocking: true,
        description: expect.stringMatching(/30 % sure[^]*For the delivery service\./),
      },
    });
  });
});

it('MX-E18, MX-040, MX-053: a question becomes a ticket, a reply, a review and an answer, in this order', async () => {
  const told: string[] = [];
  const formulate: AnswerPorts['formulate'] = ({ evidence }) =>
    Promise.resolve({ answer: 'PostgreSQL, perhaps.', confidence: 35, citations: [...evidence] });
  await start({ retrieve: answering(35).retrieve!, formulate });
  const asked = room.ask(DATABASE, { bundle: { ...choice, current_task_id: 'TASK-5', confidence_level: 30 } });
  void asked.then(({ status, ticket_id }) => told.push(`${status} ${ticket_id}`));
  await room.test.settle();
  expect(told).toEqual(['waiting TK-0001']);
  const waiting = room.begin({ type: 'answers.wait', question: 'Q-1', asker: 'coder' });
  void waiting.then(({ status, answer }) => told.push(`${status} ${answer}`));
  await room.test.advance(15 * SECOND_MS);
  await reply('Use PostgreSQL because the reports are joins over five tables.');
  expect(told).toHaveLength(1);
  await room.test.advance(5 * SECOND_MS);
  const thread = [...ticket().thread.values()];
  expect(thread[0]).toMatchObject({ kind: 'reply', review: { isPassed: true } });
  expect(told).toEqual(['waiting TK-0001', 'answered Use PostgreSQL because the reports are joins over five tables.']);
  expect((await room.log()).map(({ kind }) => kind)).toEqual(['resolved', 'settled']);
});
