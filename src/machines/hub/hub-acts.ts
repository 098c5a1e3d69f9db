/**
 * The acts of a hub within a turn: it decides, spawns, refuses, closes, asks and corrects, and puts each of these into
 * the log of its work plan. The rules that it acts by are in next-move.ts, may-spawn.ts, lane.ts and budget.ts.
 */
import { formOf } from '../people/gates/gate-form.ts';
import { type Asked, refused, TAKEN, type Turn } from '../rules/turn.ts';
import { HUB_DESKS } from './system-ids.ts';
import { PEOPLE_DESKS } from '../people/system-ids.ts';
import { NO_USAGE, reservationFor, reserve, settle } from './budget.ts';
import { isProgress } from './handoff-rules.ts';
import {
  type HubContext,
  type HubEmitted,
  type HubEvent,
  hubAnswer,
  type HubReport,
  type HubSession,
  type RunStatus,
} from './hub-state.ts';
import { laneProblem } from './lane.ts';
import { counted } from './loop-guard.ts';
import { roleRefusal, roomRefusal, type SpawnRefusal } from './may-spawn.ts';
import { nextMove } from './next-move.ts';
import { type PlanLogEntry } from './plan-log.ts';
import { promptOf } from './prompt.ts';
import { type ReasonCode } from './reason-codes.ts';
import { correctionFor, recoveryAnswer, type RecoveryMove, resetOrder } from './recovery.ts';
import { type Role, ROLES, roleSchema } from './roles.ts';
import { type SessionClosed, type SpokeInput } from './spoke-state.ts';
import { strongerStop } from './stop-levels.ts';
import { afterPhase } from './tdd-cycle.ts';
import { type PlanEvent } from './work-plan.ts';

export type HubTurn = Turn<HubContext, HubEmitted>;

/** Tells the desk how the run stands. */
export function report(turn: HubTurn, status: RunStatus): void {
  const { desk, id, because } = turn.context;
  turn.send(desk, { type: 'hub.stands', id, status, because } satisfies HubReport);
}

function tellPlan(turn: HubTurn, event: PlanEvent): void {
  if (turn.context.plan !== null) turn.send(turn.context.plan, event);
}

/** Has the work plan say how it stands. */
export function readPlan(turn: HubTurn): void {
  tellPlan(turn, { type: 'plan.read', from: turn.self });
}

/** Adds to the log of the work plan. */
function log(
  turn: HubTurn,
  entry: Pick<PlanLogEntry, 'kind' | 'code' | 'text'> & Partial<Pick<PlanLogEntry, 'session' | 'role'>>,
): void {
  const { id, role, read } = turn.context;
  const about = { run: id, session: id, role, seq: read?.seq ?? 0, atMs: turn.nowMs };
  tellPlan(turn, { type: 'plan.log', entry: { ...about, ...entry, text: entry.text.slice(0, 2_000) } });
}

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
  const move =
    problem === undefined
      ? decided
      : ({ kind: 'ask', question: problem.text, about: (decided as { role: Role }).role } as const);
  const text = move.kind === 'ask' ? move.question : move.because;
  turn.assign({ move, because: text });
  log(turn, { kind: 'decided', code: move.kind, text: move.kind === 'spawn' ? `${move.role}: ${text}` : text });
}

/** The reason why one more session may not be spawned; undefined if it may. */
function room(turn: HubTurn, role: Role): SpawnRefusal | undefined {
  const { agents, limits, spawned, open, stop, budget } = turn.context;
  const spec = agents[role];
  const others = Object.values(open).map(({ session, role: other }) => ({
    session,
    writes: agents[other]?.writes ?? null,
    isIsolated: agents[other]?.isIsolated ?? false,
  }));
  const reservation = reservationFor(budget, spec?.costUsd ?? null, limits.concurrent);
  return roomRefusal(role, {
    isStopping: stop !== null,
    hasAgent: spec !== undefined,
    spawns: spawned,
    spawnsMax: limits.spawns,
    open: others.length,
    concurrent: limits.concurrent,
    laneProblem: spec === undefined ? null : laneProblem(spec, others),
    budgetProblem: reservation === null ? `the budget of ${limits.costUsd} $ does not cover ${role}` : null,
  });
}

/** Carries out a decided spawn. */
export function spawnDecided(turn: HubTurn): void {
  const { move, told, task } = turn.context;
  if (move?.kind !== 'spawn') return;
  spawn(turn, { role: move.role, step: move.step, task, parent: turn.context.id, depth: 1 });
  if (told !== null) turn.assign({ told: null });
  turn.assign({ guidance: null });
}

