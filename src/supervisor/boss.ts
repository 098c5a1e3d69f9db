/**
 * The Boss: OTP's supervisor as a machine that anyone can draw and watch. Its states say what it is doing; ends of
 * children, orders and timers move it between them; the pure rules beside it decide. Decisions become orders; the
 * kernel performs the commands `bosun.child.*` among them in the same turn. The kernel also keeps the child table:
 * every event comes with it, the kernel time and a random number. While the Boss waits for children to end, the kernel
 * holds back all other messages, as OTP's supervisor does not look at its mailbox then.
 */
import { assertEvent, assign, enqueueActions, setup } from 'xstate';
import {
  type BossFacts,
  type BossOutput,
  type BossSignal,
  type BossView,
  type ChildCommand,
} from '../actors/model/supervision.ts';
import { adminOrders, type AdminEvent } from './admin.ts';
import { decisionOrders, lostOrders, type Order, recordOrder, startOrder } from './boss-orders.ts';
import { brief } from './brief.ts';
import { type BossSpec, type ChildSpec, parseBossSpec } from './child-spec.ts';
import { declarationOrders } from './declaration.ts';
import { type ChildRecord, type Decision } from './decision.ts';
import { decideExit, decideRetry, isShutDownBy } from './exit-rules.ts';
import { type Window } from './intensity.ts';
import { endSteps, proceed, restartSteps, type ScriptStep } from './script.ts';
import { restartGroup, rulesOf } from './strategies.ts';

/** The position of a waiting Boss in its steps. It changes with every step; the steps do not. */
interface Script {
  /** Index of the current step. */
  readonly at: number;
  /** Number of children that were told to end and have not ended. */
  readonly awaited: number;
}

export interface BossContext extends BossView, Omit<BossSpec, 'children' | 'template' | 'escalates' | keyof BossView> {
  readonly template?: BossSpec['template'];
  /** Absent, which means true, if it was stored before this option was there; the start declares the tree anew. */
  readonly escalates?: boolean;
  /** Static children: those declared in the code, in its order. */
  readonly declared: readonly ChildSpec[];
  /** The position of the next new child. */
  readonly nextPosition: number;
  /** Restarts within the period: of all children, or of the one restarted last where each child has its own count. */
  readonly window: Window;
  /**
   * Whether the next restart is not counted: set for the root after it gave up, because the start of the process
   * allowed that restart.
   */
  readonly pardoned: boolean;
  /** Number of children whose restart is delayed. */
  readonly waiting: number;
  readonly script: Script | null;
  /** The steps of the script; empty without one. */
  readonly steps: readonly ScriptStep[];
  /** Relative address of the child that made it give up, and that child's error. */
  readonly failed: { readonly child: string; readonly error: unknown } | null;
}

type BossEvent = BossFacts<ChildRecord> &
  (
    | AdminEvent
    | BossSignal
    /** The delay of a restart is over. */
    | { readonly type: 'bosun.retry'; readonly id: string }
    /** A child that was told to end has not ended in time. */
    | { readonly type: 'bosun.overdue' }
  );

/** Events that a Boss emits. */
export type BossEmitted =
  | { readonly type: 'child.failed'; readonly id: string; readonly error: unknown; readonly restarts: number }
  | { readonly type: 'child.restarted'; readonly id: string; readonly restarts: number };

/** A placeholder for actions that the kernel performs. */
const performed = (_: unknown, _params: never): void => {};
const COMMANDS: Readonly<Record<ChildCommand['type'], typeof performed>> = {
  'bosun.child.start': performed,
  'bosun.child.restart': performed,
  'bosun.child.declare': performed,
  'bosun.child.shutdown': performed,
  'bosun.child.halt': performed,
  'bosun.child.suspend': performed,
  'bosun.child.terminate': performed,
  'bosun.child.record': performed,
  'bosun.child.awaitStart': performed,
  'bosun.child.refuse': performed,
};

/** Id of the timer that ends the wait for children told to end. No child can have this id. */
const OVERDUE_TIMER = 'bosun overdue';

