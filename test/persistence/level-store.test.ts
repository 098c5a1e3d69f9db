import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Level } from 'level';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Store, KEYSPACE } from '../../src/actors/model/ports.ts';
import { createJournal } from '../../src/persistence/journal.ts';
import { levelStore } from '../../src/persistence/level-store.ts';
import { expected, found, nextEpoch, NOTHING, references, type Facts } from '../support/persistence/model.ts';

const SYNC = { sync: true };
const entry = [{ key: 'a', value: Buffer.from('one') }];

let root: string;
let directory: string;
let opened: Store[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'bosun-level-'));
  directory = join(root, 'data', 'store');
  opened = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const store of opened) await store.close();
  await rm(root, { recursive: true });
});

async function open(path = directory): Promise<Store> {
  const store = levelStore(path);
  await store.open();
  opened.push(store);
  return store;
}

describe('the lock of a directory', () => {
  it('keeps out a second store of the process, under any name of the directory', async () => {
    await open();
    const alias = join(root, 'alias');
    await symlink(directory, alias);
    for (const path of [directory, alias, join(directory, '..', 'store')]) {
      await expect(open(path)).rejects.toMatchObject({ code: 'BOSUN_STORE_LOCKED', details: { pid: process.pid } });
    }
  });

  it('keeps out another process, and still does after a refused second open', async () => {
    await open();
    await expect(open()).rejects.toMatchObject({ code: 'BOSUN_STORE_LOCKED' });
    const { child, said } = holder();
    expect(await said).toContain('LEVEL_LOCKED');
    expect(child.exitCode).not.toBe(0);
  });

  it('names the process that has it', async () => {
    await mkdir(directory, { recursive: true });
    const { child, said } = holder();
    expect(await said).toContain('open');
    await expect(open()).rejects.toMatchObject({ code: 'BOSUN_STORE_LOCKED', details: { directory, pid: child.pid } });
    child.kill('SIGKILL');
    await once(child, 'exit');
    // The dead process left its number behind; the lock is what counts.
    expect(await readFile(join(directory, 'bosun.pid'), 'utf8')).toBe(String(child.pid));
    await open();
  });

  it('goes with the store', async () => {
    const store = await open();
    await store.close();
    expect(await readdir(directory)).not.toContain('bosun.pid');
    await open();
  });
});

describe('a directory that is not what it was', () => {
  it('is refused without CURRENT: LevelDB would begin anew', async () => {
    const store = await open();
    await store.write(entry, SYNC);
    await store.close();
    await unlink(join(directory, 'CURRENT'));
    await expect(open()).rejects.toMatchObject({ code: 'BOSUN_STORE_DAMAGED' });
    expect((await readdir(directory)).some((file) => file.endsWith('.log'))).toBe(true);
  });

  it('is opened if a process died while it created the store', async () => {
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'MANIFEST-000001'), '');
    await open();
  });

  it('is refused if LevelDB cannot read it, and can be opened once it is whole again', async () => {
    const store = await open();
    await store.write(entry, SYNC);
    await store.close();
    const current = await readFile(join(directory, 'CURRENT'));
    await writeFile(join(directory, 'CURRENT'), 'MANIFEST-999999');
    await expect(open()).rejects.toMatchObject({ code: 'BOSUN_STORE_DAMAGED' });
    await writeFile(join(directory, 'CURRENT'), current);
    expect(Buffer.from((await (await open()).get('a')) ?? []).toString()).toBe('one');
  });

  it('is refused if the file that CURRENT names is missing', async () => {
    const store = await open();
    await store.write(entry, SYNC);
    await store.close();
    const [manifest] = (await readdir(directory)).filter((file) => file.startsWith('MANIFEST-'));
    await unlink(join(directory, manifest!));
    await expect(open()).rejects.toMatchObject({ code: 'BOSUN_STORE_DAMAGED', details: { directory } });
    expect((await readdir(directory)).some((file) => file.endsWith('.log'))).toBe(true);
  });

  it('is refused if a table is missing', async () => {
    const store = await open();
    await store.write(entry, SYNC);
    await store.compact!();
    await store.close();
    const [table] = (await readdir(directory)).filter((file) => /\.(ldb|sst)$/.test(file));
    await unlink(join(directory, table!));
    await expect(open()).rejects.toMatchObject({ code: 'BOSUN_STORE_DAMAGED' });
  });

  it('is a new store if it has nothing but the log of what LevelDB did', async () => {
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'LOG'), 'nothing to lose');
    const store = await open();
    expect(await store.get('a')).toBeUndefined();
  });

  it('is neither made nor taken for a store where one is expected', async () => {
    await expect(levelStore(directory, { createIfMissing: false }).open()).rejects.toMatchObject({
      code: 'BOSUN_STORE_FAILED',
    });
    await expect(readdir(directory)).rejects.toMatchObject({ code: 'ENOENT' });
    await mkdir(directory, { recursive: true });
    await expect(levelStore(directory, { createIfMissing: false }).open()).rejects.toMatchObject({
      code: 'BOSUN_STORE_FAILED',
    });
  });

  it('is refused as a file', async () => {
    await writeFile(join(root, 'file'), '');
    await expect(open(join(root, 'file'))).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED' });
  });
});

