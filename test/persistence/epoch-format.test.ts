import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RowKey, KEYSPACE } from '../../src/actors/model/ports.ts';
import { checksum } from '../../src/checksum.ts';
import { ByteReader, ByteWriter } from '../../src/persistence/format/bytes.ts';
import { type Delta } from '../../src/persistence/format/deltas.ts';
import { FORMAT, seal, stamp, unseal } from '../../src/persistence/format/envelope.ts';
import {
  decodeEpoch,
  encodeEpoch,
  type EpochParts,
  type EpochRecord,
  linkTo,
  NO_LINK,
} from '../../src/persistence/journal/epoch-format.ts';
import { epochKey, numberedKey } from '../../src/persistence/format/keys.ts';
import { RowPacker } from '../../src/persistence/format/rows.ts';

const DAMAGED = expect.objectContaining({ code: 'BOSUN_STORE_DAMAGED' }) as Error;
const bytes = fc.uint8Array({ maxLength: 100 });
const number = fc.maxSafeInteger().map(Math.abs);
const epochs: fc.Arbitrary<EpochRecord> = fc.record({
  number,
  link: fc.uint8Array({ minLength: 16, maxLength: 16 }),
  kernelTimeMs: fc.double({ noNaN: true }),
  counters: fc.record({ life: number, message: number, timer: number, quarantine: number }),
  deltas: fc.array(fc.record<Delta>({ life: number, seq: number, hash: fc.nat(2 ** 31), body: bytes })),
  rows: fc
    .array(fc.tuple(fc.stringMatching(/^[iamt]![ -~]{0,40}$/) as fc.Arbitrary<RowKey>, fc.option(bytes)))
    .map((entries) => new Map(entries)),
});

const SMALL: EpochRecord = {
  number: 7,
  link: linkTo(Buffer.from('the epoch before')),
  kernelTimeMs: 1_700_000_000_000.5,
  counters: { life: 3, message: 300, timer: 1, quarantine: 1 },
  deltas: [{ life: 2, seq: 41, hash: 0xdead_beef, body: Buffer.from('{"count":1}') }],
  rows: new Map<RowKey, Uint8Array | null>([
    [numberedKey(KEYSPACE.mailboxes, 0x12b), Buffer.from('hello')],
    [numberedKey(KEYSPACE.mailboxes, 0x12a), null],
  ]),
};

describe('an epoch value', () => {
  it('decodes to the encoded epoch', () => {
    const writer = new ByteWriter();
    fc.assert(
      fc.property(epochs, (epoch) => {
        const decoded = decodeEpoch(epoch.number, encodeEpoch(packed(epoch), writer));
        expect(normal(decoded)).toEqual(normal(epoch));
        expect([...decoded.rows.keys()]).toEqual([...epoch.rows.keys()]);
      }),
    );
  });

  it('reveals every change of a single byte', () => {
    const value = encodeEpoch(packed(SMALL), new ByteWriter());
    for (let i = 0; i < value.length; i++) {
      for (let bit = 0; bit < 8; bit++) {
        const changed = Uint8Array.from(value);
        changed[i] = (changed[i] as number) ^ (1 << bit);
        expect(() => decodeEpoch(7, changed), `byte ${i} bit ${bit}`).toThrow(DAMAGED);
      }
    }
  });

  it('reveals every truncation and every addition', () => {
    const value = encodeEpoch(packed(SMALL), new ByteWriter());
    for (let length = 0; length < value.length; length++) {
      expect(() => decodeEpoch(7, value.slice(0, length)), `${length} bytes`).toThrow(DAMAGED);
    }
    expect(() => decodeEpoch(7, Buffer.concat([value, Buffer.of(0)]))).toThrow(DAMAGED);
  });

  it('cannot be read under another number', () => {
    expect(() => decodeEpoch(8, encodeEpoch(packed(SMALL), new ByteWriter()))).toThrow(DAMAGED);
  });

  it('is small: a turn of one actor costs less than a hundred bytes', () => {
    expect(encodeEpoch(packed({ ...SMALL, rows: new Map() }), new ByteWriter()).length).toBeLessThan(100);
  });

  it('is refused if it has an unknown section', () => {
    expect(() => decodeEpoch(7, withSection(0x04))).toThrow(
      expect.objectContaining({ code: 'BOSUN_STORE_FORMAT', details: { key: epochKey(7), epoch: 7, section: 4 } }),
    );
  });

  it('links to the whole value before it', () => {
    const value = encodeEpoch(packed(SMALL), new ByteWriter());
    const last = Uint8Array.from(value);
    last[last.length - 1] = (last[last.length - 1] as number) ^ 1;
    expect(Buffer.compare(linkTo(value), linkTo(last))).not.toBe(0);
    expect(NO_LINK.length).toBe(linkTo(value).length);
  });
});

