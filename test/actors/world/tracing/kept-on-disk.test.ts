/**
 * Kept turns on disk: no start reads them, they take no memory, they shrink to a lower bound, and they are removed in
 * slices after their actor; under erasure, damage, secrets and passivation.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { createMachine } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { KEYSPACE } from '../../../../src/actors/model/ports.ts';
import { secret } from '../../../../src/actors/model/secret.ts';
import { RECORDS_PURGED_AT_ONCE, TRACE_WHOLE_EVERY, KEPT_ERASED_AT_ONCE } from '../../../../src/limits.ts';
import { memoryStore } from '../../../../src/persistence/store/memory-store.ts';
import { verify } from '../../../../src/persistence/upkeep/verify.ts';
import { Shard } from '../../../../src/shard.ts';
import { crash } from '../../../support/actors/started.ts';
import {
  add,
  events,
  keeping,
  machine,
  plain,
  send,
  start,
  storedKeys,
  sumsOf,
} from '../../../support/actors/summing.ts';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { LONG } from '../../../support/effort.ts';
import { until } from '../../../support/until.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const FOLDED = { journal: { fold: { windowEpochs: 4, sliceRecords: 3 } } };

const adds = (count: number) => Array.from({ length: count }, () => add(1));
const history = (test: TestSystem, address = 'a') => test.shard.admin.history(address);

/** Sends turns until the fold has written all that was pending. */
async function folded(test: TestSystem): Promise<void> {
  for (let n = 0; n < 200; n++) await test.shard.send('p', add(0));
  await test.settle();
}

/** The stored keys of the kept turns of one actor. */
async function turnsOf(test: TestSystem, address: string): Promise<string[]> {
  const life = hex(test.shard.admin.getState(address).life);
  await folded(test);
  return storedKeys(test).filter((key) => key.startsWith(`${KEYSPACE.turns}!${life}!`));
}

const hex = (number: number) => number.toString(16).padStart(14, '0');

const bytesOf = (test: TestSystem) =>
  Buffer.concat(test.store.entries().flatMap(([key, value]) => [Buffer.from(key), value]));

describe('a start', () => {
  it.each([undefined, 1])('reads no kept turn, with residentActors %s', async (residentActors) => {
    const test = await start(5, { ...FOLDED, residentActors });
    await send(test, 'a', ...adds(30));
    expect(await turnsOf(test, 'a')).toHaveLength(5 + TRACE_WHOLE_EVERY);
    const before = await history(test);
    test.store.reads = [];
    await crash(test);
    const isKept = (key: string) => key.startsWith(`${KEYSPACE.turns}!`) || key.startsWith(`${KEYSPACE.turnSpans}!`);
    expect(test.store.reads.filter(isKept)).toEqual([]);
    expect(await history(test)).toEqual(before);
  });

  it('goes on with the next number, and reads the span of numbers only of an actor that keeps a new turn', async () => {
    const test = await start(5, FOLDED);
    await send(test, 'a', ...adds(3));
    await folded(test);
    await crash(test);
    test.store.reads = [];
    await send(test, 'a', ...adds(3));
    expect((await history(test)).map(({ number }) => number)).toEqual([3, 4, 5, 6, 7]);
    const spans = new Set(test.store.reads.filter((key) => key.startsWith(`${KEYSPACE.turnSpans}!`)));
    expect(spans.size).toBe(1);
  });

  it('refuses agents that keep turns on a store without synchronous reads', async () => {
    const store = Object.assign(Object.create(memoryStore()) as ReturnType<typeof memoryStore>, {
      ...memoryStore(),
      getSync: undefined,
    });
    await expect(new Shard({ agents: [plain, keeping(5)], store }).start()).rejects.toMatchObject({
      code: 'BOSUN_CONFIG_INVALID',
      message: expect.stringContaining('trace of agent "sum"') as string,
    });
  });
});

describe('the state of an actor', () => {
  it('is the same whether its turns are kept or not', async () => {
    const states = async (keep: boolean) => {
      const test = await start(5, keep ? {} : { agents: [{ ...plain, name: 'sum' }, plain] });
      await send(test, 'a', ...adds(20), { type: 'tell' }, { type: 'fail' });
      return [...test.shard.chains()].map(([life, { seq }]) => [life, seq]);
    };
    expect(await states(true)).toEqual(await states(false));
  });
});

