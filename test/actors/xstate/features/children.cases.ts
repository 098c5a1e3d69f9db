/** Child machines and reducers of a machine: invoked, spawned, stopped, named, sent to. */
import {
  type AnyActorRef,
  assign,
  createMachine,
  enqueueActions,
  forwardTo,
  fromTransition,
  sendParent,
  sendTo,
  setup,
  spawnChild,
  stopChild,
} from 'xstate';
import { type Feature } from '../../../support/actors/xstate/feature.ts';

/** Counts the events that it gets, and reports to its parent. */
const counter = createMachine({
  context: ({ input }) => ({ n: (input as { from: number } | undefined)?.from ?? 0 }),
  initial: 'on',
  states: {
    on: {
      on: {
        UP: {
          actions: [
            assign({ n: ({ context }) => (context.n as number) + 1 }),
            sendParent(({ context, self }) => ({ type: 'COUNTED', n: context.n as number, by: self.id })),
          ],
        },
        END: 'off',
      },
    },
    off: { type: 'final' },
  },
  output: ({ context }) => ({ n: context.n as number }),
});

const told: { seen: unknown[] } = { seen: [] };
const COUNTED = { actions: 'note' as const };
const withCounter = setup({
  types: {} as { context: { seen: unknown[]; [key: string]: unknown } },
  actors: { counter },
  actions: { note: assign({ seen: ({ context, event }) => [...context.seen, [event['by'], event['n']]] }) },
});

