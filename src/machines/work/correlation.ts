/**
 * Correlation of failures (seed 002, CA-058, CA-063, CA-064, CA-073): a pure rule over the failures of one signature,
 * and the record of its result.
 *
 * Failures of one signature are correlated when three items or more failed within one window. A window ends with the
 * failure in question and excludes its own beginning: (t - window, t]. Failures closer to each other than a window form
 * a chain, and a chain that contains a full window is one correlation, so later failures join it. Only the times of the
 * failures count, not the order in which they were reported. A failure that links two correlations merges them under
 * the name of the older one.
 */
import { type FailureRecord } from './failure-signature.ts';
import { inferRootCause } from './root-cause.ts';
import { type GateDecision, judge, type ThresholdGate } from './threshold-gate.ts';

/** The facts derived from the failures of a correlation. */
interface Findings {
  /** Ids in order of time; the items are in the same order. */
  readonly failureIds: readonly string[];
  readonly items: readonly string[];
  readonly failureCount: number;
  readonly rootCause: string;
  readonly confidence: number;
  readonly dataSources: readonly string[];
  readonly agentTypes: readonly string[];
  readonly errorTypes: readonly string[];
}

/** The record of a correlation (CA-073). */
export interface Correlation extends Findings {
  readonly id: string;
  /** The signature; null if a person grouped failures of several signatures. */
  readonly signature: string | null;
  readonly detectedAtMs: number;
  readonly windowMs: number;
  /**
   * The latest decision that these failures belong together; null if a person grouped failures that do not look alike.
   */
  readonly decision: GateDecision | null;
  readonly batchId: string | null;
  readonly batchTriggeredAtMs: number | null;
  readonly resolvedAtMs: number | null;
  /** `joined`: merged into an older correlation. */
  readonly resolutionAction: 'batch_resumed' | 'manually_resolved' | 'expired' | 'joined' | null;
}

/** The correlation window (CA-063). */
export const WINDOW_MS = 5 * 60_000;

/** CA-064: the number of items that makes a correlation and so a batch. */
const CORRELATED_ITEMS = {
  gate: 'items that failed alike within a window',
  passes: 'atLeast',
  threshold: 3,
  onPass: 'correlated',
  onFail: 'apart',
} as const satisfies ThresholdGate;

/** CA-066: ids of the failures of a signature within the window that ends at a time. */
export function detectCorrelation(
  failures: readonly FailureRecord[],
  { signature, atMs, windowMs }: { signature: string; atMs: number; windowMs: number },
): string[] {
  return inOrder(failures)
    .filter((failure) => failure.signature === signature && isWithin(failure, atMs, windowMs))
    .map(({ id }) => id);
}

/**
 * The correlated failures that include a given one, in order of time; empty if it is not correlated.
 *
 * @param failures Failures of one signature.
 */
export function correlatedWith(
  failures: readonly FailureRecord[],
  id: string,
  windowMs: number,
): readonly FailureRecord[] {
  const chain = chainsOf(failures, windowMs).find((links) => links.some((failure) => failure.id === id)) ?? [];
  return judgedFailures(chain, windowMs).isPassed ? chain : [];
}

/** Whether failures of one signature belong together, by the fullest window among them. */
export function judgedFailures(failures: readonly FailureRecord[], windowMs: number): GateDecision {
  const counts = failures.map(
    ({ atMs }) => itemsOf(failures.filter((failure) => isWithin(failure, atMs, windowMs))).length,
  );
  return judge(CORRELATED_ITEMS, Math.max(0, ...counts));
}

/** The fields of a record that follow from its failures; the other fields are its history. */
export function describe(failures: readonly FailureRecord[]): Findings {
  const ordered = inOrder(failures);
  const { text, confidence } = inferRootCause(ordered);
  return {
    failureIds: ordered.map(({ id }) => id),
    items: itemsOf(ordered),
    failureCount: ordered.length,
    rootCause: text,
    confidence,
    dataSources: sorted(ordered.flatMap(({ dataSource }) => dataSource ?? [])),
    agentTypes: sorted(ordered.map(({ agentType }) => agentType)),
    errorTypes: sorted(ordered.map(({ errorType }) => errorType)),
  };
}

/** The history of a new record. */
export const UNTOUCHED = {
  batchId: null,
  batchTriggeredAtMs: null,
  resolvedAtMs: null,
  resolutionAction: null,
} as const;

function chainsOf(failures: readonly FailureRecord[], windowMs: number): FailureRecord[][] {
  const chains: FailureRecord[][] = [];
  for (const failure of inOrder(failures)) {
    const chain = chains.at(-1);
    if (chain !== undefined && failure.atMs - chain.at(-1)!.atMs < windowMs) chain.push(failure);
    else chains.push([failure]);
  }
  return chains;
}

function isWithin({ atMs }: FailureRecord, endMs: number, windowMs: number): boolean {
  return atMs > endMs - windowMs && atMs <= endMs;
}

/** Failures sorted by time, then by item. */
function inOrder(failures: readonly FailureRecord[]): FailureRecord[] {
  return failures.toSorted((a, b) => a.atMs - b.atMs || (a.item < b.item ? -1 : Number(a.item > b.item)));
}

function itemsOf(failures: readonly FailureRecord[]): string[] {
  return [...new Set(failures.map(({ item }) => item))];
}

function sorted(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}
