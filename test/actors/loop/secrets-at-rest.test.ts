/** Agents with secrets are stored encrypted: no file contains the secret, and no actor continues with a wrong value. */
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assign, createMachine, fromPromise, raise, setup } from 'xstate';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { secret } from '../../../src/actors/model/secret.ts';
import { effectOf } from '../../../src/actors/model/ref.ts';
import { type Store } from '../../../src/actors/model/ports.ts';
import { reply } from '../../../src/actors/model/talk-actions.ts';
import { levelStore } from '../../../src/persistence/store/level-store.ts';
import { Shard } from '../../../src/shard.ts';
import { type SystemOptions } from '../../../src/system-options.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { drawnBytes } from '../../support/chance.ts';
import { LONG } from '../../support/effort.ts';
import { code } from '../../support/actors/account.ts';

const SECRET = 'correct-horse-battery-staple-4711';
const KEY = drawnBytes(32, 'the key at rest').toString('base64');
const OTHER = drawnBytes(32, 'another key at rest').toString('hex');

interface Vault {
  readonly pin: string | null;
  readonly copies: readonly string[];
}
type VaultEvent =
  | { type: 'keep'; pin: string }
  | { type: 'tell'; replyTo: object }
  | { type: 'later'; pin: string }
  | { type: 'break'; pin: string }
  | { type: 'note'; pin: string };

const declared = {
  events: {
    keep: z.object({ pin: secret(z.string()) }),
    tell: z.object({}),
    later: z.object({ pin: secret(z.string()) }),
    break: z.object({ pin: secret(z.string()) }),
    note: z.object({ pin: secret(z.string()) }),
  },
};

/**
 * Has the secret wherever an actor can have something: context, an effect's input and checkpoint, a timer, an action, a
 * reply.
 */
const vault = defineAgent({
  name: 'vault',
  machine: setup({
    types: {} as { context: Vault; events: VaultEvent },
    actors: {
      guard: fromPromise<never, string | null>(async ({ input, self }) => {
        await effectOf(self).checkpoint({ seen: input });
        return new Promise<never>(() => {});
      }),
    },
    actions: {
      report: (_, params: { pin: string }) => (params.pin === '' ? undefined : new Promise<void>(() => {})) as never,
    },
  }).createMachine({
    context: { pin: null, copies: [] },
    on: {
      keep: {
        actions: assign({
          pin: ({ event }) => event.pin,
          copies: ({ context, event }) => [...context.copies, event.pin],
        }),
        target: '.held',
      },
      tell: { actions: reply(({ context }) => context.pin) },
      later: {
        actions: raise(({ event }) => ({ type: 'keep', pin: `${event.pin}-later` }) as const, { delay: 3_600_000 }),
      },
      break: {
        actions: assign(() => {
          throw new Error('broken');
        }),
      },
      note: { actions: { type: 'report', params: ({ event }) => ({ pin: event.pin }) } },
    },
    initial: 'empty',
    states: { empty: {}, held: { invoke: { src: 'guard', input: ({ context }) => context.pin } } },
  }),
  ...declared,
  actions: { report: { durable: true } },
  trace: { keep: 50 },
});
const open = defineAgent({
  name: 'open',
  machine: createMachine({ context: { shown: 'legible' }, on: { hear: {} } }),
  events: { hear: z.object({ text: z.string() }) },
});
const tree: NonNullable<SystemOptions['tree']> = {
  intensity: 100,
  children: [
    { id: 'v', agent: 'vault' },
    { id: 'o', agent: 'open' },
  ],
};

let directory: string;
let copies = 0;
let system: Shard | undefined;
const stores: Store[] = [];
beforeEach(async () => void (directory = await mkdtemp(join(tmpdir(), 'bosun-secrets-'))));
afterEach(async () => {
  await system?.stop().catch(() => {});
  system = undefined;
  for (const store of stores.splice(0)) await store.close();
  await rm(directory, { recursive: true, force: true });
});

const place = () => join(directory, `copy-${copies}`);

async function start(options: Partial<SystemOptions> = {}): Promise<Shard> {
  const agents: readonly AnyAgent[] = [vault, open];
  const store = levelStore(place(), { writeBufferBytes: 64 * 1024 });
  stores.push(store);
  return (system = await new Shard({
    agents,
    store,
    tree,
    scrub: false,
    secretKey: KEY,
    log: () => {},
    journal: { fold: { windowEpochs: 4 } },
    ...options,
  }).start());
}

