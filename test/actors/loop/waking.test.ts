/**
 * What a start finds out about everybody is found out about one that rests when it wakes, with the same outcome (design
 * P10, P12).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHILD_TABLE_ROWS_AT_START, RESTING_LOOKS } from '../../../src/limits.ts';
import { levelStore } from '../../../src/persistence/level-store.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { verify } from '../../../src/persistence/verify.ts';
import { createSystem } from '../../../src/system.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { deploy, first, second, startOrders, thirdFromSecond } from '../../support/actors/versions/orders.ts';
import { code } from '../../support/actors/account.ts';
import { peer, startPeers, tellPeer } from '../../support/actors/residents.ts';
import { LONG } from '../../support/effort.ts';
import { KEYSPACE } from '../../../src/actors/model/ports.ts';
import { numberedKey, PREFIX, stateKey } from '../../../src/persistence/keys.ts';

/** Ten peers, all folded, and the system stopped. @returns Keys of the records of `peer-7`. */
async function stopped(): Promise<{ test: TestSystem; key: (kind: 'state' | 'identity') => string }> {
  const test = await startPeers(10, { journal: { fold: { windowEpochs: 1, sliceRecords: 1_000 } } });
  const { life } = test.system.admin.getState('peer-7');
  for (let n = 0; n < 5; n++) await tellPeer(test, 'peer-0', 'UP');
  await test.system.stop();
  return { test, key: (kind) => (kind === 'state' ? stateKey(life) : numberedKey(KEYSPACE.identities, life)) };
}

describe('damage of one that rests', () => {
  it.each(['state', 'identity'] as const)(
    'is found when it wakes, stops it alone, and is reported once (%s)',
    async (kind) => {
      const { test, key } = await stopped();
      test.store.flip(key(kind), 6);
      await test.restart();
      expect([test.system.damage(), test.system.unreadable()]).toEqual([[], []]);
      for (let time = 0; time < 2; time++) {
        await expect(test.system.send('peer-7', { type: 'UP' })).rejects.toEqual(code('BOSUN_STORE_DAMAGED'));
        await expect(test.system.spawn(peer, 'peer-7').then((handle) => handle.snapshot())).rejects.toEqual(
          code('BOSUN_STORE_DAMAGED'),
        );
      }
      expect(test.system.unreadable()).toHaveLength(1);
      expect(test.system.damage()).toEqual([
        expect.objectContaining({
          code: 'BOSUN_STORE_DAMAGED',
          details: expect.objectContaining({ key: key(kind) }) as unknown,
        }),
      ]);
      await tellPeer(test, 'peer-8', 'UP');
      expect(test.system.snapshot('peer-8')?.context).toMatchObject({ count: 1 });
      // A start of all finds the same.
      await test.crash();
      await test.restart({ residentActors: undefined });
      expect(test.system.unreadable().map(({ details }) => details['address'])).toEqual(['peer-7']);
      await test.system.stop();
    },
  );

  it('in the index of addresses is made good from the identities', async () => {
    const { test } = await stopped();
    test.store.flip(`${KEYSPACE.addresses}!peer-7`, 5);
    await test.restart();
    await tellPeer(test, 'peer-7', 'UP');
    expect(test.system.snapshot('peer-7')?.context).toMatchObject({ count: 1 });
    expect(test.system.damage()).toHaveLength(1);
    for (let n = 0; n < 5; n++) await tellPeer(test, 'peer-0', 'UP');
    await test.system.stop();
    await test.restart({ residentActors: undefined });
    expect(test.system.damage()).toEqual([]);
    await test.system.stop();
  });

  it('in what a start reads makes it read everything', async () => {
    const { test, key } = await stopped();
    test.store.flip(key('state'), 6);
    test.store.flip(test.store.entries().find(([stored]) => stored.startsWith(`${KEYSPACE.roll}!`))![0], 5);
    await test.restart();
    expect(test.system.unreadable().map(({ details }) => details['address'])).toEqual(['peer-7']);
    await test.system.stop();
  });
});

