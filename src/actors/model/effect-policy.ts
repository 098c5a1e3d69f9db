/**
 * What an agent declares about its effects and durable actions: how often a failed one is tried again, how long one try
 * may take, how often it has to show that it is alive. Pure: reads no clock and draws no number.
 */
import { type Backoff, backoffMs, DEFAULT_BACKOFF } from '../../backoff.ts';
import { messageOf } from '../../errors.ts';

export interface RetryOptions {
  /**
   * How many tries may fail, the first included: 3 means that the third failure is the last. A try that ended with the
   * process has not failed. A whole number from 1.
   */
  readonly attempts: number;
  /** Delays between tries. Default: from 200 ms, doubled each time up to 30 s, plus up to a fifth by chance. */
  readonly backoff?: Partial<Backoff>;
  /**
   * Asked with what was thrown, as it was thrown. False: this failure is the last. An error that says `retryable:
   * false` about itself is not asked about. A predicate that throws has said no.
   */
  readonly retryIf?: (error: unknown) => boolean;
}

export interface EffectOptions {
  /** Default: a failure is never tried again. */
  readonly retry?: RetryOptions;
  /**
   * How long one try may take, milliseconds from its start. Over it the try is aborted: BOSUN_EFFECT_TIMEOUT. Default:
   * for ever.
   */
  readonly timeoutMs?: number;
  /** How long it may be silent, milliseconds. Over it the try is aborted: BOSUN_EFFECT_HUNG. Default: for ever. */
  readonly heartbeatMs?: number;
}

export interface ActionOptions {
  /** Recorded with its turn, and run until it has returned without a throw. */
  readonly durable: true;
  /** Default: five tries with the default backoff. */
  readonly retry?: RetryOptions;
  /**
   * How long one try may take, milliseconds from its start. Over it the try has failed: BOSUN_EFFECT_TIMEOUT. Default:
   * for ever.
   */
  readonly timeoutMs?: number;
}

/** {@link EffectOptions} with every default filled in. */
export interface EffectPolicy {
  readonly attempts: number;
  readonly backoff: Backoff;
  readonly retryIf: (error: unknown) => boolean;
  /** Infinity: no bound. */
  readonly timeoutMs: number;
  readonly heartbeatMs: number;
}

/** Tries of a durable action where its agent does not say: over some 6 seconds, then a person should look. */
const ACTION_ATTEMPTS = 5;

/** @throws RangeError that names the option. */
export function effectPolicy({ retry, timeoutMs, heartbeatMs }: EffectOptions, attempts = 1): EffectPolicy {
  const policy: EffectPolicy = {
    attempts: retry?.attempts ?? attempts,
    backoff: { ...DEFAULT_BACKOFF, ...retry?.backoff },
    retryIf: retry?.retryIf ?? (() => true),
    timeoutMs: timeoutMs ?? Infinity,
    heartbeatMs: heartbeatMs ?? Infinity,
  };
  const { minMs, maxMs, factor, jitter } = policy.backoff;
  check('retry.attempts', 'a whole number from 1', Number.isSafeInteger(policy.attempts) && policy.attempts >= 1);
  check('retry.backoff.minMs', 'a number from 0', minMs >= 0 && Number.isFinite(minMs));
  check('retry.backoff.maxMs', 'a number from 0', maxMs >= 0 && Number.isFinite(maxMs));
  check('retry.backoff.factor', 'a number from 1', factor >= 1 && Number.isFinite(factor));
  check('retry.backoff.jitter', 'a number from 0 to 1', jitter >= 0 && jitter <= 1);
  check('timeoutMs', 'a number above 0', policy.timeoutMs > 0);
  check('heartbeatMs', 'a number above 0', policy.heartbeatMs > 0);
  return Object.freeze(policy);
}

/** @throws RangeError that names the option. */
export function actionPolicy({ durable, ...options }: ActionOptions): EffectPolicy {
  check('durable', 'true: an action that is not is not declared', (durable as unknown) === true);
  return effectPolicy(options, ACTION_ATTEMPTS);
}

/**
 * How long to wait before the next try, milliseconds; undefined where the failure is the last.
 *
 * @param failures So far, this one included.
 * @param random In [0, 1).
 */
export function retryDelayMs(
  { attempts, backoff }: EffectPolicy,
  failures: number,
  random: number,
): number | undefined {
  return failures >= attempts ? undefined : backoffMs(failures - 1, backoff, random);
}

/** Whether what was thrown may be tried again, by what it says itself and by what the agent says. Never throws. */
export function isRetryable({ retryIf }: EffectPolicy, error: unknown, log: (line: string) => void): boolean {
  try {
    return (error as { retryable?: unknown } | null | undefined)?.retryable !== false && retryIf(error);
  } catch (thrown) {
    log(`retryIf threw: ${messageOf(thrown)}`);
    return false;
  }
}

function check(option: string, rule: string, holds: boolean): void {
  if (!holds) throw new RangeError(`${option} is ${rule}`);
}
