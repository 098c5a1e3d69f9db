/** Transitions and guards: the transition taken, the states it leaves and enters, and their order. */
import { and, assign, createMachine, not, or, raise, setup, stateIn } from 'xstate';
import { type Feature } from '../../../support/actors/xstate/feature.ts';

const inOrOut = {
  initial: 'a',
  states: {
    a: {
      initial: 'x',
      on: {
        INSIDE: '.y',
        AGAIN: { target: 'a', reenter: true },
        SELF: 'a',
        BELOW: { target: '.y', reenter: true },
        NOTE: { actions: () => {} },
      },
      states: { x: {}, y: {} },
    },
  },
} as const;

export const TRANSITIONS: readonly Feature[] = [
  {
    feature: 'internal transitions (the default): the source stays',
    machine: () => createMachine(inOrOut as never),
    steps: ['INSIDE', 'SELF', 'NOTE'],
    shows: { value: { a: 'x' } },
    order: ['+', '+a', '+a.x', '-a.x', 'a/INSIDE', '+a.y', '-a.y', 'a/SELF', '+a.x', 'a/NOTE'],
  },
  {
    feature: 'external transitions (`reenter: true`): the source is left and entered',
    machine: () => createMachine(inOrOut as never),
    steps: ['BELOW', 'AGAIN'],
    shows: { value: { a: 'x' } },
    order: ['+', '+a', '+a.x', '-a.x', '-a', 'a/BELOW', '+a', '+a.y', '-a.y', '-a', 'a/AGAIN', '+a', '+a.x'],
  },
  {
    feature: 'transitions of the root, also with `reenter`',
    machine: () =>
      createMachine({
        initial: 'a',
        on: { GO: '.b', AGAIN: { target: '.a', reenter: true } },
        states: { a: {}, b: {} },
      }),
    steps: ['GO', 'AGAIN'],
    shows: { value: 'a' },
  },
  {
    feature: 'several targets in a parallel state',
    machine: () =>
      createMachine({
        initial: 'out',
        states: {
          out: { on: { GO: { target: ['in.a.two', 'in.b.two'] } } },
          in: {
            type: 'parallel',
            states: {
              a: { initial: 'one', states: { one: {}, two: {} } },
              b: { initial: 'one', states: { one: {}, two: {} } },
            },
          },
        },
      }),
    steps: ['GO'],
    shows: { value: { in: { a: 'two', b: 'two' } } },
  },
  {
    feature: 'the innermost state that handles the event takes it',
    machine: () =>
      createMachine({
        initial: 'a',
        on: { GO: '.c' },
        states: { a: { initial: 'x', on: { GO: 'b' }, states: { x: { on: { GO: 'y' } }, y: {} } }, b: {}, c: {} },
      }),
    steps: ['GO', 'GO', 'GO'],
    shows: { value: 'c' },
  },
  {
    feature: 'conflicting regions: the first in document order transitions, the others stay',
    machine: () =>
      createMachine({
        initial: 'p',
        states: {
          p: {
            type: 'parallel',
            states: {
              a: { initial: 'x', states: { x: { on: { GO: '#one' } } } },
              b: { initial: 'x', states: { x: { on: { GO: '#two' } } } },
            },
          },
          one: { id: 'one' },
          two: { id: 'two' },
        },
      }),
    steps: ['GO'],
    shows: { value: 'one' },
  },
  {
    feature: 'several candidates for an event: the first whose guard holds',
    machine: () =>
      createMachine({
        context: { n: 1 },
        initial: 'a',
        states: {
          a: {
            on: {
              GO: [
                { guard: ({ context }) => context.n > 1, target: 'b' },
                { guard: ({ event }) => event['to'] === 'c', target: 'c' },
                { actions: assign({ n: 2 }) },
              ],
            },
          },
          b: {},
          c: {},
        },
      }),
    steps: ['GO', 'GO'],
    shows: { value: 'b', context: { n: 2 } },
  },
  {
    feature: 'wildcards `*`: take events that no other transition of the state takes, and see the event',
    machine: (_, mark) =>
      createMachine({
        on: { KNOWN: {}, '*': { actions: ({ event }) => mark(`any ${event.type} ${String(event['n'])}`) } },
      }),
    steps: ['KNOWN', { type: 'strange.thing', n: 1 }, 'KNOWN'],
    shows: {},
    order: ['+', '/KNOWN', '/strange.thing', 'any strange.thing 1', '/KNOWN'],
  },
  {
    feature: 'partial wildcards `a.*`: the longest wins, and they match `a` itself',
    machine: (_, mark) =>
      createMachine({
        on: {
          'a.*': { actions: () => mark('a.*') },
          'a.b.*': { actions: () => mark('a.b.*') },
          'a.b.c': { actions: () => mark('a.b.c') },
          '*': { actions: () => mark('*') },
        },
      }),
    steps: ['a', 'a.x', 'a.b', 'a.b.x.y', 'a.b.c', 'ab', 'b.a'],
    shows: {},
    order: [
      '+',
      '/a',
      'a.*',
      '/a.x',
      'a.*',
      '/a.b',
      'a.b.*',
      '/a.b.x.y',
      'a.b.*',
      '/a.b.c',
      'a.b.c',
      '/ab',
      '*',
      '/b.a',
      '*',
    ],
  },
  {
    feature: 'forbidden events (`on: { E: {} }`): no outer state takes them',
    machine: () =>
      createMachine({ initial: 'a', on: { GO: '.b' }, states: { a: { on: { GO: {}, OPEN: 'c' } }, b: {}, c: {} } }),
    steps: ['GO', 'OPEN', 'GO'],
    shows: { value: 'b' },
  },
  {
    feature: '`always`, also in chains, and before raised events',
    machine: () =>
      createMachine({
        context: { n: 0 },
        initial: 'a',
        states: {
          a: { on: { GO: { target: 'b', actions: raise({ type: 'LATER' }) } } },
          b: { always: 'c', on: { LATER: 'wrong' } },
          c: {
            always: [
              { guard: ({ context }) => context.n > 2, target: 'd' },
              { actions: assign({ n: ({ context }) => context.n + 1 }), target: 'c', reenter: true },
            ],
          },
          d: { on: { LATER: 'right' } },
          right: {},
          wrong: {},
        },
      }),
    steps: ['GO'],
    shows: { value: 'right', context: { n: 3 } },
  },
  {
    feature: '`route` to a state with an id',
    machine: () =>
      createMachine({
        initial: 'a',
        states: {
          a: { id: 'a', on: { GO: { actions: raise({ type: 'xstate.route', to: '#b' } as { type: string }) } } },
          b: { id: 'b', route: {} },
        },
      } as never),
    steps: ['GO'],
    shows: { value: 'b' },
  },
  {
    feature: 'guards: inline, named, with static and computed `params`',
    machine: () =>
      setup({
        types: {} as { context: { n: number }; events: { type: 'GO'; by: number } },
        guards: { isOver: ({ context }, { limit }: { limit: number }) => context.n > limit, never: () => false },
      }).createMachine({
        context: { n: 5 },
        on: {
          GO: [
            { guard: 'never', actions: assign({ n: -1 }) },
            { guard: { type: 'isOver', params: { limit: 10 } }, actions: assign({ n: -2 }) },
            { guard: { type: 'isOver', params: ({ event }) => ({ limit: event.by }) }, actions: assign({ n: 10 }) },
            { guard: ({ event }) => event.by === 9, actions: assign({ n: 9 }) },
          ],
        },
      }),
    steps: [
      { type: 'GO', by: 9 },
      { type: 'GO', by: 3 },
    ],
    shows: { context: { n: 10 } },
  },
  {
    feature: '`and`, `or`, `not`, with named and inline guards, and short-circuit',
    machine: (_, mark) =>
      setup({ guards: { yes: () => true, no: () => false, told: () => (mark('asked'), true) } }).createMachine({
        initial: 'a',
        states: {
          a: {
            on: {
              GO: [
                { guard: and(['yes', 'no', 'told']), target: 'wrong' },
                {
                  guard: and(['yes', not('no'), or(['no', ({ event }) => event.type === 'GO', 'told'])]),
                  target: 'right',
                },
              ],
            },
          },
          right: {},
          wrong: {},
        },
      }),
    steps: ['GO'],
    shows: { value: 'right' },
    order: ['+', '+a', '-a', 'a/GO', '+right'],
  },
  {
    feature: '`stateIn`, by value and by `#id`',
    machine: () =>
      createMachine({
        type: 'parallel',
        states: {
          a: { initial: 'one', states: { one: { on: { A: 'two' } }, two: { id: 'two' } } },
          b: {
            initial: 'one',
            states: {
              one: { on: { B: { guard: stateIn('#two'), target: 'two' } } },
              two: { on: { B: { guard: stateIn({ a: 'two' }), target: 'three' } } },
              three: {},
            },
          },
        },
      }),
    steps: ['B', 'A', 'B', 'B'],
    shows: { value: { a: 'two', b: 'three' } },
  },
];
