/**
 * What kind of failure it is, and so what is done about it (seed 002, CA-039 to CA-042): tier 1 is tried again, tier 2
 * pauses the item, tier 3 fails it. Pure. An error says what it is by properties of its own; most say nothing, and are
 * read by their code, status and name.
 */
import { messageOf } from '../../errors.ts';
import { NAME_CHARS_MAX } from './message-schema.ts';

export type Tier = 1 | 2 | 3;

export interface Failure {
  readonly tier: Tier;
  /** One of {@link ERROR_TIERS}, or the word of whoever threw it. */
  readonly errorType: string;
  readonly message: string;
  /** Where the data was to come from: the endpoint or vendor; null where the error does not say. */
  readonly dataSource: string | null;
  /** Whether the error itself said what it is, or its code or status did. */
  readonly isStated: boolean;
}

/** Tiers by error type. A type that is not here is of tier 2. */
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

/** So many timeouts in a row on one data source are no passing trouble any more (CA-040, CA-041). */
const CONSECUTIVE_TIMEOUTS_MAX = 3;

/** Codes of Node and of Bosun. */
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

/** Reads whatever was thrown. */
export function failureOf(thrown: unknown): Failure {
  const { errorType, dataSource, code, status, name, message } = (
    typeof thrown === 'object' && thrown !== null ? thrown : {}
  ) as Record<string, unknown>;
  const stated =
    typeof errorType === 'string' && errorType !== ''
      ? errorType
      : (typeOfCode(code) ?? typeOfStatus(status) ?? typeOfStatus(code) ?? typeOfName(name));
  const type = stated ?? 'crash';
  return {
    tier: Object.hasOwn(ERROR_TIERS, type) ? ERROR_TIERS[type]! : 2,
    errorType: type.slice(0, NAME_CHARS_MAX),
    message: typeof message === 'string' ? message : messageOf(thrown),
    dataSource: typeof dataSource === 'string' && dataSource !== '' ? dataSource.slice(0, NAME_CHARS_MAX) : null,
    isStated: stated !== undefined,
  };
}

/** Failed attempts of a task, as its stage counts them. */
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

/** The failure that ends the task; null where it is tried again. */
export function endOf({ count, timeouts, last }: FailedAttempts, attemptsMax: number): Failure | null {
  if (!isRetried(last)) return last;
  return count >= attemptsMax || timeouts >= CONSECUTIVE_TIMEOUTS_MAX ? exhausted(last) : null;
}

/**
 * Whether another try may help. An error that says nothing is tried again as the plan says, because whoever wrote
 * `retry` into it meant such errors; one that says it is of tier 2 or 3 is believed.
 */
export function isRetried({ tier, isStated }: Failure): boolean {
  return tier === 1 || !isStated;
}

/** The failure of a task that has used up its attempts: what trying again did not cure pauses the item. */
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
