/**
 * Records of a system over two workers: of one actor from its worker, by key from all workers, followed over crashes.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { type FoundRecords } from '../../src/actors/api/record-pages.ts';
import { Placement } from '../../src/actors/model/placement.ts';
import { type SpreadTestSystem, startSpreadTestSystem } from '../../src/testing/spread-test-system.ts';
import { counter, type Event, notes, scribe } from '../support/actors/scribe.ts';
import { placedNames } from '../support/workers/actors.ts';

const AT = new Placement(2, new Set());
const [[here], [there]] = placedNames((address) => AT.homeOf(address) as number, { count: 1 }) as [[string], [string]];

async function start(): Promise<SpreadTestSystem> {
  const tree = { intensity: 100, children: [here, there].map((id) => ({ id, agent: 'scribe' })) };
  const test = await startSpreadTestSystem({ workers: 2, agents: [scribe(), counter], tree });
  onTestFinished(() => test.system.stop());
  return test;
}

async function send(test: SpreadTestSystem, address: string, ...sent: Event[]): Promise<void> {
  for (const event of sent) await test.system.send(address, event);
  await test.settle();
}

const whatOf = ({ value }: { readonly value: unknown }) => (value as { what: unknown }).what;

describe('records over two workers', () => {
  it('are read for one actor from its worker', async () => {
    const test = await start();
    await send(test, there, ...notes('a', 'b', 'c'));
    const page = await test.system.records.list(there, 'notes', { limit: 2, newestFirst: true });
    expect(page).toMatchObject({ next: 2, first: 1, last: 3 });
    expect(page.records.map(whatOf)).toEqual(['c', 'b']);
    await expect(test.system.records.list(here, 'nowhere')).rejects.toMatchObject({ code: 'BOSUN_RECORDS_UNKNOWN' });
    await expect(test.system.records.list('x', 'notes')).rejects.toMatchObject({ code: 'BOSUN_ACTOR_UNKNOWN' });
  });

  it.each([false, true])('are listed by key in order of time, page by page; newest first: %s', async (newestFirst) => {
    const test = await start();
    for (let n = 0; n < 12; n++) {
      await send(test, n % 3 === 0 ? there : here, { type: 'note', what: n, by: 'ada' });
      await test.advance(1);
    }
    const read: unknown[] = [];
    let from: string | null = null;
    do {
      const page: FoundRecords = await test.system.records.find('scribe', 'notes', ['by', 'ada'], {
        limit: 5,
        newestFirst,
        ...(from !== null && { from }),
      });
      read.push(...page.records.map(whatOf));
      from = page.next;
    } while (from !== null);
    const all = Array.from({ length: 12 }, (_, n) => n);
    expect(read).toEqual(newestFirst ? all.reverse() : all);
    await expect(test.system.records.find('scribe', 'notes', ['what', 1])).rejects.toMatchObject({
      code: 'BOSUN_RECORDS_UNKNOWN',
    });
  });

  it('reach a follower once each, over the death of the worker, and end with the actor', async () => {
    const test = await start();
    await send(test, there, ...notes('a', 'b'));
    const read: unknown[] = [];
    const over = (async () => {
      for await (const record of test.system.records.tail(there, 'notes', { after: 1 })) read.push(whatOf(record));
    })();
    await test.settle();
    await send(test, there, ...notes('c'));
    test.crash(1);
    await test.restart(1);
    await send(test, there, ...notes('d', 'e'));
    expect(read).toEqual(['b', 'c', 'd', 'e']);
    await test.system.boss().terminateChild(there);
    await test.settle();
    await over;
  });

  it('are followed to the end of the system; an address without an actor is refused', async () => {
    const test = await start();
    const over = test.system.records.tail(there, 'notes').next();
    await expect(test.system.records.tail('x', 'notes').next()).rejects.toMatchObject({ code: 'BOSUN_ACTOR_UNKNOWN' });
    await test.settle();
    await test.system.stop();
    expect(await over).toEqual({ done: true, value: undefined });
  });
});
