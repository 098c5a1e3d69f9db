/** Deferred messages: gen_statem's postpone, durable, in order, bounded. */
import { assign, cancel, raise, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { defer, eventTimeout, reply } from '../../../../src/actors/model/talk-actions.ts';
import { DEFERRED_MESSAGES_MAX } from '../../../../src/limits.ts';
import { levelStore } from '../../../../src/persistence/store/level-store.ts';
import { Shard } from '../../../../src/shard.ts';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withACrashAfterEveryEpoch } from '../../../support/supervisor/every-epoch.ts';
import { code } from '../../../support/actors/account.ts';
import { crash, started } from '../../../support/actors/started.ts';

type Event =
  | { type: 'job'; n: number }
  | { type: 'open' }
  | { type: 'close' }
  | { type: 'note'; n: number }
  | { type: 'again' }
  | { type: 'later'; n: number }
  | { type: 'arm' }
  | { type: 'disarm' }
  | { type: 'fail' }
  | { type: 'end' }
  | { type: 'query' }
  | { type: 'tick' }
  | { type: 'detour' }
  | { type: 'shut' };

/** Does jobs while it is open, and defers them while it is closed. Notes the events that it takes. */
const door = defineAgent({
  name: 'door',
  machine: setup({
    types: {} as { context: { notes: unknown[]; offers: number }; events: Event },
    actions: {
      note: assign(({ context, event }) => ({ notes: [...context.notes, 'n' in event ? event.n : event.type] })),
    },
  }).createMachine({
    context: { notes: [], offers: 0 },
    initial: 'closed',
    on: {
      note: { actions: 'note' },
      fail: {
        actions: assign(() => {
          throw new Error('failed');
        }),
      },
      end: '.over',
    },
    states: {
      closed: {
        on: {
          job: { actions: [assign({ offers: ({ context }) => context.offers + 1 }), defer()] },
          query: { actions: defer() },
          tick: { actions: defer() },
          open: { target: 'open', actions: 'note' },
          again: { target: 'closed', reenter: true, actions: 'note' },
          detour: 'passing',
          later: { target: 'open', actions: defer() },
          arm: { actions: raise({ type: 'tick' }, { delay: 100, id: 't' }) },
          disarm: { actions: cancel('t') },
          shut: { target: 'ajar', actions: eventTimeout(1_000, { type: 'open' }) },
        },
      },
      passing: { always: 'closed' },
      ajar: { on: { job: { actions: defer() }, open: { target: 'open', actions: 'note' } }, after: { 5_000: 'open' } },
      open: {
        on: {
          job: { actions: 'note' },
          later: { actions: 'note' },
          tick: { actions: 'note' },
          query: { actions: reply('answered') },
          close: { target: 'closed', actions: 'note' },
        },
      },
      over: { type: 'final' },
    },
  }),
  events: {
    job: z.object({ n: z.number() }),
    open: z.object({}),
    close: z.object({}),
    note: z.object({ n: z.number() }),
    again: z.object({}),
    later: z.object({ n: z.number() }),
    fail: z.object({}),
    end: z.object({}),
    query: z.object({}),
    detour: z.object({}),
    arm: z.object({}),
    disarm: z.object({}),
    shut: z.object({}),
  },
  internal: ['tick'],
  limits: { mailboxMessages: 5 },
});

const OPTIONS = {
  agents: [door],
  tree: { intensity: 100, children: [{ id: 'd', agent: 'door', restart: 'transient' as const }] },
};

const start = () => started(OPTIONS);

async function send(test: TestSystem, ...events: Event[]): Promise<void> {
  for (const event of events) {
    await test.shard.send('d', event);
    await test.settle();
  }
}

const job = (n: number): Event => ({ type: 'job', n });
const note = (n: number): Event => ({ type: 'note', n });
const context = (test: TestSystem) => test.shard.snapshot('d')!.context as { notes: unknown[]; offers: number };
const notes = (test: TestSystem) => context(test).notes;
const unread = (test: TestSystem) => test.shard.tree('d').mailbox;

