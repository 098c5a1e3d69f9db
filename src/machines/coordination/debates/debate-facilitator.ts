/**
 * The Debate Facilitator (seed 002, CA-090, CA-091, CA-125 to CA-136): opens a debate for each challenge, finds experts
 * by priority and load, keeps the list of provisional decisions and has it reviewed at each gate, and remembers how
 * debates ended and what proved right, so that later ones know. Each debate is an actor of its own (debate.ts), started
 * by a Boss.
 */
import { z } from 'zod';
import { type Shown, table, type Table } from '../../../table.ts';
import { type AnyAgent } from '../../../actors/model/agent.ts';
import { DEBATES_KEPT_MAX, GATE_AUDIENCE_MAX, OBSERVATIONS_PER_AGENT_MAX } from '../../../limits.ts';
import { type Challenge, challenge, response } from './challenge.ts';
import { RISK_ORDERS, type RiskOrder } from './conservative-default.ts';
import { type CredibilityFormula, halfLifeOf, type TrackRecord } from '../credibility/credibility.ts';
import { debateAgent } from './debate.ts';
import { patternsOf, precedentsOf } from './debate-patterns.ts';
import { type DebatePorts } from './debate-ports.ts';
import {
  type DebateRecord,
  expertOf,
  type ExpertState,
  factsOf,
  loadTexts,
  pastDebates,
  provisionalList,
  summaryOf,
} from './debate-records.ts';
import { type DebateInput, type DebateReport, type DeskWord } from './debate-state.ts';
import {
  type ChildExited,
  Desk,
  deskChildren,
  type DeskContext,
  type DeskOf,
  type Facts,
  listed,
  newDesk,
  type OrderAnswered,
} from '../../people/desk.ts';
import { inArrivalOrder, recordsIn } from '../../people/records.ts';
import { pairKey, pairsOf } from '../../people/table-keys.ts';
import {
  type Asked,
  order,
  type OrderReply,
  refused,
  ruledAgent,
  type Rules,
  TAKEN,
  type Turn,
} from '../../people/turn.ts';
import { ANYBODY } from '../../people/gates/gate.ts';
import { type AgentTables, agentTypeOf, NO_AGENTS, noteType, observationsOf, observe } from './known-agents.ts';
import { type Side } from './level-two.ts';
import { DESKS } from '../../work/system-ids.ts';
import { REGIME_UNKNOWN, regimeOf, regimeReadings, type RegimeReadings } from '../credibility/regime.ts';
import { byUrgency, type ExpertLoad, route } from './routing.ts';
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

export interface FacilitatorContext extends DeskContext<DebateRecord>, AgentTables {
  /** Ids of the debates that each expert is to decide. */
  readonly queues: Table<string>;
  readonly formula: CredibilityFormula;
  readonly halfLives: Readonly<Record<string, number>>;
  readonly riskOrders: Readonly<Record<string, RiskOrder>>;
  readonly experts: Readonly<Record<string, ExpertState>>;
  readonly reviewers: readonly string[];
  readonly readings: RegimeReadings | null;
  readonly nextGate: { readonly gate: string; readonly atMs: number } | null;
}

type DebateTurn = Turn<FacilitatorContext>;
type Report<Type extends DebateReport['type']> = Extract<DebateReport, { readonly type: Type }>;

const DEBATES: DeskOf<DebateRecord> = {
  noun: 'debate',
  endedMax: DEBATES_KEPT_MAX,
  boss: DESKS.openDebates,
  ending: ({ level }) => `over: ${level}`,
};

const desk = (turn: DebateTurn) => new Desk(turn, DEBATES);

const name = z.string().min(1).max(200);
const word = z.object({ debate: name, by: name });
const anExpert = z.object({ expert: name });
const observedAgent = z.object({
  agent: name,
  observations: z.array(observation).min(1).max(OBSERVATIONS_PER_AGENT_MAX),
});

const pass = (turn: DebateTurn, event: z.output<typeof word> & Asked) => desk(turn).pass(event.debate, event);

