/**
 * Agent functions and ports of a crew: what they throw, reject with or give hurts their own task only, and is told with
 * the agent, the task or the port.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../src/actors/api/define-agent.ts';
import { heard, type Port, type PortContract, portLogic } from '../src/machines/work/port.ts';
import { crewOf, type CrewMembers, type WrittenPlan } from '../src/crew.ts';
import { leadCoordinator } from '../src/machines/coordination/coordinator/lead-coordinator.ts';
import { COORDINATOR } from '../src/machines/crew.ts';
import { toldPhase } from '../src/machines/coordination/coordinator/progress.ts';
import { VirtualClock } from '../src/testing/virtual-clock.ts';
import { startTestSystem, type TestSystem } from '../src/testing/test-system.ts';
import { HARMS, hostile } from './support/actors/hostile/values.ts';
import { sample } from './support/effort.ts';
import { unhandled } from './support/unhandled.ts';

/** Walking a list of so many items would never end; a promise without an end is what `timeoutMs` is for. */
const VALUES = sample(
  HARMS.filter((what) => !what.includes('more items')),
  8,
);

const WAYS = ['throws', 'rejects', 'gives', 'gives-later'];

const PLAN: WrittenPlan = {
  version: 1,
  plan: 'hostile',
  stages: {
    first: { agent: 'odd', retry: { attempts: 2, backoff: { minMs: 1, maxMs: 2 } }, timeoutMs: 1_000 },
    then: { agent: 'fine', after: ['first'] },
  },
  items: { ...Object.fromEntries(WAYS.map((way) => [way, {}])), sound: {} },
};

function membersFor(what: string): CrewMembers {
  const harm = (): never => {
    throw hostile(what);
  };
  const acts: Record<string, () => unknown> = {
    throws: harm,
    rejects: async () => harm(),
    gives: () => hostile(what),
    'gives-later': async () => hostile(what),
    sound: async () => 'well',
  };
  return {
    odd: ((_: unknown, { item }: { item: string }) => acts[item]!()) as CrewMembers[string],
    fine: async () => 'fine',
  };
}

const coordinatorOf = (test: TestSystem) => test.shard.actor(COORDINATOR, leadCoordinator).snapshot();

describe('an agent function', () => {
  it.each(VALUES)('may throw, reject with, or give %s, which hurts its item only (class D)', async (what) => {
    const clock = new VirtualClock();
    let test: TestSystem | undefined;
    const left = await unhandled(async () => {
      test = await startTestSystem({ ...crewOf(PLAN, membersFor(what), { clock }), clock });
      await test.advance(60_000);
    });
    onTestFinished(() => test!.shard.stop());
    const { context } = coordinatorOf(test!);
    const phases = Object.fromEntries([...context.items].map(([item, progress]) => [item, toldPhase(progress, 2)]));
    expect(left).toEqual([]);
    expect(phases['sound']).toBe('completed');
    for (const way of WAYS) expect(['paused', 'failed', 'completed']).toContain(phases[way]);
    expect(['paused', 'failed']).toContain(phases['throws']);
    expect(phases['throws']).toBe(phases['rejects']);
  });
});

describe('a port of a host', () => {
  const contract: PortContract<string> = { what: 'the word', answer: z.string().max(10), timeoutMs: 1_000 };
  const said = (port: (input: { way: string }) => unknown) => {
    const word = portLogic(port as Port<{ way: string }, unknown>);
    const note = assign({ known: ({ event }: { event: object }) => heard(contract, event) as unknown }) as never;
    const machine = setup({ actors: { word } }).createMachine({
      context: ({ input }) => ({ way: (input as { way: string }).way, known: null as unknown }),
      initial: 'asks',
      states: {
        asks: {
          invoke: {
            src: 'word',
            input: ({ context }) => ({ way: context.way }),
            onDone: { target: 'knows', actions: note },
            onError: { target: 'knows', actions: note },
          },
          after: { 1_000: 'knows' },
        },
        knows: {},
      },
    });
    return defineAgent({ name: 'asker', machine: machine as never, events: {} });
  };

  it.each(VALUES)('may throw, reject with, or answer %s: nothing is known then (class D)', async (what) => {
    const harm = (): never => {
      throw hostile(what);
    };
    const acts: Record<string, () => unknown> = {
      throws: harm,
      rejects: async () => harm(),
      gives: () => hostile(what),
      'gives-later': async () => hostile(what),
    };
    const agent = said(({ way }) => acts[way]!());
    const children = WAYS.map((way) => ({ id: way, agent: 'asker', input: { way } }));
    let test: TestSystem | undefined;
    const left = await unhandled(async () => {
      test = await startTestSystem({ agents: [agent], tree: { children } as never });
      await test.advance(5_000);
    });
    onTestFinished(() => test!.shard.stop());
    expect(left).toEqual([]);
    for (const way of WAYS) {
      const { value, context } = test!.shard.actor(way).snapshot() as { value: unknown; context: { known: unknown } };
      expect(value).toBe('knows');
      if (way === 'throws' || way === 'rejects') expect(context.known).toMatchObject({ isKnown: false });
    }
  });
});
