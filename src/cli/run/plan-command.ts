/**
 * `bosun plan pause|resume ITEM`: an order about an item, carried out at once if the plan's system runs, otherwise left
 * in its stopped store for the next start.
 */
import { BosunError, isBosunError } from '../../errors.ts';
import { COORDINATOR } from '../../machines/crew.ts';
import {
  type CoordinatorContext,
  itemsIn,
  type WholeCoordinator,
} from '../../machines/coordination/coordinator/coordinator-context.ts';
import { isAtGate, openGatesOf, toldPhase, type ToldPhase } from '../../machines/coordination/coordinator/progress.ts';
import { didYouMean } from '../../near-names.ts';
import { type OrderReply } from '../../machines/rules/turn.ts';
import { itemOf } from '../../machines/work/task.ts';
import { nameFor, type Whom } from '../system/administer-command.ts';
import { coordinatorOf, type DataDirectory, dataDirectory, hasStore, onHold } from '../store/data-directory.ts';
import { carriedOut, EXIT, type ExitCode } from '../exit-codes.ts';
import { Foresight } from '../desks/foresight.ts';
import { LiveGateway } from '../reach/live-gateway.ts';
import { type DataCommand, logTo } from '../surroundings.ts';

export interface PlanCommand extends DataCommand, Whom {
  readonly order: 'pause' | 'resume';
  readonly item: string;
}

export function planCommand(command: PlanCommand): Promise<ExitCode> {
  const { order, item, json, out } = command;
  const directory = dataDirectory(command);
  const work = async () => {
    const gateway = await LiveGateway.of(command);
    await (gateway === undefined ? leaveOrder(command, directory) : giveOrder(command, gateway));
    const when = gateway === undefined ? ' at the next start' : '';
    out.write(
      json ? `${JSON.stringify({ type: `plan.${order}`, item, durable: true })}\n` : `${item}: ${order}${when}\n`,
    );
  };
  return carriedOut(command, work, { BOSUN_EVENT_INVALID: EXIT.badInput });
}

async function giveOrder(command: PlanCommand, gateway: LiveGateway): Promise<void> {
  const place = command.remote?.url ?? dataDirectory(command).path;
  const { context } = await gateway.actor<CoordinatorContext>(COORDINATOR).catch((error: unknown) => {
    throw isBosunError(error, 'BOSUN_ACTOR_UNKNOWN') ? noPlan(place) : error;
  });
  if (context === null) throw noPlan(place);
  const order = { address: COORDINATOR, event: orderFor(command, context) };
  const { reply } = await gateway.call<{ readonly reply: OrderReply | null }>('actor.ask', order);
  if (reply?.taken === false) throw new BosunError('BOSUN_PLAN_INVALID', reply.problems.join('; '));
}

async function leaveOrder(command: PlanCommand, directory: DataDirectory): Promise<void> {
  if (!hasStore(directory))
    throw new BosunError('BOSUN_PLAN_INVALID', `${directory.path} holds no plan; run one first`);
  await onHold(directory, { log: logTo(command.err) }, async (system, held) => {
    if (coordinatorOf(system) === undefined) throw noPlan(directory.path);
    const ahead = await Foresight.of(held);
    try {
      const coordinator = coordinatorOf(ahead?.system ?? system);
      if (coordinator === undefined) throw noPlan(directory.path);
      const order = orderFor(command, coordinator.context);
      const reply = await ahead?.reply(COORDINATOR, order);
      if (reply?.taken === false) throw new BosunError('BOSUN_PLAN_INVALID', reply.problems.join('; '));
      await system.send(COORDINATOR, order);
    } finally {
      ahead?.end();
    }
  });
}

/**
 * The error if there is no plan.
 *
 * @param place The data directory, or the URL of a gateway.
 */
function noPlan(place: string): BosunError {
  return new BosunError('BOSUN_PLAN_INVALID', `${place} holds no plan`);
}

/** Makes the event of an order. Throws BOSUN_PLAN_INVALID for an order that does not fit the item's phase. */
function orderFor(command: PlanCommand, context: Pick<WholeCoordinator, 'plan' | 'items'>) {
  const { order, item, reason } = command;
  const items = itemsIn(context);
  const progress = items.get(item);
  if (progress === undefined)
    throw new BosunError('BOSUN_PLAN_INVALID', `no item "${item}" in the plan${didYouMean(item, items.keys())}`);
  const tasks = context.plan.tasks.filter((task) => itemOf(task) === item).length;
  const told = toldPhase(progress, tasks);
  // A task that waits for a ticket can be paused; a decision of people cannot.
  const problem = problemOf(order, told === 'waitingForHuman' && !isAtGate(progress) ? 'running' : told);
  if (problem !== undefined) {
    const gates = openGatesOf(progress).map((gate) => `; bosun gates show ${gate} says what`);
    throw new BosunError('BOSUN_PLAN_INVALID', `${item} ${problem}${gates.join('')}`);
  }
  if (order === 'resume') return { type: 'plan.resume', item };
  const by = nameFor(command);
  return { type: 'plan.pause', item, ...(reason !== undefined && { reason }), ...(by !== undefined && { by }) };
}

/** Why an item in that phase cannot take the order; undefined if it can. */
function problemOf(order: PlanCommand['order'], phase: ToldPhase): string | undefined {
  if (phase === 'waitingForHuman') return 'waits for people to decide';
  if (order === 'resume') return phase === 'running' || phase === 'completed' ? 'is not paused' : undefined;
  if (phase === 'running') return undefined;
  return phase === 'completed' ? 'is completed' : `is ${phase} already`;
}
