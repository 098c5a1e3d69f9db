/**
 * Schemas that users give, and the one way to run them. A schema is run at once, so code in it that gives a promise is
 * refused: when it is defined where that is visible, and otherwise when it is run. For the second, a schema with code
 * is run as a copy of itself whose functions refuse promises: zod forgets a promise that it meets in a synchronous
 * parse, and a rejection of it would end the process.
 */
import { type z } from 'zod';
import { type BosunError, messageOf } from './errors.ts';
import { disown, isAsync, isThenable, promiseRefused } from './user-code.ts';

/** A schema of zod, or a check in one. */
interface Part {
  readonly _zod: Internals;
}

interface Internals {
  readonly def: Definition;
  readonly constr: new (def: object) => Part;
  readonly check?: Code;
  /** The schema of a lazy one, from its getter. */
  readonly innerType?: unknown;
  readonly bag?: { readonly Class?: unknown };
}

interface Definition {
  readonly type?: unknown;
  readonly check?: unknown;
  readonly shape?: Readonly<Record<string, Part>>;
  readonly element?: Part;
  readonly innerType?: Part;
  readonly [key: string]: unknown;
}

type Code = (...args: never[]) => unknown;

/** The outcome of running a schema. `why` has the place of each problem; exactly one of `error` and `thrown` is set. */
export type Reading<Value> =
  | { readonly isSound: true; readonly value: Value }
  | { readonly isSound: false; readonly why: string; readonly error?: z.ZodError; readonly thrown?: unknown };

/** The number of schemas within one: a lazy schema that gives another one each time has no end. */
const SCHEMA_PARTS_MAX = 10_000;

/** The errors for promises, by which they are told from what the user's code throws. */
const refusals = new WeakSet<BosunError>();

/** The names under which users write the functions of a definition. */
const WRITTEN: Readonly<Record<string, string>> = {
  fn: 'refine',
  tx: 'overwrite',
  transform: 'transform',
  reverseTransform: 'transform',
  catchValue: 'catch',
  getter: 'lazy',
};

/**
 * Runs a schema on a value. Never throws: what code in the schema throws, or that it gives a promise, is a reason why
 * the value is not sound.
 *
 * @param whole The word for the value itself, where a problem has no field: `event`.
 */
export function readBy<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  whole: string,
): Reading<z.output<Schema>> {
  const run = guarded(schema as unknown as Part) as unknown as Schema;
  try {
    const parsed = run.safeParse(value);
    if (parsed.success) return { isSound: true, value: parsed.data };
    const { error } = parsed;
    const problems = error.issues.map(({ path, message }) => problemAt(path.map(String), messageOf(message), whole));
    return { isSound: false, why: problems.join('; '), error };
  } catch (thrown) {
    if (!isRefusal(thrown)) return { isSound: false, why: unreadable(thrown), thrown };
    const path = pathOfRefusal(run as unknown as Part, value);
    return { isSound: false, why: problemAt(path, thrown.message, whole), thrown };
  }
}

/** Says that a value cannot be checked, because of an error that code of the user threw. */
export function unreadable(thrown: unknown): string {
  return `it cannot be checked: ${messageOf(thrown)}`;
}

/**
 * The reason why a value is not a schema that can be run at once, in words that follow its name; undefined if it is
 * one. Sees async functions where they are written, not those that a compiler or another function hides.
 */
export function flawOfSchema(schema: unknown): string | undefined {
  if (!isPart(schema)) return 'is not a schema of zod 4';
  const seen = new Set<Part>();
  const open: (readonly [path: string, part: Part])[] = [['', schema]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [path, part] = next;
    if (seen.has(part)) continue;
    seen.add(part);
    if (seen.size > SCHEMA_PARTS_MAX)
      return `has more than ${SCHEMA_PARTS_MAX} parts; let a lazy one give the same schema each time`;
    const place = path === '' ? '' : `${path}: `;
    if (part._zod.def.type === 'promise') return `${place}its promise is not checked at once; give what it resolves to`;
    const wrong = codeOf(part).find(([, code]) => isAsync(code));
    if (wrong !== undefined)
      return `${place}its ${wrong[0]} is an async function, but nobody waits; do the work in an invoked promise`;
    try {
      for (const [step, inner] of below(part)) open.push([joined(path, step), inner]);
    } catch (thrown) {
      return isRefusal(thrown) ? place + thrown.message : `${place}its lazy: ${messageOf(thrown)}`;
    }
  }
  return undefined;
}

function isPart(value: unknown): value is Part {
  if (typeof value !== 'object' || value === null) return false;
  const internals = (value as Partial<Part>)._zod;
  return typeof internals === 'object' && typeof internals.def === 'object';
}

/** The parts within a part, each with the field that leads to it; `''` for another view of the same value. */
function below({ _zod: internals }: Part): (readonly [step: string, part: Part])[] {
  const { def } = internals;
  return Object.keys(def).flatMap((key): (readonly [string, Part])[] => {
    if (isComputed(def, key) || key === CACHED) return [];
    if (key === 'getter') return [['', innerOf(internals)]];
    const value = def[key];
    if (isPart(value)) return [[key === 'element' ? '[]' : '', value]];
    const within: [string, unknown][] = key === 'shape' ? Object.entries(value as object) : unnamed(value);
    return within.filter((entry): entry is [string, Part] => isPart(entry[1]));
  });
}

function unnamed(value: unknown): [string, unknown][] {
  return Array.isArray(value) ? value.map((one: unknown) => ['', one]) : [];
}

/** The schema of a lazy one. Throws what its getter throws, and for a getter that gives no schema. */
function innerOf({ innerType }: Internals): Part {
  const inner = settled(innerType, 'lazy');
  if (isPart(inner)) return inner;
  throw new TypeError('it gives no schema of zod 4');
}

