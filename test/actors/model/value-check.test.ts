/** Admission: the values that may enter a context, a message or a record, and the form that they get. */
import { types } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admitChange } from '../../../src/actors/model/change-check.ts';
import { admitError } from '../../../src/actors/model/thrown.ts';
import { admit, takeCount } from '../../../src/actors/model/value-check.ts';
import { Ref, type RefHost } from '../../../src/actors/model/ref.ts';
import { Change } from '../../../src/actors/model/state.ts';
import { isBosunError } from '../../../src/errors.ts';
import { TABLE_KEY_CHARS_MAX, TABLE_ROW_BYTES_MAX, VALUE_BYTES_MAX, VALUE_DEPTH_MAX } from '../../../src/limits.ts';
import { createCodec } from '../../../src/persistence/format/codec.ts';
import { table } from '../../../src/table.ts';
import { differenceBetween } from '../../support/differences.ts';
import { byEffort, LONG } from '../../support/effort.ts';
import { textOfBytes, WIDE_CHARACTERS } from '../../support/text-of-bytes.ts';

const HALF = '\ud83d';

/** The message of the refusal, or "admitted". */
function refusal(value: unknown): string {
  try {
    admit(value, 'event x of a');
    return 'admitted';
  } catch (error) {
    if (!isBosunError(error, 'BOSUN_VALUE_REFUSED')) throw error;
    return error.message;
  }
}

function nested(levels: number): unknown {
  let value: unknown = 'end';
  for (let level = 0; level < levels; level++) value = { down: value };
  return value;
}

const host = { ref: (life: number, address: string) => new Ref(host, life, address) } as unknown as RefHost;

