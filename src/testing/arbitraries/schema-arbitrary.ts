/**
 * Values of a zod schema for fast-check, derived from its JSON Schema. Refinements are checked by the schema itself:
 * refused values are drawn again, up to a limit. fast-check is the caller's own copy.
 */
import type fastCheck from 'fast-check';
import { type Arbitrary } from 'fast-check';
import { z } from 'zod';
import { BosunError } from '../../errors.ts';
import { ARBITRARY_REFUSALS_MAX } from '../../limits.ts';

/** The module `fast-check`, as the caller imports it. */
export type Fc = typeof fastCheck;

/** The fields of a JSON Schema that are used. */
interface Form {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Form[];
  readonly oneOf?: readonly Form[];
  readonly allOf?: readonly Form[];
  readonly not?: Form;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Form>>;
  readonly properties?: Readonly<Record<string, Form>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Form;
  readonly propertyNames?: Form;
  readonly items?: boolean | Form;
  readonly prefixItems?: readonly Form[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  /** The name that zod gives to a type that JSON Schema lacks. */
  readonly 'x-zod'?: string;
}

/** Longest list or text if the schema has no bound: longer ones reveal nothing more. */
const LENGTH_MAX = 8;

/**
 * Makes values that a schema accepts as input, before defaults and transforms.
 *
 * @throws BOSUN_CONFIG_INVALID, when values are drawn, for a schema that refuses nearly everything that fits its JSON
 * Schema: pass an arbitrary of your own for it.
 */
export function schemaArbitrary<Schema extends z.ZodType>(fc: Fc, schema: Schema): Arbitrary<z.input<Schema>> {
  const form = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { type } = zodSchema._zod.def;
      if (type === 'date' || type === 'bigint' || type === 'undefined') Object.assign(jsonSchema, { 'x-zod': type });
    },
  }) as Form;
  let refusals = 0;
  return valuesOf(fc, form, { defs: form.$defs ?? {}, root: form, depth: 0 }).filter((value) => {
    const isTaken = schema.safeParse(value).success;
    refusals = isTaken ? 0 : refusals + 1;
    if (refusals < ARBITRARY_REFUSALS_MAX) return isTaken;
    throw new BosunError(
      'BOSUN_CONFIG_INVALID',
      `${ARBITRARY_REFUSALS_MAX} values in a row were refused by the schema's own checks: give an arbitrary for it`,
    );
  }) as Arbitrary<z.input<Schema>>;
}

interface Place {
  readonly root: Form;
  readonly defs: Readonly<Record<string, Form>>;
  /** Number of references followed, so that recursion ends. */
  readonly depth: number;
}

const REFERENCES_MAX = 3;

function valuesOf(fc: Fc, form: Form, place: Place): Arbitrary<unknown> {
  const special = form['x-zod'];
  if (special === 'date') return fc.date({ noInvalidDate: true });
  if (special === 'bigint') return fc.bigInt();
  if (special === 'undefined') return fc.constant(undefined);
  if (form.$ref !== undefined) return referred(fc, form.$ref, place);
  if ('const' in form) return fc.constant(form.const);
  if (form.enum !== undefined) return fc.constantFrom(...form.enum);
  const choices = form.anyOf ?? form.oneOf;
  if (choices !== undefined) return oneOf(fc, choices, place);
  if (form.allOf !== undefined) return valuesOf(fc, merged(form, form.allOf, place), place);
  if (Array.isArray(form.type))
    return oneOf(
      fc,
      (form.type as string[]).map((type) => ({ ...form, type })),
      place,
    );
  return ofType(fc, form, place);
}

function ofType(fc: Fc, form: Form, place: Place): Arbitrary<unknown> {
  switch (form.type) {
    case 'string':
      return texts(fc, form);
    case 'integer':
      return integers(fc, form);
    case 'number':
      return numbers(fc, form);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return lists(fc, form, place);
    case 'object':
      return objects(fc, form, place);
    default:
      return anything(fc);
  }
}

/** Values for a schema without constraints. */
function anything(fc: Fc): Arbitrary<unknown> {
  const one = fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string());
  return fc.oneof(
    one,
    fc.array(one, { maxLength: 3 }),
    fc.dictionary(names(fc), one, { maxKeys: 3, noNullPrototype: true }),
  );
}

