/**
 * A spoke: one session of a role that works and recommends (seed 004). It invokes its work, judges what the work came
 * to by what was found and not only by what was said, hands off to the work plan, and completes behind that. It spawns
 * nothing: an order to spawn goes to the hub of its run, which decides by the role that this session has from birth.
 * Its rules are in spoke-rules.ts, the orders that it takes while it works in spoke-orders.ts.
 */
import { type AnyActorLogic, assign, fromPromise, type PromiseActorLogic, setup } from 'xstate';
import { defineAgent } from '../../actors/api/define-agent.ts';
import { timeOf } from '../../actors/model/ref.ts';
import { endOf, failureOf, withAttempt } from '../work/failure-tiers.ts';
import { inTurn } from '../rules/turn.ts';
import { retryWaitMs, stepsMaxOf } from './agent-spec.ts';
import { NO_USAGE } from './budget.ts';
import { NOT_VERIFIED } from './handoff.ts';
import { closesAlone } from './handoff-rules.ts';
import { policyOf } from './roles.ts';
import { sessionOrders } from './session-orders.ts';
import { type OrderEvent, type SpokeTurn, takeOrder } from './spoke-orders.ts';
import { CORRECTIONS_MAX, missingInput, troubleHandoff, type Trouble, verdictOn } from './spoke-rules.ts';
import {
  applied,
  type SessionClosed,
  type SessionWork,
  type SpokeContext,
  type SpokeEvent,
  type SpokeInput,
  workOutcome,
} from './spoke-state.ts';
import { strongerStop } from './stop-levels.ts';
import { type PlanEvent } from './work-plan.ts';
import { type WorkPlace } from './work-place.ts';

/** The work of a host for spokes. */
export interface SpokePorts {
  /** Does the work of a session. */
  readonly work: AnyActorLogic;
  /** Applies the changes of a session to the workspace, whole or not at all. Applying twice is applying once. */
  readonly apply: AnyActorLogic;
  /** Kills what a session has running, at once. */
  readonly kill: AnyActorLogic;
}

type EventOf<Type extends SpokeEvent['type']> = Extract<SpokeEvent, { readonly type: Type }>;

const TAKES_ORDER = { actions: ['hear', 'takeOrder'] as const };
const BROKEN: Trouble = { outcome: 'failed', blockers: [] };

