/**
 * Schemas of users with code that gives promises or throws: refused when an agent is defined if that is visible, and
 * otherwise at each event, with its place. No rejection is left without a handler, which would end the process.
 */
import { assign, createMachine, type EventObject } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { newRecord } from '../../../src/actors/model/records.ts';
import { record } from '../../../src/actors/model/talk-actions.ts';
import { tableSchema } from '../../../src/actors/model/table-schema.ts';
import { table } from '../../../src/table.ts';
import { started } from '../../support/actors/started.ts';
import { unhandled } from '../../support/unhandled.ts';

const machine = createMachine({
  context: { got: null as unknown },
  on: {
    go: { actions: assign({ got: ({ event }) => event }) },
    note: { actions: record('notes', () => ({ n: 1 })) as never },
  },
});

function agentWith(events: Readonly<Record<string, z.ZodType>>, more: object = {}): AnyAgent {
  return defineAgent({ name: 'desk', machine, events, ...more } as never);
}

async function startDesk(events: Readonly<Record<string, z.ZodType>>, more: object = {}) {
  const test = await started({
    agents: [agentWith(events, more)],
    tree: { children: [{ id: 'desk', agent: 'desk' }] },
  });
  return { test, send: (fields: object) => test.shard.send('desk', { type: 'go', ...fields } as EventObject) };
}

const rejects = (): never => Promise.reject(new Error('no database')) as never;
const fulfils = (): never => Promise.resolve(true) as never;
const thenable = (): never => ({ then: (resolve: (value: boolean) => void) => resolve(true) }) as never;

/** Schemas of the field `a` with a function that is called when a text is parsed. */
const CALLED: Readonly<Record<string, (call: () => never) => z.ZodType>> = {
  refine: (call) => z.string().refine(call),
  check: (call) => z.string().check(call),
  superRefine: (call) => z.string().superRefine(call),
  transform: (call) => z.string().transform(call),
  overwrite: (call) => z.string().overwrite(call).min(1),
  preprocess: (call) => z.preprocess(call, z.string()),
  codec: (call) => z.codec(z.string(), z.string(), { decode: call, encode: (text) => text }),
  custom: (call) => z.custom(call),
  catch: (call) => z.number().catch(call) as never,
  default: (call) =>
    z
      .undefined()
      .or(z.any())
      .transform(() => undefined)
      .pipe(z.string().default(call) as never),
  prefault: (call) =>
    z
      .any()
      .transform(() => undefined)
      .pipe(z.string().prefault(call) as never),
  lazy: (call) => z.lazy(call as never),
  'the format': (call) => z.stringFormat('plate', call),
  'the error message': (call) => z.number({ error: call as never }),
  'a union': (call) => z.union([z.number(), z.string().refine(call)]),
  'an intersection': (call) => z.string().and(z.string().refine(call)),
  'an optional, nullable, readonly one': (call) => z.string().refine(call).nullable().optional().readonly(),
};

/** Schemas whose functions are seen when the agent is defined. */
const VISIBLE = Object.entries(CALLED).filter(([name]) => !['superRefine', 'default', 'prefault'].includes(name));

/** Schemas whose functions are called for each event, unlike that of a lazy one. */
const HIDDEN = Object.entries(CALLED).filter(([name]) => name !== 'lazy');

