/** The Lead Coordinator's notices to people: cards for the alert desk. Texts and buttons only. */
import { type Failure } from '../../work/failure-tiers.ts';
import { cancelButton, type Notice, resumeButton, settlementOf } from '../../people/notice.ts';
import { type AlertMessage } from '../../people/alerts/alert-messages.ts';
import { type PlanLedger } from './plan-ledger.ts';
import { itemOf } from '../../work/task.ts';
import { type PlanTask } from '../plan/plan.ts';

/** Kinds of cards about an item that has stopped or may soon be purged; settled when the item continues or is lost. */
export const STANDING_KINDS = [
  'item.failed',
  'item.paused',
  'pause.day3',
  'pause.day7',
  'pause.day14',
  'pause.extensionOver',
  'resume.failed',
  'resume.manual',
] as const;

/** The card for tier 2: an agent has failed and its item pauses. */
export function failureAlert(ledger: PlanLedger, task: PlanTask, { errorType, message }: Failure): Notice {
  const item = itemOf(task);
  const { done } = ledger.item(item);
  const own = ledger.tasksOf(item);
  const pending = own.filter(({ id }) => !done.includes(id)).map(({ id }) => id);
  return {
    subject: item,
    kind: 'item.failed',
    priority: 'AGENT_FAILURE',
    title: `${task.agent} has failed on ${item}`,
    detail: message,
    actions: [resumeButton(item), cancelButton(item)],
    data: {
      agentType: task.agent,
      errorType,
      errorMessage: message,
      progressPct: Math.round((done.length / own.length) * 100),
      phase: task.stage ?? task.id,
      completed: done,
      pending,
    },
  };
}

/** The card for an item that has left the pipeline, by tier 3 or because a person cancelled it. */
export function lossAlert(ledger: PlanLedger, item: string, reason: string, task: string | null): Notice {
  return {
    subject: item,
    kind: 'item.lost',
    priority: 'CRITICAL',
    title: `${item} has failed for good`,
    detail: reason,
    data: { task, completed: ledger.item(item).done, phase: 'failed' },
  };
}

export function overdueAlert(task: PlanTask, expectedMs: number): Notice {
  return {
    subject: itemOf(task),
    kind: 'task.overdue',
    priority: 'MEDIUM',
    title: `${task.id} takes longer than expected`,
    detail: `${task.id} was expected to take ${expectedMs} ms`,
    data: { agentType: task.agent, task: task.id },
  };
}

/** CA-006: tells people what blocks the plan, so that somebody can act on it. */
export function bottleneckAlert(agentType: string, blocked: readonly string[]): Notice {
  return {
    subject: subjectOf(agentType),
    kind: 'plan.blocked',
    priority: 'HIGH',
    title: `${blocked.length} tasks cannot start`,
    detail: `agent type ${agentType} has 0 places`,
    data: { agentType, blocked: blocked.slice(0, 100) },
  };
}

export function bottleneckSettled(agentType: string, because: string): AlertMessage<'alert.settled'> {
  return settlementOf({ subject: subjectOf(agentType), kinds: ['plan.blocked'], because });
}

function subjectOf(agentType: string): string {
  return `agent type ${agentType}`;
}
