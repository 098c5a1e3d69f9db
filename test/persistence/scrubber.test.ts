/** The scrubber: it finds damage under a running system, slowly, and without disturbing the system. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KEYSPACE, type StoreEntry, type StoreRange } from '../../src/actors/model/ports.ts';
import { SCRUB_INTERVAL_MS, SCRUB_RECORDS } from '../../src/limits.ts';
import { BosunError } from '../../src/errors.ts';
import { openActor, sealActor } from '../../src/persistence/format/actor-record.ts';
import { ByteWriter } from '../../src/persistence/format/bytes.ts';
import { PREFIX } from '../../src/persistence/format/keys.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../src/testing/test-system.ts';
import { account, deposit } from '../support/actors/account.ts';
import { tell, worker } from '../support/supervisor/worker.ts';

/** The value that says nothing, as the codec writes it. */
const NIL = 0xc0;

let test: TestSystem;
let told: BosunError[];

const options: TestSystemOptions = {
  agents: [account],
  tree: { children: ['a', 'b', 'c'].map((id) => ({ id, agent: 'account' })) },
  journal: { fold: { windowEpochs: 3, sliceRecords: 1_000 } },
  scrub: { intervalMs: 10, records: 4 },
};

async function start(changes: Partial<TestSystemOptions> = {}): Promise<void> {
  test = await startTestSystem({ ...options, ...changes });
  for (let n = 0; n < 8; n++) for (const address of ['a', 'b', 'c']) await test.shard.send(address, deposit(1));
  await test.settle();
  told = [];
  test.shard.onDamage((damage) => told.push(damage));
}

beforeEach(() => start());
afterEach(() => test.shard.stop());

const slices = () => Math.ceil(test.store.entries().length / 4) + 1;
const keys = (prefix: string) => test.store.entries().flatMap(([key]) => (key.startsWith(prefix) ? [key] : []));

const outageLines = () => test.logged.flat().filter((line) => String(line).includes('cannot read the store'));

/** The operation of a slice that an outage meets. A held batch fails when the outage ends. */
type Operation = 'the call' | 'the first batch' | 'a later batch' | 'the end' | 'a held batch';

/**
 * Makes scans fail at an operation.
 *
 * @returns A function that ends the outage.
 */
function outageAt(operation: Operation): () => void {
  const { store } = test;
  const { scan } = store;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const fails = (place: Operation) => {
    if (place === operation) throw new BosunError('BOSUN_STORE_FAILED', 'the store is not open');
  };
  async function* batches(range: StoreRange): AsyncGenerator<readonly StoreEntry[]> {
    fails('the first batch');
    if (operation === 'a held batch') await held;
    fails('a held batch');
    for await (const batch of scan.call(store, range))
      for (const entry of batch) {
        yield [entry];
        fails('a later batch');
      }
    fails('a later batch');
    fails('the end');
  }
  store.scan = (range) => {
    fails('the call');
    return batches(range);
  };
  return () => {
    store.scan = scan;
    release();
  };
}

