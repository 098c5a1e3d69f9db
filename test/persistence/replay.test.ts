/** Replay on records and epochs made by hand: which of a record, a change and a damage counts, in each order. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type RowKey } from '../../src/actors/model/ports.ts';
import { UNBORN } from '../../src/actors/model/state.ts';
import { checksum } from '../../src/checksum.ts';
import { BosunError } from '../../src/errors.ts';
import { identityFields, sealActor } from '../../src/persistence/format/actor-record.ts';
import { ByteWriter } from '../../src/persistence/format/bytes.ts';
import { createCodec } from '../../src/persistence/format/codec.ts';
import { seal } from '../../src/persistence/format/envelope.ts';
import { type EpochRecord } from '../../src/persistence/journal/epoch-format.ts';
import { enrolledKey, hex, stateKey } from '../../src/persistence/format/keys.ts';
import { Pages } from '../../src/persistence/format/pages.ts';
import { Replay } from '../../src/persistence/journal/replay.ts';
import { identityAt, references } from '../support/persistence/model.ts';

const codec = createCodec(references);
const IDENTITY = `i!${hex(5)}` as RowKey;
const ADDRESS = 'a!desk' as RowKey;
const CHILD = `b!${hex(1)}!desk` as RowKey;

const encoded = (value: unknown) => codec.encode(value);
const identity = () => codec.encodeShared(identityFields(identityAt(5)));

const body = codec.encode({ set: { n: 7 } });

/** The chain of the changes of life 5, all of which set the same. */
function hashAt(seq: number): number {
  return seq <= 1 ? 0 : checksum(body, hashAt(seq - 1));
}

const changeOf = (seq: number) => ({ life: 5, seq, hash: hashAt(seq), body });

/** The record of life 5, whose context counts `n`. */
function record(seq: number, key = stateKey(5)): Uint8Array {
  const state = () => codec.encodeShared({ ...UNBORN, seq, hash: hashAt(seq), context: { n: seq } });
  return sealActor(key, { identity, state }, new ByteWriter());
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at < 0 ? copy.length + at : at]! ^= 0x40;
  return copy;
}

type Part = Partial<Pick<EpochRecord, 'deltas'>> & { rows?: readonly (readonly [RowKey, Uint8Array | null])[] };

let replay: Replay;
let epochs: number;
beforeEach(() => {
  replay = new Replay(codec, new Pages(codec));
  epochs = 0;
});

function apply({ deltas = [], rows = [] }: Part, bytes = 10): void {
  replay.apply({ number: ++epochs, deltas, rows } as unknown as EpochRecord, bytes);
}

describe('a population', () => {
  it.each<[string, () => void]>([
    ['an actor', () => replay.loadActor(stateKey(5), record(1))],
    ['a damaged actor', () => replay.loadActor(stateKey(5), flipped(record(1), -1))],
    ['a row', () => replay.loadRow(ADDRESS, seal(ADDRESS, encoded(5)))],
    ['a row that is decoded at once', () => replay.loadDecoded(ADDRESS, seal(ADDRESS, encoded(5)))],
    ['a damaged row', () => replay.loadRow(ADDRESS, flipped(seal(ADDRESS, encoded(5)), -1))],
  ])('is there once it has %s', (_, load) => {
    expect(replay.isPopulated).toBe(false);
    load();
    expect(replay.isPopulated).toBe(true);
  });
});

describe('the record of an actor', () => {
  it('is found under the key that it was read from', () => {
    replay.loadActor(enrolledKey(5), record(1, enrolledKey(5)));
    expect([replay.keyOf(5), replay.keyOf(6)]).toEqual([enrolledKey(5), stateKey(6)]);
  });

  it('gives the identity although the state is damaged', () => {
    replay.loadActor(stateKey(5), flipped(record(1), -1));
    expect(replay.identities.get(5)).toEqual(identityAt(5));
    expect(replay.stranded.get(5)).toMatchObject({ error: { code: 'BOSUN_STORE_DAMAGED' }, deltas: [] });
  });

  it('gives nothing if the identity is damaged', () => {
    replay.loadActor(stateKey(5), flipped(record(1), 8));
    expect([replay.identities.size, replay.states.size, replay.stranded.size]).toEqual([0, 0, 1]);
  });

  it('gives no identity that is sealed and still cannot be read', () => {
    const parts = { identity: () => ({ bytes: Uint8Array.of(0x93), start: 0, end: 1 }), state: null };
    replay.loadActor(stateKey(5), sealActor(stateKey(5), parts, new ByteWriter()));
    expect([replay.identities.size, [...replay.badRows.keys()]]).toEqual([0, [IDENTITY]]);
  });

  it('does not replace an identity of the journal', () => {
    const later = { ...identityAt(5), version: 2 };
    apply({ rows: [[IDENTITY, encoded(identityFields(later))]] });
    replay.loadActor(stateKey(5), record(1));
    expect(replay.identities.get(5)).toEqual(later);
  });

  it('keeps its first damage', () => {
    replay.strand(5, new BosunError('BOSUN_STORE_DAMAGED', 'first'));
    replay.strand(5, new BosunError('BOSUN_STORE_DAMAGED', 'second'));
    expect(replay.stranded.get(5)?.error.message).toBe('first');
  });
});

