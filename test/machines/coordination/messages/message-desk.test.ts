/** The seed's envelopes, sent to a whole crew by a gateway client: each type reaches the desk that handles it. */
import { createMachine } from 'xstate';
import { describe, expect, it } from 'vitest';
import { type Envelope } from '../../../../src/machines/coordination/messages/envelope.ts';
import { BACKPRESSURE_DEPTH, nextTryMs } from '../../../../src/machines/coordination/messages/backpressure.ts';
import { doorways, messageChildren, messageDesk } from '../../../../src/machines/coordination/messages/message-desk.ts';
import { COORDINATOR, crewAgents, crewTree } from '../../../../src/machines/crew.ts';
import { ENVELOPES_KNOWN_MAX } from '../../../../src/machines/limits.ts';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { startMachines } from '../../../support/machines/machines-under-test.ts';
import { type AgentFunction } from '../../../../src/machines/work/agent-function.ts';
import { LONG } from '../../../support/effort.ts';
import { planOf } from '../../../support/fixtures/plans/plans.ts';
import { type Frame, GatewayTest } from '../../../support/gateway/memory-client.ts';
import { startWholeCrew, type WholeCrew } from '../../../support/machines/whole-crew.ts';

const MINUTE_MS = 60_000;
const ITEMS = ['AAPL', 'MSFT', 'GOOGL'];

/** A peer of the seed, a client of the gateway: each message comes by a connection of its own. */
class Peer {
  readonly crew: WholeCrew;
  readonly #gateway: GatewayTest;

  constructor(crew: WholeCrew) {
    this.crew = crew;
    this.#gateway = new GatewayTest(crew.test, {});
  }

  async post(envelope: object): Promise<Frame> {
    const event = { type: 'message.post', envelope };
    return this.#gateway.call(await this.#gateway.client(), 'actor.ask', { address: 'messages', event });
  }

  /** Posts envelopes over one connection without waiting in between; the answers are in the same order. */
  async burst(envelopes: readonly object[]): Promise<readonly Frame[]> {
    const client = await this.#gateway.client();
    for (const [n, envelope] of envelopes.entries())
      client.send({
        t: 'req',
        id: `b-${n}`,
        m: 'actor.ask',
        p: { address: 'messages', event: { type: 'message.post', envelope } },
      });
    await this.#gateway.settle();
    return envelopes.map((_, n) => client.last('res', `b-${n}`)!);
  }

  async reply(envelope: object): Promise<unknown> {
    return ((await this.post(envelope))['r'] as { reply: unknown }).reply;
  }

  async powerCut(): Promise<void> {
    await this.#gateway.crash();
    await this.#gateway.restart();
  }
}

/** Every item stands behind a stage that takes ten minutes. */
async function peer(): Promise<Peer> {
  const plan = planOf({
    unit: 'minutes',
    pack: 'finance',
    stages: { screening: { agent: 'screening' }, report: { agent: 'report', after: ['screening'] } },
    items: ITEMS,
  });
  const screening: AgentFunction = (_, { signal }) =>
    new Promise((resolve, reject) => {
      const stop = crew.test.clock.setTimeout(() => resolve('ok'), 10 * MINUTE_MS);
      signal.addEventListener('abort', () => (stop(), reject(signal.reason as Error)));
    });
  const crew: WholeCrew = await startWholeCrew(plan, { screening, report: async () => 'done' });
  return new Peer(crew);
}

function envelope(message_type: string, content: object, fields: Partial<Envelope> = {}): object {
  return {
    from_agent: 'desk-7',
    to_agent: null,
    message_type,
    priority: 'high',
    content,
    timestamp: '2026-01-01T14:47:00Z',
    requires_response: false,
    ...fields,
  };
}

const PAUSE = { stock_id: 'AAPL', reason: 'looks odd', checkpoint_id: null, trigger_source: 'MANUAL' };

const TAKEN = { taken: true, problems: [] };

const FAILURE = {
  agent_type: 'financial',
  error_type: 'rate_limit',
  error_message: 'API quota exceeded: 1000/1000',
  data_source: 'Koyfin',
  timestamp: '2026-01-01T14:47:00Z',
};

