/**
 * A crew in a host's own process: agent functions by name, a plan that begins with the start, single tasks at any time,
 * gates that the host answers or passes on to people, and results. It is a system of Bosun like any other; this file
 * spares its user the addresses and events of the machines inside.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type AnyAgent } from './actors/model/agent.ts';
import { type Subscription } from './actors/world/actor-view.ts';
import { isMachine } from './actors/xstate/machine-facts.ts';
import { systemClock } from './clock.ts';
import { Places } from './crew-places.ts';
import { type CrewMembers, crewOf, memberAgent } from './crew-plan.ts';
import {
  type CrewAgents,
  type CrewSetup,
  type MemberInput,
  type MemberOutput,
  type OpenGate,
  type PlanItemView,
  type PlanView,
  SETUP_RULES,
  taskOptions,
  type TaskOptions,
  type TaskView,
} from './crew-setup.ts';
import { BosunError } from './errors.ts';
import { callBack, type Log } from './log.ts';
import { didYouMean } from './near-names.ts';
import { problemOfOptions } from './option-rules.ts';
import { itemsIn, resultsOf } from './machines/coordination/coordinator/coordinator-context.ts';
import { leadCoordinator } from './machines/coordination/coordinator/lead-coordinator.ts';
import { toldPhase } from './machines/coordination/coordinator/progress.ts';
import { planIndexOf } from './machines/coordination/plan/plan-index.ts';
import { DESKS } from './machines/desks.ts';
import { alertCardAgent } from './machines/people/alerts/alert-card.ts';
import { alertChildren, alertDesk } from './machines/people/alerts/alert-desk.ts';
import { gateAgents, gateChildren } from './machines/people/gates/gate-desk.ts';
import { type GateQuestion } from './machines/people/gates/gate.ts';
import { ticketAgent } from './machines/people/tickets/ticket.ts';
import { ticketChildren, ticketDesk } from './machines/people/tickets/ticket-desk.ts';
import { type OrderReply } from './machines/rules/turn.ts';
import { taskAgent, taskChildren, type TaskContext, type TaskGate } from './machines/tasks/task.ts';
import { stageName } from './machines/work/stage.ts';
import { logOf } from './shard.ts';
import { type BossOptions } from './supervisor/child-spec.ts';
import { createSystem, type System } from './system.ts';

const KEEP_MS = 7 * 24 * 60 * 60 * 1000;

/** States in which a single task has ended. */
const ENDS: ReadonlySet<unknown> = new Set<TaskView['state']>(['done', 'failed', 'cancelled']);

/**
 * Makes a crew of a host's functions; call `start` on it. Throws BOSUN_CONFIG_INVALID for an option that is missing,
 * unknown or wrong, BOSUN_PLAN_INVALID as `crewOf` does, and the errors of `createSystem`.
 */
export function crew<const Agents extends CrewAgents>(setup: CrewSetup<Agents>): Crew<Agents> {
  refuse(problemOfOptions(setup, SETUP_RULES));
  return new Crew(setup);
}

/** A running crew. Its system is there for everything that is not spared here. */
export class Crew<Agents extends CrewAgents = CrewAgents> {
  /** For gateways and for everything else that a system does. */
  readonly system: System;
  readonly #agents: CrewAgents;
  readonly #keepMs: number;
  readonly #log: Log;

  /** Use {@link crew}. */
  constructor({ agents, store, plan, capacity = {}, keepMs = KEEP_MS, system = {}, ...options }: CrewSetup<Agents>) {
    const { agents: own = [], tree = {}, ...rest } = system;
    const members = agents as CrewMembers;
    if (plan === undefined && (options.answers ?? options.roster) !== undefined)
      refuse('answers and roster belong to a crew with a plan; answerCrew and registryOf have them alone');
    for (const name of Object.keys(capacity)) {
      this.#known(agents, name, 'capacity');
      if (isMachine(agents[name])) refuse(`capacity.${name}: a machine takes no place; give it a function`);
    }
    const tools = {
      clock: rest.clock ?? systemClock,
      places: new Places(capacity as Readonly<Record<string, number>>),
    };
    const planned = plan === undefined ? desks(options) : crewOf(plan, members, { ...options, ...tools });
    const known = new Set(planned.agents.map(({ name }) => name));
    const others = Object.entries(members).filter(([name]) => !known.has(stageName(name)));
    this.#agents = agents;
    this.#keepMs = keepMs;
    this.#log = logOf(rest);
    this.system = createSystem({
      ...rest,
      store,
      agents: [
        ...planned.agents,
        ...others.map(([name, member]) => memberAgent(name, member, tools)),
        taskAgent,
        ...own,
      ],
      tree: { ...tree, children: [...taskChildren(), ...(planned.tree.children ?? []), ...(tree.children ?? [])] },
    });
  }

