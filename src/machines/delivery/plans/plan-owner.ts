/** Questions to the owner of a plan, as tickets that belong to no task yet. */
import { type AnyActorRef } from 'xstate';
import { PEOPLE_DESKS } from '../../people/system-ids.ts';
import { type TicketOrder } from '../../people/tickets/ticket-messages.ts';
import { type Turn } from '../../rules/turn.ts';

interface Asked {
  readonly about: string;
  readonly title: string;
  readonly text: string;
  readonly options: readonly string[];
}

/** Opens a ticket for the owner of a plan, whose end the asking actor hears. */
export function askPlanOwner(
  turn: Pick<Turn<object, never>, 'send' | 'self'>,
  owner: string,
  { about, title, text, options }: Asked,
): void {
  const question: TicketOrder<'tickets.open'> & { readonly askedBy: AnyActorRef } = {
    ...{ type: 'tickets.open', kind: 'ai_to_human', priority: 2, title: title.slice(0, 200).toWellFormed() },
    ...{ description: text.slice(0, 800).toWellFormed(), options: [...options], evidence: [], creator: 'planning' },
    ...{ assignee: owner, audience: ['*'], task: null, isBlocking: false, isEscalation: false, about },
    askedBy: turn.self,
  };
  turn.send(PEOPLE_DESKS.tickets, question);
}
