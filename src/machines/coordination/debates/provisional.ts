/**
 * Provisional decisions: the record (CA-123, CA-131), its presentation for review (CA-132), and the override window.
 * Pure.
 */
import { type Challenge, type Positions } from './challenge.ts';
import { conservativeChoice, otherSide, type Position, type RiskOrder } from './conservative-default.ts';
import { flaggedIn } from './downstream-impact.ts';
import { type Analysis, type Side } from './level-two.ts';

const HOUR_MS = 60 * 60 * 1000;

/** The mark of a provisional decision (CA-123). */
const PROVISIONAL_MARK = 'provisional - conservative default';

/** Time until a review if the next gate is not known (CA-097). */
const WINDOW_MS = 24 * HOUR_MS;

/** Why nobody decided (CA-121). `undecided`: deferred to a gate and not decided there. */
export type ProvisionalTrigger = 'timeout' | 'queue full' | 'expert unavailable' | 'undecided';

export interface Provisional {
  readonly debate: string;
  readonly topic: string;
  readonly mark: typeof PROVISIONAL_MARK;
  readonly trigger: ProvisionalTrigger;
  readonly side: Side;
  /** The position in force. */
  readonly position: Position;
  /** The positions not chosen. */
  readonly alternatives: readonly { readonly side: Side; readonly position: Position }[];
  readonly rationale: string;
  readonly appliedAtMs: number;
  /** Time of the next gate; until then people may override the decision unasked. */
  readonly overrideUntilMs: number;
  /** Calculations that depend on the decision, to be flagged. */
  readonly dependents: readonly string[];
}

export function provisionalOf(
  challenge: Challenge,
  facts: {
    readonly positions: Positions;
    readonly riskOrder: RiskOrder | null;
    readonly trigger: ProvisionalTrigger;
    readonly nowMs: number;
    readonly nextGateAtMs: number | null;
  },
): Provisional {
  const { positions, riskOrder, trigger, nowMs, nextGateAtMs } = facts;
  const { side, rationale } = conservativeChoice(positions, challenge.valueKind, riskOrder);
  const other = otherSide(side);
  return {
    debate: challenge.id,
    topic: challenge.topic,
    mark: PROVISIONAL_MARK,
    trigger,
    side,
    position: positions[side],
    alternatives: [{ side: other, position: positions[other] }],
    rationale: `${trigger}; ${rationale}`,
    appliedAtMs: nowMs,
    overrideUntilMs: windowEnd(nowMs, nextGateAtMs),
    dependents: flaggedIn(challenge.dependents),
  };
}

/** The end of the override window: the next gate, or after a day if none is known. */
export function windowEnd(nowMs: number, nextGateAtMs: number | null): number {
  return nextGateAtMs !== null && nextGateAtMs > nowMs ? nextGateAtMs : nowMs + WINDOW_MS;
}

/** The headline of a list of provisional decisions, in the seed's words. */
export function reviewHeadline(count: number): string {
  return `${count} provisional decisions require review`;
}

/** One provisional decision as a gate shows it. */
export interface ReviewItem {
  readonly debate: string;
  readonly topic: string;
  readonly positions: readonly {
    readonly side: Side;
    readonly position: Position;
    readonly isApplied: boolean;
    readonly score: number | null;
  }[];
  readonly rationale: string;
  readonly overrideUntilMs: number;
  readonly dependents: readonly string[];
}

export function reviewItem(provisional: Provisional, analysis: Analysis | null): ReviewItem {
  const { debate, topic, side, position, alternatives, rationale, overrideUntilMs, dependents } = provisional;
  const shown = [{ side, position }, ...alternatives];
  return {
    debate,
    topic,
    positions: shown.map((one) => ({
      ...one,
      isApplied: one.side === side,
      score: analysis?.[one.side].score ?? null,
    })),
    rationale,
    overrideUntilMs,
    dependents,
  };
}
