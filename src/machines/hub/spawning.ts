/**
 * Spawns of a hub: by its own decision, and for sessions that ask. Each is decided on the work plan as it stands then,
 * by the role that the asking session has from birth (may-spawn.ts), and its refusal is on record. Repeats of one spawn
 * are one session.
 */
import { type ReplyTo } from '../../actors/model/talk-actions.ts';
import { SPAWNS_ASKED_MAX, SPAWNS_PREPARED_MAX } from '../limits.ts';
import { nameKey, pairKey } from '../rules/table-keys.ts';
import { refused, TAKEN } from '../rules/turn.ts';
import { amountText, reservationFor, reserve } from './budget.ts';
import { type HubTurn, log, readPlan, tellPlan } from './hub-turn.ts';
import { type HubSession, type PreparedSpawn, type SpawnAsked } from './hub-state.ts';
import { laneProblem } from './lane.ts';
import { noAgent, roleRefusal, roomRefusal, type Spawner, type SpawnRefusal } from './may-spawn.ts';
import { prepare, type PreparationRequest } from './preparation.ts';
import { promptOf, promptToHandOff } from './prompt.ts';
import { type ReasonCode } from './reason-codes.ts';
import { isHub, type Role } from './roles.ts';
import { isWithin, type Scope } from './scope.ts';
import { type SpawnOrder } from './session-orders.ts';
import { type SpokeInput } from './spoke-state.ts';
import { HUB_DESKS } from './system-ids.ts';
import { isOfPhase, phaseTask } from './tdd-cycle.ts';

/** The session that spawns, with what its hub knows of it. */
interface Asking extends Spawner {
  readonly session: string;
  readonly step: string | null;
}

interface Spawn extends Pick<SpawnOrder, 'role' | 'task' | 'key'> {
  readonly by: Asking;
  readonly step: string | null;
  readonly prepared: PreparedSpawn | null;
  readonly waiting: ReplyTo | null;
  /** The closed session with whose changes it begins. */
  readonly from?: string | null;
}

/** The reason why one more session may not be spawned; undefined if it may. */
export function room(turn: HubTurn, role: Role, scope?: Scope | null): SpawnRefusal | undefined {
  const { agents, limits, spawned, open, stop, budget } = turn.context;
  const spec = agents[role];
  const others = [...open.values()].map(({ session, role: other }) => ({
    session,
    writes: agents[other]?.writes ?? null,
    isIsolated: agents[other]?.isIsolated ?? false,
  }));
  const reservation = reservationFor(budget, spec ?? {}, limits.concurrent);
  return roomRefusal(role, {
    isStopping: stop !== null,
    hasAgent: spec !== undefined,
    spawns: spawned,
    spawnsMax: limits.spawns,
    open: others.length,
    concurrent: limits.concurrent,
    laneProblem: spec === undefined ? null : laneProblem({ ...spec, writes: scope ?? spec.writes }, others),
    budgetProblem:
      'lacks' in reservation
        ? `the budget of ${amountText(reservation.lacks, budget.max[reservation.lacks])} does not cover ${role}`
        : null,
  });
}

/** Carries out a spawn that the hub's rules decided. */
export function spawnDecided(turn: HubTurn): void {
  const { move, told, task, guidance, carried = null, id, role, tdd } = turn.context;
  if (move?.kind !== 'spawn') return;
  const phase = tdd !== null && isOfPhase(tdd, move.role) ? phaseTask(tdd) : '';
  const by = { session: id, role, depth: 0, step: null };
  const whole = [task, phase, guidance ?? ''].filter((part) => part !== '').join('\n');
  const from = carried !== null && turn.context.agents[move.role]?.isIsolated === true ? carried : null;
  spawn(turn, { by, role: move.role, step: move.step, task: whole, key: null, prepared: null, waiting: null, from });
  if (told !== null) turn.assign({ told: null });
  turn.assign({ guidance: null, carried: null });
}

