/**
 * A spoke: one session of a role that works and recommends (seed 004). It invokes its work, judges what the work came
 * to by what was found and not only by what was said, hands off to the work plan, and completes behind that. It spawns
 * nothing: an order to spawn goes to the hub of its run, which decides by the role that this session has from birth.
 * Its acts are in spoke-acts.ts, its rules in spoke-rules.ts, the orders that it takes in spoke-orders.ts.
 */
import { type AnyActorLogic, fromPromise, type PromiseActorLogic, setup } from 'xstate';
import { defineAgent } from '../../actors/api/define-agent.ts';
import { timeOf } from '../../actors/model/ref.ts';
import { endOf } from '../work/failure-tiers.ts';
import { retryWaitMs, stepsMaxOf } from './agent-spec.ts';
import { exceeded, NO_USAGE, plus } from './budget.ts';
import { NOT_VERIFIED } from './handoff.ts';
import { closesAlone } from './handoff-rules.ts';
import { policyOf } from './roles.ts';
import { sessionOrders } from './session-orders.ts';
import { spokeActs } from './spoke-acts.ts';
import { completesHeld } from './spoke-orders.ts';
import { CORRECTIONS_MAX, missingInput, type Trouble } from './spoke-rules.ts';
import { type SessionWork, type SpokeContext, type SpokeEvent, type SpokeInput } from './spoke-state.ts';
import { type WorkPlace } from './work-place.ts';

/** The work of a host for spokes. */
export interface SpokePorts {
  /** Does the work of a session. */
  readonly work: AnyActorLogic;
  /** Looks at what a session has changed. */
  readonly look: AnyActorLogic;
  /** Applies the changes of a session to the workspace, whole or not at all. Applying twice is applying once. */
  readonly apply: AnyActorLogic;
  /** Gives up the tree of a session, and keeps its changes as a patch. */
  readonly release: AnyActorLogic;
  /** Kills what a session has running, at once. */
  readonly kill: AnyActorLogic;
}

const TAKES_ORDER = { actions: ['hear', 'takeOrder'] as const };
const SILENT: Trouble = { outcome: 'interrupted', blockers: ['it was silent too long'] };
const STOPPED: Trouble = { outcome: 'interrupted', blockers: ['it was stopped'] };
const overUsage = (context: SpokeContext, event: SpokeEvent) =>
  overBudget(`it has used more than the ${overspent(context, event)} given`);
const overSteps = ({ session, spec }: SpokeContext) =>
  overBudget(`it has taken more steps than the ${stepsMaxOf(session.role, spec)} that it may`);
const overTime = ({ spec }: SpokeContext) => overBudget(`its time of ${(spec.timeoutMs ?? 0) / 1_000} s is over`);
const BROKEN: Trouble = { outcome: 'failed', blockers: [] };

