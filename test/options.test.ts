/**
 * Options are checked at once, by the function that is called with them: the message names the mistake and the remedy.
 */
import { createMachine } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../src/actors/api/define-agent.ts';
import { createClient } from '../src/client/client.ts';
import { createGateway } from '../src/gateway/network/server.ts';
import { memoryStore } from '../src/persistence/store/memory-store.ts';
import { createSystem } from '../src/system.ts';
import { startTestSystem } from '../src/testing/test-system.ts';
import { code } from './support/actors/account.ts';

const machine = createMachine({ on: { add: {} } });
const counter = defineAgent({ name: 'counter', machine, events: { add: z.object({}) } });

describe('createSystem', () => {
  const valid = { agents: [counter], store: memoryStore() };
  const create = (options: unknown) => () => createSystem(options as never);

  it.each<[string, unknown, string]>([
    ['no options', undefined, 'createSystem: needs an object of options, not undefined'],
    [
      'no store',
      { agents: [counter] },
      "createSystem: store: is missing; give it levelStore('./data'), or memoryStore()",
    ],
    [
      'a directory as store',
      { ...valid, store: './data' },
      'createSystem: store: must be a store, such as levelStore(',
    ],
    [
      'no agents',
      { store: memoryStore() },
      'createSystem: agents: is missing; list the agents that its actors may run',
    ],
    ['an agent alone', { ...valid, agents: counter }, 'createSystem: agents: must be an array, not an object'],
    ['a machine as agent', { ...valid, agents: [counter, machine] }, 'agents[1]: must be an agent made by defineAgent'],
    ['an agent of a circular import', { ...valid, agents: [undefined] }, 'createSystem: agents[0]: is undefined'],
    ['an unknown key', { ...valid, stroe: 1 }, 'createSystem: unknown key "stroe"; did you mean "store"?'],
    [
      'a key unlike any known key',
      { ...valid, colour: 1 },
      'unknown key "colour"; the keys here are agents, resolveAgent, store',
    ],
    [
      'an unknown key inside',
      { ...valid, scrub: { record: 1 } },
      'scrub: unknown key "record"; did you mean "records"?',
    ],
    ['an unknown durability', { ...valid, durability: 'disc' }, 'durability: must be one of disk, process, memory'],
    ['a flag as text', { ...valid, hold: 'yes' }, 'createSystem: hold: must be true or false, not a string'],
    ['an invalid log', { ...valid, log: console }, 'createSystem: log: must be a function, not an object'],
    ['workers beside a store', { ...valid, workers: { count: 2 } }, 'belongs in the module that the workers load'],
    ['workers without a module', { workers: { count: 2, directory: 'd' } }, 'workers.module: is missing; give the URL'],
    ['an unknown key of workers', { workers: { conut: 2 } }, 'workers: unknown key "conut"; did you mean "count"?'],
  ])('refuses %s (N6)', (_, options, message) => {
    expect(create(options)).toThrow(message);
    expect(create(options)).toThrow(code('BOSUN_CONFIG_INVALID') as never);
  });

  it.each<[string, object, string]>([
    ['of the root', { children: [{ id: 'a', agent: 'countr' }] }, 'tree.children[0].agent'],
    [
      'of a Boss',
      { children: [{ id: 'b', boss: { children: [{ id: 'a', agent: 'countr' }] } }] },
      'tree.children[0].boss',
    ],
    ['of a template', { strategy: 'dynamic', template: { agent: 'countr' } }, 'tree.template.agent'],
  ])('refuses an unknown agent of a child %s, with its place (N6)', (_, tree, place) => {
    expect(create({ ...valid, tree })).toThrow(`createSystem: ${place}`);
    expect(create({ ...valid, tree })).toThrow(
      'unknown agent "countr"; did you mean "counter"?; its agents are counter',
    );
    expect(create({ ...valid, tree })).toThrow(code('BOSUN_AGENT_UNKNOWN') as never);
  });

  it('accepts an agent known only to resolveAgent, and any agent with hold (N6)', () => {
    const tree = { children: [{ id: 'a', agent: 'asked' }] };
    const asked = defineAgent({ name: 'asked', machine, events: {} });
    expect(create({ ...valid, tree, resolveAgent: () => asked })).not.toThrow();
    expect(create({ ...valid, tree, hold: true })).not.toThrow();
  });

  it('refuses a misspelt key of a Boss or a child, with a suggestion (N6)', () => {
    const misspelt = (tree: object) => create({ ...valid, tree });
    expect(misspelt({ intensty: 3 })).toThrow('tree: unknown key "intensty"; did you mean "intensity"?');
    const message = 'tree: children[0]: unknown key "restrat"; did you mean "restart"?';
    expect(misspelt({ children: [{ id: 'a', agent: 'counter', restrat: 'permanent' }] })).toThrow(message);
  });
});

