/** Machines and schemas of other copies of XState and zod: refused with a clear message; no other actor is affected. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, createMachine, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { type Found, NEEDED, problemOfVersions, versionsHere } from '../../../src/needed-versions.ts';
import { startTestSystem } from '../../../src/testing/test-system.ts';
import { code } from '../../support/actors/account.ts';

const ROOT = join(import.meta.dirname, '../../..');

interface Package {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
}

const packageIn = (path: string) => JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8')) as Package;

const counting = () =>
  createMachine({
    id: 'counting',
    context: { n: 0 },
    on: { go: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
  });

/** A machine as XState before 5.31 makes it. */
function old<Machine extends AnyStateMachine>(machine: Machine): Machine {
  Reflect.deleteProperty(machine, 'options');
  return machine;
}

/** A machine as no XState makes it: preparing it throws. */
function strange(machine: AnyStateMachine): AnyStateMachine {
  const provide = (): never => {
    throw new TypeError('Cannot read properties of undefined');
  };
  return Object.assign(machine, { provide });
}

/** A schema as zod before 4 makes it. */
const ofZod3 = { _def: { typeName: 'ZodObject' }, safeParse: () => ({ success: true, data: {} }) };

const ofZod41 = { ...z.object({}), _zod: { version: { major: 4, minor: 1, patch: 5 } } };

describe('defineAgent', () => {
  const define = (options: object) => () => defineAgent({ name: 'a', events: {}, ...options } as never);

  it('needs the versions of the peer dependencies in package.json, and its Node', () => {
    const { node, ...libraries } = NEEDED;
    expect(packageIn('.')).toMatchObject({ peerDependencies: libraries, engines: { node } });
  });

  it('refuses a machine of an old copy of XState, naming the version of Bosun and the remedy (N2)', () => {
    const { version } = packageIn('node_modules/xstate');
    const message =
      'agent "a": its machine is made by a copy of xstate from before 5.31, and Bosun, which runs on xstate ' +
      `${version}, needs xstate ^5.31.0: install that, and import it from one place (npm ls xstate shows all copies)`;
    expect(define({ machine: old(counting()) })).toThrow(message);
    expect(define({ machine: old(counting()) })).toThrow(code('BOSUN_AGENT_INVALID') as never);
  });

  it('refuses a child machine of an old copy of XState, naming its place (N2)', () => {
    const machine = setup({ actors: { line: old(counting()) } }).createMachine({ invoke: { src: 'line' } });
    expect(define({ machine })).toThrow('the machine of line is made by a copy of xstate from before 5.31');
  });

  it.each<[string, object, string]>([
    [
      'zod 3, of an event',
      { events: { go: ofZod3 } },
      'the schema of "go" is made by zod 3, and Bosun, which runs on zod 4',
    ],
    ['zod 4.1, of an event', { events: { go: ofZod41 } }, 'the schema of "go" is made by zod 4.1.5, and Bosun'],
    ['zod 3, of the context', { shown: { context: ofZod3 } }, 'shown.context is made by zod 3'],
    ['zod 3, of an emitted event', { shown: { emitted: { told: ofZod3 } } }, 'shown.emitted.told is made by zod 3'],
    ['zod 3, of records', { records: { notes: { schema: ofZod3 } } }, 'records.notes.schema is made by zod 3'],
  ])('refuses a schema of an old copy of zod: %s (N2)', (_, options, message) => {
    const invalid = define({ machine: counting(), ...options });
    expect(invalid).toThrow(message);
    expect(invalid).toThrow('needs zod ^4.2.0: install that, and import it from one place');
    expect(invalid).toThrow(code('BOSUN_AGENT_INVALID') as never);
  });
});

