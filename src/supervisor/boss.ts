/**
 * The Boss: OTP's supervisor as a machine that anyone can draw and watch. It decides by the pure rules beside it; what it
 * decides are actions `bosun.child.*`, which the kernel performs in the same turn (src/actors/bosses.ts). Its child table
 * is kept there too: events arrive with the record of the child they are about, the kernel time and a random number.
 */
import { assign, enqueueActions, setup } from 'xstate';
import { BOSS_AGENT } from '../actors/cell.ts';
import { type BossSpec, type ChildSpec, isChildSpec, parseBossSpec, parseChildSpec } from './child-spec.ts';
import { type ChildExit, type ChildRecord, decideExit, decideRetry, type Decision, type RestartMode } from './exit-rules.ts';
import { type Intensity } from './intensity.ts';

interface Context extends Intensity {
  readonly strategy: BossSpec['strategy'];
  /** Restarts within the window, newest first, kernel time. */
  readonly window: readonly number[];
  /** Children whose restart is delayed. */
  readonly waiting: number;
  /** What it gave up over. */
  readonly error: unknown;
  readonly declared: readonly ChildSpec[];
}

/** What the kernel adds to every event of a Boss. */
interface Decorated {
  readonly child?: ChildRecord;
  readonly nowMs: number;
  readonly random: number;
}

type BossEvent = Decorated &
  (
    | { type: 'child.start'; id: string; spec: unknown }
    | { type: 'child.terminate'; id: string }
    | { type: 'child.declare'; input: BossSpec }
    | { type: 'child.retry'; id: string }
    | ({ type: 'bosun.exit'; id: string } & ChildExit)
  );

interface StartParams {
  id: string;
  agent: string;
  input: unknown;
}

type Command =
  | { type: 'bosun.child.start'; params: StartParams }
  | { type: 'bosun.child.restart'; params: StartParams & { mode: RestartMode } }
  | { type: 'bosun.child.remove' | 'bosun.child.forget'; params: { id: string } }
  | { type: 'bosun.child.put'; params: { id: string; row: ChildRecord } };

const performed = (_: unknown, _params: unknown): void => {};

export const bossMachine = setup({
  types: {} as { context: Context; events: BossEvent; input: BossSpec; output: { reason: 'shutdown'; error: unknown } },
  actions: {
    'bosun.child.start': performed as (_: unknown, params: StartParams) => void,
    'bosun.child.restart': performed as (_: unknown, params: StartParams & { mode: RestartMode }) => void,
    'bosun.child.remove': performed as (_: unknown, params: { id: string }) => void,
    'bosun.child.forget': performed as (_: unknown, params: { id: string }) => void,
    'bosun.child.put': performed as (_: unknown, params: { id: string; row: ChildRecord }) => void,
  },
  guards: {
    isNewChild: ({ event }) =>
      event.type === 'child.start' && isChildSpec(event.spec) && (event.child === undefined || event.child.status === 'ended'),
    givesUp: ({ context, event }) => decide(context, event)?.kind === 'give-up',
  },
}).createMachine({
  id: 'boss',
  context: ({ input }) => {
    const { strategy, intensity, periodMs, children } = parseBossSpec(input);
    return { strategy, intensity, periodMs, window: [], waiting: 0, error: undefined, declared: children };
  },
  initial: 'starting',
  output: ({ context }) => ({ reason: 'shutdown' as const, error: context.error }),
  states: {
    starting: {
      entry: enqueueActions(({ context, enqueue }) => {
        for (const spec of context.declared) for (const command of startCommands(spec, 0)) enqueue(command);
      }),
      always: 'supervising',
    },
    supervising: {
      initial: 'running',
      on: {
        'child.start': {
          guard: 'isNewChild',
          actions: enqueueActions(({ event, enqueue }) => {
            for (const command of startCommands(parseChildSpec(event.spec), event.nowMs)) enqueue(command);
          }),
        },
        'child.terminate': {
          actions: enqueueActions(({ event, enqueue, context }) => {
            if (event.child === undefined) return;
            for (const command of endCommands(event.id, event.child)) enqueue(command);
            if (event.child.status !== 'waiting') return;
            enqueue.cancel(event.id);
            enqueue.assign({ waiting: context.waiting - 1 });
          }),
        },
        // What the code declares today: children that are new start; the others are as the store knows them.
        'child.declare': {
          actions: [
            enqueueActions(({ context, event, enqueue }) => {
              const known = new Set(context.declared.map(({ id }) => id));
              for (const spec of parseBossSpec(event.input).children) {
                if (!known.has(spec.id)) for (const command of startCommands(spec, event.nowMs)) enqueue(command);
              }
            }),
            assign(({ event }) => {
              const { strategy, intensity, periodMs, children } = parseBossSpec(event.input);
              return { strategy, intensity, periodMs, declared: children };
            }),
          ],
        },
        'bosun.exit': [
          { guard: 'givesUp', target: '#boss.escalated', actions: assign({ error: ({ event }) => event.error }) },
          { actions: enqueueActions(({ context, event, enqueue }) => act(enqueue as Enqueue, event.id, decide(context, event), context)) },
        ],
        'child.retry': [
          { guard: 'givesUp', target: '#boss.escalated', actions: assign({ error: ({ event }) => event.child?.lastError }) },
          {
            actions: enqueueActions(({ context, event, enqueue }) => {
              const waiting = context.waiting - 1;
              enqueue.assign({ waiting });
              act(enqueue as Enqueue, event.id, decide(context, event), { ...context, waiting });
            }),
          },
        ],
      },
      states: {
        running: { always: { guard: ({ context }) => context.waiting > 0, target: 'backingOff' } },
        backingOff: { always: { guard: ({ context }) => context.waiting === 0, target: 'running' } },
      },
    },
    escalated: { type: 'final' },
  },
});

