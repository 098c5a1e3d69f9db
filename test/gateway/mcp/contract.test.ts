/** The contract of the answer desk's tools with coding agents: what goes in, what comes out, and what errors say. */
import { describe, expect, it } from 'vitest';
import { type Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { procedure, type Procedures } from '../../../src/actors/api/procedure.ts';
import { ERROR_CODES, type ErrorCode } from '../../../src/error-codes.ts';
import { BosunError } from '../../../src/errors.ts';
import { LOG_LEVELS, TOOL_ERROR_CODES, TOOL_ERRORS } from '../../../src/gateway/mcp/error-table.ts';
import { envelopeOf } from '../../../src/gateway/mcp/envelope.ts';
import { DOUBTS } from '../../../src/machines/answers/question-quality.ts';
import { deskByMcp } from '../../support/gateway/desk-by-mcp.ts';
import { envelopeIn, ERAS, errorOf, type McpClient, toldBy } from '../../support/gateway/mcp-clients.ts';
import { PORT_QUESTION } from '../../support/machines/answer-room.ts';

const CURRENCY = 'Which currency do customers pay in?';
const WHOLE = {
  question: CURRENCY,
  context_summary: 'The till shows prices.',
  current_file: 'src/till.ts',
  relevant_snippets: [{ file: 'src/till.ts', content: 'const price = 4;' }],
  task_id: 'TASK-7',
  confidence_level: 40,
  possible_options: ['euro', 'dollar'],
};

/** Procedures that fail as the host chooses. */
function failing(codes: Readonly<Record<string, ErrorCode>>): Procedures {
  return Object.fromEntries(
    Object.entries(codes).map(([tool, code]) => [
      `fails.${tool}`,
      procedure({
        means: 'Fails.',
        params: z.object({ task_id: z.string().optional(), priority_level: z.int().optional() }),
        result: z.object({}),
        example: { p: {}, r: {} },
        mcp: { tool, profiles: ['coder'] },
        port: () => {
          throw new BosunError(code, 'as the host says', { details: { retryAfterMs: 1_200 } });
        },
      }),
    ]),
  );
}

async function schemaOf(client: McpClient, tool: string) {
  const schema = (await client.tools()).find(({ name }) => name === tool)!.inputSchema;
  return (schema as { readonly properties: Readonly<Record<string, object>> }).properties;
}

describe.each(ERAS)('a client %s', (era) => {
  it('MX-111: askQuestion takes what an agent knows, and says how sure it is, whence, and who has it', async () => {
    const { client, answered, test } = await deskByMcp();
    const agent = await client(era);
    const known = { question: PORT_QUESTION, possible_options: ['north', 'south'], confidence_level: 60 };
    expect(toldBy((await answered(agent.call('askQuestion', known))).answer)).toMatchObject({
      ...{ status: 'answered', follow_up_needed: false, escalated_to_user: false },
      answer: expect.stringContaining('north') as string,
      source: expect.stringContaining('settings.json') as string,
      confidence: expect.toSatisfy((percent: number) => percent >= 70 && percent <= 100) as number,
    });
    const { answer } = await answered(agent.call('askQuestion', WHOLE));
    expect(toldBy(answer)).toMatchObject({
      ...{ status: 'waiting', answer: null, source: null, confidence: 0, follow_up_needed: true },
      ...{ escalated_to_user: true, ticket_id: 'TK-0001', question_id: 'Q-2' },
    });
    const { bundle } = test.shard.snapshot('open-questions/Q-2')!.context as { readonly bundle: object };
    expect(bundle).toMatchObject({
      ...{ question: CURRENCY, current_task_id: 'TASK-7', priority_level: 2, confidence_level: 40 },
      context_summary: expect.stringContaining('src/till.ts') as string,
      relevant_snippets: WHOLE.relevant_snippets,
      possible_options: WHOLE.possible_options,
    });
  });

  it('MX-117: a failed tool says in one envelope what is wrong, what to do, and which call it was', async () => {
    const { client } = await deskByMcp(failing({ fail: 'BOSUN_OVERLOADED' }));
    const agent = await client(era);
    await agent.tools();
    const failed = await agent.call('fail', { task_id: 'TASK-7', priority_level: 3 });
    expect(JSON.parse(failed.content[0]!.text!)).toEqual({
      success: false,
      error: {
        code: 'RATE_LIMIT',
        bosun_code: 'BOSUN_OVERLOADED',
        message: 'as the host says',
        details: { retryAfterMs: 1_200 },
        severity: 'MEDIUM',
        retryable: true,
        retry_after_seconds: 2,
        retry: { max_attempts: 3, base_delay_seconds: 5, max_delay_seconds: 60 },
        fallback_suggested: ERROR_CODES.BOSUN_OVERLOADED.means,
        priority_impact: 'P3_IGNORABLE',
        log_level: 'warn',
      },
      context: {
        task_id: 'TASK-7',
        agent_name: 'mcp:coder',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      },
    });
    if (era === 'of 2026') expect(failed.structuredContent).toEqual(JSON.parse(failed.content[0]!.text!));
    else expect(failed.structuredContent).toBeUndefined();
  });
});

describe('askQuestion', () => {
  it.each([
    ['a question of 301 characters', { question: 'x'.repeat(301) }],
    ['a confidence of 101 %', { question: CURRENCY, confidence_level: 101 }],
    ['an urgency of 4', { question: CURRENCY, priority_level: 4 }],
    ['a wait of 46 s', { question: CURRENCY, max_wait_seconds: 46 }],
  ])('MX-111: refuses %s', async (_, args) => {
    const { client } = await deskByMcp();
    expect(errorOf(await (await client('of 2026')).call('askQuestion', args))).toMatchObject({
      ...{ code: 'INVALID_PARAM', severity: 'LOW', retryable: false },
      message: expect.stringMatching(/^p\.(question|confidence_level|priority_level|max_wait_seconds): /) as string,
    });
  });

  it('MX-111: is of the middle urgency unless it says otherwise', async () => {
    const { client } = await deskByMcp();
    const agent = await client('of 2026');
    expect(await schemaOf(agent, 'askQuestion')).toMatchObject({
      question: { maxLength: 300 },
      priority_level: { default: 2, enum: [1, 2, 3] },
      confidence_level: { minimum: 0, maximum: 100 },
    });
    const impact = async (more: object) =>
      errorOf(await agent.call('askQuestion', { question: '', ...more })).priority_impact;
    expect([
      await impact({}),
      await impact({ priority_level: 1 }),
      await impact({ priority_level: 2 }),
      await impact({ priority_level: 3 }),
    ]).toEqual(['P2_DELAYED', 'P1_BLOCKED', 'P2_DELAYED', 'P3_IGNORABLE']);
  });

  it.each([
    ['askQuestion', { ...WHOLE, max_wait_seconds: 45 }],
    ['askQuestion', WHOLE],
    ['getImmediateAnswer', { query: CURRENCY, max_wait_seconds: 45 }],
  ])('replies `waiting` within 45 s while a person has the question: %s with %j', async (tool, args) => {
    const { client, answered } = await deskByMcp();
    const agent = await client('of 2026');
    const { answer, seconds } = await answered(agent.call(tool, args));
    expect(toldBy(answer)).toMatchObject({ status: 'waiting', question_id: 'Q-1' });
    expect(seconds).toBeLessThanOrEqual(45);
    const again = await answered(agent.call('waitForAnswer', { question_id: 'Q-1', max_wait_seconds: 45 }));
    expect(toldBy(again.answer)).toMatchObject({ status: 'waiting', ticket_id: 'TK-0001' });
    expect(again.seconds).toBeGreaterThanOrEqual(40);
    expect(again.seconds).toBeLessThanOrEqual(45);
  });

  it('MX-118: is refused as TOKEN_LIMIT_EXCEEDED with more context than a question keeps', async () => {
    const { client } = await deskByMcp();
    const relevant_snippets = Array.from({ length: 10 }, (_, n) => ({ file: `f${n}`, content: 'x'.repeat(29_000) }));
    const told = await (await client('of 2026')).call('askQuestion', { question: CURRENCY, relevant_snippets });
    expect(errorOf(told)).toMatchObject({
      ...{ code: 'TOKEN_LIMIT_EXCEEDED', severity: 'LOW', retryable: false },
      message: expect.stringContaining('at most 262144 bytes') as string,
    });
  });
});

describe('getImmediateAnswer', () => {
  it('MX-115: takes 400 characters, waits 30 s, and falls back to a person at once', async () => {
    const { client, answered, test } = await deskByMcp();
    const agent = await client('of 2026');
    expect(await schemaOf(await client('of 2026', 'coder', 'hub'), 'getImmediateAnswer')).toMatchObject({
      query: { maxLength: 400 },
      context_bundle: { type: 'string' },
      max_wait_seconds: { default: 30 },
    });
    const query = `Which currency do customers pay in? ${'x'.repeat(364)}`;
    const { answer, seconds } = await answered(agent.call('getImmediateAnswer', { query, context_bundle: 'till' }));
    expect(toldBy(answer)).toMatchObject({ status: 'waiting', escalated_to_user: true, ticket_id: 'TK-0001' });
    expect(seconds).toBeLessThanOrEqual(30);
    expect(test.shard.snapshot('open-tickets/TK-0001')!.context).toMatchObject({ question: { priority: 1 } });
    expect(errorOf(await agent.call('getImmediateAnswer', { query: `${query}x` })).code).toBe('INVALID_PARAM');
  });

  it('MX-115: is never to be repeated, where askQuestion is: a person is asked instead', async () => {
    const { client, test } = await deskByMcp();
    const agent = await client('of 2026');
    await test.system.admin.suspend('answers', { by: 'ada', reason: 'moving' });
    expect(errorOf(await agent.call('askQuestion', WHOLE))).toMatchObject({
      ...{ code: 'INVALID_STATE', severity: 'HIGH', retryable: true, priority_impact: 'P2_DELAYED' },
    });
    expect(errorOf(await agent.call('getImmediateAnswer', { query: CURRENCY }))).toMatchObject({
      ...{ code: 'INVALID_STATE', severity: 'HIGH', retryable: false, priority_impact: 'P1_BLOCKED' },
      fallback_suggested: 'Do not call the tool again: ask the person whom you work for.',
    });
  });
});

describe('the codes of errors', () => {
  const raised = new Set<string>(Object.values(TOOL_ERRORS).map(({ code }) => code));

  it('MX-118: are one for each error of Bosun', () => {
    expect(Object.keys(TOOL_ERRORS).sort()).toEqual(Object.keys(ERROR_CODES).sort());
    for (const code of raised) expect(TOOL_ERROR_CODES).toContain(code);
    // Of an unknown tool, and in the replies of the ticket desk; the others have no cause (decision 0068).
    expect(TOOL_ERROR_CODES.filter((code) => !raised.has(code))).toEqual([
      'BREAKER_FAILED',
      'TOOL_NOT_FOUND',
      'DRIFT_THRESHOLD_EXCEEDED',
      'COHERENCE_DROP',
      'TICKET_UPDATE_CONFLICT',
    ]);
  });

  it.each(Object.keys(ERROR_CODES))('have a way out for %s', (name) => {
    const { error } = envelopeOf({ code: name, message: 'm', retryable: false }, { agent: 'mcp:a' });
    expect(error.fallback_suggested).toMatch(/\w.*\.$/s);
    expect(error.bosun_code).toBe(name);
  });

  it('MX-118: come through the door for what really went wrong', async () => {
    const { client, answered } = await deskByMcp(
      failing({ delegate: 'BOSUN_TASK_FAILED', lose: 'BOSUN_WORKER_DOWN', loop: 'BOSUN_INTENSITY_EXCEEDED' }),
    );
    const agent = await client('of 2026');
    const code = async (tool: string, args: object = {}) =>
      errorOf((await answered(agent.call(tool, args as Record<string, unknown>))).answer).code;
    const answers = { address: 'answers' };
    expect({
      'an argument that the tool has not': await code('inspect_actor', { adress: 'answers' }),
      'an actor that is not there': await code('inspect_actor', { address: 'nobody' }),
      'an event with a field too little': await code('ask_actor', { ...answers, event: { type: 'answers.show' } }),
      'a state that does not come': await code('wait_for_actor', { ...answers, tag: 'no', timeoutMs: 1_000 }),
      'what only people may do': await code('correctAnswer', { question_id: 'Q-1', text: 'x', by: 'ada' }),
      'an event of another actor': await code('send_event', { ...answers, event: { type: 'tickets.open' } }),
      'a task that failed': await code('delegate'),
      'a worker that died': await code('lose'),
      'children that fell again and again': await code('loop'),
    }).toEqual({
      'an argument that the tool has not': 'INVALID_PARAM',
      'an actor that is not there': 'RESOURCE_NOT_FOUND',
      'an event with a field too little': 'SCHEMA_VALIDATION_FAILED',
      'a state that does not come': 'TIMEOUT',
      'what only people may do': 'AUTH_ERROR',
      'an event of another actor': 'AUTH_ERROR',
      'a task that failed': 'DELEGATION_FAILED',
      'a worker that died': 'RECOVERY_TRIGGERED',
      'children that fell again and again': 'LOOP_DETECTED',
    });
    const unknown = agent.call('askQuestoin', { task_id: 'TASK-7' });
    await expect(unknown).rejects.toMatchObject({
      code: -32_602,
      data: { error: { code: 'TOOL_NOT_FOUND' }, context: { task_id: 'TASK-7', agent_name: 'mcp:coder' } },
    });
  });

  it('MX-118: name a ticket that has changed meanwhile in the reply of its desk, which is no error', async () => {
    const { client, answered } = await deskByMcp();
    const ada = await client('of 2026', 'phone');
    await answered(ada.call('createTicket', { title: 'Zod or Joi?', options: ['Zod', 'Joi'] }));
    const reply = { ticket: 'TK-0001', text: 'Zod', ifVersion: 7 };
    const { answer } = await answered(ada.call('replyToTicket', reply));
    expect(toldBy(answer)).toMatchObject({ taken: false, code: 'TICKET_UPDATE_CONFLICT' });
  });

  it('name a question that is refused in its reply, which is no error', async () => {
    const { client, answered } = await deskByMcp();
    const { answer } = await answered((await client('of 2026')).call('askQuestion', { question: 'What now?' }));
    expect(answer.isError).not.toBe(true);
    expect(toldBy(answer)).toMatchObject({ status: 'refused', problems: [expect.stringMatching(/^vague: /)] });
  });
});

describe('the severity of an error', () => {
  const errors = Object.keys(TOOL_ERRORS).map((name) => {
    const code = name as ErrorCode;
    return envelopeOf({ code, message: 'm', retryable: ERROR_CODES[code].retryable }, { agent: 'mcp:a' }).error;
  });
  const those = (severity: string) => errors.filter((one) => one.severity === severity);

  it('MX-120: says what follows: LOW is logged, MEDIUM repeated, HIGH is for people, CRITICAL ends it', () => {
    expect(LOG_LEVELS).toEqual({ LOW: 'info', MEDIUM: 'warn', HIGH: 'error', CRITICAL: 'fatal' });
    for (const severity of Object.keys(LOG_LEVELS)) expect(those(severity).length, severity).toBeGreaterThan(5);
    for (const { severity, log_level: level } of errors) expect(level).toBe(LOG_LEVELS[severity]);
    const repeated = (severity: string) => new Set(those(severity).map(({ retryable }) => retryable));
    expect([repeated('LOW'), repeated('MEDIUM'), repeated('HIGH'), repeated('CRITICAL')]).toEqual([
      new Set([false]),
      new Set([true]),
      new Set([false, true]),
      new Set([false]),
    ]);
  });

  it('MX-120: forbids a repetition of a CRITICAL error whatever else is said of it', async () => {
    for (const code of Object.keys(TOOL_ERRORS) as ErrorCode[])
      if (TOOL_ERRORS[code].severity === 'CRITICAL')
        expect(envelopeOf({ code, message: 'm', retryable: true }, { agent: 'mcp:a' }).error.retryable).toBe(false);
    const { client } = await deskByMcp(failing({ damage: 'BOSUN_STORE_DAMAGED' }));
    expect(errorOf(await (await client('of 2026')).call('damage'))).toMatchObject({
      ...{ code: 'INTERNAL_ERROR', severity: 'CRITICAL', retryable: false, log_level: 'fatal' },
    });
  });
});

describe('the prompt when-to-ask', () => {
  it('MX-051: names the six kinds of doubt, when to ask, how often, and how', async () => {
    const { client } = await deskByMcp();
    const agent = await client('of 2026');
    const { messages } = await (agent.client as Client).getPrompt({ name: 'when-to-ask' });
    const { text } = messages[0]!.content as { readonly text: string };
    expect(DOUBTS).toHaveLength(6);
    for (const kind of DOUBTS) expect(text).toContain(kind.replaceAll('_', ' '));
    expect(text).toContain('less than 95 % sure');
    expect(text).toContain('at most 8 questions about one task');
    for (const name of [
      'askQuestion',
      'waitForAnswer',
      'possible_options',
      'confidence_level',
      'one specific question',
    ])
      expect(text).toContain(name);
  });
});

describe('an envelope', () => {
  it('names the person in whose name the caller speaks, and no task where the call names none', async () => {
    const { client } = await deskByMcp(failing({ fail: 'BOSUN_OVERLOADED' }));
    const { error, context } = envelopeIn(await (await client('of 2026', 'phone')).call('fail'));
    expect(context).toMatchObject({ agent_name: 'ada', task_id: null });
    expect(error.priority_impact).toBe('NONE');
  });
});
