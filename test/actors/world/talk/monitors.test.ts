/**
 * Monitors, links, groups and names: changed in the epoch of an actor's end, notified once, and kept over crashes.
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
  await test.shard.send(address, { type, what, ...more } as never);
  await test.settle();
}

const notes = (test: TestSystem, address: string) =>
  (test.shard.snapshot(address)?.context as { notes: unknown[] } | undefined)?.notes;
const restarts = (test: TestSystem, address: string) => test.shard.tree(address).restarts;

describe('a monitor', () => {
  it('is notified once of a normal end, even if it was set twice, and of an end by order', async () => {
    const test = await start();
    for (const what of ['b', 'b', 'c']) await tell(test, 'a', 'monitor', what);
    await tell(test, 'b', 'end');
    await test.shard.erase('c');
    await test.settle();
    expect(notes(test, 'a')).toEqual([
      ['down', 'b', 'normal'],
      ['down', 'c', 'shutdown'],
    ]);
  });

  it('is notified at once if the address has no actor', async () => {
    const test = await start();
    await tell(test, 'a', 'monitor', 'nobody');
    expect(notes(test, 'a')).toEqual([['down', 'nobody', 'unknown']]);
  });

  it('is not notified after demonitor, and a second demonitor is harmless', async () => {
    const test = await start();
    for (const type of ['monitor', 'demonitor', 'demonitor']) await tell(test, 'a', type, 'b');
    await tell(test, 'b', 'end');
    expect(notes(test, 'a')).toEqual([]);
  });

  it('is not notified of a restart by the Boss, but of a final failure with its reason', async () => {
    const test = await start();
    await test.shard.spawn(member, 't', { restart: 'temporary' });
    await tell(test, 'a', 'monitor', 'b');
    await tell(test, 'a', 'monitor', 't');
    await tell(test, 'b', 'fail');
    await tell(test, 't', 'fail');
    expect(notes(test, 'a')).toEqual([['down', 't', 'error']]);
  });

  it('is notified once, in the epoch of the end, wherever the power is cut', async () => {
    const seen = new Set<string>();
    await atEveryWrite(async (cut) => {
      let sequence = 0;
      const send = (to: string, type: string, what = '') => {
        const session = { id: 's', sequence: ++sequence };
        return async (test: TestSystem) => {
          await test.shard.send(to, { type, what }, { session }).catch(() => {});
          await test.settle();
        };
      };
      const { test, writes } = await tellStory([send('a', 'monitor', 'b'), send('b', 'end')], OPTIONS, cut);
      seen.add(JSON.stringify([notes(test, 'a'), test.shard.snapshot('b') === undefined]));
      await crash(test);
      seen.add(JSON.stringify([notes(test, 'a'), test.shard.snapshot('b') === undefined]));
      await test.shard.stop();
      return writes;
    });
    expect([...seen]).toEqual([JSON.stringify([[['down', 'b', 'normal']], true])]);
  });
});

describe('a link', () => {
  it('makes either actor fail when the other ends abnormally, and its Boss decides', async () => {
    const test = await start();
    await tell(test, 'a', 'link', 'b');
    await tell(test, 'a', 'note', 'kept');
    await crash(test);
    await test.shard.erase('b');
    await test.settle();
    expect([notes(test, 'a'), restarts(test, 'a')]).toEqual([['kept'], 1]);
    expect(test.shard.tree('a').lastError).toMatchObject({ code: 'BOSUN_LINK_DOWN' });
    await tell(test, 'c', 'link', 'a');
    await test.shard.erase('c');
    await test.settle();
    expect(restarts(test, 'a')).toBe(2);
  });

  it('has no effect at a normal end, nor after an unlink by the other actor', async () => {
    const test = await start();
    await tell(test, 'a', 'link', 'b');
    await tell(test, 'b', 'end');
    await tell(test, 'a', 'link', 'c');
    await tell(test, 'c', 'unlink', 'a');
    await test.shard.erase('c');
    await test.settle();
    expect(restarts(test, 'a')).toBe(0);
  });

  it('a link to an address without an actor makes the linking actor fail', async () => {
    const test = await start();
    await tell(test, 'a', 'link', 'nobody');
    expect(restarts(test, 'a')).toBe(1);
  });
});

describe('a group', () => {
  it('keeps a member until it has left as often as it joined, also over crashes', async () => {
    const test = await start();
    await tell(test, 'a', 'join', 'g');
    await tell(test, 'a', 'join', 'g');
    await crash(test);
    await tell(test, 'a', 'leave', 'g');
    expect(test.shard.members('g')).toEqual(['a']);
    await crash(test);
    await tell(test, 'a', 'leave', 'g');
    await tell(test, 'a', 'leave', 'g');
    expect(test.shard.members('g')).toEqual([]);
  });

  it('delivers a published event once to every member, the sender included', async () => {
    const test = await start();
    for (const id of ['b', 'a', 'a']) await tell(test, id, 'join', 'g!%/ä');
    await crash(test);
    await tell(test, 'a', 'publish', 'g!%/ä');
    await tell(test, 'a', 'publish', 'another');
    expect(['a', 'b', 'c'].map((id) => notes(test, id))).toEqual([['news'], ['news'], []]);
  });

  it('loses a member in the epoch in which it ends or is restarted from its initial state', async () => {
    const test = await started({
      agents: [member],
      tree: { intensity: 100, children: [child('a'), child('b', { resume: 'initial' })] },
    });
    for (const id of ['a', 'b']) await tell(test, id, 'join', 'g');
    await tell(test, 'b', 'fail');
    expect(test.shard.members('g')).toEqual(['a']);
    await tell(test, 'a', 'end');
    expect(test.shard.members('g')).toEqual([]);
  });

  it('is refused with a name that is too long, and beyond the bound of groups per actor', async () => {
    const test = await start();
    await tell(test, 'a', 'join', 'x'.repeat(GROUP_NAME_CHARS_MAX));
    await tell(test, 'b', 'join', 'x'.repeat(GROUP_NAME_CHARS_MAX + 1));
    expect(test.shard.deadLetters.list()).toMatchObject([{ address: 'b', error: { code: 'BOSUN_VALUE_REFUSED' } }]);
    await Promise.all(
      Array.from({ length: GROUPS_PER_ACTOR_MAX }, (_, n) => test.shard.send('a', { type: 'join', what: `g${n}` })),
    );
    await test.settle();
    expect(test.shard.deadLetters.list()).toMatchObject([
      { address: 'b' },
      { address: 'a', event: { what: `g${GROUPS_PER_ACTOR_MAX - 1}` } },
    ]);
  });
});

describe('a registered name', () => {
  it('has one holder and a value that can change, and is freed in the epoch in which its holder ends', async () => {
    const test = await start();
    await tell(test, 'a', 'register', 'pool', { value: 1 });
    await tell(test, 'b', 'register', 'pool', { value: 2 });
    await tell(test, 'a', 'register', 'pool', { value: 3 });
    await crash(test);
    expect([notes(test, 'b'), test.shard.lookup('pool')]).toEqual([[['taken', 'a']], { address: 'a', value: 3 }]);
    await tell(test, 'b', 'unregister', 'pool');
    await tell(test, 'a', 'end');
    expect(test.shard.lookup('pool')).toBe(undefined);
    await tell(test, 'b', 'register', 'pool', { value: 4 });
    expect(test.shard.lookup('pool')).toEqual({ address: 'b', value: 4 });
  });
});

describe('groups and names', () => {
  it('are consistent wherever the power is cut', async () => {
    const ends = new Set<string>();
    await atEveryWrite(async (cut) => {
      let sequence = 0;
      const send = (to: string, type: string, what: string, more: object = {}) => {
        const session = { id: 's', sequence: ++sequence };
        return (test: TestSystem) => test.shard.send(to, { type, what, ...more } as never, { session });
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
      ends.add(JSON.stringify([test.shard.members('g'), test.shard.lookup('n'), notes(test, 'a'), notes(test, 'b')]));
      await test.shard.stop();
      return writes;
    });
    expect([...ends]).toEqual([JSON.stringify([['a'], { address: 'a', value: 1 }, ['news'], []])]);
  });
});