describe('the memory of the process', () => {
  it('holds no kept turn after the turn is durable and its subscribers are notified', async () => {
    const test = await start(100);
    const records: WeakRef<object>[] = [];
    const { unsubscribe } = test.shard.admin.onTurn('a', (record) => void records.push(new WeakRef(record)));
    await send(test, 'a', ...adds(20));
    unsubscribe();
    await send(test, 'p', add(1));
    const left = () => records.filter((one) => one.deref() !== undefined).length;
    await until(
      () => {
        collect();
        return left() === 0;
      },
      () => `the end of ${left()} records in memory`,
    );
    expect(await history(test)).toHaveLength(21);
  });
});

describe('kept turns of one actor', () => {
  it('shrink to a lower bound by two per new turn, and are not shown beyond the bound', async () => {
    const test = await start(40, FOLDED);
    await send(test, 'a', ...adds(80));
    expect(await turnsOf(test, 'a')).toHaveLength(40 + TRACE_WHOLE_EVERY);
    await test.shard.stop();
    await test.restart({ agents: [keeping(4), plain] });
    expect(sumsOf(await history(test))).toEqual([77, 78, 79, 80]);
    await send(test, 'a', add(1));
    expect(await turnsOf(test, 'a')).toHaveLength(39 + TRACE_WHOLE_EVERY);
    await send(test, 'a', ...adds(35));
    expect(await turnsOf(test, 'a')).toHaveLength(4 + TRACE_WHOLE_EVERY);
    await send(test, 'a', ...adds(5));
    expect(await turnsOf(test, 'a')).toHaveLength(4 + TRACE_WHOLE_EVERY);
  });

  it('are read up to the requested limit, with their contexts', async () => {
    const test = await start(40, FOLDED);
    await send(test, 'a', ...adds(60));
    for (const limit of [1, 2, TRACE_WHOLE_EVERY, 40, 100])
      expect(sumsOf(await test.shard.admin.history('a', { limit }))).toEqual(
        Array.from({ length: Math.min(limit, 40) }, (_, i) => 61 - Math.min(limit, 40) + i),
      );
  });

  it('stay unchanged, until the end of the actor, if its agent keeps turns no more', async () => {
    const test = await start(5, FOLDED);
    await send(test, 'a', ...adds(30));
    await test.shard.stop();
    await test.restart({ agents: [{ ...plain, name: 'sum' }, plain] });
    await send(test, 'a', ...adds(3));
    expect(sumsOf(await history(test)).at(-1)).toBe(30);
    await test.shard.erase('a');
    await test.shard.erase('other');
    expect(storedKeys(test)).toEqual([]);
  });

  it('are numbered without gaps or duplicates while the actor rests and wakes, over random crashes', LONG, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ count: fc.nat(4), then: fc.constantFrom('settle', 'rest', 'crash') }), { maxLength: 8 }),
        async (rounds) => {
          const test = await start(6, { residentActors: 1, ...FOLDED });
          let taken = 0;
          for (const { count, then } of rounds) {
            for (const event of adds(count)) await test.shard.send('a', event);
            taken += count;
            await test.settle();
            // An actor that is not used leaves memory when others need room.
            if (then === 'rest') await send(test, 'other', add(0));
            else if (then === 'crash') await crash(test);
          }
          const turns = await history(test);
          const first = Math.max(1, taken + 2 - 6);
          expect(turns.map(({ number }) => number)).toEqual(
            Array.from({ length: Math.min(6, taken + 1) }, (_, i) => first + i),
          );
          expect(sumsOf(turns)).toEqual(turns.map(({ number }) => number - 1));
          await test.shard.stop();
        },
      ),
      { numRuns: 30 },
    );
  });

  it('are written with their turn, and removed with their actor, even while the store is closed', async () => {
    const test = await start(5, FOLDED);
    await send(test, 'a', ...adds(3));
    await send(test, 'other', ...adds(3));
    await crash(test);
    // This run has not read their numbers yet.
    const pending: Promise<unknown>[] = [];
    test.store.compact = async () => {
      await test.store.close();
      pending.push(...adds(2).map((event) => test.shard.send('a', event)), test.shard.boss().terminateChild('other'));
      for (let round = 0; round < 20; round++) await new Promise<void>((resolve) => test.clock.defer(resolve));
      await test.store.open();
    };
    const other = hex(test.shard.admin.getState('other').life);
    await test.shard.erase('p');
    await Promise.all(pending);
    delete test.store.compact;
    await crash(test);
    expect((await history(test)).map(({ number, context }) => [number, context])).toEqual(
      [2, 3, 4, 5, 6].map((number) => [number, { sum: number - 1, last: '' }]),
    );
    await test.shard.erase('a');
    expect(storedKeys(test).filter((key) => key.includes(other))).toEqual([]);
  });

  it('cannot be read while the store is closed', async () => {
    const test = await start();
    await test.shard.stop();
    await expect(history(test)).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED' });
  });
});