const CHALLENGE = {
  challenge_id: 'margin',
  challenger: 'desk-7',
  challenged: 'screening',
  disputed_finding: 'The margin is 28 %.',
  challenge_basis: 'The filing says 25 %.',
  required_evidence: ['filing'],
  priority: 'valuation',
  provisional_resolution: null,
};

describe('an envelope of the seed at the gateway', () => {
  it('CA-080, CA-082, CA-087: PAUSE_REQUEST pauses an item, RESUME_COMMAND resumes it', async () => {
    const one = await peer();
    const { crew } = one;
    expect(await one.reply(envelope('PAUSE_REQUEST', PAUSE, { to_agent: 'pause-manager' }))).toMatchObject(TAKEN);
    await crew.test.advance(11 * MINUTE_MS);
    expect(crew.item('AAPL')).toMatchObject({ phase: 'paused', reason: 'looks odd' });
    expect(crew.item('MSFT').done).toContain('MSFT/report');
    const resume = { stock_id: 'AAPL', resume_plan: null, notify: true };
    expect(await one.reply(envelope('RESUME_COMMAND', resume, { requires_response: true }))).toEqual(TAKEN);
    await crew.test.advance(MINUTE_MS);
    expect(crew.state()).toBe('completed');
  });

  it('CA-083: BATCH_PAUSE_REQUEST has the BatchManager pause its items as one batch', async () => {
    const one = await peer();
    const content = { stock_ids: ['AAPL', 'MSFT'], reason: 'quota', batch_id: 'b1', max_concurrency: 2 };
    expect(await one.reply(envelope('BATCH_PAUSE_REQUEST', content, { requires_response: true }))).toMatchObject(TAKEN);
    await one.crew.test.advance(11 * MINUTE_MS);
    expect(one.crew.phases()).toEqual(['paused', 'paused', 'running']);
    expect(one.crew.batches()).toMatchObject([{ id: 'b1', phase: 'paused', paused: 2, concurrencyLimit: 2 }]);
  });

  it('CA-084: three AGENT_FAILURE_EVENTs of one cause become one correlation, with its items paused', async () => {
    const one = await peer();
    const results = [];
    for (const stock_ticker of ITEMS)
      results.push(
        await one.reply(envelope('AGENT_FAILURE_EVENT', { ...FAILURE, stock_ticker }, { requires_response: true })),
      );
    expect(results).toMatchObject([
      { isCorrelated: false },
      { isCorrelated: false },
      { isCorrelated: true, rootCause: 'Koyfin API quota exceeded', batchTriggered: true },
    ]);
    await one.crew.test.advance(11 * MINUTE_MS);
    expect(one.crew.phases()).toEqual(ITEMS.map(() => 'paused'));
  });

  it('CA-085, CA-086: reports the finding of another correlator, whose items are paused as one batch', async () => {
    const one = await peer();
    const found = { root_cause: 'the exchange is closed', correlation_id: 'c-9' };
    const detected = { ...found, stock_tickers: ITEMS, signature: '0123456789abcdef', batch_triggered: true };
    expect(await one.reply(envelope('CORRELATION_DETECTED', detected))).toMatchObject(TAKEN);
    expect(await one.reply(envelope('BATCH_TRIGGER', { ...found, stock_ids: ITEMS }))).toMatchObject(TAKEN);
    await one.crew.test.advance(11 * MINUTE_MS);
    expect(one.crew.told('failure.correlated')).toMatchObject([{ items: ITEMS, correlationId: 'c-9' }]);
    expect(one.crew.batches()).toMatchObject([{ correlationId: 'c-9', phase: 'paused', paused: 3 }]);
  });

  it('CA-081: PAUSE_COMPLETE is refused, as only the crew may state it', async () => {
    const one = await peer();
    const content = { stock_id: 'AAPL', paused_at: '2026-01-01T14:47:00Z', resume_dependencies: {} };
    const good = { ...content, resume_dependencies: { restart: [], skip: [], wait: [] } };
    expect(await one.post(envelope('PAUSE_COMPLETE', good))).toMatchObject({
      e: {
        code: 'BOSUN_EVENT_INVALID',
        message: expect.stringContaining('envelope.message_type: PAUSE_COMPLETE is stated by the crew alone'),
      },
    });
    expect(one.crew.item('AAPL').phase).toBe('running');
  });

  it('CA-079: an Alert and a critical Finding become cards; an unknown receiver is refused', async () => {
    const one = await peer();
    const content = { stock_id: 'AAPL', content: 'The filing was withdrawn.' };
    const answered = { requires_response: true } as const;
    expect(await one.reply(envelope('Alert', content, answered))).toEqual(TAKEN);
    expect(await one.reply(envelope('Finding', content, { ...answered, priority: 'critical' }))).toEqual(TAKEN);
    expect(await one.reply(envelope('Request', content, { ...answered, to_agent: 'nobody' }))).toMatchObject({
      taken: false,
      problems: ['nobody here takes a request for "nobody"'],
    });
    await one.crew.test.settle();
    expect(one.crew.openCards().map(({ item, kind, title }) => [item, kind, title])).toEqual([
      ['AAPL', 'agent.alert', 'desk-7 says'],
      ['AAPL', 'finding.critical', 'desk-7 says'],
    ]);
  });

  it('CA-095: a Challenge in the fields of the seed opens a debate in the name of its sender', async () => {
    const one = await peer();
    const content = { stock_id: 'AAPL', ...CHALLENGE };
    expect(await one.reply(envelope('Challenge', content, { requires_response: true }))).toMatchObject(TAKEN);
    await one.crew.test.settle();
    expect(one.crew.debates()).toMatchObject([{ id: 'margin', item: 'AAPL', challenger: 'desk-7' }]);
  });
});

