/**
 * The pages of the desks, checked against the real agents: a desk that changes its context or its events breaks this.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { gateProcedures } from '../../src/crew-gates.ts';
import { shown } from '../../src/gateway/topics/wire-values.ts';
import { answerOf, choicesOf } from '../../src/inspector/desks/answer-form.ts';
import { stepsOf, timersOf } from '../../src/inspector/desks/debate-levels.ts';
import {
  acknowledgeAlert,
  chooseButton,
  type DeskOrder,
  expirePause,
  extendGate,
  extendPause,
  refusalOf,
  resumeBatch,
  resumeItem,
  reviewNow,
  setExpert,
  withdrawGate,
} from '../../src/inspector/desks/desk-orders.ts';
import {
  alertRows,
  bannerOf,
  batchItems,
  batchOfCard,
  batchRows,
  criticalAlerts,
  daysOf,
  debateRows,
  expertRows,
  gatesById,
  itemNames,
  pauseRow,
  PRIORITIES,
  saidIn,
} from '../../src/inspector/desks/desk-records.ts';
import {
  type AlertShown,
  DESK_AGENTS,
  type DebateShown,
  type DeskContexts,
  type FacilitatorShown,
  type GateRow,
} from '../../src/inspector/desks/desk-shapes.ts';
import { escalationMs, inboxOf } from '../../src/inspector/desks/inbox.ts';
import { type JsonSchema } from '../../src/inspector/json-schema.ts';
import { windowRows } from '../../src/inspector/window-pages.ts';
import { alertDesk } from '../../src/machines/people/alerts/alert-desk.ts';
import { bannerOfCounts, PATIENCE_MS, REPEAT_MS, REPEATS_MAX } from '../../src/machines/people/alerts/alert-rules.ts';
import { batchManager } from '../../src/machines/coordination/batches/batch-manager.ts';
import { leadCoordinator } from '../../src/machines/coordination/coordinator/lead-coordinator.ts';
import { debateFacilitator } from '../../src/machines/coordination/debates/debate-facilitator.ts';
import { gateReviewForm, level3Form } from '../../src/machines/coordination/debates/debate-review.ts';
import { gateDesk } from '../../src/machines/people/gates/gate-desk.ts';
import { formOf, problemsOf } from '../../src/machines/people/gates/gate-form.ts';
import { alertPriority } from '../../src/machines/people/alerts/alert-messages.ts';
import { DESKS } from '../../src/machines/desks.ts';
import { EXPIRY_DAY, newRecord } from '../../src/machines/coordination/pauses/pause-record.ts';
import { planOf } from '../support/fixtures/plans/plans.ts';
import { GatewayTest } from '../support/gateway/memory-client.ts';
import { startCrew, stated, type Work } from '../support/machines/crew-subject.ts';
import { openRoom, type Room, withTrackRecords } from '../support/machines/debate-room.ts';
import { DAY_MS, type Desks, HOUR_MS, startDesks } from '../support/machines/desks.ts';

let room: Room | undefined;
let desks: Desks | undefined;
afterEach(async () => {
  await room?.test.shard.stop();
  await desks?.test.shard.stop();
  room = desks = undefined;
});

/** A context as the gateway shows it. */
function seen<Shape>(test: Room['test'], address: string): Shape {
  return shown(test.shard.snapshot(address)!.context) as Shape;
}

const QUESTION = {
  kind: 'review',
  package: { pages: 3 },
  audience: ['ada'],
  form: formOf(z.object({ decision: z.enum(['yes', 'no']) })),
  remindAfterMs: [HOUR_MS],
  onTimeout: { name: 'print nothing', value: null },
};

async function openGate(id: string, deadlineMs: number | null): Promise<void> {
  await room!.test.shard.send(DESKS.gates, { type: 'gate.open', id, title: `Print ${id}?`, ...QUESTION, deadlineMs });
  await room!.test.settle();
}

async function give(
  test: Room['test'],
  order: DeskOrder,
  typed: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const event = order.eventOf(
    { ...Object.fromEntries(order.fields.map(({ name, initial }) => [name, initial])), ...typed },
    test.clock.wallMs(),
  );
  const reply = test.shard.ask(order.address, event);
  await test.settle();
  return reply;
}

type Answer<Name extends keyof typeof gateProcedures> = (typeof gateProcedures)[Name]['result']['_zod']['output'];

