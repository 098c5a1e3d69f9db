/** Pure rules for the end of a debate: the effect of an answer, an acceptance, a score, and a missing answer. */
import { describe, expect, it } from 'vitest';
import { DEBATE_CONTRIBUTIONS_MAX } from '../../../../src/machines/limits.ts';
import { challenge } from '../../../../src/machines/coordination/debates/challenge.ts';
import { type TrackRecord } from '../../../../src/machines/coordination/credibility/credibility.ts';
import { type Provisional } from '../../../../src/machines/coordination/debates/provisional.ts';
import { type DebateContext, type DebateEvent } from '../../../../src/machines/coordination/debates/debate-state.ts';
import {
  answerIn,
  consensus,
  decisionIn,
  hear,
  historyLoaded,
  isOfOpenGate,
  ofFacilitator,
  ofPeople,
  ofSilence,
  weighed,
  winner,
} from '../../../../src/machines/coordination/debates/debate-verdict.ts';
import { HISTORY, REGIME } from '../../../../src/machines/coordination/debates/debate-ports.ts';
import { heard, late } from '../../../../src/machines/work/port.ts';
import { CHALLENGE } from '../../../support/machines/debate-room.ts';

const CHECKED = challenge.parse(CHALLENGE);
const calm = { isKnown: true, value: 'calm' } as const;

function debate(facts: Partial<DebateContext> = {}): DebateContext {
  return {
    challenge: CHECKED,
    desk: null as never, // nothing here is sent to it
    urgency: 'ordinary',
    riskOrder: null,
    measures: {},
    regimes: [],
    formula: 'product',
    precedents: [],
    loads: {},
    reviewers: [],
    nextGateAtMs: null,
    openedAtMs: 0,
    level: 'L3',
    snapshotId: 'facts',
    isUnacknowledged: false,
    positions: CHECKED.positions,
    rounds: 0,
    cautions: [],
    confirmations: [],
    records: {},
    readings: null,
    notKnown: [],
    analysis: null,
    expert: null,
    gate: 'g-1',
    gates: 1,
    reviewUntilMs: null,
    hasAskedMore: false,
    trigger: null,
    provisional: null,
    windowUntilMs: null,
    unanswered: 0,
    verdict: null,
    resolution: null,
    ...facts,
  };
}

function closed(answer: object | null, facts: { gate?: string } = {}): DebateEvent {
  const result = {
    gate: 'g-1',
    outcome: answer === null ? ('timedOut' as const) : ('answered' as const),
    answer,
    by: answer === null ? null : 'eve',
    onTimeout: null,
    openedAtMs: 0,
    closedAtMs: 1,
    reminders: 0,
    ...facts,
  };
  return { type: 'gate.closed', result };
}

const OTHER: DebateEvent = { type: 'debate.accept', debate: 'd-1', by: 'ada' };
const DECIDED = { action: 'decide', side: 'challenged', note: 'seen', confidence: 0.9 };

const applied: Provisional = {
  debate: 'd-1',
  topic: CHECKED.topic,
  mark: 'provisional - conservative default',
  trigger: 'timeout',
  side: 'challenger',
  position: CHECKED.positions.challenger,
  alternatives: [],
  rationale: 'more cautious',
  appliedAtMs: 0,
  overrideUntilMs: 1,
  dependents: [],
};

function recordOf(accuracy: number, facts: Partial<TrackRecord> = {}): TrackRecord {
  return {
    contextAccuracy: accuracy,
    contextWeight: 1,
    contextMatch: 'exact',
    overallAccuracy: accuracy,
    samples: 10_000,
    ageYears: 0,
    halfLifeYears: 2,
    regimes: {},
    currentAccuracy: accuracy,
    trend: null,
    overrideRate: 0,
    ...facts,
  };
}