const RULES = {
  'debate.challenge': order(challenge, (turn: DebateTurn, _, asked) => {
    const problem = open(turn, asked);
    return problem === undefined ? { ...TAKEN, loads: loadTexts(loadsIn(turn)) } : refused(problem);
  }),
  'debate.acknowledge': order(word, pass),
  'debate.respond': order(response.extend({ debate: name }), pass),
  'debate.accept': order(word, pass),
  'debate.take-up': order(word, pass),
  /** Has people look now at a debate that waits for its gate. */
  'debate.review': order(word, reviewNow),
  'debate.list': order(z.object({ isOpen: z.boolean().optional() }), ({ context }: DebateTurn, filter) =>
    debatesIn(context, filter).map(listed),
  ),
  'debate.provisionals': order(z.object({}), ({ context }: DebateTurn) => provisionalList(debatesIn(context))),
  'debate.loads': order(z.object({}), (turn: DebateTurn) => loadTexts(loadsIn(turn))),
  'debate.queue': order(anExpert, (turn: DebateTurn, { expert }) => queueOf(turn, expert).map(listed)),
  'debate.patterns': order(z.object({}), ({ context }: DebateTurn) => patternsOf(pastIn(context))),
  'debate.outcome': order(
    z.object({ debate: name, right: z.enum(['challenger', 'challenged', 'both', 'neither']) }),
    noteOutcome,
  ),
  'agent.observed': order(observedAgent, (turn: DebateTurn, { agent, observations }) => {
    observe(turn, agent, observations);
    return TAKEN;
  }),
  'expert.available': order(anExpert, (turn: DebateTurn, { expert }) => setAvailability(turn, expert, true)),
  'expert.unavailable': order(anExpert, (turn: DebateTurn, { expert }) => setAvailability(turn, expert, false)),
  'regime.readings': order(z.object({ readings: regimeReadings }), (turn: DebateTurn, { readings }) => {
    turn.assign({ readings });
    return TAKEN;
  }),
  'gate.planned': order(z.object({ gate: name, atMs: z.number() }), (turn: DebateTurn, { gate, atMs }) => {
    turn.assign({ nextGate: { gate, atMs } });
    tellOpen(turn, { type: 'gate.planned', atMs });
    return TAKEN;
  }),
  'gate.reached': order(z.object({ gate: name }), review),
  'debate.opened': (turn: DebateTurn, { debate, ref }: Report<'debate.opened'>) => desk(turn).begin(debate, ref),
  'debate.moved': (turn: DebateTurn, { debate, level, provisional, analysis }: Report<'debate.moved'>) =>
    void change(turn, debate, { level, provisional, analysis }),
  'debate.resolved': resolved,
  'records.request': giveRecords,
  'expert.request': assignExpert,
  'order.answered': (turn: DebateTurn, event: OrderAnswered) => desk(turn).answer(event),
  'child.exited': (turn: DebateTurn, { id }: ChildExited) => void close(turn, id, { level: 'failed' }),
} satisfies Rules<FacilitatorContext>;

export const debateFacilitator = ruledAgent({
  name: 'debate-facilitator',
  rules: RULES,
  context: contextOf,
});

/** For createSystem, together with {@link debateChildren}; with ports of the host's own where it has them. */
export function debateAgents(ports: Partial<DebatePorts> = {}): readonly AnyAgent[] {
  return [debateAgent(ports), debateFacilitator];
}

/** The desk and the Boss of its debates, as children of a Boss. */
export function debateChildren(input: FacilitatorInput = {}) {
  const [boss, own] = [DESKS.openDebates, DESKS.debates];
  return deskChildren({ desk: own, boss, agent: debateFacilitator.name, item: 'debate', input });
}

/**
 * Records of debates, the oldest first. Without a filter all that are kept: every open one, and the last 1,000 others.
 */
export function debatesIn(
  context: Shown<FacilitatorContext>,
  { isOpen }: { readonly isOpen?: boolean | undefined } = {},
): readonly DebateRecord[] {
  return recordsIn(context).filter(({ isOver }) => isOpen === undefined || isOver !== isOpen);
}

