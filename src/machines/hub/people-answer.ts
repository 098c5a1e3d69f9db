/**
 * Questions of a hub to people: what they show, the answer that would take the obstacle away, and the files that an
 * answer allows. Pure.
 */
import { GATE_ANSWER_BYTES_MAX } from '../limits.ts';
import { fits } from '../rules/value-size.ts';
import { type AgentSpecs } from './agent-spec.ts';
import { type AmountLimits, leftOf, reservationFor } from './budget.ts';
import { type HubAnswer, hubAnswer, type HubContext, type HubEvent } from './hub-state.ts';
import { type Move } from './next-move.ts';
import { policyOf, type Role } from './roles.ts';
import { PATTERNS_MAX, scopeSchema } from './scope.ts';

/** Share of a limit that is suggested beside it. */
const MORE = 0.25;

/** The material of a hub's question. */
export interface QuestionAbout {
  readonly move: Move | null;
  /** The session that needs other files, what it says, and files that it changed outside its scope, the first ones. */
  readonly escalation: {
    readonly session: string;
    readonly reason: string;
    readonly files: readonly string[];
    readonly fileCount: number;
  } | null;
  readonly budget: {
    readonly limitUsd: number | null;
    readonly spentUsd: number;
    readonly reservedUsd: number;
    readonly leftUsd: number | null;
    readonly tokensMax: number | null;
    readonly tokensSpent: number;
    readonly tokensLeft: number | null;
    readonly sessions: number;
    readonly sessionsMax: number;
  };
  /** The answer with which the role goes on; null if people have to say more than yes. */
  readonly suggested: HubAnswer | null;
}

export function questionAbout(context: HubContext): QuestionAbout {
  const { move, budget, limits, spawned } = context;
  const { max, spent, reserved } = budget;
  const reservedUsd = Object.values(reserved).reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  const escalation = escalationIn(context);
  return {
    ...{ move, escalation, suggested: suggestion(context, escalation) },
    budget: {
      ...{ limitUsd: max.costUsd, spentUsd: spent.costUsd, reservedUsd, leftUsd: leftOf(budget, 'costUsd') },
      ...{ tokensMax: max.tokens, tokensSpent: spent.tokens, tokensLeft: leftOf(budget, 'tokens') },
      ...{ sessions: spawned, sessionsMax: limits.spawns },
    },
  };
}

function escalationIn({ move, last, read }: HubContext): QuestionAbout['escalation'] {
  const handoff = read?.lastHandoff ?? null;
  if (move?.kind !== 'ask' || move.problem !== 'scope' || handoff === null || handoff.session !== last?.session)
    return null;
  const { session, reason, verified } = handoff;
  const files = verified.outOfScope.slice(0, PATTERNS_MAX);
  return { session, reason, files, fileCount: verified.outOfScope.length };
}

function suggestion(
  { move, agents, budget, limits }: HubContext,
  escalation: QuestionAbout['escalation'],
): HubAnswer | null {
  if (move?.kind !== 'ask' || move.about === null) return null;
  const go = { choice: 'spawn', role: move.about } as const;
  switch (move.problem) {
    case 'scope': {
      const { files, fileCount } = escalation ?? { files: [], fileCount: 0 };
      const answer = { ...go, allow: [...files] };
      // A session names its files: one with a wildcard in its name would allow others too.
      const isSafe = files.length > 0 && files.length === fileCount && !files.some((file) => /[*?]/.test(file));
      return isSafe && fits(answer, GATE_ANSWER_BYTES_MAX) && answerProblem(agents, answer) === undefined
        ? answer
        : null;
    }
    case 'budget': {
      const given: Partial<AmountLimits> = agents[move.about] ?? {};
      const reservation = reservationFor(budget, given, limits.concurrent);
      const kind = 'lacks' in reservation ? reservation.lacks : 'costUsd';
      const more = Math.max((given[kind] ?? 0) - (leftOf(budget, kind) ?? 0), (budget.max[kind] ?? 0) * MORE);
      return { ...go, ...(kind === 'tokens' ? { extraTokens: Math.ceil(more) } : { extraUsd: cents(more) }) };
    }
    case 'limits':
      return { ...go, extraSpawns: Math.ceil(limits.spawns * MORE) };
    default:
      return null;
  }
}

function cents(amountUsd: number): number {
  return Math.ceil(amountUsd * 100) / 100;
}

/** The answer that has come; undefined for another event, or one that is no answer. */
export function answerIn(event: HubEvent): HubAnswer | undefined {
  return event.type === 'gate.closed' ? hubAnswer.safeParse(event.result.answer).data : undefined;
}

/** Why an answer cannot be taken, as a sentence; undefined if it can. */
export function answerProblem(agents: AgentSpecs, answer: HubAnswer | undefined): string | undefined {
  if (answer?.choice !== 'spawn' || answer.allow === undefined) return undefined;
  const role = answer.role as Role;
  if (!policyOf(role).mayWrite) return `allow: ${role} changes no files in any run.`;
  const { error } = scopeSchema.safeParse(withAllowed(agents, role, answer.allow)[role]?.writes ?? {});
  return error === undefined ? undefined : `allow: ${error.issues[0]!.message}.`;
}

/** The agents of a run, of which one may change more files. */
export function withAllowed(agents: AgentSpecs, role: Role, allow: readonly string[]): AgentSpecs {
  const spec = agents[role];
  if (spec === undefined) return agents;
  const { files, newIn } = spec.writes ?? { files: [], newIn: [] };
  return { ...agents, [role]: { ...spec, writes: { files: [...new Set([...files, ...allow])], newIn } } };
}
