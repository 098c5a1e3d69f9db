/**
 * Properties of simulations: the deadline of leadsTo, a model of the acknowledged sends, and user code that reads clock
 * or chance.
 */
import { describe, expect, it } from 'vitest';
import { defineAgent } from 'bosun';
import { always, finally_, leadsTo, simulation, type SimulationOptions, sometimes, type View } from 'bosun/testing';
import { assign, fromPromise, setup } from 'xstate';
import { z } from 'zod';
import { type Step } from '../../src/testing/simulation/plan.ts';
import { play } from '../../src/testing/simulation/run.ts';
import { findingIn } from '../support/campaigns.ts';
import { unhandled } from '../support/unhandled.ts';

const empty = z.object({});
const base = { order: 0, rounds: null } as const;
const send = (id: number, type: string, ask = false): Step => ({
  ...base,
  id,
  kind: 'send',
  sends: [{ address: 'x', event: { type }, ask }],
});
const passes = (id: number, ms: number): Step => ({ ...base, id, kind: 'advance', ms });
const cut = (id: number): Step => ({ ...base, id, kind: 'powerCut', at: 'now', keep: 0, downMs: 0 });

describe('leadsTo', () => {
  const lamp = defineAgent({
    name: 'lamp',
    machine: setup({}).createMachine({
      initial: 'off',
      states: { off: { on: { press: 'on' } }, on: { after: { 60_000: 'off' } } },
    }),
    events: { press: empty },
  });
  const within = (withinMs: number) =>
    simulation<undefined>({
      system: () => ({ agents: [lamp], tree: { children: [{ id: 'x', agent: 'lamp' }] } }),
      properties: [
        leadsTo('on leads to off', {
          when: ({ snapshot }) => (snapshot('x')?.value === 'on' ? ['x'] : []),
          then: ({ snapshot }) => snapshot('x')?.value === 'off',
          withinMs,
        }),
      ],
    });

  it('fails if the second state comes too late, and names the actor that waits', async () => {
    const steps = [send(0, 'press'), passes(1, 50_001)];
    const { violation } = await play(within(50_000), { seed: 1, steps });
    expect(violation).toMatchObject({ property: 'on leads to off', detail: 'x has waited for 50001 ms' });
  });

  it('holds if the second state comes in time', async () => {
    const steps = [send(0, 'press'), passes(1, 60_001)];
    expect((await play(within(60_000), { seed: 1, steps })).violation).toBe(undefined);
  });

  it('starts its wait again after a fault', async () => {
    const steps = [send(0, 'press'), passes(1, 40_000), cut(2), passes(3, 30_000)];
    expect((await play(within(50_000), { seed: 1, steps })).violation).toBe(undefined);
  });
});

describe('a property that gives a promise', () => {
  const lamp = defineAgent({
    name: 'lamp',
    machine: setup({}).createMachine({ initial: 'off', states: { off: { on: { press: 'on' } }, on: {} } }),
    events: { press: empty },
  });
  const refused = (): never => Promise.reject(new Error('down')) as never;
  const model = { init: () => 0, apply: () => 0, check: () => true };

  it.each<[string, Partial<SimulationOptions<undefined>>]>([
    ['always', { properties: [always('p', refused)] }],
    ['finally_', { properties: [finally_('p', refused)] }],
    ['sometimes', { properties: [sometimes('p', refused)] }],
    ['when of leadsTo', { properties: [leadsTo('p', { when: refused, then: () => true, withinMs: 1 })] }],
    ['then of leadsTo', { properties: [leadsTo('p', { when: () => ['x'], then: refused, withinMs: 1 })] }],
    ['check of a model', { model: { ...model, check: refused } }],
    ['apply of a model', { model: { ...model, apply: refused } }],
  ])('does not hold, and says why: %s (class A)', async (_, options) => {
    const subject = simulation<undefined>({
      system: () => ({ agents: [lamp], tree: { children: [{ id: 'x', agent: 'lamp' }] } }),
      ...options,
    });
    const left = await unhandled(async () => {
      const { violation } = await play(subject, { seed: 1, steps: [send(0, 'press')] });
      expect(violation?.detail).toContain('gives a promise, and nobody waits for it here');
    });
    expect(left).toEqual([]);
  });
});

