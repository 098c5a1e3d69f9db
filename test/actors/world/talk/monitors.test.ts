/**
 * Monitors, links, groups and names: changed in the epoch of the death that they report, told once, kept over crashes.
 */
import { describe, expect, it } from 'vitest';
import { GROUP_NAME_CHARS_MAX, GROUPS_PER_ACTOR_MAX } from '../../../../src/limits.ts';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { atEveryWrite, tellStory } from '../../../support/actors/power-cut.ts';
import { crash, started } from '../../../support/actors/started.ts';
import { member } from '../../../support/actors/talkers.ts';

const child = (id: string, more: object = {}) => ({ id, agent: 'member', restart: 'transient' as const, ...more });
const OPTIONS = { agents: [member], tree: { intensity: 100, children: ['a', 'b', 'c'].map((id) => child(id)) } };

const start = () => started(OPTIONS);

async function tell(test: TestSystem, address: string, type: string, what = '', more: object = {}): Promise<void> {
  await test.system.send(address, { type, what, ...more } as never);
  await test.settle();
}

const notes = (test: TestSystem, address: string) =>
  (test.system.snapshot(address)?.context as { notes: unknown[] } | undefined)?.notes;
const restarts = (test: TestSystem, address: string) => test.system.tree(address).restarts;

describe('a monitor', () => {
  it('is told once of a normal end, however often it was set, and of an end by order', async () => {
    const test = await start();
    for (const what of ['b', 'b', 'c']) await tell(test, 'a', 'monitor', what);
    await tell(test, 'b', 'end');
    await test.system.erase('c');
    await test.settle();
    expect(notes(test, 'a')).toEqual([
      ['down', 'b', 'normal'],
      ['down', 'c', 'shutdown'],
    ]);
  });

  it('is told at once of somebody who is not there', async () => {
    const test = await start();
    await tell(test, 'a', 'monitor', 'nobody');
    expect(notes(test, 'a')).toEqual([['down', 'nobody', 'unknown']]);
  });

  it('that was taken back is not told; taking it back twice is fine', async () => {
    const test = await start();
    for (const type of ['monitor', 'demonitor', 'demonitor']) await tell(test, 'a', type, 'b');
    await tell(test, 'b', 'end');
    expect(notes(test, 'a')).toEqual([]);
  });

  it('is not told of a restart by the Boss, and of a failure that is final with its reason', async () => {
    const test = await start();
    await test.system.spawn(member, 't', { restart: 'temporary' });
    await tell(test, 'a', 'monitor', 'b');
    await tell(test, 'a', 'monitor', 't');
    await tell(test, 'b', 'fail');
    await tell(test, 't', 'fail');
    expect(notes(test, 'a')).toEqual([['down', 't', 'error']]);
  });

  it('is told in the epoch of the death, and once, wherever the power is cut', async () => {
    const seen = new Set<string>();
    await atEveryWrite(async (cut) => {
      let sequence = 0;
      const send = (to: string, type: string, what = '') => {
        const session = { id: 's', sequence: ++sequence };
        return async (test: TestSystem) => {
          await test.system.send(to, { type, what }, { session }).catch(() => {});
          await test.settle();
        };
      };
      const { test, writes } = await tellStory([send('a', 'monitor', 'b'), send('b', 'end')], OPTIONS, cut);
      seen.add(JSON.stringify([notes(test, 'a'), test.system.snapshot('b') === undefined]));
      await crash(test);
      seen.add(JSON.stringify([notes(test, 'a'), test.system.snapshot('b') === undefined]));
      await test.system.stop();
      return writes;
    });
    expect([...seen]).toEqual([JSON.stringify([[['down', 'b', 'normal']], true])]);
  });
});

describe('a link', () => {
  it('makes either fail by the end of the other that is not normal, and its Boss decide', async () => {
    const test = await start();
    await tell(test, 'a', 'link', 'b');
    await tell(test, 'a', 'note', 'kept');
    await crash(test);
    await test.system.erase('b');
    await test.settle();
    expect([notes(test, 'a'), restarts(test, 'a')]).toEqual([['kept'], 1]);
    expect(test.system.tree('a').lastError).toMatchObject({ code: 'BOSUN_LINK_DOWN' });
    await tell(test, 'c', 'link', 'a');
    await test.system.erase('c');
    await test.settle();
    expect(restarts(test, 'a')).toBe(2);
  });

  it('means nothing at a normal end, and after it was undone from the other side', async () => {
    const test = await start();
    await tell(test, 'a', 'link', 'b');
    await tell(test, 'b', 'end');
    await tell(test, 'a', 'link', 'c');
    await tell(test, 'c', 'unlink', 'a');
    await test.system.erase('c');
    await test.settle();
    expect(restarts(test, 'a')).toBe(0);
  });

  it('to somebody who is not there makes the linking one fail', async () => {
    const test = await start();
    await tell(test, 'a', 'link', 'nobody');
    expect(restarts(test, 'a')).toBe(1);
  });
});

