/**
 * What `bosun serve` serves: the agents and the tree of a config, a plan carried out by the crew, or both. Without a config
 * and a plan, the plan that the directory holds. It never starts a tree that would end what another one has left there.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AnyAgent } from '../actors/agent.ts';
import { BosunError } from '../errors.ts';
import { crewAgents, crewTree } from '../machines/coordination/crew.ts';
import { type Plan } from '../machines/coordination/plan/plan.ts';
import { levelStore } from '../persistence/level-store.ts';
import { type BossOptions } from '../supervisor/child-spec.ts';
import { createSystem, type System } from '../system.ts';
import { type AgentModule } from './agents-module.ts';
import { type Config } from './config-file.ts';
import { type DataDirectory, planAgents } from './data-directory.ts';
import { machineReports } from './machine-reports.ts';
import { contentsOf, heldPlan, readyPlan } from './plan-on-hand.ts';
import { type Told } from './run-report.ts';
import { secretKeysOf } from './secret-keys.ts';
import { shellCommands } from './shell-task.ts';
import { type Environment } from './surroundings.ts';

export interface ServedSystem {
  /** Not started. */
  readonly system: System;
  /** What it is, in a few words. */
  readonly what: string;
  /** What an emitted event means for whoever follows the plan; undefined where there is none. */
  readonly meaning: ((address: string, event: Told) => Told) | undefined;
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

/** Plans that are carried out without being named. */
const PLAN_FILES = ['plan.yaml', 'plan.yml', 'plan.json'];

/** Rejects with BOSUN_PLAN_INVALID, BOSUN_CONFIG_INVALID, BOSUN_STORE_*, BOSUN_CHILD_SPEC_INVALID. */
export async function servedSystem(place: ServedPlace): Promise<ServedSystem> {
  const { directory, config, cwd, log } = place;
  const file = place.plan ?? config?.plan ?? PLAN_FILES.map((name) => join(directory.path, name)).find((path) => existsSync(path));
  if (file !== undefined) {
    const { source, agents } = await readyPlan({ file, cwd });
    await heldPlan(directory, source, { log, hint: 'Serve another --data directory, or start over by bosun run --fresh' });
    return crew(place, source.plan, agents);
  }
  if (config !== undefined) return { system: created(place, config.agents, config.tree ?? {}), what: config.file, meaning: undefined, ended: () => Promise.resolve() };
  const { coordinator, agents } = await contentsOf(directory, log);
  if (coordinator?.plan !== undefined) return crew(place, withoutModule(directory, coordinator.plan), new Map());
  if (agents.length > 0) throw new BosunError('BOSUN_CONFIG_INVALID', `${directory.path} holds actors of the agents ${agents.join(', ')}: a bosun.config.ts has to say what they are`);
  return { system: created(place, crewAgents, {}), what: 'no plan', meaning: undefined, ended: () => Promise.resolve() };
}

/** A plan of which only the store is there can go on where its tasks are shell commands: nothing else says what its agents are. */
function withoutModule({ path }: DataDirectory, plan: Plan): Plan {
  if (plan.tasks.every(({ run }) => run !== null)) return plan;
  throw new BosunError('BOSUN_CONFIG_INVALID', `${path} holds the plan ${plan.name}, whose agents are in a module: name its file, as in bosun serve plan.yaml`);
}

function crew(place: ServedPlace, plan: Plan, agents: AgentModule): ServedSystem {
  const { directory, config, env, cwd } = place;
  // For agents that write files of their own.
  env['BOSUN_DATA_DIR'] = directory.path;
  const commands = shellCommands({ storeId: directory.store, env, cwd });
  const own = config?.tree ?? {};
  const tree = { ...own, children: [...crewTree(plan).children, ...(own.children ?? [])] };
  const system = created(place, [...planAgents(plan, agents, commands.attempt), ...(config?.agents ?? [])], tree as BossOptions);
  return { system, what: `the plan ${plan.name}`, meaning: machineReports(system, plan, (type) => typeof agents.get(type) === 'object'), ended: () => commands.ended() };
}

function created({ directory, config, env, trustWallClock, log }: ServedPlace, agents: readonly AnyAgent[], tree: BossOptions): System {
  return createSystem({ agents, tree, store: levelStore(directory.store), log, trustWallClock, residentActors: config?.residentActors, ...secretKeysOf(env) });
}
