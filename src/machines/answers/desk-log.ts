/**
 * The answer desk's log and figures: one place through which every resolution, settlement and correction is counted.
 */
import { numberKey } from '../rules/table-keys.ts';
import { type Turn } from '../rules/turn.ts';
import { tokensIn } from './bundle.ts';
import { type AnswerDeskContext, type AnswerEmitted, type QuestionRow } from './desk-state.ts';
import { recentOf, rewarded, rewardOf, settingsWith, WINDOW_MS } from './evolution.ts';
import { counted } from './metrics.ts';
import { type LogEntry, type Outcome } from './resolution-log.ts';
import { deadlineMsOf } from './triggers.ts';

/** One turn of the answer desk. */
export type AnswerTurn = Turn<AnswerDeskContext, AnswerEmitted>;

/** Most entries from which patterns are found: a busy day. */
const RECENT_MAX = 2_000;

/** The name of the records. */
export const LOG = 'resolutions';

/** Adds an entry to the log, and updates the counts that depend on it. */
export function log(turn: AnswerTurn, entry: LogEntry, textKey: string): void {
  turn.record(LOG, entry);
  const { figures } = turn.context;
  turn.assign({ figures: counted(figures, entry) });
  noteRecent(turn, entry, textKey);
  reward(turn, entry);
}

/** The entry of a question's first answer or ticket. */
export function resolvedEntry(
  turn: AnswerTurn,
  {
    id,
    trigger,
    priority,
    askedAtMs,
    response,
  }: Pick<QuestionRow, 'id' | 'trigger' | 'priority' | 'askedAtMs' | 'response'>,
  facts: {
    readonly outcome: Outcome;
    readonly confidence: number;
    readonly hasTimedOut?: boolean;
    readonly isFollowUp?: boolean;
  },
): LogEntry {
  const { outcome, confidence, hasTimedOut = false, isFollowUp = false } = facts;
  return {
    kind: 'resolved',
    question: id,
    atMs: turn.nowMs,
    trigger,
    priority,
    outcome,
    confidence,
    afterMs: turn.nowMs - askedAtMs,
    deadlineMs: deadlineMsOf(trigger, priority, turn.context.profile),
    hasTimedOut,
    tokens: response === null ? 0 : tokensIn(response.answer),
    sources: response?.sources.length ?? 0,
    isFollowUp,
  };
}

function noteRecent(turn: AnswerTurn, entry: LogEntry, textKey: string): void {
  const row = recentOf(entry, textKey);
  if (row === undefined) return;
  const recentCount = turn.context.recentCount + 1;
  let recent = turn.context.recent.set(numberKey(recentCount), row);
  for (let eldest = recent.first(); eldest !== undefined; eldest = recent.first()) {
    if (recent.size <= RECENT_MAX && turn.nowMs - eldest[1].atMs < WINDOW_MS) break;
    recent = recent.delete(eldest[0]);
  }
  turn.assign({ recent, recentCount });
}

/** Rewards the change that was applied last, and reverts it if answers have become worse. */
function reward(turn: AnswerTurn, entry: LogEntry): void {
  const { proposals } = turn.context;
  const applied = [...proposals.values()].filter(({ status }) => status === 'applied').at(-1);
  if (applied === undefined) return;
  const { proposal, isPoor } = rewarded(applied, rewardOf(entry));
  const next = isPoor ? { ...proposal, status: 'taken back' as const, decidedAtMs: turn.nowMs } : proposal;
  turn.assign({ proposals: proposals.set(proposal.id, next) });
  if (isPoor) turn.assign({ profile: settingsWith(turn.context.profile, proposal.change, true) });
}
