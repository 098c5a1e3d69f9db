/**
 * The system of `bosun serve`: the agents and the tree of a config, over workers if configured, a plan carried out by
 * the crew, or both. Without config and plan, the plan in the directory. A plan is not started if that would end the
 * actors of another system.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Procedures } from '../../actors/api/procedure.ts';
import { type Admits } from '../../actors/loop/admission.ts';
import { type AnyAgent } from '../../actors/model/agent.ts';
import { answerProcedures, knowledgeProcedures } from '../../crew-answers.ts';
import { answerTeamOf, deskFolder } from '../files/answer-team-file.ts';
import { answerCrew, planAgents } from '../../crew-plan.ts';
import { systemClock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { knowledgeOf } from '../../knowledge/knowledge.ts';
import { type AnswerPorts } from '../../machines/answers/answer-ports.ts';
import { COORDINATOR, crewAgents, crewTree, deskChildren } from '../../machines/crew.ts';
import { gateProcedures } from '../../crew-gates.ts';
import { deliveryProcedures } from '../../crew-delivery.ts';
import { knowledgePorts, repositoryTests } from '../../crew-delivery-checks.ts';
import { crewProcedures } from '../../crew-procedures.ts';
import { ticketProcedures } from '../../crew-tickets.ts';
import { type Plan } from '../../machines/coordination/plan/plan.ts';
import { gateDesk } from '../../machines/people/gates/gate-desk.ts';
import { ticketDesk } from '../../machines/people/tickets/ticket-desk.ts';
import { levelStore } from '../../persistence/store/level-store.ts';
import { DESKS } from '../../machines/desks.ts';
import { type BossOptions } from '../../supervisor/child-spec.ts';
import { Shard } from '../../shard.ts';
import { createSystem, type System } from '../../system.ts';
import { type AgentModule } from '../files/agents-module.ts';
import { type Config } from '../files/config-file.ts';
import { type DataDirectory, hasStore, OpenDirectory } from '../store/data-directory.ts';
import { followPlan } from '../run/machine-reports.ts';
import { readyPlan } from '../files/plan-file.ts';
import { type Told } from '../run/run-report.ts';
import { secretKeysOf } from '../store/secret-keys.ts';
import { ShellCommands } from '../run/shell-task.ts';
import { type Environment } from '../surroundings.ts';

export interface ServedSystem {
  /** Not started yet. */
  readonly system: Shard | System;
  /** A short description. */
  readonly what: string;
  /** A line for people about what else it could do. */
  readonly hint?: string | undefined;
  /** Procedures of the crew, as far as the system has its desks. */
  readonly procedures: Procedures;
  /**
   * Reports events of the plan, once they are durable.
   *
   * @returns A function that stops it.
   */
  readonly follow: (tell: (event: Told) => void) => () => void;
  /** Called after the system has started: ends shell commands that an earlier process left running. */
  begun(): void;
  /** Resolves when no shell command of a task runs any more. Called after the system has stopped. */
  ended(): Promise<void>;
}

export interface ServedPlace {
  readonly directory: DataDirectory;
  readonly config: Config | undefined;
  /** The plan file as the user wrote it. */
  readonly plan: string | undefined;
  readonly cwd: string;
  readonly env: Environment;
  readonly trustWallClock: boolean;
  /**
   * Whether an answer desk for `cwd` runs where there is neither config nor plan, or the desks of the crew in a
   * directory that has them. Default: nothing runs.
   */
  readonly hasDesks?: true;
  /** The shell command that runs the tests of a folder, by which finished tasks are checked. */
  readonly test?: string | undefined;
  readonly log: (...args: unknown[]) => void;
}

/** The parts of a system without a plan, which reports nothing and has no shell commands. */
const PLANLESS: Pick<ServedSystem, 'follow' | 'begun' | 'ended' | 'procedures'> = {
  procedures: {},
  follow: () => () => {},
  begun: () => {},
  ended: () => Promise.resolve(),
};

/** Milliseconds for which a question waits until its folder has been read. A search may take 5 s. */
const READING_MS = 4_000;

/**
 * Actors of a folder's desk in memory. A question that waits for a person, perhaps for weeks, has nothing to do and is
 * not read by a start.
 */
const RESIDENT_ACTORS = 20_000;

/** Times of coding sessions: an agent that a person has started thinks and works for minutes between two calls. */
const SESSION_TIMES = { stallMs: 15 * 60_000, pingMs: 60_000 };

const TEST_HINT = 'people confirm finished tasks; bosun desk --test "npm test" has them checked by the tests';

/** Files that are taken as the plan if none is named. */
const PLAN_FILES = ['plan.yaml', 'plan.yml', 'plan.json'];

