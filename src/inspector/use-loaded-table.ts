/** A hook for a table of a watched actor, all of it: the rows that its view leaves out are read. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ActorView, TableView } from '../gateway/protocol/actor-view.ts';
import { call, lines } from './link.ts';
import { type LoadedTable, loadedTable, RestReader, type RestOfTable } from './loaded-table.ts';
import { after, nowMs } from './time.ts';

/**
 * The table as far as it is loaded; undefined until there is a view of its first rows.
 *
 * @param of The actor's view, and the name of the table in its context.
 */
export function useLoadedTable<Row>(
  of: { readonly view: ActorView | undefined; readonly table: string },
  first: TableView<Row> | undefined,
): LoadedTable<Row> | undefined {
  const { view, table } = of;
  const address = view?.address;
  const [rest, setRest] = useState<{ readonly of: string; readonly rest: RestOfTable<Row> } | undefined>(undefined);
  const line = lines.value;
  const key = `${line} ${address ?? ''} ${table}`;
  const reader = useMemo(
    () =>
      new RestReader<Row>({
        read: (from) => call<TableView<Row>>('table.read', { address, table, from }),
        take: (read) => setRest({ of: key, rest: read }),
        nowMs,
        after,
      }),
    [key],
  );
  useEffect(() => () => reader.stop(), [reader]);
  const next = first?.next ?? null;
  const version = String(view?.sequence);
  useEffect(() => reader.see(next, version), [reader, next, version]);
  return useMemo(() => first && loadedTable(first, rest?.of === key ? rest.rest : undefined), [first, rest, key]);
}
