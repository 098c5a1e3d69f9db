/** Asks of hosts and of machines: replies, timeouts, ids, and what a power cut at any write leaves of them. */
import { describe, expect, it } from 'vitest';
import { ASK_ID_CHARS_MAX, ASK_MS_MAX, ASK_TIMEOUT_MS, ASK_WINDOW_MS } from '../../../../src/limits.ts';
import { levelStore } from '../../../../src/persistence/level-store.ts';
import { createSystem } from '../../../../src/system.ts';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { code } from '../../../support/actors/account.ts';
import { atEveryWrite, tellStory } from '../../../support/actors/power-cut.ts';
import { crash, started } from '../../../support/actors/started.ts';
import { clerk, teller } from '../../../support/actors/talkers.ts';

const OPTIONS = {
  agents: [teller, clerk],
  tree: {
    intensity: 100,
    children: [
      { id: 't', agent: 'teller' },
      { id: 'c', agent: 'clerk' },
    ],
  },
};

const start = () => started(OPTIONS);

/** What became of a promise, with time standing still. */
async function outcome(test: TestSystem, promise: Promise<unknown>): Promise<unknown> {
  let seen: unknown = 'waiting';
  promise.then(
    (value) => (seen = value),
    (error: unknown) => (seen = error),
  );
  await test.settle();
  return seen;
}

const sum = (test: TestSystem) => (test.system.snapshot('t')!.context as { sum: number }).sum;
const asks = (test: TestSystem) => (test.system.snapshot('t')!.context as { asks: number }).asks;
const notes = (test: TestSystem) => (test.system.snapshot('c')!.context as { notes: unknown[] }).notes;
const letters = (test: TestSystem) =>
  test.system.deadLetters.list().map(({ reason, address, event }) => [reason, address, event.type]);

describe('system.ask', () => {
  it('resolves with the reply, once the turn that gave it is durable, in the order of earlier sends', async () => {
    const test = await start();
    const sent = test.system.send('t', { type: 'add', amount: 1 });
    const asked = test.system.ask<number>('t', { type: 'add', amount: 2 });
    expect(await outcome(test, asked)).toBe(3);
    await sent;
    expect(sum(test)).toBe(3);
  });

  it('is not resolved before its epoch is durable', async () => {
    const test = await start();
    const hold = test.store.hold('before');
    const asked = test.system.ask('t', { type: 'add', amount: 1 });
    await hold.reached;
    let seen = false;
    void asked.then(() => (seen = true));
    await new Promise<void>((resolve) => test.clock.defer(resolve));
    expect(seen).toBe(false);
    hold.release();
    expect(await outcome(test, asked)).toBe(1);
  });

  it('that only reads writes nothing', async () => {
    const test = await start();
    const { writes } = test.store;
    const { epoch } = test.system;
    expect(await outcome(test, test.system.ask('t', { type: 'read' }))).toBe(0);
    expect([test.store.writes, test.system.epoch]).toEqual([writes, epoch]);
    expect(test.system.admin.recent('t').at(-1)).toMatchObject({ event: { type: 'read' }, epoch: epoch + 1 });
    await test.system.send('t', { type: 'add', amount: 1 });
    await crash(test);
    expect(sum(test)).toBe(1);
  });

  it('that only reads is not answered with what is not durable', async () => {
    const test = await start();
    const hold = test.store.hold('before');
    const added = test.system.send('t', { type: 'add', amount: 2 });
    await hold.reached;
    let seen: unknown = 'nothing';
    const asked = test.system.ask('t', { type: 'read' }).then((value) => (seen = value));
    for (let n = 0; n < 5; n++) await new Promise<void>((resolve) => test.clock.defer(resolve));
    expect(seen).toBe('nothing');
    hold.release();
    await added;
    expect(await outcome(test, asked)).toBe(2);
  });

  it('fails at once for an address where nobody lives, and for an event that the agent does not declare', async () => {
    const test = await start();
    await expect(test.system.ask('nobody', { type: 'read' })).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
    await expect(test.system.ask('t', { type: 'crash' })).rejects.toEqual(code('BOSUN_EVENT_REFUSED'));
    await expect(test.system.ask('t', { type: 'add', amount: 'x' })).rejects.toEqual(code('BOSUN_EVENT_INVALID'));
  });

  it('times out after 5,000 ms by default, with an unknown outcome; the late reply becomes a dead letter', async () => {
    const test = await start();
    const asked = test.system.ask('t', { type: 'hold' });
    asked.catch(() => {});
    await test.advance(ASK_TIMEOUT_MS - 1);
    expect(await outcome(test, asked)).toBe('waiting');
    await test.advance(1);
    await expect(asked).rejects.toMatchObject({
      code: 'BOSUN_TIMEOUT',
      details: { unknownOutcome: true, address: 't' },
    });
    await test.system.send('t', { type: 'answer', value: 'late' });
    await test.settle();
    expect(letters(test)).toEqual([['late', 't', 'bosun.reply']]);
  });

  it('takes a deadline in kernel time, and refuses waits over 24 hours', async () => {
    const test = await start();
    const asked = test.system.ask('t', { type: 'hold' }, { deadlineMs: test.clock.wallMs() + 10 });
    asked.catch(() => {});
    await test.advance(11);
    await expect(asked).rejects.toEqual(code('BOSUN_TIMEOUT'));
    await expect(test.system.ask('t', { type: 'read' }, { timeoutMs: ASK_MS_MAX + 1 })).rejects.toEqual(
      code('BOSUN_VALUE_REFUSED'),
    );
    expect(await outcome(test, test.system.ask('t', { type: 'read' }, { timeoutMs: ASK_MS_MAX }))).toBe(0);
  });

  it('takes the first reply; the second is a dead letter', async () => {
    const test = await start();
    expect(await outcome(test, test.system.ask('t', { type: 'twice' }))).toBe('one');
    expect(test.system.deadLetters.list()).toMatchObject([{ reason: 'late', event: { value: 'two' } }]);
  });

  it('gets a reply that is given in the turn that ends the actor', async () => {
    const test = await start();
    expect(await outcome(test, test.system.ask('t', { type: 'last' }))).toBe('goodbye');
  });

  it('fails when the one asked crashes over it until it is quarantined, or ends', async () => {
    const test = await start();
    const choking = test.system.ask('t', { type: 'choke' });
    choking.catch(() => {});
    await test.settle();
    await expect(choking).rejects.toMatchObject({
      code: 'BOSUN_ASK_FAILED',
      message: expect.stringContaining('choked') as string,
    });
    await test.system.spawn(teller, 'x');
    const asked = test.system.ask('x', { type: 'hold' });
    asked.catch(() => {});
    await test.settle();
    await test.system.erase('x');
    await expect(asked).rejects.toEqual(code('BOSUN_ASK_FAILED'));
  });

  it('stays open over a restart of the one asked by its Boss', async () => {
    const test = await start();
    const asked = test.system.ask('t', { type: 'hold' });
    await test.settle();
    await test.system.send('t', { type: 'choke' });
    await test.settle();
    await test.system.send('t', { type: 'answer', value: 'still there' });
    expect(await outcome(test, asked)).toBe('still there');
  });

  it('does nothing where an event was sent and not asked', async () => {
    const test = await start();
    await test.system.send('t', { type: 'read' });
    await test.settle();
    expect(letters(test)).toEqual([]);
  });

  it('rejects with what the system closed for', async () => {
    const test = await start();
    const asked = test.system.ask('t', { type: 'hold' });
    asked.catch(() => {});
    await test.settle();
    await test.system.stop();
    await expect(asked).rejects.toEqual(code('BOSUN_SYSTEM_CLOSED'));
  });
});

