/**
 * The Debate Facilitator (seed 002, CA-090, CA-091, CA-125 to CA-136): opens a debate for each challenge, assigns
 * experts by priority and load, lists provisional decisions and has them reviewed at each gate, and records how debates
 * ended and which side proved right, for later debates. Each debate is an actor of its own (debate.ts), started by a
 * Boss.
 */
import { settle } from '../../people/notice.ts';
import { z } from 'zod';
import { author } from '../../../actors/model/person.ts';
import { table, type Whole } from '../../../table.ts';
import { type AnyAgent } from '../../../actors/model/agent.ts';
import { DEBATES_KEPT_MAX, OBSERVATIONS_PER_AGENT_MAX } from '../../limits.ts';
import { type Challenge, challenge, response } from './challenge.ts';
import { PACKS, undeclaredIn } from '../packs.ts';
import { halfLifeOf, type TrackRecord } from '../credibility/credibility.ts';
import { debateAgent } from './debate.ts';
import { patternsOf, precedentsOf } from './debate-patterns.ts';
import { type DebatePorts } from './debate-ports.ts';
import {
  confirmedDebate,
  type DebateRecord,
  expertOf,
  factsOf,
  loadTexts,
  pastDebates,
  provisionalList,
  summaryOf,
} from './debate-records.ts';
import { cardsOfDebate } from './debate-talk.ts';
import { dueNoMore, tellDue } from './due-reviews.ts';
import { type ConfirmOrder, type DebateInput, type DebateReport, type DeskWord } from './debate-state.ts';
import {
  type ChildExited,
  Desk,
  type DeskApart,
  deskChildren,
  deskInOneTable,
  type DeskOf,
  type Facts,
  listed,
  type OrderAnswered,
} from '../../rules/desk.ts';
import { endedIn, inArrivalOrder, openIn, recordsIn } from '../../rules/records.ts';
import { pairKey, pairsOf, rankedKey } from '../../rules/table-keys.ts';
import {
  type Asked,
  order,
  type OrderReply,
  refused,
  ruledAgent,
  type Rules,
  TAKEN,
  type Turn,
} from '../../rules/turn.ts';
import { strangerProblem } from '../../people/audience.ts';
import { agentTypeOf, noteType, observationsOf, observe } from './known-agents.ts';
import { contextOf, type FacilitatorContext, type FacilitatorInput } from './facilitator-context.ts';
import { type Side } from './level-two.ts';
import { COORDINATION_DESKS } from '../system-ids.ts';
import { type TalkMessage } from '../../work/talk-messages.ts';
import { readingsProblem, regimeOf, regimeReadings } from '../credibility/regime.ts';
import { learn, learned, NOTHING_LEARNED, periodOver, trusted } from './learning.ts';
import { byUrgency, DEBATE_URGENCIES, type ExpertLoad, route } from './routing.ts';
import { type Observation, observation, trackRecordOf } from '../credibility/track-record.ts';

type DebateTurn = Turn<FacilitatorContext>;
type Report<Type extends DebateReport['type']> = Extract<DebateReport, { readonly type: Type }>;

const DEBATES: DeskOf<DebateRecord> = {
  noun: 'debate',
  endedMax: DEBATES_KEPT_MAX,
  placeOf: ({ urgency, number }) => rankedKey(DEBATE_URGENCIES, urgency, number),
  boss: COORDINATION_DESKS.openDebates,
  ending: ({ level }) => `over: ${level}`,
};

const desk = (turn: DebateTurn) => new Desk(turn, DEBATES);

const name = z.string().min(1).max(200);
const word = z.object({ debate: name, by: author(name.min(1)) });
/**
 * An expert by name. The name is a key in the context, so it must not be one of the two keys that no stored object may
 * have.
 */
const anExpert = z.object({ expert: name.regex(/^(?!__(?:proto|keys)__$)/, 'is not a valid name for an expert') });
const observedAgent = z.object({
  agent: name,
  observations: z.array(observation).min(1).max(OBSERVATIONS_PER_AGENT_MAX),
});

const filter = z.object({
  isOpen: z.boolean().optional(),
  /** Name of an agent on one of the two sides. */
  agent: name.optional(),
  item: name.optional(),
});

