/**
 * The options with which createSystem carries out a plan, or answers questions: connects the machines that decide with
 * the host's functions and machines that do the work.
 */
import { type AnyActorLogic } from 'xstate';
import { z } from 'zod';
import { type AnyAgent } from './actors/model/agent.ts';
import { isMachine } from './actors/xstate/machine-facts.ts';
import { type Clock, systemClock } from './clock.ts';
import { type Places } from './crew-places.ts';
import { type Attempt, workOf, type WorkTools } from './crew-work.ts';
import { registryOf } from './crew-agents.ts';
import { BosunError } from './errors.ts';
import { type AgentProfile } from './machines/agents/profile.ts';
import { rosterOf, type RosterSource, SHIPPED_ROSTER } from './machines/agents/roster.ts';
import { type AnswerPorts } from './machines/answers/answer-ports.ts';
import { answerAgents, answerChildren } from './machines/answers/crew.ts';
import { type AnswerDeskInput } from './machines/answers/desk-state.ts';
import { answerProfile } from './machines/answers/profile.ts';
import { deliveryAgents, deliveryChildren, type DeliveryOptions } from './machines/delivery/crew.ts';
import { crewAgentsFor, type CrewPorts, crewTree } from './machines/crew.ts';
import { type Candidates, withChosenAgents } from './machines/coordination/plan/chosen-agents.ts';
import { checkAgents, normalisePlan, type Plan, subtasksOf } from './machines/coordination/plan/plan.ts';
import { planFileSchema } from './machines/coordination/plan/plan-form.ts';
import { limitedMachine } from './machines/coordination/plan/machine-limits.ts';
import { alertCardAgent } from './machines/people/alerts/alert-card.ts';
import { alertChildren, alertDesk } from './machines/people/alerts/alert-desk.ts';
import { gateAgents, gateChildren } from './machines/people/gates/gate-desk.ts';
import { ticketAgent } from './machines/people/tickets/ticket.ts';
import { ticketChildren, ticketDesk, type TicketOptions } from './machines/people/tickets/ticket-desk.ts';
import { type AgentFunction } from './machines/work/agent-function.ts';
import { type CheckpointVersions, stageAgent } from './machines/work/stage.ts';
import { type BossOptions } from './supervisor/child-spec.ts';

/** The implementations of agent types: an async function, or a machine of XState. */
export type CrewMembers = Readonly<Record<string, AgentFunction | AnyActorLogic>>;

/** The options of `crewOf`. */
export interface CrewOptions {
  /** Functions of the host for the crew, besides the tasks. */
  readonly ports?: CrewPorts;
  /**
   * Versions of the form of checkpoints by agent type, with migrations. Default: 1. A task whose checkpoint cannot be
   * migrated fails.
   */
  readonly checkpoints?: CheckpointVersions;
  /** The clock of the system, for `timeoutMs` of tasks. */
  readonly clock?: Clock;
  /** @internal Places that functions take, of a crew that also does tasks of no plan. */
  readonly places?: Places;
  /**
   * Sources of agent profiles. With them, the crew has a registry at the address `agents`. Default: no registry, and
   * the 22 agents of the package for tasks that say `agent: auto`.
   */
  readonly roster?: readonly RosterSource[];
  /** The options of an answer desk besides the plan. Default: no answer desk. */
  readonly answers?: AnswerOptions;
  /** Times and bounds of tickets that differ from the defaults (docs/tickets.md). */
  readonly tickets?: TicketOptions;
}

/** Options of an answer desk. */
export interface AnswerOptions extends AnswerDeskInput {
  /** Functions of the host. docs/answer-desk.md says what the desk does without each of them. */
  readonly ports?: Partial<AnswerPorts>;
}

/**
 * Returns the options with which createSystem answers questions: `createSystem({ ...answerCrew(options), store })`. The
 * system has desks for answers, tickets, gates and alerts, and no plan. The answer desk is at the address `answers`, a
 * delivery organisation under `delivery`.
 *
 * Throws BOSUN_CONFIG_INVALID for invalid settings.
 */