describe('an ask with an id', () => {
  it('is sent once and gives the recorded reply again, also after a crash and the end of the one asked', async () => {
    const test = await start();
    const add = () => test.system.ask('t', { type: 'add', amount: 5 }, { id: 'one' });
    expect(await Promise.all([outcome(test, add()), outcome(test, add())])).toEqual([5, 5]);
    await crash(test);
    expect(await outcome(test, add())).toBe(5);
    expect(sum(test)).toBe(5);
    await test.system.erase('c');
    await test.system.ask('t', { type: 'last' }, { id: 'end' });
    await test.settle();
    expect(await outcome(test, add())).toBe(5);
  });

  it('is joined while it is open, also after a crash, and its late reply is recorded', async () => {
    const test = await start();
    const hold = () => test.system.ask('t', { type: 'hold' }, { id: 'h' });
    const first = hold();
    first.catch(() => {});
    await test.settle();
    await crash(test);
    const second = hold();
    second.catch(() => {});
    await test.advance(ASK_TIMEOUT_MS);
    await expect(second).rejects.toEqual(code('BOSUN_TIMEOUT'));
    await test.system.send('t', { type: 'answer', value: 1 });
    await test.settle();
    expect([asks(test), letters(test)]).toEqual([1, [['late', 't', 'bosun.reply']]]);
    expect(await outcome(test, hold())).toBe(1);
    expect(asks(test)).toBe(1);
  });

  it('is forgotten 24 hours after its last use', async () => {
    const test = await start();
    const add = async () => outcome(test, test.system.ask('t', { type: 'add', amount: 1 }, { id: 'x' }));
    expect(await add()).toBe(1);
    await test.advance(ASK_WINDOW_MS - 1);
    expect(await add()).toBe(1);
    await test.advance(ASK_WINDOW_MS + 1);
    expect(await add()).toBe(2);
  });

  it('is refused with the id of an ask of somebody else, and with what is no id', async () => {
    const test = await start();
    await test.system.ask('t', { type: 'read' }, { id: 'x' });
    await expect(test.system.ask('c', { type: 'stop' }, { id: 'x' })).rejects.toEqual(code('BOSUN_VALUE_REFUSED'));
    await expect(test.system.ask('t', { type: 'read' }, { id: '' })).rejects.toEqual(code('BOSUN_VALUE_REFUSED'));
    await expect(test.system.ask('t', { type: 'read' }, { id: 'x'.repeat(ASK_ID_CHARS_MAX + 1) })).rejects.toEqual(
      code('BOSUN_VALUE_REFUSED'),
    );
    expect(await outcome(test, test.system.ask('t', { type: 'read' }, { id: 'x'.repeat(ASK_ID_CHARS_MAX) }))).toBe(0);
  });

  it('counts once wherever the power is cut', async () => {
    const writes = await atEveryWrite(async (cut) => {
      const story = [
        (test: TestSystem) => test.system.ask('t', { type: 'add', amount: 1 }, { id: 'a' }),
        (test: TestSystem) => test.system.ask('t', { type: 'add', amount: 10 }, { id: 'b' }),
      ];
      const { test, writes } = await tellStory(story, OPTIONS, cut);
      expect(sum(test)).toBe(11);
      expect(await outcome(test, test.system.ask('t', { type: 'add', amount: 10 }, { id: 'b' }))).toBe(11);
      await test.system.stop();
      return writes;
    });
    expect(writes).toBeGreaterThan(3);
  });

  it('gives the recorded reply after another start of the process on LevelDB', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'bosun-ask-'));
    const replies: unknown[] = [];
    for (let n = 0; n < 2; n++) {
      const system = createSystem({ ...OPTIONS, store: levelStore(directory) });
      await system.start();
      replies.push(await system.ask('t', { type: 'add', amount: 3 }, { id: 'k' }));
      await system.stop();
    }
    rmSync(directory, { recursive: true });
    expect(replies).toEqual([3, 3]);
  });
});

