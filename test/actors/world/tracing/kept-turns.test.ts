/**
 * Kept turns of agents with a trace: written in the epoch of the turn, bounded for each actor, kept over crashes,
 * removed with the actor; and the recent turns of all actors, in memory.
 */
import { channel } from 'node:diagnostics_channel';
import { describe, expect, it } from 'vitest';
import { type KeptTurn, type PublishedTurn, type TraceRecord } from '../../../../src/actors/model/trace-record.ts';
import { chartOf } from '../../../../src/gateway/charts/model.ts';
import { TRACE_KEPT_MAX, TRACE_TURNS_MAX, TRACE_WHOLE_EVERY } from '../../../../src/limits.ts';
import { type TestSystem, type TestSystemOptions } from '../../../../src/testing/test-system.ts';
import { LONG } from '../../../support/effort.ts';
import {
  add,
  keeping,
  machine,
  plain,
  send as sendTo,
  start as startSumming,
  sumsOf,
} from '../../../support/actors/summing.ts';
import { KEYSPACE } from '../../../../src/actors/model/ports.ts';
import { numberedKey } from '../../../../src/persistence/format/keys.ts';

let test: TestSystem;
const start = async (keep = 5, changes: Partial<TestSystemOptions> = {}) => (test = await startSumming(keep, changes));
const send = (address: string, event: { type: string }) => sendTo(test, address, event);
const history = (address = 'a'): Promise<readonly KeptTurn[]> => test.shard.admin.history(address);

describe('kept turns', () => {
  it.each(['plan', 'xstate'] as const)(
    'have the event, the transitions by chart id, and the context after the turn, with the engine %s',
    async (stepEngine) => {
      await start(5, { stepEngine });
      await send('a', add(1, 'x'));
      await send('a', add(5));
      expect(
        (await history()).map(({ number, kind, event, value, context }) => [number, kind, event, value, context]),
      ).toEqual([
        [1, 'spawn', null, 'low', { sum: 0, last: '' }],
        [2, 'transition', add(1, 'x'), 'low', { sum: 1, last: 'x' }],
        [3, 'transition', add(5), 'high', { sum: 6, last: 'x' }],
      ]);
      const turns = await history();
      expect(turns[2]!.microsteps.flat().map(({ edge }) => edge)).toEqual(['sum|add|0', 'sum.low||0']);
      const ids = chartOf(machine).transitions.map(({ id }) => id);
      expect(ids).toEqual(
        expect.arrayContaining(turns.flatMap(({ microsteps }) => microsteps.flat().map(({ edge }) => edge))),
      );
      expect(await history('p')).toEqual([]);
    },
  );

  it('are the latest up to the bound, and survive crashes with all of their contexts', async () => {
    await start(5);
    for (let n = 1; n <= 2 * TRACE_WHOLE_EVERY + 7; n++) {
      await send('a', add(1, String(n)));
      expect((await history()).length).toBe(Math.min(n + 1, 5));
    }
    const before = await history();
    expect(sumsOf(before)).toEqual([35, 36, 37, 38, 39]);
    await test.crash();
    await test.restart();
    expect(await history()).toEqual(before);
    await send('a', add(1));
    const after = await history();
    expect(sumsOf(after)).toEqual([36, 37, 38, 39, 40]);
    await test.shard.stop();
    // On hold nothing is written, so there is no epoch of this run.
    await test.restart({ hold: true });
    expect(await history()).toEqual(after);
  });

  it('are durable with their turn: a turn whose epoch is lost leaves no kept turn', async () => {
    await start();
    await send('a', add(1));
    const held = test.store.hold('before');
    void test.shard.send('a', add(2)).catch(() => {});
    await held.reached;
    expect((await history()).length).toBe(2);
    await test.crash();
    await test.restart();
    expect(sumsOf(await history())).toEqual([0, 1]);
  });

  it('end with the present state of the actor, wherever the power is cut', async () => {
    await start();
    for (let cut = 0; cut < 12; cut++) {
      const held = test.store.hold(cut % 2 === 0 ? 'before' : 'durable');
      for (let n = 0; n <= cut; n++)
        void test.shard.send('a', n % 4 === 3 ? { type: 'tell' } : add(1, `${cut}.${n}`)).catch(() => {});
      await held.reached;
      await test.crash();
      await test.restart();
      for (const address of ['a', 'other']) {
        const { sequence, context, value } = test.shard.admin.getState(address);
        expect((await history(address)).at(-1)).toMatchObject({ sequence, context, value });
      }
    }
  });

  it('go on if the agent keeps fewer or more turns than before', async () => {
    await start(5);
    for (let n = 0; n < 30; n++) await send('a', add(1));
    const sums = async () => sumsOf(await history());
    const restart = async (keep: number) => {
      await test.shard.stop();
      await test.restart({ agents: [keeping(keep), plain] });
      await send('a', add(1));
    };
    await restart(2);
    expect(await sums()).toEqual([30, 31]);
    await restart(20);
    expect(await sums()).toEqual(Array.from({ length: 17 }, (_, index) => 16 + index));
    for (let n = 0; n < 40; n++) await send('a', add(1));
    expect(await sums()).toEqual(Array.from({ length: 20 }, (_, index) => 53 + index));
  });

  it('include the change that an admin order made between two turns', async () => {
    await start();
    await send('a', add(1));
    const as = { by: 'ada' };
    await test.shard.admin.suspend('a', as);
    await test.shard.admin.replaceState('a', { context: { sum: 100, last: 'mended' } }, as);
    await test.shard.admin.resume('a', as);
    await send('a', add(1));
    expect((await history()).at(-1)!.context).toEqual({ sum: 101, last: 'mended' });
  });

  it('include failed turns, with the context before the failure', async () => {
    await start();
    await send('a', { type: 'fail' });
    const failed = (await history()).filter(({ kind }) => kind === 'failed');
    expect(failed.length).toBeGreaterThan(0);
    expect(failed[0]).toMatchObject({ event: { type: 'fail' }, change: null, context: { sum: 0 } });
    expect((failed[0]!.error as Error).message).toBe('no');
  });

  it('are removed with their actor, and an erased actor is named in no other kept turn', async () => {
    await start();
    await send('a', { type: 'tell' });
    expect((await history('other')).at(-1)).toMatchObject({ event: { note: 'told' }, cause: { address: 'a' } });
    expect((await history('a')).at(-1)!.sent).toMatchObject([{ to: 'other' }]);
    for (let n = 0; n < 3 * TRACE_WHOLE_EVERY; n++) await send('other', add(1));
    await send('a', { type: 'tell' });
    const lives = ['a', 'other'].map((address) => test.shard.admin.getState(address).life);
    await Promise.all([test.shard.erase('a'), test.advance(1_000)]);
    expect((await history('other')).at(-1)).toMatchObject({ event: { type: 'add' }, cause: { address: null } });
    expect(
      test.shard.admin.recent('root').filter((record) => record.address === 'a' || record.cause?.address === 'a'),
    ).toEqual([]);
    // Erasing writes all that the journal holds to its places.
    const kept = lives.map(
      (life) => test.store.entries().filter(([key]) => key.startsWith(numberedKey(KEYSPACE.turns, life))).length,
    );
    expect(kept).toEqual([0, 5 + TRACE_WHOLE_EVERY]);
    await test.shard.stop();
    await test.restart();
    expect((await history('other')).at(-1)).toMatchObject({ event: { type: 'add' }, cause: { address: null } });
    await test.shard.boss().terminateChild('other');
    await test.shard.boss().deleteChild('other');
    await test.settle();
    await expect(history('other')).rejects.toThrow(/no actor/);
  });

  it(`are set by a whole number from 1 to ${TRACE_KEPT_MAX}`, async () => {
    await start();
    expect(() => keeping(TRACE_KEPT_MAX)).not.toThrow();
    for (const keep of [0, 1.5, TRACE_KEPT_MAX + 1, NaN])
      expect(() => keeping(keep)).toThrow(expect.objectContaining({ code: 'BOSUN_AGENT_INVALID' }));
  });
});

