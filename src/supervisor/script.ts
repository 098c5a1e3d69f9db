/**
 * Scripts: how a Boss ends several children one after the other, the youngest first, and starts some of them again. A
 * child that is told to end takes time, so the rest of a script may have to wait; it is kept in the Boss's context and
 * continues after a crash of the host. Pure; the machine in boss.ts passes the orders on.
 */
import { type BossFacts } from '../actors/model/supervision.ts';
import { cancelOrders, type Order, restartOrders, startOrder, terminateOrders } from './boss-orders.ts';
import { type ChildSpec, shutdownOf } from './child-spec.ts';
import { type ChildRecord } from './decision.ts';
import { rulesOf, type Strategy } from './strategies.ts';

export type ScriptStep =
  /** `terminate` is for good; `halt` is for a restart by a later step, with the mailbox kept. */
  | { readonly do: 'terminate' | 'halt'; readonly id: string }
  /** Restarts from the initial state. `isCounted`: whether it counts in the child's own restarts. */
  | { readonly do: 'restart'; readonly id: string; readonly isCounted: boolean }
  /** Starts a declared child that does not exist. */
  | { readonly do: 'start'; readonly id: string; readonly position: number }
  /** Tells all children at once to end, under one timer (OTP: simple_one_for_one). */
  | { readonly do: 'shutdownAll' };

/** The children before the turn, and whether they have work to do before they end. */
type Children = Pick<BossFacts<ChildRecord>, 'children' | 'lingers'>;

export interface Scene extends Children, Pick<BossFacts, 'nowMs'> {
  readonly strategy: Strategy;
  /** The failed child, as recorded in this turn. */
  readonly failed?: ChildRecord | undefined;
  readonly declared: readonly ChildSpec[];
}

interface Progress {
  readonly orders: readonly Order[];
  /**
   * Index of the step whose children were told to end. The script continues with it when they have ended. Null at the
   * end.
   */
  readonly at: number | null;
}

/**
 * Takes the steps that can be taken now.
 *
 * @param resumed Index of the step to go on with: its children were told to end, and have ended, or their time is up.
 * Absent at the beginning.
 */
export function proceed(steps: readonly ScriptStep[], scene: Scene, resumed: number | undefined): Progress {
  const orders: Order[] = [];
  for (let at = resumed ?? 0; at < steps.length; at++) {
    const step = steps[at]!;
    const shutdowns = at === resumed ? [] : shutdownOrders(step, scene);
    if (shutdowns.length > 0) return { orders: [...orders, ...shutdowns], at };
    orders.push(...stepOrders(step, scene));
  }
  return { orders, at: null };
}

/**
 * OTP's group restart: the group ends in reverse order and starts in order; temporary children are not started again,
 * and a child terminated before is.
 *
 * @param group In the order of their starts, including the failed one.
 * @param isCounted Whether the failed child's restart is counted in its own record.
 */
export function restartSteps(group: readonly ChildRecord[], failed: ChildRecord, isCounted: boolean): ScriptStep[] {
  const stays = ({ spec }: ChildRecord) => spec.restart === 'temporary' && spec.id !== failed.spec.id;
  const ends = group.filter(({ status }) => status !== 'ended').reverse();
  return [
    ...ends.map((record): ScriptStep => ({ do: stays(record) ? 'terminate' : 'halt', id: record.spec.id })),
    ...group
      .filter((record) => !stays(record))
      .map(({ spec: { id } }): ScriptStep => ({ do: 'restart', id, isCounted: isCounted || id !== failed.spec.id })),
  ];
}

/**
 * The steps by which an ending Boss ends its children, the youngest first. Empty if no child has work to do: they
 * end with it.
 */
export function endSteps(strategy: Strategy, { children, lingers }: Children): ScriptStep[] {
  const living = [...children.values()].filter(({ status }) => status !== 'ended');
  if (!living.some((record) => isTold(record, lingers))) return [];
  if (rulesOf(strategy).isOfTemplate) return [{ do: 'shutdownAll' }];
  living.sort((a, b) => b.position - a.position);
  return living.map(({ spec: { id } }) => ({ do: 'terminate', id }));
}

function isTold({ status, spec }: ChildRecord, lingers: Children['lingers']): boolean {
  return status !== 'ended' && shutdownOf(spec) !== 'brutal_kill' && lingers(spec.id);
}

/**
 * Orders that tell the children whom a step ends to shut down, and that wait for them; none if no child has to be told.
 */
function shutdownOrders(step: ScriptStep, scene: Scene): Order[] {
  const told = endedBy(step, scene).filter((record) => isTold(record, scene.lingers));
  if (told.length === 0) return [];
  // Not by Math.max of all: a dynamic Boss may have more children than a call can have arguments.
  const ms = told.reduce((longest, { spec }) => Math.max(longest, msOf(spec)), 0);
  return [
    ...told.map(
      (record): Order => ({
        type: 'bosun.child.shutdown',
        params: { id: record.spec.id, record: { ...record, status: 'stopping' } },
      }),
    ),
    { type: 'await', count: told.length, delayMs: ms === Infinity ? null : ms },
  ];
}

function endedBy(step: ScriptStep, scene: Scene): ChildRecord[] {
  if (step.do === 'shutdownAll') return [...scene.children.values()];
  const record = step.do === 'terminate' || step.do === 'halt' ? recordOf(step.id, scene) : undefined;
  return record === undefined ? [] : [record];
}

function msOf(spec: ChildSpec): number {
  const shutdown = shutdownOf(spec);
  return typeof shutdown === 'number' ? shutdown : Infinity;
}

function recordOf(id: string, { children, failed }: Scene): ChildRecord | undefined {
  return failed?.spec.id === id ? failed : children.get(id);
}

function stepOrders(step: ScriptStep, scene: Scene): Order[] {
  if (step.do === 'shutdownAll') return [];
  const { strategy, declared, nowMs } = scene;
  const { id } = step;
  if (step.do === 'start') {
    const spec = declared.find((one) => one.id === id);
    return spec === undefined ? [] : [startOrder(spec, { position: step.position, nowMs })];
  }
  const record = recordOf(id, scene);
  if (record === undefined) return [];
  switch (step.do) {
    case 'terminate':
      return terminateOrders(record, rulesOf(strategy).isOfTemplate);
    case 'halt':
      return [...cancelOrders(record), { type: 'bosun.child.halt', params: { id } }];
    case 'restart': {
      const restarts = record.restarts + (step.isCounted ? 1 : 0);
      return restartOrders({ ...record, status: 'running', startedAtMs: nowMs, retry: null, restarts }, 'initial');
    }
  }
}