describe('a desk with fifty unread envelopes', () => {
  it('CA-089: refuses the others of a burst, and takes them when they are tried again after 100 ms', async () => {
    const one = await peer();
    const requests = Array.from({ length: 60 }, (_, n) =>
      envelope('Finding', { stock_id: 'AAPL', content: `note ${n}` }, { message_id: `m-${n}`, priority: 'normal' }),
    );
    const first = await one.burst(requests);
    const refused = requests.filter((_, n) => (first[n]!['e'] as { code?: string } | undefined) !== undefined);
    expect(refused).toHaveLength(10);
    expect(first.slice(-10)).toMatchObject(refused.map(() => ({ e: { code: 'BOSUN_MAILBOX_FULL', retryable: true } })));
    await one.crew.test.advance(nextTryMs('normal', 1)!);
    expect((await one.burst(refused)).map((frame) => (frame['r'] as { reply: unknown }).reply)).toMatchObject(
      refused.map(() => ({ ...TAKEN, isRepeat: false })),
    );
  });
});

describe('a message that is sent again', () => {
  it('CN-003: is taken once per id, across a power cut, and a different message under its id is refused', async () => {
    const one = await peer();
    const pause = envelope('PAUSE_REQUEST', PAUSE, { message_id: 'm-1' });
    expect(await one.reply(pause)).toEqual({ ...TAKEN, messageId: 'm-1', isRepeat: false });
    await one.powerCut();
    expect(await one.reply(pause)).toEqual({ ...TAKEN, messageId: 'm-1', isRepeat: true });
    expect(await one.reply({ ...pause, from_agent: 'desk-8' })).toMatchObject({ isRepeat: false });
    expect(await one.reply({ ...pause, priority: 'low' })).toEqual({
      taken: false,
      problems: ['envelope.message_id: desk-7 has sent another message as "m-1"'],
    });
  });

  it('CN-003: is recognised by its whole content if it has no id', async () => {
    const one = await peer();
    const pause = envelope('PAUSE_REQUEST', PAUSE);
    expect(await one.reply(pause)).toMatchObject({ isRepeat: false });
    expect(await one.reply(pause)).toMatchObject({ isRepeat: true });
    expect(await one.reply({ ...pause, timestamp: '2026-01-01T14:48:00Z' })).toMatchObject({ isRepeat: false });
  });

  it('is recognised among the last 10,000 messages', LONG, async () => {
    const coordinator = defineAgent({ name: 'ear', machine: createMachine({}), events: {} });
    const { shard: system } = await startMachines({
      agents: [messageDesk, coordinator],
      tree: { children: [...messageChildren(), { id: 'ear', systemId: COORDINATOR, agent: 'ear' }] },
    });
    const post = (n: number) => ({
      type: 'message.post',
      envelope: envelope('PAUSE_REQUEST', PAUSE, { message_id: `m-${n}` }),
    });
    for (let n = 0; n < ENVELOPES_KNOWN_MAX; n += BACKPRESSURE_DEPTH) {
      const sent = Array.from({ length: BACKPRESSURE_DEPTH }, (_, index) => system.send('messages', post(n + index)));
      await Promise.all(sent);
      await system.idle();
    }
    expect(await system.ask('messages', post(0))).toMatchObject({ isRepeat: true });
    await system.send('messages', post(ENVELOPES_KNOWN_MAX));
    expect(await system.ask('messages', post(1))).toMatchObject({ isRepeat: true });
    expect(await system.ask('messages', post(0))).toMatchObject({ isRepeat: false });
  });
});

