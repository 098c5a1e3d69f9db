/**
 * The Debate Facilitator (seed 002, CA-090, CA-091, CA-125 to CA-136): opens a debate for each challenge, finds experts
 * by priority and load, keeps the list of provisional decisions and has it reviewed at each gate, and remembers how
 * debates ended and what proved right, so that later ones know. Each debate is an actor of its own (debate.ts), started
 * by a Boss.
 */
import { type AnyActorRef, enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { type AnyAgent } from '../../../actors/model/agent.ts';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import { reply, type ReplyTo } from '../../../actors/model/talk-actions.ts';
import {
  DEBATE_WORDS_HELD_MAX,
  DEBATES_KEPT_MAX,
  GATE_AUDIENCE_MAX,
  OBSERVATIONS_PER_AGENT_MAX,
} from '../../../limits.ts';
import { type Challenge, challenge, response } from './challenge.ts';
import { RISK_ORDERS, type RiskOrder } from './conservative-default.ts';
import { type CredibilityFormula, halfLifeOf, type TrackRecord } from '../credibility/credibility.ts';
import { debateAgent } from './debate.ts';
import { precedentsOf } from './debate-patterns.ts';
import { type DebatePorts } from './debate-ports.ts';
import {
  type DebateRecord,
  type ExpertState,
  loadsOf,
  loadTexts,
  newRecord,
  pastDebates,
  patternsIn,
  provisionalList,
  queueOf,
  shownRecord,
  summaryOf,
} from './debate-records.ts';
import { type DebateEvent, type DebateInput, type DebateReport, type DeskWord } from './debate-state.ts';
import { nextNumber, placed, type Places, recordOf, recordsIn } from '../../people/desk-records.ts';
import { ANYBODY } from '../../people/gates/gate.ts';
import { type Side } from './level-two.ts';
import { DESKS } from '../../work/system-ids.ts';
import { notify } from '../../people/notice.ts';
import { REGIME_UNKNOWN, regimeOf, regimeReadings, type RegimeReadings } from '../credibility/regime.ts';
import { route } from './routing.ts';
import { type Observation, observation, trackRecordOf } from '../credibility/track-record.ts';

export interface FacilitatorInput {
  /** Who may be asked at level 3. Without any, debates that reach it end in the conservative default. */
  readonly experts?: readonly string[];
  /** Who is asked at a gate about what is provisional or deferred. Default: the experts; without any, anybody. */
  readonly reviewers?: readonly string[];
  /** Default `product`. */
  readonly formula?: CredibilityFormula;
  /** By type of agent, in years; they come before those of the seed. */
  readonly halfLives?: Readonly<Record<string, number>>;
  /** By kind of value; they come before those that it knows. */
  readonly riskOrders?: Readonly<Record<string, RiskOrder>>;
}

export type FacilitatorContext = {
  readonly formula: CredibilityFormula;
  readonly halfLives: Readonly<Record<string, number>>;
  readonly riskOrders: Readonly<Record<string, RiskOrder>>;
  readonly experts: Readonly<Record<string, ExpertState>>;
  readonly reviewers: readonly string[];
  readonly readings: RegimeReadings | null;
  readonly nextGate: { readonly gate: string; readonly atMs: number } | null;
} & Places<DebateRecord> & { readonly [key in `observed:${string}`]?: readonly Observation[] } & {
    readonly [key in `type:${string}`]?: string;
  };

type Word = Extract<DebateEvent, { readonly debate: string }> & { readonly replyTo?: ReplyTo };

type Event =
  | (Challenge & { readonly type: 'debate.challenge'; readonly replyTo?: ReplyTo })
  | Word
  | { readonly type: 'debate.list'; readonly isOpen?: boolean | undefined }
  | { readonly type: 'debate.provisionals' | 'debate.loads' | 'debate.patterns' }
  | { readonly type: 'debate.queue'; readonly expert: string }
  | { readonly type: 'debate.review'; readonly debate: string; readonly by: string; readonly replyTo?: ReplyTo }
  | { readonly type: 'debate.outcome'; readonly debate: string; readonly right: Side | 'both' | 'neither' }
  | { readonly type: 'agent.observed'; readonly agent: string; readonly observations: readonly Observation[] }
  | { readonly type: 'expert.available' | 'expert.unavailable'; readonly expert: string }
  | { readonly type: 'regime.readings'; readonly readings: RegimeReadings }
  | { readonly type: 'gate.planned'; readonly gate: string; readonly atMs: number }
  | { readonly type: 'gate.reached'; readonly gate: string }
  | { readonly type: 'child.exited'; readonly id: string }
  | DebateReport;

type Say = (to: AnyActorRef, event: DeskWord | { readonly type: string }) => void;

const facilitatorMachine = setup({
  types: {} as { context: FacilitatorContext; events: Event; input: FacilitatorInput | undefined },
  actions: {
    open: enqueueActions(({ context, event, enqueue, self, system }) => {
      const asked = event.type === 'debate.resolved' ? event.resolution.again : event;
      if (asked === null) return;
      const refuse = (...problems: string[]) =>
        event.type === 'debate.challenge' ? enqueue(reply({ taken: false, problems })) : undefined;
      const { data, error } = challenge.safeParse(asked);
      if (error !== undefined) return refuse(z.prettifyError(error));
      if (data.challenger.agent === data.challenged.agent) return refuse('nobody debates with themselves');
      if (recordOf(context, data.id) !== undefined) return refuse(`a debate "${data.id}" is there already`);
      const boss = system.get(DESKS.openDebates) as AnyActorRef | undefined;
      if (boss === undefined) return refuse('no Boss that debates could be started by');
      const nowMs = timeOf(self);
      enqueue.assign(put(context, newRecord(data, { number: nextNumber(context), nowMs })));
      enqueue.assign(typesOf(data));
      enqueue.sendTo(boss, {
        type: 'child.start',
        id: data.id,
        spec: { id: data.id, input: inputOf(context, data, self), reportTo: self },
      } as never);
      if (event.type === 'debate.challenge') enqueue(reply({ taken: true, loads: loadTexts(loadsIn(context)) }));
    }),
    /** To the debate; to one that is only beginning as soon as it has begun, so that nothing is lost on the way. */
    pass: enqueueActions(({ context, event, enqueue }) => {
      const word = event as Word;
      const refuse = (problem: string) => enqueue(reply({ taken: false, problems: [problem] }));
      const record = recordOf(context, word.debate);
      if (record === undefined) return refuse(`no debate "${word.debate}"`);
      if (record.isOver) return refuse(`debate "${word.debate}" is over: ${record.level}`);
      if (record.ref !== null) return enqueue.sendTo(record.ref, word as never);
      if (record.held.length >= DEBATE_WORDS_HELD_MAX) return refuse(`debate "${word.debate}" has not begun yet`);
      enqueue.assign(put(context, { ...record, held: [...record.held, word] }));
    }),
    /** Of one that waits for its gate: people are asked now. */
    reviewNow: enqueueActions(({ context, event, enqueue }) => {
      const record = event.type === 'debate.review' ? recordOf(context, event.debate) : undefined;
      const waits = record?.level === 'L4' || record?.level === 'deferred';
      if (event.type !== 'debate.review' || record === undefined || record.ref === null || !waits)
        return enqueue(reply({ taken: false, problems: ['no debate that waits for its review'] }));
      enqueue.sendTo(record.ref, { type: 'review.due', gate: `asked for by ${event.by}` } satisfies DeskWord);
      enqueue(reply({ taken: true }));
    }),
    noteOpened: enqueueActions(({ context, event, enqueue }) => {
      const record = event.type === 'debate.opened' ? recordOf(context, event.debate) : undefined;
      if (event.type !== 'debate.opened' || record === undefined) return;
      for (const held of record.held) enqueue.sendTo(event.ref, held as never);
      enqueue.assign(put(context, { ...record, ref: event.ref, held: [] }));
    }),
    noteMoved: enqueueActions(({ context, event, enqueue }) => {
      const record = event.type === 'debate.moved' ? recordOf(context, event.debate) : undefined;
      if (event.type !== 'debate.moved' || record === undefined || record.isOver) return;
      const { level, provisional, analysis } = event;
      enqueue.assign(put(context, { ...record, level, provisional, analysis }));
    }),
    noteResolved: enqueueActions(({ context, event, enqueue }) => {
      const record = event.type === 'debate.resolved' ? recordOf(context, event.resolution.debate) : undefined;
      if (event.type !== 'debate.resolved' || record === undefined || record.isOver) return;
      const { resolution } = event;
      const { outcome, provisional, analysis } = resolution;
      const summary = summaryOf(resolution);
      enqueue.assign(
        put(context, { ...record, level: outcome, isOver: true, provisional, analysis, summary, ref: null, held: [] }),
      );
      // What people decided for one side, they decided against the other.
      if (!summary.byPeople || summary.side === null) return;
      enqueue.assign(
        observed(
          context,
          record,
          (side) => ({ isRight: null, isOverridden: side !== summary.side }),
          resolution.resolvedAtMs,
        ),
      );
    }),
    noteFailed: enqueueActions(({ context, event, enqueue }) => {
      const record = event.type === 'child.exited' ? recordOf(context, event.id) : undefined;
      if (record !== undefined && !record.isOver)
        enqueue.assign(put(context, { ...record, level: 'failed', isOver: true, ref: null, held: [] }));
    }),
    noteOutcome: enqueueActions(({ context, event, enqueue, self }) => {
      const record = event.type === 'debate.outcome' ? recordOf(context, event.debate) : undefined;
      if (event.type !== 'debate.outcome' || record === undefined || record.provedRight !== null) return;
      const { right } = event;
      enqueue.assign(put(context, { ...record, provedRight: right }));
      enqueue.assign(
        observed(
          context,
          record,
          (side) => ({ isRight: right === 'both' || right === side, isOverridden: null }),
          timeOf(self),
        ),
      );
    }),
    observe: enqueueActions(({ context, event, enqueue }) => {
      if (event.type === 'agent.observed') enqueue.assign(withObservations(context, event.agent, event.observations));
    }),
    giveRecords: enqueueActions(({ context, event, enqueue, self }) => {
      const record = event.type === 'records.request' ? recordOf(context, event.debate) : undefined;
      if (record === undefined || record.ref === null) return;
      const of = (side: Side) => trackRecordIn(context, record, side, timeOf(self));
      const records = { challenger: of('challenger'), challenged: of('challenged') };
      enqueue.sendTo(record.ref, { type: 'records.known', records, readings: context.readings } satisfies DeskWord);
    }),
    /** The one place where experts are given out, so that nobody gets a fourth. */
    assignExpert: enqueueActions(({ context, event, enqueue }) => {
      const record = event.type === 'expert.request' ? recordOf(context, event.debate) : undefined;
      if (record === undefined || record.ref === null) return;
      const to = route(loadsIn(context), record.wantedExpert);
      if (to.to === 'nobody')
        return enqueue.sendTo(record.ref, { type: 'expert.refused', reason: to.reason } satisfies DeskWord);
      const given: DebateRecord = { ...record, level: 'L3', expert: to.expert };
      enqueue.assign(put(context, given));
      enqueue.sendTo(record.ref, { type: 'expert.assigned', expert: to.expert } satisfies DeskWord);
    }),
    setAvailability: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'expert.available' && event.type !== 'expert.unavailable') return;
      const isAvailable = event.type === 'expert.available';
      enqueue.assign({ experts: { ...context.experts, [event.expert]: { isAvailable } } });
      if (isAvailable) return;
      for (const { ref } of queueOf(recordsIn(context), event.expert)) {
        if (ref !== null) enqueue.sendTo(ref, { type: 'expert.lost' } satisfies DeskWord);
      }
    }),
    takeReadings: enqueueActions(({ event, enqueue }) => {
      if (event.type === 'regime.readings') enqueue.assign({ readings: event.readings });
    }),
    planGate: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'gate.planned') return;
      const { gate, atMs } = event;
      enqueue.assign({ nextGate: { gate, atMs } });
      tellOpen(enqueue.sendTo as Say, context, { type: 'gate.planned', atMs });
    }),
    /** CA-125, CA-132: what is provisional, and what was deferred, is shown at every gate. */
    review: enqueueActions(({ context, event, enqueue, system }) => {
      if (event.type !== 'gate.reached') return;
      const { headline, items } = provisionalList(recordsIn(context));
      enqueue.assign({ nextGate: null });
      tellOpen(enqueue.sendTo as Say, context, { type: 'review.due', gate: event.gate });
      const detail = items
        .map(({ topic }) => topic)
        .join('; ')
        .slice(0, 2_000);
      const notice = {
        subject: `gate ${event.gate}`,
        kind: 'provisionals.due',
        title: headline,
        detail,
        audience: context.reviewers,
      };
      if (items.length > 0) notify(enqueue, system, { ...notice, priority: 'HIGH' });
    }),
  },
}).createMachine({
  id: 'debate-facilitator',
  context: ({ input = {} }) => contextOf(input),
  on: {
    'debate.challenge': { actions: 'open' },
    'debate.acknowledge': { actions: 'pass' },
    'debate.respond': { actions: 'pass' },
    'debate.accept': { actions: 'pass' },
    'debate.take-up': { actions: 'pass' },
    'debate.list': { actions: reply(({ context, event }) => debatesIn(context, event).map(shownRecord)) },
    'debate.provisionals': { actions: reply(({ context }) => provisionalList(recordsIn(context))) },
    'debate.loads': { actions: reply(({ context }) => loadTexts(loadsIn(context))) },
    'debate.queue': {
      actions: reply(({ context, event }) => queueOf(recordsIn(context), event.expert).map(shownRecord)),
    },
    'debate.patterns': { actions: reply(({ context }) => patternsIn(recordsIn(context))) },
    'debate.outcome': { actions: 'noteOutcome' },
    'debate.review': { actions: 'reviewNow' },
    'debate.opened': { actions: 'noteOpened' },
    'debate.moved': { actions: 'noteMoved' },
    'debate.resolved': { actions: ['noteResolved', 'open'] },
    'records.request': { actions: 'giveRecords' },
    'expert.request': { actions: 'assignExpert' },
    'agent.observed': { actions: 'observe' },
    'expert.available': { actions: 'setAvailability' },
    'expert.unavailable': { actions: 'setAvailability' },
    'regime.readings': { actions: 'takeReadings' },
    'gate.planned': { actions: 'planGate' },
    'gate.reached': { actions: 'review' },
    'child.exited': { actions: 'noteFailed' },
  },
});

