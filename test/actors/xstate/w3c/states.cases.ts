/** Assertions on states and transitions: internal and external, history, done events, guards, event names. */
import { and, assign, raise, stateIn } from 'xstate';
import { type W3cCase, w3c } from '../../../support/actors/xstate/w3c/w3c-case.ts';

interface Args {
  readonly context: { readonly exits: number; readonly entries: number };
}

const context = { exits: 0, entries: 0 };
const left = assign({ exits: ({ context: { exits } }: Args) => exits + 1 } as never);
const entered = assign({ entries: ({ context: { entries } }: Args) => entries + 1 } as never);
const counted = (exits: number, entries: number) => [
  { guard: ({ context: seen }: Args) => seen.exits === exits && seen.entries === entries, target: '#pass' },
  { target: '#fail' },
];
const isIn = (value: string) => stateIn(value as never);

/** A machine that leaves a state and comes back by its history; `verdict` is the transition of its initial child. */
const remembered = (history: 'shallow' | 'deep', verdict: object) => ({
  context: { again: false },
  initial: 's0',
  states: {
    s0: {
      initial: 'a',
      states: {
        a: {
          initial: 'x',
          states: {
            x: {
              always: [
                { guard: ({ context: { again } }: { context: { again: boolean } }) => again, ...verdict },
                { target: 'y' },
              ],
            },
            y: {
              always: [
                {
                  guard: ({ context: { again } }: { context: { again: boolean } }) => again,
                  target: history === 'deep' ? '#pass' : '#fail',
                },
                { target: '#away' },
              ],
            },
          },
        },
        h: { id: 'h', type: 'history', history },
      },
    },
    away: { id: 'away', entry: assign({ again: true }), always: '#h' },
  },
});

