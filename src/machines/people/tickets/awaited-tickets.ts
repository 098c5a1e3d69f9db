/** The tickets for whose answer some work waits, as the notices about them tell it. Pure. */
import { type TicketNotice } from './ticket-messages.ts';

/** Ids of tasks by the id of the ticket for which each waits. */
export type AwaitedTickets = Readonly<Record<string, string>>;

/** The notices that change what is waited for. */
export type WaitingNotice = Extract<
  TicketNotice,
  { readonly type: 'ticket.opened' | 'ticket.resolved' | 'ticket.rejected' | 'ticket.failed' }
>;

/** The tickets waited for after a notice. A ticket that blocks nothing is not waited for. */
export function afterNotice(known: AwaitedTickets, notice: WaitingNotice): AwaitedTickets {
  const { [notice.ticket]: _, ...others } = known;
  if (notice.type !== 'ticket.opened' || !notice.isBlocking || notice.task === null) return others;
  return { ...known, [notice.ticket]: notice.task };
}

/** The tickets waited for after a task has ended. */
export function afterTask(known: AwaitedTickets, task: string): AwaitedTickets {
  return Object.fromEntries(Object.entries(known).filter(([, waiting]) => waiting !== task));
}
