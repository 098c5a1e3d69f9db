/** Batches: the rules of the BatchManager, and the desk and its batches at work on virtual time. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromPromise } from 'xstate';
import { type AlertDeskContext, alertsIn } from '../../../../src/machines/people/alerts/alert-desk.ts';
import { type ResourceQuestion } from '../../../../src/machines/coordination/batches/batch-messages.ts';
import { type BatchManagerContext, batchesIn } from '../../../../src/machines/coordination/batches/batch-manager.ts';
import {
  batchItemsOf,
  countsOf,
  endOf,
  hasCollapsed,
  inResumeOrder,
  isNew,
  isOver,
  itemsInOrder,
  toPause,
  toResume,
  withItem,
} from '../../../../src/machines/coordination/batches/batch-items.ts';
import {
  type BatchItem,
  type BatchRecord,
  type Resources,
  readinessOf,
} from '../../../../src/machines/coordination/batches/batch-rules.ts';
import { DESKS } from '../../../../src/machines/desks.ts';
import { byEffort } from '../../../support/effort.ts';
import { DAY_MS, type Desks, HOUR_MS, MINUTE_MS, startDesks } from '../../../support/machines/desks.ts';

const FREE = { isFree: true } as const;
const LISTS = { restart: [], skip: [], wait: [] };

type Status = BatchRecord & { readonly items: readonly string[] };

function itemOf(item: string, facts: Partial<BatchItem> = {}): BatchItem {
  return { item, state: 'paused', pausedAtMs: 0, trigger: null, error: null, holdsSlot: false, ...facts };
}

function named(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `item-${String(n).padStart(2, '0')}`);
}

/** Paused items, each paused a second after the item before it. */
async function paused(desks: Desks, items: readonly string[], trigger = 'AUTO_TIER2'): Promise<void> {
  for (const [n, item] of items.entries())
    await desks.tell(DESKS.batches, {
      type: 'pause.complete',
      item,
      pausedAtMs: n * 1_000,
      resumeDependencies: LISTS,
      trigger,
    });
}

function statusOf(desks: Desks, batchId = 'batch-1'): Promise<Status> {
  return desks.ask<Status>(DESKS.batches, { type: 'batch.status', batchId });
}

function ordered(desks: Desks): (string | undefined)[] {
  return desks.heard('resume.command').map(({ item }) => item);
}

const states = fc.constantFrom<BatchItem['state'][]>('waiting', 'pausing', 'paused', 'resuming', 'resumed', 'failed');
const triggers = fc.constantFrom<BatchItem['trigger'][]>(
  null,
  'GATE_TIMEOUT',
  'MANUAL',
  'AUTO_TIER2',
  'AUTO_BATCH_CORRELATION',
);
const items = fc
  .array(fc.record({ state: states, pausedAtMs: fc.option(fc.nat(5)), trigger: triggers, holdsSlot: fc.boolean() }), {
    maxLength: 12,
  })
  .map((list) => list.map((facts, n) => itemOf(`item-${n}`, facts)));