describe('a malformed message', () => {
  const refusals: readonly (readonly [what: string, sent: object, field: string])[] = [
    ['an unknown type', envelope('PAUSE_REQEST', PAUSE), 'envelope.message_type: unknown message type "PAUSE_REQEST"'],
    ['a misspelt type', envelope('PAUSE_REQEST', PAUSE), 'did you mean "PAUSE_REQUEST"'],
    [
      'a value that is none',
      envelope('PAUSE_REQUEST', { ...PAUSE, trigger_source: 'WHIM' }),
      'content.trigger_source:',
    ],
    ['a missing field', envelope('PAUSE_REQUEST', { stock_id: 'AAPL' }), 'content.checkpoint_id:'],
    [
      'a strange field',
      envelope('Finding', { stok_id: 'A' }),
      'content.stok_id: Finding has no such field; did you me',
    ],
    [
      'a name of the crew in place of the seed',
      envelope('Alert', { item: 'A' }),
      'content.item: Alert has no such field',
    ],
    ['a time that is none', envelope('AGENT_FAILURE_EVENT', { ...FAILURE, timestamp: 'soon' }), 'content.timestamp:'],
    ['another receiver', envelope('PAUSE_REQUEST', PAUSE, { to_agent: 'BatchManager' }), 'envelope.to_agent:'],
    ['a priority that is none', { ...envelope('Alert', {}), priority: 'urgent' }, 'envelope.priority:'],
    ['a strange part of the envelope', { ...envelope('Alert', {}), form_agent: 'a' }, 'form_agent'],
    ['somebody else as challenger', envelope('Challenge', { ...CHALLENGE, challenger: 'eve' }), 'content.challenger:'],
    ['a challenge without an id', envelope('Challenge', { ...CHALLENGE, challenge_id: '?' }), 'content.challenge_id:'],
  ];

  it('CA-087, CN-024: is refused with a typed error that names the field as its sender wrote it', async () => {
    const one = await peer();
    for (const [what, sent, field] of refusals) {
      const { e } = (await one.post(sent)) as { e?: { code: string; message: string } };
      expect([what, e?.code, e?.message]).toEqual([what, 'BOSUN_EVENT_INVALID', expect.stringContaining(field)]);
    }
    expect(one.crew.phases()).toEqual(ITEMS.map(() => 'running'));
  });
});

it('the message desk passes on only events that their receivers handle', () => {
  const bySystemId = new Map(
    crewTree(planOf({ stages: { a: { agent: 'a' } }, items: ['A'] })).children.flatMap((child) =>
      'agent' in child ? [[child.systemId, child.agent] as const] : [],
    ),
  );
  const missing = doorways().filter(({ type, to }) => {
    const agent = crewAgents.find(({ name }) => name === bySystemId.get(to));
    return !agent!.machine.events.includes(type);
  });
  expect(missing).toEqual([]);
});
