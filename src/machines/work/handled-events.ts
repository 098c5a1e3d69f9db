/**
 * The event types that an actor handles, read from its machine. Checked before a message is passed on, so that no actor
 * is sent a message that it would drop. Pure.
 */
import { type AnyActorRef } from 'xstate';

interface Charted {
  readonly machine?: { readonly events: readonly string[] };
}

/**
 * The event types, wildcards included, that an actor's machine handles in any state. Undefined if they cannot be known:
 * the actor is not a machine, runs elsewhere, or has not started.
 */
export function handledBy(receiver: AnyActorRef): readonly string[] | undefined {
  return (receiver.getSnapshot() as Charted | undefined)?.machine?.events;
}

/** Whether a list of handled types, wildcards included, covers an event type. */
export function isHandled(type: string, handled: readonly string[]): boolean {
  return handled.some((key) => key === type || key === '*' || (key.endsWith('.*') && isUnder(type, key.slice(0, -2))));
}

function isUnder(type: string, prefix: string): boolean {
  return type === prefix || type.startsWith(`${prefix}.`);
}
