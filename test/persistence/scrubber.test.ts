/** The scrubber: finds damage under a running system, slowly, and disturbs nobody. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KEYSPACE } from '../../src/actors/model/ports.ts';
import { SCRUB_INTERVAL_MS, SCRUB_RECORDS } from '../../src/limits.ts';
import { type BosunError } from '../../src/errors.ts';
import { PREFIX } from '../../src/persistence/keys.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../src/testing/test-system.ts';
import { account, deposit } from '../support/actors/account.ts';

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
  for (let n = 0; n < 8; n++) for (const address of ['a', 'b', 'c']) await test.system.send(address, deposit(1));
  await test.settle();
  told = [];
  test.system.onDamage((damage) => told.push(damage));
}

beforeEach(() => start());
afterEach(() => test.system.stop());

const slices = () => Math.ceil(test.store.entries().length / 4) + 1;
const keys = (prefix: string) => test.store.entries().flatMap(([key]) => (key.startsWith(prefix) ? [key] : []));

describe('the scrubber', () => {
  it('says nothing about a sound store, however long, with turns going on', async () => {
    for (let n = 0; n < 100; n++) {
      await test.system.send('a', deposit(1));
      await test.advance(10);
    }
    expect(told).toEqual([]);
    expect(test.system.damage()).toEqual([]);
  });

  it('finds damage of any kind of record within one pass, tells it once, and turns go on', async () => {
    const damaged = [keys(PREFIX.state)[1]!, keys(PREFIX.epoch)[0]!, keys(`${KEYSPACE.identities}!`)[0]!, 'v!', 'c!b'];
    for (const key of damaged) test.store.flip(key, 3);
    await test.advance(10 * slices());
    expect(told.map(({ details }) => details['key']).sort()).toEqual([...damaged].sort());
    await test.advance(10 * slices() * 3);
    expect(told).toHaveLength(damaged.length);
    expect(test.system.damage()).toEqual(told);
    expect(test.logged.flat()).toContain(told[0]!.message);
    await test.system.send('a', deposit(1));
    await test.settle();
    expect(test.system.snapshot('a')).toMatchObject({ context: { balance: 9 } });
  });

  it('finds a record that is sound and says something else than memory', async () => {
    // Life 2, the first child of the root.
    const [, key] = keys(PREFIX.state);
    await test.store.write([{ key: key!, value: await recordAfter(30, key!) }], { sync: true });
    await test.advance(10 * slices());
    expect(
      told.map(({ message, details }) => [message.includes('is at change'), details['key'], details['address']]),
    ).toEqual([[true, key, 'a']]);
  });

  it('stops with the system, and reads nothing after', async () => {
    await test.system.stop();
    test.store.flip('v!', 3);
    await test.advance(1_000);
    expect(told).toEqual([]);
  });

  it('is off where it is told so', async () => {
    await test.system.stop();
    await start({ scrub: false });
    test.store.flip('v!', 3);
    await test.advance(10_000);
    expect(told).toEqual([]);
  });

  it(`reads ${SCRUB_RECORDS} records each ${SCRUB_INTERVAL_MS} ms unless told otherwise`, async () => {
    await test.system.stop();
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
  for (let n = 0; n < deposits; n++) await twin.system.send('a', deposit(1));
  await twin.settle();
  const [, value] = twin.store.entries().find(([found]) => found === key)!;
  await twin.system.stop();
  return value;
}
