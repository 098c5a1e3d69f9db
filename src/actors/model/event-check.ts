/** Admission of events: a plain object with a type, however much more admission accepts as a value. */
import { type EventObject } from 'xstate';
import { BosunError } from '../../errors.ts';
import { disown, due } from '../../user-code.ts';
import { isRecord } from './plain-values.ts';
import { admit, type ResolveHandle } from './value-check.ts';

/**
 * Admits an event.
 *
 * @param sender The sender's name for the message.
 * @throws BOSUN_VALUE_REFUSED.
 */
export function admitEvent(event: unknown, sender: string, resolve: ResolveHandle): EventObject {
  const type = eventType(event);
  if (type === undefined) {
    due(event, `the event that ${sender} sends`);
    disown(event);
    throw new BosunError('BOSUN_VALUE_REFUSED', `${sender} sends something that is not an event: it has no type`);
  }
  const admitted: unknown = admit(event, `event ${type} of ${sender}`, resolve);
  // A list or an error with a type comes back from disk without it, and a proxy may show another one.
  if (isEvent(admitted) && admitted.type === type) return admitted;
  throw new BosunError(
    'BOSUN_VALUE_REFUSED',
    `${sender} sends something that is not an event: it is not a plain object`,
  );
}

/**
 * Admits an event of a host for its way to another thread, whose agent checks it. Throws BOSUN_VALUE_REFUSED and
 * nothing else.
 */
export function admitToSend<Event extends EventObject>(event: Event): Event {
  return admit(event, `event ${eventType(event) ?? 'without a type'}`);
}

/**
 * Whether an admitted value is an event.
 *
 * @param value The value as it was admitted.
 */
export function isEvent(value: unknown): value is EventObject {
  return isRecord(value) && typeof value['type'] === 'string';
}

/** The type of an unchecked event; undefined if it has none. Never throws. */
export function eventType(event: unknown): string | undefined {
  try {
    const type: unknown = (event as { readonly type?: unknown } | null | undefined)?.type;
    return typeof type === 'string' ? type : undefined;
  } catch {
    return undefined;
  }
}
