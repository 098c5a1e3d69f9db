/** Messages between agents, through the whole crew: each reaches a receiver that handles it, or is refused. */
import { describe, expect, it } from 'vitest';
import {
  DEBATE_CONFIRMATIONS_MAX,
  FINDINGS_KEPT_MAX,
  TALK_CONTENT_BYTES_MAX,
} from '../../../../src/machines/limits.ts';
import { type AgentFunction, type Said } from '../../../../src/machines/work/agent-function.ts';
import { type OrderReply, TAKEN } from '../../../../src/machines/rules/turn.ts';
import { planOf } from '../../../support/fixtures/plans/plans.ts';
import { CHALLENGE } from '../../../support/machines/debate-room.ts';
import { startWholeCrew, type WholeCrew } from '../../../support/machines/whole-crew.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

type Told = Partial<Said> & { readonly from?: string; readonly item?: string | null };

const talk = (kind: Said['kind'], told: Told = {}) => ({
  type: `talk.${kind}`,
  from: 'analyst',
  to: null,
  item: 'ACME',
  content: 'margin is 25 %',
  priority: 'normal',
  requiresResponse: false,
  ...told,
});

const GATE = {
  type: 'gate.request',
  item: 'ACME',
  gate: 'G3',
  title: 'Assumptions',
  audience: ['ada'],
  remindAfterMs: [],
  deadlineMs: null,
};

/** A crew with one agent type; by default its work never ends. */
function crewOf(work: AgentFunction = () => new Promise(() => {})): Promise<WholeCrew> {
  return startWholeCrew(planOf({ stages: { draft: { agent: 'analyst' } }, items: ['ACME', 'BETA'] }), {
    analyst: work,
  });
}

const say = (crew: WholeCrew, kind: Said['kind'], told?: Told) =>
  crew.ask<OrderReply & { gate?: string }>('coordinator', talk(kind, told));

/** The package that people get at a gate. */
const packageAt = (crew: WholeCrew, gate: string) =>
  (crew.test.shard.snapshot(`open-gates/${gate}`)!.context as { question: { package: Record<string, unknown> } })
    .question.package;

describe('a message addressed to the coordinator', () => {
  it('is handled like a message without a receiver, and never loops back to the coordinator (D1)', async () => {
    const crew = await crewOf();
    expect(await say(crew, 'finding', { to: 'coordinator' })).toEqual(TAKEN);
    expect(await say(crew, 'alert', { to: 'coordinator' })).toEqual(TAKEN);
    await crew.powerCut();
    expect(crew.openCards().map(({ kind }) => kind)).toEqual(['agent.alert']);
  });

  it('lets the plan of its sender complete (D1)', async () => {
    const crew = await crewOf(async (_, { say: tell }) => tell({ kind: 'finding', content: 'x', to: 'coordinator' }));
    expect(crew.state()).toBe('completed');
  });
});

describe('a message that its receiver does not handle', () => {
  it('is refused at once, with its type, its receiver, and the types that the receiver takes (D3)', async () => {
    const crew = await crewOf();
    const { taken, problems } = await say(crew, 'finding', { to: 'correlator' });
    expect([taken, problems.length]).toEqual([false, 1]);
    expect(problems[0]).toMatch(/^"correlator" takes no talk\.finding; it takes agent\.failure, /);
    expect(crew.told('message.undeliverable')).toEqual([
      {
        type: 'message.undeliverable',
        messageType: 'talk.finding',
        from: 'analyst',
        to: 'correlator',
        receiver: 'correlator',
        takes: expect.arrayContaining(['agent.failure', 'correlation.resolve']) as unknown,
      },
    ]);
  });

  it.each(['stages', 'pauses', 'gates', 'debates', 'alerts', 'open-gates', 'batches', 'nobody'])(
    'is refused for the receiver "%s" too (D3)',
    async (to) => {
      const crew = await crewOf();
      expect(await say(crew, 'finding', { to })).toMatchObject({ taken: false });
      expect(crew.told('message.undeliverable')).toMatchObject([{ receiver: to }]);
    },
  );
});

describe('a finding', () => {
  it('is in the next package that people get about its item, as is a finding about no item (D3)', async () => {
    const crew = await crewOf();
    await say(crew, 'finding', { content: { margin: 0.25 }, priority: 'high' });
    await say(crew, 'finding', { item: null, content: 'rates rise', from: 'news' });
    await say(crew, 'finding', { item: 'BETA', content: 'of another item' });
    await crew.powerCut();
    await crew.ask('coordinator', GATE);
    const atMs = expect.any(Number) as unknown;
    expect(packageAt(crew, 'plan.G3.1')['findings']).toEqual([
      { from: 'analyst', content: { margin: 0.25 }, priority: 'high', atMs },
      { from: 'news', content: 'rates rise', priority: 'normal', atMs },
    ]);
  });

  it('is in the package at the gate of a later stage if an agent of the plan reports it (D3)', async () => {
    const plan = planOf({
      stages: { read: { agent: 'reader' }, draft: { agent: 'writer', after: ['read'], gate: { preset: 'G3' } } },
      items: ['ACME'],
    });
    const reader: AgentFunction = async (_, { say: tell }) => tell({ kind: 'finding', content: 'page 40 is missing' });
    const crew = await startWholeCrew(plan, { reader, writer: async () => 'text' });
    expect(packageAt(crew, 'plan.G3.1')['findings']).toMatchObject([{ from: 'reader', content: 'page 40 is missing' }]);
  });

  it(`is dropped for newer ones: an item keeps its last ${FINDINGS_KEPT_MAX} findings`, async () => {
    const crew = await crewOf();
    for (let n = 0; n <= FINDINGS_KEPT_MAX; n += 1)
      await crew.test.shard.send('coordinator', talk('finding', { content: n }));
    await crew.ask('coordinator', GATE);
    const findings = packageAt(crew, 'plan.G3.1')['findings'] as { content: number }[];
    expect([findings.length, findings[0]!.content, findings.at(-1)!.content]).toEqual([
      FINDINGS_KEPT_MAX,
      1,
      FINDINGS_KEPT_MAX,
    ]);
  });

  it('is refused if its item is not in the plan, or if its content is too large', async () => {
    const crew = await crewOf();
    expect(await say(crew, 'finding', { item: 'ACNE' })).toEqual({
      taken: false,
      problems: ['no item "ACNE" in the plan'],
    });
    expect(await say(crew, 'finding', { content: 'x'.repeat(TALK_CONTENT_BYTES_MAX) })).toEqual({
      taken: false,
      problems: [`the content of a message has at most ${TALK_CONTENT_BYTES_MAX} bytes`],
    });
  });
});