/** Opens a session: order to the Boss, reservation and entry at the plan are one turn. */
function spawn(turn: HubTurn, { by, role, step, task, key, prepared, waiting, from = null }: Spawn): string {
  const { id, agents, spawned, open, budget, limits, workspace, lastRoles, keyed, plan, planId } = turn.context;
  const spec = { ...agents[role]!, writes: prepared?.scope ?? agents[role]!.writes };
  const session = prepared?.session ?? nextSession(turn);
  const reservation = reservationFor(budget, spec, limits.concurrent);
  // Whoever spawns has asked before whether there is room.
  const granted = 'granted' in reservation ? reservation.granted : { costUsd: 0, tokens: 0 };
  const row = {
    ...{ session, run: id, role, hub: isHub(by.role) ? by.role : turn.context.role, parent: by.session },
    ...{ depth: by.depth + 1, step, startedAtMs: turn.nowMs, handoff: null },
    isBuildCheck: role === 'Reviewer' && lastRoles[by.session] === 'Executor',
  };
  const whole = prepared?.task ?? [spec.task, task].filter((part) => part !== '').join('\n');
  const asked = prepared?.prompt ?? promptFor(turn, { role, task: whole, step, scope: spec.writes });
  const { does } = spec;
  const prompt = does.kind === 'command' && does.handoff === 'file' ? promptToHandOff(asked, row) : asked;
  const input: SpokeInput = {
    ...{ session: row, spec, prompt, task: whole, workspace, hub: turn.self, plan: plan!, planId, granted },
    ...(from !== null && { from }),
  };
  const begun: HubSession = {
    ...{ session, role, step, depth: row.depth, parent: by.session, task, key, isOrphan: false, ref: null },
    waiting: waiting === null ? [] : [waiting],
  };
  turn.assign({
    spawned: spawned + 1,
    open: open.set(session, begun),
    budget: reserve(budget, session, granted),
    ...(key !== null && { keyed: keyed.set(pairKey(by.session, key), { session, role, returned: null }) }),
  });
  tellPlan(turn, { type: 'session.open', session: row, told: { prompt, scope: spec.writes } });
  turn.send(HUB_DESKS.spokes, { type: 'child.start', id: session, spec: { id: session, input, reportTo: turn.self } });
  log(turn, { kind: 'spawned', session, role, code: 'SPAWN_ACCEPTED', text: `${role} by ${by.session}` });
  turn.emit({ type: 'spoke.spawned', run: id, session, role });
  return session;
}

/** The id of the next session, which is then taken. */
function nextSession(turn: HubTurn): string {
  const numbered = turn.context.numbered + 1;
  turn.assign({ numbered });
  return `${turn.context.id}-${numbered}`;
}

/** The prompt of a session, from the work plan as it was read last. */
function promptFor(
  turn: HubTurn,
  parts: { readonly role: Role; readonly task: string; readonly step: string | null; readonly scope: Scope | null },
): string {
  const { workspace, read } = turn.context;
  const handoff = read?.lastHandoff ?? null;
  return promptOf({
    ...{ ...parts, workspace, problems: [] },
    plan: read === null ? null : { ...read, id: read.plan },
    handedOff:
      handoff === null ? null : JSON.stringify({ from: handoff.from, reason: handoff.reason, data: handoff.data }),
  });
}

/** Holds a spawn or a preparation until the work plan has been read, unless it repeats a spawn that is there. */
export function takeAsked(turn: HubTurn, asked: SpawnAsked): void {
  if (asked.kind === 'spawn' && answerRepeat(turn, asked)) return;
  const { asked: held } = turn.context;
  if (held.length >= SPAWNS_ASKED_MAX) {
    const text = `${SPAWNS_ASKED_MAX} spawns are being decided: ask again later`;
    return turn.reply(asked.replyTo ?? undefined, refusal({ because: 'limits', text }));
  }
  turn.assign({ asked: [...held, asked] });
  if (held.length === 0) readPlan(turn);
}

/** Decides everything that waited for the work plan. */
export function answerAsked(turn: HubTurn): void {
  const { asked } = turn.context;
  if (asked.length === 0) return;
  turn.assign({ asked: [] });
  for (const one of asked)
    if (one.kind === 'prepare') answerPreparation(turn, one);
    else if (!answerRepeat(turn, one)) answerSpawn(turn, one);
}

/** Answers a spawn that is there: by its key, or an equal one that is open. Returns whether it was one. */
function answerRepeat(turn: HubTurn, { by: parent, order, replyTo }: SpawnAsked): boolean {
  const { role, task, key, prepared, waits, waitMs } = order as SpawnOrder;
  const { open, keyed } = turn.context;
  const named = key ?? prepared;
  const known = named === null ? undefined : keyed.get(pairKey(parent, named));
  const row =
    open.get(known?.session ?? prepared ?? '') ??
    [...open.values()].find(
      (one) => named === null && one.key === null && one.parent === parent && one.role === role && one.task === task,
    );
  const there = known ?? (row?.parent === parent ? row : undefined);
  if (there === undefined) return false;
  if (there.role !== role) {
    const text = `${named} is the spawn of the ${there.role} ${there.session}: use another key`;
    turn.reply(replyTo ?? undefined, refusal({ because: 'not-prepared', text }));
    return true;
  }
  if (row === undefined) {
    turn.reply(replyTo ?? undefined, { ...TAKEN, status: 'closed', ...known?.returned });
    return true;
  }
  const { session, waiting } = row;
  if (waits && replyTo !== null) {
    turn.assign({ open: open.set(session, { ...row, waiting: [...waiting, replyTo].slice(-WAITING_MAX) }) });
    endWait(turn, session, waitMs);
  } else turn.reply(replyTo ?? undefined, { ...openReply(turn, row), code: REPEATED });
  return true;
}

