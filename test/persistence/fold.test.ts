import { describe, expect, it } from 'vitest';
import { type ActorState, type Counters, type RowKey, type StoreWrite } from '../../src/actors/model/ports.ts';
import { UNBORN } from '../../src/actors/model/state.ts';
import { checksum } from '../../src/checksum.ts';
import { BosunError } from '../../src/errors.ts';
import { Pages } from '../../src/persistence/pages.ts';
import { Unread } from '../../src/persistence/bring-forward.ts';
import { createCodec } from '../../src/persistence/codec.ts';
import { decodeCut } from '../../src/persistence/cut.ts';
import { seal, unseal } from '../../src/persistence/envelope.ts';
import { NO_LINK } from '../../src/persistence/epoch-format.ts';
import { emptyWindow, Fold, type FoldLimits, type Window } from '../../src/persistence/fold.ts';
import { epochKey, hex, stateKey, unreadableKey } from '../../src/persistence/keys.ts';
import { imagesOf, references } from '../support/persistence/model.ts';

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

  it('writes last images behind its mark, then the cut, then deletes what the cut made superfluous', () => {
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

  it('writes the image of the cut, not of what came after it', () => {
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

  it('is bounded in records and bytes, beyond what the epoch brings in itself', () => {
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

  it('writes alike slices where little is new, and is over when the window behind it is half full', () => {
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

  it('overtakes births however many there are', () => {
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

  it('never writes rows and states that came and went within its window', () => {
    const fold = newFold(ROOMY);
    fold.epoch({ states: [[5, state(1)]], rows: [[`m!${hex(7)}`, bytes]], counters: 10 });
    fold.epoch({ states: [[5, null]], rows: [[`m!${hex(7)}`, null]], counters: 10 });
    fold.epoch({ counters: 10 });
    expect(fold.slice().filter(({ key }) => !/^[cey]/.test(key))).toEqual([]);
  });

  it('deletes what an earlier fold may have written, after a rewrite too', () => {
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
      { key: `m!${hex(7)}`, value: null },
      { key: 'd!s1', value: null },
      { key: stateKey(5), value: null },
    ]);
  });

  it('deletes the states of the dead only behind the cut: until then their deltas are replayed', () => {
    const fold = newFold({ ...ROOMY, windowEpochs: 1 }, 9);
    fold.epoch({ states: [[5, null]], counters: 9 });
    expect(fold.slice().map(({ key }) => key)).toEqual(['y!a', 'y!b', 'c!a', 'c!b', stateKey(5), epochKey(1)]);
  });
});

describe('an actor that the start has not read', () => {
  const codec = createCodec(references);
  const body = codec.encode({ set: { n: 1 } });
  const change = { epoch: 1, seq: 3, hash: checksum(body, 0), body };
  const folded = (seq: number) => seal(stateKey(5), codec.encode({ ...UNBORN, seq, context: { n: 0, m: 0 } }));

  function unread(fetch: (key: string) => Uint8Array | undefined): Window {
    const actor = new Unread(5, { codec, pages: new Pages(codec), fetch });
    actor.deltas.push(change);
    return { ...emptyWindow(), epochs: 3, states: new Map([[5, actor]]) };
  }

  it('is read when it is asked for, once', () => {
    let reads = 0;
    const { stateOf } = newFold(
      ROOMY,
      9,
      unread(() => ((reads += 1), folded(2))),
    );
    expect([stateOf(5), stateOf(5)]).toEqual(
      Array(2).fill(expect.objectContaining({ seq: 3, context: { n: 1, m: 0 } })),
    );
    expect(reads).toBe(1);
  });

  it('is read when the fold comes to it, and waits for the next epoch where it cannot be read', () => {
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

  it('that is damaged is marked before the cut, behind which the epochs go that show it, and stays damaged', () => {
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
    expect(() => fold.stateOf(5)).toThrow(expect.objectContaining({ code: 'BOSUN_STORE_DAMAGED' }) as Error);
  });

  it('loses its mark when it is dead, whether the fold or an earlier start has made that', () => {
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
    expect(fold.stateOf(5)).toBeNull();
    expect(
      behindMark(fold.slice())
        .filter(({ value }) => value === null)
        .map(({ key }) => key),
    ).toEqual([stateKey(5), unreadableKey(5), stateKey(6), unreadableKey(6), epochKey(1)]);
  });
});

interface Change {
  readonly bytes?: number;
  readonly states?: readonly (readonly [number, ActorState | null])[];
  readonly rows?: readonly (readonly [string, Uint8Array | null])[];
  readonly counters?: number;
}

/** A fold, with epochs described by what matters. */
function newFold(limits: FoldLimits, counters = 1, window = emptyWindow(), marked: readonly number[] = []) {
  let number = 0;
  const told: BosunError[] = [];
  const fold = new Fold({
    limits,
    records: {
      writesOf: (life, { seq }) => [{ key: stateKey(life), value: seal(stateKey(life), Uint8Array.of(seq)) }],
      deletionsOf: (life) => [{ key: stateKey(life), value: null }],
    },
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
    stateOf: (life: number) => fold.stateOf(life),
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
