/**
 * Messages from a debate to its desk, to the Lead Coordinator, to people by gates and notices, and to the agents of
 * both sides. Messages to missing receivers are dropped.
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
import { type Settlement, notify, settle } from '../../people/notice.ts';
import { presetQuestion } from '../../people/gates/gate-presets.ts';
import { proposalOf } from '../../work/proposal.ts';
import { PLAN_DESKS } from '../system-ids.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { PEOPLE_DESKS } from '../../people/system-ids.ts';
import { type Turn } from '../../rules/turn.ts';
import { type Provisional, reviewItem } from './provisional.ts';

type DebateTurn = Turn<DebateContext, DebateEmitted>;

const DESK_NAMES: ReadonlySet<string> = new Set(Object.values(PLAN_DESKS));

export function tellOpening(turn: DebateTurn): void {
  const { challenge, urgency, desk } = turn.context;
  const { id, topic, challenger, challenged, disputedFinding } = challenge;
  turn.send(desk, { type: 'debate.opened', debate: id, ref: turn.self } satisfies DebateReport);
  notify(turn, {
    subject: `debate ${id}`,
    kind: 'debate.opened',
    priority: urgency === 'critical-path' ? 'HIGH' : 'LOW',
    title: topic,
    detail: `${challenger.agent} doubts what ${challenged.agent} found: ${disputedFinding}`,
    audience: [challenged.agent],
  });
}

/** Tells both sides the snapshot of facts that they refer to from here on (CA-100). */
export function tellSnapshot(turn: DebateTurn): void {
  const { challenge, snapshotId } = turn.context;
  tellSides(turn, { type: 'debate.locked', debate: challenge.id, snapshotId });
}

/** The alert cards about a debate under way. */
export function cardsOfDebate(id: string): Pick<Settlement, 'subject' | 'kinds'> {
  return { subject: `debate ${id}`, kinds: ['debate.opened', 'debate.provisional'] };
}

/** Reports the provisional value with which the pipeline continues (CA-124). */
export function tellProvisional(turn: DebateTurn, provisional: Provisional): void {
  const { challenge, analysis, reviewers: audience } = turn.context;
  const { id, topic: title, item } = challenge;
  const review = reviewItem(provisional, analysis);
  turn.send(WORK_DESKS.coordinator, { type: 'debate.provisional', item, provisional, review } satisfies DebateNews);
  const detail = `${provisional.mark}: ${provisional.rationale}`;
  const people = { audience, mayAcknowledge: audience };
  notify(turn, { subject: `debate ${id}`, kind: 'debate.provisional', priority: 'MEDIUM', title, detail, ...people });
}

export function tellDeferral(turn: DebateTurn, untilMs: number): void {
  const { id: debate, item } = turn.context.challenge;
  turn.send(WORK_DESKS.coordinator, { type: 'debate.deferred', item, debate, untilMs } satisfies DebateNews);
}

/** Reports the resolution to both sides, as events to their actors and as notices to people (CA-116). */
export function tellResolution(turn: DebateTurn, resolution: Resolution): void {
  const { challenge, desk } = turn.context;
  const resolved: DebateReport = { type: 'debate.resolved', resolution };
  turn.send(desk, resolved);
  turn.send(WORK_DESKS.coordinator, resolved);
  tellSides(turn, resolved);
  const { mark, method } = resolution;
  const subject = `debate ${challenge.id}`;
  settle(turn, { ...cardsOfDebate(challenge.id), because: method });
  const notice = { title: challenge.topic, detail: `${mark}: ${method}`, audience: sidesOf(challenge) };
  notify(turn, { subject, kind: 'debate.resolved', priority: 'LOW', ...notice });
}

interface PeopleQuestion {
  readonly form: GateForm;
  readonly audience: readonly string[];
  readonly deadlineMs: number;
}

/**
 * Opens the next gate of the debate. Each gate has an id of its own, so that a late answer is not taken for an answer
 * to the next gate. Without a gate desk, the time limit of the level still applies.
 */
export function askPeople(turn: DebateTurn, { form, audience, deadlineMs }: PeopleQuestion): void {
  const { challenge, provisional, gates: before } = turn.context;
  const { challenger, challenged } = turn.context.positions;
  const gates = before + 1;
  const question = presetQuestion('G4', {
    id: `${challenge.id}+${gates}`,
    title: challenge.topic,
    item: challenge.item,
    proposal: proposalOf(provisional?.position.statement ?? `${challenger.statement}, or ${challenged.statement}`),
    package: packageOf(turn.context),
    audience: [...audience],
    form,
    value: provisional?.side ?? null,
  });
  const remindAfterMs = question.remindAfterMs.filter((afterMs) => afterMs < deadlineMs);
  turn.send(PEOPLE_DESKS.gates, { type: 'gate.open', ...question, deadlineMs, remindAfterMs, askedBy: turn.self });
  turn.assign({ gate: question.id, gates });
}

export function withdrawQuestion(turn: DebateTurn): void {
  const { gate } = turn.context;
  if (gate !== null) turn.send(PEOPLE_DESKS.gates, { type: 'gate.recall', gate });
}

export function sidesOf({ challenger, challenged }: Challenge): readonly string[] {
  return [challenger.agent, challenged.agent];
}

/** Sends an event to those agents of the two sides that are actors. A side with the name of a desk is left out. */
function tellSides(turn: DebateTurn, event: AnyEventObject): void {
  for (const agent of sidesOf(turn.context.challenge)) if (!DESK_NAMES.has(agent)) turn.send(agent, event);
}
