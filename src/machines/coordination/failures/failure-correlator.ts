/**
 * The FailureCorrelator (seed 002, CA-058 to CA-074): hears of every failure, finds those that belong together, says
 * why, and has their items paused as one batch. Fewer than three stay with the pauses of their own, unless a person
 * groups them. Pure: what belongs together is correlation.ts, why is root-cause.ts, when two failures are alike
 * failure-signature.ts.
 */
import { enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import { reply } from '../../../actors/model/talk-actions.ts';
import { CORRELATION_FAILURES_MAX } from '../../../limits.ts';
import {
  correlatedWith,
  type Correlation,
  describe,
  detectCorrelation,
  UNTOUCHED,
  WINDOW_MS,
} from '../../work/correlation.ts';
import { type FailureRecord as Failure, patternOf, signatureOf } from '../../work/failure-signature.ts';
import { postTo, recordIn, recordsUnder } from '../../people/keyed-records.ts';
import { DESKS } from '../../work/system-ids.ts';
import { type Message, messages } from '../messages/messages.ts';

export interface CorrelatorInput {
  /** Default 5 minutes (CA-063). */
  readonly windowMs?: number;
}

/** One record a signature and one a correlation, each under a key of its own, so that a change is small. */
export type CorrelatorContext = {
  readonly windowMs: number;
  readonly nextFailure: number;
  readonly nextCorrelation: number;
} & {
  readonly [key in `failures:${string}`]?: readonly Failure[];
} & { readonly [key in `correlation:${string}`]?: Correlation };

/** The reply to `agent.failure` and to `correlation.group` (CA-065). */
export interface CorrelationResult {
  readonly isCorrelated: boolean;
  readonly correlationId: string | null;
  readonly correlatedItems: readonly string[];
  readonly rootCause: string | null;
  readonly batchTriggered: boolean;
}

type Event =
  | Message<'agent.failure' | 'batch.opened' | 'batch.finished'>
  | { readonly type: 'correlation.group'; readonly items: readonly string[] }
  | {
      readonly type: 'correlation.resolve' | 'correlation.expire' | 'correlation.forget';
      readonly correlationId: string;
    }
  | { readonly type: 'correlation.list' }
  | {
      readonly type: 'correlation.detect';
      readonly signature: string;
      readonly atMs: number;
      readonly windowMs?: number | undefined;
    }
  | { readonly type: 'failures.forget'; readonly signature: string };

/**
 * CA-073: an unresolved correlation expires; failures without one are remembered as long, for whoever groups them by
 * hand.
 */
const UNRESOLVED_MS = 14 * 24 * 60 * 60_000;

/** CA-073: from the resolution on. */
const RESOLVED_MS = 90 * 24 * 60 * 60_000;

/** A group of one is no group. */
const GROUP_ITEMS_MIN = 2;

const NOT_CORRELATED: CorrelationResult = {
  isCorrelated: false,
  correlationId: null,
  correlatedItems: [],
  rootCause: null,
  batchTriggered: false,
};

const record = recordIn<CorrelatorContext>();

const machine = setup({
  types: {} as { context: CorrelatorContext; events: Event; input: CorrelatorInput | undefined },
  delays: { unresolved: UNRESOLVED_MS, resolved: RESOLVED_MS },
}).createMachine({
  id: 'failure-correlator',
  context: ({ input }) => ({ windowMs: input?.windowMs ?? WINDOW_MS, nextFailure: 1, nextCorrelation: 1 }),
  on: {
    'agent.failure': {
      actions: enqueueActions(({ context, event, enqueue, self, system }) => {
        const failure = failureOf(context, event);
        const known = remembered(context[`failures:${failure.signature}`] ?? [], failure);
        const post = postTo(enqueue.sendTo, system);
        post(DESKS.alerts, failureAlert(event));
        const cluster = correlatedWith(known, failure.id, context.windowMs);
        const [elder, ...younger] = openAmong(context, cluster);
        const found =
          cluster.length === 0
            ? null
            : recordOf(context, { elder, cluster, signature: failure.signature, nowMs: timeOf(self) });
        enqueue.assign({ nextFailure: context.nextFailure + 1 });
        enqueue.assign(
          record(
            `failures:${failure.signature}`,
            found !== null && isFull(found) ? without(known, found.failureIds) : known,
          ),
        );
        enqueue.cancel(forgetTimer(failure.signature));
        enqueue.raise(
          { type: 'failures.forget', signature: failure.signature },
          { delay: 'unresolved', id: forgetTimer(failure.signature) },
        );
        for (const other of younger) {
          enqueue.assign(
            record(`correlation:${other.id}`, { ...other, resolvedAtMs: timeOf(self), resolutionAction: 'joined' }),
          );
          enqueue.cancel(expiryTimer(other.id));
          enqueue.raise({ type: 'correlation.forget', correlationId: other.id }, { delay: 'resolved' });
        }
        if (found !== null) {
          enqueue.assign(keep(context, found));
          if (elder === undefined)
            enqueue.raise(
              { type: 'correlation.expire', correlationId: found.id },
              { delay: 'unresolved', id: expiryTimer(found.id) },
            );
          for (const [desk, message] of newsOf(found)) post(desk, message);
        }
        enqueue(reply(() => resultOf(found)));
      }),
    },
    // Failures that do not look alike, or are too few: a person knows that they are one (CA-074).
    'correlation.group': {
      actions: enqueueActions(({ context, event, enqueue, self, system }) => {
        const group = latestOf(context, event.items);
        const found =
          group.length < GROUP_ITEMS_MIN
            ? null
            : recordOf(context, {
                elder: undefined,
                cluster: group,
                signature: signatureIn(group),
                nowMs: timeOf(self),
              });
        if (found !== null) {
          const post = postTo(enqueue.sendTo, system);
          for (const signature of new Set(group.map((failure) => failure.signature))) {
            enqueue.assign(
              record(`failures:${signature}`, without(context[`failures:${signature}`]!, found.failureIds)),
            );
          }
          enqueue.assign(keep(context, found));
          enqueue.raise(
            { type: 'correlation.expire', correlationId: found.id },
            { delay: 'unresolved', id: expiryTimer(found.id) },
          );
          for (const [desk, message] of newsOf(found)) post(desk, message);
        }
        enqueue(reply(() => resultOf(found)));
      }),
    },
    'batch.opened': {
      actions: enqueueActions(({ context, event: { correlationId, batchId }, enqueue, self }) => {
        const known = context[`correlation:${correlationId}`];
        if (known === undefined || known.batchId !== null) return;
        enqueue.assign(record(`correlation:${correlationId}`, { ...known, batchId, batchTriggeredAtMs: timeOf(self) }));
      }),
    },
    'batch.finished': {
      actions: enqueueActions(({ context, event: { correlationId, status }, enqueue, self }) => {
        // A batch that was paused again as a whole has resolved nothing.
        if (correlationId !== null && status !== 'FAILED')
          resolve(enqueue, context, { correlationId, action: 'batch_resumed', nowMs: timeOf(self) });
      }),
    },
    'correlation.resolve': {
      actions: enqueueActions(({ context, event: { correlationId }, enqueue, self }) =>
        resolve(enqueue, context, { correlationId, action: 'manually_resolved', nowMs: timeOf(self) }),
      ),
    },
    'correlation.expire': {
      actions: enqueueActions(({ context, event: { correlationId }, enqueue, self }) =>
        resolve(enqueue, context, { correlationId, action: 'expired', nowMs: timeOf(self) }),
      ),
    },
    'correlation.forget': {
      actions: enqueueActions(({ event, enqueue }) =>
        enqueue.assign(record(`correlation:${event.correlationId}`, undefined)),
      ),
    },
    'failures.forget': {
      actions: enqueueActions(({ event, enqueue }) => enqueue.assign(record(`failures:${event.signature}`, undefined))),
    },
    'correlation.detect': {
      actions: reply(({ context, event: { signature, atMs, windowMs = context.windowMs } }) =>
        detectCorrelation(context[`failures:${signature}`] ?? [], { signature, atMs, windowMs }),
      ),
    },
    'correlation.list': { actions: reply(({ context }) => correlationsIn(context)) },
  },
});

export const failureCorrelator = defineAgent({
  name: 'failure-correlator',
  machine,
  events: {
    'agent.failure': messages['agent.failure'],
    /** Replies with a CorrelationResult. */
    'correlation.group': z.object({ items: z.array(z.string()).max(1_000) }),
    'correlation.resolve': z.object({ correlationId: z.string() }),
    /** Replies with the ids of the failures of a signature in the window that ends then (CA-066). */
    'correlation.detect': z.object({
      signature: z.string(),
      atMs: z.number(),
      windowMs: z.number().positive().optional(),
    }),
    /** Replies with the records, the eldest first. */
    'correlation.list': z.object({}),
  },
});

/** The records, the eldest first. */
export function correlationsIn(context: CorrelatorContext): Correlation[] {
  return recordsUnder<Correlation>(context, 'correlation:').sort((a, b) => a.detectedAtMs - b.detectedAtMs);
}

interface Finding {
  readonly elder: Correlation | undefined;
  readonly cluster: readonly Failure[];
  readonly signature: string | null;
  readonly nowMs: number;
}

function recordOf(context: CorrelatorContext, { elder, cluster, signature, nowMs }: Finding): Correlation {
  if (elder !== undefined) return { ...elder, ...describe(cluster) };
  return {
    id: `correlation-${context.nextCorrelation}`,
    signature,
    detectedAtMs: nowMs,
    windowMs: context.windowMs,
    ...UNTOUCHED,
    ...describe(cluster),
  };
}

function keep(context: CorrelatorContext, found: Correlation): Partial<CorrelatorContext> {
  const isNew = context[`correlation:${found.id}`] === undefined;
  return {
    ...record(`correlation:${found.id}`, found),
    ...(isNew && { nextCorrelation: context.nextCorrelation + 1 }),
  };
}

/** Who is told of a record that is new or has grown, and what. */
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
    [DESKS.coordinator, detected],
    [DESKS.batches, trigger],
    [DESKS.batches, detected],
  ];
}

