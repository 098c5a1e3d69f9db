/**
 * Questions of a hub to people: what they show, the answer that would take the obstacle away, and the files that an
 * answer allows. Pure.
 */
import { GATE_ANSWER_BYTES_MAX } from '../limits.ts';
import { fits } from '../rules/value-size.ts';
import { type AgentSpecs } from './agent-spec.ts';
import { type AmountLimits, leftOf, reservationFor } from './budget.ts';
import { type HubAnswer, hubAnswer, type HubContext, type HubEvent } from './hub-state.ts';
import { policyOf, type Role } from './roles.ts';
import { PATTERNS_MAX, scopeSchema } from './scope.ts';

/** Share of a limit that is suggested beside it. */
const MORE = 0.25;

/** The material of a hub's question. */
export type QuestionAbout = ReturnType<typeof questionAbout>;

export function questionAbout(context: HubContext) {
  const { move, budget, limits, spawned: sessions } = context;
  const { max, spent, reserved } = budget;
  const reservedUsd = Object.values(reserved).reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  const escalation = escalationIn(context);
  return {
    ...{ move, escalation, suggested: suggestion(context, escalation) },
    budget: {
      ...{ limitUsd: max.costUsd, spentUsd: spent.costUsd, reservedUsd, leftUsd: leftOf(budget, 'costUsd') },
      ...{ tokensMax: max.tokens, tokensSpent: spent.tokens, tokensLeft: leftOf(budget, 'tokens') },
      ...{ sessions, sessionsMax: limits.spawns },
    },
  };
}

/** The session that needs other files, what it says, and the first files that it changed outside its scope. */
function escalationIn({ move, last, read }: HubContext) {
  const handoff = read?.lastHandoff ?? null;
  if (move?.kind !== 'ask' || move.problem !== 'scope' || handoff?.session !== last?.session) return null;
  const { session, reason, verified } = handoff!;
  // One more than a scope may have is too many to be suggested.
  return { session, reason, files: verified.outOfScope.slice(0, PATTERNS_MAX + 1) };
}

/**
 * The answer with which the run goes on: with the role that cannot, once it can, or else with the one that begins. Null
 * if people have to say more than yes.
 */
function suggestion(
  { move, agents, start, budget, limits, spawned }: HubContext,
  escalation: ReturnType<typeof escalationIn>,
): HubAnswer | null {
  if (move?.kind !== 'ask') return null;
  const { about, problem } = move;
  const role = about !== null && agents[about] !== undefined && problem !== 'not-spawnable' ? about : start;
  const given: Partial<AmountLimits> = agents[role] ?? {};
  const go = { choice: 'spawn', role } as const;
  if (problem === 'scope') {
    const { files } = escalation ?? { files: [] };
    const answer = { ...go, allow: files };
    // A session names its files: one with a wildcard in its name would allow others too.
    const isSafe = files.length > 0 && !files.some((file) => /[*?]/.test(file));
    return isSafe && fits(answer, GATE_ANSWER_BYTES_MAX) && answerProblem(agents, answer) === undefined ? answer : null;
  }
  if (spawned >= limits.spawns) return { ...go, extraSpawns: Math.ceil(limits.spawns * MORE) };
  const reservation = reservationFor(budget, given, limits.concurrent);
  if (!('lacks' in reservation)) return go;
  const kind = reservation.lacks;
  const left = leftOf(budget, kind) ?? 0;
  // What is spent beyond the limit comes first.
  const more = Math.max((given[kind] ?? 0) - left, (budget.max[kind] ?? 0) * MORE - Math.min(left, 0));
  return { ...go, ...(kind === 'tokens' ? { extraTokens: Math.ceil(more) } : { extraUsd: cents(more) }) };
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
