/**
 * The acts of a hub within a turn beside its spawns (spawning.ts) and its sessions (hub-sessions.ts): it decides by the
 * rules of next-move.ts, asks people, corrects, stops and closes, and puts each of these into the log of its work plan.
 */
import { formOf } from '../people/gates/gate-form.ts';
import { PEOPLE_DESKS } from '../people/system-ids.ts';
import { extended } from './budget.ts';
import { type HubEvent, hubAnswer, type HubReport } from './hub-state.ts';
import { closeOwn } from './hub-led.ts';
import { type HubTurn, log, tellPlan } from './hub-turn.ts';
import { roleRefusal } from './may-spawn.ts';
import { type Move, nextMove } from './next-move.ts';
import { answersFor, correctionFor, recoveryAnswer, type RecoveryMove, resetOrder } from './recovery.ts';
import { answerIn, answerProblem, questionAbout, withAllowed } from './people-answer.ts';
import { type Role, ROLES, roleSchema } from './roles.ts';
import { room } from './spawning.ts';
import { strongerStop } from './stop-levels.ts';
import { clipped } from './words.ts';

/** Decides by what has just been read of the work plan. */
export function decide(turn: HubTurn): void {
  const { context } = turn;
  const { agents, read } = context;
  const roles = ROLES.filter((role) => agents[role] !== undefined);
  const fallbacks = Object.fromEntries(
    roles.flatMap((role) => (agents[role]!.fallback === null ? [] : [[role, agents[role]!.fallback]])),
  );
  const decided = nextMove({ ...context, read: read!, agents: roles, fallbacks });
  // What stands in the way of a spawn is a question to people: nobody else can make room.
  const problem =
    decided.kind === 'spawn'
      ? (roleRefusal({ role: context.role, depth: 0 }, decided.role, null) ?? room(turn, decided.role))
      : undefined;
  const move: Move =
    decided.kind !== 'spawn' || problem === undefined
      ? decided
      : { kind: 'ask', question: `${problem.text}.`, about: decided.role, problem: problem.because };
  const text = move.kind === 'ask' ? move.question : move.because;
  turn.assign({ move, because: text });
  log(turn, { kind: 'decided', code: move.kind, text: move.kind === 'spawn' ? `${move.role}: ${text}` : text });
}

/** Tells every open session to stop. */
export function stopSessions(turn: HubTurn, event: HubEvent): void {
  const level = strongerStop(turn.context.stop, event.type === 'hub.stop' ? event.level : 'immediate');
  const because = event.type === 'hub.stop' ? `stopped by ${event.by}` : 'its time is over';
  turn.assign({ stop: level, because });
  log(turn, { kind: 'stopped', code: level, text: because });
  for (const { ref } of turn.context.open.values()) if (ref !== null) turn.send(ref, { type: 'session.stop', level });
}

/** Asks people how the run is to go on. */
export function askPeople(turn: HubTurn): void {
  const { move, refused } = turn.context;
  const question = move?.kind === 'ask' ? move.question : 'How is the run to go on?';
  openGate(turn, {
    kind: 'hub',
    title: `${refused ?? ''} ${question}`.trim(),
    about: questionAbout(turn.context),
    form: formOf(hubAnswer.options[0].extend({ role: roleSchema }).or(hubAnswer.options[1])),
  });
}

/** Asks people what an interrupted session leaves behind is worth (HS-044, step 4). */
export function askRecovery(turn: HubTurn): void {
  const { interrupted, survey, read } = turn.context;
  recoveryMove(turn, 'ask', 'people are asked');
  const stuck = (read?.steps ?? []).filter(({ status }) => status === 'active').map(({ id }) => id);
  openGate(turn, {
    kind: 'recovery',
    title: `${interrupted?.role ?? 'A session'} was interrupted. What went wrong, and how is it to go on?`,
    about: { session: interrupted?.session ?? null, survey, stuck },
    form: formOf(answersFor(survey?.files ?? null)),
  });
}

interface Question {
  readonly kind: string;
  readonly title: string;
  readonly about: object;
  readonly form: object;
}