const spokeMachine = setup({
  types: {} as { context: SpokeContext; events: SpokeEvent; input: SpokeInput },
  actors: {
    work: {} as PromiseActorLogic<unknown, SessionWork>,
    look: {} as PromiseActorLogic<unknown, WorkPlace>,
    apply: {} as PromiseActorLogic<unknown, WorkPlace>,
    release: {} as PromiseActorLogic<unknown, WorkPlace>,
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
    holdsChanges: ({ context: { said, work, outcome } }) =>
      said !== null && work?.isHeld === true && outcome === 'done',
    isLastTry: ({ context }) =>
      context.failed !== null && (context.stop !== null || endOf(context.failed, context.spec.attempts) !== null),
    isTooMuch: ({ context }) => isOverSteps(context, 1),
    isTooDear: ({ context, event }) => overspent(context, event) !== undefined,
    isHard: ({ event }) => event.type === 'session.stop' && event.level !== 'graceful',
    completesHeld: ({ context, event }) => completesHeld(context, event),
    /** A tree of an interrupted session is what people are asked about. */
    keepsPlace: ({ context }) =>
      !context.spec.isIsolated || (context.outcome === 'interrupted' && context.stop === null),
    isTerminated: ({ context }) => context.stop === 'terminated',
  },
  actions: spokeActs,
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
  on: {
    'session.stop': { actions: 'noteStop' },
    'session.output': { actions: 'keepOutput' },
    'handoff.recorded': { actions: 'keepHandoff' },
  },
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
          ...(context.from !== undefined && { from: context.from }),
        }),
        onDone: { target: 'judging', actions: 'noteOutcome' },
        // What has been handed off by an order stands, whatever comes behind it.
        onError: [
          { guard: ({ context }) => (context.held ?? null) !== null, target: 'looking' },
          { guard: 'hasHandoff', target: 'releasing' },
          { target: 'failing', actions: 'noteFailure' },
        ],
      },
      on: {
        'session.beat': { actions: 'hear' },
        'session.usage': [
          {
            guard: 'isTooDear',
            target: 'handingOff',
            actions: [{ type: 'giveUp', params: ({ context, event }) => overUsage(context, event) }, 'countUsage'],
          },
          { actions: ['hear', 'countUsage'] },
        ],
        'session.step': [
          {
            guard: 'isTooMuch',
            target: 'handingOff',
            actions: ['countStep', { type: 'giveUp', params: ({ context }) => overSteps(context) }],
          },
          { actions: ['hear', 'countStep'] },
        ],
        'session.failed': { actions: 'keepReport' },
        ...Object.fromEntries(Object.keys(sessionOrders).map((type) => [type, TAKES_ORDER])),
        'session.complete': [{ guard: 'completesHeld', target: 'looking', actions: 'takeCompletion' }, TAKES_ORDER],
        // The plan decides whether it may, and replies.
        'session.completed': 'closed',
        'handoff.refused': { actions: 'noteProblems' },
        'session.silent': {
          target: 'releasing',
          actions: ['noteStale', { type: 'giveUp', params: SILENT }],
        },
        'work.overdue': {
          target: 'handingOff',
          actions: { type: 'giveUp', params: ({ context }) => overTime(context) },
        },
        'session.stop': [
          { guard: 'isHard', target: 'interrupted', actions: ['noteStop', { type: 'giveUp', params: STOPPED }] },
          { actions: 'noteStop' },
        ],
      },
    },
    failing: {
      always: { guard: 'isLastTry', target: 'releasing', actions: { type: 'giveUp', params: BROKEN } },
      after: { retry: 'working' },
      on: {
        'session.stop': { target: 'interrupted', actions: ['noteStop', { type: 'giveUp', params: STOPPED }] },
      },
    },
    /** Completed by an order: its hand-off waits for a look at its files. */
    looking: {
      invoke: {
        src: 'look',
        input: ({ context }) => placeOf(context),
        onDone: { target: 'judging', actions: 'noteLooked' },
        onError: { target: 'failing', actions: 'noteFailure' },
      },
    },
    judging: {
      always: [
        { guard: 'hasHandedOff', target: 'releasing' },
        { guard: 'archives', target: 'archiving' },
        { guard: 'closesAlone', target: 'releasing' },
        { guard: 'holdsChanges', target: 'applying' },
        { guard: 'hasHandoff', target: 'handingOff' },
        { guard: 'mayCorrect', target: 'working', actions: 'countCorrection' },
        { target: 'releasing', actions: { type: 'giveUp', params: { outcome: 'refused', blockers: [] } } },
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
        'plan.archived': 'releasing',
        'archive.refused': {
          target: 'releasing',
          actions: ['noteProblems', { type: 'giveUp', params: { outcome: 'refused', blockers: [] } }],
        },
      },
    },
    handingOff: {
      always: { guard: ({ context }) => context.said === null, target: 'releasing' },
      entry: 'handOff',
      on: {
        'handoff.recorded': { target: 'releasing', actions: 'keepHandoff' },
        'handoff.refused': {
          target: 'releasing',
          actions: ['noteProblems', { type: 'giveUp', params: { outcome: 'refused', blockers: [] } }],
        },
      },
    },
    interrupted: {
      always: { guard: ({ context }) => context.stop !== 'terminated', target: 'releasing' },
      invoke: {
        src: 'kill',
        input: ({ context }) => placeOf(context),
        onDone: 'releasing',
        onError: 'releasing',
      },
    },
    releasing: {
      always: { guard: 'keepsPlace', target: 'completing' },
      invoke: {
        src: 'release',
        input: ({ context }) => placeOf(context),
        onDone: { target: 'completing', actions: 'notePatch' },
        // The sweep of the next start removes it.
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

function isOverSteps({ session, spec, usage }: SpokeContext, more: number): boolean {
  const most = stepsMaxOf(session.role, spec);
  return most !== null && usage.steps + more > most;
}

/** The limit that a report of usage exceeds, in words. Once the session has handed off, that stands. */
function overspent({ usage, granted, said }: SpokeContext, event: SpokeEvent): string | undefined {
  if (granted === undefined || said !== null) return undefined;
  return exceeded(plus(usage, event as Extract<SpokeEvent, { readonly type: 'session.usage' }>), granted);
}

function overBudget(why: string): Trouble {
  return { outcome: 'budgetExceeded', blockers: [why] };
}

function placeOf({ session, workspace, spec }: SpokeContext): WorkPlace {
  return { session: session.session, workspace, scope: spec.writes, isIsolated: spec.isIsolated };
}

/** A port that does nothing: its session has nothing to apply and nothing to kill. */
export const nothingToDo = fromPromise<unknown, WorkPlace>(() => Promise.resolve({ conflict: null }));

/** The agent of spokes; `ports` are the host's. */
export function spokeAgent({ work, look, apply, release, kill }: SpokePorts) {
  return defineAgent({
    name: 'spoke',
    version: 3,
    migrate: {
      // Version 1 did not keep the id of its work plan, which the address of the plan ends with.
      2: ({ value, context }) => {
        const { address } = context['plan'] as { readonly address: string };
        return { value, context: { planId: address.split('/').at(-1), ...context } } as never;
      },
      // Version 2 had no trees: its sessions work where their workspace is.
      3: (old) => old as never,
    },
    machine: spokeMachine.provide({
      actors: {
        work: work as PromiseActorLogic<unknown, SessionWork>,
        look: look as PromiseActorLogic<unknown, WorkPlace>,
        apply: apply as PromiseActorLogic<unknown, WorkPlace>,
        release: release as PromiseActorLogic<unknown, WorkPlace>,
        kill: kill as PromiseActorLogic<unknown, WorkPlace>,
      },
    }),
    events: sessionOrders,
  });
}
