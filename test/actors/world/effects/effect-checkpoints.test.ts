/** P7: data that an effect keeps for its later starts, so that a promise can resume midway. */
import { assign, fromPromise, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { effectOf, type EffectFacts } from '../../../../src/actors/model/ref.ts';
import { KEYSPACE } from '../../../../src/actors/model/ports.ts';
import {
  EFFECT_KEPT_BYTES_MAX,
  EFFECT_MEMO_NAME_CHARS_MAX,
  EFFECT_MEMOS_MAX,
  VALUE_BYTES_MAX,
} from '../../../../src/limits.ts';
import { createJournal } from '../../../../src/persistence/journal/journal.ts';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { LONG } from '../../../support/effort.ts';
import { type Declared, declaredAgent, SECOND, startDeclared } from '../../../support/actors/declared.ts';
import { atEveryWrite, tellStory } from '../../../support/actors/power-cut.ts';
import { asking, settle } from '../../../support/actors/promised.ts';
import { contextOf, tell, valueOf } from '../../../support/actors/subject.ts';
import { unhandled } from '../../../support/unhandled.ts';

/** Starts a promise that the test settles, and collects the facts of each of its starts. */
async function start(declared: Declared = {}) {
  const starts: (EffectFacts & { fail: (error: Error) => void; resolve: (value: unknown) => void })[] = [];
  const logic = fromPromise(
    ({ self }) => new Promise<unknown>((resolve, fail) => void starts.push({ ...effectOf(self), fail, resolve })),
  );
  const test = await startDeclared(asking(logic as never), { events: ['AGAIN', 'LEAVE', 'BREAK'], ...declared });
  const again = async () => {
    await test.crash();
    await test.restart();
    return starts.at(-1)!;
  };
  return { test, starts, again };
}

/** Awaits a promise of an effect that needs epochs to be written. */
async function got<T>(test: TestSystem, promise: Promise<T>): Promise<T> {
  await test.settle();
  return promise;
}

/** The number of kept values of effects on disk; crashes and restarts the host. */
async function keptOnDisk(test: TestSystem): Promise<number> {
  await test.crash();
  const journal = createJournal(test.store, {});
  const { rows } = await journal.open({
    Class: class {},
    encode: () => ({ life: 0, address: '' }),
    decode: () => ({}),
  });
  await journal.close();
  await test.restart();
  return rows.get(KEYSPACE.keepsakes)!.size;
}

describe('checkpoint', () => {
  it('hands the latest value to later starts, and undefined to the first', async () => {
    const { test, starts, again } = await start();
    expect(starts[0]!.checkpointed).toBe(undefined);
    await got(test, starts[0]!.checkpoint({ page: 1 }));
    await got(test, starts[0]!.checkpoint({ page: 2 }));
    expect((await again()).checkpointed).toEqual({ page: 2 });
    expect((await again()).checkpointed).toEqual({ page: 2 });
    await test.shard.stop();
  });

  it('resolves when its value is durable, and not before', async () => {
    const { test, starts, again } = await start();
    const held = test.store.hold('before');
    let isDurable = false;
    void starts[0]!.checkpoint(1).then(() => (isDurable = true));
    await held.reached;
    await new Promise<void>((resolve) => test.clock.defer(resolve));
    expect(isDurable).toBe(false);
    expect((await again()).checkpointed).toBe(undefined);
    expect(isDurable).toBe(false);
    await test.shard.stop();
  });

  it('hands its value to the retry of a failed effect', async () => {
    const { test, starts } = await start({ effects: { logic: { retry: { attempts: 2, backoff: SECOND } } } });
    await got(test, starts[0]!.checkpoint('here'));
    await settle(test, () => starts[0]!.fail(new Error('no')));
    await test.advance(1_000);
    expect(starts[1]!.checkpointed).toBe('here');
    await test.shard.stop();
  });

  it('hands its value to the start after the effect crashed its machine and the Boss restarted it', async () => {
    const { test, starts } = await start();
    await got(test, starts[0]!.checkpoint('here'));
    await settle(test, () => starts[0]!.fail(new Error('no')));
    await test.advance(1_200);
    expect([starts.length, starts[1]!.checkpointed]).toEqual([2, 'here']);
    await test.shard.stop();
  });

  it('hands no value to the effect of a state that is entered again: that is a different effect', async () => {
    const { test, starts } = await start();
    await got(test, starts[0]!.checkpoint('here'));
    await tell(test, 'AGAIN');
    expect(starts[1]!.checkpointed).toBe(undefined);
    await test.shard.stop();
  });

  it('refuses a start that has ended, and changes nothing', async () => {
    const { test, starts } = await start({ effects: { logic: { retry: { attempts: 2, backoff: SECOND } } } });
    await settle(test, () => starts[0]!.fail(new Error('no')));
    await expect(starts[0]!.checkpoint('stale')).rejects.toMatchObject({ code: 'BOSUN_EFFECT_OVER' });
    await test.advance(1_000);
    await expect(starts[0]!.checkpoint('stale')).rejects.toMatchObject({ code: 'BOSUN_EFFECT_OVER' });
    expect(starts[1]!.checkpointed).toBe(undefined);
    await got(test, starts[1]!.checkpoint('fresh'));
    await test.shard.stop();
  });

  it('refuses a value that is not data, and the effect goes on', async () => {
    const { test, starts } = await start();
    await expect(starts[0]!.checkpoint(() => {})).rejects.toMatchObject({ code: 'BOSUN_VALUE_REFUSED' });
    await settle(test, () => starts[0]!.resolve('because'));
    expect(contextOf(test)).toEqual({ got: ['because'] });
    await test.shard.stop();
  });
});

describe('memo', () => {
  it('gives later starts any result, undefined included, without doing the work again', async () => {
    const { test, starts, again } = await start();
    const worked: string[] = [];
    const results: [string, unknown][] = [
      ['object', { n: 1 }],
      ['undefined', undefined],
      ['null', null],
      ['odd name %! ü', 'text'],
    ];
    for (const [name, result] of results) {
      const work = () => (worked.push(name), result);
      expect(await got(test, starts[0]!.memo(name, work))).toEqual(result);
    }
    const later = await again();
    for (const [name, result] of results) expect(await later.memo(name, () => 'other')).toEqual(result);
    expect(worked).toEqual(results.map(([name]) => name));
    await test.shard.stop();
  });

  it('gives one start the same result at every call, and concurrent calls share one run of the work', async () => {
    const { test, starts } = await start();
    let times = 0;
    const work = async () => ++times;
    const both = Promise.all([starts[0]!.memo('a', work), starts[0]!.memo('a', work)]);
    expect([await got(test, both), await starts[0]!.memo('a', work), times]).toEqual([[1, 1], 1, 1]);
    await test.shard.stop();
  });

  it('passes on the error of the work, and does the work again at the next call', async () => {
    const { test, starts } = await start();
    const thrown = new Error('no');
    await expect(starts[0]!.memo('a', () => Promise.reject(thrown))).rejects.toBe(thrown);
    await expect(
      starts[0]!.memo('a', () => {
        throw thrown;
      }),
    ).rejects.toBe(thrown);
    expect(
      await got(
        test,
        starts[0]!.memo('a', () => 1),
      ),
    ).toBe(1);
    await test.shard.stop();
  });

  it('begins no work for a start that has ended, and discards the result of work under way', async () => {
    const { test, starts } = await start();
    let finish = (_: string): void => {};
    const under = starts[0]!.memo('a', () => new Promise<string>((resolve) => (finish = resolve)));
    await tell(test, 'LEAVE');
    finish('stale');
    await expect(under).rejects.toMatchObject({ code: 'BOSUN_EFFECT_OVER' });
    await expect(starts[0]!.memo('b', () => expect.unreachable())).rejects.toMatchObject({ code: 'BOSUN_EFFECT_OVER' });
    expect(await keptOnDisk(test)).toBe(0);
    await test.shard.stop();
  });

  it('causes no unhandled rejection in a start that has ended if its promise is not awaited', async () => {
    const { test, starts } = await start();
    await tell(test, 'LEAVE');
    const found = await unhandled(async () => {
      void starts[0]!.memo('a', () => 1);
      void starts[0]!.checkpoint(1);
      await test.settle();
    });
    expect(found).toEqual([]);
    await test.shard.stop();
  });

  it('makes each step of a promise run once wherever the power is cut, except the step that was cut', async () => {
    const STEPS = ['a', 'b', 'c'];
    const writes = await atEveryWrite(async (cut) => {
      const done: string[] = [];
      const logic = fromPromise(async ({ self }) => {
        const { memo } = effectOf(self);
        const results: string[] = [];
        for (const step of STEPS) results.push(await memo(step, () => (done.push(step), `did ${step}`)));
        return results;
      });
      const agents = [declaredAgent(asking(logic as never), {})];
      const { test, writes } = await tellStory(
        [(told) => told.advance(100)],
        { agents, tree: { children: [{ id: 'subject', agent: 'subject' }] } },
        cut,
      );
      const place = `power cut ${cut.point} write ${cut.write}`;
      expect(contextOf(test), place).toEqual({ got: [['did a', 'did b', 'did c']] });
      expect([[...new Set(done)], done.length <= STEPS.length + 1], place).toEqual([STEPS, true]);
      await test.shard.stop();
      return writes;
    });
    expect(writes).toBeGreaterThan(4);
  });
});

describe('the kept data of an effect', () => {
  it('is removed when the effect ends, and when its state is left', async () => {
    const ends: readonly ((
      test: TestSystem,
      starts: Awaited<ReturnType<typeof start>>['starts'],
    ) => Promise<unknown>)[] = [
      (test, [first]) => settle(test, () => first!.resolve('because')),
      (test) => tell(test, 'LEAVE'),
    ];
    for (const end of ends) {
      const { test, starts } = await start();
      await got(test, starts[0]!.checkpoint(1));
      await got(
        test,
        starts[0]!.memo('a', () => 1),
      );
      expect(await keptOnDisk(test)).toBe(2);
      await end(test, starts.slice(-1));
      expect(await keptOnDisk(test)).toBe(0);
      await test.shard.stop();
    }
  });

  it('is bounded in the number of results and in the length of their names', async () => {
    const { test, starts } = await start();
    const { memo, checkpoint } = starts[0]!;
    await got(test, Promise.all(Array.from({ length: EFFECT_MEMOS_MAX }, (_, n) => memo(`n${n}`, () => n))));
    await expect(memo('one more', () => 1)).rejects.toMatchObject({ code: 'BOSUN_VALUE_REFUSED' });
    expect(await memo('n0', () => 'other')).toBe(0);
    await got(test, checkpoint('not a result'));
    await test.shard.stop();
    const { test: other, starts: others } = await start();
    expect(
      await got(
        other,
        others[0]!.memo('x'.repeat(EFFECT_MEMO_NAME_CHARS_MAX), () => 1),
      ),
    ).toBe(1);
    for (const name of ['', 'x'.repeat(EFFECT_MEMO_NAME_CHARS_MAX + 1), '\ud800']) {
      await expect(
        others[0]!.memo(name, () => 1),
        JSON.stringify(name),
      ).rejects.toMatchObject({ code: 'BOSUN_VALUE_REFUSED' });
    }
    await other.shard.stop();
  });

  it('is bounded in bytes, and replacing a value frees the bytes of the old one', LONG, async () => {
    const { test, starts } = await start();
    const { memo, checkpoint } = starts[0]!;
    const large = 'x'.repeat(VALUE_BYTES_MAX - 10);
    const fitting = Math.floor(EFFECT_KEPT_BYTES_MAX / VALUE_BYTES_MAX);
    for (let n = 0; n < fitting; n++)
      await got<unknown>(test, n === 0 ? checkpoint(large) : memo(`n${n}`, () => large));
    await expect(memo('more', () => large)).rejects.toMatchObject({ code: 'BOSUN_VALUE_REFUSED' });
    await got(test, checkpoint('small'));
    expect(
      await got(
        test,
        memo('more', () => large),
      ),
    ).toBe(large);
    await test.shard.stop();
  });
});

describe('a machine that stays in its state when its effect is done', () => {
  it('leaves no kept data of the effect on disk', async () => {
    const logic = fromPromise(({ self }) => effectOf(self).checkpoint(1));
    const test = await startDeclared(setup({ actors: { logic } }).createMachine({ invoke: { src: 'logic' } }), {});
    await test.settle();
    expect(test.shard.tree('subject').children).toMatchObject([{ status: 'done' }]);
    expect(await keptOnDisk(test)).toBe(0);
    await test.shard.stop();
  });
});

describe('a machine that handles the failure of its effect', () => {
  it('leaves no kept data of the failed effect on disk', async () => {
    const starts: EffectFacts[] = [];
    const logic = fromPromise(({ self }) => {
      starts.push(effectOf(self));
      return effectOf(self)
        .checkpoint(1)
        .then(() => Promise.reject(new Error('no')));
    });
    const handled = { onError: { actions: assign({ got: ['handled'] }) } };
    const test = await startDeclared(asking(logic as never, handled), {});
    await test.settle();
    expect([contextOf(test), valueOf(test), starts.length]).toEqual([{ got: ['handled'] }, 'asking', 1]);
    expect(await keptOnDisk(test)).toBe(0);
    await test.shard.stop();
  });
});