/** The answer of a procedure of gates, as the page gets it. */
async function told<Name extends keyof typeof gateProcedures>(name: Name, params = {}): Promise<Answer<Name>> {
  const gateway = new GatewayTest(room!.test, { procedures: gateProcedures });
  const client = await gateway.client();
  const { r } = (await gateway.call(client, name, params)) as unknown as { readonly r: Answer<Name> };
  gateway.gateway.abandon();
  return r;
}

/** The rows of the first page of the open gates. */
const openGates = async () => windowRows([await told('gates.open')])!;
/** The question of an open gate. */
const questionOf = async (gate: string) => (await told('gates.get', { gate })).question!;

describe('gates', () => {
  it('are read from their windows: deadline, default without an answer, and result', async () => {
    room = await openRoom();
    await openGate('late', 5 * HOUR_MS);
    await openGate('soon', 2 * HOUR_MS);
    await openGate('ever', null);
    const { rows, left } = await openGates();
    expect(
      rows.map(({ id, phase, deadlineAtMs, openedAtMs }) => [
        id,
        phase,
        deadlineAtMs === null ? null : deadlineAtMs - openedAtMs,
      ]),
    ).toEqual([
      ['soon', 'open', 2 * HOUR_MS],
      ['late', 'open', 5 * HOUR_MS],
      ['ever', 'open', null],
    ]);
    expect([left, rows[0]!.onTimeout]).toEqual([0, 'print nothing']);
    const question = await questionOf('soon');
    expect([question.onTimeout!.name, question.package]).toEqual(['print nothing', { pages: 3 }]);
    const [choice] = choicesOf(question.form as JsonSchema);
    await room.test.shard.send(DESKS.gates, {
      type: 'gate.answer',
      gate: 'soon',
      by: 'ada',
      answer: answerOf(choice!, { decision: 'yes' }).answer,
    });
    await room.test.settle();
    const { gate: answered } = await told('gates.get', { gate: 'soon' });
    expect([answered!.id, answered!.phase, answered!.result!.by, answered!.result!.answer]).toEqual([
      'soon',
      'answered',
      'ada',
      { decision: 'yes' },
    ]);
  });

  it('can be extended and withdrawn, and keep person and reason across a power cut', async () => {
    room = await openRoom();
    await openGate('a', 2 * HOUR_MS);
    const one = async () => (await told('gates.get', { gate: 'a' })).gate!;
    const before = (await one()).deadlineAtMs!;
    await give(room.test, extendGate(DESKS.gates, 'a'), { hours: '1.5', by: 'ada', reason: 'figures are late' });
    await room.powerCut();
    const extended = await one();
    expect([extended.deadlineAtMs! - before, extended.lastOrder]).toMatchObject([
      1.5 * HOUR_MS,
      { type: 'gate.extend', by: 'ada', reason: 'figures are late' },
    ]);
    await give(room.test, withdrawGate(DESKS.gates, 'a'), { by: 'ada', reason: 'settled' });
    expect(await one()).toMatchObject({
      phase: 'withdrawn',
      isOver: true,
      lastOrder: { type: 'gate.withdraw', by: 'ada', reason: 'settled' },
    });
  });

  it('are shown once, even if one has just moved to another page', () => {
    const row = (id: string, number: number) => ({ id, number }) as GateRow;
    expect(gatesById([row('a', 1), row('b', 2), row('a', 3)]).map(({ number }) => number)).toEqual([1, 2]);
  });
});

describe('the form of an answer', () => {
  const fits = (form: object, at: number, typed: Record<string, string>) => {
    const { answer, problems } = answerOf(choicesOf(form as JsonSchema)[at]!, typed);
    return [answer, problems, problemsOf(form as Record<string, unknown>, answer)];
  };

  it('has a choice for each action that people may take in a debate, and fields for nested values', () => {
    const form = gateReviewForm(true);
    expect(
      choicesOf(form as JsonSchema).map(({ label, fields }) => [label, ...fields.map(({ name }) => name)]),
    ).toEqual([
      ['Confirm', 'note', 'confidence'],
      ['Override', 'side', 'own.statement', 'own.value', 'note', 'confidence'],
      ['Redebate', 'context'],
    ]);
    expect(fits(form, 0, {})).toEqual([{ action: 'confirm' }, {}, []]);
    expect(fits(form, 1, { 'own.statement': '26 %', 'own.value': '0.26', note: 'between' })).toEqual([
      { action: 'override', own: { statement: '26 %', value: 0.26 }, note: 'between' },
      {},
      [],
    ]);
    expect(choicesOf(level3Form({ canAskMore: true, canDefer: true }) as JsonSchema).map(({ label }) => label)).toEqual(
      ['Decide', 'Decide own', 'Accept recommendation', 'Request evidence', 'Defer'],
    );
  });

  it('is a plain form, or a single field, if the question needs no more', () => {
    expect(fits(formOf(z.object({ pages: z.int(), note: z.string().optional() })), 0, { pages: '3' })).toEqual([
      { pages: 3 },
      {},
      [],
    ]);
    expect(fits(formOf(z.enum(['yes', 'no'])), 0, { answer: 'no' })).toEqual(['no', {}, []]);
    expect(fits(formOf(z.union([z.number(), z.string()])), 0, { answer: '4' })).toEqual([4, {}, []]);
    expect(fits(formOf(z.object({ decision: z.enum(['yes', 'no']) })), 0, {})[1]).toEqual({ decision: 'is needed' });
  });
});

