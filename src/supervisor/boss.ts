/**
 * The Boss: OTP's supervisor as a machine that anyone can draw and watch. It decides by the pure rules beside it; what
 * it decides becomes orders, of which the commands `bosun.child.*` are performed by the kernel in the same turn
 * (src/actors/world/bosses.ts). The kernel keeps the child table too: every event arrives with it, the kernel time and
 * a random number. While a script of several steps waits for a child to end, the kernel keeps all other messages back,
 * as OTP's supervisor does not look at its mailbox then.
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
import {
  type ChildRecord,
  decideExit,
  decideRetry,
  type Decision,
  isShutDownBy,
  type Situation,
} from './exit-rules.ts';
import { type Window } from './intensity.ts';
import { endSteps, proceed, restartSteps, type ScriptStep } from './script.ts';
import { restartGroup, rulesOf } from './strategies.ts';

/**
 * Where a Boss is in its steps, while it waits for children to end. It changes with every step, which the steps do not.
 */
interface Script {
  readonly kind: 'restarting' | 'stopping';
  /** Index of the step under way. */
  readonly at: number;
  /** Children told and still to end. */
  readonly awaited: number;
}

export interface BossContext extends BossView, Omit<BossSpec, 'children' | 'template'> {
  readonly template?: BossSpec['template'];
  /** Static children: those of the code, in its order. */
  readonly declared: readonly ChildSpec[];
  /** Given to the next new child. */
  readonly nextPosition: number;
  /** Restarts within the period. */
  readonly window: Window;
  /**
   * The root after it gave up: its next restart is not counted, because the start of the process is what allowed it.
   */
  readonly pardoned: boolean;
  /** Children whose restart is delayed. */
  readonly waiting: number;
  readonly script: Script | null;
  /** Of the script; empty without one. */
  readonly steps: readonly ScriptStep[];
  /** The child that it gave up over, as an address below it, and what that one died of. */
  readonly failed: { readonly child: string; readonly error: unknown } | null;
  /** Its children are gone, and it is next. */
  readonly hasFinished: boolean;
}

type BossEvent = BossFacts<ChildRecord> &
  (
    | AdminEvent
    | BossSignal
    /** The time of a delayed restart has come. */
    | { readonly type: 'bosun.retry'; readonly id: string }
    /** A child that was told to end has not done so in time. */
    | { readonly type: 'bosun.overdue' }
  );

/** What a Boss says to whoever watches it. */
export type BossEmitted =
  | { readonly type: 'child.failed'; readonly id: string; readonly error: unknown; readonly restarts: number }
  | { readonly type: 'child.restarted'; readonly id: string; readonly restarts: number };

/** The kernel performs these; nothing is left to do here. */
const performed = (_: unknown, _params: never): void => {};
const COMMANDS: Readonly<Record<ChildCommand['type'], typeof performed>> = {
  'bosun.child.start': performed,
  'bosun.child.restart': performed,
  'bosun.child.declare': performed,
  'bosun.child.shutdown': performed,
  'bosun.child.halt': performed,
  'bosun.child.terminate': performed,
  'bosun.child.record': performed,
  'bosun.child.awaitStart': performed,
  'bosun.child.refuse': performed,
};

const PHASES = ['running', 'backingOff', 'restarting', 'stopping'] as const;
type Phase = (typeof PHASES)[number];

/** Which of its states the Boss is in says its context; all of them know the way to all others. */
const toOthers = (own: Phase) =>
  PHASES.filter((phase) => phase !== own).map((phase) => ({
    guard: { type: 'isIn' as const, params: phase },
    target: phase,
  }));

/** Of the timer that ends the waiting for children told to end. No child can have this id. */
const PATIENCE = 'bosun overdue';

