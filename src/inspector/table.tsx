/** Tables of records, one record per row. */
import { type ComponentChildren } from 'preact';

export interface Heading {
  readonly title: string;
  readonly isNumber?: boolean;
}

export interface Column<Row> extends Heading {
  /** Whether its cells are row headers. Default: the first column's are. */
  readonly isHead?: boolean;
  /** Whether its cells show the heading on a narrow screen. Default: those of numbers do. */
  readonly isNamed?: boolean;
  /** CSS class of its cells. */
  readonly kind?: string;
  readonly cell: (row: Row) => ComponentChildren;
}

export function Headings({ of }: { readonly of: readonly Heading[] }) {
  return (
    <thead>
      <tr>
        {of.map(({ title, isNumber }) => (
          <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

export interface TableProps<Row> {
  /** CSS class of the table. Default: one whose cells show their headings on a narrow screen. */
  readonly kind?: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, index: number) => string | number;
}

export function Table<Row>({ kind = 'stack', columns, rows, keyOf }: TableProps<Row>) {
  const head = Math.max(
    0,
    columns.findIndex(({ isHead }) => isHead),
  );
  return (
    <table class={kind}>
      <Headings of={columns} />
      <tbody>
        {rows.map((row, index) => (
          <tr key={keyOf(row, index)}>
            {columns.map(({ title, isNumber, isNamed = isNumber, kind, cell }, at) =>
              at === head ? (
                <th key={title} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td
                  key={title}
                  class={isNumber ? 'number' : kind}
                  data-name={isNamed ? title.toLowerCase() : undefined}
                >
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
