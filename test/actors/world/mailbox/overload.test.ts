/**
 * P8: incoming events are bounded in bytes and by the pace of the disk; events beyond the bounds are refused at once
 * with a typed error.
 */
import { assign, enqueueActions, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { type OverflowPolicy } from '../../../../src/actors/model/step-engine.ts';
import { type BosunError } from '../../../../src/errors.ts';
import {
  ADMISSION_WAIT_MS_MAX,
  EPOCH_BYTES_MAX,
  SLICE_MS,
  STORE_RETRY_MS_MAX,
  TURNS_PER_AWAITED_EPOCH,
  TURNS_PER_EPOCH,
  UNCOMMITTED_BYTES_MAX,
} from '../../../../src/limits.ts';
import { startTestSystem, type TestSystem } from '../../../../src/testing/test-system.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { LONG } from '../../../support/effort.ts';

interface Named {
  get(name: string): object;
}

/** Counts notes, keeps the numbers of the last ones, and passes `relay` on as notes. */
function reader(overflow: OverflowPolicy, mailboxMessages = 10_000) {
  return defineAgent({
    name: 'reader',
    machine: setup({
      types: {} as {
        context: { notes: number; last: number[] };
        events: { type: 'note'; n: number; text?: string } | { type: 'relay'; count: number; to: string };
      },
    }).createMachine({
      context: { notes: 0, last: [] },
      on: {
        note: {
          actions: assign({
            notes: ({ context }) => context.notes + 1,
            last: ({ context, event }) => [...context.last, event.n].slice(-10),
          }),
        },
        relay: {
          actions: enqueueActions(({ event, enqueue, system }) => {
            const to = (system as unknown as Named).get(event.to) as never;
            for (let n = 0; n < event.count; n++) enqueue.sendTo(to, { type: 'note', n } as never);
          }),
        },
      },
    }),
    events: {
      note: z.object({ n: z.number(), text: z.string().optional() }),
      relay: z.object({ count: z.number(), to: z.string() }),
    },
    limits: { overflow, mailboxMessages },
  });
}

function start(overflow: OverflowPolicy = 'wait', mailboxMessages?: number): Promise<TestSystem> {
  const child = (id: string) => ({ id, agent: 'reader', systemId: id });
  return startTestSystem({ agents: [reader(overflow, mailboxMessages)], tree: { children: ['a', 'b'].map(child) } });
}

const contextOf = (test: TestSystem, id: string) =>
  test.shard.snapshot(id)!.context as { notes: number; last: number[] };
const note = (test: TestSystem, n: number, text?: string) =>
  test.shard.send('a', { type: 'note', n, ...(text !== undefined && { text }) });
const codeOf = (sending: Promise<unknown>) =>
  sending.then(
    () => 'durable',
    (error: unknown) => (error as BosunError).code,
  );
/** Lets slices run while a write hangs. */
const slices = async (test: TestSystem) => {
  for (let n = 0; n < 8; n++) await new Promise<void>((resolve) => test.clock.defer(resolve));
};

describe('events of hosts', () => {
  it(
    `are accepted up to ${UNCOMMITTED_BYTES_MAX} bytes not yet durable, and again once those are durable`,
    LONG,
    async () => {
      const test = await start();
      const held = test.store.hold('before');
      const text = 'x'.repeat(1024 * 1024);
      const sent = Array.from({ length: UNCOMMITTED_BYTES_MAX / text.length }, (_, n) => codeOf(note(test, n, text)));
      await slices(test);
      expect(await codeOf(note(test, 100))).toBe('BOSUN_OVERLOADED');
      held.release();
      expect(new Set(await Promise.all(sent))).toEqual(new Set(['durable']));
      expect(await codeOf(note(test, 101))).toBe('durable');
      await test.settle();
      expect(contextOf(test, 'a').notes).toBe(sent.length + 1);
      await test.shard.stop();
    },
  );

  it(
    `are refused if they would wait more than ${ADMISSION_WAIT_MS_MAX} ms for a disk that has slowed down, and ` +
      'accepted if they fit the next epoch',
    async () => {
      const test = await start();
      const held = test.store.hold('before');
      const first = note(test, 0);
      await slices(test);
      // One epoch is being written, one is full, and the waiting events would fill a third.
      const sent = Array.from({ length: 3 * TURNS_PER_AWAITED_EPOCH }, (_, n) => codeOf(note(test, n)));
      await slices(test);
      expect(test.shard.epoch).toBeGreaterThan(0);
      sent.push(codeOf(note(test, 1)));
      await test.clock.advance(ADMISSION_WAIT_MS_MAX + 1, () => slices(test));
      const refused = await note(test, 2).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'BOSUN_OVERLOADED', retryable: true });
      expect((refused as BosunError).details['retryAfterMs']).toBeGreaterThan(0);
      held.release();
      await first;
      expect(new Set(await Promise.all(sent))).toEqual(new Set(['durable']));
      expect(await codeOf(note(test, 3))).toBe('durable');
      await test.shard.stop();
    },
  );

  it('are accepted at once after an outage of the store, which does not count as a slow disk (F17)', async () => {
    const test = await start();
    test.store.failWrites(Infinity);
    const sent = Array.from({ length: 4 * TURNS_PER_AWAITED_EPOCH }, (_, n) => note(test, n));
    // Each host that is answered sends again, as clients do that have waited.
    const again = sent.map((sending) => sending.then(() => codeOf(note(test, 0))));
    await test.advance(60_000);
    expect(await codeOf(note(test, 1))).toBe('BOSUN_STORE_UNAVAILABLE');
    test.store.failWrites(0);
    await test.advance(STORE_RETRY_MS_MAX);
    expect(new Set(await Promise.all(again))).toEqual(new Set(['durable']));
    await test.shard.stop();
  });
});

