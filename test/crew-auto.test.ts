/** A plan whose agents are chosen by the texts of its tasks, carried out by a whole crew. */
import { describe, expect, it } from 'vitest';
import { crewOf, type CrewMembers, type WrittenPlan } from '../src/crew.ts';
import { leadCoordinator } from '../src/machines/coordination/coordinator/lead-coordinator.ts';
import { resultsOf } from '../src/machines/coordination/coordinator/coordinator-context.ts';
import { COORDINATOR } from '../src/machines/crew.ts';
import { startTestSystem, type TestSystem } from '../src/testing/test-system.ts';
import { profile } from './support/machines/profiles.ts';

const PLAN: WrittenPlan = {
  version: 1,
  plan: 'release',
  stages: {
    build: { agent: 'auto', task: 'Build an API endpoint' },
    read: { agent: 'auto', task: 'Review this pull request', after: ['build'] },
  },
  items: ['cart'],
};

let isHeld: boolean;
const ran: string[] = [];
const doing = (name: string) => async () => {
  ran.push(name);
  if (name === 'reviewer' && isHeld) await new Promise(() => {});
  return name;
};
const members: CrewMembers = { backend: doing('backend'), reviewer: doing('reviewer'), security: doing('security') };

const coordinatorOf = (test: TestSystem) => test.shard.actor(COORDINATOR, leadCoordinator).snapshot();

describe('a crew whose agents are chosen', () => {
  it('CN-017: keeps choice and reasons over a crash, though the roster would choose another now', async () => {
    isHeld = true;
    ran.length = 0;
    const test = await startTestSystem(crewOf(PLAN, members));
    const { tasks } = coordinatorOf(test).context.plan;
    expect(tasks.map(({ id, agent }) => `${id} ${agent}`)).toEqual(['cart/build backend', 'cart/read reviewer']);
    await test.crash();

    isHeld = false;
    const roster = [
      {
        source: 'own',
        profiles: [profile('security', { exampleTasks: ['Review this pull request'] }), profile('backend')],
      },
    ];
    await test.restart(
      crewOf(
        { ...PLAN, stages: { ...PLAN.stages } } as WrittenPlan,
        { ...members, standard: doing('standard') },
        { roster },
      ),
    );
    const { value, context } = coordinatorOf(test);
    expect(value).toBe('completed');
    expect(context.plan.tasks).toEqual(tasks);
    expect(context.plan.tasks[1]).toMatchObject({
      wanted: 'Review this pull request',
      chosen: { confidence: 1, reason: expect.stringContaining('is its example') as string },
    });
    expect(resultsOf(context, 'cart')).toEqual({ build: 'backend', read: 'reviewer' });
    expect(ran).toEqual(['backend', 'reviewer', 'reviewer']);
    await test.shard.stop();
  });

  it('is refused at once if a text fits none of its members', () => {
    const stages = { build: { agent: 'auto', task: 'qwrtz' } };
    expect(() => crewOf({ ...PLAN, stages }, { mobile: doing('mobile') })).toThrow(
      expect.objectContaining({
        code: 'BOSUN_PLAN_INVALID',
        message: expect.stringContaining('stages.build.task: fits no agent of the plan (mobile)') as string,
      }) as Error,
    );
  });
});
