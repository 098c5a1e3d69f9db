/**
 * The stores that an earlier build wrote, one folder for each format that is stable: this build opens them, finds in
 * them what was written, and goes on with it. test/support/fixtures/stores/README.md says what is to be done when a
 * format changes.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { AUDIT } from '../../src/actors/model/records.ts';
import { KEYSPACE, type StoreEntry } from '../../src/actors/model/ports.ts';
import { decodeCut } from '../../src/persistence/journal/cut.ts';
import { FORMAT, unseal } from '../../src/persistence/format/envelope.ts';
import { decodeEpoch } from '../../src/persistence/journal/epoch-format.ts';
import { createJournal } from '../../src/persistence/journal/journal.ts';
import { CUT_KEYS, MANIFEST_KEY, numberIn, PREFIX } from '../../src/persistence/format/keys.ts';
import { levelStore } from '../../src/persistence/store/level-store.ts';
import { UPGRADES } from '../../src/persistence/format/upgrade.ts';
import { type Verification, verify } from '../../src/persistence/upkeep/verify.ts';
import { Shard } from '../../src/shard.ts';
import { type SystemOptions } from '../../src/system-options.ts';
import { startSpreadTestSystem } from '../../src/testing/spread-test-system.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../src/testing/test-system.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { HOUR_MS, keptAgents, secretAgents, ticker, type World } from '../support/persistence/kept-store-agents.ts';
import { addressesIn, factsOf } from '../support/persistence/kept-store-facts.ts';
import { correspondents } from '../support/persistence/kept-store-talkers.ts';
import {
  BEGUN_AT_MS,
  ENDING_TREE,
  entriesIn,
  holding,
  HOMES,
  KEPT_AT_MS,
  MENDED_TREE,
  SECRET_KEY,
  SECRET_TREE,
  SPREAD_TREE,
  STORES,
  storesOf,
  TREE,
  VAULTS,
} from '../support/persistence/kept-store.ts';
import { references } from '../support/persistence/model.ts';

/** The records of format 6 by the beginning of their keys: as the fold leaves them, and in epochs. */
const KEYS_OF_6 = 'J K M P R S T U X Y a b c d e f g h j k l m n o p q r s t u v w x!c x!s y z'.split(' ');
const ROWS_OF_6 = 'J K P R X Y a b d f g h i j k m n o p q r t u z'.split(' ');

/** Keyspaces without rows of their own in a folded store, and why. */
const NEVER_FOLDED: Readonly<Record<string, string>> = {
  [KEYSPACE.identities]: 'the fold writes them with the states',
};

/** Keyspaces that no kept store has, and why. */
const NOT_KEPT: Readonly<Record<string, string>> = {
  [KEYSPACE.audit]: 'the audit of format 6, of which a start makes records',
};

/** The records that format 7 has beside them: results of ended actors. */
const ROWS_SINCE_7 = 'A E L Q'.split(' ');

const FIRST_STABLE = 6;

type Name = (typeof STORES)[number];

/** Formats that have been stable, as folders of kept stores. */
const FORMATS = readdirSync(join(storesOf(FORMAT), '..')).flatMap((folder) =>
  folder.startsWith('format-') ? [Number(folder.slice('format-'.length))] : [],
);

