/** Identities of callers: those that stand for a person, coding agents, and the operator, at every door. */
import { SignJWT } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { author, speaker, speakersIn } from '../../../src/actors/model/person.ts';
import { reply, type ReplyTo } from '../../../src/actors/model/talk-actions.ts';
import { createGateway, type GatewayOptions } from '../../../src/gateway/network/server.ts';
import { crewAgents, deskChildren } from '../../../src/machines/crew.ts';
import { crewProcedures } from '../../../src/crew-procedures.ts';
import { startSpreadTestSystem } from '../../../src/testing/spread-test-system.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { overHttp, toldBy } from '../../support/gateway/mcp-clients.ts';
import { GatewayTest } from '../../support/gateway/memory-client.ts';

/** An agent that takes votes of people, and notes of anybody. */
const ballot = defineAgent({
  name: 'ballot',
  machine: setup({
    types: {} as {
      context: { votes: readonly string[]; notes: readonly (string | undefined)[] };
      events: { type: 'vote'; by: string; yes: boolean; replyTo?: ReplyTo } | { type: 'note'; by?: string | undefined };
    },
  }).createMachine({
    context: { votes: [], notes: [] },
    on: {
      vote: {
        actions: [
          assign({ votes: ({ context, event }) => [...context.votes, event.by] }),
          reply(({ context }) => context.votes.length),
        ],
      },
      note: { actions: assign({ notes: ({ context, event }) => [...context.notes, event.by] }) },
    },
  }),
  events: {
    vote: z.object({ by: speaker(z.string()).optional().default(''), yes: z.boolean() }),
    note: z.object({ by: author(z.string()).optional() }),
  },
});

const tokenOf = (id: string) => `token-of-${id}-0123456789`;
const OPERATOR = 'token-of-the-operator';
const tokens = [
  { id: 'phone', token: tokenOf('ada'), person: 'ada' },
  { id: 'robot', token: tokenOf('robot') },
];

const ended: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

async function ballots(options: GatewayOptions = {}): Promise<GatewayTest> {
  const system = await startTestSystem({ agents: [ballot], tree: { children: [{ id: 'b', agent: 'ballot' }] } });
  const test = new GatewayTest(system, { tokens, operator: OPERATOR, ...options });
  ended.push(() => test.stop());
  return test;
}

const votes = ({ test }: GatewayTest) => (test.shard.snapshot('b')!.context as { votes: string[] }).votes;
const vote = (by?: string) => ({ address: 'b', event: { type: 'vote', yes: true, ...(by !== undefined && { by }) } });
const codeOf = (answer: unknown) => (answer as { e?: { code: string } }).e?.code;

