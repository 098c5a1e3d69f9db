/**
 * The roles of hub and spoke (seed 004) as data: which role spawns which, what it may change, and its limits (CN-016,
 * HS-001 to HS-006). Who may spawn is decided from this table in may-spawn.ts, where hand-offs lead in
 * handoff-rules.ts.
 */
import { z } from 'zod';

/** The names of the roles. */
export const ROLES = [
  'Coordinator',
  'Analyst',
  'Runner',
  'TDDDriver',
  'Executor',
  'Reviewer',
  'Tester',
  'Revisionist',
  'Archivist',
  'Brainstorm',
  'Researcher',
  'Architect',
  'Worker',
  'Cognition',
] as const;
/** A role of a session. */
export type Role = (typeof ROLES)[number];
export const roleSchema = z.enum(ROLES);

/** The tools of sessions that read and change the work plan. */
export type SessionTool = 'memory_agent' | 'memory_plan' | 'memory_steps' | 'memory_context';

/** The policy of one role. */
export interface RolePolicy {
  /** `hub`: decides and spawns. `spoke`: works and recommends. */
  readonly kind: 'hub' | 'spoke';
  /** The roles that it may spawn; `any` are all but itself. */
  readonly spawns: 'any' | readonly Role[];
  /** Whether it may spawn only when it names why the work plan pivots. */
  readonly needsPivot: boolean;
  /** Whether it may write code (HS-006). Reviewers and others find, and change nothing. */
  readonly mayImplement: boolean;
  /** Whether it may change files of the workspace at all, tests and documents included. */
  readonly mayWrite: boolean;
  /** Whether it may change steps, notes and goals of the work plan. */
  readonly mayChangePlan: boolean;
  /** Whether it may archive the work plan, which ends it (`can_finalize`). */
  readonly mayArchive: boolean;
  /** Steps after which its budget is exceeded; null: no limit of its role. */
  readonly stepsMax: number | null;
  /** Tokens of context that it may be given; null: no limit of its role. */
  readonly contextTokensMax: number | null;
  /** Tools whose actions it may use in full. Other tools only read; `memory_agent` is always there. */
  readonly tools: readonly SessionTool[];
}

const ALL_TOOLS: readonly SessionTool[] = ['memory_agent', 'memory_plan', 'memory_steps', 'memory_context'];

const HUB: RolePolicy = {
  kind: 'hub',
  spawns: 'any',
  needsPivot: false,
  mayImplement: false,
  mayWrite: false,
  mayChangePlan: true,
  mayArchive: false,
  stepsMax: null,
  contextTokensMax: null,
  tools: ALL_TOOLS,
};

const SPOKE: RolePolicy = { ...HUB, kind: 'spoke', spawns: [] };
const IMPLEMENTER: RolePolicy = { ...SPOKE, mayImplement: true, mayWrite: true };

/** The policies by role. */
export const ROLE_POLICIES: Readonly<Record<Role, RolePolicy>> = {
  Coordinator: HUB,
  Analyst: { ...HUB, mayImplement: true, mayWrite: true },
  Runner: { ...HUB, mayImplement: true, mayWrite: true },
  TDDDriver: { ...HUB, spawns: ['Tester', 'Executor', 'Reviewer'] },
  Executor: IMPLEMENTER,
  Reviewer: SPOKE,
  Tester: IMPLEMENTER,
  // Changes the plan, and spawns where a pivot needs a sub-task at once.
  Revisionist: { ...SPOKE, spawns: 'any', needsPivot: true },
  Archivist: { ...SPOKE, mayArchive: true },
  Brainstorm: SPOKE,
  Researcher: SPOKE,
  Architect: SPOKE,
  Worker: {
    ...IMPLEMENTER,
    mayChangePlan: false,
    stepsMax: 5,
    contextTokensMax: 50_000,
    tools: ['memory_agent'],
  },
  Cognition: { ...SPOKE, mayChangePlan: false, tools: ['memory_agent'] },
};

/** The policy of a role. */
export function policyOf(role: Role): RolePolicy {
  return ROLE_POLICIES[role];
}

export function isHub(role: Role): boolean {
  return policyOf(role).kind === 'hub';
}

/** Why a session of a role may not use a tool to change something; undefined if it may. */
export function toolProblem(role: Role, tool: SessionTool): string | undefined {
  return policyOf(role).tools.includes(tool) ? undefined : `${role} may read with ${tool} and change nothing`;
}
