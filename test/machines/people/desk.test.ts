/** Desks and the actors of their items: every order is replied to, whatever becomes of the item. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  DESK_ORDERS_OPEN_MAX,
  GATE_ANSWER_BYTES_MAX,
  GATE_AUDIENCE_MAX,
  GATE_TIMEOUT_BYTES_MAX,
} from '../../../src/limits.ts';
import { batchManager } from '../../../src/machines/coordination/batches/batch-manager.ts';
import { debateFacilitator } from '../../../src/machines/coordination/debates/debate-facilitator.ts';
import { failureCorrelator } from '../../../src/machines/coordination/failures/failure-correlator.ts';
import { DESKS } from '../../../src/machines/work/system-ids.ts';
import { alertDesk } from '../../../src/machines/people/alerts/alert-desk.ts';
import { type GateDeskContext, gateDesk } from '../../../src/machines/people/gates/gate-desk.ts';
import { formOf } from '../../../src/machines/people/gates/gate-form.ts';
import { type OrderReply } from '../../../src/machines/people/turn.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { CHALLENGE, EVIDENCE } from '../../support/machines/debate-room.ts';
import { startWholeCrew, type WholeCrew } from '../../support/machines/whole-crew.ts';

let crew: WholeCrew;
afterEach(() => crew.test.system.stop());

async function start(): Promise<void> {
  crew = await startWholeCrew(planOf({ stages: { draft: { agent: 'writer' } }, items: ['A'] }), {
    writer: () => Promise.resolve('done'),
  });
}

const QUESTION = {
  id: 'q',
  kind: 'review',
  title: 'Print it?',
  package: {},
  audience: ['*'],
  form: formOf(z.object({ decision: z.enum(['yes', 'no']) })),
  deadlineMs: 3_600_000,
};
const YES = { type: 'gate.answer', gate: 'q', by: 'ada', answer: { decision: 'yes' } };
const observations = [{ atMs: 0, context: CHALLENGE.context, regime: 'NORMAL', isRight: true, isOverridden: null }];
const readings = { volatility: 15, indexChange: 0.05, rate: 2 };

/** Fields of one order of each kind, all of them about what is not there. */
const ORDERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'gate.open': QUESTION,
  'gate.answer': { ...YES, gate: 'none' },
  'gate.withdraw': { gate: 'none' },
  'gate.extend': { gate: 'none', byMs: 1_000 },
  'alert.open': { id: 'none' },
  'alert.acknowledge': { id: 'none', by: 'ada' },
  'alert.choose': { id: 'none', action: 'resume', by: 'ada' },
  'batch.pause': { items: ['Z'], reason: 'r' },
  'batch.resume': { batchId: 'none' },
  'agent.failure': {
    item: 'Z',
    agentType: 'writer',
    errorType: 'NoInk',
    errorMessage: 'no ink',
    dataSource: null,
    atMs: 0,
  },
  'correlation.group': { items: ['Y', 'Z'] },
  'correlation.resolve': { correlationId: 'none' },
  'debate.challenge': CHALLENGE,
  'debate.acknowledge': { debate: 'none', by: 'bob' },
  'debate.respond': { debate: 'none', by: 'bob', ...EVIDENCE },
  'debate.accept': { debate: 'none', by: 'bob' },
  'debate.take-up': { debate: 'none', by: 'eve' },
  'debate.review': { debate: 'none', by: 'eve' },
  'debate.outcome': { debate: 'none', right: 'both' },
  'agent.observed': { agent: 'ada', observations },
  'expert.available': { expert: 'eve' },
  'expert.unavailable': { expert: 'eve' },
  'regime.readings': { readings },
  'gate.planned': { gate: 'G4', atMs: 1 },
  'gate.reached': { gate: 'G4' },
};

const QUESTIONS = /\.(list|status|detect|provisionals|loads|queue|patterns)$/;
const AGENTS = [
  [DESKS.gates, gateDesk],
  [DESKS.alerts, alertDesk],
  [DESKS.batches, batchManager],
  [DESKS.correlator, failureCorrelator],
  [DESKS.debates, debateFacilitator],
] as const;
const ordersOf = ({ events }: { readonly events: object }) =>
  Object.keys(events).filter((type) => !QUESTIONS.test(type));

const reply = expect.objectContaining({ taken: expect.any(Boolean), problems: expect.any(Array) }) as OrderReply;