/**
 * Makes the system to serve. Rejects with BOSUN_PLAN_INVALID, BOSUN_CONFIG_INVALID, BOSUN_STORE_*,
 * BOSUN_CHILD_SPEC_INVALID.
 */
export async function servedSystem(place: ServedPlace): Promise<ServedSystem> {
  const { directory, config, cwd, log } = place;
  if (config?.workers !== undefined) return spread(place, config, config.workers);
  const opened = new OpenDirectory(directory, log);
  const file =
    place.plan ?? config?.plan ?? PLAN_FILES.map((name) => join(directory.path, name)).find((path) => existsSync(path));
  if (file !== undefined) {
    const ready = await readyPlan({ file, cwd, roster: config?.roster });
    // With a config its agents live there too, and a run that starts over leaves them alone.
    const hint =
      config === undefined
        ? 'Serve another --data directory, or start over with bosun run --fresh'
        : 'Serve another --data directory';
    const held = await opened.held(ready, { hint: () => hint, beside: config });
    return crew(place, opened, { plan: held?.plan ?? ready.source.plan, agents: ready.agents });
  }
  if (config !== undefined)
    return {
      ...PLANLESS,
      procedures: proceduresOf(config),
      system: created(place, config.agents, config.tree ?? {}),
      what: config.file,
    };
  const { coordinator, children } = await opened.contents();
  if (coordinator?.plan !== undefined)
    return crew(place, opened, { plan: withoutModule(directory, coordinator.plan), agents: new Map() });
  const ofAnswers = new Set(answerCrew({ delivery: {} }).tree.children!.map(({ id }) => id));
  if (place.hasDesks === true && children.every(({ address }) => ofAnswers.has(address)))
    return servedFolder(place, cwd);
  const strangers = place.hasDesks === true ? children.filter(({ address }) => !isDesk(address)) : children;
  const agents = new Set(strangers.map(({ agent }) => agent));
  if (agents.size > 0)
    throw new BosunError(
      'BOSUN_CONFIG_INVALID',
      `${directory.path} holds actors of the agents ${[...agents].join(', ')}: a bosun.config.ts must define ` + 'them',
    );
  if (place.hasDesks !== true) return { ...PLANLESS, system: created(place, crewAgents, {}), what: 'no plan' };
  const tree = { children: deskChildren() } as BossOptions;
  const procedures = crewProcedures;
  return { ...PLANLESS, procedures, system: created(place, crewAgents, tree), what: 'the desks of the crew' };
}

/** The procedures of the crew's desks that a config has. */
function proceduresOf({ agents }: Config): Procedures {
  const has = (name: string) => agents.some((agent) => agent.name === name);
  return { ...(has(gateDesk.name) && gateProcedures), ...(has(ticketDesk.name) && ticketProcedures) };
}

/** Whether a child of the root is one of the crew's desks, or a Boss of theirs. */
function isDesk(address: string): boolean {
  return deskChildren().some(({ id }) => id === address);
}

/**
 * The answer desk for a folder. Questions are answered from its files, with people's earlier answers, or by people.
 * Rejects with BOSUN_KNOWLEDGE_FOLDER; its start rejects with BOSUN_CONFIG_INVALID for a directory with other actors.
 */
export async function servedFolder(place: ServedPlace, folder: string): Promise<ServedSystem> {
  const { directory, cwd, env, test, log } = place;
  const { identity } = new OpenDirectory(directory, log);
  const desk = deskFolder(folder, cwd);
  const { path } = desk;
  const profile = await answerTeamOf(desk, cwd);
  const knowledge = knowledgeOf([{ scope: basename(path), path }]);
  try {
    const isRead = knowledge.refresh().then(
      () => true,
      () => false,
    );
    const retrieve: AnswerPorts['retrieve'] = async (question, facts) => {
      const found = await knowledge.retrieve(question, facts);
      if (found.complete) return found;
      // A start reads the whole folder first: a question that comes meanwhile waits a little, within its own time.
      await Promise.race([
        isRead,
        new Promise((resolve) => void systemClock.setTimeout(() => resolve(false), READING_MS)),
      ]);
      return knowledge.retrieve(question, facts);
    };
    const store = `checks ${identity}`;
    const verify = test === undefined ? undefined : repositoryTests({ folder: path, command: test, env, store });
    const ports = { ...knowledgePorts(knowledge), ...(verify && { verify }) };
    const { agents, tree } = answerCrew({ ports: { retrieve }, profile, delivery: { ports, times: SESSION_TIMES } });
    const ids = tree.children!.map(({ id }) => id);
    const admits: Admits = (children) => {
      const other = otherSystem(children, ids);
      if (other !== undefined)
        throw new BosunError(
          'BOSUN_CONFIG_INVALID',
          `${directory.path} holds another system (${other}): name another directory with --data`,
        );
    };
    const procedures = {
      ...{ ...crewProcedures, ...answerProcedures, ...knowledgeProcedures(retrieve), ...deliveryProcedures },
    };
    const system = created(place, agents, tree, { admits, residentActors: RESIDENT_ACTORS });
    // A store keeps the settings with which it began, until others are given.
    const by = desk.settings ?? 'bosun desk';
    const begun = () => void system.send(DESKS.answers, { type: 'answers.configure', profile, by });
    const what = `answers about ${path}`;
    const hint = test === undefined && hasTestScript(path) ? TEST_HINT : undefined;
    return { ...PLANLESS, system, what, hint, procedures, begun, ended: () => knowledge.close() };
  } catch (error) {
    await knowledge.close();
    throw error;
  }
}

