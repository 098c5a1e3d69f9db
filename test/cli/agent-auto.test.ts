/** Plans with `agent: auto` on the command line: the choice is told, and stands on record over a kill. */
import { afterAll, describe, expect, it } from 'vitest';
import { linesOf, Workspace } from '../support/cli/workspace.ts';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

const PLAN = (task: string) => `version: 1
plan: release
agents: ./agents.mjs
stages:
  build: { agent: auto, task: "${task}" }
  read: { agent: reviewer, after: [build] }
items: [cart]
`;

/** Agents of which the reviewer never ends without a file, and a profile of an agent that the package does not know. */
const AGENTS = (likes: string) => `
import { existsSync } from 'node:fs';
const packs = { agentId: 'packer', description: 'Packs.', selectionMetadata: { exampleTasks: ['${likes}'] } };
export const profiles = [packs];
export const packer = async () => 'packed';
export const backend = async () => 'built';
export const reviewer = async () => {
  if (!existsSync(${JSON.stringify(work.file('go'))})) await new Promise(() => {});
  return 'read';
};
`;

interface Chosen {
  readonly type: string;
  readonly stage: string;
  readonly agent: string;
  readonly reason: string;
}
const chosenIn = (out: string) => linesOf(out).find(({ type }) => type === 'agent.chosen') as unknown as Chosen;

describe('a plan file that says agent: auto', () => {
  it('CN-017: tells the choice, and keeps it over kill -9 though the profiles have changed', async () => {
    work.write('plan.yaml', PLAN('Pack the parcels of today'));
    work.write('agents.mjs', AGENTS('Pack the parcels of today'));
    const first = work.spawn(['run', 'plan.yaml', '--json', '--data', 'd']);
    await first.says('"task.completed"');
    await first.says('"cart/read"');
    const { out } = await first.end('SIGKILL');
    expect(chosenIn(out)).toMatchObject({ stage: 'build', agent: 'packer' });
    expect(chosenIn(out).reason).toContain('is its example "Pack the parcels of today"');

    work.write('agents.mjs', AGENTS('Something else'));
    work.write('go', '');
    const again = await work.spawn(['run', 'plan.yaml', '--json', '--data', 'd']).ended;
    expect(again.code).toBe(0);
    expect(chosenIn(again.out)).toEqual(chosenIn(out));

    work.write('plan.yaml', PLAN('Build an API endpoint'));
    const other = await work.bosun(['run', 'plan.yaml', '--data', 'd']);
    expect(other.code).toBe(2);
    expect(other.err).toContain('the task cart/build: agent is "backend", was "packer"');
  });

  it('shows the chosen agent in the schedule', async () => {
    work.write('plan.yaml', PLAN('Build an API endpoint'));
    expect((await work.bosun(['schedule', 'plan.yaml'])).out).toMatch(/cart\/build +backend/);
  });

  it.each([
    [PLAN('qwrtz'), 'plan.yaml:5:31: stages.build.task: fits no agent of the plan (backend, reviewer, packer)'],
    [PLAN('x').replace(', task: "x"', ''), 'plan.yaml:5:10: stages.build.task: is missing: say in words'],
  ])('refuses what cannot be chosen, with line and column: %#', async (plan, words) => {
    work.write('plan.yaml', plan);
    const { code, err } = await work.bosun(['run', 'plan.yaml', '--data', 'other']);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(words) as string });
  });

  it('refuses profiles of a module that are not valid', async () => {
    work.write('plan.yaml', PLAN('Build an API endpoint').replace('agents.mjs', 'broken.mjs'));
    work.write('broken.mjs', "export const profiles = [{ agentId: '1' }];\nexport const reviewer = async () => 1;\n");
    const { code, err } = await work.bosun(['run', 'plan.yaml', '--data', 'other']);
    expect(code).toBe(2);
    expect(err).toContain(
      'plan.yaml:3:9: agents: exports profiles of which one is not valid: profiles[0].agentId: must be',
    );
  });
});
