/**
 * Why several items failed at once: the seed's five rules over the failures of a group, in its order and its words
 * (002, CA-067 to CA-071). Pure. It reads the pattern that was found in each message, never the hash.
 */
import { type FailureRecord } from './failure-signature.ts';

export interface RootCause {
  /** Which rule of the seed has said so. */
  readonly rule: 1 | 2 | 3 | 4 | 5;
  readonly text: string;
  /** From 0 to 1: how much the rule can be relied on. */
  readonly confidence: number;
}

/** CA-067, CA-069, CA-070: items that make a cause. */
const ITEMS_MIN = 3;

/** CA-068: a network that fails takes more with it than one bad answer. */
const NETWORK_ITEMS_MIN = 5;

/**
 * The seed demands a confidence and gives no number. A quota is named by the source itself, a missing document nearly
 * so; a network is inferred from silence, a bug from likeness, and the rest from time alone.
 */
const CONFIDENCE = { 1: 0.95, 2: 0.85, 3: 0.9, 4: 0.7, 5: 0.3 } as const;

/** The first rule that all failures of the group fit. */
export function inferRootCause(failures: readonly FailureRecord[]): RootCause {
  const items = new Set(failures.map(({ item }) => item)).size;
  const sources = distinct(failures.map(({ dataSource }) => dataSource));
  const source = only(sources);
  const pattern = only(failures.map((failure) => failure.pattern));
  const agentType = only(failures.map((failure) => failure.agentType));
  const errorType = only(failures.map((failure) => failure.errorType));

  if (items >= ITEMS_MIN && source !== null && pattern === 'api_quota_exceeded')
    return cause(1, `${source} API quota exceeded`);
  if (items >= NETWORK_ITEMS_MIN && source !== null && pattern === 'network')
    return cause(2, `${source} network connectivity`);
  if (items >= ITEMS_MIN && pattern === 'data_not_found' && !sources.includes(null))
    return cause(3, `${sources.join(', ')} data unavailable`);
  if (items >= ITEMS_MIN && agentType !== null && errorType !== null)
    return cause(4, `${agentType} failure - ${errorType}`);
  return cause(5, `Shared failure - ${items} stocks`);
}

function cause(rule: RootCause['rule'], text: string): RootCause {
  return { rule, text, confidence: CONFIDENCE[rule] };
}

/** The one value that all have; null where they differ. */
function only<Value>(values: readonly (Value | null)[]): Value | null {
  const all = distinct(values);
  return all.length === 1 ? all[0]! : null;
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)].sort();
}
