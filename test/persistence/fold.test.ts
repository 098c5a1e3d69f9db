import { describe, expect, it } from 'vitest';
import { type ActorState, type Counters, type RowKey, type StoreWrite } from '../../src/actors/model/ports.ts';
import { UNBORN } from '../../src/actors/model/state.ts';
import { checksum } from '../../src/checksum.ts';
import { BosunError } from '../../src/errors.ts';
import { identityFields, sealActor } from '../../src/persistence/format/actor-record.ts';
import { Pages } from '../../src/persistence/format/pages.ts';
import { Unread } from '../../src/persistence/format/bring-forward.ts';
import { ByteWriter } from '../../src/persistence/format/bytes.ts';
import { createCodec } from '../../src/persistence/format/codec.ts';
import { decodeCut } from '../../src/persistence/journal/cut.ts';
import { seal, unseal } from '../../src/persistence/format/envelope.ts';
import { NO_LINK } from '../../src/persistence/journal/epoch-format.ts';
import { Fold, type FoldLimits } from '../../src/persistence/journal/fold.ts';
import { epochKey, hex, stateKey, unreadableKey } from '../../src/persistence/format/keys.ts';
import { Segments } from '../../src/persistence/journal/segments.ts';
import { Window } from '../../src/persistence/journal/window.ts';
import { identityAt, imagesOf, references } from '../support/persistence/model.ts';

const ROOMY: FoldLimits = { windowEpochs: 3, windowBytes: 10_000, sliceRecords: 100, sliceBytes: 10_000 };
const NONE = { records: 0, bytes: 0 };
const bytes = Buffer.from('row');

