/**
 * Values that do harm when they are read: they have no text, throw, answer only once, change afterwards, or are not
 * what they seem. Each is made anew, because some of them remember that they were read.
 */
import { table } from '../../../../src/table.ts';
import { disown } from '../../../../src/user-code.ts';

const HALF = '\ud83d';

function harm(): never {
  throw Object.create(null);
}

/** A proxy handler whose every trap throws. */
const HARMFUL: ProxyHandler<object> = {
  apply: harm,
  construct: harm,
  defineProperty: harm,
  deleteProperty: harm,
  get: harm,
  getOwnPropertyDescriptor: harm,
  getPrototypeOf: harm,
  has: harm,
  isExtensible: harm,
  ownKeys: harm,
  preventExtensions: harm,
  set: harm,
  setPrototypeOf: harm,
};

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** A proxy of a value that shows it for so many reads only. */
function forgetful(target: object, reads: number): unknown {
  let left = reads;
  const count = <Args extends unknown[], Result>(read: (...args: Args) => Result) => {
    return (...args: Args): Result => (left-- > 0 ? read(...args) : harm());
  };
  return new Proxy(target, {
    get: count(Reflect.get),
    getPrototypeOf: count(Reflect.getPrototypeOf),
    ownKeys: count(Reflect.ownKeys),
    getOwnPropertyDescriptor: count(Reflect.getOwnPropertyDescriptor),
  });
}

/** An object whose own property `key` throws: from its second read on if it is to be read `reads` times. */
function withGetter<T extends object>(target: T, key: PropertyKey, reads = 0): T {
  let left = reads;
  return Object.defineProperty(target, key, {
    get: () => (left-- > 0 ? 'shown' : harm()),
    enumerable: true,
    configurable: true,
  });
}

function circular(): unknown {
  const value: Record<string, unknown> = { list: [] };
  value['self'] = value;
  (value['list'] as unknown[]).push(value);
  return value;
}

