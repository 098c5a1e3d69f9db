/**
 * `bosun plan pause|resume ITEM`: an order about an item, at once where the plan's system runs, else left in its
 * stopped store for the next start.
 */
import { BosunError, isBosunError } from '../errors.ts';
import { COORDINATOR } from '../machines/coordination/crew.ts';
import {
  type CoordinatorContext,
  itemsIn,
  type ShownCoordinator,
} from '../machines/coordination/coordinator/coordinator-context.ts';
import { didYouMean } from '../near-names.ts';
import { itemOf } from '../machines/work/task.ts';
import { coordinatorOf, type DataDirectory, dataDirectory, hasStore, onHold } from './data-directory.ts';
import { carriedOut, EXIT, type ExitCode } from './exit-codes.ts';
import { LiveGateway } from './live-gateway.ts';
import { type DataCommand, logTo } from './surroundings.ts';

export interface PlanCommand extends DataCommand {
  readonly order: 'pause' | 'resume';
  readonly item: string;
  readonly reason?: string | undefined;
}

export function planCommand(command: PlanCommand): Promise<ExitCode> {
  const { order, item, json, out, err } = command;
  const directory = dataDirectory(command);
  const work = async () => {
    const gateway = await LiveGateway.of(directory);
    await (gateway === undefined ? leaveOrder(command, directory) : giveOrder(command, directory, gateway));
    const when = gateway === undefined ? ' at the next start' : '';
    out.write(
      json ? `${JSON.stringify({ type: `plan.${order}`, item, durable: true })}\n` : `${item}: ${order}${when}\n`,
    );
  };
  return carriedOut(err, work, { BOSUN_EVENT_INVALID: EXIT.badInput });
}

async function giveOrder(command: PlanCommand, directory: DataDirectory, gateway: LiveGateway): Promise<void> {
  const { context } = await gateway.actor<CoordinatorContext>(COORDINATOR).catch((error: unknown) => {
    throw isBosunError(error, 'BOSUN_ACTOR_UNKNOWN') ? noPlan(directory) : error;
  });
  if (context === null) throw noPlan(directory);
  await gateway.call('actor.send', {
    address: COORDINATOR,
    event: orderFor(command, context),
    until: 'taken',
  });
}

async function leaveOrder(command: PlanCommand, directory: DataDirectory): Promise<void> {
  if (!hasStore(directory))
    throw new BosunError('BOSUN_PLAN_INVALID', `${directory.path} holds no plan; run one first`);
  await onHold(directory, { log: logTo(command.err) }, async (system) => {
    const coordinator = coordinatorOf(system);
    if (coordinator === undefined) throw noPlan(directory);
    await system.send(COORDINATOR, orderFor(command, coordinator.context));
  });
}

function noPlan({ path }: DataDirectory): BosunError {
  return new BosunError('BOSUN_PLAN_INVALID', `${path} holds no plan`);
}

/** Throws BOSUN_PLAN_INVALID for an order that does not fit the item as it is. */
function orderFor({ order, item, reason }: PlanCommand, context: ShownCoordinator) {
  const items = itemsIn(context);
  const progress = items.get(item);
  if (progress === undefined)
    throw new BosunError('BOSUN_PLAN_INVALID', `no item "${item}" in the plan${didYouMean(item, items.keys())}`);
  const isRunning = progress.phase === 'running';
  const tasks = context.plan.tasks.filter((task) => itemOf(task) === item).length;
  if (order === 'pause' && progress.done.length === tasks)
    throw new BosunError('BOSUN_PLAN_INVALID', `${item} is completed`);
  if (order === 'resume' && isRunning) throw new BosunError('BOSUN_PLAN_INVALID', `${item} is not paused`);
  if (order === 'pause' && !isRunning)
    throw new BosunError('BOSUN_PLAN_INVALID', `${item} is ${progress.phase} already`);
  return { type: `plan.${order}`, item, ...(order === 'pause' && reason !== undefined && { reason }) };
}
