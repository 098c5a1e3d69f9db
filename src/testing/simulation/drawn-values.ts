/**
 * Values of a zod schema by seeded chance, without fast-check: the walk over the schema is that of
 * arbitraries/schema-arbitrary.ts, and this file gives it the generators that it asks for. Limit: texts of a pattern,
 * which need `fields` or a client of the user's own.
 */
import { type z } from 'zod';
import { BosunError } from '../../errors.ts';
import { ARBITRARY_REFUSALS_MAX } from '../../limits.ts';
import { type Fc, schemaArbitrary } from '../arbitraries/schema-arbitrary.ts';
import { type SeededRandom } from '../seeded-random.ts';

/** A generator, with the methods of an arbitrary that the walk over a schema uses. */
class Drawn<T> {
  readonly draw: (chance: SeededRandom) => T;

  constructor(draw: (chance: SeededRandom) => T) {
    this.draw = draw;
  }

  map<U>(change: (value: T) => U): Drawn<U> {
    return new Drawn((chance) => change(this.draw(chance)));
  }

  filter(fits: (value: T) => boolean): Drawn<T> {
    return new Drawn((chance) => {
      for (let n = 0; n < ARBITRARY_REFUSALS_MAX; n++) {
        const value = this.draw(chance);
        if (fits(value)) return value;
      }
      throw invalid('its checks refuse nearly everything that is drawn');
    });
  }

  chain<U>(next: (value: T) => Drawn<U>): Drawn<U> {
    return new Drawn((chance) => next(this.draw(chance)).draw(chance));
  }
}

interface Lengths {
  readonly minLength?: number;
  readonly maxLength?: number;
}

interface Numbers {
  readonly min?: number;
  readonly max?: number;
}

/** Characters of drawn texts: few, so that equal texts occur. */
const LETTERS = ['a', 'b', 'c', ' ', '0', '"', 'é', '\u{1f6a2}'];

const HEXADECIMAL = [...'0123456789abcdef'];

/** The bounds of dates if their schema has none. */
const YEARS = { min: Date.UTC(2000, 0), max: Date.UTC(2100, 0) };

const GENERATORS = {
  constant: <T>(value: T) => new Drawn(() => value),
  constantFrom: <T>(...values: T[]) => new Drawn((chance) => chance.pick(values)),
  boolean: () => new Drawn((chance) => chance.next() < 0.5),
  integer: integers,
  bigInt: () => integers({ min: -1_000, max: 1_000 }).map(BigInt),
  double: ({ min = -1_000, max = Math.max(1_000, min + 1_000) }: Numbers = {}) =>
    new Drawn((chance) => min + Math.round(chance.next() * (max - min) * 100) / 100),
  string: ({ minLength = 0, maxLength = minLength + 4 }: Lengths = {}) =>
    lists(new Drawn((chance) => chance.pick(LETTERS)), { minLength, maxLength }).map((letters) => letters.join('')),
  array: lists,
  tuple: (...parts: Drawn<unknown>[]) => new Drawn((chance) => parts.map((part) => part.draw(chance))),
  oneof: (...ways: Drawn<unknown>[]) => new Drawn((chance) => chance.pick(ways).draw(chance)),
  date: ({ min, max }: { min?: Date; max?: Date } = {}) =>
    integers({ min: min?.getTime() ?? YEARS.min, max: max?.getTime() ?? YEARS.max }).map((ms) => new Date(ms)),
  record: (fields: Record<string, Drawn<unknown>>, { requiredKeys }: { requiredKeys?: string[] } = {}) =>
    new Drawn((chance) =>
      Object.fromEntries(
        Object.entries(fields)
          .filter(([key]) => requiredKeys === undefined || requiredKeys.includes(key) || chance.next() < 0.5)
          .map(([key, value]) => [key, value.draw(chance)]),
      ),
    ),
  dictionary: (keys: Drawn<string>, values: Drawn<unknown>, { maxKeys = 4 } = {}) =>
    lists(GENERATORS.tuple(keys, values), { maxLength: maxKeys }).map(
      (entries) => Object.fromEntries(entries as [string, unknown][]) as object,
    ),
  uuid: () =>
    lists(new Drawn((chance) => chance.pick(HEXADECIMAL)), { minLength: 30, maxLength: 30 }).map((digits) =>
      digits.join('').replace(/^(.{8})(.{4})(.{3})(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5'),
    ),
  webUrl: () => integers({ min: 0, max: 99 }).map((n) => `https://example.com/${n}`),
  ipV4: () => integers({ min: 0, max: 255 }).map((n) => `192.0.2.${n}`),
  ipV6: () => integers({ min: 0, max: 9 }).map((n) => `2001:db8::${n}`),
  stringMatching: () =>
    new Drawn<string>(() => {
      throw invalid('it asks for a text of a pattern');
    }),
};

function integers({ min = -1_000, max = 1_000 }: Numbers = {}): Drawn<number> {
  // Small numbers and ends are where the mistakes are.
  const near = [0, 1, min, max].filter((value) => value >= min && value <= max);
  return new Drawn((chance) => {
    if (chance.next() < 0.3 && near.length > 0) return chance.pick(near);
    const top = Math.min(max, Math.max(min, 0) + 1_000);
    return min + Math.floor(chance.next() * (Math.max(top, min) - min + 1));
  });
}

function lists<T>(items: Drawn<T>, { minLength = 0, maxLength = minLength + 4 }: Lengths = {}): Drawn<T[]> {
  return new Drawn((chance) => {
    const length = minLength + chance.integer(Math.min(maxLength, minLength + 4) - minLength + 1);
    return Array.from({ length }, () => items.draw(chance));
  });
}

const drawnBy = new WeakMap<z.ZodType, Drawn<unknown>>();

/**
 * Draws a value that fits a schema.
 *
 * @throws BOSUN_CONFIG_INVALID for a schema from which nothing can be drawn: pass `clients` of your own.
 */
export function drawValue(schema: z.ZodType, chance: SeededRandom): unknown {
  let drawn = drawnBy.get(schema);
  if (drawn === undefined) {
    // The walk knows generators by their methods alone.
    drawn = schemaArbitrary(GENERATORS as unknown as Fc, schema) as unknown as Drawn<unknown>;
    drawnBy.set(schema, drawn);
  }
  return drawn.draw(chance);
}

function invalid(why: string): BosunError {
  return new BosunError('BOSUN_CONFIG_INVALID', `no value can be drawn from a schema: ${why}; give \`clients\``);
}
