/**
 * The FailureCorrelator (seed 002, CA-058 to CA-074): receives every failure, finds correlated failures and their root
 * cause, and requests that their items pause as one batch. Fewer than three items keep their individual pauses, unless
 * a person groups them. Pure: the rules are in correlation.ts, root-cause.ts and failure-signature.ts.
 */
import { z } from 'zod';
import { table, type Table, type Whole } from '../../../table.ts';
import { CORRELATION_FAILURES_MAX } from '../../limits.ts';
import {
  correlatedWith,
  type Correlation,
  describe,
  detectCorrelation,
  judgedFailures,
  UNTOUCHED,
  WINDOW_MS,
} from '../../work/correlation.ts';
import { type FailureRecord, patternOf, signatureOf } from '../../work/failure-signature.ts';
import { cancelButton, resumeButton, notify } from '../../people/notice.ts';
import { numberKey, pairKey, pairsOf } from '../../rules/table-keys.ts';
import { inSlots, wideRowIn, wideRowsIn, withWideRow } from '../../rules/wide-rows.ts';
import { order, type OrderReply, refused, ruledAgent, type Rules, TAKEN, type Turn } from '../../rules/turn.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { type Message, messages } from '../messages/messages.ts';

export interface CorrelatorInput {
  /** The correlation window. Default 5 minutes (CA-063). */
  readonly windowMs?: number;
}

export interface CorrelatorContext {
  readonly windowMs: number;
  readonly nextFailure: number;
  readonly nextCorrelation: number;
  /** Correlations by id; a correlation with many long names is a wide row (wide-rows.ts). */
  readonly correlations: Table<Correlation>;
  /** Failures of each signature, without those of closed correlations. */
  readonly failures: Table<FailureRecord>;
  /** The same failures by item. */
  readonly failuresOfItems: Table<FailureRecord>;
  /** Ids of open correlations by failure. */
  readonly correlated: Table<string>;
}

/** The reply to `agent.failure` and to `correlation.group` (CA-065). */
export interface CorrelationResult extends OrderReply {
  readonly isCorrelated: boolean;
  readonly correlationId: string | null;
  readonly correlatedItems: readonly string[];
  readonly rootCause: string | null;
  readonly batchTriggered: boolean;
}

type CorrelatorTurn = Turn<CorrelatorContext>;
type FailureFacts = Omit<Message<'agent.failure'>, 'type'>;

/**
 * Milliseconds for which an unresolved correlation is kept (CA-073). Failures outside of correlations are kept as long,
 * so that people can group them.
 */
const UNRESOLVED_MS = 14 * 24 * 60 * 60_000;

/** Retention of a correlation after its resolution (CA-073). */
const RESOLVED_MS = 90 * 24 * 60 * 60_000;

/** Minimum number of items in a group. */
const GROUP_ITEMS_MIN = 2;

const NOT_CORRELATED: CorrelationResult = {
  ...TAKEN,
  isCorrelated: false,
  correlationId: null,
  correlatedItems: [],
  rootCause: null,
  batchTriggered: false,
};

const aCorrelation = z.object({ correlationId: z.string() });
type OfCorrelation = z.output<typeof aCorrelation>;