const alert = (item: string | null, priority: string, kind = 'item.paused') => ({
  type: 'alert.raise',
  item,
  kind,
  priority,
  title: `${item ?? 'all'} ${priority}`,
  detail: 'looks odd',
  actions: [
    {
      name: 'resume',
      label: 'Resume',
      to: 'coordinator',
      event: { type: 'resume.command', item, resumePlan: null, notify: true },
    },
  ],
  data: { agentType: 'news' },
});

describe('alerts', () => {
  it('are read from their desk, the most urgent first, and acknowledged by name', async () => {
    desks = await startDesks();
    for (const [item, priority] of [
      ['A', 'LOW'],
      ['B', 'CRITICAL'],
      ['C', 'HIGH'],
      ['D', 'AGENT_FAILURE'],
    ] as const)
      await desks.tell(DESKS.alerts, alert(item, priority));
    const context = seen<DeskContexts['alert-desk']>(desks.test, DESKS.alerts);
    const { rows, left } = alertRows(context);
    expect([rows.map(({ item }) => item), left]).toEqual([['D', 'B', 'C', 'A'], 0]);
    expect(bannerOf(context)).toBe(bannerOfCounts(context.openCounts));
    expect(bannerOf({ openCounts: { ...context.openCounts, LOW: 0 } })).toBe(null);
    const { detail, actions, data } = seen<AlertShown>(desks.test, rows[1]!.ref!.actor);
    expect([detail, data, actions[0]!.label]).toEqual(['looks odd', { agentType: 'news' }, 'Resume']);
    expect(refusalOf(await give(desks.test, acknowledgeAlert(DESKS.alerts, rows[0]!.id, ''), { by: 'eve' }))).toBe(
      undefined,
    );
    expect(alertRows(seen(desks.test, DESKS.alerts)).rows.at(-1)).toMatchObject({
      item: 'D',
      state: 'ACKNOWLEDGED',
      acknowledgedBy: 'eve',
    });
    await give(desks.test, chooseButton(DESKS.alerts, rows[1]!.id, actions[0]!), { by: 'eve' });
    expect(desks.heard('resume.command')).toHaveLength(1);
    expect(refusalOf(await give(desks.test, acknowledgeAlert(DESKS.alerts, 'alert-99', ''), { by: 'eve' }))).toBe(
      'no alert "alert-99"',
    );
  });

  it('are banners while they are critical and nobody has acknowledged them, the oldest first', async () => {
    desks = await startDesks();
    for (const [item, priority] of [
      ['A', 'HIGH'],
      ['B', 'CRITICAL'],
      ['C', 'CRITICAL'],
      ['D', 'AGENT_FAILURE'],
    ] as const)
      await desks.tell(DESKS.alerts, alert(item, priority));
    const context = seen<DeskContexts['alert-desk']>(desks.test, DESKS.alerts);
    const { rows, left } = criticalAlerts(context);
    expect([rows.map(({ item }) => item), left]).toEqual([['B', 'C'], 0]);
    const unseen = { ...context, rows: { ...context.rows, rows: {} } };
    expect(criticalAlerts(unseen)).toEqual({ rows: [], left: 2 });
    await give(desks.test, acknowledgeAlert(DESKS.alerts, rows[0]!.id, ''), { by: 'eve' });
    expect(criticalAlerts(seen(desks.test, DESKS.alerts)).rows.map(({ item }) => item)).toEqual(['C']);
  });

  it('are escalated at the time that the page shows', async () => {
    const patience = (priority: (typeof PRIORITIES)[number]) =>
      escalationMs({ priority, raisedAtMs: 0, escalation: null });
    expect(PRIORITIES).toEqual(alertPriority.options);
    expect(PRIORITIES.map(patience)).toEqual(
      PRIORITIES.map((priority) => PATIENCE_MS[priority] ?? REPEATS_MAX * REPEAT_MS),
    );
    desks = await startDesks();
    await desks.tell(DESKS.alerts, alert('A', 'HIGH'));
    await desks.test.advance(6 * HOUR_MS);
    const [row] = alertRows(seen(desks.test, DESKS.alerts)).rows;
    expect([row!.escalation, escalationMs(row!)]).toEqual(['nobody has acknowledged it for 360 minutes', null]);
  });
});

