/**
 * A data directory and the crew in it: opens its store with the agents of a plan, or on hold, to read it and leave
 * orders. Layout: `DIR/store` is the LevelDB, or `DIR/workers/0` and so on are those of workers; agents may write
 * beside it (`BOSUN_DATA_DIR` tells them DIR).
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fromPromise } from 'xstate';
import { type AnyAgent } from '../../actors/model/agent.ts';
import { type Store } from '../../actors/model/ports.ts';
import { stageAgents } from '../../crew-plan.ts';
import { type Attempt } from '../../crew-work.ts';
import { systemClock } from '../../clock.ts';
import { BosunError, isBosunError, messageOf } from '../../errors.ts';
import { COORDINATOR, crewAgents, crewAgentsFor, crewTree } from '../../machines/crew.ts';
import { type CoordinatorContext } from '../../machines/coordination/coordinator/coordinator-context.ts';
import { type Plan } from '../../machines/coordination/plan/plan.ts';
import { stageAgent, stageName } from '../../machines/work/stage.ts';
import { levelStore } from '../../persistence/store/level-store.ts';
import { makePrivateDirectory } from '../../persistence/store/private-files.ts';
import { Shard } from '../../shard.ts';
import { type AgentModule } from '../files/agents-module.ts';
import { secretKeysOf } from './secret-keys.ts';
import { type DataCommand, type Environment } from '../surroundings.ts';

/** Milliseconds for which a run waits for space on the disk before it ends. The same command continues it later. */
export const OUTAGE_MS = 30_000;

export interface DataDirectory {
  /** Absolute path of the directory. */
  readonly path: string;
  readonly store: string;
  /** Directory of the workers' stores. */
  readonly workers: string;
}

export function dataDirectory({ data, cwd }: Pick<DataCommand, 'data' | 'cwd'>): DataDirectory {
  const absolute = resolve(cwd, data);
  return { path: absolute, store: join(absolute, 'store'), workers: join(absolute, 'workers') };
}

/** Whether a directory is itself a store, or holds those of workers, as the programs of hosts have them. */
export function isStore(path: string): boolean {
  return existsSync(join(path, 'CURRENT')) || existsSync(join(path, '0', 'CURRENT'));
}

/**
 * A data directory, or a directory that is itself a LevelDB, as embedding programs have. For verbs that run no crew.
 */
export function storeDirectory(command: Pick<DataCommand, 'data' | 'cwd'>): DataDirectory {
  const directory = dataDirectory(command);
  return existsSync(join(directory.path, 'CURRENT')) ? { ...directory, store: directory.path } : directory;
}

export function hasStore({ store }: Pick<DataDirectory, 'store'>): boolean {
  return existsSync(store);
}

/**
 * Refuses a directory that holds a system over workers, since a store beside theirs would be another system. Throws
 * BOSUN_WORKERS_CHANGED.
 */
export function refuseWorkers({ path, workers }: DataDirectory): void {
  if (existsSync(workers))
    throw new BosunError(
      'BOSUN_WORKERS_CHANGED',
      `${path} holds the stores of workers: serve it with a config that gives their number, or use another ` +
        'directory',
    );
}

/** Names in a store that was made and never written, and one that every other store has. */
const OF_STORES = /^(LOCK|LOG|MANIFEST-\d+|\d+\.(log|dbtmp))$/;
const OF_WHOLE_STORES = ['CURRENT', 'bosun.note'];

/**
 * Creates the directory if missing, accessible to its owner only. Rejects with BOSUN_CONFIG_INVALID, also for a
 * directory that is itself the store of another program: a store within it would be another system. So it does where
 * the place of the store has files of somebody else.
 */
