/** A crew of agent functions in a host's own process: `bosun/crew`. */
import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { crewOf, type CrewMembers, type WrittenPlan } from '../src/crew.ts';
import { leadCoordinator } from '../src/machines/coordination/coordinator/lead-coordinator.ts';
import { resultsOf } from '../src/machines/coordination/coordinator/coordinator-context.ts';
import { COORDINATOR } from '../src/machines/crew.ts';
import { startTestSystem, type TestSystem } from '../src/testing/test-system.ts';
import { VirtualClock } from '../src/testing/virtual-clock.ts';
import { code } from './support/actors/account.ts';

const PLAN: WrittenPlan = {
  version: 1,
  plan: 'sums',
  stages: { add: { agent: 'add' }, tell: { agent: 'tell', after: ['add'] } },
  items: { one: { a: 1, b: 2 }, two: { a: 3, b: 4 } },
};

const add: CrewMembers['add'] = async (input) => {
  const { a, b } = input as { a: number; b: number };
  return { sum: a + b };
};
const tell: CrewMembers['tell'] = async (_, { item, results }) =>
  `${item} is ${(results['add'] as { sum: number }).sum}`;

const coordinatorOf = (test: TestSystem) => test.shard.actor(COORDINATOR, leadCoordinator).snapshot();

describe('a crew that is embedded', () => {
  it('DC-011: carries out a plan by functions, and reports their results', async () => {
    const test = await startTestSystem(crewOf(PLAN, { add, tell }));
    const { value, context } = coordinatorOf(test);
    expect(value).toBe('completed');
    expect(resultsOf(context, 'one')).toMatchObject({ tell: 'one is 3' });
    expect(resultsOf(context, 'two')).toMatchObject({ tell: 'two is 7' });
    await test.shard.stop();
  });

  it('continues where it was after a crash of the host (DC-011)', async () => {
    const ran: string[] = [];
    let isHeld = true;
    const members: CrewMembers = {
      add: async (input, context) => {
        ran.push(`add ${context.item}`);
        return add(input, context);
      },
      tell: async (input, context) => {
        if (isHeld) await new Promise(() => {});
        return tell(input, context);
      },
    };
    const test = await startTestSystem(crewOf(PLAN, members));
    await test.crash();
    isHeld = false;
    await test.restart(crewOf(PLAN, members));
    expect(coordinatorOf(test).value).toBe('completed');
    expect(ran).toEqual(['add one', 'add two']);
    await test.shard.stop();
  });

  it('takes machines as members, and measures time limits by the given clock (DC-011)', async () => {
    const clock = new VirtualClock();
    const machine = createMachine({ initial: 'a', states: { a: { type: 'final' } }, output: { sum: 9 } });
    const never: CrewMembers['tell'] = () => new Promise(() => {});
    const limited = { ...PLAN, stages: { ...PLAN.stages, tell: { agent: 'tell', after: ['add'], timeoutMs: 1_000 } } };
    const test = await startTestSystem({ ...crewOf(limited, { add: machine, tell: never }, { clock }), clock });
    await test.advance(60_000);
    expect(coordinatorOf(test).value).not.toBe('running');
    expect(resultsOf(coordinatorOf(test).context, 'one')).toMatchObject({ add: { sum: 9 } });
    await test.shard.stop();
  });

  it.each<[string, object, CrewMembers, string]>([
    [
      'an agent type without a member',
      {},
      { add, tel: tell },
      'stages.tell.agent: unknown agent "tell"; did you mean "tel"?',
    ],
    ['a misspelt key', { capcity: { add: 1 } }, { add, tell }, 'unknown key "capcity"; did you mean "capacity"?'],
    ['no stages', { stages: undefined }, { add, tell }, 'the plan:'],
    [
      'a shell command',
      { stages: undefined, items: undefined, tasks: [{ id: 'a', run: 'ls' }] },
      { add },
      'is a shell command: give an agent',
    ],
    [
      'a time limit of a machine',
      { stages: { add: { agent: 'add', timeoutMs: 5 } } },
      { add: createMachine({}) },
      'stages.add.timeoutMs: the agent "add" is a machine, whose time limits are its own',
    ],
  ])('refuses %s (DC-011)', (_, changes, members, message) => {
    const made = () => crewOf({ ...PLAN, ...changes } as WrittenPlan, members);
    expect(made).toThrow(message);
    expect(made).toThrow(code('BOSUN_PLAN_INVALID') as never);
  });
});
