/**
 * The hub desk: starts runs of work plans, lists them, and passes orders on to their hubs. Each run is an actor of its
 * own (hub.ts), and so is each work plan, which stays when its run is over. One run at a time has a work plan.
 */
import { type AnyActorRef } from 'xstate';
import { z } from 'zod';
import { type AnyAgent } from '../../actors/model/agent.ts';
import { speaker } from '../../actors/model/person.ts';
import { table, type Table } from '../../table.ts';
import { HUB_RUNS_KEPT_MAX, PLAN_STEPS_MAX } from '../limits.ts';
import {
  type ChildExited,
  Desk,
  type DeskApart,
  deskChildren,
  type DeskContext,
  deskInOneTable,
  type DeskOf,
  type DeskRecord,
  listed,
  newDesk,
  type OrderAnswered,
} from '../rules/desk.ts';
import { endedIn, inArrivalOrder, openIn } from '../rules/records.ts';
import { latestFirstKey, nameKey } from '../rules/table-keys.ts';
import {
  type Asked,
  order,
  type OrderReply,
  refused,
  ruledAgent,
  type Rules,
  TAKEN,
  type Turn,
} from '../rules/turn.ts';
import { HUB_DESKS } from './system-ids.ts';
import { agentSpecs, decides, runLimits, specProblems } from './agent-spec.ts';
import { hubAgent, type HubPorts } from './hub.ts';
import { type HubInput, type HubReport, type RunStatus } from './hub-state.ts';
import { stepOrders } from './plan-steps.ts';
import { isHub, type Role, roleSchema } from './roles.ts';
import { spokeAgent, type SpokePorts } from './spoke.ts';
import { stopLevel } from './stop-levels.ts';
import { planFacts, planId } from './plan-changes.ts';
import { workPlan, type WorkPlanInput } from './work-plan.ts';

/** The desk's record of a run. */
export interface RunRecord extends DeskRecord {
  readonly plan: string;
  readonly title: string;
  readonly hub: Role;
  readonly status: RunStatus;
  /** Why it ended, or waits. */
  readonly because: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly sessions: number;
  readonly spentUsd: number;
  /** Absent in a run of an earlier build. */
  readonly spentTokens?: number;
}

/** A work plan at the desk. */
interface KnownPlan {
  /** Its actor; null before it has begun. */
  readonly ref: AnyActorRef | null;
  /** The run that has it; null if none does. */
  readonly run: string | null;
}

/** The context of the hub desk. */
export interface HubDeskContext extends DeskContext<RunRecord> {
  readonly plans: Table<KnownPlan>;
}

export type HubDeskEmitted =
  | { readonly type: 'hub.started'; readonly run: string; readonly plan: string; readonly hub: Role }
  | ({ readonly type: 'hub.closed'; readonly run: string } & Pick<
      RunRecord,
      'plan' | 'hub' | 'status' | 'because' | 'startedAtMs' | 'endedAtMs' | 'spentUsd'
    >);

type DeskTurn = Turn<HubDeskContext, HubDeskEmitted>;

const RUNS: DeskOf<RunRecord> = {
  noun: 'run',
  placeOf: ({ number }) => latestFirstKey(number),
  endedMax: HUB_RUNS_KEPT_MAX,
  boss: HUB_DESKS.openHubs,
  ending: ({ status }) => status,
};

const desk = (turn: DeskTurn) => new Desk(turn, RUNS);
const person = speaker(z.string().min(1).max(200));

