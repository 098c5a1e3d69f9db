/** A plan that is about to be carried out: its file read, its agents loaded, and held against what its data directory has of it. */
import { ROOT } from '../actors/address.ts';
import { BosunError } from '../errors.ts';
import { type CoordinatorContext } from '../machines/coordination/coordinator/coordinator-context.ts';
import { checkAgents, comparePlans } from '../machines/coordination/plan/plan.ts';
import { type AgentModule, checkMachineLimits, loadAgents } from './agents-module.ts';
import { coordinatorOf, type DataDirectory, hasStore, openOnHold } from './data-directory.ts';
import { type PlanSource, readPlanFile } from './plan-file.ts';

export interface ReadyPlan {
  readonly source: PlanSource;
  readonly agents: AgentModule;
}

/** Rejects with BOSUN_PLAN_INVALID. */
export async function readyPlan(place: { readonly file: string; readonly cwd: string }): Promise<ReadyPlan> {
  const source = await readPlanFile(place);
  const agents = await loadAgents(source);
  const unknown = checkAgents(source.plan, [...agents.keys()]);
  const hint = source.agents === null ? '; the plan names no module with agents' : '';
  if (unknown.length > 0) throw source.refuse(unknown.map((problem) => ({ ...problem, message: `${problem.message}${hint}` })));
  checkMachineLimits(source, agents);
  return { source, agents };
}

/** What the directory holds of the plan. Rejects with BOSUN_PLAN_INVALID where it holds another, whose way out is `hint`. */
export async function heldPlan(
  directory: DataDirectory,
  { file, plan }: PlanSource,
  { log, hint }: { readonly log: (...args: unknown[]) => void; readonly hint: string },
): Promise<CoordinatorContext | undefined> {
  const held = (await contentsOf(directory, log)).coordinator;
  if (held?.plan === undefined) return undefined;
  const differences = comparePlans(held.plan, plan);
  if (differences.length === 0) return held;
  throw new BosunError('BOSUN_PLAN_INVALID', `${file}: ${directory.path} holds another plan: ${differences.join('; ')}. ${hint}`);
}

export interface Contents {
  readonly coordinator: CoordinatorContext | undefined;
  /** Agents of the root's children. */
  readonly agents: readonly string[];
}

/** What a store holds, without running any of it. */
export async function contentsOf(directory: DataDirectory, log: (...args: unknown[]) => void): Promise<Contents> {
  if (!hasStore(directory)) return { coordinator: undefined, agents: [] };
  const system = await openOnHold(directory, { log });
  try {
    // A process that was killed while it made the store has left one without a root.
    if (system.snapshot(ROOT) === undefined) return { coordinator: undefined, agents: [] };
    return { coordinator: coordinatorOf(system)?.context, agents: [...new Set(system.tree().children.map(({ agent }) => agent))] };
  } finally {
    await system.stop();
  }
}
