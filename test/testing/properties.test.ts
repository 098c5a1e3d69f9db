/** Properties of agents with effects: a planted bug is found and shrunk, and a property about nothing says so. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromPromise, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../src/actors/api/define-agent.ts';
import { isBosunError } from '../../src/errors.ts';
import { agentModel, type AgentModelOptions } from '../../src/testing/arbitraries/agent-model.ts';
import { byEffort } from '../support/effort.ts';

const RUNS = { numRuns: byEffort({ quick: 20, ci: 50 }) };

/** The warehouse: it reserves at once, and its answers take time. */
class Warehouse {
  readonly reserved = new Set<string>();
}

const effect = fromPromise(async () => {
  throw new Error('a test does not reach the network');
});

/**
 * An order.
 *
 * @param cancelling Where an order goes that is cancelled while it is being reserved.
 */
function order(cancelling: 'cancelled' | 'releasing') {
  return defineAgent({
    name: 'order',
    machine: setup({
      types: {} as { events: { type: 'place' } | { type: 'cancel' } | { type: 'ship' } },
      actors: { reserve: effect, release: effect },
    }).createMachine({
      id: 'order',
      initial: 'draft',
      states: {
        draft: { on: { place: 'reserving' } },
        reserving: { invoke: { src: 'reserve', onDone: 'packing', onError: 'failed' }, on: { cancel: cancelling } },
        packing: { on: { ship: 'shipped', cancel: 'releasing' } },
        releasing: { invoke: { src: 'release', onDone: 'cancelled', onError: 'failed' } },
        shipped: { type: 'final' },
        cancelled: {},
        failed: {},
      },
    }),
    events: { place: z.object({}), cancel: z.object({}), ship: z.object({}) },
  });
}

const OPTIONS: AgentModelOptions<ReturnType<typeof order>, Warehouse> = {
  advanceMs: 100,
  world: () => new Warehouse(),
  effects: {
    'order.reserve': async (_, { world, sleep }) => {
      world.reserved.add('one');
      await sleep(5);
    },
    'order.release': (_, { world }) => void world.reserved.delete('one'),
  },
  check: ({ value }, { world }) => {
    expect([value, [...world.reserved]]).not.toEqual(['cancelled', ['one']]);
  },
};

describe('a property of an agent with effects', () => {
  it('DC-010: finds a planted bug within ten seconds, in at most three steps', async () => {
    const { commands, run } = agentModel(fc, order('cancelled'), OPTIONS);
    const { failed, counterexample } = await fc.check(fc.asyncProperty(commands, run), { numRuns: 1_000 });
    expect(failed).toBe(true);
    // The path for a replay is told behind the commands.
    const steps = String(counterexample![0])
      .replace(/ *\/\*.*$/, '')
      .split(',');
    expect(steps.length).toBeLessThanOrEqual(3);
    expect(steps).toEqual(expect.arrayContaining(['send {"type":"place"}', 'send {"type":"cancel"}']));
  }, 10_000);

  it('DC-010: holds without the bug, over power cuts, and tells which states it saw', async () => {
    const model = agentModel(fc, order('releasing'), { ...OPTIONS, mustEnter: ['packing'] });
    const { runs, entered } = await model.assert({ numRuns: 100 });
    expect(runs).toBe(100);
    expect(entered['draft']).toBe(runs);
    expect(entered['packing']).toBeGreaterThan(0);
    expect(model.states.entered).toEqual(entered);
  });

  it('is not compared with plain XState, whose promises would run a second time', async () => {
    let calls = 0;
    const machine = setup({ actors: { count: fromPromise(async () => void (calls += 1)) } }).createMachine({
      initial: 'counting',
      states: { counting: { invoke: { src: 'count', onDone: 'done' } }, done: { on: { again: 'counting' } } },
    });
    const agent = defineAgent({ name: 'counting', machine, events: { again: z.object({}) } });
    const { run } = agentModel(fc, agent, { check: () => {} });
    await run([]);
    expect(calls).toBe(1);
  });
});

describe('a property that is about nothing', () => {
  const lamp = defineAgent({
    name: 'lamp',
    machine: setup({ types: {} as { events: { type: 'press'; times: number } } }).createMachine({
      initial: 'off',
      states: {
        off: { on: { press: { guard: ({ event }) => event.times > 1_000, target: 'on' } } },
        on: { initial: 'dim', states: { dim: {}, bright: {} } },
      },
    }),
    events: { press: z.object({ times: z.int().max(3) }) },
  });

  it('is refused where the agent never left its first states (S14)', async () => {
    const error: unknown = await agentModel(fc, lamp)
      .assert(RUNS)
      .catch((reason: unknown) => reason);
    expect(isBosunError(error, 'BOSUN_PROPERTY_VACUOUS')).toBe(true);
    const message = `the property holds, but lamp never left its first states (off) in ${RUNS.numRuns} runs`;
    expect((error as Error).message).toBe(message);
  });

  it('warns by itself after some runs, and once (S14)', async () => {
    const warnings: string[] = [];
    const warn = (line: string) => void warnings.push(line);
    const { commands, run, states } = agentModel(fc, lamp, { system: { warn } });
    await fc.assert(fc.asyncProperty(commands, run), { numRuns: 40 });
    expect(warnings).toEqual(['test: lamp never left its first states (off) in 25 runs']);
    expect(states.runs).toBe(0);
  });

  it('names the promises that it waited for (S14)', async () => {
    const never = { 'order.reserve': () => new Promise(() => {}), 'order.release': () => {} };
    const model = agentModel(fc, order('releasing'), { ...OPTIONS, effects: never, mustEnter: ['packing'] });
    await expect(model.assert({ numRuns: 50 })).rejects.toThrow(
      /order never entered packing in 50 runs; promises were under way at the end: order\.reserve in \d+$/,
    );
  });

  it('warns of other states that were never entered (S14)', async () => {
    const warnings: string[] = [];
    const eager = { ...lamp, events: { press: z.object({ times: z.literal(2_000) }) } };
    await agentModel(fc, eager, { system: { warn: (line) => void warnings.push(line) } }).assert(RUNS);
    expect(warnings).toEqual([`test: the property holds, but lamp never entered on.bright in ${RUNS.numRuns} runs`]);
  });

  it.each<[string, object, string]>([
    ['an unknown option', { chek: () => {} }, 'agentModel: unknown key "chek"; did you mean "check"?'],
    ['an unknown state', { mustEnter: ['on.brigth'] }, 'lamp has no state "on.brigth"; did you mean "on.bright"?'],
    ['nothing to check', { isCompared: false }, 'agentModel: isCompared is false: give `check`'],
  ])('is refused for %s', (_, options, message) => {
    expect(() => agentModel(fc, lamp, options)).toThrow(message);
  });

  it('is refused for an agent that invokes, without a condition', () => {
    const message = 'agentModel: order invokes or spawns, and is not compared with XState: give `check`';
    expect(() => agentModel(fc, order('releasing'))).toThrow(message);
  });
});