describe('recent turns', () => {
  it('are kept without any option: the address, the event type, the cause and the new state', async () => {
    await start();
    await send('p', { type: 'tell' });
    const [told, taken] = test.shard.admin.recent('root', { limit: 2 }) as [TraceRecord, TraceRecord];
    expect(told).toMatchObject({
      address: 'p',
      agent: 'plain',
      kind: 'transition',
      event: { type: 'tell' },
      cause: null,
      value: 'low',
      status: 'active',
      change: null,
    });
    expect(taken).toMatchObject({
      address: 'other',
      event: { type: 'add' },
      cause: { address: 'p', life: told.life, sequence: told.sequence },
    });
    expect(taken.event).toEqual({ type: 'add' });
    expect(taken.microsteps.flat().map(({ edge }) => edge)).toEqual(['sum|add|0']);
    expect(test.shard.admin.recent('p').every(({ address }) => address === 'p')).toBe(true);
    expect(test.shard.admin.recent('root', { after: told.number }).map(({ number }) => number)).toEqual([taken.number]);
  });

  it('include durable turns only', async () => {
    await start();
    await send('p', add(1));
    const held = test.store.hold('before');
    const sent = test.shard.send('p', add(2));
    await held.reached;
    const seen = test.shard.admin.recent('p').length;
    held.release();
    await sent;
    await test.settle();
    expect(test.shard.admin.recent('p').length).toBe(seen + 1);
  });

  it(`are the latest ${TRACE_TURNS_MAX} turns of the system`, LONG, async () => {
    await start();
    const run = async (turns: number) => {
      for (let sent = 0; sent < turns; sent += 5_000) {
        await Promise.all(Array.from({ length: Math.min(5_000, turns - sent) }, () => test.shard.send('p', add(0))));
        await test.settle();
      }
    };
    const before = test.shard.admin.recent('root').at(-1)!.number;
    await run(TRACE_TURNS_MAX - before);
    expect(test.shard.admin.recent('root')[0]).toMatchObject({ number: 1, kind: 'spawn' });
    await run(1);
    const last = test.shard.admin.recent('root');
    expect([last.length, last[0]!.number]).toEqual([TRACE_TURNS_MAX, 2]);
  });
});

describe('the channel bosun:turn', () => {
  it('publishes every whole turn once it is durable, while it has a subscriber', async () => {
    await start();
    const heard: PublishedTurn[] = [];
    // The channel is that of the process, in which systems of other tests may not have come to rest.
    const hear = (message: unknown) => {
      const turn = message as PublishedTurn;
      if (turn.record.address === 'p') heard.push(turn);
    };
    const turns = channel('bosun:turn');
    turns.subscribe(hear);
    try {
      const held = test.store.hold('before');
      const sent = test.shard.send('p', add(1, 'x'));
      await held.reached;
      expect(heard).toEqual([]);
      held.release();
      await sent;
      await test.settle();
      expect(heard).toMatchObject([
        {
          store: test.store.name,
          record: {
            address: 'p',
            event: add(1, 'x'),
            change: { set: { sum: 1, last: 'x' } },
            epoch: test.shard.epoch,
          },
        },
      ]);
    } finally {
      turns.unsubscribe(hear);
    }
    await send('p', add(1));
    expect(heard.length).toBe(1);
  });
});
