/**
 * Reports of tasks whose agents are machines. A function reports its starts and failures to its stage; a machine knows
 * nothing of plans, so its starts and failures are derived from events of its stage and its Boss.
 */
import { messageOf } from '../../errors.ts';
import { DESKS } from '../../machines/desks.ts';
import { type Plan } from '../../machines/coordination/plan/plan.ts';
import { type Shard } from '../../shard.ts';
import { type AgentModule } from '../files/agents-module.ts';
import { TOLD, type Told } from './run-report.ts';

interface Emitted {
  readonly type: string;
  readonly task?: string;
  readonly error?: unknown;
  readonly restarts?: number;
}

/** Prefix of the addresses of tasks' Bosses, and suffix of the machine that does the work. */
const BOSS_PREFIX = `${DESKS.stages}/`;
const WORK_SUFFIX = 'agent/work';

/**
 * Tells the events of a plan that users are told, once they are durable.
 *
 * @returns A function that stops it.
 */
export function followPlan(
  system: Shard,
  { plan, agents }: { readonly plan: Plan; readonly agents: AgentModule },
  tell: (event: Told) => void,
): () => void {
  const meaning = meaningIn(system, plan, agents);
  const following = system.onEmitted((address, event) => {
    const told = meaning(address, event);
    if (TOLD.has(told.type)) tell(told);
  });
  return () => following.unsubscribe();
}

function meaningIn(system: Shard, plan: Plan, agents: AgentModule): (address: string, event: Emitted) => Told {
  const byMachine = plan.tasks.filter(({ agent, run }) => run === null && typeof agents.get(agent) === 'object');
  const tasks = new Set(byMachine.map(({ id }) => id));
  const attempts = new Map<string, { effectId: string; attempt: number }>();

  const started = (task: string, attempt: number): Told => {
    const effectId =
      system.snapshot(`${BOSS_PREFIX}${task}/${WORK_SUFFIX}`)?.effectId ?? attempts.get(task)?.effectId ?? task;
    attempts.set(task, { effectId, attempt });
    return { type: 'task.started', task, effectId, attempt };
  };
  const current = (task: string, attempt: number) => attempts.get(task) ?? { effectId: task, attempt };

  /**
   * Translates an event of a task's stage or Boss into the report that a function would give; returns other events
   * unchanged.
   */
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
