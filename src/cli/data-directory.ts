/**
 * A data directory and the crew in it: opens its store with the agents of a plan, or on hold to look at it and leave
 * orders. Layout: `DIR/store` is the LevelDB, or `DIR/workers/0` and so on are those of workers; agents may write
 * beside it (`BOSUN_DATA_DIR` names DIR to them).
 */
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fromPromise } from 'xstate';
import { type AnyAgent } from '../actors/model/agent.ts';
import { BosunError, isBosunError, messageOf } from '../errors.ts';
import { COORDINATOR, crewAgents, crewAgentsFor, crewTree } from '../machines/coordination/crew.ts';
import { type CoordinatorContext } from '../machines/coordination/coordinator/coordinator-context.ts';
import { type Plan } from '../machines/coordination/plan/plan.ts';
import { stageAgent, stageName } from '../machines/work/stage.ts';
import { levelStore } from '../persistence/level-store.ts';
import { createSystem, type System } from '../system.ts';
import { type AgentModule, workFor } from './agents-module.ts';
import { secretKeysOf } from './secret-keys.ts';
import { type DataCommand, type Environment } from './surroundings.ts';
import { type Attempt } from './work.ts';

/** A run waits so long for room on the disk; then it ends, and the same line goes on. */
const OUTAGE_MS = 30_000;

export interface DataDirectory {
  /** Absolute. */
  readonly path: string;
  readonly store: string;
  /** Of the stores of workers. */
  readonly workers: string;
}

export function dataDirectory({ data, cwd }: Pick<DataCommand, 'data' | 'cwd'>): DataDirectory {
  const absolute = resolve(cwd, data);
  return { path: absolute, store: join(absolute, 'store'), workers: join(absolute, 'workers') };
}

/**
 * A directory that may also be a LevelDB itself, as a program that embeds Bosun has one. For verbs that run no crew.
 */
export function storeDirectory(command: Pick<DataCommand, 'data' | 'cwd'>): DataDirectory {
  const directory = dataDirectory(command);
  return existsSync(join(directory.path, 'CURRENT')) ? { ...directory, store: directory.path } : directory;
}

export function hasStore({ store }: DataDirectory): boolean {
  return existsSync(store);
}

/**
 * Throws BOSUN_WORKERS_CHANGED where a system over workers lives there: a store beside theirs would be another system.
 */
export function refuseWorkers({ path, workers }: DataDirectory): void {
  if (existsSync(workers))
    throw new BosunError(
      'BOSUN_WORKERS_CHANGED',
      `${path} holds the stores of workers: serve it with a config that says how many there are, or use another ` +
        'directory',
    );
}

/** Makes the directory where it is missing. Rejects with BOSUN_CONFIG_INVALID where that cannot be. */
export async function makeDirectory({ path }: DataDirectory): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    const { code } = error as { code?: unknown };
    const reason =
      code === 'EEXIST' || code === 'ENOTDIR'
        ? 'a file is in the way'
        : code === 'EACCES'
          ? 'permission denied'
          : messageOf(error);
    throw new BosunError('BOSUN_CONFIG_INVALID', `${path} cannot be the data directory: ${reason}`, { cause: error });
  }
}

/** Removes the store and nothing else of the directory. Rejects with BOSUN_STORE_LOCKED where somebody has it open. */
export async function removeStore(directory: DataDirectory): Promise<void> {
  if (!hasStore(directory)) return;
  const store = levelStore(directory.store);
  try {
    await store.open();
    await store.close();
  } catch (error) {
    // To start over is also the way out of a store that is damaged.
    if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) throw error;
  }
  await rm(directory.store, { recursive: true, force: true });
}

/** A system that carries out `plan`, or goes on with it, once it is started: watch it before, and nothing is missed. */
export function crewOf(
  directory: DataDirectory,
  plan: Plan,
  agents: AgentModule,
  tools: {
    readonly shell: Attempt;
    readonly env: Environment;
    readonly trustWallClock: boolean;
    readonly log: (...args: unknown[]) => void;
  },
): System {
  const store = levelStore(directory.store);
  const tree = crewTree(plan);
  const { shell, env, trustWallClock, log } = tools;
  return createSystem({
    agents: planAgents(plan, agents, shell),
    store,
    tree,
    log,
    outageMs: OUTAGE_MS,
    trustWallClock,
    ...secretKeysOf(env),
  });
}

/** The agents that carry out a plan: the crew, and one for each agent type. */
export function planAgents(plan: Plan, agents: AgentModule, shell: Attempt): AnyAgent[] {
  const types = [...new Set(plan.tasks.map(({ agent }) => agent))];
  return [...crewAgentsFor(agents.ports), ...types.map((type) => stageAgent(type, workFor(agents.get(type), shell)))];
}

interface HoldOptions {
  readonly log: (...args: unknown[]) => void;
  readonly agents?: readonly AnyAgent[];
  /** For its keys: without them what is secret stays closed. */
  readonly env?: Environment;
}

/**
 * A system on hold: nothing runs, and no agent's code is needed. Actors of agents that are not given are shown as they
 * are stored.
 */
async function openOnHold(
  directory: DataDirectory,
  { log, agents = crewAgents, env = {} }: HoldOptions,
): Promise<System> {
  const idle = fromPromise<unknown, unknown>(() => new Promise(() => {}));
  const prefix = stageName('');
  const resolveAgent = (name: string): AnyAgent | undefined =>
    name.startsWith(prefix) ? stageAgent(name.slice(prefix.length), idle) : undefined;
  return createSystem({
    agents,
    resolveAgent,
    store: levelStore(directory.store),
    hold: true,
    log,
    outageMs: 0,
    ...secretKeysOf(env),
  }).start();
}

/** Looks at a store, or leaves something in it, while nothing of it runs. */
export async function onHold<Result>(
  directory: DataDirectory,
  options: HoldOptions,
  work: (system: System) => Result | Promise<Result>,
): Promise<Result> {
  const system = await openOnHold(directory, options);
  try {
    return await work(system);
  } finally {
    await system.stop();
  }
}

/** The coordinator's record of the plan; undefined where the store holds none. */
export function coordinatorOf(system: System): { state: unknown; context: CoordinatorContext } | undefined {
  const snapshot = system.snapshot(COORDINATOR);
  // Its record is of another version of Bosun: better said than read wrongly.
  if (snapshot?.status === 'suspended') throw snapshot.error;
  return snapshot && { state: snapshot.value, context: snapshot.context as CoordinatorContext };
}