  /** Starts, and goes on with everything that is not done. Rejects as `System.start`. */
  async start(): Promise<this> {
    await this.system.start();
    return this;
  }

  /** Stops. What is under way goes on with the next start. */
  stop(): Promise<void> {
    return this.system.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Starts a single task, or gets it by its id, and resolves with its result. Rejects as `submit` and `result`. */
  async run<const Name extends keyof Agents & string>(
    task: TaskOptions<Name> & MemberInput<Agents[Name]>,
  ): Promise<MemberOutput<Agents[Name]>> {
    await this.submit(task);
    return (await this.result(task.id)) as MemberOutput<Agents[Name]>;
  }

  /**
   * Starts a single task, or gets it by its id. Resolves when that is durable. Rejects with BOSUN_CONFIG_INVALID,
   * BOSUN_KEY_CONFLICT if another task has the id, and as `System.spawn`.
   */
  async submit<const Name extends keyof Agents & string>(
    task: TaskOptions<Name> & MemberInput<Agents[Name]>,
  ): Promise<TaskView> {
    const { error, data } = taskOptions.safeParse(task);
    if (error !== undefined) throw invalid(`the task: ${z.prettifyError(error)}`);
    this.#known(this.#agents, data.agent, 'the task');
    if (data.timeoutMs !== null && isMachine(this.#agents[data.agent]))
      refuse(`the task: timeoutMs: "${data.agent}" is a machine, whose time limits are its own`);
    const input = { ...data, input: data.input ?? null, keepMs: this.#keepMs } as Omit<typeof data, 'gate'> & {
      readonly input: unknown;
      readonly gate: TaskGate | null;
      readonly keepMs: number;
    };
    // A task that has been forgotten begins anew: it had its time (`keepMs`).
    const handle = await this.system.spawn(taskAgent, data.id, { under: DESKS.tasks, input, again: true });
    const { context, value } = handle.getSnapshot();
    if (context.agent === data.agent && isDeepStrictEqual(context.input, input.input)) return viewOf(context, value);
    throw new BosunError('BOSUN_KEY_CONFLICT', `the task "${data.id}" is there, with another agent or input`);
  }

  /**
   * Waits for the end of a single task, and resolves with its result. Rejects with BOSUN_TASK_FAILED (the reason in its
   * message, `details.task`), BOSUN_ACTOR_UNKNOWN where there is no such task, BOSUN_TIMEOUT, and BOSUN_SYSTEM_CLOSED
   * when the crew stops; the task goes on with the next start.
   */
  async result(id: string, options: { readonly timeoutMs?: number } = {}): Promise<unknown> {
    const handle = await this.system.actor(placeOf(id), taskAgent);
    const { context, value } = await handle.waitFor((snapshot) => ENDS.has(snapshot.value), options);
    const task = viewOf(context, value);
    if (task.state === 'done') return task.output;
    const why = task.state === 'cancelled' ? 'was cancelled' : `failed: ${task.error}`;
    throw new BosunError('BOSUN_TASK_FAILED', `the task "${id}" ${why}`, { details: { task } });
  }

  /** A single task as it stands; undefined if there is none of this id, or none any more. */
  async task(id: string): Promise<TaskView | undefined> {
    const snapshot = await this.system.snapshot(placeOf(id));
    return snapshot?.status === 'active' ? viewOf(snapshot.context as TaskContext, snapshot.value) : undefined;
  }

  /** Cancels a single task. Rejects with BOSUN_ACTOR_UNKNOWN, and BOSUN_EVENT_NOT_TAKEN if it has ended. */
  async cancel(id: string): Promise<void> {
    await this.system.ask(placeOf(id), { type: 'task.cancel' });
  }

  /** The plan as it stands. Rejects with BOSUN_ACTOR_UNKNOWN for a crew without a plan. */
  async plan(): Promise<PlanView> {
    return planView((await this.system.actor(DESKS.coordinator, leadCoordinator)).getSnapshot());
  }

  /**
   * Waits until no more work of the plan is possible: it is `completed`, or `failed` with what failed in its items.
   * Rejects with BOSUN_TIMEOUT, and as `plan`.
   */
  async finished(options: { readonly timeoutMs?: number } = {}): Promise<PlanView> {
    const handle = await this.system.actor(DESKS.coordinator, leadCoordinator);
    return planView(await handle.waitFor(({ value }) => value === 'completed' || value === 'failed', options));
  }

  /** The questions to people that wait for an answer, of the plan, of single tasks and of others, the oldest first. */
  async gates(): Promise<readonly OpenGate[]> {
    const listed = await this.system.ask<readonly { readonly id: string }[]>(DESKS.gates, {
      type: 'gate.list',
      isOpen: true,
    });
    const gates = await Promise.all(listed.map(({ id }) => this.#gate(id)));
    return gates.filter((gate) => gate !== undefined);
  }

  /**
   * Answers a gate, in the form that it asks for. Rejects with BOSUN_ORDER_REFUSED (the reasons in `details.problems`)
   * for an answer that does not fit, a person who is not asked, and a gate that is not open.
   */
  async answer(gate: string, answer: unknown, { by }: { readonly by: string }): Promise<void> {
    const { taken, problems } = await this.system.ask<OrderReply>(DESKS.gates, {
      type: 'gate.answer',
      gate,
      answer,
      by,
    });
    if (taken) return;
    throw new BosunError('BOSUN_ORDER_REFUSED', `gate "${gate}": ${problems.join('; ')}`, { details: { problems } });
  }

  /**
   * Calls `handler` for every gate that is open now, and for each that opens later. After a restart it is called again
   * for those still open. What it throws is a line of the log. Resolves when it has begun.
   */
  async onGate(handler: (gate: OpenGate) => unknown): Promise<Subscription> {
    const told = new Set<string>();
    const tell = async (id: string): Promise<void> => {
      if (told.has(id)) return;
      told.add(id);
      const gate = await this.#gate(id);
      // It is told when it has opened.
      if (gate === undefined) told.delete(id);
      else callBack(this.#log, 'a handler of onGate', () => handler(gate));
    };
    const desk = await this.system.actor(DESKS.gates);
    const subscription = desk.on('gate.opened', (event) => {
      const { gate } = event as unknown as { readonly gate: string };
      callBack(this.#log, 'a look at a gate', () => tell(gate));
    });
    for (const { id } of await this.gates()) await tell(id);
    return subscription;
  }

  async #gate(id: string): Promise<OpenGate | undefined> {
    const snapshot = await this.system.snapshot(`${DESKS.openGates}/${id}`);
    // A gate that is just being born has no context yet.
    const context = snapshot?.context as AskedContext | undefined;
    if (context === undefined) return undefined;
    const { question, openedAtMs, deadlineAtMs } = context;
    const { kind, title, item, stage, proposal, audience, form, package: materials } = question;
    return { id, kind, title, item, stage, proposal, audience, form, materials, openedAtMs, deadlineAtMs };
  }

  #known(agents: CrewAgents, name: string, place: string): void {
    const names = Object.keys(agents);
    if (!names.includes(name)) refuse(`${place}: unknown agent "${name}"${didYouMean(name, names)}`);
  }
}

/** The context of an open gate, as far as it is shown. */
interface AskedContext {
  readonly question: GateQuestion;
  readonly openedAtMs: number;
  readonly deadlineAtMs: number | null;
}

/** The desks of a crew without a plan: those by which people are asked and told. */
function desks({ ports = {}, tickets: times }: Pick<CrewSetup, 'ports' | 'tickets'>): {
  agents: readonly AnyAgent[];
  tree: BossOptions;
} {
  const tickets = [ticketAgent(ports.scoreClarity), ticketDesk];
  const agents = [alertCardAgent(ports.deliver), alertDesk, ...gateAgents, ...tickets];
  return {
    agents,
    tree: { children: [...alertChildren(), ...gateChildren(), ...ticketChildren(times)] } as BossOptions,
  };
}

function placeOf(id: string): string {
  return `${DESKS.tasks}/${id}`;
}

function viewOf(
  { id, agent, failures, output, error, startedAtMs, tickets = {} }: TaskContext,
  value: unknown,
): TaskView {
  const asks = Object.keys(tickets);
  const state = value === 'working' && asks.length > 0 ? 'waitingForHuman' : (value as TaskView['state']);
  return { id, agent, state, tickets: asks, failures, output, error, startedAtMs };
}

function planView({
  value,
  context,
}: {
  readonly value: unknown;
  readonly context: Parameters<typeof itemsIn>[0] & Parameters<typeof resultsOf>[0];
}): PlanView {
  const { byItem } = planIndexOf(context.plan);
  const items = [...itemsIn(context)].map(([name, progress]): [string, PlanItemView] => {
    const phase = toldPhase(progress, byItem.get(name)?.length ?? 0);
    const tickets = Object.keys(progress.tickets ?? {});
    return [name, { phase, reason: progress.reason, tickets, results: resultsOf(context, name) }];
  });
  return { state: value as PlanView['state'], items: Object.fromEntries(items) };
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw invalid(problem);
}

function invalid(problem: string): BosunError {
  return new BosunError('BOSUN_CONFIG_INVALID', `crew: ${problem}`);
}