export const bossMachine = setup({
  types: {} as { context: BossContext; events: BossEvent; input: BossSpec; output: BossOutput; emitted: BossEmitted },
  actions: {
    ...COMMANDS,
    startDeclared: enqueueActions(({ context: { declared }, enqueue }) => {
      give(
        enqueue,
        declared.map((spec, position) => startOrder(spec, { position, nowMs: 0 })),
      );
      enqueue.assign({ nextPosition: declared.length });
    }),
    administer: enqueueActions(({ context, event, enqueue }) => {
      const { orders, steps, nextPosition } = adminOrders(context, event as AdminEvent & BossFacts<ChildRecord>);
      giveAndCount(enqueue, orders, context);
      if (nextPosition !== context.nextPosition) enqueue.assign({ nextPosition });
      if (steps.length > 0) run(enqueue, { context, event, kind: 'stopping', steps });
    }),
    declareChildren: enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'bosun.declare');
      const { children: declared, ...options } = parseBossSpec(event.input);
      const { declared: before, nextPosition } = context;
      const { orders, steps } = declarationOrders({ before, now: declared, records: event.children, nextPosition });
      give(enqueue, orders);
      const today = {
        autoShutdown: undefined,
        template: undefined,
        maxChildren: undefined,
        ...options,
        declared,
        nextPosition: nextPosition + declared.length,
      };
      enqueue.assign(today);
      run(enqueue, { context: { ...context, ...today }, event, kind: 'stopping', steps });
    }),
    answer: enqueueActions(({ context, event, enqueue }) => {
      const decision = decide(context, event);
      if (decision === null) return;
      if (decision.kind === 'give-up') giveUp(enqueue, { context, event, error: decision.error });
      else if (decision.kind === 'restart') restart(enqueue, { context, event, decision });
      else {
        giveAndCount(enqueue, decisionOrders(isKept(context, decision)), context);
        const { autoShutdown, strategy } = context;
        if (decision.kind !== 'end' || !isShutDownBy(decision, autoShutdown, event.children.values())) return;
        run(enqueue, { context, event, kind: 'stopping', steps: endSteps(strategy, without(event, decision.record)) });
      }
    }),
    tellFailure: enqueueActions(({ event, enqueue }) => {
      assertEvent(event, 'bosun.exit');
      const { id, reason, error } = event;
      const record = event.children.get(id);
      if (record === undefined || reason === 'normal' || (reason === 'shutdown' && event.over === undefined)) return;
      enqueue.emit({ type: 'child.failed', id, error: brief(error), restarts: record.restarts });
    }),
    shutDown: enqueueActions(({ context, event, enqueue }) => {
      run(enqueue, {
        context,
        event,
        kind: 'stopping',
        steps: endSteps(context.strategy, { children: event.children, lingers: event.lingers }),
      });
    }),
    carryOn: enqueueActions(({ context, event, enqueue }) => {
      const { script, steps } = context;
      if (script === null) return;
      const awaited = event.type === 'bosun.overdue' ? 0 : script.awaited - 1;
      if (awaited > 0) enqueue.assign({ script: { ...script, awaited } });
      else run(enqueue, { context, event, kind: script.kind, steps, told: script.at });
    }),
    forgetRestarts: assign({ window: [], pardoned: true }),
  },
  guards: {
    isIn: ({ context: { script, waiting } }, phase: Phase) =>
      phase === (script?.kind ?? (waiting > 0 ? 'backingOff' : 'running')),
    hasGivenUp: ({ context }) => context.hasFinished && context.failed !== null,
    hasFinished: ({ context }) => context.hasFinished,
  },
}).createMachine({
  id: 'boss',
  context: ({ input }) => {
    const { children, ...options } = parseBossSpec(input);
    const fresh = {
      nextPosition: 0,
      window: [],
      pardoned: false,
      waiting: 0,
      script: null,
      steps: [],
      failed: null,
      hasFinished: false,
    };
    return { ...options, declared: children, ...fresh };
  },
  initial: 'starting',
  output: ({ context: { failed } }) => ({ reason: 'shutdown' as const, over: failed?.child, error: failed?.error }),
  states: {
    starting: { entry: 'startDeclared', always: 'supervising' },
    supervising: {
      initial: 'running',
      always: [
        { guard: 'hasGivenUp', target: 'escalated' },
        { guard: 'hasFinished', target: 'stopped' },
      ],
      on: {
        'child.start': { actions: 'administer' },
        'child.terminate': { actions: 'administer' },
        'child.restart': { actions: 'administer' },
        'child.delete': { actions: 'administer' },
        'bosun.declare': { actions: 'declareChildren' },
        'bosun.shutdown': { actions: 'shutDown' },
        'bosun.retry': { actions: 'answer' },
        'bosun.exit': { actions: ['tellFailure', 'answer'] },
        // The root, at the first start after it gave up.
        'bosun.resumed': { actions: 'forgetRestarts' },
      },
      states: {
        running: { always: toOthers('running') },
        backingOff: { always: toOthers('backingOff') },
        // Others come only when the script is through.
        restarting: {
          always: toOthers('restarting'),
          on: { 'bosun.exit': { actions: ['tellFailure', 'carryOn'] }, 'bosun.overdue': { actions: 'carryOn' } },
        },
        stopping: {
          always: toOthers('stopping'),
          on: { 'bosun.exit': { actions: ['tellFailure', 'carryOn'] }, 'bosun.overdue': { actions: 'carryOn' } },
        },
      },
    },
    escalated: { type: 'final' },
    stopped: { type: 'final' },
  },
});

/** What to do about the child that the event is about; null when it is about none that could need it. */
function decide({ window, intensity, periodMs, pardoned }: BossContext, event: BossEvent): Decision | null {
  if (event.type !== 'bosun.exit' && event.type !== 'bosun.retry') return null;
  const record = event.children.get(event.id);
  if (record === undefined) return null;
  const limit = { intensity: pardoned ? Infinity : intensity, periodMs };
  const situation: Situation = { record, window, limit, nowMs: event.nowMs };
  if (event.type === 'bosun.retry') return decideRetry(situation);
  // One that was ended by order meanwhile needs no answer.
  return record.status === 'running' ? decideExit(situation, event, event.random) : null;
}

