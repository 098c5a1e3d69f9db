/**
 * How the settings of the answer team change (AT-025, AT-054 to AT-058): rewards of what came of answers, patterns of a
 * day that lead to proposals, and the rules by which a person's approval applies one and poor rewards take it back. A
 * proposal never applies itself. Pure.
 */
import { type AnswerProfile } from './profile.ts';
import { isEscalation, type LogEntry } from './resolution-log.ts';

/** The period, in milliseconds, over which patterns are found and updates are counted (AT-058). */
export const WINDOW_MS = 24 * 60 * 60_000;
/** Most proposals of one review, and the number of updates in a window above which no more are applied. */
export const PROPOSALS_A_CYCLE_MAX = 3;
export const UPDATES_A_WINDOW_MAX = 5;
/** The mean reward below which an applied proposal is reverted, and the number of entries needed to judge it. */
export const REWARD_MIN = 0.2;
export const REWARDED_MIN = 20;

/** The rates from which on a pattern is found (AT-057), and the fewest cases that it needs. */
const ESCALATION_RATE_MAX = 0.3;
const TIMEOUT_RATE_MAX = 0.1;
const CASES_MIN = 10;
const REPEATS_MIN = 3;
/** The step by which a threshold moves, and the lowest value that steps may reach. */
const THRESHOLD_STEP = 0.05;
const THRESHOLD_MIN = 0.5;

/** The confidence, in percent, from which on a right answer earns a higher reward. */
const HIGH_PERCENT = 70;

/** The reward of an entry of the log (AT-055, AT-056). */
export function rewardOf(entry: LogEntry): number {
  switch (entry.kind) {
    case 'resolved': {
      if (entry.hasTimedOut) return -0.3;
      if (entry.outcome === 'escalated') return -0.5;
      if (entry.outcome === 'unanswered') return 0;
      return entry.afterMs * 2 <= entry.deadlineMs ? 0.3 : 0;
    }
    case 'judged':
      // A correction has an entry of its own.
      if (entry.verdict === 'repeated' || entry.from === 'correction') return 0;
      if (!entry.wasRight) return -1;
      return 1 + (entry.confidence >= HIGH_PERCENT ? 0.5 : 0);
    case 'corrected':
      return -1;
    case 'settled':
      return 0;
  }
}

/** The facts about an entry of the last day that patterns are made of. */
export interface Recent {
  readonly atMs: number;
  readonly isEscalated: boolean;
  readonly hasTimedOut: boolean;
  readonly isUrgent: boolean;
  /** The key of the question's text. */
  readonly text: string;
  readonly question: string;
}

/** The facts that an entry adds to the window; undefined for an entry that no pattern uses. */
export function recentOf(entry: LogEntry, text: string): Recent | undefined {
  if (entry.kind !== 'resolved') return undefined;
  const { atMs, hasTimedOut, priority, question } = entry;
  return { atMs, isEscalated: isEscalation(entry), hasTimedOut, isUrgent: priority === 1, text, question };
}

/** The change that a proposal would make. */
export type Change =
  /** The threshold below which people are asked, as a share of 1. */
  | { readonly kind: 'threshold'; readonly from: number; readonly to: number }
  /** Advice to the host: its functions take too long. */
  | { readonly kind: 'faster calls'; readonly rate: number }
  /** Turns the answer to a frequent question into a precedent. */
  | { readonly kind: 'precedent'; readonly question: string; readonly times: number };

/** The kinds of proposals that the settings name (AT-025). */
const KIND_OF: Readonly<Record<Change['kind'], AnswerProfile['update_triggers'][number]>> = {
  threshold: 'Threshold adjustments based on RL rewards',
  'faster calls': 'Response format improvements',
  precedent: 'New trigger types from Critic patterns',
};

/** A proposal for a change. */
export interface Proposal {
  readonly id: string;
  /** Proposals of one signature stand for the same pattern. */
  readonly signature: string;
  readonly change: Change;
  readonly because: string;
  readonly isUrgent: boolean;
  readonly proposedAtMs: number;
  readonly status: 'proposed' | 'applied' | 'refused' | 'taken back';
  readonly decidedBy: string | null;
  readonly decidedAtMs: number | null;
  /** Rewards since the proposal was applied. */
  readonly rewards: { readonly count: number; readonly total: number };
}

/** The patterns of a window, the gravest first, as proposals without their ids. */
export function patternsOf(
  window: readonly Recent[],
  profile: Pick<AnswerProfile, 'escalation_threshold'>,
): readonly Pick<Proposal, 'signature' | 'change' | 'because' | 'isUrgent'>[] {
  const found: Pick<Proposal, 'signature' | 'change' | 'because' | 'isUrgent'>[] = [];
  const isUrgent = window.some((one) => one.isUrgent);
  const all = window.length;
  const share = (isCase: (one: Recent) => boolean) => window.filter(isCase).length / all;
  const percentOf = (rate: number) => `${Math.round(rate * 100)} % of ${all} questions`;
  if (all >= CASES_MIN) {
    const escalated = share((one) => one.isEscalated);
    const from = profile.escalation_threshold;
    const to = Math.max(THRESHOLD_MIN, rounded(from - THRESHOLD_STEP));
    if (escalated > ESCALATION_RATE_MAX && to < from) {
      const because = `${percentOf(escalated)} went to people`;
      found.push({ signature: 'threshold', change: { kind: 'threshold', from, to }, because, isUrgent });
    }
    const late = share((one) => one.hasTimedOut);
    if (late > TIMEOUT_RATE_MAX)
      found.push({
        signature: 'timeouts',
        change: { kind: 'faster calls', rate: rounded(late) },
        because: `${percentOf(late)} had no answer in time`,
        isUrgent,
      });
  }
  return [...found, ...repeatsIn(window)];
}

