/** Refusals of defineAgent. */
import {
  and,
  type AnyStateMachine,
  createMachine,
  fromPromise,
  not,
  raise,
  sendParent,
  setup,
  spawnChild,
} from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { author, speaker } from '../../../src/actors/model/person.ts';
import { code } from '../../support/actors/account.ts';

const who = speaker(z.string());

/** A schema with a part of its own kind. */
const family = z.object({
  name: author(z.string()),
  get parent() {
    return family.optional();
  },
});

describe('defineAgent', () => {
  const machine = createMachine({ initial: 'a', states: { a: { on: { 'order.place': {}, 'note.*': {} } } } });
  const define = (changes: object) => () => defineAgent({ name: 'a', machine, events: {}, ...changes } as never);

  it.each<[string, object, string]>([
    ['an invalid name', { name: 'a b' }, 'a name must consist of letters'],
    ['an empty name', { name: '' }, 'a name must consist of letters'],
    ['the name of Bosses', { name: 'bosun.boss' }, 'this name is reserved for Bosses'],
    ...[0, -1, 1.5, Number.NaN, Infinity, '2', null].map((version): [string, object, string] => [
      `the version ${String(version)}`,
      { version },
      'version must be a whole number from 1',
    ]),
    [
      'a limit above the maximum of the runtime',
      { limits: { mailboxMessages: 10_001 } },
      'limits.mailboxMessages must be a whole number from 1 to 10000',
    ],
    ['a limit of 0', { limits: { mailboxMessages: 0 } }, 'limits.mailboxMessages must be a whole number from 1'],
    [
      'a misspelt event, and suggests the event that was probably meant',
      { events: { 'order.Place': z.object({}) } },
      'no state handles "order.Place"; did you mean "order.place"?',
    ],
    ['an event that nothing handles', { events: { other: z.object({}) } }, 'no state handles "other"'],
    ['a wildcard', { events: { 'note.*': z.object({}) } }, '"note.*" is a pattern'],
    ['an event of the runtime', { events: { 'xstate.stop': z.object({}) } }, '"xstate.stop" is a reserved event type'],
    ...(
      [
        ['of anything', z.any()],
        ['of a text', z.string()],
        ['that is transformed', z.object({}).transform(() => 1)],
        ['of nothing', null],
      ] as const
    ).map(([what, schema]): [string, object, string] => [
      `an event schema ${what} (F14)`,
      { events: { 'order.place': schema } },
      'the schema of "order.place" is not an object schema of zod 4: write z.object({ ... })',
    ]),
    ...(
      [
        ['a list', { by: z.array(who) }, 'its field "by" has the mark of a speaker or author in a list'],
        [
          'a record',
          { by: z.record(z.string(), who) },
          'its field "by" has the mark of a speaker or author in a record',
        ],
        ['a tuple', { by: z.tuple([who]) }, 'its field "by" has the mark of a speaker or author in a tuple'],
        ['an object in a list', { by: z.array(z.object({ name: who })) }, 'its field "by" has'],
        [
          'one of several objects',
          { by: z.union([z.object({ name: who }), z.object({})]) },
          'in an object that is one',
        ],
        [
          'a number',
          { from: z.object({ id: speaker(z.number()) }) },
          'its field "from.id" has the mark of a speaker or',
        ],
        ['an object', { by: speaker(z.object({ name: z.string() })) }, 'on something else than a text'],
        ['a value that another one replaces', { by: who.catch('eve') }, 'on something else than a text'],
        ['an object that another one replaces', { by: z.object({ name: who }).catch({ name: 'eve' }) }, 'replaces'],
        ['what a transform makes', { by: z.preprocess((x) => x, z.object({ name: who })) }, 'behind a transform'],
        ['an object within itself', { by: family }, 'its field "by.parent" has the mark of a speaker or author in an'],
      ] as const
    ).map(([what, fields, why]): [string, object, string] => [
      `the mark of a speaker on ${what}`,
      { events: { 'order.place': z.object(fields) } },
      why,
    ]),
    [
      'the mark of a speaker on keys that a schema does not name',
      { events: { 'order.place': z.object({}).catchall(who) } },
      'agent "a": the schema of "order.place": it has the mark of a speaker or author under keys that the schema does',
    ],
    ['an event of Bosses', { events: { 'child.start': z.object({}) } }, '"child.start" is a reserved event type'],
    [
      'an action of the kernel',
      { machine: setup({ actions: { 'bosun.child.start': () => {} } }).createMachine({}) },
      'the action name "bosun.child.start" is reserved',
    ],
    [
      'an invoke of an actor it does not have',
      { machine: createMachine({ invoke: { src: 'nobody' as never } }) },
      'it invokes "nobody", which is not in setup({ actors })',
    ],
  ])('refuses %s', (_, changes, message) => {
    expect(define(changes)).toThrow(message);
    expect(define(changes)).toThrow(code('BOSUN_AGENT_INVALID') as never);
  });

  it.each<[string, object, string]>([
    [
      'action on entry',
      { entry: 'note' },
      'state m names the action "note", which its machine lacks; implement it in set',
    ],
    ['action on exit, with params', { exit: { type: 'noteDown' } }, 'names the action "noteDown"'],
    [
      'action of a transition',
      { on: { go: { actions: ['known', 'knwon'] } } },
      '"knwon", which its machine lacks; did you',
    ],
    [
      'guard',
      { on: { go: { guard: 'isOpen' } } },
      'the guard "isOpen", which its machine lacks; implement it in setup({ gu',
    ],
    ['guard with params', { always: { guard: { type: 'isOpen' }, target: '.b' } }, 'names the guard "isOpen"'],
    ['guard within others', { on: { go: { guard: not(and(['isThere', 'isOpen'])) } } }, 'names the guard "isOpen"'],
    [
      'delay',
      { after: { soon: {} } },
      'state m names the delay "soon", which its machine lacks; implement it in setup',
    ],
    ['delay of an action', { entry: raise({ type: 'go' }, { delay: 'soon' as never }) }, 'names the delay "soon"'],
  ])('refuses a name without an implementation: %s (N6)', (_, config, message) => {
    const made = createMachine({ id: 'm', initial: 'a', states: { a: {}, b: {} }, ...config } as never);
    const machine = made.provide({ actions: { known: () => {} }, guards: { isThere: () => true } } as never);
    expect(define({ machine })).toThrow(message);
    expect(define({ machine })).toThrow(code('BOSUN_AGENT_INVALID') as never);
    const outer = setup({ actors: { inner: machine } }).createMachine({ invoke: { src: 'inner' } });
    expect(define({ machine: outer })).toThrow('in inner: state m');
  });

  it('refuses a guard made of other guards if the machine lacks one of those (N6)', () => {
    const machine = createMachine({ on: { go: { guard: 'both' } } }).provide({
      guards: { both: and(['isThere', 'isOpen']), isThere: () => true },
    } as never);
    expect(define({ machine })).toThrow('the guard both names the guard "isOpen", which its machine lacks');
  });

  it('accepts names that are implemented in setup or by provide, and delays that are numbers (N6)', () => {
    const machine = setup({
      actions: { note: () => {}, later: () => {} },
      guards: { isOpen: () => true },
      delays: { soon: 5 },
    }).createMachine({
      entry: 'note',
      on: { go: { guard: not('isOpen'), actions: { type: 'later' } } },
      after: { soon: {}, 100: {} },
    });
    expect(define({ machine })).not.toThrow();
  });

  const two = (first: string, second: string, more: object = {}) =>
    createMachine({
      id: 'm',
      initial: 'a',
      states: { a: { on: { [first]: 'b' } }, b: { on: { [second]: 'a' }, ...more } },
    });
  const place = { 'order.place': z.object({}) };

  it('refuses a key that looks like a misspelt event of a schema, and names its place', () => {
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
      'that is handled in the same state as the similar event',
      { machine: createMachine({ on: { 'order.place': {}, 'order.palce': {} } }), events: place },
    ],
    [
      'that differs from an event only in its number',
      { machine: two('tick1', 'tick2'), events: { tick1: z.object({}) } },
    ],
    ['that is the past tense of a command', { machine: two('order.place', 'order.placed'), events: place }],
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

  it('has the compiler check names of effects and actions if the setup of the machine names some', () => {
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
