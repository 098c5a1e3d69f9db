/**
 * Coding sessions that are runs of a hub in the same system: each task is a run, whose sessions are told what the task
 * is. A task whose host has ended meanwhile goes on with its run.
 */
import { type z } from 'zod';
import { type DeliveryPorts } from './machines/delivery/delivery-ports.ts';
import { type Directive } from './machines/delivery/tasks/task-messages.ts';
import { DESKS } from './machines/desks.ts';
import { type LineageEntry } from './machines/hub/handoff.ts';
import { type HubDeskContext, type hubStart, type HubStarted, type RunRecord } from './machines/hub/hub-desk.ts';
import { endedIn } from './machines/rules/records.ts';
import { type System } from './system.ts';

/** The order with which a run begins, without what the task says. */
export type SessionHub = Omit<z.input<typeof hubStart>, 'about' | 'plan' | 'task'>;

/**
 * The port `code` of a delivery organisation.
 *
 * @param system Returns the system, which has `hubCrew({ hasGates: true })` beside the delivery organisation.
 */
export function hubSessions(system: () => System, hub: SessionHub): DeliveryPorts['code'] {
  return async (directive) => {
    const plan = `${directive.taskId}.${directive.attempt}`;
    const { runs } = await system().ask<{ runs: RunRecord[] }>(DESKS.hubs, { type: 'hub.list' });
    if (!runs.some((run) => run.plan === plan)) {
      const about = { title: directive.title, success_criteria: [...directive.acceptanceCriteria] };
      const order = { type: 'hub.start', ...hub, about, plan, task: toldIn(directive) };
      const { taken, problems } = await system().ask<HubStarted>(DESKS.hubs, order);
      if (!taken) throw new Error(problems.join('; '));
    }
    const desk = await system().actor(DESKS.hubs);
    const { context } = await desk.waitFor((shown) => endedRun(shown.context as HubDeskContext, plan) !== undefined);
    const { status, because } = endedRun(context as HubDeskContext, plan)!;
    const { records } = await system().records.list(`${DESKS.workPlans}/${plan}`, 'lineage', { limit: 1_000 });
    const lineage = records.map(({ value }) => value as LineageEntry);
    const changed = lineage.flatMap(({ data, verified }) => verified.files ?? data.files_modified);
    const files = [...new Set(changed)].slice(0, 100);
    return { status: status === 'completed' ? 'done' : 'failed', details: because, files };
  };
}

function endedRun(context: HubDeskContext, plan: string): RunRecord | undefined {
  return endedIn(context).find((run) => run.plan === plan);
}

/** The text by which the sessions of a run are told of their task. */
function toldIn(directive: Directive): string {
  const lines = Object.entries(directive).map(([name, value]) => `${name}: ${[value].flat().join('; ')}`);
  return lines.join('\n');
}
