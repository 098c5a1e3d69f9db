/**
 * `bosun run PLAN`: carries out a plan in a data directory, or goes on with it. Data goes to `out`, talk to `err`; the
 * caller owns the streams and the process. What is printed has happened: every line comes after its epoch is durable.
 */
import { type ActorSnapshot } from '../actors/world/actor-view.ts';
import { type Cancel, systemClock } from '../clock.ts';
import { BosunError, type ErrorCode, isBosunError, messageOf } from '../errors.ts';
import { type BatchManagerContext, batchesIn } from '../machines/coordination/batches/batch-manager.ts';
import { COORDINATOR } from '../machines/coordination/crew.ts';
import { type CoordinatorContext, itemsIn } from '../machines/coordination/coordinator/coordinator-context.ts';
import { type GateDeskContext, gatesIn } from '../machines/people/gates/gate-desk.ts';
import { DESKS } from '../machines/work/system-ids.ts';
import { type Plan } from '../machines/coordination/plan/plan.ts';
import { createJournal } from '../persistence/journal.ts';
import { levelStore } from '../persistence/level-store.ts';
import { plainReferences } from '../persistence/plain-references.ts';
import { type SetAside } from '../persistence/set-aside.ts';
import { type System } from '../system.ts';
import {
  crewOf,
  type DataDirectory,
  dataDirectory,
  hasStore,
  makeDirectory,
  refuseWorkers,
  removeStore,
} from './data-directory.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { FrontDoor } from './front-door.ts';
import { machineReports } from './machine-reports.ts';
import { checkRemovable, heldPlan, type ReadyPlan, readyPlan } from './plan-on-hand.ts';
import { completedHints, dataOption, invocationOf, resumeHints, type Waiting, waitsForPeople } from './run-hints.ts';
import { planLine, type Reporter, resultLines } from './run-report.ts';
import { shellCommands } from './shell-task.ts';
import { aborted, type Surroundings } from './surroundings.ts';

export interface RunCommand extends Pick<Surroundings, 'env' | 'cwd'> {
  readonly file: string;
  readonly data: string;
  /** Start over: forget what the directory holds of the plan. */
  readonly fresh: boolean;
  /** Stay while items are paused. */
  readonly wait: boolean;
  /** Of a damaged journal: the epoch to go on from. */
  readonly recoverTo?: number | undefined;
  /** Believe the wall clock at this start. */
  readonly trustWallClock: boolean;
  /** Keep a gateway open meanwhile; `port` is 4180 where it is undefined. */
  readonly door?: { readonly port: number | undefined } | undefined;
  readonly reporter: Reporter;
  /** Aborted when the user interrupts. */
  readonly interrupt: AbortSignal;
}

/** Resolves to the exit code. Rejects only for faults of Bosun. */
export async function runCommand(command: RunCommand): Promise<ExitCode> {
  const { reporter } = command;
  const directory = dataDirectory(command);
  const call = invocationOf(command.env);
  try {
    const ready = await readyPlan(command);
    await makeDirectory(directory);
    refuseWorkers(directory);
    if (command.recoverTo !== undefined) await recoverStore(directory, command.recoverTo, reporter);
    if (command.fresh) await checkRemovable(directory, ready.source, reporter.log);
    const hint = `To start over: ${call.again('--fresh')}. Or name another --data directory`;
    const held = command.fresh ? undefined : await heldPlan(directory, ready.source, { log: reporter.log, hint });
    return await carryOut(command, directory, { ...ready, held });
  } catch (error) {
    return refused(error, reporter);
  }
}

