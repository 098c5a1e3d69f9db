/** Actors with records, for tests of the records that clients see: ledgers with a secret, and a diary without. */
import { setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { Placement } from '../../../src/actors/model/placement.ts';
import { secret } from '../../../src/actors/model/secret.ts';
import { record } from '../../../src/actors/model/talk-actions.ts';
import { placedNames } from '../workers/actors.ts';

type Event = { type: 'note'; order: string; what: unknown; pin: string } | { type: 'end' };

const AT = new Placement(2, new Set());
const [[zero], [one]] = placedNames((address) => AT.homeOf(address) as number, { count: 1 }) as [[string], [string]];

/** Ledgers on the first of two workers, and on the second. */
export const ONE = zero;
export const TWO = one;

export const ledger = ({ keep }: { readonly keep?: number } = {}) =>
  defineAgent({
    name: 'ledger',
    machine: setup({ types: {} as { events: Event } }).createMachine({
      initial: 'open',
      states: {
        open: {
          on: {
            note: {
              actions: [
                record('notes', ({ event: { order, what, pin } }) => ({ order, what, pin })),
                record('untold', ({ event: { what } }) => what),
              ],
            },
            end: 'ended',
          },
        },
        ended: { type: 'final' },
      },
    }),
    events: {
      note: z.object({ order: z.string(), what: z.unknown(), pin: z.string().default('4711') }),
      end: z.object({}),
    },
    records: {
      notes: {
        schema: z.object({ order: z.string(), what: z.unknown(), pin: secret(z.string()) }),
        keys: { order: 'order' },
        ...(keep !== undefined && { keep: { count: keep } }),
      },
      untold: { keys: { it: 'what' } },
    },
  });

export const diary = defineAgent({
  name: 'diary',
  machine: setup({ types: {} as { events: { type: 'write'; text: string } } }).createMachine({
    on: { write: { actions: record('pages', ({ event }) => ({ text: event.text })) } },
  }),
  events: { write: z.object({ text: z.string() }) },
  records: { pages: {} },
});

export const ledgers = (options: { readonly keep?: number } = {}) => ({
  agents: [ledger(options), diary],
  tree: {
    intensity: 100,
    children: [
      { id: ONE, agent: 'ledger' },
      { id: TWO, agent: 'ledger' },
      { id: 'diary', agent: 'diary' },
    ],
  },
});