const RULES = {
  'agent.failure': order(messages['agent.failure'], failed),
  /** Replies with a CorrelationResult. */
  'correlation.group': order(z.object({ items: z.array(z.string()).max(1_000) }), group),
  'correlation.resolve': order(aCorrelation, (turn: CorrelatorTurn, { correlationId }) => {
    const known = correlationOf(turn, correlationId);
    if (known === undefined) return refused(`no correlation "${correlationId}"`);
    if (known.resolvedAtMs !== null)
      return refused(`correlation "${correlationId}" is over: ${known.resolutionAction}`);
    resolve(turn, correlationId, 'manually_resolved');
    return TAKEN;
  }),
  /** Replies with the ids of the failures of a signature in the window that ends at `atMs` (CA-066). */
  'correlation.detect': order(
    z.object({ signature: z.string(), atMs: z.number(), windowMs: z.number().positive().optional() }),
    (turn: CorrelatorTurn, { signature, atMs, windowMs = turn.context.windowMs }) =>
      detectCorrelation(alike(turn, signature), { signature, atMs, windowMs }),
  ),
  /** Replies with the records, the oldest first. */
  'correlation.list': order(z.object({}), ({ context }: CorrelatorTurn) => correlationsIn(context)),
  'correlation.expire': (turn: CorrelatorTurn, { correlationId }: OfCorrelation) =>
    resolve(turn, correlationId, 'expired'),
  'correlation.forget': (turn: CorrelatorTurn, { correlationId }: OfCorrelation) =>
    turn.assign(withWideRow(turn.context, 'correlations', correlationId, undefined)),
  'failures.forget': (turn: CorrelatorTurn, { signature }: Pick<FailureRecord, 'signature'>) =>
    forget(turn, alike(turn, signature)),
  'batch.opened': (turn: CorrelatorTurn, { correlationId, batchId }: Message<'batch.opened'>) => {
    const known = correlationOf(turn, correlationId);
    if (known !== undefined && known.batchId === null) put(turn, { ...known, batchId, batchTriggeredAtMs: turn.nowMs });
  },
  'batch.finished': (turn: CorrelatorTurn, { correlationId, status }: Message<'batch.finished'>) => {
    // A batch that was paused again as a whole resolves nothing.
    if (correlationId !== null && status !== 'FAILED') resolve(turn, correlationId, 'batch_resumed');
  },
} satisfies Rules<CorrelatorContext>;

export const failureCorrelator = ruledAgent({
  name: 'failure-correlator',
  version: 2,
  // Version 1 kept the key of every wide correlation for ever.
  migrate: { 2: (old: CorrelatorContext) => inSlots(old, 'correlations') },
  rules: RULES,
  context: ({ windowMs = WINDOW_MS }: CorrelatorInput = {}): CorrelatorContext => ({
    windowMs,
    nextFailure: 1,
    nextCorrelation: 1,
    correlations: table(),
    failures: table(),
    failuresOfItems: table(),
    correlated: table(),
  }),
});

/** The records, the oldest first. */
export function correlationsIn(context: Pick<Whole<CorrelatorContext>, 'correlations'>): Correlation[] {
  return eldestFirst(wideRowsIn(context, 'correlations'));
}

function correlationOf({ context }: CorrelatorTurn, id: string): Correlation | undefined {
  return wideRowIn(context, 'correlations', id);
}

function eldestFirst(correlations: readonly Correlation[]): Correlation[] {
  return correlations.toSorted((a, b) => a.detectedAtMs - b.detectedAtMs || numberOf(a) - numberOf(b));
}

function failed(turn: CorrelatorTurn, event: FailureFacts): CorrelationResult {
  const { context, nowMs } = turn;
  const failure = failureOf(context, event);
  const { signature } = failure;
  const known = [...alike(turn, signature), failure].slice(-CORRELATION_FAILURES_MAX);
  tellOfFailure(turn, event);
  const cluster = correlatedWith(known, failure.id, context.windowMs);
  const [elder, ...younger] = openAmong(turn, cluster);
  const found = cluster.length === 0 ? null : recordOf(context, { elder, cluster, signature, nowMs });
  turn.assign({ nextFailure: context.nextFailure + 1 });
  remember(turn, failure);
  forget(turn, alike(turn, signature).slice(0, -CORRELATION_FAILURES_MAX));
  if (found !== null && isFull(found)) forget(turn, withIds(alike(turn, signature), found.failureIds));
  turn.cancel(forgetTimer(signature));
  turn.raise({ type: 'failures.forget', signature }, { delay: UNRESOLVED_MS, id: forgetTimer(signature) });
  for (const other of younger) end(turn, other, 'joined');
  if (found !== null) keep(turn, found);
  return resultOf(found);
}

