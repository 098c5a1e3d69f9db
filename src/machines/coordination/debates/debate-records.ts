/**
 * What the desk of debates keeps of each: enough for lists, experts' loads, the provisional list and precedents. Pure.
 */
import { type Challenge } from './challenge.ts';
import { type DebateSummary, type PastDebate } from './debate-patterns.ts';
import { type DebateLevel, type DebateOutcome, type Resolution } from './debate-state.ts';
import { type DeskRecord, type Facts } from '../../people/desk.ts';
import { type Analysis } from './level-two.ts';
import { type Provisional, reviewHeadline, type ReviewItem, reviewItem } from './provisional.ts';
import { type ExpertLoad, loadText } from './routing.ts';

export interface DebateRecord extends DeskRecord {
  readonly topic: string;
  readonly item: string | null;
  readonly priority: Challenge['priority'];
  readonly valueKind: string;
  readonly challenger: string;
  readonly challenged: string;
  readonly context: Challenge['context'];
  /** `failed`: its actor ended without a word. */
  readonly level: DebateLevel | DebateOutcome | 'failed';
  /** Who decides it, at level 3. */
  readonly expert: string | null;
  readonly wantedExpert: string | null;
  readonly provisional: Provisional | null;
  readonly analysis: Analysis | null;
  readonly summary: DebateSummary | null;
  readonly provedRight: PastDebate['provedRight'];
  readonly openedAtMs: number;
}

export interface ExpertState {
  readonly isAvailable: boolean;
}

export function factsOf(challenge: Challenge, openedAtMs: number): Facts<DebateRecord> {
  const { id, topic, item, priority, valueKind, context } = challenge;
  return {
    id,
    topic,
    item,
    priority,
    valueKind,
    context,
    challenger: challenge.challenger.agent,
    challenged: challenge.challenged.agent,
    level: 'setup',
    expert: null,
    wantedExpert: challenge.expert,
    provisional: null,
    analysis: null,
    summary: null,
    provedRight: null,
    openedAtMs,
  };
}

/** Debates at level 3 take a place in the queue of their expert, from the assignment on. */
export function expertOf({ level, expert }: DebateRecord): string | null {
  return level === 'L3' ? expert : null;
}

/** CA-126: "2/3 debates" per expert. */
export function loadTexts(loads: readonly ExpertLoad[]): Readonly<Record<string, string>> {
  return Object.fromEntries(loads.map(({ expert, debates }) => [expert, loadText(debates)]));
}

/** CA-125, CA-132: what is gone on with until people have looked at it. */
export function provisionalList(records: readonly DebateRecord[]): {
  readonly headline: string;
  readonly items: readonly ReviewItem[];
} {
  const items = records.flatMap(({ isOver, provisional, analysis }) =>
    isOver || provisional === null ? [] : [reviewItem(provisional, analysis)],
  );
  return { headline: reviewHeadline(items.length), items };
}

export function pastDebates(records: readonly DebateRecord[]): readonly PastDebate[] {
  return records.flatMap(({ id, number, topic, valueKind, challenger, challenged, context, provedRight, summary }) =>
    summary === null ? [] : [{ id, number, topic, valueKind, challenger, challenged, context, provedRight, summary }],
  );
}

export function summaryOf({
  outcome,
  method,
  level,
  side,
  by,
  provisional,
  rounds,
  evidence,
  resolvedAtMs,
}: Resolution): DebateSummary {
  const evidenceKinds = [...new Set(evidence.map(({ kind }) => kind))];
  const byPeople = by !== null && level >= 3 && outcome !== 'consensus';
  return {
    outcome,
    method,
    level,
    side,
    byPeople,
    provisionalSide: provisional?.side ?? null,
    rounds,
    evidenceKinds,
    resolvedAtMs,
  };
}
