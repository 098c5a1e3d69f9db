/** A challenge under the seed's own names. */
import { describe, expect, it } from 'vitest';
import { challenge } from '../../../../src/machines/coordination/debates/challenge.ts';
import { challengeFromWire, challengeToWire } from '../../../../src/machines/coordination/debates/challenge-wire.ts';
import { provisionalOf } from '../../../../src/machines/coordination/debates/provisional.ts';
import { CHALLENGE } from '../../../support/machines/debate-room.ts';

const WIRE = {
  challenge_id: 'd-1',
  challenger: 'ada',
  challenged: 'bob',
  disputed_finding: 'The margin is 28 %.',
  challenge_basis: 'The filing says 25 %.',
  required_evidence: ['filing', 'calculation'],
  escalation_timer: 3600,
  priority: 'valuation',
  provisional_resolution: null,
};

describe('the wire form of a challenge', () => {
  it('CA-095: has the fields of the seed, by default a timer of 3600 seconds and no provisional resolution', () => {
    expect(challengeToWire(challenge.parse(CHALLENGE), null)).toEqual(WIRE);
  });

  it('CA-095: is read back as the same challenge, with an escalation timer of an hour by default', () => {
    expect(challengeToWire(challengeFromWire(WIRE), null)).toEqual(WIRE);
    expect(challengeFromWire({ ...WIRE, escalation_timer: undefined })).toMatchObject({
      escalationMs: 3_600_000,
      positions: { challenged: { statement: 'The margin is 28 %.' } },
    });
    expect(() => challengeFromWire({ ...WIRE, priority: 7 })).toThrow(/priority/);
  });

  it('CA-095: carries a provisional resolution once the debate has one', () => {
    const checked = challenge.parse(CHALLENGE);
    const provisional = provisionalOf(checked, {
      positions: checked.positions,
      riskOrder: 'lowest',
      trigger: 'timeout',
      nowMs: 0,
      nextGateAtMs: null,
    });
    expect(challengeToWire(checked, provisional).provisional_resolution).toEqual({
      position: '25 %',
      rationale: provisional.rationale,
      override_until: '1970-01-02T00:00:00.000Z',
    });
  });
});
