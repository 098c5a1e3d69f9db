/**
 * Sessions of a hub once they have begun: it keeps their actors, takes those that have closed off the lane, settles
 * their budget, and gives control back to whoever spawned them.
 */
import { RETURNED_BYTES_MAX } from '../limits.ts';
import { pairKey } from '../rules/table-keys.ts';
import { fits } from '../rules/value-size.ts';
import { TAKEN } from '../rules/turn.ts';
import { NO_USAGE, settle } from './budget.ts';
import { isProgress } from './handoff-rules.ts';
import { type SessionReturned } from './handoff.ts';
import { type HubEvent, type HubSession } from './hub-state.ts';
import { type HubTurn, log, tellPlan } from './hub-turn.ts';
import { counted } from './loop-guard.ts';
import { type ReasonCode } from './reason-codes.ts';
import { isHub } from './roles.ts';
import { waitId } from './spawning.ts';
import { type SessionClosed } from './spoke-state.ts';
import { type StopLevel } from './stop-levels.ts';
import { afterPhase, isOfPhase } from './tdd-cycle.ts';

/** Keeps a session's actor, and passes on a stop that was ordered before it had begun. */
export function noteOpened(turn: HubTurn, event: Extract<HubEvent, { readonly type: 'session.opened' }>): void {
  const { open, stop } = turn.context;
  const row = open.get(event.session);
  if (row === undefined) return;
  turn.assign({ open: open.set(event.session, { ...row, ref: event.spoke }) });
  const level = stop ?? (row.isOrphan ? ORPHANS : null);
  if (level !== null) turn.send(event.spoke, { type: 'session.stop', level });
}

/** Closes a session: its budget is settled, its outcome counted, and its spawner told. */
export function noteClosed(turn: HubTurn, closed: Omit<SessionClosed, 'type'>): void {
  const { open, budget, id } = turn.context;
  const row = open.get(closed.session);
  if (row === undefined) return;
  const { session, outcome } = closed;
  turn.assign({ open: open.delete(closed.session), budget: settle(budget, session, closed.usage) });
  giveBack(turn, row, closed);
  if (isOfRun(turn, row)) judge(turn, row, closed);
  if (isHub(row.role)) stopOrphans(turn, session);
  log(turn, {
    kind: 'decided',
    session,
    role: row.role,
    code: releaseCode(closed),
    text: `closed: ${outcome}${closed.summary === '' ? '' : `: ${closed.summary}`}`,
  });
  turn.emit({ type: 'spoke.closed', run: id, session, outcome, summary: closed.summary });
}

/** Whether the hub itself decides about what comes back, and not a hub that it has spawned. */
function isOfRun({ context: { id, open } }: HubTurn, { parent, isOrphan }: HubSession): boolean {
  const by = open.get(parent);
  return !isOrphan && (parent === id || by === undefined || !isHub(by.role));
}

/** Notes what the next decision of the hub needs to know of a closed session. */
function judge(turn: HubTurn, { role, step }: HubSession, closed: Omit<SessionClosed, 'type'>): void {
  const { counts, tdd } = turn.context;
  const { session, outcome, said } = closed;
  const last = { session, role, step, outcome, said, summary: closed.summary };
  const guarded = { role, step, outcome: said ?? outcome };
  const isPhase = tdd !== null && isOfPhase(tdd, role);
  const after = isPhase ? afterPhase(tdd, { pass: outcome === 'done' ? closed.testsPass : null }) : tdd;
  // At RED a test that fails is progress, by whatever outcome its Tester says so.
  const isOn = outcome === 'done' && (isProgress(said) || after?.phase !== tdd?.phase);
  turn.assign({
    ...{ last, tdd: after, counts: counted(counts, guarded, isOn) },
    ...(outcome === 'interrupted' && { interrupted: last }),
  });
}

/** Replies to whoever waits for a session, and keeps what came back under the key of its spawn. */
function giveBack(turn: HubTurn, row: HubSession, { outcome, handoff, summary }: Omit<SessionClosed, 'type'>): void {
  const { session, key, parent, waiting, role } = row;
  const { keyed, lastRoles, open, id } = turn.context;
  const { [session]: _, ...others } = lastRoles;
  const isThere = parent === id || open.has(parent);
  turn.assign({ lastRoles: isThere ? { ...others, [parent]: role } : others });
  const data = handoff !== null && fits(handoff.data, RETURNED_BYTES_MAX) ? handoff.data : null;
  const returned: SessionReturned = {
    ...{ session, outcome, summary },
    handoff: handoff === null ? null : { ...handoff, data },
  };
  // The hub's rules wait for nothing; others may wait again by the key, or by the id of the session.
  if (isLed(turn, row)) turn.assign({ keyed: keyed.set(pairKey(parent, key ?? session), { session, role, returned }) });
  turn.cancel(waitId(session));
  for (const one of waiting) turn.reply(one, { ...TAKEN, status: 'closed', ...returned });
}

function isLed({ context: { id, decides } }: HubTurn, { parent }: HubSession): boolean {
  return parent !== id || decides.kind !== 'rules';
}

/** Ends the sessions of a hub that has closed. */
function stopOrphans(turn: HubTurn, parent: string): void {
  const { open } = turn.context;
  const orphans = [...open.values()].filter((one) => one.parent === parent);
  const left = orphans.reduce((rows, row) => rows.set(row.session, { ...row, isOrphan: true }), open);
  turn.assign({ open: left });
  for (const { ref } of orphans) if (ref !== null) turn.send(ref, { type: 'session.stop', level: ORPHANS });
}

const ORPHANS: StopLevel = 'immediate';

function releaseCode({ isStale, outcome, said }: Omit<SessionClosed, 'type'>): ReasonCode {
  if (isStale) return 'SPAWN_STALE_RECOVERY';
  if (outcome === 'failed' || outcome === 'interrupted' || outcome === 'refused') return 'SPAWN_RELEASE_ERROR_PATH';
  return said === null ? 'SPAWN_RELEASE_COMPLETE' : 'SPAWN_RELEASE_HANDOFF';
}

/** Closes a session whose actor ended without a report, by force. */
export function noteLost(turn: HubTurn, session: string): void {
  if (!turn.context.open.has(session)) return;
  const lost = { outcome: 'failed', summary: 'its actor ended', usage: NO_USAGE } as const;
  tellPlan(turn, { type: 'session.complete', session, ...lost, artifacts: [], isForced: true, from: turn.self });
  noteClosed(turn, { session, ...lost, said: null, handoff: null, testsPass: null, isStale: false });
}