describe('an event schema with code that gives a promise (class D)', () => {
  it.each(VISIBLE)('is refused with its place by defineAgent if it has an async function: %s', (_, schemaOf) => {
    const schema = schemaOf((async () => true) as never);
    expect(() => agentWith({ go: z.object({ a: z.object({ b: schema }) }) })).toThrow(
      expect.objectContaining({
        code: 'BOSUN_AGENT_INVALID',
        message: expect.stringMatching(
          /^agent "desk": the schema of "go": a\.b: its .* is an async function/,
        ) as string,
      }),
    );
  });

  it('is refused by defineAgent in an array, a record, a union by a field, and as a schema of promises', () => {
    const async = z.string().refine(async () => true);
    const kinds = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('x') }),
      z.object({ kind: z.literal('y'), async }),
    ]);
    for (const schema of [z.array(async), z.record(z.string(), async), kinds, z.promise(z.string())])
      expect(() => agentWith({ go: z.object({ a: schema }) })).toThrow(/the schema of "go": a.*: its/);
    expect(() => agentWith({ go: z.object({}).refine(async () => true) })).toThrow('the schema of "go": its refine is');
    const lazy = z.lazy(() => Promise.reject(new Error('late')) as never);
    expect(() => agentWith({ go: z.object({ a: lazy }) })).toThrow('the schema of "go": a: its lazy gives a promise');
  });

  it.each(HIDDEN)('is refused with agent, type and field at each event: %s', async (_, schemaOf) => {
    for (const call of [rejects, fulfils, thenable]) {
      const { send } = await startDesk({ go: z.object({ a: z.looseObject({ b: schemaOf(() => call()) }) }) });
      const lost = await unhandled(async () => {
        for (const text of ['x', 'y'])
          await expect(send({ a: { b: text } })).rejects.toMatchObject({
            code: 'BOSUN_EVENT_INVALID',
            message: expect.stringMatching(/^go for desk: a\.b: its .* gives a promise/) as string,
          });
      });
      expect(lost).toEqual([]);
    }
  });

  it('leaves no rejection behind if the code of a later field throws', async () => {
    const throws = (): never => {
      throw new Error('broken');
    };
    const fields = { a: z.string().refine(() => rejects()), b: z.string().refine(throws) };
    const { send } = await startDesk({ go: z.object(fields) });
    const given = () => expect(send({ a: 'x', b: 'y' })).rejects.toMatchObject({ code: 'BOSUN_EVENT_INVALID' });
    expect(await unhandled(given)).toEqual([]);
  });
});

describe('an event with promises that is refused (class D)', () => {
  it('leaves no rejection behind', async () => {
    const { test, send } = await startDesk({ go: z.strictObject({ a: z.string().optional() }) });
    const given = async () => {
      for (const fields of [{ a: rejects() }, { b: rejects() }, { a: [{ deep: rejects() }] }])
        await expect(send(fields)).rejects.toMatchObject({ code: 'BOSUN_EVENT_INVALID' });
      for (const event of [rejects(), { type: rejects() }, { type: 'other', a: rejects() }])
        await expect(test.shard.send('desk', event)).rejects.toMatchObject({ code: 'BOSUN_EVENT_REFUSED' });
    };
    expect(await unhandled(given)).toEqual([]);
  });
});