describe('the scrubber', () => {
  it('reports nothing about a sound store, however long it runs while turns go on', async () => {
    for (let n = 0; n < 100; n++) {
      await test.shard.send('a', deposit(1));
      await test.advance(10);
    }
    expect(told).toEqual([]);
    expect(test.shard.damage()).toEqual([]);
  });

  it('finds damage of any kind of record within one pass and reports it once, while turns go on', async () => {
    const damaged = [keys(PREFIX.state)[1]!, keys(PREFIX.epoch)[0]!, keys(`${KEYSPACE.addresses}!`)[0]!, 'v!', 'c!b'];
    for (const key of damaged) test.store.flip(key, 3);
    await test.advance(10 * slices());
    expect(told.map(({ details }) => details['key']).sort()).toEqual([...damaged].sort());
    await test.advance(10 * slices() * 3);
    expect(told).toHaveLength(damaged.length);
    expect(test.shard.damage()).toEqual(told);
    expect(test.logged.flat()).toContain(told[0]!.message);
    await test.shard.send('a', deposit(1));
    await test.settle();
    expect(test.shard.snapshot('a')).toMatchObject({ context: { balance: 9 } });
  });

  it('finds a record that is sound but differs from memory', async () => {
    // Life 2, the first child of the root; the keys do not include that of the root.
    const [key] = keys(PREFIX.state);
    await test.store.write([{ key: key!, value: await recordAfter(30, key!) }], { sync: true });
    await test.advance(10 * slices());
    expect(
      told.map(({ message, details }) => [message.includes('is at change'), details['key'], details['address']]),
    ).toEqual([[true, key, 'a']]);
  });

  it('goes on after an outage during a slice, reports it once, and then finds the damage (F8)', async () => {
    const { scan } = test.store;
    test.store.scan = () => {
      throw new BosunError('BOSUN_STORE_FAILED', 'the store is not open');
    };
    await test.advance(50);
    test.store.scan = scan;
    test.store.flip('v!', 3);
    await test.advance(10 * slices());
    expect(told.map(({ details }) => details['key'])).toEqual(['v!']);
    expect(test.logged.flat().filter((line) => String(line).includes('cannot read the store'))).toHaveLength(1);
  });

  it.each<Operation>(['the call', 'the first batch', 'a later batch', 'the end'])(
    'goes on after each of several outages at %s of a slice, and reports each once (F8)',
    async (operation) => {
      for (let outages = 1; outages <= 3; outages++) {
        const end = outageAt(operation);
        await test.advance(10 * slices() * 2);
        end();
        await test.advance(10 * slices() * 2);
        expect(outageLines()).toHaveLength(outages);
      }
      expect(told).toEqual([]);
      test.store.flip('v!', 3);
      await test.advance(10 * slices());
      expect(told.map(({ details }) => details['key'])).toEqual(['v!']);
    },
  );

  it('reads on behind a sound record that it cannot understand, and reports it (F8)', async () => {
    const [key] = keys(PREFIX.state);
    const [, record] = test.store.entries().find(([found]) => found === key)!;
    const identity = openActor(key!, record).identity;
    const nothing = { bytes: Uint8Array.of(NIL), start: 0, end: 1 };
    const value = sealActor(
      key!,
      { identity: () => ({ bytes: identity, start: 0, end: identity.length }), state: () => nothing },
      new ByteWriter(),
    );
    await test.store.write([{ key: key!, value }], { sync: true });
    test.store.flip('v!', 3);
    await test.advance(10 * slices());
    expect(told.map(({ details }) => details['key']).sort()).toEqual([key, 'v!'].sort());
    expect(outageLines()).toEqual([]);
  });

  it('holds up neither a stop nor an erasure by an outage in its slice, and goes on afterwards (F8)', async () => {
    const reached = outageAt('a held batch');
    await test.advance(10);
    const erased = test.shard.erase('c');
    reached();
    await erased;
    test.store.flip('v!', 3);
    await test.advance(10 * slices());
    expect(told.map(({ details }) => details['key'])).toEqual(['v!']);
    const last = outageAt('a held batch');
    await test.advance(10);
    const stopped = test.shard.stop();
    last();
    await stopped;
    test.store.scan = () => expect.fail('a scan of a stopped system');
    await test.advance(1_000);
    expect(told).toHaveLength(1);
  });

  it('ends before the store of a system that gave up is closed', async () => {
    const children = [...options.tree!.children!, { id: 'w', agent: 'worker' }];
    await start({ agents: [account, worker], tree: { intensity: 0, children } });
    const { store } = test;
    let isScanned = false;
    let close = () => {};
    store.close = () => {
      const { scan } = store;
      store.scan = (range) => {
        isScanned = true;
        return scan.call(store, range);
      };
      return new Promise((resolve) => (close = resolve));
    };
    const isOver = expect(test.shard.closed).rejects.toMatchObject({ code: 'BOSUN_INTENSITY_EXCEEDED' });
    await tell(test, 'w', 'explode').catch(() => {});
    await test.advance(1_000);
    close();
    await isOver;
    expect(isScanned).toBe(false);
  });

  it('goes on after a refused erasure (F8)', async () => {
    await expect(test.shard.erase('nobody')).rejects.toMatchObject({ code: 'BOSUN_ACTOR_UNKNOWN' });
    test.store.flip('v!', 3);
    await test.advance(10 * slices());
    expect(told.map(({ details }) => details['key'])).toEqual(['v!']);
  });

  it('stops with the system, and reads nothing afterwards', async () => {
    await test.shard.stop();
    test.store.flip('v!', 3);
    await test.advance(1_000);
    expect(told).toEqual([]);
  });

  it('is off if scrub is false', async () => {
    await test.shard.stop();
    await start({ scrub: false });
    test.store.flip('v!', 3);
    await test.advance(10_000);
    expect(told).toEqual([]);
  });

  it(`reads ${SCRUB_RECORDS} records each ${SCRUB_INTERVAL_MS} ms unless told otherwise`, async () => {
    await test.shard.stop();
    await start({ scrub: {} });
    const filler = Array.from({ length: SCRUB_RECORDS }, (_, n) => ({
      key: `!${String(n).padStart(4, '0')}`,
      value: Buffer.from('junk'),
    }));
    await test.store.write(filler, { sync: true });
    await test.advance(SCRUB_INTERVAL_MS - 1);
    expect(told).toHaveLength(0);
    await test.advance(1);
    expect(told).toHaveLength(SCRUB_RECORDS);
    test.store.flip('v!', 3);
    await test.advance(SCRUB_INTERVAL_MS);
    expect(told).toHaveLength(SCRUB_RECORDS + 1);
  });
});

/** The folded record of an actor in a twin of the system that has come further. */
async function recordAfter(deposits: number, key: string): Promise<Uint8Array> {
  const twin = await startTestSystem(options);
  for (let n = 0; n < deposits; n++) await twin.shard.send('a', deposit(1));
  await twin.settle();
  const [, value] = twin.store.entries().find(([found]) => found === key)!;
  await twin.shard.stop();
  return value;
}
