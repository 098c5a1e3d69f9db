/** The context, events and reports of one debate: types, and simple queries on them. Pure. */
import { type AnyActorRef } from 'xstate';
import { z } from 'zod';
import { author } from '../../../actors/model/person.ts';
import { type Challenge, type Contribution, type Evidence, type Positions, response } from './challenge.ts';
import { type Position, type RiskOrder } from './conservative-default.ts';
import { type CredibilityFormula, type TrackRecord } from '../credibility/credibility.ts';
import { type Precedent } from './debate-patterns.ts';
import { type ReviewDecision } from './debate-review.ts';
import { type Impact, type Measures } from './downstream-impact.ts';
import { type PassedOrder } from '../../rules/desk.ts';
import { type GateReport } from '../../people/gates/gate.ts';
import { type MessageIn } from '../../work/message-schema.ts';
import { type Analysis, type Side } from './level-two.ts';
import { type Provisional, type ProvisionalTrigger, type ReviewItem } from './provisional.ts';
import { type DebateUrgency } from './routing.ts';
import { type RegimeReadings, type Regimes } from '../credibility/regime.ts';

export interface DebateInput {
  readonly challenge: Challenge;
  readonly desk: AnyActorRef;
  /** The urgency to which the challenge's priority maps. */
  readonly urgency: DebateUrgency;
  readonly riskOrder: RiskOrder | null;
  /** Measures of dependents, each with the threshold above which a dependent runs again. */
  readonly measures: Measures;
  /** Regimes of the field of work, which the embedded detector tries in their order. */
  readonly regimes: Regimes;
  readonly formula: CredibilityFormula;
  readonly precedents: readonly Precedent[];
  /** Load of the experts when the debate was set up: "2/3 debates" each. */
  readonly loads: Readonly<Record<string, string>>;
  /** Names of the people who are asked at a gate. */
  readonly reviewers: readonly string[];
  /** Time of the next planned gate; null: not known. */
  readonly nextGateAtMs: number | null;
}

export type DebateOutcome = 'consensus' | 'facilitator_resolved' | 'human' | 'confirmed' | 'overridden' | 'redebate';

/** The verdict that ended a debate. */
export interface Verdict extends ReviewDecision {
  readonly level: 1 | 2 | 3 | 4 | 5;
  readonly method: string;
  readonly by: string | null;
  /** The added context for a debate that is held again. */
  readonly addedContext: string | null;
}

/** The record of a resolution (CA-099, CA-116). */
export interface Resolution {
  readonly debate: string;
  readonly topic: string;
  readonly item: string | null;
  readonly outcome: DebateOutcome;
  readonly level: number;
  readonly method: string;
  readonly mark: 'facilitator-resolved' | 'final' | 'to be debated again';
  /** The side whose position was decided for; null if nothing was decided, or a third position. */
  readonly side: Side | null;
  readonly position: Pick<Position, 'statement' | 'value'> | null;
  readonly confidence: number;
  readonly by: string | null;
  readonly note: string | null;
  readonly evidence: readonly Evidence[];
  readonly disputed: string;
  readonly positions: Positions;
  /** Points that one side conceded to the other, and points left open. */
  readonly agreed: readonly string[];
  readonly disagreed: readonly string[];
  readonly analysis: Analysis | null;
  readonly precedents: readonly Precedent[];
  readonly snapshotId: string;
  readonly isUnacknowledged: boolean;
  readonly provisional: Provisional | null;
  /** The impact of overriding a provisional value. */
  readonly impact: Impact | null;
  readonly rounds: number;
  readonly openedAtMs: number;
  readonly resolvedAtMs: number;
  /** The challenge of the follow-up debate; null if there is none. */
  readonly again: Challenge | null;
}

/**
 * The context of a debate. Contributions are spread over the keys `said:0`, `said:1` and so on, so that a change is as
 * small as the contribution.
 */