describe('the rules of a batch', () => {
  it('CA-052: resume gate timeouts first, manual pauses last, and within one kind the oldest pause first', () => {
    const list = [
      itemOf('manual', { trigger: 'MANUAL', pausedAtMs: 1 }),
      itemOf('young', { trigger: 'AUTO_TIER2', pausedAtMs: 9 }),
      itemOf('old', { trigger: 'AUTO_TIER2', pausedAtMs: 2 }),
      itemOf('young gate', { trigger: 'GATE_TIMEOUT', pausedAtMs: 8 }),
      itemOf('gate', { trigger: 'GATE_TIMEOUT', pausedAtMs: 7 }),
    ];
    const order = inResumeOrder(batchItemsOf(list)).map(({ item }) => item);
    expect(order).toEqual(['gate', 'young gate', 'old', 'young', 'manual']);
  });

  it('CA-052: order pauses of one kind by age, then by item name; a pause of unknown age comes last', () => {
    const list = [
      itemOf('a', { pausedAtMs: null }),
      itemOf('c', { pausedAtMs: 2 }),
      itemOf('d', { pausedAtMs: 1 }),
      itemOf('b', { pausedAtMs: 2 }),
      itemOf('b', { pausedAtMs: 2, error: 'named again' }),
    ];
    const order = inResumeOrder(batchItemsOf(list)).map(({ item, error }) => [item, error]);
    expect(order).toEqual([
      ['d', null],
      ['b', 'named again'],
      ['c', null],
      ['a', null],
    ]);
  });

  it('CA-050: resume an item that is paused or pausing, unless an order for it is under way', () => {
    const next = (...list: BatchItem[]) => toResume(batchItemsOf(list), 5);
    expect(next(itemOf('A', { state: 'pausing' }))).toMatchObject({ item: 'A' });
    expect(next(itemOf('A', { state: 'pausing', holdsSlot: true }))).toBe(null);
    expect(next(itemOf('A', { state: 'waiting' }), itemOf('B', { state: 'resumed' }))).toBe(null);
  });

  it('CA-052: the resume order does not depend on the order in which the items are listed', () => {
    const shuffled = items.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    const order = (list: readonly BatchItem[]) => inResumeOrder(batchItemsOf(list)).map(({ item }) => item);
    fc.assert(fc.property(shuffled, ([list, other]) => void expect(order(other)).toEqual(order(list))));
  });

  it('CA-053: never allow more items under way than the limit', () => {
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 8 }), (list, limit) => {
        const held = list.filter(({ holdsSlot }) => holdsSlot).length;
        const batch = batchItemsOf(list);
        expect(toPause(batch, limit).length).toBeLessThanOrEqual(Math.max(0, limit - held));
        if (held >= limit) expect(toResume(batch, limit)).toBe(null);
      }),
    );
  });

  it('CA-051: the counts always add up to the total', () => {
    fc.assert(
      fc.property(items, (list) => {
        const { total, paused: standing, resumed, failed, pending } = countsOf(batchItemsOf(list));
        expect(standing + resumed + failed + pending).toBe(total);
        expect(total).toBe(list.length);
      }),
    );
  });

  it('CA-055: a batch fails when more than half of its items failed, not at exactly half', () => {
    const half = [
      itemOf('A', { state: 'failed' }),
      itemOf('B', { state: 'failed' }),
      itemOf('C', { state: 'resumed' }),
      itemOf('D', { state: 'resumed' }),
    ];
    const batch = batchItemsOf(half);
    expect(hasCollapsed(batch)).toBe(false);
    expect(endOf(batch)).toBe('PARTIALLY_FAILED');
    const more = withItem(batch, itemOf('D', { state: 'failed' }));
    expect(hasCollapsed(more)).toBe(true);
    expect(endOf(more)).toBe('FAILED');
    expect(endOf(batchItemsOf([itemOf('A', { state: 'resumed' })]))).toBe('COMPLETED');
    const failed = (count: number) =>
      batchItemsOf(named(1_000).map((name, n) => itemOf(name, { state: n < count ? 'failed' : 'resumed' })));
    expect([499, 500, 501].map((count) => hasCollapsed(failed(count)))).toEqual([false, false, true]);
  });

  it('counts and indexes agree with the items after any sequence of changes', () => {
    fc.assert(
      fc.property(items, items, fc.integer({ min: 0, max: 8 }), (list, changes, limit) => {
        const batch = changes.reduce(withItem, batchItemsOf(list));
        const all = itemsInOrder(batch);
        const held = all.filter(({ holdsSlot }) => holdsSlot).length;
        const waiting = all.filter(({ state }) => state === 'waiting');
        const isSettled = ({ state }: BatchItem) => state === 'resumed' || state === 'failed';
        expect(all.map(({ item }) => item)).toEqual([...new Set([...list, ...changes].map(({ item }) => item))]);
        expect(batch.slotsHeld).toBe(held);
        expect(toPause(batch, limit)).toEqual(waiting.slice(0, Math.max(0, limit - held)));
        expect([isNew(batch), isOver(batch)]).toEqual([waiting.length > 0, all.every(isSettled)]);
        expect(inResumeOrder(batch)).toEqual(inResumeOrder(batchItemsOf(all)));
      }),
    );
  });

  it('CA-054: wait until quota, compute and connections are all free: the latest reset time counts', () => {
    const lacking = (notBeforeMs: number | null) => ({ isFree: false, notBeforeMs }) as const;
    expect(readinessOf({ apiQuota: FREE, compute: FREE, connections: FREE }, 0)).toEqual({ kind: 'go' });
    expect(readinessOf({ apiQuota: lacking(500_000), compute: FREE, connections: lacking(900_000) }, 0)).toEqual({
      kind: 'wait',
      untilMs: 900_000,
      isReset: true,
    });
    expect(readinessOf({ apiQuota: FREE, compute: lacking(null), connections: FREE }, 0)).toEqual({
      kind: 'wait',
      untilMs: MINUTE_MS,
      isReset: false,
    });
    expect(readinessOf({ apiQuota: lacking(90 * DAY_MS), compute: FREE, connections: FREE }, 0)).toMatchObject({
      untilMs: DAY_MS,
    });
  });

  it('CA-054: check resources again in a minute if a resource names no reset time, or a past one', () => {
    const at = (nowMs: number, ...notBefore: (number | null)[]) => {
      const [apiQuota, compute] = notBefore.map((notBeforeMs) => ({ isFree: false, notBeforeMs }) as const);
      return readinessOf({ apiQuota: apiQuota!, compute: compute ?? FREE, connections: FREE }, nowMs);
    };
    const inAMinute = { kind: 'wait', untilMs: 1_000 + MINUTE_MS, isReset: false };
    expect([at(1_000, 999), at(1_000, 1_000), at(1_000, null)]).toEqual([inAMinute, inAMinute, inAMinute]);
    expect(at(1_000, 1_001)).toEqual({ kind: 'wait', untilMs: 1_001, isReset: true });
    expect(at(1_000, 1_001, null)).toEqual({ ...inAMinute, isReset: true });
  });
});