const name = z.string().min(1).max(200);
const word = z.object({ debate: name, by: name });

export const debateFacilitator = defineAgent({
  name: 'debate-facilitator',
  machine: facilitatorMachine,
  events: {
    'debate.challenge': challenge,
    'debate.acknowledge': word,
    'debate.respond': response.extend({ debate: name }),
    'debate.accept': word,
    'debate.take-up': word,
    /** Has people look now at a debate that waits for its gate. */
    'debate.review': word,
    'debate.list': z.object({ isOpen: z.boolean().optional() }),
    'debate.provisionals': z.object({}),
    'debate.loads': z.object({}),
    'debate.queue': z.object({ expert: name }),
    'debate.patterns': z.object({}),
    'debate.outcome': z.object({ debate: name, right: z.enum(['challenger', 'challenged', 'both', 'neither']) }),
    'agent.observed': z.object({
      agent: name,
      observations: z.array(observation).min(1).max(OBSERVATIONS_PER_AGENT_MAX),
    }),
    'expert.available': z.object({ expert: name }),
    'expert.unavailable': z.object({ expert: name }),
    'regime.readings': z.object({ readings: regimeReadings }),
    'gate.planned': z.object({ gate: name, atMs: z.number() }),
    'gate.reached': z.object({ gate: name }),
  },
});

