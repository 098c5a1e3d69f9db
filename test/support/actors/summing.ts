/** Actors that keep their turns, and actions on kept turns for tests. */
import { assign, sendTo, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { KEYSPACE } from '../../../src/actors/model/ports.ts';
import { AUDIT } from '../../../src/actors/model/records.ts';
import { type KeptTurn } from '../../../src/actors/model/trace-record.ts';
import { type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { started } from './started.ts';

export const machine = setup({
  types: {} as {
    context: { sum: number; last: string };
    events: { type: 'add'; by: number; note?: string } | { type: 'tell' } | { type: 'fail' };
  },
}).createMachine({
  id: 'sum',
  context: { sum: 0, last: '' },
  initial: 'low',
  states: {
    low: { always: { guard: ({ context }) => context.sum > 2, target: 'high' } },
    high: {},
  },
  on: {
    add: {
      actions: assign(({ context, event }) => ({ sum: context.sum + event.by, last: event.note ?? context.last })),
    },
    tell: {
      actions: sendTo(({ system }) => (system as unknown as { get(id: string): object }).get('other') as never, {
        type: 'add',
        by: 1,
        note: 'told',
      } as never),
    },
    fail: {
      actions: assign(() => {
        throw new Error('no');
      }),
    },
  },
});

export const events = {
  add: z.object({ by: z.number(), note: z.string().optional() }),
  tell: z.object({}),
  fail: z.object({}),
};

/** An agent whose turns are kept; of its ended actors nothing is kept. */
export const keeping = (keep: number) =>
  defineAgent({ name: 'sum', machine, events, trace: { keep }, keep: { ended: { count: 0 } } });
export const plain = defineAgent({ name: 'plain', machine, events });

export const add = (by: number, note?: string) => ({
  type: 'add' as const,
  by,
  ...(note !== undefined && { note }),
});

/** Starts `a` and `other`, whose turns are kept, and `p`, whose turns are not. */
export const start = (keep = 5, changes: Partial<TestSystemOptions> = {}): Promise<TestSystem> =>
  started({
    agents: [keeping(keep), plain],
    tree: {
      intensity: 100,
      children: [
        { id: 'a', agent: 'sum' },
        { id: 'other', agent: 'sum', systemId: 'other' },
        { id: 'p', agent: 'plain' },
      ],
    },
    ...changes,
  });

export async function send(test: TestSystem, address: string, ...sent: { type: string }[]): Promise<void> {
  for (const event of sent) await test.shard.send(address, event);
  await test.settle();
}

export const sumsOf = (turns: readonly KeptTurn[]): number[] =>
  turns.map(({ context }) => (context as { sum: number }).sum);

/** Keys of kept turns in the store: rows, numbers, and pending removals. */
export const storedKeys = (test: TestSystem): string[] =>
  test.store
    .entries()
    .map(([key]) => key)
    .filter(
      (key) =>
        [KEYSPACE.turns, KEYSPACE.turnSpans, KEYSPACE.recordPurges].some((one) => key.startsWith(`${one}!`)) &&
        !key.endsWith(`!${AUDIT}`),
    );