/** Transitions for the end of a child, and for the end of a restart delay. */
const DECIDED = [
  { guard: 'isBeyondIntensity', target: '#boss.givingUp', actions: ['emitFailure', 'giveUp'] },
  { guard: 'isGroupRestart', target: '#boss.supervising.restarting', actions: ['emitFailure', 'restartGroup'] },
  { guard: 'isAutoShutdown', target: '#boss.shuttingDown', actions: ['emitFailure', 'answer', 'endChildren'] },
  { actions: ['emitFailure', 'answer'] },
] as const;

/** Transitions of the states in which children were told to end. */
const AWAITED = {
  'bosun.exit': { actions: ['emitFailure', 'goOn'] },
  'bosun.overdue': { actions: 'goOn' },
} as const;

export const bossMachine = setup({
  types: {} as { context: BossContext; events: BossEvent; input: BossSpec; output: BossOutput; emitted: BossEmitted },
  actions: {
    ...COMMANDS,
    startDeclared: enqueueActions(({ context, enqueue }) => {
      const { declared } = context;
      const orders = declared.map((spec, position) => startOrder(spec, { position, nowMs: 0 }));
      give(enqueue, orders, context);
      enqueue.assign({ nextPosition: declared.length });
    }),
    administer: enqueueActions(({ context, event, enqueue }) => {
      const { orders, steps, nextPosition } = adminOrders(context, event as AdminEvent & BossFacts<ChildRecord>);
      give(enqueue, orders, context);
      if (nextPosition !== context.nextPosition) enqueue.assign({ nextPosition });
      run(enqueue, { context, event, steps });
    }),
    declareChildren: enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'bosun.declare');
      const { children: declared, ...options } = parseBossSpec(event.input);
      const { declared: before, nextPosition } = context;
      const { orders, steps } = declarationOrders({ before, now: declared, records: event.children, nextPosition });
      give(enqueue, orders, context);
      const today = {
        autoShutdown: undefined,
        template: undefined,
        maxChildren: undefined,
        ...options,
        declared,
        nextPosition: nextPosition + declared.length,
      };
      enqueue.assign(today);
      run(enqueue, { context: { ...context, ...today }, event, steps });
    }),
    answer: enqueueActions(({ context, event, enqueue }) => {
      const decision = decide(context, event);
      if (decision === null || decision.kind === 'give-up') return;
      // The delay of a restart is over: one child less waits.
      const waiting = context.waiting - (event.type === 'bosun.retry' ? 1 : 0);
      if (decision.kind === 'restart') countRestart(enqueue, context, decision);
      give(enqueue, decisionOrders(decision), context, waiting);
    }),
    restartGroup: enqueueActions(({ context, event, enqueue }) => {
      const decision = decide(context, event);
      if (decision?.kind !== 'restart') return;
      countRestart(enqueue, context, decision);
      const { lastError, restarts, spec } = decision.record;
      const before = event.children.get(spec.id)!;
      const failed: ChildRecord = { ...before, lastError };
      give(enqueue, [recordOrder(failed)], context);
      const group = restartGroup(context.strategy, failed, event.children.values()) ?? [];
      run(enqueue, { context, event, steps: restartSteps(group, failed, restarts > before.restarts), failed });
    }),
    giveUp: enqueueActions(({ context, event, enqueue }) => {
      const decision = decide(context, event);
      if (decision?.kind !== 'give-up') return;
      enqueue.assign({ failed: { child: pathOf(event), error: decision.error } });
      // The children of the root outlive it: the next start goes on with them.
      const steps = event.isRoot ? [] : endSteps(context.strategy, event);
      // Declared children begin anew with their Boss; the others are lost, and those who wait for them must be told.
      const declared = new Set(context.declared.map(({ id }) => id));
      const lost = [...event.children.values()].filter(({ spec }) => !declared.has(spec.id));
      if (steps[0]?.do !== 'terminate') give(enqueue, lostOrders(lost), context);
      run(enqueue, { context, event, steps });
    }),
    /** Ends all children except the one whose end is the reason. */
    endChildren: enqueueActions(({ context, event, enqueue }) => {
      const children = new Map(event.children);
      if (event.type === 'bosun.exit') children.delete(event.id);
      run(enqueue, { context, event, steps: endSteps(context.strategy, { children, lingers: event.lingers }) });
    }),
    emitFailure: enqueueActions(({ event, enqueue }) => {
      if (event.type !== 'bosun.exit') return;
      const { id, reason, error } = event;
      const record = event.children.get(id);
      if (record === undefined || reason === 'normal' || (reason === 'shutdown' && event.over === undefined)) return;
      enqueue.emit({ type: 'child.failed', id, error: brief(error), restarts: record.restarts });
    }),
    goOn: enqueueActions(({ context, event, enqueue }) => {
      const { script, steps } = context;
      if (script === null) return;
      const awaited = event.type === 'bosun.overdue' ? 0 : script.awaited - 1;
      if (awaited > 0) enqueue.assign({ script: { ...script, awaited } });
      else run(enqueue, { context, event, steps, resumed: script.at });
    }),
    forgetRestarts: assign({ window: [], pardoned: true }),
  },
  guards: {
    isBeyondIntensity: ({ context, event }) => decide(context, event)?.kind === 'give-up',
    isGroupRestart: ({ context, event }) =>
      rulesOf(context.strategy).joins !== undefined && decide(context, event)?.kind === 'restart',
    isAutoShutdown: ({ context: { autoShutdown = 'never', ...context }, event }) => {
      const decision = autoShutdown === 'never' ? null : decide(context, event);
      return decision?.kind === 'end' && isShutDownBy(decision, autoShutdown, event.children.values());
    },
    isThrough: ({ context }) => context.script === null,
    isBackingOff: ({ context }) => context.waiting > 0,
    isNotBackingOff: ({ context }) => context.waiting === 0,
  },
}).createMachine({
  id: 'boss',
  context: ({ input }) => {
    const { children, ...options } = parseBossSpec(input);
    const fresh = { nextPosition: 0, window: [], pardoned: false, waiting: 0, script: null, steps: [], failed: null };
    return { ...options, declared: children, ...fresh };
  },
  initial: 'starting',
  output: ({ context: { failed } }) => ({ reason: 'shutdown' as const, over: failed?.child, error: failed?.error }),
  states: {
    starting: { entry: 'startDeclared', always: 'supervising' },
    supervising: {
      initial: 'running',
      on: {
        'child.start': { actions: 'administer' },
        'child.restart': { actions: 'administer' },
        'child.delete': { actions: 'administer' },
        'child.terminate': { target: '.stopping', actions: 'administer' },
        'bosun.declare': { target: '.stopping', actions: 'declareChildren' },
        'bosun.shutdown': { target: 'shuttingDown', actions: 'endChildren' },
        'bosun.exit': DECIDED,
        'bosun.retry': DECIDED,
        'bosun.resumed': { actions: 'forgetRestarts' },
      },
      states: {
        running: { always: { guard: 'isBackingOff', target: 'backingOff' } },
        /** The restart of a child is delayed. */
        backingOff: { always: { guard: 'isNotBackingOff', target: 'running' } },
        /** A group of children is ended and then started. */
        restarting: { always: { guard: 'isThrough', target: 'running' }, on: AWAITED },
        /** A child is ended by order, or because the code no longer declares it. */
        stopping: { always: { guard: 'isThrough', target: 'running' }, on: AWAITED },
      },
    },
    /** The Boss has been told to end, or a significant child has ended. */
    shuttingDown: { always: { guard: 'isThrough', target: 'stopped' }, on: AWAITED },
    givingUp: { always: { guard: 'isThrough', target: 'escalated' }, on: AWAITED },
    stopped: { type: 'final' },
    escalated: { type: 'final' },
  },
});

