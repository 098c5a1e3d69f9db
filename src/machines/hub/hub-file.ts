/**
 * The file form of a run, as people write it, and the order that it normalises to. Checks the rules that a schema
 * cannot express. Pure; src/cli/hub-file.ts reads it.
 */
import { z } from 'zod';
import { closed } from '../../closed-object.ts';
import { didYouMean } from '../../near-names.ts';
import { agentSpec, commandEnv, HANDOFFS, isReader, REPORT_UNREAD, runLimits, specProblems } from './agent-spec.ts';
import { hubStart } from './hub-desk.ts';
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
    agentsOf(form).map(
      ([name, { run, handoff = 'exit', report, env, function: named, outside, isolation, ...spec }]) => [
        name,
        {
          ...{ ...spec, does: doesOf({ run, handoff, report, env, named, outside }) },
          isIsolated:
            isolation === 'worktree' || (isolation === undefined && isIsolatedUnlessTold(spec.writes, outside)),
        },
      ],
    ),
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

/** An agent outside works where it is; any other one that changes files has a tree of its own. */
function isIsolatedUnlessTold(writes: Agent['writes'], outside: true | undefined): boolean {
  return writes !== null && outside !== true;
}

function functionOf(name: string | undefined) {
  return { kind: 'function', name } as const;
}

function doesOf({
  run,
  handoff,
  report,
  env,
  named,
  outside,
}: Pick<Agent, 'run' | 'handoff' | 'report' | 'env' | 'outside'> & { named?: string | undefined }) {
  if (outside === true) return { kind: 'outside' };
  if (run === undefined) return functionOf(named);
  // Left out where they are not given: a run of an earlier version would differ from its file.
  return { kind: 'command', run, handoff, ...(report !== undefined && { report }), ...(env !== undefined && { env }) };
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
    ...agentsOf(form).flatMap(([name, { run, function: named, handoff, report, env, outside, isolation, writes }]) => [
      ...doerProblem(name, { run, function: named, outside }),
      ...(handoff === undefined || run !== undefined
        ? []
        : [{ path: ['agents', name, 'handoff'], message: 'is for "run": a function returns its hand-off' }]),
      ...(isolation === 'worktree' && (outside === true || writes === null)
        ? [{ path: ['agents', name, 'isolation'], message: NO_TREE }]
        : []),
      ...(env === undefined || run !== undefined
        ? []
        : [{ path: ['agents', name, 'env'], message: 'is for "run": a function has the environment of the host' }]),
      ...(report === undefined || (run !== undefined && isReader(handoff))
        ? []
        : [{ path: ['agents', name, 'report'], message: REPORT_UNREAD }]),
    ]),
    ...steps.flatMap(({ assignee }, index) =>
      assignee === null || given[assignee] !== undefined
        ? []
        : [{ path: ['steps', index, 'assignee'], message: `no agent is given for ${assignee}` }],
    ),
    ...stepProblems(steps),
  ];
}

const NO_TREE = 'a worktree is for an agent with "writes" that Bosun starts: leave it out';

function doerProblem(name: string, ways: Pick<Agent, 'run' | 'function' | 'outside'>): HubFileProblem[] {
  const path = ['agents', name];
  const given = Object.entries(ways).flatMap(([way, value]) => (value === undefined ? [] : [way]));
  if (given.length > 1)
    return [
      { path: [...path, given[1]!], at: 'key', message: `an agent has one of "${given.join('", "')}", not both` },
    ];
  if (given.length === 1) return [];
  const known =
    '"run", a shell command, "function", a function of the module, or "outside: true", the holder of its token';
  return [{ path, message: `needs ${known}` }];
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
