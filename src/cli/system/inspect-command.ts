/**
 * `bosun inspect`: the statechart of an agent, or of an actor of a running system or a stopped store with its present
 * state marked. Runs nothing and writes nothing to the store.
 */
import { resolve } from 'node:path';
import { type AnyStateMachine } from 'xstate';
import { type AnyAgent } from '../../actors/model/agent.ts';
import { BOSS_AGENT } from '../../actors/model/supervision.ts';
import { childLogic, isMachine } from '../../actors/xstate/machine-facts.ts';
import { systemClock } from '../../clock.ts';
import { BosunError, isBosunError } from '../../errors.ts';
import { activeStates } from '../../gateway/charts/active.ts';
import { ChartLayouts } from '../../gateway/charts/layout.ts';
import { mermaidOf } from '../../gateway/charts/mermaid.ts';
import { type Chart, chartOf } from '../../gateway/charts/model.ts';
import { svgOf } from '../../gateway/charts/svg.ts';
import { crewAgents } from '../../machines/crew.ts';
import { stageName } from '../../machines/work/stage.ts';
import { bossMachine } from '../../supervisor/boss.ts';
import { type Shard } from '../../shard.ts';
import { exportedAgents } from '../files/agents-module.ts';
import { agentsOfPlan } from '../store/check-command.ts';
import { hasStore, onHold, storeDirectory } from '../store/data-directory.ts';
import { carriedOut, EXIT, type ExitCode } from '../exit-codes.ts';
import { LiveGateway } from '../reach/live-gateway.ts';
import { writeOutput } from '../output-file.ts';
import { type DataCommand, logTo } from '../surroundings.ts';
import { type ChartFormat } from '../verb.ts';

export interface InspectCommand extends DataCommand {
  /** An address in the system or the store, or the name of an agent. */
  readonly actor: string;
  readonly format: ChartFormat;
  /** Output file; default: `out`. */
  readonly file: string | undefined;
  /** A plan file whose agents are known in addition to the crew. */
  readonly plan: string | undefined;
  /** A module whose exported agents are known in addition to the crew. */
  readonly agents: string | undefined;
}

/** A machine and its active state ids; null for an agent. */
interface Subject {
  readonly chart: Chart;
  /** Name of its agent, for a machine without an id. */
  readonly name: string;
  readonly title: string;
  readonly active: readonly string[] | null;
}

const STAGE = stageName('');

/**
 * Draws a machine. Resolves to exit code 0: written; 1: the store cannot be read, or the machine is too large; 2: no
 * actor or agent of that name, or an invalid output path; 4: the store is in use, and no gateway answers; 5: the
 * gateway refuses.
 */
export async function inspectCommand(command: InspectCommand): Promise<ExitCode> {
  const { format, file, cwd, out, err } = command;
  if (format === 'svg' && file === undefined && out.isTTY === true) {
    err.write(
      'a terminal cannot show an SVG drawing: save it with --out FILE or > FILE, or add --format mermaid to read it ' +
        'as text\n',
    );
    return EXIT.badInput;
  }
  return carriedOut(command, async () => {
    const text = await written(format, await subjectOf(command));
    if (file === undefined) out.write(text);
    else await writeOutput(resolve(cwd, file), text);
  });
}

async function subjectOf(command: InspectCommand): Promise<Subject> {
  const { actor, err, env } = command;
  const agents = await knownAgents(command);
  const agent = machineOfAgent(actor, agents);
  const gateway = await LiveGateway.of(command);
  const live = gateway === undefined ? undefined : await liveSubject(gateway, actor, agent !== undefined);
  if (live !== undefined) return live;
  const directory = storeDirectory(command);
  if (gateway === undefined && hasStore(directory)) {
    try {
      const options = { log: logTo(err), agents: [...agents.values()], env };
      const subject = await onHold(directory, options, (system) => subjectIn(system, actor, agents));
      if (subject !== undefined) return subject;
    } catch (error) {
      // An agent can be drawn while a run has the store open; only actors cannot be looked up.
      if (agent === undefined || !isBosunError(error, 'BOSUN_STORE_LOCKED')) throw error;
    }
  }
  if (agent !== undefined) return { chart: chartOf(agent), name: actor, title: actor, active: null };
  const where = hasStore(directory) ? `no actor in ${directory.path} and no agent` : 'no agent';
  throw new BosunError(
    'BOSUN_ACTOR_UNKNOWN',
    `${where} is named ${JSON.stringify(actor)}; known agents: ${[...agents.keys(), BOSS_AGENT].join(', ')}`,
  );
}

/**
 * Looks up a name in a running system. Undefined if the system has no such actor or agent and the name is an agent
 * known here.
 */
