/**
 * Root causes of failures of several items at once: the seed's five rules over the failures of a group, in its order
 * and its words (002, CA-067 to CA-071). Pure. The rules read the pattern found in each message, never the hash.
 */
import { type FailureRecord } from './failure-signature.ts';

export interface RootCause {
  /** The rule of the seed that applied. */
  readonly rule: 1 | 2 | 3 | 4 | 5;
  readonly text: string;
  /** The reliability of the rule, from 0 to 1. */
  readonly confidence: number;
}

/** CA-067, CA-069, CA-070: the number of items from which a cause is inferred. */
const ITEMS_MIN = 3;

/**
 * CA-068: the number of items from which the network is inferred as the cause, since its failure affects more items
 * than one bad answer.
 */
const NETWORK_ITEMS_MIN = 5;

/**
 * Confidence by rule. The seed demands a confidence and gives no numbers. These follow from the evidence: the source
 * itself reports a quota, and nearly as clearly a missing document; a network failure is inferred from silence, a bug
 * from similarity, and a shared failure only from the time.
 */
const CONFIDENCE = { 1: 0.95, 2: 0.85, 3: 0.9, 4: 0.7, 5: 0.3 } as const;

/** The cause by the first rule that all failures of the group fit. */
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
  return cause(5, `Shared failure - ${items} items`);
}

function cause(rule: RootCause['rule'], text: string): RootCause {
  return { rule, text, confidence: CONFIDENCE[rule] };
}

/** The value that all share; null if they differ. */
function only<Value>(values: readonly (Value | null)[]): Value | null {
  const all = distinct(values);
  return all.length === 1 ? all[0]! : null;
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)].sort();
}
