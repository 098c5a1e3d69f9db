/** What the Lead Coordinator tells people: cards for the desk of alerts. Texts and buttons only. */
import { type Failure } from '../../work/failure-tiers.ts';
import { type AlertAction } from '../../people/alerts/alert-messages.ts';
import { DESKS } from '../../work/system-ids.ts';
import { cutText } from '../../work/message-schema.ts';
import { type Message } from '../messages/messages.ts';
import { type PlanLedger } from './plan-ledger.ts';
import { itemOf } from '../../work/task.ts';
import { type PlanTask } from '../plan/plan.ts';

/** The button that shows the card in full and does nothing. */
const DETAILS: AlertAction = { name: 'details', label: 'View Details', to: null, event: null };

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

/** The buttons of a card about an item that stands still. */
function itemActions(item: string): AlertAction[] {
  const event = { type: 'resume.command', item, resumePlan: null, notify: true };
  return [
    DETAILS,
    { name: 'resume', label: 'Resume', to: DESKS.coordinator, event },
    { name: 'cancel', label: 'Cancel', to: DESKS.coordinator, event: { type: 'item.cancel', item } },
  ];
}

/** Tier 2: an agent has failed and its item pauses. */
export function failureAlert(
  ledger: PlanLedger,
  task: PlanTask,
  { errorType, message }: Failure,
): Message<'alert.raise'> {
  const item = itemOf(task);
  const { done } = ledger.item(item);
  const pending = ledger
    .tasksOf(item)
    .filter(({ id }) => !done.includes(id))
    .map(({ id }) => id);
  const progressPct = Math.round((done.length / ledger.tasksOf(item).length) * 100);
  const data = {
    agentType: task.agent,
    errorType,
    errorMessage: message,
    progressPct,
    phase: task.stage ?? task.id,
    completed: done,
    pending,
  };
  return {
    type: 'alert.raise',
    item,
    kind: 'item.failed',
    priority: 'AGENT_FAILURE',
    title: `${task.agent} has failed on ${item}`,
    detail: cutText(message),
    actions: itemActions(item),
    data,
  };
}

/** Tier 3, or given up: the item has left the pipeline. */
export function lossAlert(
  ledger: PlanLedger,
  item: string,
  reason: string,
  task: string | null,
): Message<'alert.raise'> {
  const data = { task, completed: ledger.item(item).done, phase: 'failed' };
  return {
    type: 'alert.raise',
    item,
    kind: 'item.lost',
    priority: 'CRITICAL',
    title: `${item} has failed for good`,
    detail: cutText(reason),
    actions: [DETAILS],
    data,
  };
}

export function overdueAlert(task: PlanTask, expectedMs: number): Message<'alert.raise'> {
  const detail = `${task.id} was expected to take ${expectedMs} ms`;
  const data = { agentType: task.agent, task: task.id };
  return {
    type: 'alert.raise',
    item: itemOf(task),
    kind: 'task.overdue',
    priority: 'MEDIUM',
    title: `${task.id} takes longer than expected`,
    detail,
    actions: [DETAILS],
    data,
  };
}

/** CA-006: what blocks the plan is told to somebody who can do something about it. */
export function bottleneckAlert(
  agentType: string,
  capacity: number | null,
  blocked: readonly string[],
): Message<'alert.raise'> {
  const title = `${blocked.length} tasks cannot start`;
  const detail = `agent type ${agentType} has ${capacity ?? 'its planned'} places`;
  return {
    type: 'alert.raise',
    item: null,
    kind: 'plan.blocked',
    priority: 'HIGH',
    title,
    detail,
    actions: [DETAILS],
    data: { agentType, blocked: blocked.slice(0, 100) },
  };
}
