/**
 * Stages and tasks of a plan file that a person does: a question, whose answer is the output. Pure; the question
 * becomes a ticket when the work begins.
 */
import { z } from 'zod';
import { closed } from '../../../closed-object.ts';
import { TICKET_DESCRIPTION_CHARS_MAX, TICKET_TITLE_CHARS_MAX } from '../../limits.ts';
import { ticketOptions } from '../../people/tickets/ticket-messages.ts';
import { optionGivenTwice } from '../../people/tickets/ticket-rules.ts';
import { type PersonQuestion } from '../../work/crew-requests.ts';
import { name } from '../../work/message-schema.ts';

/** The agent type of work that a person does. */
export const PERSON = 'person';

export const askedInPlan = closed({
  title: z.string().min(1).max(TICKET_TITLE_CHARS_MAX).describe('The question; "{item}" stands for the item.'),
  description: z.string().max(TICKET_DESCRIPTION_CHARS_MAX).optional().describe('What else there is to know.'),
  options: ticketOptions
    .refine((options) => optionGivenTwice(options) === undefined, {
      error: ({ input }) => optionGivenTwice(input as readonly string[])!,
    })
    .optional()
    .describe('The possible answers, if there are only a few.'),
  priority: z.literal([1, 2, 3]).default(2).describe('The urgency; 1 is the most urgent.'),
  assignee: name.optional().describe('The person who should answer.'),
  audience: z.array(name).min(1).max(100).default(['*']).describe('The people whose answer counts; * is anybody.'),
}).describe('A question to a person instead of work for an agent. The answer is the output.');

type AskedInPlan = z.output<typeof askedInPlan>;

/** The question about one item, with only the fields that are given. */
export function questionFor(
  { title, description, options, priority, assignee, audience }: AskedInPlan,
  item: string,
): Omit<PersonQuestion, 'name'> {
  const about = (text: string) => text.replaceAll('{item}', item);
  return {
    ...{ title: about(title), priority, audience },
    ...(description !== undefined && { description: about(description) }),
    ...(options !== undefined && { options }),
    ...(assignee !== undefined && { assignee }),
  };
}

/** The fields of a stage or task that say who does it. */
interface Doers {
  readonly agent?: string | undefined;
  readonly run?: string | undefined;
  readonly ask?: object | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Why work has nobody to do it, or several: the field, and the problem. Undefined for sound work. */
export function doerProblem(
  noun: 'stage' | 'task',
  { agent, run, ask, timeoutMs }: Doers,
): [string, string] | undefined {
  if (ask === undefined) {
    if (agent !== undefined || run !== undefined) return undefined;
    const command = noun === 'task' ? ', a command to "run"' : '';
    return ['agent', `a ${noun} needs an "agent"${command} or a question to "ask" a person`];
  }
  if (agent !== undefined || run !== undefined)
    return ['ask', 'a person does this work: it has no "agent" and nothing to "run"'];
  return timeoutMs === undefined
    ? undefined
    : ['timeoutMs', 'does not hold for people: the question waits, and they are reminded'];
}
