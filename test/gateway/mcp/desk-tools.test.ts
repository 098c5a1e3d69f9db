/** The tools of the answer desk, each called by a client of MCP: an agent's, and a person's. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSystem, type System } from 'bosun';
import { answerCrew, answerProcedures, knowledgeProcedures, ticketProcedures, type AnswerPorts } from 'bosun/crew';
import { memoryStore } from '../../../src/persistence/store/memory-store.ts';
import { createGateway, type Gateway } from '../../../src/gateway/network/server.ts';
import { evidenceFor, PORT_QUESTION } from '../../support/machines/answer-room.ts';
import { type McpClient, overHttp, toldBy } from '../../support/gateway/mcp-clients.ts';

const retrieve: AnswerPorts['retrieve'] = ({ question }) =>
  Promise.resolve({ evidence: question === PORT_QUESTION ? [evidenceFor('north')] : [], complete: true });

const procedures = { ...ticketProcedures, ...answerProcedures, ...knowledgeProcedures(retrieve) };
const TOKENS = [
  { id: 'coder', token: 'a-long-random-secret-of-the-coder' },
  { id: 'phone', token: 'a-long-random-secret-of-the-phone', person: 'ada' },
];

/** The tools that this file calls, by its text: no test depends on which others have run. */
const source = readFileSync(join(import.meta.dirname, 'desk-tools.test.ts'), 'utf8');
const called = new Set([...source.matchAll(/\bcall\((?:coder|ada), '(\w+)'/g)].map(([, tool]) => tool));

let system: System;
let gateway: Gateway;
let coder: McpClient;
let ada: McpClient;

beforeEach(async () => {
  system = await createSystem({ ...answerCrew({ ports: { retrieve } }), store: memoryStore() }).start();
  gateway = createGateway(system, { port: 0, procedures, tokens: TOKENS });
  const url = `${(await gateway.listen()).url}/mcp`;
  [coder, ada] = (await Promise.all(TOKENS.map(({ token }) => overHttp('of 2026', url, token)))) as [
    McpClient,
    McpClient,
  ];
});
afterEach(async () => {
  await Promise.all([coder.close(), ada.close()]);
  await gateway.close();
  await system.stop();
});

async function call(by: McpClient, tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  return toldBy(await by.call(tool, args));
}

const CURRENCY = 'Which currency do customers pay in?';

describe('the tools of the answer desk', () => {
  it('answer, wait, and find', async () => {
    const options = { possible_options: ['north', 'south'] };
    expect(await call(coder, 'askQuestion', { question: PORT_QUESTION, ...options })).toMatchObject({
      status: 'answered',
      question_id: 'Q-1',
      answer: expect.stringContaining('north'),
    });
    expect(await call(coder, 'searchKnowledge', { question: PORT_QUESTION })).toMatchObject({
      evidence: [{ speaksFor: 'north' }],
      complete: true,
    });
    expect(await call(coder, 'getImmediateAnswer', { query: CURRENCY, max_wait_seconds: 20 })).toMatchObject({
      status: 'waiting',
      question_id: 'Q-2',
      ticket_id: 'TK-0001',
    });
    expect(await call(coder, 'waitForAnswer', { question_id: 'Q-2', max_wait_seconds: 0 })).toMatchObject({
      status: 'waiting',
    });
  });

  it('are told by people alone what people say', async () => {
    await call(coder, 'askQuestion', { question: PORT_QUESTION, possible_options: ['north', 'south'] });
    await call(coder, 'getImmediateAnswer', { query: CURRENCY, max_wait_seconds: 0 });
    const reply = { ticket: 'TK-0001', text: 'Euro only.' };
    for (const [tool, args] of [
      ['replyToTicket', { ...reply, by: 'ada' }],
      ['correctAnswer', { question_id: 'Q-1', text: 'south', by: 'ada' }],
    ] as const)
      expect(await call(coder, tool, args)).toMatchObject({ error: { code: 'AUTH_ERROR' } });
    expect(await call(ada, 'replyToTicket', { ...reply, by: 'ada' })).toMatchObject({ taken: true });
    expect(await call(coder, 'waitForAnswer', { question_id: 'Q-2', max_wait_seconds: 20 })).toMatchObject({
      status: 'answered',
      answer: 'Euro only.',
    });
    expect(await call(ada, 'correctAnswer', { question_id: 'Q-1', text: 'south', by: 'ada' })).toMatchObject({
      taken: true,
      told: 1,
    });
  });

  it('open tickets and read them: an agent in its own name, and once for a repeated call with a key', async () => {
    const question = { title: 'Zod or Joi?', options: ['Zod', 'Joi'], key: 'validator', task_id: 'TASK-1' };
    for (let n = 0; n < 2; n++)
      expect(await call(coder, 'createTicket', question)).toMatchObject({ taken: true, ticket: 'TK-0001', version: 1 });
    expect(await call(ada, 'createTicket', question)).toMatchObject({ ticket: 'TK-0002' });
    await call(ada, 'replyToTicket', { ticket: 'TK-0001', text: 'Zod', option: 'Zod' });
    expect(await call(coder, 'getTicket', { ticket: 'TK-0001' })).toMatchObject({
      ticket: { creator: 'mcp:coder', status: 'in_review', task: 'TASK-1' },
      question: { options: ['Zod', 'Joi'] },
      thread: [{ by: 'ada', option: 'Zod' }],
    });
  });

  it.each([
    [{ options: ['Zod', 'Zod'] }, 'the option "Zod" is given twice: give each option once'],
    [{ is_blocking: true }, 'it blocks no task: name the task that waits for it, or have it block nothing'],
  ])('open no ticket for a question with %j', async (more, problem) => {
    expect(await call(coder, 'createTicket', { title: 'Zod or Joi?', ...more })).toMatchObject({
      ...{ taken: false, code: 'TICKET_INVALID' },
      problems: [problem],
    });
  });

  it.each([
    [{ severity: 1 }, true],
    [{ severity: 3, immediate: true }, true],
    [{ severity: 2 }, false],
    [{}, false],
  ])('MX-112: report an issue of %j, which is logged, and escalated: %s', async (more, escalated) => {
    const issue = { issue_description: 'The tests need a database that is not there.', ...more };
    const reply = await call(coder, 'reportIssue', { ...issue, task_id: 'TASK-1', file_path: 'test/db.ts' });
    expect(reply).toMatchObject({ logged: true, escalated, ticket: expect.stringMatching(/^TK-\d{4}$/) });
    await system.idle();
    const ticket = await system.actor(`open-tickets/${String(reply['ticket'])}`);
    const { question } = ticket.getSnapshot().context as { question: object };
    expect(question).toMatchObject({
      ...{ kind: 'ai_to_human', creator: 'mcp:coder', task: 'TASK-1', isBlocking: escalated },
      priority: escalated ? 1 : 2,
      evidence: [{ source: 'test/db.ts' }],
    });
  });

  it.each([
    ['801 characters', { issue_description: 'x'.repeat(801) }],
    ['none', { issue_description: ' ' }],
    ['severity 4', { issue_description: 'x', severity: 4 }],
  ])('MX-112: refuse an issue of %s', async (_, issue) => {
    const { isError } = await coder.call('reportIssue', issue);
    expect(isError).toBe(true);
  });

  it('take what an agent has noticed, in its own name', async () => {
    const noticed = { observation: 'The tests of the till are slow.', task_id: 'TASK-1' };
    expect(await call(coder, 'reportObservation', noticed)).toEqual({ taken: true, problems: [], fired: [] });
    await system.idle();
    const { records } = await system.records.list('answers', 'observations');
    expect(records).toMatchObject([
      { value: { observation: noticed.observation, task: 'TASK-1', asker: 'mcp:coder', measure: null } },
    ]);
  });

  it('were each called', () => {
    const tools = Object.values(procedures).flatMap(({ mcp }) => mcp?.tool ?? []);
    expect([...called].sort()).toEqual(tools.sort());
  });
});