export type DebateContext = DebateInput & {
  readonly openedAtMs: number;
  readonly level: DebateLevel;
  readonly snapshotId: string;
  readonly isUnacknowledged: boolean;
  readonly positions: Positions;
  readonly rounds: number;
  readonly cautions: readonly string[];
  /** Confirmations by any agents in support of a side. */
  readonly confirmations: readonly Confirmation[];
  /** Track records from the host's memory; they take precedence over those of the desk. */
  readonly records: Readonly<Partial<Record<Side, TrackRecord>>>;
  readonly readings: RegimeReadings | null;
  readonly notKnown: readonly string[];
  readonly analysis: Analysis | null;
  readonly expert: string | null;
  /** Id of the gate that is open or was opened last. */
  readonly gate: string | null;
  readonly gates: number;
  readonly reviewUntilMs: number | null;
  readonly hasAskedMore: boolean;
  readonly trigger: ProvisionalTrigger | null;
  readonly provisional: Provisional | null;
  readonly windowUntilMs: number | null;
  /** Reviews of the provisional value that got no answer. */
  readonly unanswered: number;
  readonly verdict: Verdict | null;
  readonly resolution: Resolution | null;
} & { readonly [place in `said:${number}`]?: Contribution };

const word = z.object({ debate: z.string(), by: author(z.string()) });

/** Events that a debate takes from outside. */
export const debateEvents = {
  'debate.acknowledge': word,
  'debate.respond': response.extend({ debate: z.string() }),
  'debate.accept': word,
  'debate.take-up': word,
};

/** A confirmation by an agent: it is shown to people and decides nothing. */
export interface Confirmation {
  readonly by: string;
  readonly content: unknown;
  readonly atMs: number;
}

/** A confirmation as the desk passes it on. */
export type ConfirmOrder = { readonly type: 'debate.confirm' } & Pick<Confirmation, 'by' | 'content'>;

export type DebateEvent =
  | (ConfirmOrder & PassedOrder)
  | (MessageIn<typeof debateEvents, keyof typeof debateEvents> & PassedOrder)
  | DeskWord
  | GateReport;

/** Events from the desk to a debate. */
export type DeskWord =
  | {
      readonly type: 'records.known';
      readonly records: Readonly<Record<Side, TrackRecord>>;
      readonly readings: RegimeReadings | null;
    }
  | { readonly type: 'expert.assigned'; readonly expert: string }
  | { readonly type: 'expert.refused'; readonly reason: 'full' | 'unavailable' }
  | { readonly type: 'expert.lost' }
  | { readonly type: 'gate.planned'; readonly atMs: number }
  | { readonly type: 'review.due'; readonly gate: string };

export type DebateLevel = 'setup' | 'L1' | 'L2' | 'L3' | 'L4' | 'L5' | 'deferred';

/** Reports from a debate to its desk. */
export type DebateReport =
  | { readonly type: 'debate.opened'; readonly debate: string; readonly ref: AnyActorRef }
  | ({ readonly type: 'debate.moved'; readonly debate: string; readonly level: DebateLevel } & Pick<
      DebateContext,
      'provisional' | 'analysis'
    >)
  | { readonly type: 'records.request'; readonly debate: string }
  | { readonly type: 'expert.request'; readonly debate: string }
  | { readonly type: 'debate.resolved'; readonly resolution: Resolution };

/** Reports to the Lead Coordinator in addition to `debate.resolved`: a provisional value, or that there is none yet. */
export type DebateNews =
  | {
      readonly type: 'debate.provisional';
      readonly item: string | null;
      readonly provisional: Provisional;
      readonly review: ReviewItem;
    }
  | {
      readonly type: 'debate.deferred';
      readonly item: string | null;
      readonly debate: string;
      readonly untilMs: number;
    };

/** Events emitted to watchers once they are durable. */
export type DebateEmitted =
  | { readonly type: 'debate.level'; readonly debate: string; readonly level: DebateLevel }
  | Extract<DebateReport, { type: 'debate.resolved' }>;

export function contributionsIn(context: DebateContext): readonly Contribution[] {
  return Array.from({ length: context.rounds }, (_, index) => context[`said:${index}`]!); // one per round
}

/** The facilitator's recommendation, binding or not: by credibility, else by caution. */
export function recommendation({
  analysis,
  provisional,
}: Pick<DebateContext, 'analysis' | 'provisional'>): Side | null {
  return analysis?.higher ?? provisional?.side ?? null;
}
