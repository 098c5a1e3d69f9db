/** Damage of LevelDB's own files, which LevelDB would pass over: it is found before LevelDB sees them. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KEYSPACE } from '../../src/actors/model/ports.ts';
import { type BosunError } from '../../src/errors.ts';
import { createJournal } from '../../src/persistence/journal.ts';
import { damageOfFiles } from '../../src/persistence/level-files.ts';
import { levelStore } from '../../src/persistence/level-store.ts';
import { verify } from '../../src/persistence/verify.ts';
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
  it('stops the start before LevelDB drops what is behind it, each time, and recoverTo goes on', async () => {
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

  it('is no reason to stop at a durability at which a power cut may leave holes', async () => {
    await written();
    damage(fileEnding('.log'), flipAt(0.5));
    const { epoch, told } = await recovered({ durability: 'process' });
    expect(epoch).toBeLessThan(EPOCHS);
    expect(told).toHaveLength(1);
  });

  it('in its last write is told, since a crash that cuts a write short looks the same', async () => {
    await written();
    damage(fileEnding('.log'), flipAt(0.99));
    expect(await recovered()).toMatchObject({
      epoch: EPOCHS - 1,
      told: [{ code: 'BOSUN_STORE_DAMAGED', details: { lastGoodEpoch: EPOCHS - 1 } }],
    });
  });

  it('is no damage where the log ends between two writes, or in space that was not written to', async () => {
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

describe('a file that a crash left in the making', () => {
  it.each(['000900.ldb', '000001.log'])('is none of the store: %s', async (name) => {
    await written();
    await recovered();
    writeFileSync(join(directory, name), flipAt(0.5)(readFileSync(fileEnding('.ldb'))).subarray(0, 1_000));
    expect(await recovered()).toEqual({ epoch: EPOCHS, told: [] });
  });
});

describe('verify', () => {
  it('reports a write that was cut short', async () => {
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

describe('a table', () => {
  /** LevelDB's own: CRC-32C, rotated, with a constant added. */
  function checksumOf(bytes: Buffer): Buffer {
    let crc = -1;
    for (const byte of bytes) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
    }
    const masked = Buffer.alloc(4);
    masked.writeInt32LE(((((~crc >>> 15) | (~crc << 17)) >>> 0) + 0xa282ead8) | 0);
    return masked;
  }

  it('is sound though bytes in the middle of a block happen to be the checksum of those before them', async () => {
    // Once in four gigabytes this comes about by itself.
    const key = 'a!first';
    const value = randomBytes(600);
    const entry = Buffer.concat([
      Buffer.from([0, key.length + 8, 0x80 | (600 & 0x7f), 600 >> 7]),
      Buffer.from(key),
      Buffer.from([1, 1, 0, 0, 0, 0, 0, 0]),
      value.subarray(0, 100),
    ]);
    checksumOf(entry).copy(value, 100);
    const store = levelStore(directory);
    await store.open();
    await store.write([{ key, value }], { sync: true });
    await store.compact!();
    await store.close();
    expect(readFileSync(fileEnding('.ldb')).indexOf(Buffer.concat([entry, value.subarray(100)]))).toBe(0);
    expect(await damageOfFiles(directory)).toEqual([]);
    damage(fileEnding('.ldb'), flipAt(0.5));
    expect(await damageOfFiles(directory)).toEqual([expect.objectContaining({ kind: 'certain' })]);
  });
});
