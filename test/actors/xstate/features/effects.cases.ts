/**
 * Child actors that are effects: promises, callbacks, observables. Durable are the fact that they run, and their
 * results.
 */
import {
  assign,
  createMachine,
  emit,
  fromCallback,
  fromEventObservable,
  fromObservable,
  fromPromise,
  sendTo,
  setup,
} from 'xstate';
import { observable } from '../../../support/actors/observable.ts';
import { type Feature } from '../../../support/actors/xstate/feature.ts';

/** A promise that is resolved from outside. */
function gate(): { readonly opened: Promise<string>; readonly open: (value: string) => void } {
  let open: (value: string) => void = () => {};
  const opened = new Promise<string>((resolve) => (open = resolve));
  return { opened, open };
}

export const EFFECTS: readonly Feature[] = [
  {
    feature: '`invoke` of a promise: `input`, `onDone`',
    machine: () =>
      setup({ actors: { double: fromPromise(async ({ input }: { input: number }) => input * 2) } }).createMachine({
        initial: 'idle',
        states: {
          idle: { on: { GO: 'asking' } },
          asking: {
            invoke: {
              src: 'double',
              input: 21,
              onDone: { target: 'told', actions: assign({ got: ({ event }) => event.output }) },
            },
          },
          told: {},
        },
      }),
    steps: ['GO'],
    shows: { value: 'told', context: { got: 42 } },
  },
  {
    feature: 'a promise that is still running while time passes and events come',
    machine: () => {
      const { opened, open } = gate();
      return setup({ actors: { wait: fromPromise(() => opened) } }).createMachine({
        context: { n: 0 },
        initial: 'asking',
        states: {
          asking: {
            invoke: { src: 'wait', onDone: { target: 'told', actions: assign({ got: ({ event }) => event.output }) } },
            on: {
              NOTE: { actions: assign({ n: ({ context }) => (context.n as number) + 1 }) },
              OPEN: { actions: () => open('late') },
            },
          },
          told: {},
        },
      });
    },
    steps: ['NOTE', 10, 'NOTE', 'OPEN'],
    shows: { value: 'told', context: { n: 2, got: 'late' } },
    restored: 'again',
  },
  {
    feature: '`onError` of a promise, and a rejection without a handler',
    machine: () => {
      const refuse = fromPromise(async () => {
        throw new Error('no');
      });
      return setup({ actors: { refuse } }).createMachine({
        initial: 'idle',
        states: {
          idle: { on: { GO: 'one' } },
          one: { invoke: { src: 'refuse', onError: 'two' } },
          two: { on: { GO: 'three' } },
          three: { invoke: { src: 'refuse' } },
        },
      });
    },
    steps: ['GO', 'GO'],
    shows: { status: 'error', error: 'no', value: 'three' },
  },
  {
    feature: 'inline promises, `fromPromise(...)` in `invoke`',
    machine: () =>
      createMachine({
        initial: 'idle',
        states: {
          idle: { on: { GO: 'asking' } },
          asking: {
            invoke: {
              src: fromPromise(async () => 7),
              onDone: { target: 'told', actions: assign({ got: ({ event }) => event.output as unknown }) },
            },
          },
          told: {},
        },
      }),
    steps: ['GO'],
    shows: { value: 'told', context: { got: 7 } },
  },
  {
    feature: '`signal` of a promise is aborted when its state is left',
    machine: (record) => {
      const wait = fromPromise(
        ({ signal }) => new Promise(() => signal.addEventListener('abort', () => record('wait', 'aborted'))),
      );
      return setup({ actors: { wait } }).createMachine({
        initial: 'asking',
        states: { asking: { invoke: { src: 'wait' }, on: { GO: 'left' } }, left: {} },
      });
    },
    steps: ['GO'],
    shows: {
      lines: [
        ['subject', '+'],
        ['subject', '+asking'],
        ['subject', '-asking'],
        ['subject', 'asking/GO'],
        ['subject', '+left'],
        ['wait', 'aborted'],
      ],
    },
    restored: 'again',
  },
  {
    feature: '`invoke` of a callback: `receive`, `sendBack`, `input`, cleanup',
    machine: (record) => {
      const echo = fromCallback<{ type: string }, string>(({ sendBack, receive, input }) => {
        receive(({ type }) => sendBack({ type: 'ECHO', of: type, by: input }));
        return () => record('echo', 'cleanup');
      });
      return setup({ actors: { echo } }).createMachine({
        context: { heard: [] as unknown[] },
        initial: 'open',
        states: {
          open: {
            invoke: { src: 'echo', id: 'echo', input: 'me' },
            on: {
              SAY: { actions: sendTo('echo', { type: 'HELLO' }) },
              GO: 'closed',
              ECHO: {
                actions: assign({
                  heard: ({ context, event }) => [...(context.heard as unknown[]), event['by'] as unknown],
                }),
              },
            },
          },
          closed: {},
        },
      });
    },
    steps: ['SAY', 'SAY', 'GO'],
    shows: { value: 'closed', context: { heard: ['me', 'me'] } },
    restored: 'again',
  },
  {
    feature: 'a callback that throws: `onError`',
    machine: (_, mark) => {
      const broken = fromCallback(() => {
        throw new Error('no');
      });
      return setup({ actors: { broken } }).createMachine({
        initial: 'idle',
        states: {
          idle: { on: { GO: 'one' } },
          one: { invoke: { src: 'broken', onError: { actions: () => mark('told') } }, on: { GO: 'two' } },
          two: {},
        },
      });
    },
    steps: ['GO', 'GO'],
    shows: { value: 'two' },
  },
  {
    feature: '`invoke` of an observable: `onSnapshot`, `onDone`',
    machine: () => {
      const count = fromObservable(() =>
        observable<number>(({ next, complete }) => {
          setImmediate(() => {
            next(1);
            next(2);
            complete();
          });
        }),
      );
      return setup({ actors: { count } }).createMachine({
        context: { last: 0 },
        initial: 'idle',
        states: {
          idle: { on: { GO: 'on' } },
          on: {
            invoke: {
              src: 'count',
              onSnapshot: { actions: assign({ last: ({ event }) => event.snapshot.context ?? 0 }) },
              onDone: 'over',
            },
          },
          over: {},
        },
      });
    },
    steps: ['GO'],
    shows: { value: 'over', context: { last: 2 } },
    restored: 'again',
  },
  {
    feature: '`invoke` of an observable of events',
    machine: () => {
      const numbers = fromEventObservable(() =>
        observable<{ type: 'ADD'; n: number }>(({ next }) => {
          setImmediate(() => {
            next({ type: 'ADD', n: 1 });
            next({ type: 'ADD', n: 2 });
          });
        }),
      );
      return setup({ actors: { numbers } }).createMachine({
        context: { sum: 0 },
        initial: 'idle',
        states: {
          idle: { on: { GO: 'on' } },
          on: {
            invoke: { src: 'numbers' },
            on: {
              ADD: {
                actions: assign({ sum: ({ context, event }) => (context.sum as number) + (event['n'] as number) }),
              },
            },
            always: { guard: ({ context }) => context.sum === 3, target: 'over' },
          },
          over: {},
        },
      });
    },
    steps: ['GO'],
    shows: { value: 'over', context: { sum: 3 } },
    restored: 'again',
  },
  {
    feature: 'an invoke whose state is entered again: the completion of the earlier start is ignored',
    machine: () => {
      const gates = [gate(), gate()];
      const wait = fromPromise(async ({ input }: { input: number }) => `${input} ${await gates[input]!.opened}`);
      return setup({ actors: { wait } }).createMachine({
        context: { turn: 0, got: [] as unknown[] },
        initial: 'asking',
        states: {
          asking: {
            invoke: {
              src: 'wait',
              id: 'wait',
              input: ({ context }) => context.turn as number,
              onDone: {
                actions: assign({
                  got: ({ context, event }) => [...(context.got as unknown[]), event.output] as unknown[],
                }),
              },
            },
            on: {
              AGAIN: { target: 'asking', reenter: true, actions: assign({ turn: 1 }) },
              OPEN: { actions: ({ event }) => gates[event['which'] as number]!.open('opened') },
            },
          },
        },
      });
    },
    steps: ['AGAIN', { type: 'OPEN', which: 0 }, { type: 'OPEN', which: 1 }],
    shows: { context: { turn: 1, got: ['1 opened'] } },
    restored: 'again',
  },
  {
    feature: '`emit` by a child machine and by a callback: does not reach listeners of its parent',
    machine: (_, mark) => {
      const speaker = fromCallback(({ emit: say, receive }) => receive(() => say({ type: 'SAID' })));
      const kid = createMachine({ on: { SAY: { actions: emit({ type: 'KID_SAID' }) } } });
      return setup({ actors: { speaker, kid } }).createMachine({
        invoke: [
          { src: 'speaker', id: 'speaker' },
          { src: 'kid', id: 'kid' },
        ],
        on: {
          SAY: { actions: [sendTo('speaker', { type: 'SAY' }), sendTo('kid', { type: 'SAY' }), () => mark('told')] },
        },
      });
    },
    steps: ['SAY'],
    shows: { emitted: [] },
  },
];
