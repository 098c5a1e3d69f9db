/**
 * Forms of gates: what an answer has to look like. Written as a zod schema, kept as JSON Schema, because a gate
 * outlives the process that asked and is shown by clients that know no zod. Pure.
 */
import { z } from 'zod';
import { messageOf } from '../../../errors.ts';

/** A JSON Schema, as data. */
export type GateForm = Readonly<Record<string, unknown>>;

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

/** Throws where the schema has no counterpart in JSON Schema, a transform for example. */
export function formOf(schema: z.ZodType): GateForm {
  return z.toJSONSchema(schema) as GateForm;
}

/** Why no answer could ever be checked by the form; undefined where one can. */
export function flawOfForm(form: GateForm): string | undefined {
  try {
    z.fromJSONSchema(form as JsonSchema);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** What is wrong with an answer, a line each; empty where it fits. */
export function problemsOf(form: GateForm, answer: unknown): readonly string[] {
  const { error } = z.fromJSONSchema(form as JsonSchema).safeParse(answer);
  return error?.issues.map(({ path, message }) => `${path.join('.') || 'answer'}: ${message}`) ?? [];
}