describe('a fold', () => {
  it('begins when enough epochs have gathered', () => {
    const fold = newFold(ROOMY);
    fold.epochs(2);
    expect(fold.slice()).toEqual([]);
    fold.epochs(1);
    expect(fold.slice()).not.toEqual([]);
  });

  it('begins when enough bytes have gathered', () => {
    const fold = newFold({ ...ROOMY, windowBytes: 1_000 });
    fold.epoch({ bytes: 999 });
    expect(fold.slice()).toEqual([]);
    fold.epoch({ bytes: 1 });
    expect(fold.slice()).not.toEqual([]);
  });

  it('writes last images after its mark, then the cut, then deletes the records that the cut made superfluous', () => {
    const fold = newFold(ROOMY);
    fold.epoch({
      states: [
        [1, state(1)],
        [2, state(1)],
      ],
      rows: [['d!s1', bytes]],
    });
    fold.epoch({ states: [[1, state(2)]], rows: [['d!s1', Buffer.from('last')]] });
    fold.epoch({});
    expect(fold.slice().map(({ key, value }) => [key, value === null ? 'deleted' : 'put'])).toEqual([
      ['y!a', 'put'],
      ['y!b', 'put'],
      [stateKey(1), 'put'],
      [stateKey(2), 'put'],
      ['d!s1', 'put'],
      ['c!a', 'put'],
      ['c!b', 'put'],
      [epochKey(1), 'deleted'],
      [epochKey(2), 'deleted'],
      [epochKey(3), 'deleted'],
    ]);
  });

  it('writes images as of the cut, without later changes', () => {
    const fold = newFold({ ...ROOMY, sliceRecords: 1 });
    fold.epoch({
      states: [
        [1, state(1)],
        [2, state(1)],
      ],
    });
    fold.epochs(2);
    expect(seqs(fold.slice())).toEqual([[1, 1]]);
    fold.epoch({ states: [[2, state(2)]] });
    expect(seqs(fold.slice())).toEqual([[2, 1]]);
    const cut = fold.slice();
    expect(cut.map(({ key }) => key)).toEqual(['y!a', 'y!b', 'c!a', 'c!b']);
    expect(decodeCut(unseal('c!a', cut[2]?.value ?? new Uint8Array()))).toMatchObject({
      from: 4,
      oldest: 1,
      written: 5,
    });
  });

  it('writes a bounded number of records and bytes, beyond those of the epoch itself', () => {
    const many = Array.from({ length: 50 }, (_, i) => [i + 1, state(1)] as const);
    const byRecords = newFold({ ...ROOMY, sliceRecords: 4 });
    byRecords.epoch({ states: many });
    byRecords.epochs(2);
    expect(behindMark(byRecords.slice()).length).toBe(4);
    expect(behindMark(byRecords.slice({ records: 3, bytes: 0 })).length).toBe(7);
    const byBytes = newFold({ ...ROOMY, sliceBytes: 1 });
    byBytes.epoch({ states: many });
    byBytes.epochs(2);
    expect(behindMark(byBytes.slice()).length).toBe(1);
    expect(behindMark(byBytes.slice({ records: 0, bytes: 100 })).length).toBeGreaterThan(1);
  });

  it('writes slices of equal size if little is new, and ends when the window behind it is half full', () => {
    const fold = newFold({ ...ROOMY, windowEpochs: 100, sliceRecords: 4 });
    fold.epoch({ states: Array.from({ length: 1_000 }, (_, i) => [i + 1, state(1)] as const) });
    fold.epochs(99);
    const slices: number[] = [];
    for (
      let writes = fold.slice({ records: 500, bytes: 10 });
      writes.length > 0;
      writes = fold.slice({ records: 500, bytes: 10 })
    ) {
      slices.push(behindMark(writes).length);
      fold.epoch({});
    }
    expect(slices.reduce((sum, length) => sum + length, 0)).toBe(1_000 + 2 + 100);
    expect(Math.max(...slices)).toBeLessThan(30);
    expect(slices.filter((length) => length > 0)).toHaveLength(50);
  });

  it('writes a quarter of a slice while that is fast enough, and a whole slice when it is late', () => {
    const windowBytes = 1_000_000;
    const fold = newFold({ ...ROOMY, windowEpochs: 1_000, windowBytes, sliceRecords: 100, sliceBytes: windowBytes });
    fold.epoch({ states: Array.from({ length: 500 }, (_, i) => [i + 1, state(1)] as const) });
    fold.epochs(999);
    expect(behindMark(fold.slice()).length).toBe(25);
    expect(behindMark(fold.slice({ records: 0, bytes: windowBytes })).length).toBe(100);
  });

  it('keeps ahead of births, however many there are', () => {
    const fold = newFold({ ...ROOMY, sliceRecords: 1, sliceBytes: 100 });
    let life = 0;
    let epochsOnDisk = 0;
    for (let i = 0; i < 300; i++) {
      const states = Array.from({ length: 10 }, () => [++life, state(1)] as const);
      const writes = fold.slice({ records: 10, bytes: 1_000 });
      epochsOnDisk += 1 - writes.filter(({ key }) => key.startsWith('e!')).length;
      fold.epoch({ states, bytes: 1_000 });
    }
    expect(epochsOnDisk).toBeLessThan(60);
  });

  it('keeps ahead of messages with separate records, however many of them are in one segment', () => {
    const fold = newFold({ ...ROOMY, windowEpochs: 6, sliceRecords: 4 }, 1_000_000);
    let epochsOnDisk = 0;
    let most = 0;
    for (let i = 0; i < 300; i++) {
      const rows = Array.from({ length: 40 }, (_, n) => [`m!${hex(i * 40 + n)}`, null] as const);
      const writes = fold.slice({ records: 40, bytes: 10 });
      epochsOnDisk += 1 - writes.filter(({ key }) => key.startsWith('e!')).length;
      most = Math.max(most, epochsOnDisk);
      fold.epoch({ rows, counters: 1_000_000 });
    }
    expect(most).toBeLessThan(60);
  });

  it('never writes rows and states that were created and deleted within its window', () => {
    const fold = newFold(ROOMY);
    fold.epoch({ states: [[5, state(1)]], rows: [[`m!${hex(7)}`, bytes]], counters: 10 });
    fold.epoch({ states: [[5, null]], rows: [[`m!${hex(7)}`, null]], counters: 10 });
    fold.epoch({ counters: 10 });
    expect(fold.slice().filter(({ key }) => !/^[cey]/.test(key))).toEqual([]);
  });

  it('deletes records that an earlier fold may have written, even after a rewrite', () => {
    const fold = newFold({ ...ROOMY, windowEpochs: 1 });
    fold.epoch({ states: [[5, state(1)]], rows: [[`m!${hex(7)}`, bytes]], counters: 8 });
    fold.slice();
    fold.epoch({ rows: [[`m!${hex(7)}`, Buffer.from('delivered once')]], counters: 8 });
    fold.epoch({
      states: [[5, null]],
      rows: [
        [`m!${hex(7)}`, null],
        ['d!s1', null],
      ],
      counters: 8,
    });
    expect(fold.slice().filter(({ key }) => !/^[cey]/.test(key))).toEqual([
      { key: stateKey(5), value: null },
      { key: 'd!s1', value: null },
      { key: `m!${hex(7)}`, value: null },
    ]);
  });

  it('deletes dead actors before the cut, because no record on disk would mark them as dead afterwards', () => {
    const fold = newFold({ ...ROOMY, windowEpochs: 1 }, 9);
    fold.epoch({ states: [[5, null]], counters: 9 });
    expect(fold.slice().map(({ key }) => key)).toEqual(['y!a', 'y!b', stateKey(5), 'c!a', 'c!b', epochKey(1)]);
  });
});

