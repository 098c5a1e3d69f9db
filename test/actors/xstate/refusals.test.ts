/** What cannot be honoured is refused, with a code and the place; and what looks like it is not. */
import { createMachine, raise, sendParent, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { startSubject, tell, valueOf } from '../../support/actors/subject.ts';
import { REFUSALS } from './refusals.cases.ts';

describe('what is refused', () => {
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
    'of always': createMachine({
      context: { n: 0 },
      initial: 'still',
      states: { still: { on: { GO: 'a', OK: 'fine' } }, a: { always: 'b' }, b: { always: 'a' }, fine: {} },
    }),
    'of raise': createMachine({
      initial: 'still',
      states: { still: { on: { GO: { actions: raise({ type: 'GO' }) }, OK: 'fine' } }, fine: {} },
    }),
    'of raise and always in turn': createMachine({
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
    '%s throws whole and counts as a delivery; the agent goes on',
    async (_, machine) => {
      const test = await startSubject(machine, { events: ['GO', 'OK'] });
      await tell(test, 'GO');
      expect(valueOf(test)).toBe('still');
      expect(test.system.deadLetters.list({ reason: 'quarantined' })).toMatchObject([{ event: { type: 'GO' } }]);
      await test.crash();
      await test.restart();
      await tell(test, 'OK');
      expect(valueOf(test)).toBe('fine');
      await test.system.stop();
    },
  );

  it('in the initial step makes the birth fail', async () => {
    const test = await startSubject(
      createMachine({ initial: 'a', states: { a: { always: 'b' }, b: { always: 'a' } } }),
      { intensity: 1 },
    );
    await expect(test.system.closed).rejects.toThrow('microsteps');
  });

  it('in a machine below fails that machine', async () => {
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
    await test.system.stop();
  });
});