describe('the size of a store', () => {
  it('is what its files take, and grows with what is in it', async () => {
    const store = await open();
    const before = await store.bytes!();
    await store.write([{ key: 'large', value: Buffer.alloc(1_000_000, 7) }], SYNC);
    expect(await store.bytes!()).toBeGreaterThan(before + 900_000);
    const sizes = await Promise.all(
      (await readdir(directory)).map(async (file) => (await stat(join(directory, file))).size),
    );
    expect(await store.bytes!()).toBe(sizes.reduce((sum, size) => sum + size, 0));
  });
});

describe('a failed write', () => {
  it('ends writing until the store is reopened', async () => {
    const store = await open();
    const put = vi.spyOn(Level.prototype, 'put').mockRejectedValueOnce(new Error('no space left on device'));
    await expect(store.write(entry, SYNC)).rejects.toMatchObject({
      code: 'BOSUN_STORE_FAILED',
      cause: { message: 'no space left on device' },
    });
    await expect(store.write(entry, SYNC)).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED' });
    expect(put).toHaveBeenCalledTimes(1);
    expect(await store.get('a')).toBeUndefined();
    await store.close();
    await store.open();
    await store.write(entry, SYNC);
  });
});

describe('a journal on level', () => {
  it('recovers what it committed, over folds and reopens', async () => {
    const journal = createJournal(levelStore(directory), {
      durability: 'process',
      fold: { windowEpochs: 5, sliceRecords: 3 },
    });
    let facts: Facts = NOTHING;
    for (let round = 0; round < 3; round++) {
      expect(found(await journal.open(references))).toEqual(expected(facts));
      for (let i = 0; i < 40; i++) {
        const { epoch, after } = nextEpoch(
          facts,
          [
            { kind: 'birth', initial: { status: 'active', configuration: 0, context: { value: { i } } } },
            { kind: 'change', pick: i * 7, change: { set: { order: { sku: `A-${i}` } } } },
            { kind: 'arrival', keyspace: KEYSPACE.mailboxes, row: [i] },
            ...(i % 3 === 0
              ? [{ kind: 'death', pick: i } as const, { kind: 'removal', pick: i, net: true } as const]
              : []),
          ],
          journal.codec,
        );
        await journal.commit(epoch);
        facts = after;
      }
      await journal.close();
    }
    expect(found(await journal.open(references))).toEqual(expected(facts));
    await journal.close();
  });
});

/** Another process that tries to open the directory and holds it. `said` is the first it says, or why it failed. */
function holder(): { child: ChildProcess; said: Promise<string> } {
  const child = spawn(process.execPath, [
    join(import.meta.dirname, '../support/persistence/level-holder.mjs'),
    directory,
  ]);
  const said = new Promise<string>((resolve) => {
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    child.once('close', () => resolve(text));
  });
  return { child, said };
}
