/** Names that the desks of the crew record for what a coding agent and a person say, by each tool and event. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSystem, memoryStore, type System } from 'bosun';
import { answerProcedures, crewOf, crewProcedures } from 'bosun/crew';
import { createGateway, type Gateway } from '../../../src/gateway/network/server.ts';
import { type CoordinatorContext } from '../../../src/machines/coordination/coordinator/coordinator-context.ts';
import { errorOf, type McpClient, overHttp, toldBy } from '../../support/gateway/mcp-clients.ts';
import { CHALLENGE } from '../../support/machines/debate-room.ts';

const CODER = { id: 'coder', token: 'a-long-random-secret-of-the-coder' };
const PHONE = { id: 'phone', token: 'a-long-random-secret-of-the-phone', person: 'ada' };
const GATE = { name: 'G3', title: 'Print it?', audience: ['ada'], deadlineMs: null, remindAfterMs: [] };

let system: System;
let gateway: Gateway;
let url: string;
let coder: McpClient;
let ada: McpClient;
let draftEnds: () => void;

beforeEach(async () => {
  const drafted = new Promise<void>((resolve) => (draftEnds = resolve));
  const plan = {
    ...{ version: 1 as const, plan: 'book', items: ['A', 'B'] },
    stages: { draft: { agent: 'writer', gate: GATE }, print: { agent: 'printer', after: ['draft'] } },
  };
  const members = { writer: () => drafted, printer: () => Promise.resolve() };
  system = await createSystem({
    ...crewOf(plan, members, { answers: {} }),
    store: memoryStore(),
    durability: 'memory',
  }).start();
  const procedures = { ...crewProcedures, ...answerProcedures };
  gateway = createGateway(system, { port: 0, procedures, tokens: [CODER, PHONE], destructive: true });
  ({ url } = await gateway.listen());
  coder = await overHttp('of 2026', `${url}/mcp`, CODER.token);
  ada = await overHttp('of 2026', `${url}/mcp`, PHONE.token);
});
afterEach(async () => {
  draftEnds();
  await Promise.all([coder.close(), ada.close()]);
  await gateway.close();
  await system.stop();
});

type Said = Readonly<Record<string, unknown>> & { readonly type: string };

/** Asks a desk by the tool for any event, and returns the reply, or the error. */
async function tell(by: McpClient, address: string, event: Said): Promise<Record<string, unknown>> {
  const told = await by.call('ask_actor', { address, event });
  return told.isError === true ? { ...errorOf(told) } : (toldBy(told)['reply'] as Record<string, unknown>);
}

async function contextOf<Context = Record<string, unknown>>(address: string): Promise<Context> {
  await system.idle();
  return (await system.snapshot(address))!.context as Context;
}

const FORBIDDEN = { bosun_code: 'BOSUN_FORBIDDEN' };
const TICKET = { type: 'tickets.open', kind: 'ai_to_human', priority: 1, title: 'Zod or Joi for the form?' };
const ANSWERS = { ticket: 'TK-0001', ifVersion: 1 };
const TALK = { to: null, item: 'A', content: 'late', priority: 'normal', requiresResponse: false };
const ENVELOPE = {
  ...{ to_agent: null, message_type: 'Finding', priority: 'normal', content: { stock_id: 'A', content: 'late' } },
  ...{ timestamp: '2026-01-01T00:00:00Z', requires_response: true },
};
const ASKED = {
  type: 'answers.ask',
  bundle: { question: 'Which currency do customers pay in?', context_summary: '', confidence_level: 0 },
  maxWaitMs: 0,
};
const { item: _, ...challenge } = CHALLENGE;
const DISPUTE = { type: 'debate.challenge', ...challenge, challenged: { agent: 'writer' }, priority: 'supporting' };