describe('admission refuses', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  let manyPaths: unknown = [];
  for (let level = 0; level < 30; level++) manyPaths = [manyPaths, manyPaths];

  it.each<[string, unknown, string]>([
    ['a symbol', { a: [1, Symbol('s')] }, 'event x of a.a[1] is a symbol'],
    ['a function', { order: { pay: () => {} } }, 'event x of a.order.pay is a function'],
    ['a class instance', { a: new (class Order {})() }, 'event x of a.a is an instance of Order'],
    [
      'an object with a prototype of its own',
      { a: Object.create({}) as object },
      'event x of a.a is an instance of Object',
    ],
    ['a regular expression', { a: /x/ }, 'event x of a.a is an instance of RegExp'],
    ['a promise', [Promise.resolve()], 'event x of a[0] is a promise'],
    ['typed arrays other than bytes', { a: new Float64Array(2) }, 'event x of a.a is an instance of Float64Array'],
    ['a symbol as key', { a: { [Symbol('k')]: 1 } }, 'event x of a.a is an object with a symbol as key'],
    [
      'a getter',
      {
        a: {
          get now() {
            return 1;
          },
        },
      },
      'event x of a.a is an object with a getter, now',
    ],
    [
      'the key __proto__',
      { a: JSON.parse('{"__proto__": {"b": 1}}') as unknown },
      'event x of a.a is an object with the key __proto__',
    ],
    ['the key __keys__', { a: { __keys__: 1 } }, 'event x of a.a is an object with the key __keys__'],
    ['half a surrogate pair', { a: `x${HALF}` }, 'event x of a.a is a string with half a surrogate pair'],
    ['half a surrogate pair in a key', { [HALF]: 1 }, 'event x of a is an object with half a surrogate pair in a key'],
    ['a bigint above 64 bits', { a: 2n ** 64n }, 'event x of a.a is a bigint of more than 64 bits'],
    ['a bigint below 64 bits', { a: -(2n ** 63n) - 1n }, 'event x of a.a is a bigint of more than 64 bits'],
    ['a function in a Map', { a: new Map([['k', () => {}]]) }, 'event x of a.a.(member) is a function'],
    ['a symbol as key of a Map', new Map([[Symbol('k'), 1]]), 'event x of a.(member) is a symbol'],
    ['a function in a Set', new Set([() => {}]), 'event x of a.(member) is a function'],
    ['a symbol as cause of an error', new Error('e', { cause: Symbol('c') }), 'event x of a.cause is a symbol'],
    [
      'a function as code of an error',
      Object.assign(new Error('e'), { code: () => {} }),
      'event x of a.code is a function',
    ],
  ])('%s', (_, value, message) => {
    expect(refusal(value)).toBe(`${message}; only data can be stored`);
  });

  class Deadline extends Date {}
  class Stack extends Array<number> {}
  class Chunk extends Uint8Array {}
  class Cache extends Map {}
  class Marks extends Set {}
  const MARK = Symbol('mark');
  it.each<[string, unknown, string]>([
    [
      'the match of a regular expression',
      { m: /(?<year>\d+)/.exec('in 2026') },
      'event x of a.m is a list with a property beside its items, groups; store its items, [...value], and its other ' +
        'properties beside them',
    ],
    [
      'a list with holes and a property',
      Object.assign([1, , 3], { total: 4 }),
      'event x of a is a list with a property beside its items, total; store its items, [...value], and its other ' +
        'properties beside them',
    ],
    [
      'a list with a symbol as key',
      Object.assign([1], { [MARK]: 4 }),
      'event x of a is a list with a property beside its items, Symbol(mark); store its items, [...value], and its ' +
        'other properties beside them',
    ],
    [
      'a frozen list with a property that looks like a number',
      Object.freeze(Object.assign([1], { '01': 4 })),
      'event x of a is a list with a property beside its items, 01; store its items, [...value], and its other ' +
        'properties beside them',
    ],
    [
      'the strings of a tagged template, whose raw ones are hidden',
      ((strings: TemplateStringsArray) => ({ strings }))`a`,
      'event x of a.strings is a list with a property beside its items, raw; store its items, [...value], and its ' +
        'other properties beside them',
    ],
    [
      'a list with a key that is no index',
      Object.assign([1], { 4294967295: 2 }),
      'event x of a is a list with a property beside its items, 4294967295; store its items, [...value], and its ' +
        'other properties beside them',
    ],
    [
      'a list of a subclass',
      [Stack.from([1, 2])],
      'event x of a[0] is an instance of Stack, which is another class than Array; store Array.from(value)',
    ],
    [
      'an object with a property that is not enumerable',
      { a: Object.defineProperty({ b: 1 }, 'c', { value: 2 }) },
      'event x of a.a is an object with a property that is not enumerable, c; store a copy, { ...value }',
    ],
    [
      'a date of a subclass',
      { due: new Deadline(5) },
      'event x of a.due is an instance of Deadline, which is another class than Date; store new Date(value)',
    ],
    [
      'a date with a property',
      { due: Object.assign(new Date(5), { zone: 'UTC' }) },
      'event x of a.due is a Date with a property of its own, zone; store new Date(value), and store its property ' +
        'zone beside it',
    ],
    [
      'bytes of a subclass',
      { file: new Chunk([1]) },
      'event x of a.file is an instance of Chunk, which is another class than Uint8Array; store new Uint8Array(value)',
    ],
    [
      'bytes with a property',
      { file: Object.assign(new Uint8Array([1]), { name: 'a.txt' }) },
      'event x of a.file is a Uint8Array with a property of its own, name; store new Uint8Array(value), and store ' +
        'its property name beside it',
    ],
    [
      'a Buffer with a property',
      { file: Object.assign(Buffer.from('hi'), { name: 'a.txt' }) },
      'event x of a.file is a Buffer with a property of its own, name; store new Uint8Array(value), and store its ' +
        'property name beside it',
    ],
    [
      'a map of a subclass',
      { cache: new Cache() },
      'event x of a.cache is an instance of Cache, which is another class than Map; store new Map(value)',
    ],
    [
      'a map with a property',
      { cache: Object.assign(new Map(), { hits: 1 }) },
      'event x of a.cache is a Map with a property of its own, hits; store new Map(value), and store its property ' +
        'hits beside it',
    ],
    [
      'a set of a subclass',
      { marks: new Marks() },
      'event x of a.marks is an instance of Marks, which is another class than Set; store new Set(value)',
    ],
    [
      'a set with a method of its own',
      { marks: Object.assign(new Set(), { add: () => {} }) },
      'event x of a.marks is a Set with a property of its own, add; store new Set(value), and store its property add ' +
        'beside it',
    ],
  ])('%s, which would not come back from disk, with a way out', (_, value, message) => {
    expect(refusal(value)).toBe(message);
  });

  it('an object of 5,000 levels, without a stack overflow', () => {
    expect(refusal(nested(5_000))).toContain(`is nested deeper than ${VALUE_DEPTH_MAX} levels`);
  });
  it('a circular object', () => {
    expect(refusal(circular)).toContain('nested deeper than 32 levels (or circular)');
  });
  it('one level beyond the bound, and accepts the bound', () => {
    expect(refusal(nested(VALUE_DEPTH_MAX))).toBe('admitted');
    expect(refusal(nested(VALUE_DEPTH_MAX + 1))).toContain('nested deeper');
  });
  it('a value of more bytes than the bound', () => {
    expect(refusal('x'.repeat(VALUE_BYTES_MAX - 3))).toBe('admitted');
    expect(refusal({ a: 'x'.repeat(VALUE_BYTES_MAX) })).toContain(
      `part of a value of more than ${VALUE_BYTES_MAX} bytes`,
    );
    expect(refusal(new Uint8Array(VALUE_BYTES_MAX))).toContain('part of a value of more than');
  });
  it.each(WIDE_CHARACTERS)('B6: text and keys of %s from one byte above the bound', (character) => {
    const text = (around: number, bytes: number) => textOfBytes(bytes - around, character);
    const refusals = (bytes: number) => [
      refusal(text(3, bytes)),
      refusal([text(9, bytes)]),
      refusal({ [text(3, bytes)]: null }),
    ];
    const over = expect.stringContaining(`part of a value of more than ${VALUE_BYTES_MAX} bytes`) as string;
    expect(refusals(VALUE_BYTES_MAX)).toEqual(['admitted', 'admitted', 'admitted']);
    expect(refusals(VALUE_BYTES_MAX + 1)).toEqual([over, over, over]);
  });
  it('few objects with very many paths between them, in bounded time', LONG, () => {
    expect(refusal(manyPaths)).toContain('part of a value of more than');
  });
  it('a value of more bytes than the bound at its own place, whatever was walked before', () => {
    admit({ a: { b: { c: 1 } } }, 'x');
    const over = (value: unknown) => /^event x of (\S+) is part of a value of more/.exec(refusal(value))?.[1];
    const large = 'x'.repeat(VALUE_BYTES_MAX);
    expect(over({ file: new Uint8Array(VALUE_BYTES_MAX) })).toBe('a.file');
    expect(over({ list: Array.from({ length: VALUE_BYTES_MAX }, () => 1) })).toBe('a.list');
    expect(over({ first: 1, [large]: 1 })).toMatch(/^a\.x+/);
  });
  it('a value that cannot be read at its own place, with the way out', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const detached = new Uint8Array(2);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    const refusals = [{ a: [1, { b: proxy }] }, { a: { b: detached } }].map(refusal);
    expect(refusals[0]).toMatch(/^event x of a\.a\[1\]\.b cannot be read: .*revoked.*; store a copy of its data$/);
    expect(refusals[1]).toMatch(/^event x of a\.a\.b cannot be read: .*detached.*; store a copy of its data$/);
  });
  it('a value under a long path with a message of bounded length', () => {
    expect(refusal({ ['k'.repeat(100_000)]: () => {} }).length).toBeLessThan(400);
  });
});

