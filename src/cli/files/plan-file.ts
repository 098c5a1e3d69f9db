/**
 * Reads a plan file, YAML or JSON, into a plan that can be carried out, with its agents. Parsing is in yaml-source.ts,
 * the meaning of plans in machines/coordination/plan, the loading of agents in agents-module.ts.
 */
import { dirname, resolve } from 'node:path';
import { type z } from 'zod';
import { type BosunError } from '../../errors.ts';
import { isMachine } from '../../actors/xstate/machine-facts.ts';
import { rosterOf, type RosterSource, SHIPPED_ROSTER } from '../../machines/agents/roster.ts';
import { withChosenAgents, withHeldChoices } from '../../machines/coordination/plan/chosen-agents.ts';
import {
  checkAgents,
  type Plan,
  planOfForm,
  type PlanProblem,
  PROBLEMS_MAX,
} from '../../machines/coordination/plan/plan.ts';
import { limitedMachine } from '../../machines/coordination/plan/machine-limits.ts';
import { planFileSchema } from '../../machines/coordination/plan/plan-form.ts';
import { type AgentModule, loadAgents } from './agents-module.ts';
import { explain, problemOf, readYaml } from './yaml-source.ts';

export interface PlanSource {
  /** The path as given. */
  readonly file: string;
  readonly plan: Plan;
  /** Absolute path of the module with the agents; null if the plan names none. */
  readonly agents: string | null;
  /** Makes BOSUN_PLAN_INVALID for problems found later, such as an agent that the module lacks. */
  refuse(problems: readonly PlanProblem[]): BosunError;
}

/**
 * Reads a plan file. `file` is as the user wrote it and may be relative to `cwd`. Rejects with BOSUN_PLAN_INVALID;
 * details: `file`, `line` and `column` (from 1; null without a place), `problems` (all lines).
 */
export async function readPlanFile({
  file,
  cwd,
}: {
  readonly file: string;
  readonly cwd: string;
}): Promise<PlanSource> {
  const path = resolve(cwd, file);
  const { value, refuse } = await readYaml({ file, path, kind: 'plan file', code: 'BOSUN_PLAN_INVALID' });
  const parsed = planFileSchema.safeParse(value, { error: explainPlan });
  if (!parsed.success) throw refuse(parsed.error.issues.slice(0, PROBLEMS_MAX).map(problemOf));
  const normalised = planOfForm(parsed.data);
  if ('problems' in normalised) throw refuse(normalised.problems);

  const { agents } = parsed.data;
  return { file, plan: normalised.plan, agents: agents === undefined ? null : resolve(dirname(path), agents), refuse };
}

function explainPlan(issue: z.core.$ZodRawIssue): string | undefined {
  return issue.code === 'invalid_union' ? 'must be a list of names, or a map from names to inputs' : explain(issue);
}

export interface ReadyPlan {
  readonly source: PlanSource;
  readonly agents: AgentModule;
  /** Makes the plan with the agents that a held plan has chosen, and with chosen ones in place of the others. */
  readonly withChoicesOf: (held: Plan) => Plan;
}

/** The file of a plan, and the sources of profiles by which agents are chosen; default: those of the package. */
interface PlanPlace {
  readonly file: string;
  readonly cwd: string;
  readonly roster?: readonly RosterSource[] | undefined;
}

/** Reads the plan and its agents. Rejects with BOSUN_PLAN_INVALID. */
export async function readyPlan({ roster, ...place }: PlanPlace): Promise<ReadyPlan> {
  const written = await readPlanFile(place);
  const agents = await loadAgents(written);
  const source = { ...written, plan: chosenPlan(written, agents, roster) };
  const unknown = checkAgents(source.plan, [...agents.keys()]);
  const hint = source.agents === null ? '; the plan names no module with agents' : '';
  if (unknown.length > 0)
    throw source.refuse(unknown.map((problem) => ({ ...problem, message: `${problem.message}${hint}` })));
  const machines = [...agents].flatMap(([type, member]) => (isMachine(member) ? [type] : []));
  const limited = limitedMachine(source.plan, new Set(machines));
  if (limited !== undefined) throw source.refuse([limited]);
  const withChoicesOf = (held: Plan) =>
    chosenPlan({ ...written, plan: withHeldChoices(written.plan, held) }, agents, roster);
  return { source, agents, withChoicesOf };
}

/** The plan of a file with an agent for every task, of those of its module. Throws BOSUN_PLAN_INVALID. */
export function chosenPlan(
  { plan, refuse }: PlanSource,
  agents: AgentModule,
  roster: readonly RosterSource[] = [SHIPPED_ROSTER],
): Plan {
  const sources = [...roster, { source: 'module', profiles: agents.profiles ?? [] }];
  const profiles = rosterOf(sources).map(({ profile }) => profile);
  const chosen = withChosenAgents(plan, { profiles, members: [...agents.keys()] });
  if ('problems' in chosen) throw refuse(chosen.problems);
  return chosen.plan;
}