function joined(path: string, step: string): string {
  return step === '' || path === '' ? path + step : step === '[]' ? `${path}[]` : `${path}.${step}`;
}

/** The key where zod keeps the schema of a lazy one. */
const CACHED = '_cachedInner';

/** Whether a key of a definition calls the user's function when it is read: a default. */
function isComputed(def: Definition, key: string): boolean {
  return key === 'defaultValue' && Object.getOwnPropertyDescriptor(def, key)?.get !== undefined;
}

/** The functions of a part, by the names under which users write them; undefined for one that cannot be seen. */
function codeOf({ _zod: { def, check } }: Part): (readonly [name: string, code: unknown])[] {
  const found = Object.keys(def).flatMap((key): (readonly [string, unknown])[] => {
    if (isComputed(def, key)) return [['default', undefined]];
    return key === 'shape' || typeof def[key] !== 'function' ? [] : [[WRITTEN[key] ?? key, def[key]]];
  });
  return def.check === 'custom' && def['fn'] === undefined ? [...found, ['check', check]] : found;
}

/** Whether a part has code of the user, or of zod in such a place; a cache by part. */
const coded = new WeakMap<Part, boolean>();

function hasCode(top: Part): boolean {
  const known = coded.get(top);
  if (known !== undefined) return known;
  const seen = new Set<Part>();
  const open = [top];
  let found = false;
  for (let next = open.pop(); next !== undefined && !found; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    // Every length check of zod has a `when`, and every lazy schema a getter, which below() calls.
    found = seen.size > SCHEMA_PARTS_MAX || codeOf(next).some(([name]) => name !== 'when' && name !== 'lazy');
    open.push(...below(next).map(([, part]) => part));
  }
  coded.set(top, found);
  return found;
}

/** The copies by their originals. Kept, because a schema may refer to itself. */
const copies = new WeakMap<Part, Part>();

/** The part with functions that refuse promises; itself if it has no functions, or cannot be copied. */
function guarded(part: Part): Part {
  const known = copies.get(part);
  if (known !== undefined) return known;
  let copy = part;
  try {
    if (hasCode(part)) copy = copyOf(part);
  } catch {
    // A getter in the schema throws, and does so again when the original is run.
  }
  copies.set(part, copy);
  return copy;
}

function copyOf(part: Part): Part {
  const { def, constr, bag, check } = part._zod;
  // zod replaces the check of `z.instanceof`, which is no code of the user.
  if (bag?.Class !== undefined) return part;
  const copied: Record<string, unknown> = {};
  for (const key of Object.keys(def)) {
    if (key === CACHED) continue;
    const get = isComputed(def, key) ? () => settled(def[key], 'default') : undefined;
    const how = get === undefined ? { value: guardedValue(part, key), writable: true } : { get };
    Object.defineProperty(copied, key, { ...how, enumerable: true, configurable: true });
  }
  if (def.check !== 'custom' || def['fn'] !== undefined) return new constr(copied);
  return { _zod: { ...part._zod, def: copied as Definition, check: guardedCode(check!, 'check') } };
}

function guardedValue(part: Part, key: string): unknown {
  if (key === 'getter') return () => guarded(innerOf(part._zod));
  const value = part._zod.def[key];
  if (typeof value === 'function') return guardedCode(value as Code, WRITTEN[key] ?? key);
  if (isPart(value)) return guarded(value);
  if (Array.isArray(value)) return value.map((one: unknown) => (isPart(one) ? guarded(one) : one));
  return key === 'shape' ? guardedShape(value as object) : value;
}

/** A shape whose fields are copied when they are first read: they may refer to the object itself. */
function guardedShape(shape: object): object {
  const copied = {};
  for (const [field, part] of Object.entries(shape) as [string, Part][]) {
    const get = () => guarded(part);
    Object.defineProperty(copied, field, { get, enumerable: true, configurable: true });
  }
  return copied;
}

function guardedCode(code: Code, name: string): Code {
  return (...args) => settled(code(...args), name);
}

/** Returns what a user's function has given. Throws a refusal for a promise, whose rejection is handled. */
function settled<T>(value: T, name: string): T {
  if (!isThenable(value)) return value;
  disown(value);
  const refusal = promiseRefused(`its ${name}`);
  refusals.add(refusal);
  throw refusal;
}

function isRefusal(thrown: unknown): thrown is BosunError {
  return typeof thrown === 'object' && thrown !== null && refusals.has(thrown as BosunError);
}

/** The path of a part that gives a promise, found by running the fields of the value one by one. Never throws. */
function pathOfRefusal({ _zod: { def } }: Part, value: unknown): string[] {
  try {
    const { type, shape, element, innerType } = def;
    if (innerType !== undefined) return pathOfRefusal(innerType, value);
    const held = value as Readonly<Record<string, unknown>>;
    const fields = type === 'object' ? Object.entries(shape!) : [];
    for (const [key, part] of fields) if (refuses(part, held[key])) return [key, ...pathOfRefusal(part, held[key])];
    for (const [index, item] of type === 'array' ? (value as unknown[]).entries() : [])
      if (refuses(element!, item)) return [String(index), ...pathOfRefusal(element!, item)];
  } catch {
    // The value cannot be read a second time.
  }
  return [];
}

function refuses(part: Part, value: unknown): boolean {
  try {
    // The texts of problems are made when they are read.
    void (part as unknown as z.ZodType).safeParse(value).error;
    return false;
  } catch (thrown) {
    return isRefusal(thrown);
  }
}

function problemAt(path: readonly string[], message: string, whole: string): string {
  return `${path.join('.') || whole}: ${message}`;
}
