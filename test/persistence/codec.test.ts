import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { Packr } from 'msgpackr';
import { describe, expect, it } from 'vitest';
import { Concealed } from '../../src/actors/model/ports.ts';
import { retold } from '../../src/errors.ts';
import { createCodec, STRUCTURES_MAX } from '../../src/persistence/format/codec.ts';
import { KeyRing } from '../../src/persistence/format/key-ring.ts';
import { FIRST_LEARNED_STRUCTURE, FIXED_STRUCTURES } from '../../src/persistence/format/structures.ts';
import { Reference, references } from '../support/persistence/model.ts';
import { byEffort } from '../support/effort.ts';

const anyKey = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      'constructor',
      'toString',
      'hasOwnProperty',
      'toJSON',
      'length',
      '0',
      '17',
      'a b',
      '',
      'class',
      'é',
    ),
  )
  .filter((key) => key !== '__proto__' && key !== '__keys__');
/** Everything that admission lets into a context or a message. */
const anyValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(undefined, null, true, false, NaN, Infinity, -Infinity, 0, 31, 32, 63, 64, 127, 128, 255, 256),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double().map((double) => (double === 0 ? 0 : double)),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
    // Node 20 finds no two invalid dates equal; they have a test of their own.
    fc.date({ noInvalidDate: true }),
    fc.uint8Array().map((bytes) => new Uint8Array(bytes)),
    fc
      .record({ life: fc.maxSafeInteger(), address: fc.string() })
      .map(({ life, address }) => new Reference(life, address)),
    fc.array(tie('value')),
    fc.dictionary(anyKey, tie('value'), { noNullPrototype: true }),
    fc.record({ id: fc.string(), constructor: tie('value') }, { noNullPrototype: true }),
    fc.array(fc.tuple(tie('value'), tie('value'))).map((entries) => new Map(entries)),
    fc.array(tie('value')).map((items) => new Set(items)),
  ),
})).value;
describe('the codec', () => {
  it('decodes every value as it was encoded', () => {
    const codec = createCodec(references);
    fc.assert(
      fc.property(anyValue, (value) => {
        deepStrictEqual(codec.decode(codec.encode(value)), value);
      }),
      { numRuns: byEffort({ quick: 80, ci: 1_000 }) },
    );
  });

  it('decodes concealed values with the key; without the key it can only copy them', () => {
    const keys = new KeyRing('ab'.repeat(32));
    const others = [undefined, new KeyRing('cd'.repeat(32))];
    fc.assert(
      fc.property(anyValue, anyValue, (value, open) => {
        const codec = createCodec(references, [], keys);
        const bytes = codec.encode({ open, closed: codec.conceal!(value, 'an.event') });
        deepStrictEqual(codec.decode(bytes), { open, closed: value });
        const learned = codec.takeNewStructures().map((structure) => structure.keys);
        for (const ring of others) {
          const other = createCodec(references, learned, ring);
          const seen = other.decode(bytes) as { open: unknown; closed: Concealed };
          deepStrictEqual(seen.open, open);
          expect([seen.closed instanceof Concealed, seen.closed.type]).toEqual([true, 'an.event']);
          const again = other.encode(seen);
          const both = [...learned, ...other.takeNewStructures().map((structure) => structure.keys)];
          deepStrictEqual(createCodec(references, both, keys).decode(again), { open, closed: value });
          expect(other.conceal?.(seen.closed) ?? seen.closed).toBe(seen.closed);
        }
      }),
      { numRuns: byEffort({ quick: 40, ci: 300 }) },
    );
  });

  it('conceals equal values differently, and reads no concealed value that was changed', () => {
    const codec = createCodec(references, [], new KeyRing('ab'.repeat(32)));
    const [first, second] = [codec.encode(codec.conceal!('swordfish')), codec.encode(codec.conceal!('swordfish'))];
    expect(first).not.toEqual(second);
    expect(Buffer.from(first).includes('swordfish')).toBe(false);
    // Behind the id of the key: salt, counter, ciphertext and tag.
    for (let at = first.length - 1; at > first.length - 45; at--) {
      const changed = first.slice();
      changed[at]! ^= 1;
      expect(codec.decode(changed)).toBeInstanceOf(Concealed);
    }
  });

  it('keeps an invalid date a date', () => {
    const codec = createCodec(references);
    const date = codec.decode(codec.encode(new Date(Number.NaN))) as Date;
    expect(date).toBeInstanceOf(Date);
    expect(date.getTime()).toBeNaN();
  });

  it('decodes bytes of another codec with the same stored structures', () => {
    fc.assert(
      fc.property(fc.array(anyValue, { minLength: 1, maxLength: 20 }), (values) => {
        const writer = createCodec(references);
        const stored: (readonly string[])[] = [];
        const encoded = [...values, ...values, ...values].map((value) => {
          const bytes = writer.encode(value);
          for (const { number, keys } of writer.takeNewStructures()) {
            expect(number).toBe(FIRST_LEARNED_STRUCTURE + stored.length);
            stored.push(keys);
          }
          return bytes;
        });
        const reader = createCodec(references, stored);
        deepStrictEqual(
          encoded.map((bytes) => reader.decode(bytes)),
          [...values, ...values, ...values],
        );
        expect(reader.takeNewStructures()).toEqual([]);
      }),
      { numRuns: byEffort({ quick: 30, ci: 200 }) },
    );
  });

  it('continues the structure numbers of an earlier codec', () => {
    const first = createCodec(references);
    teach(first, { a: 1 });
    const stored = first.takeNewStructures().map(({ keys }) => keys);
    const second = createCodec(references, stored);
    expect(second.encode({ a: 2 }).length).toBe(first.encode({ a: 2 }).length);
    teach(second, { b: 1 });
    expect(second.takeNewStructures()).toEqual([{ number: FIRST_LEARNED_STRUCTURE + 1, keys: ['b'] }]);
    expect(second.decode(second.encode([{ a: 1 }, { b: 2 }]))).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it('hands out each new structure only once', () => {
    const codec = createCodec(references);
    teach(codec, { id: 1, name: 'x' });
    expect(codec.takeNewStructures()).toEqual([{ number: FIRST_LEARNED_STRUCTURE, keys: ['id', 'name'] }]);
    teach(codec, { id: 1, name: 'x' });
    expect(codec.takeNewStructures()).toEqual([]);
  });

  it('writes a shape with its keys until it has met it three times', () => {
    const codec = createCodec(references);
    const lengths = [1, 2, 3, 4].map(() => codec.encode({ aLongPropertyName: 1 }).length);
    expect(lengths[2]).toBeLessThan(lengths[1] ?? 0);
    expect(lengths[3]).toBe(lengths[2]);
  });

  it('forgets the structures learned in an encode that threw', () => {
    const codec = createCodec(references);
    teach(codec, { known: 1 });
    codec.takeNewStructures();
    for (let i = 0; i < 3; i++) expect(() => codec.encode([{ lost: 1 }, Symbol('no data')])).toThrow();
    expect(codec.takeNewStructures()).toEqual([]);
    const stored = [['known']];
    teach(codec, { lost: 1 });
    teach(codec, { later: 1 });
    for (const { keys } of codec.takeNewStructures()) stored.push([...keys]);
    const value = [{ known: 1 }, { lost: 2 }, { later: 3 }];
    expect(createCodec(references, stored).decode(codec.encode(value))).toEqual(value);
  });

  it('throws an error with a code for values that cannot be encoded or decoded', () => {
    const codec = createCodec(references);
    expect(() => codec.encode(Symbol('no data'))).toThrow(expect.objectContaining({ code: 'BOSUN_VALUE_REFUSED' }));
    expect(() => codec.encode({ a: 1, __keys__: 1, map: 1 })).toThrow(
      expect.objectContaining({ code: 'BOSUN_VALUE_REFUSED' }),
    );
    expect(() => codec.decode(Uint8Array.of(0x92, 0x01))).toThrow(
      expect.objectContaining({ code: 'BOSUN_STORE_DAMAGED' }),
    );
    expect(codec.decode(codec.encode({ still: 'fine' }))).toEqual({ still: 'fine' });
  });

  it('never changes bytes that it returned, and decodes values that share no memory with the bytes', () => {
    const codec = createCodec(references);
    const bytes = codec.encode({ data: Uint8Array.of(1, 2, 3) });
    const before = Buffer.from(bytes);
    for (let i = 0; i < 10_000; i++) codec.encode({ data: Uint8Array.of(9, 9, 9) });
    expect(Buffer.compare(before, bytes)).toBe(0);
    const { data } = codec.decode(bytes) as { data: Uint8Array };
    bytes.fill(0);
    expect(data).toStrictEqual(Uint8Array.of(1, 2, 3));
  });

  it('gives back frozen plain objects and arrays', () => {
    const codec = createCodec(references);
    const bare = Object.assign(Object.create(null) as object, { list: [{ a: 1 }] });
    const value = codec.decode(codec.encode(bare)) as { list: { a: number }[] };
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect([value, value.list, value.list[0]].every(Object.isFrozen)).toBe(true);
  });
});

describe('the table of structures', () => {
  it('is filled up to the slot from which msgpackr reads two-byte numbers', () => {
    expect(FIXED_STRUCTURES.length).toBe(FIRST_LEARNED_STRUCTURE);
    expect(new Set(FIXED_STRUCTURES.map((keys) => keys.join())).size).toBe(FIRST_LEARNED_STRUCTURE);
  });

  it('stops growing at its bound, and shapes beyond it are still decoded', () => {
    const codec = createCodec(references);
    const stored: (readonly string[])[] = [];
    for (let i = 0; i < STRUCTURES_MAX + 100; i++) {
      teach(codec, { [`key${i}`]: i, [`other${i}`]: { [`nested${i}`]: i } });
      for (const { keys } of codec.takeNewStructures()) stored.push(keys);
    }
    expect(stored.length).toBe(STRUCTURES_MAX - FIRST_LEARNED_STRUCTURE);
    const many = Array.from({ length: 3_000 }, (_, i) => ({ [`key${i}`]: i, [`fresh${i % 50}`]: i }));
    const bytes = codec.encode(many);
    expect(codec.decode(bytes)).toEqual(many);
    expect(createCodec(references, stored).decode(bytes)).toEqual(many);
  });

  it('reaches its bound within one encode without confusing two shapes', () => {
    const codec = createCodec(references);
    const all = Array.from({ length: STRUCTURES_MAX + 200 }, (_, i) => ({ [`k${i}`]: i }));
    for (let i = 0; i < 4; i++) expect(codec.decode(codec.encode([...all, ...all]))).toEqual([...all, ...all]);
    expect(codec.takeNewStructures().length).toBe(STRUCTURES_MAX - FIRST_LEARNED_STRUCTURE);
  });

  it('is not filled by an object used as a dictionary', () => {
    const codec = createCodec(references);
    const tickets: Record<string, { open: boolean }> = {};
    for (let i = 0; i < 500; i++) {
      tickets[`T-${i}`] = { open: true };
      // Once in the change, once in the fold.
      codec.encode({ set: { tickets } });
      codec.encode({ tickets });
    }
    expect(
      codec
        .takeNewStructures()
        .map(({ keys }) => keys.join())
        .sort(),
    ).toEqual(['open', 'tickets']);
    expect(codec.decode(codec.encode(tickets))).toEqual(tickets);
  });
});

describe('errors', () => {
  const codec = createCodec(references);
  const copyOf = (error: Error) => codec.decode(codec.encode({ error })) as { error: Error & { code?: unknown } };

  it('are decoded as errors with name, message, stack, code and cause', () => {
    class ToolError extends TypeError {
      override readonly name = 'ToolError';
      readonly code = 'E_TOOL';
    }
    const thrown = new ToolError('the tool broke', { cause: new RangeError('too far', { cause: undefined }) });
    const { error } = copyOf(thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'ToolError', message: 'the tool broke', stack: thrown.stack, code: 'E_TOOL' });
    expect(error.cause).toMatchObject({ name: 'RangeError', message: 'too far' });
    expect('cause' in (error.cause as Error)).toBe(true);
  });

  it('gain no fields that they did not have', () => {
    const { error } = copyOf(new Error('plain'));
    expect(Object.keys(error)).toEqual([]);
    expect('cause' in error || 'code' in error).toBe(false);
  });
});

describe('extensions', () => {
  it('use the references of the codec that encodes or decodes', () => {
    class Other extends Reference {}
    const other = createCodec({ ...references, Class: Other, decode: ({ life, address }) => new Other(life, address) });
    const own = createCodec(references);
    const bytes = own.encode(new Reference(7, 'crew/7'));
    expect(own.decode(bytes)).toStrictEqual(new Reference(7, 'crew/7'));
    expect(other.decode(bytes)).toStrictEqual(new Other(7, 'crew/7'));
  });

  it('belong to each of two copies of Bosun in one process, in any order of loading', async () => {
    const copy = await secondCopy();
    const keys = new KeyRing('ab'.repeat(32));
    const codecs = [
      createCodec(references, [], keys),
      copy.createCodec(references, [], keys),
      createCodec(references, [], keys),
    ];
    for (const codec of [...codecs, ...codecs]) {
      const value = {
        to: new Reference(7, 'crew/7'),
        why: retold({ name: 'RangeError', message: 'no', stack: undefined, code: 'E1' }),
      };
      const back = codec.decode(codec.encode({ ...value, hidden: codec.conceal!('swordfish') })) as typeof value;
      expect(back).toEqual({ ...value, hidden: 'swordfish' });
      expect(back.to).toBeInstanceOf(Reference);
      expect([back.why.name, (back.why as { code?: unknown }).code]).toEqual(['RangeError', 'E1']);
    }
  });

  it('are invisible to other users of msgpackr in the process', () => {
    createCodec(references);
    const theirs = new Packr({ moreTypes: true });
    const error = theirs.unpack(theirs.pack(new TypeError('theirs'))) as Error;
    expect(error).toBeInstanceOf(TypeError);
    expect(theirs.unpack(theirs.pack(new Reference(1, 'a')))).toEqual({ life: 1, address: 'a' });
  });
});

/** The module once more, as from another place, on the same msgpackr. */
async function secondCopy(): Promise<{ createCodec: typeof createCodec }> {
  const place = '../../src/persistence/format/codec.ts?copy=2';
  const copy = (await import(/* @vite-ignore */ place)) as { createCodec: typeof createCodec };
  expect(copy.createCodec).not.toBe(createCodec);
  return copy;
}

/** Encodes the value as often as it takes to share its shapes. */
function teach(codec: { encode(value: unknown): Uint8Array }, value: unknown): void {
  for (let i = 0; i < 3; i++) codec.encode(value);
}