describe('a token that carries a person', () => {
  it("says people's events in that name, however they are sent", async () => {
    const test = await ballots();
    const session = 'a-session-of-22-letters';
    const ada = await test.client({ token: tokenOf('ada'), session });
    await test.call(ada, 'actor.send', vote());
    await test.call(ada, 'actor.send', vote('ada'));
    await test.call(ada, 'actor.ask', vote());
    await test.call(ada, 'actor.sendMany', { sends: [vote(), vote('ada')] });
    await test.call(ada, 'actor.sendMany', { sends: [vote()] }, { key: 'k' });
    await test.call(ada, 'actor.send', vote(), { seq: 1 });
    await test.call(ada, 'actor.send', { ...vote(), until: 'taken' });
    expect(votes(test)).toEqual(Array(8).fill('ada'));
  });

  it('sends events of people in no other name, by any method', async () => {
    const test = await ballots();
    const ada = await test.client({ token: tokenOf('ada'), session: 'a-session-of-22-letters' });
    for (const [method, params, fields] of [
      ['actor.send', vote('eve'), {}],
      ['actor.send', { ...vote('eve'), until: 'taken' }, {}],
      ['actor.send', vote('eve'), { seq: 1 }],
      ['actor.ask', vote('eve'), {}],
    ] as const)
      expect(codeOf(await test.call(ada, method, params, fields)), method).toBe('BOSUN_FORBIDDEN');
    for (const fields of [{}, { key: 'k' }])
      expect(await test.call(ada, 'actor.sendMany', { sends: [vote('eve'), vote()] }, fields)).toMatchObject({
        e: { code: 'BOSUN_SENDS_REFUSED', details: { refused: [{ index: 0, error: { code: 'BOSUN_FORBIDDEN' } }] } },
      });
    expect(votes(test)).toEqual(['ada', 'ada']);
  });

  it('gives orders in that name, which the audit records', async () => {
    const test = await ballots();
    const ada = await test.client({ token: tokenOf('ada') });
    await test.call(ada, 'actor.suspend', { address: 'b' });
    await test.call(ada, 'actor.resume', { address: 'b', by: 'ada' });
    expect(codeOf(await test.call(ada, 'actor.suspend', { address: 'b', by: 'eve' }))).toBe('BOSUN_FORBIDDEN');
    const { r } = (await test.call(ada, 'audit.list', {})) as unknown as { r: { records: { by: string }[] } };
    expect(r.records.map(({ by }) => by)).toEqual(['ada', 'ada']);
  });

  it('may be a JSON Web Token, whose person must be a valid name', async () => {
    const key = new TextEncoder().encode('a key of at least 32 characters....');
    const test = await ballots({ jwt: { key, audience: 'bosun' } });
    const jwtOf = (person: unknown) =>
      new SignJWT({ scope: 'actor:send', bosun_person: person })
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject('phone')
        .setAudience('bosun')
        .setExpirationTime(Math.floor(test.test.clock.wallMs() / 1_000) + 600)
        .sign(key);
    await test.call(await test.client({ token: await jwtOf('ada') }), 'actor.send', vote());
    expect(votes(test)).toEqual(['ada']);
    for (const person of ['', ' ', 7, 'x'.repeat(201), 'mcp:ada'])
      expect((await test.client({ token: await jwtOf(person) })).closed?.code).toBe(4401);
    expect(() => createGateway(test.test.system, { tokens: [{ ...tokens[0]!, person: ' ' }] })).toThrow(
      'token of "phone": the person is blank, longer than 200 characters, or begins with mcp:',
    );
  });

  it('is restricted to its name over workers too', async () => {
    const test = await startSpreadTestSystem({
      workers: 2,
      agents: [ballot],
      tree: { children: ['b', 'c', 'd', 'e'].map((id) => ({ id, agent: 'ballot' })) },
    });
    const gateway = createGateway(test.system, { port: 0, tokens });
    const { url } = await gateway.listen();
    ended.push(async () => {
      await gateway.close();
      await test.system.stop();
    });
    const ada = await overHttp('of 2026', `${url}/mcp`, tokenOf('ada'));
    const robot = await overHttp('of 2026', `${url}/mcp`, tokenOf('robot'));
    for (const address of ['b', 'c', 'd', 'e']) {
      expect(toldBy(await ada.call('ask_actor', { ...vote(), address }))).toEqual({ reply: 1 });
      expect(toldBy(await robot.call('ask_actor', { ...vote('ada'), address }))).toMatchObject({
        error: { bosun_code: 'BOSUN_FORBIDDEN' },
      });
      expect(toldBy(await ada.call('inspect_actor', { address }))).toMatchObject({ context: { votes: ['ada'] } });
    }
    await ada.close();
    await robot.close();
  });
});

describe('an event that programs may send too', () => {
  it("is sent by a coding agent in its own name, and by a person in the person's name", async () => {
    const { test } = await ballots();
    const gateway = createGateway(test.system, { port: 0, tokens, clock: test.clock });
    const { url } = await gateway.listen();
    ended.push(() => gateway.close());
    const note = (by?: string) => ({ address: 'b', event: { type: 'note', ...(by !== undefined && { by }) } });
    for (const [id, name] of [
      ['robot', 'mcp:robot'],
      ['ada', 'ada'],
    ] as const) {
      const { call, close } = await overHttp('of 2026', `${url}/mcp`, tokenOf(id));
      expect((await call('send_event', note())).isError).not.toBe(true);
      expect((await call('send_event', note(name))).isError).not.toBe(true);
      expect(toldBy(await call('send_event', note('eve')))).toMatchObject({ error: { bosun_code: 'BOSUN_FORBIDDEN' } });
      await close();
    }
    await test.settle();
    expect(test.shard.snapshot('b')!.context).toMatchObject({ notes: ['mcp:robot', 'mcp:robot', 'ada', 'ada'] });
  });
});

describe('a token without a person', () => {
  it('may name any author outside of MCP', async () => {
    const test = await ballots();
    await test.call(await test.client({ token: tokenOf('robot') }), 'actor.send', vote('ada'));
    expect(votes(test)).toEqual(['ada']);
  });
});