function names(fc: Fc): Arbitrary<string> {
  return fc.string({ maxLength: LENGTH_MAX }).filter(isName);
}

/** Whether a key is allowed in data. */
function isName(key: string): boolean {
  return key !== '__proto__';
}

/** Chooses an alternative. Once the depth is used up, recursive ones are left out if there are others. */
function oneOf(fc: Fc, choices: readonly Form[], place: Place): Arbitrary<unknown> {
  const isSpent = place.depth >= REFERENCES_MAX;
  const ending = isSpent ? choices.filter((choice) => choice.$ref === undefined && choice.type !== 'object') : [];
  return fc.oneof(...(ending.length > 0 ? ending : choices).map((choice) => valuesOf(fc, choice, place)));
}

function referred(fc: Fc, ref: string, { root, defs, depth }: Place): Arbitrary<unknown> {
  const form = ref === '#' ? root : defs[ref.slice(ref.lastIndexOf('/') + 1)]!;
  // Evaluated when drawn: a recursive type would otherwise never end.
  return fc.constant(null).chain(() => valuesOf(fc, form, { root, defs, depth: depth + 1 }));
}

/** Merges the parts of an intersection of objects or texts, which must satisfy all of them. */
function merged(form: Form, parts: readonly Form[], { defs }: Place): Form {
  const { allOf: _, ...own } = form;
  const known = parts.map((part) =>
    part.$ref === undefined ? part : defs[part.$ref.slice(part.$ref.lastIndexOf('/') + 1)]!,
  );
  return [own, ...known].reduce((all, part) => ({
    ...all,
    ...part,
    ...(all.properties && part.properties && { properties: { ...all.properties, ...part.properties } }),
    ...(all.required && part.required && { required: [...all.required, ...part.required] }),
  }));
}

function texts(fc: Fc, { minLength = 0, maxLength, pattern, format }: Form): Arbitrary<string> {
  const size = { minLength, maxLength: maxLength ?? minLength + LENGTH_MAX };
  const fits = (text: string) => text.length >= minLength && text.length <= (maxLength ?? Infinity);
  const known = format === undefined ? undefined : FORMATS[format];
  if (known !== undefined) return known(fc).filter(fits);
  if (pattern !== undefined) return matching(fc, pattern, size).filter(fits);
  return fc.string({ ...size, unit: 'grapheme' }).filter(fits);
}

/** The start of a lookahead or lookbehind. */
const LOOKAROUND = /^\(\?<?[=!]/;

/** Texts that match a pattern. fast-check makes none for lookarounds and properties of Unicode: these are filtered. */
function matching(fc: Fc, pattern: string, size: { minLength: number; maxLength: number }): Arbitrary<string> {
  const exact = regExpOf(pattern);
  try {
    return fc.stringMatching(regExpOf(withoutLookarounds(pattern))).filter((text) => exact.test(text));
  } catch {
    return fc.string({ ...size, unit: 'grapheme' }).filter((text) => exact.test(text));
  }
}

/** JSON Schema has no flags, and a pattern with properties of Unicode means them only with the flag `u`. */
function regExpOf(pattern: string): RegExp {
  return new RegExp(pattern, /\\p\{/i.test(pattern) ? 'u' : '');
}

/** A pattern without its lookarounds, which matches more. */
function withoutLookarounds(pattern: string): string {
  let kept = '';
  /** Number of open parentheses within a lookaround; 0 outside. */
  let depth = 0;
  for (const [part] of pattern.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|\(\?<?[=!]|[^]/g)) {
    if (depth === 0 && !LOOKAROUND.test(part)) kept += part;
    else if (part.startsWith('(')) depth += 1;
    else if (part === ')') depth -= 1;
  }
  return kept;
}

const FORMATS: Readonly<Record<string, (fc: Fc) => Arbitrary<string>>> = {
  'date-time': (fc) => dates(fc).map((date) => date.toISOString()),
  date: (fc) => dates(fc).map((date) => date.toISOString().slice(0, 10)),
  time: (fc) => dates(fc).map((date) => date.toISOString().slice(11, 19)),
  email: (fc) => fc.stringMatching(/^[a-z]{1,8}\.?[a-z]{1,4}@[a-z]{1,8}\.(com|org)$/),
  uuid: (fc) => fc.uuid(),
  uri: (fc) => fc.webUrl({ size: 'xsmall' }),
  ipv4: (fc) => fc.ipV4(),
  ipv6: (fc) => fc.ipV6(),
};

/** Dates with years of four digits. */
function dates(fc: Fc): Arbitrary<Date> {
  return fc.date({ min: new Date(Date.UTC(1970, 0)), max: new Date(Date.UTC(2999, 11)), noInvalidDate: true });
}

function integers(fc: Fc, form: Form): Arbitrary<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf: step = 1 } = form;
  const unit = Number.isInteger(step) ? step : 1;
  const min = Math.max(
    minimum ?? Number.MIN_SAFE_INTEGER,
    exclusiveMinimum === undefined ? -Infinity : Math.floor(exclusiveMinimum) + 1,
  );
  const max = Math.min(
    maximum ?? Number.MAX_SAFE_INTEGER,
    exclusiveMaximum === undefined ? Infinity : Math.ceil(exclusiveMaximum) - 1,
  );
  return fc.integer({ min: Math.ceil(min / unit), max: Math.floor(max / unit) }).map((count) => count * unit);
}