describe('an epoch', () => {
  it(`takes no further turns once its turns have admitted ${EPOCH_BYTES_MAX} bytes`, LONG, async () => {
    const test = await start();
    const sizes = () =>
      test.store.log.map(({ writes }) => writes.reduce((sum, { value }) => sum + (value?.length ?? 0), 0));
    const before = sizes().length;
    const text = 'x'.repeat(1024 * 1024);
    await Promise.all(Array.from({ length: 50 }, (_, n) => note(test, n, text)));
    await test.settle();
    expect(contextOf(test, 'a').notes).toBe(50);
    expect(sizes().length - before).toBeGreaterThan(2);
    await test.shard.stop();
  });
});

describe('a system with a backlog of turns', () => {
  /** A clock that advances at each reading. A turn reads it once. */
  class SlowClock extends VirtualClock {
    readonly #lookMs: number;
    #looks = 0;

    constructor(lookMs: number) {
      super();
      this.#lookMs = lookMs;
    }

    override monotonicMs(): number {
      return super.monotonicMs() + this.#looks++ * this.#lookMs;
    }
  }

  function slowly(epochMs: number, turnsPerSlice = 4): Promise<TestSystem> {
    const children = ['a', 'b'].map((id) => ({ id, agent: 'reader', systemId: id }));
    return startTestSystem({
      agents: [reader('wait')],
      tree: { children },
      clock: new SlowClock(SLICE_MS / turnsPerSlice),
      epochMs,
    });
  }

  async function epochsOf(epochMs: number): Promise<number> {
    const test = await slowly(epochMs);
    const before = test.shard.epoch;
    await Promise.all(Array.from({ length: 200 }, (_, n) => note(test, n)));
    await test.settle();
    expect(contextOf(test, 'a').notes).toBe(200);
    const epochs = test.shard.epoch - before;
    await test.shard.stop();
    return epochs;
  }

  it('gathers turns of several slices in one epoch, for epochMs at most', async () => {
    const [atOnce, short, long] = [await epochsOf(0), await epochsOf(2 * SLICE_MS), await epochsOf(10_000)];
    expect(atOnce).toBeGreaterThan(2 * short);
    expect(short).toBeGreaterThan(2 * long);
    expect(long).toBeLessThan(4);
  });

  it(
    `puts at most ${TURNS_PER_AWAITED_EPOCH} turns into an epoch that a host waits for, and ${TURNS_PER_EPOCH} ` +
      'into other epochs',
    async () => {
      const test = await slowly(10_000, 200);
      const before = test.shard.epoch;
      await Promise.all(Array.from({ length: 3 * TURNS_PER_AWAITED_EPOCH }, (_, n) => note(test, n)));
      const awaited = test.shard.epoch - before;
      await test.shard.send('a', { type: 'relay', count: 2 * TURNS_PER_EPOCH, to: 'b' });
      await test.settle();
      const others = test.shard.epoch - before - awaited;
      expect([awaited >= 3, others >= 2, others <= 4]).toEqual([true, true, true]);
      expect(contextOf(test, 'b').notes).toBe(2 * TURNS_PER_EPOCH);
      await test.shard.stop();
    },
  );

  it(`lets at most ${TURNS_PER_AWAITED_EPOCH} hosts wait for one epoch, even if no turns are taken`, async () => {
    const test = await slowly(10_000);
    await test.shard.admin.suspend('a', { by: 'test' });
    const before = test.shard.epoch;
    await Promise.all(Array.from({ length: 3 * TURNS_PER_AWAITED_EPOCH }, (_, n) => note(test, n)));
    expect(test.shard.epoch - before).toBeGreaterThan(2);
    await test.shard.stop();
  });

  it('writes an epoch at once that a host waits for, if no further event of a host is pending', async () => {
    const test = await slowly(10_000);
    await test.shard.send('a', { type: 'relay', count: 1_000, to: 'b' });
    await note(test, 1);
    // Messages admitted with the note have one slice for their turns.
    expect(contextOf(test, 'b').notes).toBeLessThan(100);
    await test.settle();
    expect(contextOf(test, 'b').notes).toBe(1_000);
    await test.shard.stop();
  });

  it.each([-1, Number.NaN])('refuses to start with an invalid epochMs: %s', async (epochMs) => {
    await expect(epochsOf(epochMs)).rejects.toMatchObject({ code: 'BOSUN_CONFIG_INVALID' });
  });
});

