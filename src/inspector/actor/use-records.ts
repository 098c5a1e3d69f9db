/**
 * The latest records of one name of an actor, live: existing ones are fetched once per connection, new ones are
 * followed.
 */
import { useEffect, useState } from 'preact/hooks';
import { type ClientError } from '../../client/client-error.ts';
import type { RecordPage, RecordView } from '../../gateway/protocol/record-view.ts';
import { call, followRecords, lines } from '../link.ts';
import { after } from '../time.ts';

export const RECORDS_SHOWN = 20;

/** Records that arrive within this time are rendered together. */
const GATHER_MS = 200;

interface Seen {
  readonly of: string;
  /** The newest first; undefined until loaded. */
  readonly records: readonly RecordView[] | undefined;
  readonly error: ClientError | undefined;
}

export function useRecords(address: string, name: string): Omit<Seen, 'of'> {
  const of = `${address}/${name}`;
  const [seen, setSeen] = useState<Seen>({ of, records: undefined, error: undefined });
  const line = lines.value;
  useEffect(() => {
    const gathered: RecordView[] = [];
    let isOver = false;
    let stop: (() => void) | undefined;
    let stopGathering: (() => void) | undefined;
    const show = () => {
      stopGathering = undefined;
      const fresh = gathered.splice(0).reverse();
      setSeen((before) => ({ ...before, records: [...fresh, ...(before.records ?? [])].slice(0, RECORDS_SHOWN) }));
    };
    const take = (record: RecordView) => {
      gathered.push(record);
      stopGathering ??= after(GATHER_MS, show);
    };
    call<RecordPage>('record.list', { address, name, newestFirst: true, limit: RECORDS_SHOWN }).then(
      ({ records, last, life }) => {
        if (isOver) return;
        setSeen({ of, records, error: undefined });
        stop = followRecords(address, name, { after: last, life }, take);
      },
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
