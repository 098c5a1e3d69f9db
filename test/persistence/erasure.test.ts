/** Erasing an actor: nothing of it remains, neither in the system nor in any file of the store. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assign, sendTo, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../src/actors/api/define-agent.ts';
import { levelStore } from '../../src/persistence/store/level-store.ts';
import { verify } from '../../src/persistence/upkeep/verify.ts';
import { Shard } from '../../src/shard.ts';
import { type SystemOptions } from '../../src/system-options.ts';
import { startTestSystem } from '../../src/testing/test-system.ts';
import { code } from '../support/actors/account.ts';

const SECRET = 'Jane-Doe-born-1970';

const note = setup({ types: {} as { context: { text: string }; input: { text: string } } }).createMachine({
  context: ({ input }) => input,
});

/** Remembers the texts that it is told, in a child and in a timer too, and passes them to the reader named "bin". */
const person = defineAgent({
  name: 'person',
  machine: setup({
    types: {} as {
      context: { told: string[]; child: unknown };
      events: { type: 'tell'; text: string } | { type: 'boom' };
    },
    actors: { note },
  }).createMachine({
    context: { told: [], child: null },
    on: {
      tell: {
        actions: [
          assign({
            told: ({ context, event }) => [...context.told, event.text],
            child: ({ spawn, event }) => spawn('note', { input: { text: event.text } }),
          }),
          sendTo(
            ({ system }) => system.get('bin') as never,
            ({ event }) => ({ type: 'read', text: event.text }) as never,
          ),
          sendTo(
            ({ self }) => self,
            ({ event }) => ({ type: 'tell', text: event.text }),
            { delay: 1_000_000, id: 'later' },
          ),
        ],
      },
      boom: {
        actions: () => {
          throw new Error('boom');
        },
      },
    },
  }),
  events: { tell: z.object({ text: z.string() }), boom: z.object({}) },
});

/** Throws on every text, so that each ends in quarantine. */
const bin = defineAgent({
  name: 'bin',
  machine: setup({ types: {} as { events: { type: 'read'; text: string } | { type: 'relax' } } }).createMachine({
    on: {
      read: {
        actions: assign(() => {
          throw new Error('not today');
        }),
      },
      // Two quarantined in a row would suspend it.
      relax: { actions: () => {} },
    },
  }),
  events: { relax: z.object({}) },
});

let root: string;
let systems: Shard[];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'bosun-erase-'));
  systems = [];
});
afterEach(async () => {
  for (const system of systems) await system.stop();
  await rm(root, { recursive: true });
});

const options = {
  agents: [person, bin],
  tree: {
    intensity: 100,
    children: [
      { id: 'bin', agent: 'bin', systemId: 'bin' },
      { id: 'other', agent: 'person' },
    ],
  },
  log: () => {},
} satisfies Partial<SystemOptions>;

async function started(changes: Partial<SystemOptions> = {}): Promise<Shard> {
  const system = new Shard({
    ...options,
    store: levelStore(join(root, 'store'), { writeBufferBytes: 64 * 1024 }),
    durability: 'process',
    ...changes,
  });
  systems.push(system);
  return system.start();
}