describe('a full mailbox', () => {
  it('drops its oldest events under the policy drop-oldest, and the newest are read', async () => {
    const test = await start('drop-oldest', 10);
    await test.shard.send('b', { type: 'relay', count: 25, to: 'a' });
    await test.settle();
    expect(contextOf(test, 'a')).toEqual({ notes: 10, last: [15, 16, 17, 18, 19, 20, 21, 22, 23, 24] });
    const letters = test.shard.deadLetters.list({ reason: 'overflowed' });
    expect(letters.map(({ event }) => (event as unknown as { n: number }).n).sort((x, y) => x - y)).toEqual(
      Array.from({ length: 15 }, (_, n) => n),
    );
    expect(letters[0]).toMatchObject({ address: 'a', error: { code: 'BOSUN_MAILBOX_FULL' } });
    await test.shard.stop();
  });

  it('accepts events of hosts under drop-oldest, and fails the ask whose event it drops', async () => {
    const test = await start('drop-oldest', 10);
    // The ask is accepted before the suspension, and has no turn before it.
    const asked = codeOf(test.shard.ask('a', { type: 'note', n: -1 }, { timeoutMs: 60_000 }));
    await test.shard.admin.suspend('a', { by: 'test' });
    await test.settle();
    await Promise.all(Array.from({ length: 10 }, (_, n) => note(test, n)));
    expect(await asked).toBe('BOSUN_MAILBOX_FULL');
    await test.shard.resume('a');
    await test.settle();
    expect(contextOf(test, 'a').last).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await test.shard.stop();
  });

  it('refuses the newest events under the policy refuse, and its senders go on', async () => {
    const test = await start('refuse', 10);
    await test.shard.send('b', { type: 'relay', count: 25, to: 'a' });
    await test.settle();
    expect(contextOf(test, 'a')).toEqual({ notes: 10, last: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] });
    expect(test.shard.deadLetters.list({ reason: 'overflowed' })).toHaveLength(15);
    expect(contextOf(test, 'b').notes).toBe(0);
    await test.shard.send('b', { type: 'note', n: 1 });
    await test.settle();
    expect(contextOf(test, 'b').notes).toBe(1);
    await test.shard.stop();
  });

  it('keeps its events and its count of dropped ones across a power cut', async () => {
    const test = await start('drop-oldest', 10);
    await test.shard.admin.suspend('a', { by: 'test' });
    for (let n = 0; n < 14; n++) await note(test, n);
    await test.crash();
    await test.restart();
    await test.shard.resume('a');
    await test.settle();
    expect(contextOf(test, 'a').last).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect(test.shard.deadLetters.list({ reason: 'overflowed' })).toHaveLength(4);
    await test.shard.stop();
  });
});
