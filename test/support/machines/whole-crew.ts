/**
 * The whole crew in a test system, with agents as functions, as `bosun run` has it: nothing but the work is a stand-in.
 */
import { workOf } from '../../../src/cli/work.ts';
import { type AlertDeskContext, alertsIn } from '../../../src/machines/people/alerts/alert-desk.ts';
import { type BatchManagerContext, batchesIn } from '../../../src/machines/coordination/batches/batch-manager.ts';
import {
  type CoordinatorContext,
  itemsIn,
} from '../../../src/machines/coordination/coordinator/coordinator-context.ts';
import { type ItemProgress } from '../../../src/machines/coordination/coordinator/progress.ts';
import { COORDINATOR, crewAgentsFor, type CrewPorts, crewTree } from '../../../src/machines/coordination/crew.ts';
import { debatesIn, type FacilitatorContext } from '../../../src/machines/coordination/debates/debate-facilitator.ts';
import {
  type CorrelatorContext,
  correlationsIn,
} from '../../../src/machines/coordination/failures/failure-correlator.ts';
import { type GateDeskContext, gatesIn } from '../../../src/machines/people/gates/gate-desk.ts';
import { DESKS } from '../../../src/machines/work/system-ids.ts';
import { type Plan } from '../../../src/machines/coordination/plan/plan.ts';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { stageAgent } from '../../../src/machines/work/stage.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

interface Emitted {
  readonly type: string;
  readonly [field: string]: unknown;
}

export class WholeCrew {
  readonly test: TestSystem;
  /** Everything that any actor emitted, in order, over restarts too. */
  readonly emitted: readonly Emitted[];

  constructor(test: TestSystem, emitted: readonly Emitted[]) {
    this.test = test;
    this.emitted = emitted;
  }

  told(type: string): readonly Emitted[] {
    return this.emitted.filter((event) => event.type === type);
  }

  state(): unknown {
    return this.test.system.actor(COORDINATOR).snapshot().value;
  }

  coordinator(): CoordinatorContext {
    return this.#context<CoordinatorContext>(COORDINATOR);
  }

  item(item: string): ItemProgress {
    return itemsIn(this.coordinator()).get(item)!;
  }

  phases(): readonly string[] {
    return [...itemsIn(this.coordinator()).values()].map(({ phase }) => phase);
  }

  cards() {
    return alertsIn(this.#context<AlertDeskContext>(DESKS.alerts)).toReversed();
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

  async ask<Reply>(to: string, event: { readonly type: string; readonly [field: string]: unknown }): Promise<Reply> {
    const answer = this.test.system.ask<Reply>(to, event);
    await this.test.settle();
    return answer;
  }

  async powerCut(): Promise<void> {
    await this.test.crash();
    await this.test.restart();
  }

  #context<Context>(address: string): Context {
    return this.test.system.snapshot(address)!.context as Context;
  }
}

export async function startWholeCrew(
  plan: Plan,
  agents: Readonly<Record<string, AgentFunction>>,
  ports: CrewPorts = {},
  clock = new VirtualClock(),
): Promise<WholeCrew> {
  const emitted: Emitted[] = [];
  const stages = Object.entries(agents).map(([type, work]) =>
    stageAgent(
      type,
      workOf(({ input }, context) => work(input, context), { clock }),
    ),
  );
  const test = await startTestSystem({
    agents: [...crewAgentsFor(ports), ...stages],
    tree: crewTree(plan),
    clock,
    onCreate: (system) => void system.onEmitted((_, event) => emitted.push(event as Emitted)),
  });
  return new WholeCrew(test, emitted);
}