describe('defineAgent', () => {
  const valid = { name: 'counter', machine, events: {} };
  const define = (options: unknown) => () => defineAgent(options as never);

  it.each<[string, unknown, string]>([
    ['no options', undefined, 'agent without a name: needs an object of options, not undefined'],
    ['no name', { machine, events: {} }, 'agent without a name: name: is missing; give the name'],
    ['no machine', { ...valid, machine: undefined }, 'agent "counter": machine: is missing; give a machine of XState'],
    [
      'a config as machine',
      { ...valid, machine: { states: {} } },
      'machine: must be a machine of XState: setup({ ... })',
    ],
    [
      'no events',
      { name: 'counter', machine },
      'events: is missing; list the events that may come from outside, by type, or write',
    ],
    ['an unknown key', { ...valid, evnets: {} }, 'agent "counter": unknown key "evnets"; did you mean "events"?'],
    ['an unknown limit', { ...valid, limits: { mailboxMessage: 1 } }, 'did you mean "mailboxMessages"?'],
    [
      'an unknown key of an effect',
      { ...valid, effects: { a: { timeoutMS: 1 } } },
      'effects.a: unknown key "timeoutMS"; did you mean',
    ],
    [
      'an unknown key of a retry',
      { ...valid, effects: { a: { retry: { attemps: 1 } } } },
      'effects.a.retry: unknown key "attemps"',
    ],
    [
      'an unknown key of records',
      { ...valid, records: { a: { kep: 1 } } },
      'records.a: unknown key "kep"; did you mean "keep"?',
    ],
  ])('refuses %s (N6)', (_, options, message) => {
    expect(define(options)).toThrow(message);
    expect(define(options)).toThrow(code('BOSUN_AGENT_INVALID') as never);
  });
});

describe('createGateway', () => {
  const system = createSystem({ agents: [counter], store: memoryStore() });
  const create =
    (options: unknown, of: unknown = system) =>
    () =>
      createGateway(of as never, options as never);

  it.each<[string, unknown, string]>([
    ['null', null, 'createGateway: needs an object of options, not null'],
    ['an unknown key', { prot: 1 }, 'createGateway: unknown key "prot"; did you mean "port"?'],
    ['a port that no browser reaches', { port: 4190 }, 'port: is a port that browsers and fetch refuse; take another'],
    ['a port as text', { port: '4180' }, 'createGateway: port: must be a port from 0 to 65535, not a string'],
    ['an unknown key of a token', { tokens: [{ tokn: 'x' }] }, 'tokens[0]: unknown key "tokn"; did you mean "token"?'],
    ['a token without an id', { tokens: [{ token: 'x'.repeat(16) }] }, 'createGateway: tokens[0].id: is missing'],
    [
      'an unknown scope',
      { tokens: [{ token: 'x', id: 'a', scopes: ['all'] }] },
      'scopes[0]: must be one of actor:read',
    ],
    ['a rate without a burst', { rate: { perSecond: 1 } }, 'createGateway: rate.burst: is missing'],
    ['a JWT key without an audience', { jwt: { key: 'k' } }, 'createGateway: jwt.audience: is missing'],
  ])('refuses %s (N6)', (_, options, message) => {
    expect(create(options)).toThrow(message);
    expect(create(options)).toThrow(code('BOSUN_CONFIG_INVALID') as never);
  });

  it('refuses a value that is not a system (N6)', () => {
    const message = 'createGateway: its first argument must be a system made by createSystem';
    for (const none of [null, {}, counter]) expect(create({}, none)).toThrow(message);
  });
});

describe('startTestSystem', () => {
  it.each<[string, object, string]>([
    ['an unknown key', { effcts: {} }, 'startTestSystem: unknown key "effcts"; did you mean "effects"?'],
    ['a seed as text', { seed: 'one' }, 'startTestSystem: seed: must be a whole number, not a string'],
    ['no agents', { agents: undefined }, 'createSystem: agents: is missing; list the agents'],
  ])('refuses %s (N6)', async (_, options, message) => {
    const started = startTestSystem({ agents: [counter], ...options } as never);
    await expect(started).rejects.toThrow(message);
    await expect(started).rejects.toEqual(code('BOSUN_CONFIG_INVALID'));
  });
});

describe('a system that has not started', () => {
  it('says so to a spawn, a send and a handle', async () => {
    const system = createSystem({ agents: [counter], store: memoryStore() });
    const message = 'the system has not been started';
    await expect(system.spawn(counter, 'a')).rejects.toThrow(message);
    await expect(system.send('a', { type: 'add' })).rejects.toThrow(message);
    await expect(system.ask('a', { type: 'add' })).rejects.toThrow(message);
  });
});

describe('createClient', () => {
  const create =
    (options: unknown, url = 'ws://127.0.0.1:1') =>
    () =>
      createClient(url, options as never);

  it.each<[string, unknown, string]>([
    ['null', null, 'createClient: needs an object of options, not null'],
    ['an unknown key', { tokn: 'x' }, 'createClient: unknown key "tokn"; did you mean "token"?'],
    ['an invalid token', { token: 7 }, 'createClient: token: must be a text or a function that returns one, not 7'],
    ['an invalid storage', { storage: {} }, 'createClient: storage: must be a storage with getItem and setItem'],
    ['a queue of length 0', { queueMax: 0 }, 'createClient: queueMax: must be a whole number from 1, not 0'],
  ])('refuses %s (N6)', (_, options, message) => {
    expect(create(options)).toThrow(message);
    expect(create(options)).toThrow(code('BOSUN_CONFIG_INVALID') as never);
  });

  it('refuses an address that is not valid (N6)', () => {
    expect(create({}, 'no address')).toThrow(
      'createClient: "no address" is not an address such as ws://127.0.0.1:4180',
    );
    expect(create({}, 'no address')).toThrow(code('BOSUN_CONFIG_INVALID') as never);
  });
});
