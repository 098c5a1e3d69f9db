/** Comparison of values by everything that they have: prototypes, all own properties, times, bytes, members, rows. */
import { Ref } from '../../src/actors/model/ref.ts';
import { isTable, leavesOf } from '../../src/table.ts';

/**
 * The place of the first difference between two values; null if there is none. References are alike that name the same
 * life.
 */
export function differenceBetween(one: unknown, other: unknown, place = 'value'): string | null {
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null)
    return Object.is(one, other) ? null : place;
  if (one instanceof Ref && other instanceof Ref)
    return one.life === other.life && one.address === other.address ? null : place;
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return `the prototype of ${place}`;
  return differenceOfLists(contentsOf(one), contentsOf(other), place) ?? differenceOfKeys(one, other, place);
}

/** The contents that are in no property. */
function contentsOf(value: object): readonly unknown[] {
  if (value instanceof Date) return [value.getTime()];
  if (value instanceof Map) return [...value].flat();
  if (value instanceof Set) return [...value];
  return isTable(value) ? leavesOf(value).flatMap(({ keys, rows }) => [...keys, ...rows]) : [];
}

function differenceOfLists(one: readonly unknown[], other: readonly unknown[], place: string): string | null {
  if (one.length !== other.length) return `the size of ${place}`;
  for (const [index, item] of one.entries()) {
    const found = differenceBetween(item, other[index], `${place}.(member)`);
    if (found !== null) return found;
  }
  return null;
}

function differenceOfKeys(one: object, other: object, place: string): string | null {
  const keys = Reflect.ownKeys(one);
  if (String(keys.map(String)) !== String(Reflect.ownKeys(other).map(String))) return `the keys of ${place}`;
  if (isTable(one)) return null;
  if (Object.isFrozen(one) !== Object.isFrozen(other)) return `the frozenness of ${place}`;
  for (const key of keys) {
    const [mine, theirs] = [one, other].map((value) => Object.getOwnPropertyDescriptor(value, key)!);
    const found = differenceBetween(mine!.value, theirs!.value, `${place}.${String(key)}`);
    if (found !== null) return found;
    const same = (['enumerable', 'writable', 'configurable', 'get', 'set'] as const).every(
      (part) => mine![part] === theirs![part],
    );
    if (!same) return `the property ${place}.${String(key)}`;
  }
  return null;
}
