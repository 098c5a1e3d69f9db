/** The checks of a start are made for an actor at rest when it wakes, with the same outcome (design P10, P12). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHILD_TABLE_ROWS_AT_START, RESTING_LOOKS } from '../../../src/limits.ts';
import { levelStore } from '../../../src/persistence/store/level-store.ts';
import { memoryStore } from '../../../src/persistence/store/memory-store.ts';
import { verify } from '../../../src/persistence/upkeep/verify.ts';
import { Shard } from '../../../src/shard.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { deploy, first, second, startOrders, thirdFromSecond } from '../../support/actors/versions/orders.ts';
import { code } from '../../support/actors/account.ts';
import { peer, startPeers, tellPeer } from '../../support/actors/residents.ts';
import { LONG } from '../../support/effort.ts';
import { KEYSPACE } from '../../../src/actors/model/ports.ts';
import { PREFIX, stateKey } from '../../../src/persistence/format/keys.ts';

/** Ten peers, all folded, and the system stopped. @returns The key of the record of `peer-7`. */
async function stopped(): Promise<{ test: TestSystem; key: string }> {
  const test = await startPeers(10, { journal: { fold: { windowEpochs: 1, sliceRecords: 1_000 } } });
  const { life } = test.shard.admin.getState('peer-7');
  for (let n = 0; n < 5; n++) await tellPeer(test, 'peer-0', 'UP');
  await test.shard.stop();
  return { test, key: stateKey(life) };
}

describe('damage of an actor at rest', () => {
  it.each(['state', 'identity'] as const)(
    'is found when the actor wakes, stops only that actor, and is reported once (%s)',
    async (part) => {
      const { test, key } = await stopped();
      const { length } = test.store.entries().find(([stored]) => stored === key)![1];
      test.store.flip(key, part === 'state' ? length - 1 : 6);
      await test.restart();
      expect([test.shard.damage(), test.shard.unreadable()]).toEqual([[], []]);
      for (let time = 0; time < 2; time++) {
        await expect(test.shard.send('peer-7', { type: 'UP' })).rejects.toEqual(code('BOSUN_STORE_DAMAGED'));
        await expect(test.shard.spawn(peer, 'peer-7').then((handle) => handle.snapshot())).rejects.toEqual(
          code('BOSUN_STORE_DAMAGED'),
        );
      }
      expect(test.shard.unreadable()).toHaveLength(1);
      expect(test.shard.damage()).toEqual([
        expect.objectContaining({
          code: 'BOSUN_STORE_DAMAGED',
          details: expect.objectContaining({ key }) as unknown,
        }),
      ]);
      await tellPeer(test, 'peer-8', 'UP');
      expect(test.shard.snapshot('peer-8')?.context).toMatchObject({ count: 1 });
      // A start of all finds the same.
      await test.crash();
      await test.restart({ residentActors: undefined });
      expect(test.shard.unreadable().map(({ details }) => details['address'])).toEqual(['peer-7']);
      await test.shard.stop();
    },
  );

  it('damage of an actor at rest in the index of addresses is repaired from the identities', async () => {
    const { test } = await stopped();
    test.store.flip(`${KEYSPACE.addresses}!peer-7`, 5);
    await test.restart();
    await tellPeer(test, 'peer-7', 'UP');
    expect(test.shard.snapshot('peer-7')?.context).toMatchObject({ count: 1 });
    expect(test.shard.damage()).toHaveLength(1);
    for (let n = 0; n < 5; n++) await tellPeer(test, 'peer-0', 'UP');
    await test.shard.stop();
    await test.restart({ residentActors: undefined });
    expect(test.shard.damage()).toEqual([]);
    await test.shard.stop();
  });

  it('damage in rows that each start reads makes the start read all actors', async () => {
    const { test, key } = await stopped();
    test.store.flip(key, 6);
    test.store.flip(test.store.entries().find(([stored]) => /^b!.*peer-8$/.test(stored))![0], 5);
    await test.restart();
    expect(test.shard.unreadable().map(({ details }) => details['address'])).toEqual(['peer-7', 'peer-8']);
    await test.shard.stop();
  });
});

