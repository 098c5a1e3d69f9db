/**
 * The file form of a run, as people write it, and the order that it normalises to. Checks the rules that a schema
 * cannot express. Pure; src/cli/hubs/hub-file.ts reads it.
 */
import { z } from 'zod';
import { closed } from '../../closed-object.ts';
import { didYouMean } from '../../near-names.ts';
import {
  agentSpec,
  commandEnv,
  HANDOFFS,
  isReader,
  REPORT_UNREAD,
  runLimits,
  specProblems,
  toolWork,
} from './agent-spec.ts';
import { hubStart } from './hub-desk.ts';
import { presetWork } from './presets.ts';
import { CODING_AGENTS } from './report.ts';
import { stepsAfter, stepOrders } from './plan-steps.ts';
import { READERS } from './report.ts';
import { isHub, type Role, ROLES } from './roles.ts';
import { scopeSchema, workspacePath } from './scope.ts';
import { planId } from './plan-changes.ts';

/** Characters of a goal that fit into the title of a work plan. */
const TITLE_CHARS_MAX = 500;

const role = z.enum(ROLES, {
  error: ({ input }) => {
    const name = typeof input === 'string' ? input : JSON.stringify(input);
    return `must be a role, not "${name}"${didYouMean(name, ROLES) || `; the roles are ${ROLES.join(', ')}`}`;
  },
});

const { task, stepsMax, timeoutMs, silenceMs, costUsd, tokens, attempts } = agentSpec.shape;

const agent = closed({
  run: z.string().min(1).max(100_000).optional(),
  handoff: z.enum(HANDOFFS).optional(),
  report: workspacePath.optional(),
  env: commandEnv,
  function: z.string().min(1).max(200).optional(),
  /** A coding agent, with its model, and arguments behind those of the preset. */
  preset: z.enum(CODING_AGENTS).optional(),
  args: z.array(z.string().max(10_000)).max(100).optional(),
  /** A model of the module; beside a preset its own name of one. */
  model: z.string().min(1).max(200).optional(),
  /** A tool of an MCP server: a command, or at a URL. */
  mcp: closed(toolWork.omit({ kind: true, env: true }).shape).optional(),
  /** Whether the holder of the session's token does the work. */
  outside: z.literal(true).optional(),
  writes: closed(scopeSchema.shape).nullable().default(null),
  /** Whether it changes files in a worktree of its own (default for `writes`) or in the workspace itself. */
  isolation: z.enum(['worktree', 'none']).optional(),
  fallback: role.nullable().default(null),
  ...{ task, stepsMax, timeoutMs, silenceMs, costUsd, tokens, attempts },
});

type Agent = z.output<typeof agent>;

/** The schemas of agents by role. */
const agents = Object.fromEntries(ROLES.map((one) => [one, agent.optional()])) as {
  readonly [One in Role]: z.ZodOptional<typeof agent>;
};

const { phase, task: stepTask, depends_on } = stepOrders['step.add'].shape.steps.element.shape;
const step = closed({ phase, task: stepTask, assignee: role.nullable().default(null), depends_on });

/** The schema of the files of runs, version 1. `hubOfForm` checks the rules that a schema cannot express. */
export const hubFileSchema = closed({
  version: z.literal(1),
  /** The name of the run, which is also that of its work plan. */
  hub: planId,
  role: role.default('Coordinator'),
  goal: z.string().trim().min(1).max(100_000),
  goals: hubStart.shape.about.shape.goals,
  steps: z.array(step).max(1_000).default([]),
  limits: closed(runLimits.shape).prefault({}),
  people: hubStart.shape.people,
  /** The directory of the work, relative to the file. */
  workspace: z.string().min(1).max(4_096).default('.'),
  agents: closed(agents),
  /** The module that exports functions, relative to the file. */
  module: z.string().min(1).max(4_096).optional(),
  start: role.default('Executor'),
  /** The decisions of the hub: its rules (default), the holder of its token, or a function of the module. */
  decides: z
    .union([z.enum(['rules', 'outside']), closed({ function: z.string().min(1).max(200) })], {
      error: 'must be rules, outside, or { function: name }',
    })
    .default('rules'),
  /** Names inside of the workspace that worktrees share with it: directories that git ignores. */
  links: z.array(workspacePath).max(100).default([]),
  /** A command that reports the errors of the workspace when a session was interrupted. */
  check: closed({ run: z.string().min(1).max(100_000), handoff: z.enum(READERS) }).optional(),
  /** Cycles of a TDDDriver. */
  cycles: hubStart.shape.cycles.unwrap().optional(),
});