export function answerCrew({
  ports,
  people = {},
  tickets,
  delivery,
  ...input
}: AnswerOptions & {
  readonly people?: Pick<CrewPorts, 'deliver' | 'scoreClarity'>;
  readonly tickets?: TicketOptions;
  /** The options of a delivery organisation, which plans and gives out tasks. Default: none. */
  readonly delivery?: DeliveryOptions;
} = {}): {
  readonly agents: readonly AnyAgent[];
  readonly tree: BossOptions;
} {
  const alerts = [alertCardAgent(people.deliver), alertDesk];
  const agents = [
    ...[...alerts, ...gateAgents, ticketAgent(people.scoreClarity), ticketDesk, ...answerAgents(ports)],
    ...(delivery === undefined ? [] : deliveryAgents(delivery.ports)),
  ];
  const children = [
    ...alertChildren(),
    ...gateChildren(),
    ...ticketChildren(tickets),
    ...answerChildren(checked(input)),
    ...(delivery === undefined ? [] : deliveryChildren(delivery)),
  ];
  return { agents, tree: { children } as BossOptions };
}

/** The children of an answer desk with the host's settings. */
function answerDesks({ ports: _, ...input }: AnswerOptions) {
  return answerChildren(checked(input));
}

/** Checks the settings of the answer desk before a system starts with them. */
function checked(input: AnswerDeskInput): AnswerDeskInput {
  const parsed = answerProfile.safeParse(input.profile ?? {});
  if (parsed.success) return input;
  throw new BosunError('BOSUN_CONFIG_INVALID', `the profile of the answer team: ${z.prettifyError(parsed.error)}`);
}

/** A plan as in a plan file, without the module of its agents. */
export type WrittenPlan = Omit<z.input<typeof planFileSchema>, '$schema' | 'agents'>;

/**
 * Returns the options with which createSystem carries out a plan: `createSystem({ ...crewOf(plan, members), store })`.
 * The plan begins with the start of the system, and a later start on the same store continues it. The Lead Coordinator
 * is at the address `coordinator`.
 *
 * Throws BOSUN_PLAN_INVALID for an invalid plan, a task that is a shell command (only the command line runs those), an
 * agent type that is not among `members`, a text that fits none of them, or a time limit on a machine, which has limits
 * of its own.
 */
export function crewOf(
  written: WrittenPlan,
  members: CrewMembers,
  { ports, checkpoints, clock = systemClock, roster, answers, places, tickets }: CrewOptions = {},
): { readonly agents: readonly AnyAgent[]; readonly tree: BossOptions } {
  const known = new Map(Object.entries(members));
  const plan = chosenIn(planOf(written), { profiles: profilesOf(roster), members: [...known.keys()] });
  const command = plan.tasks.find(({ run }) => run !== null);
  if (command !== undefined)
    throw invalid([{ path: ['tasks', command.id], message: 'is a shell command: give an agent, or use bosun run' }]);
  const limited = limitedMachine(plan, machinesOf(known));
  const problems = [...checkAgents(plan, [...known.keys()]), ...(limited === undefined ? [] : [limited])];
  if (problems.length > 0) throw invalid(problems);
  const registry = roster === undefined ? undefined : registryOf({ roster });
  const agents = [
    ...(registry?.agents ?? []),
    ...(answers === undefined ? [] : answerAgents(answers.ports)),
    ...planAgents(plan, known, { ports, shell: NO_SHELL, clock, places, checkpoints }),
  ];
  // Desks before the coordinator, which needs the others when it starts.
  const children = [
    ...(registry?.tree.children ?? []),
    ...(answers === undefined ? [] : answerDesks(answers)),
    ...crewTree(plan, {}, tickets).children,
  ];
  return { agents, tree: { children } as BossOptions };
}