const spokeMachine = setup({
  types: {} as { context: SpokeContext; events: SpokeEvent; input: SpokeInput },
  actors: {
    work: {} as PromiseActorLogic<unknown, SessionWork>,
    apply: {} as PromiseActorLogic<unknown, WorkPlace>,
    kill: {} as PromiseActorLogic<unknown, WorkPlace>,
  },
  delays: {
    retry: ({ context }) => retryWaitMs(context.failed?.count ?? 1),
  },
  guards: {
    lacksInput: ({ context }) => missingInput(context).length > 0,
    hasHandedOff: ({ context }) => context.handoff !== null,
    hasHandoff: ({ context }) => context.said !== null,
    closesAlone: ({ context }) => closesAlone(context.session.role),
    archives: ({ context }) => context.work?.archives === true && policyOf(context.session.role).mayArchive,
    isRight: ({ context }) => context.problems.length === 0,
    mayCorrect: ({ context }) => context.corrections < CORRECTIONS_MAX && context.stop === null,
    holdsChanges: ({ context }) => context.work?.isHeld === true && context.outcome === 'done',
    isLastTry: ({ context }) =>
      context.failed !== null && (context.stop !== null || endOf(context.failed, context.spec.attempts) !== null),
    isTooMuch: ({ context }) => isOverSteps(context, 1),
    isHard: ({ event }) => event.type === 'session.stop' && event.level !== 'graceful',
    isTerminated: ({ context }) => context.stop === 'terminated',
  },
  actions: {
    announce: inTurn((turn: SpokeTurn) => {
      const { hub, session } = turn.context;
      turn.send(hub, { type: 'session.opened', session: session.session, spoke: turn.self });
    }),
    beginTry: inTurn((turn: SpokeTurn) => {
      const { round, spec } = turn.context;
      turn.assign({ round: round + 1, startedAtMs: turn.nowMs, work: null });
      if (spec.timeoutMs !== null) turn.raise({ type: 'work.overdue' }, { id: 'overdue', delay: spec.timeoutMs });
      listen(turn);
    }),
    endTry: inTurn((turn: SpokeTurn) => {
      turn.cancel('overdue');
      turn.cancel('silence');
      const { usage, startedAtMs } = turn.context;
      turn.assign({ usage: { ...usage, ms: usage.ms + turn.nowMs - startedAtMs } });
    }),
    hear: inTurn((turn: SpokeTurn) => {
      turn.cancel('silence');
      listen(turn);
    }),
    countStep: assign({ usage: ({ context: { usage } }) => ({ ...usage, steps: usage.steps + 1 }) }),
    countUsage: assign({
      usage: ({ context: { usage }, event }) => {
        const { tokens, costUsd } = event as EventOf<'session.usage'>;
        return { ...usage, tokens: usage.tokens + tokens, costUsd: usage.costUsd + costUsd };
      },
    }),
    takeOrder: inTurn((turn: SpokeTurn, event: SpokeEvent) => takeOrder(turn, event as OrderEvent)),
    noteFailure: inTurn((turn: SpokeTurn, event: SpokeEvent) => {
      const failure = turn.context.reported ?? failureOf('error' in event ? event.error : undefined);
      const failed = withAttempt(turn.context.failed, failure);
      turn.assign({ failed, reported: null, summary: failure.message.slice(0, 2_000) });
    }),
    noteOutcome: inTurn((turn: SpokeTurn, event: SpokeEvent) => {
      // It has handed off by an order: its result adds nothing to what is on record.
      if (turn.context.handoff !== null) return;
      const read = workOutcome.safeParse('output' in event ? event.output : undefined);
      if (!read.success) return turn.assign({ problems: ['the work gave no result that can be read'], said: null });
      const work = read.data;
      const { tokens = 0, costUsd = 0 } = work.usage;
      const { usage } = turn.context;
      turn.assign({
        work,
        summary: work.summary,
        usage: { ...usage, tokens: usage.tokens + tokens, costUsd: usage.costUsd + costUsd },
      });
      const verdict = verdictOn(turn.context, work);
      if (verdict.kind === 'alone') turn.assign({ problems: [], said: null, outcome: 'done' });
      else if (verdict.kind === 'misfit')
        turn.assign({ problems: verdict.problems, said: null, verified: verdict.verified });
      else turn.assign({ problems: [], said: verdict.said, verified: verdict.verified, outcome: verdict.outcome });
    }),
    /** Keeps what the work says of its failure, which has more details than the error that the store keeps. */
    keepReport: assign({ reported: ({ event }) => (event as EventOf<'session.failed'>).failure }),
    keepOutput: assign({ output: ({ event }) => (event as EventOf<'session.output'>).output }),
    countCorrection: assign({ corrections: ({ context }) => context.corrections + 1 }),
    noteProblems: assign({
      problems: ({ event }) => (event as Extract<SpokeEvent, { readonly problems: unknown }>).problems,
      said: null,
    }),
    giveUp: inTurn((turn: SpokeTurn, _, trouble: Trouble) => {
      const { summary, problems } = turn.context;
      const blockers =
        trouble.blockers.length > 0 ? trouble.blockers : [...problems, summary].filter((one) => one !== '');
      // An interrupted, refused or failed session has not handed off: nothing is said in its name but what happened.
      const isSaid = trouble.outcome === 'blocked' || trouble.outcome === 'budgetExceeded';
      turn.assign({
        outcome: trouble.outcome,
        said: isSaid ? troubleHandoff(turn.context, { ...trouble, blockers }) : null,
        summary: (blockers[0] ?? trouble.outcome).slice(0, 2_000),
      });
    }),
    noteMissing: inTurn((turn: SpokeTurn) => {
      const blockers = missingInput(turn.context);
      turn.assign({ outcome: 'blocked', said: troubleHandoff(turn.context, { outcome: 'blocked', blockers }) });
    }),
    noteStale: assign({ isStale: true }),
    noteStop: assign({
      stop: ({ context, event }) => strongerStop(context.stop, (event as EventOf<'session.stop'>).level),
    }),
    noteConflict: inTurn((turn: SpokeTurn, event: SpokeEvent) => {
      const read = applied.safeParse('output' in event ? event.output : undefined);
      const conflict = read.success ? read.data.conflict : 'the changes could not be applied';
      if (conflict === null) return;
      const blocked: Trouble = { outcome: 'blocked', blockers: [conflict] };
      turn.assign({ outcome: 'blocked', said: troubleHandoff(turn.context, blocked) });
    }),
    handOff: inTurn((turn: SpokeTurn) => {
      const { plan, session, said, verified } = turn.context;
      // A session in trouble may have nothing to say: then it completes by order of its hub's rules.
      if (said === null) return;
      tell(turn, plan, { type: 'session.handoff', session: session.session, said, verified, from: turn.self });
    }),
    keepHandoff: assign({ handoff: ({ event }) => (event as EventOf<'handoff.recorded'>).seq }),
    archive: inTurn((turn: SpokeTurn) =>
      tell(turn, turn.context.plan, {
        type: 'session.archive',
        session: turn.context.session.session,
        from: turn.self,
      }),
    ),
    complete: inTurn((turn: SpokeTurn) => {
      const { plan, session, outcome, summary, usage, work, handoff, output } = turn.context;
      tell(turn, plan, {
        ...{ type: 'session.complete', session: session.session, outcome, summary, usage, from: turn.self },
        ...{ artifacts: work?.artifacts ?? [], isForced: handoff === null && !mayCloseAlone(turn.context) },
        ...(output !== undefined && { output }),
      });
    }),
    report: inTurn((turn: SpokeTurn) => {
      const { hub, session, outcome, usage, isStale, said, work, summary, handoff: seq } = turn.context;
      turn.send(hub, {
        ...{ type: 'session.closed', session: session.session, outcome, usage, isStale, summary },
        handoff: said === null || seq === null ? null : { ...returnedOf(said), seq },
        ...{ said: said?.outcome ?? null, testsPass: said?.testsPass ?? passOf(work?.build?.exitCode) },
      } satisfies SessionClosed);
    }),
  },
}).createMachine({
  id: 'spoke',
  context: ({ input, self }): SpokeContext => ({
    ...input,
    ...{ usage: NO_USAGE, startedAtMs: timeOf(self), round: 0, failed: null, reported: null, work: null, said: null },
    ...{ verified: NOT_VERIFIED, problems: [], corrections: 0, outcome: 'done', isStale: false, stop: null },
    ...{ handoff: null, summary: '' },
  }),
  entry: 'announce',
  initial: 'preparing',
  on: { 'session.stop': { actions: 'noteStop' }, 'session.output': { actions: 'keepOutput' } },
  states: {
    preparing: {
      always: [{ guard: 'lacksInput', target: 'handingOff', actions: 'noteMissing' }, { target: 'working' }],
    },
    working: {
      entry: 'beginTry',
      exit: 'endTry',
      invoke: {
        src: 'work',
        input: ({ context }): SessionWork => ({
          ...placeOf(context),
          ...{ role: context.session.role, hub: context.session.hub },
          ...{ runId: context.session.run, planId: context.planId },
          spec: context.spec,
          task: context.task,
          prompt: context.prompt,
          problems: context.problems,
          round: context.round,
        }),
        onDone: { target: 'judging', actions: 'noteOutcome' },
        onError: [{ target: 'failing', actions: 'noteFailure' }],
      },
      on: {
        'session.beat': { actions: 'hear' },
        'session.usage': { actions: ['hear', 'countUsage'] },
        'session.step': [
          {
            guard: 'isTooMuch',
            target: 'handingOff',
            actions: ['countStep', { type: 'giveUp', params: overBudget('it has taken more steps than it may') }],
          },
          { actions: ['hear', 'countStep'] },
        ],
        'session.failed': { actions: 'keepReport' },
        ...Object.fromEntries(Object.keys(sessionOrders).map((type) => [type, TAKES_ORDER])),
        // The plan decides whether it may, and replies.
        'session.completed': 'closed',
        'handoff.recorded': { actions: 'keepHandoff' },
        'handoff.refused': { actions: 'noteProblems' },
        'session.silent': {
          target: 'completing',
          actions: [
            'noteStale',
            { type: 'giveUp', params: { outcome: 'interrupted', blockers: ['it was silent too long'] } },
          ],
        },
        'work.overdue': { target: 'handingOff', actions: { type: 'giveUp', params: overBudget('its time is over') } },
        'session.stop': [
          {
            guard: 'isHard',
            target: 'interrupted',
            actions: ['noteStop', { type: 'giveUp', params: { outcome: 'interrupted', blockers: ['it was stopped'] } }],
          },
          { actions: 'noteStop' },
        ],
      },
    },
    failing: {
      always: { guard: 'isLastTry', target: 'completing', actions: { type: 'giveUp', params: BROKEN } },
      after: { retry: 'working' },
      on: {
        'session.stop': {
          target: 'interrupted',
          actions: ['noteStop', { type: 'giveUp', params: { outcome: 'interrupted', blockers: ['it was stopped'] } }],
        },
      },
    },
    judging: {
      always: [
        { guard: 'hasHandedOff', target: 'completing' },
        { guard: 'archives', target: 'archiving' },
        { guard: 'closesAlone', target: 'completing' },
        { guard: 'holdsChanges', target: 'applying' },
        { guard: 'hasHandoff', target: 'handingOff' },
        { guard: 'mayCorrect', target: 'working', actions: 'countCorrection' },
        { target: 'completing', actions: { type: 'giveUp', params: { outcome: 'refused', blockers: [] } } },
      ],
    },
    applying: {
      invoke: {
        src: 'apply',
        input: ({ context }) => placeOf(context),
        onDone: { target: 'handingOff', actions: 'noteConflict' },
        onError: { target: 'handingOff', actions: 'noteConflict' },
      },
    },
    archiving: {
      entry: 'archive',
      on: {
        'plan.archived': 'completing',
        'archive.refused': {
          target: 'completing',
          actions: ['noteProblems', { type: 'giveUp', params: { outcome: 'refused', blockers: [] } }],
        },
      },
    },
    handingOff: {
      always: { guard: ({ context }) => context.said === null, target: 'completing' },
      entry: 'handOff',
      on: {
        'handoff.recorded': { target: 'completing', actions: 'keepHandoff' },
        'handoff.refused': {
          target: 'completing',
          actions: ['noteProblems', { type: 'giveUp', params: { outcome: 'refused', blockers: [] } }],
        },
      },
    },
    interrupted: {
      always: { guard: ({ context }) => context.stop !== 'terminated', target: 'completing' },
      invoke: {
        src: 'kill',
        input: ({ context }) => placeOf(context),
        onDone: 'completing',
        onError: 'completing',
      },
    },
    completing: {
      entry: 'complete',
      on: {
        'session.completed': 'closed',
        // An Archivist that has not archived has failed: then it is closed by force.
        'complete.refused': {
          actions: ['noteProblems', { type: 'giveUp', params: { outcome: 'failed', blockers: [] } }, 'complete'],
        },
      },
    },
    closed: { type: 'final', entry: 'report' },
  },
});

