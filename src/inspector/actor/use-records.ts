/**
 * Records of one name of an actor, live, the newest first: existing ones are fetched once per connection, new ones are
 * followed.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
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

/** The records of one life of an actor that have been read. */
interface Known {
  readonly of: string;
  readonly byNumber: Map<number, RecordView>;
  /** Whether those before the newest one have been read to their end. */
  isComplete: boolean;
}

/**
 * The latest records, or all of them, the latest of which come first. A new connection reads those that are not known.
 *
 * @param address Undefined: none.
 */
export function useRecords(address: string | undefined, name: string, max = RECORDS_SHOWN): Omit<Seen, 'of'> {
  const of = `${address ?? ''}/${name}`;
  const [seen, setSeen] = useState<Seen>({ of, records: undefined, error: undefined });
  const known = useRef<Known | undefined>(undefined);
  const line = lines.value;
  useEffect(() => {
    if (address === undefined) return undefined;
    let isOver = false;
    let stop: (() => void) | undefined;
    let stopGathering: (() => void) | undefined;
    const show = () => {
      stopGathering = undefined;
      const records = [...known.current!.byNumber.values()].sort((a, b) => b.number - a.number).slice(0, max);
      known.current = { ...known.current!, byNumber: new Map(records.map((record) => [record.number, record])) };
      setSeen({ of, records, error: undefined });
    };
    const take = (record: RecordView) => {
      known.current!.byNumber.set(record.number, record);
      stopGathering ??= after(GATHER_MS, show);
    };
    const read = async () => {
      let before: number | null | undefined;
      let isMet = false;
      do {
        const which = { newestFirst: true, limit: Math.min(max, PAGE), before };
        const page: RecordPage = await call<RecordPage>('record.list', { address, name, ...which });
        if (isOver) return;
        const life = `${page.life} ${of}`;
        if (known.current?.of !== life) known.current = { of: life, byNumber: new Map(), isComplete: false };
        const { byNumber, isComplete } = known.current;
        isMet = isComplete && page.records.some(({ number }) => byNumber.has(number));
        for (const record of page.records) byNumber.set(record.number, record);
        show();
        stop ??= followRecords(address, name, { after: page.last, life: page.life }, take);
        before = page.next;
      } while (before !== null && !isMet && known.current.byNumber.size < max);
      known.current.isComplete = true;
    };
    read().catch(
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