/** LevelDB may put a file in the place of another meanwhile: then once more. */
async function copied(from: string, to: string): Promise<void> {
  for (;;) {
    try {
      return await cp(from, to, { recursive: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await rm(to, { recursive: true, force: true });
    }
  }
}

/** The death of the process: a copy of its directory goes on, because this process still holds the lock. */
async function killed(options?: Partial<SystemOptions>): Promise<Shard> {
  system!.abandon();
  const from = place();
  copies += 1;
  await copied(from, place());
  return start(options);
}

/** Everything that lies in the directories of this test and in the store, as one text. */
async function bytesOf(): Promise<string> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')));
  // LevelDB compresses its files, so the records are read too, from a copy, because the original is open.
  const looked = `${directory}-looked-at`;
  await copied(place(), looked);
  const store = levelStore(looked);
  await store.open();
  for await (const batch of store.scan({ gte: ' ', lt: '~' }))
    for (const [key, value] of batch) texts.push(key, Buffer.from(value).toString('latin1'));
  await store.close();
  await rm(looked, { recursive: true });
  return texts.join('\n');
}

const context = () => system!.snapshot('v')!.context as Vault;

/** Into every kind of record that there is. */
async function fill(): Promise<void> {
  await system!.send('v', { type: 'keep', pin: SECRET });
  await system!.send('v', { type: 'later', pin: SECRET });
  await system!.send('v', { type: 'note', pin: SECRET });
  expect(await system!.ask('v', { type: 'tell' }, { id: 'once' })).toBe(SECRET);
  for (let n = 0; n < 8; n++) await system!.send('v', { type: 'keep', pin: `${SECRET}-${n}` });
  await system!.send('v', { type: 'break', pin: SECRET });
  await system!.idle();
  // Processed between two that crash it, so that its state is not suspect, and a person can suspend it.
  await system!.send('v', { type: 'keep', pin: `${SECRET}-7` });
  await system!.idle();
  await system!.deadLetters.edit(system!.deadLetters.list()[0]!.number, { type: 'break', pin: SECRET });
  await system!.idle();
  await system!.admin.suspend('v', { by: 'ada' });
  await system!.send('v', { type: 'keep', pin: `${SECRET}-unread` });
  await system!.idle();
}

describe('the data of an agent with secrets', () => {
  it('is in no file in plain text: not after events, a kill, a fold and a restart', async () => {
    await start();
    await system!.send('o', { type: 'hear', text: 'hello' });
    await fill();
    for (let round = 0; round < 3; round++) {
      const bytes = await bytesOf();
      // Not vacuous: the same search finds text that is not secret.
      expect([bytes.includes('legible'), bytes.includes(SECRET), bytes.includes('correct-horse')]).toEqual([
        true,
        false,
        false,
      ]);
      await killed();
    }
    await system!.admin.resume('v', { by: 'ada' });
    await system!.idle();
    expect(context().pin).toBe(`${SECRET}-unread`);
    expect(await system!.ask('v', { type: 'tell' }, { id: 'once' })).toBe(SECRET);
    expect(system!.deadLetters.list().map(({ event }) => event)).toMatchObject([{ type: 'break', pin: SECRET }]);
    expect((await bytesOf()).includes(SECRET)).toBe(false);
  });

  it('is stored in plain text without a key, and survives a kill', async () => {
    await start({ secretKey: undefined });
    await fill();
    expect((await bytesOf()).includes(SECRET)).toBe(true);
    await killed({ secretKey: undefined });
    expect(context().pin).toBe(`${SECRET}-7`);
  });

  it('is encrypted from the first change after a key was added', async () => {
    await start({ secretKey: undefined });
    await system!.send('v', { type: 'keep', pin: SECRET });
    await killed();
    for (let n = 0; n < 12; n++) await system!.send('v', { type: 'keep', pin: 'harmless' });
    await system!.idle();
    await killed();
    expect(context()).toMatchObject({ pin: 'harmless', copies: [SECRET, ...Array<string>(12).fill('harmless')] });
  });
});

describe('the secret key', () => {
  const unreadable = (key: unknown) =>
    expect.objectContaining({
      code: 'BOSUN_SECRET_KEY',
      details: expect.objectContaining({ address: 'v', key }) as unknown,
    }) as unknown;

  it.each([
    ['missing', undefined],
    ['different', OTHER],
  ])('a key that is %s suspends only the actors with secrets', async (_, wrong) => {
    await start();
    await fill();
    const stored = context();
    await killed({ secretKey: wrong });
    const id = expect.stringMatching(/^[0-9a-f]{16}$/) as unknown;
    expect(system!.unreadable()[0]).toEqual(unreadable(id));
    expect(() => system!.snapshot('v')).toThrow(expect.objectContaining({ code: 'BOSUN_SECRET_KEY' }) as Error);
    await expect(system!.send('v', { type: 'keep', pin: SECRET })).rejects.toEqual(code('BOSUN_SECRET_KEY'));
    await expect(system!.ask('v', { type: 'tell' }, { id: 'once' })).rejects.toEqual(code('BOSUN_SECRET_KEY'));
    const [letter] = system!.deadLetters.list();
    expect(letter!.event.type).toBe('break');
    expect(JSON.stringify(letter)).not.toContain(SECRET);
    await expect(system!.deadLetters.redeliver(letter!.number)).rejects.toEqual(code('BOSUN_SECRET_KEY'));
    // Other actors go on, over folds that copy records that are unreadable without the key.
    for (let n = 0; n < 20; n++) await system!.send('o', { type: 'hear', text: `${n}` });
    expect(system!.snapshot('o')!.status).toBe('active');
    expect((await bytesOf()).includes(SECRET)).toBe(false);
    await killed();
    expect([system!.unreadable(), context()]).toEqual([[], stored]);
    await system!.admin.resume('v', { by: 'ada' });
    await system!.idle();
    expect(context().pin).toBe(`${SECRET}-unread`);
  });

  it('a previous key still reads, and the new key writes', async () => {
    await start();
    await system!.send('v', { type: 'keep', pin: SECRET });
    await killed({ secretKey: OTHER });
    expect(system!.unreadable()[0]).toEqual(unreadable(expect.any(String)));
    await killed({ secretKey: OTHER, previousSecretKeys: [KEY] });
    expect(context().pin).toBe(SECRET);
    for (let n = 0; n < 12; n++) await system!.send('v', { type: 'keep', pin: `${n}` });
    await system!.idle();
    // Folded since: what the old key wrote is not needed any more.
    await killed({ secretKey: OTHER });
    expect([system!.unreadable(), context()]).toMatchObject([
      [],
      { pin: '11', copies: [SECRET, ...Array.from({ length: 12 }, (_, n) => `${n}`)] },
    ]);
  });

  it.each([
    ['a word', 'short'],
    ['no hexadecimal digits', 'g'.repeat(64)],
    ['31 bytes', drawnBytes(31, 'a short key').toString('base64')],
    ['33 bytes', drawnBytes(33, 'a long key').toString('hex')],
  ])('a key that is not valid is refused without being quoted: %s', (_, secretKey) => {
    const make = () => new Shard({ agents: [], store: levelStore(place()), secretKey });
    expect(make).toThrow(
      expect.objectContaining({
        code: 'BOSUN_CONFIG_INVALID',
        message: expect.not.stringContaining(secretKey) as unknown,
      }) as Error,
    );
  });

  it('a previous key without a present one is refused', () => {
    expect(() => new Shard({ agents: [], store: levelStore(place()), previousSecretKeys: [KEY] })).toThrow(
      code('BOSUN_CONFIG_INVALID') as Error,
    );
  });
});

describe('an agent with secrets and a key', () => {
  let test: TestSystem;
  afterEach(() => test.shard.stop());

  it('behaves as without a key, across power cuts and restarts', LONG, async () => {
    for (const secretKey of [undefined, KEY]) {
      test = await startTestSystem({ agents: [vault, open], tree, secretKey, journal: { fold: { windowEpochs: 3 } } });
      for (let n = 0; n < 10; n++) {
        await test.shard.send('v', { type: 'keep', pin: `${n}` });
        await test.crash();
        await test.restart();
      }
      await test.shard.send('v', { type: 'later', pin: 'x' });
      await test.crash();
      await test.restart();
      await test.advance(3_600_001);
      expect(test.shard.snapshot('v')!.context).toEqual({
        pin: 'x-later',
        copies: [...Array.from({ length: 10 }, (_, n) => `${n}`), 'x-later'],
      });
      if (secretKey === undefined) await test.shard.stop();
    }
  });
});
