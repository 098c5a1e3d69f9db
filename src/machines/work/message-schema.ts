/** Parts of the schemas of messages between agents. The bounds apply to every sender. */
import { z } from 'zod';
import { author, speaker } from '../../actors/model/person.ts';

export const TEXT_CHARS_MAX = 2_000;
export const NAME_CHARS_MAX = 200;

export const name = z.string().min(1).max(NAME_CHARS_MAX);
/** The name of the person who sends the message. No program sends it. */
export const person = speaker(name.min(1));
/** The name of the person or program that sends the message. */
export const programOrPerson = author(name.min(1));
export const text = z.string().max(TEXT_CHARS_MAX);
export const names = z.array(name).max(10_000);

/** A text cut to the length that a message may carry. */
export function cutText(whole: string): string {
  return whole.slice(0, TEXT_CHARS_MAX);
}

/** One message of a table of schemas, as an event. */
export type MessageIn<Schemas extends Readonly<Record<string, z.ZodType>>, Type extends keyof Schemas> = {
  [Name in Type]: { readonly type: Name } & Readonly<z.infer<Schemas[Name]>>;
}[Type];
