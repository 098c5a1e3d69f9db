/** State that a restart keeps: mailbox, deferred messages, pending asks, address. The table is in docs/talking.md. */
import { assign, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { defer, eventTimeout, monitor, reply } from '../../../src/actors/model/talk-actions.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { started } from '../../support/actors/started.ts';

type Event =
  | { type: 'query' }
  | { type: 'note'; n: number }
  | { type: 'fail'; n?: number }
  | { type: 'open' }
  | { type: 'idle' }
  | { type: 'wait' }
  | { type: 'watch'; what: string };

/** Defers queries until it is open. */
const keeper = defineAgent({
  name: 'keeper',
  machine: setup({
    types: {} as { context: { notes: unknown[] }; events: Event | { type: 'bosun.down'; address: string } },
    actions: {
      note: assign({ notes: ({ context, event }) => [...context.notes, 'n' in event ? event.n : event.type] }),
    },
  }).createMachine({
    context: { notes: [] },
    initial: 'closed',
    on: {
      note: { actions: 'note' },
      idle: { actions: 'note' },
      'bosun.down': { actions: 'note' },
      wait: { actions: eventTimeout(1_000, { type: 'idle' }) },
      watch: { actions: monitor(({ event }) => event.what) },
      fail: {
        actions: assign(() => {
          throw new Error('failed');
        }),
      },
    },
    states: {
      closed: { on: { query: { actions: defer() }, open: { target: 'open', actions: 'note' } } },
      open: { on: { query: { actions: ['note', reply('answered')] } } },
    },
  }),
  events: {
    query: z.object({}),
    note: z.object({ n: z.number() }),
    fail: z.object({}),
    open: z.object({}),
    wait: z.object({}),
    watch: z.object({ what: z.string() }),
  },
});

const child = (id: string, more: object = {}) => ({ id, agent: 'keeper', ...more });

const start = (tree: object) => started({ agents: [keeper], tree: { intensity: 100, ...tree } });

async function send(test: TestSystem, address: string, ...events: Event[]): Promise<void> {
  await Promise.all(events.map((event) => test.shard.send(address, event)));
  await test.settle();
}

const notes = (test: TestSystem, address = 'k') =>
  (test.shard.snapshot(address)!.context as { notes: unknown[] }).notes;
const note = (n: number): Event => ({ type: 'note', n });

/**
 * An ask that is deferred, and notes that are unread when `end` brings the restart about. @returns The notes, and the
 * reply.
 */
async function restarted(test: TestSystem, end: () => Promise<unknown>): Promise<{ notes: unknown[]; reply: unknown }> {
  const handle = test.shard.actor('k', keeper);
  const asked = test.shard.ask('k', { type: 'query' }, { timeoutMs: 60_000 });
  asked.catch(() => {});
  await send(test, 'k', note(1));
  await end();
  await test.settle();
  await handle.send({ type: 'open' });
  await test.settle();
  return { notes: notes(test), reply: await asked };
}

describe('a restart', () => {
  it('a restart from the last committed state keeps everything', async () => {
    const test = await start({ children: [child('k')] });
    expect(await restarted(test, () => send(test, 'k', { type: 'fail' }, note(2), note(3)))).toEqual({
      notes: [1, 2, 3, 'open', 'query'],
      reply: 'answered',
    });
  });

  it('a restart from initial keeps mailbox, deferred messages, asks and address; its context is new', async () => {
    const test = await start({ children: [child('k', { resume: 'initial' })] });
    // The context of the third start, after the quarantine, contains the messages that were unread.
    expect(await restarted(test, () => send(test, 'k', { type: 'fail' }, note(2), note(3)))).toEqual({
      notes: [2, 3, 'open', 'query'],
      reply: 'answered',
    });
  });

  it('a restart of a group keeps mailbox, deferred messages, asks and address of the siblings, too', async () => {
    const test = await start({ strategy: 'one_for_all', children: [child('k'), child('s')] });
    const outcome = await restarted(test, () =>
      Promise.all([send(test, 's', { type: 'fail' }), send(test, 'k', note(2))]),
    );
    expect(outcome).toEqual({ notes: ['open', 'query'], reply: 'answered' });
  });

  it('is not reported to watchers as an end', async () => {
    const test = await start({ children: [child('k', { resume: 'initial' }), child('w')] });
    await send(test, 'w', { type: 'watch', what: 'k' });
    await send(test, 'k', { type: 'fail' });
    expect(notes(test, 'w')).toEqual([]);
    await test.shard.boss('root').terminateChild('k');
    await test.settle();
    expect(notes(test, 'w')).toEqual(['bosun.down']);
  });

  it('a restart from the last committed state keeps its event timeout, a restart from initial ends it', async () => {
    const test = await start({ children: [child('k'), child('i', { resume: 'initial' })] });
    for (const address of ['k', 'i']) await send(test, address, { type: 'wait' });
    for (const address of ['k', 'i']) await send(test, address, { type: 'fail' });
    await test.advance(1_000);
    expect([notes(test), notes(test, 'i')]).toEqual([['idle'], []]);
  });
});

describe('a crash of the host', () => {
  it('keeps mailbox, deferred messages, asks and address; only an ask of the host without an id is lost', async () => {
    const test = await start({ children: [child('k')] });
    const lost = test.shard.ask('k', { type: 'query' });
    lost.catch(() => {});
    const asked = test.shard.ask('k', { type: 'query' }, { id: 'q', timeoutMs: 60_000 });
    asked.catch(() => {});
    await send(test, 'k', note(1), { type: 'wait' });
    await test.crash();
    await test.restart();
    const again = test.shard.ask('k', { type: 'query' }, { id: 'q', timeoutMs: 60_000 });
    await test.advance(1_000);
    await send(test, 'k', { type: 'open' });
    expect([notes(test), await again]).toEqual([[1, 'idle', 'open', 'query', 'query'], 'answered']);
  });
});