/** Groups failures because a person knows that they belong together, even if they differ or are too few (CA-074). */
function group(turn: CorrelatorTurn, { items }: { readonly items: readonly string[] }): CorrelationResult {
  const cluster = latestOf(turn, items);
  if (cluster.length < GROUP_ITEMS_MIN) return resultOf(null);
  const facts = { elder: undefined, cluster, signature: signatureIn(cluster), nowMs: turn.nowMs };
  const found = recordOf(turn.context, facts);
  forget(turn, cluster);
  keep(turn, found);
  return resultOf(found);
}

interface Finding {
  readonly elder: Correlation | undefined;
  readonly cluster: readonly FailureRecord[];
  readonly signature: string | null;
  readonly nowMs: number;
}

function recordOf(context: CorrelatorContext, { elder, cluster, signature, nowMs }: Finding): Correlation {
  const decision = signature === null ? null : judgedFailures(cluster, context.windowMs);
  if (elder !== undefined) return { ...elder, ...describe(cluster), decision: decision ?? elder.decision };
  return {
    id: `correlation-${context.nextCorrelation}`,
    signature,
    detectedAtMs: nowMs,
    windowMs: context.windowMs,
    decision,
    ...UNTOUCHED,
    ...describe(cluster),
  };
}

/** Stores a new or extended record and reports it. */
function keep(turn: CorrelatorTurn, found: Correlation): void {
  const { id: correlationId } = found;
  if (correlationOf(turn, correlationId) === undefined) {
    turn.assign({ nextCorrelation: turn.context.nextCorrelation + 1 });
    const timer = { delay: UNRESOLVED_MS, id: expiryTimer(correlationId) };
    turn.raise({ type: 'correlation.expire', correlationId }, timer);
  }
  put(turn, found);
  for (const [desk, message] of newsOf(found)) turn.send(desk, message);
}

/** The messages about a new or extended record, with their receivers. */
function newsOf({ id, items, rootCause, signature }: Correlation): (readonly [string, Message])[] {
  const detected: Message = {
    type: 'correlation.detected',
    correlationId: id,
    items: [...items],
    rootCause,
    signature: signature ?? 'grouped by hand',
    batchTriggered: true,
  };
  const trigger: Message = { type: 'batch.trigger', items: [...items], rootCause, correlationId: id };
  return [
    [WORK_DESKS.coordinator, detected],
    [WORK_DESKS.batches, trigger],
    [WORK_DESKS.batches, detected],
  ];
}

/** Resolves a correlation and forgets its failures, because later failures have another cause. */
function resolve(
  turn: CorrelatorTurn,
  correlationId: string,
  action: 'batch_resumed' | 'manually_resolved' | 'expired',
): void {
  const known = correlationOf(turn, correlationId);
  if (known === undefined || known.resolvedAtMs !== null) return;
  if (known.signature !== null) forget(turn, withIds(alike(turn, known.signature), known.failureIds));
  end(turn, known, action);
}

function end(turn: CorrelatorTurn, known: Correlation, resolutionAction: Correlation['resolutionAction']): void {
  put(turn, { ...known, resolvedAtMs: turn.nowMs, resolutionAction });
  turn.cancel(expiryTimer(known.id));
  turn.raise(
    { type: 'correlation.forget', correlationId: known.id },
    { delay: RESOLVED_MS, id: `forget-correlation:${known.id}` },
  );
}

/** Stores a record and updates the index from failures to open correlations. */
function put(turn: CorrelatorTurn, found: Correlation): void {
  const { id, failureIds, resolvedAtMs } = found;
  let { correlated } = turn.context;
  for (const failure of correlationOf(turn, id)?.failureIds ?? [])
    if (correlated.get(failure) === id) correlated = correlated.delete(failure);
  if (resolvedAtMs === null) for (const failure of failureIds) correlated = correlated.set(failure, id);
  turn.assign({ correlated, ...withWideRow(turn.context, 'correlations', id, found) });
}