interface Spawn {
  readonly role: Role;
  readonly step: string | null;
  readonly task: string;
  readonly parent: string;
  readonly depth: number;
}

/** Opens a session: order to the Boss, reservation and entry at the plan are one turn. */
function spawn(turn: HubTurn, { role, step, task: given, parent, depth }: Spawn): string {
  const { id, agents, spawned, open, budget, limits, workspace, read, guidance, last, plan } = turn.context;
  const spec = agents[role]!;
  const session = `${id}-${spawned + 1}`;
  const reservation = reservationFor(budget, spec.costUsd, limits.concurrent) ?? 0;
  const task = [spec.task, given, guidance ?? ''].filter((part) => part !== '').join('\n');
  const row = {
    ...{ session, run: id, role, hub: turn.context.role, parent, depth, step, startedAtMs: turn.nowMs, handoff: null },
    isBuildCheck: role === 'Reviewer' && last?.role === 'Executor',
  };
  const handoff = read?.lastHandoff ?? null;
  const prompt = promptOf({
    ...{ role, task, workspace, step, scope: spec.writes, problems: [] },
    plan: read === null ? null : { ...read, id: read.plan },
    handedOff:
      handoff === null ? null : JSON.stringify({ from: handoff.from, reason: handoff.reason, data: handoff.data }),
  });
  const input: SpokeInput = { session: row, spec, prompt, task, workspace, hub: turn.self, plan: plan! };
  turn.assign({
    spawned: spawned + 1,
    open: { ...open, [session]: { session, role, step, depth, ref: null } },
    budget: reserve(budget, session, reservation),
  });
  tellPlan(turn, { type: 'session.open', session: row });
  turn.send(HUB_DESKS.spokes, { type: 'child.start', id: session, spec: { id: session, input, reportTo: turn.self } });
  log(turn, { kind: 'spawned', session, role, code: 'SPAWN_ACCEPTED', text: `${role} by ${parent}` });
  turn.emit({ type: 'spoke.spawned', run: id, session, role });
  return session;
}

/** Codes of refusals. */
function codeOf({ because }: SpawnRefusal): string {
  return because === 'lane' ? ('SPAWN_REJECT_ACTIVE_LANE' satisfies ReasonCode) : because;
}

/** Decides about a session that asks to spawn, by the role that the hub gave it. */
export function answerSpawn(
  turn: HubTurn,
  event: Extract<HubEvent, { readonly type: 'session.spawns' }> & Asked,
): void {
  const { session: id, role, task, pivotReason, replyTo } = event;
  const by = turn.context.open[id];
  const refusal: SpawnRefusal | undefined =
    by === undefined
      ? { because: 'stopped', text: `${id} is no open session` }
      : (roleRefusal(by, role, pivotReason) ?? room(turn, role));
  if (by !== undefined && refusal === undefined) {
    const session = spawn(turn, { role, step: by.step, task, parent: id, depth: by.depth + 1 });
    log(turn, { kind: 'decided', session: id, role: by.role, code: 'pivot', text: `${role}: ${pivotReason}` });
    return turn.reply(replyTo, { ...TAKEN, session });
  }
  log(turn, {
    ...{ kind: 'refused', session: id, role: by?.role ?? turn.context.role },
    ...{ code: codeOf(refusal!), text: `spawn of ${role}: ${refusal!.text}` },
  });
  turn.emit({ type: 'spoke.refused', run: turn.context.id, role, because: refusal!.because });
  turn.reply(replyTo, { ...refused(refusal!.text), because: refusal!.because, code: 'BOSUN_SPAWN_REFUSED' });
}

/** Keeps a session's actor, and passes on a stop that was ordered before it had begun. */
export function noteOpened(turn: HubTurn, event: Extract<HubEvent, { readonly type: 'session.opened' }>): void {
  const { open, stop } = turn.context;
  const row = open[event.session];
  if (row === undefined) return;
  turn.assign({ open: { ...open, [event.session]: { ...row, ref: event.spoke } } });
  if (stop !== null) turn.send(event.spoke, { type: 'session.stop', level: stop });
}

