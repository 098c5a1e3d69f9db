/**
 * The fast path for events of flat schemas: it gives the same result as parsing and then admission, or nothing. In the
 * latter case parsing and admission decide.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EventObject } from 'xstate';
import { z } from 'zod';
import { type EventSchemas, parseEvent } from '../../../src/actors/model/agent.ts';
import { flatEvent } from '../../../src/actors/model/flat-events.ts';
import { VALUE_BYTES_MAX } from '../../../src/limits.ts';
import { byEffort } from '../../support/effort.ts';
import { textOfBytes, WIDE_CHARACTERS } from '../../support/text-of-bytes.ts';
import { admit, takeCount } from '../../../src/actors/model/value-check.ts';

const LONE_SURROGATE = '\ud800';

/** Fields of flat schemas, and of schemas that only look flat. */
const field = fc.constantFrom<z.ZodType>(
  z.string(),
  z.number(),
  z.boolean(),
  z.literal('paid'),
  z.literal(['open', true]),
  z.literal(0),
  z.enum(['low', 'high']),
  z.string().optional(),
  z.number().optional(),
  z.enum(['low', 'high']).optional(),
  z.string().describe('a name'),
  z.string().min(2),
  z.email(),
  z.int(),
  z.number().positive(),
  z.coerce.number(),
  z.string().trim(),
  z.string().default('none'),
  z.number().nullable(),
  z.string().transform((text) => text.length),
  z.boolean().catch(false),
  z.unknown(),
  z.object({ name: z.string() }),
  z.array(z.number()),
);

const key = fc.constantFrom('a', 'b', '漢', 'toString', '__keys__', LONE_SURROGATE);

const schema = fc
  .tuple(fc.dictionary(key, field, { maxKeys: 3 }), fc.constantFrom('strip', 'strict', 'loose', 'checked', 'typed'))
  .map(([shape, kind]) => {
    if (kind === 'strict') return z.strictObject(shape);
    if (kind === 'loose') return z.looseObject(shape);
    if (kind === 'checked') return z.object(shape).refine((value) => Object.keys(value).length !== 1);
    return kind === 'typed' ? z.object({ ...shape, type: z.literal('go') }) : z.object(shape);
  });

const value = fc.oneof(
  fc.constantFrom<unknown>('paid', 'open', 'low', true, 0, -0, NaN, Infinity, undefined, null, LONE_SURROGATE, '  x '),
  fc.string({ maxLength: 4 }),
  fc.constantFrom('é', '漢字', '😀'),
  fc.double(),
  fc.constantFrom<unknown>([1], { name: 'x' }, () => 1, Symbol('s'), 1n, new Date(0), 'x'.repeat(300_000)),
);

/** Forms in which an event arrives: a plain object, or something that only looks like one. */
const disguise = fc.constantFrom<(event: Record<string, unknown>) => object>(
  (event) => event,
  (event) => event,
  (event) => Object.freeze(event),
  (event) => new Proxy(event, {}),
  (event) => Object.assign(Object.create(null) as object, event),
  (event) => Object.assign(Object.create({ a: 'paid', b: 1 }) as object, event),
  (event) => Object.defineProperty(event, 'a', { enumerable: false }),
  (event) => Object.defineProperty(event, 'b', { get: () => 'low', enumerable: true }),
  (event) =>
    Object.defineProperty(event, 'a', {
      get: () => {
        throw new Error('no');
      },
      enumerable: true,
    }),
  (event) => Object.assign(event, { [Symbol('s')]: 1 }),
);

const sent = fc
  .tuple(fc.dictionary(key, value, { maxKeys: 3 }), fc.constantFrom<unknown>('go', 'go', 'go', 'stop', 7), disguise)
  .map(([fields, type, disguised]) => disguised({ type, ...fields }));

/** The slow path: the event and its bytes, or undefined if it is refused. */
function parsedAndAdmitted(events: EventSchemas, event: object): { event: EventObject; bytes: number } | undefined {
  try {
    const parsed = parseEvent({ name: 'agent', events }, event as EventObject);
    takeCount();
    return { event: admit(parsed, 'event'), bytes: takeCount() };
  } catch {
    return undefined;
  }
}

describe('the fast path for events of flat schemas', () => {
  it('accepts nothing that schema or admission refuse, and gives the same event with the same bytes', () => {
    fc.assert(
      fc.property(schema, sent, (of, event) => {
        const events = { go: of } as EventSchemas;
        takeCount();
        const flat = flatEvent(events, event);
        const bytes = takeCount();
        if (flat === undefined) {
          expect(bytes).toBe(0);
          return;
        }
        const long = parsedAndAdmitted(events, event);
        expect({ event: flat, bytes }).toStrictEqual(long);
        expect(Object.keys(flat)).toEqual(Object.keys(long!.event));
        expect(Object.isFrozen(flat)).toBe(true);
        for (const held of Object.values(flat)) expect(Object.is(held, -0)).toBe(false);
      }),
      { numRuns: byEffort({ quick: 600, ci: 20_000, soak: 300_000 }) },
    );
  });

  it('reads strings, numbers, booleans, enums and absent optional fields', () => {
    const events = {
      go: z.object({ name: z.string(), n: z.number(), is: z.boolean(), how: z.enum(['low', 'high']).optional() }),
    };
    const event = { type: 'go', name: 'alice', n: 2, is: true, unknown: 'left out' };
    expect(flatEvent(events, event)).toEqual({ type: 'go', name: 'alice', n: 2, is: true });
    expect(flatEvent(events, { ...event, how: 'low' })).toEqual({
      type: 'go',
      name: 'alice',
      n: 2,
      is: true,
      how: 'low',
    });
  });

  it('leaves an optional field that is present as undefined to the parser, enumerable or not', () => {
    const events = { go: z.object({ n: z.number().optional() }) };
    expect(flatEvent(events, { type: 'go', n: undefined })).toBeUndefined();
    expect(flatEvent(events, Object.defineProperty({ type: 'go' }, 'n', { enumerable: false }))).toBeUndefined();
    expect(flatEvent(events, { type: 'go' })).toEqual({ type: 'go' });
  });

  it.each(WIDE_CHARACTERS)('B6: counts and bounds text of %s in bytes, as admission does', (character) => {
    const schema = z.object({ [character]: z.string(), how: z.literal([character]) });
    const events = { [character]: schema };
    const event = (bytes: number) => ({
      type: character,
      [character]: textOfBytes(bytes, character),
      how: character,
    });
    takeCount();
    const flat = flatEvent(events, event(500));
    expect({ event: flat, bytes: takeCount() }).toStrictEqual(parsedAndAdmitted(events, event(500)));
    flatEvent(events, event(0));
    const room = VALUE_BYTES_MAX - takeCount();
    expect(flatEvent(events, event(room))).toBeDefined();
    expect(flatEvent(events, event(room + 1))).toBeUndefined();
  });

  it('copies the event, so that its sender cannot change it', () => {
    const event = { type: 'go', n: 1 };
    const flat = flatEvent({ go: z.object({ n: z.number() }) }, event);
    event.n = 2;
    expect(flat).toEqual({ type: 'go', n: 1 });
  });
});
