/** Events and commands for fast-check, from an agent and its schemas. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../src/actors/api/define-agent.ts';
import { isBosunError } from '../../src/errors.ts';
import { ARBITRARY_REFUSALS_MAX } from '../../src/limits.ts';
import { agentModel } from '../../src/testing/arbitraries/agent-model.ts';
import { eventArbitrary } from '../../src/testing/arbitraries/event-arbitrary.ts';
import { schemaArbitrary } from '../../src/testing/arbitraries/schema-arbitrary.ts';
import { byEffort, LONG } from '../support/effort.ts';

const RUNS = { numRuns: byEffort({ quick: 20, ci: 50 }) };

interface Tree {
  readonly value: number;
  readonly children: readonly Tree[];
}
const tree: z.ZodType<Tree> = z.lazy(() => z.object({ value: z.int(), children: z.array(tree) }));

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  text: z.string().min(3).max(5),
  pattern: z.string().regex(/^[A-Z]{2}-\d{3}$/),
  'pattern with a lookahead': z.string().regex(/^(?!no(?:ne)?$)[a-z(]{1,9}(?<![(])$/),
  'pattern of Unicode': z.string().regex(/^(?!\s)[^\p{Cc}]{1,9}$/u),
  email: z.email(),
  uuid: z.uuid(),
  url: z.url(),
  time: z.iso.datetime(),
  date: z.iso.date(),
  whole: z.int().min(-3).max(3),
  positive: z.int().positive(),
  'by sevens': z.int().multipleOf(7).min(1),
  number: z.number().gt(0).lt(1),
  'by halves': z.number().multipleOf(0.5).min(1).max(3),
  literal: z.literal(['a', 1, null]),
  choice: z.enum(['red', 'green']),
  flag: z.boolean(),
  nothing: z.null(),
  either: z.union([z.string(), z.array(z.boolean())]),
  nullable: z.string().nullable(),
  object: z.object({ a: z.int(), b: z.string().optional(), c: z.number().default(1) }),
  strict: z.strictObject({ a: z.int() }),
  both: z.intersection(z.object({ a: z.int() }), z.object({ b: z.string() })),
  'told apart': z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a'), n: z.int() }),
    z.object({ kind: z.literal('b'), s: z.string() }),
  ]),
  list: z.array(z.int()).min(2).max(4),
  pair: z.tuple([z.string(), z.int()]),
  'pair and more': z.tuple([z.string()], z.int()),
  record: z.record(z.string().min(2), z.int()),
  'record by choice': z.record(z.enum(['x', 'y']), z.int()),
  anything: z.unknown(),
  moment: z.date(),
  large: z.bigint(),
  tree,
  refined: z.string().refine((text) => !text.includes('e')),
  transformed: z.string().transform((text) => text.length),
};

describe('values drawn for a schema', () => {
  it.each(Object.entries(SCHEMAS))('are accepted by the schema: %s', (_, schema) => {
    fc.assert(
      fc.property(schemaArbitrary(fc, schema), (value) => schema.safeParse(value).success),
      RUNS,
    );
  });

  it('cover all values that the schema accepts, not only the simplest', () => {
    const drawn = fc.sample(schemaArbitrary(fc, z.object({ a: z.enum(['x', 'y']).optional(), b: z.int() })), {
      ...RUNS,
      numRuns: 200,
    });
    expect(new Set(drawn.map(({ a }) => a))).toEqual(new Set(['x', 'y', undefined]));
    expect(drawn.some(({ b }) => b < 0) && drawn.some(({ b }) => b > 1_000)).toBe(true);
  });

  it(`are refused at most ${ARBITRARY_REFUSALS_MAX} times in a row, and then an error says so`, () => {
    const never = schemaArbitrary(
      fc,
      z.int().refine(() => false),
    );
    expect(() => fc.sample(never, 1)).toThrow(/give an arbitrary for it/);
  });
});

const counter = defineAgent({
  name: 'counter',
  machine: setup({
    types: {} as {
      context: { count: number };
      events: { type: 'add'; by: number } | { type: 'rest' } | { type: 'end' };
      input: { from: number };
    },
    delays: { rest: 1_000 },
    actions: { add: assign({ count: ({ context, event }) => context.count + (event.type === 'add' ? event.by : 0) }) },
  }).createMachine({
    context: ({ input }) => ({ count: input.from }),
    initial: 'awake',
    states: {
      awake: { on: { add: { actions: 'add' }, rest: 'resting', end: 'ended' } },
      resting: { after: { rest: { target: 'awake', actions: assign({ count: 0 }) } } },
      ended: { type: 'final' },
    },
  }),
  events: { add: z.object({ by: z.int().default(1) }), rest: z.object({}), end: z.object({}) },
});

describe('events drawn for an agent', () => {
  it('DC-010: are of every type that the agent declares, with the fields of their schemas', () => {
    const drawn = fc.sample(eventArbitrary(fc, counter), { ...RUNS, numRuns: 200 });
    expect(new Set(drawn.map(({ type }) => type))).toEqual(new Set(['add', 'rest', 'end']));
  });

  it('have the types and fields that a test chooses', () => {
    const options = { types: ['add'], fields: { add: fc.constant({ by: 7 }) } };
    expect(fc.sample(eventArbitrary(fc, counter, options), 2)).toEqual([
      { type: 'add', by: 7 },
      { type: 'add', by: 7 },
    ]);
    expect(() => eventArbitrary(fc, counter, { types: ['ad'] })).toThrow('declares no event "ad"');
  });
});

describe('an agent under random commands', () => {
  it('DC-010: has the state that XState would have, whatever it is sent and wherever the power is cut', async () => {
    const { commands, run } = agentModel(fc, counter, { input: { from: 3 }, advanceMs: 1_500 });
    await fc.assert(fc.asyncProperty(commands, run), { ...RUNS, numRuns: 20 });
  });

  it('DC-010: fails with the shortest story if it keeps data outside its context', LONG, async () => {
    const remembered = new WeakMap<object, number>();
    const forgetful = defineAgent({
      name: 'forgetful',
      machine: setup({
        types: {} as { context: { count: number }; events: { type: 'add' } },
        actions: {
          add: assign({
            count: ({ self }) => {
              const count = (remembered.get(self) ?? 0) + 1;
              remembered.set(self, count);
              return count;
            },
          }),
        },
      }).createMachine({ context: { count: 0 }, on: { add: { actions: 'add' } } }),
      events: { add: z.object({}) },
    });
    const { commands, run } = agentModel(fc, forgetful);
    const { failed, counterexample } = await fc.check(fc.asyncProperty(commands, run), { ...RUNS, numRuns: 100 });
    expect(failed).toBe(true);
    // The path for a replay is told behind the commands.
    const [first, cut, second, ...more] = String(counterexample![0])
      .replace(/ *\/\*.*$/, '')
      .split(',');
    const [add, death] = ['send {"type":"add"}', 'cut the power and start again'];
    expect([first, cut, second]).toEqual([add, death, add]);
    // The difference may show itself only at the next start.
    expect([[], [death]]).toContainEqual(more);
  });

  it("is checked by a test's own condition instead, if the comparison with XState is off", async () => {
    const { commands, run } = agentModel(fc, counter, {
      input: { from: 0 },
      isCompared: false,
      check: ({ context }) => expect((context as { count: number }).count).toBeLessThan(1_000),
      events: eventArbitrary(fc, counter, { types: ['add'], fields: { add: fc.constant({ by: 600 }) } }),
    });
    const { failed, errorInstance } = await fc.check(fc.asyncProperty(commands, run), RUNS);
    expect([failed, String(errorInstance)]).toEqual([true, expect.stringContaining('1200')]);
  });

  it('is refused if it has no events', () => {
    const mute = defineAgent({ name: 'mute', machine: setup({}).createMachine({}), events: {} });
    try {
      agentModel(fc, mute);
      expect.unreachable();
    } catch (error) {
      expect(isBosunError(error, 'BOSUN_CONFIG_INVALID')).toBe(true);
    }
  });
});
