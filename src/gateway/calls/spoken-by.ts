/**
 * The author named by an event. A caller that stands for a person may use only that person's name; a coding agent may
 * not send events of people, and sends others in its own name. Rules only, applied on every path of an event to an
 * actor.
 */
import { type EventObject } from 'xstate';
import { type AnyAgent } from '../../actors/model/agent.ts';
import { type SpeakerField, speakersIn } from '../../actors/model/person.ts';
import { BosunError } from '../../errors.ts';
import { type Caller } from '../callers/callers.ts';

/** Longest name of an author. Longer ids of callers are cut, as by the procedures that name their callers. */
const NAME_CHARS_MAX = 200;

/**
 * Returns the event with the caller's name in the fields that name its author.
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
  const name = (person ?? caller.id).slice(0, NAME_CHARS_MAX);
  const other = fields.find((field) => ![undefined, null, name].includes(nameIn(event, field) as string));
  if (other !== undefined)
    throw new BosunError(
      'BOSUN_FORBIDDEN',
      `${other.path.join('.')} of ${event.type} must be ${name}, the name of the caller`,
    );
  return fields.reduce<EventObject>((said, field) => withName(said, field, name) as EventObject, event);
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The name that an event gives in a field. */
function nameIn(event: EventObject, { path }: SpeakerField): unknown {
  return path.reduce<unknown>(
    (within, key) => (isFields(within) && Object.hasOwn(within, key) ? within[key] : undefined),
    event,
  );
}

/** The event with a name in a field. An object that the event leaves out, and that has no default, names nobody. */
function withName(part: Fields, field: SpeakerField, name: string, depth = 0): Fields {
  const key = field.path[depth]!;
  if (depth === field.path.length - 1) return { ...part, [key]: name };
  const given = Object.hasOwn(part, key) ? part[key] : undefined;
  const inner = given === undefined ? field.defaults.get(depth + 1) : given;
  return isFields(inner) ? { ...part, [key]: withName(inner, field, name, depth + 1) } : part;
}
