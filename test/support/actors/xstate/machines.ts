/** The machines of the hosting scenarios; each uses another part of XState. */
import {
  type AnyActorRef,
  type AnyStateMachine,
  assign,
  cancel,
  createMachine,
  emit,
  enqueueActions,
  forwardTo,
  fromTransition,
  log,
  raise,
  sendParent,
  sendTo,
  setup,
  stopChild,
} from 'xstate';
import { type Record } from './scenario.ts';

export function pingPong(record: Record): AnyStateMachine {
  const kid = createMachine({
    types: {} as { context: { n: number }; input: { n: number } },
    id: 'kid',
    context: ({ input }) => ({ n: input.n }),
    initial: 'playing',
    states: {
      playing: {
        on: {
          PING: {
            actions: [
              assign({ n: ({ context }) => context.n + 1 }),
              sendParent(({ context }) => ({ type: 'PONG', n: context.n })),
            ],
          },
          END: 'over',
        },
      },
      over: { type: 'final' },
    },
    output: ({ context }) => ({ n: context.n }),
  });
  return setup({
    types: {} as { context: { got: number[] }; events: { type: 'GO' | 'END' } | { type: 'PONG'; n: number } },
    actors: { kid },
  }).createMachine({
    context: { got: [] },
    initial: 'playing',
    states: {
      playing: {
        invoke: {
          src: 'kid',
          id: 'kid',
          input: { n: 5 },
          onDone: { target: 'over', actions: ({ event }) => record('subject', `done ${JSON.stringify(event.output)}`) },
        },
        entry: sendTo('kid', { type: 'PING' }),
        on: {
          GO: { actions: sendTo('kid', { type: 'PING' }) },
          END: { actions: sendTo('kid', { type: 'END' }) },
          PONG: { actions: assign({ got: ({ context, event }) => [...context.got, event.n] }) },
        },
      },
      over: {},
    },
  });
}

export function spawning(record: Record): AnyStateMachine {
  const kid = createMachine({
    types: {} as { context: { n: number } },
    context: { n: 0 },
    on: {
      HIT: {
        actions: [
          assign({ n: ({ context }) => context.n + 1 }),
          sendTo(
            ({ system }) => system.get('hub'),
            ({ context, self }) => ({ type: 'TELL', n: context.n, kid: self.id }),
          ),
        ],
      },
    },
  });
  const hub = createMachine({
    types: {} as { events: { type: 'TELL'; n: number; kid: string } },
    on: { TELL: { actions: ({ event }) => record('hub', `${event.kid} ${event.n}`) } },
  });
  return setup({ types: {} as { context: { refs: AnyActorRef[] } }, actors: { kid, hub } }).createMachine({
    context: { refs: [] },
    invoke: { src: 'hub', id: 'hub', systemId: 'hub' },
    on: {
      ADD: {
        actions: assign({
          refs: ({ context, spawn }) => [...context.refs, spawn('kid', { id: `k${context.refs.length}` })],
        }),
      },
      HIT: {
        actions: enqueueActions(({ context, enqueue }) => {
          for (const ref of context.refs) enqueue.sendTo(ref, { type: 'HIT' });
        }),
      },
      DROP: {
        actions: [
          stopChild(({ context }) => context.refs[0]!),
          assign({ refs: ({ context }) => context.refs.slice(1) }),
        ],
      },
    },
  });
}

export function waiting(record: Record): AnyStateMachine {
  return createMachine({
    initial: 'a',
    context: {},
    states: {
      a: {
        after: { 10: 'b' },
        entry: [raise({ type: 'L' }, { delay: 5, id: 'x' }), raise({ type: 'M' }, { delay: 6, id: 'y' }), cancel('y')],
        on: { L: { actions: () => record('subject', 'L') }, M: { actions: () => record('subject', 'M') } },
      },
      b: { entry: sendTo(({ self }) => self, { type: 'S' }, { delay: 7 }), on: { S: 'c' } },
      c: { after: { 3: { target: 'd', actions: log('hi') } } },
      d: {},
    },
  });
}

export function remembering(): AnyStateMachine {
  return createMachine({
    initial: 'both',
    states: {
      both: {
        type: 'parallel',
        onDone: 'over',
        on: { OUT: 'out' },
        states: {
          x: {
            initial: 'one',
            states: { one: { on: { N: 'two' } }, two: { on: { N: 'three' } }, three: { type: 'final' } },
          },
          y: {
            initial: 'one',
            states: { one: { on: { N: 'two' } }, two: { on: { F: 'three' } }, three: { type: 'final' } },
          },
        },
      },
      out: { on: { BACK: 'room' } },
      room: { initial: 'q', states: { q: { on: { N: 'r' } }, r: {}, last: { type: 'history' } }, on: { AWAY: 'away' } },
      away: { on: { HOME: 'room.last' } },
      over: { type: 'final', output: { a: 1 } },
    },
  });
}

export function climbingCount(record: Record): AnyStateMachine {
  return setup({
    types: {} as { context: { n: number } },
    guards: { isHigh: ({ context }) => context.n > 2 },
  }).createMachine({
    context: { n: 0 },
    initial: 'low',
    states: {
      low: {
        always: { guard: 'isHigh', target: 'high', actions: emit(({ context }) => ({ type: 'HIGH', n: context.n })) },
        on: {
          UP: { actions: [assign({ n: ({ context }) => context.n + 1 }), raise({ type: 'RAISED' })] },
          RAISED: {
            actions: enqueueActions(({ enqueue, check }) => {
              enqueue.emit({ type: 'RAISED' });
              if (check('isHigh')) enqueue(() => record('subject', 'never'));
            }),
          },
        },
      },
      high: {},
    },
  });
}

export function forwarding(record: Record): AnyStateMachine {
  const reducer = fromTransition((count: number, event: { type: string }) => {
    record('reducer', event.type);
    return count + 1;
  }, 0);
  return setup({ actors: { reducer } }).createMachine({
    invoke: { src: 'reducer', id: 'reducer' },
    on: {
      FORWARD: { actions: forwardTo('reducer') },
      CHECK: {
        actions: ({ self }) => {
          const { children } = self.getSnapshot() as unknown as { children: { reducer: AnyActorRef } };
          record('subject', `count ${(children.reducer.getSnapshot() as { context: number }).context}`);
        },
      },
    },
  });
}

export function waitingForChild(record: Record): AnyStateMachine {
  const kid = createMachine({
    initial: 'w',
    states: { w: { after: { 20: 'z' } }, z: { type: 'final' } },
    output: 'late',
  });
  return setup({ actors: { kid } }).createMachine({
    initial: 'waiting',
    states: {
      waiting: {
        invoke: {
          src: 'kid',
          id: 'kid',
          onDone: { target: 'over', actions: ({ event }) => record('subject', `output ${String(event.output)}`) },
        },
      },
      over: {},
    },
  });
}

export function climbing(record: Record): AnyStateMachine {
  const grandchild = createMachine({
    on: {
      BREAK: {
        actions: () => {
          throw new Error('broken');
        },
      },
    },
  });
  const child = setup({ actors: { grandchild } }).createMachine({
    invoke: { src: 'grandchild', id: 'grandchild' },
    on: { BREAK: { actions: sendTo('grandchild', { type: 'BREAK' }) } },
  });
  return setup({ actors: { child } }).createMachine({
    invoke: {
      src: 'child',
      id: 'child',
      onError: { actions: ({ event }) => record('subject', `caught ${(event.error as Error).message}`) },
    },
    on: { BREAK: { actions: sendTo('child', { type: 'BREAK' }) } },
  });
}
