/**
 * A data directory and the crew in it: opens its store with the agents of a plan, or on hold to look at it and leave
 * orders. Layout: `DIR/store` is the LevelDB; agents may write beside it (`BOSUN_DATA_DIR` names DIR to them).
 */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fromPromise } from 'xstate';
import { type AnyAgent } from '../actors/agent.ts';
import { COORDINATOR, crewAgents, crewTree } from '../machines/coordination/crew.ts';
import { type CoordinatorContext } from '../machines/coordination/lead-coordinator.ts';
import { type Plan } from '../machines/coordination/plan.ts';
import { stageAgent, stageName } from '../machines/coordination/stage.ts';
import { levelStore } from '../persistence/level-store.ts';
import { createSystem, type System } from '../system.ts';
import { type AgentModule, workFor } from './agents-module.ts';
import { shellAttempt } from './shell-task.ts';

export interface DataDirectory {
  /** Absolute. */
  readonly path: string;
  readonly store: string;
}

export function dataDirectory(path: string): DataDirectory {
  const absolute = resolve(path);
  return { path: absolute, store: join(absolute, 'store') };
}

export function hasStore({ store }: DataDirectory): boolean {
  return existsSync(store);
}

/** Removes the store and nothing else of the directory. */
export async function removeStore({ store }: DataDirectory): Promise<void> {
  await rm(store, { recursive: true, force: true });
}

/** A system that carries out `plan`, or goes on with it. Rejects with BOSUN_STORE_* and BOSUN_AGENT_*. */
export async function openCrew(
  directory: DataDirectory,
  plan: Plan,
  agents: AgentModule,
  log: (...args: unknown[]) => void,
): Promise<System> {
  const types = [...new Set(plan.tasks.map(({ agent }) => agent))];
  const stages = types.map((type) => stageAgent(type, workFor(agents.get(type), shellAttempt(directory.store))));
  const store = levelStore(directory.store);
  return createSystem({ agents: [...crewAgents, ...stages], store, tree: crewTree(plan), log }).start();
}

/** A system on hold: nothing runs, and no agent's code is needed. */
export async function openOnHold(directory: DataDirectory, log: (...args: unknown[]) => void): Promise<System> {
  const idle = fromPromise<unknown, unknown>(() => new Promise(() => {}));
  const prefix = stageName('');
  const resolveAgent = (name: string): AnyAgent | undefined =>
    name.startsWith(prefix) ? stageAgent(name.slice(prefix.length), idle) : undefined;
  return createSystem({ agents: crewAgents, resolveAgent, store: levelStore(directory.store), hold: true, log }).start();
}

/** The coordinator's record of the plan; undefined where the store holds none. */
export function coordinatorOf(system: System): { state: unknown; context: CoordinatorContext } | undefined {
  const snapshot = system.snapshot(COORDINATOR);
  return snapshot && { state: snapshot.value, context: snapshot.context as CoordinatorContext };
}

