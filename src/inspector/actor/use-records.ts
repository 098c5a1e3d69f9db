/**
 * Records of one name of an actor, live, the newest first: existing ones are fetched once per connection, new ones are
 * followed.
 */
import { useEffect, useState } from 'preact/hooks';
import { type ClientError } from '../../client/client-error.ts';
import type { RecordPage, RecordView } from '../../gateway/protocol/record-view.ts';
import { call, followRecords, lines } from '../link.ts';
import { after } from '../time.ts';

export const RECORDS_SHOWN = 20;

/** Records of one answer where all are wanted. */
const PAGE = 1_000;

/** Records that arrive within this time are rendered together. */
const GATHER_MS = 200;

interface Seen {
  readonly of: string;
  /** The newest first; undefined until loaded. */
  readonly records: readonly RecordView[] | undefined;
  readonly error: ClientError | undefined;
}

/**
 * The latest records, or all of them.
 *
 * @param address Undefined: none.
 * @param max Infinity for all.
 */
export function useRecords(address: string | undefined, name: string, max = RECORDS_SHOWN): Omit<Seen, 'of'> {
  const of = `${address ?? ''}/${name}`;
  const [seen, setSeen] = useState<Seen>({ of, records: undefined, error: undefined });
  const line = lines.value;
  useEffect(() => {
    if (address === undefined) return undefined;
    const gathered: RecordView[] = [];
    let isOver = false;
    let stop: (() => void) | undefined;
    let stopGathering: (() => void) | undefined;
    const show = () => {
      stopGathering = undefined;
      const fresh = gathered.splice(0).reverse();
      setSeen((before) => ({ ...before, records: [...fresh, ...(before.records ?? [])].slice(0, max) }));
    };
    const take = (record: RecordView) => {
      gathered.push(record);
      stopGathering ??= after(GATHER_MS, show);
    };
    const read = (before?: number) =>
      call<RecordPage>('record.list', { address, name, newestFirst: true, limit: Math.min(max, PAGE), before });
    const readAll = async () => {
      const { last, life, ...newest } = await read();
      const records = [...newest.records];
      for (let { next } = newest; next !== null && max > PAGE && !isOver; ) {
        const page = await read(next);
        records.push(...page.records);
        next = page.next;
      }
      if (isOver) return;
      setSeen({ of, records, error: undefined });
      stop = followRecords(address, name, { after: last, life }, take);
    };
    readAll().catch(
      (error: unknown) =>
        !isOver &&
        setSeen((before) => ({
          of,
          records: before.of === of ? before.records : undefined,
          error: error as ClientError,
        })),
    );
    return () => {
      isOver = true;
      stop?.();
      stopGathering?.();
    };
  }, [of, line]);
  return seen.of === of ? seen : { records: undefined, error: undefined };
}
