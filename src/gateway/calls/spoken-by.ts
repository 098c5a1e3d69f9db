/**
 * The author named by an event. A caller that stands for a person may use only that person's name; a coding agent may
 * not send events of people, and sends others in its own name. Rules only, applied on every path of an event to an
 * actor.
 */
import { type EventObject } from 'xstate';
import { type AnyAgent } from '../../actors/model/agent.ts';
import { speakersIn } from '../../actors/model/person.ts';
import { BosunError } from '../../errors.ts';
import { type Caller } from '../callers/callers.ts';

/**
 * Returns the event with the caller's name in the field that names its author.
 *
 * @param receiver Finds the agent that takes the event. Called only for callers that may not speak for others.
 * @throws BOSUN_FORBIDDEN for another person's name, and for a person's event from a coding agent.
 */
export function spokenBy(caller: Caller, event: EventObject, receiver: () => AnyAgent | undefined): EventObject {
  const { person, isAgent } = caller;
  if (person === undefined && isAgent !== true) return event;
  const { events = {} } = receiver() ?? {};
  const schema = Object.hasOwn(events, event.type) ? events[event.type] : undefined;
  const fields = schema === undefined ? [] : speakersIn(schema);
  if (fields.length === 0) return event;
  if (person === undefined && fields.some(({ isPerson }) => isPerson))
    throw new BosunError('BOSUN_FORBIDDEN', `${event.type} may only be sent by a person, and this caller is a program`);
  const name = person ?? caller.id;
  const said = event as Readonly<Record<string, unknown>>;
  const other = fields.find(({ field }) => said[field] !== undefined && said[field] !== name);
  if (other !== undefined)
    throw new BosunError('BOSUN_FORBIDDEN', `${other.field} of ${event.type} must be ${name}, the name of the caller`);
  return { ...event, ...Object.fromEntries(fields.map(({ field }) => [field, name])) };
}