describe('a request', () => {
  it('becomes a question to people without blocking the item, and its answer becomes a finding (D3)', async () => {
    const crew = await crewOf(async () => 'done');
    const reply = await say(crew, 'request', { content: 'Which year do we mean?' });
    expect(reply).toEqual({ ...TAKEN, gate: 'plan.request.1' });
    expect(crew.gates()).toMatchObject([
      { id: 'plan.request.1', kind: 'request', title: 'analyst asks about ACME', phase: 'open' },
    ]);
    expect(packageAt(crew, 'plan.request.1')).toMatchObject({ from: 'analyst', content: 'Which year do we mean?' });
    expect(crew.state()).toBe('completed');
    await crew.powerCut();
    expect(
      await crew.ask('gates', { type: 'gate.answer', gate: 'plan.request.1', by: 'ada', answer: { answer: '2026' } }),
    ).toEqual(TAKEN);
    await crew.ask('coordinator', GATE);
    expect(packageAt(crew, 'plan.G3.2')['findings']).toMatchObject([
      { from: 'ada', content: { answer: '2026', asked: 'Which year do we mean?', askedBy: 'analyst' } },
    ]);
    expect(crew.item('ACME').gates).not.toHaveProperty('request');
  });

  it('ends if it stays unanswered, and is withdrawn with its item', async () => {
    const crew = await crewOf();
    await say(crew, 'request');
    await say(crew, 'request', { item: 'BETA' });
    await crew.test.shard.send('coordinator', { type: 'item.cancel', item: 'ACME' });
    await crew.test.settle();
    expect(crew.gates().map(({ phase }) => phase)).toEqual(['withdrawn', 'open']);
    await crew.test.advance(7 * DAY_MS);
    expect(crew.gates().map(({ phase }) => phase)).toEqual(['withdrawn', 'timedOut']);
    expect(crew.item('BETA').phase).toBe('running');
  });
});

describe('a confirmation', () => {
  const disputed = { challenger: { agent: 'checker' }, challenged: { agent: 'strategy' }, priority: 'supporting' };
  const open = async (crew: WholeCrew, id: string, item = 'ACME') => {
    const challenge = { type: 'debate.challenge', ...CHALLENGE, ...disputed, id, item };
    expect(await crew.ask('debates', challenge)).toMatchObject(TAKEN);
  };

  it('reaches the debate about its item, and is in the package that people decide by (D3)', async () => {
    const crew = await crewOf();
    await open(crew, 'margin');
    expect(await say(crew, 'confirmation', { content: 'the filing does say 25 %' })).toEqual(TAKEN);
    await crew.powerCut();
    await crew.test.advance(26 * HOUR_MS);
    const gate = crew.gates().find(({ isOver }) => !isOver)!;
    expect(packageAt(crew, gate.id)['confirmations']).toMatchObject([
      { by: 'analyst', content: 'the filing does say 25 %' },
    ]);
  });

  it('reaches the debate that it names, and is refused if several are open and it names none', async () => {
    const crew = await crewOf();
    await open(crew, 'margin');
    await open(crew, 'growth');
    expect(await say(crew, 'confirmation')).toEqual({
      taken: false,
      problems: ['several debates are open, name one of them: margin, growth'],
    });
    expect(await say(crew, 'confirmation', { item: null, content: { debate: 'growth' } })).toEqual(TAKEN);
    expect(await say(crew, 'confirmation', { content: { debate: 'groth' } })).toEqual({
      taken: false,
      problems: ['no debate "groth"'],
    });
    expect(await say(crew, 'confirmation', { item: 'BETA' })).toEqual({
      taken: false,
      problems: ['no debate is open about BETA'],
    });
  });

  it(`is refused once the debate has ${DEBATE_CONFIRMATIONS_MAX} confirmations`, async () => {
    const crew = await crewOf();
    await open(crew, 'margin');
    for (let n = 0; n < DEBATE_CONFIRMATIONS_MAX; n += 1) await say(crew, 'confirmation');
    expect(await say(crew, 'confirmation')).toEqual({
      taken: false,
      problems: ['the debate has enough confirmations'],
    });
  });
});