describe('the inbox', () => {
  const open = async (withAlerts: { readonly context?: DeskContexts['alert-desk'] } = {}) =>
    inboxOf({ gates: await openGates(), alerts: withAlerts.context }, room!.test.clock.wallMs());

  it('shows the most urgent entries first, by deadline within a rank, and no entry twice', async () => {
    room = await openRoom();
    desks = await startDesks();
    await openGate('ever', null);
    await openGate('day', 24 * HOUR_MS);
    await openGate('soon', 2 * HOUR_MS);
    for (const [item, priority] of [
      ['A', 'LOW'],
      ['B', 'CRITICAL'],
      ['C', 'HIGH'],
    ] as const)
      await desks.tell(DESKS.alerts, alert(item, priority));
    await desks.tell(DESKS.alerts, alert('gate soon', 'MEDIUM', 'gate.waiting'));
    await desks.tell(DESKS.alerts, alert('gate closed', 'MEDIUM', 'gate.waiting'));
    const { rows: entries } = await open({ context: seen(desks.test, DESKS.alerts) });
    expect(
      entries.map((entry) => {
        const about = entry.kind === 'gate' ? entry.gate.id : entry.kind === 'alert' ? entry.alert.item : entry.kind;
        return `${entry.urgency} ${String(about)}`;
      }),
    ).toEqual(['now soon', 'now B', 'today C', 'later day', 'later gate closed', 'later A', 'later ever']);
  });

  it('is empty without desks, and when every question is answered', async () => {
    expect(inboxOf({ gates: undefined, alerts: undefined }, 0).rows).toEqual([]);
    room = await openRoom();
    await openGate('a', HOUR_MS);
    expect((await open()).rows).toHaveLength(1);
    await give(room.test, withdrawGate(DESKS.gates, 'a'), { by: 'ada', reason: 'settled' });
    expect((await open()).rows).toEqual([]);
  });
});

describe('batches', () => {
  it('are read from their desk with their items, and resumed', async () => {
    desks = await startDesks();
    await desks.ask(DESKS.batches, { type: 'batch.pause', items: ['A', 'B', 'C'], reason: 'quota is used up' });
    await desks.tell(DESKS.alerts, {
      type: 'alert.batch',
      batchId: 'batch-1',
      items: ['A', 'B', 'C'],
      reason: 'quota is used up',
    });
    const context = seen<DeskContexts['batch-manager']>(desks.test, DESKS.batches);
    const [row] = batchRows(context).rows;
    expect(row).toMatchObject({
      id: 'batch-1',
      phase: 'paused',
      status: 'IN_PROGRESS',
      total: 3,
      paused: 3,
      concurrencyLimit: 5,
      notBeforeMs: null,
      note: null,
    });
    expect(itemNames(context, 'batch-1')).toEqual(['A', 'B', 'C']);
    expect(batchItems(seen(desks.test, row!.ref!.actor)).rows.map(({ item, state }) => `${item} ${state}`)).toEqual([
      'A paused',
      'B paused',
      'C paused',
    ]);
    const card = seen<AlertShown>(desks.test, alertRows(seen(desks.test, DESKS.alerts)).rows[0]!.ref!.actor);
    expect(batchOfCard(card)).toBe('batch-1');
    expect(refusalOf(await give(desks.test, resumeBatch(DESKS.batches, row!), { 'at a time': '2' }))).toBe(undefined);
    await desks.test.advance(HOUR_MS);
    expect(batchRows(seen(desks.test, DESKS.batches)).rows[0]).toMatchObject({
      phase: 'finished',
      status: 'COMPLETED',
      resumed: 3,
      concurrencyLimit: 2,
      ref: null,
    });
    expect(refusalOf(await desks.ask(DESKS.batches, { type: 'batch.resume', batchId: 'batch-9' }))).toBe(
      'there is nothing to resume',
    );
  });
});

