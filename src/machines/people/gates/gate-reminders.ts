/**
 * The reminders of a gate, which are only news: after a time in which the system was down people get one, the last of
 * those that passed, and none if the deadline passed as well.
 */
import { type Turn } from '../../rules/turn.ts';
import type { GateContext, GateQuestion } from './gate.ts';

/**
 * The question with its reminders in order. An unchanged question is returned as it is, so that it is not admitted
 * again.
 */
export function inOrder(question: GateQuestion): GateQuestion {
  const { remindAfterMs } = question;
  if (remindAfterMs.every((ms, index) => index === 0 || remindAfterMs[index - 1]! <= ms)) return question;
  return { ...question, remindAfterMs: remindAfterMs.toSorted((a, b) => a - b) };
}

/** Arms the next reminder whose time is still to come. */
export function armReminder(turn: Turn<GateContext>): void {
  const { question, openedAtMs } = turn.context;
  const afterMs = question.remindAfterMs[passed(turn)];
  if (afterMs !== undefined)
    turn.raise({ type: 'gate.remind' }, { id: 'reminder', delay: openedAtMs + afterMs - turn.nowMs });
}

/** Has people reminded at the time of a reminder, except where the gate is about to end. */
export function remindInTime(turn: Turn<GateContext>): void {
  const { deadlineAtMs } = turn.context;
  if (deadlineAtMs === null || turn.nowMs < deadlineAtMs) turn.raise({ type: 'gate.insist' });
}

/** The text of a card: how long people have been asked. */
export function waitingText(turn: Turn<GateContext>): string {
  const { question, reminders } = turn.context;
  const proposed = question.proposal === null ? '' : `Proposed: ${question.proposal}\n`;
  return `${proposed}${reminders === 0 ? 'Waiting for an answer.' : `Still no answer, reminder ${passed(turn)}.`}`;
}

/** Number of reminders whose times have passed. */
function passed({ context: { question, openedAtMs }, nowMs }: Turn<GateContext>): number {
  return question.remindAfterMs.filter((ms) => openedAtMs + ms <= nowMs).length;
}
