/** Rows of the table of methods: calls about one actor, and about actors selected by address. */
import { z } from 'zod';
import { TABLE_KEY_CHARS_MAX } from '../../limits.ts';
import { ACTORS_PAGE_MAX, SENDS_PER_CALL_MAX, TABLE_ROWS_SHOWN } from '../limits.ts';
import { type MethodRow } from './method-row.ts';
import {
  actorView,
  address,
  counter,
  event,
  flag,
  ifSequence,
  inspection,
  limit,
  nothing,
  actorLimit,
  listed,
  name,
  status,
  tree,
  turn,
  turned,
  READING,
} from './method-shapes.ts';

const rowKey = z.string().max(TABLE_KEY_CHARS_MAX).optional();

export const ACTOR_METHODS = {
  'actor.get': {
    ...READING,
    means: 'The state of an actor as of the last durable epoch.',
    params: z.object({ address }),
    result: actorView,
    http: { verb: 'GET', path: '/v1/actors/{address}' },
    example: { p: { address: 'visits' }, r: counter },
    mcp: { tool: 'inspect_actor', profiles: ['runtime', 'coder'] },
  },
  'machine.get': {
    ...READING,
    means:
      'States and transitions of the machine that an actor runs, with those that are active, or of an agent by ' +
      'its name. BOSUN_CHART_UNKNOWN for other logic.',
    params: z.object({ name: address.describe('An address, or the name of an agent if no actor lives there.') }),
    result: z.object({
      agent: z.string(),
      chart: z.looseObject({
        id: z.string(),
        hash: z.string(),
        states: z.array(z.looseObject({ id: z.string() })),
        transitions: z.array(z.looseObject({ id: z.string() })),
      }),
      active: z.array(z.string()).nullable().describe('Ids of states; null for an agent.'),
    }),
    http: { verb: 'GET', path: '/v1/machines/{name}' },
    example: {
      p: { name: 'visits' },
      r: {
        agent: 'counter',
        chart: {
          id: 'counter',
          version: null,
          hash: '7be7f0d7e0a7ad64',
          states: [{ id: 'counter', key: 'counter', parent: null, type: 'atomic' }],
          transitions: [{ id: 'counter|add|0', source: 'counter' }],
        },
        active: ['counter'],
      },
    },
  },
  'actor.select': {
    ...READING,
    means:
      'A value that a rule of the host derives from what the actor shows, by the name that it has there (the ' +
      'option `selectors`). BOSUN_CALL_INVALID for a name that it does not have, BOSUN_HOST_FAILED if the rule fails ' +
      'or gives a promise.',
    params: z.object({ address, selector: name }),
    result: z.object({ value: z.unknown() }),
    http: { verb: 'GET', path: '/v1/actors/{address}/selected/{selector}' },
    example: { p: { address: 'visits', selector: 'isOdd' }, r: { value: true } },
  },
  'table.read': {
    ...READING,
    means:
      'Rows of a table of the context of an actor, in order of keys, a page at a time: what a view of the actor ' +
      'leaves out. A page ends early where its rows are long; `next` is the `cursor` of the one behind it, in either ' +
      'order. BOSUN_TABLE_UNKNOWN where the context has no such table.',
    params: z.object({
      address,
      table: name.describe('Key of the table in the context.'),
      from: rowKey.describe('The lowest key of the range.'),
      below: rowKey.describe('The range ends before this key.'),
      reverse: flag.default(false).describe('Descending order of keys; the range is the same.'),
      cursor: rowKey.describe('`next` of the previous page, where this one begins.'),
      limit: z.number().int().min(1).max(TABLE_ROWS_SHOWN).default(TABLE_ROWS_SHOWN),
    }),
    result: z.object({
      size: z.number().describe('The number of rows in the whole table.'),
      count: z.number().describe('The number of rows in the range, whatever the page.'),
      rows: z.record(z.string(), z.unknown()),
      next: z.string().nullable().describe('The first key behind those of `rows`; null if there is none.'),
    }),
    http: { verb: 'GET', path: '/v1/actors/{address}/tables/{table}' },
    example: {
      p: { address: 'visits', table: 'guests', limit: 1 },
      r: { size: 2, count: 2, rows: { ada: { count: 1 } }, next: 'bob' },
    },
  },
  'actor.inspect': {
    ...READING,
    means: 'Details of one actor: unread messages by their types, timers, children, why it is suspended.',
    params: z.object({ address }),
    result: inspection,
    http: { verb: 'GET', path: '/v1/actors/{address}/inspection' },
    example: {
      p: { address: 'visits' },
      r: {
        address: 'visits',
        agent: 'counter',
        life: 2,
        kind: 'machine',
        version: 1,
        incarnation: 0,
        attempt: 0,
        parent: 'root',
        suspended: null,
        mailbox: 0,
        children: [],
        unread: [],
        timers: [],
        records: [{ name: 'decisions', first: 1, last: 41 }],
        last: null,
      },
    },
  },
  'chart.get': {
    ...READING,
    means:
      'The statechart of the machine that an actor runs, as boxes, paths and lines of text with their places. ' +
      'BOSUN_CHART_UNKNOWN for other logic.',
    params: z.object({
      address,
      known: z.string().max(64).optional().describe('The `hash` of a drawing that the caller has already.'),
    }),
    result: z.object({
      hash: z.string().describe("A hash of the machine's structure."),
      machine: z.string(),
      active: z.array(z.string()).describe('Ids of the states that are active.'),
      drawing: z
        .looseObject({ width: z.number(), height: z.number() })
        .nullable()
        .describe(
          'null if the caller has it already: `kind`, `because`, `states`, `initials`, `arrows`, `labels`, `edges`, ' +
            'as src/gateway/charts/drawing.ts has them.',
        ),
    }),
    http: { verb: 'GET', path: '/v1/actors/{address}/chart' },
    example: {
      p: { address: 'visits', known: '7be7f0d7e0a7ad64' },
      r: { hash: '7be7f0d7e0a7ad64', machine: '(machine)', active: ['(machine)'], drawing: null },
    },
  },
  'actor.list': {
    ...READING,
    looks: true,
    means: 'Actors by address, beginning with the one named, a page at a time.',
    params: z.object({
      under: address.default('root'),
      agent: name.optional(),
      status: status.optional(),
      after: address.optional().describe('`next` of the previous page.'),
      limit: actorLimit.default(100),
    }),
    result: z.object({ actors: z.array(listed), next: z.string().nullable() }),
    http: { verb: 'GET', path: '/v1/actors' },
    example: {
      p: { agent: 'counter' },
      r: {
        actors: [{ address: 'visits', agent: 'counter', status: 'active', state: {}, mailbox: 0, restarts: 0 }],
        next: null,
      },
    },
    mcp: { tool: 'list_actors', profiles: ['runtime', 'coder', 'hub'] },
  },
  'actor.tree': {
    ...READING,
    looks: true,
    means:
      'The supervision tree below an actor, a page at a time: branches of it in order of addresses, from the top. ' +
      'Pages are joined by address.',
    params: z.object({
      address: address.default('root'),
      depth: z.number().int().min(0).max(64).default(64),
      after: address.optional().describe('`next` of the previous page.'),
      limit: actorLimit.default(ACTORS_PAGE_MAX),
    }),
    result: tree,
    http: { verb: 'GET', path: '/v1/tree' },
    example: {
      p: { address: 'visits' },
      r: {
        address: 'visits',
        agent: 'counter',
        status: 'active',
        state: {},
        mailbox: 0,
        restarts: 0,
        lastError: null,
        restartInMs: null,
        boss: null,
        children: [],
      },
    },
  },
  'actor.turns': {
    ...READING,
    means:
      'The last turns of an actor and of all below it, of the last 10,000 of the system: what led to what. Of ' +
      'events only types, of contexts nothing.',
    params: z.object({
      address,
      after: z.number().int().nonnegative().default(0).describe('Only turns with a higher `number`.'),
      limit,
    }),
    result: z.object({ turns: z.array(turn) }),
    http: { verb: 'GET', path: '/v1/actors/{address}/turns' },
    example: { p: { address: 'visits' }, r: { turns: [{ ...turned, event: { type: 'add' }, change: null }] } },
  },
  'actor.history': {
    ...READING,
    means:
      'The last turns that the store keeps of an actor, each with the context after it; none where its agent ' +
      'keeps none.',
    params: z.object({ address, limit }),
    result: z.object({ turns: z.array(turn) }),
    http: { verb: 'GET', path: '/v1/actors/{address}/history' },
    example: {
      p: { address: 'visits' },
      r: {
        turns: [{ ...turned, event: { type: 'add', by: 1 }, change: { set: { count: 1 } }, context: { count: 1 } }],
      },
    },
  },
  'actor.send': {
    means:
      'Sends an event. Answers when it is durable, whether or not the state takes it; with `until: taken`, when ' +
      'its turn is, and with BOSUN_EVENT_NOT_TAKEN where the state did not, or at once with why the actor is ' +
      'suspended: then it is not sent. `ifSequence` makes it `taken`.',
    scope: 'actor:send',
    does: 'changes',
    keepsKeys: true,
    params: z.object({ address, event, until: z.enum(['durable', 'taken']).default('durable'), ifSequence }),
    result: z.object({ taken: z.boolean().nullable().describe('null if not asked for, and for a repeat.') }),
    http: { verb: 'POST', path: '/v1/actors/{address}/send' },
    example: { p: { address: 'visits', event: { type: 'add', by: 1 } }, r: { taken: null } },
    mcp: { tool: 'send_event', profiles: ['runtime', 'coder', 'hub'] },
  },
  'actor.sendMany': {
    means:
      'Sends many events in order, each as `actor.send` does, and counted as a call of its own. Answers when all are ' +
      'durable; where some are refused, with BOSUN_SENDS_REFUSED once the others are durable: `details.refused` has ' +
      '`index` and `error` of each. With a key each event counts once, and a repeat sends those that were refused.',
    scope: 'actor:send',
    does: 'changes',
    keepsKeys: true,
    params: z.object({ sends: z.array(z.object({ address, event })).max(SENDS_PER_CALL_MAX) }),
    result: nothing,
    http: { verb: 'POST', path: '/v1/sends' },
    example: {
      p: {
        sends: [
          { address: 'visits', event: { type: 'add', by: 1 } },
          { address: 'visits', event: { type: 'add', by: 2 } },
        ],
      },
      r: {},
    },
  },
  'actor.ask': {
    means:
      'Sends an event and answers with the reply of the actor, once that is durable. With a key, a repeat gets ' +
      'the recorded reply. BOSUN_EVENT_NOT_TAKEN where the state does not take it.',
    scope: 'actor:send',
    does: 'changes',
    keepsKeys: true,
    keepsTime: true,
    params: z.object({ address, event }),
    result: z.object({ reply: z.unknown() }),
    http: { verb: 'POST', path: '/v1/actors/{address}/ask' },
    example: { p: { address: 'visits', event: { type: 'count' } }, r: { reply: 1 } },
    mcp: { tool: 'ask_actor', profiles: ['runtime', 'coder', 'hub'] },
  },
  'actor.wait': {
    ...READING,
    keepsTime: true,
    means: 'Answers when the actor meets the condition. BOSUN_TIMEOUT if it does not within `deadlineMs`.',
    params: z.object({
      address,
      value: z.unknown().optional().describe("A state value, or a part of one, as for XState's `matches`."),
      tag: name.optional(),
      status: status.optional(),
    }),
    result: actorView,
    http: { verb: 'POST', path: '/v1/actors/{address}/wait' },
    example: { p: { address: 'visits', status: 'active' }, r: counter },
    mcp: { tool: 'wait_for_actor', profiles: ['runtime', 'coder', 'hub'] },
  },
  'actor.spawn': {
    means: 'Gets the actor, or has its Boss start it. Repeating the call changes nothing.',
    scope: 'actor:admin',
    does: 'changes',
    params: z.object({
      agent: name,
      id: address,
      under: address.default('root'),
      input: z.unknown().optional(),
      restart: z.enum(['permanent', 'transient', 'temporary']).optional(),
    }),
    result: z.object({ address: z.string() }),
    http: { verb: 'POST', path: '/v1/actors' },
    example: { p: { agent: 'counter', id: 'visits' }, r: { address: 'visits' } },
  },
} as const satisfies Record<string, MethodRow>;
