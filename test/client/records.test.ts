/** Records on the client: by page, by key, and followed by number across breaks and crashes, also by a slow reader. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { RECORDS_WAITING_MAX } from '../../src/client/bounds.ts';
import { type RemoteRecord } from '../../src/client/client-records.ts';
import { EVENTS_PER_TURN } from '../../src/gateway/limits.ts';
import { type ClientTest, startClientTest } from '../support/client/client-kit.ts';
import { ledgers, ONE, TWO } from '../support/gateway/ledgers.ts';

const LONG_MS = 31_000;

interface Note {
  readonly order: string;
  readonly what: number;
  readonly pin: string;
}

async function start(keep?: number): Promise<ClientTest> {
  const test = await startClientTest({ destructive: true }, ledgers(keep === undefined ? {} : { keep }));
  onTestFinished(() => test.stop());
  return test;
}

/** Sends notes one after another, numbered from 0. */
async function note(test: ClientTest, count: number, address = ONE): Promise<void> {
  for (let n = 0; n < count; n++)
    await test.host.test.shard.send(address, { type: 'note', order: 'o-1', what: n } as never);
  await test.settle();
}

/** Collects the numbers of a tail as they arrive. */
function taken(tail: AsyncIterable<RemoteRecord<Note>>): number[] {
  const numbers: number[] = [];
  void (async () => {
    try {
      for await (const { number } of tail) numbers.push(number);
    } catch {
      numbers.push(-1);
    }
  })();
  return numbers;
}

describe('records', () => {
  it('are read by page and found by key, typed by the caller', async () => {
    const test = await start();
    const client = await test.live();
    await note(test, 3);
    await note(test, 1, TWO);
    const asked = Promise.all([
      client.records.list<Note>(ONE, 'notes', { limit: 2, where: { order: 'o-1' } }),
      client.records.find<Note>('ledger', 'notes', ['order', 'o-1'], { newestFirst: true, limit: 1 }),
    ]);
    const refused = expect(client.records.list(ONE, 'nowhere')).rejects.toMatchObject({
      code: 'BOSUN_RECORDS_UNKNOWN',
    });
    await test.settle();
    const [page, found] = await asked;
    expect(page).toMatchObject({ next: 2, first: 1, last: 3 });
    expect(page.records.map(({ value }) => value.what)).toEqual([0, 1]);
    expect(found.records).toMatchObject([{ address: TWO, value: { order: 'o-1' } }]);
    await refused;
  });
});

describe('a tail', () => {
  it('resumes by record number after breaks and crashes, without a gap', async () => {
    const test = await start();
    const client = await test.live();
    await note(test, 3);
    let gaps = 0;
    const numbers = taken(client.records.tail<Note>(ONE, 'notes', { after: 1, onGap: () => (gaps += 1) }));
    await test.settle();
    test.cut();
    await note(test, 2);
    await test.advance(LONG_MS);
    await test.crash();
    await test.restart();
    await note(test, 2);
    await test.advance(LONG_MS);
    await note(test, 1);
    expect(numbers).toEqual([2, 3, 4, 5, 6, 7, 8]);
    expect(gaps).toBe(0);
  });

  it('continues after the last record of a page; reports a gap if records are gone or the actor is new', async () => {
    const test = await start(4);
    const client = await test.live();
    await note(test, 2);
    const listing = client.records.list(ONE, 'notes');
    await test.settle();
    const { life, last } = await listing;
    const gaps: string[] = [];
    const follow = (name: string, after: number) =>
      taken(client.records.tail<Note>(ONE, 'notes', { after, life, onGap: () => gaps.push(name) }));
    const seen = follow('seen', last);
    await note(test, 4);
    const missed = follow('missed', 1);
    await test.settle();
    expect([seen, missed, gaps]).toEqual([[3, 4, 5, 6], [3, 4, 5, 6], ['missed']]);
    await test.host.test.shard.boss().terminateChild(ONE);
    await test.settle();
    expect(seen.at(-1)).toBe(-1);
    await test.host.test.shard.boss().restartChild(ONE);
    await note(test, 2);
    const other = follow('other', 6);
    await test.settle();
    expect([other, gaps]).toEqual([
      [1, 2],
      ['missed', 'other'],
    ]);
  });

  it('gives a slow reader every record, and fetches only a few at a time', async () => {
    const test = await start();
    const client = await test.live();
    const count = 4 * RECORDS_WAITING_MAX;
    await note(test, count);
    let gaps = 0;
    const tail = client.records.tail<Note>(ONE, 'notes', { after: 0, onGap: () => (gaps += 1) });
    for (let round = 0; round < 3 * (RECORDS_WAITING_MAX / EVENTS_PER_TURN); round++) await test.settle();
    const numbers: number[] = [];
    while (numbers.length < count) {
      const next = tail.next();
      await test.settle();
      numbers.push(((await next) as { value: RemoteRecord<Note> }).value.number);
    }
    expect(numbers).toEqual(Array.from({ length: count }, (_, n) => n + 1));
    expect(gaps).toBe(0);
    const info = client.call<{ gateway: { subscriptions: number } }>('system.info');
    const waiting = tail.next();
    await note(test, 1);
    expect(await waiting).toMatchObject({ value: { number: count + 1 } });
    expect((await info).gateway.subscriptions).toBe(4);
  });
});