describe('what the journal alone has of one that rests', () => {
  /** Ten peers, folded as they were born; what has happened to seven since is in the journal. */
  async function changed(): Promise<{ test: TestSystem; key: string }> {
    const { test, key } = await stopped();
    await test.restart({ journal: {} });
    for (let n = 3; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    await test.system.stop();
    return { test, key: key('state') };
  }

  /** Epochs enough to have everything folded, and nobody woken. */
  async function foldedAway(test: TestSystem): Promise<void> {
    await test.restart({ journal: { fold: { windowEpochs: 1, sliceRecords: 1_000 } } });
    for (let n = 0; n < 5; n++) await tellPeer(test, 'peer-0', 'UP');
    await test.system.stop();
    expect(test.store.entries().filter(([key]) => key.startsWith(PREFIX.epoch)).length).toBeLessThan(4);
  }

  it('is not looked at by a start, and counts when it wakes', async () => {
    const { test, key } = await changed();
    test.store.reads = [];
    await test.restart({ journal: {} });
    expect(test.store.reads).not.toContain(key);
    for (let n = 3; n < 10; n++) expect(test.system.snapshot(`peer-${n}`)?.context).toMatchObject({ count: 1 });
    await test.crash();
    await test.restart({ journal: {}, residentActors: undefined });
    expect(test.system.snapshot('peer-7')?.context).toMatchObject({ count: 1 });
    await test.system.stop();
  });

  it('is folded though it never wakes', async () => {
    const { test } = await changed();
    await foldedAway(test);
    await test.store.open();
    expect(await verify(test.store)).toMatchObject({ sound: true, actors: 11, findings: [] });
    await test.store.close();
    await test.restart();
    for (let n = 3; n < 10; n++) expect(test.system.snapshot(`peer-${n}`)?.context).toMatchObject({ count: 1 });
    await test.system.stop();
  });

  it('stays found to be damaged when its epochs have been folded away', async () => {
    const { test, key } = await changed();
    test.store.lose(key);
    await foldedAway(test);
    for (const residentActors of [3, undefined]) {
      await test.restart({ residentActors });
      await expect(test.system.send('peer-7', { type: 'UP' })).rejects.toEqual(code('BOSUN_STORE_DAMAGED'));
      expect(test.system.unreadable().map(({ details }) => details['address'])).toEqual(['peer-7']);
      expect(test.system.snapshot('peer-8')?.context).toMatchObject({ count: 1 });
      await test.system.stop();
    }
  });

  it('is not looked at by a start after one that migrated another', async () => {
    const test = await startOrders(first, ['o', 'p', 'q'], FOLDED);
    const { life } = test.system.admin.getState('q');
    for (let n = 0; n < 5; n++) await test.system.send('o', { type: 'add', amount: 1 });
    for (const address of ['o', 'p', 'q']) await test.system.send(address, { type: 'pay' });
    await test.settle();
    await test.crash();
    await test.restart({ agents: [second], journal: {} });
    expect(test.system.snapshot('o')).toMatchObject({ value: 'paid', context: { total: 5 } });
    await test.settle();
    await test.crash();
    test.store.reads = [];
    await test.restart({ agents: [second], journal: {} });
    expect(test.store.reads).not.toContain(stateKey(life));
    expect(test.system.snapshot('o')?.context).toEqual({ total: 5, receipt: 'for 5' });
    await test.system.stop();
  });

  it('stays damaged though its Boss restarts it', async () => {
    const children = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id, agent: 'peer' }));
    const tree = {
      intensity: 1_000,
      children: [{ id: 'group', boss: { strategy: 'one_for_all' as const, intensity: 100, children } }],
    };
    const test = await startTestSystem({
      agents: [peer],
      residentActors: 2,
      tree,
      journal: { fold: { windowEpochs: 1, sliceRecords: 1_000 } },
    });
    const { life } = test.system.admin.getState('group/e');
    const key = stateKey(life);
    for (let n = 0; n < 5; n++) await tellPeer(test, 'group/a', 'UP');
    await test.system.stop();
    await test.restart({ journal: {} });
    await tellPeer(test, 'group/e', 'UP');
    await test.system.stop();
    test.store.flip(key, 6);
    const record = () => test.store.entries().find(([stored]) => stored === key)?.[1];
    const damaged = record();
    await test.restart();
    await tellPeer(test, 'group/b', 'CRASH');
    for (let n = 0; n < 5; n++) await tellPeer(test, 'group/a', 'UP');
    expect(record()).toEqual(damaged);
    await test.crash();
    await test.restart({ residentActors: undefined });
    expect(test.system.unreadable().map(({ details }) => details['address'])).toEqual(['group/e']);
    await test.system.stop();
  });

  it('is found to be damaged when it wakes', async () => {
    const { test, key } = await changed();
    test.store.flip(key, 6);
    await test.restart({ journal: {} });
    expect(test.system.unreadable()).toEqual([]);
    await expect(test.system.send('peer-7', { type: 'UP' })).rejects.toEqual(code('BOSUN_STORE_DAMAGED'));
    expect(test.system.unreadable()).toHaveLength(1);
    await test.system.stop();
  });
});