/** A parsed file. */
export type HubFile = z.output<typeof hubFileSchema>;

/** A problem, and its path in the file. */
interface HubFileProblem {
  readonly path: readonly (string | number)[];
  /** Whether its place is that of the key. */
  readonly at?: 'key';
  readonly message: string;
}

/** The order that starts a run. */
export type HubOrder = z.output<typeof hubStart>;

/** The order of a file, or its problems. `workspace` is the absolute path of its directory. */
export function hubOfForm(
  form: HubFile,
  workspace: string,
): { readonly order: HubOrder } | { readonly problems: readonly HubFileProblem[] } {
  const { hub: plan, role: hub, goal, goals, steps, limits, people, start, cycles = 1 } = form;
  const problems = formProblems(form);
  if (problems.length > 0) return { problems };
  const specs = Object.fromEntries(
    agentsOf(form).map(([name, given]) => {
      const {
        run,
        handoff,
        report,
        env,
        function: named,
        preset,
        args,
        model,
        mcp,
        outside,
        isolation,
        ...spec
      } = given;
      return [name, { ...spec, does: doesOf(given), isIsolated: isIsolated(given) }];
    }),
  );
  const decides = typeof form.decides === 'string' ? { kind: form.decides } : functionOf(form.decides.function);
  const order = hubStart.parse({
    ...{ hub, start, plan, steps, task: goal, workspace, agents: specs, decides, limits, people },
    cycles,
    about: { title: titleOf(goal), goals },
  });
  const begins = hub === 'TDDDriver' ? 'Tester' : start;
  const refused = specProblems(order.agents, decides.kind === 'rules' ? begins : null).map(placed);
  return refused.length > 0 ? { problems: refused } : { order };
}

function agentsOf({ agents: given }: HubFile): readonly [string, Agent][] {
  return Object.entries(given) as [string, Agent][];
}

/** Whether an agent has a tree of its own. One outside works where it is; any other one that changes files has one. */
function isIsolated({ writes, outside, isolation }: Agent): boolean {
  return writes !== null && outside !== true && isolation !== 'none';
}

function functionOf(name: string | undefined) {
  return { kind: 'function', name } as const;
}

function doesOf({ run, handoff = 'exit', report, env, function: named, preset, args = [], model, mcp, writes }: Agent) {
  // Left out where they are not given: a run of an earlier version would differ from its file.
  const own = env === undefined ? {} : { env };
  if (preset !== undefined) return { ...presetWork(preset, { model, args, writes: writes !== null }), ...own };
  if (run !== undefined) return { kind: 'command', run, handoff, ...(report !== undefined && { report }), ...own };
  if (mcp !== undefined) return { kind: 'mcp', ...mcp, ...own };
  if (model !== undefined) return { kind: 'model', name: model };
  return named === undefined ? { kind: 'outside' } : functionOf(named);
}

/** The first line of a goal. */
function titleOf(goal: string): string {
  return goal.split('\n')[0]!.trim().slice(0, TITLE_CHARS_MAX);
}

/** A problem such as `agents.Reviewer.writes: Reviewer changes no files` with its path. */
function placed(said: string): HubFileProblem {
  const at = said.indexOf(': ');
  return { path: said.slice(0, at).split('.'), message: said.slice(at + 2) };
}

