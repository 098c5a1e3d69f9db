/** Rows of the table of methods: orders of people, each of which is audited. */
import { z } from 'zod';
import { type MethodRow } from './method-row.ts';
import { actorView, address, counter, event, ifSequence, nothing, order } from './method-shapes.ts';

export const ORDER_METHODS = {
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
} as const satisfies Record<string, MethodRow>;
