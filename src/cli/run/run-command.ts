/**
 * `bosun run PLAN`: carries out a plan in a data directory, or continues it. Data goes to `out`, messages to `err`; the
 * caller owns the streams and the process. Each line is printed after its epoch is durable.
 */
import { type ActorSnapshot } from '../../actors/world/actor-view.ts';
import { type Cancel, systemClock } from '../../clock.ts';
import { type ErrorCode } from '../../error-codes.ts';
import { BosunError, isBosunError, messageOf } from '../../errors.ts';
import { unawaitedLine } from '../../log.ts';
import { type BatchManagerContext, batchesIn } from '../../machines/coordination/batches/batch-manager.ts';
import { COORDINATOR } from '../../machines/crew.ts';
import { type CoordinatorContext, itemsIn } from '../../machines/coordination/coordinator/coordinator-context.ts';
import { type TicketDeskContext } from '../../machines/people/tickets/ticket-desk.ts';
import { type GateDeskContext, gatesIn } from '../../machines/people/gates/gate-desk.ts';
import { DESKS } from '../../machines/desks.ts';
import { choicesOf } from '../../machines/coordination/plan/chosen-agents.ts';
import { type Plan, type PlanTask } from '../../machines/coordination/plan/plan.ts';
import { plainLine } from '../../plain-text.ts';
import { createJournal } from '../../persistence/journal/journal.ts';
import { levelStore } from '../../persistence/store/level-store.ts';
import { plainReferences } from '../../persistence/format/plain-references.ts';
import { type SetAside } from '../../persistence/journal/set-aside.ts';
import { type Shard } from '../../shard.ts';
import {
  crewOf,
  type DataDirectory,
  dataDirectory,
  hasStore,
  makeDirectory,
  refuseWorkers,
  removeStore,
} from '../store/data-directory.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { FrontDoor } from '../reach/front-door.ts';
import { machineReports } from './machine-reports.ts';
import { checkRemovable, heldPlan, type ReadyPlan, readyPlan } from './plan-on-hand.ts';
import { dataOption, invocationOf } from '../invocation.ts';
import { completedHints, resumeHints, type Waiting, waitsForPeople } from './run-hints.ts';
import { planLine, type Reporter, resultLines } from './run-report.ts';
import { shellCommands } from './shell-task.ts';
import { refuseInSpoke } from '../reach/spoke-refusal.ts';
import { aborted, type Surroundings, type OnUnawaited } from '../surroundings.ts';

export interface RunCommand extends Pick<Surroundings, 'env' | 'cwd'> {
  readonly file: string;
  readonly data: string;
  /** Whether to start the plan again from the beginning, dropping the state in the directory. */
  readonly fresh: boolean;
  /** Whether to keep running while items are paused. */
  readonly wait: boolean;
  /** Epoch to continue from if the journal is damaged. */
  readonly recoverTo?: number | undefined;
  /** Whether to trust the wall clock at this start. */
  readonly trustWallClock: boolean;
  /** Whether to open a gateway for the time of the run; `port` defaults to 4180. */
  readonly door?: { readonly port: number | undefined } | undefined;
  readonly reporter: Reporter;
  /** Aborted when the user interrupts. */
  readonly interrupt: AbortSignal;
  readonly onUnawaited: OnUnawaited | undefined;
}

/** Runs a plan. Resolves to the exit code. Rejects for internal errors only. */
export async function runCommand(command: RunCommand): Promise<ExitCode> {
  const { reporter } = command;
  command.onUnawaited?.((reason) => reporter.log(unawaitedLine(reason)));
  const directory = dataDirectory(command);
  const call = invocationOf(command.env);
  try {
    refuseInSpoke(command.env);
    const ready = await readyPlan(command);
    await makeDirectory(directory);
    refuseWorkers(directory);
    if (command.recoverTo !== undefined) await recoverStore(directory, command.recoverTo, reporter);
    if (command.fresh) await checkRemovable(directory, ready.source, reporter.log);
    const hint = `To start over: ${call.again('--fresh')}. Or name another --data directory`;
    const held = command.fresh ? undefined : await heldPlan(directory, ready, { log: reporter.log, hint });
    return await carryOut(command, directory, { ...ready, held });
  } catch (error) {
    return refused(error, reporter);
  }
}