/** Sends the work plan an event that it knows. */
function tell(turn: SpokeTurn, plan: SpokeContext['plan'], event: PlanEvent): void {
  turn.send(plan, event);
}

/** Whether it closes without a hand-off, and without being forced to. */
function mayCloseAlone({ session: { role }, outcome }: SpokeContext): boolean {
  return closesAlone(role) && outcome === 'done';
}

function listen(turn: SpokeTurn): void {
  turn.raise({ type: 'session.silent' }, { id: 'silence', delay: turn.context.spec.silenceMs });
}

function returnedOf({ outcome, recommended, reason, data }: NonNullable<SpokeContext['said']>) {
  return { outcome, recommended, reason, data };
}

function isOverSteps({ session, spec, usage }: SpokeContext, more: number): boolean {
  const most = stepsMaxOf(session.role, spec);
  return most !== null && usage.steps + more > most;
}

function overBudget(why: string): Trouble {
  return { outcome: 'budgetExceeded', blockers: [why] };
}

function passOf(exitCode: number | undefined): boolean | null {
  return exitCode === undefined ? null : exitCode === 0;
}

function placeOf({ session, workspace, spec }: SpokeContext): WorkPlace {
  return { session: session.session, workspace, scope: spec.writes, isIsolated: spec.isIsolated };
}

/** A port that does nothing: its session has nothing to apply and nothing to kill. */
export const nothingToDo = fromPromise<unknown, WorkPlace>(() => Promise.resolve({ conflict: null }));

/** The agent of spokes; `ports` are the host's. */
export function spokeAgent({ work, apply, kill }: SpokePorts) {
  return defineAgent({
    name: 'spoke',
    version: 2,
    // Version 1 did not keep the id of its work plan, which the address of the plan ends with.
    migrate: {
      2: ({ value, context }) => {
        const { address } = context['plan'] as { readonly address: string };
        return { value, context: { planId: address.split('/').at(-1), ...context } } as never;
      },
    },
    machine: spokeMachine.provide({
      actors: {
        work: work as PromiseActorLogic<unknown, SessionWork>,
        apply: apply as PromiseActorLogic<unknown, WorkPlace>,
        kill: kill as PromiseActorLogic<unknown, WorkPlace>,
      },
    }),
    events: sessionOrders,
  });
}
