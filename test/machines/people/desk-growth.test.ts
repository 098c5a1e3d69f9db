/** Desks after much work: the remains of ended records, and the cost of an event beside many open records. */
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { type AlertDeskContext } from '../../../src/machines/people/alerts/alert-desk.ts';
import { ENDED_KEPT, NO_CARDS } from '../../../src/machines/people/alerts/alert-rules.ts';
import { gateAgents, gateChildren } from '../../../src/machines/people/gates/gate-desk.ts';
import { formOf } from '../../../src/machines/people/gates/gate-form.ts';
import { DESKS } from '../../../src/machines/desks.ts';
import { PREFIX } from '../../../src/persistence/format/keys.ts';
import { isTable } from '../../../src/table.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { startMachines } from '../../support/machines/machines-under-test.ts';
import { byEffort, LONG } from '../../support/effort.ts';
import { HOUR_MS, startDesks } from '../../support/machines/desks.ts';
import { openIn } from '../../../src/machines/rules/records.ts';

/** Folds nearly every epoch, so that what is left on disk is what the state names. */
const journal = { fold: { windowEpochs: 2, sliceRecords: 1_000 } };

let test: TestSystem | undefined;
afterEach(() => test?.shard.stop());

/** More than are kept. */
const ALERTS = byEffort({ quick: ENDED_KEPT + 50, ci: 3 * ENDED_KEPT });

it(`${ALERTS} raised and acknowledged alerts leave no rows, keys or pages except for the last 200`, LONG, async () => {
  const desks = await startDesks({ journal });
  test = desks.test;
  const context = () => desks.context<AlertDeskContext>(DESKS.alerts);
  const keysBefore = Object.keys(context());
  const work = async (first: number): Promise<void> => {
    const ids = Array.from({ length: ALERTS }, (_, n) => first + n);
    for (const id of ids)
      await test!.shard.send(DESKS.coordinator, {
        type: 'tell',
        to: DESKS.alerts,
        event: {
          type: 'alert.raise',
          item: `item ${id}`,
          kind: 'item.failed',
          priority: 'HIGH',
          title: `item ${id} failed`,
          detail: 'no ink',
          actions: [],
          data: {},
        },
      });
    await test!.settle();
    expect(openIn(context()).length).toBe(ALERTS);
    for (const id of ids) await test!.shard.send(DESKS.alerts, { type: 'alert.acknowledge', id: `alert-${id}` });
    await test!.settle();
    await test!.advance(HOUR_MS);
    // The contents of the last epochs are folded when more epochs follow.
    for (let n = 0; n < 20; n++)
      await desks.tell(DESKS.coordinator, { type: 'cause.cleared', items: ['none'], cause: 'none' });
  };
  /** Keys and rows that the desk holds, and their size on disk. */
  const left = () => ({
    keys: Object.keys(context()),
    rows: Object.fromEntries(
      Object.entries(context()).flatMap(([key, held]) => (isTable(held) ? [[key, held.size]] : [])),
    ),
    pages: test!.store.entries().filter(([key]) => key.startsWith(PREFIX.page)).length,
    actors: test!.store.entries().filter(([key]) => /^[sS]!/.test(key)).length,
  });

  await work(1);
  const afterFirst = left();
  expect(context().openCounts).toEqual(NO_CARDS);
  expect(afterFirst).toMatchObject({
    keys: keysBefore,
    rows: {
      cardsAbout: 0,
      batchMarks: 0,
      markedItems: 0,
      waiting: 0,
      held: 0,
      rows: ENDED_KEPT,
      places: ENDED_KEPT,
    },
  });
  await work(ALERTS + 1);
  const afterSecond = left();
  expect([afterSecond.keys, afterSecond.rows]).toEqual([afterFirst.keys, afterFirst.rows]);
  for (const { pages, actors } of [afterFirst, afterSecond]) {
    // Two tables of 200 rows, of which a page has 16 to 32.
    expect(pages).toBeLessThanOrEqual(2 * Math.ceil(ENDED_KEPT / 16));
    // The desks and their Bosses, and no card.
    expect(actors).toBeLessThan(10);
  }
});

it('an event about one gate writes as much beside thousands of open gates as beside ten', async () => {
  const started = await startMachines({ agents: gateAgents, tree: { children: gateChildren() } });
  test = started;
  const many = byEffort({ quick: 200, ci: 5_000 });
  const open = async (first: number, end: number): Promise<void> => {
    for (let n = first; n < end; n++)
      await started.shard.send(DESKS.gates, {
        type: 'gate.open',
        id: `gate-${n}`,
        kind: 'review',
        title: 'Print it?',
        package: {},
        audience: ['*'],
        form: formOf(z.object({ decision: z.enum(['yes', 'no']) })),
        deadlineMs: HOUR_MS,
      });
    await started.settle();
  };
  /** Bytes of the epochs in which one gate gets more time. */
  const written = async (): Promise<number> => {
    const { length: before } = started.store.log;
    await started.shard.send(DESKS.gates, { type: 'gate.extend', gate: 'gate-7', by: 'ada', byMs: HOUR_MS });
    await started.settle();
    const writes = started.store.log.slice(before).flatMap((batch) => batch.writes);
    return writes.reduce((sum, { key, value }) => sum + (key.startsWith(PREFIX.epoch) ? (value?.length ?? 0) : 0), 0);
  };
  await open(0, 10);
  // The first epoch writes shapes and names to which later epochs only refer.
  await written();
  const few = await written();
  await open(10, many);
  expect(few).toBeGreaterThan(0);
  expect(await written()).toBeLessThan(1.5 * few);
});
