/** Actors of the rules for hosts and clients: they count, fail, reply, emit, keep rows and records, and have names. */
import { assign, emit, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { join, record, reply, type ReplyTo } from '../../../src/actors/model/talk-actions.ts';
import { table, type Table } from '../../../src/table.ts';
import { type BossOptions } from '../../../src/supervisor/child-spec.ts';

type Event =
  | { type: 'add'; by: number }
  | { type: 'close' | 'open' | 'end' | 'fail' | 'meet' }
  | { type: 'count' | 'hear'; replyTo: ReplyTo }
  | { type: 'put'; key: string; text: string }
  | { type: 'note'; order: string; what: number };

interface Context {
  readonly count: number;
  readonly rows: Table<{ readonly text: string }>;
}

const worker = defineAgent({
  name: 'worker',
  machine: setup({ types: {} as { context: Context; events: Event; output: number } }).createMachine({
    context: { count: 0, rows: table() },
    initial: 'open',
    output: ({ context }) => context.count,
    on: {
      count: { actions: reply(({ context }) => context.count) },
      hear: { actions: () => {} },
      end: '.ended',
    },
    states: {
      open: {
        tags: ['ready'],
        initial: 'calm',
        on: {
          add: {
            actions: [
              assign({ count: ({ context, event }) => context.count + event.by }),
              emit(({ context }) => ({ type: 'counted', count: context.count })),
            ],
          },
          put: {
            actions: assign({ rows: ({ context, event }) => context.rows.set(event.key, { text: event.text }) }),
          },
          note: { actions: record('notes', ({ event: { order, what } }) => ({ order, what })) },
          meet: { actions: [join('guild'), emit({ type: 'met' })] },
          close: 'closed',
          fail: {
            actions: assign(() => {
              throw new Error('cannot');
            }),
          },
        },
        states: { calm: {} },
      },
      closed: { on: { open: 'open' } },
      ended: { type: 'final' },
    },
  }),
  events: {
    add: z.object({ by: z.number() }),
    close: z.object({}),
    open: z.object({}),
    end: z.object({}),
    fail: z.object({}),
    meet: z.object({}),
    count: z.object({}),
    hear: z.object({}),
    put: z.object({ key: z.string(), text: z.string() }),
    note: z.object({ order: z.string(), what: z.number() }),
  },
  records: { notes: { keys: { order: 'order' } } },
});

interface Kept {
  readonly due: Date;
  readonly bytes: Uint8Array;
  readonly named: ReadonlyMap<string, readonly Date[]>;
  readonly rows: Table<{ readonly at: Date }>;
  readonly event: unknown;
  readonly touched: number;
}

/** An actor that keeps values which JavaScript cannot freeze, and gives them away. */
const keeper = defineAgent({
  name: 'keeper',
  machine: setup({
    types: {} as {
      context: Kept;
      events: { type: 'keep' } | { type: 'give'; replyTo: ReplyTo } | { type: 'touch' | 'untouch' };
    },
  }).createMachine({
    context: () => ({
      due: new Date(5),
      bytes: new Uint8Array([1, 2]),
      named: new Map([['a', [new Date(6)]]]),
      rows: table([['k', { at: new Date(7) }]]),
      event: null,
      touched: 0,
    }),
    on: {
      keep: { actions: assign({ event: ({ event }) => event }) },
      give: { actions: reply(({ context: { rows: _, ...context } }) => context) },
      touch: { actions: [assign({ touched: 1 }), emit(({ context: { due } }) => ({ type: 'given', due }))] },
      untouch: { actions: assign({ touched: 0 }) },
    },
  }),
  events: {
    keep: z.object({ list: z.array(z.any()), text: z.string() }),
    give: z.object({}),
    touch: z.object({}),
    untouch: z.object({}),
  },
});

export const CAST = [worker, keeper];

/** On two workers `a` and `b` are placed apart, and so are the children of `pool`. */
export const TREE: BossOptions = {
  intensity: 100,
  children: [
    ...['a', 'b', 'c', 'd'].map((id) => ({ id, agent: 'worker', systemId: `name of ${id}` })),
    { id: 'guest', agent: 'worker', restart: 'temporary' },
    {
      id: 'team',
      boss: {
        intensity: 100,
        children: [
          { id: 'x', agent: 'worker' },
          { id: 'y', agent: 'worker' },
        ],
      },
    },
  ],
};
