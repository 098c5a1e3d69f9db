/** The pure parts: patches, values as shown on the wire, patterns of addresses. Each as a rule and as a property. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hasSecrets, secret, SECRET_SHOWN } from '../../../src/actors/model/secret.ts';
import { isPattern, matches } from '../../../src/gateway/callers/address-patterns.ts';
import { diff, patched } from '../../../src/gateway/protocol/patch.ts';
import { afterClose, cursorFrom, cursorText } from '../../../src/gateway/protocol/protocol.ts';
import { shown } from '../../../src/gateway/topics/wire-values.ts';
import { HARMS, harmless } from '../../support/actors/hostile/values.ts';

const json = () => fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

describe('a patch', () => {
  it('makes the later value out of the earlier one, without changing either', () => {
    fc.assert(
      fc.property(json(), json(), (before, after) => {
        const copy = structuredClone(before);
        expect(patched(before, diff(before, after))).toEqual(after);
        expect(before).toEqual(copy);
      }),
    );
  });

  it('is empty between equal values, and names keys by JSON pointers', () => {
    expect(diff({ a: 1 }, { a: 1 })).toEqual([]);
    expect(diff({ 'a/b~c': 1, list: [1, 2, 3] }, { 'a/b~c': 2, list: [1, 4] })).toEqual([
      { op: 'replace', path: '/a~1b~0c', value: 2 },
      { op: 'replace', path: '/list/1', value: 4 },
      { op: 'remove', path: '/list/2' },
    ]);
  });

  it('is refused for a place that does not exist, and reaches no prototype', () => {
    for (const path of ['/nothing', '/list/7', '/list/x', '/text/0'])
      expect(() => patched({ list: [1], text: 'x' }, [{ op: 'replace', path, value: 1 }])).toThrow(RangeError);
    const view = patched({}, [{ op: 'add', path: '/__proto__', value: { isAdmin: true } }]) as { isAdmin?: boolean };
    expect([view.isAdmin, ({} as { isAdmin?: boolean }).isAdmin]).toEqual([undefined, undefined]);
  });
});

describe('a shown value', () => {
  it('has a form that JSON can express, whatever its type', () => {
    const value = {
      map: new Map([['a', 1n]]),
      set: new Set([1]),
      date: new Date(0),
      bytes: Uint8Array.of(1, 2),
      nan: NaN,
      none: undefined,
      list: [undefined],
      error: Object.assign(new Error('no'), { stack: 'secret place' }),
    };
    expect(shown(value)).toEqual({
      map: [['a', '1']],
      set: [1],
      date: '1970-01-01T00:00:00.000Z',
      bytes: 'AQI=',
      nan: null,
      list: [null],
      error: { name: 'Error', message: 'no' },
    });
  });

  it.each<[string, z.ZodType, unknown, unknown]>([
    ['a field', z.object({ a: secret(z.string()), b: z.string() }), { a: 'x', b: 'y' }, { a: SECRET_SHOWN, b: 'y' }],
    ['a field that may be absent', z.object({ a: secret(z.string()).optional() }), {}, {}],
    [
      'a field derived from a secret one',
      z.object({ a: secret(z.string()).min(3).nullable().default('abc') }),
      { a: 'x' },
      { a: SECRET_SHOWN },
    ],
    ['a whole object', z.object({ a: secret(z.object({ b: z.string() })) }), { a: { b: 'x' } }, { a: SECRET_SHOWN }],
    ['an item of a list', z.array(z.object({ a: secret(z.string()) })), [{ a: 'x' }], [{ a: SECRET_SHOWN }]],
    [
      'one side of a union',
      z.union([z.object({ a: z.string() }), z.object({ a: secret(z.string()) })]),
      { a: 'x' },
      { a: SECRET_SHOWN },
    ],
    ['a value of a record', z.record(z.string(), secret(z.string())), { a: 'x' }, { a: SECRET_SHOWN }],
    ['a member of a Map', z.map(z.string(), secret(z.string())), new Map([['a', 'x']]), [['a', SECRET_SHOWN]]],
    ['a place of a tuple', z.tuple([z.string(), secret(z.string())]), ['a', 'x'], ['a', SECRET_SHOWN]],
    [
      'what is read by a transformation',
      z.object({ a: secret(z.string()).transform(Number) }),
      { a: 1 },
      { a: SECRET_SHOWN },
    ],
    [
      'both halves of an intersection',
      z.intersection(z.object({ a: secret(z.string()) }), z.object({ b: z.string() })),
      { a: 'x', b: 'y' },
      { a: SECRET_SHOWN, b: 'y' },
    ],
    ['what a strict object does not name', z.object({}).catchall(secret(z.string())), { a: 'x' }, { a: SECRET_SHOWN }],
  ])('hides a secret: %s', (_, schema, value, wanted) => {
    expect(hasSecrets(schema)).toBe(true);
    expect(shown(value, schema)).toEqual(wanted);
  });

  // Custom logic may hold any value. Walking the excluded list would never end.
  it.each(HARMS.filter((what) => what !== 'a list of more items than memory has room for'))(
    'has a form that JSON can express for %s (F1)',
    (what) => {
      for (const value of [harmless(what), { held: harmless(what) }, new Map([[harmless(what), harmless(what)]])])
        expect(() => JSON.stringify([shown(value), shown(value, z.map(secret(z.string()), z.any()))])).not.toThrow();
    },
  );

  it('hides secrets of a schema that refers to itself', () => {
    const node: z.ZodType = z.object({ pin: secret(z.string()), next: z.lazy(() => node).optional() });
    expect(shown({ pin: '1', next: { pin: '2', next: { pin: '3' } } }, node)).toEqual({
      pin: SECRET_SHOWN,
      next: { pin: SECRET_SHOWN, next: { pin: SECRET_SHOWN } },
    });
    const harmless: z.ZodType = z.object({ next: z.lazy(() => harmless).optional() });
    expect(hasSecrets(harmless)).toBe(false);
  });

  it('shares the parts that have not changed, so that a patch need not compare them', () => {
    const part = Object.freeze({ deep: Object.freeze([1, 2]) });
    const [one, two] = [shown({ part, n: 1 }), shown({ part, n: 2 })] as [{ part: object }, { part: object }];
    expect(one.part).toBe(two.part);
  });
});

describe('a pattern of addresses', () => {
  it.each([
    ['**', 'a/b/c', true],
    ['a', 'a', true],
    ['a', 'a/b', false],
    ['a/*', 'a/b', true],
    ['a/*', 'a/b/c', false],
    ['a/*', 'a', false],
    ['a/**', 'a', true],
    ['a/**', 'a/b/c', true],
    ['a/**', 'ab', false],
    ['**/z', 'a/b/z', true],
    ['**/z', 'z', true],
    ['a/*/c', 'a/b/c', true],
    ['A', 'a', false],
  ])('%s matches %s: %s', (pattern, address, wanted) => {
    expect([isPattern(pattern), matches(pattern, address)]).toEqual([true, wanted]);
  });

  it.each(['', 'a//b', 'a b', 'a/[b]', 'a/b*', '***', '(a+)+', '**/**/**'])('may not be %j', (text) => {
    expect(isPattern(text)).toBe(false);
  });
});

describe('a cursor', () => {
  it('can be written as the id of a server-sent event and read back', () => {
    expect(cursorFrom(cursorText({ epoch: '2.4758762a.s', seq: 7 }))).toEqual({ epoch: '2.4758762a.s', seq: 7 });
    for (const text of ['', 'x', '1:', ':a', '-1:a', `1:${'a'.repeat(200)}`, '1:a\nb'])
      expect(cursorFrom(text)).toBe(undefined);
  });
});

it('the code of a close says whether to reconnect', () => {
  expect([1000, 1006, 1009, 1011, 1012, 4400, 4401, 4429, 4499, 4500, 4502, 4508, 4599].map(afterClose)).toEqual([
    'stop',
    'reconnect',
    'stop',
    'reconnect',
    'reconnect',
    'stop',
    'authenticate',
    'reconnect',
    'stop',
    'reconnect',
    'authenticate',
    'reconnect',
    'reconnect',
  ]);
});