function nested(levels: number): unknown {
  let value: unknown = 'end';
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

function causedByItself(): Error {
  const error = new Error('of itself');
  error.cause = new Error('below', { cause: error });
  return error;
}

function detached(): Uint8Array {
  const bytes = new Uint8Array(8);
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  return bytes;
}

class Toothed {
  [Symbol.toPrimitive](): never {
    return harm();
  }
}

class Unnamed {}
Object.defineProperty(Unnamed.prototype, 'constructor', { get: harm });

class BrokenError extends Error {
  override toString(): string {
    return harm();
  }
}

class BrokenList extends Array<unknown> {
  static override get [Symbol.species](): never {
    return harm();
  }
  override [Symbol.iterator](): never {
    return harm();
  }
  override map(): never {
    return harm();
  }
}

class BrokenMap extends Map<unknown, unknown> {
  override [Symbol.iterator](): never {
    return harm();
  }
}

class BrokenSet extends Set<unknown> {
  override [Symbol.iterator](): never {
    return harm();
  }
}

class BrokenBytes extends Uint8Array {
  override get byteLength(): never {
    return harm();
  }
}

class BrokenDate extends Date {
  override getTime(): never {
    return harm();
  }
  override toJSON(): never {
    return harm();
  }
}

/** A promise that rejects with something without a text. */
function rejecting(): Promise<unknown> {
  return Promise.reject(Object.create(null) as Error);
}

/** Hostile values by a description of their defect. */
export const HOSTILE: Readonly<Record<string, () => unknown>> = {
  'an object without a prototype': () => Object.create(null) as unknown,
  'groups of a regular expression': () => /(?<year>\d+)/.exec('2026')!.groups,
  'a match of a regular expression': () => /(?<year>\d+)/.exec('2026'),
  'a toString of null': () => ({ toString: null }),
  'a toString and valueOf of null': () => ({ toString: null, valueOf: null }),
  'a toString that throws': () => ({ toString: harm }),
  'a toString that gives an object': () => ({ toString: () => ({}), valueOf: () => ({}) }),
  'a toJSON that throws': () => ({ toJSON: harm }),
  'a toPrimitive that throws': () => ({ [Symbol.toPrimitive]: harm }),
  'a class whose toPrimitive throws': () => new Toothed(),
  'a class whose constructor throws when it is read': () => new Unnamed(),
  'a proxy all of whose traps throw': () => new Proxy({}, HARMFUL),
  'a proxy of a list all of whose traps throw': () => new Proxy([], HARMFUL),
  'a proxy of a function all of whose traps throw': () => new Proxy(() => {}, HARMFUL),
  'a proxy of an error all of whose traps throw': () => new Proxy(new Error('e'), HARMFUL),
  'a proxy of a date': () => new Proxy(new Date(0), {}),
  'a proxy of a map': () => new Proxy(new Map([['k', 1]]), {}),
  'a proxy of bytes that binds what it gives': () =>
    new Proxy(new Uint8Array(2), {
      get: (bytes, key) => {
        const value: unknown = Reflect.get(bytes, key, bytes);
        return typeof value === 'function' ? (value as () => void).bind(bytes) : value;
      },
    }),
  'a proxy of a table': () => new Proxy(table([['k', 1]]), {}),
  'a proxy that answers five times': () => forgetful({ a: 1 }, 5),
  'a proxy that answers twelve times': () => forgetful({ a: 1, b: { c: 2 } }, 12),
  'a proxy of something frozen that answers twelve times': () => forgetful(Object.freeze({ a: 1 }), 12),
  'a proxy of a list that answers ten times': () => forgetful([1, 2], 10),
  'a revoked proxy': () => revoked({}),
  'a revoked proxy of a list': () => revoked([]),
  'a revoked proxy of a function': () => revoked(() => {}),
  'a getter that throws': () => withGetter({}, 'a'),
  'a getter that answers once': () => withGetter({}, 'a', 1),
  'a frozen object with a getter that throws': () => Object.freeze(withGetter({}, 'a')),
  'a frozen object with a getter that answers once': () => Object.freeze(withGetter({}, 'a', 1)),
  'a list with a getter that throws': () => withGetter([1, 2], 1),
  'a list with a getter that answers once': () => withGetter([1, 2], 1, 1),
  'a frozen list with a getter that answers once': () => Object.freeze(withGetter([1, 2], 1, 1)),
  'a list whose toJSON throws': () => Object.assign([1, 2], { toJSON: harm }),
  'a list whose map throws': () => Object.assign([1, 2], { map: harm, [Symbol.iterator]: harm }),
  'a list of a class that throws when it is walked': () => BrokenList.from([1, 2]),
  'a list of more items than memory has room for': () => new Array(2 ** 32 - 1),
  'an error whose message throws': () => withGetter(new Error('e'), 'message'),
  'an error whose message answers once': () => withGetter(new Error('e'), 'message', 1),
  'an error whose name throws': () => withGetter(new Error('e'), 'name'),
  'an error whose stack throws': () => withGetter(new Error('e'), 'stack'),
  'an error whose cause throws': () => withGetter(new Error('e'), 'cause'),
  'an error whose code throws': () => withGetter(new Error('e'), 'code'),
  'an error whose retryable throws': () => withGetter(new Error('e'), 'retryable'),
  'an error whose toString throws': () => new BrokenError('e'),
  'an error whose message is no text': () => Object.assign(new Error('e'), { message: Object.create(null) as string }),
  'an error whose message is a symbol': () => Object.assign(new Error('e'), { message: Symbol('m') }),
  'an error whose cause has no text': () => new Error('e', { cause: Object.create(null) as unknown }),
  'an error whose cause is a proxy': () => new Error('e', { cause: new Proxy({}, HARMFUL) }),
  'an error that is its own cause': causedByItself,
  'errors of which each has no text': () => new AggregateError([new Proxy({}, HARMFUL), Object.create(null)], 'many'),
  'what looks like an error': () => Object.create(Error.prototype) as unknown,
  'what looks like a promise': () => Object.create(Promise.prototype) as unknown,
  'what looks like a date': () => Object.create(Date.prototype) as unknown,
  'what looks like bytes': () => Object.create(Uint8Array.prototype) as unknown,
  'what looks like a table': () => ({ [Symbol.for('bosun.table')]: new Proxy({}, HARMFUL) }),
  'a class that looks like a table': () =>
    Object.create({ [Symbol.for('bosun.table')]: withGetter({}, 'root'), size: 1, forEach: () => {} }) as unknown,
  'a symbol': () => Symbol('s'),
  'a symbol without a name': () => Symbol(),
  'a bigint of many bits': () => 2n ** 100n,
  'a function': () => () => harm(),
  'a class': () => Toothed,
  'half a surrogate pair': () => `x${HALF}`,
  'a list of a text of 5 million characters': () => ['x'.repeat(5_000_000)],
  'a key __proto__': () => JSON.parse('{"__proto__": {"polluted": true}}') as unknown,
  'a key that the codec reserves': () => ({ __keys__: 1 }),
  'a symbol as key': () => ({ [Symbol('k')]: 1 }),
  'a circle': circular,
  'a list of 5,000 levels': () => nested(5_000),
  'a date that is none': () => new Date(NaN),
  'a date of a class that throws': () => new BrokenDate(0),
  'a date with a toJSON that throws': () => Object.assign(new Date(0), { toJSON: harm, toISOString: harm }),
  'a map of a class that throws': () => new BrokenMap([['k', 1]]),
  'a map of what has no text': () => new Map([[Object.create(null), new Proxy({}, HARMFUL)]]),
  'a set of a class that throws': () => new BrokenSet([1]),
  'bytes of a class that throws': () => new BrokenBytes(2),
  'bytes whose length throws': () => withGetter(new Uint8Array(2), 'length'),
  'bytes that have been taken away': detached,
  'a then that throws when it is read': () => withGetter({}, 'then'),
  'a then that throws': () => ({ then: harm }),
  'a then that says all at once': () => ({
    then: (done: (value: unknown) => void, fail: (error: unknown) => void) => {
      done(Object.create(null));
      fail(new Proxy({}, HARMFUL));
      harm();
    },
  }),
  'a promise that rejects': rejecting,
  'a promise that rejects later': async () => {
    await Promise.resolve();
    throw new Proxy({}, HARMFUL) as Error;
  },
  'a promise that never settles': () => new Promise(() => {}),
  'a promise of a value': () => Promise.resolve({ type: 'GOT' }),
  'a list of promises that reject': () => [Symbol('s'), rejecting(), rejecting()],
  'an error whose cause is a promise that rejects': () => new Error('e', { cause: rejecting() }),
  'an event with a promise that rejects': () => ({ type: 'GOT', it: rejecting() }),
  'an iterator that throws': () => ({ [Symbol.iterator]: harm, length: 2 }),
  'an event that is an error': () => Object.assign(new Error('e'), { type: 'GOT' }),
  'an event that is a list': () => Object.assign([1], { type: 'GOT' }),
  'an event that is a map': () => Object.assign(new Map([['k', 1]]), { type: 'GOT' }),
  'an event that is a date': () => Object.assign(new Date(0), { type: 'GOT' }),
  'an event with a type that answers once': () => forgetful({ type: 'GOT' }, 6),
  undefined: () => undefined,
  null: () => null,
  'not a number': () => NaN,
  'negative zero': () => -0,
  'the global object': () => globalThis,
};

/** The names of the hostile values. */
export const HARMS = Object.keys(HOSTILE);

export function hostile(what: string): unknown {
  return HOSTILE[what]!();
}

/** A hostile value for code that owes its promises nothing: their rejections are handled. */
export function harmless(what: string): unknown {
  const value = hostile(what);
  disown(value);
  return value;
}