/** Takes a closed session off the lane, settles its budget and counts its outcome. */
export function noteClosed(turn: HubTurn, closed: Omit<SessionClosed, 'type'>): void {
  const { open, budget, counts, tdd, id } = turn.context;
  const { [closed.session]: row, ...others } = open;
  if (row === undefined) return;
  const { session, outcome, said } = closed;
  const last = { session, role: row.role, step: row.step, outcome, said };
  const guarded = { role: row.role, step: row.step, outcome: said ?? outcome };
  turn.assign({
    open: others,
    last,
    counts: counted(counts, guarded, outcome === 'done' && isProgress(said)),
    budget: settle(budget, session, closed.usage),
    ...(outcome === 'interrupted' && { interrupted: last }),
    ...(tdd !== null && { tdd: afterPhase(tdd, { pass: outcome === 'done' ? closed.testsPass : null }) }),
  });
  log(turn, { kind: 'decided', session, role: row.role, code: releaseCode(closed), text: `closed: ${outcome}` });
  turn.emit({ type: 'spoke.closed', run: id, session, outcome });
}

function releaseCode({ isStale, outcome, said }: Omit<SessionClosed, 'type'>): ReasonCode {
  if (isStale) return 'SPAWN_STALE_RECOVERY';
  if (outcome === 'failed' || outcome === 'interrupted' || outcome === 'refused') return 'SPAWN_RELEASE_ERROR_PATH';
  return said === null ? 'SPAWN_RELEASE_COMPLETE' : 'SPAWN_RELEASE_HANDOFF';
}

/** Closes a session whose actor ended without a report, by force. */
export function noteLost(turn: HubTurn, session: string): void {
  if (turn.context.open[session] === undefined) return;
  const lost = { outcome: 'failed', summary: 'its actor ended', usage: NO_USAGE } as const;
  tellPlan(turn, { type: 'session.complete', session, ...lost, artifacts: [], isForced: true, from: turn.self });
  noteClosed(turn, { session, ...lost, said: null, testsPass: null, isStale: false });
}

/** Tells every open session to stop. */
export function stopSessions(turn: HubTurn, event: HubEvent): void {
  const level = strongerStop(turn.context.stop, event.type === 'hub.stop' ? event.level : 'immediate');
  const because = event.type === 'hub.stop' ? `stopped by ${event.by}` : 'its time is over';
  turn.assign({ stop: level, because });
  log(turn, { kind: 'stopped', code: level, text: because });
  for (const { ref } of Object.values(turn.context.open) as HubSession[])
    if (ref !== null) turn.send(ref, { type: 'session.stop', level });
}

/** Asks people how the run is to go on. */
export function askPeople(turn: HubTurn): void {
  const { move } = turn.context;
  openGate(turn, {
    kind: 'hub',
    title: move?.kind === 'ask' ? move.question : 'How is the run to go on?',
    about: { move },
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
    form: formOf(recoveryAnswer),
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
    ...{ id: gateId(id, gates + 1), kind, title: title.slice(0, 500), item: planId, stage: id, proposal: null },
    ...{ package: about, audience: [...people], form, remindAfterMs: [], deadlineMs: limits.answerMs, onTimeout: null },
    askedBy: turn.self,
  });
}

export function gateId(run: string, number: number): string {
  return `${run}-G${number}`;
}

/** Takes the answer of people: the role that they name is spawned next. */
export function takeAnswer(turn: HubTurn, event: HubEvent): void {
  const answer = event.type === 'gate.closed' ? hubAnswer.safeParse(event.result.answer).data : undefined;
  if (answer?.choice !== 'spawn') return;
  const { limits, budget } = turn.context;
  const { role, guidance = null, extraUsd = 0, extraSpawns = 0 } = answer;
  turn.assign({
    told: roleSchema.parse(role),
    guidance,
    counts: {},
    limits: { ...limits, spawns: limits.spawns + extraSpawns },
    budget: { ...budget, costUsdMax: budget.costUsdMax === null ? null : budget.costUsdMax + extraUsd },
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
  const { read, correction, interrupted, id } = turn.context;
  const reset = resetOrder(read?.steps ?? []);
  if (reset !== undefined) tellPlan(turn, { type: 'plan.reset', run: id, order: reset });
  recoveryMove(turn, 'correct', correction?.files.kind ?? 'keep');
  turn.assign({
    ...{ interrupted: null, survey: null, correction: null, guidance: correction?.guidance ?? null },
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

/** Tells the desk that the run is over. */
export function close(turn: HubTurn, status: 'completed' | 'failed' | 'stopped'): void {
  const { desk, id, because, budget, spawned } = turn.context;
  tellPlan(turn, { type: 'plan.close', status });
  const { spentUsd } = budget;
  turn.send(desk, { type: 'hub.closed', id, status, because, spentUsd, sessions: spawned } satisfies HubReport);
}
