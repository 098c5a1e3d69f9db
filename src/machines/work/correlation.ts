/**
 * Which failures belong together (seed 002, CA-058, CA-063, CA-064, CA-073): a pure rule over the failures of one
 * signature, and the record of what was found.
 *
 * Failures of one signature are correlated when three items or more failed within one window, which ends with the
 * failure looked at and does not hold its beginning: (t - window, t]. Failures closer to each other than a window are
 * one chain, and all of a chain in which some window is full are one correlation: so what comes later joins. Only the
 * times of the failures count, not the order in which word of them came; a failure that turns out to link two
 * correlations makes them one, under the name of the elder.
 */
import { type FailureRecord } from './failure-signature.ts';
import { inferRootCause } from './root-cause.ts';

/** What the failures of a correlation come to. */
interface Findings {
  /** In order of time, as are the items. */
  readonly failureIds: readonly string[];
  readonly items: readonly string[];
  readonly failureCount: number;
  readonly rootCause: string;
  readonly confidence: number;
  readonly dataSources: readonly string[];
  readonly agentTypes: readonly string[];
  readonly errorTypes: readonly string[];
}

/** CA-073. */
export interface Correlation extends Findings {
  readonly id: string;
  /** Null where somebody grouped failures of several signatures. */
  readonly signature: string | null;
  readonly detectedAtMs: number;
  readonly windowMs: number;
  readonly batchId: string | null;
  readonly batchTriggeredAtMs: number | null;
  readonly resolvedAtMs: number | null;
  /** `joined`: turned out to be part of an elder one. */
  readonly resolutionAction: 'batch_resumed' | 'manually_resolved' | 'expired' | 'joined' | null;
}

/** CA-063. */
export const WINDOW_MS = 5 * 60_000;

/** CA-064: items that make a correlation, and with it a batch. */
export const CORRELATED_ITEMS_MIN = 3;

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
 * The correlated failures among which one is, in order of time; empty where it is not correlated.
 *
 * @param failures Of one signature.
 */
export function correlatedWith(
  failures: readonly FailureRecord[],
  id: string,
  windowMs: number,
): readonly FailureRecord[] {
  const chain = chainsOf(failures, windowMs).find((links) => links.some((failure) => failure.id === id)) ?? [];
  return chain.some(
    ({ atMs }) => itemsOf(chain.filter((failure) => isWithin(failure, atMs, windowMs))).length >= CORRELATED_ITEMS_MIN,
  )
    ? chain
    : [];
}

/** What a record says of its failures; the rest of it is its history. */
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

/** By time, then by item: the order in which word came says nothing. */
function inOrder(failures: readonly FailureRecord[]): FailureRecord[] {
  return failures.toSorted((a, b) => a.atMs - b.atMs || (a.item < b.item ? -1 : Number(a.item > b.item)));
}

function itemsOf(failures: readonly FailureRecord[]): string[] {
  return [...new Set(failures.map(({ item }) => item))];
}

function sorted(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}
