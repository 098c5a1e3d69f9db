/**
 * The choice of agents for tasks that say `agent: auto`: by their text, among the agents that can do the work. A choice
 * that is on record stands, whatever has become of the profiles since. Pure.
 */
import { type AgentProfile, FALLBACK_AGENT, type RecommendResult } from '../../agents/profile.ts';
import { recommend } from '../../agents/recommend.ts';
import { indexFor } from '../../agents/retrieval.ts';
import { withCapacities } from '../coordinator/agent-registry.ts';
import { AUTO, pathOf, type Plan, type PlanProblem, type PlanTask } from './plan.ts';

/** The agents among which a plan's agents are chosen. */
export interface Candidates {
  /** The profiles of a roster, some of them of agents that the host does not have. */
  readonly profiles: Iterable<AgentProfile>;
  /** The names of the agents that can do the work. */
  readonly members: readonly string[];
}

/** The plan with an agent in place of every `auto`, or the problems of texts that fit none, each at its first task. */
export function withChosenAgents(
  plan: Plan,
  { profiles, members }: Candidates,
): { readonly plan: Plan } | { readonly problems: readonly PlanProblem[] } {
  if (plan.tasks.every(({ wanted }) => wanted === undefined)) return { plan };
  const able = new Set(members);
  const known = [...profiles].filter(({ agentId, enabled }) => enabled && able.has(agentId));
  const index = indexFor(known);
  const results = new Map<string, RecommendResult>();
  const problems: PlanProblem[] = [];
  const tasks = plan.tasks.map((task, at): PlanTask => {
    if (task.agent !== AUTO) return task;
    const before = results.get(task.wanted!);
    const result = before ?? recommend(index, { task: task.wanted! });
    results.set(task.wanted!, result);
    const { recommended, confidence, reason, alternatives } = result;
    if (able.has(recommended)) return { ...task, agent: recommended, chosen: { confidence, reason, alternatives } };
    if (before === undefined) problems.push({ path: pathOf(task, at, 'task'), message: unfit(known, members) });
    return task;
  });
  if (problems.length > 0) return { problems };
  return { plan: withCapacities({ ...plan, tasks }, plan.pack?.agentTypes ?? {}) };
}

function unfit(known: readonly AgentProfile[], members: readonly string[]): string {
  const names = known.map(({ agentId }) => agentId).join(', ');
  const none = members.length === 0 ? ', which has none' : ', none of which has a profile';
  return (
    `fits no agent of the plan${names === '' ? none : ` (${names})`}: ` +
    `say it in other words, name an agent, or have an agent "${FALLBACK_AGENT}" for whatever fits nobody`
  );
}

/** The tasks whose agents were chosen: of a stage the first one, since its choice is the same for every item. */
export function choicesOf({ tasks }: Plan): PlanTask[] {
  const places = new Map(tasks.filter(({ chosen }) => chosen).map((task) => [task.stage ?? `/${task.id}`, task]));
  return [...places.values()];
}

/** The plan, whose choices are open, with those that another one has on record for the same tasks and texts. */
export function withHeldChoices(plan: Plan, held: Plan): Plan {
  const before = new Map(held.tasks.map((task) => [task.id, task]));
  const tasks = plan.tasks.map((task) => {
    const { agent, chosen, wanted } = before.get(task.id) ?? {};
    return wanted === undefined || wanted !== task.wanted ? task : { ...task, agent: agent!, chosen: chosen! };
  });
  return { ...plan, tasks };
}