describe('the end of an actor', () => {
  it('removes its kept turns in slices, wherever the power is cut', async () => {
    const test = await start(3 * RECORDS_PURGED_AT_ONCE);
    await send(test, 'a', ...adds(3 * RECORDS_PURGED_AT_ONCE));
    const life = hex(test.shard.admin.getState('a').life);
    const before = test.store.writes;
    const held = test.store.hold('durable');
    void test.shard
      .boss()
      .terminateChild('a')
      .catch(() => {});
    await held.reached;
    // The power is cut at one write of the store after the other.
    for (let cut = 0; cut < 4; cut++) {
      await test.crash();
      const next = cut < 3 ? test.store.hold('durable') : undefined;
      void test.restart();
      await next?.reached;
    }
    await test.settle();
    // An epoch lists the keys of the rows that it removes.
    const removed = test.store.log.slice(before).map(({ writes: [epoch] }) => {
      const text = Buffer.from(epoch!.value ?? []).toString('latin1');
      return text.split(`${KEYSPACE.turns}!${life}!`).length - 1;
    });
    expect(Math.max(...removed)).toBe(RECORDS_PURGED_AT_ONCE);
    await test.shard.erase('p');
    expect(storedKeys(test).filter((key) => key.includes(life))).toEqual([]);
  });

  it('removes turns kept by an earlier run, even if this run has not read their span of numbers', async () => {
    const test = await start(5, FOLDED);
    await send(test, 'a', ...adds(30));
    await crash(test);
    const life = hex(test.shard.admin.getState('a').life);
    await test.shard.boss().terminateChild('a');
    await test.shard.boss().deleteChild('a');
    await folded(test);
    expect(storedKeys(test).filter((key) => key.includes(life))).toEqual([]);
  });

  it('the end of an actor by erasure leaves no byte of its kept turns', async () => {
    const test = await start(5, FOLDED);
    await send(test, 'a', add(1, 'unmistakable'), ...adds(3));
    await folded(test);
    expect(bytesOf(test).includes('unmistakable')).toBe(true);
    await test.shard.erase('a');
    expect(bytesOf(test).includes('unmistakable')).toBe(false);
  });
});

describe('an erasure', () => {
  it('removes mentions of the erased actor from the kept turns of others, in slices, while turns go on', async () => {
    const test = await start(KEPT_ERASED_AT_ONCE + 50, FOLDED);
    await send(test, 'a', { type: 'tell' });
    for (let n = 0; n < KEPT_ERASED_AT_ONCE; n++) await test.shard.send('other', add(1));
    await send(test, 'a', { type: 'tell' });
    const named = async () =>
      (await history(test, 'other')).filter(({ event }) => (event as { note?: string } | null)?.note === 'told');
    expect(await named()).toHaveLength(2);
    const erased = test.shard.erase('a');
    for (let n = 0; n < 200; n++) await test.shard.send('other', add(1));
    await erased;
    await test.settle();
    expect(await named()).toEqual([]);
    const turns = await history(test, 'other');
    expect(turns).toHaveLength(KEPT_ERASED_AT_ONCE + 50);
    expect(turns.filter(({ cause }) => cause !== null)).toMatchObject([
      { event: { type: 'add' }, cause: { address: null } },
    ]);
    // No row that was removed meanwhile has come back.
    expect(await turnsOf(test, 'other')).toHaveLength(KEPT_ERASED_AT_ONCE + 50 + TRACE_WHOLE_EVERY);
  });

  it('does not bring back a row that was removed while the erasure read it', async () => {
    const test = await start(5);
    await send(test, 'a', { type: 'tell' });
    await send(test, 'other', ...adds(3 + TRACE_WHOLE_EVERY));
    const scan = test.store.scan.bind(test.store);
    test.store.scan = async function* (range) {
      if (range.gte.startsWith(`${KEYSPACE.turns}!`)) await send(test, 'other', ...adds(3));
      yield* scan(range);
    };
    await test.shard.erase('a');
    test.store.scan = scan;
    expect(await turnsOf(test, 'other')).toHaveLength(5 + TRACE_WHOLE_EVERY);
  });

  it('reaches actors at rest, and actors whose state the code cannot read', async () => {
    const test = await start(5, FOLDED);
    await send(test, 'a', { type: 'tell' });
    await test.shard.stop();
    const another = defineAgent({ name: 'sum', machine: createMachine({ id: 'another' }), events: {} });
    await test.restart({ agents: [another, plain], residentActors: 1 });
    await test.shard.erase('a');
    await test.shard.stop();
    await test.restart();
    expect((await history(test, 'other')).at(-1)).toMatchObject({ event: { type: 'add' }, cause: { address: null } });
  });
});

