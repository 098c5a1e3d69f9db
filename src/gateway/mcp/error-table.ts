/**
 * Errors of tools in the words of the specification of their envelope (MX-117, MX-118, MX-120): each code of Bosun with
 * the code and the severity that coding agents are told. A code without a row does not compile.
 */
import { type ErrorCode } from '../../error-codes.ts';

/** The codes of errors that tools may have (MX-118). */
export const TOOL_ERROR_CODES = [
  'INVALID_PARAM',
  'TOKEN_LIMIT_EXCEEDED',
  'TIMEOUT',
  'INTERNAL_ERROR',
  'RATE_LIMIT',
  'INVALID_STATE',
  'RESOURCE_NOT_FOUND',
  'AUTH_ERROR',
  'SCHEMA_VALIDATION_FAILED',
  'RECOVERY_TRIGGERED',
  'BREAKER_FAILED',
  'TOOL_NOT_FOUND',
  'DELEGATION_FAILED',
  'LOOP_DETECTED',
  'DRIFT_THRESHOLD_EXCEEDED',
  'COHERENCE_DROP',
  'TICKET_UPDATE_CONFLICT',
] as const;
export type ToolErrorCode = (typeof TOOL_ERROR_CODES)[number];

/**
 * The severity of an error (MX-120). `LOW`: the caller has to call otherwise. `MEDIUM`: the same call may succeed
 * later. `HIGH`: a person has to look at it, even if a later call may succeed. `CRITICAL`: nothing goes on until a
 * person has acted, so the call is never to be repeated.
 */
export type Severity = keyof typeof LOG_LEVELS;

/** The level at which hosts should log an error, by its severity. */
export const LOG_LEVELS = { LOW: 'info', MEDIUM: 'warn', HIGH: 'error', CRITICAL: 'fatal' } as const;

interface ToolErrorRow {
  readonly code: ToolErrorCode;
  readonly severity: Severity;
}

const low = (code: ToolErrorCode): ToolErrorRow => ({ code, severity: 'LOW' });
const medium = (code: ToolErrorCode): ToolErrorRow => ({ code, severity: 'MEDIUM' });
const high = (code: ToolErrorCode): ToolErrorRow => ({ code, severity: 'HIGH' });
const critical = (code: ToolErrorCode): ToolErrorRow => ({ code, severity: 'CRITICAL' });

