/** Results that are dropped, by count and by age: as many as are too many, each once. */
import { describe, expect, it } from 'vitest';
import { KEYSPACE } from '../../../src/actors/model/ports.ts';
import { BosunError } from '../../../src/errors.ts';
import { RECORDS_SWEPT_EVERY_MS } from '../../../src/limits.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { crash, started } from '../../support/actors/started.ts';
import { storedKeys } from '../../support/actors/scribe.ts';
import { BRIEF_KEEPS, DIARISTS, DIARY_OPTIONS, type DiaristName, foldAll } from '../../support/crash/diarist.ts';

const DAYS_MS = 31 * 24 * 60 * 60_000;

/** Lets diarists begin and end at addresses of their own, one end after the other. */
async function ended(test: TestSystem, agent: DiaristName, ...addresses: readonly string[]): Promise<void> {
  const births = addresses.map((address, life) =>
    test.system.spawn(DIARISTS[agent], address, { restart: 'temporary', input: { life } }),
  );
  await Promise.all(births);
  for (const address of addresses) await test.shard.send(address, { type: 'end' });
  await test.settle();
}

async function kept(test: TestSystem): Promise<readonly string[]> {
  return (await test.system.runs({ newestFirst: false })).runs.map(({ address }) => address);
}

const TEN = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];

describe('results that are dropped', () => {
  it('are those beyond the count, even if more actors end while they are removed', async () => {
    const test = await started(DIARY_OPTIONS);
    await ended(test, 'brief', ...TEN);
    expect(await kept(test)).toEqual(TEN.slice(-BRIEF_KEEPS));
    await crash(test);
    await ended(test, 'brief', 'k');
    await foldAll(test);
    expect(await kept(test)).toEqual(['i', 'j', 'k']);
    expect(storedKeys(test, KEYSPACE.results)).toHaveLength(BRIEF_KEEPS);
  });

  it('are those that are too old, and the younger ones stay', async () => {
    const test = await started(DIARY_OPTIONS);
    await ended(test, 'long', ...TEN);
    await test.advance(DAYS_MS);
    await ended(test, 'long', 'k', 'l');
    expect(await kept(test)).toEqual(['k', 'l']);
    await test.advance(RECORDS_SWEPT_EVERY_MS);
    await foldAll(test);
    expect(await kept(test)).toEqual(['k', 'l']);
    expect(storedKeys(test, KEYSPACE.results)).toHaveLength(2);
  });

  it('are counted once, if an erasure removes some of them meanwhile', async () => {
    const test = await started(DIARY_OPTIONS);
    await ended(test, 'brief', ...TEN.slice(0, BRIEF_KEEPS));
    await test.system.spawn(DIARISTS.brief, 'k', { input: { life: 1 } });
    await test.shard.send('k', { type: 'end' });
    await test.shard.erase('a');
    await test.settle();
    await ended(test, 'brief', 'l', 'm');
    expect(await kept(test)).toHaveLength(BRIEF_KEEPS);
  });

  it('stay for an hour where the medium cannot read them, which is told and stops nobody', async () => {
    const test = await started(DIARY_OPTIONS);
    const { scan } = test.store;
    let tries = 0;
    test.store.scan = (range) => {
      if (!range.gte.startsWith(`${KEYSPACE.results}!`)) return scan.call(test.store, range);
      tries += 1;
      throw new BosunError('BOSUN_STORE_DAMAGED', 'a block of the medium cannot be read', {
        details: { key: range.gte },
      });
    };
    await ended(test, 'brief', ...TEN);
    await foldAll(test);
    expect(tries).toBe(1);
    expect(await test.system.damage()).toMatchObject([{ code: 'BOSUN_STORE_DAMAGED' }]);
    test.store.scan = scan;
    await ended(test, 'brief', 'k');
    expect(await kept(test)).toHaveLength(TEN.length + 1);
    await test.advance(RECORDS_SWEPT_EVERY_MS + 1);
    await ended(test, 'brief', 'l');
    await foldAll(test);
    expect(await kept(test)).toEqual(['j', 'k', 'l']);
  });
});
