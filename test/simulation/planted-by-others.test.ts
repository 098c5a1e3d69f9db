/**
 * Faults of agents planted by somebody who knows the simulator by its page alone: each is found and told in a short
 * story, and the mended twin gives no alarm.
 */
import { defineAgent } from 'bosun';
import { campaign, simulation, type Simulation } from 'bosun/testing';
import { describe, expect, it } from 'vitest';
import { assign, fromPromise, setup } from 'xstate';
import { z } from 'zod';
import { holdingIn, seedsOf, shortStoryIn } from '../support/campaigns.ts';
import { byEffort, LONG } from '../support/effort.ts';
import { logs, mailings } from './planted/batches.ts';
import { leases, meters } from './planted/clocks.ts';
import { prices, tally } from './planted/readers.ts';
import { reservations } from './planted/stock.ts';

/** The most lines that a person reads as one story. */
const LINES_MAX = 25;

/** Seeds in which a mended system gives no alarm. */
const MENDED_SEEDS = byEffort({ quick: 10, ci: 20, soak: 1_000 });

function planted<World>(fault: string, of: (hasBug: boolean) => Simulation<World>) {
  return {
    fault,
    wrong: () => shortStoryIn(of(true), fault, { steps: Infinity, lines: LINES_MAX }),
    mended: () => holdingIn(of(false), `mended: ${fault}`, { seeds: MENDED_SEEDS }),
  };
}

const systems = [
  planted('a second answer of one child taken for that of another', tally),
  planted('a subscription not renewed when the other side begins anew', prices),
  planted('a buffer emptied of what came during the flush', logs),
  planted('a checkpoint ahead of the work', mailings),
  planted('a lease without a fencing token', leases),
  planted('missed times of a schedule not made up for', meters),
  planted('a question not answered in time taken for a no', reservations),
];

/** Keeps the error of its last try, as agents do for people to see. */
const keeper = defineAgent({
  name: 'keeper',
  machine: setup({
    types: {} as { context: { error: unknown }; events: { type: 'go' } },
    actors: { work: fromPromise<void>(async () => {}) },
  }).createMachine({
    context: { error: null },
    initial: 'idle',
    states: {
      idle: { on: { go: 'working' } },
      working: {
        invoke: {
          src: 'work',
          onDone: 'idle',
          onError: { target: 'idle', actions: assign({ error: ({ event }) => event.error }) },
        },
      },
    },
  }),
  events: { go: z.object({}) },
});

describe('Faults planted by others', () => {
  it.each(systems)('finds $fault', LONG, async ({ wrong }) => {
    const { failure } = await wrong();
    expect(failure).toBeDefined();
    expect(failure?.story.length).toBeLessThanOrEqual(LINES_MAX);
  });

  it.each(systems)('gives no alarm where it is mended: $fault', LONG, async ({ mended }) => {
    const { failure, neverMet, text } = await mended();
    expect(failure, text).toBeUndefined();
    expect(neverMet).toEqual([]);
  });

  it('gives no alarm for an agent that keeps an error in its context', LONG, async () => {
    const keeping = simulation({
      system: () => ({ agents: [keeper], tree: { children: [{ id: 'keeper', agent: 'keeper' }] } }),
      effects: { 'keeper.work': { fails: 0.5, run: () => undefined } },
      steps: 4,
    });
    const { failure } = await campaign(keeping, { seeds: seedsOf('a kept error', 40), twiceOneIn: 1 });
    expect(failure?.violation).toBeUndefined();
  });
});
