/** `timeOf`: the time that a machine gets when it asks for it. */
import { assign, createActor, createMachine } from 'xstate';
import { describe, expect, it, vi } from 'vitest';
import { timeOf } from '../../../../src/actors/model/ref.ts';
import { contextOf, startSubject, tell } from '../../../support/actors/subject.ts';

const noting = createMachine({
  types: {} as { context: { bornMs: number; notedMs: number } },
  context: ({ self }) => ({ bornMs: timeOf(self), notedMs: 0 }),
  on: {
    NOTE: { actions: assign({ notedMs: ({ self }) => timeOf(self) }) },
  },
});

describe('timeOf', () => {
  it.each(['plan', 'xstate'] as const)(
    'is kernel time in the initial context and in actions, with the %s engine',
    async (stepEngine) => {
      const test = await startSubject(noting, { events: ['NOTE'], stepEngine });
      const bornMs = (contextOf(test) as { bornMs: number }).bornMs;
      await test.advance(1_234);
      await tell(test, 'NOTE');
      expect(contextOf(test)).toEqual({ bornMs, notedMs: bornMs + 1_234 });
      await test.shard.stop();
    },
  );

  it('never goes back over a crash', async () => {
    const test = await startSubject(noting, { events: ['NOTE'] });
    await tell(test, 'NOTE');
    const before = (contextOf(test) as { notedMs: number }).notedMs;
    await test.crash();
    await test.restart();
    await tell(test, 'NOTE');
    expect((contextOf(test) as { notedMs: number }).notedMs).toBeGreaterThanOrEqual(before);
    await test.shard.stop();
  });

  it('is the wall clock under createActor', () => {
    vi.useFakeTimers({ now: 1_700_000_000_000, toFake: ['Date'] });
    const actor = createActor(noting).start();
    expect(actor.getSnapshot().context.bornMs).toBe(1_700_000_000_000);
    actor.stop();
  });
});
