/** Loads a plan's agents: a module, TypeScript or JavaScript, that exports a function or a machine per agent type. */
import { resolve } from 'node:path';
import { createJiti } from 'jiti';
import { type AnyActorLogic } from 'xstate';
import { z } from 'zod';
import { isAgent } from '../../actors/api/agent-rules.ts';
import { type AnyAgent } from '../../actors/model/agent.ts';
import { isMachine } from '../../actors/xstate/machine-facts.ts';
import { BosunError, messageOf } from '../../errors.ts';
import { type AgentProfile, agentProfileSchema } from '../../machines/agents/profile.ts';
import { type CrewPorts } from '../../machines/crew.ts';
import { didYouMean } from '../../near-names.ts';
import { type AgentFunction } from '../../machines/work/agent-function.ts';
import { type CheckpointVersions } from '../../machines/work/stage.ts';
import type { PlanSource } from './plan-file.ts';

/** The exports of an agents module by agent type, with its ports for the crew, its profiles and its checkpoints. */
export type AgentModule = ReadonlyMap<string, AgentFunction | AnyActorLogic> & {
  readonly ports?: CrewPorts;
  /** Versions of the checkpoints of its agents. */
  readonly checkpoints?: CheckpointVersions;
  /** Profiles of its agents, by which a task with `agent: auto` finds them. */
  readonly profiles?: readonly AgentProfile[];
};

const PORT_NAMES = [
  'resources',
  'deliver',
  'setMemoryTtl',
  'takeSnapshot',
  'historicalContext',
  'regimeDetector',
  'defend',
] as const satisfies readonly (keyof CrewPorts)[];

/** Loads the module of a plan. Rejects with BOSUN_PLAN_INVALID and the plan's line that names the module. */
export async function loadAgents(source: PlanSource): Promise<AgentModule> {
  if (source.agents === null) return new Map();
  let module: Record<string, unknown>;
  try {
    module = await createJiti(import.meta.url).import<Record<string, unknown>>(source.agents);
  } catch (error) {
    throw source.refuse([{ path: ['agents'], message: `cannot be loaded: ${reasonOf(error)}` }]);
  }
  const exported = { ...(isRecord(module['default']) ? module['default'] : {}), ...module };
  const agents = Object.entries(exported).flatMap(([name, value]) => (isMember(value) ? [[name, value] as const] : []));
  return Object.assign(new Map(agents), {
    ports: portsIn(exported['ports'], source),
    profiles: profilesIn(exported['profiles'], source),
    checkpoints: checkpointsIn(exported['checkpoints'], source),
  });
}

/** All agents that a module exports, one by one or in arrays. Rejects with BOSUN_CONFIG_INVALID. */
export async function exportedAgents(file: string, { cwd }: { cwd: string }): Promise<readonly AnyAgent[]> {
  let module: Record<string, unknown>;
  try {
    module = await createJiti(import.meta.url).import<Record<string, unknown>>(resolve(cwd, file));
  } catch (error) {
    throw new BosunError('BOSUN_CONFIG_INVALID', `${file} cannot be loaded: ${reasonOf(error)}`, { cause: error });
  }
  const agents = new Set(
    Object.values(module)
      .flatMap((value) => [value].flat())
      .filter(isAgent),
  );
  if (agents.size === 0) throw new BosunError('BOSUN_CONFIG_INVALID', `${file} exports no agents`);
  return [...agents];
}

/** Whether an export is an agent's function or machine. One that cannot be looked at is neither. */
function isMember(value: unknown): value is AgentFunction | AnyActorLogic {
  try {
    return typeof value === 'function' || isMachine(value);
  } catch {
    return false;
  }
}

function portsIn(value: unknown, { refuse }: PlanSource): CrewPorts {
  if (!isRecord(value) || isMachine(value)) return {};
  for (const [name, port] of Object.entries(value)) {
    const isKnown = PORT_NAMES.some((known) => known === name);
    if (!isKnown)
      throw refuse([
        {
          path: ['agents'],
          message:
            'exports an unknown port ' +
            `"${name}"${didYouMean(name, PORT_NAMES) || `; the ports are ${PORT_NAMES.join(', ')}`}`,
        },
      ]);
    if (typeof port !== 'function')
      throw refuse([{ path: ['agents'], message: `exports a port "${name}" that is not a function` }]);
  }
  return value as CrewPorts;
}

function profilesIn(value: unknown, { refuse }: PlanSource): readonly AgentProfile[] {
  const { data, error } = z.array(agentProfileSchema).safeParse(value ?? []);
  if (error === undefined) return data;
  const { path, message } = error.issues[0]!;
  const place = z.core.toDotPath(['profiles', ...path]);
  throw refuse([{ path: ['agents'], message: `exports profiles of which one is not valid: ${place}: ${message}` }]);
}

const checkpointVersions = z.record(
  z.string(),
  z.strictObject({
    version: z.int().min(1).optional(),
    migrations: z
      .record(z.string().regex(/^[1-9]\d*$/, 'must be a version'), z.custom(isFunction, 'is no function'))
      .optional(),
  }),
);

function checkpointsIn(value: unknown, { refuse }: PlanSource): CheckpointVersions {
  const { data, error } = checkpointVersions.safeParse(value ?? {});
  if (error === undefined) return data as CheckpointVersions;
  const { path, message } = error.issues[0]!;
  const place = z.core.toDotPath(['checkpoints', ...path]);
  throw refuse([{ path: ['agents'], message: `exports checkpoints that are not valid: ${place}: ${message}` }]);
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

/** The reason why a module cannot be loaded, without Node's list of requiring modules, which are Bosun's own. */
export function reasonOf(error: unknown): string {
  return messageOf(error).replace(/\nRequire stack:[^]*$/, '');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
