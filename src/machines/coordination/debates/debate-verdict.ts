/**
 * The rules by which a debate ends: the effect of a response, a gate's answer, an acceptance, a score, and silence.
 * Pure.
 */
import { DEBATE_CONTRIBUTIONS_MAX } from '../../limits.ts';
import { type Contribution, flawOf, sideOf } from './challenge.ts';
import { otherSide } from './conservative-default.ts';
import { analysisOf, level2Facts, recommendedSide } from './debate-document.ts';
import { HISTORY, type LoadedHistory, REGIME, SNAPSHOT } from './debate-ports.ts';
import { type ReviewDecision, decisionOf, type ReviewAnswer, reviewAnswer } from './debate-review.ts';
import { type DebateContext, type DebateEvent, type DebateLevel, type Verdict } from './debate-state.ts';
import { level2Winner, type Side } from './level-two.ts';
import { type Known } from '../../work/port.ts';
import { REGIME_UNKNOWN } from '../credibility/regime.ts';

/** Confidence in a value that nobody has reviewed: it is as likely to be wrong as right. */
const CONFIDENCE_UNREVIEWED = 0.5;

const LEVELS: Readonly<Record<DebateLevel, Verdict['level']>> = {
  setup: 1,
  L1: 1,
  L2: 2,
  L3: 3,
  L4: 5,
  L5: 5,
  deferred: 3,
};

const BLANK = { side: null, own: null, note: null, by: null, addedContext: null } as const;

type Response = Extract<DebateEvent, { type: 'debate.respond' }>;

/** The changes that a response makes and why it is no defence by evidence (null if it is one), or why it is refused. */
export function hear(
  context: DebateContext,
  { by, statement, evidence, granted, position, snapshotId }: Response,
  atMs: number,
): { readonly refusal: string } | { readonly patch: Partial<DebateContext>; readonly flaw: string | null } {
  const { challenge, rounds, positions } = context;
  const side = sideOf(challenge, by);
  if (side === null) return { refusal: `${by} is no side of this debate` };
  if (rounds >= DEBATE_CONTRIBUTIONS_MAX) return { refusal: 'the debate has enough contributions' };
  if (snapshotId !== undefined && snapshotId !== context.snapshotId)
    return { refusal: `this debate uses the snapshot "${context.snapshotId}"` };
  const flaw = flawOf(challenge, evidence);
  const said: { [place in `said:${number}`]?: Contribution } = {
    [`said:${rounds}`]: { side, statement, evidence, granted, atMs, flaw },
  };
  const held = position === undefined ? {} : { positions: { ...positions, [side]: position } };
  return { patch: { rounds: rounds + 1, ...held, ...said } as Partial<DebateContext>, flaw };
}

/** Why an order about the debate is refused. */
export function refusalOf({ challenge, expert, level }: DebateContext, event: DebateEvent): string {
  const by = 'by' in event ? event.by : '';
  if (event.type === 'debate.take-up')
    return by === expert ? `there is nothing to take up at ${level}` : `${by} is not the expert of this debate`;
  if (sideOf(challenge, by) === null) return `${by} is no side of this debate`;
  if (event.type === 'debate.accept') return `nobody can accept at ${level}`;
  return by === challenge.challenged.agent
    ? 'the challenge is acknowledged already, or others decide now'
    : `${by} has nothing to acknowledge`;
}

/** Whether an event closes the gate that is open or was opened last. */
export function isOfOpenGate({ gate }: DebateContext, event: DebateEvent): boolean {
  return event.type === 'gate.closed' && event.result.gate === gate;
}

export function answerIn(context: DebateContext, event: DebateEvent): ReviewAnswer | null {
  return event.type === 'gate.closed' && isOfOpenGate(context, event) ? reviewAnswer(event.result) : null;
}

export function decisionIn(context: DebateContext, event: DebateEvent): ReviewDecision | null {
  const answer = answerIn(context, event);
  return answer === null
    ? null
    : decisionOf(answer, { recommended: recommendedSide(context), applied: context.provisional?.side ?? null });
}

