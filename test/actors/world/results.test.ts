/** Results: what stays of an actor that has ended, as its host reads it and for as long as it is kept. */
import { describe, expect, it } from 'vitest';
import { SECRET_SHOWN } from '../../../src/actors/model/secret.ts';
import { RECORDS_SWEPT_EVERY_MS } from '../../../src/limits.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { endedIn, order, orderAgent, shipped, startOrders } from '../../support/actors/orders.ts';
import { counter, folded, storedKeys } from '../../support/actors/scribe.ts';
import { crash } from '../../support/actors/started.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Everything that results leave in a store. */
const RESULT_ROWS = 'EALQRKPjJ';

const bytesIn = (test: TestSystem) =>
  Buffer.concat(test.store.entries().flatMap(([key, value]) => [Buffer.from(key), value]));

describe('an actor that has ended', () => {
  it('leaves its output, its times and its starts, over a crash too', async () => {
    const test = await startOrders();
    const startedAtMs = test.clock.wallMs();
    const actor = await test.system.spawn(order, 'a1');
    await test.advance(500);
    await actor.send({ type: 'ship', to: 'Ada' });
    await test.settle();
    const result = {
      address: 'a1',
      agent: 'order',
      version: 1,
      status: 'done',
      output: { shippedTo: 'Ada' },
      error: undefined,
      startedAtMs,
      endedAtMs: startedAtMs + 500,
      attempts: 1,
    };
    expect(await test.system.result('a1')).toMatchObject(result);
    expect(await actor.result()).toMatchObject(result);
    await crash(test);
    expect(await test.system.result('a1')).toMatchObject(result);
    await folded(test);
    expect(await test.system.result('a1')).toMatchObject(result);
  });

  it('keeps its records and kept turns', async () => {
    const test = await startOrders();
    const actor = await test.system.spawn(order, 'a1');
    await actor.send({ type: 'note', what: 'fragile' });
    await shipped(test, 'a1');
    await crash(test);
    const { records, admin } = test.system;
    expect((await records.list('a1', 'notes')).records).toMatchObject([{ number: 1, value: { what: 'fragile' } }]);
    expect((await records.find('order', 'notes', ['what', 'fragile'])).records).toMatchObject([{ address: 'a1' }]);
    const told: unknown[] = [];
    for await (const { value } of records.tail('a1', 'notes', { after: 0 })) told.push(value);
    expect(told).toEqual([{ what: 'fragile' }]);
    expect((await admin.history('a1')).map(({ event }) => event?.type ?? null)).toEqual([
      null,
      'xstate.done.actor.pack',
      'note',
      'ship',
    ]);
  });

  it('says how it ended: failed, given up over, or stopped', async () => {
    const test = await startOrders();
    const fail = async (id: string, options: object) => {
      const actor = await test.system.spawn(order, id, options);
      await actor.send({ type: 'fail' });
      await test.settle();
    };
    await fail('a1', { restart: 'temporary' });
    await fail('a2', { under: 'strict' });
    await test.system.spawn(order, 'a3');
    await test.system.boss().terminateChild('a3');
    const results = await Promise.all(['a1', 'strict/a2', 'a3'].map((address) => test.system.result(address)));
    expect(results.map(({ status }) => status)).toEqual(['failed', 'gaveUp', 'stopped']);
    expect(results.map(({ error }) => (error as Error | undefined)?.message)).toEqual([
      'no stock',
      'no stock',
      undefined,
    ]);
  });

  it('leaves no record with its Boss', async () => {
    const test = await startOrders();
    await shipped(test, 'a1');
    expect((await test.system.boss().whichChildren()).map(({ id }) => id)).toEqual(['c', 'strict']);
  });

  it('costs a start nothing', async () => {
    const test = await startOrders();
    for (let n = 0; n < 20; n++) await shipped(test, `a${n}`);
    await folded(test);
    test.store.reads = [];
    await crash(test);
    expect(test.store.reads.filter((key) => 'EALRKjJ'.includes(key[0]!))).toEqual([]);
  });
});