/** For createSystem, together with {@link debateChildren}; with ports of the host's own where it has them. */
export function debateAgents(ports: Partial<DebatePorts> = {}): readonly AnyAgent[] {
  return [debateAgent(ports), debateFacilitator];
}

/** One debate that crashes must not end the others: only a flood of crashes ends their Boss. */
const INTENSITY = 100;

/**
 * The desk and the Boss of its debates, as children of a Boss. The Boss first: the desk talks to it from its first turn
 * on.
 */
export function debateChildren(input: FacilitatorInput = {}) {
  const template = { agent: 'debate', restart: 'transient' as const };
  return [
    {
      id: DESKS.openDebates,
      systemId: DESKS.openDebates,
      boss: { strategy: 'dynamic' as const, template, intensity: INTENSITY },
    },
    { id: DESKS.debates, systemId: DESKS.debates, agent: debateFacilitator.name, input },
  ];
}

/**
 * Records of debates, the oldest first. Without a filter all that are kept: every open one, and the last 1,000 others.
 */
export function debatesIn(
  context: FacilitatorContext,
  { isOpen }: { readonly isOpen?: boolean | undefined } = {},
): readonly DebateRecord[] {
  return recordsIn<DebateRecord>(context).filter(({ isOver }) => isOpen === undefined || isOver !== isOpen);
}

