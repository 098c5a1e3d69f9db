/**
 * The learning gate (CA-137, G6): what the outcomes of debates say about agents is put to people from time to time.
 * Outcomes that they do not approve within its 48 hours are quarantined: they stay on record, and no track record
 * counts them.
 */
import { z } from 'zod';
import { type GateReport } from '../../people/gates/gate.ts';
import { formOf } from '../../people/gates/gate-form.ts';
import { isLearningDue, LEARNING_PERIOD_MS, presetQuestion } from '../../people/gates/gate-presets.ts';
import { PEOPLE_DESKS } from '../../people/system-ids.ts';
import { type Turn } from '../../rules/turn.ts';
import { type Observation } from '../credibility/track-record.ts';

/** The lessons since people were asked last, and those that they have not approved. */
export interface Learning {
  /** Outcomes of which people have not been asked yet, and the time of the first of them. */
  readonly outcomes: number;
  readonly fromMs: number | null;
  /** The end of the last gate, or the time of the first outcome; null before it. */
  readonly sinceMs: number | null;
  /** Number of gates so far. */
  readonly gates: number;
  /** The open gate and the period of its outcomes; null if there is none. */
  readonly gate: ({ readonly id: string } & Period) | null;
  /** Periods whose outcomes do not count, the latest last. */
  readonly quarantined: readonly Period[];
}

/** A time from its first to its last outcome. */
interface Period {
  readonly fromMs: number;
  readonly untilMs: number;
}

export const NOTHING_LEARNED: Learning = {
  outcomes: 0,
  fromMs: null,
  sinceMs: null,
  gates: 0,
  gate: null,
  quarantined: [],
};

/** The shortest time to the next look whether a period is over. */
const LOOK_MS = 24 * 60 * 60 * 1000;

/** Periods that are kept; a track record forgets its oldest observations too. */
const QUARANTINED_MAX = 100;

const FORM = formOf(
  z.object({ decision: z.enum(['approve', 'quarantine']), reason: z.string().max(2_000).optional() }),
);

interface Learner {
  readonly learning: Learning;
  readonly reviewers: readonly string[];
}
type LearnerTurn = Turn<Learner>;

/** Counts an outcome, and asks people once there are enough. `summary` is what they decide by. */
export function learn(turn: LearnerTurn, summary: () => object): void {
  const { learning } = turn.context;
  const { outcomes, fromMs, sinceMs } = learning;
  if (outcomes === 0) awaitPeriod(turn, LEARNING_PERIOD_MS);
  const { nowMs } = turn;
  turn.assign({
    learning: { ...learning, outcomes: outcomes + 1, fromMs: fromMs ?? nowMs, sinceMs: sinceMs ?? nowMs },
  });
  askIfDue(turn, summary);
}

/** Asks people about outcomes that have waited for a whole period, or waits for its end. */
export function periodOver(turn: LearnerTurn, summary: () => object): void {
  askIfDue(turn, summary);
  const { outcomes, sinceMs } = turn.context.learning;
  if (outcomes > 0) awaitPeriod(turn, Math.max(LOOK_MS, (sinceMs ?? turn.nowMs) + LEARNING_PERIOD_MS - turn.nowMs));
}

function awaitPeriod(turn: LearnerTurn, delay: number): void {
  turn.raise({ type: 'learning.due' }, { id: 'learning', delay });
}

function askIfDue(turn: LearnerTurn, summary: () => object): void {
  const { learning, reviewers } = turn.context;
  const { outcomes, fromMs, sinceMs, gates, gate } = learning;
  if (gate !== null || fromMs === null || sinceMs === null || turn.find(PEOPLE_DESKS.gates) === undefined) return;
  if (!isLearningDue({ outcomes, sinceMs: turn.nowMs - sinceMs, isFirst: gates === 0 })) return;
  const period = { fromMs, untilMs: turn.nowMs };
  const id = `learning.${gates + 1}`;
  turn.assign({ learning: { ...learning, outcomes: 0, fromMs: null, gates: gates + 1, gate: { id, ...period } } });
  turn.cancel('learning');
  const asked = { id, package: { outcomes, ...period, ...summary() }, audience: [...reviewers], form: FORM };
  turn.send(PEOPLE_DESKS.gates, { type: 'gate.open', ...presetQuestion('G6', asked), askedBy: turn.self });
}

/** Takes the decision of people, or their silence. */
export function learned(turn: LearnerTurn, { result }: Extract<GateReport, { readonly type: 'gate.closed' }>): void {
  const { learning } = turn.context;
  const { gate, quarantined } = learning;
  if (gate?.id !== result.gate) return;
  const { decision } = (result.answer ?? {}) as { readonly decision?: string };
  const isApproved = result.outcome === 'answered' && decision === 'approve';
  const { id: _, ...period } = gate;
  const kept = isApproved ? quarantined : [...quarantined, period].slice(-QUARANTINED_MAX);
  turn.assign({ learning: { ...learning, gate: null, sinceMs: turn.nowMs, quarantined: kept } });
}

/** The observations that count: all but the outcomes of debates that people have not approved. */
export function trusted(observations: readonly Observation[], { quarantined }: Learning): readonly Observation[] {
  if (quarantined.length === 0) return observations;
  return observations.filter(
    ({ atMs, ofDebate }) =>
      ofDebate !== true || !quarantined.some(({ fromMs, untilMs }) => atMs >= fromMs && atMs <= untilMs),
  );
}