/** Has whoever waits for a session told after a time that it is open still. */
function endWait(turn: HubTurn, session: string, waitMs: number | null): void {
  if (waitMs !== null) turn.raise({ type: 'wait.over', session }, { id: waitId(session), delay: waitMs });
}

/** The id of the timer of a wait. */
export function waitId(session: string): string {
  return `wait ${session}`;
}

/** Tells whoever waits for a session that it is open still. */
export function tellOpen(turn: HubTurn, session: string): void {
  const { open } = turn.context;
  const row = open.get(session);
  if (row === undefined) return;
  for (const one of row.waiting) turn.reply(one, openReply(turn, row));
  turn.assign({ open: open.set(session, { ...row, waiting: [] }) });
}

function openReply(turn: HubTurn, { session, role }: Pick<HubSession, 'session' | 'role'>): object {
  return { ...TAKEN, session, status: 'open', ...(isOutside(turn, role) && { isOutside: true }) };
}

/** Whether the holder of a token does the work of a role. */
function isOutside({ context: { agents } }: HubTurn, role: Role): boolean {
  return agents[role]?.does.kind === 'outside';
}

const REPEATED: ReasonCode = 'SPAWN_REJECT_DUPLICATE_DEBOUNCE';

/** Callers that wait for one session: a client that asks again each time its deadline is over counts once more. */
const WAITING_MAX = 4;

/** Decides about a session that asks to spawn, by the role that it has from birth. */
function answerSpawn(turn: HubTurn, { by: id, order, replyTo }: SpawnAsked): void {
  const { role, task, pivotReason, key, prepared: prepId, waits, waitMs } = order as SpawnOrder;
  const by = askingOf(turn, id);
  if (by === undefined) return refuse(turn, { by: id, role, replyTo }, notOpen(id));
  const prepared = preparedFor(turn, by, order as SpawnOrder);
  const problem =
    roleRefusal(by, role, pivotReason) ??
    (prepId !== null && prepared === null ? unprepared(prepId, role) : undefined) ??
    room(turn, role, prepared?.scope);
  if (problem !== undefined) return refuse(turn, { by: id, role, replyTo }, problem);
  if (prepared !== null) turn.assign({ prepared: turn.context.prepared.delete(nameKey(prepared.session)) });
  // Whoever passes on the token of an outside session gets it at once, and waits by its id.
  const comesBack = isOutside(turn, role) && waitMs !== null;
  const waiting = waits && !comesBack ? replyTo : null;
  const session = spawn(turn, { by, role, step: prepared?.step ?? by.step, task, key, prepared, waiting });
  if (pivotReason !== null)
    log(turn, { kind: 'decided', session: id, role: by.role, code: 'pivot', text: `${role}: ${pivotReason}` });
  if (waiting === null) turn.reply(replyTo ?? undefined, openReply(turn, { session, role }));
  else endWait(turn, session, waitMs);
}

/** The open session of an id, or the hub itself; undefined if there is none. */
function askingOf({ context: { id, role, open } }: HubTurn, session: string): Asking | undefined {
  if (session === id) return { session, role, depth: 0, step: null };
  return open.get(session);
}

function notOpen(id: string): SpawnRefusal {
  return { because: 'stopped', text: `${id} is no open session` };
}

/** The prepared spawn that is asked for: by its id, or by its prompt. Null if there is none that still counts. */
function preparedFor(turn: HubTurn, by: Asking, { role, task, prepared: id }: SpawnOrder): PreparedSpawn | null {
  for (const one of turn.context.prepared.values()) {
    const isMeant = id === null ? one.prompt === task : one.session === id;
    if (isMeant && one.role === role && one.parent === by.session && turn.nowMs <= one.expiresAtMs) return one;
  }
  return null;
}

