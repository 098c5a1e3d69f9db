/** The whole crew in a test system, with agents as functions, as in `bosun run`: only the work is a stand-in. */
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { workOf } from '../../../src/crew-work.ts';
import { type AgentTypes } from '../../../src/machines/coordination/coordinator/agent-registry.ts';
import { type AlertDeskContext, alertsIn } from '../../../src/machines/people/alerts/alert-desk.ts';
import { type BatchManagerContext, batchesIn } from '../../../src/machines/coordination/batches/batch-manager.ts';
import {
  type CoordinatorContext,
  itemsIn,
} from '../../../src/machines/coordination/coordinator/coordinator-context.ts';
import { type ItemProgress } from '../../../src/machines/coordination/coordinator/progress.ts';
import { COORDINATOR, crewAgentsFor, type CrewPorts, crewTree } from '../../../src/machines/crew.ts';
import { debatesIn } from '../../../src/machines/coordination/debates/debate-facilitator.ts';
import { type FacilitatorContext } from '../../../src/machines/coordination/debates/facilitator-context.ts';
import { type DebateContext } from '../../../src/machines/coordination/debates/debate-state.ts';
import {
  type CorrelatorContext,
  correlationsIn,
} from '../../../src/machines/coordination/failures/failure-correlator.ts';
import { type GateDeskContext, gatesIn } from '../../../src/machines/people/gates/gate-desk.ts';
import { type GateQuestion } from '../../../src/machines/people/gates/gate.ts';
import { type PauseManagerContext } from '../../../src/machines/coordination/pauses/pause-messages.ts';
import { type Alert } from '../../../src/machines/people/alerts/alert-rules.ts';
import { DESKS } from '../../../src/machines/desks.ts';
import { type Plan, subtasksOf } from '../../../src/machines/coordination/plan/plan.ts';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { stageAgent, type StageOptions } from '../../../src/machines/work/stage.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { planOf } from '../fixtures/plans/plans.ts';
import { type Room, roomOf, side } from './debate-room.ts';
import { startMachines } from './machines-under-test.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

interface Emitted {
  readonly type: string;
  readonly [field: string]: unknown;
}

export class WholeCrew {
  readonly test: TestSystem;
  /** Every event emitted by any actor, in order, across restarts. */
  readonly emitted: readonly Emitted[];

  constructor(test: TestSystem, emitted: readonly Emitted[]) {
    this.test = test;
    this.emitted = emitted;
  }

  told(type: string): readonly Emitted[] {
    return this.emitted.filter((event) => event.type === type);
  }

  state(): unknown {
    return this.test.shard.actor(COORDINATOR).snapshot().value;
  }

  coordinator(): CoordinatorContext {
    return this.#context<CoordinatorContext>(COORDINATOR);
  }

  item(item: string): ItemProgress {
    return itemsIn(this.coordinator()).get(item)!;
  }

  /** The PauseManager of an item that has been paused. */
  pauseOf(item: string): PauseManagerContext {
    return this.#context<PauseManagerContext>(`${DESKS.pauses}/${item}`);
  }

  phases(): readonly string[] {
    return [...itemsIn(this.coordinator()).values()].map(({ phase }) => phase);
  }