function contextOf({
  experts = [],
  reviewers = experts,
  formula = 'product',
  halfLives = {},
  riskOrders = {},
}: FacilitatorInput = {}): FacilitatorContext {
  return {
    ...newDesk(),
    ...NO_AGENTS,
    queues: table(),
    formula,
    halfLives,
    riskOrders: { ...RISK_ORDERS, ...riskOrders },
    experts: Object.fromEntries(experts.map((expert) => [expert, { isAvailable: true }])),
    reviewers: reviewers.length === 0 ? [ANYBODY] : reviewers.slice(0, GATE_AUDIENCE_MAX),
    readings: null,
    nextGate: null,
  };
}

/** Those that have ended and are kept, the eldest first: at most 1,000, however many are open. */
function pastIn({ ended, endedOrder }: FacilitatorContext): ReturnType<typeof pastDebates> {
  return pastDebates([...endedOrder.values()].map((id) => ended.get(id)!)); // both are changed together
}

function loadsIn(turn: DebateTurn): readonly ExpertLoad[] {
  return Object.entries(turn.context.experts).map(([expert, { isAvailable }]) => ({
    expert,
    isAvailable,
    debates: queueOf(turn, expert).length,
  }));
}

/** Of one expert, in the order in which to take them. */
function queueOf(turn: DebateTurn, expert: string): readonly DebateRecord[] {
  const ids = [...turn.context.queues.values(pairsOf(expert))];
  return byUrgency(inArrivalOrder(ids.flatMap((id) => desk(turn).records.get(id) ?? [])));
}

function change(turn: DebateTurn, id: string, facts: Partial<Facts<DebateRecord>>): void {
  index(turn, id, () => desk(turn).change(id, facts));
}

function close(turn: DebateTurn, id: string, facts: Partial<Facts<DebateRecord>>): DebateRecord | undefined {
  return index(turn, id, () => desk(turn).close(id, facts));
}

/** Keeps the queues of experts in step with a change of a debate. */
function index(turn: DebateTurn, id: string, changed: () => DebateRecord | undefined): DebateRecord | undefined {
  const before = desk(turn).records.get(id);
  const after = changed();
  if (before === undefined || after === undefined || expertOf(before) === expertOf(after)) return after;
  const [left, entered] = [expertOf(before), expertOf(after)];
  const rest = left === null ? turn.context.queues : turn.context.queues.delete(pairKey(left, id));
  turn.assign({ queues: entered === null ? rest : rest.set(pairKey(entered, id), id) });
  return after;
}

/** Why no debate is opened; undefined where one is. */
function open(turn: DebateTurn, data: Challenge): string | undefined {
  const { id, challenger, challenged } = data;
  if (challenger.agent === challenged.agent) return 'nobody debates with themselves';
  if (desk(turn).records.get(id) !== undefined) return `a debate "${id}" is there already`;
  const opened = desk(turn).open(factsOf(data, turn.nowMs), inputOf(turn, data));
  if (opened === undefined) return 'no Boss that debates could be started by';
  for (const { agent, agentType = agent } of [challenger, challenged]) noteType(turn, agent, agentType);
  return undefined;
}

function inputOf(turn: DebateTurn, data: Challenge): Omit<DebateInput, 'desk'> {
  const { riskOrders, formula, reviewers, nextGate } = turn.context;
  return {
    challenge: data,
    riskOrder: riskOrders[data.valueKind] ?? null,
    formula,
    precedents: precedentsOf(pastIn(turn.context), data),
    loads: loadTexts(loadsIn(turn)),
    reviewers,
    nextGateAtMs: nextGate?.atMs ?? null,
  };
}

function reviewNow(turn: DebateTurn, { debate, by }: z.output<typeof word>): OrderReply {
  const problem = desk(turn).problemOf(debate);
  if (problem !== undefined) return refused(problem);
  const record = desk(turn).records.get(debate)!;
  if (record.level !== 'L4' && record.level !== 'deferred') return refused('no debate that waits for its review');
  tell(turn, record, { type: 'review.due', gate: `asked for by ${by}` });
  return TAKEN;
}

function resolved(turn: DebateTurn, { resolution }: Report<'debate.resolved'>): void {
  const { debate, outcome: level, provisional, analysis, resolvedAtMs, again } = resolution;
  const summary = summaryOf(resolution);
  const record = close(turn, debate, { level, provisional, analysis, summary });
  // What people decided for one side, they decided against the other.
  if (record !== undefined && summary.byPeople && summary.side !== null) {
    const { side: right } = summary;
    observeBoth(turn, record, (side) => ({ isRight: null, isOverridden: side !== right }), resolvedAtMs);
  }
  if (again !== null) open(turn, again);
}