describe('a response', () => {
  const response: Extract<DebateEvent, { type: 'debate.respond' }> = {
    type: 'debate.respond',
    debate: 'd-1',
    by: 'bob',
    statement: 'by the plan',
    evidence: [{ kind: 'calculation', source: 'sheet', strength: 1 }],
    granted: ['the filing'],
  };
  const said = { side: 'challenged', statement: 'by the plan', evidence: response.evidence, granted: ['the filing'] };

  it('CA-092: is appended to the contributions, with its flaw if it is no defence', () => {
    expect(hear(debate({ rounds: 2 }), response, 7)).toEqual({
      patch: { rounds: 3, 'said:2': { ...said, atMs: 7, flaw: null } },
      flaw: null,
    });
    expect(hear(debate(), { ...response, evidence: [] }, 7)).toMatchObject({
      patch: { 'said:0': { flaw: 'brings no evidence' } },
      flaw: 'brings no evidence',
    });
  });

  it('CA-092: may change the position of its side', () => {
    const held = { ...CHECKED.positions.challenged, statement: '27 %', value: 0.27 };
    expect(hear(debate(), { ...response, position: held }, 0)).toMatchObject({
      patch: { positions: { challenger: CHECKED.positions.challenger, challenged: held } },
    });
  });

  it('CA-092: is refused if its agent is no side of the debate, or if the debate has enough contributions', () => {
    expect(hear(debate(), { ...response, by: 'zoe' }, 0)).toEqual({ refusal: 'zoe is no side of this debate' });
    expect(hear(debate({ rounds: DEBATE_CONTRIBUTIONS_MAX - 1 }), response, 0)).toHaveProperty('patch');
    expect(hear(debate({ rounds: DEBATE_CONTRIBUTIONS_MAX }), response, 0)).toEqual({
      refusal: 'the debate has enough contributions',
    });
  });

  it('CA-100: refers to the snapshot of the debate or to none, and is refused for any other snapshot', () => {
    expect(hear(debate(), { ...response, snapshotId: 'facts' }, 0)).toHaveProperty('patch');
    expect(hear(debate(), { ...response, snapshotId: 'others' }, 0)).toEqual({
      refusal: 'this debate uses the snapshot "facts"',
    });
  });
});

describe('the answer of people to a debate', () => {
  it('CA-119: counts only from the gate that is open', () => {
    expect([isOfOpenGate(debate(), closed(DECIDED)), answerIn(debate(), closed(DECIDED))]).toEqual([true, DECIDED]);
    for (const event of [closed(DECIDED, { gate: 'g-0' }), OTHER]) {
      expect(isOfOpenGate(debate(), event)).toBe(false);
      expect(answerIn(debate(), event)).toBe(null);
      expect(decisionIn(debate(), event)).toBe(null);
      expect(ofPeople(debate(), event)).toBe(null);
    }
  });

  it('CA-119: is no verdict if it is missing or decides nothing', () => {
    expect(ofPeople(debate(), closed(null))).toBe(null);
    expect(ofPeople(debate(), closed({ action: 'request-evidence' }))).toBe(null);
  });

  it('CA-119: is a verdict of level 3 in the name of the expert who gives it', () => {
    expect(ofPeople(debate(), closed(DECIDED))).toEqual({
      side: 'challenged',
      own: null,
      confidence: 0.9,
      note: 'seen',
      level: 3,
      method: 'decision of an expert',
      by: 'eve',
      addedContext: null,
    });
  });

  it('CA-119: records that it accepts the recommendation, whatever the level', () => {
    const verdict = ofPeople(debate({ provisional: applied }), closed({ action: 'accept-recommendation' }));
    expect(verdict).toMatchObject({
      side: 'challenger',
      method: "the facilitator's recommendation, accepted by an expert",
    });
  });

  it('CA-133: is recorded as a decision, a confirmation or an override at a gate', () => {
    const methodOf = (facts: Partial<DebateContext>, answer: object) =>
      ofPeople(debate({ level: 'L5', ...facts }), closed(answer))?.method;
    expect(methodOf({}, DECIDED)).toBe('decision at a gate');
    expect(methodOf({ provisional: applied }, { action: 'confirm' })).toBe('confirmed at a gate');
    expect(methodOf({ provisional: applied }, { action: 'override' })).toBe('overridden at a gate');
  });

  it('CA-133: sends a debate back with the added context', () => {
    expect(ofPeople(debate({ level: 'L5' }), closed({ action: 'redebate', context: 'a new filing' }))).toMatchObject({
      side: null,
      confidence: 0,
      level: 5,
      method: 'sent back to be debated again',
      by: 'eve',
      addedContext: 'a new filing',
    });
  });
});

