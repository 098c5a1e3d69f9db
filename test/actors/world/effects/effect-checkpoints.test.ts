/** P7: what an effect keeps for its later starts, so that a promise can go on midway. */
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
import { createJournal } from '../../../../src/persistence/journal.ts';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { LONG } from '../../../support/effort.ts';
import { type Declared, declaredAgent, SECOND, startDeclared } from '../../../support/actors/declared.ts';
import { atEveryWrite, tellStory } from '../../../support/actors/power-cut.ts';
import { asking, settle } from '../../../support/actors/promised.ts';
import { contextOf, tell, valueOf } from '../../../support/actors/subject.ts';

/** The facts of every start of a promise that a test settles. */
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

/** Waits for a promise of an effect, which needs epochs to be written. */
async function got<T>(test: TestSystem, promise: Promise<T>): Promise<T> {
  await test.settle();
  return promise;
}

/** How many values of effects are on disk; by a crash and a restart. */
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
  it('is what a later start finds, and nothing before there was one', async () => {
    const { test, starts, again } = await start();
    expect(starts[0]!.checkpointed).toBe(undefined);
    await got(test, starts[0]!.checkpoint({ page: 1 }));
    await got(test, starts[0]!.checkpoint({ page: 2 }));
    expect((await again()).checkpointed).toEqual({ page: 2 });
    expect((await again()).checkpointed).toEqual({ page: 2 });
    await test.system.stop();
  });

  it('resolves when it is durable, and not before', async () => {
    const { test, starts, again } = await start();
    const held = test.store.hold('before');
    let isDurable = false;
    void starts[0]!.checkpoint(1).then(() => (isDurable = true));
    await held.reached;
    await new Promise<void>((resolve) => test.clock.defer(resolve));
    expect(isDurable).toBe(false);
    expect((await again()).checkpointed).toBe(undefined);
    expect(isDurable).toBe(false);
    await test.system.stop();
  });

  it('is there for the next try of an effect that failed', async () => {
    const { test, starts } = await start({ effects: { logic: { retry: { attempts: 2, backoff: SECOND } } } });
    await got(test, starts[0]!.checkpoint('here'));
    await settle(test, () => starts[0]!.fail(new Error('no')));
    await test.advance(1_000);
    expect(starts[1]!.checkpointed).toBe('here');
    await test.system.stop();
  });

  it('is there where the last failure crashed the machine and its Boss has it begin again', async () => {
    const { test, starts } = await start();
    await got(test, starts[0]!.checkpoint('here'));
    await settle(test, () => starts[0]!.fail(new Error('no')));
    expect([starts.length, starts[1]!.checkpointed]).toEqual([2, 'here']);
    await test.system.stop();
  });

  it('is not that of an effect that was entered anew, which is another', async () => {
    const { test, starts } = await start();
    await got(test, starts[0]!.checkpoint('here'));
    await tell(test, 'AGAIN');
    expect(starts[1]!.checkpointed).toBe(undefined);
    await test.system.stop();
  });

  it('of a start that is over is refused, and changes nothing', async () => {
    const { test, starts } = await start({ effects: { logic: { retry: { attempts: 2, backoff: SECOND } } } });
    await settle(test, () => starts[0]!.fail(new Error('no')));
    await expect(starts[0]!.checkpoint('stale')).rejects.toMatchObject({ code: 'BOSUN_EFFECT_OVER' });
    await test.advance(1_000);
    await expect(starts[0]!.checkpoint('stale')).rejects.toMatchObject({ code: 'BOSUN_EFFECT_OVER' });
    expect(starts[1]!.checkpointed).toBe(undefined);
    await got(test, starts[1]!.checkpoint('fresh'));
    await test.system.stop();
  });

  it('of what is not data is refused, and the effect goes on', async () => {
    const { test, starts } = await start();
    await expect(starts[0]!.checkpoint(() => {})).rejects.toMatchObject({ code: 'BOSUN_VALUE_REFUSED' });
    await settle(test, () => starts[0]!.resolve('because'));
    expect(contextOf(test)).toEqual({ got: ['because'] });
    await test.system.stop();
  });
});

describe('memo', () => {
  it('gives later starts the result, whatever it was, without working it out', async () => {
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
    await test.system.stop();
  });

  it('gives the same start the result at every call, and calls side by side share one', async () => {
    const { test, starts } = await start();
    let times = 0;
    const work = async () => ++times;
    const both = Promise.all([starts[0]!.memo('a', work), starts[0]!.memo('a', work)]);
    expect([await got(test, both), await starts[0]!.memo('a', work), times]).toEqual([[1, 1], 1, 1]);
    await test.system.stop();
  });

  it('passes on what the work throws, and works again at the next call', async () => {
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
    await test.system.stop();
  });

  it('of a start that is over begins no work, and forgets what it was at', async () => {
    const { test, starts } = await start();
    let finish = (_: string): void => {};
    const under = starts[0]!.memo('a', () => new Promise<string>((resolve) => (finish = resolve)));
    await tell(test, 'LEAVE');
    finish('stale');
    await expect(under).rejects.toMatchObject({ code: 'BOSUN_EFFECT_OVER' });
    await expect(starts[0]!.memo('b', () => expect.unreachable())).rejects.toMatchObject({ code: 'BOSUN_EFFECT_OVER' });
    expect(await keptOnDisk(test)).toBe(0);
    await test.system.stop();
  });

  it('of a start that is over hurts nobody who does not wait for it', async () => {
    const { test, starts } = await start();
    await tell(test, 'LEAVE');
    const unheard: unknown[] = [];
    const hear = (reason: unknown) => void unheard.push(reason);
    process.on('unhandledRejection', hear);
    void starts[0]!.memo('a', () => 1);
    void starts[0]!.checkpoint(1);
    await test.settle();
    process.off('unhandledRejection', hear);
    expect(unheard).toEqual([]);
    await test.system.stop();
  });

  it('lets a promise of many steps do each once, wherever the power is cut, but the one that was cut', async () => {
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
      await test.system.stop();
      return writes;
    });
    expect(writes).toBeGreaterThan(4);
  });
});

describe('what an effect keeps', () => {
  it('is removed with its end, and where its state is left', async () => {
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
      await test.system.stop();
    }
  });

  it('is at most so many results, and names so long', async () => {
    const { test, starts } = await start();
    const { memo, checkpoint } = starts[0]!;
    await got(test, Promise.all(Array.from({ length: EFFECT_MEMOS_MAX }, (_, n) => memo(`n${n}`, () => n))));
    await expect(memo('one more', () => 1)).rejects.toMatchObject({ code: 'BOSUN_VALUE_REFUSED' });
    expect(await memo('n0', () => 'other')).toBe(0);
    await got(test, checkpoint('not a result'));
    await test.system.stop();
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
    await other.system.stop();
  });

  it('is at most so many bytes, of which a value that is replaced gives its own back', LONG, async () => {
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
    await test.system.stop();
  });
});

describe('a machine that stays where it is when its effect is done', () => {
  it('has nothing left of what that kept', async () => {
    const logic = fromPromise(({ self }) => effectOf(self).checkpoint(1));
    const test = await startDeclared(setup({ actors: { logic } }).createMachine({ invoke: { src: 'logic' } }), {});
    await test.settle();
    expect(test.system.tree('subject').children).toMatchObject([{ status: 'done' }]);
    expect(await keptOnDisk(test)).toBe(0);
    await test.system.stop();
  });
});

describe('a machine that handles the failure of its effect', () => {
  it('leaves nothing of what that kept', async () => {
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
    await test.system.stop();
  });
});