describe('admission accepts', () => {
  it('all of JSON, and undefined, NaN, infinities, 64-bit bigints, dates, bytes, maps, sets and errors', () => {
    const all = {
      a: undefined,
      b: NaN,
      c: -Infinity,
      d: 2n ** 64n - 1n,
      e: -(2n ** 63n),
      f: new Date(0),
      g: new Uint8Array(3),
    };
    expect(admit(all, 'x')).toEqual(all);
  });
  it('a Proxy, with the values that it shows at that moment', () => {
    expect(admit(new Proxy({ a: 1 }, {}), 'x')).toEqual({ a: 1 });
  });
  it('references, unchanged', () => {
    const ref = new Ref(host, 7, 'a/b');
    expect(admit({ ref }, 'x').ref).toBe(ref);
  });
});

describe('an admitted value', () => {
  it('is deeply frozen', () => {
    const value = admit({ a: [{ b: 1 }], m: new Map([['k', { v: 1 }]]), s: new Set([[1]]), e: new Error('e') }, 'x');
    expect(
      [value, value.a, value.a[0], value.m, value.m.get('k'), value.s, [...value.s][0], value.e].every(Object.isFrozen),
    ).toBe(true);
    expect(() => value.m.set('k', { v: 2 })).toThrow(TypeError);
    expect(() => value.s.clear()).toThrow(TypeError);
  });
  it('is the same object if nothing had to be replaced', () => {
    const value = { a: { b: 'text' }, list: Object.freeze([{ c: 1 }]) };
    expect(admit(value, 'x')).toBe(value);
    const admitted = admit({ list: [1, 2] }, 'x');
    expect(admit(admitted, 'x')).toBe(admitted);
  });
  it('copies the arrays, bytes and proxies of its sender, who may change them later', () => {
    const [list, bytes, behind] = [[1, 2], new Uint8Array([1, 2]), { a: 1 }];
    const value = admit({ list, bytes, proxy: new Proxy(behind, {}) }, 'x');
    list.push(3);
    bytes[0] = 9;
    behind.a = 9;
    expect(value).toEqual({ list: [1, 2], bytes: new Uint8Array([1, 2]), proxy: { a: 1 } });
    expect(types.isProxy(value.proxy)).toBe(false);
  });
  it('has plain objects for those without a prototype, and Uint8Arrays for Buffers, as the disk has them', () => {
    const groups = /(?<year>\d+)/.exec('in 2026')!.groups!;
    expect(Object.getPrototypeOf(groups)).toBeNull();
    const value = admit({ groups, file: Buffer.from('hi') }, 'x');
    expect(Object.getPrototypeOf(value.groups)).toBe(Object.prototype);
    expect(value.groups).toEqual({ year: '2026' });
    expect(Object.getPrototypeOf(value.file)).toBe(Uint8Array.prototype);
    expect([...value.file]).toEqual([104, 105]);
  });
  it('shares no date with its sender, and takes no further properties', () => {
    const due = new Date(5);
    const value = admit({ due, bytes: new Uint8Array(2) }, 'x');
    due.setTime(9);
    expect(value.due.getTime()).toBe(5);
    expect(Reflect.set(value.due, 'zone', 'UTC')).toBe(false);
    expect(Reflect.set(value.bytes, 'name', 'a.txt')).toBe(false);
    expect(admit(value, 'x').due).toBe(value.due);
  });
  it('has no hidden items in lists, as it comes back from disk', () => {
    const list = Object.freeze(Object.defineProperty([1, 2], 0, { value: 1, enumerable: false }));
    expect(Object.keys(admit(list, 'x'))).toEqual(['0', '1']);
  });
  it('has no negative zero and no holes in arrays, as it comes back from disk', () => {
    const value = admit({ zero: -0, list: [1, , 3] as (number | undefined)[] }, 'x');
    expect(Object.is(value.zero, 0)).toBe(true);
    expect(1 in value.list).toBe(true);
  });
  it('has plain errors, with name, message, stack, code and cause, as they come back from disk', () => {
    class Refused extends Error {
      override name = 'Refused';
      code = 'E_NO';
      detail = 'lost';
    }
    const thrown = new Refused('no', { cause: { a: 1 } });
    const error = admit(thrown, 'x') as Error & { code: string };
    expect(error).not.toBeInstanceOf(Refused);
    expect([error.name, error.message, error.stack, error.code, error.cause]).toEqual([
      'Refused',
      'no',
      thrown.stack,
      'E_NO',
      { a: 1 },
    ]);
  });
  it('has references in place of handles', () => {
    const handle = new (class Handle {})();
    const ref = new Ref(host, 3, 'a/kid');
    const value = { kids: [handle], other: { n: 1 } };
    const admitted = admit<unknown>(value, 'x', (object) => (object === handle ? ref : undefined));
    expect(admitted).toEqual({ kids: [ref], other: { n: 1 } });
    expect((admitted as { kids: unknown[] }).kids[0]).toBe(ref);
    expect(value.kids[0]).toBe(handle);
  });
});

