/**
 * A fast path for events with flat schemas. Where every field of an event's schema is a string, a number, a boolean or
 * one of a list of literals, one loop over the fields replaces zod's copy and the walk of admission. If the loop finds
 * anything else it returns nothing, and zod and admission report the error: so the fast path accepts no event that they
 * refuse, and returns what they return.
 */
import { type EventObject } from 'xstate';
import { type z } from 'zod';
import { disownParts } from '../../user-code.ts';
import { VALUE_BYTES_MAX } from '../../limits.ts';
import { textBytes } from '../../text-bytes.ts';
import { eventType } from './event-check.ts';
import { count } from './value-check.ts';

type Scalar = string | number | boolean;

/** A field of a flat schema. */
interface Field {
  readonly key: string;
  /** Bytes of the key as a part of an event. */
  readonly keyBytes: number;
  readonly isOptional: boolean;
  readonly kind: 'string' | 'number' | 'boolean' | 'oneOf';
  readonly values: ReadonlySet<unknown>;
}

/** Bytes of a string beside its text, of a number and of a boolean; as value-check.ts counts. */
const TEXT_BYTES = 3;
const NUMBER_BYTES = 9;
const BOOLEAN_BYTES = 1;
const KEY_BYTES = 2;

/** Shapes by schema; null for a schema that is not flat. */
const shapes = new WeakMap<z.ZodObject, FlatShape | null>();

/**
 * Returns the event as parsing and admission would, frozen and counted by `takeCount`; undefined if they have to
 * decide. Never throws.
 */
export function flatEvent(events: Readonly<Record<string, z.ZodObject>>, event: object): EventObject | undefined {
  const type = eventType(event);
  if (type === undefined || !Object.hasOwn(events, type)) return undefined;
  const schema = events[type]!;
  try {
    let shape = shapes.get(schema);
    if (shape === undefined) shapes.set(schema, (shape = shapeOf(schema)));
    return shape?.read(type, event as Readonly<Record<string, unknown>>);
  } catch {
    // A getter or proxy trap of the user threw: zod and admission read schema and event again and report the error.
    return undefined;
  }
}

class FlatShape {
  readonly #fields: readonly Field[];

  constructor(fields: readonly Field[]) {
    this.#fields = fields;
  }

  read(type: string, event: Readonly<Record<string, unknown>>): EventObject | undefined {
    if (Object.getPrototypeOf(event) !== Object.prototype || !type.isWellFormed()) return undefined;
    let bytes = 'type'.length + KEY_BYTES + bytesOf(type);
    let dropped = -1;
    for (const _ in event) dropped += 1;
    const read: Record<string, unknown> = {};
    for (const field of this.#fields) {
      const value = event[field.key];
      // The parser copies a field that is present as undefined, hidden fields included.
      if (value === undefined && field.isOptional && !(field.key in event)) continue;
      if (!holds(field, value)) return undefined;
      bytes += field.keyBytes + bytesOf(value);
      dropped -= 1;
      // The stored form has no negative zero.
      read[field.key] = value === 0 ? 0 : value;
    }
    if (bytes > VALUE_BYTES_MAX) return undefined;
    if (dropped > 0) disownParts(event);
    read['type'] = type;
    count(bytes);
    return Object.freeze(read) as EventObject;
  }
}

function holds({ kind, values }: Field, value: unknown): value is Scalar {
  switch (kind) {
    case 'string':
      return typeof value === 'string' && value.isWellFormed();
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'oneOf':
      return values.has(value);
  }
}

function bytesOf(value: Scalar): number {
  if (typeof value === 'string') return textBytes(value) + TEXT_BYTES;
  return typeof value === 'number' ? NUMBER_BYTES : BOOLEAN_BYTES;
}

/** Parts of a zod definition that only say what type a value has. */
const PLAIN_PARTS: ReadonlySet<string> = new Set([
  'type',
  'error',
  'checks',
  'shape',
  'values',
  'entries',
  'innerType',
]);

interface Definition {
  readonly type: string;
  readonly checks?: readonly unknown[];
  readonly values?: readonly unknown[];
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly innerType?: z.core.$ZodType;
}

function shapeOf(schema: z.ZodObject): FlatShape | null {
  // A schema that names the type may restrict it.
  if (plainDefinition(schema) === undefined || 'type' in schema.shape) return null;
  const fields = Object.entries(schema.shape).map(([key, field]) => fieldOf(key, field, false));
  return fields.every((field) => field !== undefined) ? new FlatShape(fields) : null;
}

function fieldOf(key: string, schema: z.core.$ZodType, isOptional: boolean): Field | undefined {
  const definition = plainDefinition(schema);
  // Admission refuses these keys.
  if (definition === undefined || !key.isWellFormed() || key === '__proto__' || key === '__keys__') return undefined;
  const { type, values, entries, innerType } = definition;
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return { key, keyBytes: textBytes(key) + KEY_BYTES, isOptional, kind: type, values: NO_VALUES };
    case 'literal':
      return oneOf(key, isOptional, values!);
    case 'enum':
      return oneOf(key, isOptional, Object.values(entries!));
    case 'optional':
      return isOptional ? undefined : fieldOf(key, innerType!, true);
    default:
      return undefined;
  }
}

const NO_VALUES: ReadonlySet<unknown> = new Set();

/**
 * The field of a schema that accepts some literals. Numbers are left out, because a set does not distinguish the zeros
 * and finds NaN, unlike zod.
 */
function oneOf(key: string, isOptional: boolean, values: readonly unknown[]): Field | undefined {
  const arePlain = values.every(
    (value) => typeof value === 'boolean' || (typeof value === 'string' && value.isWellFormed()),
  );
  const keyBytes = textBytes(key) + KEY_BYTES;
  return arePlain ? { key, keyBytes, isOptional, kind: 'oneOf', values: new Set(values) } : undefined;
}

/**
 * The definition of a schema that only says what type a value has; undefined for one with a check, a format or a
 * transformation.
 */
function plainDefinition({ _zod: { def } }: z.core.$ZodType): Definition | undefined {
  const definition = def as unknown as Definition;
  const isPlain = Object.keys(definition).every((part) => PLAIN_PARTS.has(part) || isUnset(definition, part));
  return isPlain && (definition.checks ?? []).length === 0 ? definition : undefined;
}

/** Whether a part is undefined. One that is computed, as a default is, would call a function of the user. */
function isUnset(definition: Definition, part: string): boolean {
  const { get, value } = Object.getOwnPropertyDescriptor(definition, part)!;
  return get === undefined && value === undefined;
}
