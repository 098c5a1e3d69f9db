/** How the end of a debate comes about, as pure rules: what an answer, an acceptance, a score or silence means. */
import { describe, expect, it } from 'vitest';
import { DEBATE_CONTRIBUTIONS_MAX } from '../../../../src/limits.ts';
import { challenge } from '../../../../src/machines/coordination/debates/challenge.ts';
import { type TrackRecord } from '../../../../src/machines/coordination/credibility/credibility.ts';
import { type Provisional } from '../../../../src/machines/coordination/debates/provisional.ts';
import { type DebateContext, type DebateEvent } from '../../../../src/machines/coordination/debates/debate-state.ts';
import {
  answerIn,
  consensus,
  decisionIn,
  hear,
  historyOf,
  isOfOpenGate,
  ofFacilitator,
  ofPeople,
  ofSilence,
  weighed,
  winner,
} from '../../../../src/machines/coordination/debates/debate-verdict.ts';
import { CHALLENGE } from '../../../support/machines/debate-room.ts';

const CHECKED = challenge.parse(CHALLENGE);

function debate(facts: Partial<DebateContext> = {}): DebateContext {
  return {
    challenge: CHECKED,
    desk: null as never, // nothing here is sent to it
    riskOrder: null,
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

  it('CA-092: is put behind what was said before, and says why it is no defence where it is none', () => {
    expect(hear(debate({ rounds: 2 }), response, 7)).toEqual({
      patch: { rounds: 3, 'said:2': { ...said, atMs: 7, flaw: null } },
      flaw: null,
    });
    expect(hear(debate(), { ...response, evidence: [] }, 7)).toMatchObject({
      patch: { 'said:0': { flaw: 'brings no evidence' } },
      flaw: 'brings no evidence',
    });
  });

  it('CA-092: may change what its side holds', () => {
    const held = { ...CHECKED.positions.challenged, statement: '27 %', value: 0.27 };
    expect(hear(debate(), { ...response, position: held }, 0)).toMatchObject({
      patch: { positions: { challenger: CHECKED.positions.challenger, challenged: held } },
    });
  });

  it('CA-092: of nobody in the debate, or after all has been said, is not taken', () => {
    expect(hear(debate(), { ...response, by: 'zoe' }, 0)).toEqual({ refusal: 'zoe is no side of this debate' });
    expect(hear(debate({ rounds: DEBATE_CONTRIBUTIONS_MAX - 1 }), response, 0)).toHaveProperty('patch');
    expect(hear(debate({ rounds: DEBATE_CONTRIBUTIONS_MAX }), response, 0)).toEqual({
      refusal: 'enough has been said',
    });
  });

  it('CA-100: speaks of the facts that the debate is about, or of none in particular', () => {
    expect(hear(debate(), { ...response, snapshotId: 'facts' }, 0)).toHaveProperty('patch');
    expect(hear(debate(), { ...response, snapshotId: 'others' }, 0)).toEqual({ refusal: 'this debate is about facts' });
  });
});