async function filesWith(text: string): Promise<string[]> {
  const folder = join(root, 'store');
  // LevelDB chooses when it removes old logs.
  const bytesOf = (name: string) =>
    readFile(join(folder, name)).catch((error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' ? Buffer.alloc(0) : Promise.reject(error),
    );
  const contents = await Promise.all(
    (await readdir(folder)).map(async (name) => ({ name, bytes: await bytesOf(name) })),
  );
  return contents.filter(({ bytes }) => bytes.includes(text)).map(({ name }) => name);
}

/**
 * A system in which the secret is in a state, a child, a timer, a quarantined message, the journal and folded records.
 */
async function withSecret(): Promise<Shard> {
  const system = await started({ journal: { fold: { windowEpochs: 3 } } });
  const tell = async (address: string, text: string) => {
    await system.send(address, { type: 'tell', text });
    await system.idle();
    await system.send('bin', { type: 'relax' });
    await system.idle();
  };
  await system.spawn(person, 'jane');
  for (let n = 0; n < 4; n++) {
    await tell('jane', `${SECRET}-${n}`);
    await tell('other', 'nothing');
  }
  await system.spawn(person, 'gone');
  await tell('gone', `${SECRET}-gone`);
  expect(system.deadLetters.list({ reason: 'quarantined' })).toHaveLength(9);
  expect(await filesWith(SECRET)).not.toEqual([]);
  return system;
}

describe('erasing an actor of a running system', () => {
  it('leaves nothing of the actor in any file, and everything else unchanged', async () => {
    const system = await withSecret();
    const before = system.snapshot('other');
    await system.erase('gone');
    await Promise.all([system.erase('jane'), system.send('other', { type: 'tell', text: 'meanwhile' })]);
    expect(await filesWith(SECRET)).toEqual([]);
    // Neither does anything name it.
    expect(await filesWith('jane')).toEqual([]);
    expect(() => system.actor('jane').snapshot()).toThrow('no actor at jane');
    expect(system.deadLetters.list({ reason: 'quarantined' })).toHaveLength(5);
    expect(system.snapshot('other')?.sequence).toBeGreaterThan(before!.sequence);
    expect(JSON.stringify(system.tree())).not.toContain('jane');
    await system.send('other', { type: 'tell', text: 'after' });
    await system.stop();
    const store = levelStore(join(root, 'store'));
    await store.open();
    expect(await verify(store)).toMatchObject({ sound: true });
    await store.close();
    expect((await started()).snapshot('other')).toMatchObject({
      context: { told: ['nothing', 'nothing', 'nothing', 'nothing', 'meanwhile', 'after'] },
    });
  });

  it('erases the epochs that a recovery set aside, too', async () => {
    const system = await withSecret();
    await system.stop();
    const store = levelStore(join(root, 'store'));
    await store.open();
    await store.write([{ key: 'l!0001!e!00000000000009', value: Buffer.from(SECRET) }], { sync: true });
    await store.close();
    const next = await started();
    for (const address of ['jane', 'gone']) await next.erase(address);
    expect(await filesWith(SECRET)).toEqual([]);
  });

  it('is refused for the root and for an address without an actor', async () => {
    const system = await started();
    await expect(system.erase('root')).rejects.toEqual(code('BOSUN_ADDRESS_INVALID'));
    await expect(system.erase('nobody')).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
  });
});

describe('erasing an actor of a stopped store', () => {
  it('works in a system on hold, without any turn', async () => {
    await (await withSecret()).stop();
    const held = await started({ hold: true });
    for (const address of ['jane', 'gone']) await held.erase(address);
    await held.stop();
    expect(await filesWith(SECRET)).toEqual([]);
    const next = await started();
    expect(next.tree().children.map(({ address }) => address)).toEqual(['bin', 'other']);
  });
});

describe('an erasure that a power cut interrupts', () => {
  it('is complete or has not happened, at every write', async () => {
    for (let cut = 1; ; cut++) {
      const test = await startTestSystem({ ...options, outageMs: 0, journal: { fold: { windowEpochs: 3 } } });
      await test.shard.spawn(person, 'jane');
      await test.shard.send('jane', { type: 'tell', text: SECRET });
      await test.settle();
      let writes = 0;
      test.store.failWrites(() => ++writes >= cut);
      const erased = await test.shard.erase('jane').then(
        () => true,
        () => false,
      );
      await test.crash();
      test.store.failWrites(0);
      await test.restart();
      const isThere = test.shard.tree().children.some(({ address }) => address === 'jane');
      if (erased) expect(isThere).toBe(false);
      if (isThere) expect(test.shard.snapshot('jane')).toMatchObject({ context: { told: [SECRET] } });
      await test.shard.stop();
      if (erased) break;
      expect(cut).toBeLessThan(20);
    }
  });
});
