/**
 * A hub: one run of a work plan (seed 004). It reads the plan, decides by rules, spawns, and waits until its sessions
 * have closed and control is back; what no rule decides it asks people. After an interruption it recovers in the order
 * of the specification before it goes on. Where a function or the holder of its token decides, it takes their orders
 * instead (hub-led.ts). All work is done by its sessions.
 */
import { type AnyActorLogic, assign, type PromiseActorLogic, setup } from 'xstate';
import { defineAgent } from '../../actors/api/define-agent.ts';
import { timeOf } from '../../actors/model/ref.ts';
import { table } from '../../table.ts';
import { answerOrder } from '../rules/desk.ts';
import { inTurn, TAKEN } from '../rules/turn.ts';
import { failureOf } from '../work/failure-tiers.ts';
import { newBudget } from './budget.ts';
import {
  askPeople,
  askRecovery,
  close,
  correct,
  decide,
  gateId,
  recoveryMove,
  stopSessions,
  takeAnswer,
  takeCorrection,
} from './hub-acts.ts';
import { hubMigrations } from './hub-migrations.ts';
import { completeLed, type LedEvent, ledWork, openOwn, takeLed } from './hub-led.ts';
import { noteClosed, noteLost, noteOpened } from './hub-sessions.ts';
import {
  type HubContext,
  type HubEmitted,
  type HubEvent,
  type HubInput,
  type HubReport,
  type RunStatus,
  survey,
} from './hub-state.ts';
import { type HubTurn, readPlan, report } from './hub-turn.ts';
import { type FilesMove } from './recovery.ts';
import { sessionOrders } from './session-orders.ts';
import { answerAsked, spawnDecided, takeAsked, tellOpen } from './spawning.ts';
import { type SessionWork, workOutcome } from './spoke-state.ts';
import { firstCycle } from './tdd-cycle.ts';
import { type WorkPlace } from './work-place.ts';

/** The input of the ports of a recovery. */
export interface RecoveryWork extends WorkPlace {
  readonly move: FilesMove;
}

/** The work of a host for hubs: decisions, unless rules make them, and recoveries. */
export interface HubPorts {
  /** Decides in a hub as a session does its work. */
  readonly work: AnyActorLogic;
  /** Looks at what an interrupted session changed. */
  readonly survey: AnyActorLogic;
  /** Looks for errors in the workspace. */
  readonly check: AnyActorLogic;
  /** Keeps or gives up what an interrupted session changed. It never touches what is not that session's own. */
  readonly settleFiles: AnyActorLogic;
}

