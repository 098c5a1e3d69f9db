/**
 * The debate desk's record of each debate: enough for lists, the experts' loads, the provisional list and precedents.
 * Pure.
 */
import { TALK_CONTENT_BYTES_MAX } from '../../limits.ts';
import { fits } from '../../rules/value-size.ts';
import { type TalkMessage } from '../../work/talk-messages.ts';
import { type Challenge } from './challenge.ts';
import { type DebateSummary, type PastDebate } from './debate-patterns.ts';
import { type DebateLevel, type DebateOutcome, type Resolution } from './debate-state.ts';
import { type DeskRecord, type Facts, type listed } from '../../rules/desk.ts';
import { type Analysis } from './level-two.ts';
import { type Provisional, reviewHeadline, type ReviewItem, reviewItem } from './provisional.ts';
import { type DebateUrgency, type ExpertLoad, loadText } from './routing.ts';

export interface DebateRecord extends DeskRecord {
  readonly topic: string;
  readonly item: string | null;
  readonly priority: Challenge['priority'];
  readonly urgency: DebateUrgency;
  readonly valueKind: string;
  readonly challenger: string;
  readonly challenged: string;
  readonly context: Challenge['context'];
  /** `failed`: the debate's actor ended without a report. */
  readonly level: DebateLevel | DebateOutcome | 'failed';
  /** The expert who decides the debate at level 3. */
  readonly expert: string | null;
  readonly wantedExpert: string | null;
  readonly provisional: Provisional | null;
  readonly analysis: Analysis | null;
  readonly summary: DebateSummary | null;
  readonly provedRight: PastDebate['provedRight'];
  readonly openedAtMs: number;
  /** The facts that both sides need to take part in the debate. */
  readonly disputed: Pick<Challenge, 'disputedFinding' | 'basis' | 'requiredResponse' | 'requiredEvidence'>;
}

/** A debate as the desk lists it. */
export type ListedDebate = ReturnType<typeof listed<DebateRecord>>;

export interface ExpertState {
  readonly isAvailable: boolean;
}

export function factsOf(
  challenge: Challenge,
  { urgency, openedAtMs }: { readonly urgency: DebateUrgency; readonly openedAtMs: number },
): Facts<DebateRecord> {
  const { id, topic, item, priority, valueKind, context } = challenge;
  const { disputedFinding, basis, requiredResponse, requiredEvidence } = challenge;
  return {
    id,
    topic,
    item,
    priority,
    urgency,
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
    disputed: { disputedFinding, basis, requiredResponse, requiredEvidence },
  };
}

/** The expert in whose queue a debate has a place: at level 3, from the assignment on. */
export function expertOf({ level, expert }: DebateRecord): string | null {
  return level === 'L3' ? expert : null;
}

/** The load of each expert in words, "2/3 debates" (CA-126). */
export function loadTexts(loads: readonly ExpertLoad[]): Readonly<Record<string, string>> {
  return Object.fromEntries(loads.map(({ expert, debates }) => [expert, loadText(debates)]));
}

/** The list of provisional decisions that people have not yet reviewed (CA-125, CA-132). */
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

/** The debate that a confirmation refers to: the one that it names, or the only open one about its item. */
export function confirmedDebate(
  open: readonly DebateRecord[],
  { item, content }: Pick<TalkMessage, 'item' | 'content'>,
): { readonly id: string } | { readonly problem: string } {
  if (!fits(content, TALK_CONTENT_BYTES_MAX))
    return { problem: `the content of a message has at most ${TALK_CONTENT_BYTES_MAX} bytes` };
  const named = (content as { readonly debate?: unknown } | null)?.debate;
  if (typeof named === 'string') return { id: named };
  const [first, ...others] = open.filter((record) => item !== null && record.item === item);
  if (first === undefined) return { problem: item === null ? 'no debate is named' : `no debate is open about ${item}` };
  const ids = [first, ...others].map(({ id }) => id).join(', ');
  return others.length === 0 ? first : { problem: `several debates are open, name one of them: ${ids}` };
}
