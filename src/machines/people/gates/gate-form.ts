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
  // A copy: zod adds a property that is not enumerable, which cannot be stored.
  return { ...z.toJSONSchema(schema) } as GateForm;
}

/** Why the form cannot check any answer; undefined if it can. */
export function flawOfForm(form: GateForm): string | undefined {
  return forms.flawOf(form);
}

/** The problems of an answer, one per line; empty if it fits the form. */
export function problemsOf(form: GateForm, answer: unknown): readonly string[] {
  // Compiling a validator with zod takes longer than checking one answer without it.
  const { error } = schemaOf(JSON.stringify(form)).safeParse(answer, { jitless: true });
  return [...new Set(error?.issues.flatMap((issue) => sentencesOf(form, issue, [])))];
}

/** The sentences about one issue. For a choice, those about the alternative that is meant, or the choices there are. */
function sentencesOf(form: GateForm, issue: z.core.$ZodIssue, outer: readonly PropertyKey[]): readonly string[] {
  const path = [...outer, ...issue.path];
  const place = path.join('.') || 'answer';
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const meant = issue.errors.filter((issues) => !issues.some(isOtherChoice));
    const told = meant.length > 0 ? meant : issue.errors.map((issues) => issues.filter(isOtherChoice));
    const sentences = told.map((issues) => issues.flatMap((one) => sentencesOf(form, one, path)).join('; '));
    return meant.length === 1 ? sentences : [[...new Set(sentences)].join(', or ')];
  }
  if (issue.code === 'invalid_format') return [`${place}: ${descriptionAt(form, path) ?? issue.message}`];
  return [`${place}: ${issue.message}`];
}

/** Whether an issue says that another alternative is meant: a fixed value differs, and not only within a list. */
function isOtherChoice(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_value' && issue.values.length === 1 && issue.path.length < 2;
}

/** The description of the schema at a path, for texts whose pattern nobody wants to read. */
function descriptionAt(form: GateForm, [step, ...rest]: readonly PropertyKey[]): string | undefined {
  const {
    anyOf = [],
    oneOf = anyOf,
    properties,
    items,
    description,
  } = form as {
    readonly [part in 'anyOf' | 'oneOf']?: readonly GateForm[];
  } & { readonly properties?: Record<PropertyKey, GateForm>; readonly items?: GateForm; readonly description?: string };
  if (step === undefined) return description;
  const below = typeof step === 'number' ? items : properties?.[step];
  if (below !== undefined) return descriptionAt(below, rest);
  return oneOf.map((way) => descriptionAt(way, [step, ...rest])).find((one) => one !== undefined);
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