const FOLDED = { residentActors: 1, journal: { fold: { windowEpochs: 1, sliceRecords: 1_000 } } };

describe('an older version of one that rests', () => {
  it('is migrated when it wakes, once, and read as the new one from the first time on', async () => {
    const test = await startOrders(first, ['o', 'p', 'q'], FOLDED);
    await test.system.send('o', { type: 'add', amount: 5 });
    for (const address of ['o', 'p', 'q']) await test.system.send(address, { type: 'pay' });
    await test.settle();
    await deploy(test, second);
    expect(test.system.snapshot('o')).toMatchObject({ status: 'active', value: 'paid', context: { total: 5 } });
    await test.settle();
    expect(test.system.snapshot('o')?.context).toEqual({ total: 5, receipt: 'for 5' });
    const { sequence } = test.system.snapshot('o')!;
    await test.crash();
    await test.restart();
    expect(test.system.snapshot('o')).toMatchObject({ sequence, context: { total: 5, receipt: 'for 5' } });
    await test.system.stop();
  });

  it('is suspended when it wakes where no step leads to the new one, with its record as it is', async () => {
    const test = await startOrders(first, ['o', 'p', 'q'], FOLDED);
    for (const address of ['o', 'p', 'q']) await test.system.send(address, { type: 'pay' });
    await test.settle();
    await deploy(test, thirdFromSecond);
    expect(test.system.unreadable()).toEqual([]);
    expect(test.system.snapshot('p')).toMatchObject({ status: 'suspended', error: code('BOSUN_AGENT_UNREADABLE') });
    expect(test.system.unreadable()).toHaveLength(1);
    // It stays in memory, and its mailbox fills.
    await test.system.send('p', { type: 'add', amount: 1 });
    await test.settle();
    expect(test.system.tree('p').mailbox).toBe(1);
    await test.system.stop();
  });
});