/** Children of a template leave no record behind. */
function isKept<D extends Decision>({ strategy }: BossContext, decision: D): D {
  return decision.kind === 'end' && rulesOf(strategy).isOfTemplate ? { ...decision, isForgotten: true } : decision;
}

function restart(
  enqueue: unknown,
  facts: { context: BossContext; event: BossEvent; decision: Extract<Decision, { kind: 'restart' }> },
): void {
  const { context, event, decision } = facts;
  const { record, window } = decision;
  const { id } = record.spec;
  const to = enqueue as Enqueue;
  to.assign(context.pardoned ? { pardoned: false } : { window });
  to.emit({ type: 'child.restarted', id, restarts: record.restarts });
  const { strategy } = context;
  if (rulesOf(strategy).joins === undefined) {
    giveAndCount(enqueue, decisionOrders(decision), context, context.waiting - (event.type === 'bosun.retry' ? 1 : 0));
    return;
  }
  const before = event.children.get(id)!;
  const failed: ChildRecord = { ...before, lastError: record.lastError };
  give(enqueue, [recordOrder(failed)]);
  const steps = restartSteps(
    restartGroup(strategy, failed, event.children.values()) ?? [],
    failed,
    record.restarts > before.restarts,
  );
  run(enqueue, { context, event, kind: 'restarting', steps, failed });
}

function giveUp(
  enqueue: unknown,
  { context, event, error }: { context: BossContext; event: BossEvent; error: unknown },
): void {
  (enqueue as Enqueue).assign({ failed: { child: pathOf(event), error } });
  // The children of the root outlive it: the next start goes on with them.
  const steps: readonly ScriptStep[] = event.isRoot
    ? [{ do: 'finish' }]
    : endSteps(context.strategy, { children: event.children, lingers: event.lingers });
  // Declared children begin anew with their Boss; the others are lost, and who waits for them must know.
  const declared = new Set(context.declared.map(({ id }) => id));
  const isTold = steps[0]?.do === 'terminate';
  if (!isTold) give(enqueue, lostOrders([...event.children.values()].filter(({ spec }) => !declared.has(spec.id))));
  run(enqueue, { context, event, kind: 'stopping', steps });
}

interface Course {
  readonly context: BossContext;
  readonly event: BossEvent;
  readonly kind: Script['kind'];
  readonly steps: readonly ScriptStep[];
  /** Index of the step whose children were told to end, and have; absent at the beginning. */
  readonly told?: number;
  /** The child that it is about, as it is recorded in this turn. */
  readonly failed?: ChildRecord;
}

/** Takes the steps that can be taken now; the others wait until whoever was told to end has ended. */
function run(enqueue: unknown, { context, event, kind, steps, told, failed }: Course): void {
  const { declared, strategy } = context;
  const { children, lingers, nowMs } = event;
  const { orders, at, hasFinished } = proceed(steps, { children, failed, lingers, declared, strategy, nowMs }, told);
  const to = enqueue as Enqueue;
  if (told !== undefined) to.cancel(PATIENCE);
  giveAndCount(enqueue, orders, context);
  const awaited = orders.reduce((sum, order) => sum + (order.type === 'await' ? order.count : 0), 0);
  if (at !== null) to.assign({ script: { kind, at, awaited }, ...(steps !== context.steps && { steps }) });
  else if (context.script !== null || hasFinished) to.assign({ script: null, steps: [], hasFinished });
}

function without(event: BossEvent, { spec }: ChildRecord): Pick<BossEvent, 'children' | 'lingers'> {
  const children = new Map(event.children);
  children.delete(spec.id);
  return { children, lingers: event.lingers };
}

/** Where the failure began, as an address below this Boss. */
function pathOf(event: BossEvent): string {
  if (event.type === 'bosun.exit') return event.over === undefined ? event.id : `${event.id}/${event.over}`;
  return event.type === 'bosun.retry' ? event.id : '';
}

/** What we use of `enqueue`; its own type depends on the transition it stands in. */
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
      case 'await':
        if (order.delayMs !== null) to.raise({ type: 'bosun.overdue' }, { id: PATIENCE, delay: order.delayMs });
        break;
      case 'report':
        to.sendTo(order.to, order.event);
        break;
      default:
        to(order);
    }
  }
}

/** Gives the orders, and keeps count of the children whose restart they delay or call off. */
function giveAndCount(
  enqueue: unknown,
  orders: readonly Order[],
  context: Pick<BossContext, 'waiting'>,
  waiting = context.waiting,
): void {
  give(enqueue, orders);
  let now = waiting;
  for (const { type } of orders) now += type === 'delay' ? 1 : type === 'cancel' ? -1 : 0;
  if (now !== context.waiting) (enqueue as Enqueue).assign({ waiting: now });
}
