/** A crew in a test system, with stand-ins for agents and desks that only record their messages. */
import { fromPromise, type PromiseActorLogic } from 'xstate';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { alertDesk } from '../../../src/machines/people/alerts/alert-desk.ts';
import { gateDesk } from '../../../src/machines/people/gates/gate-desk.ts';
import { batchManager } from '../../../src/machines/coordination/batches/batch-manager.ts';
import { debateFacilitator } from '../../../src/machines/coordination/debates/debate-facilitator.ts';
import { failureCorrelator } from '../../../src/machines/coordination/failures/failure-correlator.ts';
import { type AgentTypes } from '../../../src/machines/coordination/coordinator/agent-registry.ts';
import {
  type CoordinatorContext,
  itemsIn,
} from '../../../src/machines/coordination/coordinator/coordinator-context.ts';
import { COORDINATOR, coordinatorChildren, crewAgents } from '../../../src/machines/crew.ts';
import { DESKS } from '../../../src/machines/desks.ts';
import { type Message } from '../../../src/machines/coordination/messages/messages.ts';
import { type PauseManagerContext } from '../../../src/machines/coordination/pauses/pause-messages.ts';
import { type Plan } from '../../../src/machines/coordination/plan/plan.ts';
import { type ItemProgress } from '../../../src/machines/coordination/coordinator/progress.ts';
import { stageAgent, type StageOptions, type WorkInput } from '../../../src/machines/work/stage.ts';
import { type FaultyStore } from '../../../src/testing/faulty-store.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { startMachines } from './machines-under-test.ts';
import { type VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { recorderOf } from './stand-in.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The work of a stand-in in one attempt: returns an output, or throws. */
export type Work = (input: WorkInput, starts: number) => unknown;

interface Told {
  readonly type: string;
}

/** Agents that record the messages to each desk. */
const RECORDERS = {
  alerts: recorderOf(alertDesk),
  correlator: recorderOf(failureCorrelator),
  batches: recorderOf(batchManager),
  gates: recorderOf(gateDesk),
  debates: recorderOf(debateFacilitator),
};

type DeskName = keyof typeof RECORDERS;

export interface CrewOptions {
  readonly work?: Work;
  /** Replaces `work`. */
  readonly logic?: PromiseActorLogic<unknown, WorkInput>;
  readonly desks?: readonly DeskName[];
  /** Agents added to the crew's, or replacing one of the same name. */
  readonly agents?: readonly AnyAgent[];
  /** Children of the root Boss in addition to the crew's. */
  readonly children?: readonly { readonly id: string; readonly agent: string }[];
  /** Replaces the gate desk. */
  readonly gates?: AnyAgent;
  readonly types?: AgentTypes;
  readonly stage?: StageOptions;
  /** Store of an earlier crew, which `before` has ended: this one continues from it. */
  readonly store?: FaultyStore;
  readonly clock?: VirtualClock;
  readonly before?: () => Promise<void>;
}

export class Crew {
  readonly test: TestSystem;
  /** Tasks in the order their work was started, every attempt. */
  readonly starts: string[];
  /** Every event emitted by any actor, in order, across restarts. */
  readonly emitted: Told[];

  constructor(test: TestSystem, starts: string[], emitted: Told[]) {
    this.test = test;
    this.starts = starts;
    this.emitted = emitted;
  }

  context(): CoordinatorContext {
    return this.test.shard.actor(COORDINATOR).snapshot().context as CoordinatorContext;
  }

  state(): unknown {
    return this.test.shard.actor(COORDINATOR).snapshot().value;
  }

  item(item: string): ItemProgress {
    return itemsIn(this.context()).get(item)!;
  }

  phase(item: string): string {
    return this.item(item).phase;
  }

  /** State of the item's PauseManager. */
  pause(item: string): unknown {
    return this.test.shard.actor(`pauses/${item}`).snapshot().value;
  }

  manager(item: string): PauseManagerContext {
    return this.test.shard.actor(`pauses/${item}`).snapshot().context as PauseManagerContext;
  }

  /** Messages of one type to a desk. */
  told<Type extends Message['type']>(desk: DeskName, type: Type): Message<Type>[] {
    const { told } = this.test.shard.actor(desk).snapshot().context as { told: Told[] };
    return told.filter((event): event is Message<Type> => event.type === type);
  }

  alerts(kind?: string): Message<'alert.raise'>[] {
    return this.told('alerts', 'alert.raise').filter((alert) => kind === undefined || alert.kind === kind);
  }

  async send(event: Told & Record<string, unknown>): Promise<void> {
    await this.test.shard.send(COORDINATOR, event);
    await this.test.settle();
  }

  ask<Reply>(event: Told & Record<string, unknown>): Promise<Reply> {
    return this.test.shard.ask<Reply>(COORDINATOR, event);
  }

  async crashAndRestart(): Promise<void> {
    await this.test.crash();
    await this.test.restart();
  }
}

export async function startCrew(
  plan: Plan,
  {
    work = () => 'done',
    logic,
    desks = ['alerts'],
    agents = [],
    types = {},
    stage = {},
    children = [],
    gates,
    store,
    clock,
    before,
  }: CrewOptions = {},
): Promise<Crew> {
  await before?.();
  const starts: string[] = [];
  const emitted: Told[] = [];
  const standIn = fromPromise<unknown, WorkInput>(async ({ input }) => {
    starts.push(input.task.id);
    return work(input, starts.filter((id) => id === input.task.id).length);
  });
  const names = [...new Set(plan.tasks.map(({ agent }) => agent))];
  const stages = names.map((name) =>
    stageAgent(name, logic ?? standIn, { subtasks: types[name]?.subtasks ?? [], ...stage }),
  );
  const own = agents.map(({ name }) => name);
  const standIns = [
    ...desks.map((id) => ({ id, systemId: DESKS[id], agent: RECORDERS[id].name })),
    ...(gates === undefined ? [] : [{ id: DESKS.gates, systemId: DESKS.gates, agent: gates.name }]),
  ];
  const tree = { children: [...standIns, ...coordinatorChildren(plan, types), ...children] };
  const test = await startMachines({
    agents: [
      ...crewAgents.filter(({ name }) => !own.includes(name)),
      ...agents,
      ...(gates === undefined ? [] : [gates]),
      ...Object.values(RECORDERS),
      ...stages,
    ],
    tree,
    ...(store && { store }),
    ...(clock && { clock }),
    onCreate: (system) => void system.onEmitted((_, event) => emitted.push(event as Told)),
  });
  return new Crew(test, starts, emitted);
}

/** An error that states its type in the way that survives the store. */
export function stated(message: string, { errorType }: { errorType: string }): Error {
  return Object.assign(new Error(message), { code: errorType });
}
