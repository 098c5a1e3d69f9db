/** Actors that keep records, and actions on them for tests. */
import { assign, enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { record } from '../../../src/actors/model/talk-actions.ts';
import { AUDIT } from '../../../src/actors/model/records.ts';
import { type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { started } from './started.ts';

export type Event =
  | { type: 'note'; what: unknown; by?: unknown }
  | { type: 'many'; count: number }
  | { type: 'wrong' | 'undeclared' | 'fail' | 'other' }
  | { type: 'end' };

export const MINUTE_MS = 60_000;

export const machine = setup({ types: {} as { context: { made: number }; events: Event } }).createMachine({
  context: { made: 0 },
  initial: 'open',
  states: {
    open: {
      on: {
        note: {
          actions: [
            record('notes', ({ event: { what, by } }) => ({ what, by })),
            assign({ made: ({ context }) => context.made + 1 }),
          ],
        },
        many: {
          actions: enqueueActions(({ enqueue, event }) => {
            for (let n = 0; n < event.count; n++) enqueue(record('notes', { what: n }));
          }),
        },
        other: { actions: [record('checked', { size: 1 }), record('notes', { what: 'beside' })] },
        wrong: { actions: record('checked', { size: 'large' }) },
        undeclared: { actions: record('nowhere', 1) },
        fail: {
          actions: [
            record('notes', { what: 'lost' }),
            assign(() => {
              throw new Error('after all');
            }),
          ],
        },
        end: 'ended',
      },
    },
    ended: { type: 'final' },
  },
});

export const events = {
  note: z.object({ what: z.unknown(), by: z.unknown().optional() }),
  many: z.object({ count: z.number() }),
  wrong: z.object({}),
  undeclared: z.object({}),
  fail: z.object({}),
  other: z.object({}),
  end: z.object({}),
};

/** An agent that keeps records; of its ended actors nothing is kept. */
export function scribe({ keep, forMs }: { keep?: number; forMs?: number } = {}) {
  const count = keep === undefined ? {} : { count: keep };
  const days = forMs === undefined ? {} : { days: forMs / (24 * 60 * MINUTE_MS) };
  return defineAgent({
    name: 'scribe',
    machine,
    events,
    records: {
      notes: { keys: { by: 'by' }, keep: { ...count, ...days } },
      checked: { schema: z.object({ size: z.number() }) },
    },
    keep: { ended: { count: 0 } },
  });
}

export const counter = defineAgent({
  name: 'counter',
  machine: setup({ types: {} as { context: { count: number }; events: { type: 'add' } } }).createMachine({
    context: { count: 0 },
    on: { add: { actions: assign({ count: ({ context }) => context.count + 1 }) } },
  }),
  events: { add: z.object({}) },
});

const tree = {
  intensity: 1_000,
  children: [
    { id: 's', agent: 'scribe', restart: 'transient' as const },
    { id: 't', agent: 'scribe' },
    { id: 'c', agent: 'counter' },
  ],
};

export const start = (options: Partial<TestSystemOptions> & { keep?: number; forMs?: number } = {}) => {
  const { keep, forMs, ...rest } = options;
  const bounds = { ...(keep !== undefined && { keep }), ...(forMs !== undefined && { forMs }) };
  return started({
    agents: [scribe(bounds), counter],
    tree,
    journal: { fold: { windowEpochs: 4, sliceRecords: 3 } },
    ...rest,
  });
};

export async function send(test: TestSystem, ...sent: Event[]): Promise<void> {
  for (const event of sent) await test.shard.send('s', event);
  await test.settle();
}

export const notes = (...whats: unknown[]): Event[] => whats.map((what) => ({ type: 'note', what }));

export async function whats(test: TestSystem, options = {}, address = 's'): Promise<unknown[]> {
  const { records } = await test.shard.records.list(address, 'notes', { limit: 1_000, ...options });
  return records.map(({ value }) => (value as { what: unknown }).what);
}

/** Keys of some keyspaces in the store, without those of the audit. */
export const storedKeys = (test: TestSystem, letters: string) =>
  test.store
    .entries()
    .map(([key]) => key)
    .filter((key) => letters.includes(key[0]!) && !key.includes(`!${AUDIT}`));

/** Makes the fold write all that is pending. */
export async function folded(test: TestSystem): Promise<void> {
  for (let n = 0; n < 400; n++) await test.shard.send('c', { type: 'add' });
  await test.settle();
}
