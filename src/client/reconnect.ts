/** The rules after a close: whether to reconnect, with which token, and when. Pure; client-connection.ts acts. */
import { type AfterClose, afterClose, CLOSES } from '../gateway/protocol/protocol.ts';
import { BACKOFF_MAX_MS, BACKOFF_MIN_MS } from './bounds.ts';

export interface ConnectionBreak {
  /** The close code; 1006 for a broken connection. */
  readonly code: number;
  readonly reason: string;
  /** Earlier breaks in a row. */
  readonly tries: number;
  /** A random number in [0, 1). */
  readonly random: number;
  /** Whether a new token can be requested and was not since the last welcome. */
  readonly canRenew: boolean;
  /** Range of ms in which the gateway asked to reconnect, if it did. */
  readonly windowMs: readonly [number, number] | undefined;
}

export interface NextStep {
  readonly then: AfterClose;
  /** Milliseconds to wait; 0 for `stop`. */
  readonly waitMs: number;
}

/**
 * The next step. Delays have full jitter: a random time up to `min(30 s, 250 ms * 2^tries)`, four times as long for an
 * overloaded gateway.
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
