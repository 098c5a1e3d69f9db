/** What defineAgent refuses. */
import { type AnyStateMachine, createMachine, fromPromise, raise, sendParent, setup, spawnChild } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { code } from '../../support/actors/account.ts';

describe('defineAgent', () => {
  const machine = createMachine({ initial: 'a', states: { a: { on: { 'order.place': {}, 'note.*': {} } } } });
  const define = (changes: object) => () => defineAgent({ name: 'a', machine, events: {}, ...changes } as never);

  it.each<[string, object, string]>([
    ['a name that is none', { name: 'a b' }, 'a name is letters'],
    ['an empty name', { name: '' }, 'a name is letters'],
    ['the name of Bosses', { name: 'bosun.boss' }, 'this name is that of Bosses'],
    ...[0, -1, 1.5, Number.NaN, Infinity, '2', null].map((version): [string, object, string] => [
      `the version ${String(version)}`,
      { version },
      'a version is a whole number from 1',
    ]),
    [
      'a limit above what the runtime bears',
      { limits: { mailboxMessages: 10_001 } },
      'limits.mailboxMessages is a whole number from 1 to 10000',
    ],
    ['a limit of nothing', { limits: { mailboxMessages: 0 } }, 'limits.mailboxMessages is a whole number from 1'],
    [
      'a misspelt event, with what it may have meant',
      { events: { 'order.Place': z.object({}) } },
      'no state handles "order.Place"; did you mean "order.place"?',
    ],
    ['an event that nothing handles', { events: { other: z.object({}) } }, 'no state handles "other"'],
    ['a wildcard', { events: { 'note.*': z.object({}) } }, '"note.*" is a pattern'],
    ['an event of the runtime', { events: { 'xstate.stop': z.object({}) } }, '"xstate.stop" is a reserved event type'],
    ['an event of Bosses', { events: { 'child.start': z.object({}) } }, '"child.start" is a reserved event type'],
    [
      'an action of the kernel',
      { machine: setup({ actions: { 'bosun.child.start': () => {} } }).createMachine({}) },
      'the action name "bosun.child.start" is reserved',
    ],
    [
      'an invoke of an actor it does not have',
      { machine: createMachine({ invoke: { src: 'nobody' as never } }) },
      'it invokes "nobody", which its actors lack',
    ],
  ])('refuses %s', (_, changes, message) => {
    expect(define(changes)).toThrow(message);
    expect(define(changes)).toThrow(code('BOSUN_AGENT_INVALID') as never);
  });

  const two = (first: string, second: string, more: object = {}) =>
    createMachine({
      id: 'm',
      initial: 'a',
      states: { a: { on: { [first]: 'b' } }, b: { on: { [second]: 'a' }, ...more } },
    });
  const place = { 'order.place': z.object({}) };

  it('refuses a key that is an event of a schema misspelt, with the place', () => {
    expect(
      define({
        machine: two('order.place', 'order.palce'),
        events: place,
      }),
    ).toThrow('state m.b handles "order.palce", for which there is no schema; did you mean "order.place"?');
  });

  it.each<[string, object]>([
    [
      'that other agents are said to send',
      { machine: two('order.place', 'order.palce'), events: place, internal: ['order.palce'] },
    ],
    [
      'that the machine raises itself',
      { machine: two('order.place', 'order.palce', { entry: raise({ type: 'order.palce' }) }), events: place },
    ],
    [
      'that a machine below sends',
      {
        machine: setup({
          actors: { kid: createMachine({ entry: sendParent({ type: 'order.palce' }) }) },
        }).createMachine({
          invoke: { src: 'kid' },
          initial: 'a',
          states: { a: { on: { 'order.place': 'b' } }, b: { on: { 'order.palce': 'a' } } },
        }),
        events: place,
      },
    ],
    [
      'that stands beside the other in one state',
      { machine: createMachine({ on: { 'order.place': {}, 'order.palce': {} } }), events: place },
    ],
    ['that differs as names do on purpose', { machine: two('tick1', 'tick2'), events: { tick1: z.object({}) } }],
    ['that is a fact beside a command', { machine: two('order.place', 'order.placed'), events: place }],
    [
      'of the runtime, or a pattern',
      { machine: two('order.place', 'xstate.done.actor.*', { invoke: [] }), events: place },
    ],
  ])('accepts a key %s', (_, changes) => {
    expect(define(changes)).not.toThrow();
  });

  it('accepts history below a parallel state that is targeted from outside, or from that state itself', () => {
    const states = {
      p: { type: 'parallel', on: { AGAIN: '#h' }, states: { a: {}, b: {}, h: { id: 'h', type: 'history' } } },
      out: { on: { BACK: '#h' } },
    };
    expect(define({ machine: createMachine({ initial: 'p', states } as never) })).not.toThrow();
  });

  it('accepts inline logic in invoke, and a spawnChild by name', () => {
    const kid = createMachine({});
    const machine = setup({ actors: { kid } }).createMachine({ invoke: { src: kid }, entry: spawnChild('kid') });
    expect(define({ machine })).not.toThrow();
  });

  it('accepts machines that name each other', () => {
    const actors: Record<string, AnyStateMachine> = {};
    const one = createMachine({ id: 'one', invoke: { src: 'two' as never } }).provide({
      actors,
    } as never) as AnyStateMachine;
    (one.implementations.actors as Record<string, unknown>)['two'] = createMachine({
      id: 'two',
      entry: spawnChild('one' as never),
    }).provide({ actors: { one } } as never);
    expect(define({ machine: one })).not.toThrow();
  });

  it('accepts events that a wildcard of the machine handles', () => {
    expect(
      define({ events: { note: z.object({}), 'note.add': z.object({}), 'note.a.b': z.object({}) } }),
    ).not.toThrow();
  });

  it('has the compiler check the names of effects and actions, where the machine was set up with some', () => {
    const known = setup({ actors: { fetch: fromPromise(async () => 1) }, actions: { mail: () => {} } }).createMachine(
      {},
    );
    const declare = () =>
      defineAgent({
        name: 'a',
        machine: known,
        events: {},
        effects: { fetch: { timeoutMs: 1 } },
        actions: { mail: { durable: true } },
      });
    expect(declare).not.toThrow();
    // @ts-expect-error A misspelt effect.
    expect(() => defineAgent({ name: 'a', machine: known, events: {}, effects: { fecth: {} } })).toThrow();
    expect(() =>
      // @ts-expect-error A misspelt action.
      defineAgent({ name: 'a', machine: known, events: {}, actions: { mial: { durable: true } } }),
    ).toThrow();
  });
});
