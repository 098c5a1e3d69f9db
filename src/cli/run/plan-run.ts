/**
 * A plan that is carried out in an open data directory: its gateway, its system, the end for which a run waits, and its
 * conclusion. Data goes to `out`, messages to `err`. Each line is printed after its epoch is durable.
 */
import { type ActorSnapshot } from '../../actors/world/actor-view.ts';
import { type Cancel, systemClock } from '../../clock.ts';
import { planAgents } from '../../crew-plan.ts';
import { isBosunError, messageOf } from '../../errors.ts';
import { type BatchManagerContext, batchesIn } from '../../machines/coordination/batches/batch-manager.ts';
import { COORDINATOR, crewTree } from '../../machines/crew.ts';
import { type CoordinatorContext, itemsIn } from '../../machines/coordination/coordinator/coordinator-context.ts';
import { isAtGate } from '../../machines/coordination/coordinator/progress.ts';
import { type TicketDeskContext } from '../../machines/people/tickets/ticket-desk.ts';
import { type GateDeskContext, gatesIn } from '../../machines/people/gates/gate-desk.ts';
import { DESKS } from '../../machines/desks.ts';
import { choicesOf } from '../../machines/coordination/plan/chosen-agents.ts';
import { type Plan, type PlanTask } from '../../machines/coordination/plan/plan.ts';
import { plainLine } from '../../plain-text.ts';
import { levelStore } from '../../persistence/store/level-store.ts';
import { Shard } from '../../shard.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type AgentModule } from '../files/agents-module.ts';
import { type ReadyPlan } from '../files/plan-file.ts';
import { commandWith, dataOption, invocationOf } from '../invocation.ts';
import type { FrontDoor } from '../reach/front-door.ts';
import { type OpenDirectory, OUTAGE_MS } from '../store/data-directory.ts';
import { secretKeysOf } from '../store/secret-keys.ts';
import { aborted, type Surroundings, type OnUnawaited } from '../surroundings.ts';
import { followPlan } from './machine-reports.ts';
import { completedHints, resumeHints, type Waiting } from './run-hints.ts';
import { planLine, type Reporter, resultLines } from './run-report.ts';
import { ShellCommands } from './shell-task.ts';

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

/** The plan of a run, and where it runs. */
export interface RunParts extends Pick<ReadyPlan, 'source' | 'agents'> {
  readonly directory: OpenDirectory;
  /** The state of the plan in the directory; undefined if it begins. */
  readonly held: CoordinatorContext | undefined;
}

/** Carries out a plan, or continues it, until no more can be done. Resolves to the exit code. */
export function carryOut(command: RunCommand, parts: RunParts): Promise<ExitCode> {
  return new PlanRun(command, parts).carryOut();
}

class PlanRun {
  readonly #command: RunCommand;
  readonly #directory: OpenDirectory;
  readonly #plan: Plan;
  readonly #agents: AgentModule;
  readonly #held: CoordinatorContext | undefined;
  readonly #commands: ShellCommands;
  readonly #system: Shard;
  #door: FrontDoor | undefined;

  constructor(command: RunCommand, { source, agents, directory, held }: RunParts) {
    this.#command = command;
    this.#directory = directory;
    this.#plan = held?.plan ?? source.plan;
    this.#agents = agents;
    this.#held = held;
    const { env, cwd } = command;
    // Tells agents the directory for files of their own.
    env['BOSUN_DATA_DIR'] = directory.path;
    this.#commands = new ShellCommands(directory.identity, { env, cwd });
    this.#system = this.#newSystem();
  }

