/** Size under an endless load: directory and memory stay in proportion to the live data (design P8). */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SESSION_WINDOW_MS } from '../../src/limits.ts';
import { KEYSPACE } from '../../src/actors/model/ports.ts';
import { createJournal } from '../../src/persistence/journal/journal.ts';
import { EVERY_KEY } from '../../src/persistence/format/keys.ts';
import { levelStore } from '../../src/persistence/store/level-store.ts';
import { startTestSystem, type TestSystem } from '../../src/testing/test-system.ts';
import { account, deposit } from '../support/actors/account.ts';
import { randomOf } from '../support/chance.ts';
import { type Facts, nextEpoch, NOTHING, references } from '../support/persistence/model.ts';
import { byEffort } from '../support/effort.ts';

const KILO = 1024;

/** Rounds of a thousand epochs. Rounds after the second must not need more room than the second did. */
const ROUNDS = byEffort({ quick: 4, ci: 6 });

describe('a directory under an endless load', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'bosun-retention-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  async function sizes(): Promise<{ all: number; logs: number; files: number }> {
    const names = await readdir(root);
    // LevelDB may remove a file between the two looks.
    const sizeOf = (name: string) =>
      stat(join(root, name)).then(
        ({ size }) => size,
        () => 0,
      );
    const bytes = await Promise.all(names.map(async (name) => ({ name, size: await sizeOf(name) })));
    const sum = (of: typeof bytes) => of.reduce((total, { size }) => total + size, 0);
    return {
      all: sum(bytes),
      logs: sum(bytes.filter(({ name }) => /^(LOG|LOG\.old|MANIFEST-.*)$/.test(name))),
      files: names.length,
    };
  }

  it('keeps its size and its number of keys and files', async () => {
    const store = levelStore(root, { writeBufferBytes: 64 * KILO });
    const journal = createJournal(store, { durability: 'process', fold: { windowEpochs: 50 } });
    await journal.open(references);
    let facts: Facts = NOTHING;
    const epochs = async (count: number) => {
      for (let n = 0; n < count; n++) {
        // Births and deaths, messages that come and go, and a payload that does not repeat.
        const { epoch, after } = nextEpoch(
          facts,
          [
            { kind: 'birth', initial: { status: 'active', context: { value: { text: noise(1_500, facts.epoch) } } } },
            { kind: 'arrival', keyspace: KEYSPACE.mailboxes, row: [noise(500, facts.epoch)] },
            ...(facts.epoch < 20
              ? []
              : [{ kind: 'death', pick: 0 } as const, { kind: 'removal', pick: 0, net: false } as const]),
          ],
          journal.codec,
        );
        await journal.commit(epoch);
        facts = after;
      }
    };
    const peaks: { all: number; keys: number; files: number }[] = [];
    let written = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const peak = { all: 0, keys: 0, files: 0 };
      for (let part = 0; part < 5; part++) {
        await epochs(200);
        const { all, files } = await sizes();
        let keys = 0;
        for await (const batch of store.scan(EVERY_KEY)) keys += batch.length;
        peak.all = Math.max(peak.all, all);
        peak.keys = Math.max(peak.keys, keys);
        peak.files = Math.max(peak.files, files);
      }
      peaks.push(peak);
      written += 1_000 * 2_000;
    }
    const { logs } = await sizes();
    await journal.close();
    const [first, last] = [peaks[1]!, peaks.at(-1)!];
    expect(last.keys).toBeLessThan(first.keys * 1.3 + 20);
    expect(last.files).toBeLessThan(first.files * 1.5 + 15);
    // Compaction may lag behind on a busy machine, until LevelDB makes writers wait for it.
    expect(Math.max(...peaks.map(({ all }) => all))).toBeLessThan(written / 4);
    // What LevelDB logs of itself grows with the switches of the memtable, of which 64 KiB make 256 times as many as
    // usual.
    expect(logs).toBeLessThan(written * 0.05);
  });
});

describe('sessions', () => {
  let test: TestSystem;
  beforeEach(async () => {
    test = await startTestSystem({
      agents: [account],
      tree: { children: [{ id: 'a', agent: 'account' }] },
      journal: { fold: { windowEpochs: 1, sliceRecords: 1_000 } },
    });
  });
  afterEach(() => test.shard.stop());

  const send = (id: string, sequence: number) => test.shard.send('a', deposit(1), { session: { id, sequence } });
  const balance = () => (test.shard.snapshot('a')?.context as { balance: number }).balance;
  const rows = () => test.store.entries().flatMap(([key]) => (key.startsWith(`${KEYSPACE.sessions}!`) ? [key] : []));

  it('are remembered for their window after the last send, over crashes, and then forgotten', async () => {
    await send('old', 5);
    await test.advance(SESSION_WINDOW_MS - 1);
    await send('new', 1);
    await send('old', 5);
    await test.settle();
    expect(balance()).toBe(2);
    await test.crash();
    await test.restart();
    await send('old', 5);
    await test.settle();
    expect([balance(), test.shard.lastSequence('old')]).toEqual([2, 5]);
    await test.advance(1);
    // Whichever session comes next.
    await send('new', 2);
    await test.settle();
    expect([balance(), test.shard.lastSequence('old'), test.shard.lastSequence('new')]).toEqual([3, 0, 2]);
    for (let n = 3; n < 6; n++) await send('new', n);
    expect(rows()).toEqual(['d!new']);
  });
});

/** Text that does not compress, the same for the same number. */
function noise(length: number, number: number): string {
  const random = randomOf('noise', number);
  return Array.from({ length }, () => String.fromCharCode(33 + random.integer(90))).join('');
}
