/** `bosun run` of plans with many tasks, whose coordinator is a child with a large input. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Workspace } from '../support/cli/workspace.ts';
import { LONG } from '../support/effort.ts';

let work: Workspace;
beforeEach(() => void (work = new Workspace()));
afterEach(() => work[Symbol.asyncDispose]());

const STAGES = ['a', 'b', 'c', 'd'];

/** Writes a plan of four stages, each after the one before, whose agents return at once. */
function staged(items: number): void {
  work.write('agents.mjs', STAGES.map((name) => `export const ${name} = async () => ({});`).join('\n'));
  const stages = STAGES.map((agent, n) => [agent, { agent, duration: 1, ...(n > 0 && { after: [STAGES[n - 1]] }) }]);
  const plan = {
    version: 1,
    plan: 'large',
    agents: './agents.mjs',
    stages: Object.fromEntries(stages) as object,
    items: Array.from({ length: items }, (_, n) => `i${n}`),
  };
  work.write('plan.json', JSON.stringify(plan));
}

async function runsToTheEnd(items: number): Promise<void> {
  staged(items);
  const { code, out } = await work.bosun(['run', 'plan.json']);
  expect([code, out.match(/: completed$/gm)?.length]).toEqual([0, items]);
}

describe('bosun run of a plan with many items', () => {
  it('runs four stages of each to the end (B1)', () => runsToTheEnd(25));

  it('runs 10,000 tasks to the end (B1)', LONG, () => runsToTheEnd(2_500));
});
