/**
 * One task of a plan: what becomes of it from its planning to its verification, with the time limits of its coding
 * session. A session that says nothing is pinged and then reported to the owner; a failure is tried again, and then
 * reported. It knows no other task: the orchestrator decides when it is released and to whom it is given.
 */
import { setup } from 'xstate';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { onNotices } from '../../people/tickets/ticket-messages.ts';
import { taskActions, taskGuards } from './task-acts.ts';
import { type WorkStatus } from '../../work/work-item.ts';
import { newTask, type TaskContext, type TaskEvent, type TaskInput } from './task-state.ts';

/** The transition for an order that the state does not allow. */
const refused = { actions: 'refuse' } as const;

const enter = <Status extends WorkStatus>(status: Status) => ({ type: 'enter', params: { status } }) as const;
const says = <Status extends string>(status: Status) => ({ type: 'says', params: { status } }) as const;

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

const machine = setup({
  types: {} as { context: TaskContext; events: TaskEvent; input: TaskInput },
  delays: {
    stall: ({ context }) => context.times.stallMs,
    ping: ({ context }) => context.times.pingMs,
    pause: ({ context }) => context.times.pauseMs,
    retry: ({ context: { times, failures } }) => times.retryMs[failures - 1]!,
  },
  guards: taskGuards,
  actions: taskActions,
}).createMachine({
  id: 'delivery-task',
  context: ({ input }) => newTask(input),
  initial: 'pending',
  on: {
    'task.report': refused,
    'task.finish': refused,
    'task.unblock': refused,
    'task.fail': { target: '.failed', actions: 'noteGivenUp' },
    'task.doom': { target: '.failed', actions: 'noteDoom' },
    'task.edit': { actions: 'noteItem' },
    ...onNotices({ actions: 'noteTicket' as const }),
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
        'task.mended': { guard: 'isMending', target: 'in_verification' },
        'ticket.opened': { actions: ['noteTicket', enter('blocked')] },
        'ticket.resolved': [
          { guard: 'isUnknown' },
          { guard: 'isGivenUp', target: 'failed', actions: 'noteAnswer' },
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
      entry: [enter('in_verification'), 'handOff'],
      on: {
        ...BLOCK,
        'ticket.opened': { actions: ['noteTicket', enter('in_verification')] },
        'task.passed': 'verified',
        'task.found': [
          { guard: 'mayFix', target: 'blocked', actions: 'needFix' },
          { target: 'blocked', actions: 'askAfterChecks' },
        ],
      },
    },
    decomposed: { entry: enter('decomposed'), on: { 'task.passed': 'verified' } },
    verified: { type: 'final', entry: enter('verified') },
    failed: { type: 'final', entry: ['rejectTickets', enter('failed')] },
  },
});

/** The agent of tasks of plans. Its actors are under the Boss `delivery-tasks`, named by the id of the task. */
export const deliveryTask = defineAgent({ name: 'delivery-task', version: 1, machine, events: {} });
