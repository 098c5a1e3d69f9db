/** Assertions on order: queues, entry and exit, the selection of transitions. */
import { assign, enqueueActions, raise, sendTo, stateIn } from 'xstate';
import { type W3cCase, w3c } from '../../../support/actors/xstate/w3c/w3c-case.ts';

interface Args {
  readonly context: { readonly said: readonly string[] };
}

/** Notes a word, so that the order of the notes can be checked. */
const say = (word: string) => assign({ said: ({ context }: Args) => [...context.said, word] } as never);
const heard =
  (...words: string[]) =>
  ({ context }: Args) =>
    context.said.join(' ') === words.join(' ');
const judged = (...words: string[]) => [{ guard: heard(...words), target: '#pass' }, { target: '#fail' }];
const context = { said: [] };
const toSelf = (type: string, options = {}) => sendTo(({ self }) => self, { type } as never, options as never);
const isIn = (value: string) => stateIn(value as never);

export const ORDER: readonly W3cCase[] = [
  w3c('144', 'raised events are taken in the order in which they were raised', {
    initial: 's0',
    states: {
      s0: { entry: [raise({ type: 'foo' }), raise({ type: 'bar' })], on: { foo: 's1', '*': '#fail' } },
      s1: { on: { bar: '#pass', '*': '#fail' } },
    },
  }),
  w3c('158', 'executable content runs in document order', {
    context,
    initial: 's0',
    states: {
      s0: {
        entry: [say('a'), say('b'), raise({ type: 'go' })],
        on: { go: { target: 's1', actions: [say('c'), say('d')] } },
      },
      s1: { always: judged('a', 'b', 'c', 'd') },
    },
  }),
  w3c('189', 'a raised event overtakes an earlier event in the external queue', {
    initial: 's0',
    states: {
      s0: { entry: [toSelf('external'), raise({ type: 'internal' })], on: { internal: '#pass', external: '#fail' } },
    },
  }),
  w3c('318', 'the event stays bound through exit, transition and entry', {
    context,
    initial: 's0',
    states: {
      s0: {
        entry: raise({ type: 'foo' }),
        exit: assign({ said: ({ event }: { event: { type: string } }) => [event.type] } as never),
        on: { foo: 's1' },
      },
      s1: {
        entry: [
          raise({ type: 'bar' }),
          assign({
            said: ({ context: { said }, event }: Args & { event: { type: string } }) => [...said, event.type],
          } as never),
        ],
        on: { bar: judged('foo', 'foo') },
      },
    },
  }),
  w3c('372', 'entry of a final state runs before its done event is generated', {
    context,
    initial: 's0',
    states: {
      s0: {
        initial: 'a',
        onDone: judged('entered'),
        states: { a: { always: 'b' }, b: { type: 'final', entry: say('entered'), exit: say('left') } },
      },
    },
  }),
  w3c('375', 'entry handlers run in document order', {
    initial: 's0',
    states: {
      s0: { entry: [raise({ type: 'one' }), raise({ type: 'two' })], on: { one: 's1', '*': '#fail' } },
      s1: { on: { two: '#pass', '*': '#fail' } },
    },
  }),
  w3c('377', 'exit handlers run in document order', {
    initial: 's0',
    states: {
      s0: { exit: [raise({ type: 'one' }), raise({ type: 'two' })], always: 's1' },
      s1: { on: { one: 's2', '*': '#fail' } },
      s2: { on: { two: '#pass', '*': '#fail' } },
    },
  }),
  w3c('403a', 'a descendant takes precedence over its ancestors, unless its guard fails', {
    initial: 's0',
    states: {
      s0: {
        entry: [raise({ type: 'one' }), raise({ type: 'two' })],
        on: { one: '#fail', two: '#pass' },
        initial: 'a',
        states: { a: { on: { one: 'b' } }, b: { on: { two: { guard: () => false, target: '#fail' } } } },
      },
    },
  }),
  w3c('403b', 'a transition of an ancestor that two regions select is taken once', {
    context,
    initial: 's0',
    states: {
      s0: {
        type: 'parallel',
        entry: [raise({ type: 'one' }), raise({ type: 'two' })],
        on: { one: { actions: say('once') }, two: judged('once') },
        states: { a: { initial: 'x', states: { x: {} } }, b: { initial: 'x', states: { x: {} } } },
      },
    },
  }),
  w3c('403c', 'regions without conflict all transition; of conflicting ones only the first in document order', {
    context,
    initial: 's0',
    states: {
      s0: {
        type: 'parallel',
        entry: [raise({ type: 'one' }), raise({ type: 'two' })],
        states: {
          a: {
            initial: 'x',
            states: { x: { on: { one: { target: 'y', actions: say('a') } } }, y: { on: { two: judged('a', 'b') } } },
          },
          b: { initial: 'x', states: { x: { on: { one: { actions: say('b') }, two: '#fail' } } } },
        },
      },
    },
  }),
  w3c('404', 'states are left children first, then in reverse document order', {
    context,
    initial: 'p',
    states: {
      p: {
        type: 'parallel',
        exit: say('p'),
        always: { target: 'end' },
        states: { a: { exit: say('a'), initial: 'x', states: { x: { exit: say('x') } } }, b: { exit: say('b') } },
      },
      end: { always: judged('b', 'x', 'a', 'p') },
    },
  }),
  w3c('405', 'actions of transitions run after the exits, in document order', {
    context,
    initial: 's0',
    states: {
      s0: {
        type: 'parallel',
        entry: raise({ type: 'go' }),
        states: {
          a: {
            initial: 'x',
            states: { x: { exit: say('x'), on: { go: { target: 'y', actions: say('ta') } } }, y: {} },
          },
          b: {
            initial: 'x',
            states: {
              x: { exit: say('z'), on: { go: { target: 'y', actions: say('tb') } } },
              y: { always: judged('z', 'x', 'ta', 'tb') },
            },
          },
        },
      },
    },
  }),
  w3c('406', 'states are entered after the actions, parents first, then in document order', {
    context,
    initial: 's0',
    states: {
      s0: { always: { target: 'p', actions: say('t') } },
      p: {
        type: 'parallel',
        entry: say('p'),
        always: judged('t', 'p', 'a', 'x', 'b'),
        states: { a: { entry: say('a'), initial: 'x', states: { x: { entry: say('x') } } }, b: { entry: say('b') } },
      },
    },
  }),
  w3c(
    '409',
    'a state that has been left is no longer active in the exit of its parent',
    {
      initial: 's0',
      states: {
        s0: {
          initial: 'a',
          exit: enqueueActions((({
            check,
            enqueue,
          }: {
            check: (guard: unknown) => boolean;
            enqueue: { raise: (event: object) => void };
          }) =>
            enqueue.raise({
              type: check(isIn('#leaf')) ? 'still' : 'gone',
            })) as never),
          always: 's1',
          states: { a: { id: 'leaf' } },
        },
        s1: { on: { gone: '#pass', still: '#fail' } },
      },
    },
    { unlike: 'XState changes the configuration at the end of a microstep' },
  ),
  w3c(
    '411',
    'a state is active in its own entry',
    {
      initial: 's0',
      states: {
        s0: {
          id: 'here',
          entry: enqueueActions((({
            check,
            enqueue,
          }: {
            check: (guard: unknown) => boolean;
            enqueue: { raise: (event: object) => void };
          }) =>
            enqueue.raise({
              type: check(isIn('#here')) ? 'in' : 'out',
            })) as never),
          on: { in: '#pass', out: '#fail' },
        },
      },
    },
    { unlike: 'XState changes the configuration at the end of a microstep' },
  ),
  w3c('412', 'actions of `initial` run after the entry of the state and before that of its child', {
    context,
    initial: 's0',
    states: {
      s0: {
        entry: say('s0'),
        initial: { target: 'a', actions: say('initial') },
        always: judged('s0', 'initial', 'a'),
        states: { a: { entry: say('a') } },
      },
    },
  }),
  w3c('419', 'eventless transitions come before transitions on events', {
    initial: 's0',
    states: { s0: { entry: [raise({ type: 'internal' }), toSelf('external')], always: '#pass', on: { '*': '#fail' } } },
  }),
  w3c('421', 'internal events are all taken before the next external one', {
    initial: 's0',
    states: {
      s0: {
        entry: [toSelf('external'), raise({ type: 'one' }), raise({ type: 'two' })],
        on: { external: '#fail', two: 's1' },
      },
      s1: { entry: raise({ type: 'three' }), on: { external: '#fail', three: '#pass' } },
    },
  }),
  w3c(
    '423',
    'external events are taken until one enables a transition',
    {
      initial: 's0',
      states: { s0: { entry: [toSelf('unknown'), toSelf('known', { delay: 1 })], on: { known: '#pass' } } },
    },
    { steps: [1, 1] },
  ),
];
