/** The audit: who ordered what, about whom, when, why, and with what outcome, newest first. */
import { useState } from 'preact/hooks';
import { ActorLink } from '../actor-link.tsx';
import { moment } from '../format.ts';
import { Ledger } from '../sheet.tsx';
import { More } from '../shown-rows.tsx';
import { type Column } from '../table.tsx';
import { kernelMs } from '../time.ts';
import { useAnswer } from '../use.ts';
import type { AuditView as AuditRow } from '../../gateway/protocol/views.ts';

const EVERY_MS = 2_000;
const PAGE = 100;

/** Largest number of records in one answer. */
const LIMIT_MAX = 10_000;

const COLUMNS: readonly Column<AuditRow>[] = [
  { title: 'When', isNumber: true, cell: ({ atMs }) => moment(atMs, kernelMs()) },
  { title: 'Who', cell: ({ by }) => by },
  { title: 'Order', isHead: true, cell: ({ order }) => <code>{order}</code> },
  {
    title: 'About',
    cell: ({ address }) => (
      <ActorLink address={address === '' ? null : address} none={<span class="quiet">erased</span>} />
    ),
  },
  { title: 'Why', cell: ({ reason }) => reason },
  {
    title: 'Outcome',
    cell: ({ outcome }) => (outcome === 'done' ? outcome : <span class="bad">{outcome}</span>),
  },
];

export function AuditView() {
  const [limit, setLimit] = useState(PAGE);
  const { result, error } = useAnswer<{ readonly records: readonly AuditRow[] }>('audit.list', { limit }, EVERY_MS);
  return (
    <Ledger
      id="audit"
      title="Audit"
      rows={result?.records}
      error={error}
      empty="Nobody has given an order yet."
      columns={COLUMNS}
      keyOf={({ number }) => number}
    >
      {result?.records.length === limit && limit < LIMIT_MAX && (
        <p class="empty">
          <More onMore={() => setLimit(Math.min(LIMIT_MAX, limit + PAGE))}>Older ones</More>
        </p>
      )}
    </Ledger>
  );
}
