/**
 * Items that were paused together: how far each batch is, which item stands where, what it waits for, and the way on.
 */
import { useState } from 'preact/hooks';
import { counted, moment } from '../format.ts';
import { actorHref } from '../route.ts';
import { kernelMs } from '../time.ts';
import { Age, Countdown } from './clock.tsx';
import { DeskDialog } from './desk-dialog.tsx';
import { DeskFrame, NoDesk } from './desk-frame.tsx';
import { type DeskOrder, resumeBatch } from './desk-orders.ts';
import { batchItems, batchRows, itemNames } from './desk-records.ts';
import { type BatchItemRow, type BatchRow } from './desk-shapes.ts';
import { maySend, useDesk, useShown } from './use-desk.ts';

/** Each shown batch is a topic of its own. */
const SHOWN = 20;
const ITEMS_SHOWN = 200;

export function BatchesView() {
  const desk = useDesk('batches');
  const [order, setOrder] = useState<DeskOrder | undefined>(undefined);
  const [shown, setShown] = useState(SHOWN);
  if (desk.context === undefined)
    return (
      <DeskFrame>
        <NoDesk name="batches" desk={desk} title="Batches" />
      </DeskFrame>
    );
  const rows = batchRows(desk.context);
  return (
    <DeskFrame>
      <section class="sheet" aria-labelledby="batches-title">
        <div class="sheet-head">
          <h1 id="batches-title">Batches</h1>
          <p class="quiet">Items that were paused together</p>
        </div>
        {rows.length === 0 && <p class="empty">None. Items that fail alike are paused as one batch.</p>}
        <ol class="cards">
          {rows.slice(0, shown).map((row) => (
            <Batch
              key={row.id}
              row={row}
              names={itemNames(desk.context, row.id)}
              onResume={() => setOrder(resumeBatch(desk.address, row))}
            />
          ))}
        </ol>
        {rows.length > shown && (
          <button type="button" class="link" onClick={() => setShown(shown + SHOWN)}>
            {counted(rows.length - shown, 'more batch', 'more batches')}
          </button>
        )}
      </section>
      {order !== undefined && <DeskDialog key={order.title} order={order} onClose={() => setOrder(undefined)} />}
    </DeskFrame>
  );
}

const STATUSES: Readonly<Record<BatchRow['status'], readonly [words: string, tone: string]>> = {
  IN_PROGRESS: ['in progress', 'warn'],
  COMPLETED: ['completed', 'good'],
  PARTIALLY_FAILED: ['some failed', 'warn'],
  FAILED: ['failed', 'bad'],
};

function Batch({
  row,
  names,
  onResume,
}: {
  readonly row: BatchRow;
  readonly names: readonly string[];
  readonly onResume: () => void;
}) {
  const {
    id,
    name,
    reason,
    phase,
    status,
    total,
    paused,
    resumed,
    failed,
    pending,
    concurrencyLimit,
    createdAtMs,
    completedAtMs,
    notBeforeMs,
    note,
    ref,
  } = row;
  const context = useShown<unknown>(ref);
  const [words, tone] = phase === 'finished' ? STATUSES[status] : [phase, 'warn'];
  return (
    <li class="card" data-batch={id}>
      <div class="split">
        <h2>{reason}</h2>
        {maySend() && phase === 'paused' && (
          <button type="button" class="primary" onClick={onResume} aria-label={`Resume all of ${id}`}>
            Resume all…
          </button>
        )}
      </div>
      <p class="facts-line">
        <span class={`standing ${tone}`}>{words}</span>
        {ref === null ? (
          <span class="mono">{id}</span>
        ) : (
          <a class="mono" href={actorHref(ref.actor)}>
            {id}
          </a>
        )}
        {name !== id && <span class="mono">{name}</span>}
        <span>
          {completedAtMs === null ? (
            <>
              for <Age sinceMs={createdAtMs} />
            </>
          ) : (
            `ended ${moment(completedAtMs, kernelMs())}`
          )}
        </span>
        <span>{concurrencyLimit} at a time</span>
      </p>
      <p>
        {counted(total, 'item')}: {paused} paused, {resumed} resumed, {failed} failed, {pending} on their way
      </p>
      {notBeforeMs !== null && (
        <p class="note">
          Waits for resources; asks again <Countdown untilMs={notBeforeMs} over="now" />.
        </p>
      )}
      {note !== null && <p class="quiet">{note}</p>}
      <Items items={context === undefined ? undefined : batchItems(context)} names={names} />
    </li>
  );
}

const TONES: Readonly<Record<BatchItemRow['state'], string>> = {
  waiting: '',
  pausing: 'warn',
  paused: 'warn',
  resuming: 'warn',
  resumed: 'good',
  failed: 'bad',
};

function Items({
  items,
  names,
}: {
  readonly items: readonly BatchItemRow[] | undefined;
  readonly names: readonly string[];
}) {
  if (items === undefined) return <p class="quiet mono">{names.slice(0, ITEMS_SHOWN).join(', ')}</p>;
  return (
    <ul class="item-chips">
      {items.slice(0, ITEMS_SHOWN).map(({ item, state, error }) => (
        <li key={item} class={`chip-plain ${TONES[state]}`} title={error ?? undefined}>
          <span class="mono">{item}</span> {state}
          {error !== null && `: ${error}`}
        </li>
      ))}
      {items.length > ITEMS_SHOWN && <li class="quiet">{items.length - ITEMS_SHOWN} more</li>}
    </ul>
  );
}