const root = mkdtempSync(join(tmpdir(), 'bosun-kept-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let copies = 0;

/** A copy of the files of a store: LevelDB changes what it opens. */
function copied(format: number, name: Name): string {
  const directory = join(root, String((copies += 1)));
  cpSync(join(storesOf(format), name), directory, { recursive: true });
  return directory;
}

const read = new Map<string, readonly StoreEntry[]>();

/** The entries of a store as they were written. */
async function entriesOf(format: number, name: Name): Promise<readonly StoreEntry[]> {
  const key = `${format} ${name}`;
  if (!read.has(key)) read.set(key, await entriesIn(copied(format, name)));
  return read.get(key)!;
}

const outside = (answers: boolean): World => ({ answers, calls: [] });

/** The first parts of keys: the letter of a keyspace, `x!s`. */
const kindOf = (key: string) => (key.startsWith('x!') ? key.slice(0, 3) : key.slice(0, 1));

const sorted = (kinds: Iterable<string>) => [...new Set(kinds)].sort();

/** The keyspaces of rows in epochs that a recovery replays. */
function rowsIn(entries: readonly StoreEntry[]): string[] {
  const cut = entries.find(([key]) => key === CUT_KEYS[0]);
  const { from } = cut === undefined ? { from: 1 } : decodeCut(unseal(...cut));
  return entries.flatMap(([key, value]) => {
    if (!key.startsWith(PREFIX.epoch) || numberIn(key) < from) return [];
    return [...decodeEpoch(numberIn(key), value).rows.keys()].map(kindOf);
  });
}

async function union(format: number, of: (entries: readonly StoreEntry[]) => readonly string[]): Promise<string[]> {
  return sorted((await Promise.all(STORES.map(async (name) => of(await entriesOf(format, name))))).flat());
}

describe('the format of stores', () => {
  it('has committed stores under its number', () => {
    expect(FORMATS, `format ${FORMAT} has no kept stores: README.md beside them says how they are written`).toContain(
      FORMAT,
    );
  });

  it('can be reached from every stable format by upgrade steps', () => {
    expect(FORMATS).toContain(FIRST_STABLE);
    for (let format = FIRST_STABLE; format < FORMAT; format++)
      expect(
        UPGRADES.some(({ from }) => from === format),
        `a store of format ${format} has to be opened for good: it needs a step in src/persistence/format/upgrade.ts`,
      ).toBe(true);
  });

  it('has committed stores with rows of every keyspace, folded and in the journal', async () => {
    const letters = Object.values(KEYSPACE).filter((letter) => NOT_KEPT[letter] === undefined);
    const why = 'a keyspace of today needs rows in a kept store, or a reason in NOT_KEPT';
    expect(await union(FORMAT, rowsIn), why).toEqual(sorted(letters));
    const prefixes = [...Object.values(PREFIX), MANIFEST_KEY].map((prefix) => prefix.slice(0, -1));
    const keys = await union(FORMAT, (entries) => entries.map(([key]) => kindOf(key)));
    expect(keys, why).toEqual(sorted([...letters.filter((letter) => NEVER_FOLDED[letter] === undefined), ...prefixes]));
  });
});

describe('the kept stores of format 7', () => {
  it('have results of ended actors beside the records of format 6', async () => {
    const rows = ROWS_OF_6.filter((letter) => NOT_KEPT[letter] === undefined);
    if (FORMAT === 7) expect(await union(7, rowsIn)).toEqual(sorted([...rows, ...ROWS_SINCE_7]));
  });
});

describe('the kept stores of format 6', () => {
  it('have every kind of record of that format', async () => {
    expect(await union(6, (entries) => entries.map(([key]) => kindOf(key)))).toEqual(sorted(KEYS_OF_6));
    if (FORMAT === 6) expect(await union(6, rowsIn)).toEqual(sorted(ROWS_OF_6));
  });

  it('take little space', () => {
    const sizes = readdirSync(storesOf(6), { recursive: true, withFileTypes: true }).map((file) =>
      file.isFile() ? readFileSync(join(file.parentPath, file.name)).length : 0,
    );
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(150_000);
  });
});

/** Starts a system on virtual time in which no time has passed since the store was written. */
async function started(
  format: number,
  name: Name,
  options: Omit<TestSystemOptions, 'clock' | 'store'>,
): Promise<TestSystem> {
  const store = await holding(await entriesOf(format, name));
  return await startTestSystem({ clock: new VirtualClock(KEPT_AT_MS), store, ...options });
}

const AS = { by: 'eve' };

/** The facts of a store. Orders, which are listed newest first, have the numbers that they have since format 7. */
function factsIn(format: number): string[] {
  const lines = gunzipSync(readFileSync(join(storesOf(format), 'single.txt.gz'))).toString();
  const facts = lines.trimEnd().split('\n');
  let orders = facts.filter((fact) => fact.startsWith('audit ')).length;
  return facts.map((fact) => fact.replace(/^audit \d+:/, () => `audit ${orders--}:`));
}

const contextOf = <Context = Record<string, unknown>>({ shard: system }: TestSystem, address: string) =>
  system.snapshot(address)!.context as Context;

const WAYS: readonly [string, Partial<SystemOptions>][] = [
  ['with all actors in memory', {}],
  ['with one actor in memory', { residentActors: 1 }],
  ['on the engine of XState', { stepEngine: 'xstate' }],
];

describe.each(FORMATS)('the stores of format %i', (format) => {
  it('are sound, except the damaged one', async () => {
    const found: Partial<Record<Name, Verification>> = {};
    for (const name of STORES) {
      const store = await holding(await entriesOf(format, name));
      // Brings it forward to the format of today.
      const journal = createJournal(store);
      await journal.open(references);
      await journal.close();
      await store.open();
      found[name] = await verify(store);
      await store.close();
    }
    const { mended, ...others } = found;
    expect(Object.values(others).map(({ sound, findings }) => [sound, findings])).toEqual(
      Array.from({ length: STORES.length - 1 }, () => [true, []]),
    );
    expect(mended!.findings.map(({ gravity, address }) => [gravity, address])).toEqual([['withholds', 'ill']]);
    expect(mended!.aside).toBeGreaterThan(0);
  });

  it('are opened from their files, after a crash and after a stop', async () => {
    const directory = copied(format, 'single');
    const facts = factsIn(format);
    for (let start = 1; start <= 2; start++) {
      const clock = new VirtualClock(KEPT_AT_MS);
      const agents = keptAgents(outside(false));
      const system = new Shard({ agents, store: levelStore(directory), tree: TREE, clock, log: () => {} });
      await system.start();
      try {
        await system.idle();
        expect(await factsOf(system, { addresses: addressesIn(facts), homes: HOMES })).toEqual(facts);
      } finally {
        await system.stop();
      }
    }
  });
});

describe.each(FORMATS.flatMap((format) => WAYS.map((way) => [format, ...way] as const)))(
  'a store of format %i, %s',
  (format, _, options) => {
    const open = (world: World, more: Partial<SystemOptions> = {}) =>
      started(format, 'single', { agents: keptAgents(world), tree: TREE, ...options, ...more });

    it('contains everything as it was written, also after a fold', async () => {
      const facts = factsIn(format);
      const test = await open(outside(false), { journal: { fold: { windowEpochs: 8 } } });
      const found = () => factsOf(test.shard, { addresses: addressesIn(facts), homes: HOMES });
      expect(await found()).toEqual(facts);
      expect([test.shard.damage(), test.shard.unreadable()]).toEqual([[], []]);
      for (let n = 0; n < 40; n++) await test.shard.send('ticker', { type: 'tick' });
      await test.crash();
      await test.restart();
      const others = (lines: readonly string[]) => lines.filter((line) => !line.startsWith('ticker'));
      expect(others(await found())).toEqual(others(facts));
      await test.shard.stop();
    });

    it('goes on with messages: unread, conditional and deferred ones, each once and in order', async () => {
      const test = await open(outside(false));
      for (const home of HOMES) {
        for (const name of ['inbox', 'checked', 'gate']) await test.shard.admin.resume(`${home}/${name}`, AS);
        await test.shard.send(`${home}/door`, { type: 'unlock' });
        await test.shard.send(`${home}/hall`, { type: 'visit' });
        const session = { id: `session of ${home}`, sequence: 3 };
        await test.shard.send(`${home}/mortal`, { type: 'tick' }, { session });
        await test.settle();
        const notes = Array.from({ length: 150 }, (_, n) => n);
        expect(contextOf(test, `${home}/inbox`)).toEqual({ read: [-7, ...notes] });
        // The second one was to be read at the sequence that the first one has changed.
        expect(contextOf(test, `${home}/checked`)).toEqual({ read: [1, 2] });
        for (const name of ['door', 'gate']) expect(contextOf(test, `${home}/${name}`)).toEqual({ inside: ['a', 'b'] });
        expect(contextOf(test, `${home}/hall/room`)).toEqual({ guests: 7 });
        expect(contextOf(test, `${home}/hall/annexe`)).toEqual({ guests: 2 });
        expect(contextOf(test, `${home}/hall`)).toMatchObject({ seen: { guests: 7 } });
        await test.shard.send(`${home}/hall`, { type: 'shrink' });
        await test.settle();
        expect(test.shard.lookup(`annexe of ${home}`)).toBe(undefined);
        expect(contextOf(test, `${home}/mortal`)).toEqual({ ticks: 1 });
        await test.shard.send(`${home}/mortal`, { type: 'tick' }, { session: { ...session, sequence: 4 } });
        await test.settle();
        expect(contextOf(test, `${home}/mortal`)).toEqual({ ticks: 2 });
      }
      await test.shard.stop();
    });

    it('goes on with asks: open ones get the reply, an answered one the recorded reply', async () => {
      const test = await open(outside(false));
      for (const home of HOMES) {
        const clerk = `${home}/clerk`;
        const repeated = test.shard.ask(clerk, { type: 'read' }, { id: `open in ${home}` });
        await test.shard.send(clerk, { type: 'answer', value: 'at last' });
        expect(await repeated).toBe('at last');
        await test.settle();
        expect(contextOf(test, `${home}/asker`)).toEqual({ home, got: 'at last' });
        const answered = { id: `answered in ${home}` };
        // The one that is recorded: today it would be 0.
        expect(await test.shard.ask(clerk, { type: 'size' }, { ...answered, digest: 'first' })).toEqual({
          waiting: 1,
        });
        await expect(test.shard.ask(clerk, { type: 'size' }, { ...answered, digest: 'second' })).rejects.toMatchObject({
          code: 'BOSUN_KEY_CONFLICT',
        });
      }
      await test.shard.stop();
    });

    it('goes on with timers, and a Boss with a restart', async () => {
      const test = await open(outside(false));
      for (const home of HOMES) {
        const { timers } = test.shard.admin.getState(`${home}/waker`);
        // By its policy it begins anew with this start.
        expect(timers.find(({ id }) => id === 'again')!.deadlineMs).toBe(KEPT_AT_MS + 3 * HOUR_MS);
      }
      await test.advance(4 * HOUR_MS);
      for (const home of HOMES) {
        // The failure before the start and the one after it are all that it may have.
        expect(test.shard.snapshot(`${home}/courier`)!.value).toMatchObject({ price: 'unknown' });
        expect([test.shard.snapshot(`${home}/waker`)!.value, contextOf(test, `${home}/waker`)]).toEqual([
          'lapsed',
          { heard: expect.arrayContaining(['bored', 'nightly', 'ring', 'begin']) as string[] },
        ]);
        expect(contextOf<{ heard: string[] }>(test, `${home}/waker`).heard).toHaveLength(4);
        expect(test.shard.tree(`${home}/lame`)).toMatchObject({ status: 'active', state: 'standing', restarts: 1 });
      }
      await test.shard.stop();
    });

    it('goes on with effects, from their checkpoints, and with durable actions', async () => {
      const world = outside(true);
      const test = await open(world);
      for (const home of HOMES)
        expect(contextOf(test, `${home}/courier`)).toEqual({
          delivered: { parcel: { weight: 3 }, from: { at: 'the bridge' } },
          price: null,
        });
      // A failed try is followed by the next one when its hour is over, counted from then.
      await test.advance(HOUR_MS - 1 - (KEPT_AT_MS - BEGUN_AT_MS));
      expect(world.calls).toEqual([]);
      await test.advance(KEPT_AT_MS - BEGUN_AT_MS + 1);
      expect(world.calls).toEqual(
        HOMES.flatMap(() => [expect.stringMatching(/^mail to ada, attempt 2$/), 'mail to eve, attempt 1'] as string[]),
      );
      for (const home of HOMES) expect(contextOf(test, `${home}/courier`)).toMatchObject({ price: 42 });
      await test.shard.stop();
    });

    it('goes on with monitors, links, groups, names, records, dead letters and strikes', async () => {
      const test = await open(outside(false));
      for (const home of HOMES) {
        const members = async () => {
          await test.shard.send(`${home}/friend`, { type: 'part' });
          await test.settle();
          return test.shard.members(`friends of ${home}`);
        };
        expect([await members(), await members()]).toEqual([[`${home}/friend`], []]);
        // The second one in a row: the first was put into quarantine before.
        await test.shard.send(`${home}/fragile`, { type: 'stumble' });
        await test.settle();
        expect(test.shard.admin.getState(`${home}/fragile`).suspended).toMatchObject({ code: 'BOSUN_STATE_SUSPECT' });
        await test.shard.resume(`${home}/fragile`);
        await test.shard.send(`${home}/ledger`, { type: 'place', id: 'new', customer: 'ada', count: 1 });
        await test.shard.admin.kill(`${home}/mortal`, AS);
        await test.settle();
        const { records } = await test.shard.records.list(`${home}/ledger`, 'placed', { newestFirst: true, limit: 1 });
        expect(records).toMatchObject([{ number: 19, value: { id: 'new', customer: 'ada' } }]);
        await test.shard.boss(home).terminateChild('mortal');
        await test.settle();
        expect(contextOf(test, `${home}/friend`)).toEqual({ home, lost: [`${home}/mortal shutdown`] });
        expect(test.shard.tree(`${home}/spouse`).restarts).toBe(1);
        await test.shard.send(`${home}/spouse`, { type: 'meet', who: `${home}/clerk` });
        await test.settle();
        expect(contextOf(test, `${home}/spouse`)).toEqual({ home, lost: [`friend of ${home} to ${home}/friend`] });
      }
      for (const { number, address } of test.shard.deadLetters.list({ reason: 'quarantined' }))
        if (address.endsWith('/fragile')) await test.shard.deadLetters.edit(number, { type: 'walk' });
      await test.settle();
      for (const home of HOMES) expect(contextOf(test, `${home}/fragile`)).toEqual({ steps: 3 });
      await test.shard.stop();
    });
  },
);

describe.each(FORMATS)('a store with secrets of format %i', (format) => {
  const open = (world: World, options: Partial<SystemOptions>) =>
    started(format, 'secret', { agents: secretAgents(world), tree: SECRET_TREE, ...options });

  it('is read with its key, and continues', async () => {
    const world = outside(true);
    const test = await open(world, { secretKey: SECRET_KEY });
    for (const vault of VAULTS) {
      const { pin, copies } = contextOf<{ pin: string; copies: Iterable<unknown> }>(test, vault);
      expect([pin, [...copies].length]).toEqual([`3 of ${vault}`, 3]);
      const { records } = await test.shard.records.list(vault, 'kept');
      expect(records.map(({ value }) => value)).toEqual([1, 2, 3].map((n) => ({ pin: `${n} of ${vault}` })));
      const turns = await test.shard.admin.history(vault);
      expect(turns.at(1)).toMatchObject({ event: { type: 'keep', pin: `1 of ${vault}` } });
      const answered = { id: `answered by ${vault}` };
      expect(await test.shard.ask(vault, { type: 'tell' }, answered)).toBe(`3 of ${vault}`);
      await test.shard.admin.resume(vault, AS);
      await test.settle();
      expect(contextOf(test, vault)).toMatchObject({ pin: `unread of ${vault}` });
    }
    expect(test.shard.deadLetters.list().map(({ event }) => event)).toEqual(
      VAULTS.map((vault) => ({ type: 'stumble', pin: `stumble of ${vault}` })),
    );
    await test.advance(HOUR_MS);
    expect(world.calls).toEqual(VAULTS.map((vault) => `mail with mail of ${vault}`));
    for (const vault of VAULTS) expect(contextOf(test, vault)).toMatchObject({ pin: `later of ${vault}` });
    await test.shard.stop();
  });

  it('suspends its actors until the key is given', async () => {
    const test = await open(outside(false), {});
    // The effects below them as well.
    expect(new Set(test.shard.unreadable().map(({ code }) => code))).toEqual(new Set(['BOSUN_SECRET_KEY']));
    const refusal = expect.objectContaining({ code: 'BOSUN_SECRET_KEY' }) as Error;
    for (const vault of VAULTS) expect(() => test.shard.snapshot(vault)).toThrow(refusal);
    expect(test.shard.snapshot('ticker')!.status).toBe('active');
    for (let n = 0; n < 40; n++) await test.shard.send('ticker', { type: 'tick' });
    await test.shard.stop();
    await test.restart({ secretKey: SECRET_KEY });
    for (const vault of VAULTS) expect(contextOf(test, vault)).toMatchObject({ pin: `3 of ${vault}` });
    await test.shard.stop();
  });
});

describe.each(FORMATS)('a store of two workers of format %i', (format) => {
  it('delivers messages in transit between the workers, once and in order', async () => {
    const stores = await Promise.all(
      (['worker-0', 'worker-1'] as const).map(async (name) => await holding(await entriesOf(format, name))),
    );
    const test = await startSpreadTestSystem({
      workers: 2,
      stores,
      clock: new VirtualClock(KEPT_AT_MS),
      agents: [...correspondents, ticker],
      tree: SPREAD_TREE,
    });
    const letters = async () => (await test.system.snapshot('post'))!.context;
    expect(await letters()).toEqual({ letters: [1, 2, 3, 4, 5] });
    await test.system.send('writer', { type: 'write', n: 6 });
    await test.settle();
    expect(await letters()).toEqual({ letters: [1, 2, 3, 4, 5, 6] });
    test.crashAll();
    await test.restartAll();
    expect(await letters()).toEqual({ letters: [1, 2, 3, 4, 5, 6] });
    await test.system.stop();
  });
});

describe.each(FORMATS)('a damaged store of format %i', (format) => {
  it('withholds the marked actor, and keeps the records that were set aside', async () => {
    const test = await started(format, 'mended', { agents: [ticker], tree: MENDED_TREE });
    expect(test.shard.unreadable()).toMatchObject([{ code: 'BOSUN_STORE_DAMAGED', details: { address: 'ill' } }]);
    await test.shard.send('well', { type: 'tick' });
    await test.settle();
    expect(test.shard.snapshot('well')!.status).toBe('active');
    await test.shard.stop();
    expect(test.store.entries().filter(([key]) => key.startsWith(PREFIX.aside))).not.toEqual([]);
  });
});

describe.each(FORMATS)('a store of format %i during a fold', (format) => {
  it('is read, and continues to remove an ended actor', async () => {
    const journal = { fold: { windowEpochs: 4 } };
    const test = await started(format, 'ending', {
      agents: keptAgents(outside(false)),
      tree: ENDING_TREE,
      journal,
    });
    for (let n = 0; n < 40; n++) await test.shard.send('ticker', { type: 'tick' });
    await test.shard.stop();
    const letters: string[] = [KEYSPACE.records, KEYSPACE.recordKeys, KEYSPACE.recordPurges];
    const isLeft = ([key]: StoreEntry) => letters.includes(kindOf(key)) && !key.includes(`!${AUDIT}!`);
    expect(test.store.entries().filter(isLeft)).toEqual([]);
    await test.store.open();
    expect(await verify(test.store)).toMatchObject({ sound: true, findings: [] });
    await test.store.close();
  });
});
