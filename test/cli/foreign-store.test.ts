/**
 * A store of an unpublished build, which wrote a different format: refused with a message, however it is opened. That
 * its records stay unchanged is checked through LevelDB, since LevelDB tidies its own files whenever it opens them.
 */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FORMAT } from '../../src/persistence/format/envelope.ts';
import { EVERY_KEY } from '../../src/persistence/format/keys.ts';
import { levelStore } from '../../src/persistence/store/level-store.ts';
import { verify } from '../../src/persistence/upkeep/verify.ts';
import { checkStore } from '../../src/system-check.ts';
import { Shard } from '../../src/shard.ts';
import { account } from '../support/actors/account.ts';
import { Workspace } from '../support/cli/workspace.ts';

/** Stores by the commit whose build wrote them; README.md there says how. */
const FIXTURE = join(import.meta.dirname, '../support/fixtures/stores/095226c');

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

type Records = ReadonlyMap<string, string>;

async function recordsIn(data: string): Promise<Records> {
  const records = new Map<string, string>();
  const store = levelStore(work.file(`${data}/store`));
  await store.open();
  for await (const batch of store.scan(EVERY_KEY))
    for (const [key, value] of batch) records.set(key, Buffer.from(value).toString('hex'));
  await store.close();
  return records;
}

const refusal = {
  code: 'BOSUN_STORE_FORMAT',
  message:
    `${work.file('old/store')} is a store of format 1, and this build of Bosun reads format ${FORMAT}: run it with ` +
    'the build that wrote it, or begin anew in a fresh directory or with --fresh',
  details: { directory: work.file('old/store'), format: 1, reads: FORMAT },
};

describe('a store of an unpublished build', () => {
  let records: Records;

  beforeAll(async () => {
    work.write('agents.mjs', 'export async function worker() { return { files: [] }; }');
    work.write('plan.yaml', '{ version: 1, plan: p, agents: ./agents.mjs, tasks: [{ id: a, agent: worker }] }');
    cpSync(FIXTURE, work.file('untouched'), { recursive: true });
    records = await recordsIn('untouched');
  });

  beforeEach(() => {
    rmSync(work.file('old'), { recursive: true, force: true });
    cpSync(FIXTURE, work.file('old'), { recursive: true });
  });

  it('has records of many kinds, a timer and an unread message among them', () => {
    expect(new Set([...records.keys()].map((key) => key[0]))).toEqual(new Set('abcdefimstuvxyz'));
  });

  it.each(['disk', 'memory'] as const)(
    'is refused by createSystem at durability %s, and left unchanged',
    async (durability) => {
      for (const options of [{}, { hold: true }, { residentActors: 1 }, { recoverTo: 1 }]) {
        const system = new Shard({
          agents: [account],
          store: levelStore(work.file('old/store')),
          durability,
          log: () => {},
          ...options,
        });
        await expect(system.start()).rejects.toMatchObject(refusal);
        await system.stop();
      }
      expect(await recordsIn('old')).toEqual(records);
    },
  );

  it('is refused by checkStore and by verify', async () => {
    const store = levelStore(work.file('old/store'));
    await expect(checkStore({ agents: [account], store, log: () => {} })).rejects.toMatchObject(refusal);
    await store.open();
    await expect(verify(store)).rejects.toMatchObject(refusal);
    await store.close();
  });

  it.each([
    'run plan.yaml',
    'run plan.yaml --recover-to 3',
    'serve',
    'serve plan.yaml',
    'tree',
    'ps',
    'inspect a',
    'check plan.yaml',
    'verify',
    'backup copy',
    'erase a',
    'plan pause a',
    'send a deposit',
    'suspend a --by eve',
    'audit',
    'deadletters list',
    'gates list',
  ])('is refused by bosun %s, and left unchanged', async (line) => {
    const { code, err } = await work.bosun([...line.split(' '), '--data', 'old']);
    expect([code, err]).toEqual([1, expect.stringContaining(refusal.message) as string]);
    expect([work.has('copy'), await recordsIn('old')]).toEqual([false, records]);
  });

  it('is not restored', async () => {
    expect(await work.bosun(['restore', 'old', '--data', 'new'])).toMatchObject({
      code: 1,
      err: `${refusal.message}\n`,
    });
    expect([work.has('new/store'), await recordsIn('old')]).toEqual([false, records]);
  });

  it('is replaced by a run with --fresh', async () => {
    expect(await work.bosun(['run', 'plan.yaml', '--data', 'old', '--fresh'])).toMatchObject({ code: 0 });
    expect(await work.bosun(['verify', '--data', 'old'])).toMatchObject({ code: 0 });
  });
});
