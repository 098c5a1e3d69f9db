/**
 * Virtual time in which each visit of an actor is a slice and so an epoch of its own, while kernel time stays exact:
 * only the turn loop finds its time used up whenever it looks.
 */
import { KernelTime } from '../../../../src/actors/world/time/kernel-time.ts';
import { TurnLoop } from '../../../../src/actors/loop/turn-loop.ts';
import { SLICE_MS } from '../../../../src/limits.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

let isLoopLooking = false;

export class SlicedClock extends VirtualClock {
  #looks = 0;

  override monotonicMs(): number {
    return super.monotonicMs() + (isLoopLooking ? ++this.#looks * (SLICE_MS + 1) : 0);
  }
}

/** Tells a SlicedClock who reads it. Returns how to stop that. */
export function sliceByVisits(): () => void {
  const { run } = TurnLoop.prototype;
  const { nowMs } = KernelTime.prototype;
  const looking = <Result>(is: boolean, look: () => Result): Result => {
    const was = isLoopLooking;
    isLoopLooking = is;
    try {
      return look();
    } finally {
      isLoopLooking = was;
    }
  };
  TurnLoop.prototype.run = function () {
    looking(true, () => run.call(this));
  };
  KernelTime.prototype.nowMs = function () {
    return looking(false, () => nowMs.call(this));
  };
  return () => Object.assign(TurnLoop.prototype, { run }) && void Object.assign(KernelTime.prototype, { nowMs });
}