function noteOutcome(
  turn: DebateTurn,
  { debate, right }: { readonly debate: string; readonly right: Side | 'both' | 'neither' },
): OrderReply {
  const record = desk(turn).records.get(debate);
  if (record === undefined) return refused(`no debate "${debate}"`);
  if (record.provedRight !== null) return refused(`it is known already who was right: ${record.provedRight}`);
  change(turn, debate, { provedRight: right });
  const isRight = (side: Side) => right === 'both' || right === side;
  observeBoth(turn, record, (side) => ({ isRight: isRight(side), isOverridden: null }), turn.nowMs);
  return TAKEN;
}

function giveRecords(turn: DebateTurn, { debate }: Report<'records.request'>): void {
  const record = desk(turn).records.get(debate);
  if (record === undefined) return;
  const of = (side: Side) => trackRecordIn(turn, record, side);
  const records = { challenger: of('challenger'), challenged: of('challenged') };
  tell(turn, record, { type: 'records.known', records, readings: turn.context.readings });
}

/** The one place where experts are given out, so that nobody gets a fourth. */
function assignExpert(turn: DebateTurn, { debate }: Report<'expert.request'>): void {
  const record = desk(turn).records.get(debate);
  if (record === undefined) return;
  const to = route(loadsIn(turn), record.wantedExpert);
  if (to.to === 'nobody') return tell(turn, record, { type: 'expert.refused', reason: to.reason });
  change(turn, debate, { level: 'L3', expert: to.expert });
  tell(turn, record, { type: 'expert.assigned', expert: to.expert });
}

function setAvailability(turn: DebateTurn, expert: string, isAvailable: boolean): OrderReply {
  turn.assign({ experts: { ...turn.context.experts, [expert]: { isAvailable } } });
  if (!isAvailable) for (const record of queueOf(turn, expert)) tell(turn, record, { type: 'expert.lost' });
  return TAKEN;
}

/** CA-125, CA-132: what is provisional, and what was deferred, is shown at every gate. */
function review(turn: DebateTurn, { gate }: { readonly gate: string }): OrderReply {
  const { headline: title, items } = provisionalList(openIn(turn));
  turn.assign({ nextGate: null });
  tellOpen(turn, { type: 'review.due', gate });
  const detail = items.map(({ topic }) => topic).join('; ');
  const { reviewers: audience } = turn.context;
  if (items.length > 0)
    turn.notify({ subject: `gate ${gate}`, kind: 'provisionals.due', priority: 'HIGH', title, detail, audience });
  return TAKEN;
}

function tell(turn: DebateTurn, record: DebateRecord, event: DeskWord): void {
  desk(turn).tell(record, event);
}

function tellOpen(turn: DebateTurn, event: DeskWord): void {
  for (const record of openIn(turn)) if (record.ref !== null) tell(turn, record, event);
}

/** What all of them are told of costs all of them. */
function openIn({ context }: DebateTurn): readonly DebateRecord[] {
  return inArrivalOrder(context.open.values());
}

function trackRecordIn(turn: DebateTurn, record: DebateRecord, side: Side): TrackRecord {
  const agent = record[side];
  const halfLifeYears = halfLifeOf(agentTypeOf(turn.context, agent), turn.context.halfLives);
  return trackRecordOf(observationsOf(turn.context, agent), {
    context: record.context,
    nowMs: turn.nowMs,
    halfLifeYears,
  });
}

/** One observation of each side. */
function observeBoth(
  turn: DebateTurn,
  record: DebateRecord,
  facts: (side: Side) => Pick<Observation, 'isRight' | 'isOverridden'>,
  atMs: number,
): void {
  const { readings } = turn.context;
  const regime = record.analysis?.regime ?? (readings === null ? REGIME_UNKNOWN : regimeOf(readings));
  for (const side of ['challenger', 'challenged'] as const)
    observe(turn, record[side], [{ atMs, context: record.context, regime, ...facts(side) }]);
}