function contextOf({
  experts = [],
  reviewers = experts,
  formula = 'product',
  halfLives = {},
  riskOrders = {},
}: FacilitatorInput): FacilitatorContext {
  return {
    formula,
    halfLives,
    riskOrders: { ...RISK_ORDERS, ...riskOrders },
    experts: Object.fromEntries(experts.map((expert) => [expert, { isAvailable: true }])),
    reviewers: reviewers.length === 0 ? [ANYBODY] : reviewers.slice(0, GATE_AUDIENCE_MAX),
    readings: null,
    nextGate: null,
  };
}

function loadsIn(context: FacilitatorContext) {
  return loadsOf(recordsIn<DebateRecord>(context), context.experts);
}

function put(context: FacilitatorContext, record: DebateRecord): Partial<FacilitatorContext> {
  return placed<DebateRecord>(context, record, DEBATES_KEPT_MAX) as Partial<FacilitatorContext>;
}

function inputOf(context: FacilitatorContext, data: Challenge, desk: AnyActorRef): DebateInput {
  return {
    challenge: data,
    desk,
    riskOrder: context.riskOrders[data.valueKind] ?? null,
    formula: context.formula,
    precedents: precedentsOf(pastDebates(recordsIn<DebateRecord>(context)), data),
    loads: loadTexts(loadsIn(context)),
    reviewers: context.reviewers,
    nextGateAtMs: context.nextGate?.atMs ?? null,
  };
}