async function liveSubject(gateway: LiveGateway, name: string, isKnownHere: boolean): Promise<Subject | undefined> {
  try {
    const { agent, chart, active } = await gateway.call<{
      agent: string;
      chart: Chart;
      active: readonly string[] | null;
    }>('machine.get', { name });
    return { chart, name: agent, title: active === null ? name : `${name} (${agent})`, active };
  } catch (error) {
    if (isKnownHere && isBosunError(error, 'BOSUN_ACTOR_UNKNOWN')) return undefined;
    throw error;
  }
}

async function knownAgents({ plan, agents, cwd }: InspectCommand): Promise<ReadonlyMap<string, AnyAgent>> {
  if (plan !== undefined && agents !== undefined)
    throw new BosunError('BOSUN_CONFIG_INVALID', 'name a plan or a module of agents, not both');
  const known = new Map(crewAgents.map((agent) => [agent.name, agent]));
  for (const agent of agents !== undefined
    ? await exportedAgents(agents, { cwd })
    : plan !== undefined
      ? await agentsOfPlan({ file: plan, cwd })
      : [])
    known.set(agent.name, agent);
  return known;
}

function machineOfAgent(name: string, agents: ReadonlyMap<string, AnyAgent>): AnyStateMachine | undefined {
  return name === BOSS_AGENT ? (bossMachine as unknown as AnyStateMachine) : agents.get(name)?.machine;
}

/**
 * The actor at an address of a store; undefined if there is none. Throws BOSUN_AGENT_UNKNOWN if its machine is unknown
 * or it has none.
 */
function subjectIn(system: Shard, address: string, agents: ReadonlyMap<string, AnyAgent>): Subject | undefined {
  const snapshot = system.snapshot(address);
  if (snapshot === undefined) return undefined;
  const machine = machineAt(system, address, agents);
  if (machine === undefined) {
    const message =
      `the agent ${JSON.stringify(snapshot.agent)} of ${address} is not a machine, or not known: name its plan with ` +
      '--plan, or a module that exports it with --agents';
    throw new BosunError('BOSUN_AGENT_UNKNOWN', message);
  }
  const chart = chartOf(machine);
  return {
    chart,
    name: nameAt(system, address),
    title: `${address} (${snapshot.agent})`,
    active: snapshot.value === null ? null : [...activeStates(chart, snapshot.value)],
  };
}

/** The machine of an actor: that of its agent, or of the child logic in its parent's machine. */
function machineAt(system: Shard, address: string, agents: ReadonlyMap<string, AnyAgent>): AnyStateMachine | undefined {
  const { agent } = system.snapshot(address)!;
  const parent = parentOf(system, address);
  if (parent === undefined || system.snapshot(parent)?.agent === BOSS_AGENT) return machineOfAgent(agent, agents);
  const owner = machineAt(system, parent, agents);
  const logic = owner && childLogic(owner, agent);
  return isMachine(logic) ? logic : undefined;
}

/** The agent's name. The work of a stage is called `work` there; the plan's author knows it by its agent type. */
function nameAt(system: Shard, address: string): string {
  const parent = parentOf(system, address);
  const owner = parent === undefined ? '' : system.snapshot(parent)!.agent;
  return owner.startsWith(STAGE) ? owner.slice(STAGE.length) : system.snapshot(address)!.agent;
}

/** The nearest actor above; undefined for children of the root. The id of a Boss's child may contain slashes. */
function parentOf(system: Shard, address: string): string | undefined {
  const slash = address.lastIndexOf('/');
  if (slash < 0) return undefined;
  const above = address.slice(0, slash);
  return system.snapshot(above) === undefined ? parentOf(system, above) : above;
}

async function written(format: ChartFormat, subject: Subject): Promise<string> {
  switch (format) {
    case 'mermaid':
      return mermaidOf(named(subject).chart);
    case 'json':
      return `${JSON.stringify({ ...subject.chart, active: subject.active }, null, 2)}\n`;
    case 'svg':
      return drawn(named(subject));
  }
}

/**
 * Replaces XState's name for a machine without an id, `(machine)`, by the agent's name. JSON output keeps the ids, for
 * programs.
 */
function named(subject: Subject): Subject {
  const text = JSON.stringify(subject);
  return JSON.parse(text, (_key, value: unknown) =>
    typeof value === 'string' ? value.replace(/^\(machine\)/, () => subject.name) : value,
  ) as Subject;
}

async function drawn({ chart, title, active }: Subject): Promise<string> {
  const layouts = new ChartLayouts(systemClock);
  try {
    return svgOf(chart, await layouts.geometry(chart), { title, active: new Set(active) });
  } finally {
    await layouts.close();
  }
}
