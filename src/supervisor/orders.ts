/**
 * What a Boss has done once it has decided: orders to the kernel, timers of its own, and word to whoever waits for a
 * child's end. Pure; the machine in boss.ts hands them over, and the kernel performs them in the turn that decided.
 */
import { BOSS_AGENT } from '../actors/model/agent.ts';
import { type ChildSpec } from './child-spec.ts';
import { type ChildExit, type ChildRecord, type Decision, type RestartMode } from './exit-rules.ts';

export interface StartParams {
  readonly id: string;
  readonly agent: string;
  readonly input: unknown;
  readonly systemId: string | null;
}

/** Performed by the kernel (src/actors/world/bosses.ts), in this order, within the Boss's turn. */
export type Command =
  | { readonly type: 'bosun.child.start'; readonly params: StartParams }
  | { readonly type: 'bosun.child.restart'; readonly params: StartParams & { readonly mode: RestartMode } }
  | { readonly type: 'bosun.child.declare'; readonly params: { readonly id: string; readonly input: unknown } }
  /**
   * `remove` ends it; `halt` too, but keeps address, mailbox and references for the restart that follows; `shutdown`
   * tells it to end; `forget` is about its record; `meet` has the order answered when the child has begun.
   */
  | {
      readonly type: `bosun.child.${'remove' | 'halt' | 'shutdown' | 'forget' | 'meet'}`;
      readonly params: { readonly id: string };
    }
  /** The order cannot be carried out; whoever gave it is told. */
  | { readonly type: 'bosun.child.refuse'; readonly params: Refusal }
  | { readonly type: 'bosun.child.put'; readonly params: { readonly id: string; readonly row: ChildRecord } };

/** Why an order is refused, with OTP's word for it in the message. */
export interface Refusal {
  readonly code:
    | 'BOSUN_CHILD_RUNNING'
    | 'BOSUN_CHILD_PRESENT'
    | 'BOSUN_CHILD_RESTARTING'
    | 'BOSUN_CHILD_UNKNOWN'
    | 'BOSUN_CHILD_DYNAMIC'
    | 'BOSUN_CHILDREN_FULL';
  readonly id: string;
}

/** Sent to the `reportTo` of a child spec when the child has ended for good, by itself or by order. */
export interface ChildExited {
  readonly type: 'child.exited';
  readonly id: string;
  /** `shutdown`: ended by order, or with its Boss, or a Boss that gave up. */
  readonly reason: ChildExit['reason'];
  readonly error: unknown;
}

export type Order =
  | Command
  /** Raise `bosun.retry` for this child after the delay. */
  | { readonly type: 'delay'; readonly id: string; readonly delayMs: number }
  | { readonly type: 'cancel'; readonly id: string }
  /** Wait for children that were told to end, for so long; null: for ever. */
  | { readonly type: 'await'; readonly count: number; readonly delayMs: number | null }
  | { readonly type: 'tell'; readonly to: object; readonly event: ChildExited };

/** Starts a child that the Boss does not have, or has as ended. */
export function startOrders(
  spec: ChildSpec,
  facts: { position: number; nowMs: number; onDemand?: 'start' | 'restart' },
): Order[] {
  const row: ChildRecord = {
    spec,
    position: facts.position,
    status: 'running',
    consecutive: 0,
    startedAtMs: facts.nowMs,
    retry: null,
    restarts: 0,
    lastError: undefined,
    ...(facts.onDemand && { onDemand: facts.onDemand }),
  };
  return [put(row), { type: 'bosun.child.start', params: startParams(spec) }];
}

/** Ends a child by order, whatever it is doing. Nothing to do for one that has ended. */
export function terminateOrders(record: ChildRecord, isForgotten = false): Order[] {
  if (record.status === 'ended') return [];
  return [
    ...cancelOrders(record),
    ...endOrders({ ...record, status: 'ended', retry: null }, { reason: 'shutdown', error: undefined }, isForgotten),
  ];
}

/** Calls off the delayed restart of a child, if it waits for one. */
export function cancelOrders({ status, spec }: ChildRecord): Order[] {
  return status === 'waiting' ? [{ type: 'cancel', id: spec.id }] : [];
}

/** Carries out what was decided about a child that ended. Giving up is a transition and needs none. */
export function decisionOrders(decision: Decision): Order[] {
  switch (decision.kind) {
    case 'restart':
      return restartOrders(decision.record, decision.mode);
    case 'wait':
      return [put(decision.record), { type: 'delay', id: decision.record.spec.id, delayMs: decision.delayMs }];
    case 'end':
      return endOrders(
        decision.record,
        { reason: decision.reason, error: decision.record.lastError },
        decision.isForgotten,
      );
    case 'give-up':
      return [];
  }
}

/** Gives a child the spec that the code has for it today; it goes on as it is. */
export function keepOrders(record: ChildRecord, spec: ChildSpec): Order[] {
  return [put({ ...record, spec }), ...declareOrders(spec)];
}

/** Tells of children that end together with their Boss. */
export function lostOrders(records: Iterable<ChildRecord>): Order[] {
  return [...records]
    .filter(({ status }) => status !== 'ended')
    .flatMap(({ spec }) => tellOrders(spec, { reason: 'shutdown', error: undefined }));
}

export function restartOrders(record: ChildRecord, mode: RestartMode): Order[] {
  const { spec } = record;
  const restart: Command = { type: 'bosun.child.restart', params: { ...startParams(spec), mode } };
  // A Boss begins anew with the children it was born with; the code may have others by now.
  return [restart, put(record), ...declareOrders(spec)];
}

function declareOrders(spec: ChildSpec): Order[] {
  return 'boss' in spec ? [{ type: 'bosun.child.declare', params: { id: spec.id, input: spec.boss } }] : [];
}

function endOrders(record: ChildRecord, exit: Pick<ChildExited, 'reason' | 'error'>, isForgotten = false): Order[] {
  const { spec } = record;
  const { id } = spec;
  const kept: Command =
    isForgotten || spec.restart === 'temporary' ? { type: 'bosun.child.forget', params: { id } } : put(record);
  return [{ type: 'bosun.child.remove', params: { id } }, kept, ...tellOrders(spec, exit)];
}

function tellOrders({ id, reportTo }: ChildSpec, exit: Pick<ChildExited, 'reason' | 'error'>): Order[] {
  return reportTo === undefined ? [] : [{ type: 'tell', to: reportTo, event: { type: 'child.exited', id, ...exit } }];
}

export function put(row: ChildRecord): Command {
  return { type: 'bosun.child.put', params: { id: row.spec.id, row } };
}

function startParams(spec: ChildSpec): StartParams {
  const { id, systemId = null } = spec;
  return 'boss' in spec
    ? { id, systemId, agent: BOSS_AGENT, input: spec.boss }
    : { id, systemId, agent: spec.agent, input: spec.input };
}