describe('an actor that the start has not read', () => {
  const codec = createCodec(references);
  const body = codec.encode({ set: { n: 1 } });
  const change = { epoch: 1, seq: 3, hash: checksum(body, 0), body };
  const folded = (seq: number) => {
    const parts = {
      identity: () => codec.encodeShared(identityFields(identityAt(5))),
      state: () => codec.encodeShared({ ...UNBORN, seq, context: { n: 0, m: 0 } }),
    };
    return sealActor(stateKey(5), parts, new ByteWriter());
  };
  const alone = (fetch: () => Uint8Array | undefined) => (key: string) => (key === stateKey(5) ? fetch() : undefined);

  function unread(fetch: () => Uint8Array | undefined): Window {
    const actor = new Unread(5, { codec, pages: new Pages(codec), fetch: alone(fetch) });
    actor.deltas.push(change);
    const window = new Window();
    window.epochs = 3;
    window.actors.set(5, actor);
    return window;
  }

  it('is read once, when it is first needed', () => {
    let reads = 0;
    const { actorOf } = newFold(
      ROOMY,
      9,
      unread(() => ((reads += 1), folded(2))),
    );
    expect([actorOf(5), actorOf(5)]).toEqual(
      Array(2).fill(
        expect.objectContaining({
          identity: identityAt(5),
          state: expect.objectContaining({ seq: 3, context: { n: 1, m: 0 } }) as unknown,
        }),
      ),
    );
    expect(reads).toBe(1);
  });

  it('is read when the fold reaches it, and is left for the next epoch if it cannot be read', () => {
    let failures = 2;
    const fetch = () => {
      if (failures-- > 0) throw new BosunError('BOSUN_STORE_FAILED', 'not now');
      return folded(2);
    };
    const fold = newFold(ROOMY, 9, unread(fetch));
    expect([seqs(fold.slice()), seqs(fold.slice())]).toEqual([[], []]);
    expect(fold.told[0]).toMatchObject({ code: 'BOSUN_STORE_FAILED', details: { life: 5 } });
    expect(behindMark(fold.slice())[0]).toEqual({ key: stateKey(5), value: seal(stateKey(5), Uint8Array.of(3)) });
  });

  it('is marked as damaged before the cut that drops the epochs revealing it, and stays damaged', () => {
    const fold = newFold(
      ROOMY,
      9,
      unread(() => folded(1)),
    );
    expect(behindMark(fold.slice()).map(({ key }) => key)).toEqual([unreadableKey(5), 'c!a', 'c!b']);
    expect(fold.told).toEqual([
      expect.objectContaining({
        code: 'BOSUN_STORE_DAMAGED',
        details: expect.objectContaining({ life: 5 }) as unknown,
      }),
    ]);
    fold.epoch({ counters: 9 });
    fold.epoch({ counters: 9 });
    expect(() => fold.actorOf(5)).toThrow(expect.objectContaining({ code: 'BOSUN_STORE_DAMAGED' }) as Error);
  });

  it('loses its damage mark when it is dead, whether the fold or an earlier start marked it', () => {
    const fold = newFold(
      { ...ROOMY, windowEpochs: 1 },
      9,
      unread(() => folded(1)),
      [6],
    );
    fold.slice();
    fold.epoch({
      states: [
        [5, null],
        [6, null],
      ],
      counters: 9,
    });
    expect(fold.actorOf(5)).toBeNull();
    expect(
      behindMark(fold.slice())
        .filter(({ value }) => value === null)
        .map(({ key }) => key),
    ).toEqual([stateKey(5), stateKey(6), unreadableKey(5), unreadableKey(6), epochKey(1)]);
  });
});

