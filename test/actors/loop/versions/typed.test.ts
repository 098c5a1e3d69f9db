import { setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { type StoredState } from '../../../../src/actors/model/version-rules.ts';

const machine = setup({ types: {} as { context: { cents: number } } }).createMachine({
  context: { cents: 0 },
  initial: 'open',
  states: { open: { initial: 'empty', states: { empty: {} } }, paid: {} },
});

/** Misuses that the compiler refuses: once it accepts one, its directive is unused, which is an error. */
describe('the types of migrations', () => {
  it('check the last step against the present machine, and leave the steps before it free', () => {
    const good = defineAgent({
      name: 'order',
      version: 3,
      machine,
      events: {},
      migrate: {
        2: ({ value }) => ({ value, context: { sum: 1 } }),
        3: (old: StoredState<{ sum: number }>) => ({
          value: { open: 'empty' },
          context: { cents: old.context.sum * 100 },
        }),
      },
    });
    expect(Object.keys(good.migrate)).toEqual(['2', '3']);
  });

  it('refuse a context that the present machine does not have', () => {
    const bad = defineAgent({
      name: 'order',
      version: 2,
      machine,
      events: {},
      migrate: {
        // @ts-expect-error cents is missing
        2: () => ({ value: 'paid', context: { sum: 1 } }),
      },
    });
    expect(bad.version).toBe(2);
  });
});

describe('the type of a version', () => {
  it('begins at 1: zero, negative numbers and fractions do not compile', () => {
    // @ts-expect-error none
    expect(() => defineAgent({ name: 'order', version: 0, machine, events: {} })).toThrow('from 1');
    // @ts-expect-error none
    expect(() => defineAgent({ name: 'order', version: -1, machine, events: {} })).toThrow('from 1');
    // @ts-expect-error none
    expect(() => defineAgent({ name: 'order', version: 1.5, machine, events: {} })).toThrow('from 1');
  });

  it('is any number if it is not known at compile time, and 1 if none is given', () => {
    const known = (version: number) => defineAgent({ name: 'order', version, machine, events: {} }).version;
    expect([known(7), defineAgent({ name: 'order', machine, events: {} }).version]).toEqual([7, 1]);
    expect(() => known(0)).toThrow('from 1');
  });
});
