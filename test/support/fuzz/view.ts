/** The visible part of an actor in a form common to both sides: exact texts, in which references are addresses. */
import { exactTextOf, strictTextOf } from './exact-text.ts';
import { isFailure } from './value-spec.ts';

/** Two actors look the same exactly if the texts are equal. */
export interface View {
  readonly status: string;
  readonly value: string;
  readonly context: string;
  readonly tags: string;
  readonly output: string;
  /** The message of the error, or all that it holds if a machine has thrown it. */
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
    value: sortedText(value ?? null),
    context: sortedText(context, exactTextOf),
    tags: [...(tags ?? [])].sort().join(','),
    output: exactTextOf(output),
    error: error === undefined || error === null ? undefined : errorText(error),
  };
}

/**
 * Everything of an actor that a restart must not change. Whether the context itself is frozen may change: the kernel
 * keeps the object that an assign has made.
 */
export function strictViewOf({ context, ...rest }: Seen): string {
  return `${sortedText(rest, strictTextOf)}; context ${sortedText(context, strictTextOf)}`;
}

/** The text of a record whose keys may come in another order; by default, of records in it too. */
function sortedText(record: unknown, itemText: (item: unknown) => string = sortedText): string {
  if (typeof record !== 'object' || record === null) return exactTextOf(record);
  let text = '';
  for (const key of Object.keys(record).sort())
    text += `${text === '' ? '' : ', '}${key}: ${itemText((record as Record<string, unknown>)[key])}`;
  return `{${text}}`;
}

/** Errors of XState and of the runtime have stacks of their own. */
export function errorText(error: unknown): string {
  return isFailure(error) ? exactTextOf(error) : String((error as Error).message ?? error);
}

/** The view as a text for a person. */
export function textOf(view: Partial<View>): string {
  const parts = Object.entries(view).filter(([, text]) => text !== undefined && text !== '' && text !== 'undefined');
  return parts.map(([name, text]) => `${name} ${text}`).join('; ');
}

/** Whether two views are the same. */
export function isSameView(a: View, b: View): boolean {
  return (
    a.status === b.status &&
    a.value === b.value &&
    a.context === b.context &&
    a.tags === b.tags &&
    a.output === b.output &&
    a.error === b.error
  );
}