const pass = (turn: DebateTurn, event: z.output<typeof word> & Asked) => desk(turn).pass(event.debate, event);

const RULES = {
  'debate.challenge': order(challenge, (turn: DebateTurn, _, asked) => {
    const problem = open(turn, asked);
    return problem === undefined ? { ...TAKEN, loads: loadTexts(loadsIn(turn)) } : refused(problem);
  }),
  'debate.acknowledge': order(word, pass),
  /** A confirmation goes to the debate that it names, or to the only open debate about its item. */
  'talk.confirmation': confirm,
  'debate.respond': order(response.extend({ debate: name }), pass),
  'debate.accept': order(word, pass),
  'debate.take-up': order(word, pass),
  /** Starts the review of a debate that waits for its gate. */
  'debate.review': order(word, reviewNow),
  'debate.list': order(filter, ({ context }: DebateTurn, wanted) => debatesIn(context, wanted).map(listed)),
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
    const problem = readingsProblem(readings, turn.context.pack.regimes);
    if (problem !== undefined) return refused(problem);
    turn.assign({ readings });
    return TAKEN;
  }),
  'gate.planned': order(z.object({ gate: name, atMs: z.number() }), (turn: DebateTurn, { gate, atMs }) => {
    turn.assign({ nextGate: { gate, atMs } });
    tellAll(turn, openDebates(turn), { type: 'gate.planned', atMs });
    return TAKEN;
  }),
  /** Reviews the named debates and all debates that concern no item. Default: all debates. */
  'gate.reached': order(z.object({ gate: name, debates: z.array(name).optional() }), review),
  'debate.opened': (turn: DebateTurn, { debate, ref }: Report<'debate.opened'>) => desk(turn).begin(debate, ref),
  'debate.moved': (turn: DebateTurn, { debate, level, provisional, analysis }: Report<'debate.moved'>) =>
    void change(turn, debate, { level, provisional, analysis }),
  'debate.resolved': resolved,
  'learning.due': (turn: DebateTurn) => periodOver(turn, () => lessonsIn(turn)),
  'gate.closed': learned,
  'records.request': giveRecords,
  'expert.request': assignExpert,
  'order.answered': (turn: DebateTurn, event: OrderAnswered) => desk(turn).answer(event),
  'child.exited': (turn: DebateTurn, { id }: ChildExited) => {
    if (close(turn, id, { level: 'failed' }) !== undefined)
      settle(turn, { ...cardsOfDebate(id), because: 'the debate itself has failed' });
  },
} satisfies Rules<FacilitatorContext>;

type ApartContext = DeskApart<FacilitatorContext>;

export const debateFacilitator = ruledAgent({
  name: 'debate-facilitator',
  rules: RULES,
  context: contextOf,
  version: 5,
  // Version 1 had the regimes of finance in every field of work, version 2 no learning gate, version 3 left cards about
  // due reviews to their gates, and version 4 had a table for open debates and one for others.
  migrate: {
    2: (old: ApartContext): ApartContext => ({ ...old, pack: { ...old.pack, regimes: PACKS.finance.regimes } }),
    3: (old: ApartContext): ApartContext => ({ ...old, learning: NOTHING_LEARNED }),
    4: (old: ApartContext): ApartContext => ({ ...old, due: table() }),
    5: (old: ApartContext): FacilitatorContext => deskInOneTable(old, DEBATES),
  },
});

/** The agents for createSystem, together with {@link debateChildren}; `ports` are the host's own, if any. */
export function debateAgents(ports: Partial<DebatePorts> = {}): readonly AnyAgent[] {
  return [debateAgent(ports), debateFacilitator];
}

/** Child specifications of the desk and the Boss of its debates. */
export function debateChildren(input: FacilitatorInput = {}) {
  const [boss, own] = [COORDINATION_DESKS.openDebates, COORDINATION_DESKS.debates];
  return deskChildren({ desk: own, boss, agent: debateFacilitator.name, item: 'debate', input });
}

