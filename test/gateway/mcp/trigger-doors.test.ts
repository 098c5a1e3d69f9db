/**
 * The triggers of the answer team, and people's orders about its answers, at the doors: clients of MCP and HTTP, and
 * nobody else in the system than the desks of answers, tickets, gates and alerts.
 */
import { describe, expect, it } from 'vitest';
import { answerProcedures } from 'bosun/crew';
import { type AnswerDeskContext } from '../../../src/machines/answers/desk-state.ts';
import { TRIGGERS } from '../../../src/machines/answers/triggers.ts';
import { AGENT_TOKEN, DESK_TOKENS, deskByMcp, type DeskByMcp } from '../../support/gateway/desk-by-mcp.ts';
import { errorOf, type McpClient, toldBy } from '../../support/gateway/mcp-clients.ts';
import { answering, PORT_QUESTION } from '../../support/machines/answer-room.ts';
import { recordIn } from '../../../src/machines/rules/records.ts';

const CURRENCY = 'Which currency do customers pay in?';
const COVERAGE = { name: 'low-coverage', measure: 'coverage', below: 80, question: PORT_QUESTION };
const LOW = { observation: 'The tests cover less than before.', measure: 'coverage', value: 79 };
const TICKET = { title: PORT_QUESTION, kind: 'user_direct_query' };

const contextOf = <Context>({ test }: DeskByMcp, address: string) => test.shard.snapshot(address)!.context as Context;
const deskOf = (desk: DeskByMcp) => contextOf<AnswerDeskContext>(desk, 'answers');

/** The record of a question. */
function rowOf(desk: DeskByMcp, id = 'Q-1') {
  return recordIn(deskOf(desk), id)!;
}

async function told(desk: DeskByMcp, agent: McpClient, tool: string, args: Record<string, unknown>) {
  return toldBy((await desk.answered(agent.call(tool, args))).answer);
}

/** Fires each trigger at the door that it has. */
const DOORS: Readonly<Record<(typeof TRIGGERS)[number], (desk: DeskByMcp) => Promise<Record<string, unknown>>>> = {
  mcp_askQuestion: async (desk) => told(desk, await desk.client('of 2026'), 'askQuestion', { question: PORT_QUESTION }),
  user_direct_query: async (desk) => {
    await desk.order('tickets.open', TICKET, 'phone');
    return desk.order('answers.fire', { ...fired('user_direct_query'), thread: 'TK-0001' }, 'phone');
  },
  planning_ambiguity: (desk) => desk.order('answers.fire', fired('planning_ambiguity')),
  verification_low_confidence: (desk) => desk.order('answers.fire', fired('verification_low_confidence')),
  copilot_delegation_issue: (desk) => desk.order('answers.fire', fired('copilot_delegation_issue')),
  context_overflow_clarification: (desk) => desk.order('answers.fire', fired('context_overflow_clarification')),
  pattern_based_query: (desk) => desk.order('answers.fire', fired('pattern_based_query')),
  custom: async (desk) => {
    await desk.order('answers.trigger', COVERAGE, 'phone');
    expect(await told(desk, await desk.client('of 2026'), 'reportObservation', LOW)).toMatchObject({
      fired: ['low-coverage'],
    });
    return told(desk, await desk.client('of 2026'), 'waitForAnswer', { question_id: 'Q-1' });
  },
};

function fired(trigger: string, more: object = {}) {
  return { trigger, question: PORT_QUESTION, ...more };
}