describe('an event that only people send to a desk', () => {
  it.each<[string, Said]>([
    ['tickets', { type: 'tickets.reply', ...ANSWERS, text: 'Zod.' }],
    ['tickets', { type: 'tickets.reply', ...ANSWERS, text: 'Zod.', author: 'agent' }],
    ['tickets', { type: 'tickets.resolve', ...ANSWERS, text: 'Zod.', reason: 'decided' }],
    ['tickets', { type: 'tickets.reject', ...ANSWERS, reason: 'decided' }],
    ['tickets', { type: 'tickets.rate', ticket: 'TK-0001', rating: 5 }],
    ['answers', { type: 'answers.correct', question: 'Q-1', text: 'south' }],
    ['answers', { type: 'answers.erase', question: 'Q-1' }],
    ['answers', { type: 'answers.decide', proposal: 'UV-1', approve: true }],
  ])('is refused to a coding agent, and said by a person in no other name: %s %j', async (address, event) => {
    await tell(ada, 'tickets', TICKET);
    for (const by of ['mcp:coder', 'ada', undefined])
      expect(await tell(coder, address, { ...event, ...(by && { by }) }), by ?? 'no name').toMatchObject(FORBIDDEN);
    expect(await tell(ada, address, { ...event, by: 'eve' })).toMatchObject(FORBIDDEN);
    expect(await tell(ada, address, { ...event, by: 'ada' })).toHaveProperty('taken');
  });

  it('is recorded as a reply of a person only by a person', async () => {
    await tell(coder, 'tickets', TICKET);
    await tell(coder, 'tickets', { type: 'tickets.reply', ...ANSWERS, by: 'mcp:coder', text: 'Zod.' });
    expect(await contextOf('open-tickets/TK-0001')).toMatchObject({ entries: 0, resolution: null });
    expect(await tell(ada, 'tickets', { type: 'tickets.reply', ...ANSWERS, text: 'Zod.' })).toMatchObject({
      taken: true,
    });
    await system.idle();
    expect(await contextOf('open-tickets/TK-0001')).toMatchObject({ resolution: { by: 'ada', text: 'Zod.' } });
  });

  it.each([
    ['answers.correct', { question_id: 'Q-1', text: 'south' }],
    ['answers.erase', { question_id: 'Q-1' }],
    ['tickets.reply', { ticket: 'TK-0001', text: 'Zod.' }],
  ])('is held to by the procedure %s', async (procedure, params) => {
    const post = async ({ token }: { token: string }, by: string, headers = {}) => {
      const body = JSON.stringify({ ...params, by });
      const said = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers };
      return (await fetch(`${url}/v1/procedures/${procedure}`, { method: 'POST', headers: said, body })).status;
    };
    expect(await post(CODER, 'ada', { 'Bosun-As': 'mcp:robot' })).toBe(403);
    expect(await post(PHONE, 'eve')).toBe(403);
    expect(await post(PHONE, 'ada')).toBe(200);
  });
});

