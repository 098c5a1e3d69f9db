/**
 * The agents of a run as data: how each role's work is done, what it may change, and its limits. What does the work is
 * chosen by the host (src/crew-hub.ts); machines know these facts alone.
 */
import { z } from 'zod';
import { commandWork, functionWork } from '../work/does.ts';
import { HUB_CONCURRENT, HUB_CONCURRENT_MAX, HUB_SPAWNS_MAX } from '../limits.ts';
import { CODING_AGENTS, type Reader, READERS } from './report.ts';
import { policyOf, type Role, roleSchema } from './roles.ts';
import { scopeSchema, workspacePath } from './scope.ts';

/** The ways in which a command hands off. */
export const HANDOFFS = ['exit', 'file', ...READERS] as const;

/** Why a command has no file of a report. */
export const REPORT_UNREAD = `is for a command with a reader, "handoff" ${READERS.join(', ')}`;

/** Whether a command hands off by its report. */
export function isReader(handoff: (typeof HANDOFFS)[number] | undefined): handoff is Reader {
  return READERS.some((reader) => reader === handoff);
}

const DAY_MS = 24 * 60 * 60_000;
const ms = z.int().positive().max(DAY_MS);
/** Tokens of a run: a hundred thousand contexts. */
const TOKENS_MAX = 1e10;

/** Work by the holder of the session's token, such as a coding agent: Bosun starts nothing. */
const outsideWork = z.object({ kind: z.literal('outside') });

/** The decisions of a hub: by the rules of next-move.ts, by a function of the host, or by the holder of its token. */
export const decides = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('rules') }),
  functionWork,
  outsideWork,
]);
export type Decides = z.output<typeof decides>;

/** Work by a model of the host, which is asked once and answers with the hand-off. */
const modelWork = functionWork.extend({ kind: z.literal('model') });

const variableName = z
  .string()
  .regex(/^[A-Za-z_]\w{0,199}$/, 'is no name of a variable')
  .refine((text) => !text.startsWith('BOSUN_'), 'is set by Bosun, or not for agents');

/** Names of variables of the host's environment that a command gets. Default: none but what every program needs. */
export const commandEnv = z.array(variableName).max(100).optional();

/** The call of a tool of an MCP server, whose result is the hand-off. */
export const toolWork = z.object({
  kind: z.literal('mcp'),
  /** The command of the server, or its URL: one of both. */
  run: commandWork.shape.run.optional(),
  url: z.url({ protocol: /^https?$/ }).optional(),
  tool: z.string().min(1).max(200),
  arguments: z.record(z.string(), z.unknown()).default({}),
  env: commandEnv,
});

/** One role's agent. */
export const agentSpec = z.object({
  /** The way in which it works. */
  does: z.discriminatedUnion('kind', [
    functionWork,
    commandWork
      .extend({
        /**
         * How it hands off: by its exit code, by the file that `$BOSUN_HANDOFF` names, or by exit code and report, in
         * the format of a reader.
         */
        handoff: z.enum(HANDOFFS).default('file'),
        /** The file of its report, relative to the workspace. Default: its standard output. */
        report: workspacePath.optional(),
        env: commandEnv,
        /** The coding agent whose output says what it has used. */
        usage: z.enum(CODING_AGENTS).optional(),
      })
      .refine(({ handoff, report }) => report === undefined || isReader(handoff), {
        path: ['report'],
        message: REPORT_UNREAD,
      }),
    modelWork,
    toolWork.refine(({ run, url }) => (run === undefined) !== (url === undefined), 'has "run" or "url", one of them'),
    outsideWork,
  ]),
  /** Its standing task, in front of what the hub says. */
  task: z.string().max(100_000).default(''),
  /** The files that it may change; null: none. */
  writes: scopeSchema.nullable().default(null),
  /** Whether its host gives it a tree of its own, so that it may write beside others. */
  isIsolated: z.boolean().default(false),
  stepsMax: z.int().positive().max(10_000).nullable().default(null),
  /** The longest time of one try. */
  timeoutMs: ms.nullable().default(null),
  /** The longest silence: then its session is stale. */
  silenceMs: ms.default(20 * 60_000),
  /** The most that a session may use, reserved when it is spawned. */
  costUsd: z.number().nonnegative().max(100_000).nullable().default(null),
  tokens: z.int().nonnegative().max(TOKENS_MAX).nullable().default(null),
  /** Tries of work that fails (DC-012). */
  attempts: z.int().min(1).max(10).default(3),
  /** The role that takes over after the last try; null: people are asked. */
  fallback: roleSchema.nullable().default(null),
});
/** One role's agent, with its defaults. */
export type AgentSpec = z.output<typeof agentSpec>;

/** The agents of a run by role. */
export const agentSpecs = z.partialRecord(roleSchema, agentSpec);
export type AgentSpecs = z.output<typeof agentSpecs>;

/** The limits of a run. */
export const runLimits = z.object({
  spawns: z.int().min(1).max(HUB_SPAWNS_MAX).default(100),
  concurrent: z.int().min(1).max(HUB_CONCURRENT_MAX).default(HUB_CONCURRENT),
  timeMs: ms.nullable().default(null),
  costUsd: z.number().positive().max(1_000_000).nullable().default(null),
  tokens: z.int().positive().max(TOKENS_MAX).nullable().default(null),
  /** How long people have to answer; then the run pauses and changes nothing. */
  answerMs: ms.default(DAY_MS),
});
export type RunLimits = z.output<typeof runLimits>;

/** Waits before the second, the third and each further try, in milliseconds (DC-012). */
export const RETRY_WAITS_MS = [5_000, 10_000, 20_000] as const;

export function retryWaitMs(failedTries: number): number {
  return RETRY_WAITS_MS[Math.min(failedTries, RETRY_WAITS_MS.length) - 1]!;
}

/** The steps after which a session's budget is exceeded: the stricter of its role's and its agent's; null: no limit. */
export function stepsMaxOf(role: Role, { stepsMax }: Pick<AgentSpec, 'stepsMax'>): number | null {
  const limits = [policyOf(role).stepsMax, stepsMax].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.min(...limits);
}

/**
 * Problems of the agents of a run, one sentence each.
 *
 * @param start The role that rules begin with; null where others decide.
 */
export function specProblems(agents: AgentSpecs, start: Role | null): string[] {
  const problems = Object.entries(agents).flatMap(([role, { writes, fallback }]) => [
    ...(writes !== null && !policyOf(role as Role).mayWrite ? [`agents.${role}.writes: ${role} changes no files`] : []),
    ...(fallback !== null && agents[fallback] === undefined
      ? [`agents.${role}.fallback: no agent is given for ${fallback}`]
      : []),
  ]);
  return start !== null && agents[start] === undefined
    ? [...problems, `start: no agent is given for ${start}`]
    : problems;
}
