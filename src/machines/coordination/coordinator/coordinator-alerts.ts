/** What the Lead Coordinator tells people: cards for the desk of alerts. Texts and buttons only. */
import { type Failure } from '../../work/failure-tiers.ts';
import { cancelButton, type Notice, resumeButton } from '../../people/notice.ts';
import { type PlanLedger } from './plan-ledger.ts';
import { itemOf } from '../../work/task.ts';
import { type PlanTask } from '../plan/plan.ts';

/** Kinds of cards that say that an item stands, or may soon be purged: over when it goes on, and when it is lost. */
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

/** Tier 2: an agent has failed and its item pauses. */
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

/** Tier 3, or given up: the item has left the pipeline. */
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

/** CA-006: what blocks the plan is told to somebody who can do something about it. */
export function bottleneckAlert(agentType: string, capacity: number | null, blocked: readonly string[]): Notice {
  return {
    subject: null,
    kind: 'plan.blocked',
    priority: 'HIGH',
    title: `${blocked.length} tasks cannot start`,
    detail: `agent type ${agentType} has ${capacity ?? 'its planned'} places`,
    data: { agentType, blocked: blocked.slice(0, 100) },
  };
}
