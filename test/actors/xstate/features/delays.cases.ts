/** Time: `after` in all its forms, started, stopped and started again. */
import { createMachine, sendTo, setup } from 'xstate';
import { type Feature } from '../../../support/actors/xstate/feature.ts';

export const DELAYS: readonly Feature[] = [
  {
    feature: '`after` by a number',
    machine: () =>
      createMachine({ initial: 'a', states: { a: { after: { 10: 'b' } }, b: { after: { 5: 'c' } }, c: {} } }),
    steps: [9, 1, 4, 1],
    shows: { value: 'c' },
    order: ['+', '+a', '-a', 'a/xstate.after.10.(machine).a', '+b', '-b', 'b/xstate.after.5.(machine).b', '+c'],
  },
  {
    feature: '`after` by a name, static and computed from the context',
    machine: () =>
      setup({
        types: {} as { context: { ms: number } },
        delays: { short: 5, mine: ({ context }) => context.ms },
      }).createMachine({
        context: { ms: 20 },
        initial: 'a',
        states: { a: { after: { short: 'b' } }, b: { after: { mine: 'c' } }, c: {} },
      }),
    steps: [5, 19, 1],
    shows: { value: 'c' },
  },
  {
    feature: 'several `after` in one state, with guards and actions',
    machine: (_, mark) =>
      createMachine({
        initial: 'a',
        states: {
          a: {
            after: {
              5: { guard: () => false, target: 'wrong' },
              10: { actions: () => mark('still here') },
              15: [{ guard: () => false, target: 'wrong' }, { target: 'b' }],
            },
          },
          b: {},
          wrong: {},
        },
      }),
    steps: [6, 6, 6],
    shows: { value: 'b' },
  },
  {
    feature: '`after` ends with its state',
    machine: () =>
      createMachine({
        initial: 'a',
        states: { a: { after: { 10: 'wrong' }, on: { GO: 'b' } }, b: { on: { BACK: 'a' } }, wrong: {} },
      }),
    steps: [9, 'GO', 9, 'BACK', 9],
    shows: { value: 'a' },
  },
  {
    feature: '`after` begins again when its state is entered again',
    machine: () =>
      createMachine({
        initial: 'a',
        states: { a: { after: { 10: 'b' }, on: { AGAIN: { target: 'a', reenter: true } } }, b: {} },
      }),
    steps: [6, 'AGAIN', 6, 3, 1],
    shows: { value: 'b' },
  },
  {
    feature: '`after` of a parent and a child, and in regions: in the order of their deadlines',
    machine: () =>
      createMachine({
        type: 'parallel',
        states: {
          x: { initial: 'a', states: { a: { after: { 10: 'b' } }, b: { after: { 10: 'c' } }, c: {} } },
          y: { initial: 'a', after: { 15: '.z' }, states: { a: { after: { 12: 'b' } }, b: {}, z: {} } },
        },
      }),
    steps: [11, 2, 3, 4],
    shows: { value: { x: 'c', y: 'z' } },
  },
  {
    feature: '`after: { 0: ... }`: after messages that were sent before',
    machine: () =>
      createMachine({ initial: 'a', states: { a: { after: { 0: 'b' } }, b: { after: { 0: 'c' } }, c: {} } }),
    steps: [1, 1],
    shows: { value: 'c' },
  },
  {
    feature: '`sendTo` to a child with a delay, which ends with the sender, not with the state',
    machine: (record) => {
      const kid = createMachine({ on: { PING: { actions: () => record('kid', 'PING') } } });
      return setup({ actors: { kid } }).createMachine({
        invoke: { src: 'kid', id: 'kid' },
        initial: 'a',
        states: { a: { entry: sendTo('kid', { type: 'PING' }, { delay: 10 }), on: { GO: 'b' } }, b: {} },
      });
    },
    steps: [5, 'GO', 5],
    shows: { value: 'b' },
  },
];
