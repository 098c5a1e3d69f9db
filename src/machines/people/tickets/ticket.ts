/**
 * A ticket: a durable question to people with a thread (seed 000). A reply is reviewed for clarity: one that passes
 * resolves the ticket, another is followed up, and after five follow-ups the ticket is escalated. People may always
 * resolve it by hand, and reopen it until it is archived. What changes is in ticket-state.ts, who may change it in
 * ticket-rules.ts, the list in ticket-desk.ts.
 */
import { fromPromise, setup } from 'xstate';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import { asBefore } from '../../rules/turn.ts';
import { type Port, portLogic } from '../../work/port.ts';
import { scoreReply } from '../clarity/clarity.ts';
import { type ClarityInput, type ClarityScore } from '../clarity/clarity-score.ts';
import { historyLine, ticketActions, type TicketEvent, unreviewed } from './ticket-acts.ts';
import { PASSED_AS, type PassedEvent } from './ticket-messages.ts';
import { FOLLOW_UPS_MAX, refusalOf } from './ticket-rules.ts';
import { newTicket, pendingReply, reviewInput, type TicketContext, type TicketInput } from './ticket-state.ts';

/** Lines of history kept per ticket: more than a full thread and its orders have. */
const HISTORY_KEPT = 500;

/** The transition for an order that the ticket's state, version or rules do not allow. */
const refused = { actions: 'refuse' } as const;

/** The orders by which people settle a waiting ticket or hand it on. */
const orders = {
  'ticket.resolve': [{ guard: 'isTaken', target: '#ticket.resolved', actions: 'noteResolution' }, refused],
  'ticket.reject': [{ guard: 'isTaken', target: '#ticket.rejected', actions: 'noteRejection' }, refused],
  'ticket.assign': [{ guard: 'isTaken', actions: ['noteAssignee', 'report'] }, refused],
  'reply.preview': [{ guard: 'isTaken', actions: 'preview' }, refused],
} as const;

const escalation = {
  'ticket.escalate': [{ guard: 'isTaken', target: '#ticket.escalated', actions: 'noteEscalation' }, refused],
} as const;

const reply = {
  'reply.given': [
    { guard: 'isReviewed', target: '#ticket.in_review', reenter: true, actions: 'noteReply' },
    { guard: 'isTaken', actions: ['noteReply', 'report'] },
    refused,
  ],
} as const;

const dueTimes = {
  'ticket.remind': { actions: 'remind' },
  'ticket.overdue': { actions: ['noteOverdue', 'report'] },
} as const;

const reopening = {
  'ticket.reopen': [{ guard: 'isTaken', target: '#ticket.open', actions: ['noteReopening', 'arm'] }, refused],
} as const;

const machine = setup({
  types: {} as { context: TicketContext; events: TicketEvent; input: TicketInput },
  actors: { scoreClarity: fromPromise<unknown, ClarityInput>(({ input }) => Promise.resolve(scoreReply(input))) },
  delays: {
    reviewDelay: ({ context: { times, question } }) => times.reviewAfterMs[question.priority],
    scorePatience: ({ context: { times, question } }) => times.scoreWithinMs[question.priority],
    archiveDelay: ({ context }) => context.times.archiveAfterMs,
  },
  guards: {
    isTaken: ({ context, event }) => refusalOf(context, event as PassedEvent) === undefined,
    isReviewed: ({ context, event }) =>
      refusalOf(context, event as PassedEvent) === undefined &&
      unreviewed(context, event as PassedEvent<'reply.given'>) === undefined,
    isPassed: ({ context }) => context.verdict!.isPassed,
    isExhausted: ({ context }) => context.followUps >= FOLLOW_UPS_MAX,
  },
  actions: ticketActions,
}).createMachine({
  id: 'ticket',
  context: ({ input, self }) => newTicket(input, timeOf(self)),
  entry: 'arm',
  // An order that no state below takes is refused, with the state as the reason.
  on: Object.fromEntries(Object.values(PASSED_AS).map((type) => [type, refused])),
  initial: 'open',
  states: {
    open: {
      tags: 'waiting',
      entry: { type: 'enter', params: { status: 'open' } },
      on: { ...orders, ...escalation, ...reply, ...dueTimes },
    },
    in_review: {
      tags: 'waiting',
      entry: { type: 'enter', params: { status: 'in_review' } },
      on: { ...orders, ...escalation, ...reply, ...dueTimes },
      initial: 'queued',
      states: {
        queued: { after: { reviewDelay: 'scoring' } },
        scoring: {
          invoke: {
            src: 'scoreClarity',
            input: ({ context }) => reviewInput(context, pendingReply(context)),
            onDone: { target: 'scored', actions: 'noteScore' },
            onError: { target: 'scored', actions: 'noteScore' },
          },
          after: { scorePatience: { target: 'scored', actions: 'noteLate' } },
        },
        scored: {
          always: [
            { guard: 'isPassed', target: '#ticket.resolved' },
            { guard: 'isExhausted', target: '#ticket.escalated', actions: 'noteNoAnswer' },
            { target: '#ticket.open', actions: 'followUp' },
          ],
        },
      },
    },
    escalated: {
      tags: 'waiting',
      entry: { type: 'enter', params: { status: 'escalated' } },
      on: { ...orders, ...reply, ...dueTimes },
    },
    resolved: {
      tags: 'settled',
      entry: ['disarm', { type: 'enter', params: { status: 'resolved' } }],
      on: { ...reopening, 'ticket.rate': [{ guard: 'isTaken', actions: ['noteRating', 'report'] }, refused] },
      after: { archiveDelay: 'archived' },
    },
    rejected: {
      tags: 'settled',
      entry: ['disarm', { type: 'enter', params: { status: 'rejected' } }],
      on: reopening,
      after: { archiveDelay: 'archived' },
    },
    archived: { type: 'final', entry: { type: 'enter', params: { status: 'archived' } } },
  },
});

/**
 * Makes the agent for tickets; each ticket is an actor. `scoreClarity` is the host's function for scores, if it has
 * one.
 */
export function ticketAgent(scoreClarity?: Port<ClarityInput, ClarityScore>) {
  const own =
    scoreClarity === undefined
      ? machine
      : machine.provide({ actors: { scoreClarity: portLogic<ClarityInput, unknown>(scoreClarity) } });
  return defineAgent({
    name: 'ticket',
    version: 2,
    // Version 1 refused the same orders, listed in another order.
    migrate: { 2: asBefore },
    machine: own,
    events: {},
    records: { history: { schema: historyLine, keep: { count: HISTORY_KEPT } } },
  });
}

/** The agent for tickets whose replies are scored by the rule alone. */
export const ticket = ticketAgent();