/** The desks of a crew with one open question, and its gateway. */
async function crew(options: GatewayOptions = {}): Promise<{ url: string; test: TestSystem }> {
  const test = await startTestSystem({ agents: crewAgents, tree: { children: deskChildren() } as never });
  const gateway = createGateway(test.system, { port: 0, procedures: crewProcedures, clock: test.clock, ...options });
  const { url } = await gateway.listen();
  ended.push(async () => {
    await gateway.close();
    await test.system.stop();
  });
  const question = { kind: 'choice', title: 'Zod?', package: [1], audience: ['ada'], form: { type: 'object' } };
  await test.system.ask('gates', { type: 'gate.open', id: 'q1', ...question, deadlineMs: null });
  await test.settle();
  return { url, test };
}

const answer = { gate: 'q1', answer: { yes: true } };

describe('a question of the crew', () => {
  it("is answered over MCP by a person's token, in that name", async () => {
    const { url } = await crew({ tokens });
    const ada = await overHttp('of 2025', `${url}/mcp`, tokenOf('ada'));
    ended.push(() => ada.close());
    expect((await ada.tools()).map(({ name }) => name)).toContain('answer_gate');
    expect(toldBy(await ada.call('answer_gate', { ...answer, by: 'eve' }))).toMatchObject({
      error: { bosun_code: 'BOSUN_FORBIDDEN' },
    });
    expect(toldBy(await ada.call('show_gate', { gate: 'q1' }))).toMatchObject({
      gate: { isOver: false },
      question: { package: [1], form: { type: 'object' } },
    });
    expect(toldBy(await ada.call('answer_gate', answer))).toEqual({ taken: true, problems: [] });
    const told = await ada.call('show_gate', { gate: 'q1' });
    expect(toldBy(told)).toMatchObject({ gate: { id: 'q1', phase: 'answered', result: { by: 'ada' } } });
    expect(toldBy(await ada.call('list_gates'))).toMatchObject({ rows: {}, size: 0 });
  });

  it.each([
    ['without a token, where none is needed', {}, undefined],
    ['with every scope', { tokens }, tokenOf('robot')],
  ])('is answered by no coding agent %s', async (_, options, token) => {
    const { url } = await crew(options);
    const agent = await overHttp('of 2026', `${url}/mcp`, token);
    ended.push(() => agent.close());
    expect((await agent.tools()).map(({ name }) => name)).not.toContain('answer_gate');
    const event = { type: 'gate.answer', ...answer, by: 'ada' };
    const withdraw = { type: 'gate.withdraw', gate: 'q1', by: 'ada' };
    const validate = { type: 'alert.acknowledge', id: 'a', by: 'ada' };
    for (const [tool, args] of [
      ['answer_gate', { ...answer, by: 'ada' }],
      ['send_event', { address: 'gates', event }],
      ['send_event', { address: 'open-gates/q1', event }],
      ['ask_actor', { address: 'gates', event: withdraw }],
      ['ask_actor', { address: 'alerts', event: validate }],
    ] as const)
      expect(toldBy(await agent.call(tool, args)), tool).toMatchObject({ error: { bosun_code: 'BOSUN_FORBIDDEN' } });
    expect(toldBy(await agent.call('show_gate', { gate: 'q1' }))).toMatchObject({ gate: { isOver: false } });
  });
});

describe('the header Bosun-As', () => {
  it('turns the operator into a program that may only read and send', async () => {
    const { url } = await crew({ operator: OPERATOR });
    const as = (program: string, token = OPERATOR) => ({
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Bosun-As': program,
    });
    const post = async (path: string, body: object, headers: Record<string, string>) => {
      const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, body: (await response.json()) as { error?: { code: string } } };
    };
    const event = { type: 'gate.answer', ...answer, by: 'ada' };
    const robot = as('mcp:robot');
    expect((await fetch(`${url}/v1/actors/gates`, { headers: robot })).status).toBe(200);
    for (const path of ['suspend', 'erase', 'kill'])
      expect((await post(`/v1/actors/gates/${path}`, {}, robot)).status).toBe(403);
    expect((await fetch(`${url}/v1/audit`, { headers: robot })).status).toBe(403);
    expect((await post('/v1/actors/gates/send', { event }, robot)).body.error!.code).toBe('BOSUN_FORBIDDEN');
    expect((await post('/v1/actors/gates/ask', { event: { type: 'gate.list' } }, robot)).status).toBe(200);
    for (const name of ['robot', 'mcp:', 'mcp:two words', `mcp:${'x'.repeat(65)}`])
      expect((await post('/v1/actors/gates/send', { event }, as(name))).body.error!.code, name).toBe(
        'BOSUN_CALL_INVALID',
      );
    expect((await post('/v1/actors/gates/send', { event }, { ...robot, 'Bosun-As': '' })).status).toBe(400);
  });

  it('gives a caller no further rights', async () => {
    const { url } = await crew({ tokens: [{ id: 'eve', token: tokenOf('eve'), scopes: ['actor:read'] }] });
    const headers = { Authorization: `Bearer ${tokenOf('eve')}`, 'Content-Type': 'application/json' };
    const send = (more: object) =>
      fetch(`${url}/v1/actors/gates/send`, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify({ event: { type: 'gate.list' } }),
      });
    expect((await send({})).status).toBe(403);
    expect((await send({ 'Bosun-As': 'mcp:robot' })).status).toBe(403);
  });
});