/** Records of debates, the oldest first. Without a filter: every open debate and the last 1,000 ended ones. */
export function debatesIn(
  context: Whole<FacilitatorContext>,
  { isOpen, agent, item }: z.output<typeof filter> = {},
): readonly DebateRecord[] {
  return recordsIn(context).filter(
    (record) =>
      (isOpen === undefined || record.isOver !== isOpen) &&
      (agent === undefined || record.challenger === agent || record.challenged === agent) &&
      (item === undefined || record.item === item),
  );
}

/** Ended debates, the oldest first: at most 1,000, however many are open. */
function pastIn(context: FacilitatorContext): ReturnType<typeof pastDebates> {
  return pastDebates(endedIn(context).reverse());
}

/** The lessons of past debates, on which people decide at the learning gate. */
function lessonsIn({ context }: DebateTurn): object {
  return { patterns: patternsOf(pastIn(context)) };
}

function loadsIn(turn: DebateTurn): readonly ExpertLoad[] {
  return Object.entries(turn.context.experts).map(([expert, { isAvailable }]) => ({
    expert,
    isAvailable,
    debates: queueOf(turn, expert).length,
  }));
}

/** The debates of one expert, in the order in which to take them. */
function queueOf(turn: DebateTurn, expert: string): readonly DebateRecord[] {
  const ids = [...turn.context.queues.values(pairsOf(expert))];
  return byUrgency(inArrivalOrder(ids.flatMap((id) => desk(turn).records.get(id) ?? [])));
}

function change(turn: DebateTurn, id: string, facts: Partial<Facts<DebateRecord>>): void {
  index(turn, id, () => desk(turn).change(id, facts));
}

function close(turn: DebateTurn, id: string, facts: Partial<Facts<DebateRecord>>): DebateRecord | undefined {
  dueNoMore(turn, id);
  return index(turn, id, () => desk(turn).close(id, facts));
}

/** Updates the experts' queues after a change of a debate. */
function index(turn: DebateTurn, id: string, changed: () => DebateRecord | undefined): DebateRecord | undefined {
  const before = desk(turn).records.get(id);
  const after = changed();
  if (before === undefined || after === undefined || expertOf(before) === expertOf(after)) return after;
  const [left, entered] = [expertOf(before), expertOf(after)];
  const rest = left === null ? turn.context.queues : turn.context.queues.delete(pairKey(left, id));
  turn.assign({ queues: entered === null ? rest : rest.set(pairKey(entered, id), id) });
  return after;
}

/** Opens a debate. Returns the problem if it cannot be opened. */
function open(turn: DebateTurn, data: Challenge): string | undefined {
  const { id, challenger, challenged } = data;
  const problem = undeclaredIn(turn.context.pack, data);
  if (problem !== undefined) return problem;
  if (challenger.agent === challenged.agent) return 'an agent cannot challenge its own finding';
  if (desk(turn).records.get(id) !== undefined) return `a debate "${id}" is there already`;
  const input = inputOf(turn, data);
  const opened = desk(turn).open(factsOf(data, { urgency: input.urgency, openedAtMs: turn.nowMs }), input);
  if (opened === undefined) return 'there is no Boss to start debates';
  for (const { agent, agentType = agent } of [challenger, challenged]) noteType(turn, agent, agentType);
  return undefined;
}

function inputOf(turn: DebateTurn, data: Challenge): Omit<DebateInput, 'desk'> {
  const { pack, formula, reviewers, nextGate } = turn.context;
  return {
    challenge: data,
    urgency: pack.priorities[data.priority]!, // undeclaredIn has checked it
    riskOrder: pack.riskOrders[data.valueKind] ?? null,
    measures: pack.measures,
    regimes: pack.regimes ?? [],
    formula,
    precedents: precedentsOf(pastIn(turn.context), data),
    loads: loadTexts(loadsIn(turn)),
    reviewers,
    nextGateAtMs: nextGate?.atMs ?? null,
  };
}

function confirm(
  turn: DebateTurn,
  { replyTo, ...message }: TalkMessage<'talk.confirmation'> & Asked,
): OrderReply | undefined {
  const meant = confirmedDebate(openDebates(turn), message);
  if ('problem' in meant) return refused(meant.problem);
  const { from: by, content } = message;
  return desk(turn).pass(meant.id, { type: 'debate.confirm', by, content, replyTo } satisfies ConfirmOrder & Asked);
}

