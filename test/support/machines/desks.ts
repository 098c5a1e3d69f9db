/** The failure desks in a test system, with a Lead Coordinator that only records its messages and answers as told. */
import { type AnyActorLogic, type AnyActorRef, assign, enqueueActions, type PromiseActorLogic, setup } from 'xstate';
import { z } from 'zod';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { timeOf } from '../../../src/actors/model/ref.ts';
import { alertCard, type DeliveryInput } from '../../../src/machines/people/alerts/alert-card.ts';
import { batch } from '../../../src/machines/coordination/batches/batch.ts';
import { type ResourceQuestion } from '../../../src/machines/coordination/batches/batch-messages.ts';
import { type Resources } from '../../../src/machines/coordination/batches/batch-rules.ts';
import { leadCoordinator } from '../../../src/machines/coordination/coordinator/lead-coordinator.ts';
import { failureAgents, failureDesks } from '../../../src/machines/crew.ts';
import { DESKS } from '../../../src/machines/desks.ts';
import { type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { startMachines } from './machines-under-test.ts';
import { onAllOf } from './stand-in.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export type Heard = { readonly type: string; readonly item?: string; readonly [field: string]: unknown };

interface CoordinatorContext {
  readonly heard: readonly Heard[];
}

/**
 * The stand-in for the coordinator. `tell` makes it send an event; with `answers` it reports every order as done at
 * once.
 */
const standIn = setup({
  types: {} as { context: CoordinatorContext; events: Heard; input: { answers: boolean } },
  actions: {
    keep: assign(({ context, event }) => ({ heard: [...context.heard, event] })),
    carryOut: enqueueActions(({ context, event, enqueue, self, system }) => {
      const batches = system.get(DESKS.batches) as AnyActorRef;
      if (!(context as { answers?: boolean }).answers) return;
      if (event.type === 'pause.request') {
        const { item, trigger } = event;
        enqueue.sendTo(batches, {
          type: 'pause.complete',
          item,
          pausedAtMs: timeOf(self),
          resumeDependencies: { restart: [], skip: [], wait: [] },
          trigger,
        });
      }
      if (event.type === 'resume.command') enqueue.sendTo(batches, { type: 'item.resumed', item: event.item });
    }),
  },
}).createMachine({
  id: 'stand-in',
  context: ({ input }) => ({ heard: [], answers: input.answers, tally: { running: 2 } }),
  on: {
    ...onAllOf(leadCoordinator, { actions: ['keep', 'carryOut'] as const }),
    tell: {
      actions: enqueueActions(({ event, enqueue, system }) =>
        enqueue.sendTo(system.get(event.to as string) as AnyActorRef, event.event as Heard),
      ),
    },
  },
});

export interface DesksOptions {
  /** Whether the stand-in carries out every order at once. Default true. */
  readonly answers?: boolean;
  readonly resources?: PromiseActorLogic<Resources, ResourceQuestion>;
  readonly deliver?: PromiseActorLogic<unknown, DeliveryInput>;
  /** Leaves out the stand-in. */
  readonly isAlone?: boolean;
  readonly journal?: TestSystemOptions['journal'];
  /** Makes the agents that are used of those of today. */
  readonly as?: (agents: readonly AnyAgent[]) => readonly AnyAgent[];
}

export class Desks {
  readonly test: TestSystem;

  constructor(test: TestSystem) {
    this.test = test;
  }

  /** Sends an event from the Lead Coordinator to a desk. */
  async tell(to: string, event: object): Promise<void> {
    await this.test.shard.send(DESKS.coordinator, { type: 'tell', to, event });
    await this.test.settle();
  }

  /** Sends an event from a person and returns the reply. */
  async ask<Reply>(to: string, event: { readonly type: string; readonly [field: string]: unknown }): Promise<Reply> {
    const answer = this.test.shard.ask<Reply>(to, event);
    await this.test.settle();
    return answer;
  }

  /** Events of one type that the Lead Coordinator was sent. */
  heard(type: string): readonly Heard[] {
    return this.context<CoordinatorContext>(DESKS.coordinator).heard.filter((event) => event.type === type);
  }

  context<Context>(address: string): Context {
    return this.test.shard.snapshot(address)!.context as Context;
  }

  /** Cuts the power and starts the system again. */
  async cutPower(): Promise<void> {
    await this.test.crash();
    await this.test.restart();
  }
}

export async function startDesks({
  answers = true,
  resources,
  deliver,
  isAlone = false,
  journal,
  as = (agents) => agents,
}: DesksOptions = {}): Promise<Desks> {
  const coordinator = defineAgent({ name: 'stand-in', machine: standIn, events: { tell: z.looseObject({}) } });
  const provided = failureAgents.map((agent) => {
    if (agent.name === batch.name && resources !== undefined) return withLogic(agent, { resources });
    if (agent.name === alertCard.name && deliver !== undefined) return withLogic(agent, { deliver });
    return agent;
  });
  const children = [
    ...failureDesks,
    ...(isAlone ? [] : [{ id: DESKS.coordinator, systemId: DESKS.coordinator, agent: 'stand-in', input: { answers } }]),
  ];
  const agents = as([coordinator, ...provided]);
  return new Desks(await startMachines({ agents, tree: { children }, ...(journal !== undefined && { journal }) }));
}

/** The agent with another logic for a port, as a host supplies it. */
function withLogic(agent: AnyAgent, actors: Record<string, AnyActorLogic>): AnyAgent {
  return { ...agent, machine: agent.machine.provide({ actors: actors as never }) };
}
