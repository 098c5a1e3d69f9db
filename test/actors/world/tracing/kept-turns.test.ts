/**
 * Turns that agents keep: in the epoch of their turn, bounded for each actor, over crashes, gone with the actor; and
 * what is remembered of all others.
 */
import { channel } from 'node:diagnostics_channel';
import { assign, sendTo, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { type KeptTurn, type PublishedTurn, type TraceRecord } from '../../../../src/actors/model/trace-record.ts';
import { chartOf } from '../../../../src/gateway/charts/model.ts';
import { TRACE_KEPT_MAX, TRACE_TURNS_MAX, TRACE_WHOLE_EVERY } from '../../../../src/limits.ts';
import { type TestSystem, type TestSystemOptions } from '../../../../src/testing/test-system.ts';
import { LONG } from '../../../support/effort.ts';
import { started } from '../../../support/actors/started.ts';
import { KEYSPACE } from '../../../../src/actors/model/ports.ts';
import { numberedKey } from '../../../../src/persistence/keys.ts';

const machine = setup({
  types: {} as {
    context: { sum: number; last: string };
    events: { type: 'add'; by: number; note?: string } | { type: 'tell' } | { type: 'fail' };
  },
}).createMachine({
  id: 'sum',
  context: { sum: 0, last: '' },
  initial: 'low',
  states: {
    low: { always: { guard: ({ context }) => context.sum > 2, target: 'high' } },
    high: {},
  },
  on: {
    add: {
      actions: assign(({ context, event }) => ({ sum: context.sum + event.by, last: event.note ?? context.last })),
    },
    tell: {
      actions: sendTo(({ system }) => (system as unknown as { get(id: string): object }).get('other') as never, {
        type: 'add',
        by: 1,
        note: 'told',
      } as never),
    },
    fail: {
      actions: assign(() => {
        throw new Error('no');
      }),
    },
  },
});
const events = {
  add: z.object({ by: z.number(), note: z.string().optional() }),
  tell: z.object({}),
  fail: z.object({}),
};
const keeping = (keep: number) => defineAgent({ name: 'sum', machine, events, trace: { keep } });
const plain = defineAgent({ name: 'plain', machine, events });
const add = (by: number, note?: string) => ({ type: 'add' as const, by, ...(note !== undefined && { note }) });

let test: TestSystem;
const start = async (keep = 5, changes: Partial<TestSystemOptions> = {}) =>
  (test = await started({
    agents: [keeping(keep), plain],
    tree: {
      intensity: 100,
      children: [
        { id: 'a', agent: 'sum' },
        { id: 'other', agent: 'sum', systemId: 'other' },
        { id: 'p', agent: 'plain' },
      ],
    },
    ...changes,
  }));
const send = async (address: string, event: { type: string }) => {
  await test.system.send(address, event);
  await test.settle();
};
const history = (address = 'a'): readonly KeptTurn[] => test.system.admin.history(address);

describe('kept turns', () => {
  it.each(['plan', 'xstate'] as const)(
    'have what was taken, the transitions by the ids of the chart, and the context after it, with the engine %s',
    async (stepEngine) => {
      await start(5, { stepEngine });
      await send('a', add(1, 'x'));
      await send('a', add(5));
      expect(history().map(({ number, kind, event, value, context }) => [number, kind, event, value, context])).toEqual(
        [
          [1, 'spawn', null, 'low', { sum: 0, last: '' }],
          [2, 'transition', add(1, 'x'), 'low', { sum: 1, last: 'x' }],
          [3, 'transition', add(5), 'high', { sum: 6, last: 'x' }],
        ],
      );
      expect(
        history()[2]!
          .microsteps.flat()
          .map(({ edge }) => edge),
      ).toEqual(['sum|add|0', 'sum.low||0']);
      const ids = chartOf(machine).transitions.map(({ id }) => id);
      expect(ids).toEqual(
        expect.arrayContaining(history().flatMap(({ microsteps }) => microsteps.flat().map(({ edge }) => edge))),
      );
      expect(history('p')).toEqual([]);
    },
  );

  it('are the last so many, at the bound and over it, and outlive crashes with all of their contexts', async () => {
    await start(5);
    for (let n = 1; n <= 2 * TRACE_WHOLE_EVERY + 7; n++) {
      await send('a', add(1, String(n)));
      expect(history().length).toBe(Math.min(n + 1, 5));
    }
    const before = history();
    expect(before.map(({ context }) => (context as { sum: number }).sum)).toEqual([35, 36, 37, 38, 39]);
    await test.crash();
    await test.restart();
    expect(history()).toEqual(before);
    await send('a', add(1));
    const after = history();
    expect(after.map(({ context }) => (context as { sum: number }).sum)).toEqual([36, 37, 38, 39, 40]);
    await test.system.stop();
    // On hold nothing is written, so there is no epoch of this run.
    await test.restart({ hold: true });
    expect(history()).toEqual(after);
  });

  it('are there exactly where their turn is: a turn whose epoch is lost has left none', async () => {
    await start();
    await send('a', add(1));
    const held = test.store.hold('before');
    void test.system.send('a', add(2)).catch(() => {});
    await held.reached;
    expect(history().length).toBe(2);
    await test.crash();
    await test.restart();
    expect(history().map(({ context }) => (context as { sum: number }).sum)).toEqual([0, 1]);
  });

  it('end with the state that the actor is in, wherever the power is cut', async () => {
    await start();
    for (let cut = 0; cut < 12; cut++) {
      const held = test.store.hold(cut % 2 === 0 ? 'before' : 'durable');
      for (let n = 0; n <= cut; n++)
        void test.system.send('a', n % 4 === 3 ? { type: 'tell' } : add(1, `${cut}.${n}`)).catch(() => {});
      await held.reached;
      await test.crash();
      await test.restart();
      for (const address of ['a', 'other']) {
        const { sequence, context, value } = test.system.admin.getState(address);
        expect(history(address).at(-1)).toMatchObject({ sequence, context, value });
      }
    }
  });

  it('go on where the agent keeps more or fewer than before, or none any more', async () => {
    await start(5);
    for (let n = 0; n < 30; n++) await send('a', add(1));
    const sums = () => history().map(({ context }) => (context as { sum: number }).sum);
    const restart = async (keep: number) => {
      await test.system.stop();
      await test.restart({ agents: [keeping(keep), plain] });
      await send('a', add(1));
    };
    await restart(2);
    expect(sums()).toEqual([30, 31]);
    await restart(20);
    expect(sums()).toEqual(Array.from({ length: sums().length }, (_, index) => 33 - sums().length + index));
    for (let n = 0; n < 40; n++) await send('a', add(1));
    expect(sums()).toEqual(Array.from({ length: 20 }, (_, index) => 53 + index));
  });

  it('say what an order changed in between', async () => {
    await start();
    await send('a', add(1));
    const as = { by: 'ada' };
    await test.system.admin.suspend('a', as);
    await test.system.admin.replaceState('a', { context: { sum: 100, last: 'mended' } }, as);
    await test.system.admin.resume('a', as);
    await send('a', add(1));
    expect(history().at(-1)!.context).toEqual({ sum: 101, last: 'mended' });
  });

  it('have failures, and no context that was never reached', async () => {
    await start();
    await send('a', { type: 'fail' });
    const failed = history().filter(({ kind }) => kind === 'failed');
    expect(failed.length).toBeGreaterThan(0);
    expect(failed[0]).toMatchObject({ event: { type: 'fail' }, change: null, context: { sum: 0 } });
    expect((failed[0]!.error as Error).message).toBe('no');
  });

  it("go with their actor, and an erased one is named in nobody else's", async () => {
    await start();
    await send('a', { type: 'tell' });
    expect(history('other').at(-1)).toMatchObject({ event: { note: 'told' }, cause: { address: 'a' } });
    expect(history('a').at(-1)!.sent).toMatchObject([{ to: 'other' }]);
    for (let n = 0; n < 3 * TRACE_WHOLE_EVERY; n++) await send('other', add(1));
    await send('a', { type: 'tell' });
    const lives = ['a', 'other'].map((address) => test.system.admin.getState(address).life);
    await Promise.all([test.system.erase('a'), test.advance(1_000)]);
    expect(history('other').at(-1)).toMatchObject({ event: { type: 'add' }, cause: { address: null } });
    expect(
      test.system.admin.recent('root').filter((record) => record.address === 'a' || record.cause?.address === 'a'),
    ).toEqual([]);
    // Erasing writes all that the journal holds to its places.
    const kept = lives.map(
      (life) => test.store.entries().filter(([key]) => key.startsWith(numberedKey(KEYSPACE.turns, life))).length,
    );
    expect(kept).toEqual([0, 5 + TRACE_WHOLE_EVERY]);
    await test.system.stop();
    await test.restart();
    expect(history('other').at(-1)).toMatchObject({ event: { type: 'add' }, cause: { address: null } });
    await test.system.boss().terminateChild('other');
    await test.system.boss().deleteChild('other');
    await test.settle();
    expect(() => history('other')).toThrow(/no actor/);
  });

  it(`are asked for by a whole number from 1 to ${TRACE_KEPT_MAX}`, async () => {
    await start();
    expect(() => keeping(TRACE_KEPT_MAX)).not.toThrow();
    for (const keep of [0, 1.5, TRACE_KEPT_MAX + 1, NaN])
      expect(() => keeping(keep)).toThrow(expect.objectContaining({ code: 'BOSUN_AGENT_INVALID' }));
  });
});

describe('recent turns', () => {
  it('are there without having been asked for, by their names: who, what, caused by whom, where it led', async () => {
    await start();
    await send('p', { type: 'tell' });
    const [told, taken] = test.system.admin.recent('root', { limit: 2 }) as [TraceRecord, TraceRecord];
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
    expect(test.system.admin.recent('p').every(({ address }) => address === 'p')).toBe(true);
    expect(test.system.admin.recent('root', { after: told.number }).map(({ number }) => number)).toEqual([
      taken.number,
    ]);
  });

  it('show durable ones only', async () => {
    await start();
    await send('p', add(1));
    const held = test.store.hold('before');
    const sent = test.system.send('p', add(2));
    await held.reached;
    const seen = test.system.admin.recent('p').length;
    held.release();
    await sent;
    await test.settle();
    expect(test.system.admin.recent('p').length).toBe(seen + 1);
  });

  it(`are the last ${TRACE_TURNS_MAX} of the system`, LONG, async () => {
    await start();
    const run = async (turns: number) => {
      for (let sent = 0; sent < turns; sent += 5_000) {
        await Promise.all(Array.from({ length: Math.min(5_000, turns - sent) }, () => test.system.send('p', add(0))));
        await test.settle();
      }
    };
    const before = test.system.admin.recent('root').at(-1)!.number;
    await run(TRACE_TURNS_MAX - before);
    expect(test.system.admin.recent('root')[0]).toMatchObject({ number: 1, kind: 'spawn' });
    await run(1);
    const last = test.system.admin.recent('root');
    expect([last.length, last[0]!.number]).toEqual([TRACE_TURNS_MAX, 2]);
  });
});

describe('the channel bosun:turn', () => {
  it('has every turn, whole, once it is durable, while somebody listens', async () => {
    await start();
    const heard: PublishedTurn[] = [];
    const hear = (message: unknown) => void heard.push(message as PublishedTurn);
    const turns = channel('bosun:turn');
    turns.subscribe(hear);
    try {
      const held = test.store.hold('before');
      const sent = test.system.send('p', add(1, 'x'));
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
            epoch: test.system.epoch,
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
