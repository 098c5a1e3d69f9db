/**
 * One task of a plan: what becomes of it from its planning to its verification, with the time limits of its coding
 * session. A session that says nothing is pinged and then reported to the owner; a failure is tried again, and then
 * reported. A task that is done waits until its files are quiet, is checked, and mended if need be. It knows no other
 * task: the orchestrator decides when it is released and to whom it is given.
 */
import { setup } from 'xstate';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { type AnyAgent } from '../../../actors/model/agent.ts';
import { onNotices } from '../../people/tickets/ticket-messages.ts';
import { type Port, portLogic } from '../../work/port.ts';
import { type WorkStatus } from '../../work/work-item.ts';
import { CONTRACTS, type DeliveryPorts } from '../delivery-ports.ts';
import { checkActions, checkGuards, quietMs } from './check-acts.ts';
import { taskActions, taskGuards } from './task-acts.ts';
import { newTask, type TaskContext, type TaskEvent, type TaskInput, UNCHECKED } from './task-state.ts';

/** The transition for an order that the state does not allow. */
const refused = { actions: 'refuse' } as const;

const enter = <Status extends WorkStatus>(status: Status, because?: string) =>
  ({ type: 'enter', params: { status, ...(because !== undefined && { because }) } }) as const;
const ended = (passes: boolean) => ({ type: 'endInvestigations', params: { passes } }) as const;
const says = <Status extends string>(status: Status) => ({ type: 'says', params: { status } }) as const;

/** The name of the agent. */
export const DELIVERY_TASK = 'delivery-task';

/** Transitions of a task whose check has failed: it is mended, so many times, and then its owner decides. */
const FOUND = [
  { guard: 'isStale' },
  { guard: 'mayFix', target: '.mending', actions: ['rejectTickets', 'needFix'] },
  { target: 'blocked', actions: ['rejectTickets', 'askAfterChecks'] },
] as const;

/** The owner is asked about the finished task. */
const ASKED_PEOPLE = [
  { guard: 'isAboutCheck', target: 'asking', actions: 'noteTicket' },
  { actions: 'noteTicket' },
] as const;

/** Transitions of a task whose session reports that it cannot do it. */
const STUCK = [
  { guard: says('blocked'), target: 'blocked', actions: 'noteStuck' },
  { guard: 'mayRetry', target: 'retrying', actions: 'noteFailure' },
  { guard: says('failed'), target: 'blocked', actions: ['noteFailure', 'askAfterFailure'] },
] as const;

const REPORTS = {
  'task.report': [
    { guard: 'isStranger', actions: 'refuse' },
    { guard: says('in_progress'), target: '.working', reenter: true, actions: 'noteReport' },
    { guard: says('paused'), target: '.paused', actions: 'noteReport' },
    ...STUCK,
  ],
  'task.finish': [
    { guard: 'isStranger', actions: 'refuse' },
    { guard: 'isDone', target: 'in_verification', actions: 'noteDone' },
    { guard: says('partial'), target: 'ready.partial', actions: 'notePart' },
    ...STUCK,
  ],
} as const;

const BLOCK = { 'task.block': { target: '#delivery-task.blocked', actions: 'noteBlock' } } as const;

/** A question of its session that only people can answer. */
const ASKED = {
  'ticket.opened': { guard: 'isAwaited', target: '#delivery-task.blocked', actions: 'noteTicket' },
} as const;

/** Milliseconds after which people hear that a task waits for a person who looks at it (MX-108). */
const LOOK_MS = 10 * 60_000;