const hubMachine = setup({
  types: {} as { context: HubContext; events: HubEvent; emitted: HubEmitted; input: HubInput },
  actors: {
    work: {} as PromiseActorLogic<unknown, SessionWork>,
    survey: {} as PromiseActorLogic<unknown, WorkPlace>,
    check: {} as PromiseActorLogic<unknown, WorkPlace>,
    settleFiles: {} as PromiseActorLogic<unknown, RecoveryWork>,
  },
  guards: {
    spawns: ({ context }) => context.move?.kind === 'spawn',
    asks: ({ context }) => context.move?.kind === 'ask',
    completes: ({ context }) => context.move?.kind === 'finish' && context.move.outcome === 'completed',
    isLed: ({ context }) => context.decides.kind !== 'rules',
    isIdle: ({ context }) => context.open.size === 0,
    isInterrupted: ({ context }) => context.open.size === 0 && context.interrupted !== null,
    isAnswered: ({ context, event }) => isMine(context, event) && event.result.outcome === 'answered',
    saysStop: ({ context, event }) =>
      isMine(context, event) && (event.result.answer as { choice?: unknown } | null)?.choice === 'stop',
    isMine: ({ context, event }) => isMine(context, event),
  },
  actions: {
    open: inTurn((turn: HubTurn) => {
      const { desk, id, limits } = turn.context;
      turn.send(desk, { type: 'hub.opened', id, hub: turn.self } satisfies HubReport);
      if (limits.timeMs !== null) turn.raise({ type: 'run.overdue' }, { id: 'overdue', delay: limits.timeMs });
    }),
    report: inTurn((turn: HubTurn, _, { status }: { status: RunStatus }) => report(turn, status)),
    readPlan: inTurn((turn: HubTurn) => readPlan(turn)),
    decide: inTurn((turn: HubTurn) => decide(turn)),
    spawn: inTurn((turn: HubTurn) => spawnDecided(turn)),
    keepReading: assign({
      read: ({ context, event }) => (event.type === 'plan.stands' ? event.read : context.read),
    }),
    openOwn: inTurn((turn: HubTurn) => openOwn(turn)),
    takeLed: inTurn((turn: HubTurn, event: HubEvent) => takeLed(turn, event as LedEvent)),
    completeLed: inTurn((turn: HubTurn, event: HubEvent) => completeLed(turn, event as LedEvent)),
    noteBroken: inTurn((turn: HubTurn, event: HubEvent) => {
      stopSessions(turn, event);
      turn.assign({ because: failureOf('error' in event ? event.error : undefined).message });
    }),
    takeAsked: inTurn((turn: HubTurn, event: HubEvent) => {
      if (event.type !== 'session.asks') return;
      const { kind, by, order, replyTo = null } = event;
      takeAsked(turn, { kind, by, order, replyTo });
    }),
    tellOpen: inTurn((turn: HubTurn, event: HubEvent) => {
      if (event.type === 'wait.over') tellOpen(turn, event.session);
    }),
    answerAsked: inTurn((turn: HubTurn) => answerAsked(turn)),
    noteOpened: inTurn((turn: HubTurn, event: HubEvent) => {
      if (event.type === 'session.opened') noteOpened(turn, event);
    }),
    noteClosed: inTurn((turn: HubTurn, event: HubEvent) => {
      if (event.type === 'session.closed') noteClosed(turn, event);
      if (event.type === 'child.exited') noteLost(turn, event.id);
    }),
    stopSessions: inTurn((turn: HubTurn, event: HubEvent) => stopSessions(turn, event)),
    answerOrder: inTurn((turn: HubTurn, event: HubEvent) => {
      if (event.type === 'hub.stop' || event.type === 'hub.resume') answerOrder(turn, turn.context.id, event, TAKEN);
    }),
    askPeople: inTurn((turn: HubTurn) => askPeople(turn)),
    takeAnswer: inTurn((turn: HubTurn, event: HubEvent) => takeAnswer(turn, event)),
    noteStopped: assign({ because: 'people said so' }),
    surveyed: inTurn((turn: HubTurn, event: HubEvent) => {
      const files = survey.safeParse('output' in event ? event.output : undefined).data?.files ?? null;
      turn.assign({ survey: { files, errors: null } });
      const said = files === null ? 'nobody could look' : `${files.length} changed: ${files.join(', ')}`;
      recoveryMove(turn, 'survey', said);
    }),
    readSteps: inTurn((turn: HubTurn, event: HubEvent) => {
      if (event.type !== 'plan.stands') return;
      const stuck = event.read.steps.filter(({ status }) => status === 'active').map(({ id }) => id);
      recoveryMove(turn, 'steps', stuck.length === 0 ? 'no step is stuck' : `stuck: ${stuck.join(', ')}`);
    }),
    checked: inTurn((turn: HubTurn, event: HubEvent) => {
      const errors = survey.safeParse('output' in event ? event.output : undefined).data?.errors ?? null;
      turn.assign({ survey: { files: turn.context.survey?.files ?? null, errors } });
      recoveryMove(turn, 'errors', errors === null ? 'nobody could look' : `${errors.length} errors`);
    }),
    askRecovery: inTurn((turn: HubTurn) => askRecovery(turn)),
    takeCorrection: inTurn((turn: HubTurn, event: HubEvent) => takeCorrection(turn, event)),
    correct: inTurn((turn: HubTurn) => correct(turn)),
    close: inTurn((turn: HubTurn, _, { status }: { status: 'completed' | 'failed' | 'stopped' }) =>
      close(turn, status),
    ),
  },
}).createMachine({
  id: 'hub',
  context: ({ input, self }): HubContext => ({
    ...input,
    ...{ plan: null, startedAtMs: timeOf(self), budget: newBudget(input.limits), counts: {}, spawned: 0 },
    ...{
      numbered: 0,
      open: table(),
      last: null,
      lastRoles: {},
      asked: [],
      prepared: table(),
      keyed: table(),
      read: null,
      move: null,
      told: null,
      guidance: null,
      stop: null,
      gates: 0,
    },
    tdd: input.role === 'TDDDriver' ? firstCycle(input.cycles) : null,
    ...{ interrupted: null, survey: null, correction: null, because: 'the run begins' },
  }),
  entry: 'open',
  initial: 'opening',
  on: {
    'session.opened': { actions: 'noteOpened' },
    'session.closed': { actions: 'noteClosed' },
    'child.exited': { actions: 'noteClosed' },
    'wait.over': { actions: 'tellOpen' },
    'session.asks': { actions: 'takeAsked' },
    'plan.stands': { actions: ['keepReading', 'answerAsked'] },
    'hub.stop': { target: '.stopping', actions: ['stopSessions', 'answerOrder'] },
    'hub.resume': { actions: 'answerOrder' },
    'run.overdue': { target: '.stopping', actions: 'stopSessions' },
  },
  states: {
    opening: {
      on: {
        'plan.ready': {
          target: 'reading',
          actions: [assign({ plan: ({ event }) => event.plan }), { type: 'report', params: { status: 'running' } }],
        },
      },
    },
    reading: {
      entry: 'readPlan',
      on: {
        'plan.stands': [
          { guard: 'isLed', target: 'led', actions: ['keepReading', 'openOwn'] },
          { target: 'deciding', actions: ['keepReading', 'answerAsked'] },
        ],
      },
    },
    /** Somebody decides: a function of the host, or the holder of the hub's token. */
    led: {
      invoke: {
        src: 'work',
        input: ({ context }) => ledWork(context),
        onDone: {
          target: 'finishing',
          actions: assign({ because: ({ context, event }) => summaryOf(context, event) }),
        },
        onError: { target: 'breaking', actions: 'noteBroken' },
      },
      on: {
        ...Object.fromEntries(Object.keys(sessionOrders).map((type) => [type, { actions: 'takeLed' as const }])),
        'session.complete': [{ guard: 'isIdle', target: 'completed', actions: 'completeLed' }, { actions: 'takeLed' }],
      },
    },
    /** The function has returned, and its sessions work on. */
    finishing: { always: { guard: 'isIdle', target: 'completed' } },
    breaking: { always: { guard: 'isIdle', target: 'failed' } },
    deciding: {
      entry: 'decide',
      always: [
        { guard: 'spawns', target: 'waiting', actions: ['spawn', { type: 'report', params: { status: 'running' } }] },
        { guard: 'asks', target: 'asking' },
        { guard: 'completes', target: 'completed' },
        { target: 'failed' },
      ],
    },
    waiting: {
      always: [
        { guard: 'isInterrupted', target: 'recovering' },
        { guard: 'isIdle', target: 'reading' },
      ],
    },
    asking: {
      entry: [{ type: 'report', params: { status: 'asking' } }, 'askPeople'],
      exit: { type: 'report', params: { status: 'running' } },
      on: {
        'gate.closed': [
          { guard: 'saysStop', target: 'failed', actions: 'noteStopped' },
          { guard: 'isAnswered', target: 'reading', actions: 'takeAnswer' },
          { guard: 'isMine', target: 'paused' },
        ],
      },
    },
    paused: {
      entry: { type: 'report', params: { status: 'paused' } },
      on: { 'hub.resume': { target: 'reading', actions: 'answerOrder' } },
    },
    recovering: {
      entry: { type: 'report', params: { status: 'recovering' } },
      exit: { type: 'report', params: { status: 'running' } },
      initial: 'surveying',
      states: {
        surveying: {
          invoke: {
            src: 'survey',
            input: ({ context }) => interruptedPlace(context),
            onDone: { target: 'steps', actions: 'surveyed' },
            onError: { target: 'steps', actions: 'surveyed' },
          },
        },
        steps: {
          entry: 'readPlan',
          on: { 'plan.stands': { target: 'errors', actions: ['keepReading', 'answerAsked', 'readSteps'] } },
        },
        errors: {
          invoke: {
            src: 'check',
            input: ({ context }) => interruptedPlace(context),
            onDone: { target: 'asking', actions: 'checked' },
            onError: { target: 'asking', actions: 'checked' },
          },
        },
        asking: {
          entry: 'askRecovery',
          on: {
            'gate.closed': [
              { guard: 'saysStop', target: '#hub.failed', actions: 'noteStopped' },
              { guard: 'isAnswered', target: 'correcting', actions: 'takeCorrection' },
              { guard: 'isMine', target: 'unanswered' },
            ],
          },
        },
        /** Nobody has answered: nothing is changed until somebody does. */
        unanswered: {
          entry: { type: 'report', params: { status: 'paused' } },
          on: { 'hub.resume': { target: 'asking', actions: 'answerOrder' } },
        },
        correcting: {
          invoke: {
            src: 'settleFiles',
            input: ({ context }) => ({ ...interruptedPlace(context), move: context.correction!.files }),
            onDone: { target: '#hub.reading', actions: 'correct' },
            // What could not be given up is asked about again: people see it in the survey.
            onError: 'surveying',
          },
        },
      },
    },
    stopping: {
      entry: { type: 'report', params: { status: 'stopping' } },
      always: { guard: 'isIdle', target: 'stopped' },
    },
    completed: { type: 'final', entry: { type: 'close', params: { status: 'completed' } } },
    failed: { type: 'final', entry: { type: 'close', params: { status: 'failed' } } },
    stopped: { type: 'final', entry: { type: 'close', params: { status: 'stopped' } } },
  },
});

