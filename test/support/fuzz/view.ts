/** The visible part of an actor in a form common to both sides: references become addresses. */
import { isTable } from '../../../src/table.ts';

export interface View {
  readonly status: string;
  readonly value: unknown;
  readonly context: unknown;
  readonly tags: readonly string[];
  readonly output: unknown;
  /** The message of the error. */
  readonly error: string | undefined;
}

/** A snapshot of XState or of Bosun. */
export interface Seen {
  readonly status: string;
  readonly value?: unknown;
  readonly context?: unknown;
  readonly tags?: Iterable<string>;
  readonly output?: unknown;
  readonly error?: unknown;
}

export function viewOf({ status, value, context, tags, output, error }: Seen): View {
  // A child's failure that its machine has handled is marked as settled by Bosun.
  const isSettled = status === 'stopped' && error !== undefined;
  return {
    status: isSettled ? 'error' : status,
    value: value ?? null,
    context: withoutReferences(context),
    tags: [...(tags ?? [])].sort(),
    output,
    error: error === undefined || error === null ? undefined : String((error as Error).message ?? error),
  };
}

function withoutReferences(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('sessionId' in value && 'send' in value)
    return `reference to ${String((value as { address?: unknown }).address ?? pathOf(value as never))}`;
  if (isTable(value)) return { rows: [...value] };
  if (Array.isArray(value)) return value.map(withoutReferences);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutReferences(item)]));
}

/** The path that an actor of createActor would have under Bosun. */
export function pathOf(actor: { readonly id: string; readonly _parent?: unknown }): string {
  const parent = actor._parent as Parameters<typeof pathOf>[0] | undefined;
  return parent === undefined ? actor.id : `${pathOf(parent)}/${actor.id}`;
}

/** A text with sorted keys, so that two views are equal exactly if their texts are. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