const machine = setup({
  types: {} as { context: TaskContext; events: TaskEvent; input: TaskInput },
  // XState cannot tell that the input of a type parameter is an object.
  actors: { changedAt: portLogic<object, number | null>(() => Promise.resolve(null)) },
  delays: {
    quiet: quietMs,
    patience: CONTRACTS.changedAt.timeoutMs,
    look: LOOK_MS,
    stall: ({ context }) => context.times.stallMs,
    ping: ({ context }) => context.times.pingMs,
    pause: ({ context }) => context.times.pauseMs,
    retry: ({ context: { times, failures } }) => times.retryMs[failures - 1]!,
  },
  guards: { ...taskGuards, ...checkGuards },
  actions: { ...taskActions, ...checkActions },
}).createMachine({
  id: 'delivery-task',
  context: ({ input }) => newTask(input),
  initial: 'pending',
  on: {
    'task.report': refused,
    'task.finish': refused,
    'task.unblock': refused,
    'task.checked': refused,
    'task.failure': { actions: 'noteTestFailure' },
    'task.fail': { target: '.failed', actions: 'noteGivenUp' },
    'task.doom': { target: '.failed', actions: 'noteDoom' },
    'task.edit': { actions: 'noteItem' },
    ...onNotices({ actions: 'noteTicket' as const }),
    'ticket.opened': [{ guard: 'isInvestigation', actions: 'noteInvestigation' }, { actions: 'noteTicket' }],
  },
  states: {
    pending: {
      entry: enter('pending'),
      on: { ...BLOCK, 'task.release': 'ready', 'task.split': 'decomposed' },
    },
    ready: {
      initial: 'whole',
      on: {
        ...BLOCK,
        ...ASKED,
        'task.hold': 'pending',
        'task.give': [
          { guard: 'isManaged', target: 'in_progress.managed', actions: 'take' },
          { target: 'in_progress', actions: 'take' },
        ],
      },
      states: {
        whole: { entry: enter('ready') },
        partial: { entry: enter('partial') },
      },
    },
    in_progress: {
      initial: 'working',
      exit: 'forgetPings',
      on: { ...REPORTS, ...BLOCK, ...ASKED, 'task.remind': { actions: 'direct' } },
      states: {
        working: { entry: ['forgetPings', enter('in_progress')], after: { stall: 'pinged' } },
        pinged: {
          entry: ['ping', enter('in_progress')],
          after: {
            ping: [
              { guard: 'mayPing', target: 'pinged', reenter: true },
              { target: '#delivery-task.blocked', actions: 'askAfterStall' },
            ],
          },
        },
        paused: { entry: enter('in_progress'), after: { pause: 'pinged' } },
        managed: { entry: enter('in_progress') },
      },
    },
    retrying: { entry: enter('blocked'), after: { retry: 'ready' } },
    blocked: {
      entry: enter('blocked'),
      on: {
        ...BLOCK,
        'task.report': { guard: 'mayResume', target: 'in_progress', actions: ['noteReport', 'rejectTickets'] },
        'task.finish': { guard: 'mayFinishLate', target: 'in_verification', actions: ['noteDone', 'rejectTickets'] },
        'task.unblock': [
          { guard: 'lacksSize', target: 'pending', actions: ['noteUnblock', 'rejectTickets', 'replan'] },
          { target: 'ready', actions: ['noteUnblock', 'rejectTickets'] },
        ],
        'task.resized': { target: 'pending', actions: 'rejectTickets' },
        'ticket.opened': { actions: ['noteTicket', enter('blocked')] },
        'ticket.resolved': [
          { guard: 'isUnknown' },
          { guard: 'isGivenUp', target: 'failed', actions: 'noteAnswer' },
          { guard: { type: 'choosesOf', params: { options: ['skip'] } }, target: 'verified', actions: 'noteAnswer' },
          {
            guard: { type: 'choosesOf', params: { options: ['manual-fix', 'retry-once'] } },
            target: 'in_verification',
            actions: 'noteAnswer',
          },
          { guard: 'isUnsized', target: 'pending', actions: ['noteAnswer', 'replan'] },
          { guard: 'isLast', target: 'ready', actions: 'noteAnswer' },
          { actions: ['noteAnswer', enter('blocked')] },
        ],
        'ticket.rejected': [
          { guard: 'isUnknown' },
          { guard: 'isQuestion', target: 'ready', actions: 'noteAnswer' },
          { target: 'failed', actions: 'noteAnswer' },
        ],
        'ticket.failed': { actions: 'askAgain' },
      },
    },
    in_verification: {
      initial: 'offered',
      on: {
        ...BLOCK,
        'task.judged': [{ guard: 'isStale' }, { actions: 'noteVerdict' }],
        'task.passed': [{ guard: 'isStale' }, { target: 'verified', actions: 'notePassed' }],
        'task.found': FOUND,
        'task.checked': { actions: 'noteChecked' },
        'task.failure': { actions: 'reportFailure' },
      },
      states: {
        /** The Verification Team takes it over, unless it is a fix: then the task that it mends is checked. */
        offered: {
          entry: [enter('in_verification'), 'handOff'],
          on: { 'task.settle': 'settling', 'task.joined': 'joined', 'ticket.opened': ASKED_PEOPLE },
        },
        joined: { entry: enter('in_verification', 'is checked with the task that it mends') },
        settling: {
          entry: ['settle', enter('in_verification', 'waits until its files are quiet')],
          after: { quiet: 'looking' },
        },
        looking: {
          invoke: {
            src: 'changedAt',
            input: ({ context }) => ({ files: context.report?.files ?? [] }),
            onDone: [
              { guard: 'isWaitedFor', target: 'settling', actions: 'noteChange' },
              { guard: 'isUnquiet', target: 'checking', actions: 'noteChange' },
              { target: 'checking' },
            ],
            onError: 'checking',
          },
          after: { patience: 'checking' },
        },
        checking: {
          entry: ['askCheck', enter('in_verification', 'is being checked')],
          on: { 'ticket.opened': ASKED_PEOPLE },
        },
        asking: {
          entry: enter('in_verification'),
          exit: 'settleLook',
          after: { look: { actions: 'remindLook' } },
          on: { 'ticket.opened': { actions: ['noteTicket', enter('in_verification')] } },
        },
        mending: {
          entry: enter('in_verification'),
          on: {
            'task.judged': {},
            'task.found': {},
            'task.passed': {},
            'task.checked': refused,
            'task.failure': { actions: 'noteTestFailure' },
            'ticket.opened': { guard: 'isInvestigation', actions: 'orderFix' },
            'ticket.failed': { guard: 'isInvestigation', actions: 'orderFix' },
            'task.mended': { target: 'offered', actions: 'noteMended' },
            'task.unmended': { target: '#delivery-task.blocked', actions: 'askAfterChecks' },
          },
        },
      },
    },
    decomposed: { entry: enter('decomposed'), on: { 'task.passed': 'verified' } },
    verified: { type: 'final', entry: ['rejectTickets', ended(true), enter('verified')] },
    failed: { type: 'final', entry: ['rejectTickets', ended(false), enter('failed')] },
  },
});

/** States of the first version that are others now. */
const MOVED: Readonly<Record<string, unknown>> = { in_verification: { in_verification: 'offered' } };

/**
 * The agent of tasks of plans. Its actors are under the Boss `delivery-tasks`, named by the id of the task.
 *
 * @param changedAt The function of the host that knows when files have changed. Default: nobody can tell.
 */
export function deliveryTaskAgent(changedAt?: DeliveryPorts['changedAt']): AnyAgent {
  const port = changedAt as Port<object, number | null> | undefined;
  return defineAgent({
    ...{ name: DELIVERY_TASK, version: 2, events: {} },
    machine: port === undefined ? machine : machine.provide({ actors: { changedAt: portLogic(port) } }),
    migrate: {
      // The first version had no wait for quiet files, and blocked what is mended.
      2: ({ value, context }) => {
        const isMended = value === 'blocked' && context['reason'] === 'fix';
        const moved = isMended ? { in_verification: 'mending' } : MOVED[String(value)];
        return { value: moved ?? value, context: { ...context, ...UNCHECKED } } as never;
      },
    },
  });
}