function tellOpen(sendTo: Say, context: FacilitatorContext, event: DeskWord): void {
  for (const { ref, isOver } of recordsIn<DebateRecord>(context)) if (!isOver && ref !== null) sendTo(ref, event);
}

function typesOf({ challenger, challenged }: Challenge): Partial<FacilitatorContext> {
  const patch: { [key in `type:${string}`]?: string } = {};
  for (const { agent, agentType = agent } of [challenger, challenged]) patch[`type:${agent}`] = agentType;
  return patch as Partial<FacilitatorContext>;
}

function trackRecordIn(context: FacilitatorContext, record: DebateRecord, side: Side, nowMs: number): TrackRecord {
  const agent = record[side];
  const halfLifeYears = halfLifeOf(context[`type:${agent}`] ?? agent, context.halfLives);
  return trackRecordOf(context[`observed:${agent}`] ?? [], { context: record.context, nowMs, halfLifeYears });
}

/** One observation of each side. */
function observed(
  context: FacilitatorContext,
  record: DebateRecord,
  facts: (side: Side) => Pick<Observation, 'isRight' | 'isOverridden'>,
  atMs: number,
): Partial<FacilitatorContext> {
  const regime = context.readings === null ? REGIME_UNKNOWN : regimeOf(context.readings);
  const seen = { atMs, context: record.context, regime: record.analysis?.regime ?? regime };
  const of = (side: Side) => withObservations(context, record[side], [{ ...seen, ...facts(side) }]);
  return { ...of('challenger'), ...of('challenged') };
}

function withObservations(
  context: FacilitatorContext,
  agent: string,
  more: readonly Observation[],
): Partial<FacilitatorContext> {
  const observations = [...(context[`observed:${agent}`] ?? []), ...more].slice(-OBSERVATIONS_PER_AGENT_MAX);
  const patch: { [key in `observed:${string}`]?: readonly Observation[] } = { [`observed:${agent}`]: observations };
  return patch as Partial<FacilitatorContext>;
}
