/** The error of a step that has changed a date or bytes in place, with the place of what it changed. */
import { BosunError } from '../../errors.ts';
import { VALUE_DEPTH_MAX } from '../../limits.ts';
import { eachLeaf, isTable } from '../../table.ts';
import { type Part } from '../../unfreezable.ts';

/**
 * Words the error.
 *
 * @param lent The values that the step was lent, by the names under which their author knows them.
 */
export function changedInPlace(part: Part, lent: Readonly<Record<string, unknown>>): BosunError {
  const place = pathTo(part, lent) ?? 'a part of a snapshot of another actor';
  const [what, wayOut] =
    part instanceof Date
      ? ['a date', 'make a new Date from it and assign that']
      : ['bytes', 'make a new Uint8Array from it and assign that'];
  const why = `${place} is ${what}, and was changed in place; a stored value is never changed: ${wayOut}`;
  return new BosunError('BOSUN_VALUE_REFUSED', why, { details: { place } });
}

/** The place of a part within a value, without the leading dot; undefined if it is not there. */
function pathTo(part: Part, value: unknown): string | undefined {
  return search(part, value, 0)?.replace(/^\./, '');
}

function search(part: Part, value: unknown, depth: number): string | undefined {
  if (value === part) return '';
  if (typeof value !== 'object' || value === null || depth > VALUE_DEPTH_MAX) return undefined;
  for (const [segment, item] of itemsOf(value)) {
    const rest = search(part, item, depth + 1);
    if (rest !== undefined) return segment + rest;
  }
  return undefined;
}

function* itemsOf(value: object): Generator<readonly [segment: string, item: unknown]> {
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield [`[${index}]`, item];
  else if (Object.getPrototypeOf(value) === Object.prototype)
    for (const [key, item] of Object.entries(value)) yield [`.${key}`, item];
  else if (value instanceof Map) for (const entry of value) for (const item of entry) yield ['.(member)', item];
  else if (value instanceof Set) for (const item of value) yield ['.(member)', item];
  else if (value instanceof Error) yield ['.cause', value.cause];
  else if (isTable(value))
    for (const { keys, rows } of eachLeaf(value))
      for (const [at, row] of rows.entries()) yield [`.get(${JSON.stringify(keys[at])})`, row];
}
