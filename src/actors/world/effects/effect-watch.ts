/**
 * Watches one start of an effect, and fires when it takes too long or is silent for too long. Time is counted in this
 * process from the start on; it is not stored, because a restore makes another start.
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

  /**
   * Watches a start.
   *
   * @param over Called once, with the violated limit as an error.
   */
  constructor(parts: { policy: EffectPolicy; clock: Clock; time: KernelTime; over: (error: BosunError) => void }) {
    this.#policy = parts.policy;
    this.#time = parts.time;
    this.#startMs = this.#heardMs = parts.time.nowMs();
    this.#alarm = new Alarm(parts.clock, parts.time, () => this.#look(parts.over));
    this.#alarm.set(this.#nextMs);
  }

  /** Records that the effect is alive. It only reads the clock; the alarm checks the time when it fires. */
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
      over(new BosunError('BOSUN_EFFECT_TIMEOUT', `the effect took longer than ${timeoutMs} ms`));
    else if (nowMs >= this.#heardMs + heartbeatMs)
      over(new BosunError('BOSUN_EFFECT_HUNG', `the effect sent no heartbeat for more than ${heartbeatMs} ms`));
    else this.#alarm.set(this.#nextMs);
  }
}
