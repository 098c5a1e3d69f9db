/** The rule that a machine keeps its own time: a plan has no time limit for its attempts. Pure. */
import { pathOf, type Plan, type PlanProblem } from './plan.ts';

/** Finds a task with a time limit for the attempt whose agent type is among those that are machines. */
export function limitedMachine({ tasks }: Plan, machines: ReadonlySet<string>): PlanProblem | undefined {
  const index = tasks.findIndex(({ agent, timeoutMs }) => timeoutMs !== null && machines.has(agent));
  if (index === -1) return undefined;
  const task = tasks[index]!;
  const why = 'is a machine, whose time limits are its own: give it an "after" transition';
  return { path: pathOf(task, index, 'timeoutMs'), message: `the agent "${task.agent}" ${why}` };
}
