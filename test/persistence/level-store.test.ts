import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Level } from 'level';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Store, KEYSPACE } from '../../src/actors/model/ports.ts';
import { backup } from '../../src/persistence/upkeep/backup.ts';
import { createJournal } from '../../src/persistence/journal/journal.ts';
import { levelStore } from '../../src/persistence/store/level-store.ts';
import { expected, found, nextEpoch, NOTHING, references, type Facts } from '../support/persistence/model.ts';

const SYNC = { sync: true };
const entry = [{ key: 'a', value: Buffer.from('one') }];

let root: string;
let directory: string;
let opened: { close(): Promise<void> }[];

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

describe('modes of files', () => {
  /** As `0600`, by name; `.` is the directory. */
  async function modes(path = directory): Promise<Record<string, string>> {
    const names = ['.', ...(await readdir(path))];
    const found = await Promise.all(names.map((name) => stat(join(path, name))));
    return Object.fromEntries(found.map(({ mode }, index) => [names[index]!, (mode & 0o777).toString(8)]));
  }
  const filesOf = ({ '.': _, ...files }: Record<string, string>) => new Set(Object.values(files));

  it('are for the owner only: for a created directory, and for all files in it (F9)', async () => {
    const store = await open();
    await store.write(entry, SYNC);
    store.notes!.write('note');
    expect(await modes()).toMatchObject({ '.': '700', 'bosun.pid': '600', 'bosun.note': '600', CURRENT: '600' });
    await store.close();
    expect((await modes())['.']).toBe('700');
    expect(filesOf(await modes())).toEqual(new Set(['600']));
    // Parent directories keep the default modes.
    expect((await stat(join(root, 'data'))).mode & 0o777).toBe(0o777 & ~process.umask());
  });

  it('modes of a store are corrected if others may read it, unless its directory has foreign files (F9)', async () => {
    await (await open()).close();
    await chmod(directory, 0o755);
    for (const name of await readdir(directory)) await chmod(join(directory, name), 0o644);
    await (await open()).close();
    expect([(await modes())['.'], filesOf(await modes())]).toEqual(['700', new Set(['600'])]);
    await writeFile(join(directory, 'mine.txt'), 'of the user', { mode: 0o644 });
    await chmod(directory, 0o755);
    await chmod(join(directory, 'mine.txt'), 0o644);
    await (await open()).close();
    expect(await modes()).toMatchObject({ '.': '755', 'mine.txt': '644', CURRENT: '600' });
  });

  it('modes of a backup are those of a store (F9)', async () => {
    const store = await open();
    await store.write(entry, SYNC);
    const copy = join(root, 'copy');
    await backup(store, copy);
    expect([(await modes(copy))['.'], (await modes(join(copy, 'store')))['.']]).toEqual(['700', '700']);
    expect(filesOf(await modes(join(copy, 'store')))).toEqual(new Set(['600']));
  });
});

describe('the lock of a directory', () => {
  it('keeps out a second store of the same process, under any name of the directory', async () => {
    await open();
    const alias = join(root, 'alias');
    await symlink(directory, alias);
    for (const path of [directory, alias, join(directory, '..', 'store')]) {
      await expect(open(path)).rejects.toMatchObject({ code: 'BOSUN_STORE_LOCKED', details: { pid: process.pid } });
    }
  });

  it('keeps out another process, even after a refused second open', async () => {
    await open();
    await expect(open()).rejects.toMatchObject({ code: 'BOSUN_STORE_LOCKED' });
    const { child, said } = holder();
    expect(await said).toContain('LEVEL_LOCKED');
    expect(child.exitCode).not.toBe(0);
  });

  it('names the process that holds it', async () => {
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

  it('is released when the store closes', async () => {
    const store = await open();
    await store.close();
    expect(await readdir(directory)).not.toContain('bosun.pid');
    await open();
  });
});

describe('a directory of a store', () => {
  it('is refused without CURRENT, for which LevelDB would create an empty store', async () => {
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

  it("becomes a new store if it contains only LevelDB's LOG file", async () => {
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'LOG'), 'nothing to lose');
    const store = await open();
    expect(await store.get('a')).toBeUndefined();
  });

  it('is neither created nor accepted empty with createIfMissing: false', async () => {
    await expect(levelStore(directory, { createIfMissing: false }).open()).rejects.toMatchObject({
      code: 'BOSUN_STORE_FAILED',
    });
    await expect(readdir(directory)).rejects.toMatchObject({ code: 'ENOENT' });
    await mkdir(directory, { recursive: true });
    await expect(levelStore(directory, { createIfMissing: false }).open()).rejects.toMatchObject({
      code: 'BOSUN_STORE_FAILED',
    });
  });

  it('is refused without endless retries if it cannot be created (F13)', async () => {
    await expect(open('/proc/bosun/data/store')).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED' });
  });

  it.each<[string, string, RegExp]>([
    ['its CURRENT', 'BOSUN_STORE_DAMAGED', /^CURRENT$/],
    ['its log', 'BOSUN_STORE_DAMAGED', /\.log$/],
    ['its table', 'BOSUN_STORE_DAMAGED', /\.ldb$/],
    ['its note of who has it', 'BOSUN_STORE_FAILED', /^bosun\.pid$/],
  ])('is refused with a code if %s is a directory (F15)', async (_, code, name) => {
    const store = await open();
    await store.write(entry, SYNC);
    await store.compact!();
    await store.write(entry, SYNC);
    await store.close();
    const file = (await readdir(directory)).find((one) => name.test(one)) ?? 'bosun.pid';
    await rm(join(directory, file), { force: true });
    await mkdir(join(directory, file));
    await expect(open()).rejects.toMatchObject({ name: 'BosunError', code });
  });

  it('is refused if it is a file', async () => {
    await writeFile(join(root, 'file'), '');
    await expect(open(join(root, 'file'))).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED' });
  });
});

describe('a compacted store', () => {
  it('has no byte of what was deleted before, however small it is', async () => {
    const store = await open();
    const secret = 'f3a9c1d07be24658';
    const value = (text: string) => new TextEncoder().encode(text);
    for (const rounds of [1, 2]) {
      await store.write(
        [
          { key: 'a', value: value(`${secret} ${rounds}`) },
          { key: 'b', value: value('stays') },
        ],
        SYNC,
      );
      await store.write([{ key: 'a', value: null }], SYNC);
      await store.compact!();
      const files = await readdir(directory);
      const bytes = Buffer.concat(await Promise.all(files.map((file) => readFile(join(directory, file)))));
      expect(bytes.includes(secret)).toBe(false);
      expect(Buffer.from((await store.get('b'))!).toString()).toBe('stays');
    }
  });
});

describe('the size of a store', () => {
  it('is the size of its files, and grows with its content', async () => {
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
  it('prevents further writes until the store is reopened', async () => {
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

describe('a journal on LevelDB', () => {
  it('recovers what it committed, over folds and reopens', async () => {
    const journal = createJournal(levelStore(directory), {
      durability: 'process',
      fold: { windowEpochs: 5, sliceRecords: 3 },
    });
    opened.push(journal);
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
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = new Promise<string>((resolve) => {
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    child.once('close', () => resolve(text));
  });
  return { child, said };
}
