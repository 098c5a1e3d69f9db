/** Loads a plan's agents: a module, TypeScript or JavaScript, that exports a function or a machine per agent type. */
import { createJiti } from 'jiti';
import { type AnyActorLogic } from 'xstate';
import { isMachine } from '../actors/xstate/machine-facts.ts';
import { systemClock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { type CrewPorts } from '../machines/coordination/crew.ts';
import { didYouMean } from '../near-names.ts';
import { type AgentFunction } from '../machines/work/agent-function.ts';
import { type PlanSource } from './plan-file.ts';
import { type Attempt, workOf } from './work.ts';

/** What an agents module gave, by agent type; and what it does for the crew, under the name `ports`. */
export type AgentModule = ReadonlyMap<string, AgentFunction | AnyActorLogic> & { readonly ports?: CrewPorts };

const PORT_NAMES = [
  'resources',
  'deliver',
  'setMemoryTtl',
  'takeSnapshot',
  'historicalContext',
  'regimeDetector',
] as const satisfies readonly (keyof CrewPorts)[];

/** Rejects with BOSUN_PLAN_INVALID, naming the plan's line that names the module. */
export async function loadAgents(source: PlanSource): Promise<AgentModule> {
  if (source.agents === null) return new Map();
  let module: Record<string, unknown>;
  try {
    module = await createJiti(import.meta.url).import<Record<string, unknown>>(source.agents);
  } catch (error) {
    throw source.refuse([{ path: ['agents'], message: `cannot be loaded: ${reasonOf(error)}` }]);
  }
  const exported = { ...(isRecord(module['default']) ? module['default'] : {}), ...module };
  const agents = Object.entries(exported).flatMap(([name, value]) =>
    typeof value === 'function' || isMachine(value) ? [[name, value as AgentFunction | AnyActorLogic] as const] : [],
  );
  return Object.assign(new Map(agents), { ports: portsIn(exported['ports'], source) });
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
      throw refuse([{ path: ['agents'], message: `exports a port "${name}" that is no function` }]);
  }
  return value as CrewPorts;
}

/** Throws BOSUN_PLAN_INVALID for a task whose agent is a machine and which has a time limit for the attempt. */
export function checkMachineLimits(source: PlanSource, agents: AgentModule): void {
  const limited = source.plan.tasks.find(({ agent, timeoutMs }) => timeoutMs !== null && isMachine(agents.get(agent)));
  if (limited === undefined) return;
  const index = source.plan.tasks.indexOf(limited);
  const path = limited.stage === null ? ['tasks', index, 'timeoutMs'] : ['stages', limited.stage, 'timeoutMs'];
  const why = 'is a machine, whose time limits are its own: give it an "after" transition';
  throw source.refuse([{ path, message: `the agent "${limited.agent}" ${why}` }]);
}

/** The work of an agent type: its agent's, and by `shell` for tasks that are commands. */
export function workFor(agent: AgentFunction | AnyActorLogic | undefined, shell: Attempt): AnyActorLogic {
  if (agent !== undefined && typeof agent !== 'function') return agent;
  return workOf(
    (work, context) => (work.task.run !== null ? shell(work, context) : agent!(work.input ?? undefined, context)),
    { clock: systemClock },
  );
}

/** Why a module cannot be loaded, without the list of modules that asked for it: that is Bosun's inside. */
export function reasonOf(error: unknown): string {
  return messageOf(error).replace(/\nRequire stack:[^]*$/, '');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
