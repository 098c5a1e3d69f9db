/**
 * Rules by which a public function checks its options as soon as it is called. The compiler makes a table of them have
 * a row for every key of its interface; an error names its place. Pure and free of Node, because the client uses it
 * too.
 */
import { unknownKey } from './near-names.ts';

/** Returns the problem with a value, in words that follow its name; undefined if there is none. */
export type OptionRule = (value: unknown) => string | undefined;

export type OptionRules<Options> = { readonly [Key in keyof Options & string]-?: OptionRule };

/**
 * Returns the first problem of options, in words that follow the name of the function; undefined if there is none.
 */
export function problemOfOptions<Options>(options: unknown, rules: OptionRules<Options>): string | undefined {
  if (!isRecord(options)) return `needs an object of options, not ${kindOf(options)}`;
  return problemOfKeys(options, rules)?.replace(/^\./, '');
}

/** Returns the first key that is unknown or whose value is wrong, as `.key: problem`. */
function problemOfKeys(value: Readonly<Record<string, unknown>>, rules: object): string | undefined {
  const known = Object.keys(rules);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) return unknownKey(unknown, known);
  for (const [key, rule] of Object.entries(rules) as [string, OptionRule][]) {
    const problem = rule(value[key]);
    if (problem !== undefined) return `.${key}${separated(problem)}`;
  }
  return undefined;
}

/** Joins a problem to its key; a problem further inside begins with the rest of its path. */
function separated(problem: string): string {
  return /^[.[]/.test(problem) ? problem : `: ${problem}`;
}

/**
 * A rule for a required option.
 *
 * @param wayOut What to write, as an imperative.
 */
export function needed(wayOut: string, rule: OptionRule): OptionRule {
  return (value) => (value === undefined ? `is missing; ${wayOut}` : rule(value));
}

export function oneOf(...values: readonly unknown[]): OptionRule {
  return rule(`one of ${values.join(', ')}`, (value) => values.includes(value));
}

/**
 * A rule for an object with these methods.
 *
 * @param methods The methods that identify it.
 */
export function objectWith(what: string, ...methods: readonly string[]): OptionRule {
  return rule(
    what,
    (value) =>
      ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
      methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function'),
  );
}

/** A rule for an object with these keys and no others. */
export function closedObject<Options>(rules: OptionRules<Options>): OptionRule {
  return (value) => {
    if (value === undefined) return undefined;
    return isRecord(value) ? problemOfKeys(value, rules) : `must be an object, not ${kindOf(value)}`;
  };
}

export function listOf(each: OptionRule): OptionRule {
  return (value) => {
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) return `must be an array, not ${kindOf(value)}`;
    for (const [index, item] of value.entries()) {
      const problem = item === undefined ? 'is undefined' : each(item);
      if (problem !== undefined) return `[${index}]${separated(problem)}`;
    }
    return undefined;
  };
}

/** A rule for an object with any keys, whose values all satisfy one rule. */
export function recordOf(each: OptionRule): OptionRule {
  return (value) => {
    if (value === undefined) return undefined;
    if (!isRecord(value)) return `must be an object, not ${kindOf(value)}`;
    for (const [key, item] of Object.entries(value)) {
      const problem = each(item);
      if (problem !== undefined) return `.${key}${separated(problem)}`;
    }
    return undefined;
  };
}

/** A rule for an optional value that has to satisfy `holds`, described by `what`. */
export function rule(what: string, holds: (value: unknown) => boolean): OptionRule {
  return (value) => (value === undefined || holds(value) ? undefined : `must be ${what}, not ${kindOf(value)}`);
}

/** A rule that accepts anything, because another place checks the value. */
export const anything: OptionRule = () => undefined;
export const aFlag = rule('true or false', (value) => typeof value === 'boolean');
export const aText = rule('a text', (value) => typeof value === 'string');
export const aFunction = rule('a function', (value) => typeof value === 'function');
export const anObject = rule('an object', isRecord);
export const aTime = rule('a time in milliseconds, from 0', (value) => typeof value === 'number' && value >= 0);
export const aCount = rule('a whole number from 1', (value) => Number.isInteger(value) && (value as number) >= 1);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Describes a value of the wrong kind. Strings may be secret and are not repeated. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