describe('an event that programs send to a desk too', () => {
  it.each<[string, string, (by?: string) => Said]>([
    ['creator', 'tickets', (creator) => ({ ...TICKET, creator })],
    ['creator', 'tickets', (creator) => ({ type: 'tickets.report', description: 'no disk', creator })],
    ['by', 'tickets', (by) => ({ type: 'tickets.escalate', ticket: 'TK-0001', by, reason: 'late' })],
    ['asker', 'answers', (asker) => ({ ...ASKED, asker })],
    ['asker', 'answers', (asker) => ({ type: 'answers.wait', question: 'Q-1', maxWaitMs: 0, asker })],
    ['asker', 'answers', (asker) => ({ type: 'answers.measure', measure: 'load', value: 1, asker })],
    ['from', 'coordinator', (from) => ({ type: 'talk.finding', ...TALK, from })],
    ['from', 'coordinator', (from) => ({ type: 'talk.request', ...TALK, from })],
    ['from', 'coordinator', (from) => ({ type: 'talk.challenge', ...TALK, content: challenge, from })],
    ['from', 'coordinator', (from) => ({ type: 'talk.confirmation', ...TALK, from })],
    ['from', 'coordinator', (from) => ({ type: 'talk.alert', ...TALK, from })],
    ['by', 'coordinator', (by) => ({ type: 'plan.pause', item: 'A', by })],
    [
      'envelope.from_agent',
      'messages',
      (from_agent) => ({ type: 'message.post', envelope: { ...ENVELOPE, from_agent } }),
    ],
    [
      'challenger.agent',
      'debates',
      (agent) => ({ ...DISPUTE, id: agent ?? 'mine', challenger: { agent, agentType: 'analyst' } }),
    ],
  ])('is said by each in its own name, in %s at %s: %o', async (field, address, said) => {
    for (const [client, name, other] of [
      [coder, 'mcp:coder', 'ada'],
      [ada, 'ada', 'eve'],
    ] as const) {
      expect(await tell(client, address, said(other))).toMatchObject({
        ...FORBIDDEN,
        message: expect.stringContaining(`${field} of ${said().type} must be ${name}`) as string,
      });
      for (const by of [name, undefined])
        expect((await tell(client, address, said(by)))['bosun_code'] ?? 'taken').toBe('taken');
    }
  });

  it('is recorded in that name', async () => {
    await tell(coder, 'tickets', TICKET);
    await tell(coder, 'coordinator', { type: 'talk.finding', ...TALK });
    await tell(ada, 'messages', { type: 'message.post', envelope: ENVELOPE });
    await tell(coder, 'debates', { ...DISPUTE, id: 'd', challenger: { agentType: 'analyst' } });
    await tell(ada, 'coordinator', { type: 'plan.pause', item: 'A' });
    await tell(coder, 'coordinator', { type: 'plan.pause', item: 'B', reason: 'looks odd' });
    expect(await contextOf('open-tickets/TK-0001')).toMatchObject({ question: { creator: 'mcp:coder' } });
    expect(JSON.stringify(await contextOf('coordinator'))).toMatch(/"from":"mcp:coder".*"from":"ada"/);
    expect(await contextOf('open-debates/d')).toMatchObject({ challenge: { challenger: { agent: 'mcp:coder' } } });
    for (const [item, createdBy] of Object.entries({ A: 'ada', B: 'mcp:coder' }))
      expect(await contextOf(`pauses/${item}`), item).toMatchObject({ record: { createdBy } });
  });

  it('is asked by a person in that name, by every tool', async () => {
    toldBy(await ada.call('askQuestion', { question: 'Which currency do customers pay in?', max_wait_seconds: 0 }));
    toldBy(await ada.call('waitForAnswer', { question_id: 'Q-1', max_wait_seconds: 0 }));
    expect(toldBy(await ada.call('reportIssue', { issue_description: 'no disk' }))).toMatchObject({ logged: true });
    expect(await tell(coder, 'answers', { type: 'answers.show', question: 'Q-1' })).toMatchObject({
      question: { asker: 'ada' },
      users: [{ asker: 'ada' }],
    });
  });
});

/** Whether an item of the plan waits at a gate. */
const hasGate = (context: unknown) => (context as CoordinatorContext).gatesOpened > 0;

describe("a gate of the plan's", () => {
  const squat = {
    kind: 'x',
    title: 'Lunch?',
    package: null,
    audience: ['*'],
    form: { type: 'object' },
    deadlineMs: null,
  };

  it('is asked whatever a program asks first: its id and its name are not free', async () => {
    for (const id of ['plan.G3.1', 'plan.', 'plan.x'])
      expect(await tell(coder, 'gates', { type: 'gate.open', id, ...squat })).toEqual({
        taken: false,
        problems: [expect.stringContaining('ids that begin with "plan." are the coordinator\'s')],
      });
    expect(await tell(coder, 'gates', { type: 'gate.open', id: 'planned', ...squat })).toMatchObject({ taken: true });
    const early = { item: 'A', gate: 'G3', title: 'Lunch?', audience: ['*'], remindAfterMs: [], deadlineMs: null };
    expect(await tell(coder, 'coordinator', { type: 'gate.request', ...early })).toEqual({
      taken: false,
      problems: ['the gate "G3" of A is the plan\'s, which asks it after draft: give another name'],
    });
    draftEnds();
    await (await system.actor('coordinator')).waitFor(({ context }) => hasGate(context));
    await system.idle();
    const asked = toldBy(await ada.call('show_gate', { gate: 'plan.G3.1' }));
    expect(asked).toMatchObject({ gate: { title: 'Print it?', item: 'A', audience: ['ada'], isOver: false } });
  });
});
