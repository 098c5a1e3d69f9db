/** The pace of the disk by which a host learns that the disk does not keep up. */
import { describe, expect, it } from 'vitest';
import { AdmissionControl } from '../../../../src/actors/loop/inbound/admission-control.ts';

const WAITING = 4_000;

interface Epoch {
  readonly tookMs: number;
  readonly entered: number;
}

/** An admission control that has seen the given epochs. */
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

describe('the admission control', () => {
  it('admits events that the pace of the last epochs makes durable in time', () => {
    behind(many({ tookMs: 1_000, entered: 500 })).check(WAITING);
  });

  it('refuses events that it would not make durable in time, with a short delay until the retry (F17)', () => {
    const refused = expect.objectContaining({ code: 'BOSUN_OVERLOADED', details: { retryAfterMs: 5_000 } }) as unknown;
    expect(() => behind(many({ tookMs: 2_000, entered: 500 })).check(WAITING)).toThrow(refused as Error);
  });

  it('ignores the pace of an epoch with a single event', () => {
    behind([...many({ tookMs: 3, entered: 500 }), { tookMs: 300, entered: 1 }]).check(WAITING);
  });

  it('ignores the pace of the first epochs of a burst', () => {
    behind([
      { tookMs: 5, entered: 1 },
      { tookMs: 5, entered: 1 },
    ]).check(WAITING);
  });
});
