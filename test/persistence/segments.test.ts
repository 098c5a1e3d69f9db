/**
 * Segments of messages: their bytes, the records that a fold writes for them, and, as a property, that a store holds
 * the messages that were put and not deleted, whatever write a crash interrupts.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type StoreWrite } from '../../src/actors/model/ports.ts';
import { BosunError } from '../../src/errors.ts';
import { unseal } from '../../src/persistence/format/envelope.ts';
import { numberIn, segmentKey, unreadKeys } from '../../src/persistence/format/keys.ts';
import { readSegment, Segments, segmentOf } from '../../src/persistence/journal/segments.ts';
import { byEffort } from '../support/effort.ts';

const NUMBERS = 64;

describe('the messages of a segment', () => {
  it('are one record while all are unread, and none once all are read', () => {
    const disk = new Disk();
    disk.fold(1, putting([64, 65, 127]));
    expect([...disk.records.keys()]).toEqual([segmentKey(1)]);
    disk.fold(1, deleting([64, 65, 127]));
    expect([...disk.records.keys()]).toEqual([]);
  });

  it('are listed in two copies while only some are unread', () => {
    const disk = new Disk();
    disk.fold(1, putting([64, 65, 66]));
    disk.fold(1, deleting([65]));
    expect([...disk.records.keys()].sort()).toEqual([segmentKey(1), ...unreadKeys(1)]);
    expect(disk.found()).toEqual({ 64: '64', 66: '66' });
    disk.fold(1, deleting([64, 66]));
    expect([...disk.records.keys()]).toEqual([]);
  });

  it('have separate records if a message is alone, or if others of its segment were written before', () => {
    const disk = new Disk();
    disk.fold(1, putting([64]));
    disk.fold(1, putting([70, 71]), 65);
    expect([...disk.records.keys()]).toEqual(
      [64, 70, 71].map((number) => `m!${number.toString(16).padStart(14, '0')}`),
    );
  });

  it('leave the segment when they change', () => {
    const disk = new Disk();
    disk.fold(1, putting([64, 65]));
    disk.fold(1, new Map([[65, Buffer.from('again')]]), 100);
    expect(disk.found()).toEqual({ 64: '64', 65: 'again' });
    disk.fold(1, deleting([65]), 100);
    expect(disk.found()).toEqual({ 64: '64' });
  });

  it('are still found if one of them is damaged', () => {
    const disk = new Disk();
    disk.fold(1, putting([64, 65]));
    const record = disk.records.get(segmentKey(1))!;
    record[record.length - 1]! ^= 1;
    expect(disk.found()).toEqual({ 64: '64', 65: 'm!00000000000041' });
  });

  it('are all damaged if the head is, or both copies of the list of unread messages', () => {
    const disk = new Disk();
    disk.fold(1, putting([64, 65]));
    const record = disk.records.get(segmentKey(1))!;
    for (let at = 0; at < record.length - 4; at++) {
      const flipped = Uint8Array.from(record);
      flipped[at]! ^= 0x10;
      expect(() => readSegment(segmentKey(1), flipped)).toThrow(BosunError);
    }
    expect(() => readSegment(segmentKey(2), record)).toThrow('checksum');
    const lost = new BosunError('BOSUN_STORE_DAMAGED', 'lost');
    expect(() => new Segments().load(segmentKey(1), record, lost, () => {})).toThrow(lost);
  });

  it('have separate records once their segment is dissolved', async () => {
    const disk = new Disk();
    disk.fold(1, putting([64, 65, 66]));
    disk.fold(2, putting([128, 129]));
    disk.fold(1, deleting([65]));
    disk.write(await disk.segments.dissolve((key) => Promise.resolve(disk.records.get(key))));
    expect([...disk.records.keys()].sort()).toEqual([segmentKey(2), 'm!00000000000040', 'm!00000000000042']);
    expect(disk.found()).toEqual({ 64: '64', 66: '66', 128: '128', 129: '129' });
    disk.fold(1, deleting([64, 66]), 200);
    expect([...disk.records.keys()]).toEqual([segmentKey(2)]);
  });

  it('are those that were put and not deleted, whatever write a crash interrupts', () => {
    const steps = fc.array(
      fc.record({
        changes: fc.array(fc.tuple(fc.nat(3 * NUMBERS), fc.constantFrom('put', 'delete', 'delete')), { maxLength: 60 }),
        fresh: fc.nat(2 * NUMBERS),
        cut: fc.option(fc.nat(20), { freq: 2 }),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(steps, (all) => {
        let disk = new Disk();
        const model = new Map<number, string>();
        let next = 1;
        let generation = 0;
        for (const { changes, fresh, cut } of all) {
          const since = next;
          const window = new Map<number, Buffer | null>();
          for (let number = next; number < next + fresh; number++) window.set(number, Buffer.from(`${number}`));
          next += fresh;
          generation += 1;
          for (const [back, what] of changes) {
            const number = next - 1 - back;
            const isUnread = window.has(number) ? window.get(number) !== null : model.has(number);
            if (number < 1 || !isUnread) continue;
            if (what === 'put') window.set(number, Buffer.from(`${number} again ${generation}`));
            else if (number >= since) window.delete(number);
            else window.set(number, null);
          }
          for (const [number, row] of window) {
            if (row === null) model.delete(number);
            else model.set(number, row.toString());
          }
          const folds = () => bySegment(window);
          if (cut === null) for (const [segment, rows] of folds()) disk.fold(segment, rows, since);
          else {
            // A crash after so many writes; the next start replays the window onto what it finds.
            let left = cut;
            for (const [segment, rows] of folds())
              for (const write of disk.segments.writesOf(segment, rows, since)) if (left-- > 0) disk.write([write]);
            disk = disk.restarted();
            disk.replay(window, next);
          }
          expect(disk.restarted().found()).toEqual(Object.fromEntries(model));
        }
      }),
      { numRuns: byEffort({ quick: 80, ci: 300 }) },
    );
  });
});

function putting(numbers: readonly number[]): Map<number, Buffer | null> {
  return new Map(numbers.map((number) => [number, Buffer.from(`${number}`)]));
}

function deleting(numbers: readonly number[]): Map<number, null> {
  return new Map(numbers.map((number) => [number, null]));
}

function bySegment(window: ReadonlyMap<number, Buffer | null>): Map<number, Map<number, Buffer | null>> {
  const segments = new Map<number, Map<number, Buffer | null>>();
  for (const [number, row] of window) {
    const segment = segmentOf(number);
    segments.set(segment, (segments.get(segment) ?? new Map<number, Buffer | null>()).set(number, row));
  }
  return segments;
}

/** Records of messages, and the segments that write them. */
class Disk {
  readonly records = new Map<string, Uint8Array>();
  readonly segments = new Segments();
  /** Segments that the next fold has to visit. */
  readonly #visited = new Set<number>();