describe('a trigger at the door', () => {
  it.each(TRIGGERS)('AT-038, AT-052: is answered without a plan, another team or an approval: %s', async (trigger) => {
    const desk = await deskByMcp({}, { ports: answering(90) });
    expect(await DOORS[trigger](desk)).toMatchObject({ status: 'answered', confidence: 90 });
    expect(rowOf(desk)).toMatchObject({ trigger, status: 'answered', ticket: null });
    const list = await told(desk, await desk.client('of 2026'), 'list_actors', {});
    const agents = new Set((list['actors'] as { agent: string }[]).map(({ agent }) => agent));
    expect([...agents].filter((name) => !/^(answer|ticket|alert|question|gate-desk|boss)/.test(name))).toEqual([]);
  });

  it('AT-042: fired by a person is answered in the thread of the ticket', async () => {
    const desk = await deskByMcp({}, { ports: answering(90) });
    await DOORS.user_direct_query(desk);
    expect(rowOf(desk)).toMatchObject({ asker: 'ada', thread: 'TK-0001' });
    expect(JSON.stringify(contextOf(desk, 'open-tickets/TK-0001'))).toContain('Take `north` for this one');
  });

  it('AT-043: fired by planning has an answer and the next question to ask, as urgent as its module', async () => {
    const next = 'Ask: does the service move?';
    const desk = await deskByMcp({}, { ports: answering(90, { suggested_next_actions: [next] }) });
    const asked = fired('planning_ambiguity', { task_id: 'PLAN-2', task_priority: 1 });
    expect(await desk.order('answers.fire', asked)).toMatchObject({
      ...{ status: 'answered', suggested_next_actions: [next] },
    });
    expect(rowOf(desk)).toMatchObject({ priority: 1, task: 'PLAN-2', ticket: null });
  });

  it('AT-043: fired by planning goes on in the background, blocks nothing, and becomes no ticket', async () => {
    const desk = await deskByMcp();
    const asked = { trigger: 'planning_ambiguity', question: CURRENCY, task_id: 'PLAN-2', max_wait_seconds: 0 };
    expect(await desk.order('answers.fire', asked)).toMatchObject({ status: 'waiting', question_id: 'Q-1' });
    await desk.test.clock.advance(60_000, () => desk.test.settle());
    expect(rowOf(desk)).toMatchObject({ status: 'unanswered', ticket: null });
    expect(contextOf(desk, 'tickets')).toMatchObject({ next: 1 });
  });

  it('AT-044: fired by verification asks below 60 % and not at it, and what it asks blocks no task', async () => {
    const desk = await deskByMcp();
    const asked = (confidence_level: number) =>
      desk.order('answers.fire', {
        ...{ trigger: 'verification_low_confidence', question: CURRENCY, task_id: 'TASK-1', task_priority: 2 },
        confidence_level,
      });
    expect(await asked(60)).toMatchObject({
      status: 'refused',
      problems: ['a verification that is 60 % sure goes on without asking'],
    });
    expect(deskOf(desk).next).toBe(1);
    expect(await asked(59)).toMatchObject({ status: 'waiting', ticket_id: 'TK-0001' });
    expect(contextOf(desk, 'open-tickets/TK-0001')).toMatchObject({ question: { isBlocking: false, priority: 2 } });
  });

  it.each([1, 2, 3] as const)(
    'AT-045: fired in a delegated task is as urgent as the task: %i',
    async (task_priority) => {
      const desk = await deskByMcp();
      const asked = { trigger: 'copilot_delegation_issue', question: CURRENCY, task_id: 'TASK-1', task_priority };
      expect(await desk.order('answers.fire', asked)).toMatchObject({ status: 'waiting', ticket_id: 'TK-0001' });
      expect(rowOf(desk)).toMatchObject({ priority: task_priority, task: 'TASK-1' });
      expect(contextOf(desk, 'open-tickets/TK-0001')).toMatchObject({ question: { priority: task_priority } });
    },
  );

  it('AT-046: fired by a context that did not fit suggests another strategy', async () => {
    const desk = await deskByMcp({}, { ports: answering(90) });
    const context_summary = 'The breaking by summarize_old has failed.';
    expect(
      await desk.order('answers.fire', fired('context_overflow_clarification', { context_summary })),
    ).toMatchObject({ suggested_next_actions: ['Try discard_low_rel instead of summarize_old.'] });
  });

  it('AT-047: fired by a pattern proposes an update task against the cause', async () => {
    const desk = await deskByMcp({}, { ports: answering(90) });
    expect(await desk.order('answers.fire', fired('pattern_based_query'))).toMatchObject({
      suggested_next_actions: [`Propose an update task that removes the cause: ${PORT_QUESTION}`],
    });
  });

  it('AT-048, AT-E06: defined by users fires for an observation below its bound, and not at it', async () => {
    const desk = await deskByMcp({}, { ports: answering(90) });
    await desk.order('answers.trigger', COVERAGE, 'phone');
    expect(await desk.order('answers.triggers', {})).toEqual({ triggers: [{ ...COVERAGE, priority_level: 3 }] });
    const agent = await desk.client('of 2026');
    expect(await told(desk, agent, 'reportObservation', { ...LOW, value: 80 })).toMatchObject({ fired: [] });
    expect(deskOf(desk).next).toBe(1);
    expect(await told(desk, agent, 'reportObservation', LOW)).toMatchObject({ taken: true, fired: ['low-coverage'] });
    expect(rowOf(desk)).toMatchObject({ trigger: 'custom', text: PORT_QUESTION, asker: 'mcp:coder' });
  });

  it('AT-048: defined by users fires for a reading of a program, too', async () => {
    const desk = await deskByMcp();
    await desk.order('answers.trigger', COVERAGE, 'phone');
    const read = (value: number) => desk.order('answers.measure', { measure: 'coverage', value });
    expect([await read(80), await read(79)]).toEqual([{ fired: [] }, { fired: ['low-coverage'] }]);
    expect(rowOf(desk).asker).toBe('coder');
  });
});

