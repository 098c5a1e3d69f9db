/**
 * What past debates teach (CA-136): precedents of a new one, and how resolutions have gone: by method, by agent, how
 * often people overrode, how often the conservative default proved right, and which evidence prevailed. Pure.
 */
import { type Challenge } from './challenge.ts';
import { type DisputeContext, matchesOf } from '../credibility/context-match.ts';
import { type Side } from './level-two.ts';

/** How a debate ended, as short as lists and precedents need it. */
export interface DebateSummary {
  readonly outcome: string;
  readonly method: string;
  readonly level: number;
  /** Whose position stood at the end; null: somebody else's, or none. */
  readonly side: Side | null;
  readonly byPeople: boolean;
  /** What was gone on with until people looked at it; null where nothing was. */
  readonly provisionalSide: Side | null;
  readonly rounds: number;
  readonly evidenceKinds: readonly string[];
  readonly resolvedAtMs: number;
}

/** A past debate. */
export interface PastDebate {
  readonly id: string;
  readonly number: number;
  readonly topic: string;
  readonly valueKind: string;
  readonly challenger: string;
  readonly challenged: string;
  readonly context: DisputeContext;
  readonly summary: DebateSummary;
  /** What the world showed later; null: not known. */
  readonly provedRight: Side | 'both' | 'neither' | null;
}

export interface Precedent extends PastDebate {
  /** In how many dimensions its context is the same. */
  readonly matches: number;
}

const PRECEDENTS_MAX = 10;
const MATCHES_MIN = 2;

/**
 * The most alike first, then the latest. What is alike: at least two dimensions, or the same kind of value between the
 * same two.
 */
export function precedentsOf(
  past: readonly PastDebate[],
  { context, valueKind, challenger, challenged }: Challenge,
): readonly Precedent[] {
  const isSamePair = (one: PastDebate) =>
    one.valueKind === valueKind && one.challenger === challenger.agent && one.challenged === challenged.agent;
  return past
    .map((one) => ({ ...one, matches: matchesOf(one.context, context) }))
    .filter((one) => one.matches >= MATCHES_MIN || isSamePair(one))
    .sort((a, b) => b.matches - a.matches || b.number - a.number)
    .slice(0, PRECEDENTS_MAX);
}

export interface DebatePatterns {
  readonly debates: number;
  readonly byMethod: Readonly<Record<string, number>>;
  /** Of provisional decisions: how many people confirmed and overrode, and how many proved right, of those known. */
  readonly fallback: {
    readonly confirmed: number;
    readonly overridden: number;
    readonly right: number;
    readonly known: number;
  };
  /** Per agent: whose position stood, and what the world showed. */
  readonly byAgent: Readonly<
    Record<string, { readonly won: number; readonly lost: number; readonly right: number; readonly known: number }>
  >;
  /** Which side's positions stood, and proved right. */
  readonly bySide: Readonly<Record<Side, { readonly stood: number; readonly right: number }>>;
  /** Kinds of evidence of the positions that stood. */
  readonly evidenceThatPrevailed: Readonly<Record<string, number>>;
  /** Mean number of contributions by outcome: which structure of a debate leads where. */
  readonly meanRounds: Readonly<Record<string, number>>;
}

export function patternsOf(past: readonly PastDebate[]): DebatePatterns {
  const withProvisional = past.filter(({ summary }) => summary.provisionalSide !== null);
  const judged = withProvisional.filter(({ provedRight }) => provedRight !== null);
  const agents = [...new Set(past.flatMap(({ challenger, challenged }) => [challenger, challenged]))];
  const outcomes = [...new Set(past.map(({ summary }) => summary.outcome))];
  const stood = (side: Side) => ({
    stood: past.filter(({ summary }) => summary.side === side).length,
    right: past.filter((one) => one.summary.side === side && isRight(one, side)).length,
  });
  return {
    debates: past.length,
    byMethod: countOf(past.map(({ summary }) => summary.method)),
    fallback: {
      confirmed: withProvisional.filter(({ summary }) => summary.outcome === 'confirmed' && summary.byPeople).length,
      overridden: withProvisional.filter(({ summary }) => summary.outcome === 'overridden').length,
      right: judged.filter((one) => isRight(one, one.summary.provisionalSide!)).length, // filtered above
      known: judged.length,
    },
    byAgent: Object.fromEntries(agents.map((agent) => [agent, ofAgent(past, agent)])),
    bySide: { challenger: stood('challenger'), challenged: stood('challenged') },
    evidenceThatPrevailed: countOf(past.flatMap(({ summary }) => (summary.side === null ? [] : summary.evidenceKinds))),
    meanRounds: Object.fromEntries(
      outcomes.map((outcome) => [outcome, meanRoundsOf(past.filter(({ summary }) => summary.outcome === outcome))]),
    ),
  };
}

function ofAgent(past: readonly PastDebate[], agent: string) {
  const own = past
    .filter(({ challenger, challenged }) => challenger === agent || challenged === agent)
    .map((one): { one: PastDebate; side: Side } => ({
      one,
      side: one.challenger === agent ? 'challenger' : 'challenged',
    }));
  const known = own.filter(({ one }) => one.provedRight !== null);
  return {
    won: own.filter(({ one, side }) => one.summary.side === side).length,
    lost: own.filter(({ one, side }) => one.summary.side !== null && one.summary.side !== side).length,
    right: known.filter(({ one, side }) => isRight(one, side)).length,
    known: known.length,
  };
}

function isRight({ provedRight }: PastDebate, side: Side): boolean {
  return provedRight === side || provedRight === 'both';
}

function meanRoundsOf(past: readonly PastDebate[]): number {
  return past.reduce((sum, { summary }) => sum + summary.rounds, 0) / past.length;
}

function countOf(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