describe('a model', () => {
  /** Counts the asks that it receives, and never replies. */
  const teller = (by: number) =>
    defineAgent({
      name: 'teller',
      machine: setup({ types: {} as { context: { n: number } } }).createMachine({
        context: { n: 0 },
        initial: 'free',
        states: {
          free: { on: { pay: { target: 'busy', actions: assign({ n: ({ context }) => context.n + by }) } } },
          busy: { after: { 1_000: 'free' } },
        },
      }),
      events: { pay: empty },
    });
  const counted = (by: number) =>
    simulation<undefined>({
      system: () => ({ agents: [teller(by)], tree: { children: [{ id: 'x', agent: 'teller' }] } }),
      model: {
        init: () => 0,
        apply: (n) => (n as number) + 1,
        check: (n, { snapshot }: View<undefined>) => {
          const { n: now } = snapshot('x')?.context as { n: number };
          return now === n || `it has counted ${now}, and clients know of ${String(n)}`;
        },
      },
    });

  it('allows an unanswered send to have been accepted', async () => {
    // The question is taken and never answered: its client knows of neither.
    const steps = [send(0, 'pay', true), passes(1, 10)];
    const { violation, acked } = await play(counted(1), { seed: 1, steps });
    expect({ violation, acked }).toEqual({ violation: undefined, acked: 0 });
  });

  it('fails if no choice among the unanswered sends fits', async () => {
    const steps = [send(0, 'pay', true), passes(1, 10)];
    const { violation } = await play(counted(2), { seed: 1, steps });
    expect(violation).toMatchObject({ property: 'the model', detail: 'it has counted 2, and clients know of 0' });
  });
});

describe('user code that uses clock, chance or timers of the host machine', () => {
  /** A simulation whose user code reads the host machine, and the value that it got. */
  function asking(tells: () => unknown) {
    const agent = defineAgent({
      name: 'asker',
      machine: setup({
        types: {} as { context: { told: unknown } },
        actors: { pause: fromPromise(() => new Promise<number>((resolve) => setTimeout(() => resolve(7), 60_000))) },
      }).createMachine({
        context: { told: null },
        initial: 'idle',
        states: {
          idle: { on: { look: { actions: assign({ told: () => tells() }) }, pause: 'pausing' } },
          pausing: {
            invoke: {
              src: 'pause',
              onDone: { target: 'idle', actions: assign({ told: ({ event }) => event.output }) },
            },
          },
        },
      }),
      events: { look: empty, pause: empty },
    });
    let told: unknown;
    const asked = simulation<undefined>({
      system: () => ({ agents: [agent], tree: { children: [{ id: 'x', agent: 'asker' }] } }),
      properties: [
        {
          kind: 'always',
          name: 'is looked at',
          holds: ({ snapshot }) => void (told = (snapshot('x')?.context as { told: unknown }).told),
        },
      ],
      healMs: 0,
      steps: 5,
    });
    return { asked, told: () => told };
  }
  const HERE = /properties\.test\.ts:\d+$/;

  it('is given the date of the virtual world, and is named in the report', async () => {
    const { asked, told } = asking(() => [Date.now(), new Date().getTime()]);
    const steps = [passes(0, 5_000), send(1, 'look')];
    const { asked: places } = await play(asked, { seed: 1, steps });
    const nowMs = Date.UTC(2026, 0, 1) + 5_000;
    expect(told()).toEqual([nowMs, nowMs]);
    expect([...places][0]).toMatch(/^Date at/);
    expect([...places][0]).toMatch(HERE);
  });

  it('gets the same random number for the same seed, and a different one for another seed', async () => {
    const { asked, told } = asking(() => Math.random());
    const drawn = async (seed: number) => {
      const { asked: places } = await play(asked, { seed, steps: [send(0, 'look')] });
      expect([...places][0]).toMatch(/^Math.random at/);
      return told();
    };
    const first = await drawn(1);
    expect(await drawn(1)).toBe(first);
    expect(await drawn(2)).not.toBe(first);
  });

  it('waits for a timer in virtual time, and not beyond the crash of its process', async () => {
    const { asked, told } = asking(() => null);
    const waits = [send(0, 'pause'), passes(1, 59_999)];
    expect((await play(asked, { seed: 1, steps: waits })).violation).toBe(undefined);
    expect(told()).toBe(null);
    const { asked: places } = await play(asked, { seed: 1, steps: [...waits, passes(2, 1)] });
    expect(told()).toBe(7);
    expect([...places][0]).toMatch(/^setTimeout at/);
    // The next process starts its wait again.
    await play(asked, { seed: 1, steps: [...waits, cut(2), passes(3, 59_999)] });
    expect(told()).toBe(null);
  });

  it('is detected if it bypasses the simulation, because its seed gives two different runs', async () => {
    const { performance } = globalThis;
    const { asked } = asking(() => performance.now());
    const { failure } = await findingIn(asked, 'two different runs', { twiceOneIn: 1 });
    expect(failure?.violation.property).toBe('a seed does the same twice');
  });
});
