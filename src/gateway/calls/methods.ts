/**
 * The one table of what a client can call. WebSocket, HTTP, the documents and the command line are fed by it; what each
 * method does is in handlers.ts. A new method is a row here and a handler there.
 */
import { z } from 'zod';
import { type Scope } from '../client/callers.ts';
import {
  actorView,
  address,
  child,
  counter,
  event,
  ifSequence,
  inspection,
  letter,
  limit,
  listed,
  name,
  nothing,
  order,
  record,
  status,
  tree,
  turn,
  turned,
  wait,
} from './method-shapes.ts';

/**
 * `nothing`: reads. `changes`: may be repeated with a key. `destroys`: the same, and off unless the gateway was made
 * with `destructive: true`.
 */
export type Does = 'nothing' | 'changes' | 'destroys';

export interface MethodRow {
  readonly means: string;
  readonly scope: Scope;
  readonly does: Does;
  readonly params: z.ZodObject;
  readonly result: z.ZodType;
  /**
   * In the path, `{address}` is a parameter, percent-encoded as one segment. Others are in the query of a GET and in
   * the body of a POST.
   */
  readonly http: { readonly verb: 'GET' | 'POST'; readonly path: string };
  readonly example: { readonly p: Readonly<Record<string, unknown>>; readonly r: unknown };
}