describe('a machine that asks', () => {
  const go = (
    test: TestSystem,
    event: { type: string; [field: string]: unknown },
    more: { to?: string; timeoutMs?: number } = {},
  ) => test.system.send('c', { type: 'go', to: 't', event, ...more } as never);

  it('gets the reply as the output of its promise', async () => {
    const test = await start();
    await go(test, { type: 'add', amount: 4 });
    await test.settle();
    expect(notes(test)).toEqual([4]);
  });

  it('fails at once where nobody lives, after its time as unknown, and when the other crashes over it', async () => {
    const test = await start();
    await go(test, { type: 'read' }, { to: 'nobody' });
    await test.settle();
    await go(test, { type: 'hold' }, { timeoutMs: 100 });
    await test.advance(100);
    await go(test, { type: 'choke' });
    await test.settle();
    expect(notes(test)).toEqual(['BOSUN_ACTOR_UNKNOWN', 'BOSUN_TIMEOUT', 'BOSUN_ASK_FAILED']);
  });

  it('waits for the same reply after a crash and does not ask again; the deadline stays', async () => {
    const test = await start();
    await go(test, { type: 'hold' }, { timeoutMs: 1_000 });
    await test.settle();
    await test.advance(600);
    await crash(test);
    expect(asks(test)).toBe(1);
    await test.advance(399);
    expect(notes(test)).toEqual([]);
    await test.advance(1);
    expect([notes(test), asks(test)]).toEqual([['BOSUN_TIMEOUT'], 1]);
  });

  it('that has left the state is not answered: the reply is a dead letter', async () => {
    const test = await start();
    await go(test, { type: 'hold' });
    await test.settle();
    await test.system.send('c', { type: 'stop' });
    await test.system.send('t', { type: 'answer', value: 1 });
    await test.settle();
    expect([notes(test), letters(test)]).toEqual([[], [['late', 't', 'bosun.reply']]]);
  });

  it('asks once and hears once wherever the power is cut', async () => {
    const counts = new Set<string>();
    await atEveryWrite(async (cut) => {
      const story = [
        (test: TestSystem) =>
          test.system.send(
            'c',
            { type: 'go', to: 't', event: { type: 'hold' } },
            { session: { id: 's', sequence: 1 } },
          ),
        (test: TestSystem) => test.settle(),
        (test: TestSystem) =>
          test.system.send('t', { type: 'answer', value: 'yes' }, { session: { id: 's', sequence: 2 } }),
        (test: TestSystem) => test.settle(),
      ];
      const { test, writes } = await tellStory(story, OPTIONS, cut);
      counts.add(JSON.stringify([asks(test), notes(test), letters(test)]));
      await test.system.stop();
      return writes;
    });
    expect([...counts]).toEqual([JSON.stringify([1, ['yes'], []])]);
  });
});
