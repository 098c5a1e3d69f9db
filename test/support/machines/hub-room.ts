/**
 * Hub and spoke in a test system: the real desk, hubs, work plans, spokes and gate desk on virtual time. The work of
 * sessions is a function of the test, by role.
 */
import { fromPromise } from 'xstate';
import { effectOf, type EffectFacts } from '../../../src/actors/model/ref.ts';
import {
  gateAgents,
  gateChildren,
  type GateDeskContext,
  gatesIn,
} from '../../../src/machines/people/gates/gate-desk.ts';
import { type AgentSpec } from '../../../src/machines/hub/agent-spec.ts';
import { type LineageEntry } from '../../../src/machines/hub/handoff.ts';
import { type SessionEntry } from '../../../src/machines/hub/session-records.ts';
import { type RecoveryWork } from '../../../src/machines/hub/hub.ts';
import { type HubContext } from '../../../src/machines/hub/hub-state.ts';
import { hubAgents, hubChildren, type HubDeskContext, type RunRecord } from '../../../src/machines/hub/hub-desk.ts';
import { type PlanLogEntry } from '../../../src/machines/hub/plan-log.ts';
import { type Role } from '../../../src/machines/hub/roles.ts';
import { type SessionWork } from '../../../src/machines/hub/spoke-state.ts';
import { type WorkPlace } from '../../../src/machines/hub/work-place.ts';
import { type WorkPlanContext } from '../../../src/machines/hub/work-plan.ts';
import { failureOf } from '../../../src/machines/work/failure-tiers.ts';
import { DESKS } from '../../../src/machines/desks.ts';
import { type Shard } from '../../../src/shard.ts';
import { type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { startMachines } from './machines-under-test.ts';
import { endedIn, recordIn } from '../../../src/machines/rules/records.ts';

/** The work of a session in a test: its result, whatever it does on the way. */
export type TestWork = (work: SessionWork, facts: EffectFacts, signal: AbortSignal) => unknown;

/** Tasks of Cognition, with the ability that each asks for and a finding. */
export const COGNITION_TASKS = [
  ['Analyse', 'analyse the module of logins', 'there are two caches'],
  ['Ideate', 'ideate: three ways to share the cache', 'one cache, two, or none'],
  ['Critique', 'critique this plan of a cache', 'it forgets that two hosts write'],
  ['Structured reasoning', 'reason in a structured way: may two hosts write at once?', 'no: each has its own clock'],
] as const;

export interface HubRoomOptions {
  readonly work: Partial<Record<Role, TestWork>>;
  readonly agents?: Partial<Record<Role, Partial<AgentSpec>>>;
  readonly order?: object;
  /** The findings in the place of a session that has completed by an order. */
  readonly look?: (place: WorkPlace) => object;
  readonly apply?: (place: WorkPlace) => { conflict: string | null };
  readonly survey?: () => string[];
  /** Hears of every durable epoch that changes the first run's hub, from its first session on. */
  readonly onEpoch?: (hub: HubContext) => void;
  readonly system?: Partial<TestSystemOptions>;
  /** Whether the run is left to the test to start. */
  readonly isIdle?: boolean;
}

export class HubRoom {
  readonly test: TestSystem;
  /** Sessions whose work has begun, by id, as often as it began. */
  readonly begun: string[];
  readonly killed: string[];
  readonly released: string[];
  readonly settled: RecoveryWork[];
  readonly prompts: SessionWork[];

  constructor(test: TestSystem, seen: Pick<HubRoom, 'begun' | 'killed' | 'released' | 'settled' | 'prompts'>) {
    this.test = test;
    this.begun = seen.begun;
    this.killed = seen.killed;
    this.released = seen.released;
    this.settled = seen.settled;
    this.prompts = seen.prompts;
  }

  static async start(options: HubRoomOptions): Promise<HubRoom> {
    const { work, look = () => ({}), apply = () => ({ conflict: null }), survey = () => [], system = {} } = options;
    const seen = {
      begun: [] as string[],
      killed: [] as string[],
      released: [] as string[],
      settled: [] as RecoveryWork[],
      prompts: [] as SessionWork[],
    };
    const ports = {
      work: fromPromise<unknown, SessionWork>(async ({ input, self, signal }) => {
        seen.begun.push(input.session);
        seen.prompts.push(input);
        try {
          return await work[input.role]!(input, effectOf(self), signal);
        } catch (error) {
          await effectOf(self).tellParent({ type: 'session.failed', failure: failureOf(error) } as { type: string });
          throw error;
        }
      }),
      look: fromPromise<unknown, WorkPlace>(({ input }) => Promise.resolve(look(input))),
      release: fromPromise<unknown, WorkPlace>(({ input }) => {
        seen.released.push(input.session);
        return Promise.resolve({ patch: null });
      }),
      apply: fromPromise<unknown, WorkPlace>(({ input }) => Promise.resolve(apply(input))),
      kill: fromPromise<unknown, WorkPlace>(({ input }) => Promise.resolve(void seen.killed.push(input.session))),
      survey: fromPromise<unknown, WorkPlace>(() => Promise.resolve({ files: survey() })),
      check: fromPromise<unknown, WorkPlace>(() => Promise.resolve({ files: [], errors: [] })),
      settleFiles: fromPromise<unknown, RecoveryWork>(({ input }) => Promise.resolve(void seen.settled.push(input))),
    };
    const test = await startMachines({
      agents: [...gateAgents, ...hubAgents(ports)],
      tree: { children: [...gateChildren(), ...hubChildren()] },
      ...(options.onEpoch !== undefined && { onCreate: (shard) => watch(shard, options.onEpoch!) }),
      ...system,
    });
    const room = new HubRoom(test, seen);
    if (options.isIdle !== true) await room.order(orderOf(options));
    return room;
  }

  /** Starts a run and cuts the power after a number of its writes. `isCut` is false if the run was over before. */
  static async startCut(
    options: HubRoomOptions,
    cut: number,
    onStart: (room: HubRoom) => void = () => {},
  ): Promise<{ room: HubRoom; isCut: boolean }> {
    const room = await HubRoom.start({ ...options, isIdle: true });
    onStart(room);
    const { store, system, clock } = room.test;
    const before = store.writes;
    await system.send(DESKS.hubs, orderOf(options) as { type: string });
    for (let round = 0; round < 2_000 && store.writes < before + cut; round++) {
      if (endedIn(room.desk).length > 0) return { room, isCut: false };
      await new Promise<void>((resolve) => clock.defer(resolve));
    }
    await room.powerCut();
    return { room, isCut: true };
  }

  async order<Reply = { taken: boolean; problems: string[] }>(event: object, to: string = DESKS.hubs): Promise<Reply> {
    const asked = this.test.system.ask<Reply>(to, event as { type: string }, { timeoutMs: 60_000 });
    asked.catch(() => {});
    await this.test.settle();
    return asked;
  }

  get desk(): HubDeskContext {
    return this.test.shard.snapshot(DESKS.hubs)!.context as HubDeskContext;
  }

  run(id = 'R-1'): RunRecord {
    return recordIn(this.desk, id)!;
  }

  hub(id = 'R-1'): { value: unknown; context: HubContext } {
    return this.test.shard.snapshot(`${DESKS.openHubs}/${id}`) as { value: unknown; context: HubContext };
  }

  plan(id = 'WP-1'): WorkPlanContext {
    return this.test.shard.snapshot(`${DESKS.workPlans}/${id}`)!.context as WorkPlanContext;
  }

  lineage(id = 'WP-1'): Promise<LineageEntry[]> {
    return this.#records<LineageEntry>(id, 'lineage');
  }

  sessions(id = 'WP-1'): Promise<SessionEntry[]> {
    return this.#records<SessionEntry>(id, 'sessions');
  }

  log(id = 'WP-1'): Promise<PlanLogEntry[]> {
    return this.#records<PlanLogEntry>(id, 'log');
  }

  /** The lineage in the form of the specification. */
  async chain(id = 'WP-1'): Promise<string[]> {
    return (await this.lineage(id)).map(({ from, to, recommended }) => `${from}->${to}(${recommended})`);
  }

  /** Answers the last question of a run. */
  async answer(answer: object, run = 'R-1'): Promise<void> {
    const gate = `${run}-G${this.hub(run).context.gates}`;
    await this.order({ type: 'gate.answer', gate, by: 'ada', answer }, DESKS.gates);
  }

  /** Ids of the questions that wait for people. */
  openGates(): string[] {
    const { context } = this.test.shard.snapshot(DESKS.gates)!;
    return gatesIn(context as GateDeskContext, { isOpen: true }).map(({ id }) => id);
  }

  async powerCut(): Promise<void> {
    await this.test.crash();
    await this.test.restart();
  }

  async #records<Value>(id: string, name: string): Promise<Value[]> {
    const { records } = await this.test.system.records.list(`${DESKS.workPlans}/${id}`, name, { limit: 1_000 });
    return records.map(({ value }) => value as Value);
  }
}