function openGate(turn: HubTurn, { kind, title, about, form }: Question): void {
  const { id, planId, gates, people, limits } = turn.context;
  turn.assign({ gates: gates + 1 });
  turn.send(PEOPLE_DESKS.gates, {
    type: 'gate.open',
    ...{ id: gateId(id, gates + 1), kind, title: clipped(title, 500), item: planId, stage: id, proposal: null },
    ...{ package: about, audience: [...people], form, remindAfterMs: [], deadlineMs: limits.answerMs, onTimeout: null },
    askedBy: turn.self,
  });
}

export function gateId(run: string, number: number): string {
  return `${run}-G${number}`;
}

/** The closed session that people allow more files to: what it has changed is not done again. */
function carriedFor({ context: { last, agents } }: HubTurn, role: Role): string | null {
  const isIts = last?.outcome === 'scopeEscalated' && last.role === role && agents[role]?.isIsolated === true;
  return isIts ? last.session : null;
}

/** Takes the answer of people: the role that they name is spawned next, with the files that they allow. */
export function takeAnswer(turn: HubTurn, event: HubEvent): void {
  const { limits, budget, agents, bornAgents = agents } = turn.context;
  const answer = answerIn(event);
  // An answer that cannot be taken changes nothing: the hub decides as before, and asks again.
  const refused = answerProblem(agents, answer) ?? null;
  turn.assign({ refused });
  if (answer?.choice !== 'spawn' || refused !== null) return;
  const { guidance = null, allow, extraUsd = 0, extraTokens = 0, extraSpawns = 0 } = answer;
  const role = roleSchema.parse(answer.role);
  turn.assign({
    told: role,
    ...(allow !== undefined && {
      carried: carriedFor(turn, role),
      bornAgents,
      agents: withAllowed(agents, role, allow),
    }),
    guidance,
    counts: {},
    limits: { ...limits, spawns: limits.spawns + extraSpawns },
    budget: extended(budget, { costUsd: extraUsd, tokens: extraTokens }),
  });
}

/** Takes the answer of people about an interruption. */
export function takeCorrection(turn: HubTurn, event: HubEvent): void {
  const answer = event.type === 'gate.closed' ? recoveryAnswer.safeParse(event.result.answer).data : undefined;
  const correction = answer === undefined ? 'stop' : correctionFor(answer);
  if (correction !== 'stop') turn.assign({ correction });
}

/** Sets stuck steps back, and has the interrupted role go on with what people said. */
export function correct(turn: HubTurn): void {
  const { read, correction, interrupted, id, agents } = turn.context;
  const isKept = interrupted !== null && agents[interrupted.role]?.isIsolated === true;
  const reset = resetOrder(read?.steps ?? []);
  if (reset !== undefined) tellPlan(turn, { type: 'plan.reset', run: id, order: reset });
  recoveryMove(turn, 'correct', correction?.files.kind ?? 'keep');
  turn.assign({
    ...{ interrupted: null, survey: null, correction: null, guidance: correction?.guidance ?? null },
    carried: isKept && correction !== null && correction.files.kind !== 'discard all' ? interrupted.session : null,
    ...(correction?.respawns === true && interrupted !== null && { told: interrupted.role }),
  });
}

/** Puts one move of a recovery into the log. */
export function recoveryMove(turn: HubTurn, move: RecoveryMove, said: string): void {
  const { interrupted, id, role } = turn.context;
  log(turn, {
    ...{ kind: 'recovery', code: move, text: said },
    ...{ session: interrupted?.session ?? id, role: interrupted?.role ?? role },
  });
}

const OUTCOMES = { completed: 'done', failed: 'failed', stopped: 'interrupted' } as const;

/** Tells the desk that the run is over. */
export function close(turn: HubTurn, status: 'completed' | 'failed' | 'stopped'): void {
  const { desk, id, because, budget, spawned } = turn.context;
  closeOwn(turn, OUTCOMES[status]);
  tellPlan(turn, { type: 'plan.close', status });
  const { costUsd: spentUsd, tokens: spentTokens } = budget.spent;
  const figures = { spentUsd, spentTokens, sessions: spawned };
  turn.send(desk, { type: 'hub.closed', id, status, because, ...figures } satisfies HubReport);
}
