/** States: nesting, regions, history, final states, and the properties of a state. */
import { assign, createMachine } from 'xstate';
import { type Feature } from '../../../support/actors/xstate/feature.ts';

const visits = {
  initial: 'room',
  states: {
    room: {
      initial: 'one',
      on: { LEAVE: 'hall' },
      states: {
        one: { on: { NEXT: 'two' } },
        two: { initial: 'x', states: { x: { on: { NEXT: 'y' } }, y: {} } },
        shallow: { type: 'history' },
        deep: { type: 'history', history: 'deep' },
        otherwise: { type: 'history', target: 'two' },
      },
    },
    hall: { on: { SHALLOW: 'room.shallow', DEEP: 'room.deep', BACK: 'room.otherwise' } },
  },
} as const;

const regions = {
  initial: 'both',
  states: {
    both: {
      type: 'parallel',
      on: { LEAVE: 'out' },
      states: {
        a: { initial: 'one', states: { one: { on: { STEP: 'two', ONE: 'two' } }, two: { on: { STEP: 'one' } } } },
        b: { initial: 'one', states: { one: { on: { STEP: 'two' } }, two: { on: { STEP: 'one' } } } },
        deep: { type: 'history', history: 'deep' },
      },
    },
    out: { on: { BACK: 'both.deep' } },
  },
} as const;

