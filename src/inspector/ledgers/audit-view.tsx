/** Who ordered what of whom, when, why, and what came of it, newest first. */
import { useState } from 'preact/hooks';
import { ActorLink } from '../actor-link.tsx';
import { moment } from '../format.ts';
import { kernelMs } from '../time.ts';
import { useAnswer } from '../use.ts';
import type { AuditView } from '../../gateway/protocol/views.ts';

const EVERY_MS = 2_000;
const PAGE = 100;

/** What one answer may have. */
const LIMIT_MAX = 10_000;

export function AuditView() {
  const [limit, setLimit] = useState(PAGE);
  const { result, error } = useAnswer<{ readonly records: readonly AuditView[] }>('audit.list', { limit }, EVERY_MS);
  const records = result?.records ?? [];
  return (
    <section class="sheet flush" aria-labelledby="audit-title">
      <div class="sheet-head">
        <h1 id="audit-title">Audit</h1>
      </div>
      {result === undefined && <p class={error === undefined ? 'empty' : 'bad'}>{error?.message ?? 'Looking…'}</p>}
      {result !== undefined && records.length === 0 && <p class="empty">Nobody has given an order yet.</p>}
      {records.length > 0 && (
        <table class="stack">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Who</th>
              <th scope="col">Order</th>
              <th scope="col">About</th>
              <th scope="col">Why</th>
              <th scope="col">Outcome</th>
            </tr>
          </thead>
          <tbody>
            {records.map((record) => (
              <Row key={record.number} record={record} />
            ))}
          </tbody>
        </table>
      )}
      {records.length === limit && limit < LIMIT_MAX && (
        <p class="empty">
          <button type="button" class="link" onClick={() => setLimit(Math.min(LIMIT_MAX, limit + PAGE))}>
            Older ones
          </button>
        </p>
      )}
    </section>
  );
}

function Row({ record: { atMs, by, order, address, reason, outcome } }: { readonly record: AuditView }) {
  return (
    <tr>
      <td class="number">{moment(atMs, kernelMs())}</td>
      <td>{by}</td>
      <th scope="row">
        <code>{order}</code>
      </th>
      <td>
        <ActorLink address={address === '' ? null : address} none={<span class="quiet">erased</span>} />
      </td>
      <td>{reason ?? ''}</td>
      <td class={outcome === 'done' ? undefined : 'bad'}>{outcome}</td>
    </tr>
  );
}