describe('speakersIn', () => {
  const who = speaker(z.string().min(1));
  const found = (fields: z.ZodRawShape) =>
    speakersIn(z.object(fields)).map(({ path, isPerson }) => `${path.join('.')}: ${isPerson ? 'person' : 'anybody'}`);

  it('finds exactly the marked fields of an event, even in wrapped schemas', () => {
    expect(found({ by: who, to: z.string() })).toEqual(['by: person']);
    expect(found({ by: who.optional(), also: who.nullable().default(null) })).toEqual(['by: person', 'also: person']);
    expect(found({ by: author(z.string()).optional() })).toEqual(['by: anybody']);
    expect(found({ by: z.union([who, z.null()]), or: who.transform((name) => [name]) })).toEqual([
      'by: person',
      'or: person',
    ]);
    expect(found({})).toEqual([]);
  });

  it('finds those of objects within the event', () => {
    const party = z.object({ agent: who, kind: z.string() });
    expect(found({ challenger: party, about: z.object({ other: party }).strict() })).toEqual([
      'challenger.agent: person',
      'about.other.agent: person',
    ]);
    expect(found({ a: party.optional(), b: party.nullable(), c: party.default({ agent: 'eve', kind: '' }) })).toEqual([
      'a.agent: person',
      'b.agent: person',
      'c.agent: person',
    ]);
    expect(found({ both: z.intersection(party, z.object({ by: author(z.string()) })) })).toEqual([
      'both.agent: person',
      'both.by: anybody',
    ]);
  });
});

/** An agent that takes letters, whose senders stand within. */
const post = defineAgent({
  name: 'post',
  machine: setup({
    types: {} as { context: { letters: readonly object[] }; events: { type: 'letter'; from: object } },
  }).createMachine({
    context: { letters: [] },
    on: {
      letter: {
        actions: assign({ letters: ({ context, event: { type: _, ...said } }) => [...context.letters, said] }),
      },
    },
  }),
  events: {
    letter: z.object({
      from: z.object({ name: author(z.string()).optional(), town: z.string() }).default({ name: 'eve', town: 'Ulm' }),
      copy: z.object({ from: z.object({ name: author(z.string()) }) }).optional(),
      paid: z
        .object({ by: author(z.string()) })
        .nullable()
        .default(null),
    }),
  },
});

describe('a mark within an object of an event', () => {
  it('holds callers to their names there too', async () => {
    const system = await startTestSystem({ agents: [post], tree: { children: [{ id: 'b', agent: 'post' }] } });
    const test = new GatewayTest(system, { tokens });
    ended.push(() => test.stop());
    const ada = await test.client({ token: tokenOf('ada') });
    const send = async (fields: object) =>
      codeOf(await test.call(ada, 'actor.send', { address: 'b', event: { type: 'letter', ...fields } }));
    for (const fields of [
      { from: { name: 'eve', town: 'Bonn' } },
      { from: { name: 7, town: 'Bonn' } },
      { copy: { from: { name: 'eve' } } },
      { paid: { by: 'eve' } },
    ])
      expect(await send(fields), JSON.stringify(fields)).toBe('BOSUN_FORBIDDEN');
    await send({});
    await send({ from: { town: 'Bonn' }, copy: { from: {} }, paid: { by: 'ada' } });
    expect(await send({ from: 'eve' })).toBe('BOSUN_EVENT_INVALID');
    expect(test.test.shard.snapshot('b')!.context).toEqual({
      letters: [
        { from: { name: 'ada', town: 'Ulm' }, paid: null },
        { from: { name: 'ada', town: 'Bonn' }, copy: { from: { name: 'ada' } }, paid: { by: 'ada' } },
      ],
    });
  });
});