type Enqueue = {
  assign(patch: Partial<CorrelatorContext>): void;
  cancel(id: string): void;
  raise(event: Event, options: { delay: 'resolved' }): void;
};

/** What is resolved is history: failures that come now are about something else, so its own are forgotten. */
function resolve(
  enqueue: Enqueue,
  context: CorrelatorContext,
  facts: { correlationId: string; action: 'batch_resumed' | 'manually_resolved' | 'expired'; nowMs: number },
): void {
  const known = context[`correlation:${facts.correlationId}`];
  if (known === undefined || known.resolvedAtMs !== null) return;
  enqueue.assign(
    record(`correlation:${known.id}`, { ...known, resolvedAtMs: facts.nowMs, resolutionAction: facts.action }),
  );
  const failures = known.signature === null ? undefined : context[`failures:${known.signature}`];
  if (failures !== undefined)
    enqueue.assign(record(`failures:${known.signature}`, without(failures, known.failureIds)));
  enqueue.cancel(expiryTimer(known.id));
  enqueue.raise({ type: 'correlation.forget', correlationId: known.id }, { delay: 'resolved' });
}

function failureOf(context: CorrelatorContext, event: Message<'agent.failure'>): Failure {
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

function remembered(known: readonly Failure[], failure: Failure): Failure[] {
  return [...known, failure].slice(-CORRELATION_FAILURES_MAX);
}

/** One so large takes no more: what fails from then on is the next correlation, with a batch of its own. */
function isFull({ failureCount }: Correlation): boolean {
  return failureCount >= CORRELATION_FAILURES_MAX;
}

function without(failures: readonly Failure[], ids: readonly string[]): Failure[] {
  const gone = new Set(ids);
  return failures.filter(({ id }) => !gone.has(id));
}

/** Unresolved correlations that hold some of these failures, the eldest first. */
function openAmong(context: CorrelatorContext, failures: readonly Failure[]): Correlation[] {
  const ids = new Set(failures.map(({ id }) => id));
  return correlationsIn(context).filter(
    ({ resolvedAtMs, failureIds }) => resolvedAtMs === null && failureIds.some((id) => ids.has(id)),
  );
}

/** The last failure of each of these items, where one is remembered that is in no correlation. */
function latestOf(context: CorrelatorContext, items: readonly string[]): Failure[] {
  const taken = new Set(
    correlationsIn(context).flatMap(({ resolvedAtMs, failureIds }) => (resolvedAtMs === null ? failureIds : [])),
  );
  const free = recordsUnder<readonly Failure[]>(context, 'failures:')
    .flat()
    .filter(({ id }) => !taken.has(id));
  return [...new Set(items)].flatMap((item) =>
    free
      .filter((failure) => failure.item === item)
      .sort((a, b) => b.atMs - a.atMs)
      .slice(0, 1),
  );
}

function signatureIn(failures: readonly Failure[]): string | null {
  const [first, ...rest] = failures;
  return rest.every(({ signature }) => signature === first!.signature) ? first!.signature : null;
}

function resultOf(found: Correlation | null): CorrelationResult {
  if (found === null) return NOT_CORRELATED;
  return {
    isCorrelated: true,
    correlationId: found.id,
    correlatedItems: found.items,
    rootCause: found.rootCause,
    batchTriggered: true,
  };
}

/** A failure has a card of its own, whatever it turns out to be part of (CA-075, CA-076). */
function failureAlert({ item, agentType, errorType, errorMessage }: Message<'agent.failure'>): Message<'alert.raise'> {
  return {
    type: 'alert.raise',
    item,
    kind: 'item.failed',
    priority: 'AGENT_FAILURE',
    title: `${item}: ${agentType} failed`,
    detail: `${errorType}: ${errorMessage}`.slice(0, 2_000),
    actions: [
      { name: 'details', label: 'View Details', to: null, event: null },
      {
        name: 'resume',
        label: 'Resume',
        to: DESKS.coordinator,
        event: { type: 'resume.command', item, resumePlan: null, notify: true },
      },
      { name: 'cancel', label: 'Cancel', to: DESKS.coordinator, event: { type: 'item.cancel', item } },
    ],
    data: { agentType, errorType, errorMessage },
  };
}

function forgetTimer(signature: string): string {
  return `forget:${signature}`;
}

function expiryTimer(correlationId: string): string {
  return `expire:${correlationId}`;
}