export async function makeDirectory({ path, store }: DataDirectory): Promise<void> {
  if (isStore(path))
    throw new BosunError(
      'BOSUN_CONFIG_INVALID',
      `${path} is the store of another program: start that program with a gateway, or use another directory`,
    );
  const names = existsSync(store) ? readdirSync(store) : [];
  if (!OF_WHOLE_STORES.some((name) => names.includes(name)))
    refuseForeign(
      store,
      names.find((name) => !OF_STORES.test(name)),
    );
  try {
    await makePrivateDirectory(path);
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

/**
 * Identity of the data directory by device and inode, not by path: containers have the same paths for different
 * directories, and the store inside may be removed and recreated.
 */
export function identityOf({ path }: DataDirectory): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

/**
 * Removes the store, and nothing else in the directory, after calling `before` while the store is locked. Rejects with
 * BOSUN_STORE_LOCKED if it is in use.
 */
export async function removeStore(directory: DataDirectory, before: () => Promise<unknown>): Promise<void> {
  if (!hasStore(directory)) return;
  const store = levelStore(directory.store);
  try {
    await store.open();
    await before();
    await store.close();
  } catch (error) {
    // Starting over is also the remedy for a damaged store.
    if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) throw error;
  }
  await rm(directory.store, { recursive: true, force: true });
}

/** Refuses a directory in which somebody else has a name, if there is one. Throws BOSUN_CONFIG_INVALID. */
export function refuseForeign(path: string, name: string | undefined): void {
  if (name === undefined) return;
  const way = 'name another directory with --data, or move it away';
  throw new BosunError(
    'BOSUN_CONFIG_INVALID',
    `${join(path, name)} was not made by Bosun, which would remove it: ${way}`,
  );
}

/** A system that carries out `plan`, or continues it, once started; subscribe before that to miss nothing. */
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
): Shard {
  const store = levelStore(directory.store);
  // A run whose crew cannot go on has failed, and ends with the code that says so.
  const tree = { ...crewTree(plan), escalates: true };
  const { shell, env, trustWallClock, log } = tools;
  return new Shard({
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
  const { ports, checkpoints } = agents;
  return [...crewAgentsFor(ports), ...stageAgents(plan, agents, { shell, checkpoints, clock: systemClock })];
}

/** A stopped store, opened on hold. */
export interface Held {
  readonly system: Shard;
  readonly store: Store;
  readonly resolveAgent: (name: string) => AnyAgent | undefined;
}

interface HoldOptions {
  readonly log: (...args: unknown[]) => void;
  readonly agents?: readonly AnyAgent[];
  /** Environment for the store's keys; without them secrets stay encrypted. */
  readonly env?: Environment;
}

/**
 * Opens a system on hold: nothing runs, and no agent's code is needed. Actors of unknown agents are shown as stored.
 */
async function openOnHold(
  directory: DataDirectory,
  { log, agents = crewAgents, env = {} }: HoldOptions,
): Promise<Held> {
  const idle = fromPromise<unknown, unknown>(() => new Promise(() => {}));
  const prefix = stageName('');
  const resolveAgent = (name: string): AnyAgent | undefined =>
    name.startsWith(prefix) ? stageAgent(name.slice(prefix.length), idle) : undefined;
  const store = levelStore(directory.store);
  const options = { agents, resolveAgent, store, hold: true, log, outageMs: 0, ...secretKeysOf(env) };
  return { system: await new Shard(options).start(), store, resolveAgent };
}

/** Reads a store, or leaves orders in it, while nothing of it runs. */
export async function onHold<Result>(
  directory: DataDirectory,
  options: HoldOptions,
  work: (system: Shard, held: Held) => Result | Promise<Result>,
): Promise<Result> {
  const held = await openOnHold(directory, options);
  try {
    return await work(held.system, held);
  } finally {
    await held.system.stop();
  }
}

/** The coordinator's record of the plan; undefined if the store holds none. */
export function coordinatorOf(system: Shard): { state: unknown; context: CoordinatorContext } | undefined {
  const snapshot = system.snapshot(COORDINATOR);
  // The record is of another version of Bosun: report that instead of misreading it.
  if (snapshot?.status === 'suspended') throw snapshot.error;
  return snapshot && { state: snapshot.value, context: snapshot.context as CoordinatorContext };
}