  async carryOut(): Promise<ExitCode> {
    const { reporter, fresh } = this.#command;
    const sleep = stayAwake();
    this.#door = await this.#newDoor();
    const unfollow = followPlan(this.#system, { plan: this.#plan, agents: this.#agents }, reporter.told);
    try {
      await this.#door?.tryPort();
      if (fresh) await this.#directory.remove(() => this.#commands.clear());
      reporter.talk(this.#greeting());
      for (const chosen of choicesOf(this.#plan)) tellChoice(reporter, chosen);
      await this.#system.start();
      void this.#commands.clear();
      await this.#open();
      const outcome = await this.#outcome();
      // Stopping makes everything durable before the result is printed.
      await this.#halt();
      return this.#conclude(outcome);
    } finally {
      unfollow();
      await this.#halt();
      sleep();
      reporter.close();
    }
  }

  /** The system of the plan, which is not started: who follows it from now on misses nothing. */
  #newSystem(): Shard {
    const { env, trustWallClock, reporter } = this.#command;
    const { ports, checkpoints } = this.#agents;
    const { attempt: shell } = this.#commands;
    return new Shard({
      agents: planAgents(this.#plan, this.#agents, { ports, checkpoints, shell, clock: systemClock }),
      store: levelStore(this.#directory.store),
      // A run whose crew cannot go on has failed, and ends with the code that says so.
      tree: { ...crewTree(this.#plan), escalates: true },
      log: reporter.log,
      outageMs: OUTAGE_MS,
      trustWallClock,
      ...secretKeysOf(env),
    });
  }

  async #newDoor(): Promise<FrontDoor | undefined> {
    const { door, reporter } = this.#command;
    if (door === undefined) return undefined;
    const { frontDoor } = await import('../reach/front-door.ts');
    const { crewProcedures: procedures } = await import('../../crew-procedures.ts');
    const settings = door.port === undefined ? {} : { port: door.port };
    return frontDoor(this.#system, this.#directory, { settings, procedures, log: reporter.log });
  }

  async #open(): Promise<void> {
    if (this.#door === undefined) return;
    const { reporter, data, env } = this.#command;
    const url = await this.#door.open();
    reporter.talk(
      `Live while it runs: ${url}, and ${invocationOf(env).bosun} tree, ps, tail or plan pause${dataOption(data)} ` +
        'in another terminal.',
    );
  }

  /** Waits for the end of the plan, of the system, or of the user's patience. */
  async #outcome(): Promise<RunOutcome> {
    const { reporter, interrupt, wait } = this.#command;
    const system = this.#system;
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
    return outcome;
  }

  async #halt(): Promise<void> {
    await this.#door?.close();
    await this.#system.stop();
    await this.#commands.ended();
  }

  #greeting(): string {
    const { name, tasks } = this.#plan;
    const { path } = this.#directory;
    const items = this.#held === undefined ? [] : [...itemsIn(this.#held).values()];
    const done = items.reduce((sum, item) => sum + item.done.length, 0);
    if (done === tasks.length) return `${name}: completed already; its results are in ${path}.`;
    const live =
      this.#command.door === undefined ? ` To look at it live: ${commandWith('--serve', this.#command.env)}.` : '';
    const place =
      done === 0
        ? `${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}`
        : `continues; ${done} of ${tasks.length} tasks are done`;
    return (
      `${name}: ${place}. State is kept in ${path}: stop or kill it at any moment; the same ` +
      `command${withoutOnce(this.#command)} continues.${live}`
    );
  }

  #conclude(outcome: RunOutcome): ExitCode {
    const { reporter, data, env } = this.#command;
    const call = invocationOf(env);
    switch (outcome.kind) {
      case 'interrupted':
        reporter.talk(
          'interrupted; all results so far are kept. ' +
            `The same command${withoutOnce(this.#command)} continues from here.`,
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
        for (const text of kind === 'paused'
          ? resumeHints(context, outcome.waiting, data, call)
          : completedHints(context, data, call))
          reporter.talk(text);
        return kind === 'completed' ? EXIT.completed : EXIT.paused;
      }
    }
  }
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

/** Whether all that runs waits for the answers to tickets, and everything undecided for people. */
function waitsForPeople(context: CoordinatorContext): boolean {
  const { running, undecided } = context.tally;
  const items = [...itemsIn(context).values()].filter(({ phase }) => phase === 'running');
  const asking = new Set(items.flatMap(({ tickets = {} }) => Object.values(tickets)));
  if (running > asking.size || running + undecided === 0) return false;
  return items.filter(isAtGate).length === undecided;
}

/** Text naming the options to leave out when the command is repeated. */
function withoutOnce({ fresh, recoverTo }: RunCommand): string {
  const once = [...(fresh ? ['--fresh'] : []), ...(recoverTo === undefined ? [] : ['--recover-to'])];
  return once.length === 0 ? '' : ` without ${once.join(' and ')}`;
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
