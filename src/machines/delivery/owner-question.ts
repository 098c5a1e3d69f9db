/** Questions to owners of tasks and plans, as tickets: where nothing else decides, a named person does. */
import { PEOPLE_DESKS } from '../people/system-ids.ts';
import { type TicketNotice, type TicketOrder } from '../people/tickets/ticket-messages.ts';
import { type Turn } from '../rules/turn.ts';
import { type WorkItem } from '../work/work-item.ts';

/** The subjects of questions about a task, as notices of tickets repeat them. */
export const ABOUT = ['context', 'size', 'stall', 'failure', 'coder', 'check', 'visual', 'cycles'] as const;
export type About = (typeof ABOUT)[number];

/** The option by which an owner gives up a task. */
export const GIVE_UP = 'give up';
/** The option by which an owner has a task go on. */
export const TRY_AGAIN = 'try again';
/**
 * The options of an owner whose task has failed its checks too often (MX-108): it was mended by hand, is accepted as it
 * is, is done in another way, or is checked once more.
 */
export const AFTER_CHECKS = ['manual-fix', 'skip', 'change-approach', 'retry-once'] as const;
export type AfterChecks = (typeof AFTER_CHECKS)[number];

/** The turn of any actor. */
export type Sender = Pick<Turn<object, never>, 'send' | 'self'>;

interface Asked {
  readonly kind?: 'ai_to_human' | 'investigation';
  readonly creator?: string;
  /** Tickets of one key are one ticket. */
  readonly key?: string;
  readonly about: string;
  readonly title: string;
  readonly text: string;
  readonly options?: readonly string[];
}

/**
 * Opens a ticket for the owner of a task, of which the orchestrator hears how it ends, or, without an id, for that of a
 * plan, of which the asking actor hears.
 */
export function askOwner(
  turn: Sender,
  { id: task, owner, priority }: Asker,
  { title, text, options = [], creator = 'orchestrator', kind = 'ai_to_human', ...more }: Asked,
): void {
  const question: TicketOrder<'tickets.open'> = {
    ...{ type: 'tickets.open', kind, creator, priority, title: title.slice(0, 200).toWellFormed(), ...more },
    ...{ description: text.slice(0, 800).toWellFormed(), options: [...options], evidence: [] },
    ...{ assignee: owner, audience: ['*'], task, isBlocking: task !== null, isEscalation: false },
  };
  turn.send(PEOPLE_DESKS.tickets, task === null ? { ...question, askedBy: turn.self } : question);
}

/** The task about which somebody is asked, or, without an id, a plan or the organisation. */
type Asker = Pick<WorkItem, 'priority'> & { readonly id: string | null; readonly owner: string | null };

/** Whether the person who has resolved a ticket has chosen an option. */
export function hasChosen({ resolution }: Extract<TicketNotice, { type: 'ticket.resolved' }>, wanted: string): boolean {
  return [resolution.option, resolution.text.trim().toLowerCase()].includes(wanted);
}