describe('rows that are newer than those on disk', () => {
  it('include the rows since the last fold and the rows being folded, until that fold is durable', () => {
    const fold = newFold({ ...ROOMY, windowEpochs: 1, sliceRecords: 2 });
    const [old, young] = [Buffer.from('old'), Buffer.from('young')];
    fold.epoch({
      rows: [
        ['d!a', old],
        ['d!b', old],
        ['d!c', old],
        ['e!a', old],
      ],
    });
    fold.slice();
    fold.epoch({
      rows: [
        ['d!b', young],
        ['d!c', null],
      ],
    });
    expect([fold.rowOf('d!a'), fold.rowOf('d!b'), fold.rowOf('d!c'), fold.rowOf('d!z')]).toEqual([
      old,
      young,
      null,
      undefined,
    ]);
    expect(fold.rowsIn('d!a', 'd!c')).toEqual([
      ['d!a', old],
      ['d!b', young],
    ]);
    expect(fold.rowsIn('d!c', 'e!a')).toEqual([['d!c', null]]);
    for (let slice = 0; slice < 20; slice++) fold.slice();
    fold.epoch({});
    expect(fold.rowsIn('d!', 'f')).toEqual([]);
  });
});

interface Change {
  readonly bytes?: number;
  readonly states?: readonly (readonly [number, ActorState | null])[];
  readonly rows?: readonly (readonly [string, Uint8Array | null])[];
  readonly counters?: number;
}

/** A fold, with epochs described by what matters. */
function newFold(limits: FoldLimits, counters = 1, window = new Window(), marked: readonly number[] = []) {
  let number = 0;
  const told: BosunError[] = [];
  const fold = new Fold({
    limits,
    records: {
      writesOf: (life, { state: { seq } }) => [
        { key: stateKey(life), value: seal(stateKey(life), Uint8Array.of(seq)) },
      ],
      deletionsOf: (key) => [{ key, value: null }],
    },
    messages: new Segments(),
    window,
    end: { epoch: 0, link: NO_LINK, counters: all(counters) },
    oldest: 1,
    marked,
    onDamage: (damage) => told.push(damage),
  });
  const epoch = ({ bytes = 10, states = [], rows = [], counters = 1 }: Change) =>
    fold.add(
      { epoch: ++number, link: NO_LINK, counters: all(counters) },
      {
        bytes,
        images: imagesOf(states),
        rows: { keys: rows.map(([key]) => key as RowKey), values: rows.map(([, row]) => row) },
      },
    );
  const epochs = (count: number) => {
    for (let i = 0; i < count; i++) epoch({});
  };
  return {
    epoch,
    epochs,
    slice: (inflow = NONE) => fold.slice(inflow),
    actorOf: (life: number) => fold.actorOf(life),
    rowOf: (key: string) => fold.rowOf(key as RowKey),
    rowsIn: (gte: string, lt: string) => [...fold.rowsIn({ gte, lt })].sort(),
    told,
  };
}

function all(number: number): Counters {
  return { life: number, message: number, timer: number, quarantine: number };
}

function state(seq: number): ActorState {
  return { ...UNBORN, seq };
}

/** Life and seq of each state in a slice. */
function seqs(writes: readonly StoreWrite[]): unknown[] {
  return behindMark(writes).map(({ key, value }) => [
    Number.parseInt(key.slice(2), 16),
    unseal(key, value ?? new Uint8Array())[0],
  ]);
}

/** Every slice of records repeats the mark of its fold. */
function behindMark(writes: readonly StoreWrite[]): readonly StoreWrite[] {
  expect(writes.slice(0, 2).map(({ key }) => key)).toEqual(['y!a', 'y!b']);
  return writes.slice(2);
}