/** Decides about the child named by the event; null if no decision is needed. */
function decide(context: BossContext, event: BossEvent): Decision | null {
  const { window, intensity, periodMs, escalates = true, pardoned, strategy } = context;
  if (event.type !== 'bosun.exit' && event.type !== 'bosun.retry') return null;
  const record = event.children.get(event.id);
  if (record === undefined) return null;
  const situation = {
    record,
    window,
    limit: { intensity: pardoned ? Infinity : intensity, periodMs },
    escalates,
    nowMs: event.nowMs,
  };
  if (event.type === 'bosun.retry') return decideRetry(situation);
  // A child ended by order meanwhile needs no decision.
  if (record.status !== 'running') return null;
  const decision = decideExit(situation, event, event.random);
  return decision.kind === 'end' && rulesOf(strategy).isOfTemplate ? { ...decision, isForgotten: true } : decision;
}

/** Relative address of the actor in which the failure began. */
function pathOf(event: BossEvent): string {
  if (event.type === 'bosun.exit') return event.over === undefined ? event.id : `${event.id}/${event.over}`;
  return event.type === 'bosun.retry' ? event.id : '';
}

interface Course {
  readonly context: BossContext;
  readonly event: BossEvent;
  readonly steps: readonly ScriptStep[];
  /** Index of the step whose children have been told to end and have ended; absent at the beginning. */
  readonly resumed?: number;
  /** The failed child, as recorded in this turn. */
  readonly failed?: ChildRecord;
}

