/**
 * The rules of a spoke: what it lacks before it begins (HS-036), what its work has come to, and the hand-off that is
 * made for it where it could not make one itself. Pure.
 */
import { estimateTokenCount } from 'tokenx';
import { type z } from 'zod';
import { type HandoffSaid, handoffSaid, NOT_VERIFIED, type SessionOutcome, type Verified } from './handoff.ts';
import { closesAlone, handoffProblems, outcomesOf, sessionOutcome } from './handoff-rules.ts';
import { offScriptSigns } from './off-script.ts';
import { policyOf } from './roles.ts';
import { outOfScope } from './scope.ts';
import { type SpokeContext, type SpokeInput, type WorkOutcome } from './spoke-state.ts';
import { clipped, firstOf } from './words.ts';

/** Tries to mend a hand-off that does not fit. */
export const CORRECTIONS_MAX = 1;

/** Names of the inputs that a session lacks; a Worker is not begun without them. */
export function missingInput({ session, task, spec, workspace, prompt }: SpokeInput): string[] {
  if (session.role !== 'Worker') return [];
  const { contextTokensMax } = policyOf(session.role);
  const tokens = estimateTokenCount(prompt);
  return [
    ...(tokens > (contextTokensMax ?? Infinity)
      ? [`prompt: it has about ${tokens} tokens, and a Worker gets ${contextTokensMax} at most: divide the task`]
      : []),
    ...(workspace.trim() === '' ? ['workspace_id: no workspace is named'] : []),
    ...(task.trim() === '' ? ['task: no specific task is given'] : []),
    ...(spec.writes === null ? ['scope: no files are named that may change'] : []),
  ];
}

/** Why a hand-off is made for a session. */
export interface Trouble {
  readonly outcome: Exclude<SessionOutcome, 'done'>;
  readonly blockers: readonly string[];
}

const WORKER_OUTCOMES: Readonly<Partial<Record<SessionOutcome, string>>> = {
  budgetExceeded: 'budget-exceeded',
  scopeEscalated: 'scope-exceeded',
};

/** The hand-off of a session in trouble; null if its table has no outcome for it. */
export function troubleHandoff({ session }: Pick<SpokeInput, 'session'>, trouble: Trouble): HandoffSaid | null {
  const outcomes = outcomesOf(session.role);
  const wanted = session.role === 'Worker' ? (WORKER_OUTCOMES[trouble.outcome] ?? 'blocked') : 'blocked';
  const outcome = [wanted, 'failed', 'issues'].find((one) => Object.hasOwn(outcomes, one));
  if (outcome === undefined) return null;
  const [next] = outcomes[outcome]!;
  return handoffSaid.parse({
    to: session.hub,
    outcome,
    recommended: next === 'hub' ? null : next,
    reason: trouble.blockers[0] ?? trouble.outcome,
    build: session.isBuildCheck ? { command: 'none ran', exitCode: 1 } : null,
    data: {
      blockers: trouble.blockers,
      budget_exceeded: trouble.outcome === 'budgetExceeded',
      scope_escalation: trouble.outcome === 'scopeEscalated',
    },
  });
}

/** The verdict on finished work. */
export type Verdict =
  /** The session closes without a hand-off, as its role does. */
  | { readonly kind: 'alone' }
  | {
      readonly kind: 'handoff';
      readonly said: HandoffSaid;
      readonly verified: Verified;
      readonly outcome: SessionOutcome;
    }
  /** The hand-off does not fit: the work is told, or the session is refused. */
  | { readonly kind: 'misfit'; readonly problems: readonly string[]; readonly verified: Verified };

/** Judges finished work by what was said and by what was found. */
export function verdictOn({ session, spec }: Pick<SpokeContext, 'session' | 'spec'>, work: WorkOutcome): Verdict {
  const { role, step } = session;
  if (closesAlone(role)) return { kind: 'alone' };
  const parsed = handoffSaid.safeParse(toHub(work.handoff, session.hub));
  const said = parsed.data;
  const stepsCompleted = said?.data.steps_completed ?? [];
  const verified = verifiedBy(work, { scope: spec.writes, step, stepsCompleted });
  // Among the user's files somebody else may have changed them.
  if (verified.outOfScope.length > 0 && !work.isShared) return escalated(session, said, verified);
  if (said === undefined) return { kind: 'misfit', problems: flawsOf(work, parsed.error), verified };
  const whole = { ...said, build: said.build ?? work.build };
  const problems = handoffProblems(session, whole);
  if (problems.length > 0) return { kind: 'misfit', problems, verified };
  return { kind: 'handoff', said: whole, verified, outcome: sessionOutcome(whole) };
}

/** A hand-off that names no receiver goes to the hub that gets control back. */
function toHub(handoff: unknown, hub: SpokeInput['session']['hub']): unknown {
  if (typeof handoff !== 'object' || handoff === null) return handoff;
  return (handoff as { to?: unknown }).to === undefined ? { ...handoff, to: hub } : handoff;
}

function verifiedBy(
  { changed, build }: WorkOutcome,
  { scope, step, stepsCompleted }: Pick<Parameters<typeof offScriptSigns>[0], 'scope' | 'step' | 'stepsCompleted'>,
): Verified {
  if (changed === null) return { ...NOT_VERIFIED, build };
  return {
    files: changed.map((file) => file.path),
    outOfScope: outOfScope(scope, changed),
    signs: offScriptSigns({ scope, changed, step, stepsCompleted }),
    build,
  };
}

/** Changes outside the scope are never applied, whatever the session says of them. */
function escalated(session: SpokeContext['session'], said: HandoffSaid | undefined, verified: Verified): Verdict {
  const blockers = verified.outOfScope.slice(0, 100).map((path) => clipped(`outside the scope: ${path}`));
  const made = troubleHandoff({ session }, { outcome: 'scopeEscalated', blockers });
  if (made === null) return { kind: 'misfit', problems: blockers, verified };
  const data = { ...(said ?? made).data, blockers, scope_escalation: true };
  const reason = clipped(`outside the scope: ${firstOf(verified.outOfScope)}`);
  return { kind: 'handoff', said: { ...made, reason, data }, verified, outcome: 'scopeEscalated' };
}

function flawsOf({ handoff, flaws }: WorkOutcome, error: z.ZodError): string[] {
  if (flaws.length > 0) return [...flaws];
  if (handoff === null || handoff === undefined)
    return ['nothing was handed off: say to whom, whom you recommend, and why'];
  return error.issues.map(({ path, message }) => `${path.join('.') || 'handoff'}: ${message}`).slice(0, 50);
}
