/** The sheets that pages consist of. */
import { type ComponentChildren } from 'preact';
import { Table, type TableProps } from './table.tsx';

export interface SheetProps {
  readonly id: string;
  readonly title: string;
  /** Contents beside the heading. */
  readonly lead?: ComponentChildren;
  readonly kind?: string;
  readonly children: ComponentChildren;
}

export function Sheet({ id, title, lead, kind = '', children }: SheetProps) {
  return (
    <section class={`sheet ${kind}`} aria-labelledby={`${id}-title`}>
      <div class="row sheet-head">
        <h1 id={`${id}-title`}>{title}</h1>
        {lead}
      </div>
      {children}
    </section>
  );
}

interface PanelProps extends Omit<SheetProps, 'lead'> {
  /** Number of listed entries, shown beside the heading. */
  readonly count?: number;
}

/** A sheet that is a part of a page. */
export function Panel({ id, title, count, kind = '', children }: PanelProps) {
  return (
    <section class={`sheet ${kind}`} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        {title} {count !== undefined && <span class="count">{count}</span>}
      </h2>
      {children}
    </section>
  );
}

/** A placeholder for contents that cannot be shown, or not yet. */
export function Looking({ error, kind = 'quiet' }: { readonly error: Error | undefined; readonly kind?: string }) {
  return <p class={error === undefined ? kind : 'bad'}>{error?.message ?? 'Looking…'}</p>;
}

export interface LedgerProps<Row>
  extends Omit<SheetProps, 'kind' | 'children'>,
    Omit<TableProps<Row>, 'kind' | 'rows'> {
  /** The rows; undefined until loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly error?: Error | undefined;
  /** Text for an empty table. */
  readonly empty: string;
  /** Contents below the table. */
  readonly children?: ComponentChildren;
}

/** A sheet that is a table. */
export function Ledger<Row>({ id, title, lead, rows, error, empty, columns, keyOf, children }: LedgerProps<Row>) {
  return (
    <Sheet id={id} kind="flush" title={title} lead={lead}>
      {rows === undefined && <Looking error={error} kind="empty" />}
      {rows?.length === 0 && <p class="empty">{empty}</p>}
      {rows !== undefined && rows.length > 0 && <Table columns={columns} rows={rows} keyOf={keyOf} />}
      {children}
    </Sheet>
  );
}
