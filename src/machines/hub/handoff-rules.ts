/**
 * The table of hand-offs (HS-022 to HS-035): which roles a session may recommend at which outcome. Whatever is outside
 * the table is refused with the list of what is inside. Pure.
 */
import { type HandoffSaid, type SessionOutcome } from './handoff.ts';
import { isHub, policyOf, type Role, ROLES } from './roles.ts';

/** The recommendation of an outcome; `hub`: none, the hub that spawned the session decides. */
type Next = Role | 'hub';

/** Outcomes of each role with the roles that they recommend. */
const TABLE: Readonly<Partial<Record<Role, Readonly<Record<string, readonly Next[]>>>>> = {
  Researcher: { complete: ['Architect'], continues: ['Analyst'] },
  Architect: { ready: ['Executor'], 'more-research': ['Researcher'] },
  Executor: {
    done: ['Reviewer'],
    blocked: ['Revisionist'],
    'build-failed': ['Revisionist'],
    'tests-failed': ['Revisionist'],
  },
  Reviewer: { approved: ['Tester'], 'build-failed': ['Revisionist'], issues: ['Revisionist'] },
  Tester: { 'tests-written': ['hub'], passed: ['Archivist'], failed: ['Revisionist'] },
  Revisionist: { fixed: ['Executor'], 're-analysis': ['Analyst'] },
  Analyst: { steps: ['Executor'], docs: ['Researcher'], explore: ['Brainstorm'] },
  Brainstorm: { ready: ['Architect'], 'context-missing': ['Researcher'] },
  Runner: { complex: ['hub', 'Coordinator'], investigation: ['Analyst'] },
  TDDDriver: { complete: ['Reviewer'], blocked: ['Revisionist'] },
  Worker: { complete: ['hub'], 'scope-exceeded': ['hub'], 'budget-exceeded': ['hub'], blocked: ['hub'] },
  Cognition: { analysed: ROLES.filter((role) => !['Archivist', 'Worker', 'Cognition', 'Coordinator'].includes(role)) },
};

/** Outcomes after which the work is not where it should be, or goes back: the loop guard counts them. */
const TROUBLE = new Set([
  'blocked',
  'build-failed',
  'tests-failed',
  'issues',
  'failed',
  'scope-exceeded',
  'budget-exceeded',
  'continues',
  'more-research',
  'context-missing',
  're-analysis',
]);

/** Whether a role closes without a hand-off (HS-017, HS-031, X-59). */
export function closesAlone(role: Role): boolean {
  return role === 'Archivist' || role === 'Coordinator';
}

/** The outcomes of a role with what they recommend; empty for a role that hands nothing off. */
export function outcomesOf(role: Role): Readonly<Record<string, readonly Next[]>> {
  return TABLE[role] ?? {};
}

/** The roles that a role may recommend, whatever its outcome, in the order of the roles. */
export function recommendationsOf(role: Role): Role[] {
  const allowed = new Set<Next>(Object.values(outcomesOf(role)).flat());
  return ROLES.filter((one) => allowed.has(one));
}

/** The facts that the table needs beside what was said. */
export interface HandedBy {
  readonly role: Role;
  /** The role of the hub that spawned the session. */
  readonly hub: Role;
  /** Whether a Reviewer has to verify the build, because it was entered from an Executor (HS-025). */
  readonly isBuildCheck: boolean;
}

/** Problems of a hand-off, one sentence each; empty if it fits the table. */
export function handoffProblems({ role, hub, isBuildCheck }: HandedBy, said: HandoffSaid): string[] {
  if (closesAlone(role)) return [`${role} hands nothing off: it completes once the work plan is archived`];
  const problems: string[] = [];
  // A hub that spawned a Worker gets it back, whichever it is; every other session goes the same way.
  if (said.to !== hub) problems.push(`to: ${role} hands off to ${hub}, which spawned it`);
  const problem = outcomeProblem(role, said);
  if (problem !== undefined) problems.push(problem);
  if (isBuildCheck && said.build === null)
    problems.push('build: a review after an implementation names the command that it verified the build by');
  if (said.outcome === 'approved' && said.build !== null && said.build.exitCode !== 0)
    problems.push(`outcome: the build ended with exit code ${said.build.exitCode}, which approves nothing`);
  return problems;
}

function outcomeProblem(role: Role, { outcome, recommended }: HandoffSaid): string | undefined {
  const outcomes = outcomesOf(role);
  if (outcome !== null && !Object.hasOwn(outcomes, outcome))
    return `outcome: ${role} knows ${Object.keys(outcomes).join(', ')}`;
  const allowed = new Set(outcome === null ? Object.values(outcomes).flat() : outcomes[outcome]!);
  if (allowed.has(recommended ?? 'hub')) return undefined;
  const at = outcome === null ? '' : ` at ${outcome}`;
  const names = [...allowed].map((one) => (one === 'hub' ? 'nobody' : one)).join(' or ');
  return `recommended: ${role} recommends ${names}${at}`;
}

/** The facts about a session that decide whether it may complete. */
interface Completing {
  readonly role: Role;
  readonly hub: Role;
  readonly depth: number;
  /** The number of its hand-off; null before it. */
  readonly handoff: number | null;
}

/** Why a session may not complete by itself (HS-017, HS-031); undefined if it may. */
export function completionProblem({ role, hub, depth, handoff }: Completing, isArchived: boolean): string | undefined {
  // The first hub of a run has nobody to hand off to.
  if (handoff !== null || depth === 0) return undefined;
  if (policyOf(role).mayArchive) return isArchived ? undefined : `${role} archives the work plan before it completes`;
  if (closesAlone(role)) return undefined;
  const allowed = recommendationsOf(role).join(', ') || 'nobody';
  return `${role} hands off to ${hub} before it completes, and recommends one of: ${allowed}`;
}

/** The role that a work plan recommends after a hand-off: the recommended one, or a receiver that is no hub. */
export function recommendationAfter({ recommended, to }: Pick<HandoffSaid, 'recommended' | 'to'>): Role | null {
  return recommended ?? (isHub(to) ? null : to);
}

/** How a session ended, by the flags and the outcome of its hand-off. */
export function sessionOutcome({ outcome, data }: HandoffSaid): SessionOutcome {
  if (data.budget_exceeded || outcome === 'budget-exceeded') return 'budgetExceeded';
  if (data.scope_escalation || outcome === 'scope-exceeded') return 'scopeEscalated';
  // The blockers of a session that judges others are what it has found: its own work is done.
  const isJudgement = outcome === 'failed' || outcome === 'issues';
  return outcome === 'blocked' || (data.blockers.length > 0 && !isJudgement) ? 'blocked' : 'done';
}

/** Whether an outcome of the table is progress for the loop guard. */
export function isProgress(outcome: string | null): boolean {
  return outcome !== null && !TROUBLE.has(outcome);
}
