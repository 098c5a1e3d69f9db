/** Rows of the table of methods: orders of people, all of which are audited. */
import { z } from 'zod';
import { TABLE_KEY_CHARS_MAX } from '../../limits.ts';
import { type MethodRow } from './method-row.ts';
import { actorView, address, counter, event, ifSequence, name, nothing, order } from './method-shapes.ts';

/** An order about one actor, without a result. */
const OF_ACTOR = {
  scope: 'actor:admin',
  params: z.object({ address, ...order }),
  result: nothing,
  example: { p: { address: 'visits' }, r: {} },
} as const;

/** An order about a child of a Boss, without a result. */
const OF_CHILD = {
  scope: 'actor:admin',
  params: z.object({ address: address.default('root'), id: address, ...order }),
  result: nothing,
  example: { p: { address: 'root', id: 'visits' }, r: {} },
} as const;

/** A row of a table in an actor's context. */
const OF_ROW = z.object({
  address,
  table: name.describe('Key of the table in the context.'),
  key: z.string().min(1).max(TABLE_KEY_CHARS_MAX),
  ifSequence,
  ...order,
});

export const ORDER_METHODS = {
  'actor.suspend': {
    ...OF_ACTOR,
    means: 'Suspends an actor: it takes no turns until it is resumed.',
    does: 'changes',
    http: { verb: 'POST', path: '/v1/actors/{address}/suspend' },
    example: { p: { address: 'visits', reason: 'figures under review' }, r: {} },
  },
  'actor.resume': {
    ...OF_ACTOR,
    means: 'Resumes a suspended actor. One that failed again and again is restarted.',
    does: 'changes',
    http: { verb: 'POST', path: '/v1/actors/{address}/resume' },
  },
  'actor.step': {
    ...OF_ACTOR,
    means:
      'Lets a suspended actor take one message and stay suspended. `event` is its type; null if there was none ' +
      'to take.',
    does: 'changes',
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
  'table.put': {
    means:
      'Sets one row of a table of the context of a suspended machine. BOSUN_TABLE_UNKNOWN if the context has no ' +
      'such table.',
    scope: 'actor:admin',
    does: 'destroys',
    params: OF_ROW.extend({ row: z.unknown() }),
    result: actorView,
    http: { verb: 'POST', path: '/v1/actors/{address}/tables/{table}/put' },
    example: {
      p: { address: 'visits', table: 'guests', key: 'ada', row: { count: 2 } },
      r: { ...counter, status: 'suspended' },
    },
  },
  'table.delete': {
    means:
      'Removes one row of a table of the context of a suspended machine. BOSUN_ORDER_REFUSED if there is no such row.',
    scope: 'actor:admin',
    does: 'destroys',
    params: OF_ROW,
    result: actorView,
    http: { verb: 'POST', path: '/v1/actors/{address}/tables/{table}/delete' },
    example: {
      p: { address: 'visits', table: 'guests', key: 'bob', reason: 'was never here' },
      r: { ...counter, status: 'suspended' },
    },
  },
  'actor.kill': {
    ...OF_ACTOR,
    means: 'Fails an actor with BOSUN_KILLED: its Boss, or the machine that it belongs to, handles that like a crash.',
    does: 'destroys',
    http: { verb: 'POST', path: '/v1/actors/{address}/kill' },
  },
  'actor.stop': {
    ...OF_ACTOR,
    means: 'Ends a child of a Boss, as `boss.terminateChild` does.',
    does: 'destroys',
    http: { verb: 'POST', path: '/v1/actors/{address}/stop' },
  },
  'actor.restart': {
    ...OF_ACTOR,
    means:
      'Ends a child of a Boss and has the Boss start it again. BOSUN_ORDER_REFUSED for children that a Boss ' +
      'forgets when they end.',
    does: 'destroys',
    http: { verb: 'POST', path: '/v1/actors/{address}/restart' },
  },
  'actor.erase': {
    ...OF_ACTOR,
    means: 'Removes an actor and everything below it for good, from the files too.',
    does: 'destroys',
    http: { verb: 'POST', path: '/v1/actors/{address}/erase' },
  },
  'boss.terminateChild': {
    ...OF_CHILD,
    means: 'Ends a child. Its record is kept, but for temporary and dynamic children.',
    does: 'destroys',
    http: { verb: 'POST', path: '/v1/bosses/{address}/terminate' },
  },
  'boss.restartChild': {
    ...OF_CHILD,
    means: 'Restarts a child that has ended.',
    does: 'changes',
    result: z.object({ address: z.string() }),
    http: { verb: 'POST', path: '/v1/bosses/{address}/restart' },
    example: { p: { address: 'root', id: 'visits' }, r: { address: 'visits' } },
  },
  'boss.deleteChild': {
    ...OF_CHILD,
    means: 'Deletes the spec of a child that has ended.',
    does: 'destroys',
    http: { verb: 'POST', path: '/v1/bosses/{address}/delete' },
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
    means: 'Removes a dead letter for good.',
    scope: 'actor:admin',
    does: 'destroys',
    params: z.object({ number: z.number().int().positive(), ...order }),
    result: nothing,
    http: { verb: 'POST', path: '/v1/dead-letters/discard' },
    example: { p: { number: 3 }, r: {} },
  },
} as const satisfies Record<string, MethodRow>;