export const METHODS = {
  'actor.get': {
    means: 'What an actor looks like, as of the last durable epoch.',
    scope: 'actor:read',
    does: 'nothing',
    params: z.object({ address }),
    result: actorView,
    http: { verb: 'GET', path: '/v1/actors/{address}' },
    example: { p: { address: 'visits' }, r: counter },
  },
  'machine.get': {
    means:
      'States and transitions of the machine that an actor runs, with those that are active, or of an agent by ' +
      'its name. BOSUN_CHART_UNKNOWN for other logic.',
    scope: 'actor:read',
    does: 'nothing',
    params: z.object({ name: address.describe('An address; where nobody lives there, the name of an agent.') }),
    result: z.object({
      agent: z.string(),
      chart: z.looseObject({
        id: z.string(),
        hash: z.string(),
        states: z.array(z.looseObject({ id: z.string() })),
        transitions: z.array(z.looseObject({ id: z.string() })),
      }),
      active: z.array(z.string()).nullable().describe('Ids of states; null of an agent.'),
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
  'actor.inspect': {
    means: 'One actor looked into: unread messages by their types, timers, children, why it is suspended.',
    scope: 'actor:read',
    does: 'nothing',
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
        last: null,
      },
    },
  },
  'chart.get': {
    means:
      'The statechart of the machine that an actor runs, as boxes, paths and lines of text with their places. ' +
      'BOSUN_CHART_UNKNOWN for other logic.',
    scope: 'actor:read',
    does: 'nothing',
    params: z.object({
      address,
      known: z.string().max(64).optional().describe('The `hash` of a drawing that the caller has.'),
    }),
    result: z.object({
      hash: z.string().describe("Of the machine's structure."),
      machine: z.string(),
      active: z.array(z.string()).describe('Ids of the states that are active.'),
      drawing: z
        .looseObject({ width: z.number(), height: z.number() })
        .nullable()
        .describe(
          'null where the caller has it: `kind`, `because`, `states`, `initials`, `arrows`, `labels`, `edges`, ' +
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
    means: 'Actors by address, a page at a time.',
    scope: 'actor:read',
    does: 'nothing',
    params: z.object({
      under: address.default('root'),
      agent: name.optional(),
      status: status.optional(),
      after: address.optional().describe('`next` of the page before.'),
      limit,
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
  },
  'actor.tree': {
    means: 'The supervision tree below an actor.',
    scope: 'actor:read',
    does: 'nothing',
    params: z.object({ address: address.default('root'), depth: z.number().int().min(0).max(64).default(64) }),
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
    means:
      'The last turns of an actor and of all below it, of the last 10,000 of the system: what led to what. Of ' +
      'events only types, of contexts nothing.',
    scope: 'actor:read',
    does: 'nothing',
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
    means:
      'The last turns that the store keeps of an actor, each with the context after it; none where its agent ' +
      'keeps none.',
    scope: 'actor:read',
    does: 'nothing',
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
      'its turn is, and with BOSUN_EVENT_NOT_TAKEN where the state did not. `ifSequence` makes it `taken`.',
    scope: 'actor:send',
    does: 'changes',
    params: z.object({ address, event, until: z.enum(['durable', 'taken']).default('durable'), ifSequence }),
    result: z.object({ taken: z.boolean().nullable().describe('null where nobody asked, and for a repeat.') }),
    http: { verb: 'POST', path: '/v1/actors/{address}/send' },
    example: { p: { address: 'visits', event: { type: 'add', by: 1 } }, r: { taken: null } },
  },
  'actor.ask': {
    means:
      'Sends an event and answers with the reply of the actor, once that is durable. With a key, a repeat gets ' +
      'the recorded reply. BOSUN_EVENT_NOT_TAKEN where the state does not take it.',
    scope: 'actor:send',
    does: 'changes',
    params: z.object({ address, event }),
    result: z.object({ reply: z.unknown() }),
    http: { verb: 'POST', path: '/v1/actors/{address}/ask' },
    example: { p: { address: 'visits', event: { type: 'count' } }, r: { reply: 1 } },
  },
  'actor.wait': {
    means: 'Answers when the actor looks as described. BOSUN_TIMEOUT when it does not within `deadlineMs`.',
    scope: 'actor:read',
    does: 'nothing',
    params: z.object({
      address,
      value: z.unknown().optional().describe("A state value, or a part of one, as XState's `matches` takes it."),
      tag: name.optional(),
      status: status.optional(),
    }),
    result: actorView,
    http: { verb: 'POST', path: '/v1/actors/{address}/wait' },
    example: { p: { address: 'visits', status: 'active' }, r: counter },
  },
  'actor.spawn': {
    means: 'Gets the actor, or has its Boss start one: the second call of the same changes nothing.',
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
  'actor.suspend': {
    means: 'Has an actor take no turns until it is resumed.',
    scope: 'actor:admin',
    does: 'changes',
    params: z.object({ address, ...order }),
    result: nothing,
    http: { verb: 'POST', path: '/v1/actors/{address}/suspend' },
    example: { p: { address: 'visits', reason: 'figures under review' }, r: {} },
  },
  'actor.resume': {
    means: 'Lets an actor go on that was suspended, by an order or with BOSUN_STATE_SUSPECT.',
    scope: 'actor:admin',
    does: 'changes',
    params: z.object({ address, ...order }),
    result: nothing,
    http: { verb: 'POST', path: '/v1/actors/{address}/resume' },
    example: { p: { address: 'visits' }, r: {} },
  },
  'actor.step': {
    means:
      'Has a suspended actor take one message and stay suspended. `event` is its type; null where there was none ' +
      'to take.',
    scope: 'actor:admin',
    does: 'changes',
    params: z.object({ address, ...order }),
    result: z.object({ event: z.string().nullable() }),
    http: { verb: 'POST', path: '/v1/actors/{address}/step' },
    example: { p: { address: 'visits' }, r: { event: 'add' } },
  },
  'actor.replace': {
    means:
      'Puts a suspended machine into another state value, gives it another context, or both. Entry and exit ' +
      'actions do not run.',
    scope: 'actor:admin',
    does: 'destroys',
    params: z.object({
      address,
      value: z.unknown().optional(),
      context: z.record(z.string(), z.unknown()).optional(),
      ifSequence,
      ...order,
    }),
    result: actorView,
    http: { verb: 'POST', path: '/v1/actors/{address}/replace' },
    example: {
      p: { address: 'visits', context: { count: 1 }, ifSequence: 1, reason: 'counted twice' },
      r: { ...counter, status: 'suspended' },
    },
  },
  'actor.kill': {
    means:
      'Fails an actor with BOSUN_KILLED: its Boss, or the machine that it belongs to, deals with it as with a crash.',
    scope: 'actor:admin',
    does: 'destroys',
    params: z.object({ address, ...order }),
    result: nothing,
    http: { verb: 'POST', path: '/v1/actors/{address}/kill' },
    example: { p: { address: 'visits' }, r: {} },
  },
  'actor.stop': {
    means: 'Has its Boss end a child, as `boss.terminateChild` does.',
    scope: 'actor:admin',
    does: 'destroys',
    params: z.object({ address, ...order }),
    result: nothing,
    http: { verb: 'POST', path: '/v1/actors/{address}/stop' },
    example: { p: { address: 'visits' }, r: {} },
  },
  'actor.restart': {
    means:
      'Ends a child of a Boss and has the Boss start it again. BOSUN_ORDER_REFUSED for children that a Boss ' +
      'forgets when they end.',
    scope: 'actor:admin',
    does: 'destroys',
    params: z.object({ address, ...order }),
    result: nothing,
    http: { verb: 'POST', path: '/v1/actors/{address}/restart' },
    example: { p: { address: 'visits' }, r: {} },
  },
  'actor.erase': {
    means: 'Removes an actor and everything below it for good, from the files too.',
    scope: 'actor:admin',
    does: 'destroys',
    params: z.object({ address, ...order }),
    result: nothing,
    http: { verb: 'POST', path: '/v1/actors/{address}/erase' },
    example: { p: { address: 'visits' }, r: {} },
  },
  'boss.children': {
    means: 'The children of a Boss, in the order of their first starts.',
    scope: 'actor:read',
    does: 'nothing',
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
  },
  'boss.terminateChild': {
    means: 'Ends a child. Its record is kept, but for temporary and dynamic children.',
    scope: 'actor:admin',
    does: 'destroys',
    params: z.object({ address: address.default('root'), id: address, ...order }),
    result: nothing,
    http: { verb: 'POST', path: '/v1/bosses/{address}/terminate' },
    example: { p: { address: 'root', id: 'visits' }, r: {} },
  },
  'boss.restartChild': {
    means: 'Starts a child again that has ended.',
    scope: 'actor:admin',
    does: 'changes',
    params: z.object({ address: address.default('root'), id: address, ...order }),
    result: z.object({ address: z.string() }),
    http: { verb: 'POST', path: '/v1/bosses/{address}/restart' },
    example: { p: { address: 'root', id: 'visits' }, r: { address: 'visits' } },
  },
  'boss.deleteChild': {
    means: 'Forgets a child that has ended.',
    scope: 'actor:admin',
    does: 'destroys',
    params: z.object({ address: address.default('root'), id: address, ...order }),
    result: nothing,
    http: { verb: 'POST', path: '/v1/bosses/{address}/delete' },
    example: { p: { address: 'root', id: 'visits' }, r: {} },
  },
  'deadletter.list': {
    means: 'Events that reached nobody or were put aside, oldest first.',
    scope: 'actor:read',
    does: 'nothing',
    params: z.object({
      reason: letter.shape.reason.optional(),
      after: z.number().int().nonnegative().default(0).describe('`number` of the last one of the page before.'),
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
  },
  'deadletter.redeliver': {
    means:
      "Takes a dead letter out and puts it, or `event` in its place, at the end of its receiver's mailbox. A " +
      'repeat finds it gone.',
    scope: 'actor:admin',
    does: 'changes',
    params: z.object({ number: z.number().int().positive(), event: event.optional(), ...order }),
    result: nothing,
    http: { verb: 'POST', path: '/v1/dead-letters/redeliver' },
    example: { p: { number: 3 }, r: {} },
  },
  'deadletter.discard': {
    means: 'Takes a dead letter out for good.',
    scope: 'actor:admin',
    does: 'destroys',
    params: z.object({ number: z.number().int().positive(), ...order }),
    result: nothing,
    http: { verb: 'POST', path: '/v1/dead-letters/discard' },
    example: { p: { number: 3 }, r: {} },
  },
  'audit.list': {
    means: 'Who ordered what of whom, when, why, and what came of it, newest first.',
    scope: 'actor:admin',
    does: 'nothing',
    params: z.object({
      address: address.optional(),
      before: z.number().int().positive().optional().describe('`number` of the last one of the page before.'),
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
  },
  'wait.list': {
    means: 'Who waits for whom, since when and until when, the longest waiting first.',
    scope: 'actor:read',
    does: 'nothing',
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
  },
  'name.find': {
    means: 'Who has a name, by a `systemId` or the action `register`.',
    scope: 'actor:read',
    does: 'nothing',
    params: z.object({ name }),
    result: z.object({ address: z.string().nullable() }),
    http: { verb: 'GET', path: '/v1/names/{name}' },
    example: { p: { name: 'front-desk' }, r: { address: 'desks/1' } },
  },
  'group.members': {
    means: 'Addresses of the members of a group.',
    scope: 'actor:read',
    does: 'nothing',
    params: z.object({ name }),
    result: z.object({ members: z.array(z.string()) }),
    http: { verb: 'GET', path: '/v1/groups/{name}' },
    example: { p: { name: 'desks' }, r: { members: ['desks/1'] } },
  },
  'agent.list': {
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
  },
  'system.info': {
    means: 'How the system stands: its epoch, an outage of its store, damage, what the gateway has counted.',
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
      storeBytes: z.number().nullable().describe('null for a store in memory.'),
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
  },
} as const satisfies Record<string, MethodRow>;

export type MethodName = keyof typeof METHODS;
export type ParamsOf<Name extends MethodName> = z.output<(typeof METHODS)[Name]['params']>;

export function rowOf(method: string): MethodRow | undefined {
  return Object.hasOwn(METHODS, method) ? METHODS[method as MethodName] : undefined;
}