describe('the versions that Bosun itself runs on', () => {
  const fitting: Found = { node: '20.19.0', xstate: '5.31.0', zod: '4.2.0' };

  it.each<Partial<Found>>([
    {},
    { node: '22.1.0' },
    { node: '24.0.0' },
    { xstate: '5.99.1', zod: '4.11.0' },
    { xstate: undefined, zod: undefined },
  ])('fit: %o', (found) => {
    expect(problemOfVersions({ ...fitting, ...found })).toBe(undefined);
  });

  it('fit where these tests run', () => {
    expect(problemOfVersions(versionsHere())).toBe(undefined);
    expect(versionsHere().xstate).toBe(packageIn('node_modules/xstate').version);
  });

  it.each<[Partial<Found>, string]>([
    [{ node: '18.20.8' }, 'Bosun needs Node 20.19 or later, and this is Node 18.20.8: install a newer one'],
    [{ node: '20.18.3' }, 'Bosun needs Node 20.19 or later, and this is Node 20.18.3'],
    [{ xstate: '5.20.2' }, 'needs xstate ^5.31.0, and finds xstate 5.20.2: run npm install "xstate@^5.31.0"'],
    [{ xstate: '5.25.0' }, 'and finds xstate 5.25.0'],
    [{ xstate: '6.0.0' }, 'and finds xstate 6.0.0'],
    [{ zod: '3.25.76' }, 'needs zod ^4.2.0, and finds zod 3.25.76: run npm install "zod@^4.2.0"'],
    [{ zod: '4.1.5' }, 'and finds zod 4.1.5'],
  ])('are told in words where they are too old, with the way out: %o (S8)', (found, message) => {
    expect(problemOfVersions({ ...fitting, ...found })).toContain(message);
  });
});

describe('a machine that cannot be prepared', () => {
  const good = defineAgent({ name: 'counting', machine: counting(), events: { go: z.object({}) } });
  const fine = defineAgent({ name: 'fine', machine: counting(), events: { go: z.object({}) } });
  /** An agent that defineAgent would refuse; another copy of Bosun may have let it through. */
  const bad: AnyAgent = { ...good, machine: strange(counting()) };

  it('suspends its actors at a start, and does not affect other actors (N2)', async () => {
    const test = await startTestSystem({ agents: [good, fine] });
    const one = await test.shard.spawn(good, 'one');
    await test.shard.spawn(fine, 'other');
    await one.send({ type: 'go' });
    await test.shard.stop();
    await test.restart({ agents: [bad, fine] });
    expect(test.shard.snapshot('one')).toMatchObject({
      status: 'suspended',
      context: { n: 1 },
      error: {
        code: 'BOSUN_AGENT_UNREADABLE',
        message: expect.stringContaining('which the code has but cannot run') as string,
      },
    });
    await test.shard.actor('other', fine).send({ type: 'go' });
    await test.settle();
    expect(test.shard.snapshot('other')).toMatchObject({ status: 'active', context: { n: 1 } });
    await test.shard.stop();
    await test.restart({ agents: [good, fine] });
    expect(test.shard.snapshot('one')).toMatchObject({ status: 'active', context: { n: 1 } });
    await test.shard.stop();
  });

  it('fails the start of an actor that runs it, and no other actor (N2)', async () => {
    const test = await startTestSystem({ agents: [bad, fine] });
    await test.shard.spawn(fine, 'other');
    await expect(test.shard.spawn(bad, 'one')).rejects.toEqual(code('BOSUN_START_FAILED'));
    expect(test.shard.snapshot('other')).toMatchObject({ status: 'active' });
    await test.shard.stop();
  });

  it('fails the turn of a machine that invokes it, and no other actor (N2)', async () => {
    const machine = setup({ actors: { line: strange(counting()) } }).createMachine({
      initial: 'idle',
      states: { idle: { on: { go: 'busy' } }, busy: { invoke: { src: 'line' } } },
    });
    const shell = setup({}).createMachine({ initial: 'idle', states: { idle: { on: { go: 'idle' } } } });
    const outer = defineAgent({ name: 'outer', machine: shell, events: { go: z.object({}) } });
    const test = await startTestSystem({ agents: [{ ...outer, machine }, fine] });
    await test.shard.spawn(outer, 'one', { restart: 'temporary' });
    await test.shard.spawn(fine, 'other');
    await test.shard.send('one', { type: 'go' });
    await test.settle();
    await test.shard.send('other', { type: 'go' });
    await test.settle();
    expect(test.shard.snapshot('other')).toMatchObject({ status: 'active', context: { n: 1 } });
    expect(test.shard.snapshot('one')?.value).not.toBe('busy');
    await test.shard.stop();
  });
});
