/** Rows of the table of methods: reads of one actor, and of actors selected by address. */
import { z } from 'zod';
import { type PromptMark } from '../../actors/api/procedure.ts';
import { checkAddress } from '../../actors/model/address.ts';
import { BosunError } from '../../errors.ts';
import { type Shard } from '../../shard.ts';
import { type Caller, mayReach } from '../callers/callers.ts';
import { activeStates } from '../charts/active.ts';
import { chartOf } from '../charts/model.ts';
import { type TurnView } from '../protocol/views.ts';
import { shownKept, shownTurn } from '../topics/turn-views.ts';
import { TABLE_KEY_CHARS_MAX } from '../../limits.ts';
import { ACTORS_PAGE_MAX, TABLE_ROWS_SHOWN } from '../limits.ts';
import { type CallParts } from './call-parts.ts';
import { type Call, reach } from './call.ts';
import { frontMethod, kernelMethod } from './method-row.ts';
import { selected } from './selectors.ts';
import {
  actorView,
  address,
  counter,
  flag,
  inspection,
  limit,
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

const EXPLAIN_ACTOR: PromptMark = {
  name: 'explain-actor',
  description: 'Explain how an actor came into its state, and what it waits for.',
  arguments: [{ name: 'address', description: 'The address of the actor.' }],
  text:
    'Explain how the actor {address} came into its state and what it waits for. Read it with inspect_actor, what led ' +
    'there with show_history, the states that it may go to with show_chart, and for whom it waits with list_waits. ' +
    'Change nothing.',
};

export const ACTOR_METHODS = {
  'actor.get': kernelMethod({
    ...READING,
    means: 'The state of an actor as of the last durable epoch.',
    params: z.object({ address }),
    result: actorView,
    http: { verb: 'GET', path: '/v1/actors/{address}' },
    example: { p: { address: 'visits' }, r: counter },
    mcp: {
      tool: 'inspect_actor',
      profiles: ['runtime', 'coder'],
      resource: {
        uri: 'bosun://actor/{+address}',
        name: 'actor',
        description: 'An actor by its address: state, context, and the events that it takes.',
      },
      prompts: [EXPLAIN_ACTOR],
    },
    over: 'address',
    run: ({ address }, { caller }, { views }) => views.actor(reach(caller, address)),
  }),
  'machine.get': kernelMethod({
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
    over: 'joined',
    run: ({ name }, { caller }, { system }) => machineOf(system, caller, name),
  }),
  'actor.select': frontMethod({
    ...READING,
    means:
      'A value that a rule of the host derives from what the actor shows, by the name that it has there (the ' +
      'option `selectors`). BOSUN_CALL_INVALID for a name that it does not have, BOSUN_HOST_FAILED if the rule fails ' +
      'or gives a promise.',
    params: z.object({ address, selector: name }),
    result: z.object({ value: z.unknown() }),
    http: { verb: 'GET', path: '/v1/actors/{address}/selected/{selector}' },
    example: { p: { address: 'visits', selector: 'isOdd' }, r: { value: true } },
    run: (params, call, parts) => selected(parts, params, call),
  }),
  'table.read': kernelMethod({
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
    over: 'address',
    run: ({ address, table, ...page }, { caller }, { views }) => views.table(reach(caller, address), table, page),
  }),
  'actor.inspect': kernelMethod({
    ...READING,
    looks: true,
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
    over: 'address',
    run: ({ address }, { caller, looks }, { inspections }) => inspections.view(caller, reach(caller, address), looks),
  }),
  'chart.get': kernelMethod({
    ...READING,
    means:
      'The statechart of the machine that an actor runs, as boxes, paths and lines of text with their places; of one ' +
      'that has ended, while its result is kept, that of its agent. BOSUN_CHART_UNKNOWN for other logic.',
    params: z.object({
      address,
      known: z.string().max(64).optional().describe('The `hash` of a drawing that the caller has already.'),
    }),
    result: z.object({
      hash: z.string().describe("A hash of the machine's structure."),
      machine: z.string(),
      active: z.array(z.string()).describe('Ids of the states that are active; none if the actor has ended.'),
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
    over: 'address',
    run: ({ address, known }, { caller }, { inspections }) => inspections.chart(reach(caller, address), known),
  }),
  'actor.list': kernelMethod({
    ...READING,
    looks: true,
    means:
      'Actors by address, beginning with the one named, a page at a time. A page ends early, and may have none, ' +
      'where 10,000 have been looked at: `next` is null after the last one only.',
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
        actors: [
          {
            address: 'visits',
            agent: 'counter',
            status: 'active',
            state: {},
            mailbox: 0,
            restarts: 0,
            startedAtMs: 1_767_225_600_000,
          },
        ],
        next: null,
      },
    },
    mcp: { tool: 'list_actors', profiles: ['runtime', 'coder', 'hub'] },
    over: 'joined',
    run: ({ under, ...page }, call, { views, pages: turns }) => views.list({ turns, call }, checkAddress(under), page),
  }),
  'actor.tree': kernelMethod({
    ...READING,
    looks: true,
    means:
      'The supervision tree below an actor, a page at a time: branches of it in order of addresses, from the top. ' +
      'Pages are joined by address, and end early as those of `actor.list` do.',
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
    over: 'joined',
    run: ({ address, ...page }, call, { views, pages: turns }) =>
      views.treePage({ turns, call }, checkAddress(address), page),
  }),
  'actor.turns': kernelMethod({
    ...READING,
    looks: true,
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
    over: 'joined',
    run: ({ address, after, limit }, call, parts) => ({
      turns: turnsOf(parts, call, { address: reach(call.caller, address), after, limit }),
    }),
  }),
  'actor.history': kernelMethod({
    ...READING,
    looks: true,
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
    over: 'address',
    run: async ({ address, limit }, { caller, looks }, { system, views }) => {
      const turns = await system.admin.history(reach(caller, address), { limit });
      looks.charge(turns.length);
      return { turns: turns.map((record) => shownKept(views, caller, record)) };
    },
  }),
};

function machineOf(system: Shard, caller: Caller, name: string): unknown {
  const { clientApi } = system;
  const seen = mayReach(caller, name) ? system.snapshot(name) : undefined;
  const agent = clientApi.agent(name);
  if (seen === undefined && agent === undefined) {
    reach(caller, name);
    throw new BosunError('BOSUN_ACTOR_UNKNOWN', `there is no actor and no agent named ${JSON.stringify(name)}`, {
      details: { address: name },
    });
  }
  if (seen === undefined) return { agent: name, chart: chartOf(agent!.machine), active: null };
  const run = clientApi.machineAt(name);
  if (run === undefined)
    throw new BosunError('BOSUN_CHART_UNKNOWN', `${name} does not run a machine of the current code`, {
      details: { address: name },
    });
  const chart = chartOf(run);
  return { agent: seen.agent, chart, active: seen.value === null ? null : [...activeStates(chart, seen.value)] };
}

function turnsOf(
  { system, views }: CallParts,
  { caller, looks }: Pick<Call, 'caller' | 'looks'>,
  { address, ...which }: { address: string; after: number; limit: number },
): TurnView[] {
  // Filter before limiting, so that records which the caller may not see do not use up its page.
  const { limit } = which;
  const seesAll = caller.addresses.includes('**');
  const read = system.admin.recent(address, seesAll ? which : { after: which.after });
  looks.charge(read.length);
  const records = seesAll ? read : read.filter((record) => mayReach(caller, record.address)).slice(-limit);
  return records.map((record) => shownTurn(views, caller, record));
}
