/**
 * Reads a plan file, YAML or JSON, into a plan. Parsing is in yaml-source.ts, the meaning of plans in
 * machines/coordination/plan.ts.
 */
import { dirname, resolve } from 'node:path';
import { type z } from 'zod';
import { type BosunError } from '../../errors.ts';
import { type Plan, planOfForm, type PlanProblem, PROBLEMS_MAX } from '../../machines/coordination/plan/plan.ts';
import { planFileSchema } from '../../machines/coordination/plan/plan-form.ts';
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