describe('a change of state', () => {
  it('is refused with the path of the bad value', () => {
    expect(() => admitChange(Change.of({ set: { order: { pay: () => {} } } }))).toThrow(
      'context.order.pay is a function',
    );
    expect(() => admitChange(Change.of({ context: { value: { a: Symbol('s') } } }))).toThrow('context.a is a symbol');
    expect(() => admitChange(Change.of({ output: { value: { a: Symbol('s') } } }))).toThrow('output.a is a symbol');
  });
  it('is bounded for each key of the context, not as a whole', () => {
    const large = 'x'.repeat(VALUE_BYTES_MAX - 100);
    expect(
      Object.keys(admitChange(Change.of({ context: { value: { a: large, b: large } } })).context!.value as object),
    ).toEqual(['a', 'b']);
  });
});

describe('a table', () => {
  const over = (what: string) => new RegExp(`more than ${what} bytes`);

  it.each(WIDE_CHARACTERS)('B6: takes a row of %s up to the bound in bytes, whole or alone', (character) => {
    const row = (bytes: number) => textOfBytes(bytes - 3, character);
    const whole = (bytes: number) =>
      admitChange(Change.of({ context: { value: { t: table([['k', row(bytes)]]) } } })).context;
    const alone = (bytes: number) =>
      admitChange(Change.of({ rows: { t: { size: 1, set: [['k', row(bytes)]], unset: [] } } })).rows;
    expect(whole(TABLE_ROW_BYTES_MAX)).toBeDefined();
    expect(alone(TABLE_ROW_BYTES_MAX)).toBeDefined();
    expect(() => whole(TABLE_ROW_BYTES_MAX + 1)).toThrow(over(`${TABLE_ROW_BYTES_MAX}`));
    expect(() => alone(TABLE_ROW_BYTES_MAX + 1)).toThrow(over(`${TABLE_ROW_BYTES_MAX}`));
  });

  it('B6: loses rows in one turn up to the bound of their keys in bytes', () => {
    const lose = (count: number) => {
      const unset = Array.from({ length: count }, () => '漢'.repeat(TABLE_KEY_CHARS_MAX));
      return admitChange(Change.of({ rows: { t: { size: 0, set: [], unset } } })).rows;
    };
    const fitting = Math.floor(VALUE_BYTES_MAX / (3 * TABLE_KEY_CHARS_MAX));
    expect(lose(fitting)).toBeDefined();
    expect(() => lose(fitting + 1)).toThrow(over(`${VALUE_BYTES_MAX}`));
  });
});

