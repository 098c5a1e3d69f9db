/** Event timeouts: durable timers that the next message disarms. */
import { assign, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { eventTimeout } from '../../../../src/actors/model/talk-actions.ts';
import { startTestSystem, type TestSystem } from '../../../../src/testing/test-system.ts';
import { withACrashAfterEveryEpoch } from '../../../support/supervisor/every-epoch.ts';
import { started } from '../../../support/actors/started.ts';

type Event =
  | { type: 'wait'; ms: number }
  | { type: 'named' }
  | { type: 'poke' }
  | { type: 'quiet' }
  | { type: 'self' }
  | { type: 'twice' }
  | { type: 'worked' }
  | { type: 'fail' };

/** Notes `quiet` when no message has come for the time that it was told to wait. */
const listener = defineAgent({
  name: 'listener',
  machine: setup({
    types: {} as { context: { notes: string[] }; events: Event },
    delays: { patience: ({ context }) => 100 * (context.notes.length + 1) },
    actions: { note: assign(({ context, event }) => ({ notes: [...context.notes, event.type] })) },
  }).createMachine({
    context: { notes: [] },
    initial: 'one',
    on: {
      wait: { actions: eventTimeout(({ event }) => event.ms, { type: 'quiet' }) },
      named: { actions: eventTimeout('patience', { type: 'quiet' }) },
      twice: {
        actions: [
          eventTimeout(100, { type: 'quiet' }),
          eventTimeout(300, ({ context }) => ({ type: context.notes.length > 0 ? 'poke' : 'quiet' })),
        ],
      },
      worked: {
        actions: [
          eventTimeout(1, { type: 'quiet' }),
          assign(() => {
            throw new Error('failed');
          }),
        ],
      },
      fail: {
        actions: assign(() => {
          throw new Error('failed');
        }),
      },
      quiet: { actions: 'note' },
      poke: { actions: 'note' },
    },
    states: { one: { on: { self: 'two' }, after: { 50: 'two' } }, two: { on: { self: 'one' } } },
  }),
  events: {
    wait: z.object({ ms: z.number() }),
    named: z.object({}),
    poke: z.object({}),
    self: z.object({}),
    twice: z.object({}),
    worked: z.object({}),
    fail: z.object({}),
  },
  timers: { restore: { patience: 'restart' } },
});

const OPTIONS = { agents: [listener], tree: { intensity: 100, children: [{ id: 'l', agent: 'listener' }] } };

/** Starts the listener and lets its only `after` pass. */
async function start(): Promise<TestSystem> {
  const test = await started(OPTIONS);
  await test.advance(50);
  return test;
}

async function send(test: TestSystem, ...events: Event[]): Promise<void> {
  await Promise.all(events.map((event) => test.shard.send('l', event)));
  await test.settle();
}

const notes = (test: TestSystem) => (test.shard.snapshot('l')!.context as { notes: string[] }).notes;

describe('an event timeout', () => {
  it('sends its event once, and not early, if no message comes before', async () => {
    const test = await start();
    await send(test, { type: 'wait', ms: 100 });
    await test.advance(99);
    expect(notes(test)).toEqual([]);
    await test.advance(1_000);
    expect(notes(test)).toEqual(['quiet']);
  });

  it('is disarmed by the first message that comes, be it a timer of the same machine', async () => {
    const test = await start();
    await send(test, { type: 'wait', ms: 100 });
    await send(test, { type: 'poke' });
    await test.advance(1_000);
    expect(notes(test)).toEqual(['poke']);
    const early = await startTestSystem(OPTIONS);
    await send(early, { type: 'wait', ms: 51 });
    await early.advance(1_000);
    expect(notes(early)).toEqual([]);
    await early.shard.stop();
  });

  it('an event timeout of 0 ms comes after the messages already in the mailbox, which disarm it', async () => {
    const test = await start();
    await send(test, { type: 'wait', ms: 0 });
    expect(notes(test)).toEqual(['quiet']);
    await send(test, { type: 'wait', ms: 0 }, { type: 'poke' });
    await test.advance(1_000);
    expect(notes(test)).toEqual(['quiet', 'poke']);
  });

  it('an event timeout that is due but unread is disarmed too', async () => {
    const test = await start();
    await send(test, { type: 'wait', ms: 10 });
    const hold = test.store.hold('before');
    const poked = test.shard.send('l', { type: 'poke' });
    await hold.reached;
    await test.clock.advance(10, () => Promise.resolve());
    hold.release();
    await poked;
    await test.advance(1_000);
    expect(notes(test)).toEqual(['poke']);
  });

  it('survives a change of state in its own turn, is replaced by a second one, and may compute its event', async () => {
    const test = await start();
    await send(test, { type: 'twice' });
    await test.advance(299);
    expect(notes(test)).toEqual([]);
    await test.advance(1);
    expect(notes(test)).toEqual(['quiet']);
    await send(test, { type: 'twice' });
    await test.advance(300);
    expect(notes(test)).toEqual(['quiet', 'poke']);
  });

  it('takes a named delay, with the restore policy of that delay', async () => {
    const test = await start();
    await send(test, { type: 'named' });
    await test.advance(60);
    await test.crash();
    await test.restart();
    await test.advance(99);
    expect(notes(test)).toEqual([]);
    await test.advance(1);
    expect(notes(test)).toEqual(['quiet']);
  });

  it('is neither disarmed nor armed by a turn that throws', async () => {
    const test = await start();
    await send(test, { type: 'wait', ms: 100 });
    await send(test, { type: 'fail' });
    await test.advance(100);
    expect(notes(test)).toEqual(['quiet']);
    await send(test, { type: 'worked' });
    await test.advance(100);
    expect(notes(test)).toEqual(['quiet']);
  });

  it('fires, or is disarmed, as without a crash, whichever epoch the host crashes after', async () => {
    const tell = (events: Event[]) =>
      withACrashAfterEveryEpoch({
        options: () => OPTIONS,
        begin: async (test) => {
          // Lets the only `after` pass; reading this clock takes time.
          await test.advance(1_000);
          for (const event of events) await test.shard.send('l', event);
        },
        unfoldMs: 1_000_000,
        outcome: notes,
      });
    const wait: Event = { type: 'wait', ms: 100_000 };
    expect((await tell([wait])).outcome).toEqual(['quiet']);
    expect((await tell([wait, { type: 'poke' }])).outcome).toEqual(['poke']);
    expect((await tell([wait, { type: 'poke' }, wait])).outcome).toEqual(['poke', 'quiet']);
  });

  it('an event timeout that was armed before a crash is disarmed by the first message after the crash', async () => {
    const test = await start();
    await send(test, { type: 'wait', ms: 100 });
    await test.crash();
    await test.restart();
    await send(test, { type: 'poke' });
    await test.crash();
    await test.restart();
    await test.advance(1_000);
    expect(notes(test)).toEqual(['poke']);
  });
});