describe('a question', () => {
  it.each(['answers.ask', 'answers.fire'] as const)('says which part of the work it is about, by %s', (name) => {
    const { way, params } = answerProcedures[name];
    const run = way.run as (given: unknown, caller: object) => { readonly event: object };
    const given = params.parse({ trigger: 'custom', question: PORT_QUESTION, scope: 'shop' });
    expect(run(given, { id: 'ci' }).event).toMatchObject({ type: 'answers.ask', asker: 'ci', scope: 'shop' });
  });
});

describe('an observation', () => {
  it('is no evidence and no precedent: the question that it would answer goes to a person', async () => {
    const desk = await deskByMcp();
    const agent = await desk.client('of 2026');
    const observation = `${CURRENCY} Customers pay in euro.`;
    await told(desk, agent, 'reportObservation', { observation, task_id: 'TASK-1' });
    const asked = { question: CURRENCY, possible_options: ['euro', 'dollar'] };
    expect(await told(desk, agent, 'askQuestion', asked)).toMatchObject({
      ...{ status: 'waiting', answer: null, sources: [], ticket_id: 'TK-0001' },
    });
    expect(await desk.order('answers.search', { text: CURRENCY })).toEqual({ found: [] });
    expect(await desk.order('answers.export', {})).toEqual({ kept: [], next: null });
  });

  it('has a value with its measure, and 800 characters at most', async () => {
    const desk = await deskByMcp();
    const agent = await desk.client('of 2026');
    const noticed = { observation: 'x'.repeat(800) };
    expect(await told(desk, agent, 'reportObservation', noticed)).toMatchObject({ taken: true });
    expect(await told(desk, agent, 'reportObservation', { ...noticed, value: 1 })).toMatchObject({ taken: false });
    const long = await agent.call('reportObservation', { observation: 'x'.repeat(801) });
    expect(errorOf(long).code).toBe('INVALID_PARAM');
  });

  it('displaces no tool by which agents ask, wait, search and report', async () => {
    const desk = await deskByMcp();
    const names = (await (await desk.client('of 2026')).tools()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['askQuestion', 'waitForAnswer', 'reportIssue']));
    expect(names).not.toContain('reportObservation');
    const listed = (await (await desk.client('of 2026', 'coder', 'coder')).tools()).map(({ name }) => name);
    expect(listed).toContain('reportObservation');
  });
});

describe('a proposal', () => {
  const decide = (desk: DeskByMcp, approve: boolean, more: object = {}) =>
    desk.order('answers.decide', { proposal: 'UV-000000000001', by: 'ada', approve, ...more }, 'phone');

  /** A desk ten of whose questions have gone to people. */
  async function escalating(): Promise<DeskByMcp> {
    const desk = await deskByMcp({}, { ports: answering(67) });
    for (let one = 0; one < 10; one += 1) await asked(desk, `service ${one}`);
    return desk;
  }

  /** Asks a question whose answer has 67 %, and returns whether that is enough. */
  async function asked(desk: DeskByMcp, name: string): Promise<unknown> {
    const question = `Which port has ${name} to listen on?`;
    const reply = await desk.order('answers.ask', { question, confidence_level: 10 });
    return reply['status'];
  }

  it('AT-054, AT-058: changes the threshold once a person approves it, and is taken back by a person', async () => {
    const desk = await escalating();
    expect(await desk.order('answers.review', {}, 'phone')).toMatchObject({
      proposals: [{ id: 'UV-000000000001', status: 'proposed', change: { kind: 'threshold', from: 0.7, to: 0.65 } }],
      isPaused: false,
    });
    const statuses = [await asked(desk, 'printer one')];
    expect(await decide(desk, true, { reason: 'too many tickets' })).toMatchObject({ taken: true });
    statuses.push(await asked(desk, 'printer two'));
    expect(await decide(desk, true)).toMatchObject({ taken: false, problems: ['the proposal is applied'] });
    expect(await decide(desk, false, { reason: 'worse' })).toMatchObject({ taken: true });
    statuses.push(await asked(desk, 'printer three'));
    expect(statuses).toEqual(['provisional', 'answered', 'provisional']);
    expect(await desk.order('answers.review', {}, 'phone')).toMatchObject({
      proposals: [{ status: 'taken back', decidedBy: 'ada' }],
    });
    expect(await decide(desk, true)).toMatchObject({ taken: false });
  });

  it('AT-058: is never applied by itself', async () => {
    const desk = await escalating();
    for (let day = 0; day < 3; day += 1) {
      await desk.order('answers.review', {}, 'phone');
      await desk.test.clock.advance(24 * 60 * 60_000, () => desk.test.settle());
    }
    expect(deskOf(desk)).toMatchObject({ profile: { escalation_threshold: 0.7 } });
  });
});

