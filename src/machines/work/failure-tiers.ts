/**
 * The tiers of failures and their consequences (seed 002, CA-039 to CA-042): tier 1 is retried, tier 2 pauses the item,
 * tier 3 fails it. Pure. An error may classify itself by properties of its own; most do not, and are classified by
 * code, status and name.
 */
import { cut, messageOf } from '../../errors.ts';
import { ERROR_TEXT_CHARS_MAX } from '../../limits.ts';
import { NAME_CHARS_MAX } from './message-schema.ts';

export type Tier = 1 | 2 | 3;

export interface Failure {
  readonly tier: Tier;
  /** A key of {@link ERROR_TIERS}, or any other type that the error names. */
  readonly errorType: string;
  readonly message: string;
  /** The endpoint or vendor of the data; null if the error does not name it. */
  readonly dataSource: string | null;
  /** Whether the error's own properties, code or status gave its type. */
  readonly isStated: boolean;
}

/** Tiers by error type. An unknown type is of tier 2. */
export const ERROR_TIERS: Readonly<Record<string, Tier>> = {
  timeout: 1,
  rate_limit: 1,
  server_error: 1,
  connection: 1,
  crash: 2,
  data_quality: 2,
  dependency_failure: 2,
  resource_exhaustion: 2,
  integrity_violation: 3,
  security_violation: 3,
  configuration_error: 3,
  irrecoverable_validation: 3,
};

/** Number of timeouts in a row on one data source from which they no longer count as transient (CA-040, CA-041). */
const CONSECUTIVE_TIMEOUTS_MAX = 3;

/** Error types by codes of Node and of Bosun. */
const TYPE_OF_CODE: Readonly<Record<string, string>> = {
  BOSUN_TIMEOUT: 'timeout',
  BOSUN_EFFECT_TIMEOUT: 'timeout',
  BOSUN_EFFECT_HUNG: 'timeout',
  ETIMEDOUT: 'timeout',
  ESOCKETTIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  ECONNREFUSED: 'connection',
  ECONNRESET: 'connection',
  EPIPE: 'connection',
  EAI_AGAIN: 'connection',
  ENOSPC: 'resource_exhaustion',
  EMFILE: 'resource_exhaustion',
  ENOMEM: 'resource_exhaustion',
  ERR_OUT_OF_MEMORY: 'resource_exhaustion',
};

const TOO_MANY_REQUESTS = 429;

/** Classifies any thrown value. Never throws. */
export function failureOf(thrown: unknown): Failure {
  const { errorType, dataSource, code, status, name, message } = saidBy(thrown);
  const stated =
    typeof errorType === 'string' && errorType !== ''
      ? errorType
      : (typeOfCode(code) ?? typeOfStatus(status) ?? typeOfStatus(code) ?? typeOfName(name));
  const type = stated ?? 'crash';
  return {
    tier: Object.hasOwn(ERROR_TIERS, type) ? ERROR_TIERS[type]! : 2,
    errorType: type.slice(0, NAME_CHARS_MAX),
    message: cut(typeof message === 'string' ? message : messageOf(thrown), ERROR_TEXT_CHARS_MAX),
    dataSource: typeof dataSource === 'string' && dataSource !== '' ? dataSource.slice(0, NAME_CHARS_MAX) : null,
    isStated: stated !== undefined,
  };
}

/** The error's own properties; none if reading them throws. */
function saidBy(thrown: unknown): Readonly<Record<string, unknown>> {
  if (typeof thrown !== 'object' || thrown === null) return {};
  try {
    const { errorType, dataSource, code, status, name, message } = thrown as Record<string, unknown>;
    return { errorType, dataSource, code, status, name, message };
  } catch {
    return {};
  }
}

/** The failed attempts of a task, as its stage counts them. */
export interface FailedAttempts {
  readonly count: number;
  /** Timeouts in a row on one data source, the last attempt included. */
  readonly timeouts: number;
  readonly last: Failure;
}

export function withAttempt(before: FailedAttempts | null, failure: Failure): FailedAttempts {
  const isInARow =
    before?.last.errorType === 'timeout' && before.last.dataSource === failure.dataSource ? before.timeouts : 0;
  return {
    count: (before?.count ?? 0) + 1,
    timeouts: failure.errorType === 'timeout' ? isInARow + 1 : 0,
    last: failure,
  };
}

/** The failure that ends the task; null if the task is tried again. */
export function endOf({ count, timeouts, last }: FailedAttempts, attemptsMax: number): Failure | null {
  if (!isRetried(last)) return last;
  return count >= attemptsMax || timeouts >= CONSECUTIVE_TIMEOUTS_MAX ? exhausted(last) : null;
}

/**
 * Whether another attempt may help. An error without a classification is retried as the plan says, because the author
 * of `retry` meant such errors; an error that states tier 2 or 3 is not.
 */
export function isRetried({ tier, isStated }: Failure): boolean {
  return tier === 1 || !isStated;
}

/** The failure of a task without attempts left: a tier 1 failure becomes tier 2, which pauses the item. */
export function exhausted(failure: Failure): Failure {
  return failure.tier === 1 ? { ...failure, tier: 2 } : failure;
}

function typeOfCode(code: unknown): string | undefined {
  if (typeof code !== 'string') return undefined;
  if (Object.hasOwn(ERROR_TIERS, code)) return code;
  return Object.hasOwn(TYPE_OF_CODE, code) ? TYPE_OF_CODE[code] : undefined;
}

function typeOfStatus(status: unknown): string | undefined {
  if (typeof status !== 'number') return undefined;
  if (status === TOO_MANY_REQUESTS) return 'rate_limit';
  return status >= 500 && status <= 599 ? 'server_error' : undefined;
}

function typeOfName(name: unknown): string | undefined {
  return name === 'TimeoutError' ? 'timeout' : undefined;
}