describe('the count of admitted bytes', () => {
  const failed = (fields: object) => Object.assign(new Error('e'), { stack: 'at a' }, fields);

  it.each<[string, (text: string) => unknown]>([
    ['a text', (text) => text],
    ['an item of a list', (text) => [text]],
    ['a key', (text) => ({ [text]: 1 })],
    ['a field', (text) => ({ a: text })],
    ['a key of a map', (text) => new Map([[text, 1]])],
    ['a member of a set', (text) => new Set([text])],
    ['the name of an error', (name) => failed({ name })],
    ['the message of an error', (message) => failed({ message })],
    ['the stack of an error', (stack) => failed({ stack })],
    ['the code of an error', (code) => failed({ code })],
    ['a key of a nested table', (text) => ({ t: table([[text, 1]]) })],
    ['a row of a nested table', (text) => ({ t: table([['a', text]]) })],
    ['the address of a reference', (text) => host.ref(1, text)],
  ])('B6: has the bytes of %s, whatever the characters', (_, made) => {
    const counted = (text: string) => {
      takeCount();
      admit(made(text), 'x');
      return takeCount();
    };
    const around = counted('x') - 1;
    for (const text of ['é', '漢', '😀', 'x漢é😀'.repeat(20)])
      expect(counted(text) - around).toBe(Buffer.byteLength(text));
  });
});

