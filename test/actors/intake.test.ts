/** By which pace a host is told that the disk does not keep up. */
import { describe, expect, it } from 'vitest';
import { Intake } from '../../src/actors/door/intake.ts';

const WAITING = 4_000;

/** An intake with a queue, behind so many epochs. */
function behind(epochs: readonly { readonly tookMs: number; readonly told: number }[]): Intake {
  let nowMs = 0;
  const intake = new Intake(() => nowMs);
  intake.check(WAITING);
  for (const { tookMs, told } of epochs) {
    nowMs += tookMs;
    intake.durable(told, WAITING);
  }
  return intake;
}

const many = (epoch: { readonly tookMs: number; readonly told: number }) => Array.from({ length: 20 }, () => epoch);

describe('an intake', () => {
  it('takes what the pace of the last epochs makes durable in time', () => {
    behind(many({ tookMs: 1_000, told: 500 })).check(WAITING);
  });

  it('refuses what it would not, and says when to come again', () => {
    const refused = expect.objectContaining({ code: 'BOSUN_OVERLOADED', details: { retryAfterMs: 11_000 } }) as unknown;
    expect(() => behind(many({ tookMs: 2_000, told: 500 })).check(WAITING)).toThrow(refused as Error);
  });

  it('takes an epoch that told a single host for no pace of its own', () => {
    behind([...many({ tookMs: 3, told: 500 }), { tookMs: 300, told: 1 }]).check(WAITING);
  });
});
