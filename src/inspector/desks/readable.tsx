/** Data in readable form: names and values, lists, and tables of similar items; deeper levels are folded. */
import { type ComponentChildren } from 'preact';
import { JsonTree } from '../actor/json-tree.tsx';
import { number } from '../format.ts';
import { Headings } from '../table.tsx';

/** Depth below which data are shown as a folded tree. */
const DEPTH_MAX = 2;
const SHOWN_MAX = 50;
const COLUMNS_MAX = 5;

/** Characters of texts that stand side by side, with commas. Longer ones have a line each. */
const WORD_CHARS_MAX = 20;

export function Readable({ value, depth = 0 }: { readonly value: unknown; readonly depth?: number }) {
  if (value === null || value === undefined || value === '') return <span class="quiet">none</span>;
  if (typeof value !== 'object')
    return (
      <span class="said">
        {typeof value === 'boolean'
          ? value
            ? 'yes'
            : 'no'
          : typeof value === 'number'
            ? rounded(value)
            : String(value)}
      </span>
    );
  if (Array.isArray(value)) return <List items={value} depth={depth} />;
  if (depth > DEPTH_MAX) return <JsonTree value={value} name="" />;
  return (
    <dl class="readable">
      {Object.entries(value).map(([name, part]) => (
        <Entry key={name} name={name}>
          <Readable value={part} depth={depth + 1} />
        </Entry>
      ))}
    </dl>
  );
}

function Entry({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{named(name)}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function List({ items, depth }: { readonly items: readonly unknown[]; readonly depth: number }) {
  if (items.length === 0) return <span class="quiet">none</span>;
  const isFlat = items.length <= SHOWN_MAX && items.every((item) => typeof item !== 'object');
  if (isFlat && (items.length === 1 || items.every((item) => String(item).length <= WORD_CHARS_MAX)))
    return <span class="said">{items.map(String).join(', ')}</span>;
  const columns = columnsOf(items);
  if (columns !== undefined)
    return <Table rows={items as readonly Readonly<Record<string, unknown>>[]} columns={columns} depth={depth} />;
  if ((depth > DEPTH_MAX && !isFlat) || items.length > SHOWN_MAX) return <JsonTree value={items} name="" />;
  return (
    <ul class="readable-list">
      {items.map((item, index) => (
        <li key={index}>
          <Readable value={item} depth={depth + 1} />
        </li>
      ))}
    </ul>
  );
}

/** The field names that all items share; undefined if the items differ, have too many fields, or are nested. */
function columnsOf(items: readonly unknown[]): readonly string[] | undefined {
  const [first] = items;
  if (items.length > SHOWN_MAX || typeof first !== 'object' || first === null) return undefined;
  const columns = Object.keys(first);
  const isAlike = (item: unknown) =>
    typeof item === 'object' &&
    item !== null &&
    !Array.isArray(item) &&
    Object.keys(item).join() === columns.join() &&
    Object.values(item).every((part) => typeof part !== 'object' || part === null);
  return columns.length > 1 && columns.length <= COLUMNS_MAX && items.every(isAlike) ? columns : undefined;
}

interface TableProps {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly columns: readonly string[];
  readonly depth: number;
}

function Table({ rows, columns, depth }: TableProps) {
  return (
    <table class="inner-table">
      <Headings of={columns.map((name) => ({ title: named(name) }))} />
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {columns.map((name) => (
              <td key={name}>
                <Readable value={row[name]} depth={depth + 1} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A name in readable form: `disputedFinding` becomes `Disputed finding`. */
export function named(name: string): string {
  const said = name
    .replaceAll(/[-_]/g, ' ')
    .replaceAll(/([a-z\d])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`);
  return said.charAt(0).toUpperCase() + said.slice(1);
}

export function rounded(value: number): string {
  return Number.isInteger(value) ? number(value) : String(Number(value.toPrecision(4)));
}
