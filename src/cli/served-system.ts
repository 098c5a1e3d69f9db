/**
 * What `bosun serve` serves: the agents and the tree of a config, over workers if it says so, a plan carried out by the
 * crew, or both. Without a config and a plan, the plan that the directory holds. No plan is started where that would
 * end the actors of another system.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type AnyAgent } from '../actors/model/agent.ts';
import { BosunError } from '../errors.ts';
import { crewAgents, crewTree } from '../machines/coordination/crew.ts';
import { type Plan } from '../machines/coordination/plan/plan.ts';
import { levelStore } from '../persistence/level-store.ts';
import { type BossOptions } from '../supervisor/child-spec.ts';
import { createSystem, type System } from '../system.ts';
import { type SpreadSystem } from '../workers/spread-system.ts';
import { type AgentModule } from './agents-module.ts';
import { type Config } from './config-file.ts';
import { type DataDirectory, hasStore, planAgents, refuseWorkers } from './data-directory.ts';
import { machineReports } from './machine-reports.ts';
import { contentsOf, heldPlan, readyPlan } from './plan-on-hand.ts';
import { type Told } from './run-report.ts';
import { secretKeysOf } from './secret-keys.ts';
import { shellCommands } from './shell-task.ts';
import { type Environment } from './surroundings.ts';

export interface ServedSystem {
  /** Not started. */
  readonly system: System | SpreadSystem;
  /** What it is, in a few words. */
  readonly what: string;
  /** Tells what happens to the plan, once it is durable. @returns What ends that. */
  readonly follow: (tell: (event: Told) => void) => () => void;
  /** Resolves when no shell command of a task runs any more; once the system has stopped. */
  ended(): Promise<void>;
}

export interface ServedPlace {
  readonly directory: DataDirectory;
  readonly config: Config | undefined;
  /** A plan file as the user wrote it. */
  readonly plan: string | undefined;
  readonly cwd: string;
  readonly env: Environment;
  readonly trustWallClock: boolean;
  readonly log: (...args: unknown[]) => void;
}

/** A system without a plan has nothing to be followed, and no shell commands. */
const PLANLESS: Pick<ServedSystem, 'follow' | 'ended'> = { follow: () => () => {}, ended: () => Promise.resolve() };

/** Plans that are carried out without being named. */
const PLAN_FILES = ['plan.yaml', 'plan.yml', 'plan.json'];

/** Rejects with BOSUN_PLAN_INVALID, BOSUN_CONFIG_INVALID, BOSUN_STORE_*, BOSUN_CHILD_SPEC_INVALID. */
export async function servedSystem(place: ServedPlace): Promise<ServedSystem> {
  const { directory, config, cwd, log } = place;
  if (config?.workers !== undefined) return spread(place, config, config.workers);
  refuseWorkers(directory);
  const file =
    place.plan ?? config?.plan ?? PLAN_FILES.map((name) => join(directory.path, name)).find((path) => existsSync(path));
  if (file !== undefined) {
    const { source, agents } = await readyPlan({ file, cwd });
    // With a config its agents live there too, and a run that starts over leaves them alone.
    const hint =
      config === undefined
        ? 'Serve another --data directory, or start over by bosun run --fresh'
        : 'Serve another --data directory';
    await heldPlan(directory, source, { log, hint, beside: config });
    return crew(place, source.plan, agents);
  }
  if (config !== undefined)
    return { ...PLANLESS, system: created(place, config.agents, config.tree ?? {}), what: config.file };
  const { coordinator, children } = await contentsOf(directory, log);
  if (coordinator?.plan !== undefined) return crew(place, withoutModule(directory, coordinator.plan), new Map());
  const agents = new Set(children.map(({ agent }) => agent));
  if (agents.size > 0)
    throw new BosunError(
      'BOSUN_CONFIG_INVALID',
      `${directory.path} holds actors of the agents ${[...agents].join(', ')}: a bosun.config.ts has to say what ` +
        'they are',
    );
  return { ...PLANLESS, system: created(place, crewAgents, {}), what: 'no plan' };
}

/**
 * A plan of which only the store is there can go on where its tasks are shell commands: nothing else says what its
 * agents are.
 */
function withoutModule({ path }: DataDirectory, plan: Plan): Plan {
  if (plan.tasks.every(({ run }) => run !== null)) return plan;
  throw new BosunError(
    'BOSUN_CONFIG_INVALID',
    `${path} holds the plan ${plan.name}, whose agents are in a module: name its file, as in bosun serve plan.yaml`,
  );
}

function crew(place: ServedPlace, plan: Plan, agents: AgentModule): ServedSystem {
  const { directory, config, env, cwd } = place;
  // For agents that write files of their own.
  env['BOSUN_DATA_DIR'] = directory.path;
  const commands = shellCommands({ storeId: directory.store, env, cwd });
  const own = config?.tree ?? {};
  const tree = { ...own, children: [...crewTree(plan).children, ...(own.children ?? [])] };
  const system = created(
    place,
    [...planAgents(plan, agents, commands.attempt), ...(config?.agents ?? [])],
    tree as BossOptions,
  );
  const meaning = machineReports(system, plan, (type) => typeof agents.get(type) === 'object');
  const follow: ServedSystem['follow'] = (tell) => {
    const following = system.onEmitted((address, event) => tell(meaning(address, event as Told)));
    return () => following.unsubscribe();
  };
  return { system, what: `the plan ${plan.name}`, follow, ended: () => commands.ended() };
}

/**
 * Every thread reads the config for itself, because agents are code. Throws BOSUN_CONFIG_INVALID,
 * BOSUN_WORKERS_CHANGED.
 */
function spread(
  { directory, cwd, plan, trustWallClock, log }: ServedPlace,
  config: Config,
  count: number,
): ServedSystem {
  const planFile = plan ?? config.plan;
  if (planFile !== undefined)
    throw new BosunError(
      'BOSUN_CONFIG_INVALID',
      `${config.file}: a plan is carried out by one worker: leave out workers, or ${planFile}`,
    );
  if (hasStore(directory))
    throw new BosunError(
      'BOSUN_WORKERS_CHANGED',
      `${directory.path} holds a store that is the only one of its system, and ${config.file} has workers`,
    );
  const module = new URL(
    import.meta.url.endsWith('.ts') ? './served-worker.ts' : './served-worker.js',
    import.meta.url,
  );
  module.search = String(
    new URLSearchParams({ config: resolve(cwd, config.file), cwd, trustWallClock: String(trustWallClock) }),
  );
  const system = createSystem({ workers: { count, module, directory: directory.workers }, log });
  return { ...PLANLESS, system, what: `${config.file} over ${count} ${count === 1 ? 'worker' : 'workers'}` };
}

function created(
  { directory, config, env, trustWallClock, log }: ServedPlace,
  agents: readonly AnyAgent[],
  tree: BossOptions,
): System {
  return createSystem({
    agents,
    tree,
    store: levelStore(directory.store),
    log,
    trustWallClock,
    residentActors: config?.residentActors,
    ...secretKeysOf(env),
  });
}