async function recoverStore(directory: DataDirectory, recoverTo: number, { talk }: Reporter): Promise<void> {
  if (!hasStore(directory)) throw new BosunError('BOSUN_CONFIG_INVALID', `${directory.path} holds no store to recover`);
  const onSetAside = ({ moved }: SetAside) =>
    talk(
      `recovered to epoch ${recoverTo}; ${moved.size} damaged or later ` +
        `${moved.size === 1 ? 'epoch was' : 'epochs were'} set aside in the store`,
    );
  const journal = createJournal(levelStore(directory.store), { recoverTo, onSetAside });
  await journal.open(plainReferences);
  await journal.close();
}

async function carryOut(
  command: RunCommand,
  directory: DataDirectory,
  { source, agents, held }: ReadyPlan & { readonly held: CoordinatorContext | undefined },
): Promise<ExitCode> {
  const { reporter, interrupt, wait, env, cwd, trustWallClock } = command;
  const plan = held?.plan ?? source.plan;
  // Tells agents the directory for files of their own.
  env['BOSUN_DATA_DIR'] = directory.path;
  const commands = shellCommands(directory, { env, cwd });
  const system = crewOf(directory, plan, agents, { shell: commands.attempt, env, trustWallClock, log: reporter.log });
  const sleep = stayAwake();
  const door = await doorOf(command, directory, system);
  const halt = async () => {
    await door?.close();
    await system.stop();
    await commands.ended();
  };
  const meaning = machineReports(system, plan, (type) => typeof agents.get(type) === 'object');
  const watching = system.onEmitted((address, event) => reporter.told(meaning(address, event)));
  try {
    await door?.tryPort();
    if (command.fresh) await removeStore(directory, () => commands.clear());
    reporter.talk(greeting(command, plan, held));
    for (const chosen of choicesOf(plan)) tellChoice(reporter, chosen);
    await system.start();
    void commands.clear();
    await opened(command, door);
    await system.idle();
    const progress = system.actor(COORDINATOR).subscribe((snapshot) => reporter.progress(contextOf(snapshot)));
    const outcome = await Promise.race<RunOutcome>([
      settled(system, wait),
      Promise.race([aborted(interrupt), system.closed]).then(
        () => ({ kind: 'interrupted' }),
        (error: unknown) => ({ kind: 'failed', error }),
      ),
    ]);
    progress.unsubscribe();
    // Stopping makes everything durable before the result is printed.
    await halt();
    return conclude(command, outcome);
  } finally {
    watching.unsubscribe();
    await halt();
    sleep();
    reporter.close();
  }
}

async function doorOf(
  { door, reporter }: RunCommand,
  directory: DataDirectory,
  system: Shard,
): Promise<FrontDoor | undefined> {
  if (door === undefined) return undefined;
  const { frontDoor } = await import('../reach/front-door.ts');
  const { crewProcedures: procedures } = await import('../../crew-procedures.ts');
  return frontDoor(system, directory, {
    settings: door.port === undefined ? {} : { port: door.port },
    procedures,
    log: reporter.log,
  });
}

async function opened({ reporter, data, env }: RunCommand, door: FrontDoor | undefined): Promise<void> {
  if (door === undefined) return;
  const url = await door.open();
  reporter.talk(
    `Live while it runs: ${url}, and ${invocationOf(env).bosun} tree, ps, tail or plan pause${dataOption(data)} ` +
      'in another terminal.',
  );
}

/**
 * A timer that keeps the process alive, since a plan may wait for an agent's promise or a person, which Node does not
 * count.
 */
function stayAwake(): Cancel {
  return systemClock.setTimeout(() => {}, Infinity);
}