function planOf(written: WrittenPlan): Plan {
  const parsed = planFileSchema.safeParse(written);
  if (!parsed.success) throw invalid(parsed.error.issues.map(({ path, message }) => ({ path: [...path], message })));
  const normalised = normalisePlan(parsed.data);
  if ('problems' in normalised) throw invalid(normalised.problems);
  return normalised.plan;
}

/** The plan with an agent for every task. Throws BOSUN_PLAN_INVALID if a text fits none. */
function chosenIn(plan: Plan, candidates: Candidates): Plan {
  const chosen = withChosenAgents(plan, candidates);
  if ('problems' in chosen) throw invalid(chosen.problems);
  return chosen.plan;
}

/** The profiles of a roster by which agents are chosen. */
function profilesOf(roster: readonly RosterSource[] = [SHIPPED_ROSTER]): AgentProfile[] {
  return rosterOf(roster).map(({ profile }) => profile);
}

function invalid(found: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): BosunError {
  const problems = found.map(({ path, message }) => {
    const place = z.core.toDotPath([...path]);
    return place === '' ? message : `${place}: ${message}`;
  });
  return new BosunError('BOSUN_PLAN_INVALID', `the plan: ${problems.join('; ')}`, { details: { problems } });
}

/** The agent types that are done by machines. */
function machinesOf(members: ReadonlyMap<string, AgentFunction | AnyActorLogic>): ReadonlySet<string> {
  return new Set([...members].flatMap(([type, member]) => (isMachine(member) ? [type] : [])));
}

interface StageTools extends WorkTools {
  /** The implementation of `shell` tasks. */
  readonly shell: Attempt;
  readonly checkpoints?: CheckpointVersions | undefined;
}

/** The agent that does the tasks of one agent type, outside of a plan. */
export function memberAgent(type: string, member: AgentFunction | AnyActorLogic, tools: WorkTools): AnyAgent {
  return stageAgent(type, workFor(member, { ...tools, shell: NO_SHELL }));
}

/** The name of the question of a stage that a person does. */
const ASKED = 'ask';

const NO_SHELL: Attempt = () => Promise.reject(new Error('no task is a shell command'));

/** The agents that carry out a plan: the crew, and one for each agent type. */
export function planAgents(
  plan: Plan,
  members: ReadonlyMap<string, AgentFunction | AnyActorLogic>,
  { ports, ...tools }: StageTools & { readonly ports?: CrewPorts | undefined },
): AnyAgent[] {
  return [...crewAgentsFor(ports), ...stageAgents(plan, members, tools)];
}

/**
 * The agents of a plan's stages, one for each agent type. Where the plan has chosen agents, there is one for every
 * member: a store may have other choices on record.
 */
function stageAgents(
  plan: Plan,
  members: ReadonlyMap<string, AgentFunction | AnyActorLogic>,
  { checkpoints = {}, ...tools }: StageTools,
): AnyAgent[] {
  const hasChoices = plan.tasks.some(({ chosen }) => chosen !== undefined);
  const types = [...new Set([...plan.tasks.map(({ agent }) => agent), ...(hasChoices ? members.keys() : [])])];
  return types.map((type) => {
    const versions = Object.hasOwn(checkpoints, type) ? checkpoints[type] : {};
    return stageAgent(type, workFor(members.get(type), tools), { subtasks: subtasksOf(plan, type), ...versions });
  });
}

function workFor(member: AgentFunction | AnyActorLogic | undefined, { shell, ...tools }: StageTools): AnyActorLogic {
  if (member !== undefined && typeof member !== 'function') return member;
  return workOf((work, context, ...attempt) => {
    const { run, ask } = work.task;
    if (ask !== undefined) return context.crew.askPerson({ ...ask, name: ASKED });
    return run !== null ? shell(work, context, ...attempt) : member!(work.input ?? undefined, context);
  }, tools);
}
