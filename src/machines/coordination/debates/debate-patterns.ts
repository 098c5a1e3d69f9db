/**
 * Patterns in past debates (CA-136): precedents of a new debate, and statistics of resolutions by method and by agent:
 * how often people overrode, how often the conservative default proved right, and which evidence prevailed. Pure.
 */
import { z } from 'zod';
import { type Challenge } from './challenge.ts';
import { contextSchema } from '../credibility/track-record.ts';
import { matchesOf } from '../credibility/context-match.ts';
import { type Side } from './level-two.ts';

const side = z.enum(['challenger', 'challenged']);
const text = z.string().max(500);

/** The end of a debate in short, for lists and precedents. */
const debateSummary = z.object({
  outcome: text,
  method: text,
  level: z.number(),
  /** The side whose position stood at the end; null if neither side's did. */
  side: side.nullable(),
  byPeople: z.boolean(),
  /** The side whose position was provisional until people reviewed it; null if none was. */
  provisionalSide: side.nullable(),
  rounds: z.number(),
  evidenceKinds: z.array(text).max(100),
  resolvedAtMs: z.number(),
});
export type DebateSummary = Readonly<z.infer<typeof debateSummary>>;

/** A past debate, and the number of dimensions in which its context matches a new one. */
export const precedentSchema = z.object({
  id: text,
  number: z.number(),
  topic: text,
  valueKind: text,
  challenger: text,
  challenged: text,
  context: contextSchema,
  matches: z.number(),
  /** The side that later proved right; null: not known. */
  provedRight: z.enum(['challenger', 'challenged', 'both', 'neither']).nullable(),
  summary: debateSummary,
});
export type Precedent = Readonly<z.infer<typeof precedentSchema>>;
export type PastDebate = Omit<Precedent, 'matches'>;

const PRECEDENTS_MAX = 10;
const MATCHES_MIN = 2;

/**
 * The precedents of a challenge, the best match first, then the latest. A precedent matches in at least two dimensions,
 * or has the same kind of value between the same two agents.
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
  /**
   * Provisional decisions: the numbers that people confirmed and overrode, and, of those with a `known` outcome, the
   * number that proved right.
   */
  readonly fallback: {
    readonly confirmed: number;
    readonly overridden: number;
    readonly right: number;
    readonly known: number;
  };
  /** Per agent: how often its position stood, and how often it proved right. */
  readonly byAgent: Readonly<
    Record<string, { readonly won: number; readonly lost: number; readonly right: number; readonly known: number }>
  >;
  /** Per side: how often its position stood, and how often it proved right. */
  readonly bySide: Readonly<Record<Side, { readonly stood: number; readonly right: number }>>;
  /** Number of debates by kind of evidence, where one side's position stood. */
  readonly evidenceThatPrevailed: Readonly<Record<string, number>>;
  /** Mean number of contributions by outcome. */
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