describe('damage to kept turns', () => {
  it('hides the turns from the damaged row up to the next row with a whole context, and is reported', async () => {
    const test = await start(40, FOLDED);
    await send(test, 'a', ...adds(40));
    const [, , third] = await turnsOf(test, 'a');
    test.store.flip(third!, 20);
    // The first and the seventeenth row have a whole context.
    expect((await history(test)).map(({ number }) => number)).toEqual([
      2,
      ...Array.from({ length: 25 }, (_, i) => TRACE_WHOLE_EVERY + 1 + i),
    ]);
    expect(test.shard.damage()).toMatchObject([{ code: 'BOSUN_STORE_DAMAGED', details: { key: third } }]);
  });

  it('restarts the numbers of an actor at 1 if it hits the span of its numbers', async () => {
    const test = await start(5, FOLDED);
    await send(test, 'a', ...adds(30));
    await folded(test);
    const [key] = storedKeys(test).filter((one) => one.startsWith(KEYSPACE.turnSpans));
    await test.crash();
    test.store.flip(key!, 6);
    await test.restart();
    await send(test, 'a', ...adds(3));
    expect((await history(test)).map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(test.shard.damage()).toMatchObject([{ code: 'BOSUN_STORE_DAMAGED', details: { key } }]);
    await test.shard.erase('a');
    await test.shard.erase('other');
    expect(storedKeys(test)).toEqual([]);
  });

  it('is found by verify', async () => {
    const test = await start(5, FOLDED);
    await send(test, 'a', ...adds(5));
    const [key] = await turnsOf(test, 'a');
    await test.shard.stop();
    test.store.flip(key!, 20);
    await test.store.open();
    expect(await verify(test.store)).toMatchObject({ sound: false, findings: [{ gravity: 'reports', key }] });
    await test.store.close();
  });
});

it('kept turns of agents with secrets are encrypted in the store, even after an erasure', async () => {
  const shown = { context: z.object({ last: secret(z.string()) }) };
  const agents = [defineAgent({ name: 'sum', machine, events, shown, trace: { keep: 5 } }), plain];
  const secretKey = Buffer.alloc(32, 7).toString('base64');
  const test = await start(5, { ...FOLDED, agents, secretKey });
  await send(test, 'a', { type: 'tell' });
  await send(test, 'other', add(2, 'hush-hush'));
  await test.shard.erase('a');
  expect(bytesOf(test).includes('hush-hush')).toBe(false);
  expect(bytesOf(test).includes('told')).toBe(false);
  await crash(test);
  expect((await history(test, 'other')).slice(1)).toMatchObject([
    { event: { type: 'add' }, context: { sum: 1, last: 'told' } },
    { event: add(2, 'hush-hush'), context: { sum: 3, last: 'hush-hush' } },
  ]);
  await test.shard.stop();
  await test.restart({ secretKey: Buffer.alloc(32, 8).toString('base64'), hold: true });
  await test.shard.erase('p');
  await test.shard.stop();
  await test.restart();
  expect((await history(test, 'other')).at(-1)!.context).toEqual({ sum: 3, last: 'hush-hush' });
});
