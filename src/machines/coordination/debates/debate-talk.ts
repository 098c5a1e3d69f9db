/**
 * Whom a debate talks to: its desk, the Lead Coordinator, people by gates and notices, and the agents of both sides.
 * Whoever is not there is told nothing.
 */
import { type AnyEventObject } from 'xstate';
import { type Challenge } from './challenge.ts';
import { packageOf } from './debate-document.ts';
import {
  type DebateContext,
  type DebateEmitted,
  type DebateNews,
  type DebateReport,
  type Resolution,
} from './debate-state.ts';
import { type GateForm } from '../../people/gates/gate-form.ts';
import { presetQuestion } from '../../people/gates/gate-presets.ts';
import { DESKS } from '../../work/system-ids.ts';
import { type Turn } from '../../people/turn.ts';
import { type Provisional } from './provisional.ts';

type DebateTurn = Turn<DebateContext, DebateEmitted>;

const DESK_NAMES: ReadonlySet<string> = new Set(Object.values(DESKS));

export function tellOpening(turn: DebateTurn): void {
  const { challenge, desk, snapshotId } = turn.context;
  const { id, topic, challenger, challenged, disputedFinding, priority } = challenge;
  turn.send(desk, { type: 'debate.opened', debate: id, ref: turn.self } satisfies DebateReport);
  tellSides(turn, { type: 'debate.locked', debate: id, snapshotId });
  turn.notify({
    subject: `debate ${id}`,
    kind: 'debate.opened',
    priority: priority === 'critical-path' ? 'HIGH' : 'LOW',
    title: topic,
    detail: `${challenger.agent} doubts what ${challenged.agent} found: ${disputedFinding}`,
    audience: [challenged.agent],
  });
}

/** CA-124: the pipeline goes on with the value. */
export function tellProvisional(turn: DebateTurn, provisional: Provisional): void {
  const { challenge, reviewers: audience } = turn.context;
  const { id, topic: title, item } = challenge;
  turn.send(DESKS.coordinator, { type: 'debate.provisional', item, provisional } satisfies DebateNews);
  const detail = `${provisional.mark}: ${provisional.rationale}`;
  turn.notify({ subject: `debate ${id}`, kind: 'debate.provisional', priority: 'MEDIUM', title, detail, audience });
}

export function tellDeferral(turn: DebateTurn, untilMs: number): void {
  const { id: debate, item } = turn.context.challenge;
  turn.send(DESKS.coordinator, { type: 'debate.deferred', item, debate, untilMs } satisfies DebateNews);
}

/** CA-116: both sides are told, as actors where they are some, and as people are. */
export function tellResolution(turn: DebateTurn, resolution: Resolution): void {
  const { challenge, desk } = turn.context;
  const resolved: DebateReport = { type: 'debate.resolved', resolution };
  turn.send(desk, resolved);
  turn.send(DESKS.coordinator, resolved);
  tellSides(turn, resolved);
  const { mark, method } = resolution;
  const subject = `debate ${challenge.id}`;
  turn.settle({ subject, kinds: ['debate.opened', 'debate.provisional'], because: method });
  const notice = { title: challenge.topic, detail: `${mark}: ${method}`, audience: sidesOf(challenge) };
  turn.notify({ subject, kind: 'debate.resolved', priority: 'LOW', ...notice });
}

interface PeopleQuestion {
  readonly form: GateForm;
  readonly audience: readonly string[];
  readonly deadlineMs: number;
}

/**
 * Opens the next gate of the debate, of its own, so that a late answer is told from one to the next. Where there is no
 * gate desk, the time of the level runs all the same.
 */
export function askPeople(turn: DebateTurn, { form, audience, deadlineMs }: PeopleQuestion): void {
  const { challenge, provisional, gates: before } = turn.context;
  const gates = before + 1;
  const question = presetQuestion('G4', {
    id: `${challenge.id}+${gates}`,
    title: challenge.topic,
    package: packageOf(turn.context),
    audience: [...audience],
    form,
    value: provisional?.side ?? null,
  });
  const remindAfterMs = question.remindAfterMs.filter((afterMs) => afterMs < deadlineMs);
  turn.send(DESKS.gates, { type: 'gate.open', ...question, deadlineMs, remindAfterMs, askedBy: turn.self });
  turn.assign({ gate: question.id, gates });
}

export function withdrawQuestion(turn: DebateTurn): void {
  const { gate } = turn.context;
  if (gate !== null) turn.send(DESKS.gates, { type: 'gate.withdraw', gate });
}

export function sidesOf({ challenger, challenged }: Challenge): readonly string[] {
  return [challenger.agent, challenged.agent];
}

/**
 * To the agents of both sides, where there are actors of their names. A side that calls itself like a desk is told
 * nothing.
 */
function tellSides(turn: DebateTurn, event: AnyEventObject): void {
  for (const agent of sidesOf(turn.context.challenge)) if (!DESK_NAMES.has(agent)) turn.send(agent, event);
}