function numbers(fc: Fc, form: Form): Arbitrary<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = form;
  const bounds = [minimum, exclusiveMinimum].filter((bound) => bound !== undefined);
  const ceilings = [maximum, exclusiveMaximum].filter((bound) => bound !== undefined);
  if (multipleOf !== undefined) {
    const whole = {
      min: Math.ceil(Math.max(...bounds, -1e6) / multipleOf),
      max: Math.floor(Math.min(...ceilings, 1e6) / multipleOf),
    };
    return fc.integer(whole).map((count) => count * multipleOf);
  }
  return fc.double({
    noNaN: true,
    noDefaultInfinity: true,
    ...(bounds.length > 0 && {
      min: Math.max(...bounds),
      minExcluded: isExcluded(exclusiveMinimum, minimum, Math.max),
    }),
    ...(ceilings.length > 0 && {
      max: Math.min(...ceilings),
      maxExcluded: isExcluded(exclusiveMaximum, maximum, Math.min),
    }),
  });
}

function isExcluded(exclusive: number | undefined, inclusive: number | undefined, nearer: typeof Math.max): boolean {
  return exclusive !== undefined && (inclusive === undefined || nearer(exclusive, inclusive) === exclusive);
}

function lists(fc: Fc, form: Form, place: Place): Arbitrary<unknown> {
  const { prefixItems, items, minItems = 0, maxItems } = form;
  const rest = typeof items === 'object' ? valuesOf(fc, items, place) : anything(fc);
  const first = (prefixItems ?? []).map((item) => valuesOf(fc, item, place));
  if (first.length > 0 && (items === false || items === undefined)) return fc.tuple(...first);
  const isDeep = place.depth >= REFERENCES_MAX;
  const least = Math.max(0, minItems - first.length);
  const most = Math.min(maxItems === undefined ? Infinity : maxItems - first.length, least + (isDeep ? 0 : LENGTH_MAX));
  const others = fc.array(rest, { minLength: least, maxLength: Math.max(least, most) });
  return first.length === 0 ? others : fc.tuple(fc.tuple(...first), others).map(([some, more]) => [...some, ...more]);
}

function objects(fc: Fc, form: Form, place: Place): Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties, propertyNames } = form;
  const fields = Object.fromEntries(
    Object.entries(properties).map(([key, value]) => [key, valuesOf(fc, value, place)]),
  );
  const own = fc.record(fields, { requiredKeys: required.filter((key) => Object.hasOwn(fields, key)) });
  if (typeof additionalProperties !== 'object' || Object.keys(properties).length > 0) return own;
  const keys = propertyNames === undefined ? names(fc) : texts(fc, propertyNames).filter(isName);
  const isListed = propertyNames?.enum !== undefined;
  if (isListed) {
    const listed = (propertyNames.enum as string[]).map((key) => [key, valuesOf(fc, additionalProperties, place)]);
    return fc.record(Object.fromEntries(listed) as Record<string, Arbitrary<unknown>>, {
      requiredKeys: required as string[],
    });
  }
  const maxKeys = place.depth >= REFERENCES_MAX ? 0 : LENGTH_MAX;
  return fc.dictionary(keys, valuesOf(fc, additionalProperties, place), { maxKeys, noNullPrototype: true });
}