describe('a change of an actor', () => {
  it('is taken once: an interrupted fold has written it already', () => {
    replay.loadActor(stateKey(5), record(2));
    apply({ deltas: [changeOf(2)] });
    expect(replay.states.get(5)).toMatchObject({ seq: 2, context: { n: 2 } });
    apply({ deltas: [changeOf(3)] });
    expect(replay.states.get(5)).toMatchObject({ seq: 3, context: { n: 7 } });
  });

  it('is kept where the record is missing, which is damage unless the actor dies', () => {
    apply({ deltas: [changeOf(2)] });
    expect(replay.stranded.get(5)).toMatchObject({ error: { code: 'BOSUN_STORE_DAMAGED' }, deltas: [{ seq: 2 }] });
    apply({ rows: [[IDENTITY, null]] });
    expect([replay.stranded.size, replay.overcome]).toEqual([0, []]);
  });

  it('is kept with a damaged record, whose damage is overcome by the death of the actor', () => {
    replay.loadActor(stateKey(5), flipped(record(1), -1));
    apply({ deltas: [changeOf(2)] });
    expect(replay.stranded.get(5)?.deltas).toMatchObject([{ seq: 2, epoch: 1 }]);
    apply({ rows: [[IDENTITY, null]] });
    expect(replay.overcome).toMatchObject([{ code: 'BOSUN_STORE_DAMAGED' }]);
  });

  it('strands the actor if it does not follow the state', () => {
    replay.loadActor(stateKey(5), record(1));
    apply({ deltas: [changeOf(3)] });
    expect(replay.stranded.get(5)?.deltas).toHaveLength(1);
  });
});

describe('a row', () => {
  const old = encoded(5);
  const young = encoded(6);

  it('needs no fold if its record equals that of the journal', () => {
    replay.loadRow(ADDRESS, seal(ADDRESS, old));
    apply({ rows: [[ADDRESS, old]] });
    expect(replay.window.rowOf(ADDRESS)).toBe(undefined);
    apply({ rows: [[ADDRESS, young]] });
    expect(replay.window.rowOf(ADDRESS)).toBe(young);
    apply({ rows: [[ADDRESS, old]] });
    expect(replay.window.rowOf(ADDRESS)).toBe(old);
  });

  it('needs a fold if it has no record, or is deleted', () => {
    apply({ rows: [[ADDRESS, old]] });
    expect(replay.window.rowOf(ADDRESS)).toBe(old);
    replay.loadRow(CHILD, seal(CHILD, old));
    apply({ rows: [[CHILD, null]] });
    expect([replay.window.rowOf(CHILD), replay.rows.has(CHILD)]).toEqual([null, false]);
  });

  it('is readable again once a new value replaces a damaged record', () => {
    replay.loadRow(ADDRESS, flipped(seal(ADDRESS, old), -1));
    apply({ rows: [[ADDRESS, young]] });
    expect([replay.overcome.length, replay.badRows.size, replay.rows.get(ADDRESS)]).toEqual([1, 0, young]);
  });

  it('can be changed by its reader if it is about a child, and is frozen otherwise', () => {
    const value = codec.encode({ spec: { id: 'desk' } });
    expect(Object.isFrozen(replay.decodeRow(CHILD, value))).toBe(false);
    expect(Object.isFrozen(replay.decodeRow(ADDRESS, value))).toBe(true);
  });
});

describe('a window', () => {
  it('counts the epochs and their bytes', () => {
    apply({}, 30);
    apply({}, 12);
    expect([replay.window.epochs, replay.window.bytes]).toEqual([2, 42]);
  });
});

describe('a partial read', () => {
  let reads: string[];
  beforeEach(() => {
    reads = [];
    replay = new Replay(codec, new Pages(codec), (key) => {
      reads.push(key);
      return key === stateKey(5) ? record(1) : undefined;
    });
  });

  it('reports that it is partial', () => {
    expect([replay.isPart, new Replay(codec, new Pages(codec)).isPart]).toEqual([true, false]);
  });

  it('leaves the changes of an actor until it is read, in order, and reads it once', () => {
    apply({ deltas: [changeOf(2)] });
    apply({ deltas: [changeOf(3)] });
    expect([replay.unread.get(5)?.deltas.map(({ seq }) => seq), replay.states.size, reads]).toEqual([[2, 3], 0, []]);
    replay.fetchActor(5);
    replay.fetchActor(5);
    expect([replay.states.get(5)?.seq, replay.unread.size, reads]).toEqual([3, 0, [stateKey(5)]]);
  });

  it('does not read dead actors', () => {
    apply({ rows: [[IDENTITY, null]] });
    replay.fetchActor(5);
    expect([reads, replay.states.size]).toEqual([[], 0]);
  });

  it('passes on the error of a store that cannot be read', () => {
    const away = new Replay(codec, new Pages(codec), () => {
      throw new BosunError('BOSUN_STORE_FAILED', 'not now');
    });
    expect(() => away.fetchActor(5)).toThrow('not now');
    expect(away.stranded.size).toBe(0);
  });
});