describe('an envelope', () => {
  const key = 's!00000000000001';

  it('returns its payload', () => {
    fc.assert(
      fc.property(bytes, (payload) => {
        expect([...unseal(key, seal(key, payload))]).toEqual([...payload]);
      }),
    );
  });

  it('reveals every change of a single byte, every truncation, and another key', () => {
    const record = seal(key, Buffer.from('the state of an actor'));
    for (let i = 0; i < record.length; i++) {
      const changed = Uint8Array.from(record);
      changed[i] = (changed[i] as number) ^ 0x10;
      expect(() => unseal(key, changed), `byte ${i}`).toThrow(DAMAGED);
      expect(() => unseal(key, record.slice(0, i)), `${i} bytes`).toThrow(DAMAGED);
    }
    expect(() => unseal('s!00000000000002', record)).toThrow(
      expect.objectContaining({ details: { key: 's!00000000000002' } }) as Error,
    );
  });

  it('tells a newer format from damage', () => {
    const record = seal(key, Buffer.from('of the future'));
    const payload = record.subarray(5);
    const crc = checksum(payload, checksum(key + String.fromCharCode(FORMAT + 1)));
    new DataView(record.buffer).setUint32(1, crc);
    record[0] = FORMAT + 1;
    expect(() => unseal(key, record)).toThrow(expect.objectContaining({ code: 'BOSUN_STORE_FORMAT' }) as Error);
  });
});

describe('numbers of variable length', () => {
  it('are decoded as they were encoded, up to the largest safe integer', () => {
    const writer = new ByteWriter();
    fc.assert(
      fc.property(
        fc.oneof(number, fc.constantFrom(0, 127, 128, 2 ** 31, 2 ** 32, 2 ** 49, Number.MAX_SAFE_INTEGER)),
        (value) => {
          writer.reset();
          writer.varint(value);
          const reader = new ByteReader(writer.copy());
          expect(reader.varint()).toBe(value);
          expect(reader.atEnd).toBe(true);
        },
      ),
    );
  });
});

/** The small epoch with one more section at its end, and everything around it in order. */
function withSection(id: number): Uint8Array {
  const value = encodeEpoch(packed(SMALL), new ByteWriter());
  const section = Buffer.alloc(9 + 3);
  section[0] = id;
  section.writeUInt32BE(3, 1);
  section.write('new', 5);
  section.writeUInt32BE(checksum(section.subarray(0, 8)), 8);
  const longer = Buffer.concat([value, section]);
  longer.writeUInt32BE(longer.length, 13);
  stamp(epochKey(7), longer.subarray(0, 33));
  return longer;
}

/** Buffers and arrays of bytes compare alike. */
function normal(epoch: EpochRecord): unknown {
  return {
    ...epoch,
    link: [...epoch.link],
    deltas: epoch.deltas.map((delta) => ({ ...delta, body: [...delta.body] })),
    rows: [...epoch.rows].map(([key, value]) => [key, value && [...value]]),
  };
}

/** As the kernel hands it over. */
function packed(epoch: EpochRecord): EpochParts {
  const writer = new ByteWriter();
  for (const { life, seq, hash, body } of epoch.deltas) {
    writer.varint(life);
    writer.varint(seq);
    writer.u32(hash);
    writer.varint(body.length);
    writer.bytes(body);
  }
  const rows = new RowPacker((row) => ({ bytes: row as Uint8Array, start: 0, end: (row as Uint8Array).length }));
  return { ...epoch, deltas: writer.copy(), rows: rows.pack(epoch.rows, new Map()).bytes };
}
