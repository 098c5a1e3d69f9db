/** What one debate holds and what is said to it and by it: types, and small questions asked of them. Pure. */
import { type AnyActorRef } from 'xstate';
import { z } from 'zod';
import { type Challenge, type Contribution, type Evidence, type Positions, response } from './challenge.ts';
import { type Position, type RiskOrder } from './conservative-default.ts';
import { type CredibilityFormula, type TrackRecord } from '../credibility/credibility.ts';
import { type Precedent } from './debate-patterns.ts';
import { type ReviewDecision } from './debate-review.ts';
import { type Impact } from './downstream-impact.ts';
import { type PassedOrder } from '../../people/desk.ts';
import { type GateReport } from '../../people/gates/gate.ts';
import { type MessageIn } from '../../work/message-schema.ts';
import { type Analysis, type Side } from './level-two.ts';
import { type Provisional, type ProvisionalTrigger } from './provisional.ts';
import { type RegimeReadings } from '../credibility/regime.ts';

export interface DebateInput {
  readonly challenge: Challenge;
  readonly desk: AnyActorRef;
  readonly riskOrder: RiskOrder | null;
  readonly formula: CredibilityFormula;
  readonly precedents: readonly Precedent[];
  /** Load of the experts when the debate was set up: "2/3 debates" each. */
  readonly loads: Readonly<Record<string, string>>;
  /** Who is asked at a gate. */
  readonly reviewers: readonly string[];
  /** When the next gate is planned; null: not known. */
  readonly nextGateAtMs: number | null;
}

export type DebateOutcome = 'consensus' | 'facilitator_resolved' | 'human' | 'confirmed' | 'overridden' | 'redebate';

/** How a debate came to its end. */
export interface Verdict extends ReviewDecision {
  readonly level: 1 | 2 | 3 | 4 | 5;
  readonly method: string;
  readonly by: string | null;
  /** Of a debate that is held again: what is new. */
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
  /** Null where nothing was decided, or something else than the two positions. */
  readonly side: Side | null;
  readonly position: Pick<Position, 'statement' | 'value'> | null;
  readonly confidence: number;
  readonly by: string | null;
  readonly note: string | null;
  readonly evidence: readonly Evidence[];
  readonly disputed: string;
  readonly positions: Positions;
  /** Points that one side granted the other, and what stayed open. */
  readonly agreed: readonly string[];
  readonly disagreed: readonly string[];
  readonly analysis: Analysis | null;
  readonly precedents: readonly Precedent[];
  readonly snapshotId: string;
  readonly isUnacknowledged: boolean;
  readonly provisional: Provisional | null;
  /** Of a provisional value that was overridden. */
  readonly impact: Impact | null;
  readonly rounds: number;
  readonly openedAtMs: number;
  readonly resolvedAtMs: number;
  /** The debate that follows; null: none. */
  readonly again: Challenge | null;
}

/** What has been said is spread over keys, `said:0` and on, so that a change is as small as what was said. */
export type DebateContext = DebateInput & {
  readonly openedAtMs: number;
  readonly level: DebateLevel;
  readonly snapshotId: string;
  readonly isUnacknowledged: boolean;
  readonly positions: Positions;
  readonly rounds: number;
  readonly cautions: readonly string[];
  /** From the host's memory; they come before those of the desk. */
  readonly records: Readonly<Partial<Record<Side, TrackRecord>>>;
  readonly readings: RegimeReadings | null;
  readonly notKnown: readonly string[];
  readonly analysis: Analysis | null;
  readonly expert: string | null;
  /** Of the question that is open, or was last. */
  readonly gate: string | null;
  readonly gates: number;
  readonly reviewUntilMs: number | null;
  readonly hasAskedMore: boolean;
  readonly trigger: ProvisionalTrigger | null;
  readonly provisional: Provisional | null;
  readonly windowUntilMs: number | null;
  /** Reviews of the provisional value that nobody answered. */
  readonly unanswered: number;
  readonly verdict: Verdict | null;
  readonly resolution: Resolution | null;
} & { readonly [place in `said:${number}`]?: Contribution };

const word = z.object({ debate: z.string(), by: z.string() });

/** What a debate may be told from outside. */
export const debateEvents = {
  'debate.acknowledge': word,
  'debate.respond': response.extend({ debate: z.string() }),
  'debate.accept': word,
  'debate.take-up': word,
};

export type DebateEvent =
  | (MessageIn<typeof debateEvents, keyof typeof debateEvents> & PassedOrder)
  | DeskWord
  | GateReport;

/** What the desk tells a debate. */
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

/** What a debate tells its desk. */
export type DebateReport =
  | { readonly type: 'debate.opened'; readonly debate: string; readonly ref: AnyActorRef }
  | ({ readonly type: 'debate.moved'; readonly debate: string; readonly level: DebateLevel } & Pick<
      DebateContext,
      'provisional' | 'analysis'
    >)
  | { readonly type: 'records.request'; readonly debate: string }
  | { readonly type: 'expert.request'; readonly debate: string }
  | { readonly type: 'debate.resolved'; readonly resolution: Resolution };

/** What the Lead Coordinator is told beside `debate.resolved`: the value to go on with, or that there is none yet. */
export type DebateNews =
  | { readonly type: 'debate.provisional'; readonly item: string | null; readonly provisional: Provisional }
  | {
      readonly type: 'debate.deferred';
      readonly item: string | null;
      readonly debate: string;
      readonly untilMs: number;
    };

/** What is said to whoever watches, once it is durable. */
export type DebateEmitted =
  | { readonly type: 'debate.level'; readonly debate: string; readonly level: DebateLevel }
  | Extract<DebateReport, { type: 'debate.resolved' }>;

export function contributionsIn(context: DebateContext): readonly Contribution[] {
  return Array.from({ length: context.rounds }, (_, index) => context[`said:${index}`]!); // one each
}

/** What the facilitator would decide, whether or not it may: by credibility, else by caution. */
export function recommendation({
  analysis,
  provisional,
}: Pick<DebateContext, 'analysis' | 'provisional'>): Side | null {
  return analysis?.higher ?? provisional?.side ?? null;
}