describe('debates', () => {
  it('are read from the facilitator: levels, statements, credibility, experts, and provisional decisions', async () => {
    room = await openRoom({ experts: ['eve', 'max'] });
    await withTrackRecords(room, { ada: 60, bob: 55 });
    await room.challenge();
    await room.defend();
    const [begun] = debateRows(seen(room.test, DESKS.debates)).rows;
    expect(stepsOf(begun!).map(({ standing }) => standing)).toEqual(['here', 'ahead', 'ahead', 'ahead', 'ahead']);
    await room.test.advance(HOUR_MS);
    const [row] = debateRows(seen(room.test, DESKS.debates)).rows;
    expect([row!.level, row!.expert, row!.analysis!.regime]).toEqual(['L3', 'eve', 'NORMAL']);
    expect(expertRows(seen(room.test, DESKS.debates))).toEqual([
      { expert: 'eve', isAvailable: true, debates: '1', max: 3 },
      { expert: 'max', isAvailable: true, debates: '0', max: 3 },
    ]);
    const { score, factors } = row!.analysis!.challenger;
    const product = (['base', 'temporal', 'regime', 'trend', 'override'] as const).reduce(
      (all, name) => all * factors[name].value,
      1,
    );
    expect(product).toBeCloseTo(score, 9);
    const own = seen<DebateShown>(room.test, row!.ref!.actor);
    expect([own.challenge.disputedFinding, own.positions.challenged.statement, own.gate]).toEqual([
      'The margin is 28 %.',
      '28 %',
      'd-1+1',
    ]);
    expect(saidIn(own).map(({ side, statement, flaw }) => [side, statement, flaw])).toEqual([
      ['challenged', 'By the plan of sales.', null],
    ]);

    await give(room.test, setExpert(DESKS.debates, { expert: 'eve', isAvailable: true }));
    const [provisional] = debateRows(seen(room.test, DESKS.debates)).rows;
    expect([provisional!.level, provisional!.provisional!.position.statement, provisional!.provisional!.side]).toEqual([
      'L4',
      '25 %',
      'challenger',
    ]);
    expect(stepsOf(provisional!).map(({ standing }) => standing)).toEqual([
      'behind',
      'behind',
      'behind',
      'here',
      'ahead',
    ]);
    await give(room.test, reviewNow(DESKS.debates));
    const { gate, ...review } = seen<DebateShown>(room.test, row!.ref!.actor);
    expect([review.positions.challenger.statement, gate]).toEqual(['25 %', 'd-1+2']);
    const override = answerOf(choicesOf((await questionOf(gate!)).form as JsonSchema)[1]!, {
      side: 'challenged',
      note: 'I know the plant',
    });
    await room.test.shard.send(DESKS.gates, { type: 'gate.answer', gate: gate!, by: 'max', answer: override.answer });
    await room.test.settle();
    const [over] = debateRows(seen(room.test, DESKS.debates)).rows;
    expect([over!.isOver, over!.summary!.outcome, over!.summary!.side]).toEqual([true, 'overridden', 'challenged']);
    expect(seen<FacilitatorShown>(room.test, DESKS.debates).nextGate).toBe(null);
  });

  it('show their timers in words, the nearest first', () => {
    expect(
      timersOf([
        { event: 'xstate.after.escalation.debate.L1_direct', deadlineMs: 60 },
        { event: 'xstate.after.acknowledgement.debate.L1_direct.awaiting_ack', deadlineMs: 15 },
        { event: 'plan.forget', deadlineMs: 1 },
      ]),
    ).toEqual([
      { what: 'the acknowledgement is due', untilMs: 15 },
      { what: 'goes on to the facilitator', untilMs: 60 },
    ]);
  });

  it.each([
    [{ level: 'deferred', isOver: false, summary: null }, 'deferred'],
    [{ level: 'failed', isOver: true, summary: null }, undefined],
  ] as const)('are shown at the step of their level: %j', (row, here) => {
    expect(stepsOf(row).find(({ standing }) => standing === 'here')?.name).toBe(here);
  });
});

