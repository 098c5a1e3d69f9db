/** By which pace a host is told that the disk does not keep up. */
import { describe, expect, it } from 'vitest';
import { AdmissionControl } from '../../../../src/actors/loop/inbound/admission-control.ts';

const WAITING = 4_000;

interface Epoch {
  readonly tookMs: number;
  readonly entered: number;
}

/** An intake with a queue, behind so many epochs. */
function behind(epochs: readonly Epoch[]): AdmissionControl {
  let nowMs = 0;
  const intake = new AdmissionControl(() => nowMs);
  intake.check(WAITING);
  for (const { tookMs, entered } of epochs) {
    nowMs += tookMs;
    for (let n = 0; n < entered; n++) intake.entered();
    intake.durable(WAITING);
  }
  return intake;
}

const many = (epoch: Epoch) => Array.from({ length: 400 }, () => epoch);

describe('an intake', () => {
  it('takes what the pace of the last epochs makes durable in time', () => {
    behind(many({ tookMs: 1_000, entered: 500 })).check(WAITING);
  });

  it('refuses what it would not, and says when to come again', () => {
    const refused = expect.objectContaining({ code: 'BOSUN_OVERLOADED', details: { retryAfterMs: 11_000 } }) as unknown;
    expect(() => behind(many({ tookMs: 2_000, entered: 500 })).check(WAITING)).toThrow(refused as Error);
  });

  it('takes an epoch that took in a single event for no pace of its own', () => {
    behind([...many({ tookMs: 3, entered: 500 }), { tookMs: 300, entered: 1 }]).check(WAITING);
  });

  it('takes the first epochs of a burst for no pace', () => {
    behind([
      { tookMs: 5, entered: 1 },
      { tookMs: 5, entered: 1 },
    ]).check(WAITING);
  });
});
