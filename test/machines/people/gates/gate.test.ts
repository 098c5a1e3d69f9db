/** Gates and their desk on virtual time, with the host killed between the arming and the firing of every timer. */
import { afterEach, describe, expect, it } from 'vitest';
import { type AnyActorRef, assign, enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import {
  DESK_ORDERS_OPEN_MAX,
  GATE_ABOUT_CHARS_MAX,
  GATE_AUDIENCE_MAX,
  GATE_REMINDERS_MAX,
} from '../../../../src/machines/limits.ts';
import { formOf } from '../../../../src/machines/people/gates/gate-form.ts';
import {
  gateAgents,
  type GateDeskContext,
  gateChildren,
  gateDesk,
  gatesIn,
} from '../../../../src/machines/people/gates/gate-desk.ts';
import {
  GATE_PRESETS,
  type GatePresetName,
  type GateWords,
  isLearningDue,
  presetQuestion,
} from '../../../../src/machines/people/gates/gate-presets.ts';
import { PACKS } from '../../../../src/machines/coordination/packs.ts';
import { ANYBODY } from '../../../../src/machines/people/audience.ts';
import { gateQuestion, type GateResult } from '../../../../src/machines/people/gates/gate.ts';
import { DESKS } from '../../../../src/machines/desks.ts';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { startMachines } from '../../../support/machines/machines-under-test.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FORM = formOf(z.object({ decision: z.enum(['yes', 'no']), note: z.string().max(100).optional() }));

/** Stands for a desk of another system: asks at its order, and keeps how its gates ended. */
const asker = defineAgent({
  name: 'asker',
  machine: setup({
    types: {} as {
      context: { results: GateResult[] };
      events: { type: 'ask'; question: object } | { type: 'gate.closed'; result: GateResult };
    },
  }).createMachine({
    context: { results: [] },
    on: {
      ask: {
        actions: enqueueActions(({ event, enqueue, self, system }) => {
          enqueue.sendTo(
            system.get(DESKS.gates) as AnyActorRef,
            { type: 'gate.open', ...event.question, askedBy: self } as never,
          );
        }),
      },
      'gate.closed': { actions: assign({ results: ({ context, event }) => [...context.results, event.result] }) },
    },
  }),
  events: { ask: z.object({ question: z.looseObject({}) }) },
});

/** Stands for the desk of alerts: keeps what it was asked to say. */
const alerts = defineAgent({
  name: 'alerts',
  machine: setup({
    types: {} as { context: { said: string[] }; events: { type: 'alert.raise'; title: string; detail: string } },
  }).createMachine({
    context: { said: [] },
    on: {
      'alert.raise': {
        actions: assign({ said: ({ context, event }) => [...context.said, `${event.title} ${event.detail}`] }),
      },
    },
  }),
  events: {},
  internal: ['alert.raise'],
});

let running: TestSystem | undefined;
afterEach(async () => {
  await running?.shard.stop();
  running = undefined;
});

async function start({ withAlerts = true } = {}): Promise<TestSystem> {
  const children = [
    ...(withAlerts ? [{ id: DESKS.alerts, systemId: DESKS.alerts, agent: 'alerts' }] : []),
    ...gateChildren(),
    { id: 'asker', agent: 'asker' },
  ];
  return (running = await startMachines({ agents: [...gateAgents, asker, alerts], tree: { children } }));
}

const QUESTION = {
  id: 'q-1',
  kind: 'review',
  title: 'Print it?',
  package: { pages: 3 },
  audience: ['ada', 'bob'],
  form: FORM,
  deadlineMs: DAY_MS,
  remindAfterMs: [20 * HOUR_MS, 12 * HOUR_MS],
};

async function open(test: TestSystem, question: object = {}): Promise<void> {
  await test.shard.send('asker', { type: 'ask', question: { ...QUESTION, ...question } });
  await test.settle();
}

/** The reply to an order, without advancing the clock. */
async function ask(
  test: TestSystem,
  event: { type: string; [field: string]: unknown },
  to: string = DESKS.gates,
): Promise<unknown> {
  const asked = test.shard.ask(to, event);
  await test.settle();
  return asked;
}

async function powerCut(test: TestSystem): Promise<void> {
  await test.crash();
  await test.restart();
}

/** Cuts the power, and starts the system again after a time. */
async function beDown(test: TestSystem, ms: number): Promise<void> {
  await test.crash();
  await test.clock.advance(ms, async () => {});
  await test.restart();
  await test.settle();
}

const deskOf = (test: TestSystem) => test.shard.snapshot(DESKS.gates)!.context as GateDeskContext;
const recordOf = (test: TestSystem, id = 'q-1') => gatesIn(deskOf(test)).find((record) => record.id === id)!;
const results = (test: TestSystem) => (test.shard.snapshot('asker')!.context as { results: GateResult[] }).results;
const said = (test: TestSystem) => (test.shard.snapshot(DESKS.alerts)!.context as { said: string[] }).said;
const valueAt = (test: TestSystem, address: string) => test.shard.snapshot(address)?.value;

describe('a gate', () => {
  it('CA-008: is a question with its package, held by its own actor and listed by the desk', async () => {
    const test = await start();
    await open(test);
    expect(valueAt(test, 'open-gates/q-1')).toEqual({ waiting: 'open' });
    expect(await ask(test, { type: 'gate.list', audience: 'ada' })).toMatchObject([
      { id: 'q-1', phase: 'open', title: 'Print it?', deadlineAtMs: test.clock.wallMs() + DAY_MS },
    ]);
    expect(await ask(test, { type: 'gate.list', audience: 'eve' })).toEqual([]);
    expect(test.shard.snapshot('open-gates/q-1')!.context).toMatchObject({ question: { package: { pages: 3 } } });
  });

  it(
    'CA-008: is answered once, in its form, by its audience; its asker is told, and the response time is ' + 'recorded',
    async () => {
      const test = await start();
      await open(test);
      await test.advance(2 * HOUR_MS);
      const answer = (by: string, given: unknown) => ask(test, { type: 'gate.answer', gate: 'q-1', by, answer: given });
      expect(await answer('eve', { decision: 'yes' })).toEqual({
        taken: false,
        problems: ['by: eve is not among those asked'],
      });
      expect(await answer('ada', { decision: 'maybe' })).toMatchObject({
        taken: false,
        problems: [expect.stringContaining('decision')],
      });
      expect(await answer('ada', undefined)).toMatchObject({ taken: false });
      expect(await answer('ada', { decision: 'yes' })).toEqual({ taken: true, problems: [] });
      expect(await answer('bob', { decision: 'no' })).toEqual({
        taken: false,
        problems: ['gate "q-1" is closed: answered'],
      });
      expect(results(test)).toMatchObject([
        { gate: 'q-1', outcome: 'answered', answer: { decision: 'yes' }, by: 'ada' },
      ]);
      expect(recordOf(test)).toMatchObject({ phase: 'answered', isOver: true, answeredAfterMs: 2 * HOUR_MS });
      expect(test.shard.snapshot('open-gates/q-1')).toBe(undefined);
    },
  );

  it('CA-008: reminds its audience through alerts at the requested times, across power cuts', async () => {
    const test = await start();
    await open(test);
    await powerCut(test);
    await test.advance(12 * HOUR_MS - 1);
    expect(said(test)).toEqual(['Print it? Waiting for an answer.']);
    await test.advance(1);
    expect(said(test).at(-1)).toBe('Print it? Still no answer, reminder 1.');
    expect(recordOf(test).phase).toBe('reminded');
    await powerCut(test);
    await test.advance(8 * HOUR_MS);
    expect(said(test).at(-1)).toBe('Print it? Still no answer, reminder 2.');
    expect(await ask(test, { type: 'gate.answer', gate: 'q-1', by: 'bob', answer: { decision: 'no' } })).toEqual({
      taken: true,
      problems: [],
    });
    await test.advance(DAY_MS);
    expect(said(test)).toHaveLength(3);
    expect(results(test)).toMatchObject([{ outcome: 'answered', reminders: 2 }]);
  });

  it('gives one reminder after a downtime, the last of those that passed, and then goes on', async () => {
    const test = await start();
    const remindAfterMs = [1, 2, 3, 4, 6].map((hours) => hours * HOUR_MS);
    await open(test, { remindAfterMs });
    await beDown(test, 5 * HOUR_MS);
    expect(said(test).slice(1)).toEqual(['Print it? Still no answer, reminder 4.']);
    await test.advance(HOUR_MS);
    expect(said(test).slice(2)).toEqual(['Print it? Still no answer, reminder 5.']);
    await ask(test, { type: 'gate.answer', gate: 'q-1', by: 'bob', answer: { decision: 'no' } });
    expect(results(test)).toMatchObject([{ outcome: 'answered', reminders: 2 }]);
  });

  it('gives no reminder after a downtime in which its deadline passed', async () => {
    const test = await start();
    await open(test, { remindAfterMs: [HOUR_MS, DAY_MS], deadlineMs: DAY_MS });
    await beDown(test, 30 * HOUR_MS);
    expect(said(test)).toHaveLength(1);
    expect(results(test)).toMatchObject([{ outcome: 'timedOut', reminders: 0 }]);
  });

  it('gives the reminders that an extended deadline leaves room for', async () => {
    const test = await start();
    await open(test, { remindAfterMs: [DAY_MS + HOUR_MS], deadlineMs: DAY_MS });
    await ask(test, { type: 'gate.extend', gate: 'q-1', by: 'ada', byMs: DAY_MS });
    await beDown(test, DAY_MS + 2 * HOUR_MS);
    expect(said(test).slice(1)).toEqual(['Print it? Still no answer, reminder 1.']);
  });

  it('gives no reminder at the very time at which an extended deadline ends it', async () => {
    const test = await start();
    await open(test, { remindAfterMs: [2 * DAY_MS], deadlineMs: DAY_MS });
    await ask(test, { type: 'gate.extend', gate: 'q-1', by: 'ada', byMs: DAY_MS });
    await test.advance(2 * DAY_MS - 1);
    expect(recordOf(test).phase).toBe('open');
    await test.advance(1);
    expect(said(test)).toHaveLength(1);
    expect(results(test)).toMatchObject([{ outcome: 'timedOut', reminders: 0 }]);
  });

  it('is named by item, stage and proposal: at the desk, in its events and in its alerts (N4)', async () => {
    const test = await start();
    const emitted: object[] = [];
    test.shard.onEmitted((_, event) => emitted.push(event));
    const about = { item: 'ACME', stage: 'valuation', proposal: 'Buy at 182' };
    await open(test, about);
    expect(recordOf(test)).toMatchObject(about);
    expect(await ask(test, { type: 'gate.list' })).toMatchObject([about]);
    expect(said(test)).toEqual(['ACME/valuation: Print it? Proposed: Buy at 182\nWaiting for an answer.']);
    await ask(test, { type: 'gate.answer', gate: 'q-1', by: 'bob', answer: { decision: 'no' } });
    expect(emitted).toMatchObject([
      { type: 'gate.opened', title: 'Print it?', ...about },
      { type: 'gate.closed', title: 'Print it?', ...about },
    ]);
  });

  it('needs neither item, stage nor proposal, and limits the length of each (N4)', async () => {
    const test = await start();
    await open(test);
    expect(recordOf(test)).toMatchObject({ item: null, stage: null, proposal: null });
    const texts = (length: number) => ({ ...QUESTION, proposal: 'x'.repeat(length) });
    expect(gateQuestion.safeParse(texts(GATE_ABOUT_CHARS_MAX)).success).toBe(true);
    expect(gateQuestion.safeParse(texts(GATE_ABOUT_CHARS_MAX + 1)).success).toBe(false);
  });

  it('times out at its deadline to the millisecond, across a power cut, and hands on its default answer', async () => {
    const test = await start();
    await open(test, { onTimeout: { name: 'standard', value: { decision: 'no' } } });
    await powerCut(test);
    await test.advance(DAY_MS - 1);
    expect(results(test)).toEqual([]);
    await powerCut(test);
    await test.advance(1);
    expect(results(test)).toMatchObject([
      { outcome: 'timedOut', answer: null, onTimeout: { name: 'standard', value: { decision: 'no' } } },
    ]);
    expect(recordOf(test).phase).toBe('timedOut');
  });

  it('times out if its deadline passes while the host is down', async () => {
    const test = await start();
    await open(test);
    await test.crash();
    await test.clock.advance(3 * DAY_MS, async () => {});
    await test.restart();
    expect(results(test)).toMatchObject([{ outcome: 'timedOut' }]);
  });

  it('waits for ever without a deadline', async () => {
    const test = await start();
    await open(test, { deadlineMs: null });
    for (let month = 0; month < 12; month++) {
      await test.advance(30 * DAY_MS);
      await powerCut(test);
    }
    expect(recordOf(test).phase).toBe('reminded');
    expect(await ask(test, { type: 'gate.answer', gate: 'q-1', by: 'ada', answer: { decision: 'yes' } })).toEqual({
      taken: true,
      problems: [],
    });
  });

  it('can be extended, counted from its deadline', async () => {
    const test = await start();
    await open(test);
    await tellGate(test, { type: 'gate.extend', by: 'ada', byMs: 2 * HOUR_MS });
    await powerCut(test);
    await test.advance(DAY_MS + 2 * HOUR_MS - 1);
    expect(recordOf(test)).toMatchObject({ isOver: false });
    await test.advance(1);
    expect(recordOf(test).phase).toBe('timedOut');
  });

  it('is withdrawn on order, and its asker is told', async () => {
    const test = await start();
    await open(test);
    await test.shard.send(DESKS.gates, { type: 'gate.withdraw', gate: 'q-1', by: 'ada' });
    await test.settle();
    expect(results(test)).toMatchObject([{ outcome: 'withdrawn' }]);
  });

  it('is also answered at its own address, and by anybody if its audience is anybody', async () => {
    const test = await start({ withAlerts: false });
    await open(test, { audience: [ANYBODY] });
    expect(
      await ask(test, { type: 'gate.answer', gate: 'q-1', by: 'eve', answer: { decision: 'no' } }, 'open-gates/q-1'),
    ).toEqual({ taken: true, problems: [] });
    expect(results(test)).toMatchObject([{ by: 'eve' }]);
  });

  it('loses no answer that arrives before it has begun, even across a power cut', async () => {
    const test = await start();
    const opened = test.shard.send(DESKS.gates, { type: 'gate.open', ...QUESTION });
    const answered = test.shard.send(DESKS.gates, {
      type: 'gate.answer',
      gate: 'q-1',
      by: 'ada',
      answer: { decision: 'yes' },
    });
    await Promise.all([opened, answered]);
    await powerCut(test);
    expect(recordOf(test)).toMatchObject({ phase: 'answered', result: { by: 'ada' } });
  });

  it('fails if an administrator ends it, and its asker is told', async () => {
    const test = await start();
    await open(test);
    await test.shard.boss(DESKS.openGates).terminateChild('q-1');
    await test.settle();
    expect(results(test)).toMatchObject([{ gate: 'q-1', outcome: 'failed' }]);
    expect(recordOf(test).phase).toBe('failed');
  });
});

describe('the gate desk', () => {
  it('refuses a gate that it cannot open and an answer to an unknown gate, and says why', async () => {
    const test = await start();
    await open(test);
    expect(await ask(test, { type: 'gate.open', ...QUESTION })).toEqual({
      taken: false,
      problems: ['a gate "q-1" is there already'],
    });
    expect(await ask(test, { type: 'gate.answer', gate: 'q-2', by: 'ada', answer: 1 })).toEqual({
      taken: false,
      problems: ['no gate "q-2"'],
    });
    for (const flaw of [{ id: 'no address/..' }, { audience: [] }, { form: { type: 'colour' } }, { deadlineMs: 0 }]) {
      await expect(
        test.shard.send(DESKS.gates, { type: 'gate.open', ...QUESTION, id: 'q-3', ...flaw }),
      ).rejects.toMatchObject({ code: 'BOSUN_EVENT_INVALID' });
      await open(test, { id: 'q-3', ...flaw });
    }
    expect(gatesIn(deskOf(test))).toHaveLength(1);
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toEqual([]);
  });

  it('refuses every gate if there is no Boss to start it', async () => {
    const test = (running = await startMachines({
      agents: [gateDesk],
      tree: { children: [{ id: 'desk', agent: 'gate-desk' }] },
    }));
    expect(await ask(test, { type: 'gate.open', ...QUESTION }, 'desk')).toMatchObject({ taken: false });
  });

  it('ignores the asker that a client names', async () => {
    const test = await start();
    await test.shard.send(DESKS.gates, { type: 'gate.open', ...QUESTION, askedBy: 'asker' });
    await test.settle();
    expect(recordOf(test).askedBy).toBe(null);
  });

  it(
    `takes up to ${GATE_AUDIENCE_MAX} people, ${GATE_REMINDERS_MAX} reminders and ${DESK_ORDERS_OPEN_MAX} early ` +
      'answers',
    async () => {
      const many = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
      const isTaken = (fields: object) => gateQuestion.safeParse({ ...QUESTION, ...fields }).success;
      expect(isTaken({ audience: many(GATE_AUDIENCE_MAX).map(String) })).toBe(true);
      expect(isTaken({ audience: many(GATE_AUDIENCE_MAX + 1).map(String) })).toBe(false);
      expect(isTaken({ remindAfterMs: many(GATE_REMINDERS_MAX) })).toBe(true);
      expect(isTaken({ remindAfterMs: many(GATE_REMINDERS_MAX + 1) })).toBe(false);
      const test = await start();
      const answer = { type: 'gate.answer', gate: 'q-1', by: 'ada', answer: {} };
      const opened = test.shard.send(DESKS.gates, { type: 'gate.open', ...QUESTION });
      const asked = many(DESK_ORDERS_OPEN_MAX + 1).map(() => test.shard.ask(DESKS.gates, answer));
      await test.settle();
      await opened;
      const replies = (await Promise.all(asked)) as { problems: string[] }[];
      expect(
        replies.filter(
          ({ problems }) => problems[0] === `gate "q-1" has ${DESK_ORDERS_OPEN_MAX} orders to answer first`,
        ),
      ).toHaveLength(1);
    },
  );
});

describe('the gate presets', () => {
  it.each([
    ['G1', 24, 'top 10'],
    ['G2', 12, 'standard checklist'],
    ['G3', 24, 'conservative'],
    ['G4', 6, 'conservative provisional'],
    ['G6', 48, 'quarantine'],
  ] as const)(
    'CA-137: gate %s times out after %i h, across a power cut, and then "%s" holds',
    async (name, hours, fallback) => {
      const test = await start();
      const asked = { id: 'q-1', package: {}, audience: ['ada'], form: FORM, value: 'X' };
      await open(test, presetQuestion(name, asked, PACKS.finance.gates));
      await powerCut(test);
      await test.advance(hours * HOUR_MS - 1);
      expect(results(test)).toEqual([]);
      await test.advance(1);
      expect(results(test)).toMatchObject([{ outcome: 'timedOut', onTimeout: { name: fallback, value: 'X' } }]);
    },
  );

  it.each([
    ['G1', [12, 22]],
    ['G2', [6, 10]],
    ['G3', [22, 23]],
    ['G4', [3, 5]],
    ['G5', [24, 72, 168, 336, 720]],
    ['G6', [24, 44]],
  ] as const)('CA-137: gate %s reminds after %j h, each time once and not before', async (name, hours) => {
    const test = await start();
    await open(test, presetQuestion(name, { id: 'q-1', package: {}, audience: ['ada'], form: FORM }));
    expect(said(test)).toHaveLength(1);
    for (const [index, hour] of hours.entries()) {
      const before = hours[index - 1] ?? 0;
      await test.advance((hour - before) * HOUR_MS - 1);
      expect(said(test)).toHaveLength(index + 1);
      await test.advance(1);
      expect(said(test)).toHaveLength(index + 2);
    }
  });

  it('CA-137: gate G5 has no timeout: it blocks until it is answered, and reminds up to day 30', async () => {
    const test = await start();
    await open(test, presetQuestion('G5', { id: 'q-1', package: {}, audience: ['ada'], form: FORM }));
    for (const days of [1, 2, 4, 7, 16]) {
      await powerCut(test);
      await test.advance(days * DAY_MS);
    }
    expect(said(test)).toHaveLength(6);
    await test.advance(60 * DAY_MS);
    expect(recordOf(test)).toMatchObject({ phase: 'reminded', deadlineAtMs: null });
  });

  it('have neutral words for any field of work, and those of a pack by its name', () => {
    const asked = { id: 'q-1', package: {}, audience: ['ada'], form: FORM };
    const words = (gates?: GateWords) =>
      (['G1', 'G2'] as const).map((name) => {
        const { title, onTimeout } = presetQuestion(name, asked, gates);
        return [title, onTimeout!.name];
      });
    expect(words()).toEqual([
      ['Entry', 'standard selection'],
      ['Direction', 'standard direction'],
    ]);
    expect(words(PACKS.finance.gates)).toEqual([
      ['Screening', 'top 10'],
      ['Direction', 'standard checklist'],
    ]);
  });

  it('CA-137: every reminder comes before the deadline', () => {
    for (const { deadlineMs, remindAfterMs } of Object.values(GATE_PRESETS))
      expect(Math.max(...remindAfterMs)).toBeLessThan(deadlineMs ?? Infinity);
    expect(Object.keys(GATE_PRESETS) satisfies string[] as GatePresetName[]).toEqual([
      'G1',
      'G2',
      'G3',
      'G4',
      'G5',
      'G6',
    ]);
  });

  it('CA-137: the learning gate is due after 50 outcomes or 30 days, and not within 7 days of the last one', () => {
    const due = (outcomes: number, days: number, isFirst = false) =>
      isLearningDue({ outcomes, sinceMs: days * DAY_MS, isFirst });
    expect([due(49, 29), due(50, 7), due(0, 30), due(50, 6.9), due(50, 1, true)]).toEqual([
      false,
      true,
      true,
      false,
      true,
    ]);
  });
});

async function tellGate(test: TestSystem, event: { type: string; [field: string]: unknown }): Promise<void> {
  const { ref: own } = recordOf(test);
  own!.send(event as never);
  await test.settle();
}
