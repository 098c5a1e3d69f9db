/**
 * Detection of the crew's machines in a test system: the whole crew or some of its desks, by the options of the start.
 */
import { crewAgents, crewTree } from '../../../src/machines/crew.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { planOf } from '../fixtures/plans/plans.ts';
import { showsBy } from '../shown-by.ts';

/** Names of the crew's agents, whose machines a host's ports replace. */
const AGENTS = crewAgents.map(({ name }) => name);

/** The children of a whole crew, with their agents. */
const CHILDREN = crewTree(planOf({ stages: { a: { agent: 'a' } }, items: ['A'] })).children.map(placeOf);

export function startMachines(options: TestSystemOptions): Promise<TestSystem> {
  const own = new Set(options.agents.map(({ name }) => name));
  const children = new Set((options.tree?.children ?? []).map(placeOf));
  const isWhole = AGENTS.every((name) => own.has(name)) && CHILDREN.every((child) => children.has(child));
  showsBy(isWhole ? 'crew' : 'system');
  return startTestSystem(options);
}

function placeOf({ id, agent = 'a Boss' }: { readonly id: string; readonly agent?: string }): string {
  return `${id}: ${agent}`;
}