function reviewNow(turn: DebateTurn, { debate, by }: z.output<typeof word>): OrderReply {
  const problem = desk(turn).problemOf(debate);
  if (problem !== undefined) return refused(problem);
  const stranger = strangerProblem(turn.context.reviewers, by);
  if (stranger !== undefined) return refused(stranger);
  const record = desk(turn).records.get(debate)!;
  if (record.level !== 'L4' && record.level !== 'deferred') return refused('the debate does not wait for a review');
  tell(turn, record, { type: 'review.due', gate: `requested by ${by}` });
  return TAKEN;
}

function resolved(turn: DebateTurn, { resolution }: Report<'debate.resolved'>): void {
  const { debate, outcome: level, provisional, analysis, resolvedAtMs, again } = resolution;
  const summary = summaryOf(resolution);
  const record = close(turn, debate, { level, provisional, analysis, summary });
  // A decision by people for one side is an override of the other.
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
  if (record.provedRight !== null) return refused(`the outcome is recorded already: ${record.provedRight}`);
  change(turn, debate, { provedRight: right });
  const isRight = (side: Side) => right === 'both' || right === side;
  observeBoth(turn, record, (side) => ({ isRight: isRight(side), isOverridden: null, ofDebate: true }), turn.nowMs);
  learn(turn, () => lessonsIn(turn));
  return TAKEN;
}

function giveRecords(turn: DebateTurn, { debate }: Report<'records.request'>): void {
  const record = desk(turn).records.get(debate);
  if (record === undefined) return;
  const of = (side: Side) => trackRecordIn(turn, record, side);
  const records = { challenger: of('challenger'), challenged: of('challenged') };
  tell(turn, record, { type: 'records.known', records, readings: turn.context.readings });
}

/** Assigns an expert. No other function does so, which keeps experts from getting a fourth debate. */
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

/** Presents provisional and deferred debates at a gate (CA-125, CA-132). */
function review(
  turn: DebateTurn,
  { gate, debates }: { readonly gate: string; readonly debates?: readonly string[] | undefined },
): OrderReply {
  const { nextGate, reviewers: audience } = turn.context;
  const concerned = openDebates(turn).filter(
    ({ id, item }) => debates === undefined || item === null || debates.includes(id),
  );
  if (debates === undefined || nextGate?.gate === gate) turn.assign({ nextGate: null });
  tellAll(turn, concerned, { type: 'review.due', gate });
  tellDue(turn, { gate, audience }, provisionalList(concerned));
  return TAKEN;
}

function tell(turn: DebateTurn, record: DebateRecord, event: DeskWord): void {
  desk(turn).tell(record, event);
}

function tellAll(turn: DebateTurn, records: readonly DebateRecord[], event: DeskWord): void {
  for (const record of records) if (record.ref !== null) tell(turn, record, event);
}

/** All open debates in order of arrival. O(open debates). */
function openDebates({ context }: DebateTurn): readonly DebateRecord[] {
  return inArrivalOrder(openIn(context));
}

function trackRecordIn(turn: DebateTurn, record: DebateRecord, side: Side): TrackRecord {
  const agent = record[side];
  const halfLifeYears = halfLifeOf(agentTypeOf(turn.context, agent), turn.context.halfLives);
  return trackRecordOf(trusted(observationsOf(turn.context, agent), turn.context.learning), {
    context: record.context,
    nowMs: turn.nowMs,
    halfLifeYears,
  });
}

/** Records one observation of each side. */
function observeBoth(
  turn: DebateTurn,
  record: DebateRecord,
  facts: (side: Side) => Pick<Observation, 'isRight' | 'isOverridden' | 'ofDebate'>,
  atMs: number,
): void {
  const { readings, pack } = turn.context;
  const regime = record.analysis?.regime ?? regimeOf(readings, pack.regimes);
  for (const side of ['challenger', 'challenged'] as const)
    observe(turn, record[side], [{ atMs, context: record.context, regime, ...facts(side) }]);
}
