/**
 * Signatures of failures: a hash over agent type, error type, data source and the message without its variable parts
 * (seed 002, CA-059 to CA-062). Pure; correlation.ts uses the signatures.
 */
import { createHash } from 'node:crypto';

/** The facts that identify a kind of failure. */
export interface FailureFacts {
  readonly agentType: string;
  readonly errorType: string;
  /** The data source that the agent queried; null if none. */
  readonly dataSource: string | null;
  readonly errorMessage: string;
}

/** The known meaning of a message (CA-062). */
export type Pattern = 'api_quota_exceeded' | 'network' | 'data_not_found' | 'data_missing_field';

/** The stored record of one failure. */
export interface FailureRecord {
  readonly id: string;
  readonly item: string;
  readonly agentType: string;
  readonly errorType: string;
  readonly dataSource: string | null;
  readonly signature: string;
  readonly pattern: Pattern | null;
  readonly atMs: number;
}

/** CA-060: characters of a signature, hexadecimal. */
const SIGNATURE_CHARS = 16;

/** CA-062: characters kept of a message without a known pattern. */
const MESSAGE_CHARS_MAX = 50;

/** Patterns in order of precedence (CA-062): a quota error answered with "connection closed" is a quota error. */
const PATTERNS: readonly (readonly [Pattern, RegExp])[] = [
  ['api_quota_exceeded', /LIMIT_EXCEEDED|quota|rate[\s_-]?limit|too many requests/i],
  [
    'network',
    /time[ds]?[\s_-]?out|ETIMEDOUT|connection\s+(?:was\s+)?(?:refused|reset|closed)|ECONN(?:REFUSED|RESET|ABORTED)/i,
  ],
  ['data_not_found', /\b404\b|not[\s_-]?found/i],
  ['data_missing_field', /missing\s+required|field\s+(?:\S+\s+)?(?:is\s+)?not\s+present/i],
];

const UUID = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi;
const DATE_AND_TIME = /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?(?:Z\b|[+-]\d{2}:?\d{2}\b)?/g;
const TIME = /\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\b(?:\s?UTC\b|Z\b)?/g;
/** Matches seconds or milliseconds since 1970. */
const EPOCH = /\b1\d{9}(?:\d{3})?\b/g;
/** Matches ids such as "request id: 7f3a", "X-Request-ID=7f3a", "req_7f3a" and "trace-id 7f3a". */
const REQUEST_ID =
  /\b(?:x-)?(?:request|req|trace|correlation)[\s_-]?id\b["']?\s*[:=#]?\s*["']?[\w-]+["']?|\breq[_-][\w-]*\d[\w-]*/gi;
/** Matches usage figures such as "1000/1000" and "1,200 / 1,000". */
const USED_OF_LIMIT = /\b(\d[\d,]*)\s?\/\s?(\d[\d,]*)\b/g;

/**
 * The signature of a failure: 16 hexadecimal digits of SHA-256 over the four parts, joined by colons. Failures of one
 * kind have equal signatures.
 */
export function signatureOf({ agentType, errorType, dataSource, errorMessage }: FailureFacts): string {
  // Colons inside a part are escaped, so that it does not read as two parts.
  const parts = [agentType, errorType, dataSource ?? '', normalise(errorMessage)].map((part) =>
    part.replaceAll(/[%:]/g, encodeURIComponent),
  );
  return createHash('sha256').update(parts.join(':')).digest('hex').slice(0, SIGNATURE_CHARS);
}

/** The message without times and ids: the name of its pattern if it has one, else its first 50 characters. */
export function normalise(message: string): string {
  const bare = stripped(message);
  return patternIn(bare) ?? bare.slice(0, MESSAGE_CHARS_MAX).trimEnd();
}

/** The pattern of a failure by its message, else by its error type; null if neither matches. */
export function patternOf({ errorMessage, errorType }: FailureFacts): Pattern | null {
  return patternIn(stripped(errorMessage)) ?? patternIn(errorType.replaceAll(/([a-z])([A-Z])/g, '$1 $2'));
}

function patternIn(text: string): Pattern | null {
  return PATTERNS.find(([name, words]) => text === name || words.test(text))?.[0] ?? null;
}

function stripped(message: string): string {
  return message
    .replaceAll(UUID, '')
    .replaceAll(REQUEST_ID, '')
    .replaceAll(DATE_AND_TIME, '')
    .replaceAll(TIME, '')
    .replaceAll(EPOCH, '')
    .replaceAll(USED_OF_LIMIT, (whole, used: string, limit: string) =>
      numberIn(used) >= numberIn(limit) ? 'LIMIT_EXCEEDED' : whole,
    )
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function numberIn(text: string): number {
  return Number(text.replaceAll(',', ''));
}
