/** Features that Bosun cannot honour are refused with a code and the place. Endless loops fail their turn. */
import { createMachine, raise, sendParent, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { startSubject, tell, valueOf } from '../../support/actors/subject.ts';
import { REFUSALS } from './refusals.cases.ts';

describe('a refused feature', () => {
  it.each(REFUSALS)('$feature', async ({ attempt, code, says }) => {
    const error = await attempt().then(
      () => undefined,
      (thrown: unknown) => thrown as Error & { code?: string },
    );
    expect(error?.message).toContain(says);
    expect(error?.code ?? '').toBe(code);
  });
});

describe('an endless loop', () => {
  const machines = {
    always: createMachine({
      context: { n: 0 },
      initial: 'still',
      states: { still: { on: { GO: 'a', OK: 'fine' } }, a: { always: 'b' }, b: { always: 'a' }, fine: {} },
    }),
    raise: createMachine({
      initial: 'still',
      states: { still: { on: { GO: { actions: raise({ type: 'GO' }) }, OK: 'fine' } }, fine: {} },
    }),
    'raise and always in turn': createMachine({
      initial: 'still',
      states: {
        still: { on: { GO: 'a', OK: 'fine' } },
        a: { entry: raise({ type: 'BACK' }), on: { BACK: 'b' } },
        b: { always: 'a' },
        fine: {},
      },
    }),
  };

  it.each(Object.entries(machines))(
    'undoes its turn and counts as a delivery, and the agent goes on: %s',
    async (_, machine) => {
      const test = await startSubject(machine, { events: ['GO', 'OK'] });
      await tell(test, 'GO');
      expect(valueOf(test)).toBe('still');
      expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toMatchObject([{ event: { type: 'GO' } }]);
      await test.crash();
      await test.restart();
      await tell(test, 'OK');
      expect(valueOf(test)).toBe('fine');
      await test.shard.stop();
    },
  );

  it('an endless loop in the initial step fails the start of the actor', async () => {
    const test = await startSubject(
      createMachine({ initial: 'a', states: { a: { always: 'b' }, b: { always: 'a' } } }),
      { intensity: 1 },
    );
    await expect(test.shard.closed).rejects.toThrow('microsteps');
  });

  it('an endless loop in a child machine fails that child', async () => {
    const kid = createMachine({
      entry: sendParent({ type: 'HELLO' }),
      initial: 'a',
      states: { a: { after: { 1: 'b' } }, b: { always: 'c' }, c: { always: 'b' } },
    });
    const test = await startSubject(
      setup({ actors: { kid } }).createMachine({
        initial: 'a',
        states: { a: { invoke: { src: 'kid', onError: 'told' } }, told: {} },
      }),
    );
    await test.advance(1);
    expect(valueOf(test)).toBe('told');
    await test.shard.stop();
  });
});