describe('an event schema with code', () => {
  it('takes effect as in zod, also where it refers to itself (class D)', async () => {
    type Tree = { name: string; below?: Tree[] | undefined };
    const name = z
      .string()
      .trim()
      .refine((text) => text !== 'no', 'not that');
    const tree: z.ZodType<Tree> = z.object({ name, below: z.lazy(() => z.array(tree)).optional() });
    const own = z.object({
      name,
      get below() {
        return z.array(own).optional();
      },
    });
    const size = z.codec(z.string(), z.number(), { decode: Number, encode: String });
    const kinds = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), n: z.number().transform((n) => n + 1) }),
      z.object({ kind: z.literal('b'), size }),
    ]);
    const schema = z.object({ tree, own: own as never, kinds: z.array(kinds), d: z.string().default(() => 'given') });
    const { test, send } = await startDesk({ go: schema });
    const given = { name: ' a ', below: [{ name: 'b ', below: [{ name: 'c' }] }] };
    await send({
      tree: given,
      own: given,
      kinds: [
        { kind: 'a', n: 1 },
        { kind: 'b', size: '2' },
      ],
    });
    await test.settle();
    const trimmed = { name: 'a', below: [{ name: 'b', below: [{ name: 'c' }] }] };
    expect(test.shard.snapshot('desk')!.context).toEqual({
      got: {
        type: 'go',
        tree: trimmed,
        own: trimmed,
        kinds: [
          { kind: 'a', n: 2 },
          { kind: 'b', size: 2 },
        ],
        d: 'given',
      },
    });
    const wrong = { name: 'a', below: [{ name: 'no' }] };
    await expect(send({ tree: wrong, own: wrong, kinds: [] })).rejects.toThrow(
      'go for desk: tree.below.0.name: not that; own.below.0.name: not that',
    );
  });

  it('is refused by defineAgent if its schemas cannot be read, or have no end (class D)', () => {
    const endless = (): z.ZodType => z.lazy(() => z.array(endless()));
    const broken = z.lazy((): z.ZodType => {
      throw new Error('not there yet');
    });
    expect(() => agentWith({ go: z.object({ a: broken }) })).toThrow('the schema of "go": a: its lazy: not there yet');
    expect(() => agentWith({ go: z.object({ a: endless() }) })).toThrow('has more than');
    expect(() => agentWith({ go: { def: { type: 'object' } } as never })).toThrow('is not an object schema of zod 4');
    for (const options of [
      { shown: { context: {} } },
      { shown: { emitted: { done: {} } } },
      { records: { notes: { schema: {} } } },
    ])
      expect(() => agentWith({}, options)).toThrow(
        expect.objectContaining({ code: 'BOSUN_AGENT_INVALID', message: expect.stringMatching(/zod 4/) as string }),
      );
  });

  it.each<[string, z.ZodType]>([
    ['a union', z.union([z.object({ a: z.number() }), z.object({ b: z.string() })])],
    [
      'a union by a field',
      z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]),
    ],
    ['an intersection', z.object({ a: z.number() }).and(z.object({ b: z.number() }))],
    ['a record', z.record(z.string(), z.number())],
    ['a pipe', z.object({ n: z.number() }).pipe(z.object({ n: z.number() }))],
    ['a lazy object', z.lazy(() => z.object({}))],
    ['an optional object', z.object({}).optional()],
  ])('is refused by defineAgent if it is %s, which the fields of an event cannot be read from (03)', (_, schema) => {
    expect(() => agentWith({ go: schema })).toThrow('the schema of "go" is not an object schema of zod 4');
  });

  it('is refused at the event if it turns the object into something else (class D)', async () => {
    const shared = Object.freeze({ a: 1 });
    for (const made of [null, 5, [], () => {}]) {
      const { send } = await startDesk({ go: z.looseObject({}).overwrite(() => made as never) });
      await expect(send({})).rejects.toMatchObject({
        code: 'BOSUN_EVENT_INVALID',
        message: 'go for desk: its schema gives something that is not an object',
      });
    }
    const { send } = await startDesk({ go: z.looseObject({}).overwrite(() => shared) });
    await send({});
  });
});

describe('a record schema with code that gives a promise (class D)', () => {
  it('is refused by defineAgent if it is async, and so are the shown ones', () => {
    const schema = z.object({ n: z.number().refine(async () => true) });
    const refused = (options: object) => expect(() => agentWith({}, options));
    refused({ records: { notes: { schema } } }).toThrow('records.notes.schema: n: its refine is an async function');
    refused({ shown: { context: schema } }).toThrow('shown.context: n: its refine is an async function');
    refused({ shown: { emitted: { done: schema } } }).toThrow('shown.emitted.done: n: its refine is an async function');
  });

  it('refuses the record with its place', async () => {
    const schemaOf = (call: () => never) => z.object({ n: z.number().refine(call) });
    const recorded = (call: () => never) =>
      newRecord(
        new Map([['notes', { schema: schemaOf(call), keep: { count: 1, forMs: 1 }, keys: [] }]]),
        'notes',
        { n: 1 },
        'desk',
      );
    const throws = (): never => {
      throw new Error('broken');
    };
    const lost = await unhandled(async () => {
      for (const [call, why] of [
        [() => rejects(), 'n: its refine gives a promise'],
        [throws, 'it cannot be checked: broken'],
      ] as const)
        expect(() => recorded(call)).toThrow(
          expect.objectContaining({
            code: 'BOSUN_VALUE_REFUSED',
            message: expect.stringContaining(`desk: record "notes": ${why}`) as string,
          }),
        );
    });
    expect(lost).toEqual([]);
  });
});

describe('a table schema whose row has code that gives a promise (class D)', () => {
  it('refuses the table', async () => {
    const rows = tableSchema(z.string().refine(() => rejects()));
    const { send } = await startDesk({ go: z.object({ rows }) });
    const given = () =>
      expect(send({ rows: table([['a', 'b']]) })).rejects.toMatchObject({ code: 'BOSUN_EVENT_INVALID' });
    expect(await unhandled(given)).toEqual([]);
  });
});
