/** A system with the Debate Facilitator, the gate desk, and stand-ins for the Lead Coordinator and the alert desk. */
import { assign, setup } from 'xstate';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import {
  debateAgents,
  debateChildren,
  debatesIn,
} from '../../../src/machines/coordination/debates/debate-facilitator.ts';
import {
  type FacilitatorContext,
  type FacilitatorInput,
} from '../../../src/machines/coordination/debates/facilitator-context.ts';
import { type DebatePorts } from '../../../src/machines/coordination/debates/debate-ports.ts';
import { type DebateRecord } from '../../../src/machines/coordination/debates/debate-records.ts';
import {
  type DebateContext,
  type DebateNews,
  type Resolution,
} from '../../../src/machines/coordination/debates/debate-state.ts';
import { alertDesk } from '../../../src/machines/people/alerts/alert-desk.ts';
import { leadCoordinator } from '../../../src/machines/coordination/coordinator/lead-coordinator.ts';
import {
  gateAgents,
  type GateDeskContext,
  gateChildren,
  gatesIn,
} from '../../../src/machines/people/gates/gate-desk.ts';
import { PACKS } from '../../../src/machines/coordination/packs.ts';
import { DESKS } from '../../../src/machines/desks.ts';
import { observationsOf } from '../../../src/machines/coordination/debates/known-agents.ts';
import { type Observation } from '../../../src/machines/coordination/credibility/track-record.ts';
import { type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { startMachines } from './machines-under-test.ts';
import { recorderOf } from './stand-in.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** How much longer a debate waits than its gate, in case the gate is gone. */
export const GRACE_MS = 1_000;

type News =
  | DebateNews
  | { readonly type: 'debate.resolved'; readonly resolution: Resolution }
  | { readonly type: 'debate.locked'; readonly snapshotId: string };

const RECORDERS = { [DESKS.alerts]: recorderOf(alertDesk), [DESKS.coordinator]: recorderOf(leadCoordinator) };

/** An actor for a side, as a host may have one. */
export const side = defineAgent({
  name: 'side',
  machine: setup({
    types: {} as { context: { told: readonly News[] }; events: News },
    actions: { keep: assign(({ context, event }) => ({ told: [...context.told, event] })) },
  }).createMachine({
    context: { told: [] },
    on: { 'debate.locked': { actions: 'keep' }, 'debate.resolved': { actions: 'keep' } },
  }),
  events: {},
});

export interface Room {
  readonly test: TestSystem;
  /** Opens a debate: Ada challenges Bob's margin of 28 % and holds 25 %. */
  challenge(fields?: object): Promise<unknown>;
  /** Sends the desk an event and waits until everything that follows has happened. */
  say(type: string, fields?: object): Promise<void>;
  /** Asks the desk, with time standing still. */
  ask(type: string, fields?: object): Promise<unknown>;
  /** Sends Bob's acknowledgement and evidence. */
  defend(debate?: string): Promise<void>;
  /** Takes a debate from its opening to the expert, with evidence from both sides. */
  toExpert(fields?: object): Promise<void>;
  /** Answers the open gate of a debate. */
  answer(answer: object, facts?: { by?: string; debate?: string }): Promise<unknown>;
  powerCut(): Promise<void>;
  state(debate?: string): unknown;
  context(debate?: string): DebateContext;
  desk(): FacilitatorContext;
  /** The desk's observations of an agent. */
  observed(agent: string): readonly Observation[];
  record(debate?: string): DebateRecord;
  gates(): ReturnType<typeof gatesIn>;
  /** Reports to the coordinator, or to another listener. */
  heard(who?: string): readonly News[];
  resolution(debate?: string): Resolution | undefined;
}

export const CHALLENGE = {
  id: 'd-1',
  topic: 'Margin of ACME',
  item: 'ACME',
  challenger: { agent: 'ada', agentType: 'financial' },
  challenged: { agent: 'bob', agentType: 'strategy' },
  disputedFinding: 'The margin is 28 %.',
  basis: { statement: 'The filing says 25 %.', evidence: [{ kind: 'filing', source: '10-K, page 40', strength: 0.8 }] },
  requiredResponse: 'Where the 28 % come from.',
  requiredEvidence: ['filing', 'calculation'],
  priority: 'valuation',
  valueKind: 'margin',
  positions: { challenger: { statement: '25 %', value: 0.25 }, challenged: { statement: '28 %', value: 0.28 } },
  context: { sector: 'tools', metricType: 'margin', timeHorizon: 'year', size: 'small', growthStage: 'mature' },
};

export const EVIDENCE = {
  statement: 'By the plan of sales.',
  evidence: [{ kind: 'calculation', source: 'sheet 3', strength: 0.6 }],
};

export interface RoomOptions extends FacilitatorInput {
  readonly ports?: Partial<DebatePorts>;
  readonly withGates?: boolean;
}

export async function openRoom(options: RoomOptions = {}): Promise<Room> {
  return roomOf(await startMachines(roomOptions(options)));
}

export function roomOptions({
  ports,
  withGates = true,
  experts = ['eve'],
  pack = PACKS.finance,
  ...input
}: RoomOptions = {}): TestSystemOptions {
  const children = [
    ...Object.entries(RECORDERS).map(([id, { name }]) => ({ id, systemId: id, agent: name })),
    { id: 'ada', systemId: 'ada', agent: side.name },
    ...(withGates ? gateChildren() : []),
    ...debateChildren({ experts, pack, ...input }),
  ];
  return { agents: [...Object.values(RECORDERS), side, ...gateAgents, ...debateAgents(ports)], tree: { children } };
}

export function roomOf(test: TestSystem): Room {
  const contextAt = (address: string) => test.shard.snapshot(address)!.context;
  const desk = () => contextAt(DESKS.debates) as FacilitatorContext;
  const record = (id = 'd-1') => debatesIn(desk()).find((one) => one.id === id)!;
  const gates = () => gatesIn(contextAt(DESKS.gates) as GateDeskContext);
  const heard = (who: string = DESKS.coordinator) => (contextAt(who) as { told: readonly News[] }).told;
  const say = async (type: string, fields: object = {}) => {
    await test.shard.send(DESKS.debates, { type, ...fields });
    await test.settle();
  };
  const asked = async (to: string, event: { type: string }) => {
    const reply = test.shard.ask(to, event);
    await test.settle();
    return reply;
  };
  const ask = (type: string, fields: object = {}) => asked(DESKS.debates, { type, ...fields });
  const challenge = (fields: object = {}) => ask('debate.challenge', { ...CHALLENGE, ...fields });
  const defend = async (debate = 'd-1') => {
    await say('debate.acknowledge', { debate, by: 'bob' });
    await say('debate.respond', { debate, by: 'bob', ...EVIDENCE });
  };
  return {
    test,
    challenge,
    say,
    ask,
    defend,
    toExpert: async (fields: object = {}) => {
      const { id = 'd-1' } = fields as { id?: string };
      await challenge(fields);
      await defend(id);
      await test.advance(HOUR_MS);
    },
    answer: (given, { by = 'eve', debate = 'd-1' } = {}) => {
      const open = gates().find(({ id, isOver }) => !isOver && id.startsWith(`${debate}+`));
      return asked(DESKS.gates, { type: 'gate.answer', gate: open?.id ?? `none of ${debate}`, by, answer: given } as {
        type: string;
      });
    },
    powerCut: async () => {
      await test.crash();
      await test.restart();
    },
    state: (id = 'd-1') => test.shard.snapshot(`${DESKS.openDebates}/${id}`)?.value,
    context: (id = 'd-1') => contextAt(`${DESKS.openDebates}/${id}`) as DebateContext,
    desk,
    observed: (agent) => observationsOf(desk(), agent),
    record,
    gates,
    heard,
    resolution: (id = 'd-1') =>
      heard().flatMap((news) =>
        news.type === 'debate.resolved' && news.resolution.debate === id ? [news.resolution] : [],
      )[0],
  };
}

/**
 * Observations of one agent in the context of {@link CHALLENGE}: `count` of them, one a day, of which `right` were
 * right.
 */
export function observations(
  count: number,
  right: number,
  facts: { readonly nowMs: number; readonly regime?: string; readonly overridden?: number },
): readonly Observation[] {
  const { nowMs, regime = 'NORMAL', overridden = 0 } = facts;
  return Array.from({ length: count }, (_, n) => ({
    atMs: nowMs - (count - n) * DAY_MS,
    context: CHALLENGE.context,
    regime,
    // Spread evenly, so that there is no trend.
    isRight: Math.floor(((n + 1) * right) / count) > Math.floor((n * right) / count),
    isOverridden: n < overridden,
  }));
}

/** Sets up two agents whose credibility differs enough for level 2 and rests on enough samples. */
export async function withTrackRecords(
  room: Room,
  { ada = 100, bob = 20 }: { readonly ada?: number; readonly bob?: number } = {},
): Promise<void> {
  const nowMs = room.test.clock.wallMs();
  await room.say('regime.readings', { readings: { volatility: 15, indexChange: 0.05, rate: 2 } });
  await room.say('agent.observed', { agent: 'ada', observations: observations(100, ada, { nowMs }) });
  await room.say('agent.observed', { agent: 'bob', observations: observations(100, bob, { nowMs }) });
}
