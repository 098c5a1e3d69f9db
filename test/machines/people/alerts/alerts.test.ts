/** Alerts: the rules of the desk, and its cards at work on virtual time. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromPromise } from 'xstate';
import { type DeliveryInput } from '../../../../src/machines/people/alerts/alert-card.ts';
import {
  type AlertDeskContext,
  type AlertRecord,
  alertsIn,
} from '../../../../src/machines/people/alerts/alert-desk.ts';
import {
  type Alert,
  bannerOf,
  cardText,
  DELIVERIES_MAX,
  DELIVERY_WINDOW_MS,
  PATIENCE_MS,
  recent,
} from '../../../../src/machines/people/alerts/alert-rules.ts';
import { type AlertPriority, alertPriority } from '../../../../src/machines/people/alerts/alert-messages.ts';
import { DESKS } from '../../../../src/machines/desks.ts';
import { byEffort } from '../../../support/effort.ts';
import { type Desks, HOUR_MS, MINUTE_MS, startDesks } from '../../../support/machines/desks.ts';

const VIEW = { name: 'details', label: 'View Details', to: null, event: null };
const RESUME = { name: 'resume', label: 'Resume', to: DESKS.coordinator, event: { type: 'resume.command', item: 'A' } };

function alertOf(item: string | null, facts: Partial<Alert> = {}) {
  return {
    type: 'alert.raise',
    item,
    kind: 'item.failed',
    priority: 'AGENT_FAILURE',
    title: `${item} failed`,
    detail: 'no ink',
    actions: [VIEW, RESUME],
    data: {},
    ...facts,
  } as const;
}

/** A delivery port that records its deliveries, and fails while `isDown` is set. */
function deliveries() {
  const made: DeliveryInput[] = [];
  const port = {
    made,
    isDown: false,
    deliver: fromPromise<unknown, DeliveryInput>(async ({ input }) => {
      if (port.isDown) throw new Error('no line');
      made.push(input);
      return null;
    }),
  };
  return port;
}

function raise(desks: Desks, ...alerts: ReturnType<typeof alertOf>[]): Promise<void> {
  return alerts.reduce((before, alert) => before.then(() => desks.tell(DESKS.alerts, alert)), Promise.resolve());
}

function cards(desks: Desks): AlertRecord[] {
  return alertsIn(desks.context<AlertDeskContext>(DESKS.alerts));
}

function card(desks: Desks, id = 'alert-1'): AlertRecord {
  return cards(desks).find((other) => other.id === id)!;
}

describe('the rules of alerts', () => {
  it('CA-075: show a banner for more than three open cards, and none for three', () => {
    const open = (count: number) => Array.from({ length: count }, () => ({ priority: 'HIGH' as AlertPriority }));
    expect(bannerOf(open(3))).toBe(null);
    expect(bannerOf([...open(3), { priority: 'AGENT_FAILURE' }])).toBe('4 alerts: 1 AGENT_FAILURE, 3 HIGH');
  });

  it('CA-076: print item, agent, status, error, completed and pending tasks, and buttons on a card', () => {
    const data = {
      agentType: 'Strategy Analyst',
      status: 'PAUSED',
      progressPct: 45,
      phase: 2,
      day: 3,
      errorType: 'QuotaError',
      errorMessage: '1000/1000',
      completed: ['screening', 'business'],
      pending: ['valuation'],
    };
    expect(
      cardText({
        item: 'AAPL',
        title: 'AAPL is paused',
        detail: 'Koyfin API quota exceeded',
        actions: [VIEW, RESUME, { ...VIEW, name: 'cancel', label: 'Cancel' }],
        data,
      }).split('\n'),
    ).toEqual([
      'AAPL is paused',
      'AAPL, Strategy Analyst',
      'PAUSED at 45 % (phase 2, day 3)',
      'QuotaError: 1000/1000',
      'Koyfin API quota exceeded',
      'completed: screening, business',
      'pending: valuation',
      '[View Details] [Resume] [Cancel]',
    ]);
  });

  it('CA-077: give 2, 6, 24 and 48 hours to acknowledge, and no limit for the failure of an agent', () => {
    expect(alertPriority.options.map((priority) => PATIENCE_MS[priority])).toEqual([
      null,
      2 * HOUR_MS,
      6 * HOUR_MS,
      24 * HOUR_MS,
      48 * HOUR_MS,
    ]);
  });

  it('CA-078: count a delivery for five minutes', () => {
    expect(recent([0, 1], DELIVERY_WINDOW_MS)).toEqual([1]);
  });
});