export { BOSS_AGENT };

function decide(context: Context, event: BossEvent): Decision | undefined {
  const { child: record, nowMs, random } = event;
  if (record === undefined) return undefined;
  const { window, intensity, periodMs } = context;
  const limit = { intensity, periodMs };
  if (event.type === 'bosun.exit') {
    const { reason, error, redelivery } = event;
    return decideExit({ record, exit: { reason, error, redelivery }, window, limit, nowMs, random });
  }
  return event.type === 'child.retry' && record.status === 'waiting'
    ? decideRetry({ record, window, limit, nowMs })
    : undefined;
}

/** What we use of `enqueue`; its own type depends on the transition it stands in. */
interface Enqueue {
  (command: Command): void;
  assign(patch: Partial<Context>): void;
  raise(event: { type: 'child.retry'; id: string }, options: { id: string; delay: number }): void;
  sendTo(to: object, event: { type: 'child.exited'; id: string; reason: string; error: unknown }): void;
}

function act(enqueue: Enqueue, id: string, decision: Decision | undefined, context: Context): void {
  switch (decision?.kind) {
    case 'restart':
      enqueue({ type: 'bosun.child.restart', params: { ...startParams(decision.record.spec), mode: decision.mode } });
      enqueue({ type: 'bosun.child.put', params: { id, row: decision.record } });
      enqueue.assign({ window: decision.window });
      return;
    case 'wait':
      enqueue({ type: 'bosun.child.put', params: { id, row: decision.record } });
      enqueue.raise({ type: 'child.retry', id }, { id, delay: decision.delayMs });
      enqueue.assign({ waiting: context.waiting + 1 });
      return;
    case 'end':
      for (const command of endCommands(id, decision.record)) enqueue(command);
      if (decision.record.spec.reportTo !== undefined) {
        const { lastError: error } = decision.record;
        enqueue.sendTo(decision.record.spec.reportTo, { type: 'child.exited', id, reason: error === undefined ? 'normal' : 'error', error });
      }
      return;
    case 'give-up':
    case undefined:
      return;
  }
}

function startCommands(spec: ChildSpec, nowMs: number): Command[] {
  const { id } = spec;
  const row: ChildRecord = {
    spec,
    status: 'running',
    consecutive: 0,
    startedAtMs: nowMs,
    retryAtMs: null,
    restarts: 0,
    lastError: undefined,
  };
  return [
    { type: 'bosun.child.put', params: { id, row } },
    { type: 'bosun.child.start', params: startParams(spec) },
  ];
}

function startParams(spec: ChildSpec): StartParams {
  return 'boss' in spec
    ? { id: spec.id, agent: BOSS_AGENT, input: spec.boss }
    : { id: spec.id, agent: spec.agent, input: spec.input };
}

function endCommands(id: string, record: ChildRecord): Command[] {
  const kept: Command =
    record.spec.restart === 'temporary'
      ? { type: 'bosun.child.forget', params: { id } }
      : { type: 'bosun.child.put', params: { id, row: { ...record, status: 'ended', retryAtMs: null } } };
  return [{ type: 'bosun.child.remove', params: { id } }, kept];
}