describe('a batch that pauses its items', () => {
  it('CA-049: asks the Lead Coordinator to pause its items, five at a time', async () => {
    const desks = await startDesks({ answers: false });
    await desks.ask(DESKS.batches, { type: 'batch.pause', items: named(7), reason: 'maintenance' });
    expect(desks.heard('pause.request').map(({ item, reason, trigger }) => [item, reason, trigger])).toEqual(
      named(5).map((item) => [item, 'maintenance', 'MANUAL']),
    );
    await desks.tell(DESKS.batches, {
      type: 'pause.complete',
      item: 'item-00',
      pausedAtMs: 1,
      resumeDependencies: LISTS,
    });
    expect(desks.heard('pause.request')).toHaveLength(6);
    expect(await statusOf(desks)).toMatchObject({ total: 7, paused: 1, pending: 6, resumed: 0, failed: 0 });
  });

  it('CA-049: pauses as many items at a time as its request says, under the batch id in the request', async () => {
    const desks = await startDesks({ answers: false });
    await desks.tell(DESKS.batches, {
      type: 'batch.pause-request',
      items: named(4),
      reason: 'r',
      batchId: 'night',
      maxConcurrency: 2,
    });
    expect(desks.heard('pause.request')).toHaveLength(2);
    expect(await statusOf(desks, 'night')).toMatchObject({ total: 4, concurrencyLimit: 2 });
  });

  it('CA-048: gives away the place of an item that needs over 30 minutes to pause, across a power cut', async () => {
    const desks = await startDesks({ answers: false });
    await desks.ask(DESKS.batches, { type: 'batch.pause', items: named(7), reason: 'r' });
    await desks.test.advance(29 * MINUTE_MS);
    await desks.cutPower();
    expect(desks.heard('pause.request')).toHaveLength(5);
    await desks.test.advance(MINUTE_MS);
    expect(desks.heard('pause.request')).toHaveLength(7);
    await paused(desks, named(7));
    expect(await statusOf(desks)).toMatchObject({ phase: 'paused', paused: 7, pending: 0 });
  });

  it('CA-056: is triggered by the FailureCorrelator, and informs the alert desk', async () => {
    const desks = await startDesks();
    await desks.tell(DESKS.batches, {
      type: 'batch.trigger',
      items: ['A', 'B', 'C'],
      rootCause: 'no power',
      correlationId: 'correlation-9',
    });
    expect(desks.heard('pause.request').map(({ trigger, batchId }) => [trigger, batchId])).toEqual(
      Array(3).fill(['AUTO_BATCH_CORRELATION', 'batch-1']),
    );
    expect(alertsIn(desks.context<AlertDeskContext>(DESKS.alerts)).map(({ item, kind }) => [item, kind])).toEqual(
      ['C', 'B', 'A'].map((item) => [item, 'item.paused']),
    );
  });

  it('CA-048: ends after 30 days if it is not resumed, across a power cut', async () => {
    const desks = await startDesks();
    await desks.ask(DESKS.batches, { type: 'batch.pause', items: ['A', 'B'], reason: 'r' });
    await desks.test.advance(29 * DAY_MS);
    await desks.cutPower();
    expect(await statusOf(desks)).toMatchObject({ status: 'IN_PROGRESS', paused: 2 });
    await desks.test.advance(DAY_MS);
    expect(await statusOf(desks)).toMatchObject({ status: 'FAILED', failed: 2 });
  });
});

