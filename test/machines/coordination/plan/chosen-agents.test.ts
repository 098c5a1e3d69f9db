/** Agents that a plan leaves to be chosen: by the text of a task, among those that can do the work. */
import { describe, expect, it } from 'vitest';
import { SHIPPED_PROFILES } from '../../../../src/machines/agents/profiles/shipped.ts';
import {
  type Candidates,
  choicesOf,
  withChosenAgents,
  withHeldChoices,
} from '../../../../src/machines/coordination/plan/chosen-agents.ts';
import { normalisePlan, type Plan } from '../../../../src/machines/coordination/plan/plan.ts';
import { profile } from '../../../support/machines/profiles.ts';

const REVIEW = 'Review this pull request';
const API = 'Build an API endpoint';

function planOf(written: object): Plan {
  const read = normalisePlan({ version: 1, plan: 'p', ...written });
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.plan;
}

const staged = (task: string) =>
  planOf({ stages: { do: { agent: 'auto', task }, tell: { agent: 'tell', after: ['do'] } }, items: ['a', 'b'] });
const candidates = (...members: string[]): Candidates => ({ profiles: SHIPPED_PROFILES, members });

function chosen(plan: Plan, among: Candidates): Plan {
  const result = withChosenAgents(plan, among);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result.plan;
}

describe('a task that says agent: auto', () => {
  it('CN-017: gets the agent that fits its text, with confidence, reason and alternatives, in every item', () => {
    const plan = chosen(staged(API), candidates('backend', 'reviewer', 'tell'));
    expect(plan.tasks.map(({ id, agent }) => `${id} ${agent}`)).toEqual([
      'a/do backend',
      'a/tell tell',
      'b/do backend',
      'b/tell tell',
    ]);
    expect(plan.tasks[0]!.chosen).toEqual({
      confidence: 1,
      reason: expect.stringContaining('is its example "Build an API endpoint"') as string,
      alternatives: expect.any(Array) as unknown,
    });
    expect(plan.tasks[1]!.chosen).toBeUndefined();
    expect(choicesOf(plan).map(({ stage }) => stage)).toEqual(['do']);
  });

  it('is chosen in a plan of tasks too, each by its own text', () => {
    const tasks = [
      { id: 'one', agent: 'auto', task: REVIEW },
      { id: 'two', agent: 'auto', task: API, after: ['one'] },
    ];
    const plan = chosen(planOf({ tasks }), candidates('backend', 'reviewer'));
    expect(plan.tasks.map(({ agent }) => agent)).toEqual(['reviewer', 'backend']);
    expect(choicesOf(plan).map(({ id }) => id)).toEqual(['one', 'two']);
  });

  it('never gets an agent that the host lacks, or that is disabled', () => {
    expect(chosen(staged(REVIEW), candidates('security', 'tell')).tasks[0]!.agent).toBe('security');
    const off = [
      profile('ann', { exampleTasks: [REVIEW] }, { enabled: false }),
      profile('bea', { exampleTasks: ['Review a request to pull'] }),
    ];
    expect(chosen(staged(REVIEW), { profiles: off, members: ['ann', 'bea'] }).tasks[0]!.agent).toBe('bea');
  });

  it('gets the agent for any other task if nothing fits and the host has it', () => {
    const plan = chosen(staged('qwrtz'), candidates('backend', 'standard'));
    expect(plan.tasks[0]).toMatchObject({ agent: 'standard', chosen: { confidence: 0.5 } });
  });

  it.each([
    [
      candidates('backend', 'tell'),
      'fits no agent of the plan (backend): say it in other words, name an agent, or have an agent "standard" for ' +
        'whatever fits nobody',
    ],
    [
      candidates(),
      'fits no agent of the plan, which has none: say it in other words, name an agent, or have an agent "standard" ' +
        'for whatever fits nobody',
    ],
    [
      candidates('tell'),
      'fits no agent of the plan, none of which has a profile: say it in other words, name an agent, or have an ' +
        'agent "standard" for whatever fits nobody',
    ],
  ])('is refused with its place if its text fits nobody: %#', (among, message) => {
    expect(withChosenAgents(staged('qwrtz'), among)).toEqual({
      problems: [{ path: ['stages', 'do', 'task'], message }],
    });
  });

  it.each([
    [
      { stages: { do: { agent: 'auto' } }, items: ['a'] },
      {
        path: ['stages', 'do', 'task'],
        message: 'is missing: say in words what is to be done, to have an agent chosen',
      },
    ],
    [
      { tasks: [{ id: 'one', agent: 'add', task: 'x' }] },
      { path: ['tasks', 0, 'task'], message: 'belongs to "agent: auto"; a named agent needs no text' },
    ],
    [
      { tasks: [{ id: 'one', agent: 'auto', run: 'true', task: 'x' }] },
      { path: ['tasks', 0, 'agent'], message: 'a command to "run" does its task itself: no agent is chosen for it' },
    ],
    [
      { tasks: [{ id: 'one', run: 'true', task: 'x' }] },
      { path: ['tasks', 0, 'task'], message: 'belongs to "agent: auto"; a named agent needs no text' },
    ],
  ])('needs a text, which no other task may have: %#', (written, problem) => {
    expect(normalisePlan({ version: 1, plan: 'p', ...written })).toEqual({ problems: [problem] });
  });
});

describe('a choice on record', () => {
  const members = ['backend', 'reviewer', 'tell'];

  it('stands for the same text, whatever the profiles say now, with the capacity of its agent', () => {
    const written = planOf({
      pack: 'finance',
      stages: { do: { agent: 'auto', task: API }, tell: { agent: 'tell', after: ['do'] } },
      items: ['a'],
    });
    const able = [...members, 'valuation'];
    const held = chosen(written, { profiles: [profile('valuation', { exampleTasks: [API] })], members: able });
    expect(held.capacity).toEqual({ valuation: 1 });
    const now = { profiles: [profile('reviewer', { exampleTasks: [API] })], members: able };
    expect(chosen(written, now).tasks[0]!.agent).toBe('reviewer');
    expect(chosen(withHeldChoices(written, held), now)).toEqual(held);
  });

  it('does not stand for another text', () => {
    const held = chosen(staged(API), candidates(...members));
    expect(withHeldChoices(staged(REVIEW), held)).toEqual(staged(REVIEW));
  });
});
