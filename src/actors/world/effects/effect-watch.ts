/**
 * Watches one start of an effect: rings when it takes too long or is silent for too long. Its time is that of this
 * process, since the start was; it is not stored, because a restore makes another start.
 */
import { type Clock } from '../../../clock.ts';
import { BosunError } from '../../../errors.ts';
import { type EffectPolicy } from '../../model/effect-policy.ts';
import { Alarm, type KernelTime } from '../time/kernel-time.ts';

export class Watch {
  readonly #policy: EffectPolicy;
  readonly #time: KernelTime;
  readonly #alarm: Alarm;
  readonly #startMs: number;
  #heardMs: number;

  /** @param over Called once, with what the effect did wrong. */
  constructor(parts: { policy: EffectPolicy; clock: Clock; time: KernelTime; over: (error: BosunError) => void }) {
    this.#policy = parts.policy;
    this.#time = parts.time;
    this.#startMs = this.#heardMs = parts.time.nowMs();
    this.#alarm = new Alarm(parts.clock, parts.time, () => this.#look(parts.over));
    this.#alarm.set(this.#nextMs);
  }

  /** The effect is alive. Costs nothing but a look at the clock: the alarm finds out when it rings. */
  beat(): void {
    this.#heardMs = this.#time.nowMs();
  }

  end(): void {
    this.#alarm.set(undefined);
  }

  get #nextMs(): number {
    return Math.min(this.#startMs + this.#policy.timeoutMs, this.#heardMs + this.#policy.heartbeatMs);
  }

  #look(over: (error: BosunError) => void): void {
    const { timeoutMs, heartbeatMs } = this.#policy;
    const nowMs = this.#time.nowMs();
    if (nowMs >= this.#startMs + timeoutMs)
      over(new BosunError('BOSUN_EFFECT_TIMEOUT', `it took longer than ${timeoutMs} ms`));
    else if (nowMs >= this.#heardMs + heartbeatMs)
      over(new BosunError('BOSUN_EFFECT_HUNG', `it was silent for more than ${heartbeatMs} ms`));
    else this.#alarm.set(this.#nextMs);
  }
}
