/**
 * Orders about single children, with OTP's answers (start_child, terminate_child, restart_child, delete_child).
 * Refusals are worded for the kernel to pass on to the author of the order; a machine that gave it is not told. Pure.
 */
import { type BossSpec, childProblem, type ChildSpec, parseChildSpec, specOfTemplate } from './child-spec.ts';
import { type BossFacts, type RefusalCode } from '../actors/model/supervision.ts';
import { BosunError } from '../errors.ts';
import { type ChildRecord } from './decision.ts';
import { type Order, startOrder } from './boss-orders.ts';
import { type ScriptStep } from './script.ts';
import { rulesOf } from './strategies.ts';

export type AdminEvent =
  /**
   * Starts a child. With `isNew`, a child that exists or has existed is refused; otherwise an existing one is returned.
   * `ofSpawn` is set by `system.spawn`: the record of the child is removed at its end, of which its result tells, and
   * with `unlessEnded` an id whose result is kept is refused.
   */
  | { readonly type: 'child.start'; readonly spec: unknown; readonly isNew?: boolean; readonly ofSpawn?: OfSpawn }
  | { readonly type: 'child.terminate' | 'child.restart' | 'child.delete'; readonly id: string };

/** How `system.spawn` starts a child. */
export type OfSpawn = 'again' | 'unlessEnded';

interface Boss extends Pick<BossSpec, 'strategy' | 'autoShutdown' | 'template' | 'maxChildren'> {
  readonly nextPosition: number;
}

interface Outcome {
  readonly orders: readonly Order[];
  readonly steps: readonly ScriptStep[];
  readonly nextPosition: number;
}

type Facts = Pick<BossFacts<ChildRecord>, 'children' | 'nowMs' | 'hasResult'>;

/** Decides about an order. Throws BOSUN_CHILD_SPEC_INVALID. */
export function adminOrders(boss: Boss, event: AdminEvent & Facts): Outcome {
  const { nextPosition } = boss;
  if (event.type === 'child.start') return startChild(boss, event);
  const { id } = event;
  const record = event.children.get(id);
  const refuse = (code: RefusalCode): Outcome => ({ orders: [refusal(code, id)], steps: [], nextPosition });
  if (rulesOf(boss.strategy).isOfTemplate && event.type !== 'child.terminate') return refuse('BOSUN_CHILD_DYNAMIC');
  if (record === undefined) return refuse('BOSUN_CHILD_UNKNOWN');
  if (event.type === 'child.terminate')
    return { orders: [], steps: record.status === 'ended' ? [] : [{ do: 'terminate', id }], nextPosition };
  if (record.status === 'waiting') return refuse('BOSUN_CHILD_RESTARTING');
  if (record.status !== 'ended') return refuse('BOSUN_CHILD_RUNNING');
  if (event.type === 'child.delete')
    return { orders: [{ type: 'bosun.child.record', params: { id, record: null } }], steps: [], nextPosition };
  const { position, spec } = record;
  return { orders: [startOrder(spec, { position, nowMs: event.nowMs, onDemand: 'restart' })], steps: [], nextPosition };
}

function startChild(boss: Boss, event: Extract<AdminEvent, { type: 'child.start' }> & Facts): Outcome {
  const { nextPosition, maxChildren = Infinity } = boss;
  const { ofSpawn } = event;
  const spec = specOf(boss, event.spec);
  const { id } = spec;
  const only = (order: Order): Outcome => ({ orders: [order], steps: [], nextPosition });
  const record = event.children.get(id);
  if (record !== undefined && record.status !== 'ended') {
    const code = record.status === 'waiting' ? 'BOSUN_CHILD_PRESENT' : 'BOSUN_CHILD_RUNNING';
    return only(event.isNew === true ? refusal(code, id) : { type: 'bosun.child.awaitStart', params: { id } });
  }
  if (record !== undefined && event.isNew === true) return only(refusal('BOSUN_CHILD_PRESENT', id));
  const ended = ofSpawn === 'unlessEnded' && event.hasResult(id);
  if (ended !== false) return only(refusal(ended === true ? 'BOSUN_CHILD_PRESENT' : ended, id));
  // Counting needs the whole child table.
  if (maxChildren !== Infinity && event.children.size >= maxChildren) return only(refusal('BOSUN_CHILDREN_FULL', id));
  const { position = nextPosition } = record ?? {};
  const isSpawned = ofSpawn !== undefined;
  const order = startOrder(spec, { position, nowMs: event.nowMs, onDemand: 'start', isSpawned });
  return { orders: [order], steps: [], nextPosition: record === undefined ? nextPosition + 1 : nextPosition };
}

function specOf({ template, autoShutdown, nextPosition }: Boss, given: unknown): ChildSpec {
  if (template !== undefined) return specOfTemplate(template, given, String(nextPosition));
  const spec = parseChildSpec(given);
  const problem = childProblem(spec, autoShutdown);
  if (problem !== undefined) throw new BosunError('BOSUN_CHILD_SPEC_INVALID', `child spec: ${problem}`);
  return spec;
}

function refusal(code: RefusalCode, id: string): Order {
  return { type: 'bosun.child.refuse', params: { code, id } };
}