async function recoverStore(directory: DataDirectory, recoverTo: number, { talk }: Reporter): Promise<void> {
  if (!hasStore(directory))
    throw new BosunError('BOSUN_CONFIG_INVALID', `${directory.path} holds no store to be recovered`);
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
  { source: { plan }, agents, held }: ReadyPlan & { readonly held: CoordinatorContext | undefined },
): Promise<ExitCode> {
  const { reporter, interrupt, wait, env, cwd, trustWallClock } = command;
  // For agents that write files of their own.
  env['BOSUN_DATA_DIR'] = directory.path;
  const commands = shellCommands({ storeId: directory.store, env, cwd });
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
    if (command.fresh) await removeStore(directory);
    reporter.talk(greeting(command, plan, held));
    await system.start();
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
    // Acknowledges that all of it is on disk before it is said.
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
  system: System,
): Promise<FrontDoor | undefined> {
  if (door === undefined) return undefined;
  const { frontDoor } = await import('./front-door.ts');
  return frontDoor(system, directory, {
    settings: door.port === undefined ? {} : { port: door.port },
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
 * What a plan waits for may be nothing that Node knows of (an agent's promise, a person), and Node would end the
 * process.
 */
function stayAwake(): Cancel {
  return systemClock.setTimeout(() => {}, Infinity);
}

type RunOutcome =
  | { readonly kind: 'completed' | 'paused'; readonly context: CoordinatorContext; readonly waiting: Waiting }
  /** All that could be done is done; some items have failed or expired. */
  | { readonly kind: 'itemsLost'; readonly context: CoordinatorContext }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'failed'; readonly error: unknown };

async function settled(system: System, wait: boolean): Promise<RunOutcome> {
  const isOver = (snapshot: ActorSnapshot) =>
    ['completed', 'failed'].includes(snapshot.value as string) ||
    (!wait && (snapshot.value === 'paused' || waitsForPeople(contextOf(snapshot))));
  const coordinator = system.actor(COORDINATOR);
  await coordinator.waitFor(isOver);
  // The desks have something to do with the end as well, and may begin something anew.
  for (await system.idle(); !isOver(coordinator.snapshot()); await system.idle()) await coordinator.waitFor(isOver);
  const snapshot = coordinator.snapshot();
  const context = contextOf(snapshot);
  if (snapshot.value === 'failed') return { kind: 'itemsLost', context };
  return { kind: snapshot.value === 'completed' ? 'completed' : 'paused', context, waiting: waitingIn(system) };
}

function waitingIn(system: System): Waiting {
  const batches = system.snapshot(DESKS.batches)?.context as BatchManagerContext | undefined;
  const gates = system.snapshot(DESKS.gates)?.context as GateDeskContext | undefined;
  return {
    batches: batches === undefined ? [] : batchesIn(batches),
    gates: gates === undefined ? [] : gatesIn(gates, { isOpen: true }),
  };
}

function conclude(command: RunCommand, outcome: RunOutcome): ExitCode {
  const { reporter, data, env } = command;
  switch (outcome.kind) {
    case 'interrupted':
      reporter.talk(`interrupted; everything so far is kept. The same line${withoutOnce(command)} goes on from here.`);
      return EXIT.interrupted;
    case 'failed':
      reporter.line({ type: 'plan.failed', reason: messageOf(outcome.error) });
      reporter.talk(`the plan failed: ${messageOf(outcome.error)}`);
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

/** What would not go on if it were typed again. */
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
      : `goes on; ${done} of ${tasks.length} tasks are done`;
  return (
    `${name}: ${place}. State is kept in ${path}: stop it or kill it at any moment, the same ` +
    `line${withoutOnce(command)} goes on.${live}`
  );
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

/** Says what stands in the way, in one line. */
function refused(error: unknown, reporter: Reporter): ExitCode {
  if (!isBosunError(error)) throw error;
  reporter.talk(error.message);
  const { lastGoodEpoch } = error.details;
  if (typeof lastGoodEpoch === 'number')
    reporter.talk(
      `The journal is sound up to epoch ${lastGoodEpoch}. To give up what came after it, add --recover-to ` +
        `${lastGoodEpoch}`,
    );
  if (error.code === 'BOSUN_STORE_LOCKED') return EXIT.inUse;
  if (BAD_INPUT.has(error.code)) return EXIT.badInput;
  return EXIT.failed;
}
