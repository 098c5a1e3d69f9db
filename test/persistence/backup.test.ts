/** Backups: consistent at an epoch while the system goes on, verified, whole or not at all. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Level } from 'level';
import { restore } from '../../src/persistence/upkeep/backup.ts';
import { MANIFEST_KEY } from '../../src/persistence/format/keys.ts';
import { levelStore } from '../../src/persistence/store/level-store.ts';
import { memoryStore } from '../../src/persistence/store/memory-store.ts';
import { Shard } from '../../src/shard.ts';
import { type Store } from '../../src/actors/model/ports.ts';
import { account, code, deposit } from '../support/actors/account.ts';

let root: string;
let systems: Shard[];
let stores: Store[];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'bosun-backup-'));
  systems = [];
  stores = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const system of systems) await system.stop();
  for (const store of stores) await store.close();
  await rm(root, { recursive: true });
});

async function started(store: Store): Promise<Shard> {
  const children = ['a', 'b'].map((id) => ({ id, agent: 'account' }));
  const system = new Shard({ agents: [account], store, tree: { children }, durability: 'process', log: () => {} });
  systems.push(system);
  return system.start();
}

const balances = (system: Shard) =>
  ['a', 'b'].map((address) => (system.snapshot(address)?.context as { balance: number }).balance);

describe('a backup of a running system', () => {
  it('is consistent between two epochs and verified, while the system goes on', async () => {
    const system = await started(levelStore(join(root, 'store')));
    let copying = true;
    let sent = 0;
    const work = (async () => {
      while (copying) {
        // Both in one epoch: they are handed over in one tick.
        await Promise.all([system.send('a', deposit(1)), system.send('b', deposit(1))]);
        sent += 1;
      }
    })();
    try {
      for (let n = 0; n < 3; n++)
        expect(await system.backup(join(root, `copy-${n}`))).toMatchObject({ sound: true, actors: 3 });
    } finally {
      copying = false;
      await work;
    }
    await system.idle();
    expect(balances(system)).toEqual([sent, sent]);
    const copies = await Promise.all([0, 1, 2].map((n) => started(levelStore(join(root, `copy-${n}`, 'store')))));
    const held: number[] = [];
    for (const copy of copies) {
      await copy.idle();
      const [a, b] = balances(copy);
      expect(a).toBe(b);
      held.push(a!);
    }
    expect(held).toEqual([...held].sort((a, b) => a - b));
    expect(held[2]).toBeLessThanOrEqual(sent);
  });

  it('can be taken of a store in memory', async () => {
    const system = await started(memoryStore());
    await system.send('a', deposit(7));
    await system.idle();
    await system.backup(join(root, 'copy'));
    const copy = await started(levelStore(join(root, 'copy', 'store')));
    expect(balances(copy)).toEqual([7, 0]);
  });

  it('is refused for a directory that is not empty, and for a system that does not run', async () => {
    const system = await started(memoryStore());
    await mkdir(join(root, 'taken'));
    await writeFile(join(root, 'taken', 'file'), '');
    await expect(system.backup(join(root, 'taken'))).rejects.toEqual(code('BOSUN_CONFIG_INVALID'));
    await expect(system.backup(join(root, 'taken', 'file'))).rejects.toEqual(code('BOSUN_CONFIG_INVALID'));
    await system.stop();
    await expect(system.backup(join(root, 'copy'))).rejects.toEqual(code('BOSUN_SYSTEM_CLOSED'));
    expect(await readdir(root)).toEqual(['taken']);
  });

  it('leaves nothing behind if it fails', async () => {
    const system = await started(memoryStore());
    vi.spyOn(Level.prototype, 'batch').mockImplementation(() => {
      throw new Error('no space left on device');
    });
    await expect(system.backup(join(root, 'copy'))).rejects.toEqual(code('BOSUN_STORE_FAILED'));
    expect(await readdir(root)).toEqual([]);
  });
});

describe('a restore', () => {
  it('replaces the existing store only when the copy is complete and sound', async () => {
    const system = await started(levelStore(join(root, 'live', 'store')));
    await system.send('a', deposit(1));
    await system.idle();
    await system.backup(join(root, 'copy'));
    await system.send('a', deposit(1));
    await system.stop();
    const copy = levelStore(join(root, 'copy', 'store'));
    stores.push(copy);
    await copy.open();
    const manifest = await copy.get(MANIFEST_KEY);
    await copy.write([{ key: MANIFEST_KEY, value: Buffer.from('not a manifest') }], { sync: true });
    await expect(restore(copy, join(root, 'live', 'store'))).rejects.toEqual(code('BOSUN_STORE_DAMAGED'));
    const kept = await started(levelStore(join(root, 'live', 'store')));
    expect(balances(kept)).toEqual([2, 0]);
    await kept.stop();
    await copy.write([{ key: MANIFEST_KEY, value: manifest! }], { sync: true });
    await restore(copy, join(root, 'live', 'store'));
    await copy.close();
    expect(balances(await started(levelStore(join(root, 'live', 'store'))))).toEqual([1, 0]);
    expect(await readdir(join(root, 'live'))).toEqual(['store']);
  });
});