  cards() {
    return alertsIn(this.#context<AlertDeskContext>(DESKS.alerts)).toReversed();
  }

  /** The content of an open card. */
  cardOf(id: string): Alert {
    return this.#context<Alert>(`${DESKS.alertCards}/${id}`);
  }

  openCards() {
    return this.cards().filter(({ state }) => state !== 'ACKNOWLEDGED' && state !== 'SETTLED');
  }

  batches() {
    return batchesIn(this.#context<BatchManagerContext>(DESKS.batches));
  }

  correlations() {
    return correlationsIn(this.#context<CorrelatorContext>(DESKS.correlator));
  }

  gates() {
    return gatesIn(this.#context<GateDeskContext>(DESKS.gates));
  }

  debates() {
    return debatesIn(this.#context<FacilitatorContext>(DESKS.debates));
  }

  /** The package of an open gate, on which people decide. */
  packageOf(gate: string): unknown {
    return this.#context<{ readonly question: GateQuestion }>(`${DESKS.openGates}/${gate}`).question.package;
  }

  /** The context of a debate under way. */
  debateOf(id: string): DebateContext {
    return this.#context<DebateContext>(`${DESKS.openDebates}/${id}`);
  }

  async ask<Reply>(to: string, event: { readonly type: string; readonly [field: string]: unknown }): Promise<Reply> {
    const answer = this.test.shard.ask<Reply>(to, event);
    await this.test.settle();
    return answer;
  }

  async powerCut(): Promise<void> {
    await this.test.crash();
    await this.test.restart();
  }

  #context<Context>(address: string): Context {
    return this.test.shard.snapshot(address)!.context as Context;
  }
}

export async function startWholeCrew(
  plan: Plan,
  agents: Readonly<Record<string, AgentFunction>>,
  ports: CrewPorts = {},
  clock = new VirtualClock(),
  types: AgentTypes = {},
): Promise<WholeCrew> {
  return begin(plan, agents, { ports, clock, types });
}

interface Debating {
  readonly crew: WholeCrew;
  readonly room: Room;
  /** Tasks in the order of their starts. */
  readonly runs: readonly string[];
}

/**
 * A crew about one item, of which a debate may flag two tasks, and a room to debate in. The side `ada` is an actor of
 * the host, which hears what a side hears.
 */
export async function startDebating(ports: CrewPorts = {}, experts: readonly string[] = ['eve']): Promise<Debating> {
  const runs: string[] = [];
  const work =
    (name: string): AgentFunction =>
    async () =>
      void runs.push(name);
  const stages = { dcf: { agent: 'dcf' }, report: { agent: 'report', after: ['dcf'] } };
  const plan = planOf({ pack: 'finance', stages, items: ['ACME'], experts: [...experts] });
  const agents = { dcf: work('dcf'), report: work('report') };
  const crew = await begin(plan, agents, { ports, clock: new VirtualClock(), types: {}, hasSide: true });
  return { crew, room: roomOf(crew.test), runs };
}

interface Beginning {
  readonly ports: CrewPorts;
  readonly clock: VirtualClock;
  readonly types: AgentTypes;
  readonly hasSide?: boolean;
}

async function begin(
  plan: Plan,
  agents: LaterBuild['agents'],
  { ports, clock, types, hasSide = false }: Beginning,
): Promise<WholeCrew> {
  const emitted: Emitted[] = [];
  const { children } = crewTree(plan, types);
  const test = await startMachines({
    agents: [...crewAgentsFor(ports), ...stagesOf(plan, agents, { clock }), ...(hasSide ? [side] : [])],
    tree: { children: [...(hasSide ? [{ id: 'ada', systemId: 'ada', agent: side.name }] : []), ...children] },
    clock,
    onCreate: (system) => void system.onEmitted((_, event) => emitted.push(event as Emitted)),
  });
  return new WholeCrew(test, emitted);
}

interface LaterBuild {
  readonly agents: Readonly<Record<string, AgentFunction>>;
  /** Version and migrations of the checkpoints of those agents. */
  readonly stage?: StageOptions;
  /** Replaces the Lead Coordinator. */
  readonly coordinator?: AnyAgent;
}

/** Cuts the power, and goes on with a later build of the agents of this plan. */
export async function laterBuild({ test }: WholeCrew, plan: Plan, build: LaterBuild): Promise<void> {
  const { agents, stage, coordinator } = build;
  const crew = crewAgentsFor().map((agent) => (agent.name === coordinator?.name ? coordinator : agent));
  await test.crash();
  await test.restart({ agents: [...crew, ...stagesOf(plan, agents, { clock: test.clock, ...stage })] });
}

function stagesOf(
  plan: Plan,
  agents: LaterBuild['agents'],
  { clock, ...options }: StageOptions & { readonly clock: VirtualClock },
): readonly AnyAgent[] {
  return Object.entries(agents).map(([type, work]) =>
    stageAgent(
      type,
      workOf(({ input }, context) => work(input, context), { clock }),
      { subtasks: subtasksOf(plan, type), ...options },
    ),
  );
}
