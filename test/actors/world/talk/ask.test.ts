/** Asks by hosts and by machines: replies, timeouts, ids, and power cuts at any write. */
import { describe, expect, it } from 'vitest';
import { assign, fromPromise, setup } from 'xstate';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { type EffectFacts, effectOf } from '../../../../src/actors/model/ref.ts';
import { ASK_ID_CHARS_MAX, ASK_MS_MAX, ASK_TIMEOUT_MS, ASK_WINDOW_MS } from '../../../../src/limits.ts';
import { levelStore } from '../../../../src/persistence/store/level-store.ts';
import { Shard } from '../../../../src/shard.ts';
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

/** The outcome of a promise while time stands still; `waiting` if it has not settled. */
async function outcome(test: TestSystem, promise: Promise<unknown>): Promise<unknown> {
  let seen: unknown = 'waiting';
  promise.then(
    (value) => (seen = value),
    (error: unknown) => (seen = error),
  );
  await test.settle();
  return seen;
}

const sum = (test: TestSystem) => (test.shard.snapshot('t')!.context as { sum: number }).sum;
const asks = (test: TestSystem) => (test.shard.snapshot('t')!.context as { asks: number }).asks;
const notes = (test: TestSystem) => (test.shard.snapshot('c')!.context as { notes: unknown[] }).notes;
const letters = (test: TestSystem) =>
  test.shard.deadLetters.list().map(({ reason, address, event }) => [reason, address, event.type]);

describe('system.ask', () => {
  it('resolves with the reply, once the turn that gave it is durable, in the order of earlier sends', async () => {
    const test = await start();
    const sent = test.shard.send('t', { type: 'add', amount: 1 });
    const asked = test.shard.ask<number>('t', { type: 'add', amount: 2 });
    expect(await outcome(test, asked)).toBe(3);
    await sent;
    expect(sum(test)).toBe(3);
  });

  it('does not resolve before the epoch of the reply is durable', async () => {
    const test = await start();
    const hold = test.store.hold('before');
    const asked = test.shard.ask('t', { type: 'add', amount: 1 });
    await hold.reached;
    let seen = false;
    void asked.then(() => (seen = true));
    await new Promise<void>((resolve) => test.clock.defer(resolve));
    expect(seen).toBe(false);
    hold.release();
    expect(await outcome(test, asked)).toBe(1);
  });

  it('writes nothing for a request that only reads', async () => {
    const test = await start();
    const { writes } = test.store;
    const { epoch } = test.shard;
    expect(await outcome(test, test.shard.ask('t', { type: 'read' }))).toBe(0);
    expect([test.store.writes, test.shard.epoch]).toEqual([writes, epoch]);
    expect(test.shard.admin.recent('t').at(-1)).toMatchObject({ event: { type: 'read' }, epoch: epoch + 1 });
    await test.shard.send('t', { type: 'add', amount: 1 });
    await crash(test);
    expect(sum(test)).toBe(1);
  });

  it('does not answer a request that only reads before the state read is durable', async () => {
    const test = await start();
    const hold = test.store.hold('before');
    const added = test.shard.send('t', { type: 'add', amount: 2 });
    await hold.reached;
    let seen: unknown = 'nothing';
    const asked = test.shard.ask('t', { type: 'read' }).then((value) => (seen = value));
    for (let n = 0; n < 5; n++) await new Promise<void>((resolve) => test.clock.defer(resolve));
    expect(seen).toBe('nothing');
    hold.release();
    await added;
    expect(await outcome(test, asked)).toBe(2);
  });

  it('fails at once for an address without an actor, and for an event that the agent does not declare', async () => {
    const test = await start();
    await expect(test.shard.ask('nobody', { type: 'read' })).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
    await expect(test.shard.ask('t', { type: 'crash' })).rejects.toEqual(code('BOSUN_EVENT_REFUSED'));
    await expect(test.shard.ask('t', { type: 'add', amount: 'x' })).rejects.toEqual(code('BOSUN_EVENT_INVALID'));
  });

  it('times out after 5,000 ms by default, with an unknown outcome; the late reply becomes a dead letter', async () => {
    const test = await start();
    const asked = test.shard.ask('t', { type: 'hold' });
    asked.catch(() => {});
    await test.advance(ASK_TIMEOUT_MS - 1);
    expect(await outcome(test, asked)).toBe('waiting');
    await test.advance(1);
    await expect(asked).rejects.toMatchObject({
      code: 'BOSUN_TIMEOUT',
      details: { unknownOutcome: true, address: 't' },
    });
    await test.shard.send('t', { type: 'answer', value: 'late' });
    await test.settle();
    expect(letters(test)).toEqual([['late', 't', 'bosun.reply']]);
  });

  it('takes a deadline in kernel time, and refuses timeouts over 24 hours', async () => {
    const test = await start();
    const asked = test.shard.ask('t', { type: 'hold' }, { deadlineMs: test.clock.wallMs() + 10 });
    asked.catch(() => {});
    await test.advance(11);
    await expect(asked).rejects.toEqual(code('BOSUN_TIMEOUT'));
    await expect(test.shard.ask('t', { type: 'read' }, { timeoutMs: ASK_MS_MAX + 1 })).rejects.toEqual(
      code('BOSUN_VALUE_REFUSED'),
    );
    expect(await outcome(test, test.shard.ask('t', { type: 'read' }, { timeoutMs: ASK_MS_MAX }))).toBe(0);
  });

  it('takes the first reply; a second reply becomes a dead letter', async () => {
    const test = await start();
    expect(await outcome(test, test.shard.ask('t', { type: 'twice' }))).toBe('one');
    expect(test.shard.deadLetters.list()).toMatchObject([{ reason: 'late', event: { value: 'two' } }]);
  });

  it('resolves with a reply that is given in the turn that ends the actor', async () => {
    const test = await start();
    expect(await outcome(test, test.shard.ask('t', { type: 'last' }))).toBe('goodbye');
  });

  it('fails when its message is quarantined for crashing the asked actor, or when that actor ends', async () => {
    const test = await start();
    const choking = test.shard.ask('t', { type: 'choke' });
    choking.catch(() => {});
    await test.settle();
    await expect(choking).rejects.toMatchObject({
      code: 'BOSUN_ASK_FAILED',
      message: expect.stringContaining('choked') as string,
    });
    await test.shard.spawn(teller, 'x');
    const asked = test.shard.ask('x', { type: 'hold' });
    asked.catch(() => {});
    await test.settle();
    await test.shard.erase('x');
    await expect(asked).rejects.toEqual(code('BOSUN_ASK_FAILED'));
  });

  it('stays open while the asked actor is restarted by its Boss', async () => {
    const test = await start();
    const asked = test.shard.ask('t', { type: 'hold' });
    await test.settle();
    await test.shard.send('t', { type: 'choke' });
    await test.settle();
    await test.shard.send('t', { type: 'answer', value: 'still there' });
    expect(await outcome(test, asked)).toBe('still there');
  });

  it('a reply to an event that was sent, not asked, is dropped without a dead letter', async () => {
    const test = await start();
    await test.shard.send('t', { type: 'read' });
    await test.settle();
    expect(letters(test)).toEqual([]);
  });

  it('rejects with the error for which the system closed', async () => {
    const test = await start();
    const asked = test.shard.ask('t', { type: 'hold' });
    asked.catch(() => {});
    await test.settle();
    await test.shard.stop();
    await expect(asked).rejects.toEqual(code('BOSUN_SYSTEM_CLOSED'));
  });
});