export const STATES: readonly W3cCase[] = [
  w3c('294', 'the done event has the data of the final state', {
    initial: 's0',
    states: {
      s0: {
        initial: 'a',
        states: { a: { type: 'final', output: { n: 1 } } },
        onDone: [
          { guard: ({ event }: { event: { output?: { n: number } } }) => event.output?.n === 1, target: '#pass' },
          { target: '#fail' },
        ],
      },
    },
  }),
  w3c('310', '`In()`: a guard on the active states', {
    initial: 'p',
    states: {
      p: {
        type: 'parallel',
        states: {
          a: { id: 'a' },
          b: { always: [{ guard: and([isIn('#a'), () => true]), target: '#pass' }, { target: '#fail' }] },
        },
      },
    },
  }),
  w3c('387', 'history on the first visit: the default target, shallow and deep', {
    initial: 's0',
    states: {
      s0: { always: 's1.shallow' },
      s1: {
        initial: 'a',
        states: {
          a: { always: '#fail' },
          b: { always: 's2' },
          s2: { always: '#deep' },
          shallow: { type: 'history', target: 'b' },
        },
      },
      s3: {
        initial: 'a',
        states: {
          a: {},
          b: { initial: 'x', states: { x: { always: '#pass' } } },
          deep: { id: 'deep', type: 'history', history: 'deep', target: 'b' },
        },
      },
    },
  }),
  w3c(
    '388',
    'shallow history goes back to the child, which starts in its initial state',
    remembered('shallow', { target: '#pass' }),
  ),
  w3c('388', 'deep history goes back to the innermost states', remembered('deep', { target: '#fail' })),
  w3c('396', 'transitions match the name of the event', {
    initial: 's0',
    states: { s0: { entry: raise({ type: 'foo' }), on: { fo: '#fail', fooo: '#fail', foo: '#pass' } } },
  }),
  w3c('399', 'descriptors match by whole tokens: `foo.*` takes `foo` and `foo.bar`, not `foobar`', {
    initial: 's0',
    states: {
      s0: { entry: raise({ type: 'foobar' }), on: { 'foo.*': '#fail', foobar: 's1' } },
      s1: { entry: raise({ type: 'foo' }), on: { 'foo.*': 's2', '*': '#fail' } },
      s2: { entry: raise({ type: 'foo.bar.baz' }), on: { 'foo.bar.*': 's3', '*': '#fail' } },
      s3: { entry: raise({ type: 'anything' }), on: { '*': '#pass' } },
    },
  }),
  w3c('413', 'a transition into named states of some regions enters the other regions by default', {
    initial: 's0',
    states: {
      s0: { always: { target: ['p.a.two', 'p.b.two'] } },
      p: {
        type: 'parallel',
        states: {
          a: { initial: 'one', states: { one: { always: '#fail' }, two: { id: 'a2' } } },
          b: {
            initial: 'one',
            states: {
              one: { always: '#fail' },
              two: { always: { guard: and([isIn('#a2'), isIn('#c1')]), target: '#pass' } },
            },
          },
          c: { initial: 'one', states: { one: { id: 'c1' } } },
        },
      },
    },
  }),
  w3c('416', 'a final child causes the done event of its parent', {
    initial: 's0',
    states: {
      s0: {
        id: 's0',
        initial: 'a',
        states: { a: { initial: 'x', states: { x: { type: 'final' } }, onDone: '#pass' } },
      },
    },
  }),
  w3c('417', 'a parallel state is done when all its regions are done', {
    initial: 's0',
    states: {
      s0: {
        type: 'parallel',
        onDone: '#pass',
        states: {
          a: { initial: 'x', states: { x: { always: 'y' }, y: { type: 'final' } } },
          b: { initial: 'x', states: { x: { always: 'y' }, y: { type: 'final' } } },
        },
      },
    },
  }),
  w3c('503', 'a transition without a target leaves and enters nothing', {
    context,
    initial: 's0',
    states: {
      s0: {
        entry: [entered, raise({ type: 'one' }), raise({ type: 'two' })],
        exit: left,
        on: { one: { actions: () => {} }, two: counted(0, 1) },
      },
    },
  }),
  w3c('504', 'an external transition leaves everything below the least common ancestor', {
    context,
    initial: 'p',
    states: {
      p: {
        entry: raise({ type: 'one' }),
        type: 'parallel',
        exit: left,
        on: { one: { target: 'p', reenter: true, guard: ({ context: seen }: Args) => seen.exits === 0 } },
        always: { guard: ({ context: seen }: Args) => seen.exits > 0, target: 'judge' },
        states: { a: { exit: left }, b: { exit: left } },
      },
      judge: { always: counted(6, 0) },
    },
  }),
  w3c('505', 'an internal transition to a descendant does not leave its source', {
    context,
    initial: 's0',
    states: {
      s0: {
        exit: left,
        entry: [entered, raise({ type: 'one' }), raise({ type: 'two' })],
        on: { one: '.b', two: counted(1, 1) },
        initial: 'a',
        states: { a: { exit: left }, b: {} },
      },
    },
  }),
  w3c(
    '506',
    'an internal transition whose target is not below its source is external',
    {
      context,
      initial: 's0',
      states: {
        s0: {
          exit: left,
          entry: entered,
          initial: 'a',
          on: { one: { target: 's0' } },
          states: {
            a: {
              entry: raise({ type: 'one' }),
              always: [{ guard: ({ context: seen }: Args) => seen.entries > 1, target: '#pass' }],
              on: { one: {} },
            },
          },
        },
      },
    },
    { unlike: 'in XState a transition to its own source is internal unless it says `reenter: true`' },
  ),
  w3c(
    '533',
    'an internal transition whose source is not a compound state leaves its source',
    {
      context,
      initial: 'p',
      states: {
        p: {
          type: 'parallel',
          exit: left,
          entry: [entered, raise({ type: 'one' }), raise({ type: 'two' })],
          on: {
            one: { target: ['.a'] },
            two: [{ guard: ({ context: seen }: Args) => seen.exits > 0, target: '#pass' }, { target: '#fail' }],
          },
          states: { a: {}, b: {} },
        },
      },
    },
    { unlike: 'in XState a transition to a descendant is internal also in a parallel state' },
  ),
  w3c('527', 'the data of a done event may be computed', {
    context: { n: 4 },
    initial: 's0',
    states: {
      s0: {
        initial: 'a',
        states: { a: { type: 'final', output: ({ context: { n } }: { context: { n: number } }) => n * 2 } },
        onDone: [
          { guard: ({ event }: { event: { output?: number } }) => event.output === 8, target: '#pass' },
          { target: '#fail' },
        ],
      },
    },
  }),
  w3c('570', 'the done event of a parallel state comes after those of its regions', {
    initial: 's0',
    states: {
      s0: {
        type: 'parallel',
        on: { 'xstate.done.state.b': {} },
        onDone: {
          guard: ({ context: { region } }: { context: { region?: boolean } }) => region === true,
          target: '#pass',
        },
        states: {
          a: { initial: 'x', states: { x: { type: 'final' } } },
          b: {
            onDone: { actions: assign({ region: true }) },
            initial: 'x',
            states: { x: { always: 'y' }, y: { type: 'final' } },
          },
        },
      },
    },
  }),
  w3c('580', 'a history state is never active', {
    initial: 's0',
    states: {
      s0: { always: 's1.h' },
      s1: {
        initial: 'a',
        states: {
          a: { always: [{ guard: isIn('#h'), target: '#fail' }, { target: '#pass' }] },
          h: { id: 'h', type: 'history' },
        },
      },
    },
  }),
];
