/** Records as clients get them: by page, by key, without secrets, and followed by number across breaks and restarts. */
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type FoundRecords, type RecordPage } from '../../../src/actors/api/record-pages.ts';
import { SECRET_SHOWN } from '../../../src/actors/model/secret.ts';
import { EVENTS_PER_TURN, OUT_BYTES_HIGH, RECORD_CHARS_SHOWN } from '../../../src/gateway/limits.ts';
import { type GatewayOptions } from '../../../src/gateway/network/server.ts';
import {
  type Frame,
  type GatewayTest,
  type MemoryClient,
  startGatewayTest,
} from '../../support/gateway/memory-client.ts';
import { ledgers, ONE, TWO } from '../../support/gateway/ledgers.ts';
import { type SpreadGatewayTest, startSpreadGateway } from '../../support/gateway/workers-kit.ts';

type Front = GatewayTest | SpreadGatewayTest;

const gateway: GatewayOptions = {
  destructive: true,
  tokens: [
    { id: 'all', token: 'a-token-for-everything' },
    { id: 'one', token: 'a-token-for-one-ledger', addresses: [ONE] },
    { id: 'blind', token: 'a-token-without-reading', scopes: ['actor:send'] },
  ],
};
const FRONTS: Readonly<Record<string, (keep?: number) => Promise<Front>>> = {
  'one system': async (keep) => {
    const test = await startGatewayTest(gateway, ledgers({ ...(keep !== undefined && { keep }) }));
    onTestFinished(() => test.stop());
    return test;
  },
  'two workers': (keep) => startSpreadGateway(gateway, ledgers({ ...(keep !== undefined && { keep }) })),
};

