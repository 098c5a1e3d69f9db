/**
 * Marks the fields of events that name whoever speaks: a person, or anybody. A door checks who is named, and lets no
 * program speak for a person (gateway/calls/spoken-by.ts). Only schemas decide, never names.
 */
import { z } from 'zod';
import { partsOf, sameValue, within } from './secret.ts';

/** A field of an event that names its author. */
export interface SpeakerField {
  /** The key in the event; further keys lead into objects within it. */
  readonly path: readonly string[];
  /** Whether only people send the event. If not, programs send it too, in their own names. */
  readonly isPerson: boolean;
  /** The defaults of the objects on the way, by number of keys that lead there. */
  readonly defaults: ReadonlyMap<number, unknown>;
}

/** Marked schemas. Schemas derived from one inherit the mark. */
const SPEAKERS = z.registry<{ readonly isPerson: boolean }>();

/** Marks the schema of a field as the name of the person who sends the event, and returns it. */
export function speaker<Schema extends z.ZodType>(schema: Schema): Schema {
  SPEAKERS.add(schema, { isPerson: true });
  return schema;
}

/** Marks the schema of a field as the name of the person or program that sends the event, and returns it. */
export function author<Schema extends z.ZodType>(schema: Schema): Schema {
  SPEAKERS.add(schema, { isPerson: false });
  return schema;
}

interface Marks {
  readonly fields: readonly SpeakerField[];
  /** The first mark that nobody can be held to, in words. */
  readonly flaw: string | undefined;
}

/** The marks by schema of the event. */
const known = new WeakMap<z.ZodObject, Marks>();

function marksOf(schema: z.ZodObject): Marks {
  let marks = known.get(schema);
  if (marks === undefined) {
    marks = new MarkSearch(schema);
    known.set(schema, marks);
  }
  return marks;
}

/** The fields of an event that name its author; empty for an event without one. */
export function speakersIn(schema: z.ZodObject): readonly SpeakerField[] {
  return marksOf(schema).fields;
}

/** Why a mark in the schema of an event cannot be held to a caller, with its field; undefined if all can. */
export function flawOfSpeakers(schema: z.ZodObject): string | undefined {
  return marksOf(schema).flaw;
}

/** Whether a schema or a part of it has a mark. */
function isMarked(schema: z.ZodType): boolean {
  for (const part of within(schema)) if (SPEAKERS.get(part) !== undefined) return true;
  return false;
}

/** Kinds of schemas that describe a text, and kinds that say no more of a text than that it may be absent. */
const TEXTS: ReadonlySet<string> = new Set(['string', 'enum', 'literal', 'template_literal']);
const OPEN: ReadonlySet<string> = new Set([
  ...['optional', 'nullable', 'nonoptional', 'default', 'prefault', 'readonly'],
  ...['null', 'undefined', 'union', 'intersection', 'lazy', 'pipe', 'transform'],
]);

/** Whether the values of a schema are texts, or absent. */
function isText(schema: z.ZodType): boolean {
  const types = sameValue([schema]).map((one) => partsOf(one).type);
  return types.some((type) => TEXTS.has(type)) && types.every((type) => TEXTS.has(type) || OPEN.has(type));
}

/** Where a schema that is not entered keeps its parts, by its kind, in words. */
const PLACES: Readonly<Record<string, string>> = {
  array: 'in a list',
  set: 'in a set',
  tuple: 'in a tuple',
  record: 'in a record',
  map: 'in a map',
  union: 'in an object that is one of several',
  catch: 'in an object that another one replaces',
};

interface Place extends Omit<SpeakerField, 'isPerson'> {
  /** The schemas around this one. */
  readonly ancestors: readonly z.ZodType[];
}

/** The search for marks in the schema of an event. It enters objects that are at one place in every event. */
class MarkSearch implements Marks {
  readonly fields: SpeakerField[] = [];
  flaw: string | undefined;

  constructor(event: z.ZodObject) {
    if (!isMarked(event)) return;
    if (SPEAKERS.get(event) !== undefined) this.#refuse([], 'on something else than a text');
    this.#enter(event, { path: [], ancestors: [], defaults: new Map() });
  }

  #enter(schema: z.ZodType, { path, defaults, ancestors }: Place): void {
    const { shape = {}, catchall } = partsOf(schema);
    this.#bar(catchall, path, 'under keys that the schema does not name');
    for (const [key, field] of Object.entries(shape))
      this.#look(field, { path: [...path, key], defaults, ancestors: [...ancestors, schema] });
  }

  #look(schema: z.ZodType, place: Place): void {
    const { path, defaults } = place;
    const marks = sameValue([schema]).flatMap((one) => SPEAKERS.get(one) ?? []);
    if (marks.length === 0) return this.#unwrap(schema, place);
    if (!isText(schema)) return this.#refuse(path, 'on something else than a text');
    this.fields.push({ path, defaults, isPerson: marks.some(({ isPerson }) => isPerson) });
  }

  /** Enters the object that a schema without a mark wraps. */
  #unwrap(schema: z.ZodType, place: Place): void {
    const { path, ancestors, defaults } = place;
    const { type, innerType, left, right, in: from, out, defaultValue } = partsOf(schema);
    if (ancestors.includes(schema)) return this.#bar(schema, path, 'in an object within itself');
    switch (type) {
      case 'object':
        return this.#enter(schema, place);
      case 'default':
      case 'prefault':
        return this.#unwrap(innerType!, { ...place, defaults: new Map([...defaults, [path.length, defaultValue]]) });
      case 'optional':
      case 'nullable':
      case 'nonoptional':
      case 'readonly':
        return this.#unwrap(innerType!, place);
      case 'intersection':
        for (const side of [left!, right!]) this.#unwrap(side, place);
        return;
      case 'pipe':
        this.#bar(out, path, 'behind a transform');
        return this.#unwrap(from!, place);
      default:
        return this.#bar(schema, path, PLACES[type] ?? `in a schema of the kind "${type}"`);
    }
  }

  /** Refuses marks in a schema whose values are found at no fixed place. */
  #bar(schema: z.ZodType | undefined, path: readonly string[], where: string): void {
    if (schema !== undefined && isMarked(schema)) this.#refuse(path, where);
  }

  #refuse(path: readonly string[], where: string): void {
    const field = path.length === 0 ? 'it' : `its field ${JSON.stringify(path.join('.'))}`;
    this.flaw ??= `${field} has the mark of a speaker or author ${where}, where no caller can be held to it`;
  }
}