describe('a card', () => {
  it('CA-075: is raised for one item, never for several', async () => {
    const desks = await startDesks();
    await raise(desks, alertOf('A'), alertOf('B'), alertOf('C'));
    expect(cards(desks).map(({ item }) => item)).toEqual(['C', 'B', 'A']);
  });

  it('CA-076: is updated by later reports about its item while it is open', async () => {
    const desks = await startDesks();
    await raise(
      desks,
      alertOf('A', { data: { errorType: 'QuotaError' } }),
      alertOf('A', { kind: 'item.paused', priority: 'HIGH', title: 'A is paused', data: { progressPct: 45 } }),
    );
    await desks.tell(DESKS.alerts, {
      type: 'pause.complete',
      item: 'A',
      pausedAtMs: 7,
      resumeDependencies: { restart: [], skip: [], wait: [] },
    });
    expect(cards(desks)).toMatchObject([{ id: 'alert-1', title: 'A is paused', priority: 'AGENT_FAILURE' }]);
    expect(desks.context('alert-cards/alert-1')).toMatchObject({
      data: { errorType: 'QuotaError', progressPct: 45, status: 'PAUSED' },
    });
    await desks.ask(DESKS.alerts, { type: 'alert.acknowledge', id: 'alert-1' });
    await raise(desks, alertOf('A'));
    expect(cards(desks)).toHaveLength(2);
  });

  it('CA-078: goes from SENT through DELIVERED and OPENED to ACKNOWLEDGED, and names who acknowledged it', async () => {
    let arrive: (() => void) | undefined;
    const desks = await startDesks({
      deliver: fromPromise<unknown, DeliveryInput>(() => new Promise<void>((resolve) => (arrive = resolve))),
    });
    await raise(desks, alertOf('A'));
    expect(card(desks).state).toBe('SENT');
    arrive!();
    await desks.test.settle();
    expect(card(desks).state).toBe('DELIVERED');
    await desks.ask(DESKS.alerts, { type: 'alert.choose', id: 'alert-1', action: 'details' });
    expect(card(desks).state).toBe('OPENED');
    expect(await desks.ask(DESKS.alerts, { type: 'alert.acknowledge', id: 'alert-1', by: 'ann' })).toEqual({
      taken: true,
      problems: [],
    });
    expect(card(desks)).toMatchObject({
      state: 'ACKNOWLEDGED',
      acknowledgedBy: 'ann',
      acknowledgedAtMs: expect.any(Number) as number,
    });
    expect(desks.test.shard.tree(DESKS.alertCards).children).toEqual([]);
    expect(await desks.ask(DESKS.alerts, { type: 'alert.open', id: 'alert-9' })).toEqual({
      taken: false,
      problems: ['no alert "alert-9"'],
    });
  });

  it(
    'CA-075: is SETTLED with the reason when its cause is over, for the named kinds only, across a power cut, ' +
      'and is not repeated',
    async () => {
      const desks = await startDesks();
      await raise(desks, alertOf('A'), alertOf('A', { kind: 'task.overdue', priority: 'LOW' }), alertOf('B'));
      await desks.tell(DESKS.alerts, {
        type: 'alert.settled',
        item: 'A',
        kinds: ['item.failed', 'item.paused'],
        because: 'A goes on',
      });
      await desks.cutPower();
      expect(cards(desks).map(({ item, kind, state }) => [item, kind, state])).toEqual([
        ['B', 'item.failed', 'DELIVERED'],
        ['A', 'task.overdue', 'DELIVERED'],
        ['A', 'item.failed', 'SETTLED'],
      ]);
      expect(cards(desks)[2]).toMatchObject({ settledBecause: 'A goes on', acknowledgedBy: null });
      await desks.test.advance(2 * HOUR_MS);
      expect(cards(desks)[2]).toMatchObject({ repeats: 0, escalation: null });
      await raise(desks, alertOf('A'));
      expect(cards(desks)).toHaveLength(4);
    },
  );

  it(
    'CA-076: sends the event of its button and is acknowledged by it, or reports that the desk of ' +
      'the button is missing',
    async () => {
      const desks = await startDesks();
      const lost = { name: 'lost', label: 'Lost', to: 'nowhere', event: { type: 'x' } };
      await raise(desks, alertOf('A', { actions: [RESUME, lost] }));
      await desks.ask(DESKS.alerts, { type: 'alert.choose', id: 'alert-1', action: 'lost' });
      expect(card(desks)).toMatchObject({ state: 'DELIVERED', problem: 'Lost: there is no actor "nowhere"' });
      await desks.ask(DESKS.alerts, { type: 'alert.choose', id: 'alert-1', action: 'resume', by: 'ann' });
      expect(desks.heard('resume.command')).toMatchObject([{ item: 'A' }]);
      expect(card(desks)).toMatchObject({ state: 'ACKNOWLEDGED', acknowledgedBy: 'ann' });
    },
  );

  it('is not acknowledged by a button whose desk does not handle the event (D3)', async () => {
    const desks = await startDesks();
    const dropped = { name: 'dropped', label: 'Dropped', to: DESKS.batches, event: { type: 'item.drop' } };
    await raise(desks, alertOf('A', { actions: [dropped] }));
    const choice = { type: 'alert.choose', id: 'alert-1', action: 'dropped', by: 'ann' };
    const problem = 'Dropped: "batches" takes no item.drop';
    expect(await desks.ask(DESKS.alerts, choice)).toEqual({ taken: false, problems: [problem] });
    expect(card(desks)).toMatchObject({ state: 'DELIVERED', problem });
  });

  it('CA-078: is repeated every 30 minutes, three times, and escalated at 90, across power cuts', async () => {
    const port = deliveries();
    const desks = await startDesks(port);
    await raise(desks, alertOf('A'));
    for (const repeats of [1, 2, 3]) {
      await desks.test.advance(29 * MINUTE_MS);
      await desks.cutPower();
      expect(card(desks)).toMatchObject({ repeats: repeats - 1, escalatedAtMs: null });
      await desks.test.advance(MINUTE_MS);
      expect(card(desks).repeats).toBe(repeats);
    }
    expect(card(desks)).toMatchObject({
      state: 'DELIVERED',
      escalation: 'nobody has acknowledged it for 90 minutes',
    });
    expect(port.made.map(({ repeats, channels, escalation }) => [repeats, channels, escalation !== null])).toEqual([
      [0, 'all', false],
      [1, 'all', false],
      [2, 'all', false],
      [3, 'all', true],
    ]);
    await desks.test.advance(100 * HOUR_MS);
    expect(port.made).toHaveLength(4);
    expect(card(desks).state).toBe('DELIVERED');
  });

  it.each([
    ['AGENT_FAILURE', false, 1],
    ['CRITICAL', true, 1],
  ] as const)(
    'is delivered once after ten hours of downtime, with priority %s (while undelivered: %s)',
    async (...row) => {
      const [priority, isDown, repeats] = row;
      const tries: DeliveryInput[] = [];
      const deliver = fromPromise<unknown, DeliveryInput>(({ input }) => {
        tries.push(input);
        return isDown ? Promise.reject(new Error('no line')) : Promise.resolve(null);
      });
      const desks = await startDesks({ deliver });
      await raise(desks, alertOf('A', { kind: 'x.y', priority }));
      await desks.test.crash();
      await desks.test.clock.advance(10 * HOUR_MS, async () => {});
      await desks.test.restart();
      await desks.test.settle();
      expect(tries.slice(1)).toMatchObject([{ repeats }]);
      expect(card(desks)).toMatchObject({ repeats, escalation: isDown ? 'reached nobody for 600 minutes' : null });
    },
  );

  it('CA-078: is repeated even after it was opened, until it is acknowledged', async () => {
    const port = deliveries();
    const desks = await startDesks(port);
    await raise(desks, alertOf('A'));
    await desks.ask(DESKS.alerts, { type: 'alert.open', id: 'alert-1' });
    await desks.test.advance(30 * MINUTE_MS);
    expect(port.made).toHaveLength(2);
    await desks.ask(DESKS.alerts, { type: 'alert.acknowledge', id: 'alert-1' });
    await desks.test.advance(10 * HOUR_MS);
    expect(port.made).toHaveLength(2);
    expect(card(desks).escalatedAtMs).toBe(null);
  });

  it('CA-078: is delivered again every 30 minutes if delivery fails, and says why', async () => {
    const port = deliveries();
    port.isDown = true;
    const desks = await startDesks(port);
    await raise(desks, alertOf('A', { kind: 'x.y', priority: 'LOW' }));
    expect(card(desks)).toMatchObject({ state: 'SENT', problem: 'not delivered: no line' });
    await desks.test.advance(30 * MINUTE_MS);
    port.isDown = false;
    await desks.cutPower();
    await desks.test.advance(30 * MINUTE_MS);
    expect(card(desks)).toMatchObject({ state: 'DELIVERED', repeats: 2, problem: null });
    await desks.test.advance(60 * MINUTE_MS);
    expect(card(desks)).toMatchObject({ repeats: 2, escalatedAtMs: null });
  });

  it('is delivered again by an alert that joins it and says so', async () => {
    const port = deliveries();
    const desks = await startDesks({ deliver: port.deliver });
    const reminder = { ...alertOf('A', { kind: 'ticket.waiting', priority: 'HIGH' }), delivery: 'again' } as const;
    await raise(desks, reminder, { ...reminder, detail: 'reminder 1' }, { ...reminder, detail: 'more' });
    expect(port.made.map(({ detail }) => detail)).toEqual(['no ink', 'reminder 1', 'more']);
    await raise(desks, alertOf('A', { kind: 'ticket.waiting' }));
    expect(port.made).toHaveLength(3);
    expect(cards(desks)).toHaveLength(1);
  });

  it('is over once it has been delivered, if nobody has to act', async () => {
    const port = deliveries();
    const desks = await startDesks({ deliver: port.deliver });
    await raise(desks, { ...alertOf('A', { kind: 'ticket.resolved', priority: 'LOW' }), delivery: 'only' });
    expect(port.made).toMatchObject([{ kind: 'ticket.resolved' }]);
    expect(card(desks)).toMatchObject({ state: 'SETTLED', settledBecause: 'people were told', escalatedAtMs: null });
  });

  it('is over without an escalation, if nobody has to act and delivery fails for 90 minutes', async () => {
    const port = deliveries();
    const desks = await startDesks({ deliver: port.deliver });
    port.isDown = true;
    await raise(desks, { ...alertOf('A', { kind: 'ticket.resolved', priority: 'LOW' }), delivery: 'only' });
    await desks.test.advance(89 * MINUTE_MS);
    expect(card(desks).state).toBe('SENT');
    await desks.test.advance(MINUTE_MS);
    expect(card(desks)).toMatchObject({
      ...{ state: 'SETTLED', settledBecause: 'it reached nobody', repeats: 3, escalatedAtMs: null },
    });
  });

  it('CA-078: is escalated if delivery fails for 90 minutes', async () => {
    const port = deliveries();
    port.isDown = true;
    const desks = await startDesks(port);
    await raise(desks, alertOf('A', { kind: 'x.y', priority: 'LOW' }));
    await desks.test.advance(90 * MINUTE_MS);
    expect(card(desks)).toMatchObject({ state: 'SENT', escalation: 'reached nobody for 90 minutes' });
  });

  it.each([
    ['CRITICAL', 2],
    ['HIGH', 6],
    ['MEDIUM', 24],
    ['LOW', 48],
  ] as const)(
    'CA-077: has priority %s and is escalated after %i hours, across a power cut, and not repeated before',
    async (priority, hours) => {
      const port = deliveries();
      const desks = await startDesks(port);
      await raise(desks, alertOf('A', { kind: 'x.y', priority }));
      await desks.test.advance(hours * HOUR_MS - MINUTE_MS);
      await desks.cutPower();
      expect(card(desks).escalatedAtMs).toBe(null);
      expect(port.made).toMatchObject([{ channels: 'usual' }]);
      await desks.test.advance(MINUTE_MS);
      expect(card(desks)).toMatchObject({
        state: 'DELIVERED',
        escalation: `nobody has acknowledged it for ${hours * 60} minutes`,
      });
      expect(port.made).toMatchObject([{}, { channels: 'all' }]);
    },
  );

  it('CA-078: ends acknowledged or escalated, whatever people do', async () => {
    const step = fc.record({
      afterMs: fc.integer({ min: 0, max: 4 * HOUR_MS }),
      doing: fc.constantFrom('open', 'acknowledge', 'nothing', 'line breaks', 'line mended', 'power cut'),
    });
    const scenario = fc.record({
      priority: fc.constantFrom(...alertPriority.options),
      steps: fc.array(step, { maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ priority, steps }) => {
        const port = deliveries();
        const desks = await startDesks(port);
        await raise(desks, alertOf('A', { kind: 'x.y', priority }));
        for (const { afterMs, doing } of steps) {
          await desks.test.advance(afterMs);
          if (doing.startsWith('line')) port.isDown = doing === 'line breaks';
          else if (doing === 'power cut') await desks.cutPower();
          else if (doing !== 'nothing') await desks.ask(DESKS.alerts, { type: `alert.${doing}`, id: 'alert-1' });
        }
        await desks.test.advance(48 * HOUR_MS);
        const { state, escalation } = card(desks);
        expect(state === 'ACKNOWLEDGED' || escalation !== null).toBe(true);
        expect(state === 'ACKNOWLEDGED').toBe(steps.some(({ doing }) => doing === 'acknowledge'));
      }),
      { numRuns: byEffort({ quick: 6, ci: 15 }) },
    );
  });
});