/** The side whose position the facilitator may make binding; null if neither. */
export function winner(context: DebateContext, isOverflow: boolean): Side | null {
  return context.analysis === null ? null : level2Winner(context.analysis, level2Facts(context, isOverflow));
}

/** The verdict when one side accepts the other's position. */
export function consensus({ challenge, level }: DebateContext, event: DebateEvent): Verdict | null {
  const by = 'by' in event ? event.by : null;
  const side = by === null ? null : sideOf(challenge, by);
  return side === null
    ? null
    : { ...BLANK, side: otherSide(side), confidence: 1, level: LEVELS[level], method: 'consensus of both agents', by };
}

export function ofFacilitator(context: DebateContext, isOverflow: boolean): Verdict {
  const side = winner(context, isOverflow);
  const confidence = side === null ? 0 : context.analysis![side].score; // the winner comes from the analysis
  return {
    ...BLANK,
    side,
    confidence,
    level: 2,
    method: isOverflow ? 'credibility, as the experts are full' : 'credibility',
  };
}

/** The verdict from people's answer, which decides the debate or asks for another one. */
export function ofPeople(context: DebateContext, event: DebateEvent): Verdict | null {
  const answer = answerIn(context, event);
  const by = event.type === 'gate.closed' ? event.result.by : null;
  const level = LEVELS[context.level];
  if (answer?.action === 'redebate')
    return {
      ...BLANK,
      confidence: 0,
      level,
      method: 'sent back to be debated again',
      by,
      addedContext: answer.context,
    };
  const decision = decisionIn(context, event);
  // there is no decision without an answer
  return decision === null ? null : { ...BLANK, ...decision, level, method: methodOf(context, answer!, decision), by };
}

/** The verdict when nobody answered the reviews: the provisional value stands. */
export function ofSilence({ provisional }: DebateContext): Verdict {
  return {
    ...BLANK,
    side: provisional!.side,
    confidence: CONFIDENCE_UNREVIEWED,
    level: 5,
    method: 'the conservative default stands, nobody reviewed it',
  };
}

/** The credibility of both sides, in the regime that the port has given. */
export function weighed(context: DebateContext, said: Known<string>): Pick<DebateContext, 'analysis' | 'notKnown'> {
  const notKnown = said.isKnown ? context.notKnown : [...context.notKnown, REGIME.what];
  const { challenger, challenged } = context.records;
  if (challenger === undefined || challenged === undefined)
    return { analysis: null, notKnown: [...notKnown, 'the credibility of both'] };
  return {
    analysis: analysisOf(
      { ...context, notKnown },
      { challenger, challenged },
      said.isKnown ? said.value : REGIME_UNKNOWN,
    ),
    notKnown,
  };
}

/** Records the snapshot. A late or malformed one is recorded as unknown, and the debate continues without it. */
export function snapshotTaken({ notKnown }: DebateContext, said: Known<string>): Partial<DebateContext> {
  return said.isKnown ? { snapshotId: said.value } : { notKnown: [...notKnown, SNAPSHOT.what] };
}

/** Takes the memory's answer. A late or malformed one is recorded as unknown. */
export function historyLoaded({ notKnown }: DebateContext, said: Known<LoadedHistory>): Partial<DebateContext> {
  if (!said.isKnown) return { notKnown: [...notKnown, HISTORY.what] };
  const { precedents, cautions, records } = said.value;
  return {
    precedents,
    cautions,
    records: Object.fromEntries(Object.entries(records).filter(([, record]) => record !== undefined)),
  };
}

function methodOf({ level, provisional }: DebateContext, { action }: ReviewAnswer, { side }: ReviewDecision): string {
  if (action === 'accept-recommendation') return "the facilitator's recommendation, accepted by an expert";
  if (level === 'L3') return 'decision of an expert';
  if (provisional === null) return 'decision at a gate';
  return side === provisional.side ? 'confirmed at a gate' : 'overridden at a gate';
}