describe('a Boss of those that rest', () => {
  it('restarts all of a group, however many are on disk', async () => {
    const ids = Array.from({ length: 12 }, (_, n) => `m${n}`);
    const children = ids.map((id) => ({ id, agent: 'peer', resume: 'initial' as const }));
    const test = await startTestSystem({
      agents: [peer],
      residentActors: 3,
      tree: { children: [{ id: 'group', boss: { strategy: 'one_for_all', children } }] },
    });
    for (const id of ids) await tellPeer(test, `group/${id}`, 'UP');
    expect(test.system.residents).toBeLessThanOrEqual(3);
    await tellPeer(test, 'group/m5', 'CRASH');
    for (const id of ids) expect(test.system.snapshot(`group/${id}`)?.context).toMatchObject({ count: 0 });
    expect(test.system.boss('group').countChildren()).toMatchObject({ active: 12 });
    await test.system.boss().terminateChild('group');
    for (const id of ids) expect(test.system.snapshot(`group/${id}`)).toBeUndefined();
    expect(
      test.store.entries().filter(([key]) => key.startsWith(`${KEYSPACE.identities}!`)).length,
    ).toBeLessThanOrEqual(2);
    await test.system.stop();
  });

  it(
    'with more children than are read at a start knows each of them, and all of them when it has to',
    LONG,
    async () => {
      const count = CHILD_TABLE_ROWS_AT_START + 1;
      const options = {
        agents: [peer],
        residentActors: 50,
        journal: FOLDED.journal,
        tree: {
          children: [{ id: 'pool', boss: { strategy: 'dynamic' as const, intensity: 3, template: { agent: 'peer' } } }],
        },
      };
      const test = await startTestSystem(options);
      const { system } = test;
      for (let n = 0; n < count; n += 1_000)
        await Promise.all(
          Array.from({ length: Math.min(1_000, count - n) }, (_, i) =>
            system.boss('pool').startChild({ id: `c${n + i}` }),
          ),
        );
      await test.settle();
      expect(test.system.residents).toBeLessThanOrEqual(50);
      await test.system.stop();
      test.store.reads = [];
      await test.restart();
      expect(test.store.reads.filter((key) => key.startsWith(PREFIX.state)).length).toBeLessThan(count / 2);
      test.store.reads = null;
      expect(test.system.tree('pool')).toMatchObject({ isPartial: true });
      expect(() => test.system.boss('pool').whichChildren()).toThrow(
        expect.objectContaining({ code: 'BOSUN_CHILDREN_UNREAD' }) as Error,
      );
      expect(test.system.boss('pool').getChildSpec('c17')).toMatchObject({ id: 'c17' });
      await expect(test.system.boss('pool').startChild({ id: 'c5000' })).rejects.toEqual(code('BOSUN_CHILD_RUNNING'));
      expect(await test.system.boss('pool').startChild({ id: 'new' })).toBe('pool/new');
      await tellPeer(test, 'pool/c42', 'CRASH');
      expect(test.system.snapshot('pool/c42')).toMatchObject({ status: 'active' });
      await test.system.boss('pool').terminateChild('c43');
      expect(test.system.snapshot('pool/c43')).toBeUndefined();
      await test.system.boss().terminateChild('pool');
      expect(test.system.snapshot('pool/c4000')).toBeUndefined();
      await test.system.stop();
      await test.restart({ residentActors: undefined });
      expect(test.system.residents).toBe(1);
      await test.system.stop();
    },
  );
});

