/**
 * The Boss: OTP's supervisor as a machine that anyone can draw and watch. It decides by the pure rules beside it; what it
 * decides becomes orders, of which the actions `bosun.child.*` are performed by the kernel in the same turn
 * (src/actors/bosses.ts). The kernel keeps the child table too: every event arrives with it, the kernel time and a random
 * number.
 */
import { assertEvent, assign, enqueueActions, not, setup } from 'xstate';
import { brief } from './brief.ts';
import { type BossSpec, type ChildSpec, parseBossSpec, parseChildSpec } from './child-spec.ts';
import { declarationOrders } from './declaration.ts';
import { type ChildExit, type ChildRecord, decideExit, decideRetry, type Decision, type Situation } from './exit-rules.ts';
import { type Intensity } from './intensity.ts';
import { type Command, decisionOrders, lostOrders, type Order, startOrders, terminateOrders } from './orders.ts';

interface Context extends Intensity {
  readonly strategy: BossSpec['strategy'];
  /** Static children: those of the code, in its order. */
  readonly declared: readonly ChildSpec[];
  /** Given to the next new child. */
  readonly nextPosition: number;
  /** Restarts within the period, newest first, kernel time. */
  readonly window: readonly number[];
  /** The root after it gave up: its next restart is not counted, because the start of the process is what allowed it. */
  readonly pardoned: boolean;
  /** Children whose restart is delayed. */
  readonly waiting: number;
  /** The child that it gave up over, as an address below it, and what that one died of. */
  readonly failed: { readonly child: string; readonly error: unknown } | null;
}

/** What the kernel adds to every event of a Boss. */
interface Decorated {
  /** The child table as of before this turn, by child id. */
  readonly children: ReadonlyMap<string, ChildRecord>;
  readonly nowMs: number;
  readonly random: number;
}

type BossEvent = Decorated &
  (
    | { type: 'child.start'; spec: unknown }
    | { type: 'child.terminate'; id: string }
    | { type: 'bosun.declare'; input: unknown }
    | { type: 'bosun.retry'; id: string }
    | { type: 'bosun.resumed' }
    | ({ type: 'bosun.exit'; id: string } & ChildExit)
  );

/** What a Boss says to whoever watches it. */
export type BossEmitted =
  | { readonly type: 'child.failed'; readonly id: string; readonly error: unknown; readonly restarts: number }
  | { readonly type: 'child.restarted'; readonly id: string; readonly restarts: number };

/** How a Boss that gave up ends. */
export interface BossOutput {
  readonly reason: 'shutdown';
  readonly over: string | undefined;
  readonly error: unknown;
}

/** The kernel performs these; nothing is left to do here. */
const performed = (_: unknown, _params: never): void => {};