type RunOutcome =
  | { readonly kind: 'completed' | 'paused'; readonly context: CoordinatorContext; readonly waiting: Waiting }
  /** No more work is possible; some items have failed or expired. */
  | { readonly kind: 'itemsLost'; readonly context: CoordinatorContext }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'failed'; readonly error: unknown };

async function settled(system: Shard, wait: boolean): Promise<RunOutcome> {
  const isOver = (snapshot: ActorSnapshot) =>
    ['completed', 'failed'].includes(snapshot.value as string) ||
    (!wait && (snapshot.value === 'paused' || waitsForPeople(contextOf(snapshot))));
  const coordinator = system.actor(COORDINATOR);
  const mayEnd = () =>
    isOver(coordinator.snapshot()) && !isResuming(system) && !isReviewing(system) && askingIn(system).length === 0;
  await coordinator.waitFor(isOver);
  // Desks react to the end too, and may start something again.
  for (await system.idle(); !mayEnd(); await system.idle()) {
    if (isOver(coordinator.snapshot()))
      await Promise.race([
        coordinator.waitFor((snapshot) => !isOver(snapshot)),
        isReviewing(system)
          ? system.actor(DESKS.tickets).waitFor(() => !isReviewing(system))
          : isResuming(system)
            ? system.actor(DESKS.batches).waitFor(() => !isResuming(system))
            : Promise.all(askingIn(system).map((batch) => system.actor(batch).waitFor((now) => !isAsking(now)))),
      ]);
    await coordinator.waitFor(isOver);
  }
  const snapshot = coordinator.snapshot();
  const context = contextOf(snapshot);
  if (snapshot.value === 'failed') return { kind: 'itemsLost', context };
  return { kind: snapshot.value === 'completed' ? 'completed' : 'paused', context, waiting: waitingIn(system) };
}

/** Whether a batch is asking a port whether its next item may resume; meanwhile no message is under way. */
function isResuming(system: Shard): boolean {
  const desk = system.snapshot(DESKS.batches)?.context as BatchManagerContext | undefined;
  if (desk === undefined || system.snapshot(COORDINATOR)?.value !== 'paused') return false;
  return batchesIn(desk).some(
    ({ phase, notBeforeMs }) => phase === 'resuming' && (notBeforeMs ?? 0) <= systemClock.wallMs(),
  );
}

/** Whether a reply to a ticket is being reviewed, after which the work that waits for the ticket may go on. */
function isReviewing(system: Shard): boolean {
  return (ticketsOf(system)?.counts.in_review ?? 0) > 0;
}

function ticketsOf(system: Shard): TicketDeskContext | undefined {
  return system.snapshot(DESKS.tickets)?.context as TicketDeskContext | undefined;
}

/** Addresses of the batches that ask a port how long they have to wait, which has a time limit. */
function askingIn(system: Shard): readonly string[] {
  const desk = system.snapshot(DESKS.batches)?.context as BatchManagerContext | undefined;
  const addresses = desk === undefined ? [] : batchesIn(desk).map(({ id }) => `${DESKS.batchActors}/${id}`);
  return addresses.filter((address) => isAsking(system.snapshot(address)));
}

function isAsking(batch: ActorSnapshot | undefined): boolean {
  const { paused } = (batch?.value ?? {}) as { readonly paused?: unknown };
  return paused === 'asking';
}

function waitingIn(system: Shard): Waiting {
  const batches = system.snapshot(DESKS.batches)?.context as BatchManagerContext | undefined;
  const gates = system.snapshot(DESKS.gates)?.context as GateDeskContext | undefined;
  return {
    batches: batches === undefined ? [] : batchesIn(batches),
    gates: gates === undefined ? [] : gatesIn(gates, { isOpen: true }),
    tickets: [...(ticketsOf(system)?.waiting.values() ?? [])].filter(({ isBlocking }) => isBlocking),
  };
}