describe('a result', () => {
  it('comes when the actor ends, over restarts by its Boss and a crash of the host', async () => {
    const test = await startOrders();
    const actor = await test.system.spawn(order, 'a1');
    let isOver = false;
    const result = test.system.result('a1').then((one) => {
      isOver = true;
      return one;
    });
    await actor.send({ type: 'fail' });
    await test.settle();
    expect(isOver).toBe(false);
    await actor.send({ type: 'ship', to: 'Ada' });
    expect(await result).toMatchObject({ status: 'done', attempts: 2 });
  });

  it('is waited for as long as the caller says', async () => {
    const test = await startOrders();
    await test.system.spawn(order, 'a1');
    const late = expect(test.system.result('a1', { timeoutMs: 100 })).rejects.toMatchObject({ code: 'BOSUN_TIMEOUT' });
    await test.advance(100);
    await late;
  });

  it('is refused where nobody lives or has ended, for a child of a machine, and for a Boss', async () => {
    const test = await startOrders();
    await shipped(test, 'a1');
    const unknown = { code: 'BOSUN_ACTOR_UNKNOWN' };
    for (const address of ['nobody', 'a1/pack'])
      await expect(test.system.result(address)).rejects.toMatchObject(unknown);
    await test.system.boss().terminateChild('strict');
    await expect(test.system.result('strict')).rejects.toMatchObject(unknown);
    await expect(test.system.result('a b')).rejects.toMatchObject({ code: 'BOSUN_ADDRESS_INVALID' });
  });

  it('is named where the ended actor is asked for', async () => {
    const test = await startOrders();
    await shipped(test, 'a1');
    await expect(test.system.send('a1', { type: 'ship', to: 'Eve' })).rejects.toThrow(
      'no actor at a1: it has ended, and system.result() has what became of it',
    );
  });
});

describe('spawn of an id that has ended', () => {
  it('gives its result and starts nothing, also to those who ask at once', async () => {
    const test = await startOrders();
    await shipped(test, 'a1', 'Ada');
    const handles = await Promise.all([1, 2, 3].map(() => test.system.spawn(order, 'a1')));
    for (const handle of handles) {
      expect([handle.isLive, handle.getSnapshot().status]).toEqual([false, 'done']);
      expect(await handle.waitFor(({ status }) => status === 'done')).toMatchObject({ output: { shippedTo: 'Ada' } });
    }
    expect(await endedIn(test)).toEqual(['a1']);
  });

  it('begins anew where it is told to, and then has two results', async () => {
    const test = await startOrders();
    await shipped(test, 'a1', 'Ada');
    const actor = await test.system.spawn(order, 'a1', { again: true });
    expect(actor.isLive).toBe(true);
    await shipped(test, 'a1', 'Eve');
    expect(await test.system.result('a1')).toMatchObject({ output: { shippedTo: 'Eve' } });
    expect((await test.system.runs()).runs.map(({ output }) => output)).toEqual([
      { shippedTo: 'Eve' },
      { shippedTo: 'Ada' },
    ]);
  });

  it('is decided by its Boss, so that a start under way when the actor ends starts nothing', async () => {
    const test = await startOrders();
    const actor = await test.system.spawn(order, 'a1');
    await test.settle();
    await Promise.all([actor.send({ type: 'ship', to: 'Ada' }), test.system.spawn(order, 'a1')]);
    await test.settle();
    await test.system.spawn(order, 'a1');
    expect(await endedIn(test)).toEqual(['a1']);
    expect(await test.system.snapshot('a1')).toBeUndefined();
  });

  it('is refused for another agent', async () => {
    const test = await startOrders();
    await shipped(test, 'a1');
    await expect(test.system.spawn(counter, 'a1')).rejects.toMatchObject({ code: 'BOSUN_CHILD_SPEC_INVALID' });
  });

  it('waits for nothing where an actor rests', async () => {
    const test = await startOrders({ residentActors: 1 });
    for (let n = 0; n < 5; n++) await shipped(test, `a${n}`);
    await folded(test);
    await crash(test);
    expect(await shipped(test, 'a3', 'nobody')).toEqual({ shippedTo: 'a3' });
    expect(await endedIn(test, 2)).toEqual(['a0', 'a1', 'a2', 'a3', 'a4']);
  });
});

