/**
 * Reports of tasks whose agents are machines. A function tells its stage when it starts and fails; a machine knows
 * nothing of plans, so its starts and failures are read off its stage and its Boss, which tell them of any child.
 */
import { messageOf } from '../errors.ts';
import { DESKS } from '../machines/work/system-ids.ts';
import { type Plan } from '../machines/coordination/plan/plan.ts';
import { type System } from '../system.ts';
import { type Told } from './run-report.ts';

interface Emitted {
  readonly type: string;
  readonly task?: string;
  readonly error?: unknown;
  readonly restarts?: number;
}

/** Where a task's Boss lives, and the machine that does its work. */
const BOSS_PREFIX = `${DESKS.stages}/`;
const WORK_SUFFIX = 'agent/work';

/** @param isMachine Whether tasks of an agent type are done by a machine. */
export function machineReports(system: System, plan: Plan, isMachine: (agentType: string) => boolean) {
  const tasks = new Set(plan.tasks.filter(({ agent, run }) => run === null && isMachine(agent)).map(({ id }) => id));
  const attempts = new Map<string, { effectId: string; attempt: number }>();

  const started = (task: string, attempt: number): Told => {
    const effectId =
      system.snapshot(`${BOSS_PREFIX}${task}/${WORK_SUFFIX}`)?.effectId ?? attempts.get(task)?.effectId ?? task;
    attempts.set(task, { effectId, attempt });
    return { type: 'task.started', task, effectId, attempt };
  };
  const current = (task: string, attempt: number) => attempts.get(task) ?? { effectId: task, attempt };

  /** What an emitted event means for whoever follows the plan: itself, or something else. */
  return (address: string, event: Emitted): Told => {
    const task = event.task ?? (address.startsWith(BOSS_PREFIX) ? address.slice(BOSS_PREFIX.length) : '');
    if (!tasks.has(task)) return event as Told;
    const restarts = event.restarts ?? 0;
    switch (event.type) {
      case 'stage.entered':
        return started(task, 1);
      case 'child.restarted':
        return started(task, restarts + 1);
      case 'child.failed':
        return { type: 'task.failed', task, ...current(task, restarts + 1), error: messageOf(event.error) };
      case 'task.completed':
        return { type: 'task.completed', task, ...current(task, 1) };
      default:
        return event as Told;
    }
  };
}