/** The code and the severity of each error. */
export const TOOL_ERRORS = {
  BOSUN_ACTOR_CHANGED: low('INVALID_STATE'),
  BOSUN_ACTOR_FAILING: high('INVALID_STATE'),
  BOSUN_ACTOR_SUSPENDED: high('INVALID_STATE'),
  BOSUN_ACTOR_UNKNOWN: low('RESOURCE_NOT_FOUND'),
  BOSUN_ADDRESS_INVALID: low('INVALID_PARAM'),
  BOSUN_AGENT_INVALID: high('INTERNAL_ERROR'),
  BOSUN_AGENT_UNKNOWN: low('RESOURCE_NOT_FOUND'),
  BOSUN_AGENT_UNREADABLE: high('INVALID_STATE'),
  BOSUN_ASK_FAILED: high('INTERNAL_ERROR'),
  BOSUN_ASKS_FULL: medium('RATE_LIMIT'),
  BOSUN_CALL_CANCELLED: low('INVALID_STATE'),
  BOSUN_CALL_INVALID: low('INVALID_PARAM'),
  BOSUN_CHART_TOO_LARGE: low('INVALID_PARAM'),
  BOSUN_CHART_UNKNOWN: low('RESOURCE_NOT_FOUND'),
  BOSUN_CHILD_DYNAMIC: low('INVALID_STATE'),
  BOSUN_CHILD_PRESENT: low('INVALID_STATE'),
  BOSUN_CHILD_RESTARTING: medium('RECOVERY_TRIGGERED'),
  BOSUN_CHILD_RUNNING: low('INVALID_STATE'),
  BOSUN_CHILD_SPEC_INVALID: low('SCHEMA_VALIDATION_FAILED'),
  BOSUN_CHILD_UNKNOWN: low('RESOURCE_NOT_FOUND'),
  BOSUN_CHILDREN_FULL: medium('RATE_LIMIT'),
  BOSUN_CHILDREN_UNREAD: low('INVALID_STATE'),
  BOSUN_CLIENT_CLOSED: low('INVALID_STATE'),
  BOSUN_CLOCK_SUSPECT: critical('INVALID_STATE'),
  BOSUN_CONFIG_INVALID: high('INTERNAL_ERROR'),
  BOSUN_CONNECTION_LOST: medium('INTERNAL_ERROR'),
  BOSUN_DRAINING: medium('INVALID_STATE'),
  BOSUN_EFFECT_HUNG: medium('TIMEOUT'),
  BOSUN_EFFECT_OVER: low('INVALID_STATE'),
  BOSUN_EFFECT_TIMEOUT: medium('TIMEOUT'),
  BOSUN_EVENT_INVALID: low('SCHEMA_VALIDATION_FAILED'),
  BOSUN_EVENT_NOT_TAKEN: low('INVALID_STATE'),
  BOSUN_EVENT_REFUSED: low('AUTH_ERROR'),
  BOSUN_FORBIDDEN: high('AUTH_ERROR'),
  BOSUN_GATEWAY_FULL: medium('RATE_LIMIT'),
  BOSUN_HOST_FAILED: high('INTERNAL_ERROR'),
  BOSUN_HOST_KILLED: high('LOOP_DETECTED'),
  BOSUN_INPUT_TOO_LARGE: low('TOKEN_LIMIT_EXCEEDED'),
  BOSUN_INTENSITY_EXCEEDED: critical('LOOP_DETECTED'),
  BOSUN_INTERNAL: high('INTERNAL_ERROR'),
  BOSUN_KEY_CONFLICT: low('INVALID_PARAM'),
  BOSUN_KILLED: high('INVALID_STATE'),
  BOSUN_KNOWLEDGE_CLOSED: high('INVALID_STATE'),
  BOSUN_KNOWLEDGE_FAILED: medium('RECOVERY_TRIGGERED'),
  BOSUN_KNOWLEDGE_FOLDER: high('RESOURCE_NOT_FOUND'),
  BOSUN_KNOWLEDGE_FULL: medium('RATE_LIMIT'),
  BOSUN_LINK_DOWN: high('INTERNAL_ERROR'),
  BOSUN_MAILBOX_FULL: medium('RATE_LIMIT'),
  BOSUN_MESSAGE_UNKNOWN: low('RESOURCE_NOT_FOUND'),
  BOSUN_OFFLINE: medium('INTERNAL_ERROR'),
  BOSUN_ON_ANOTHER_WORKER: low('INVALID_STATE'),
  BOSUN_ORDER_REFUSED: low('INVALID_STATE'),
  BOSUN_OVER_WORKERS: low('INVALID_STATE'),
  BOSUN_OVERLOADED: medium('RATE_LIMIT'),
  BOSUN_PLAN_INVALID: high('SCHEMA_VALIDATION_FAILED'),
  BOSUN_PROFILE_INVALID: low('SCHEMA_VALIDATION_FAILED'),
  BOSUN_PROPERTY_VACUOUS: low('INVALID_STATE'),
  BOSUN_QUEUE_FULL: medium('RATE_LIMIT'),
  BOSUN_RATE_LIMITED: medium('RATE_LIMIT'),
  BOSUN_RECORDS_UNKNOWN: low('RESOURCE_NOT_FOUND'),
  BOSUN_RUNTIME_UNFIT: critical('INTERNAL_ERROR'),
  BOSUN_SECRET_KEY: critical('INVALID_STATE'),
  BOSUN_SENDS_REFUSED: low('INVALID_STATE'),
  BOSUN_SEQUENCE_GAP: low('INVALID_STATE'),
  BOSUN_SESSIONS_FULL: medium('RATE_LIMIT'),
  BOSUN_SPAWN_REFUSED: low('DELEGATION_FAILED'),
  BOSUN_START_FAILED: high('INTERNAL_ERROR'),
  BOSUN_STATE_SUSPECT: high('INVALID_STATE'),
  BOSUN_STORE_DAMAGED: critical('INTERNAL_ERROR'),
  BOSUN_STORE_FAILED: high('INTERNAL_ERROR'),
  BOSUN_STORE_FORMAT: critical('INTERNAL_ERROR'),
  BOSUN_STORE_LOCKED: medium('INVALID_STATE'),
  BOSUN_STORE_UNAVAILABLE: high('INTERNAL_ERROR'),
  BOSUN_SYSTEM_CLOSED: medium('INVALID_STATE'),
  BOSUN_TABLE_UNKNOWN: low('RESOURCE_NOT_FOUND'),
  BOSUN_TASK_FAILED: high('DELEGATION_FAILED'),
  BOSUN_TICKET_REJECTED: high('INVALID_STATE'),
  BOSUN_TIMEOUT: medium('TIMEOUT'),
  BOSUN_UNAUTHENTICATED: high('AUTH_ERROR'),
  BOSUN_VALUE_REFUSED: low('SCHEMA_VALIDATION_FAILED'),
  BOSUN_WORKER_DOWN: medium('RECOVERY_TRIGGERED'),
  BOSUN_WORKERS_CHANGED: critical('INVALID_STATE'),
} as const satisfies Readonly<Record<ErrorCode, ToolErrorRow>>;
