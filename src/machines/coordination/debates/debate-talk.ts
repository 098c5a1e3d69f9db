/**
 * Whom a debate talks to: its desk, the Lead Coordinator, people by gates and notices, and the agents of both sides.
 * Whoever is not there is told nothing.
 */
import { type AnyActorRef } from 'xstate';
import { type Challenge } from './challenge.ts';
import { packageOf } from './debate-document.ts';
import { type DebateContext, type DebateNews, type DebateReport, type Resolution } from './debate-state.ts';
import { type GateForm } from '../../people/gates/gate-form.ts';
import { presetQuestion } from '../../people/gates/gate-presets.ts';
import { DESKS } from '../../work/system-ids.ts';
import { notify, settle } from '../../people/notice.ts';
import { type Provisional } from './provisional.ts';

interface Sender {
  sendTo(to: AnyActorRef, event: { readonly type: string }): void;
}

interface Directory {
  get(id: string): unknown;
}

const DESK_NAMES: ReadonlySet<string> = new Set(Object.values(DESKS));

export function tellOpening(
  sender: Sender,
  system: Directory,
  { challenge, desk, snapshotId }: DebateContext,
  self: AnyActorRef,
): void {
  const { id, topic, challenger, challenged, disputedFinding, priority } = challenge;
  const opened: DebateReport = { type: 'debate.opened', debate: id, ref: self };
  sender.sendTo(desk, opened);
  tellSides(sender, system, challenge, { type: 'debate.locked', debate: id, snapshotId } as { readonly type: string });
  notify(sender, system, {
    subject: `debate ${id}`,
    kind: 'debate.opened',
    priority: priority === 'critical-path' ? 'HIGH' : 'LOW',
    title: topic,
    detail: `${challenger.agent} doubts what ${challenged.agent} found: ${disputedFinding}`,
    audience: [challenged.agent],
  });
}

/** CA-124: the pipeline goes on with the value. */
export function tellProvisional(
  sender: Sender,
  system: Directory,
  { challenge, reviewers }: DebateContext,
  provisional: Provisional,
): void {
  const { id, topic, item } = challenge;
  tellCoordinator(sender, system, { type: 'debate.provisional', item, provisional });
  const detail = `${provisional.mark}: ${provisional.rationale}`;
  notify(sender, system, {
    subject: `debate ${id}`,
    kind: 'debate.provisional',
    priority: 'MEDIUM',
    title: topic,
    detail,
    audience: reviewers,
  });
}

export function tellDeferral(
  sender: Sender,
  system: Directory,
  { challenge: { id, item } }: DebateContext,
  untilMs: number,
): void {
  tellCoordinator(sender, system, { type: 'debate.deferred', item, debate: id, untilMs });
}

/** CA-116: both sides are told, as actors where they are some, and as people are. */
export function tellResolution(
  sender: Sender,
  system: Directory,
  { challenge, desk }: DebateContext,
  resolution: Resolution,
): void {
  const resolved = { type: 'debate.resolved', resolution } satisfies DebateReport;
  sender.sendTo(desk, resolved);
  tellCoordinator(sender, system, resolved);
  tellSides(sender, system, challenge, resolved);
  const { mark, method } = resolution;
  settle(sender, system, {
    subject: `debate ${challenge.id}`,
    kinds: ['debate.opened', 'debate.provisional'],
    because: method,
  });
  const notice = { title: challenge.topic, detail: `${mark}: ${method}`, audience: sidesOf(challenge) };
  notify(sender, system, { subject: `debate ${challenge.id}`, kind: 'debate.resolved', priority: 'LOW', ...notice });
}

interface PeopleQuestion {
  readonly context: DebateContext;
  readonly self: AnyActorRef;
  readonly form: GateForm;
  readonly audience: readonly string[];
  readonly deadlineMs: number;
}

/** Opens the next gate of the debate. Where there is no gate desk, the time of the level runs all the same. */
export function askPeople(
  sender: Sender,
  system: Directory,
  { context, self, form, audience, deadlineMs }: PeopleQuestion,
): void {
  const gates = system.get(DESKS.gates) as AnyActorRef | undefined;
  if (gates === undefined) return;
  const { challenge, provisional } = context;
  const { gate: id } = nextGate(context);
  const asked = {
    id,
    title: challenge.topic,
    package: packageOf(context),
    audience: [...audience],
    form,
    value: provisional?.side ?? null,
  };
  const question = presetQuestion('G4', asked);
  const remindAfterMs = question.remindAfterMs.filter((afterMs) => afterMs < deadlineMs);
  sender.sendTo(gates, { type: 'gate.open', ...question, deadlineMs, remindAfterMs, askedBy: self } as {
    readonly type: string;
  });
}

export function withdrawQuestion(sender: Sender, system: Directory, { gate }: DebateContext): void {
  const gates = system.get(DESKS.gates) as AnyActorRef | undefined;
  if (gate !== null && gates !== undefined)
    sender.sendTo(gates, { type: 'gate.withdraw', gate } as { readonly type: string });
}

/** Every question of a debate has a gate of its own, so that a late answer is told from one to the next. */
export function nextGate({ challenge, gates }: DebateContext): { readonly gate: string; readonly gates: number } {
  return { gate: `${challenge.id}+${gates + 1}`, gates: gates + 1 };
}

export function sidesOf({ challenger, challenged }: Challenge): readonly string[] {
  return [challenger.agent, challenged.agent];
}

function tellCoordinator(
  sender: Sender,
  system: Directory,
  news: DebateNews | Extract<DebateReport, { type: 'debate.resolved' }>,
): void {
  const coordinator = system.get(DESKS.coordinator) as AnyActorRef | undefined;
  if (coordinator !== undefined) sender.sendTo(coordinator, news);
}

/**
 * To the agents of both sides, where there are actors of their names. A side that calls itself like a desk is told
 * nothing.
 */
function tellSides(sender: Sender, system: Directory, challenge: Challenge, event: { readonly type: string }): void {
  for (const agent of sidesOf(challenge)) {
    const ref = DESK_NAMES.has(agent) ? undefined : (system.get(agent) as AnyActorRef | undefined);
    if (ref !== undefined) sender.sendTo(ref, event);
  }
}