describe('pauses', () => {
  const request = {
    reason: 'no data',
    trigger: 'AUTO_TIER2',
    failedTask: null,
    batchId: null,
    createdBy: 'pipeline',
  } as const;

  it('are read from a PauseManager, and extended, resumed and expired by orders, across a power cut', async () => {
    const work: Work = ({ task }) => {
      if (task.id === 'B/draft') throw stated('no ink', { errorType: 'dependency_failure' });
      return 'done';
    };
    const crew = await startCrew(planOf({ stages: { draft: { agent: 'writer' } }, items: ['A', 'B'] }), { work });
    const { test } = crew;
    const row = () => pauseRow(seen(test, 'pauses/B'))!;
    await test.advance(4 * DAY_MS);
    await crew.crashAndRestart();
    expect(row()).toMatchObject({ item: 'B', status: 'PAUSED', trigger: 'AUTO_TIER2', extendedUntilMs: null });
    expect(row().reason).toContain('no ink');
    expect(daysOf(row(), test.clock.wallMs())).toMatchObject({ day: 4, next: { day: 7 } });
    expect(
      refusalOf(
        await give(test, extendPause(DESKS.coordinator, row()), { 'until day': '20', reason: 'ink is on its way' }),
      ),
    ).toBe(undefined);
    expect([row().extendedUntilMs! - row().pausedAtMs, row().extensionReason]).toEqual([
      20 * DAY_MS,
      'ink is on its way',
    ]);
    expect(refusalOf(await give(test, extendPause(DESKS.coordinator, row()), { reason: 'again' }))).toBe(
      'B was extended before',
    );
    expect(refusalOf(await give(test, resumeItem(DESKS.coordinator, 'A')))).toBe('A is not paused');
    expect(refusalOf(await give(test, expirePause(DESKS.coordinator, 'B'), { reason: 'no ink at all' }))).toBe(
      undefined,
    );
    expect(row().status).toBe('EXPIRED');
    await test.shard.stop();
  });

  it('show their day, and the day of the next notice', () => {
    const record = newRecord('A', 1, request, 0);
    expect(pauseRow({ record })).toMatchObject({
      item: 'A',
      status: 'PAUSING',
      reason: 'no data',
      createdBy: 'pipeline',
    });
    expect([
      pauseRow({ record: null }),
      pauseRow({ record: { ...record, status: 'RESUMED' } }),
      pauseRow(undefined),
    ]).toEqual([undefined, undefined, undefined]);
    expect(daysOf(record, 2.5 * DAY_MS)).toEqual({ day: 2, next: { day: 3, atMs: 3 * DAY_MS } });
    expect(daysOf(record, 20 * DAY_MS)).toEqual({ day: 20, next: { day: EXPIRY_DAY, atMs: EXPIRY_DAY * DAY_MS } });
    expect(daysOf({ ...record, status: 'EXPIRED' }, 5 * DAY_MS).next).toBe(undefined);
  });
});

describe('orders', () => {
  const batch = { id: 'b', concurrencyLimit: 5, paused: 2 };
  const pause = { item: 'A', pausedAtMs: 0 };
  const button = { name: 'x', label: 'X', to: null, event: null };
  const typed = { by: 'ada', reason: 'because', hours: '1', 'at a time': '5', 'until day': '20', gate: 'g' };
  it.each([
    [gateDesk, [withdrawGate('d', 'g'), extendGate('d', 'g')]],
    [alertDesk, [acknowledgeAlert('d', 'a', 't'), chooseButton('d', 'a', button)]],
    [batchManager, [resumeBatch('d', batch)]],
    [leadCoordinator, [resumeItem('d', 'A'), extendPause('d', pause), expirePause('d', 'A')]],
    [
      debateFacilitator,
      [
        reviewNow('d'),
        setExpert('d', { expert: 'e', isAvailable: true }),
        setExpert('d', { expert: 'e', isAvailable: false }),
      ],
    ],
  ] as const)('are events that $name declares', ({ name, events }, orders) => {
    expect(Object.values(DESK_AGENTS)).toContain(name);
    for (const order of orders as readonly DeskOrder[]) {
      const { type, ...fields } = order.eventOf(typed, 0);
      expect([type, (events as unknown as Readonly<Record<string, z.ZodType>>)[type]?.safeParse(fields).error]).toEqual(
        [type, undefined],
      );
    }
  });

  it('give the reason if they are refused', () => {
    expect([{ taken: true, problems: [] }, { taken: false, problems: ['a', 'b'] }, null].map(refusalOf)).toEqual([
      undefined,
      'a; b',
      undefined,
    ]);
  });
});