  write(writes: Iterable<StoreWrite>): void {
    for (const { key, value } of writes) {
      if (value === null) this.records.delete(key);
      else this.records.set(key, value);
    }
  }

  fold(segment: number, rows: ReadonlyMap<number, Uint8Array | null>, since = 1): void {
    this.write(this.segments.writesOf(segment, rows, since));
  }

  /** The same records as a new process finds them. */
  restarted(): Disk {
    const disk = new Disk();
    disk.write([...this.records].map(([key, value]) => ({ key, value })));
    disk.#load();
    return disk;
  }

  /** Folds the window of an interrupted fold again; `next` is the lowest number that was never used. */
  replay(window: ReadonlyMap<number, Buffer | null>, next: number): void {
    const found = this.found();
    const rows = bySegment(new Map([...window].filter(([number, row]) => row === null || found[number] !== `${row}`)));
    for (const segment of this.#visited) if (!rows.has(segment)) rows.set(segment, new Map());
    for (const [segment, changes] of rows) this.fold(segment, changes, next);
  }

  /** The unread messages by number, or the key of the damage. */
  found(): Record<number, string> {
    const disk = new Disk();
    disk.write([...this.records].map(([key, value]) => ({ key, value })));
    return disk.#load();
  }

  #load(): Record<number, string> {
    const found: Record<number, string> = {};
    for (const [key, value] of this.records) {
      if (!key.startsWith('M!')) continue;
      const [copy] = unreadKeys(numberIn(key));
      const stored = this.records.get(copy);
      this.segments.load(key, value, stored && unseal(copy, stored), (message, row) => {
        found[numberIn(message)] =
          row instanceof BosunError ? (row.details['key'] as string) : Buffer.from(row).toString();
      });
    }
    for (const [key, value] of this.records) {
      if (!key.startsWith('m!')) continue;
      found[numberIn(key)] = Buffer.from(unseal(key, value)).toString();
      if (this.segments.standsAlone(numberIn(key))) this.#visited.add(segmentOf(numberIn(key)));
    }
    return found;
  }
}