/** Watches the first run's hub in one start of its system. */
function watch(shard: Shard, onEpoch: (hub: HubContext) => void): void {
  const address = `${DESKS.openHubs}/R-1`;
  let isWatched = false;
  const next = () => {
    const hub = shard.snapshot(address);
    if (hub !== undefined) onEpoch(hub.context as HubContext);
  };
  shard.onEmitted(() => {
    if (isWatched || shard.snapshot(address) === undefined) return;
    isWatched = true;
    shard.watchNews(address, { next });
  });
}

function orderOf({ work, agents = {}, order = {} }: HubRoomOptions): object {
  const roles = Object.keys(work) as Role[];
  const specs = Object.fromEntries(
    roles.map((role) => [role, { does: { kind: 'function', name: role }, ...agents[role] }]),
  );
  return { type: 'hub.start', about: { title: 'mend it' }, workspace: '/shop', agents: specs, ...order };
}

/** A hand-off of a session in a test. */
export function handoff(outcome: string | null, recommended: Role | null, more: object = {}): { handoff: object } {
  return { handoff: { outcome, recommended, reason: `it is ${outcome}`, ...more } };
}

/** The work of a whole chain in which all goes well. */
export const GOOD_WORK: Partial<Record<Role, TestWork>> = {
  Executor: () => handoff('done', 'Reviewer'),
  Reviewer: () => handoff('approved', 'Tester', { build: { command: 'make', exitCode: 0 } }),
  Tester: () => handoff('passed', 'Archivist', { testsPass: true }),
  Archivist: () => ({ handoff: null, archives: true }),
};