describe('a deferred message', () => {
  it('stays unread until the state changes; then deferred messages come up in order, before newer ones', async () => {
    const test = await start();
    await send(test, job(1), note(2), job(3));
    expect([notes(test), unread(test)]).toEqual([[2], 2]);
    await Promise.all([{ type: 'open' } as Event, job(4), note(5)].map((event) => test.shard.send('d', event)));
    await test.settle();
    expect([notes(test), unread(test)]).toEqual([[2, 'open', 1, 3, 4, 5], 0]);
  });

  it('does not come up for a change of context, a re-entry of the state, or a detour through others', async () => {
    const test = await start();
    await send(test, job(1), note(2), { type: 'again' }, { type: 'detour' });
    expect([notes(test), context(test).offers, unread(test)]).toEqual([[2, 'again'], 1, 1]);
  });

  it('comes up at once if its own turn changes the state', async () => {
    const test = await start();
    await send(test, job(1), { type: 'later', n: 2 });
    expect(notes(test)).toEqual([1, 2]);
  });

  it('commits the other actions of the turn that defers it, once for each delivery', async () => {
    const test = await start();
    await send(test, job(1), job(2));
    await crash(test);
    expect(context(test).offers).toBe(2);
    await Promise.all(
      [{ type: 'open' } as Event, { type: 'close' } as Event].map((event) => test.shard.send('d', event)),
    );
    await test.settle();
    expect([notes(test), context(test).offers]).toEqual([['open', 1, 2, 'close'], 2]);
  });

  it('a deferred message that is an ask stays open, and may be answered later', async () => {
    const test = await start();
    const asked = test.shard.ask('d', { type: 'query' });
    await test.settle();
    await send(test, { type: 'open' });
    expect(await asked).toBe('answered');
  });

  it('survives crashes of the host and restarts of the actor, in order', async () => {
    const test = await start();
    await send(test, job(1), job(2));
    await crash(test);
    await send(test, job(3), { type: 'fail' });
    await crash(test);
    expect([notes(test), unread(test)]).toEqual([[], 3]);
    await send(test, { type: 'open' });
    expect(notes(test)).toEqual(['open', 1, 2, 3]);
  });

  it('comes up when the actor is restarted from its initial state', async () => {
    const test = await started({
      ...OPTIONS,
      tree: { intensity: 100, children: [{ id: 'd', agent: 'door', resume: 'initial' }] },
    });
    await send(test, job(1), job(2), note(3));
    expect(context(test)).toEqual({ notes: [3], offers: 2 });
    await send(test, { type: 'end' });
    expect([context(test), unread(test)]).toEqual([{ notes: [], offers: 2 }, 2]);
  });

  it('becomes a dead letter when the actor ends for good', async () => {
    const test = await start();
    await send(test, job(1), note(2), job(3), { type: 'end' });
    expect(test.shard.deadLetters.list().map(({ reason, event }) => [reason, event])).toEqual([
      ['undeliverable', job(1)],
      ['undeliverable', job(3)],
    ]);
  });

  it('takes no room in the mailbox: the event that ends the deferral still gets in', async () => {
    const test = await start();
    await send(test, ...[1, 2, 3, 4, 5, 6, 7].map(job), { type: 'open' });
    expect(notes(test)).toEqual(['open', 1, 2, 3, 4, 5, 6, 7]);
  });

  it(`becomes a dead letter, and fails its ask, if ${DEFERRED_MESSAGES_MAX} others are deferred`, async () => {
    const test = await start();
    for (let n = 0; n < DEFERRED_MESSAGES_MAX; n += 5) {
      await Promise.all([0, 1, 2, 3, 4].map((more) => test.shard.send('d', job(n + more))));
    }
    await test.settle();
    expect([unread(test), test.shard.deadLetters.list()]).toEqual([DEFERRED_MESSAGES_MAX, []]);
    const asked = test.shard.ask('d', { type: 'query' });
    asked.catch(() => {});
    await test.settle();
    await expect(asked).rejects.toEqual(code('BOSUN_ASK_FAILED'));
    expect(test.shard.deadLetters.list()).toMatchObject([
      { reason: 'overflowed', error: { code: 'BOSUN_MAILBOX_FULL' }, event: { type: 'query' } },
    ]);
    await send(test, { type: 'open' });
    expect(notes(test)).toHaveLength(DEFERRED_MESSAGES_MAX + 1);
  });

  it('may be the event of a timer, which can no longer be cancelled then', async () => {
    const test = await start();
    await send(test, { type: 'arm' }, job(1));
    await test.advance(100);
    expect(unread(test)).toBe(2);
    await send(test, job(2), { type: 'disarm' });
    await crash(test);
    expect([notes(test), unread(test)]).toEqual([[], 3]);
    await send(test, { type: 'open' });
    expect([notes(test), unread(test)]).toEqual([['open', 1, 'tick', 2], 0]);
  });
});

describe('defer', () => {
  it('defer in the first turn, which has no message, fails the start', async () => {
    const test = await start();
    const machine = setup({ types: {} as { events: { type: 'go' } } }).createMachine({
      entry: defer(),
      on: { go: {} },
    });
    const early = defineAgent({ name: 'early', machine, events: { go: z.object({}) } });
    await test.shard.stop();
    await test.restart({ agents: [door, early] });
    await expect(test.shard.spawn(early, 'e')).rejects.toMatchObject({
      code: 'BOSUN_VALUE_REFUSED',
      message: expect.stringContaining('first turn') as string,
    });
  });
});

describe('deferred messages of a host that crashes after any of its epochs', () => {
  it('are neither lost nor doubled, and keep their order, if more come up than one visit takes', async () => {
    const many = Array.from({ length: 40 }, (_, n) => n);
    const { outcome, crashes } = await withACrashAfterEveryEpoch({
      options: () => ({ ...OPTIONS, agents: [defineAgent({ ...options(), limits: { mailboxMessages: 100 } })] }),
      begin: async (test) => {
        await test.shard.send('d', { type: 'shut' });
        await Promise.all(many.map((n) => test.shard.send('d', job(n))));
      },
      unfoldMs: 6_000,
      outcome: (test) => notes(test),
    });
    expect(outcome).toEqual(many);
    expect(crashes).toBeGreaterThan(3);
  });

  function options() {
    const { name, machine, events } = door;
    return { name, machine, events, internal: ['tick'] };
  }
});

describe('deferred messages in LevelDB', () => {
  it('come up after the next start', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'bosun-defer-'));
    try {
      const open = async () => new Shard({ ...OPTIONS, store: levelStore(directory) }).start();
      let system = await open();
      for (const n of [1, 2, 3]) await system.send('d', job(n));
      await system.idle();
      await system.stop();
      system = await open();
      await system.send('d', { type: 'open' });
      await system.idle();
      expect((system.snapshot('d')!.context as { notes: unknown[] }).notes).toEqual(['open', 1, 2, 3]);
      await system.stop();
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
