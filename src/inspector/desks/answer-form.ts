/**
 * The form of a gate's answer, derived from its JSON Schema: its alternatives, the fields of each, and the answer made
 * from their contents. Fields nested one level deep are named by path, such as `own.statement`. Pure; the gate checks
 * the answer.
 */
import { eventOf, type Field, fieldsOf, type Typed } from '../actor/schema-form.ts';
import { type JsonSchema } from '../json-schema.ts';

/** One alternative of the answer. */
export interface Choice {
  /** Label of its button; empty if there is only one alternative. */
  readonly label: string;
  readonly fields: readonly Field[];
  /** Fields with fixed values. */
  readonly fixed: Readonly<Record<string, unknown>>;
  /** Whether the answer is the value of the single field itself. */
  readonly isBare: boolean;
  /** Fields that hold a number if their text parses as one. */
  readonly loose: ReadonlySet<string>;
}

const BARE = 'answer';

export function choicesOf(form: JsonSchema): readonly Choice[] {
  const ways = form.anyOf ?? form.oneOf;
  return ways === undefined || !ways.every(({ properties }) => properties !== undefined)
    ? [choiceOf(form, false)]
    : ways.map((way) => choiceOf(way, ways.length > 1));
}

export function answerOf(
  choice: Choice,
  typed: Typed,
): { readonly answer: unknown; readonly problems: Readonly<Record<string, string>> } {
  const { event, problems } = eventOf('', choice.fields, typed);
  const { type: _, ...given } = event;
  if (choice.isBare) return { answer: loosened(choice, BARE, given[BARE]), problems };
  const answer: Record<string, unknown> = { ...choice.fixed };
  for (const [name, value] of Object.entries(given)) {
    const [outer, inner] = name.split('.', 2) as [string, string | undefined];
    if (inner === undefined) answer[outer] = loosened(choice, name, value);
    else answer[outer] = { ...(answer[outer] as object | undefined), [inner]: loosened(choice, name, value) };
  }
  return { answer, problems };
}

function choiceOf(way: JsonSchema, isNamed: boolean): Choice {
  if (way.properties === undefined)
    return flattened({ properties: { [BARE]: way }, required: [BARE] }, { label: '', fixed: {}, isBare: true });
  const consts = Object.entries(way.properties).filter(([, { const: only }]) => isNamed && only !== undefined);
  const fixed = Object.fromEntries(consts.map(([name, { const: only }]) => [name, only]));
  const rest = Object.fromEntries(Object.entries(way.properties).filter(([name]) => !(name in fixed)));
  return flattened(
    { properties: rest, required: way.required ?? [] },
    {
      label: consts.map(([, { const: only }]) => words(String(only))).join(', ') || (isNamed ? 'Answer' : ''),
      fixed,
      isBare: false,
    },
  );
}

function flattened(
  {
    properties,
    required,
  }: { readonly properties: Readonly<Record<string, JsonSchema>>; readonly required: readonly string[] },
  rest: Pick<Choice, 'label' | 'fixed' | 'isBare'>,
): Choice {
  const flat: Record<string, JsonSchema> = {};
  const needed: string[] = [];
  const loose = new Set<string>();
  const put = (name: string, schema: JsonSchema, isNeeded: boolean) => {
    const isLoose = isLooseSchema(schema);
    if (isLoose) loose.add(name);
    flat[name] = isLoose ? { type: 'string' } : schema;
    if (isNeeded) needed.push(name);
  };
  for (const [name, schema] of Object.entries(properties)) {
    const isNeeded = required.includes(name);
    if (schema.properties === undefined) put(name, schema, isNeeded);
    // Inside an optional object no field is required; the gate checks incomplete ones.
    else
      for (const [inner, part] of Object.entries(schema.properties))
        put(`${name}.${inner}`, part, isNeeded && schema.required?.includes(inner) === true);
  }
  return { ...rest, loose, fields: fieldsOf({ properties: flat, required: needed }) };
}

/** Whether a schema accepts texts, and besides them only numbers or null. */
function isLooseSchema({ anyOf = [] }: JsonSchema): boolean {
  const types: unknown[] = anyOf.flatMap((way) => ('anyOf' in way ? (way.anyOf ?? []) : [way])).map(({ type }) => type);
  return (
    types.includes('string') &&
    types.every((type) => type === 'string' || type === 'number' || type === 'integer' || type === 'null')
  );
}

function loosened({ loose }: Choice, name: string, value: unknown): unknown {
  return loose.has(name) && typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
    ? Number(value)
    : value;
}

/** A name in readable form: `decide-own` becomes `Decide own`. */
function words(name: string): string {
  const said = name.replaceAll(/[-_]/g, ' ');
  return said.charAt(0).toUpperCase() + said.slice(1);
}
