/**
 * What two failures have in common: a signature over agent type, error type, data source and the message with all that
 * differs from one time to the next taken out (seed 002, CA-059 to CA-062). Pure; what signatures are used for is in
 * correlation.ts.
 */
import { createHash } from 'node:crypto';

/** What a failure is told by. */
export interface FailureFacts {
  readonly agentType: string;
  readonly errorType: string;
  /** Whom the agent had asked; null where nobody. */
  readonly dataSource: string | null;
  readonly errorMessage: string;
}

/** What a message means, where it is known (CA-062). */
export type Pattern = 'api_quota_exceeded' | 'network' | 'data_not_found' | 'data_missing_field';

/** One failure as it is remembered. */
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

/** CA-062: characters kept of a message that means nothing known. */
const MESSAGE_CHARS_MAX = 50;

/** CA-062, in this order: a quota that is answered with "connection closed" is a quota. */
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
/** Seconds or milliseconds since 1970. */
const EPOCH = /\b1\d{9}(?:\d{3})?\b/g;
/** "request id: 7f3a", "X-Request-ID=7f3a", "req_7f3a", "trace-id 7f3a". */
const REQUEST_ID =
  /\b(?:x-)?(?:request|req|trace|correlation)[\s_-]?id\b["']?\s*[:=#]?\s*["']?[\w-]+["']?|\breq[_-][\w-]*\d[\w-]*/gi;
/** "1000/1000", "1,200 / 1,000". */
const USED_OF_LIMIT = /\b(\d[\d,]*)\s?\/\s?(\d[\d,]*)\b/g;

/** Equal for two failures of one kind: 16 hexadecimal digits of SHA-256 over the four parts, joined by colons. */
export function signatureOf({ agentType, errorType, dataSource, errorMessage }: FailureFacts): string {
  // What has a colon of its own must not read as two parts.
  const parts = [agentType, errorType, dataSource ?? '', normalise(errorMessage)].map((part) =>
    part.replaceAll(/[%:]/g, encodeURIComponent),
  );
  return createHash('sha256').update(parts.join(':')).digest('hex').slice(0, SIGNATURE_CHARS);
}

/** The message without times and ids; the pattern's name alone where it has one, else its first 50 characters. */
export function normalise(message: string): string {
  const bare = stripped(message);
  return patternIn(bare) ?? bare.slice(0, MESSAGE_CHARS_MAX).trimEnd();
}

/** What a failure means: by its message, else by its error type; null where neither says. */
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
