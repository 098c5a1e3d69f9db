/** The behaviour of laden machines: what they hold, compare, and put into what they send, return, record and throw. */
import { exactTextOf } from './exact-text.ts';
import { type ActionSpec, type GuardSpec } from './machine-spec.ts';
import { errorText } from './view.ts';
import { failure, isFailure, made } from './value-spec.ts';
import { changed, dateIn, measured, small, wrapped } from './value-work.ts';

/** The part of a context with the values; a machine that is not laden has neither. */
export interface Holder {
  readonly held?: unknown;
  /** The last values that it has kept. */
  readonly kept?: readonly unknown[];
  /** References to its children. */
  readonly refs?: Readonly<Record<string, unknown>>;
}

/** An event that may carry a value: by itself, in the output of a child, or in its failure. */
export interface Carrier {
  readonly type: string;
  readonly v?: number;
  readonly cargo?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
}

const KEPT_MAX = 3;

interface Args {
  readonly context: Holder & { readonly n: number };
  readonly event: Carrier;
  readonly self: unknown;
}

/** The value that an event carries. */
export function cargoIn({ cargo, output, error }: Carrier): unknown {
  if (cargo !== undefined) return cargo;
  if (typeof output === 'object' && output !== null && 'cargo' in output) return output.cargo;
  return isFailure(error) ? error : undefined;
}

/** The values after a change of them; `n` chooses what it does. */
export function holding(
  { how, value }: Extract<ActionSpec, { do: 'hold' }>,
  { context: { held, kept = [], n, refs = {} }, event, self }: Args,
): Holder {
  switch (how) {
    case 'make':
      return { held: value && made(value) };
    case 'take':
      return { held: small(cargoIn(event)) };
    case 'keep':
      return { kept: [...kept, small(cargoIn(event) ?? held)].slice(-KEPT_MAX) };
    case 'change':
      return { held: small(changed(held, n)) };
    case 'wrap':
      return { held: small(wrapped(held, n)) };
    case 'swap':
      return { held: kept[0], kept: [...kept.slice(1), held] };
    case 'drop':
      return { held: undefined };
    case 'refer':
      return { held: [Object.values(refs).at(-1) ?? self, small(held)].slice(0, 1 + (n % 2)) };
  }
}

export function holds(ask: Extract<GuardSpec, { is: 'held' }>['ask'], { held }: Holder, event: Carrier): boolean {
  switch (ask) {
    case 'same':
      return exactTextOf(held) === exactTextOf(cargoIn(event));
    case 'later': {
      const [own, other] = [dateIn(held), dateIn(cargoIn(event))];
      return own !== undefined && (other === undefined || own > other);
    }
    case 'odd':
      return measured(held) % 2 === 1;
  }
}

/** The part that a laden machine adds to events, inputs, outputs, rows and records; nothing for any other machine. */
export function cargoOf(context: Holder, which: 'held' | 'kept' | 'refs' = 'held'): { readonly cargo?: unknown } {
  if (!('held' in context)) return {};
  return { cargo: which === 'refs' ? Object.values(context.refs ?? {}) : context[which] };
}

/** The error that a machine throws. That of a laden one has a code, and what it holds as its cause. */
export function thrown(context: Holder, message: string): Error {
  return 'held' in context ? failure('Error', message, { code: 'E_HELD', cause: context.held }) : new Error(message);
}

/** A few characters that depend on all that a machine holds; none for one that is not laden. */
export function heldMark(context: Holder): string {
  return 'held' in context ? ` ${measured([context.held, context.kept])}` : '';
}

/** The line of an event that an actor is given, with everything that it carries. */
export function receivedLine({ type, v, cargo, output, error }: Carrier): string {
  const line = `${type} ${v ?? ''}`;
  if (cargo === undefined && output === undefined && error === undefined) return line;
  const shown = error === undefined ? '' : errorText(error);
  return `${line} ${exactTextOf(cargo)} ${exactTextOf(output)} ${shown}`;
}

/** The text of a record. Most carry nothing, and all of an actor are read at every step. */
export function recordText(value: object): string {
  return 'cargo' in value ? exactTextOf(value) : JSON.stringify(value);
}

/** The line of an emitted event. */
export function emittedLine({ at, n, cargo }: { at: string; n: number; cargo?: unknown }): string {
  return cargo === undefined ? `${at} ${n}` : `${at} ${n} ${exactTextOf(cargo)}`;
}
