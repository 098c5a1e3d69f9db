/** Desks and the actors of their items: every order is replied to, whatever becomes of the item. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  DESK_ORDERS_OPEN_MAX,
  GATE_ANSWER_BYTES_MAX,
  GATE_AUDIENCE_BYTES_MAX,
  GATE_AUDIENCE_MAX,
  GATE_TIMEOUT_BYTES_MAX,
} from '../../../src/machines/limits.ts';
import { batchManager } from '../../../src/machines/coordination/batches/batch-manager.ts';
import { debateFacilitator } from '../../../src/machines/coordination/debates/debate-facilitator.ts';
import { leadCoordinator } from '../../../src/machines/coordination/coordinator/lead-coordinator.ts';
import { failureCorrelator } from '../../../src/machines/coordination/failures/failure-correlator.ts';
import { DESKS } from '../../../src/machines/desks.ts';
import { alertDesk } from '../../../src/machines/people/alerts/alert-desk.ts';
import { type GateDeskContext, gateDesk } from '../../../src/machines/people/gates/gate-desk.ts';
import { formOf } from '../../../src/machines/people/gates/gate-form.ts';
import { type OrderReply, TAKEN } from '../../../src/machines/rules/turn.ts';
import { textBytes } from '../../../src/text-bytes.ts';
import { textOfBytes } from '../../support/text-of-bytes.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { CHALLENGE, EVIDENCE } from '../../support/machines/debate-room.ts';
import { startWholeCrew, type WholeCrew } from '../../support/machines/whole-crew.ts';

let crew: WholeCrew;
afterEach(() => crew.test.shard.stop());

async function start(): Promise<void> {
  crew = await startWholeCrew(planOf({ pack: 'finance', stages: { draft: { agent: 'writer' } }, items: ['A'] }), {
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
const TALK = { from: 'writer', to: null, item: 'A', content: 'x', priority: 'normal', requiresResponse: true };
const observations = [{ atMs: 0, context: CHALLENGE.context, regime: 'NORMAL', isRight: true, isOverridden: null }];
const readings = { volatility: 15, indexChange: 0.05, rate: 2 };

/** Fields of one order of each kind, each about something that does not exist. */
const ORDERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'gate.open': QUESTION,
  'gate.answer': { ...YES, gate: 'none' },
  'gate.withdraw': { gate: 'none', by: 'ada' },
  'gate.extend': { gate: 'none', by: 'ada', byMs: 1_000 },
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
  'plan.pause': { item: 'none' },
  'plan.resume': { item: 'none' },
  'checkpoint.preserve': { task: 'none', isPreserved: true },
  'pause.request': { item: 'none', reason: 'r', checkpointId: null, trigger: 'MANUAL' },
  'resume.command': { item: 'none', resumePlan: null, notify: false },
  'pause.extend': { item: 'none', untilMs: 1, reason: 'r' },
  'pause.expire': { item: 'none', reason: 'r' },
  'cause.cleared': { items: ['Z'], cause: 'none' },
  'item.cancel': { item: 'none' },
  'capacity.set': { agentType: 'none', capacity: 1 },
  'gate.request': { item: 'none', gate: 'G3', title: 't', audience: ['ada'], remindAfterMs: [], deadlineMs: null },
  'gate.validate': { item: 'none', gate: 'G3', by: 'ada' },
  'talk.finding': { ...TALK, item: 'none' },
  'talk.request': { ...TALK, to: 'none' },
  'talk.challenge': { ...TALK, content: CHALLENGE },
  'talk.confirmation': { ...TALK, content: { debate: 'none' }, to: 'none' },
  'talk.alert': TALK,
};

const QUESTIONS = /\.(report|state|list|status|detect|provisionals|loads|queue|patterns)$/;
const AGENTS = [
  [DESKS.gates, gateDesk],
  [DESKS.alerts, alertDesk],
  [DESKS.batches, batchManager],
  [DESKS.correlator, failureCorrelator],
  [DESKS.debates, debateFacilitator],
  [DESKS.coordinator, leadCoordinator],
] as const;
const ordersOf = ({ events }: { readonly events: object }) =>
  Object.keys(events).filter((type) => !QUESTIONS.test(type));

const reply = expect.objectContaining({ taken: expect.any(Boolean), problems: expect.any(Array) }) as OrderReply;