describe('a group', () => {
  it('is left as often as it was joined, also over crashes', async () => {
    const test = await start();
    await tell(test, 'a', 'join', 'g');
    await tell(test, 'a', 'join', 'g');
    await crash(test);
    await tell(test, 'a', 'leave', 'g');
    expect(test.system.members('g')).toEqual(['a']);
    await crash(test);
    await tell(test, 'a', 'leave', 'g');
    await tell(test, 'a', 'leave', 'g');
    expect(test.system.members('g')).toEqual([]);
  });

  it('hands what is published to every member once, the sender among them', async () => {
    const test = await start();
    for (const id of ['b', 'a', 'a']) await tell(test, id, 'join', 'g!%/ä');
    await crash(test);
    await tell(test, 'a', 'publish', 'g!%/ä');
    await tell(test, 'a', 'publish', 'another');
    expect(['a', 'b', 'c'].map((id) => notes(test, id))).toEqual([['news'], ['news'], []]);
  });

  it('is left by a member that ends, and by one that begins anew, in the same epoch', async () => {
    const test = await started({
      agents: [member],
      tree: { intensity: 100, children: [child('a'), child('b', { resume: 'initial' })] },
    });
    for (const id of ['a', 'b']) await tell(test, id, 'join', 'g');
    await tell(test, 'b', 'fail');
    await tell(test, 'b', 'fail');
    await tell(test, 'b', 'fail');
    expect(test.system.members('g')).toEqual(['a']);
    await tell(test, 'a', 'end');
    expect(test.system.members('g')).toEqual([]);
  });

  it('keeps to its bounds', async () => {
    const test = await start();
    await tell(test, 'a', 'join', 'x'.repeat(GROUP_NAME_CHARS_MAX));
    await tell(test, 'b', 'join', 'x'.repeat(GROUP_NAME_CHARS_MAX + 1));
    expect(test.system.deadLetters.list()).toMatchObject([{ address: 'b', error: { code: 'BOSUN_VALUE_REFUSED' } }]);
    await Promise.all(
      Array.from({ length: GROUPS_PER_ACTOR_MAX }, (_, n) => test.system.send('a', { type: 'join', what: `g${n}` })),
    );
    await test.settle();
    expect(test.system.deadLetters.list()).toMatchObject([
      { address: 'b' },
      { address: 'a', event: { what: `g${GROUPS_PER_ACTOR_MAX - 1}` } },
    ]);
  });
});

describe('a registered name', () => {
  it('has one holder and a value that can change; it is free again in the epoch of the end', async () => {
    const test = await start();
    await tell(test, 'a', 'register', 'pool', { value: 1 });
    await tell(test, 'b', 'register', 'pool', { value: 2 });
    await tell(test, 'a', 'register', 'pool', { value: 3 });
    await crash(test);
    expect([notes(test, 'b'), test.system.lookup('pool')]).toEqual([[['taken', 'a']], { address: 'a', value: 3 }]);
    await tell(test, 'b', 'unregister', 'pool');
    await tell(test, 'a', 'end');
    expect(test.system.lookup('pool')).toBe(undefined);
    await tell(test, 'b', 'register', 'pool', { value: 4 });
    expect(test.system.lookup('pool')).toEqual({ address: 'b', value: 4 });
  });
});

describe('relations', () => {
  it('are whole wherever the power is cut', async () => {
    const ends = new Set<string>();
    await atEveryWrite(async (cut) => {
      let sequence = 0;
      const send = (to: string, type: string, what: string, more: object = {}) => {
        const session = { id: 's', sequence: ++sequence };
        return (test: TestSystem) => test.system.send(to, { type, what, ...more } as never, { session });
      };
      const story = [
        send('a', 'join', 'g'),
        send('a', 'join', 'g'),
        send('b', 'join', 'g'),
        send('a', 'leave', 'g'),
        send('b', 'leave', 'g'),
        send('a', 'register', 'n', { value: 1 }),
        send('c', 'publish', 'g'),
      ];
      const { test, writes } = await tellStory(story, OPTIONS, cut);
      await test.settle();
      await crash(test);
      ends.add(JSON.stringify([test.system.members('g'), test.system.lookup('n'), notes(test, 'a'), notes(test, 'b')]));
      await test.system.stop();
      return writes;
    });
    expect([...ends]).toEqual([JSON.stringify([['a'], { address: 'a', value: 1 }, ['news'], []])]);
  });
});