describe('a thrown value', () => {
  it('is kept unchanged if it is data, and as an Error with its text otherwise', () => {
    expect(admitError({ code: 7 })).toEqual({ code: 7 });
    expect(admitError(Symbol('s'))).toEqual(new Error('Symbol(s)'));
    expect(admitError(Object.assign(new Error('e'), { code: () => {} }))).toEqual(new Error('e'));
    expect(admitError(`half ${HALF}`)).toEqual(new Error('half \ufffd'));
  });
  it('never causes a second error, even if it has no text or too long a text', () => {
    const hostile = new (class {
      toString(): string {
        throw new Error('no text');
      }
    })();
    expect(admitError(hostile)).toEqual(new Error('something was thrown that has no text'));
    expect(String(admitError('x'.repeat(VALUE_BYTES_MAX + 1))).length).toBeLessThan(3_000);
  });
});

describe('the codec', () => {
  const codec = createCodec({
    Class: Ref,
    encode: (ref) => ref as Ref,
    decode: ({ life, address }) => host.ref(life, address),
  });
  const key = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.constantFrom(
      'constructor',
      'toString',
      'hasOwnProperty',
      'toJSON',
      'then',
      'length',
      '0',
      '',
      'valueOf',
      'prototype',
    ),
  );
  const leaf = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom(null, undefined, -0),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
    fc.date(),
    fc.uint8Array({ maxLength: 20 }),
    fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    fc
      .record({ life: fc.nat(), address: fc.constantFrom('a', 'a/b') })
      .map(({ life, address }) => new Ref(host, life, address)),
    fc
      .tuple(fc.string({ unit: 'grapheme' }), fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined }))
      .map(([message, code]) => Object.assign(new Error(message), code !== undefined && { code })),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      leaf,
      tie('list'),
      tie('sparse'),
      tie('record'),
      tie('frozen'),
      tie('table'),
      tie('map'),
      tie('set'),
      tie('error'),
    ),
    list: fc.array(tie('any'), { maxLength: 5 }),
    sparse: fc.sparseArray(tie('any'), { maxLength: 5, maxNumElements: 3 }),
    record: fc.dictionary(key, tie('any'), { maxKeys: 6, noNullPrototype: false }),
    frozen: fc.dictionary(key, tie('any'), { maxKeys: 3 }).map((record) => Object.freeze(record)),
    table: fc
      .array(fc.tuple(fc.string({ unit: 'grapheme', minLength: 1 }), tie('any')), { maxLength: 4 })
      .map((rows) => table(rows.filter(([name, row]) => name !== '__proto__' && row !== undefined))),
    map: fc.array(fc.tuple(tie('any'), tie('any')), { maxLength: 4 }).map((entries) => new Map(entries)),
    set: fc.array(tie('any'), { maxLength: 4 }).map((members) => new Set(members)),
    error: tie('any').map((cause) => new Error('outer', { cause })),
  })).any;

  it('decodes every admitted value to an equal one', () => {
    fc.assert(
      fc.property(value, (raw) => {
        let admitted: unknown;
        try {
          admitted = admit(raw, 'x');
        } catch (error) {
          // A random dictionary may have a forbidden key.
          if (isBosunError(error, 'BOSUN_VALUE_REFUSED')) return;
          throw error;
        }
        const back = codec.decode(codec.encode(admitted));
        expect(differenceBetween(back, admitted)).toBeNull();
        expect(differenceBetween(codec.decode(codec.encode(admit(back, 'x'))), admitted)).toBeNull();
      }),
      { numRuns: byEffort({ quick: 60, ci: 400, soak: 100_000 }) },
    );
  });

  it('writes dates and bytes as they were admitted, whatever was done to them since', () => {
    const made = () => ({ due: new Date(5), files: [new Uint8Array([1, 2])] });
    const admitted = admit(made(), 'x');
    admitted.due.setTime(9);
    admitted.files[0]!.fill(9);
    expect(codec.decode(codec.encode(admitted))).toEqual(made());
  });
});