describe('results', () => {
  it('are listed by agent, ending and time, from either end', async () => {
    const test = await startOrders();
    for (const id of ['a1', 'a2', 'a3']) {
      await shipped(test, id);
      await test.advance(1_000);
    }
    await test.system.spawn(counter, 'b1');
    await test.system.boss().terminateChild('b1');
    const addressesOf = async (which: object) => (await test.system.runs(which)).runs.map(({ address }) => address);
    expect(await addressesOf({})).toEqual(['b1', 'a3', 'a2', 'a1']);
    expect(await addressesOf({ agent: 'order', newestFirst: false })).toEqual(['a1', 'a2', 'a3']);
    expect(await addressesOf({ status: 'stopped' })).toEqual(['b1']);
    expect(await addressesOf({ sinceMs: test.clock.wallMs() - 2_000 })).toEqual(['b1', 'a3', 'a2']);
    expect(await addressesOf({ agent: 'nobody' })).toEqual([]);
    expect(await endedIn(test, 1)).toEqual(['a1', 'a2', 'a3', 'b1']);
    for (const which of [{ limit: 0 }, { limit: 1_001 }, { from: 'x' }])
      await expect(test.system.runs(which)).rejects.toMatchObject({ code: 'BOSUN_VALUE_REFUSED' });
  });

  it('are only the latest, as many as the agent keeps; the others go with all that they had', async () => {
    const test = await startOrders({ keep: { ended: { count: 3 } } });
    for (let n = 0; n < 6; n++) {
      const actor = await test.system.spawn(order, `a${n}`);
      await actor.send({ type: 'note', what: 'x' });
      await shipped(test, `a${n}`);
    }
    await folded(test);
    await folded(test);
    expect(await endedIn(test)).toEqual(['a3', 'a4', 'a5']);
    for (const letter of 'EALRK') expect(storedKeys(test, letter)).toHaveLength(3);
    expect(storedKeys(test, 'P')).toEqual([]);
    expect(storedKeys(test, 'J')).toHaveLength(3);
  });

  it('shrink to a lower bound, and to none', async () => {
    const test = await startOrders();
    for (let n = 0; n < 6; n++) await shipped(test, `a${n}`);
    await test.shard.stop();
    await test.restart({ agents: [orderAgent({ keep: { ended: { count: 2 } } }), counter] });
    await folded(test);
    expect(await endedIn(test)).toEqual(['a4', 'a5']);
    await test.shard.stop();
    await test.restart({ agents: [orderAgent({ keep: { ended: { count: 0 } } }), counter] });
    await folded(test);
    await folded(test);
    expect(storedKeys(test, RESULT_ROWS)).toEqual([]);
  });

  it('are hidden when they are too old, whose ids are free then, and are removed within the hour', async () => {
    const test = await startOrders({ keep: { ended: { days: 1 } } });
    await shipped(test, 'a1', 'Ada');
    await test.advance(DAY_MS - 1_000);
    expect(await shipped(test, 'a1', 'Eve')).toEqual({ shippedTo: 'Ada' });
    await shipped(test, 'a2');
    await test.advance(2_000);
    expect(await endedIn(test)).toEqual(['a2']);
    await expect(test.system.result('a1')).rejects.toMatchObject({ code: 'BOSUN_ACTOR_UNKNOWN' });
    expect(await shipped(test, 'a1', 'Eve')).toEqual({ shippedTo: 'Eve' });
    await test.advance(RECORDS_SWEPT_EVERY_MS);
    await folded(test);
    await folded(test);
    expect(await endedIn(test)).toEqual(['a2', 'a1']);
    expect(storedKeys(test, 'E')).toHaveLength(2);
    expect(await test.system.result('a1')).toMatchObject({ output: { shippedTo: 'Eve' } });
  });

  it('leave no byte after an erasure, of any life at the address', async () => {
    const test = await startOrders();
    await shipped(test, 'unmistakable', 'unmistakable too');
    await test.system.spawn(order, 'unmistakable', { again: true });
    await test.system.send('unmistakable', { type: 'note', what: 'unmistakable as well' });
    await shipped(test, 'unmistakable', 'once more');
    await shipped(test, 'other');
    await test.system.erase('unmistakable', { by: 'ada' });
    expect(bytesIn(test).includes('unmistakable')).toBe(false);
    expect(await endedIn(test)).toEqual(['other']);
    await test.system.spawn(order, 'live-too');
    await shipped(test, 'live-too');
    await test.system.spawn(order, 'live-too', { again: true });
    await test.system.erase('live-too', { by: 'ada' });
    expect(bytesIn(test).includes('live-too')).toBe(false);
  });

  it('are encrypted for an agent with secrets', async () => {
    const test = await startOrders({ isSecret: true, secretKey: Buffer.alloc(32, 7).toString('base64') });
    await shipped(test, 'a1', 'hush-hush');
    await folded(test);
    expect(bytesIn(test).includes('hush-hush')).toBe(false);
    expect(await test.system.result('a1')).toMatchObject({ output: { shippedTo: 'hush-hush' } });
    await test.shard.stop();
    await test.restart({ secretKey: Buffer.alloc(32, 8).toString('base64') });
    await expect(test.system.result('a1')).rejects.toMatchObject({ code: 'BOSUN_SECRET_KEY' });
    expect((await test.system.runs()).runs).toMatchObject([{ address: 'a1', output: SECRET_SHOWN }]);
  });

  it('are told with their place where they are damaged, and nothing is done again', async () => {
    const test = await startOrders();
    for (const id of ['a1', 'a2', 'a3']) await shipped(test, id);
    await folded(test);
    const [key] = storedKeys(test, 'E');
    test.store.flip(key!, 20);
    expect(await endedIn(test)).toEqual(['a2', 'a3']);
    await expect(test.system.result('a1')).rejects.toMatchObject({ code: 'BOSUN_STORE_DAMAGED' });
    await expect(test.system.spawn(order, 'a1')).rejects.toMatchObject({ code: 'BOSUN_STORE_DAMAGED' });
    expect(await test.system.damage()).toMatchObject([{ code: 'BOSUN_STORE_DAMAGED', details: { key } }]);
    test.store.flip('A!a2', 20);
    await expect(test.system.spawn(order, 'a2')).rejects.toMatchObject({ code: 'BOSUN_STORE_DAMAGED' });
    expect((await test.system.spawn(order, 'a2', { again: true })).isLive).toBe(true);
  });
});