describe('room for few', () => {
  it('is kept to, but for those who may not rest, however many of them are looked at first', async () => {
    const busy = RESTING_LOOKS + 10;
    const test = await startPeers(busy + 20, { residentActors: 5 });
    for (let n = 0; n < busy; n++) await test.system.admin.suspend(`peer-${n}`, { by: 'me' });
    await test.settle();
    for (let n = busy; n < busy + 20; n++) await tellPeer(test, `peer-${n}`, 'UP');
    expect(test.system.residents).toBeLessThanOrEqual(busy + 1 + 5);
    for (let n = 0; n < busy; n++) await test.system.resume(`peer-${n}`);
    await test.settle();
    await tellPeer(test, 'peer-0', 'UP');
    expect(test.system.residents).toBeLessThanOrEqual(5);
    await test.system.stop();
  });

  it('lets whoever is watched stay', async () => {
    const test = await startPeers(10);
    const seen: unknown[] = [];
    const subscription = test.system
      .actor('peer-3')
      .subscribe(({ context }) => seen.push((context as { count: number }).count));
    for (let n = 4; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    await tellPeer(test, 'peer-3', 'UP');
    subscription.unsubscribe();
    for (let n = 4; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    expect([seen, test.system.residents <= 3]).toEqual([[0, 1], true]);
    await test.system.stop();
  });

  it('has nobody leave whose turn is still to let something out', async () => {
    const test = await startPeers(10);
    const held = test.store.hold('before');
    void test.system.send('peer-9', { type: 'UP' });
    await held.reached;
    // Its turn changes nothing of it, and is in the epoch behind the one that is written.
    const sent = test.system.send('peer-0', { type: 'BLOW' });
    await new Promise<void>((resolve) => test.clock.defer(resolve));
    held.release();
    await sent;
    await test.settle();
    expect(test.system.tree('peer-0')).toMatchObject({ status: 'active', restarts: 1 });
    await test.system.stop();
    await test.store.open();
    expect(await verify(test.store)).toMatchObject({ sound: true, findings: [] });
    await test.store.close();
  });

  it.each([0, -1, Number.NaN])('is a number of actors, and not %s', async (residentActors) => {
    await expect(createSystem({ agents: [peer], store: memoryStore(), residentActors }).start()).rejects.toEqual(
      code('BOSUN_CONFIG_INVALID'),
    );
  });

  it('needs a store that reads at once', async () => {
    const { getSync: _, ...rest } = memoryStore();
    const store = Object.assign(Object.create(memoryStore()) as ReturnType<typeof memoryStore>, rest, {
      getSync: undefined,
    });
    await expect(createSystem({ agents: [peer], store, residentActors: 3 }).start()).rejects.toEqual(
      code('BOSUN_CONFIG_INVALID'),
    );
  });
});

describe('beside those that rest', () => {
  it('a write that fails changes nothing but the time', async () => {
    const test = await startPeers(10);
    test.store.failWrites(3);
    const sent = Array.from({ length: 10 }, (_, n) => test.system.send(`peer-${n}`, { type: 'UP' }));
    await test.advance(60_000);
    await Promise.all(sent);
    for (let n = 0; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    for (let n = 0; n < 10; n++)
      expect((test.system.snapshot(`peer-${n}`)?.context as { count: number }).count).toBeGreaterThanOrEqual(1);
    await test.system.stop();
    await test.store.open();
    expect(await verify(test.store)).toMatchObject({ sound: true, actors: 11, findings: [] });
    await test.store.close();
  });

  it('one is erased, and the others are verified', async () => {
    const test = await startPeers(10);
    await tellPeer(test, 'peer-4', 'PARENT');
    for (let n = 5; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    await test.system.erase('peer-4');
    expect(test.system.snapshot('peer-4/kid')).toBeUndefined();
    await test.system.stop();
    expect(test.store.entries().some(([key]) => key.includes('peer-4'))).toBe(false);
    await test.store.open();
    expect(await verify(test.store)).toMatchObject({ sound: true, actors: 10, findings: [] });
    await test.store.close();
  });

  it('all this is the same on LevelDB, a backup among it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'bosun-residency-'));
    const system = await createSystem({
      agents: [peer],
      store: levelStore(join(directory, 'store')),
      durability: 'process',
      residentActors: 3,
      journal: { fold: { windowEpochs: 4 } },
      log: () => {},
    }).start();
    for (let n = 0; n < 20; n++) await system.spawn(peer, `peer-${n}`);
    for (let round = 0; round < 2; round++) for (let n = 0; n < 20; n++) await system.send(`peer-${n}`, { type: 'UP' });
    await system.idle();
    expect(system.residents).toBeLessThanOrEqual(3);
    for (let n = 0; n < 20; n++) expect(system.snapshot(`peer-${n}`)?.context).toMatchObject({ count: 2 });
    expect(await system.backup(join(directory, 'copy'))).toMatchObject({ sound: true, actors: 21 });
    await system.erase('peer-3');
    for (let n = 4; n < 20; n++) expect(system.snapshot(`peer-${n}`)?.context).toMatchObject({ count: 2 });
    await system.stop();
    const again = await createSystem({
      agents: [peer],
      store: levelStore(join(directory, 'store')),
      residentActors: 3,
      log: () => {},
    }).start();
    expect(again.snapshot('peer-19')?.context).toMatchObject({ count: 2 });
    expect(again.snapshot('peer-3')).toBeUndefined();
    await again.stop();
    await rm(directory, { recursive: true });
  });
});