describe('a batch that resumes its items', () => {
  it('CA-050: resumes the items named, five at a time, in order of priority', async () => {
    const desks = await startDesks({ answers: false });
    await paused(desks, named(6));
    await paused(desks, ['gate'], 'GATE_TIMEOUT');
    await paused(desks, ['by hand'], 'MANUAL');
    await desks.ask(DESKS.batches, { type: 'batch.resume', items: ['by hand', ...named(6).toReversed(), 'gate'] });
    expect(ordered(desks)).toEqual(['gate', ...named(4)]);
    await desks.tell(DESKS.batches, { type: 'item.resumed', item: 'gate' });
    expect(ordered(desks).at(-1)).toBe('item-04');
    for (const item of named(6)) await desks.tell(DESKS.batches, { type: 'item.resumed', item });
    expect(ordered(desks).at(-1)).toBe('by hand');
  });

  it('CA-053: resumes as many items at a time as its order says', async () => {
    const desks = await startDesks({ answers: false });
    await paused(desks, named(6));
    await desks.ask(DESKS.batches, { type: 'batch.resume', items: named(6), concurrencyLimit: 2 });
    expect(ordered(desks)).toHaveLength(2);
  });

  it('CA-053: never has more items under way than the limit, in any order of answers and power cuts', async () => {
    const answer = fc.record({
      pick: fc.nat(20),
      isWell: fc.boolean(),
      isCut: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    });
    const scenario = fc.record({
      limit: fc.integer({ min: 1, max: 4 }),
      answers: fc.array(answer, { minLength: 9, maxLength: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ limit, answers }) => {
        const desks = await startDesks({ answers: false });
        await paused(desks, named(9));
        await desks.ask(DESKS.batches, { type: 'batch.resume', items: named(9), concurrencyLimit: limit });
        const answered = new Set<string>();
        for (const { pick, isWell, isCut } of answers) {
          const open = ordered(desks).filter((item) => !answered.has(item!)) as string[];
          expect(open.length).toBeLessThanOrEqual(limit);
          if (open.length === 0) break;
          const item = open[pick % open.length]!;
          answered.add(item);
          await desks.tell(
            DESKS.batches,
            isWell ? { type: 'item.resumed', item } : { type: 'item.failed', item, error: 'again' },
          );
          if (isCut) await desks.cutPower();
          const { total, paused: standing, resumed, failed, pending } = await statusOf(desks);
          expect(standing + resumed + failed + pending).toBe(total);
        }
        expect(ordered(desks)).toEqual(named(9).slice(0, ordered(desks).length));
        expect((await statusOf(desks)).status).not.toBe('IN_PROGRESS');
      }),
      { numRuns: byEffort({ quick: 3, ci: 12 }) },
    );
  });

  it('CA-051: reports how many items are paused, resumed, failed and pending, and the total', async () => {
    const desks = await startDesks({ answers: false });
    await paused(desks, named(4));
    await desks.ask(DESKS.batches, { type: 'batch.resume', items: named(4), concurrencyLimit: 2 });
    await desks.tell(DESKS.batches, { type: 'item.resumed', item: 'item-00' });
    await desks.tell(DESKS.batches, { type: 'item.failed', item: 'item-01', error: 'again' });
    expect(await statusOf(desks)).toMatchObject({ total: 4, resumed: 1, failed: 1, pending: 2, paused: 0 });
    expect(await desks.ask(DESKS.batches, { type: 'batch.status', batchId: 'none' })).toBe(null);
  });

  it('CA-055: goes on when half of its items failed, and pauses only the failed ones again', async () => {
    const desks = await startDesks({ answers: false });
    await paused(desks, named(4));
    await desks.ask(DESKS.batches, { type: 'batch.resume', items: named(4) });
    for (const item of ['item-00', 'item-01'])
      await desks.tell(DESKS.batches, { type: 'item.failed', item, error: 'again' });
    expect(desks.heard('pause.request').map(({ item, reason }) => [item, reason])).toEqual([
      ['item-00', 'again'],
      ['item-01', 'again'],
    ]);
    for (const item of ['item-02', 'item-03']) await desks.tell(DESKS.batches, { type: 'item.resumed', item });
    expect(await statusOf(desks)).toMatchObject({ status: 'PARTIALLY_FAILED', resumed: 2, failed: 2 });
  });

  it('CA-055: pauses a failed item once, even if the refusal of that pause is reported as a new failure', async () => {
    const desks = await startDesks({ answers: false });
    await paused(desks, named(4));
    await desks.ask(DESKS.batches, { type: 'batch.resume', items: named(4) });
    for (const error of ['again', 'item-00 waits for people to decide', 'once more'])
      await desks.tell(DESKS.batches, { type: 'item.failed', item: 'item-00', error });
    expect(desks.heard('pause.request').map(({ item, reason }) => [item, reason])).toEqual([['item-00', 'again']]);
  });

  it(
    'CA-055: pauses every item again when more than half failed, even the resumed ones, and resumes no ' + 'more',
    async () => {
      const desks = await startDesks({ answers: false });
      await paused(desks, named(5));
      await desks.ask(DESKS.batches, { type: 'batch.resume', items: named(5), concurrencyLimit: 4 });
      await desks.tell(DESKS.batches, { type: 'item.resumed', item: 'item-00' });
      for (const item of ['item-01', 'item-02', 'item-03'])
        await desks.tell(DESKS.batches, { type: 'item.failed', item, error: 'again' });
      expect(desks.heard('pause.request').map(({ item }) => item)).toEqual([
        'item-01',
        'item-02',
        'item-03',
        'item-00',
        'item-04',
      ]);
      expect(await statusOf(desks)).toMatchObject({ status: 'FAILED', paused: 2, failed: 3, resumed: 0 });
    },
  );

  it('CA-055: counts an item that does not answer within 30 minutes as failed, across a power cut', async () => {
    const desks = await startDesks({ answers: false });
    await paused(desks, ['A', 'B']);
    await desks.ask(DESKS.batches, { type: 'batch.resume', items: ['A', 'B'] });
    await desks.tell(DESKS.batches, { type: 'item.resumed', item: 'A' });
    await desks.test.advance(29 * MINUTE_MS);
    await desks.cutPower();
    expect(await statusOf(desks)).toMatchObject({ failed: 0, pending: 1 });
    await desks.test.advance(MINUTE_MS);
    expect(await statusOf(desks)).toMatchObject({ status: 'PARTIALLY_FAILED', resumed: 1, failed: 1 });
  });

  it('CA-054: asks for resources before each launch, and says how many items are under way', async () => {
    const asked: ResourceQuestion[] = [];
    const resources = fromPromise<Resources, ResourceQuestion>(async ({ input }) => {
      asked.push(input);
      return { apiQuota: FREE, compute: FREE, connections: FREE };
    });
    const desks = await startDesks({ answers: false, resources });
    await paused(desks, named(3));
    await desks.ask(DESKS.batches, { type: 'batch.resume', items: named(3) });
    expect(asked.map(({ item, underWay }) => [item, underWay])).toEqual([
      ['item-00', 0],
      ['item-01', 1],
      ['item-02', 2],
    ]);
    expect(ordered(desks)).toEqual(named(3));
  });

  it('CA-056: says how many tasks the Lead Coordinator is running when it asks for resources', async () => {
    const asked: number[] = [];
    const resources = fromPromise<Resources, ResourceQuestion>(async ({ input }) => {
      asked.push(input.runningTasks);
      return { apiQuota: FREE, compute: FREE, connections: FREE };
    });
    const desks = await startDesks({ resources });
    await desks.ask(DESKS.batches, { type: 'batch.resume', items: ['A'] });
    expect(asked).toEqual([2]);
  });

  it('CA-054: goes on when the port for resources fails, and notes that in its status', async () => {
    const resources = fromPromise<Resources, ResourceQuestion>(async () => {
      throw new Error('unreachable');
    });
    const desks = await startDesks({ resources });
    await paused(desks, ['A']);
    await desks.ask(DESKS.batches, { type: 'batch.resume', items: ['A'] });
    expect(await statusOf(desks)).toMatchObject({
      status: 'COMPLETED',
      note: expect.stringMatching(/^not known: the resources/) as unknown,
    });
  });

  it('CA-054: goes on by itself at the reset if it was paused for a quota, across a power cut', async () => {
    let desks: Desks | undefined = undefined;
    let resetMs = Infinity;
    const resources = fromPromise<Resources, ResourceQuestion>(async () => {
      const isReset = desks !== undefined && desks.test.clock.wallMs() >= resetMs;
      return { apiQuota: isReset ? FREE : { isFree: false, notBeforeMs: resetMs }, compute: FREE, connections: FREE };
    });
    desks = await startDesks({ resources });
    resetMs = desks.test.clock.wallMs() + 3 * HOUR_MS;
    await desks.tell(DESKS.batches, {
      type: 'batch.trigger',
      items: ['A', 'B', 'C'],
      rootCause: 'Koyfin API quota exceeded',
      correlationId: 'c',
    });
    expect(await statusOf(desks)).toMatchObject({ phase: 'resuming', paused: 3, notBeforeMs: resetMs });
    await desks.test.advance(2 * HOUR_MS);
    await desks.cutPower();
    expect(ordered(desks)).toEqual([]);
    await desks.test.advance(HOUR_MS);
    expect(await statusOf(desks)).toMatchObject({ status: 'COMPLETED', resumed: 3 });
  });

  it('CA-056: reports its end by an alert, whose priority is higher the worse the result', async () => {
    const desks = await startDesks();
    await paused(desks, ['A', 'B']);
    await desks.ask(DESKS.batches, { type: 'batch.resume', items: ['A', 'B'] });
    expect(alertsIn(desks.context<AlertDeskContext>(DESKS.alerts))).toMatchObject([
      { kind: 'batch.finished', priority: 'LOW', title: expect.stringContaining('2/2 successful') as string },
    ]);
  });

  it('CA-057: keeps its record for 90 days after its end, across a power cut', async () => {
    const desks = await startDesks();
    await desks.ask(DESKS.batches, { type: 'batch.pause', items: ['A', 'B'], reason: 'maintenance' });
    await desks.ask(DESKS.batches, { type: 'batch.resume', batchId: 'batch-1' });
    expect(await statusOf(desks)).toMatchObject({
      id: 'batch-1',
      name: 'batch-1',
      reason: 'maintenance',
      items: ['A', 'B'],
      total: 2,
      paused: 0,
      resumed: 2,
      failed: 0,
      status: 'COMPLETED',
      concurrencyLimit: 5,
      createdAtMs: expect.any(Number) as number,
      completedAtMs: expect.any(Number) as number,
    });
    await desks.test.advance(89 * DAY_MS);
    await desks.cutPower();
    expect(await statusOf(desks)).toMatchObject({ status: 'COMPLETED' });
    await desks.test.advance(DAY_MS);
    expect(await statusOf(desks)).toBe(null);
    expect(batchesIn(desks.context<BatchManagerContext>(DESKS.batches))).toEqual([]);
  });

  it('CA-057: leaves no actor behind when it has ended', async () => {
    const desks = await startDesks();
    await desks.ask(DESKS.batches, { type: 'batch.pause', items: ['A'], reason: 'r' });
    expect(desks.test.shard.tree(DESKS.batchActors).children).toHaveLength(1);
    await desks.ask(DESKS.batches, { type: 'batch.resume', items: ['A'] });
    expect(desks.test.shard.tree(DESKS.batchActors).children).toEqual([]);
  });

  it(
    'CA-E09: resumes ten items paused for a quota: five at its reset at 00:01, then the next five; 10/10 ' +
      'successful',
    async () => {
      let desks: Desks | undefined = undefined;
      let resetMs = Infinity;
      const resources = fromPromise<Resources, ResourceQuestion>(async () => {
        const isReset = desks !== undefined && desks.test.clock.wallMs() >= resetMs;
        return { apiQuota: isReset ? FREE : { isFree: false, notBeforeMs: resetMs }, compute: FREE, connections: FREE };
      });
      desks = await startDesks({ answers: false, resources });
      await paused(desks, named(10));
      // The clock of a test begins at midnight; ten hours before a midnight the items were paused.
      await desks.test.advance(14 * HOUR_MS);
      resetMs = Date.UTC(2026, 0, 2, 0, 1);
      await desks.ask(DESKS.batches, { type: 'batch.resume', items: named(10) });
      await desks.test.advance(10 * HOUR_MS);
      await desks.cutPower();
      expect(ordered(desks)).toEqual([]);
      await desks.test.advance(MINUTE_MS);
      expect(desks.test.clock.wallMs()).toBe(resetMs);
      expect(ordered(desks)).toEqual(named(5));
      for (const item of named(5)) await desks.tell(DESKS.batches, { type: 'item.resumed', item });
      expect(ordered(desks)).toEqual(named(10));
      for (const item of named(10).slice(5)) await desks.tell(DESKS.batches, { type: 'item.resumed', item });
      expect(alertsIn(desks.context<AlertDeskContext>(DESKS.alerts))[0]!.title).toContain('10/10 successful');
    },
  );
});
