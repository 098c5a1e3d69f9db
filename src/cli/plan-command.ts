/** `bosun plan pause|resume ITEM`: leaves an order in a stopped store, which takes effect at the next start. */
import { BosunError, isBosunError } from '../errors.ts';
import { COORDINATOR } from '../machines/coordination/crew.ts';
import { itemsIn } from '../machines/coordination/lead-coordinator.ts';
import { itemOf, nearestName } from '../machines/coordination/plan.ts';
import { coordinatorOf, dataDirectory, hasStore, openOnHold } from './data-directory.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type DataCommand } from './surroundings.ts';

export interface PlanCommand extends DataCommand {
  readonly order: 'pause' | 'resume';
  readonly item: string;
  readonly reason?: string | undefined;
}

export async function planCommand(command: PlanCommand): Promise<ExitCode> {
  try {
    await leaveOrder(command);
  } catch (error) {
    if (!isBosunError(error)) throw error;
    command.err.write(`${error.message}\n`);
    if (error.code === 'BOSUN_STORE_LOCKED') return EXIT.inUse;
    return error.code === 'BOSUN_PLAN_INVALID' || error.code === 'BOSUN_EVENT_INVALID' ? EXIT.badInput : EXIT.failed;
  }
  const { order, item, json, out } = command;
  out.write(json ? `${JSON.stringify({ type: `plan.${order}`, item, durable: true })}\n` : `${item}: ${order} at the next start\n`);
  return EXIT.completed;
}

async function leaveOrder(command: PlanCommand): Promise<void> {
  const { order, item, reason, err } = command;
  const directory = dataDirectory(command);
  if (!hasStore(directory)) throw new BosunError('BOSUN_PLAN_INVALID', `${directory.path} holds no plan; run one first`);
  const system = await openOnHold(directory, (...args) => err.write(`${args.map(String).join(' ')}\n`));
  try {
    const coordinator = coordinatorOf(system);
    if (coordinator === undefined) throw new BosunError('BOSUN_PLAN_INVALID', `${directory.path} holds no plan`);
    const items = itemsIn(coordinator.context);
    const progress = items.get(item);
    if (progress === undefined) {
      const near = nearestName(item, items.keys());
      throw new BosunError('BOSUN_PLAN_INVALID', `no item "${item}" in the plan${near === undefined ? '' : `; did you mean "${near}"?`}`);
    }
    const isRunning = progress.phase === 'running';
    const tasks = coordinator.context.plan.tasks.filter((task) => itemOf(task) === item).length;
    if (order === 'pause' && progress.done.length === tasks) throw new BosunError('BOSUN_PLAN_INVALID', `${item} is completed`);
    if (order === 'resume' && isRunning) throw new BosunError('BOSUN_PLAN_INVALID', `${item} is not paused`);
    if (order === 'pause' && !isRunning) throw new BosunError('BOSUN_PLAN_INVALID', `${item} is ${progress.phase} already`);
    await system.send(COORDINATOR, { type: `plan.${order}`, item, ...(order === 'pause' && reason !== undefined && { reason }) });
  } finally {
    await system.stop();
  }
}
