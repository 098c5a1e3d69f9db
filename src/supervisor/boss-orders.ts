/**
 * The orders that carry out a Boss's decision: commands to the kernel, the Boss's own timers, and reports of a child's
 * end. Pure; the machine in boss.ts passes them on, and the kernel performs them in the turn that decided.
 */
import {
  BOSS_AGENT,
  type ChildCommand,
  type ChildExit,
  type ChildStart,
  type RestartMode,
} from '../actors/model/supervision.ts';
import { type ChildSpec } from './child-spec.ts';
import { type ChildRecord, type Decision } from './decision.ts';

/** The event for the `reportTo` of a child spec, sent when the child has ended for good, by itself or by order. */
export interface ChildExited {
  readonly type: 'child.exited';
  readonly id: string;
  /** How the child ended. `shutdown`: by order, with its Boss, or as a Boss that gave up. */
  readonly reason: ChildExit['reason'];
  readonly error: unknown;
}

export type Order =
  | ChildCommand<ChildRecord>
  /** Raises `bosun.retry` for this child after the delay. */
  | { readonly type: 'delay'; readonly id: string; readonly delayMs: number }
  | { readonly type: 'cancel'; readonly id: string }
  /** Waits this long for children that were told to end; null means without limit. */
  | { readonly type: 'await'; readonly count: number; readonly delayMs: number | null }
  | { readonly type: 'report'; readonly to: object; readonly event: ChildExited };

const SHUT_DOWN = { reason: 'shutdown', error: undefined } as const;

/** Starts a child that the Boss does not have, or has as ended. */
export function startOrder(
  spec: ChildSpec,
  {
    position,
    nowMs,
    onDemand,
    isSpawned = false,
  }: { position: number; nowMs: number; onDemand?: 'start' | 'restart'; isSpawned?: boolean },
): Order {
  const record: ChildRecord = {
    spec,
    position,
    status: 'running',
    consecutive: 0,
    startedAtMs: nowMs,
    retry: null,
    restarts: 0,
    lastError: undefined,
    ...(onDemand && { onDemand }),
    ...(isSpawned && { isSpawned }),
  };
  return { type: 'bosun.child.start', params: { ...startOf(spec), record } };
}

/** Ends a child by order, whatever it is doing. Empty for an ended child. */
export function terminateOrders(record: ChildRecord, isForgotten = false): Order[] {
  if (record.status === 'ended') return [];
  return [...cancelOrders(record), ...endOrders({ ...record, status: 'ended', retry: null }, SHUT_DOWN, isForgotten)];
}

/** Cancels the delayed restart of a child, if it waits for one. */
export function cancelOrders({ status, spec }: ChildRecord): Order[] {
  return status === 'waiting' ? [{ type: 'cancel', id: spec.id }] : [];
}

/** Carries out a decision about an ended child, except giving up. */
export function decisionOrders(decision: Exclude<Decision, { kind: 'give-up' }>): Order[] {
  const { record } = decision;
  switch (decision.kind) {
    case 'restart':
      return restartOrders(record, decision.mode);
    case 'wait':
      return [recordOrder(record), { type: 'delay', id: record.spec.id, delayMs: decision.delayMs }];
    case 'suspend': {
      const { mode, failures } = decision;
      return [
        {
          type: 'bosun.child.suspend',
          params: { id: record.spec.id, mode, failures, error: record.lastError, record },
        },
      ];
    }
    case 'end':
      return endOrders(record, { reason: decision.reason, error: record.lastError }, decision.isForgotten);
  }
}

/** Gives a child its spec from the present code; the child continues unchanged. */
export function keepOrders(record: ChildRecord, spec: ChildSpec): Order[] {
  return [recordOrder({ ...record, spec }), ...declareOrders(spec)];
}

/** Reports children that end together with their Boss. */
export function lostOrders(records: Iterable<ChildRecord>): Order[] {
  return [...records].filter(({ status }) => status !== 'ended').flatMap(({ spec }) => reportOrders(spec, SHUT_DOWN));
}

export function restartOrders(record: ChildRecord, mode: RestartMode): Order[] {
  const { spec } = record;
  // A Boss begins anew with the children it was born with; the code may declare others by now.
  const isDelayed = spec.backoff !== undefined;
  return [
    { type: 'bosun.child.restart', params: { ...startOf(spec), mode, isDelayed, record } },
    ...declareOrders(spec),
  ];
}

export function recordOrder(record: ChildRecord): Order {
  return { type: 'bosun.child.record', params: { id: record.spec.id, record } };
}

function declareOrders(spec: ChildSpec): Order[] {
  return 'boss' in spec ? [{ type: 'bosun.child.declare', params: { id: spec.id, input: spec.boss } }] : [];
}

function endOrders(record: ChildRecord, exit: Pick<ChildExited, 'reason' | 'error'>, isForgotten: boolean): Order[] {
  const { spec } = record;
  const kept = isForgotten || spec.restart === 'temporary' ? null : record;
  return [{ type: 'bosun.child.terminate', params: { id: spec.id, record: kept } }, ...reportOrders(spec, exit)];
}

function reportOrders({ id, reportTo }: ChildSpec, exit: Pick<ChildExited, 'reason' | 'error'>): Order[] {
  return reportTo === undefined ? [] : [{ type: 'report', to: reportTo, event: { type: 'child.exited', id, ...exit } }];
}

function startOf(spec: ChildSpec): ChildStart {
  const { id, systemId = null } = spec;
  return 'boss' in spec
    ? { id, systemId, agent: BOSS_AGENT, input: spec.boss }
    : { id, systemId, agent: spec.agent, input: spec.input };
}