describe('the orders of people about answers', () => {
  const ORDERS = {
    'answers.correct': { text: 'south' },
    'answers.pin': {},
    'answers.scope': { scope: 'shop' },
    'answers.erase': {},
    'answers.decide': { proposal: 'UV-000000000001', approve: true },
  };
  /** A desk with a settled question. */
  async function settled(): Promise<DeskByMcp> {
    const desk = await deskByMcp(
      {},
      { ports: answering(90), tokens: [...DESK_TOKENS, AGENT_TOKEN], destructive: true },
    );
    await desk.order('answers.ask', { question: PORT_QUESTION });
    return desk;
  }

  it('keep an answer, limit it to a part of the work, and are found and exported', async () => {
    const desk = await settled();
    const about = { question_id: 'Q-1', by: 'ada' };
    expect(await desk.order('answers.pin', about, 'phone')).toEqual({ taken: true, problems: [] });
    expect(await desk.order('answers.scope', { ...about, scope: 'shop' }, 'phone')).toMatchObject({ taken: true });
    const kept = { question: 'Q-1', text: PORT_QUESTION, by: 'ada', scope: 'shop', planVersion: null };
    expect(await desk.order('answers.export', {})).toMatchObject({ kept: [kept], next: null });
    expect(await desk.order('answers.search', { text: PORT_QUESTION })).toMatchObject({ found: [kept] });
    await desk.test.system.ask('answers', { type: 'answers.plan', version: '7' });
    const narrow = { ...about, scope: null, plan_only: true };
    expect(await desk.order('answers.scope', narrow, 'phone')).toMatchObject({ taken: true });
    expect(await desk.order('answers.search', { text: PORT_QUESTION })).toMatchObject({
      found: [{ ...kept, scope: null, planVersion: '7' }],
    });
    expect(await desk.order('answers.pin', { ...about, question_id: 'Q-9' }, 'phone')).toMatchObject({ taken: false });
  });

  it('are exported in pages', async () => {
    const desk = await settled();
    await desk.order('answers.ask', { question: 'Which port has the printer to listen on?' });
    for (const question_id of ['Q-1', 'Q-2']) await desk.order('answers.pin', { question_id, by: 'ada' }, 'phone');
    const first = await desk.order('answers.export', { limit: 1 });
    expect(first).toMatchObject({ kept: [{ question: 'Q-1' }], next: 1 });
    expect(await desk.order('answers.export', { after: first['next'] })).toMatchObject({
      ...{ kept: [{ question: 'Q-2' }], next: null },
    });
  });

  it.each(Object.entries(ORDERS))('are refused to coding agents, at every door: %s', async (name, fields) => {
    const desk = await settled();
    const about = name === 'answers.decide' ? {} : { question: 'Q-1' };
    const event = { type: name, ...about, ...fields, by: 'ada' };
    const agent = await desk.client('of 2026');
    const { answer } = await desk.answered(agent.call('ask_actor', { address: 'answers', event }));
    expect(errorOf(answer).code).toBe('AUTH_ERROR');
    const params = { ...(name !== 'answers.decide' && { question_id: 'Q-1' }), ...fields, by: 'ada' };
    expect(await desk.order(name, params, 'bot')).toMatchObject({ error: { code: 'BOSUN_FORBIDDEN' } });
    expect(rowOf(desk)).toMatchObject({ status: 'answered', by: null });
  });

  it('are no observations, which coding agents may report in their own name alone', async () => {
    const desk = await settled();
    const noticed = { observation: 'The port is set twice.' };
    expect(await desk.order('answers.observe', noticed, 'bot')).toMatchObject({ taken: true });
    const event = { type: 'answers.observe', ...noticed, asker: 'ada' };
    const agent = await desk.client('of 2026');
    const { answer } = await desk.answered(agent.call('ask_actor', { address: 'answers', event }));
    expect(errorOf(answer).code).toBe('AUTH_ERROR');
  });
});
