/**
 * Marks the fields of events that name whoever speaks: a person, or anybody. A door checks who is named, and lets no
 * program speak for a person (gateway/calls/spoken-by.ts). Only schemas decide, never names.
 */
import { z } from 'zod';
import { sameValue } from './secret.ts';

/** A field of an event that names its author. */
export interface SpeakerField {
  readonly field: string;
  /** Whether only people send the event. If not, programs send it too, in their own names. */
  readonly isPerson: boolean;
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

/** The marked fields by schema of the event. */
const known = new WeakMap<z.ZodObject, readonly SpeakerField[]>();

/** The fields of an event that name its author; empty for an event without one. */
export function speakersIn(schema: z.ZodObject): readonly SpeakerField[] {
  let fields = known.get(schema);
  if (fields === undefined) {
    fields = Object.entries(schema.shape).flatMap(([field, of]) => {
      const marks = sameValue([of as z.ZodType]).flatMap((one) => SPEAKERS.get(one) ?? []);
      return marks.length === 0 ? [] : [{ field, isPerson: marks.some(({ isPerson }) => isPerson) }];
    });
    known.set(schema, fields);
  }
  return fields;
}
