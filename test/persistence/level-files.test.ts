/** Damage of LevelDB's own files, which LevelDB would ignore: it is found before LevelDB opens them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KEYSPACE } from '../../src/actors/model/ports.ts';
import { type BosunError } from '../../src/errors.ts';
import { createJournal } from '../../src/persistence/journal/journal.ts';
import { levelStore } from '../../src/persistence/store/level-store.ts';
import { damageOfTable } from '../../src/persistence/store/level-table.ts';
import { verify } from '../../src/persistence/upkeep/verify.ts';
import { drawnBytes } from '../support/chance.ts';
import { type Facts, nextEpoch, NOTHING, references } from '../support/persistence/model.ts';

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'bosun-files-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const EPOCHS = 20;

/** Twenty epochs of some 2 KB, in one log. */
async function written(): Promise<void> {
  const journal = createJournal(levelStore(directory));
  await journal.open(references);
  let facts: Facts = NOTHING;
  for (let n = 0; n < EPOCHS; n++) {
    const { epoch, after } = nextEpoch(
      facts,
      [{ kind: 'arrival', keyspace: KEYSPACE.mailboxes, row: [String(n).repeat(2_000)] }],
      journal.codec,
    );
    await journal.commit(epoch);
    facts = after;
  }
  await journal.close();
}

function fileEnding(ending: string): string {
  return join(directory, readdirSync(directory).find((name) => name.endsWith(ending))!);
}

function damage(path: string, change: (bytes: Buffer) => Buffer): void {
  writeFileSync(path, change(readFileSync(path)));
}

function flipAt(share: number): (bytes: Buffer) => Buffer {
  return (bytes) => {
    bytes[Math.floor(bytes.length * share)]! ^= 1;
    return bytes;
  };
}

async function recovered(
  options: { recoverTo?: number; durability?: 'process' } = {},
): Promise<{ epoch: number; told: BosunError[] }> {
  const told: BosunError[] = [];
  const journal = createJournal(levelStore(directory), { ...options, onDamage: (problem) => told.push(problem) });
  const { epoch } = await journal.open(references);
  await journal.close();
  return { epoch, told };
}

describe("a flipped byte in LevelDB's log", () => {
  it('stops each start before LevelDB drops the writes after the byte, and recoverTo goes on', async () => {
    await written();
    damage(fileEnding('.log'), flipAt(0.5));
    const file = expect.stringMatching(/\.log$/) as string;
    const refused = { code: 'BOSUN_STORE_DAMAGED', details: { file, offset: expect.any(Number) as number } };
    const error = (await recovered().catch((problem: unknown) => problem)) as BosunError;
    expect(error).toMatchObject(refused);
    await expect(recovered()).rejects.toMatchObject(refused);
    const last = error.details['lastGoodEpoch'] as number;
    expect(last).toBeGreaterThan(5);
    expect(last).toBeLessThan(15);
    expect(await recovered({ recoverTo: last })).toMatchObject({ epoch: last, told: [{ details: { file } }] });
    expect(await recovered()).toEqual({ epoch: last, told: [] });
  });

  it('does not stop the start at a durability that allows holes after a power cut', async () => {
    await written();
    damage(fileEnding('.log'), flipAt(0.5));
    const { epoch, told } = await recovered({ durability: 'process' });
    expect(epoch).toBeLessThan(EPOCHS);
    expect(told).toHaveLength(1);
  });

  it('does not stop the start if it is in the last write, because a crash in that write looks the same', async () => {
    await written();
    damage(fileEnding('.log'), flipAt(0.99));
    expect(await recovered()).toMatchObject({
      epoch: EPOCHS - 1,
      told: [{ code: 'BOSUN_STORE_DAMAGED', details: { lastGoodEpoch: EPOCHS - 1 } }],
    });
  });

  it('is not reported for a log that ends between two writes, or in space that was never written', async () => {
    await written();
    damage(fileEnding('.log'), (bytes) => Buffer.concat([bytes, Buffer.alloc(70_000)]));
    expect(await recovered()).toEqual({ epoch: EPOCHS, told: [] });
  });
});

describe("a flipped byte in LevelDB's table", () => {
  it.each([0, 0.3, 0.6, 0.9, 0.999])('stops the start with its place (%d of the file)', async (share) => {
    await written();
    // Opening moves the log into a table.
    await recovered();
    damage(fileEnding('.ldb'), flipAt(share));
    await expect(recovered()).rejects.toMatchObject({
      code: 'BOSUN_STORE_DAMAGED',
      details: expect.objectContaining({ directory }) as object,
    });
  });
});

describe('a file that a crash left incomplete', () => {
  it.each(['000900.ldb', '000001.log'])('is ignored as no part of the store: %s', async (name) => {
    await written();
    await recovered();
    writeFileSync(join(directory, name), flipAt(0.5)(readFileSync(fileEnding('.ldb'))).subarray(0, 1_000));
    expect(await recovered()).toEqual({ epoch: EPOCHS, told: [] });
  });
});

describe('verify', () => {
  it('reports a truncated write', async () => {
    await written();
    damage(fileEnding('.log'), (bytes) => bytes.subarray(0, bytes.length - 10));
    const store = levelStore(directory);
    await store.open();
    expect(await verify(store)).toMatchObject({
      sound: false,
      findings: expect.arrayContaining([
        expect.objectContaining({ gravity: 'reports', message: expect.stringContaining('cut short') as string }),
      ]) as unknown[],
    });
    await store.close();
  });
});

describe('a table of LevelDB', () => {
  /** A table of several blocks, some of which LevelDB compresses. */
  async function table(): Promise<Buffer> {
    const store = levelStore(directory);
    await store.open();
    const writes = Array.from({ length: 120 }, (_, n) => ({
      key: `a!${String(n).padStart(4, '0')}`,
      value:
        n % 3 === 0
          ? drawnBytes(500, 'hardly compressible', n)
          : Buffer.from(`the same text again and again, ${n} `.repeat(20)),
    }));
    await store.write(writes, { sync: true });
    await store.compact!();
    await store.close();
    return readFileSync(fileEnding('.ldb'));
  }

  it('is damaged by any flipped byte, and the reported place is that of the block', async () => {
    const bytes = await table();
    expect(damageOfTable(bytes)).toBeNull();
    const passedOver: number[] = [];
    for (let at = 0; at < bytes.length; at += at < bytes.length - 2_000 ? 89 : 1) {
      bytes[at]! ^= 0x10;
      const found = damageOfTable(bytes);
      bytes[at]! ^= 0x10;
      if (found === null) passedOver.push(at);
      else expect(found).toBeLessThanOrEqual(at);
    }
    // Of the footer LevelDB reads two places, as long as their numbers are, and the last eight bytes.
    const footer = bytes.length - 48;
    expect(passedOver.filter((at) => at < footer + 2 || at >= bytes.length - 8)).toEqual([]);
  });

  it('is damaged by truncation at any byte', async () => {
    const bytes = await table();
    for (let length = 0; length < bytes.length; length += 211)
      expect(damageOfTable(bytes.subarray(0, length))).not.toBeNull();
  });
});