function unprepared(id: string, role: Role): SpawnRefusal {
  const text = `${id} is not prepared for ${role} by this session, or no longer: prepare it again`;
  return { because: 'not-prepared', text };
}

function answerPreparation(turn: HubTurn, { by: id, order, replyTo }: SpawnAsked): void {
  const { request, pivotReason } = order as {
    readonly request: PreparationRequest;
    readonly pivotReason: string | null;
  };
  const role = request.agent_name;
  const by = askingOf(turn, id);
  if (by === undefined) return refuse(turn, { by: id, role, replyTo }, notOpen(id));
  const { read, agents, prepared: kept } = turn.context;
  const scope = request.scope ?? agents[role]?.writes ?? null;
  const problem =
    roleRefusal(by, role, pivotReason) ??
    placeProblem(request, turn.context) ??
    (agents[role] === undefined ? noAgent(role) : scopeProblem(role, request.scope, agents[role].writes));
  if (problem !== undefined) return refuse(turn, { by: id, role, replyTo }, problem);
  const { numbered } = turn.context;
  const session = nextSession(turn);
  const plan = read === null ? null : { ...read, id: read.plan };
  const done = prepare({ ...by, nextSession: session, pivotReason, plan, nowMs: turn.nowMs }, { ...request, scope });
  if ('refused' in done) {
    turn.assign({ numbered });
    return refuse(turn, { by: id, role, replyTo }, done.refused);
  }
  const { enriched_prompt: prompt, expires_at_ms: expiresAtMs } = done.prep_config;
  const row = { session, role, parent: id, prompt, task: request.prompt, scope, step: request.step, expiresAtMs };
  const valid = [...kept.values()].filter((one) => one.expiresAtMs >= turn.nowMs);
  const oldest = valid.length < SPAWNS_PREPARED_MAX ? [] : [valid[0]!];
  const gone = [...kept.values()].filter((one) => one.expiresAtMs < turn.nowMs || oldest.includes(one));
  const left = gone.reduce((rows, one) => rows.delete(nameKey(one.session)), kept);
  turn.assign({ prepared: left.set(nameKey(session), row) });
  turn.reply(replyTo ?? undefined, { ...TAKEN, ...done });
}

/** Refuses another work plan, workspace or step than those of the run. */
function placeProblem(
  { plan_id, workspace_id, step }: PreparationRequest,
  { planId, workspace, read }: HubTurn['context'],
): SpawnRefusal | undefined {
  if (plan_id !== planId) return { because: 'not-here', text: `plan_id: this session works on ${planId}` };
  if (workspace_id !== workspace)
    return { because: 'not-here', text: `workspace_id: this session works in ${workspace}` };
  const isStep = step === null || read?.steps.some(({ id }) => id === step) === true;
  return isStep ? undefined : { because: 'not-here', text: `step: there is no step ${step}` };
}

/** Refuses a scope that the run does not give the role: a hub narrows it and never widens it. */
function scopeProblem(role: Role, wanted: Scope | null, given: Scope | null): SpawnRefusal | undefined {
  if (wanted === null || (given !== null && isWithin(wanted, given))) return undefined;
  const whole =
    given === null ? 'changes no files in this run' : `may change ${[...given.files, ...given.newIn].join(', ')}`;
  return { because: 'scope', text: `scope: ${role} ${whole}` };
}

/** Records a refusal, and tells the session that asked. */
function refuse(
  turn: HubTurn,
  { by, role, replyTo }: { readonly by: string; readonly role: Role; readonly replyTo: ReplyTo | null },
  why: SpawnRefusal,
): void {
  log(turn, {
    ...{ kind: 'refused', session: by, role: askingOf(turn, by)?.role ?? turn.context.role },
    ...{ code: codeOf(why), text: `spawn of ${role}: ${why.text}` },
  });
  turn.emit({ type: 'spoke.refused', run: turn.context.id, role, because: why.because });
  turn.reply(replyTo ?? undefined, refusal(why));
}

function refusal({ because, text }: SpawnRefusal): object {
  return { ...refused(text), because, code: 'BOSUN_SPAWN_REFUSED' };
}

const CODES: Readonly<Partial<Record<SpawnRefusal['because'], ReasonCode>>> = {
  lane: 'SPAWN_REJECT_ACTIVE_LANE',
  stopped: 'SPAWN_CANCELLED_TOKEN',
};

/** The code of a refusal in the log: that of the specification, or its reason. */
function codeOf({ because }: SpawnRefusal): string {
  return CODES[because] ?? because;
}