export const CHILDREN: readonly Feature[] = [
  {
    feature: '`invoke` of a machine: `input`, `sendTo` by id, `sendParent`, `onDone` with its output',
    machine: () =>
      withCounter.createMachine({
        context: told,
        initial: 'on',
        states: {
          on: {
            invoke: {
              src: 'counter',
              id: 'kid',
              input: { from: 3 },
              onDone: { target: 'off', actions: assign({ output: ({ event }) => event.output }) },
            },
            entry: sendTo('kid', { type: 'UP' }),
            on: {
              UP: { actions: sendTo('kid', { type: 'UP' }) },
              END: { actions: sendTo('kid', ({ event }) => ({ type: event.type })) },
            },
          },
          off: {},
        },
        on: { COUNTED },
      }),
    steps: ['UP', 'END'],
    shows: {
      value: 'off',
      context: {
        seen: [
          ['kid', 4],
          ['kid', 5],
        ],
        output: { n: 5 },
      },
    },
  },
  {
    feature: '`invoke` ends with its state, and begins again with it',
    machine: () =>
      withCounter.createMachine({
        context: told,
        initial: 'a',
        on: { COUNTED },
        states: {
          a: { invoke: { src: 'counter', id: 'kid' }, on: { UP: { actions: sendTo('kid', { type: 'UP' }) }, GO: 'b' } },
          b: { on: { BACK: 'a' } },
        },
      }),
    steps: ['UP', 'UP', 'GO', 'BACK', 'UP'],
    shows: {
      context: {
        seen: [
          ['kid', 1],
          ['kid', 2],
          ['kid', 1],
        ],
      },
    },
  },
  {
    feature: 'several invokes in one state, and at the root',
    machine: () =>
      withCounter.createMachine({
        context: told,
        invoke: { src: 'counter', id: 'top' },
        initial: 'a',
        on: { COUNTED },
        states: {
          a: {
            invoke: [
              { src: 'counter', id: 'one' },
              { src: 'counter', id: 'two' },
            ],
            on: {
              UP: {
                actions: [sendTo('one', { type: 'UP' }), sendTo('two', { type: 'UP' }), sendTo('top', { type: 'UP' })],
              },
              GO: 'b',
            },
          },
          b: {},
        },
      }),
    steps: ['UP', 'GO'],
    shows: {
      context: {
        seen: [
          ['one', 1],
          ['two', 1],
          ['top', 1],
        ],
      },
      children: ['top'],
    },
  },
  {
    feature: 'inline logic in `invoke`',
    machine: () =>
      createMachine({
        context: { n: 0 },
        invoke: { src: counter, id: 'kid' },
        on: {
          COUNTED: { actions: assign({ n: ({ event }) => event['n'] as number }) },
          UP: { actions: sendTo('kid', { type: 'UP' }) },
        },
      }),
    steps: ['UP', 'UP'],
    shows: { context: { n: 2 } },
  },
  {
    feature: '`onSnapshot` of an invoke',
    machine: () =>
      withCounter.createMachine({
        context: told,
        invoke: {
          src: 'counter',
          id: 'kid',
          onSnapshot: {
            actions: assign({
              seen: ({ context, event }) => [...context.seen, event.snapshot.context['n'] as unknown],
            }),
          },
        },
        on: { UP: { actions: sendTo('kid', { type: 'UP' }) } },
      }),
    steps: ['UP', 'UP'],
    shows: { context: { seen: [0, 1, 2] } },
  },
  {
    feature: '`spawnChild` by name, with `id`, `input`; `stopChild` by id and by reference',
    machine: () =>
      withCounter.createMachine({
        context: told,
        entry: [spawnChild('counter', { id: 'one', input: { from: 10 } }), spawnChild('counter', { id: 'two' })],
        on: {
          COUNTED,
          UP: { actions: [sendTo('one', { type: 'UP' }), sendTo('two', { type: 'UP' })] },
          STOP: { actions: stopChild('one') },
          STOP2: {
            actions: stopChild(
              ({ self }) => (self.getSnapshot() as unknown as { children: { two: AnyActorRef } }).children.two,
            ),
          },
        },
      }),
    steps: ['UP', 'STOP', 'STOP2'],
    shows: {
      context: {
        seen: [
          ['one', 11],
          ['two', 1],
        ],
      },
      children: [],
    },
  },
  {
    feature: '`spawn` in `assign`: the reference in the context, also nested, in a Map and in a Set',
    machine: () =>
      setup({
        types: {} as {
          context: { kids: { list: AnyActorRef[]; map: Map<string, AnyActorRef>; set: Set<AnyActorRef> } };
        },
        actors: { counter },
      }).createMachine({
        context: { kids: { list: [], map: new Map(), set: new Set() } },
        on: {
          ADD: {
            actions: assign({
              kids: ({ context: { kids }, spawn }) => ({
                list: [...kids.list, spawn('counter', { id: `l${kids.list.length}` })],
                map: new Map([...kids.map, ['m', spawn('counter', { id: `m${kids.list.length}` })]]),
                set: new Set([...kids.set, spawn('counter', { id: `s${kids.list.length}` })]),
              }),
            }),
          },
          UP: {
            actions: enqueueActions(({ context: { kids }, enqueue }) => {
              for (const kid of [...kids.list, ...kids.map.values(), ...kids.set]) enqueue.sendTo(kid, { type: 'UP' });
            }),
          },
        },
      }),
    steps: ['ADD', 'UP'],
    shows: { children: ['l0', 'm0', 's0'] },
  },
  {
    feature: '`spawn` in the initial context',
    machine: () =>
      withCounter.createMachine({
        context: ({ spawn }) => ({ ...told, kid: spawn('counter', { id: 'kid' }) }),
        on: { COUNTED, UP: { actions: sendTo(({ context }) => context.kid as AnyActorRef, { type: 'UP' }) } },
      }),
    steps: ['UP', 'UP'],
    shows: {
      context: {
        seen: [
          ['kid', 1],
          ['kid', 2],
        ],
        kid: 'REF kid',
      },
    },
  },
  {
    feature: '`enqueue.spawnChild` and `enqueue.stopChild`',
    machine: () =>
      withCounter.createMachine({
        context: told,
        on: {
          COUNTED,
          GO: {
            actions: enqueueActions(({ enqueue }) => {
              enqueue.spawnChild('counter', { id: 'kid' });
              enqueue.sendTo('kid', { type: 'UP' });
            }),
          },
          STOP: { actions: enqueueActions(({ enqueue }) => enqueue.stopChild('kid')) },
        },
      }),
    steps: ['GO', 'STOP'],
    shows: { context: { seen: [['kid', 1]] }, children: [] },
  },
  {
    feature: '`syncSnapshot`',
    machine: () =>
      withCounter.createMachine({
        context: told,
        entry: spawnChild('counter', { id: 'kid', syncSnapshot: true }),
        on: {
          UP: { actions: sendTo('kid', { type: 'UP' }) },
          'xstate.snapshot.kid': {
            actions: assign({
              seen: ({ context, event }) => [
                ...context.seen,
                (event['snapshot'] as { context: { n: number } }).context.n,
              ],
            }),
          },
        },
      }),
    steps: ['UP', 'UP'],
    shows: { context: { seen: [0, 1, 2] } },
  },
  {
    feature: '`systemId`, `system.get`, `system.getAll`',
    machine: (_, mark) =>
      withCounter.createMachine({
        context: told,
        initial: 'a',
        on: {
          COUNTED,
          UP: { actions: sendTo(({ system }) => system.get('the-counter') as AnyActorRef, { type: 'UP' }) },
          ASK: {
            actions: ({ system }) =>
              mark(JSON.stringify([Object.keys(system.getAll()), system.get('the-counter') === undefined])),
          },
        },
        states: { a: { invoke: { src: 'counter', id: 'kid', systemId: 'the-counter' }, on: { GO: 'b' } }, b: {} },
      }),
    steps: ['UP', 'ASK', 'GO', 'ASK'],
    shows: { context: { seen: [['kid', 1]] } },
  },
  {
    feature: '`forwardTo`, by id and by reference',
    machine: () =>
      withCounter.createMachine({
        context: ({ spawn }) => ({ ...told, kid: spawn('counter', { id: 'two' }) }),
        invoke: { src: 'counter', id: 'one' },
        on: { COUNTED, UP: { actions: [forwardTo('one'), forwardTo(({ context }) => context.kid as AnyActorRef)] } },
      }),
    steps: ['UP'],
    shows: {
      context: {
        seen: [
          ['one', 1],
          ['two', 1],
        ],
        kid: 'REF two',
      },
    },
  },
  {
    feature: '`fromTransition`: input, events, `onSnapshot`',
    machine: () =>
      setup({
        actors: {
          sum: fromTransition(
            (total: number, event: { type: string; by?: number }) => total + (event.by ?? 0),
            ({ input }: { input: { from: number } }) => input.from,
          ),
        },
      }).createMachine({
        context: told,
        invoke: {
          src: 'sum',
          id: 'sum',
          input: { from: 5 },
          onSnapshot: { actions: assign({ seen: ({ context, event }) => [...context.seen, event.snapshot.context] }) },
        },
        on: { ADD: { actions: sendTo('sum', { type: 'ADD', by: 2 }) } },
      }),
    steps: ['ADD', 'ADD'],
    shows: { context: { seen: [5, 7, 9] } },
  },
  {
    feature: 'children of children: spawned, sent to, stopped with their parent',
    machine: (record) => {
      const grandchild = createMachine({
        on: { DEEP: { actions: [() => record('low', 'DEEP'), sendParent({ type: 'UPWARD' })] } },
      });
      const child = setup({ actors: { grandchild } }).createMachine({
        invoke: { src: 'grandchild', id: 'low' },
        on: { DEEP: { actions: forwardTo('low') }, UPWARD: { actions: sendParent({ type: 'ARRIVED' }) } },
      });
      return setup({ actors: { child } }).createMachine({
        initial: 'a',
        states: {
          a: {
            invoke: { src: 'child', id: 'mid' },
            on: {
              DEEP: { actions: forwardTo('mid') },
              ARRIVED: { actions: () => record('subject', 'arrived') },
              GO: 'b',
            },
          },
          b: {},
        },
      });
    },
    steps: ['DEEP', 'DEEP', 'GO'],
    shows: { value: 'b', children: [] },
  },
  {
    feature: 'wildcards for the events of children: `xstate.done.actor.*`',
    machine: (_, mark) =>
      withCounter.createMachine({
        context: told,
        entry: spawnChild('counter', { id: 'kid' }),
        on: {
          END: { actions: sendTo('kid', { type: 'END' }) },
          'xstate.done.actor.*': { actions: ({ event }) => mark(JSON.stringify(event)) },
        },
      }),
    steps: ['END'],
    shows: {},
    order: ['+', '/END', '/xstate.done.actor.kid', '{"type":"xstate.done.actor.kid","output":{"n":0},"actorId":"kid"}'],
  },
  {
    feature: 'a child id that is used again while its child lives',
    machine: () => {
      const clock = createMachine({ after: { 10: { actions: sendParent({ type: 'TICK' }) } } });
      return setup({ actors: { clock } }).createMachine({
        context: { ticks: 0 },
        on: {
          ADD: { actions: spawnChild('clock', { id: 'kid' }) },
          TICK: { actions: assign({ ticks: ({ context }) => (context.ticks as number) + 1 }) },
        },
      });
    },
    steps: ['ADD', 5, 'ADD', 10],
    shows: { context: { ticks: 2 } },
    differs: {
      how:
        'the new child replaces the old one, which ends; `createActor` leaves the old one running where no event ' +
        'reaches it',
      shows: { context: { ticks: 1 }, children: ['kid'] },
    },
  },
  {
    feature: '`spawnChild` without an `id`',
    machine: () => {
      const clock = createMachine({ after: { 10: { actions: sendParent({ type: 'TICK' }) } } });
      return setup({ actors: { clock } }).createMachine({
        context: { ticks: 0 },
        on: {
          ADD: { actions: spawnChild('clock') },
          TICK: { actions: assign({ ticks: ({ context }) => (context.ticks as number) + 1 }) },
        },
      });
    },
    steps: ['ADD', 'ADD', 10],
    shows: { context: { ticks: 2 }, children: ['undefined'] },
    differs: {
      how:
        'each is a child under an id of its own; `createActor` runs all, but keeps them under the key `undefined`, ' +
        'where the last hides the others',
      shows: { context: { ticks: 2 } },
    },
  },
  {
    feature: '`sendParent` with a delay',
    machine: () => {
      const kid = createMachine({ entry: sendParent({ type: 'LATE' }, { delay: 10 }) });
      return setup({ actors: { kid } }).createMachine({
        initial: 'a',
        states: {
          a: { invoke: { src: 'kid', id: 'kid' }, on: { LATE: 'b', GO: 'c' } },
          b: { on: { BACK: 'a' } },
          c: { on: { LATE: 'wrong' } },
          wrong: {},
        },
      });
    },
    steps: [5, 5, 'BACK', 5, 'GO', 10],
    shows: { value: 'c' },
  },
  {
    feature: 'a receiver that answers while the sender still has actions to run',
    machine: (record, mark) => {
      const kid = createMachine({ on: { ASK: { actions: () => record('kid', 'asked') } } });
      return setup({ actors: { kid } }).createMachine({
        invoke: { src: 'kid', id: 'kid' },
        on: { GO: { actions: [sendTo('kid', { type: 'ASK' }), () => mark('sent')] } },
      });
    },
    steps: ['GO'],
    shows: { value: {} },
  },
  {
    feature: 'a state that is entered again through its history before the child that it invokes has started',
    machine: () => {
      const clock = createMachine({ after: { 10: { actions: sendParent({ type: 'TICK' }) } } });
      return setup({ actors: { clock } }).createMachine({
        context: { ticks: 0, turned: false },
        initial: 'resting',
        states: {
          resting: { on: { GO: 'working' } },
          working: {
            initial: 'timed',
            states: {
              timed: {
                invoke: { src: 'clock', id: 'kid' },
                always: {
                  target: 'past',
                  guard: ({ context }) => context.turned !== true,
                  actions: assign({ turned: true }),
                },
              },
              past: { type: 'history' },
            },
          },
        },
        on: { TICK: { actions: assign({ ticks: ({ context }) => (context.ticks as number) + 1 }) } },
      });
    },
    steps: ['GO', 10],
    shows: { value: { working: 'timed' }, context: { ticks: 2 } },
    differs: {
      how: 'only the second child starts; `createActor` starts the first as well, which no event reaches then',
      shows: { value: { working: 'timed' }, context: { ticks: 1 }, children: ['kid'] },
    },
  },
];
