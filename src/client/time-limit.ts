/** Time limits that users give. */
import { ClientError } from './client-error.ts';

/** Checks a time limit, which may be as long as one likes, and Infinity. Throws BOSUN_CALL_INVALID. */
export function checkTimeLimit(timeoutMs: unknown): void {
  if (timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs >= 0)) return;
  throw new ClientError('BOSUN_CALL_INVALID', 'timeoutMs must be a number of milliseconds, 0 or more');
}

/** The delay that an error names for a retry, in ms; `otherwise` if it names none that makes sense. */
export function retryDelayMs({ details }: ClientError, otherwise: number): number {
  const ms = Number(details['retryAfterMs']);
  return Number.isFinite(ms) && ms > 0 ? ms : otherwise;
}