function conclude(command: RunCommand, outcome: RunOutcome): ExitCode {
  const { reporter, data, env } = command;
  switch (outcome.kind) {
    case 'interrupted':
      reporter.talk(
        `interrupted; all results so far are kept. The same command${withoutOnce(command)} continues from here.`,
      );
      return EXIT.interrupted;
    case 'failed':
      reporter.line({ type: 'plan.failed', reason: messageOf(outcome.error) });
      reporter.error(
        isBosunError(outcome.error) ? outcome.error.code : 'BOSUN_INTERNAL',
        `the plan failed: ${messageOf(outcome.error)}`,
      );
      return EXIT.failed;
    case 'itemsLost':
      reporter.result(resultLines(outcome.context));
      reporter.line(planLine('failed', outcome.context));
      return EXIT.failed;
    case 'completed':
    case 'paused': {
      const { context, kind } = outcome;
      reporter.result(resultLines(context));
      reporter.line(planLine(kind, context));
      const call = invocationOf(env);
      for (const text of kind === 'paused'
        ? resumeHints(context, outcome.waiting, data, call)
        : completedHints(context, data, call))
        reporter.talk(text);
      return kind === 'completed' ? EXIT.completed : EXIT.paused;
    }
  }
}

/** Text naming the options to leave out when the command is repeated. */
function withoutOnce({ fresh, recoverTo }: RunCommand): string {
  const once = [...(fresh ? ['--fresh'] : []), ...(recoverTo === undefined ? [] : ['--recover-to'])];
  return once.length === 0 ? '' : ` without ${once.join(' and ')}`;
}

function greeting(command: RunCommand, { name, tasks }: Plan, held: CoordinatorContext | undefined): string {
  const { path } = dataDirectory(command);
  const items = held === undefined ? [] : [...itemsIn(held).values()];
  const done = items.reduce((sum, item) => sum + item.done.length, 0);
  if (done === tasks.length) return `${name}: completed already; its results are in ${path}.`;
  const live = command.door === undefined ? ` To look at it live: ${invocationOf(command.env).again('--serve')}.` : '';
  const place =
    done === 0
      ? `${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}`
      : `continues; ${done} of ${tasks.length} tasks are done`;
  return (
    `${name}: ${place}. State is kept in ${path}: stop or kill it at any moment; the same ` +
    `command${withoutOnce(command)} continues.${live}`
  );
}

/** Tells which agent was chosen for a stage or a task, and why. */
function tellChoice(reporter: Reporter, { id, stage, agent, chosen }: PlanTask): void {
  const { confidence, reason, alternatives } = chosen!;
  const place = stage === null ? { task: id } : { stage };
  reporter.line({ type: 'agent.chosen', ...place, agent, confidence, reason, alternatives });
  reporter.talk(`${stage ?? id}: ${agent} was chosen (${confidence.toFixed(2)}): ${plainLine(reason)}`);
}

function contextOf(snapshot: ActorSnapshot): CoordinatorContext {
  return snapshot.context as CoordinatorContext;
}

const BAD_INPUT: ReadonlySet<ErrorCode> = new Set([
  'BOSUN_PLAN_INVALID',
  'BOSUN_CONFIG_INVALID',
  'BOSUN_AGENT_INVALID',
  'BOSUN_WORKERS_CHANGED',
]);

/** Prints the reason of a refusal, and the way out of a damaged journal in a line of its own. */
function refused(error: unknown, reporter: Reporter): ExitCode {
  if (!isBosunError(error)) throw error;
  const { lastGoodEpoch } = error.details;
  const wayOut =
    typeof lastGoodEpoch === 'number'
      ? `\nThe journal is sound up to epoch ${lastGoodEpoch}. To discard everything after it, add --recover-to ` +
        `${lastGoodEpoch}`
      : '';
  reporter.error(error.code, `${error.message}${wayOut}`);
  if (error.code === 'BOSUN_STORE_LOCKED') return EXIT.inUse;
  if (error.code === 'BOSUN_SPAWN_REFUSED') return EXIT.refused;
  if (BAD_INPUT.has(error.code)) return EXIT.badInput;
  return EXIT.failed;
}
