/** Tickets in a test system, with stand-ins for an agent that asks, for the orchestrator and for the alert desk. */
import { type AnyActorRef, assign, enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { type ClarityInput, type ClarityScore } from '../../../src/machines/people/clarity/clarity-score.ts';
import {
  listedRow,
  ticketChildren,
  ticketDesk,
  type TicketDeskContext,
  type TicketOptions,
} from '../../../src/machines/people/tickets/ticket-desk.ts';
import { ticketAgent } from '../../../src/machines/people/tickets/ticket.ts';
import {
  TICKET_NOTICES,
  type TicketNotice,
  type TicketReply,
} from '../../../src/machines/people/tickets/ticket-messages.ts';
import {
  type ThreadEntry,
  type TicketContext,
  type TicketRow,
} from '../../../src/machines/people/tickets/ticket-state.ts';
import { DESKS } from '../../../src/machines/desks.ts';
import { type Port } from '../../../src/machines/work/port.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { startMachines } from './machines-under-test.ts';
import { recordIn } from '../../../src/machines/rules/records.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const keep = { actions: assign({ heard: ({ context, event }) => [...context.heard, event] }) } as const;

/** An agent that keeps what it hears; with `ask` it opens a ticket and names itself. */
function listener(name: string, takes: readonly string[]): AnyAgent {
  const machine = setup({
    types: {} as {
      context: { heard: { type: string; [field: string]: unknown }[] };
      events: { type: string; [field: string]: unknown };
    },
  }).createMachine({
    context: { heard: [] },
    on: {
      ...Object.fromEntries(takes.map((type) => [type, keep])),
      ask: {
        actions: enqueueActions(({ event, enqueue, self, system }) =>
          enqueue.sendTo(
            system.get(DESKS.tickets) as AnyActorRef,
            { ...(event['question'] as object), type: 'tickets.open', askedBy: self } as never,
          ),
        ),
      },
    },
  });
  return defineAgent({
    name,
    machine,
    events: { ask: z.object({ question: z.looseObject({}) }) },
    internal: [...takes],
  });
}

const LISTENERS = [
  listener('asker', TICKET_NOTICES),
  listener(DESKS.orchestrator, TICKET_NOTICES),
  listener(DESKS.alerts, ['alert.raise', 'alert.settled']),
];

export interface RoomOptions {
  readonly times?: TicketOptions['times'];
  readonly bounds?: TicketOptions['bounds'];
  readonly scoreClarity?: Port<ClarityInput, ClarityScore>;
  /** Leaves out the stand-ins, whose contexts grow with what they hear. */
  readonly isAlone?: boolean;
}

export const QUESTION = {
  kind: 'ai_to_human',
  title: 'Zod or Joi for POST /auth/register?',
  creator: 'coder',
} as const;

export class TicketRoom {
  readonly test: TestSystem;

  constructor(test: TestSystem) {
    this.test = test;
  }

  /** The reply of the desk, without advancing the clock. */
  async ask<Reply = TicketReply>(event: { readonly type: string; readonly [field: string]: unknown }): Promise<Reply> {
    const asked = this.test.system.ask<Reply>(DESKS.tickets, event);
    // A refusal by the schema comes at once, and is heard below.
    asked.catch(() => {});
    await this.test.settle();
    return asked;
  }

  /** Opens a ticket from outside and returns its id. */
  async open(question: object = {}): Promise<string> {
    const { ticket, problems } = await this.ask({ type: 'tickets.open', ...QUESTION, ...question });
    if (ticket === null) throw new Error(problems.join('; '));
    return ticket;
  }

  /** Has the asker open a ticket; the id is that of the latest ticket. */
  async askedBy(question: object = {}): Promise<string> {
    await this.test.system.send('asker', { type: 'ask', question: { ...QUESTION, ...question } });
    await this.test.settle();
    return `TK-${String(this.desk.next - 1).padStart(4, '0')}`;
  }

  reply(ticket: string, text: string, more: object = {}): Promise<TicketReply> {
    return this.ask({ type: 'tickets.reply', ticket, by: 'ada', text, ...more });
  }

  order(verb: string, ticket: string, more: object = {}): Promise<TicketReply> {
    return this.ask({ type: `tickets.${verb}`, ticket, by: 'ada', ...more });
  }

  get desk(): TicketDeskContext {
    return this.test.shard.snapshot(DESKS.tickets)!.context as TicketDeskContext;
  }

  row(ticket: string): TicketRow {
    const record = recordIn(this.desk, ticket);
    return listedRow(this.desk, record!)!;
  }

  context(ticket: string): TicketContext {
    return this.test.shard.snapshot(`${DESKS.openTickets}/${ticket}`)!.context as TicketContext;
  }

  value(ticket: string): unknown {
    return this.test.shard.snapshot(`${DESKS.openTickets}/${ticket}`)?.value;
  }

  thread(ticket: string): readonly ThreadEntry[] {
    return [...this.context(ticket).thread.values()];
  }

  /** Notices that the asker or the orchestrator was sent. */
  heard(by: 'asker' | 'orchestrator' | 'alerts' = 'asker'): readonly TicketNotice[] {
    return (this.test.shard.snapshot(by)!.context as { heard: TicketNotice[] }).heard;
  }

  async powerCut(): Promise<void> {
    await this.test.crash();
    await this.test.restart();
  }
}

export async function ticketRoom({
  times,
  bounds,
  scoreClarity,
  isAlone = false,
}: RoomOptions = {}): Promise<TicketRoom> {
  const listeners = isAlone ? [] : LISTENERS;
  const children = [
    ...listeners.map(({ name }) => ({ id: name, systemId: name, agent: name })),
    ...ticketChildren({ ...(times !== undefined && { times }), ...(bounds !== undefined && { bounds }) }),
  ];
  const agents = [ticketAgent(scoreClarity), ticketDesk, ...listeners];
  return new TicketRoom(await startMachines({ agents, tree: { children } }));
}