describe.each(Object.entries(FRONTS))('records, in front of %s', (front, start) => {
  let test: Front;
  let client: MemoryClient;

  const begin = async (keep?: number) => {
    test = await start(keep);
    client = await test.client({ token: 'a-token-for-everything' });
  };
  beforeEach(() => begin());

  const answer = async (method: string, p: object, as = client) => await test.call(as, method, p);
  const call = async (method: string, p: object) => ((await answer(method, p)) as unknown as { r: unknown }).r;
  const codeOf = async (method: string, p: object, as = client) =>
    ((await answer(method, p, as)) as unknown as { e?: { code: string } }).e?.code;
  const send = (address: string, event: object) => call('actor.send', { address, event });
  const note = (address: string, what: unknown, order = 'o-1') => send(address, { type: 'note', order, what });
  const list = (p: object) => call('record.list', { address: ONE, name: 'notes', ...p }) as Promise<RecordPage>;
  const find = (p: object) =>
    call('record.find', { agent: 'ledger', name: 'notes', key: 'order', value: 'o-1', ...p }) as Promise<FoundRecords>;
  const whats = (records: readonly { readonly value: unknown }[]) =>
    records.map(({ value }) => (value as { what: unknown }).what);

  it('are listed by page, in both directions, and by fields', async () => {
    for (const what of ['a', 'b', 'c', 'a']) await note(ONE, what);
    const first = await list({ limit: 3 });
    expect(first).toMatchObject({ next: 3, first: 1, last: 4, missing: 0 });
    expect(first.records[0]).toMatchObject({ number: 1, atMs: expect.any(Number) as number, sequence: 2 });
    expect(whats((await list({ after: first.next })).records)).toEqual(['a']);
    expect(whats((await list({ newestFirst: true, before: 4, limit: 2 })).records)).toEqual(['c', 'b']);
    expect((await list({ where: { what: 'a' } })).records.map(({ number }) => number)).toEqual([1, 4]);
  });

  it('are found by a key over all actors, page by page, oldest or newest first', async () => {
    for (let n = 0; n < 9; n++) {
      await note(n % 3 === 0 ? TWO : ONE, n, n === 4 ? 'o-2' : 'o-1');
      await test.advance(1);
    }
    for (const newestFirst of [false, true]) {
      const read: unknown[] = [];
      let from: string | null | undefined;
      do {
        const page: FoundRecords = await find({ limit: 3, newestFirst, ...(from !== undefined && { from }) });
        read.push(...whats(page.records));
        from = page.next;
      } while (from !== null);
      const all = [0, 1, 2, 3, 5, 6, 7, 8];
      expect(read).toEqual(newestFirst ? all.reverse() : all);
    }
    expect((await find({})).records[0]).toMatchObject({ address: TWO, number: 1 });
  });

  it('show no secrets in pages, refuse secret fields as conditions, and hide values without a schema', async () => {
    await note(ONE, 'a');
    await send('diary', { type: 'write', text: 'open to all' });
    const hidden = { order: 'o-1', what: 'a', pin: SECRET_SHOWN };
    expect((await list({})).records.map(({ value }) => value)).toEqual([hidden]);
    expect((await find({})).records.map(({ value }) => value)).toEqual([hidden]);
    expect((await list({ name: 'untold' })).records).toMatchObject([{ value: SECRET_SHOWN }]);
    expect((await list({ address: 'diary', name: 'pages' })).records).toMatchObject([
      { value: { text: 'open to all' } },
    ]);
    for (const [name, where] of [
      ['notes', { pin: '4711' }],
      ['notes', { what: 'a', pin: '1' }],
      ['untold', { what: 'a' }],
    ] as const)
      expect(await codeOf('record.list', { address: ONE, name, where })).toBe('BOSUN_CALL_INVALID');
    expect(await codeOf('record.find', { agent: 'ledger', name: 'untold', key: 'it', value: 'a' })).toBe(
      'BOSUN_CALL_INVALID',
    );
    expect(JSON.stringify(client.frames)).not.toContain('"4711"');
  });

  it('can be listed by callers that may reach the actor, and found by callers that may reach all actors', async () => {
    await note(ONE, 'a');
    await note(TWO, 'b');
    const one = await test.client({ token: 'a-token-for-one-ledger' });
    const blind = await test.client({ token: 'a-token-without-reading' });
    expect(await codeOf('record.list', { address: ONE, name: 'notes' }, one)).toBe(undefined);
    expect(await codeOf('record.list', { address: TWO, name: 'notes' }, one)).toBe('BOSUN_FORBIDDEN');
    expect(await codeOf('record.list', { address: ONE, name: 'notes' }, blind)).toBe('BOSUN_FORBIDDEN');
    // The same code in each case: a caller without the right must not learn what exists.
    for (const [agent, value] of [
      ['ledger', 'o-1'],
      ['ledger', 'none'],
      ['nobody', 'o-1'],
    ])
      expect(await codeOf('record.find', { agent, name: 'notes', key: 'order', value }, one)).toBe('BOSUN_FORBIDDEN');
    expect(await follow(one, TWO)).toMatchObject({ t: 'end', e: { code: 'BOSUN_FORBIDDEN' } });
    expect(await follow(blind, ONE)).toMatchObject({ t: 'end', e: { code: 'BOSUN_FORBIDDEN' } });
  });

  it('are refused under an unknown name, which the message quotes', async () => {
    const refused = await answer('record.list', { address: ONE, name: 'nowhere' });
    expect(refused).toMatchObject({ e: { code: 'BOSUN_RECORDS_UNKNOWN' } });
    expect((refused as unknown as { e: { message: string } }).e.message).toContain('"nowhere"');
    expect(await codeOf('record.list', { address: 'nobody', name: 'notes' })).toBe('BOSUN_ACTOR_UNKNOWN');
    expect(await codeOf('record.find', { agent: 'ledger', name: 'notes', key: 'what', value: 1 })).toBe(
      'BOSUN_RECORDS_UNKNOWN',
    );
    expect(await codeOf('record.find', { agent: 'ledger', name: 'notes', key: 'order', value: 1, from: 'x' })).toBe(
      'BOSUN_VALUE_REFUSED',
    );
    expect(await follow(client, ONE, { name: 'nowhere', id: 'a' })).toMatchObject({
      e: { code: 'BOSUN_RECORDS_UNKNOWN' },
    });
    expect(await follow(client, 'nobody', { id: 'b' })).toMatchObject({ e: { code: 'BOSUN_ACTOR_UNKNOWN' } });
    client.send({ t: 'sub', id: 'c', topic: `records/${ONE}`, mode: 'events' });
    await test.settle();
    expect(client.last('end', 'c')).toMatchObject({ e: { code: 'BOSUN_CALL_INVALID' } });
  });

  it('end a page early if they are long, after at least one record, in either direction', async () => {
    const long = (n: number) => `${n}${'x'.repeat(RECORD_CHARS_SHOWN / 3)}`;
    for (let n = 0; n < 5; n++) {
      await note(n < 3 ? ONE : TWO, long(n));
      await test.advance(1);
    }
    await note(ONE, 'y'.repeat(RECORD_CHARS_SHOWN - 100));
    for (const [newestFirst, ends] of [
      [false, [2, 3, null]],
      [true, [4, 2, null]],
    ] as const) {
      const nexts: unknown[] = [];
      let next: number | null | undefined;
      do {
        const page: RecordPage = await list({
          newestFirst,
          ...(next !== undefined && { [newestFirst ? 'before' : 'after']: next }),
        });
        expect(JSON.stringify(page).length).toBeLessThan(RECORD_CHARS_SHOWN * 1.1);
        nexts.push((next = page.next));
      } while (next !== null);
      expect(nexts).toEqual(ends);
    }
    const found = await find({});
    expect(found.records.length).toBe(2);
    expect((await find({ from: found.next, limit: 1 })).records[0]).toMatchObject({ number: 3, address: ONE });
  });

  it('are listed by actor.inspect, with their first and last number', async () => {
    await begin(2);
    for (const what of ['a', 'b', 'c']) await note(ONE, what);
    expect(await call('actor.inspect', { address: ONE })).toMatchObject({
      records: [
        { name: 'notes', first: 2, last: 3 },
        { name: 'untold', first: 1, last: 3 },
      ],
    });
  });

  const follow = async (as: MemoryClient, address: string, { from, name = 'notes', id = 's' }: Followed = {}) => {
    as.send({ t: 'sub', id, topic: `records/${address}/${name}`, mode: 'events', from });
    await test.settle();
    return as.last('snap', id) ?? as.last('end', id);
  };
  const told = (as: MemoryClient, id = 's') =>
    as.of('evt', id).map((frame) => [frame['at'], frame['e']] as [{ seq: number }, { number: number; value: unknown }]);
  const numbersTold = (as: MemoryClient, id = 's') => told(as, id).map(([, { number }]) => number);
  const lost = (as: MemoryClient, id = 's') =>
    as.of('lag', id).reduce((sum, frame) => sum + Number(frame['skipped']), 0);

  it('are sent once each after the subscription, in the form of a page, with their number in the cursor', async () => {
    await note(ONE, 'a');
    const { life } = await list({});
    expect(await follow(client, ONE)).toMatchObject({ recovered: false, at: { epoch: String(life), seq: 1 } });
    await note(ONE, 'b');
    await note(ONE, 'c');
    await note(TWO, 'elsewhere');
    expect(told(client)).toEqual(
      (await list({ after: 1 })).records.map((one) => [{ epoch: String(life), seq: one.number }, one]),
    );
    expect(JSON.stringify(client.frames)).not.toContain('"4711"');
  });

  it('continue after the last number that a client has seen, also after a crash of the system', async () => {
    await follow(client, ONE);
    for (const what of ['a', 'b']) await note(ONE, what);
    const { at } = client.last('evt', 's') as Frame & { at: object };
    client.drop();
    client = await test.client({ token: 'a-token-for-everything' });
    await note(ONE, 'c');
    await crash(test);
    client = await test.client({ token: 'a-token-for-everything' });
    await note(ONE, 'd');
    expect(await follow(client, ONE, { from: at })).toMatchObject({ recovered: true, at });
    expect(numbersTold(client)).toEqual([3, 4]);
    await note(ONE, 'e');
    expect(numbersTold(client)).toEqual([3, 4, 5]);
    expect(lost(client)).toBe(0);
  });

  it('continue after a bare number, and after the last record of a page', async () => {
    for (const what of ['a', 'b', 'c']) await note(ONE, what);
    expect(await follow(client, ONE, { from: { epoch: 'any', seq: 1 } })).toMatchObject({ recovered: true });
    const { life, next } = await list({ limit: 2 });
    await follow(client, ONE, { from: { epoch: String(life), seq: next! }, id: 't' });
    expect([numbersTold(client), numbersTold(client, 't')]).toEqual([[2, 3], [3]]);
  });

  it('are not recovered if some are no longer kept, and continue with the oldest kept record', async () => {
    await begin(3);
    for (let n = 1; n <= 8; n++) await note(ONE, n);
    const { life } = await list({});
    const from = { epoch: String(life), seq: 2 };
    expect(await follow(client, ONE, { from })).toMatchObject({ recovered: false, at: { seq: 5 } });
    expect(numbersTold(client)).toEqual([6, 7, 8]);
    expect(await follow(client, ONE, { from: { ...from, seq: 5 }, id: 't' })).toMatchObject({ recovered: true });
    expect(await follow(client, ONE, { from: { ...from, seq: 90 }, id: 'u' })).toMatchObject({
      recovered: false,
      at: { seq: 8 },
    });
    expect(await follow(client, ONE, { from: { epoch: '1234', seq: 8 }, id: 'v' })).toMatchObject({
      recovered: false,
      at: { seq: 5 },
    });
    expect([numbersTold(client, 't'), numbersTold(client, 'u'), numbersTold(client, 'v')]).toEqual([
      [6, 7, 8],
      [],
      [6, 7, 8],
    ]);
  });

  it('wait for a client that does not read, and delay no other client', async () => {
    await begin(200);
    const slow = await test.client({ token: 'a-token-for-everything' });
    await follow(slow, ONE);
    await follow(client, ONE);
    slow.isReading = false;
    slow.buffered = 2 * OUT_BYTES_HIGH;
    // Not through the gateway, which limits calls per second.
    const many = async (count: number) => {
      for (let n = 0; n < count; n++)
        await test.test.system.send(ONE, { type: 'note', order: 'o-1', what: n } as never);
      await test.settle();
    };
    await many(1);
    const seen = numbersTold(slow).length;
    await many(2 * EVENTS_PER_TURN);
    expect(numbersTold(client).length).toBe(2 * EVENTS_PER_TURN + 1);
    expect(numbersTold(slow).length - seen).toBeLessThanOrEqual(EVENTS_PER_TURN);
    await many(150);
    slow.read();
    for (let round = 0; round < 5; round++) await test.settle();
    const numbers = numbersTold(slow);
    expect(numbers.at(-1)).toBe(2 * EVENTS_PER_TURN + 151);
    expect(lost(slow)).toBe(numbers.at(-1)! - numbers.length);
    expect(lost(slow)).toBeGreaterThan(0);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  });

  it('end with their actor', async () => {
    await follow(client, ONE);
    await note(ONE, 'a');
    await call('boss.terminateChild', { address: 'root', id: ONE });
    await test.settle();
    expect(client.last('end', 's')).toMatchObject({ e: { code: 'BOSUN_ACTOR_UNKNOWN' } });
  });

  if (front === 'two workers')
    it('continue without a gap or a notice when their worker dies and restarts', async () => {
      const { test: system } = test as SpreadGatewayTest;
      await follow(client, ONE);
      await note(ONE, 'a');
      system.crash(0);
      await (test as SpreadGatewayTest).restart(0);
      await note(ONE, 'b');
      expect(numbersTold(client)).toEqual([1, 2]);
      expect(lost(client)).toBe(0);
    });
});

interface Followed {
  readonly from?: object;
  readonly name?: string;
  readonly id?: string;
}

async function crash(test: Front): Promise<void> {
  if ('crashAll' in test) return test.crashAll();
  await test.crash();
  await test.restart();
}