function remember(turn: CorrelatorTurn, failure: FailureRecord): void {
  const { failures, failuresOfItems } = turn.context;
  const { signature, item } = failure;
  const number = numberKey(numberOf(failure));
  turn.assign({
    failures: failures.set(pairKey(signature, number), failure),
    failuresOfItems: failuresOfItems.set(pairKey(item, number), failure),
  });
}

function forget(turn: CorrelatorTurn, gone: readonly FailureRecord[]): void {
  let { failures, failuresOfItems } = turn.context;
  for (const failure of gone) {
    const number = numberKey(numberOf(failure));
    failures = failures.delete(pairKey(failure.signature, number));
    failuresOfItems = failuresOfItems.delete(pairKey(failure.item, number));
  }
  turn.assign({ failures, failuresOfItems });
}

/** Failures of a signature, in the order of their reports. */
function alike(turn: CorrelatorTurn, signature: string): readonly FailureRecord[] {
  return [...turn.context.failures.values(pairsOf(signature))];
}

function failureOf(context: CorrelatorContext, event: FailureFacts): FailureRecord {
  const { item, agentType, errorType, dataSource, atMs } = event;
  return {
    id: `failure-${context.nextFailure}`,
    item,
    agentType,
    errorType,
    dataSource,
    atMs,
    signature: signatureOf(event),
    pattern: patternOf(event),
  };
}

/** The number at the end of an id: `failure-12`. */
function numberOf({ id }: { readonly id: string }): number {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}

/** Whether a correlation is full. Further failures begin a new correlation, with a batch of its own. */
function isFull({ failureCount }: Correlation): boolean {
  return failureCount >= CORRELATION_FAILURES_MAX;
}

function withIds(failures: readonly FailureRecord[], ids: readonly string[]): FailureRecord[] {
  const wanted = new Set(ids);
  return failures.filter(({ id }) => wanted.has(id));
}

/** Unresolved correlations that contain any of these failures, the oldest first. */
function openAmong(turn: CorrelatorTurn, failures: readonly FailureRecord[]): Correlation[] {
  const ids = new Set(failures.flatMap(({ id }) => turn.context.correlated.get(id) ?? []));
  return eldestFirst([...ids].flatMap((id) => correlationOf(turn, id) ?? []));
}

/** For each of these items, the last remembered failure that is in no correlation. */
function latestOf(turn: CorrelatorTurn, items: readonly string[]): FailureRecord[] {
  const { failuresOfItems, correlated } = turn.context;
  return [...new Set(items)].flatMap((item) =>
    [...failuresOfItems.values(pairsOf(item))]
      .filter(({ id }) => !correlated.has(id))
      .sort((a, b) => b.atMs - a.atMs)
      .slice(0, 1),
  );
}

function signatureIn(failures: readonly FailureRecord[]): string | null {
  const [first, ...rest] = failures;
  return rest.every(({ signature }) => signature === first!.signature) ? first!.signature : null;
}

function resultOf(found: Correlation | null): CorrelationResult {
  if (found === null) return NOT_CORRELATED;
  return {
    ...TAKEN,
    isCorrelated: true,
    correlationId: found.id,
    correlatedItems: found.items,
    rootCause: found.rootCause,
    batchTriggered: true,
  };
}

/** Raises a card for a failure, whether or not it is correlated (CA-075, CA-076). */
function tellOfFailure(turn: CorrelatorTurn, event: FailureFacts): void {
  const { item, agentType, errorType, errorMessage } = event;
  notify(turn, {
    subject: item,
    kind: 'item.failed',
    priority: 'AGENT_FAILURE',
    title: `${item}: ${agentType} failed`,
    detail: `${errorType}: ${errorMessage}`,
    actions: [resumeButton(item), cancelButton(item)],
    data: { agentType, errorType, errorMessage },
  });
}

function forgetTimer(signature: string): string {
  return `forget:${signature}`;
}

function expiryTimer(correlationId: string): string {
  return `expire:${correlationId}`;
}
