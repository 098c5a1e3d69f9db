/**
 * What a Boss does to several children one after the other: ends them, the youngest first, and starts some of them
 * again. A child that is told to end takes its time, so the rest of a script may have to wait; it is kept in the Boss's
 * context and goes on after a crash of the host. Pure; the machine in boss.ts hands the orders over.
 */
import { type ChildSpec, type Shutdown, shutdownOf } from './child-spec.ts';
import { type ChildRecord } from './exit-rules.ts';
import { cancelOrders, type Order, put, restartOrders, startOrders, terminateOrders } from './orders.ts';
import { rulesOf, type Strategy } from './strategies.ts';

export type Step =
  /** `terminate`: for good. `halt`: to be restarted by a later step, with its mailbox. */
  | { readonly do: 'terminate' | 'halt'; readonly id: string }
  /** From the initial state. `isCounted` in the child's own restarts. */
  | { readonly do: 'restart'; readonly id: string; readonly isCounted: boolean }
  /** A declared child that is not there. */
  | { readonly do: 'start'; readonly id: string; readonly position: number }
  /** All at once under one timer, and then the Boss itself (OTP: simple_one_for_one). */
  | { readonly do: 'empty' }
  | { readonly do: 'finish' };

export interface Scene {
  /** As of before the turn. */
  readonly records: ReadonlyMap<string, ChildRecord>;
  /** What this turn has made of one of them. */
  readonly failed?: ChildRecord | undefined;
  /** Whether a child, or one below it, has something to do before it ends. */
  readonly lingers: (id: string) => boolean;
  readonly declared: readonly ChildSpec[];
  readonly strategy: Strategy;
  readonly nowMs: number;
}

export interface Progress {
  readonly orders: readonly Order[];
  /** Index of the step whose children were told: it goes on with this one when they have ended; null at the end. */
  readonly at: number | null;
  /** The Boss itself is to end. */
  readonly hasFinished: boolean;
}

/**
 * @param told Index of the step to go on with: its children have been told to end, and have, or their time is up.
 *   Absent at the beginning.
 */
export function proceed(steps: readonly Step[], scene: Scene, told: number | undefined): Progress {
  const orders: Order[] = [];
  for (let at = told ?? 0; at < steps.length; at++) {
    const step = steps[at]!;
    if (step.do === 'finish') return { orders, at: null, hasFinished: true };
    const tells = at === told ? [] : tellOrders(step, scene);
    if (tells.length > 0) return { orders: [...orders, ...tells], at, hasFinished: false };
    orders.push(...stepOrders(step, scene));
  }
  return { orders, at: null, hasFinished: false };
}

/**
 * OTP's group restart: the group ends in reverse order and starts in order; temporary children stay away, and one that
 * was terminated before comes back.
 *
 * @param group In the order of their starts, the failed one among them.
 * @param isCounted Whether the failed child's restart is counted in its own record.
 */
export function restartSteps(group: readonly ChildRecord[], failed: ChildRecord, isCounted: boolean): Step[] {
  const stays = ({ spec }: ChildRecord) => spec.restart === 'temporary' && spec.id !== failed.spec.id;
  const ends = group.filter(({ status }) => status !== 'ended').reverse();
  return [
    ...ends.map((record): Step => ({ do: stays(record) ? 'terminate' : 'halt', id: record.spec.id })),
    ...group
      .filter((record) => !stays(record))
      .map(({ spec: { id } }): Step => ({ do: 'restart', id, isCounted: isCounted || id !== failed.spec.id })),
  ];
}

/**
 * A Boss ends its children, the youngest first, and then itself. Those with nothing left to do need no step of their
 * own.
 */
export function endSteps(strategy: Strategy, { records, lingers }: Pick<Scene, 'records' | 'lingers'>): Step[] {
  const living = [...records.values()].filter(({ status }) => status !== 'ended');
  if (!living.some(({ spec }) => isTold(spec, lingers))) return [{ do: 'finish' }];
  if (rulesOf(strategy).isOfTemplate) return [{ do: 'empty' }, { do: 'finish' }];
  living.sort((a, b) => b.position - a.position);
  return [...living.map(({ spec: { id } }): Step => ({ do: 'terminate', id })), { do: 'finish' }];
}

function isTold(spec: ChildSpec, lingers: Scene['lingers']): boolean {
  return shutdownOf(spec) !== 'brutal_kill' && lingers(spec.id);
}

/** Tells whom a step ends, where there is somebody to be told. */
function tellOrders(step: Step, scene: Scene): Order[] {
  const { records, lingers } = scene;
  const named =
    step.do === 'terminate' || step.do === 'halt'
      ? [recordOf(step.id, scene)]
      : step.do === 'empty'
        ? [...records.values()]
        : [];
  const told = named.filter(
    (record) => record !== undefined && record.status !== 'ended' && isTold(record.spec, lingers),
  ) as ChildRecord[];
  if (told.length === 0) return [];
  // Not by Math.max of them all: a dynamic Boss has more children than a call may have arguments.
  const ms = told.reduce((longest, { spec }) => Math.max(longest, msOf(shutdownOf(spec))), 0);
  return [
    ...told.flatMap((record): Order[] => [
      put({ ...record, status: 'stopping' }),
      { type: 'bosun.child.shutdown', params: { id: record.spec.id } },
    ]),
    { type: 'await', count: told.length, delayMs: ms === Infinity ? null : ms },
  ];
}

function msOf(time: Shutdown): number {
  return typeof time === 'number' ? time : Infinity;
}

function recordOf(id: string, { records, failed }: Scene): ChildRecord | undefined {
  return failed?.spec.id === id ? failed : records.get(id);
}

function stepOrders(step: Exclude<Step, { do: 'finish' }>, scene: Scene): Order[] {
  if (step.do === 'empty') return [];
  const { declared, strategy, nowMs } = scene;
  const record = recordOf(step.id, scene);
  switch (step.do) {
    case 'terminate':
      return record === undefined ? [] : terminateOrders(record, rulesOf(strategy).isOfTemplate);
    case 'halt':
      return record === undefined
        ? []
        : [...cancelOrders(record), { type: 'bosun.child.halt', params: { id: step.id } }];
    case 'restart': {
      if (record === undefined) return [];
      const restarts = record.restarts + (step.isCounted ? 1 : 0);
      return restartOrders({ ...record, status: 'running', startedAtMs: nowMs, retry: null, restarts }, 'initial');
    }
    case 'start': {
      const spec = declared.find(({ id }) => id === step.id);
      return spec === undefined ? [] : startOrders(spec, { position: step.position, nowMs });
    }
  }
}