function repeatsIn(window: readonly Recent[]): Pick<Proposal, 'signature' | 'change' | 'because' | 'isUrgent'>[] {
  const byText = new Map<string, Recent[]>();
  for (const one of window) byText.set(one.text, [...(byText.get(one.text) ?? []), one]);
  return [...byText]
    .filter(([, same]) => same.length >= REPEATS_MIN && same.some(({ isEscalated }) => !isEscalated))
    .sort(([a, first], [b, second]) => second.length - first.length || (a < b ? -1 : 1))
    .map(([text, same]) => ({
      signature: `repeated ${text}`,
      change: {
        kind: 'precedent' as const,
        question: same.findLast(({ isEscalated }) => !isEscalated)!.question, // the filter has found one
        times: same.length,
      },
      because: `it was asked ${same.length} times within a day`,
      isUrgent: same.some((one) => one.isUrgent),
    }));
}

/**
 * The proposals that a review adds. None are added while updates are paused, nor any that is open or was decided within
 * the window.
 */
export function proposalsFor(
  window: readonly Recent[],
  {
    profile,
    known,
    nowMs,
  }: {
    readonly profile: Pick<AnswerProfile, 'escalation_threshold' | 'evolvable_via_uv' | 'update_triggers'>;
    readonly known: readonly Proposal[];
    readonly nowMs: number;
  },
): readonly Pick<Proposal, 'signature' | 'change' | 'because' | 'isUrgent'>[] {
  if (!profile.evolvable_via_uv || isPaused(known, nowMs)) return [];
  const taken = new Set(
    known
      .filter(({ status, decidedAtMs }) => status === 'proposed' || nowMs - (decidedAtMs ?? 0) < WINDOW_MS)
      .map(({ signature }) => signature),
  );
  const fresh = window.filter(({ atMs }) => nowMs - atMs < WINDOW_MS);
  return patternsOf(fresh, profile)
    .filter(({ signature, change }) => !taken.has(signature) && profile.update_triggers.includes(KIND_OF[change.kind]))
    .slice(0, PROPOSALS_A_CYCLE_MAX);
}

/** Whether so many updates were made within a day that no more are applied. */
export function isPaused(known: readonly Proposal[], nowMs: number): boolean {
  const updates = known.filter(
    ({ status, decidedAtMs }) =>
      (status === 'applied' || status === 'taken back') && decidedAtMs !== null && nowMs - decidedAtMs < WINDOW_MS,
  );
  return updates.length > UPDATES_A_WINDOW_MAX;
}

/** Why a person may not decide so on a proposal; undefined if the person may. What was applied can be taken back. */
export function flawOfDecision(
  { id, status, isUrgent, change }: Proposal,
  {
    approve,
    reason,
    known,
    nowMs,
  }: {
    readonly approve: boolean;
    readonly reason: string | null;
    readonly known: readonly Proposal[];
    readonly nowMs: number;
  },
): string | undefined {
  if (status !== 'proposed' && !(status === 'applied' && !approve)) return `the proposal is ${status}`;
  const later = status === 'applied' ? known.find((one) => one.id > id && isOver(one, change)) : undefined;
  if (later !== undefined) return `${later.id} has changed the same since: take that back first`;
  if (!approve) return undefined;
  if (isUrgent && reason === null) return 'it touches the most urgent questions: say why, with a reason';
  return isPaused(known, nowMs) ? `more than ${UPDATES_A_WINDOW_MAX} updates within a day: wait` : undefined;
}

/** Whether a proposal was applied that changes the same as another. */
function isOver({ status, change }: Proposal, { kind }: Change): boolean {
  return status === 'applied' && kind === 'threshold' && change.kind === kind;
}

/** The settings with a change applied or reverted. */
export function settingsWith(profile: AnswerProfile, change: Change, isTakenBack = false): AnswerProfile {
  if (change.kind !== 'threshold') return profile;
  return { ...profile, escalation_threshold: isTakenBack ? change.from : change.to };
}

/** An applied proposal after one more reward, and whether it must be reverted. */
export function rewarded(
  proposal: Proposal,
  reward: number,
): { readonly proposal: Proposal; readonly isPoor: boolean } {
  const { count, total } = proposal.rewards;
  const rewards = { count: count + 1, total: total + reward };
  return {
    proposal: { ...proposal, rewards },
    isPoor: rewards.count >= REWARDED_MIN && rewards.total / rewards.count < REWARD_MIN,
  };
}

function rounded(share: number): number {
  return Math.round(share * 100) / 100;
}
