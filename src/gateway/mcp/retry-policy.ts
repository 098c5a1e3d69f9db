/**
 * How often and when a failed call of a tool is made again (MX-119): the default, the rows that differ, and what the
 * urgency of a call changes. Pure.
 */
import { RETRY_SECONDS_MAX, type ToolRow } from '../calls/tool-row.ts';

/** The rules for the repetition of one call. Delays double from the base to the maximum. */
export interface RetryPolicy {
  /** Most attempts, with the first one. */
  readonly attemptsMax: number;
  readonly baseSeconds: number;
  readonly maxSeconds: number;
}

/** The policy of tools whose rows say nothing. */
const DEFAULT_RETRY: RetryPolicy = { attemptsMax: 3, baseSeconds: 5, maxSeconds: RETRY_SECONDS_MAX };

/** The factor by which a call of the highest urgency may be tried more often, rounded up. */
const URGENT_FACTOR = 1.5;

/** The facts about a tool on which its policy depends. */
export type RetriedTool = Pick<ToolRow, 'input' | 'isUrgent' | 'retry'>;

/**
 * The policy of a tool, whatever the urgency of a call. A tool whose callers ask a person instead has one attempt. No
 * tool: the default.
 */
export function policyOf(tool: Pick<RetriedTool, 'isUrgent' | 'retry'> | undefined): RetryPolicy {
  const policy = { ...DEFAULT_RETRY, ...tool?.retry };
  return tool?.isUrgent === true ? { ...policy, attemptsMax: 1 } : policy;
}

/** The policy of one call: a call of urgency 1 may be tried 1.5 times as often, if it may be repeated at all. */
export function policyFor(tool: RetriedTool | undefined, given: Readonly<Record<string, unknown>>): RetryPolicy {
  const policy = policyOf(tool);
  const { attemptsMax } = policy;
  if (attemptsMax === 1 || urgencyIn(given, tool) !== 1) return policy;
  return { ...policy, attemptsMax: Math.ceil(attemptsMax * URGENT_FACTOR) };
}

/** The policy in the words of the specification, as clients read it. */
export function toldPolicy({ attemptsMax, baseSeconds, maxSeconds }: RetryPolicy) {
  return { max_attempts: attemptsMax, base_delay_seconds: baseSeconds, max_delay_seconds: maxSeconds };
}

/** The urgency that a caller gave, or that of the tool's schema; 0 for none. */
export function urgencyIn(given: Readonly<Record<string, unknown>>, tool: Pick<ToolRow, 'input'> | undefined): number {
  const { properties = {} } = (tool?.input ?? {}) as { readonly properties?: Readonly<Record<string, unknown>> };
  const field = properties['priority_level'] as { readonly default?: unknown } | undefined;
  const level = given['priority_level'] ?? field?.default;
  return typeof level === 'number' ? level : 0;
}
