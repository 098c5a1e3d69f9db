/** A form derived from an event's JSON Schema: its fields, and the event made from their contents. Pure. */
import { type JsonSchema } from '../json-schema.ts';

export type FieldKind = 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'json';

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly description: string | undefined;
  /** The options of a choice. */
  readonly options: readonly string[];
  readonly initial: string;
  /** Bounds, such as `1 to 9` or `at most 40 characters`. */
  readonly hint: string;
}

/** Contents of the fields, by name; empty for omitted fields. */
export type Typed = Readonly<Record<string, string>>;

export interface Made {
  readonly event: { readonly type: string; readonly [field: string]: unknown };
  /** Errors by field. All other checks are the gateway's. */
  readonly problems: Readonly<Record<string, string>>;
}

/** A single JSON field, for an event whose schema is unknown. */
const ANY_FIELDS: Field = {
  name: 'fields',
  kind: 'json',
  isRequired: false,
  description: 'A JSON object with the fields of the event.',
  options: [],
  initial: '',
  hint: '',
};

export function fieldsOf(schema: JsonSchema | undefined): Field[] {
  if (schema === undefined) return [ANY_FIELDS];
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties)
    .filter(([name]) => name !== 'type')
    .map(([name, schema]) => {
      const kind = kindOf(schema);
      return {
        name,
        kind,
        isRequired: required.includes(name),
        description: schema.description,
        options: kind === 'choice' ? (schema.enum ?? [schema.const]).map(String) : [],
        initial: initialOf(schema, kind),
        hint: hintOf(schema),
      };
    });
}

export function eventOf(type: string, fields: readonly Field[], typed: Typed): Made {
  const event: Record<string, unknown> = { type };
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const { name, kind, isRequired } = field;
    const text = typed[name] ?? '';
    if (text === '' && kind !== 'text') {
      if (isRequired) problems[name] = 'is needed';
      continue;
    }
    if (text === '' && !isRequired) continue;
    const value = valueOf(kind, text);
    if (value === undefined)
      problems[name] =
        kind === 'json' ? 'is not JSON' : kind === 'integer' ? 'is not a whole number' : 'is not a number';
    else if (field !== ANY_FIELDS) event[name] = value;
    else if (typeof value !== 'object' || value === null || Array.isArray(value))
      problems[name] = 'is not a JSON object';
    else Object.assign(event, value, { type });
  }
  return { event: event as Made['event'], problems };
}

function kindOf({ type, enum: options, const: only }: JsonSchema): FieldKind {
  if (options !== undefined ? options.every((option) => typeof option === 'string') : typeof only === 'string')
    return 'choice';
  if (type === 'string') return 'text';
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'json';
}

function initialOf({ default: given, const: only }: JsonSchema, kind: FieldKind): string {
  const value = given ?? only;
  if (value === undefined) return '';
  return kind === 'text' || kind === 'choice' ? String(value) : JSON.stringify(value);
}

/**
 * Parses a field.
 *
 * @returns undefined for text that cannot be parsed.
 */
function valueOf(kind: FieldKind, text: string): unknown {
  if (kind === 'text' || kind === 'choice') return text;
  if (kind === 'boolean') return text === 'true';
  if (kind === 'json') return parsed(text);
  const value = Number(text);
  return Number.isFinite(value) && text.trim() !== '' && (kind === 'number' || Number.isInteger(value))
    ? value
    : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The bounds of a number or text; those of safe integers are ignored. */
function hintOf({ minimum, maximum, maxLength }: JsonSchema): string {
  const low = minimum !== undefined && minimum > -Number.MAX_SAFE_INTEGER ? minimum : undefined;
  const high = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  if (low !== undefined && high !== undefined) return `${low} to ${high}`;
  if (low !== undefined) return `at least ${low}`;
  if (high !== undefined) return `at most ${high}`;
  return maxLength === undefined ? '' : `at most ${maxLength} characters`;
}