describe('an ask with an id', () => {
  it('is sent once and gives the recorded reply again, also after a crash and the end of the asked actor', async () => {
    const test = await start();
    const add = () => test.shard.ask('t', { type: 'add', amount: 5 }, { id: 'one' });
    expect(await Promise.all([outcome(test, add()), outcome(test, add())])).toEqual([5, 5]);
    await crash(test);
    expect(await outcome(test, add())).toBe(5);
    expect(sum(test)).toBe(5);
    await test.shard.erase('c');
    await test.shard.ask('t', { type: 'last' }, { id: 'end' });
    await test.settle();
    expect(await outcome(test, add())).toBe(5);
  });

  it('is joined by a second ask while it is open, also after a crash, and its late reply is recorded', async () => {
    const test = await start();
    const hold = () => test.shard.ask('t', { type: 'hold' }, { id: 'h' });
    const first = hold();
    first.catch(() => {});
    await test.settle();
    await crash(test);
    const second = hold();
    second.catch(() => {});
    await test.advance(ASK_TIMEOUT_MS);
    await expect(second).rejects.toEqual(code('BOSUN_TIMEOUT'));
    await test.shard.send('t', { type: 'answer', value: 1 });
    await test.settle();
    expect([asks(test), letters(test)]).toEqual([1, [['late', 't', 'bosun.reply']]]);
    expect(await outcome(test, hold())).toBe(1);
    expect(asks(test)).toBe(1);
  });

  it('is forgotten 24 hours after its last use', async () => {
    const test = await start();
    const add = async () => outcome(test, test.shard.ask('t', { type: 'add', amount: 1 }, { id: 'x' }));
    expect(await add()).toBe(1);
    await test.advance(ASK_WINDOW_MS - 1);
    expect(await add()).toBe(1);
    await test.advance(ASK_WINDOW_MS + 1);
    expect(await add()).toBe(2);
  });

  it('is refused with the id of an ask to a different actor, and with an invalid id', async () => {
    const test = await start();
    await test.shard.ask('t', { type: 'read' }, { id: 'x' });
    await expect(test.shard.ask('c', { type: 'stop' }, { id: 'x' })).rejects.toEqual(code('BOSUN_VALUE_REFUSED'));
    await expect(test.shard.ask('t', { type: 'read' }, { id: '' })).rejects.toEqual(code('BOSUN_VALUE_REFUSED'));
    await expect(test.shard.ask('t', { type: 'read' }, { id: 'x'.repeat(ASK_ID_CHARS_MAX + 1) })).rejects.toEqual(
      code('BOSUN_VALUE_REFUSED'),
    );
    expect(await outcome(test, test.shard.ask('t', { type: 'read' }, { id: 'x'.repeat(ASK_ID_CHARS_MAX) }))).toBe(0);
  });

  it('takes effect once wherever the power is cut', async () => {
    const writes = await atEveryWrite(async (cut) => {
      const story = [
        (test: TestSystem) => test.shard.ask('t', { type: 'add', amount: 1 }, { id: 'a' }),
        (test: TestSystem) => test.shard.ask('t', { type: 'add', amount: 10 }, { id: 'b' }),
      ];
      const { test, writes } = await tellStory(story, OPTIONS, cut);
      expect(sum(test)).toBe(11);
      expect(await outcome(test, test.shard.ask('t', { type: 'add', amount: 10 }, { id: 'b' }))).toBe(11);
      await test.shard.stop();
      return writes;
    });
    expect(writes).toBeGreaterThan(3);
  });

  it('gives the recorded reply after a restart of the process on LevelDB', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'bosun-ask-'));
    const replies: unknown[] = [];
    for (let n = 0; n < 2; n++) {
      const system = new Shard({ ...OPTIONS, store: levelStore(directory) });
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
  ) => test.shard.send('c', { type: 'go', to: 't', event, ...more } as never);

  it('gets the reply as the output of its promise', async () => {
    const test = await start();
    await go(test, { type: 'add', amount: 4 });
    await test.settle();
    expect(notes(test)).toEqual([4]);
  });

  it('fails at once for an unknown address, at its timeout, and when the message is quarantined', async () => {
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

  it('gets no reply once it has left the state: the reply becomes a dead letter', async () => {
    const test = await start();
    await go(test, { type: 'hold' });
    await test.settle();
    await test.shard.send('c', { type: 'stop' });
    await test.shard.send('t', { type: 'answer', value: 1 });
    await test.settle();
    expect([notes(test), letters(test)]).toEqual([[], [['late', 't', 'bosun.reply']]]);
  });

  it('asks once and gets one reply wherever the power is cut', async () => {
    const counts = new Set<string>();
    await atEveryWrite(async (cut) => {
      const story = [
        (test: TestSystem) =>
          test.shard.send('c', { type: 'go', to: 't', event: { type: 'hold' } }, { session: { id: 's', sequence: 1 } }),
        (test: TestSystem) => test.settle(),
        (test: TestSystem) =>
          test.shard.send('t', { type: 'answer', value: 'yes' }, { session: { id: 's', sequence: 2 } }),
        (test: TestSystem) => test.settle(),
      ];
      const { test, writes } = await tellStory(story, OPTIONS, cut);
      counts.add(JSON.stringify([asks(test), notes(test), letters(test)]));
      await test.shard.stop();
      return writes;
    });
    expect([...counts]).toEqual([JSON.stringify([1, ['yes'], []])]);
  });
});

describe('effectOf(self).ask', () => {
  async function asking(work: (facts: EffectFacts) => Promise<unknown>) {
    const client = defineAgent({
      name: 'client',
      machine: setup({ actors: { work: fromPromise(({ self }) => work(effectOf(self))) } }).createMachine({
        context: { output: null as unknown },
        initial: 'working',
        states: {
          working: {
            invoke: {
              src: 'work',
              onDone: { target: 'done', actions: assign({ output: ({ event }) => event.output }) },
              onError: 'failed',
            },
          },
          done: {},
          failed: {},
        },
      }),
      events: {},
    });
    const children = [...OPTIONS.tree.children, { id: 'client', agent: 'client' }];
    const test = await started({ agents: [teller, client, clerk], tree: { intensity: 100, children } });
    await test.settle();
    const { value, context } = test.shard.snapshot('client')!;
    return { test, value, output: (context as { output: unknown }).output };
  }

  it('gives an effect the reply of another actor, at every call', async () => {
    const add = (amount: number) => ({ to: 't', event: { type: 'add', amount } });
    const { output, test } = await asking(async ({ ask }) => [await ask(add(1)), await ask(add(2))]);
    expect([output, sum(test)]).toEqual([[1, 3], 3]);
  });

  it('rejects for an unknown address, without an unhandled rejection if it is not awaited', async () => {
    const nobody = { to: 'nobody', event: { type: 'add' } };
    const { output } = await asking(async ({ ask }) => {
      void ask(nobody);
      return ask(nobody).catch((error: { code: string }) => error.code);
    });
    expect(output).toBe('BOSUN_ACTOR_UNKNOWN');
  });

  it('asks again after a crash, unless memo keeps the reply', async () => {
    const { test, output } = await asking(async ({ ask, attempt, memo }) => {
      const event = { type: 'add', amount: 1 };
      const kept = await memo('kept', () => ask({ to: 't', event }));
      const again = await ask({ to: 't', event });
      return attempt === 1 ? new Promise(() => {}) : [kept, again];
    });
    expect([output, sum(test)]).toEqual([null, 2]);
    await crash(test);
    await test.settle();
    expect((test.shard.snapshot('client')!.context as { output: unknown }).output).toEqual([1, 3]);
  });
});
