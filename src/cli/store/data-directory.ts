/**
 * A data directory: what it holds, and whether it may be used. Its store is opened on hold, to read it and leave
 * orders; who is to run a system on it opens the directory first. Layout: `DIR/store` is the LevelDB, or
 * `DIR/workers/0` and so on are those of workers; agents may write beside it (`BOSUN_DATA_DIR` tells them DIR).
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fromPromise } from 'xstate';
import { ROOT } from '../../actors/model/address.ts';
import { type AnyAgent } from '../../actors/model/agent.ts';
import { type Store } from '../../actors/model/ports.ts';
import { BosunError, isBosunError, messageOf } from '../../errors.ts';
import { COORDINATOR, crewAgents, crewTree } from '../../machines/crew.ts';
import { type CoordinatorContext } from '../../machines/coordination/coordinator/coordinator-context.ts';
import { checkAgents, comparePlans, type Plan } from '../../machines/coordination/plan/plan.ts';
import { stageAgent, stageName } from '../../machines/work/stage.ts';
import { createJournal } from '../../persistence/journal/journal.ts';
import { type SetAside } from '../../persistence/journal/set-aside.ts';
import { plainReferences } from '../../persistence/format/plain-references.ts';
import { levelStore } from '../../persistence/store/level-store.ts';
import { makePrivateDirectory } from '../../persistence/store/private-files.ts';
import { Shard } from '../../shard.ts';
import { type ReadyPlan } from '../files/plan-file.ts';
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
function refuseWorkers({ path, workers }: DataDirectory): void {
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

/** Refuses a directory in which somebody else has a name, if there is one. Throws BOSUN_CONFIG_INVALID. */
export function refuseForeign(path: string, name: string | undefined): void {
  if (name === undefined) return;
  const way = 'name another directory with --data, or move it away';
  throw new BosunError(
    'BOSUN_CONFIG_INVALID',
    `${join(path, name)} was not made by Bosun, which would remove it: ${way}`,
  );
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
async function openOnHold(directory: DataDirectory, { log, agents = crewAgents, env }: HoldOptions): Promise<Held> {
  const idle = fromPromise<unknown, unknown>(() => new Promise(() => {}));
  const prefix = stageName('');
  const resolveAgent = (name: string): AnyAgent | undefined =>
    name.startsWith(prefix) ? stageAgent(name.slice(prefix.length), idle) : undefined;
  const store = levelStore(directory.store);
  const options = { agents, resolveAgent, store, hold: true, log, outageMs: 0, ...(env && secretKeysOf(env)) };
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

export interface HeldPlanOptions {
  /** The advice to the user if the directory holds another plan. */
  readonly hint: () => string;
  /** The config whose agents run beside the plan. Default: none. */
  readonly beside?: { readonly agents: readonly { readonly name: string }[] } | undefined;
}

/** A data directory on which a system is to run: it exists, and is that of one system without workers. */
export class OpenDirectory implements DataDirectory {
  readonly path: string;
  readonly store: string;
  readonly workers: string;
  readonly identity: string;
  readonly #log: (...args: unknown[]) => void;

  /** Takes a directory that exists. Throws BOSUN_WORKERS_CHANGED if it is that of a system over workers. */
  constructor(directory: DataDirectory, log: (...args: unknown[]) => void) {
    refuseWorkers(directory);
    ({ path: this.path, store: this.store, workers: this.workers } = directory);
    this.identity = identityOf(directory);
    this.#log = log;
  }

  /** Opens a directory, which is created if missing. Rejects with BOSUN_CONFIG_INVALID, BOSUN_WORKERS_CHANGED. */
  static async open(
    place: Pick<DataCommand, 'data' | 'cwd'>,
    log: (...args: unknown[]) => void,
  ): Promise<OpenDirectory> {
    const directory = dataDirectory(place);
    await makeDirectory(directory);
    return new OpenDirectory(directory, log);
  }

  /**
   * Opens the directory of a plan: recovered if that is wanted, and checked for other systems and other plans. `held`
   * is the state of the plan in it; undefined if the plan begins. Rejects as the methods that it calls.
   */
  static async forPlan(
    command: Pick<DataCommand, 'data' | 'cwd'> & {
      /** Whether the plan is to begin anew, for which the store is removed later. */
      readonly fresh: boolean;
      /** Epoch to continue from if the journal is damaged. */
      readonly recoverTo?: number | undefined;
    },
    ready: ReadyPlan,
    options: HeldPlanOptions & {
      readonly log: (...args: unknown[]) => void;
      readonly onSetAside: (what: SetAside) => void;
    },
  ): Promise<{ readonly directory: OpenDirectory; readonly held: CoordinatorContext | undefined }> {
    const { fresh, recoverTo } = command;
    const directory = await OpenDirectory.open(command, options.log);
    if (recoverTo !== undefined) await directory.#recover(recoverTo, options.onSetAside);
    if (!fresh) return { directory, held: await directory.held(ready, options) };
    await directory.#checkRemovable(ready.source.plan);
    return { directory, held: undefined };
  }

  /** Cuts a damaged journal behind an epoch. Rejects with BOSUN_CONFIG_INVALID if there is no store. */
  async #recover(recoverTo: number, onSetAside: (what: SetAside) => void): Promise<void> {
    if (!hasStore(this)) throw new BosunError('BOSUN_CONFIG_INVALID', `${this.path} holds no store to recover`);
    const journal = createJournal(levelStore(this.store), { recoverTo, onSetAside });
    await journal.open(plainReferences);
    await journal.close();
  }

  /**
   * The state of the plan in the directory, with the agents that were chosen when it began. Rejects with
   * BOSUN_PLAN_INVALID if it holds another plan, or one whose agent the module has no more, with
   * BOSUN_CONFIG_INVALID if it holds another system.
   */
  async held(
    { source: { file, plan, refuse }, agents, withChoicesOf }: ReadyPlan,
    { hint, beside }: HeldPlanOptions,
  ): Promise<CoordinatorContext | undefined> {
    const { coordinator: held, children } = await this.contents();
    refuseStrangers(this, plan, children, beside);
    if (held?.plan === undefined) return undefined;
    const differences = comparePlans(held.plan, withChoicesOf(held.plan));
    if (differences.length === 0) {
      const gone = checkAgents(held.plan, [...agents.keys()]);
      if (gone.length === 0) return held;
      throw refuse(gone);
    }
    throw new BosunError(
      'BOSUN_PLAN_INVALID',
      `${file}: ${this.path} holds another plan: ${differences.join('; ')}. ${hint()}`,
    );
  }

  /** The contents of the store, without running any of it. */
  async contents(): Promise<StoreContents> {
    const contents = await this.#read((system) => ({
      coordinator: coordinatorOf(system)?.context,
      children: system.tree().children,
    }));
    return contents ?? { coordinator: undefined, children: [] };
  }

  /**
   * Checks whether the store may be removed for a plan that starts over. Rejects with BOSUN_CONFIG_INVALID if another
   * system lives there, BOSUN_STORE_LOCKED.
   */
  async #checkRemovable(plan: Plan): Promise<void> {
    let children: readonly RootChild[] = [];
    try {
      children = (await this.#read((system) => system.tree().children)) ?? [];
    } catch (error) {
      // Starting over is also the remedy for a store that is damaged or has another format.
      if (!isBosunError(error, 'BOSUN_STORE_DAMAGED') && !isBosunError(error, 'BOSUN_STORE_FORMAT')) throw error;
    }
    refuseStrangers(this, plan, children);
  }

  /**
   * Removes the store, and nothing else in the directory, after calling `before` while the store is locked. Rejects
   * with BOSUN_STORE_LOCKED if it is in use.
   */
  async remove(before: () => Promise<unknown>): Promise<void> {
    if (!hasStore(this)) return;
    const store = levelStore(this.store);
    try {
      await store.open();
      await before();
      await store.close();
    } catch (error) {
      // Starting over is also the remedy for a damaged store.
      if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) throw error;
    }
    await rm(this.store, { recursive: true, force: true });
  }

  /** Reads the stopped store; undefined if there is no store, or no actor in it. */
  async #read<Result>(read: (system: Shard) => Result): Promise<Result | undefined> {
    if (!hasStore(this)) return undefined;
    // A process that was killed while creating the store leaves one without a root.
    return onHold(this, { log: this.#log }, (system) =>
      system.snapshot(ROOT) === undefined ? undefined : read(system),
    );
  }
}