describe('the answer of people', () => {
  it('CA-119: is heard from the gate that is open, and from nothing else', () => {
    expect([isOfOpenGate(debate(), closed(DECIDED)), answerIn(debate(), closed(DECIDED))]).toEqual([true, DECIDED]);
    for (const event of [closed(DECIDED, { gate: 'g-0' }), OTHER]) {
      expect(isOfOpenGate(debate(), event)).toBe(false);
      expect(answerIn(debate(), event)).toBe(null);
      expect(decisionIn(debate(), event)).toBe(null);
      expect(ofPeople(debate(), event)).toBe(null);
    }
  });

  it('CA-119: is none where nobody answered, or where it decides nothing', () => {
    expect(ofPeople(debate(), closed(null))).toBe(null);
    expect(ofPeople(debate(), closed({ action: 'request-evidence' }))).toBe(null);
  });

  it('CA-119: of an expert is a verdict of level 3, in their name', () => {
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

  it('CA-119: that accepts what is recommended says so, whatever the level', () => {
    const verdict = ofPeople(debate({ provisional: applied }), closed({ action: 'accept-recommendation' }));
    expect(verdict).toMatchObject({
      side: 'challenger',
      method: "the facilitator's recommendation, accepted by an expert",
    });
  });

  it('CA-133: at a gate decides, confirms or overrides', () => {
    const methodOf = (facts: Partial<DebateContext>, answer: object) =>
      ofPeople(debate({ level: 'L5', ...facts }), closed(answer))?.method;
    expect(methodOf({}, DECIDED)).toBe('decision at a gate');
    expect(methodOf({ provisional: applied }, { action: 'confirm' })).toBe('confirmed at a gate');
    expect(methodOf({ provisional: applied }, { action: 'override' })).toBe('overridden at a gate');
  });

  it('CA-133: sends a debate back with what is new', () => {
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
  it('CA-093: is the position of the side that somebody accepts', () => {
    const accepted = (by: string) => consensus(debate({ level: 'L1' }), { type: 'debate.accept', debate: 'd-1', by });
    expect(accepted('ada')).toMatchObject({ side: 'challenged', confidence: 1, level: 1, by: 'ada' });
    expect(accepted('bob')).toMatchObject({ side: 'challenger' });
  });

  it('CA-093: comes from nobody else', () => {
    expect(consensus(debate(), { type: 'debate.accept', debate: 'd-1', by: 'zoe' })).toBe(null);
    expect(consensus(debate(), { type: 'expert.lost' })).toBe(null);
  });
});

describe('the word of the facilitator', () => {
  const heard = {
    side: 'challenged',
    statement: 'by the plan',
    evidence: [{ kind: 'calculation', source: 'sheet', strength: 1 }],
    granted: [],
    atMs: 0,
    flaw: null,
  } as const;
  const records = { challenger: recordOf(0.2), challenged: recordOf(1) };

  it('is for nobody where credibility is not known', () => {
    expect(winner(debate(), false)).toBe(null);
    expect(ofFacilitator(debate(), false)).toMatchObject({ side: null, confidence: 0, level: 2 });
  });

  it('CA-116: is for the more credible side, with its score as confidence', () => {
    const said = debate({ rounds: 1, 'said:0': heard, records });
    const context = { ...said, ...weighed(said, 'BULL_LOW_RATES') };
    const score = context.analysis!.challenged.score;
    expect(score).toBeGreaterThan(context.analysis!.challenger.score);
    expect(ofFacilitator(context, false)).toMatchObject({
      side: 'challenged',
      confidence: score,
      method: 'credibility',
    });
    expect(ofFacilitator(context, true).method).toBe('credibility, as the experts are full');
  });

  it('weighs nothing where the record of one is not known, and says so', () => {
    const unknown = { analysis: null, notKnown: ['the credibility of both'] };
    expect(weighed(debate({ records: { challenger: recordOf(1) } }), 'calm')).toEqual(unknown);
    expect(weighed(debate({ records: { challenged: recordOf(1) } }), 'calm')).toEqual(unknown);
  });

  it('says where the regime is not known', () => {
    expect(weighed(debate({ records }), null)).toMatchObject({ notKnown: ['the regime'] });
    expect(weighed(debate({ records }), 'calm')).toMatchObject({ notKnown: [], analysis: { regime: 'calm' } });
  });
});

describe('silence', () => {
  it('CA-132: leaves the provisional value as it is, with half the confidence', () => {
    expect(ofSilence(debate({ provisional: applied }))).toMatchObject({
      side: 'challenger',
      confidence: 0.5,
      level: 5,
    });
  });
});

describe('what the memory said', () => {
  it('is kept where it is there', () => {
    const challenger = recordOf(0.8);
    const said = { precedents: [], cautions: ['once wrong'], records: { challenger, challenged: undefined } };
    expect(historyOf(said as never)).toStrictEqual({
      precedents: [],
      cautions: ['once wrong'],
      records: { challenger },
    });
  });
});
