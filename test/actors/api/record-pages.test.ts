/** Tails and pages of records: the tail of one actor's records, and one page from several shards. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  followed,
  type FoundRecord,
  type FoundRecords,
  mergedFound,
  type RecordPage,
  type RecordSource,
  type RecordsOptions,
  type RecordView,
} from '../../../src/actors/api/record-pages.ts';
import { BosunError } from '../../../src/errors.ts';

const view = (number: number): RecordView => ({ number, atMs: 0, sequence: number, value: number });

/** An actor with records up to `last`, which is told of by hand. */
class Actor implements RecordSource {
  last = 0;
  life = 1;
  /** Numbers that are too old to be shown. */
  readonly aged = new Set<number>();
  failure: BosunError | undefined;
  observer: Parameters<RecordSource['watch']>[0] | undefined;

  async page({ after = 0, limit = 100 }: RecordsOptions): Promise<RecordPage> {
    await Promise.resolve();
    if (this.failure !== undefined) throw this.failure;
    const numbers = Array.from({ length: Math.max(0, this.last - after) }, (_, n) => after + 1 + n).slice(0, limit);
    const through = numbers.at(-1) ?? this.last;
    return {
      records: numbers.filter((number) => !this.aged.has(number)).map(view),
      next: through < this.last ? through : null,
      first: 1,
      last: this.last,
      life: this.life,
      missing: 0,
    };
  }

  watch(observer: Parameters<RecordSource['watch']>[0]): () => void {
    this.observer = observer;
    return () => (this.observer = undefined);
  }

  record(count: number): void {
    this.last += count;
    this.observer?.changed();
  }
}

const numbersOf = async (records: AsyncGenerator<RecordView>, count: number) => {
  const numbers: number[] = [];
  while (numbers.length < count) numbers.push(((await records.next()) as { value: RecordView }).value.number);
  return numbers;
};

describe('a tail', () => {
  it('begins with the next record or after a given number, and gives each record once', async () => {
    const actor = new Actor();
    actor.record(3);
    const fresh = followed(actor, {});
    const first = fresh.next();
    await new Promise(setImmediate);
    actor.record(250);
    expect([((await first) as { value: RecordView }).value.number, ...(await numbersOf(fresh, 249))]).toEqual(
      Array.from({ length: 250 }, (_, n) => 4 + n),
    );
    expect(await numbersOf(followed(actor, { after: 251 }), 2)).toEqual([252, 253]);
  });

  it('skips records that are no longer shown', async () => {
    const actor = new Actor();
    for (let number = 1; number <= 230; number++) actor.aged.add(number);
    actor.record(232);
    expect(await numbersOf(followed(actor, { after: 0 }), 2)).toEqual([231, 232]);
  });

  it('ends with its actor, even if another actor lives at the address by then', async () => {
    const actor = new Actor();
    actor.record(1);
    const ended = followed(actor, { after: 1 }).next();
    await new Promise(setImmediate);
    actor.failure = new BosunError('BOSUN_ACTOR_UNKNOWN', 'gone');
    actor.observer?.over();
    expect(await ended).toEqual({ done: true, value: undefined });
    expect(actor.observer).toBe(undefined);
    const other = new Actor();
    const replaced = followed(other, { after: 0 }).next();
    await new Promise(setImmediate);
    other.life = 2;
    other.record(5);
    expect(await replaced).toEqual({ done: true, value: undefined });
  });

  it('rejects with the error that keeps records from being read', async () => {
    const actor = new Actor();
    const tail = followed(actor, {});
    const next = tail.next();
    await new Promise(setImmediate);
    actor.observer?.over(new BosunError('BOSUN_SYSTEM_CLOSED', 'closed'));
    await expect(next).rejects.toMatchObject({ code: 'BOSUN_SYSTEM_CLOSED' });
    const refused = new Actor();
    refused.failure = new BosunError('BOSUN_RECORDS_UNKNOWN', 'none');
    await expect(followed(refused, {}).next()).rejects.toMatchObject({ code: 'BOSUN_RECORDS_UNKNOWN' });
    expect(refused.observer).toBe(undefined);
  });
});

describe('pages of several shards', () => {
  const found = (cursor: number): FoundRecord => ({
    ...view(cursor),
    address: `a${cursor}`,
    cursor: cursor.toString(16).padStart(4, '0'),
  });
  /** The page of one shard that holds the given cursors. */
  const pageOf = (
    cursors: readonly number[],
    from: string | null,
    limit: number,
    newestFirst: boolean,
  ): FoundRecords => {
    const order = [...cursors].sort((a, b) => (newestFirst ? b - a : a - b)).map(found);
    const rest = order.filter(({ cursor }) => from === null || (newestFirst ? cursor < from : cursor > from));
    return { records: rest.slice(0, limit), next: rest.length > limit ? rest[limit - 1]!.cursor : null };
  };

  it('merge in order of time, forwards or backwards, and continue after the last record of any page', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(500), { maxLength: 40 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 7 }),
        fc.boolean(),
        (cursors, shards, limit, newestFirst) => {
          const lists = Array.from({ length: shards }, (_, shard) => cursors.filter((one) => one % shards === shard));
          const read: number[] = [];
          let from: string | null = null;
          do {
            const pages = lists.map((list, shard) => pageOf(list, from, limit + shard - 1 || 1, newestFirst));
            const { records, next }: FoundRecords = mergedFound(pages, { limit, newestFirst });
            expect(records.length).toBeLessThanOrEqual(limit);
            read.push(...records.map(({ number }) => number));
            from = next;
          } while (from !== null);
          expect(read).toEqual([...cursors].sort((a, b) => (newestFirst ? b - a : a - b)));
        },
      ),
    );
  });
});
