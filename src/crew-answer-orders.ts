/** The parts that procedures of the answer desk share: fields, the name of the caller, the desk, and its reply. */
import { z } from 'zod';
import { type ProcedureCaller } from './actors/api/procedure.ts';
import { DESKS } from './machines/desks.ts';

/** Most characters of a name of a caller, person, task or scope. */
export const NAME_CHARS_MAX = 200;

export const questionId = z.string().max(20).describe('`question_id` of a reply: `Q-12`.');
export const by = z.string().min(1).max(NAME_CHARS_MAX).describe('The name of the person.');

/** The name in which a caller asks. */
export function nameOf({ id, person = id }: ProcedureCaller): string {
  return person.slice(0, NAME_CHARS_MAX);
}

/** The answer desk with an event for it. */
export function toDesk(type: string, fields: object) {
  return { address: DESKS.answers, event: { type, ...fields } };
}

/** The answer desk with an event about one question. */
export function toDeskAbout<Fields extends { readonly question_id: string }>(type: string, fields: Fields) {
  const { question_id: question, ...rest } = fields;
  return toDesk(type, { question, ...rest });
}

/** The reply to an order. */
export const order = z.object({ taken: z.boolean(), problems: z.array(z.string()) });
/** The reply to an order that was carried out. */
export const TAKEN = { taken: true, problems: [] };
