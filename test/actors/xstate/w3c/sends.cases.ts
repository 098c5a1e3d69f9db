/** Assertions on sending, delays, cancelling and invoking. */
import { assign, cancel, raise, sendParent, sendTo } from 'xstate';
import { below, type W3cCase, w3c } from '../../../support/actors/xstate/w3c/w3c-case.ts';

const toSelf = (event: unknown, options = {}) => sendTo(({ self }) => self, event as never, options as never);
const child = (entry: unknown, more: object = {}) => below({ initial: 'on', states: { on: { entry, ...more } } });
const invoked = (on: object, more: object = {}) => ({ invoke: { src: 'child', id: 'kid', ...more }, on });

export const SENDS: readonly W3cCase[] = [
  w3c('172', 'the event of a send is computed when it is sent', {
    context: { type: 'one' },
    initial: 's0',
    states: {
      s0: {
        entry: [
          toSelf(({ context }: { context: { type: string } }) => ({ type: context.type })),
          assign({ type: 'two' }),
        ],
        on: { one: '#pass', two: '#fail' },
      },
    },
  }),
  w3c(
    '175',
    'the delay of a send is computed when it is sent',
    {
      context: { ms: 1 },
      initial: 's0',
      states: {
        s0: {
          entry: [
            toSelf({ type: 'one' }, { delay: ({ context }: { context: { ms: number } }) => context.ms }),
            assign({ ms: 9 }),
            toSelf({ type: 'two' }, { delay: 5 }),
          ],
          on: { one: '#pass', two: '#fail' },
        },
      },
    },
    { steps: [1, 1, 5] },
  ),
  w3c('179', 'data goes with a send', {
    initial: 's0',
    states: {
      s0: {
        entry: toSelf({ type: 'one', n: 123 }),
        on: {
          one: [
            { guard: ({ event }: { event: { n: number } }) => event.n === 123, target: '#pass' },
            { target: '#fail' },
          ],
        },
      },
    },
  }),
  w3c(
    '185',
    'a delayed send arrives after its delay',
    {
      initial: 's0',
      states: {
        s0: {
          entry: [toSelf({ type: 'late' }, { delay: 5 }), toSelf({ type: 'soon' })],
          on: { soon: 's1', late: '#fail' },
        },
        s1: { on: { late: '#pass' } },
      },
    },
    { steps: [1, 3, 1] },
  ),
  w3c(
    '186',
    'the data of a delayed send is computed when it is sent',
    {
      context: { n: 1 },
      initial: 's0',
      states: {
        s0: {
          entry: [
            toSelf(({ context }: { context: { n: number } }) => ({ type: 'one', n: context.n }), { delay: 3 }),
            assign({ n: 2 }),
          ],
          on: {
            one: [
              { guard: ({ event }: { event: { n: number } }) => event.n === 1, target: '#pass' },
              { target: '#fail' },
            ],
          },
        },
      },
    },
    { steps: [2, 2] },
  ),
  w3c(
    '187',
    'a delayed send is lost when its session ends',
    {
      initial: 's0',
      states: { s0: { ...invoked({ late: '#fail' }), after: { 10: '#pass' } } },
    },
    {
      steps: [5, 5],
      actors: {
        child: below({
          initial: 'on',
          states: { on: { entry: sendParent({ type: 'late' }, { delay: 4 }), always: 'off' }, off: { type: 'final' } },
        }),
      },
    },
  ),
  w3c(
    '191',
    'a child sends to its parent',
    {
      initial: 's0',
      states: { s0: invoked({ hello: '#pass' }) },
    },
    { actors: { child: child(sendParent({ type: 'hello' })) } },
  ),
  w3c(
    '192',
    'a parent sends to its child by the id of the invoke',
    {
      initial: 's0',
      states: { s0: { ...invoked({ heard: '#pass' }), entry: sendTo('kid', { type: 'hello' }) } },
    },
    { actors: { child: below({ on: { hello: { actions: sendParent({ type: 'heard' }) } } }) } },
  ),
  w3c(
    '207',
    'an actor cannot cancel a send of another actor',
    {
      initial: 's0',
      states: { s0: { ...invoked({ mine: '#pass' }), entry: raise({ type: 'mine' }, { delay: 5, id: 'the-send' }) } },
    },
    { steps: [3, 3], actors: { child: child(cancel('the-send')) } },
  ),
  w3c(
    '208',
    '`cancel` by id',
    {
      initial: 's0',
      states: {
        s0: {
          entry: [toSelf({ type: 'one' }, { delay: 2, id: 'x' }), toSelf({ type: 'two' }, { delay: 4 }), cancel('x')],
          on: { one: '#fail', two: '#pass' },
        },
      },
    },
    { steps: [1, 1, 2] },
  ),
  w3c(
    '210',
    '`cancel` by a computed id',
    {
      context: { id: 'x' },
      initial: 's0',
      states: {
        s0: {
          entry: [
            toSelf({ type: 'one' }, { delay: 2, id: 'x' }),
            toSelf({ type: 'two' }, { delay: 4 }),
            cancel((({ context }: { context: { id: string } }) => context.id) as never),
          ],
          on: { one: '#fail', two: '#pass' },
        },
      },
    },
    { steps: [1, 1, 2] },
  ),
  w3c(
    '225',
    'invokes without an id get different ids',
    {
      initial: 's0',
      states: {
        s0: {
          type: 'parallel',
          onDone: '#pass',
          states: {
            a: { initial: 'x', states: { x: { invoke: { src: 'child', onDone: 'y' } }, y: { type: 'final' } } },
            b: { initial: 'x', states: { x: { invoke: { src: 'child', onDone: 'y' } }, y: { type: 'final' } } },
          },
        },
      },
    },
    { actors: { child: below({ initial: 'on', states: { on: { type: 'final' } } }) } },
  ),
  w3c(
    '226',
    'an invoke passes parameters',
    {
      initial: 's0',
      states: {
        s0: invoked(
          {
            told: [
              { guard: ({ event }: { event: { n: number } }) => event.n === 7, target: '#pass' },
              { target: '#fail' },
            ],
          },
          { input: { n: 7 } },
        ),
      },
    },
    {
      actors: {
        child: below({
          context: ({ input }: { input: { n: number } }) => ({ n: input.n }),
          entry: sendParent((({ context }: { context: { n: number } }) => ({ type: 'told', n: context.n })) as never),
        }),
      },
    },
  ),
  w3c(
    '228',
    'the done event names its invoke',
    {
      initial: 's0',
      states: {
        s0: invoked(
          {},
          {
            onDone: [
              { guard: ({ event }: { event: { actorId: string } }) => event.actorId === 'kid', target: '#pass' },
              { target: '#fail' },
            ],
          },
        ),
      },
    },
    { actors: { child: below({ initial: 'on', states: { on: { type: 'final' } } }) } },
  ),
  w3c(
    '232',
    'a child may send several events; they arrive in order',
    {
      initial: 's0',
      states: {
        s0: {
          ...invoked({}, { onDone: '#fail' }),
          initial: 'a',
          states: { a: { on: { one: 'b' } }, b: { on: { two: '#pass' } } },
        },
      },
    },
    { actors: { child: child([sendParent({ type: 'one' }), sendParent({ type: 'two' })]) } },
  ),
  w3c(
    '235',
    'the done event has the id of the invoke',
    {
      initial: 's0',
      states: { s0: { invoke: { src: 'child', id: 'kid' }, on: { 'xstate.done.actor.kid': '#pass', '*': '#fail' } } },
    },
    { actors: { child: below({ initial: 'on', states: { on: { type: 'final' } } }) } },
  ),
  w3c(
    '236',
    'the done event comes after all events from the child, those of its exits included',
    {
      initial: 's0',
      states: {
        s0: {
          ...invoked({}, { onDone: '#fail' }),
          initial: 'a',
          states: { a: { on: { left: 'b' } }, b: { on: { 'xstate.done.actor.kid': '#pass' } } },
        },
      },
    },
    {
      actors: {
        child: below({
          initial: 'on',
          exit: sendParent({ type: 'left' }),
          states: { on: { always: 'off' }, off: { type: 'final' } },
        }),
      },
    },
  ),
  w3c(
    '237',
    'leaving a state stops its invoked children',
    {
      initial: 's0',
      states: {
        s0: { ...invoked({ 'xstate.done.actor.kid': '#fail' }), after: { 2: 's1' } },
        s1: { on: { 'xstate.done.actor.kid': '#fail' }, after: { 10: '#pass' } },
      },
    },
    {
      steps: [1, 1, 5, 5],
      actors: { child: below({ initial: 'on', states: { on: { after: { 5: 'off' } }, off: { type: 'final' } } }) },
    },
  ),
  w3c(
    '252',
    'events of a child that was stopped are ignored',
    {
      initial: 's0',
      states: { s0: { ...invoked({}), after: { 2: 's1' } }, s1: { on: { late: '#fail' }, after: { 10: '#pass' } } },
    },
    { steps: [1, 1, 5, 5], actors: { child: child([], { after: { 5: { actions: sendParent({ type: 'late' }) } } }) } },
  ),
  w3c(
    '338',
    'events of a child are told apart by their invoke',
    {
      initial: 's0',
      states: {
        s0: {
          invoke: [
            { src: 'child', id: 'one' },
            { src: 'child', id: 'two' },
          ],
          initial: 'a',
          states: { a: { on: { 'xstate.done.actor.one': 'b' } }, b: { on: { 'xstate.done.actor.two': '#pass' } } },
        },
      },
    },
    { actors: { child: below({ initial: 'on', states: { on: { type: 'final' } } }) } },
  ),
  w3c(
    '347',
    'parent and child send to each other',
    {
      initial: 's0',
      states: { s0: invoked({ ready: { actions: sendTo('kid', { type: 'ask' }) }, answer: '#pass' }) },
    },
    {
      actors: {
        child: child(sendParent({ type: 'ready' }), { on: { ask: { actions: sendParent({ type: 'answer' }) } } }),
      },
    },
  ),
  w3c(
    '422',
    'a macrostep invokes for the states that it enters and does not leave again',
    {
      context: { heard: [] as string[] },
      initial: 's0',
      on: {
        one: {
          actions: assign({
            heard: ({ context }: { context: { heard: string[] } }) => [...context.heard, 'one'],
          } as never),
        },
        two: {
          actions: assign({
            heard: ({ context }: { context: { heard: string[] } }) => [...context.heard, 'two'],
          } as never),
        },
      },
      states: {
        s0: {
          initial: 'a',
          after: {
            2: [
              {
                guard: ({ context }: { context: { heard: string[] } }) => context.heard.join() === 'two',
                target: '#pass',
              },
              { target: '#fail' },
            ],
          },
          states: { a: { invoke: { src: 'first' }, always: 'b' }, b: { invoke: { src: 'second' } } },
        },
      },
    },
    {
      steps: [1, 1, 1],
      actors: { first: child(sendParent({ type: 'one' })), second: child(sendParent({ type: 'two' })) },
    },
  ),
];
