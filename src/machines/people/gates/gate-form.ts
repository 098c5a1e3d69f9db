/**
 * Forms of gates: the shape that an answer must have. Written as a zod schema and stored as JSON Schema, because a gate
 * outlives the process that asked and is shown by clients that know no zod. Forms are equal if their JSON texts are.
 * Pure.
 */
import * as crypto from 'node:crypto';
import { z } from 'zod';
import { messageOf } from '../../../errors.ts';
import { GATE_FORMS_KNOWN_MAX } from '../../limits.ts';

/** A JSON Schema, as data. */
export type GateForm = Readonly<Record<string, unknown>>;

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

/** The form of a zod schema. Throws if the schema has no counterpart in JSON Schema, as with a transform. */
export function formOf(schema: z.ZodType): GateForm {
  return z.toJSONSchema(schema) as GateForm;
}

/** Why the form cannot check any answer; undefined if it can. */
export function flawOfForm(form: GateForm): string | undefined {
  return forms.flawOf(form);
}

/** The problems of an answer, one per line; empty if it fits the form. */
export function problemsOf(form: GateForm, answer: unknown): readonly string[] {
  // Compiling a validator with zod takes longer than checking one answer without it.
  const { error } = schemaOf(JSON.stringify(form)).safeParse(answer, { jitless: true });
  return error?.issues.map(({ path, message }) => `${path.join('.') || 'answer'}: ${message}`) ?? [];
}

/**
 * A cache of valid forms: many gates share one form, and compiling it costs more than all other checks together. The
 * cache keeps only a digest of each form, since its gate may be erased.
 */
export class KnownForms {
  readonly #sound = new Set<string>();
  readonly #compile: (text: string) => unknown;

  /**
   * Makes a cache.
   *
   * @param compile Compiles a form. Throws for an invalid one.
   */
  constructor(compile: (text: string) => unknown) {
    this.#compile = compile;
  }

  flawOf(form: GateForm): string | undefined {
    try {
      const text = JSON.stringify(form);
      const digest = crypto.hash('sha256', text, 'base64');
      if (this.#sound.has(digest)) return undefined;
      this.#compile(text);
      if (this.#sound.size >= GATE_FORMS_KNOWN_MAX) this.#sound.clear();
      this.#sound.add(digest);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }
}

const forms = new KnownForms(schemaOf);

function schemaOf(text: string): z.ZodType {
  return z.fromJSONSchema(JSON.parse(text) as JsonSchema);
}
