/**
 * Values that JavaScript cannot freeze, in the form in which the runtime keeps them. The methods that change a Map or a
 * Set are refused. Of a date and of bytes an original is kept that nothing else can reach, so that a change in place is
 * found and undone (lending.ts), and never stored.
 */

/** A date or bytes. */
export type Part = Date | Uint8Array;

/** The milliseconds of a date, or a copy of bytes. */
export type Original = number | Uint8Array;

/**
 * A base class whose constructor returns the given object, so that a subclass adds its private field to that object.
 * Unlike a WeakMap, a private field costs the collector nothing.
 */
class Given {
  constructor(part: Part) {
    return part;
  }
}

class Kept extends Given {
  readonly #original: Original;

  constructor(part: Part, original: Original) {
    super(part);
    this.#original = original;
  }

  static originalOf(part: object): Original | undefined {
    return #original in part ? part.#original : undefined;
  }
}

let hasKept = false;

/** Whether any date or bytes are kept in this process. Most systems never hold one, and pay nothing for them. */
export function isAnyKept(): boolean {
  return hasKept;
}

/** Returns a date of this time that is kept. */
export function keptDate(ms: number): Date {
  return keep(new Date(ms));
}

/** Returns a copy of bytes that is kept. A Buffer becomes a Uint8Array. */
export function keptBytes(bytes: Uint8Array): Uint8Array {
  return keep(new Uint8Array(bytes));
}

/** Begins to keep a date or bytes that nobody else holds: from here on they are to stay as they are. Returns them. */
export function keep<Kind extends Part>(part: Kind): Kind {
  hasKept = true;
  void new Kept(part, part instanceof Date ? timeOf(part) : new Uint8Array(part));
  return Object.preventExtensions(part);
}

/** The original of a kept date or of kept bytes; undefined for any other object. */
export function originalOf(part: object): Original | undefined {
  return Kept.originalOf(part);
}

/** Whether a date or bytes are as their original. */
export function isAs(part: Part, original: Original): boolean {
  if (typeof original === 'number') return Object.is(timeOf(part as Date), original);
  const bytes = part as Uint8Array;
  return bytes.length === original.length && Buffer.compare(bytes, original) === 0;
}

/** Makes a kept date or kept bytes as their original again. */
export function restore(part: Part, original: Original): void {
  if (typeof original === 'number') Date.prototype.setTime.call(part, original);
  // Bytes whose buffer was transferred away are empty for ever: their actor is refused every turn until a restart.
  else if ((part as Uint8Array).length === original.length) (part as Uint8Array).set(original);
}

/** Returns a date or bytes as the original, which belong to the caller. */
export function copyOf(original: Original): Part {
  return typeof original === 'number' ? new Date(original) : new Uint8Array(original);
}

/** The time of a date, whatever methods it has of its own. */
export function timeOf(date: Date): number {
  return Date.prototype.getTime.call(date);
}

/** Makes a Map or Set immutable by replacing the methods that change it: freezing leaves its members changeable. */
export function fixed<T extends Map<unknown, unknown> | Set<unknown>>(collection: T): T {
  for (const method of collection instanceof Map ? ['set', 'delete', 'clear'] : ['add', 'delete', 'clear']) {
    Object.defineProperty(collection, method, { value: refuseMutation });
  }
  return Object.freeze(collection);
}

/** Whether a property of a Map or Set was defined by {@link fixed}. */
export function isFixing(collection: object, key: PropertyKey): boolean {
  return Reflect.get(collection, key) === refuseMutation;
}

function refuseMutation(): never {
  throw new TypeError('a stored value cannot be changed in place; make a new Map or Set from it');
}
