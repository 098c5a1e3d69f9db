/** What to do after a close, as rules: whether to come back, with what, and when. Decides; line.ts acts. */
import { type AfterClose, afterClose, CLOSES } from '../gateway/protocol/protocol.ts';
import { BACKOFF_MAX_MS, BACKOFF_MIN_MS } from './bounds.ts';

export interface ConnectionBreak {
  /** Of the close; 1006 for a line that broke. */
  readonly code: number;
  readonly reason: string;
  /** Breaks in a row, this one not counted. */
  readonly tries: number;
  /** In [0, 1). */
  readonly random: number;
  /** A new token can be had, and has not been asked for since the last welcome. */
  readonly canRenew: boolean;
  /** Where the gateway has said in which range of ms to come back. */
  readonly windowMs: readonly [number, number] | undefined;
}

export interface NextStep {
  readonly then: AfterClose;
  /** Milliseconds; 0 for `stop`. */
  readonly waitMs: number;
}

/**
 * Full jitter: a random time up to `min(30 s, 250 ms * 2^tries)`. An overloaded gateway is spared four times as long.
 */
export function afterBreak({ code, reason, tries, random, canRenew, windowMs }: ConnectionBreak): NextStep {
  const then = afterClose(code);
  if (then === 'stop' || (then === 'authenticate' && !canRenew)) return { then: 'stop', waitMs: 0 };
  const spared = code === CLOSES.overloaded.code ? 2 : 0;
  const jitterMs = random * Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** (tries + spared));
  if (windowMs !== undefined) return { then, waitMs: windowMs[0] + random * (windowMs[1] - windowMs[0]) };
  const retryAfterMs = Number(/retryAfterMs=(\d+)/.exec(reason)?.[1] ?? 0);
  return { then, waitMs: retryAfterMs + jitterMs };
}
