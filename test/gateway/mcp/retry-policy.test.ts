/** How often and when failed calls of tools may be made again: in the list of tools, and in the errors. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { procedure, type RetryMark } from '../../../src/actors/api/procedure.ts';
import { MethodTable } from '../../../src/gateway/calls/method-table.ts';
import { deskByMcp } from '../../support/gateway/desk-by-mcp.ts';
import { ERAS, errorOf } from '../../support/gateway/mcp-clients.ts';

const told = (max_attempts: number, base_delay_seconds: number, max_delay_seconds: number) => ({
  ...{ max_attempts, base_delay_seconds, max_delay_seconds },
});
const QUESTION = { question: 'Which currency do customers pay in?' };

/** A desk that takes no calls for the moment, and one agent that calls it. */
async function suspended() {
  const { client, test } = await deskByMcp();
  await test.system.admin.suspend('answers', { by: 'ada', reason: 'moving' });
  return client('of 2026');
}

describe('the retry policy', () => {
  it.each(ERAS)('MX-119: is listed with each tool, for a client %s', async (era) => {
    const { client } = await deskByMcp();
    const tools = await (await client(era, 'coder', 'runtime,coder,hub')).tools();
    const policies = Object.fromEntries(tools.map(({ name, _meta }) => [name, _meta?.['bosun/retry']]));
    const { askQuestion, reportObservation, getImmediateAnswer, ...others } = policies;
    expect({ askQuestion, reportObservation, getImmediateAnswer }).toEqual({
      askQuestion: told(4, 10, 120),
      reportObservation: told(2, 30, 60),
      getImmediateAnswer: told(1, 5, 60),
    });
    expect(Object.keys(others)).toEqual(expect.arrayContaining(['waitForAnswer', 'reportIssue', 'list_actors']));
    for (const [name, policy] of Object.entries(others)) expect(policy, name).toEqual(told(3, 5, 60));
  });

  it.each([
    ['waitForAnswer', { question_id: 'Q-1' }, told(3, 5, 60)],
    ['askQuestion', QUESTION, told(4, 10, 120)],
    ['reportObservation', { observation: 'The tests of the till are slow.' }, told(2, 30, 60)],
  ])('MX-119: is told with an error that may pass: %s', async (tool, args, retry) => {
    expect(errorOf(await (await suspended()).call(tool, args))).toMatchObject({
      ...{ retryable: true, retry },
      retry_after_seconds: retry.base_delay_seconds,
    });
  });

  it('MX-119: lets a call of urgency 1 be tried 1.5 times as often, rounded up', async () => {
    const agent = await suspended();
    const attempts = async (priority_level: number) =>
      errorOf(await agent.call('askQuestion', { ...QUESTION, priority_level })).retry?.max_attempts;
    expect([await attempts(1), await attempts(2), await attempts(3)]).toEqual([6, 4, 4]);
  });

  it('MX-119: is none for an urgent answer, and for a call that is wrong', async () => {
    const agent = await suspended();
    const none = { retryable: false, retry_after_seconds: null, retry: null };
    expect(errorOf(await agent.call('getImmediateAnswer', { query: QUESTION.question }))).toMatchObject(none);
    expect(errorOf(await agent.call('askQuestion', { question: '' }))).toMatchObject(none);
  });

  it.each([
    ['no attempt', { attemptsMax: 0, baseSeconds: 5 }],
    ['half an attempt', { attemptsMax: 1.5, baseSeconds: 5 }],
    ['21 attempts', { attemptsMax: 21, baseSeconds: 5 }],
    ['no delay', { attemptsMax: 2, baseSeconds: 0 }],
    ['a longest delay below the first', { attemptsMax: 2, baseSeconds: 5, maxSeconds: 4 }],
    ['a first delay above the longest by default', { attemptsMax: 2, baseSeconds: 61 }],
  ])('is refused with %s', (_, retry: RetryMark) => {
    const rows = {
      'bell.ring': procedure({
        means: 'Rings.',
        params: z.object({}),
        result: z.object({}),
        example: { p: {}, r: {} },
        mcp: { tool: 'ring', profiles: ['hub'], retry },
        port: () => ({}),
      }),
    };
    expect(() => new MethodTable(rows)).toThrow('bell.ring has a retry policy with other than 1 to 20 attempts');
  });
});
