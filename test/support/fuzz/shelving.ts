/** The tables of random machines. */
import { table, type Table } from '../../../src/table.ts';
import { type Carrier, cargoOf, type Holder } from './holding.ts';
import { type ActionSpec } from './machine-spec.ts';

/** The part of a context with the tables. */
export interface Shelves {
  readonly shelf: Table<Row>;
  readonly store: Table<Row>;
}

interface Row {
  readonly n: number;
  readonly of: string;
  readonly cargo?: unknown;
}

interface Shelver extends Holder, Shelves {
  readonly n: number;
  readonly m: number;
}

/** The changed tables of a context. */
export function shelved(
  how: Extract<ActionSpec, { do: 'shelve' }>['how'],
  context: Shelver,
  event: Carrier,
): Partial<Shelves> {
  const { shelf, store, n, m } = context;
  const key = `k${(n * 7 + m + (event.v ?? 0)) % 90}`;
  const row = { n, of: event.type };
  switch (how) {
    case 'set':
      return { shelf: shelf.set(key, { ...row, ...(m % 3 === 0 && cargoOf(context)) }) };
    case 'fill':
      return {
        shelf: Array.from({ length: 40 }, (_, i) => `k${(n + i) % 90}`).reduce((all, k) => all.set(k, row), shelf),
      };
    case 'update':
      return { shelf: shelf.update(key, (before) => ({ n: (before?.n ?? 0) + 1, of: row.of })) };
    case 'delete':
      return { shelf: shelf.delete(shelf.first()?.[0] ?? key) };
    case 'clear':
      return { shelf: table() };
    case 'replace':
      return { shelf: table([[key, row]]), store: store.set(key, row) };
    case 'move':
      return { shelf: table(), store: shelf };
  }
}