describe('a desk', () => {
  it('replies to every order, about what is not there too', async () => {
    await start();
    expect(AGENTS.flatMap(([, agent]) => ordersOf(agent)).sort()).toEqual(Object.keys(ORDERS).sort());
    for (const [address, agent] of AGENTS)
      for (const type of ordersOf(agent)) {
        const said = await crew.ask<OrderReply>(address, { ...ORDERS[type], type });
        expect([type, said]).toEqual([type, reply]);
        if (Object.values(ORDERS[type]!).includes('none')) expect([type, said.taken]).toEqual([type, false]);
      }
  });

  it('D8: replies to what a side or an expert says of a debate, at every level', async () => {
    await start();
    await crew.ask(DESKS.debates, { type: 'debate.challenge', ...CHALLENGE });
    const say = (type: string, by: string) => crew.ask<OrderReply>(DESKS.debates, { type, debate: 'd-1', by });
    expect(await say('debate.acknowledge', 'ada')).toEqual({
      taken: false,
      problems: ['ada has nothing to acknowledge'],
    });
    expect(await say('debate.acknowledge', 'bob')).toEqual({ taken: true, problems: [] });
    expect(await say('debate.take-up', 'eve')).toEqual({ taken: false, problems: ['eve is not its expert'] });
    expect(await say('debate.accept', 'eve')).toEqual({ taken: false, problems: ['eve is no side of this debate'] });
    expect(await say('debate.accept', 'bob')).toEqual({ taken: true, problems: [] });
    expect(await say('debate.accept', 'ada')).toEqual({ taken: false, problems: ['debate "d-1" is over: consensus'] });
  });

  it('D8: replies to more time and to a withdrawal', async () => {
    await start();
    await crew.ask(DESKS.gates, { type: 'gate.open', ...QUESTION });
    await crew.ask(DESKS.gates, { type: 'gate.open', ...QUESTION, id: 'ever', deadlineMs: null });
    const extend = (gate: string) => crew.ask<OrderReply>(DESKS.gates, { type: 'gate.extend', gate, byMs: 1_000 });
    expect(await extend('q')).toEqual({ taken: true, problems: [] });
    expect(await extend('ever')).toEqual({
      taken: false,
      problems: ['it waits as long as it takes, and needs no more time'],
    });
    expect(await crew.ask(DESKS.gates, { type: 'gate.withdraw', gate: 'q' })).toEqual({ taken: true, problems: [] });
    expect(await extend('q')).toEqual({ taken: false, problems: ['gate "q" is closed: withdrawn'] });
  });

  it('holds what comes before the item has begun, and refuses what the item ends before', async () => {
    await start();
    const { system } = crew.test;
    const opened = system.ask(DESKS.gates, { type: 'gate.open', ...QUESTION });
    const answers = [YES, { ...YES, by: 'bob' }].map((answer) => system.ask(DESKS.gates, answer));
    await crew.test.settle();
    expect(await opened).toEqual({ taken: true, problems: [] });
    expect(await Promise.all(answers)).toEqual([
      { taken: true, problems: [] },
      { taken: false, problems: ['gate "q" is closed: answered'] },
    ]);
  });

  it('refuses what an item was asked whose actor was ended, over a power cut', async () => {
    await start();
    const { system } = crew.test;
    await crew.ask(DESKS.gates, { type: 'gate.open', ...QUESTION });
    const asked = system.ask(DESKS.gates, YES);
    const ended = system.boss(DESKS.openGates).terminateChild('q');
    await crew.test.settle();
    await ended;
    expect(await asked).toEqual(reply);
    await crew.powerCut();
    expect(crew.gates().map(({ isOver }) => isOver)).toEqual([true]);
    expect((system.snapshot(DESKS.gates)!.context as GateDeskContext).held.size).toBe(0);
  });

  it('takes answers and what holds without one up to their bounds, and so many at a time', async () => {
    await start();
    const wide = (bytes: number) => ({ ...YES, answer: { decision: 'yes', note: 'x'.repeat(bytes - 100) } });
    const onTimeout = { name: 'print', value: 'x'.repeat(GATE_TIMEOUT_BYTES_MAX - 100) };
    const audience = ['*', ...Array.from({ length: GATE_AUDIENCE_MAX - 1 }, () => 'x'.repeat(200))];
    const question = { ...QUESTION, form: { type: 'object' }, onTimeout, audience };
    const { system } = crew.test;
    const opened = system.ask(DESKS.gates, { type: 'gate.open', ...question });
    const answers = Array.from({ length: DESK_ORDERS_OPEN_MAX + 1 }, () =>
      system.ask<OrderReply>(DESKS.gates, wide(GATE_ANSWER_BYTES_MAX)),
    );
    await crew.test.settle();
    expect(await opened).toEqual({ taken: true, problems: [] });
    const [first, ...others] = await Promise.all(answers);
    expect(first).toEqual({ taken: true, problems: [] });
    expect(others.every(({ taken }) => !taken)).toBe(true);
    expect(others.at(-1)!.problems).toEqual([`gate "q" has ${DESK_ORDERS_OPEN_MAX} orders to answer first`]);
    expect(system.deadLetters.list().filter(({ error }) => error !== undefined)).toEqual([]);
    expect(crew.gates()).toMatchObject([{ phase: 'answered', result: { onTimeout } }]);
  });

  it('refuses answers and what holds without one over their bounds', async () => {
    await start();
    const large = 'x'.repeat(GATE_ANSWER_BYTES_MAX);
    const ask = (event: { type: string }) => crew.test.system.ask<OrderReply>(DESKS.gates, event);
    await expect(ask({ ...YES, answer: large } as { type: string })).rejects.toThrow(/larger than \d+ bytes/);
    const question = { type: 'gate.open', ...QUESTION, onTimeout: { name: 'print', value: large } };
    await expect(ask(question)).rejects.toThrow(/larger than \d+ bytes/);
  });
});