/** Whether `npm test` would run anything. npm itself writes a script that only fails. */
function hasTestScript(folder: string): boolean {
  const file = join(folder, 'package.json');
  return existsSync(file) && /"test"\s*:\s*"(?!echo \\"Error: no test)[^"]/.test(readFileSync(file, 'utf8'));
}

/** The words for a system that has other children than these; undefined if it has none. */
function otherSystem(children: readonly string[] | undefined, ids: readonly string[]): string | undefined {
  if (children === undefined) return 'thousands of actors';
  return children.includes(COORDINATOR) ? 'a plan' : children.find((id) => !ids.includes(id));
}

/**
 * Checks that a stored plan can continue without its file: all tasks must be shell commands, because nothing else names
 * the module of the agents. Throws BOSUN_CONFIG_INVALID.
 */
function withoutModule({ path }: DataDirectory, plan: Plan): Plan {
  if (plan.tasks.every(({ run }) => run !== null)) return plan;
  throw new BosunError(
    'BOSUN_CONFIG_INVALID',
    `${path} holds the plan ${plan.name}, whose agents are in a module: name the plan file, as in bosun serve ` +
      'plan.yaml',
  );
}

function crew(
  place: ServedPlace,
  { path, identity }: OpenDirectory,
  { plan, agents }: { readonly plan: Plan; readonly agents: AgentModule },
): ServedSystem {
  const { config, env, cwd } = place;
  // Tells agents the directory for files of their own.
  env['BOSUN_DATA_DIR'] = path;
  const commands = new ShellCommands(identity, { env, cwd });
  const { attempt: shell } = commands;
  const { ports, checkpoints } = agents;
  const own = config?.tree ?? {};
  const tree = { ...own, children: [...crewTree(plan).children, ...(own.children ?? [])] };
  const carriers = planAgents(plan, agents, { ports, checkpoints, shell, clock: systemClock });
  const system = created(place, [...carriers, ...(config?.agents ?? [])], tree as BossOptions);
  const follow: ServedSystem['follow'] = (tell) => followPlan(system, { plan, agents }, tell);
  const begun = () => void commands.clear();
  const procedures = crewProcedures;
  return { system, what: `the plan ${plan.name}`, procedures, follow, begun, ended: () => commands.ended() };
}

/**
 * Makes the system over workers. Every thread reads the config itself, because agents are code. Throws
 * BOSUN_CONFIG_INVALID, BOSUN_WORKERS_CHANGED.
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
      `${config.file}: a plan runs on one worker: leave out workers, or ${planFile}`,
    );
  if (hasStore(directory))
    throw new BosunError(
      'BOSUN_WORKERS_CHANGED',
      `${directory.path} holds the store of a system without workers, but ${config.file} has workers`,
    );
  const module = new URL(
    import.meta.url.endsWith('.ts') ? './served-worker.ts' : './served-worker.js',
    import.meta.url,
  );
  module.search = String(
    new URLSearchParams({ config: resolve(cwd, config.file), cwd, trustWallClock: String(trustWallClock) }),
  );
  const system = createSystem({ workers: { count, module, directory: directory.workers }, log });
  const what = `${config.file} over ${count} ${count === 1 ? 'worker' : 'workers'}`;
  return { ...PLANLESS, procedures: proceduresOf(config), system, what };
}

function created(
  { directory, config, env, trustWallClock, log }: ServedPlace,
  agents: readonly AnyAgent[],
  tree: BossOptions,
  { admits, residentActors = config?.residentActors }: { admits?: Admits; residentActors?: number } = {},
): Shard {
  const options = {
    agents,
    tree,
    store: levelStore(directory.store),
    log,
    trustWallClock,
    residentActors,
    ...secretKeysOf(env),
  };
  return new Shard(options, undefined, admits);
}
