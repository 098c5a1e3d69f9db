/** Actions: assign, raise, emit, log and custom actions; their order, and the context and event that they see. */
import { assign, cancel, createMachine, emit, enqueueActions, log, raise, sendTo, setup } from 'xstate';
import { record } from '../../../../src/actors/model/talk-actions.ts';
import { table, type Table } from '../../../../src/table.ts';
import { type Feature } from '../../../support/actors/xstate/feature.ts';

export const ACTIONS: readonly Feature[] = [
  {
    feature: 'order: exit, transition, entry; actions of one list in their order',
    machine: (_, mark) =>
      createMachine({
        initial: 'a',
        states: {
          a: {
            exit: [() => mark('e1'), () => mark('e2')],
            on: { GO: { target: 'b', actions: [() => mark('t1'), () => mark('t2')] } },
          },
          b: { entry: [() => mark('n1'), () => mark('n2')] },
        },
      }),
    steps: ['GO'],
    shows: {},
    order: ['+', '+a', '-a', 'e1', 'e2', 'a/GO', 't1', 't2', '+b', 'n1', 'n2'],
  },
  {
    feature: '`assign`, as an object and as a function; later assigns see earlier ones',
    machine: () =>
      createMachine({
        context: { n: 1, list: [] as number[] },
        on: {
          ADD: {
            actions: [
              assign({ n: ({ context, event }) => context.n + (event['by'] as number) }),
              assign(({ context }) => ({ list: [...context.list, context.n] })),
              assign({ fixed: 'x' }),
            ],
          },
        },
      }),
    steps: [
      { type: 'ADD', by: 1 },
      { type: 'ADD', by: 2 },
    ],
    shows: { context: { n: 4, list: [2, 4], fixed: 'x' } },
  },
  {
    feature: 'custom actions: inline, named, with static and computed `params`',
    machine: (_, mark) =>
      setup({
        types: {} as { events: { type: 'GO'; who: string } },
        actions: {
          greet: (__, params: { who: string }) => mark(`hello ${params.who}`),
          plain: ({ event }) => mark(event.type),
        },
      }).createMachine({
        on: {
          GO: {
            actions: [
              'plain',
              { type: 'greet', params: { who: 'A' } },
              { type: 'greet', params: ({ event }) => ({ who: event.who }) },
              () => mark('inline'),
            ],
          },
        },
      }),
    steps: [{ type: 'GO', who: 'B' }],
    shows: {},
    order: ['+', '/GO', 'GO', 'hello A', 'hello B', 'inline'],
  },
  {
    feature: 'custom actions see the context at their place in the list',
    machine: (_, mark) =>
      createMachine({
        context: { n: 0 },
        on: {
          GO: {
            actions: [
              ({ context }) => mark(`${context.n}`),
              assign({ n: ({ context }) => context.n + 1 }),
              ({ context }) => mark(`${context.n}`),
            ],
          },
        },
      }),
    steps: ['GO', 'GO'],
    shows: { context: { n: 2 } },
    order: ['+', '/GO', '0', '1', '/GO', '1', '2'],
  },
  {
    feature:
      '`enqueueActions`: `check`, `enqueue.assign`, `.raise`, `.sendTo`, `.emit`, `.cancel`, custom, and `params`',
    machine: (_, mark) =>
      setup({
        types: {} as {
          context: { n: number };
          events: { type: 'GO' } | { type: 'RAISED' } | { type: 'SELF' } | { type: 'NEVER' };
          emitted: { type: 'OUT'; n: number };
        },
        guards: { isBig: ({ context }) => context.n > 0 },
        actions: { say: (__, params: { what: string }) => mark(params.what) },
      }).createMachine({
        context: { n: 0 },
        on: {
          GO: {
            actions: enqueueActions(({ enqueue, check, context, self }) => {
              enqueue.assign({ n: context.n + 1 });
              if (check('isBig')) enqueue({ type: 'say', params: { what: 'big' } });
              enqueue.raise({ type: 'RAISED' });
              enqueue.raise({ type: 'NEVER' }, { delay: 5, id: 'never' });
              enqueue.sendTo(self, { type: 'SELF' });
              enqueue.emit({ type: 'OUT', n: context.n });
              enqueue.cancel('never');
              enqueue(() => mark('last'));
            }),
          },
          RAISED: { actions: () => mark('raised') },
          SELF: { actions: () => mark('self') },
          NEVER: { actions: () => mark('never') },
        },
      }),
    steps: ['GO', 10, 'GO', 10],
    shows: { context: { n: 2 }, emitted: ['{"type":"OUT","n":0}', '{"type":"OUT","n":1}'] },
    order: [
      '+',
      '/GO',
      'last',
      '/RAISED',
      'raised',
      '/SELF',
      'self',
      '/GO',
      'big',
      'last',
      '/RAISED',
      'raised',
      '/SELF',
      'self',
    ],
  },
  {
    feature: '`raise`: after the actions of the step, before the next event from outside',
    machine: () =>
      createMachine({
        initial: 'a',
        states: {
          a: {
            on: {
              GO: {
                target: 'b',
                actions: [raise({ type: 'ONE' }), raise(({ event }) => ({ type: 'TWO', of: event.type }))],
              },
            },
          },
          b: { on: { ONE: 'c' } },
          c: { on: { TWO: 'd' } },
          d: {},
        },
      }),
    steps: ['GO'],
    shows: { value: 'd' },
    order: ['+', '+a', '-a', 'a/GO', '+b', '-b', 'b/ONE', '+c', '-c', 'c/TWO', '+d'],
  },
  {
    feature: '`raise` with a delay: a number, a name, a function; `cancel`, also by a computed name',
    machine: () =>
      setup({ delays: { short: 5, long: ({ context }) => context.ms as number } }).createMachine({
        context: { ms: 20, seen: [] as string[] },
        entry: [
          raise({ type: 'A' }, { delay: 10 }),
          raise({ type: 'B' }, { delay: 'short' }),
          raise({ type: 'C' }, { delay: 'long', id: 'c' }),
          raise({ type: 'D' }, { delay: ({ context }) => (context.ms as number) + 1, id: 'd' }),
          raise({ type: 'E' }, { delay: 30, id: 'e' }),
        ],
        on: {
          '*': { actions: assign({ seen: ({ context, event }) => [...(context.seen as string[]), event.type] }) },
          STOP: { actions: [cancel('d'), cancel(() => 'e')] },
        },
      }),
    steps: [6, 6, 'STOP', 40],
    shows: { context: { ms: 20, seen: ['B', 'A', 'C'] } },
  },
  {
    feature: '`sendTo` to itself, at once and with a delay',
    machine: () =>
      createMachine({
        initial: 'a',
        states: {
          a: { entry: sendTo(({ self }) => self, { type: 'NOW' }), on: { NOW: 'b' } },
          b: {
            entry: sendTo(
              ({ self }) => self,
              () => ({ type: 'LATER' }),
              { delay: 10, id: 'x' },
            ),
            on: { LATER: 'c' },
          },
          c: {},
        },
      }),
    steps: [5, 5],
    shows: { value: 'c' },
  },
  {
    feature: '`emit`: static and computed',
    machine: () =>
      createMachine({
        context: { n: 1 },
        on: {
          GO: {
            actions: [
              emit({ type: 'ONE' }),
              emit(({ context, event }) => ({ type: 'TWO', n: context.n, of: event.type })),
            ],
          },
        },
      }),
    steps: ['GO', 'GO'],
    shows: {
      emitted: ['{"type":"ONE"}', '{"type":"TWO","n":1,"of":"GO"}', '{"type":"ONE"}', '{"type":"TWO","n":1,"of":"GO"}'],
    },
  },
  {
    feature: '`log`: text, function, label',
    machine: () =>
      createMachine({
        context: { n: 1 },
        on: { GO: { actions: [log('text'), log(({ context }) => ({ n: context.n })), log('text', 'label')] } },
      }),
    steps: ['GO'],
    shows: { logged: ['["text"]', '[{"n":1}]', '["label","text"]'] },
  },
  {
    feature: 'a throw in a custom action skips the rest of the list, and ends the machine with an error',
    machine: (_, mark) =>
      createMachine({
        on: {
          GO: {
            actions: [
              () => mark('before'),
              () => {
                throw new Error('broken');
              },
              () => mark('behind'),
            ],
          },
        },
      }),
    steps: ['GO'],
    shows: { status: 'error', error: 'broken' },
    order: ['+', '/GO', 'before'],
  },
  {
    feature: '`self.getSnapshot()` in a custom action',
    machine: (_, mark) =>
      createMachine({
        context: { n: 0 },
        on: {
          GO: {
            actions: [
              assign({ n: ({ context }) => (context.n as number) + 1 }),
              ({ self }) => mark(`n ${String((self.getSnapshot().context as { n: number }).n)}`),
            ],
          },
        },
      }),
    steps: ['GO'],
    shows: {
      lines: [
        ['subject', '+'],
        ['subject', '/GO'],
        ['subject', 'n 0'],
      ],
    },
    differs: {
      how:
        'the action runs after the epoch and sees the state after the turn (`n 1`); `createActor` shows the state ' +
        'before it (`n 0`)',
      shows: {
        lines: [
          ['subject', '+'],
          ['subject', '/GO'],
          ['subject', 'n 1'],
        ],
      },
    },
  },
  {
    feature: '`table()` in a context: rows set, updated and deleted, read by guards and by later assigns',
    machine: () =>
      setup({
        types: {} as {
          context: { items: Table<number>; sum: number };
          events: { type: 'PUT'; key: string; n: number } | { type: 'TAKE'; key: string };
        },
        guards: { isThere: ({ context, event }) => context.items.has(event.key) },
      }).createMachine({
        context: { items: table(), sum: 0 },
        on: {
          PUT: {
            actions: [
              assign({
                items: ({ context, event }) => context.items.update(event.key, (before) => (before ?? 0) + event.n),
              }),
              assign({ sum: ({ context }) => [...context.items.values()].reduce((sum, n) => sum + n, 0) }),
            ],
          },
          TAKE: {
            guard: 'isThere',
            actions: assign({ items: ({ context, event }) => context.items.delete(event.key) }),
          },
        },
      }),
    steps: [
      { type: 'PUT', key: 'b', n: 2 },
      { type: 'PUT', key: 'a', n: 1 },
      { type: 'PUT', key: 'b', n: 3 },
      { type: 'TAKE', key: 'a' },
      { type: 'TAKE', key: 'c' },
    ],
    shows: { context: { items: table([['b', 5]]), sum: 6 } },
  },
  {
    feature: '`record()`, which does nothing under `createActor`: the actions around it run as without it',
    machine: () =>
      setup({ types: {} as { context: { n: number }; events: { type: 'GO'; by: number } } }).createMachine({
        context: { n: 0 },
        initial: 'a',
        entry: record('notes', 'born'),
        states: {
          a: {
            exit: record('notes', ({ context }) => context.n),
            on: {
              GO: {
                target: 'b',
                actions: [
                  assign({ n: ({ context, event }) => context.n + event.by }),
                  record('notes', ({ context, event }) => ({ by: event.by, n: context.n })),
                  assign({ n: ({ context }) => context.n * 2 }),
                ],
              },
            },
          },
          b: { entry: enqueueActions(({ enqueue }) => enqueue(record('notes', 'there'))), on: { GO: 'a' } },
        },
      }),
    steps: [
      { type: 'GO', by: 2 },
      { type: 'GO', by: 0 },
      { type: 'GO', by: 3 },
    ],
    shows: { value: 'b', context: { n: 14 } },
  },
];