/** The order that starts a run. */
export const hubStart = z.object({
  /** The hub that runs; a nested hub is spawned by another one. */
  hub: roleSchema.default('Coordinator'),
  start: roleSchema.default('Executor'),
  /** An existing plan that the run goes on with, or the id of a new one. Default: an id of the desk's. */
  plan: planId.nullable().default(null),
  about: planFacts,
  steps: z.array(stepOrders['step.add'].shape.steps.element).max(PLAN_STEPS_MAX).default([]),
  task: z.string().max(100_000).default(''),
  workspace: z.string().min(1).max(4_096),
  agents: agentSpecs,
  decides: decides.default({ kind: 'rules' }),
  limits: runLimits.default(() => runLimits.parse({})),
  people: z.array(z.string().min(1).max(200)).min(1).max(100).default(['*']),
  cycles: z.int().min(1).max(1_000).default(1),
});

/** The reply to it. */
export interface HubStarted extends OrderReply {
  readonly run: string | null;
  readonly plan: string | null;
}

const aRun = z.object({ run: z.string().max(200), by: person });

const RULES = {
  'hub.start': order(hubStart, start),
  'hub.stop': order(aRun.extend({ level: stopLevel.default('graceful') }), (turn: DeskTurn, event) =>
    desk(turn).pass(event.run, event),
  ),
  'hub.resume': order(aRun, (turn: DeskTurn, event) => desk(turn).pass(event.run, event)),
  'hub.list': order(z.object({ isOpen: z.boolean().optional() }), ({ context }: DeskTurn, { isOpen }) => ({
    runs: inArrivalOrder([
      ...(isOpen === false ? [] : openIn(context)),
      ...(isOpen === true ? [] : endedIn(context)),
    ]).map(listed),
  })),
  'hub.show': order(z.object({ run: z.string().max(200) }), (turn: DeskTurn, { run }) => {
    const row = desk(turn).records.get(run);
    return { run: row === undefined ? null : listed(row) };
  }),
  'plan.opened': planOpened,
  'hub.opened': (turn: DeskTurn, { id, hub }: Report<'hub.opened'>) => void desk(turn).begin(id, hub),
  'hub.stands': (turn: DeskTurn, { id, status, because }: Report<'hub.stands'>) =>
    void desk(turn).change(id, { status, because }),
  'hub.closed': (turn: DeskTurn, { id, status, because, ...figures }: Report<'hub.closed'>) =>
    close(turn, id, { status, because, ...figures }),
  'order.answered': (turn: DeskTurn, event: OrderAnswered) => desk(turn).answer(event),
  'child.exited': (turn: DeskTurn, { id }: ChildExited) =>
    close(turn, id, { status: 'failed', because: 'its actor ended without a report' }),
} satisfies Rules<HubDeskContext, HubDeskEmitted>;

type Report<Type extends HubReport['type']> = Extract<HubReport, { readonly type: Type }>;

/** The agent of the hub desk. */
export const hubDesk = ruledAgent({
  name: 'hub-desk',
  rules: RULES,
  context: (): HubDeskContext => ({ ...newDesk<RunRecord>(), plans: table() }),
  version: 2,
  // Version 1 had a table for open runs and one for others.
  migrate: { 2: (old: DeskApart<HubDeskContext>): HubDeskContext => deskInOneTable(old, RUNS) },
});

function start(turn: DeskTurn, asked: z.output<typeof hubStart> & Asked): HubStarted {
  const problems = startProblems(turn, asked);
  if (problems.length > 0) return { ...refused(...problems), run: null, plan: null };
  const { hub, start: first, about, steps, task, workspace, agents, decides: by, limits, people, cycles } = asked;
  const run = `R-${turn.context.next}`;
  const plan = asked.plan ?? `WP-${turn.context.next}`;
  const known = turn.context.plans.get(nameKey(plan));
  const facts = { plan, title: about.title, hub, status: 'starting', because: 'the run begins' } as const;
  const input: Omit<HubInput, 'desk'> = {
    ...{ id: run, planId: plan, role: hub, start: first, task, workspace, agents, decides: by, limits },
    ...{ people, cycles },
  };
  const figures = { startedAtMs: turn.nowMs, endedAtMs: null, sessions: 0, spentUsd: 0, spentTokens: 0 };
  const row = desk(turn).open({ id: run, ...facts, ...figures }, input);
  if (row === undefined) return { ...refused('there is no Boss to start hubs'), run: null, plan: null };
  turn.assign({ plans: turn.context.plans.set(nameKey(plan), { ref: known?.ref ?? null, run }) });
  if (known === undefined) {
    const spec = { id: plan, input: { id: plan, desk: turn.self, ...about, steps } satisfies WorkPlanInput };
    turn.send(HUB_DESKS.workPlans, { type: 'child.start', id: plan, spec });
  } else if (known.ref !== null) desk(turn).tell(row, { type: 'plan.ready', plan: known.ref });
  turn.emit({ type: 'hub.started', run, plan, hub });
  return { ...TAKEN, run, plan };
}