/** The summary of what decided, if it returned one. */
function summaryOf({ role }: HubContext, { output }: { readonly output: unknown }): string {
  const { summary } = workOutcome.catch(() => workOutcome.parse({})).parse(output);
  return summary === '' ? `${role} has completed` : summary;
}

function isMine(
  { id, gates }: HubContext,
  event: HubEvent,
): event is Extract<HubEvent, { readonly type: 'gate.closed' }> {
  return event.type === 'gate.closed' && event.result.gate === gateId(id, gates);
}

/** The place of the interrupted session. */
function interruptedPlace({ interrupted, agents, workspace }: HubContext): WorkPlace {
  const spec = interrupted === null ? undefined : agents[interrupted.role];
  const session = interrupted?.session ?? '';
  return { session, workspace, scope: spec?.writes ?? null, isIsolated: spec?.isIsolated ?? false };
}

/** The agent of hubs; `ports` are the host's. */
export function hubAgent(ports: HubPorts) {
  return defineAgent({
    name: 'hub',
    version: 3,
    migrate: hubMigrations,
    machine: hubMachine.provide({
      actors: {
        work: ports.work as PromiseActorLogic<unknown, SessionWork>,
        survey: ports.survey as PromiseActorLogic<unknown, WorkPlace>,
        check: ports.check as PromiseActorLogic<unknown, WorkPlace>,
        settleFiles: ports.settleFiles as PromiseActorLogic<unknown, RecoveryWork>,
      },
    }),
    events: sessionOrders,
  });
}