/** Takes the steps that can be taken now; the others wait until the children told to end have ended. */
function run(enqueue: unknown, { context, event, steps, resumed, failed }: Course): void {
  const { declared, strategy } = context;
  const { children, lingers, nowMs } = event;
  const { orders, at } = proceed(steps, { children, failed, lingers, declared, strategy, nowMs }, resumed);
  const to = enqueue as Enqueue;
  if (resumed !== undefined) to.cancel(OVERDUE_TIMER);
  give(enqueue, orders, context);
  const awaited = orders.reduce((sum, order) => sum + (order.type === 'await' ? order.count : 0), 0);
  if (at !== null) to.assign({ script: { at, awaited }, ...(steps !== context.steps && { steps }) });
  else if (context.script !== null) to.assign({ script: null, steps: [] });
}

function countRestart(
  enqueue: unknown,
  { pardoned }: BossContext,
  { record, window }: Extract<Decision, { kind: 'restart' }>,
): void {
  const to = enqueue as Enqueue;
  to.assign(pardoned ? { pardoned: false } : { window });
  to.emit({ type: 'child.restarted', id: record.spec.id, restarts: record.restarts });
}

/** The part of `enqueue` in use; its own type depends on the transition. */
interface Enqueue {
  (command: ChildCommand): void;
  assign(patch: Partial<BossContext>): void;
  cancel(id: string): void;
  emit(event: BossEmitted): void;
  raise(
    event: { type: 'bosun.retry'; id: string } | { type: 'bosun.overdue' },
    options: { id: string; delay: number },
  ): void;
  sendTo(to: object, event: { type: string }): void;
}

/**
 * Enqueues the orders, and counts the children whose restart they delay or cancel.
 *
 * @param waiting How many waited before.
 */
function give(enqueue: unknown, orders: readonly Order[], context: BossContext, waiting = context.waiting): void {
  const to = enqueue as Enqueue;
  let now = waiting;
  for (const order of orders) {
    switch (order.type) {
      case 'delay':
        now += 1;
        to.raise({ type: 'bosun.retry', id: order.id }, { id: order.id, delay: order.delayMs });
        break;
      case 'cancel':
        now -= 1;
        to.cancel(order.id);
        break;
      case 'await':
        if (order.delayMs !== null) to.raise({ type: 'bosun.overdue' }, { id: OVERDUE_TIMER, delay: order.delayMs });
        break;
      case 'report':
        to.sendTo(order.to, order.event);
        break;
      default:
        to(order);
    }
  }
  if (now !== context.waiting) to.assign({ waiting: now });
}