describe('an actor at rest whose last changes are only in the journal', () => {
  /** Ten peers, folded as they were born; what has happened to seven since is in the journal. */
  async function changed(): Promise<{ test: TestSystem; key: string }> {
    const { test, key } = await stopped();
    await test.restart({ journal: {} });
    for (let n = 3; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    await test.shard.stop();
    return { test, key };
  }

  /** Writes enough epochs to have everything folded, without waking any actor. */
  async function foldedAway(test: TestSystem): Promise<void> {
    await test.restart({ journal: { fold: { windowEpochs: 1, sliceRecords: 1_000 } } });
    for (let n = 0; n < 5; n++) await tellPeer(test, 'peer-0', 'UP');
    await test.shard.stop();
    expect(test.store.entries().filter(([key]) => key.startsWith(PREFIX.epoch)).length).toBeLessThan(4);
  }

  it('is not read by a start, and is complete when it wakes', async () => {
    const { test, key } = await changed();
    test.store.reads = [];
    await test.restart({ journal: {} });
    expect(test.store.reads).not.toContain(key);
    for (let n = 3; n < 10; n++) expect(test.shard.snapshot(`peer-${n}`)?.context).toMatchObject({ count: 1 });
    await test.crash();
    await test.restart({ journal: {}, residentActors: undefined });
    expect(test.shard.snapshot('peer-7')?.context).toMatchObject({ count: 1 });
    await test.shard.stop();
  });

  it('is folded though it never wakes', async () => {
    const { test } = await changed();
    await foldedAway(test);
    await test.store.open();
    expect(await verify(test.store)).toMatchObject({ sound: true, actors: 11, findings: [] });
    await test.store.close();
    await test.restart();
    for (let n = 3; n < 10; n++) expect(test.shard.snapshot(`peer-${n}`)?.context).toMatchObject({ count: 1 });
    await test.shard.stop();
  });

  it('stays marked as damaged when its epochs have been folded away', async () => {
    const { test, key } = await changed();
    test.store.lose(key);
    await foldedAway(test);
    for (const residentActors of [3, undefined]) {
      await test.restart({ residentActors });
      await expect(test.shard.send('peer-7', { type: 'UP' })).rejects.toEqual(code('BOSUN_STORE_DAMAGED'));
      expect(test.shard.unreadable().map(({ details }) => details['address'])).toEqual(['peer-7']);
      expect(test.shard.snapshot('peer-8')?.context).toMatchObject({ count: 1 });
      await test.shard.stop();
    }
  });

  it('is not read by a start after one that migrated another actor', async () => {
    const test = await startOrders(first, ['o', 'p', 'q'], FOLDED);
    const { life } = test.shard.admin.getState('q');
    for (let n = 0; n < 5; n++) await test.shard.send('o', { type: 'add', amount: 1 });
    for (const address of ['o', 'p', 'q']) await test.shard.send(address, { type: 'pay' });
    await test.settle();
    await test.crash();
    await test.restart({ agents: [second], journal: {} });
    expect(test.shard.snapshot('o')).toMatchObject({ value: 'paid', context: { total: 5 } });
    await test.settle();
    await test.crash();
    test.store.reads = [];
    await test.restart({ agents: [second], journal: {} });
    expect(test.store.reads).not.toContain(stateKey(life));
    expect(test.shard.snapshot('o')?.context).toEqual({ total: 5, receipt: 'for 5' });
    await test.shard.stop();
  });

  it('stays damaged even if its Boss restarts it', async () => {
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
    const { life } = test.shard.admin.getState('group/e');
    const key = stateKey(life);
    for (let n = 0; n < 5; n++) await tellPeer(test, 'group/a', 'UP');
    await test.shard.stop();
    await test.restart({ journal: {} });
    await tellPeer(test, 'group/e', 'UP');
    await test.shard.stop();
    test.store.flip(key, 6);
    const record = () => test.store.entries().find(([stored]) => stored === key)?.[1];
    const damaged = record();
    await test.restart();
    await tellPeer(test, 'group/b', 'CRASH');
    for (let n = 0; n < 5; n++) await tellPeer(test, 'group/a', 'UP');
    expect(record()).toEqual(damaged);
    await test.crash();
    await test.restart({ residentActors: undefined });
    expect(test.shard.unreadable().map(({ details }) => details['address'])).toEqual(['group/e']);
    await test.shard.stop();
  });

  it('is found to be damaged when it wakes', async () => {
    const { test, key } = await changed();
    test.store.flip(key, 6);
    await test.restart({ journal: {} });
    expect(test.shard.unreadable()).toEqual([]);
    await expect(test.shard.send('peer-7', { type: 'UP' })).rejects.toEqual(code('BOSUN_STORE_DAMAGED'));
    expect(test.shard.unreadable()).toHaveLength(1);
    await test.shard.stop();
  });
});

const FOLDED = { residentActors: 1, journal: { fold: { windowEpochs: 1, sliceRecords: 1_000 } } };

describe('an actor at rest with an older version', () => {
  it('is migrated when it wakes, once, and is shown as the new version from the first read on', async () => {
    const test = await startOrders(first, ['o', 'p', 'q'], FOLDED);
    await test.shard.send('o', { type: 'add', amount: 5 });
    for (const address of ['o', 'p', 'q']) await test.shard.send(address, { type: 'pay' });
    await test.settle();
    await deploy(test, second);
    expect(test.shard.snapshot('o')).toMatchObject({ status: 'active', value: 'paid', context: { total: 5 } });
    await test.settle();
    expect(test.shard.snapshot('o')?.context).toEqual({ total: 5, receipt: 'for 5' });
    const { sequence } = test.shard.snapshot('o')!;
    await test.crash();
    await test.restart();
    expect(test.shard.snapshot('o')).toMatchObject({ sequence, context: { total: 5, receipt: 'for 5' } });
    await test.shard.stop();
  });

  it('is suspended when it wakes if no step leads to the new version, with its record unchanged', async () => {
    const test = await startOrders(first, ['o', 'p', 'q'], FOLDED);
    for (const address of ['o', 'p', 'q']) await test.shard.send(address, { type: 'pay' });
    await test.settle();
    await deploy(test, thirdFromSecond);
    expect(test.shard.unreadable()).toEqual([]);
    expect(test.shard.snapshot('p')).toMatchObject({ status: 'suspended', error: code('BOSUN_AGENT_UNREADABLE') });
    expect(test.shard.unreadable()).toHaveLength(1);
    // It stays in memory, and the reason is said.
    await expect(test.shard.send('p', { type: 'add', amount: 1 })).rejects.toEqual(code('BOSUN_AGENT_UNREADABLE'));
    await test.shard.stop();
  });
});

describe('a Boss of actors at rest', () => {
  it('restarts all actors of a group, however many are on disk', async () => {
    const ids = Array.from({ length: 12 }, (_, n) => `m${n}`);
    const children = ids.map((id) => ({ id, agent: 'peer', resume: 'initial' as const }));
    const test = await startTestSystem({
      agents: [peer],
      residentActors: 3,
      tree: { children: [{ id: 'group', boss: { strategy: 'one_for_all', children } }] },
    });
    for (const id of ids) await tellPeer(test, `group/${id}`, 'UP');
    expect(test.shard.residents).toBeLessThanOrEqual(3);
    await tellPeer(test, 'group/m5', 'CRASH');
    for (const id of ids) expect(test.shard.snapshot(`group/${id}`)?.context).toMatchObject({ count: 0 });
    expect(test.shard.boss('group').countChildren()).toMatchObject({ active: 12 });
    await test.shard.boss().terminateChild('group');
    for (const id of ids) expect(test.shard.snapshot(`group/${id}`)).toBeUndefined();
    expect(test.store.entries().filter(([key]) => /^[sS]!/.test(key)).length).toBeLessThanOrEqual(2);
    await test.shard.stop();
  });

  it('finds each of its children, and all when needed, if it has more children than a start reads', LONG, async () => {
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
    const { shard: system } = test;
    for (let n = 0; n < count; n += 1_000)
      await Promise.all(
        Array.from({ length: Math.min(1_000, count - n) }, (_, i) =>
          system.boss('pool').startChild({ id: `c${n + i}` }),
        ),
      );
    await test.settle();
    expect(test.shard.residents).toBeLessThanOrEqual(50);
    await test.shard.stop();
    test.store.reads = [];
    await test.restart();
    expect(test.store.reads.filter((key) => key.startsWith(PREFIX.state)).length).toBeLessThan(count / 2);
    test.store.reads = null;
    expect(test.shard.tree('pool')).toMatchObject({ isPartial: true });
    expect(() => test.shard.boss('pool').whichChildren()).toThrow(
      expect.objectContaining({ code: 'BOSUN_CHILDREN_UNREAD' }) as Error,
    );
    expect(test.shard.boss('pool').getChildSpec('c17')).toMatchObject({ id: 'c17' });
    await expect(test.shard.boss('pool').startChild({ id: 'c5000' })).rejects.toEqual(code('BOSUN_CHILD_RUNNING'));
    expect(await test.shard.boss('pool').startChild({ id: 'new' })).toBe('pool/new');
    await tellPeer(test, 'pool/c42', 'CRASH');
    expect(test.shard.snapshot('pool/c42')).toMatchObject({ status: 'active' });
    await test.shard.boss('pool').terminateChild('c43');
    expect(test.shard.snapshot('pool/c43')).toBeUndefined();
    await test.shard.boss().terminateChild('pool');
    expect(test.shard.snapshot('pool/c4000')).toBeUndefined();
    await test.shard.stop();
    await test.restart({ residentActors: undefined });
    expect(test.shard.residents).toBe(1);
    await test.shard.stop();
  });
});

describe('the limit of actors in memory', () => {
  it('is exceeded only by actors that may not rest, however many of those are examined first', async () => {
    const busy = RESTING_LOOKS + 10;
    const test = await startPeers(busy + 20, { residentActors: 5 });
    for (let n = 0; n < busy; n++) await test.shard.admin.suspend(`peer-${n}`, { by: 'me' });
    await test.settle();
    for (let n = busy; n < busy + 20; n++) await tellPeer(test, `peer-${n}`, 'UP');
    expect(test.shard.residents).toBeLessThanOrEqual(busy + 1 + 5);
    for (let n = 0; n < busy; n++) await test.shard.resume(`peer-${n}`);
    await test.settle();
    await tellPeer(test, 'peer-0', 'UP');
    expect(test.shard.residents).toBeLessThanOrEqual(5);
    await test.shard.stop();
  });

  it('does not apply to watched actors', async () => {
    const test = await startPeers(10);
    const seen: unknown[] = [];
    const subscription = test.shard
      .actor('peer-3')
      .subscribe(({ context }) => seen.push((context as { count: number }).count));
    for (let n = 4; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    await tellPeer(test, 'peer-3', 'UP');
    subscription.unsubscribe();
    for (let n = 4; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    expect([seen, test.shard.residents <= 3]).toEqual([[0, 1], true]);
    await test.shard.stop();
  });

  it('does not apply to an actor while an output of its turn is held back', async () => {
    const test = await startPeers(10);
    const held = test.store.hold('before');
    void test.shard.send('peer-9', { type: 'UP' });
    await held.reached;
    // Its turn changes no state, and is in the epoch after the one that is being written.
    const sent = test.shard.send('peer-0', { type: 'BLOW' });
    await new Promise<void>((resolve) => test.clock.defer(resolve));
    held.release();
    await sent;
    await test.settle();
    expect(test.shard.tree('peer-0')).toMatchObject({ status: 'active', restarts: 1 });
    await test.shard.stop();
    await test.store.open();
    expect(await verify(test.store)).toMatchObject({ sound: true, findings: [] });
    await test.store.close();
  });

  it.each([0, -1, Number.NaN])('cannot be %s', (residentActors) => {
    expect(() => new Shard({ agents: [peer], store: memoryStore(), residentActors })).toThrow(
      expect.objectContaining({ code: 'BOSUN_CONFIG_INVALID' }),
    );
  });

  it('needs a store with synchronous reads', async () => {
    const { getSync: _, ...rest } = memoryStore();
    const store = Object.assign(Object.create(memoryStore()) as ReturnType<typeof memoryStore>, rest, {
      getSync: undefined,
    });
    await expect(new Shard({ agents: [peer], store, residentActors: 3 }).start()).rejects.toEqual(
      code('BOSUN_CONFIG_INVALID'),
    );
  });
});

describe('a system with actors at rest', () => {
  it('only takes longer if a write fails', async () => {
    const test = await startPeers(10);
    test.store.failWrites(3);
    const sent = Array.from({ length: 10 }, (_, n) => test.shard.send(`peer-${n}`, { type: 'UP' }));
    await test.advance(60_000);
    await Promise.all(sent);
    for (let n = 0; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    for (let n = 0; n < 10; n++)
      expect((test.shard.snapshot(`peer-${n}`)?.context as { count: number }).count).toBeGreaterThanOrEqual(1);
    await test.shard.stop();
    await test.store.open();
    expect(await verify(test.store)).toMatchObject({ sound: true, actors: 11, findings: [] });
    await test.store.close();
  });

  it('erases one actor, and the others pass verify', async () => {
    const test = await startPeers(10);
    await tellPeer(test, 'peer-4', 'PARENT');
    for (let n = 5; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    await test.shard.erase('peer-4');
    expect(test.shard.snapshot('peer-4/kid')).toBeUndefined();
    await test.shard.stop();
    expect(test.store.entries().some(([key]) => key.includes('peer-4'))).toBe(false);
    await test.store.open();
    expect(await verify(test.store)).toMatchObject({ sound: true, actors: 10, findings: [] });
    await test.store.close();
  });

  it('behaves the same on LevelDB, a backup included', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'bosun-residency-'));
    const system = await new Shard({
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
    const again = await new Shard({
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