describe('many alerts', () => {
  it('CA-075: show a banner, which is removed when enough of them are acknowledged', async () => {
    const desks = await startDesks();
    await raise(desks, ...['A', 'B', 'C', 'D'].map((item) => alertOf(item)));
    const list = () => desks.ask<{ banner: string | null; alerts: object[] }>(DESKS.alerts, { type: 'alert.list' });
    expect(await list()).toMatchObject({ banner: '4 alerts: 4 AGENT_FAILURE', alerts: { length: 4 } });
    await desks.ask(DESKS.alerts, { type: 'alert.acknowledge', id: 'alert-1' });
    expect(await list()).toMatchObject({ banner: null, alerts: { length: 4 } });
  });

  it('CA-075: have "Resume All" on every card of a batch, also on cards that are raised later', async () => {
    const desks = await startDesks();
    await desks.tell(DESKS.alerts, { type: 'alert.batch', batchId: 'batch-7', items: ['A', 'B'], reason: 'no power' });
    await desks.ask(DESKS.alerts, { type: 'alert.acknowledge', id: 'alert-1' });
    await raise(desks, alertOf('A'));
    for (const id of ['alert-2', 'alert-3']) {
      expect(desks.context(`alert-cards/${id}`)).toMatchObject({
        actions: expect.arrayContaining([
          expect.objectContaining({ label: 'Resume All', event: { type: 'batch.resume', batchId: 'batch-7' } }),
        ]) as unknown,
      });
    }
  });

  it(
    'CA-078: are delivered up to ten in five minutes; the rest get one summary within 30 seconds, across a ' +
      'power cut, and their own cards',
    async () => {
      const port = deliveries();
      const desks = await startDesks(port);
      await raise(desks, ...Array.from({ length: 13 }, (_, n) => alertOf(`item ${n}`)));
      expect(port.made).toHaveLength(DELIVERIES_MAX);
      expect(cards(desks)).toHaveLength(13);
      await desks.cutPower();
      await desks.test.advance(19_999);
      expect(port.made).toHaveLength(DELIVERIES_MAX);
      await desks.test.advance(1);
      expect(port.made).toHaveLength(DELIVERIES_MAX + 1);
      expect(port.made.at(-1)).toMatchObject({
        kind: 'alerts.summary',
        title: '3 more alerts',
        priority: 'AGENT_FAILURE',
        detail: expect.stringContaining('item 12 failed') as string,
      });
      expect(cards(desks).filter(({ state }) => state === 'DELIVERED')).toHaveLength(14);
    },
  );

  it('CA-078: get at most one summary in five minutes, and are then delivered one by one again', async () => {
    const port = deliveries();
    const desks = await startDesks(port);
    await raise(desks, ...Array.from({ length: 11 }, (_, n) => alertOf(`item ${n}`)));
    await desks.test.advance(20_000);
    await raise(desks, alertOf('late'));
    await desks.test.advance(4 * MINUTE_MS);
    expect(port.made).toHaveLength(DELIVERIES_MAX + 1);
    await desks.test.advance(MINUTE_MS);
    expect(port.made.at(-1)).toMatchObject({ title: '1 more alert' });
    await raise(desks, alertOf('after'));
    expect(port.made.at(-1)).toMatchObject({ item: 'after' });
  });

  it('CA-078: are delivered within 30 seconds of the failure', async () => {
    const port = deliveries();
    const desks = await startDesks(port);
    const startMs = desks.test.clock.wallMs();
    await desks.tell(DESKS.correlator, {
      type: 'agent.failure',
      item: 'A',
      agentType: 'x',
      errorType: 'E',
      errorMessage: 'broken',
      dataSource: null,
      atMs: startMs,
    });
    expect(port.made).toMatchObject([{ item: 'A', priority: 'AGENT_FAILURE', detail: 'E: broken' }]);
    expect(desks.test.clock.wallMs() - startMs).toBeLessThan(30_000);
  });
});
