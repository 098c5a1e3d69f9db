/** Documents about a debate: the package on which people decide, and the record of its resolution. Pure. */
import { type Challenge, evidenceQuality, isInGoodFaith } from './challenge.ts';
import { conservativeChoice, type Position } from './conservative-default.ts';
import {
  contributionsIn,
  type DebateContext,
  type DebateOutcome,
  recommendation,
  type Resolution,
  type Verdict,
} from './debate-state.ts';
import { type ChangedValue, type Impact, impactOf } from './downstream-impact.ts';
import { analyse, type Condition, conditionsOf, type Side } from './level-two.ts';
import { credibilityOf, type TrackRecord } from '../credibility/credibility.ts';
import { reviewItem } from './provisional.ts';

/** The suffix of debates that follow one another: `margin`, `margin~2`, `margin~3`. */
const SUCCESSOR = /~(\d+)$/;
const ID_CHARS_MAX = 64;
const STATEMENT_CHARS_MAX = 1_000;

/**
 * The package for people (CA-117, CA-119, CA-132): both positions with evidence and scores, the uncertainties, and the
 * precedents. Plain data.
 */
export function packageOf(context: DebateContext) {
  const {
    challenge,
    positions,
    analysis,
    precedents,
    cautions,
    confirmations,
    notKnown,
    snapshotId,
    isUnacknowledged,
    provisional,
    loads,
  } = context;
  const said = contributionsIn(context);
  const conditions = analysis === null ? [] : conditionsOf(analysis, level2Facts(context, false));
  return {
    debate: challenge.id,
    topic: challenge.topic,
    item: challenge.item,
    priority: challenge.priority,
    disputedFinding: challenge.disputedFinding,
    basis: challenge.basis,
    required: { response: challenge.requiredResponse, evidence: challenge.requiredEvidence },
    positions: {
      challenger: { ...challenge.challenger, ...positions.challenger },
      challenged: { ...challenge.challenged, ...positions.challenged },
    },
    said,
    evidenceQuality: {
      challenger: evidenceQuality(challenge, said, 'challenger'),
      challenged: evidenceQuality(challenge, said, 'challenged'),
    },
    analysis,
    conditions,
    recommendation: recommendedSide(context),
    /** Uncertainties that people must not overlook (CA-090). */
    uncertainties: [
      ...conditions.filter(({ isMet }) => !isMet).map(({ rule }: Condition) => `not met: ${rule}`),
      ...notKnown.map((what) => `not known: ${what}`),
    ],
    unheard: silentSides(said, isUnacknowledged),
    precedents,
    cautions,
    confirmations,
    snapshotId,
    loads,
    provisional: provisional === null ? null : reviewItem(provisional, analysis),
  };
}

export function level2Facts(context: DebateContext, isOverflow: boolean): Parameters<typeof conditionsOf>[1] {
  return { urgency: context.urgency, isOverflow, isInGoodFaith: isInGoodFaith(contributionsIn(context)) };
}

export function analysisOf(context: DebateContext, records: Readonly<Record<Side, TrackRecord>>, regime: string) {
  const said = contributionsIn(context);
  const { challenge, formula, notKnown } = context;
  const of = (side: Side) =>
    credibilityOf(records[side], { regime, formula, evidenceQuality: evidenceQuality(challenge, said, side) });
  return analyse({ challenger: of('challenger'), challenged: of('challenged'), regime, notKnown });
}

/** The recommended side: by credibility if that distinguishes the two, else the more cautious one. */
export function recommendedSide(context: DebateContext): Side {
  return (
    recommendation(context) ??
    conservativeChoice(context.positions, context.challenge.valueKind, context.riskOrder).side
  );
}

export function resolutionOf(context: DebateContext, outcome: DebateOutcome, nowMs: number): Resolution {
  const { challenge, positions, provisional, openedAtMs, analysis, precedents, snapshotId, isUnacknowledged, rounds } =
    context;
  const verdict = context.verdict!; // set by every transition to a final state
  const said = contributionsIn(context);
  const position = decided(verdict, positions);
  return {
    debate: challenge.id,
    topic: challenge.topic,
    item: challenge.item,
    outcome,
    level: verdict.level,
    method: verdict.method,
    mark:
      outcome === 'redebate'
        ? 'to be debated again'
        : outcome === 'facilitator_resolved'
          ? 'facilitator-resolved'
          : 'final',
    side: verdict.side,
    position,
    confidence: verdict.confidence,
    by: verdict.by,
    note: verdict.note,
    evidence: [
      ...challenge.basis.evidence,
      ...said.filter(({ flaw }) => flaw === null).flatMap(({ evidence }) => evidence),
    ],
    disputed: challenge.disputedFinding,
    positions,
    agreed: [
      ...new Set([
        ...said.flatMap(({ granted }) => granted),
        ...(outcome === 'consensus' && position !== null ? [position.statement] : []),
      ]),
    ],
    disagreed: outcome === 'consensus' ? [] : [challenge.disputedFinding],
    analysis,
    precedents,
    snapshotId,
    isUnacknowledged,
    provisional,
    impact: outcome === 'overridden' ? impactOfOverride(context, verdict, position) : null,
    rounds,
    openedAtMs,
    resolvedAtMs: nowMs,
    again: outcome === 'redebate' ? successorOf(challenge, context, verdict.addedContext ?? '') : null,
  };
}

function impactOfOverride(
  { challenge, provisional, measures }: DebateContext,
  { confidence }: Verdict,
  position: Resolution['position'],
): Impact {
  const changed: ChangedValue = {
    before: provisional?.position.value ?? null,
    after: position?.value ?? null,
    confidence,
  };
  return impactOf(challenge.dependents, changed, measures);
}

function decided({ side, own }: Verdict, positions: Readonly<Record<Side, Position>>): Resolution['position'] {
  if (own !== null) return own;
  return side === null ? null : positions[side];
}

/** The follow-up challenge (CA-133): the same dispute with the added context and the present positions. */
function successorOf(challenge: Challenge, { positions }: DebateContext, addedContext: string): Challenge {
  const { basis } = challenge;
  // The added context comes first, because nobody has read it yet and the end may be cut off.
  const statement = `${addedContext}\n${basis.statement}`.slice(0, STATEMENT_CHARS_MAX);
  return { ...challenge, id: successorId(challenge.id), basis: { ...basis, statement }, positions };
}

export function successorId(id: string): string {
  const count = Number(SUCCESSOR.exec(id)?.[1] ?? 1) + 1;
  const suffix = `~${count}`;
  return id.replace(SUCCESSOR, '').slice(0, ID_CHARS_MAX - suffix.length) + suffix;
}

/** Sides that said nothing in this debate beyond the challenge itself (CA-090). */
function silentSides(said: ReturnType<typeof contributionsIn>, isUnacknowledged: boolean): readonly string[] {
  if (said.some(({ side }) => side === 'challenged')) return [];
  return [isUnacknowledged ? 'challenged: did not even acknowledge' : 'challenged: gave no answer'];
}