export const STATES: readonly Feature[] = [
  {
    feature: 'nested states: entered from the outside in, left from the inside out',
    machine: () =>
      createMachine({
        initial: 'a',
        states: {
          a: { initial: 'b', states: { b: { initial: 'c', states: { c: {} } } }, on: { GO: 'd.e' } },
          d: { initial: 'e', states: { e: {} } },
        },
      }),
    steps: ['GO'],
    shows: { value: { d: 'e' } },
    order: ['+', '+a', '+a.b', '+a.b.c', '-a.b.c', '-a.b', '-a', 'a/GO', '+d', '+d.e'],
  },
  {
    feature: '`initial` with actions',
    machine: (_, mark) =>
      createMachine({
        initial: 'a',
        states: {
          a: { on: { GO: 'b' } },
          b: { initial: { target: 'c', actions: () => mark('initial') }, states: { c: {} } },
        },
      }),
    steps: ['GO'],
    shows: { value: { b: 'c' } },
    order: ['+', '+a', '-a', 'a/GO', '+b', 'initial', '+b.c'],
  },
  {
    feature: 'parallel states: every region takes the event, in document order',
    machine: () => createMachine(regions as never),
    steps: ['STEP', 'ONE', 'STEP'],
    shows: { value: { both: { a: 'one', b: 'one' } } },
  },
  {
    feature: 'history, shallow',
    machine: () => createMachine(visits as never),
    steps: ['NEXT', 'NEXT', 'LEAVE', 'SHALLOW'],
    shows: { value: { room: { two: 'x' } } },
  },
  {
    feature: 'history, deep',
    machine: () => createMachine(visits as never),
    steps: ['NEXT', 'NEXT', 'LEAVE', 'DEEP'],
    shows: { value: { room: { two: 'y' } } },
  },
  {
    feature: 'history with a target for the first visit',
    machine: () => createMachine({ ...visits, initial: 'hall' } as never),
    steps: ['BACK', 'LEAVE', 'BACK'],
    shows: { value: { room: { two: 'x' } } },
  },
  {
    feature: 'history without a target on the first visit: the initial state',
    machine: () => createMachine({ ...visits, initial: 'hall' } as never),
    steps: ['DEEP'],
    shows: { value: { room: 'one' } },
  },
  {
    feature: 'history of a parallel state, targeted from outside',
    machine: () => createMachine(regions as never),
    steps: ['ONE', 'LEAVE', 'BACK', 'STEP'],
    shows: { value: { both: { a: 'one', b: 'two' } } },
  },
  {
    feature: 'final states, `onDone` of a compound state, `output` of a state',
    machine: () =>
      createMachine({
        context: { got: null },
        initial: 'work',
        states: {
          work: {
            initial: 'doing',
            states: { doing: { on: { DONE: 'done' } }, done: { type: 'final', output: { n: 7 } } },
            onDone: { target: 'after', actions: assign({ got: ({ event }) => event.output as unknown }) },
          },
          after: {},
        },
      }),
    steps: ['DONE'],
    shows: { value: 'after', context: { got: { n: 7 } } },
  },
  {
    feature: '`onDone` of a parallel state: when the last region has ended',
    machine: () =>
      createMachine({
        initial: 'both',
        states: {
          both: {
            type: 'parallel',
            onDone: 'after',
            states: {
              a: { initial: 'on', states: { on: { on: { A: 'off' } }, off: { type: 'final' } } },
              b: { initial: 'on', states: { on: { on: { B: 'off' } }, off: { type: 'final' } } },
            },
          },
          after: {},
        },
      }),
    steps: ['B', 'A'],
    shows: { value: 'after' },
  },
  {
    feature: 'final state of the root: `status`, `output` of the machine, exits of all states',
    machine: () =>
      createMachine({
        context: { n: 1 },
        initial: 'on',
        states: {
          on: { initial: 'deep', states: { deep: { on: { END: { target: '#end', actions: assign({ n: 2 }) } } } } },
          off: { id: 'end', type: 'final', output: 5 },
        },
        output: ({ context, event }) => ({ n: context.n, of: (event as unknown as { output: number }).output }),
      }),
    steps: ['END'],
    shows: { status: 'done', output: { n: 2, of: 5 } },
    order: ['+', '+on', '+on.deep', '-on.deep', '-on', 'on.deep/END', '+off', '-off', '-'],
  },
  {
    feature: 'parallel root that ends',
    machine: () =>
      createMachine({
        type: 'parallel',
        states: {
          a: { initial: 'on', states: { on: { on: { A: 'off' } }, off: { type: 'final' } } },
          b: { initial: 'on', states: { on: { on: { B: 'off' } }, off: { type: 'final' } } },
        },
        output: 'both',
      }),
    steps: ['A', 'B'],
    shows: { status: 'done', output: 'both' },
  },
  {
    feature: '`tags`',
    machine: () =>
      createMachine({
        tags: 'always',
        initial: 'a',
        states: { a: { tags: ['x', 'y'], on: { GO: 'b' } }, b: { tags: 'z' } },
      }),
    steps: ['GO'],
    shows: { tags: ['always', 'z'] },
  },
  {
    feature: '`meta`, `matches`, `hasTag` and `can`, by `self.getSnapshot()` in an action',
    machine: (_, mark) =>
      createMachine({
        id: 'm',
        initial: 'a',
        states: {
          a: {
            tags: 'x',
            meta: { say: 'hello' },
            on: {
              ASK: {
                actions: ({ self }) => {
                  const snapshot = self.getSnapshot();
                  mark(
                    JSON.stringify([
                      snapshot.getMeta(),
                      snapshot.matches('a'),
                      snapshot.hasTag('x'),
                      snapshot.can({ type: 'ASK' }),
                      snapshot.can({ type: 'NO' }),
                    ]),
                  );
                },
              },
            },
          },
        },
      }),
    steps: ['ASK'],
    shows: { value: 'a' },
    order: ['+', '+a', 'a/ASK', '[{"m.a":{"say":"hello"}},true,true,true,false]'],
  },
  {
    feature: '`input`, and a context made from it',
    machine: () =>
      createMachine({
        context: ({ input }: { input: unknown }) => ({ who: (input as { who: string }).who }),
        on: { NOTE: { actions: assign({ noted: true }) } },
      }),
    steps: ['NOTE'],
    shows: { context: { who: 'subject', noted: true } },
  },
  {
    feature: '`description` and `id`: targets by `#id` and by `.child`',
    machine: () =>
      createMachine({
        description: 'says nothing',
        initial: 'a',
        states: {
          a: { id: 'first', initial: 'x', states: { x: {}, y: {} }, on: { IN: '.y', OVER: '#second.z' } },
          b: { id: 'second', initial: 'z', states: { z: { on: { HOME: '#first' } } } },
        },
      }),
    steps: ['IN', 'OVER', 'HOME'],
    shows: { value: { a: 'x' } },
  },
];