describe('a desk', () => {
  it('replies to every order, even about an item that does not exist (D8)', async () => {
    await start();
    expect(AGENTS.flatMap(([, agent]) => ordersOf(agent)).sort()).toEqual(Object.keys(ORDERS).sort());
    for (const [address, agent] of AGENTS)
      for (const type of ordersOf(agent)) {
        const said = await crew.ask<OrderReply>(address, { ...ORDERS[type], type });
        expect([type, said]).toEqual([type, reply]);
        if (Object.values(ORDERS[type]!).includes('none')) expect([type, said.taken]).toEqual([type, false]);
      }
  });

  it('D8: replies to every order of a side or an expert in a debate, at every level', async () => {
    await start();
    await crew.ask(DESKS.debates, { type: 'debate.challenge', ...CHALLENGE });
    const say = (type: string, by: string) => crew.ask<OrderReply>(DESKS.debates, { type, debate: 'd-1', by });
    expect(await say('debate.acknowledge', 'ada')).toEqual({
      taken: false,
      problems: ['ada has nothing to acknowledge'],
    });
    expect(await say('debate.acknowledge', 'bob')).toEqual({ taken: true, problems: [] });
    expect(await say('debate.take-up', 'eve')).toEqual({
      taken: false,
      problems: ['eve is not the expert of this debate'],
    });
    expect(await say('debate.accept', 'eve')).toEqual({ taken: false, problems: ['eve is no side of this debate'] });
    expect(await say('debate.accept', 'bob')).toEqual({ taken: true, problems: [] });
    expect(await say('debate.accept', 'ada')).toEqual({ taken: false, problems: ['debate "d-1" is over: consensus'] });
  });

  it('D8: replies to an extension and to a withdrawal', async () => {
    await start();
    await crew.ask(DESKS.gates, { type: 'gate.open', ...QUESTION });
    await crew.ask(DESKS.gates, { type: 'gate.open', ...QUESTION, id: 'ever', deadlineMs: null });
    const extend = (gate: string) =>
      crew.ask<OrderReply>(DESKS.gates, { type: 'gate.extend', gate, by: 'ada', byMs: 1_000 });
    expect(await extend('q')).toEqual({ taken: true, problems: [] });
    expect(await extend('ever')).toEqual({
      taken: false,
      problems: ['the gate has no deadline to extend'],
    });
    const withdraw = { type: 'gate.withdraw', gate: 'q', by: 'ada' };
    expect(await crew.ask(DESKS.gates, withdraw)).toEqual({ taken: true, problems: [] });
    expect(await extend('q')).toEqual({ taken: false, problems: ['gate "q" is closed: withdrawn'] });
  });

  it('replies to every order about an item of the plan, in any state of the item (D8)', async () => {
    const idle = { stages: { draft: { agent: 'writer' } }, items: ['A', 'B', 'C'] };
    crew = await startWholeCrew(planOf(idle), { writer: () => new Promise(() => {}) });
    const order = (type: string, item: string, rest: object = {}) =>
      crew.ask<OrderReply>(DESKS.coordinator, { type, item, ...rest });
    const refusal = (problem: string) => ({ taken: false, problems: [problem] });
    expect(await order('plan.pause', 'A')).toEqual(TAKEN);
    expect(await order('plan.pause', 'A')).toEqual(refusal('A is pausing already'));
    expect(await order('plan.resume', 'A')).toEqual(refusal('A is pausing'));
    await crew.test.advance(25 * 3_600_000);
    expect(await order('plan.resume', 'A')).toEqual(TAKEN);
    expect(await order('plan.resume', 'A')).toEqual(refusal('A is not paused'));
    expect(await order('item.cancel', 'B')).toEqual(TAKEN);
    expect(await order('item.cancel', 'B')).toEqual(refusal('B has failed'));
    expect(await order('plan.resume', 'B')).toEqual(refusal('B has failed'));
    expect(await order('cause.cleared', 'A', { items: ['A', 'C', 'Z'], cause: 'mended' })).toEqual({
      taken: true,
      problems: ['C is not paused', 'no item "Z" in the plan'],
    });
  });

  it('holds orders that arrive before their item has begun, and refuses those left when it ends', async () => {
    await start();
    const { shard: system } = crew.test;
    const opened = system.ask(DESKS.gates, { type: 'gate.open', ...QUESTION });
    const answers = [YES, { ...YES, by: 'bob' }].map((answer) => system.ask(DESKS.gates, answer));
    await crew.test.settle();
    expect(await opened).toEqual({ taken: true, problems: [] });
    expect(await Promise.all(answers)).toEqual([
      { taken: true, problems: [] },
      { taken: false, problems: ['gate "q" is closed: answered'] },
    ]);
  });

  it('refuses a pending order to an item whose actor is ended, across a power cut', async () => {
    await start();
    const { shard: system } = crew.test;
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

  it.each(['x', '漢'])(
    'takes answers and default answers up to their size limits, some at once, in text of %s',
    async (character) => {
      await start();
      const wide = (bytes: number) => ({
        ...YES,
        answer: { decision: 'yes', note: textOfBytes(bytes - 100, character) },
      });
      const onTimeout = { name: 'print', value: textOfBytes(GATE_TIMEOUT_BYTES_MAX - 100, character) };
      const nameChars = Math.min(
        200,
        Math.floor((GATE_AUDIENCE_BYTES_MAX / GATE_AUDIENCE_MAX - 9) / textBytes(character)),
      );
      const audience = ['*', ...Array.from({ length: GATE_AUDIENCE_MAX - 1 }, () => character.repeat(nameChars))];
      const question = { ...QUESTION, form: { type: 'object' }, onTimeout, audience };
      const { shard: system } = crew.test;
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
    },
  );

  it('refuses answers and default answers above their size limits', async () => {
    await start();
    const large = 'x'.repeat(GATE_ANSWER_BYTES_MAX);
    const ask = (event: { type: string }) => crew.test.shard.ask<OrderReply>(DESKS.gates, event);
    await expect(ask({ ...YES, answer: large } as { type: string })).rejects.toThrow(/larger than \d+ bytes/);
    const question = { type: 'gate.open', ...QUESTION, onTimeout: { name: 'print', value: large } };
    await expect(ask(question)).rejects.toThrow(/larger than \d+ bytes/);
  });

  it('B6: takes names of an audience up to their bound in bytes', async () => {
    await start();
    const asked = (more: number) => {
      // A name and the list take nine bytes each beside the text.
      const [full, others] = [Math.floor(GATE_AUDIENCE_BYTES_MAX / 609), (GATE_AUDIENCE_BYTES_MAX % 609) - 18];
      const audience = [...Array.from({ length: full }, () => '漢'.repeat(200)), 'x'.repeat(others + more)];
      return crew.test.shard.ask<OrderReply>(DESKS.gates, { type: 'gate.open', ...QUESTION, audience });
    };
    await expect(asked(1)).rejects.toThrow(`larger than ${GATE_AUDIENCE_BYTES_MAX} bytes`);
    expect(await asked(0)).toEqual({ taken: true, problems: [] });
  });
});
