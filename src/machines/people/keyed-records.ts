/**
 * Contexts that hold one record per thing, each under a key of its own (`item:AAPL`), so that a delta is as small as
 * what has changed; and how the desks that keep such records send to each other. Pure.
 */
import { type AnyActorRef, type AnyEventObject } from 'xstate';

/** Makes what `assign` takes of a key and its record; undefined takes the record away. */
export function recordIn<Context>() {
  return <Key extends keyof Context & string>(key: Key, value: Context[Key] | undefined): Partial<Context> =>
    ({ [key]: value }) as Partial<Context>;
}

/** The records whose keys begin so, in order of their keys' first writing. */
export function recordsUnder<Value>(context: object, prefix: string): Value[] {
  return Object.entries(context).flatMap(([key, value]) =>
    key.startsWith(prefix) && value !== undefined ? [value as Value] : [],
  );
}

/** Sends to a desk, if there is one: a system need not have them all. */
export function postTo(
  sendTo: (to: AnyActorRef, event: AnyEventObject) => void,
  system: { get(key: string): AnyActorRef | undefined },
) {
  return (desk: string, event: AnyEventObject): void => {
    const to = system.get(desk);
    if (to !== undefined) sendTo(to, event);
  };
}
