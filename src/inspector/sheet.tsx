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

/** The placeholder for a page whose record is not loaded. */
export function Unread({ title, error }: { readonly title: string; readonly error: Error | undefined }) {
  return (
    <section class="sheet">
      <h1>{title}</h1>
      <Looking error={error} />
    </section>
  );
}

interface RecordHeadProps extends Omit<SheetProps, 'lead' | 'kind'> {
  /** The title of the list of such records, whose view has the same name. */
  readonly list: string;
  /** The place of the record behind the list. */
  readonly crumb: ComponentChildren;
}

/** The head of the page of one record, with a link to the list of all. */
export function RecordHead({ id, list, crumb, title, children }: RecordHeadProps) {
  return (
    <header class="actor-head">
      <p class="crumbs">
        <a href={`#/${list.toLowerCase()}`}>{list}</a> · <span class="mono">{crumb}</span>
      </p>
      <h1 id={`${id}-title`}>{title}</h1>
      {children}
    </header>
  );
}

/** A few figures side by side. */
export function Figures({ of }: { readonly of: readonly (readonly [words: string, figure: ComponentChildren])[] }) {
  return (
    <dl class="row load">
      {of.map(([words, figure]) => (
        <div key={words}>
          <dt>{words}</dt>
          <dd>{figure}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A text of others, as it is. */
export function Text({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <pre class="prompt" tabIndex={0} aria-label={name}>
      {text}
    </pre>
  );
}

interface LinesProps {
  readonly id: string;
  readonly title: string;
  readonly lines: readonly string[] | undefined;
  /** Shown where there is no line. */
  readonly none: string;
}

/** A panel of short texts. */
export function Lines({ id, title, lines = [], none }: LinesProps) {
  return (
    <Panel id={id} title={title} count={lines.length}>
      {lines.length === 0 && <p class="quiet">{none}</p>}
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Panel>
  );
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