function formProblems(form: HubFile): HubFileProblem[] {
  const { role: hub, steps, agents: given, cycles } = form;
  const isSpoke = { path: ['role'], message: `${hub} is a spoke, and a run needs a hub: Coordinator, for example` };
  const idle = { path: ['cycles'], at: 'key' as const, message: 'only a TDDDriver works in cycles: leave it out' };
  return [
    ...(isHub(hub) ? [] : [isSpoke]),
    ...(cycles === undefined || hub === 'TDDDriver' ? [] : [idle]),
    ...(given[hub] === undefined
      ? []
      : [{ path: ['agents', hub], message: `no session spawns another ${hub}, which is the hub of the run` }]),
    ...(given.Worker !== undefined && given.Worker.writes === null
      ? [{ path: ['agents', 'Worker'], message: 'a Worker is not begun without "writes", the files of its scope' }]
      : []),
    ...agentsOf(form).flatMap(([name, given]) => agentProblems(['agents', name], given)),
    ...steps.flatMap(({ assignee }, index) =>
      assignee === null || given[assignee] !== undefined
        ? []
        : [{ path: ['steps', index, 'assignee'], message: `no agent is given for ${assignee}` }],
    ),
    ...stepProblems(steps),
  ];
}

const NO_TREE = 'a worktree is for an agent with "writes" that Bosun starts: leave it out';

/** The ways in which an agent works, in words. */
const WAYS = {
  run: 'a shell command',
  preset: `a coding agent (${CODING_AGENTS.join(', ')})`,
  function: 'a function of the module',
  model: 'a model of the module',
  mcp: 'a tool of an MCP server',
  outside: 'true: the holder of its token',
} as const;

function agentProblems(path: readonly string[], agent: Agent): HubFileProblem[] {
  const { run, preset, mcp, args, handoff, report, env, isolation } = agent;
  // Beside a preset it names the model of the coding agent.
  const ways = { ...agent, ...(preset !== undefined && { model: undefined }) };
  const given = Object.keys(WAYS).filter((way) => ways[way as keyof typeof WAYS] !== undefined);
  const none = Object.entries(WAYS).map(([way, says]) => `"${way}", ${says}`);
  const both = `an agent has one of "${given.join('", "')}", not ${given.length === 2 ? 'both' : 'all'}`;
  const is = (isWrong: boolean, field: string, message: string) =>
    isWrong ? [{ path: [...path, field], message }] : [];
  return [
    ...(given.length > 1 ? [{ path: [...path, given[1]!], at: 'key' as const, message: both }] : []),
    ...(given.length === 0 ? [{ path, message: `needs one of ${none.join('; ')}` }] : []),
    ...is(handoff !== undefined && run === undefined, 'handoff', 'is for "run": a function returns its hand-off'),
    ...is(
      env !== undefined && (run ?? preset ?? mcp) === undefined,
      'env',
      'is for "run": a function has the environment of the host',
    ),
    ...is(isolation === 'worktree' && !isIsolated(agent), 'isolation', NO_TREE),
    ...is(args !== undefined && preset === undefined, 'args', 'is for "preset": "run" has its own'),
    ...is(report !== undefined && (run === undefined || !isReader(handoff)), 'report', REPORT_UNREAD),
    ...is(
      mcp !== undefined && (mcp.run === undefined) === (mcp.url === undefined),
      'mcp',
      'has "run" or "url", one of them',
    ),
  ];
}

/** Problems of dependencies. Steps are S1, S2 and so on, in the order of the file. */
function stepProblems(steps: HubFile['steps']): HubFileProblem[] {
  if (steps.length === 0) return [];
  const after = stepsAfter([], stepOrder(steps), 1);
  return 'problem' in after ? [{ path: ['steps'], message: `${after.problem}; steps are S1, S2 and so on` }] : [];
}

function stepOrder(steps: HubFile['steps']) {
  return { type: 'step.add' as const, ...stepOrders['step.add'].parse({ steps }) };
}
