/**
 * `bosun plan pause|resume ITEM`: an order about an item, at once where the plan's system runs, else left in its
 * stopped store for the next start.
 */
import { BosunError, isBosunError } from '../errors.ts';
import { COORDINATOR } from '../machines/coordination/crew.ts';
import { type CoordinatorContext, itemsIn } from '../machines/coordination/coordinator/coordinator-context.ts';
import { didYouMean } from '../near-names.ts';
import { itemOf } from '../machines/work/task.ts';
import { coordinatorOf, type DataDirectory, dataDirectory, hasStore, openOnHold } from './data-directory.ts';
import { exitOf } from './data-work.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { LiveGateway } from './live-gateway.ts';
import { type DataCommand } from './surroundings.ts';

export interface PlanCommand extends DataCommand {
  readonly order: 'pause' | 'resume';
  readonly item: string;
  readonly reason?: string | undefined;
}

export async function planCommand(command: PlanCommand): Promise<ExitCode> {
  const { order, item, json, out } = command;
  const directory = dataDirectory(command);
  let when = ' at the next start';
  try {
    const gateway = await LiveGateway.of(directory);
    if (gateway !== undefined) when = '';
    await (gateway === undefined ? leaveOrder(command, directory) : giveOrder(command, directory, gateway));
  } catch (error) {
    if (!isBosunError(error)) throw error;
    command.err.write(`${error.message}\n`);
    if (error.code === 'BOSUN_STORE_LOCKED') return EXIT.inUse;
    return error.code === 'BOSUN_EVENT_INVALID' ? EXIT.badInput : exitOf(error.code);
  }
  out.write(
    json ? `${JSON.stringify({ type: `plan.${order}`, item, durable: true })}\n` : `${item}: ${order}${when}\n`,
  );
  return EXIT.completed;
}

async function giveOrder(command: PlanCommand, directory: DataDirectory, gateway: LiveGateway): Promise<void> {
  const coordinator = await gateway
    .call<{ context: CoordinatorContext }>('actor.get', { address: COORDINATOR })
    .catch((error: unknown) => {
      throw isBosunError(error, 'BOSUN_ACTOR_UNKNOWN') ? noPlan(directory) : error;
    });
  await gateway.call('actor.send', {
    address: COORDINATOR,
    event: orderFor(command, coordinator.context),
    until: 'taken',
  });
}

async function leaveOrder(command: PlanCommand, directory: DataDirectory): Promise<void> {
  if (!hasStore(directory))
    throw new BosunError('BOSUN_PLAN_INVALID', `${directory.path} holds no plan; run one first`);
  const system = await openOnHold(directory, {
    log: (...args) => command.err.write(`${args.map(String).join(' ')}\n`),
  });
  try {
    const coordinator = coordinatorOf(system);
    if (coordinator === undefined) throw noPlan(directory);
    await system.send(COORDINATOR, orderFor(command, coordinator.context));
  } finally {
    await system.stop();
  }
}

function noPlan({ path }: DataDirectory): BosunError {
  return new BosunError('BOSUN_PLAN_INVALID', `${path} holds no plan`);
}

/** Throws BOSUN_PLAN_INVALID for an order that does not fit the item as it is. */
function orderFor({ order, item, reason }: PlanCommand, context: CoordinatorContext) {
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
