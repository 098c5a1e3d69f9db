/**
 * The options that an agent declares for its effects and durable actions: how often a failed one is tried again, how
 * long one try may take, how often it has to send a heartbeat. Pure: reads no clock and draws no random number.
 */
import { type Backoff, backoffMs, DEFAULT_BACKOFF } from '../../backoff.ts';
import { messageOf } from '../../errors.ts';
import { disown, isThenable, promiseRefused } from '../../user-code.ts';

/** The number of tries and the delays between them. */
export interface RetryOptions {
  /**
   * The number of tries that may fail, the first included: 3 means that the third failure is final. A try that ended
   * with the process has not failed. A whole number from 1.
   */
  readonly attempts: number;
  /** Delays between tries. Default: from 200 ms, doubled each time up to 30 s, plus a random part of up to a fifth. */
  readonly backoff?: Partial<Backoff>;
  /**
   * Decides whether a thrown value is retried; false makes this failure final. Not called for an error with `retryable:
   * false`. A predicate that throws counts as false.
   */
  readonly retryIf?: (error: unknown) => boolean;
}

/**
 * The delays before an effect starts again after it failed for good and its machine, which did not handle that, goes on
 * from its committed state. So long that one such effect stays within the default intensity of a Boss, 3 in 5 seconds.
 */
export const RESTART_BACKOFF: Backoff = { minMs: 1_000, maxMs: 30_000, factor: 2, jitter: 0.2 };

/** The time after which a running effect counts as recovered; as in Kubernetes, for its containers. */
export const WELL_AFTER_MS = 600_000;

/** The retries and time limits of an effect. */
export interface EffectOptions {
  /**
   * The retries of the effect. Default: its machine is told of the first failure. An effect whose failure the machine
   * does not handle starts again after 1 second, doubled each time up to 30 seconds, plus up to a fifth.
   */
  readonly retry?: RetryOptions;
  /**
   * Time limit of one try, in milliseconds from its start. A try that exceeds it is aborted with BOSUN_EFFECT_TIMEOUT.
   * Default: none.
   */
  readonly timeoutMs?: number;
  /**
   * Longest silence of a try, in milliseconds. A try that exceeds it is aborted with BOSUN_EFFECT_HUNG. Default: none.
   */
  readonly heartbeatMs?: number;
}

/** The retries and time limits of a durable action. */
export interface ActionOptions {
  /** Marks the action as durable: it is recorded with its turn, and run until it has returned without throwing. */
  readonly durable: true;
  /** The retries of the action. Default: five tries with the default backoff. */
  readonly retry?: RetryOptions;
  /**
   * Time limit of one try, in milliseconds from its start. A try that exceeds it has failed with BOSUN_EFFECT_TIMEOUT.
   * Default: none.
   */
  readonly timeoutMs?: number;
}

/** {@link EffectOptions} with every default filled in. */
export interface EffectPolicy {
  readonly attempts: number;
  readonly backoff: Backoff;
  readonly retryIf: (error: unknown) => boolean;
  /** Time limit of one try; Infinity means no limit. */
  readonly timeoutMs: number;
  readonly heartbeatMs: number;
}

/** Default number of tries of a durable action. They span some 6 seconds, after which a person should intervene. */
const ACTION_ATTEMPTS = 5;

/**
 * Fills in the defaults of an effect's options.
 *
 * @throws RangeError that names the option.
 */
export function effectPolicy(
  { retry, timeoutMs = Infinity, heartbeatMs = Infinity }: EffectOptions,
  attempts = 1,
): EffectPolicy {
  const { attempts: tries = attempts, backoff, retryIf = () => true } = retry ?? {};
  const policy: EffectPolicy = {
    attempts: tries,
    backoff: { ...DEFAULT_BACKOFF, ...backoff },
    retryIf,
    timeoutMs,
    heartbeatMs,
  };
  const { minMs, maxMs, factor, jitter } = policy.backoff;
  check('retry.attempts', 'a whole number from 1', Number.isSafeInteger(tries) && tries >= 1);
  check('retry.backoff.minMs', 'a number from 0', Number.isFinite(minMs) && minMs >= 0);
  check('retry.backoff.maxMs', 'a number from 0', Number.isFinite(maxMs) && maxMs >= 0);
  check('retry.backoff.factor', 'a number from 1', Number.isFinite(factor) && factor >= 1);
  check('retry.backoff.jitter', 'a number from 0 to 1', Number.isFinite(jitter) && jitter >= 0 && jitter <= 1);
  check('timeoutMs', 'a number above 0', typeof timeoutMs === 'number' && timeoutMs > 0);
  check('heartbeatMs', 'a number above 0', typeof heartbeatMs === 'number' && heartbeatMs > 0);
  return Object.freeze(policy);
}

/**
 * Fills in the defaults of a durable action's options.
 *
 * @throws RangeError that names the option.
 */
export function actionPolicy({ durable, ...options }: ActionOptions): EffectPolicy {
  check('durable', 'true; leave out actions that are not durable', (durable as unknown) === true);
  return effectPolicy(options, ACTION_ATTEMPTS);
}

/**
 * Returns the delay before the next try, in milliseconds; undefined if the failure is final.
 *
 * @param failures Failures so far, this one included.
 * @param random A number in [0, 1).
 */
export function retryDelayMs(
  { attempts, backoff }: EffectPolicy,
  failures: number,
  random: number,
): number | undefined {
  return failures >= attempts ? undefined : backoffMs(failures - 1, backoff, random);
}

/**
 * Whether a thrown value may be tried again, by its own `retryable` and by the agent's `retryIf`, whose promise counts
 * as false. Never throws.
 */
export function isRetryable({ retryIf }: EffectPolicy, error: unknown, log: (line: string) => void): boolean {
  try {
    if ((error as { retryable?: unknown } | null | undefined)?.retryable === false) return false;
    const verdict: unknown = retryIf(error);
    if (!isThenable(verdict)) return Boolean(verdict);
    disown(verdict);
    log(`${promiseRefused('retryIf').message}; the failure is final`);
  } catch (thrown) {
    log(`retryIf threw: ${messageOf(thrown)}`);
  }
  return false;
}

function check(option: string, rule: string, holds: boolean): void {
  if (!holds) throw new RangeError(`${option} must be ${rule}`);
}