describe('a consensus', () => {
  it('CA-093: is the position of one side, accepted by the other', () => {
    const accepted = (by: string) => consensus(debate({ level: 'L1' }), { type: 'debate.accept', debate: 'd-1', by });
    expect(accepted('ada')).toMatchObject({ side: 'challenged', confidence: 1, level: 1, by: 'ada' });
    expect(accepted('bob')).toMatchObject({ side: 'challenger' });
  });

  it('CA-093: cannot come from an agent outside the debate', () => {
    expect(consensus(debate(), { type: 'debate.accept', debate: 'd-1', by: 'zoe' })).toBe(null);
    expect(consensus(debate(), { type: 'expert.lost' })).toBe(null);
  });
});

describe('the verdict of the facilitator', () => {
  const heard = {
    side: 'challenged',
    statement: 'by the plan',
    evidence: [{ kind: 'calculation', source: 'sheet', strength: 1 }],
    granted: [],
    atMs: 0,
    flaw: null,
  } as const;
  const records = { challenger: recordOf(0.2), challenged: recordOf(1) };

  it('favours neither side if credibility is unknown', () => {
    expect(winner(debate(), false)).toBe(null);
    expect(ofFacilitator(debate(), false)).toMatchObject({ side: null, confidence: 0, level: 2 });
  });

  it('CA-116: favours the more credible side, with its score as confidence', () => {
    const said = debate({ rounds: 1, 'said:0': heard, records });
    const context = { ...said, ...weighed(said, { isKnown: true, value: 'BULL_LOW_RATES' }) };
    const score = context.analysis!.challenged.score;
    expect(score).toBeGreaterThan(context.analysis!.challenger.score);
    expect(ofFacilitator(context, false)).toMatchObject({
      side: 'challenged',
      confidence: score,
      method: 'credibility',
    });
    expect(ofFacilitator(context, true).method).toBe('credibility, as the experts are full');
  });

  it('weighs nothing if the track record of one side is unknown, and notes that', () => {
    const unknown = { analysis: null, notKnown: ['the credibility of both'] };
    expect(weighed(debate({ records: { challenger: recordOf(1) } }), calm)).toEqual(unknown);
    expect(weighed(debate({ records: { challenged: recordOf(1) } }), calm)).toEqual(unknown);
  });

  it('notes that the regime is unknown', () => {
    expect(weighed(debate({ records }), late(REGIME))).toMatchObject({ notKnown: ['the regime'] });
    expect(weighed(debate({ records }), calm)).toMatchObject({
      notKnown: [],
      analysis: { regime: 'calm' },
    });
  });
});

describe('an unanswered review', () => {
  it('CA-132: leaves the provisional value as it is, with half the confidence', () => {
    expect(ofSilence(debate({ provisional: applied }))).toMatchObject({
      side: 'challenger',
      confidence: 0.5,
      level: 5,
    });
  });
});

describe('the answer of the historical memory', () => {
  it('is stored without the fields that it leaves undefined', () => {
    const challenger = recordOf(0.8);
    const said = { precedents: [], cautions: ['once wrong'], records: { challenger, challenged: undefined } };
    expect(historyLoaded(debate(), heard(HISTORY, { output: said }))).toStrictEqual({
      precedents: [],
      cautions: ['once wrong'],
      records: { challenger },
    });
  });
});
