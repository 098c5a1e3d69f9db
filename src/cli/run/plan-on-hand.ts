/** Prepares a plan: reads its file, loads its agents, and compares it with the contents of its data directory. */
import { ROOT } from '../../actors/model/address.ts';
import { BosunError, isBosunError } from '../../errors.ts';
import { profilesOf } from '../../crew-plan.ts';
import { type RosterSource, SHIPPED_ROSTER } from '../../machines/agents/roster.ts';
import { crewAgents, crewTree } from '../../machines/crew.ts';
import { type CoordinatorContext } from '../../machines/coordination/coordinator/coordinator-context.ts';
import { withChosenAgents, withHeldChoices } from '../../machines/coordination/plan/chosen-agents.ts';
import { checkAgents, comparePlans, type Plan } from '../../machines/coordination/plan/plan.ts';
import { type Shard } from '../../shard.ts';
import { type AgentModule, checkMachineLimits, loadAgents } from '../files/agents-module.ts';
import { coordinatorOf, type DataDirectory, hasStore, onHold } from '../store/data-directory.ts';
import { type PlanSource, readPlanFile } from '../files/plan-file.ts';

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
  checkMachineLimits(source, agents);
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
  const profiles = profilesOf([...roster, { source: 'module', profiles: agents.profiles ?? [] }]);
  const chosen = withChosenAgents(plan, { profiles, members: [...agents.keys()] });
  if ('problems' in chosen) throw refuse(chosen.problems);
  return chosen.plan;
}

export interface HeldPlanOptions {
  readonly log: (...args: unknown[]) => void;
  /** The advice to the user if the directory holds another plan. */
  readonly hint: string;
  /** The config whose agents run beside the plan. Default: none. */
  readonly beside?: { readonly agents: readonly { readonly name: string }[] } | undefined;
}

/**
 * The state of the plan in the directory, with the agents that were chosen when it began. Rejects with
 * BOSUN_PLAN_INVALID if it holds another plan, or one whose agent the module has no more, with
 * BOSUN_CONFIG_INVALID if it holds another system.
 */
export async function heldPlan(
  directory: DataDirectory,
  { source: { file, plan, refuse }, agents, withChoicesOf }: ReadyPlan,
  { log, hint, beside }: HeldPlanOptions,
): Promise<CoordinatorContext | undefined> {
  const { coordinator: held, children } = await contentsOf(directory, log);
  refuseStrangers(directory, plan, children, beside);
  if (held?.plan === undefined) return undefined;
  const differences = comparePlans(held.plan, withChoicesOf(held.plan));
  if (differences.length === 0) {
    const gone = checkAgents(held.plan, [...agents.keys()]);
    if (gone.length === 0) return held;
    throw refuse(gone);
  }
  throw new BosunError(
    'BOSUN_PLAN_INVALID',
    `${file}: ${directory.path} holds another plan: ${differences.join('; ')}. ${hint}`,
  );
}

/**
 * Checks whether the store may be removed for a plan that starts over. Rejects with BOSUN_CONFIG_INVALID if another
 * system lives there, BOSUN_STORE_LOCKED.
 */
export async function checkRemovable(
  directory: DataDirectory,
  { plan }: PlanSource,
  log: HeldPlanOptions['log'],
): Promise<void> {
  let children: readonly RootChild[] = [];
  try {
    children = (await readStore(directory, log, (system) => system.tree().children)) ?? [];
  } catch (error) {
    // Starting over is also the remedy for a store that is damaged or has another format.
    if (!isBosunError(error, 'BOSUN_STORE_DAMAGED') && !isBosunError(error, 'BOSUN_STORE_FORMAT')) throw error;
  }
  refuseStrangers(directory, plan, children);
}

interface RootChild {
  readonly address: string;
  /** `boss` for Bosses. */
  readonly agent: string;
}

const STRANGERS_SHOWN = 3;

/**
 * Refuses a store with actors of another system. A start ends static children that its tree lacks. That is intended
 * after an edit of a config, but a loss if a plan is run on a foreign store.
 */
function refuseStrangers(
  { path }: DataDirectory,
  plan: Plan,
  children: readonly RootChild[],
  beside?: HeldPlanOptions['beside'],
): void {
  const ids = new Set<string>(crewTree(plan).children.map(({ id }) => id));
  const known = new Set([...crewAgents, ...(beside?.agents ?? [])].map(({ name }) => name));
  // The owner of a Boss is unknown; with a config it may be one of its Bosses under an old name.
  if (beside !== undefined) known.add('boss');
  const strangers = children
    .filter(({ address, agent }) => !ids.has(address) && !known.has(agent))
    .map(({ address, agent }) => `${address} (${agent})`);
  if (strangers.length === 0) return;
  const rest = strangers.length > STRANGERS_SHOWN ? ` and ${strangers.length - STRANGERS_SHOWN} more` : '';
  throw new BosunError(
    'BOSUN_CONFIG_INVALID',
    `${path} holds actors of another system, which the plan would end: ` +
      `${strangers.slice(0, STRANGERS_SHOWN).join(', ')}${rest}. Name another --data directory`,
  );
}

export interface StoreContents {
  readonly coordinator: CoordinatorContext | undefined;
  /** Children of the root. */
  readonly children: readonly RootChild[];
}

/** The contents of a store, without running any of it. */
export async function contentsOf(directory: DataDirectory, log: (...args: unknown[]) => void): Promise<StoreContents> {
  const contents = await readStore(directory, log, (system) => ({
    coordinator: coordinatorOf(system)?.context,
    children: system.tree().children,
  }));
  return contents ?? { coordinator: undefined, children: [] };
}

/** Reads a stopped store; undefined if there is no store, or no actor in it. */
async function readStore<Result>(
  directory: DataDirectory,
  log: HeldPlanOptions['log'],
  read: (system: Shard) => Result,
): Promise<Result | undefined> {
  if (!hasStore(directory)) return undefined;
  // A process that was killed while creating the store leaves one without a root.
  return onHold(directory, { log }, (system) => (system.snapshot(ROOT) === undefined ? undefined : read(system)));
}