function startProblems(turn: DeskTurn, asked: z.output<typeof hubStart>): string[] {
  const { hub, start: first, agents, plan, decides: by } = asked;
  const begins = hub === 'TDDDriver' ? 'Tester' : first;
  const owner = plan === null ? undefined : turn.context.plans.get(nameKey(plan))?.run;
  const idle = turn.find(HUB_DESKS.workPlans) === undefined;
  return [
    ...(isHub(hub) ? [] : [`hub: ${hub} is a spoke, and a run needs a hub`]),
    ...(owner === undefined || owner === null ? [] : [`plan: ${owner} has the work plan ${plan}: stop it first`]),
    ...specProblems(agents, by.kind === 'rules' ? begins : null),
    ...(idle ? ['there is no Boss to start work plans'] : []),
  ];
}

function planOpened(turn: DeskTurn, { id, plan }: { readonly id: string; readonly plan: AnyActorRef }): void {
  const known = turn.context.plans.get(nameKey(id));
  if (known === undefined) return;
  turn.assign({ plans: turn.context.plans.set(nameKey(id), { ...known, ref: plan }) });
  const row = known.run === null ? undefined : desk(turn).records.get(known.run);
  if (row !== undefined && !row.isOver) desk(turn).tell(row, { type: 'plan.ready', plan });
}

function close(
  turn: DeskTurn,
  id: string,
  facts: Pick<RunRecord, 'status' | 'because'> & Partial<Pick<RunRecord, 'sessions' | 'spentUsd' | 'spentTokens'>>,
): void {
  const closed = desk(turn).close(id, { ...facts, endedAtMs: turn.nowMs });
  if (closed === undefined) return;
  const known = turn.context.plans.get(nameKey(closed.plan));
  if (known?.run === id) turn.assign({ plans: turn.context.plans.set(nameKey(closed.plan), { ...known, run: null }) });
  const { plan, hub, status, because, startedAtMs, endedAtMs, spentUsd } = closed;
  turn.emit({ type: 'hub.closed', run: id, plan, hub, status, because, startedAtMs, endedAtMs, spentUsd });
}

/** The agents of hub and spoke for createSystem, together with {@link hubChildren}; `ports` are the host's. */
export function hubAgents(ports: HubPorts & SpokePorts): readonly AnyAgent[] {
  return [workPlan, spokeAgent(ports), hubAgent(ports), hubDesk];
}

/** Restart intensity of the Bosses: so high that one session does not end the others. */
const INTENSITY = 100;

/** Child specifications of the hub desk and its Bosses. A gate desk lets hubs ask people. */
export function hubChildren() {
  const boss = (id: string, agent: string) => {
    const template = { agent, restart: 'transient' as const };
    return { id, systemId: id, boss: { strategy: 'dynamic' as const, template, intensity: INTENSITY } };
  };
  return [
    boss(HUB_DESKS.workPlans, workPlan.name),
    boss(HUB_DESKS.spokes, 'spoke'),
    ...deskChildren({ desk: HUB_DESKS.hubs, boss: HUB_DESKS.openHubs, agent: hubDesk.name, item: 'hub' }),
  ];
}
