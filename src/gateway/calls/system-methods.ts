/** Rows of the table of methods: children of Bosses, dead letters, waits, names, and the whole system. */
import { z } from 'zod';
import { checkAddress } from '../../actors/model/address.ts';
import { type AnyAgent } from '../../actors/model/agent.ts';
import { mayReach } from '../callers/callers.ts';
import { reach } from './call.ts';
import { schemaOf } from './json-schema.ts';
import { kernelMethod } from './method-row.ts';
import { address, child, letter, limit, name, nothing, record, wait, READING } from './method-shapes.ts';

export const SYSTEM_METHODS = {
  'boss.children': kernelMethod({
    ...READING,
    looks: true,
    means: 'The children of a Boss, in the order of their first starts.',
    params: z.object({ address: address.default('root') }),
    result: z.object({ children: z.array(child) }),
    http: { verb: 'GET', path: '/v1/bosses/{address}/children' },
    example: {
      p: { address: 'root' },
      r: {
        children: [
          {
            id: 'visits',
            address: 'visits',
            status: 'running',
            kind: 'worker',
            restarts: 0,
            restartAtMs: null,
            lastError: null,
          },
        ],
      },
    },
    over: 'joined',
    run: ({ address }, { caller, looks }, { views }) => ({
      children: views.children(caller, checkAddress(address), looks),
    }),
  }),
  'deadletter.list': kernelMethod({
    ...READING,
    looks: true,
    means: 'Events that were undeliverable or set aside, oldest first.',
    params: z.object({
      reason: letter.shape.reason.optional(),
      after: z.number().int().nonnegative().default(0).describe('`number` of the last entry of the previous page.'),
      limit,
    }),
    result: z.object({ letters: z.array(letter) }),
    http: { verb: 'GET', path: '/v1/dead-letters' },
    example: {
      p: {},
      r: {
        letters: [
          {
            number: 3,
            reason: 'undeliverable',
            address: 'visits',
            atMs: 1_767_225_600_000,
            error: null,
            event: { type: 'add', by: 1 },
            action: null,
          },
        ],
      },
    },
    mcp: { tool: 'list_dead_letters', profiles: ['runtime'] },
    over: 'joined',
    run: ({ reason, ...page }, { caller, looks }, { views }) => ({
      letters: views.letters(caller, { ...page, ...(reason !== undefined && { reason }) }, looks),
    }),
  }),
  'audit.list': kernelMethod({
    means: 'The audit: each order with its author, address, time, reason and outcome, newest first.',
    scope: 'actor:admin',
    does: 'nothing',
    looks: true,
    params: z.object({
      address: address.optional(),
      before: z.number().int().positive().optional().describe('`number` of the last entry of the previous page.'),
      limit,
    }),
    result: z.object({ records: z.array(record) }),
    http: { verb: 'GET', path: '/v1/audit' },
    example: {
      p: { address: 'visits' },
      r: {
        records: [
          {
            number: 7,
            atMs: 1_767_225_600_000,
            by: 'ada',
            reason: 'figures under review',
            order: 'suspend',
            address: 'visits',
            life: 2,
            arguments: null,
            outcome: 'done',
          },
        ],
      },
    },
    over: 'joined',
    run: async ({ address, before = Infinity, limit }, { caller, looks }, { views }) => {
      if (address !== undefined) reach(caller, address);
      return { records: await views.audit(caller, { address, before, limit }, looks) };
    },
  }),
  'wait.list': kernelMethod({
    ...READING,
    looks: true,
    means: 'The actors that wait: for whom, since when and until when, longest first.',
    params: z.object({ limit }),
    result: z.object({ waits: z.array(wait) }),
    http: { verb: 'GET', path: '/v1/waits' },
    example: {
      p: {},
      r: {
        waits: [
          {
            kind: 'ask',
            address: 'front',
            state: 'asking',
            for: 'visits',
            sinceMs: 1_767_225_600_000,
            untilMs: 1_767_225_605_000,
          },
        ],
      },
    },
    mcp: { tool: 'list_waits', profiles: ['runtime', 'coder'] },
    over: 'joined',
    run: async ({ limit }, call, { views, pages: turns }) => ({ waits: await views.waits({ turns, call }, limit) }),
  }),
  'name.find': kernelMethod({
    ...READING,
    means: 'The actor that has a name, given by a `systemId` or the action `register`.',
    params: z.object({ name }),
    result: z.object({ address: z.string().nullable() }),
    http: { verb: 'GET', path: '/v1/names/{name}' },
    example: { p: { name: 'front-desk' }, r: { address: 'desks/1' } },
    over: 'joined',
    run: ({ name }, { caller }, { system }) => {
      const address = system.lookup(name)?.address;
      return { address: address !== undefined && mayReach(caller, address) ? address : null };
    },
  }),
  'group.members': kernelMethod({
    ...READING,
    looks: true,
    means: 'Addresses of the members of a group.',
    params: z.object({ name }),
    result: z.object({ members: z.array(z.string()) }),
    http: { verb: 'GET', path: '/v1/groups/{name}' },
    example: { p: { name: 'desks' }, r: { members: ['desks/1'] } },
    over: 'joined',
    run: ({ name }, { caller, looks }, { system }) => {
      const members = system.members(name);
      looks.charge(members.length);
      return { members: members.filter((address) => mayReach(caller, address)) };
    },
  }),
  'agent.list': kernelMethod({
    means: 'The agents of the system: versions, and the events that each takes from outside, as JSON Schema.',
    scope: 'system:read',
    does: 'nothing',
    params: nothing,
    result: z.object({
      agents: z.array(z.object({ name: z.string(), version: z.number(), events: z.record(z.string(), z.unknown()) })),
    }),
    http: { verb: 'GET', path: '/v1/agents' },
    example: {
      p: {},
      r: {
        agents: [
          {
            name: 'counter',
            version: 1,
            events: { add: { type: 'object', properties: { by: { type: 'number' } }, required: ['by'] } },
          },
        ],
      },
    },
    mcp: { tool: 'list_agents', profiles: ['runtime', 'coder'] },
    over: 'any',
    run: (_, __, { system }) => ({ agents: system.clientApi.agents().map(agentView) }),
  }),
  'system.info': kernelMethod({
    means: 'The health of the system: its epoch, an outage of its store, damage, counters of the gateway.',
    scope: 'system:read',
    does: 'nothing',
    params: nothing,
    result: z.looseObject({
      epoch: z.number(),
      nowMs: z.number(),
      outage: z.string().nullable(),
      damaged: z.number(),
      unreadable: z.number(),
      deadLetters: z.number(),
      eventLoopDelayMs: z.number().nullable().describe('Its 99th percentile in the last seconds.'),
      storeBytes: z.number().nullable().describe('null for a store in memory, and while the size cannot be read.'),
      gateway: z.record(z.string(), z.number()),
    }),
    http: { verb: 'GET', path: '/v1/system' },
    example: {
      p: {},
      r: {
        epoch: 12,
        nowMs: 1_767_225_600_000,
        outage: null,
        damaged: 0,
        unreadable: 0,
        deadLetters: 0,
        eventLoopDelayMs: 10.4,
        storeBytes: 48_213,
        gateway: { 'connections.open': 1 },
      },
    },
    over: 'joined',
    run: (_, __, { health }) => health.view(),
  }),
};

function agentView({ name, version, events }: AnyAgent) {
  const schemas = Object.entries(events).map(([type, schema]) => [type, schemaOf(schema, 'input')] as const);
  return { name, version, events: Object.fromEntries(schemas) };
}