export const bossMachine = setup({
  types: {} as { context: Context; events: BossEvent; input: BossSpec; output: BossOutput; emitted: BossEmitted },
  actions: {
    'bosun.child.start': performed,
    'bosun.child.restart': performed,
    'bosun.child.declare': performed,
    'bosun.child.remove': performed,
    'bosun.child.forget': performed,
    'bosun.child.put': performed,
    startDeclared: enqueueActions(({ context: { declared }, enqueue }) => {
      give(enqueue, declared.flatMap((spec, position) => startOrders(spec, { position, nowMs: 0 })));
      enqueue.assign({ nextPosition: declared.length });
    }),
    startChild: enqueueActions(({ context: { nextPosition }, event, enqueue }) => {
      assertEvent(event, 'child.start');
      const spec = parseChildSpec(event.spec);
      const record = event.children.get(spec.id);
      if (record !== undefined && record.status !== 'ended') return;
      give(enqueue, startOrders(spec, { position: record?.position ?? nextPosition, nowMs: event.nowMs }));
      if (record === undefined) enqueue.assign({ nextPosition: nextPosition + 1 });
    }),
    terminateChild: enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'child.terminate');
      const record = event.children.get(event.id);
      if (record !== undefined) giveAndCount(enqueue, terminateOrders(record), context.waiting);
    }),
    declareChildren: enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'bosun.declare');
      const { strategy, intensity, periodMs, children: declared } = parseBossSpec(event.input);
      const { declared: before, nextPosition, waiting } = context;
      const { children: records, nowMs } = event;
      giveAndCount(enqueue, declarationOrders({ before, now: declared, records, nextPosition, nowMs }), waiting);
      enqueue.assign({ strategy, intensity, periodMs, declared, nextPosition: nextPosition + declared.length });
    }),
    answer: enqueueActions(({ context, event, enqueue }) => {
      const decision = decide(context, event);
      if (decision === null) return;
      if (decision.kind === 'restart') enqueue.assign(context.pardoned ? { pardoned: false } : { window: decision.window });
      giveAndCount(enqueue, decisionOrders(decision), context.waiting - (event.type === 'bosun.retry' ? 1 : 0));
      if (decision.kind !== 'restart') return;
      const { spec, restarts } = decision.record;
      enqueue.emit({ type: 'child.restarted', id: spec.id, restarts });
    }),
    giveUp: enqueueActions(({ context, event, enqueue }) => {
      const decision = decide(context, event);
      if (decision?.kind !== 'give-up') return;
      enqueue.assign({ failed: { child: pathOf(event), error: decision.error } });
      // Declared children begin anew with their Boss; the others are lost, and who waits for them must know.
      const declared = new Set(context.declared.map(({ id }) => id));
      give(enqueue, lostOrders([...event.children.values()].filter(({ spec }) => !declared.has(spec.id))));
    }),
    tellFailure: enqueueActions(({ event, enqueue }) => {
      assertEvent(event, 'bosun.exit');
      const { id, reason, error } = event;
      const record = event.children.get(id);
      if (record === undefined || reason === 'normal') return;
      enqueue.emit({ type: 'child.failed', id, error: brief(error), restarts: record.restarts });
    }),
    forgetRestarts: assign({ window: [], pardoned: true }),
  },
  guards: {
    givesUp: ({ context, event }) => decide(context, event)?.kind === 'give-up',
    hasWaiting: ({ context }) => context.waiting > 0,
  },
}).createMachine({
  id: 'boss',
  context: ({ input }) => {
    const { strategy, intensity, periodMs, children } = parseBossSpec(input);
    const fresh = { nextPosition: 0, window: [], pardoned: false, waiting: 0, failed: null };
    return { strategy, intensity, periodMs, declared: children, ...fresh };
  },
  initial: 'starting',
  output: ({ context: { failed } }) => ({ reason: 'shutdown' as const, over: failed?.child, error: failed?.error }),
  states: {
    starting: { entry: 'startDeclared', always: 'supervising' },
    supervising: {
      initial: 'running',
      on: {
        'child.start': { actions: 'startChild' },
        'child.terminate': { actions: 'terminateChild' },
        'bosun.declare': { actions: 'declareChildren' },
        'bosun.retry': [{ guard: 'givesUp', target: 'escalated', actions: 'giveUp' }, { actions: 'answer' }],
        'bosun.exit': [
          { guard: 'givesUp', target: 'escalated', actions: ['tellFailure', 'giveUp'] },
          { actions: ['tellFailure', 'answer'] },
        ],
        // The root, at the first start after it gave up.
        'bosun.resumed': { actions: 'forgetRestarts' },
      },
      states: {
        running: { always: { guard: 'hasWaiting', target: 'backingOff' } },
        backingOff: { always: { guard: not('hasWaiting'), target: 'running' } },
      },
    },
    escalated: { type: 'final' },
  },
});

/** What to do about the child that the event is about; null when it is about none that could need it. */
function decide({ window, intensity, periodMs, pardoned }: Context, event: BossEvent): Decision | null {
  if (event.type !== 'bosun.exit' && event.type !== 'bosun.retry') return null;
  const record = event.children.get(event.id);
  if (record === undefined) return null;
  const limit = { intensity: pardoned ? Infinity : intensity, periodMs };
  const situation: Situation = { record, window, limit, nowMs: event.nowMs };
  if (event.type === 'bosun.retry') return decideRetry(situation);
  // One that was ended by order meanwhile needs no answer.
  return record.status === 'running' ? decideExit(situation, event, event.random) : null;
}

/** Where the failure began, as an address below this Boss. */
function pathOf(event: BossEvent): string {
  if (event.type === 'bosun.exit') return event.over === undefined ? event.id : `${event.id}/${event.over}`;
  return event.type === 'bosun.retry' ? event.id : '';
}

/** What we use of `enqueue`; its own type depends on the transition it stands in. */
interface Enqueue {
  (command: Command): void;
  assign(patch: Partial<Context>): void;
  cancel(id: string): void;
  raise(event: { type: 'bosun.retry'; id: string }, options: { id: string; delay: number }): void;
  sendTo(to: object, event: { type: string }): void;
}

function give(enqueue: unknown, orders: readonly Order[]): void {
  const to = enqueue as Enqueue;
  for (const order of orders) {
    switch (order.type) {
      case 'delay':
        to.raise({ type: 'bosun.retry', id: order.id }, { id: order.id, delay: order.delayMs });
        break;
      case 'cancel':
        to.cancel(order.id);
        break;
      case 'tell':
        to.sendTo(order.to, order.event);
        break;
      default:
        to(order);
    }
  }
}

/** Gives the orders, and keeps count of the children whose restart they delay or call off. */
function giveAndCount(enqueue: unknown, orders: readonly Order[], waiting: number): void {
  give(enqueue, orders);
  const delayed = orders.filter(({ type }) => type === 'delay').length;
  const calledOff = orders.filter(({ type }) => type === 'cancel').length;
  (enqueue as Enqueue).assign({ waiting: waiting + delayed - calledOff });
}
