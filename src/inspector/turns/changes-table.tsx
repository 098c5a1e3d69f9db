/** The changes that a turn made to a context: each changed path with old and new value. */
import { JsonTree, Value } from '../actor/json-tree.tsx';
import { type Column, Table } from '../table.tsx';
import { type ContextChange, pathText } from './history.ts';

/** Largest number of rows. */
const CHANGES_MAX = 100;

const COLUMNS: readonly Column<ContextChange>[] = [
  { title: 'What', cell: ({ path }) => (path.length === 0 ? 'context' : pathText(path)) },
  {
    title: 'Before',
    kind: 'json was',
    cell: (change) => ('before' in change ? <Side value={change.before} /> : <span class="quiet">not there</span>),
  },
  {
    title: 'After',
    kind: 'json is',
    cell: (change) => ('after' in change ? <Side value={change.after} /> : <span class="quiet">removed</span>),
  },
];

interface ChangesTableProps {
  /** The changes; null if there is nothing to compare with. */
  readonly changes: readonly ContextChange[] | null;
  /** Text to show if `changes` is null. */
  readonly why: string;
}

export function ChangesTable({ changes, why }: ChangesTableProps) {
  if (changes === null) return <p class="quiet">{why}</p>;
  if (changes.length === 0) return <p class="quiet">Nothing of the context.</p>;
  return (
    <>
      <Table
        kind="changes"
        columns={COLUMNS}
        rows={changes.slice(0, CHANGES_MAX)}
        keyOf={({ path }) => pathText(path)}
      />
      {changes.length > CHANGES_MAX && <p class="quiet">and {changes.length - CHANGES_MAX} more</p>}
    </>
  );
}

function Side({ value }: { readonly value: unknown }) {
  return typeof value === 'object' && value !== null ? (
    <JsonTree value={value} name={Array.isArray(value) ? 'list' : 'object'} />
  ) : (
    <Value value={value} />
  );
}
