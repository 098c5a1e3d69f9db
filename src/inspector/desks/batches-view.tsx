/**
 * Items that were paused together: the progress of each batch, the state of each item, what it waits for, and its
 * orders.
 */
import { counted } from '../format.ts';
import { leftText, type Part } from '../part.ts';
import { Sheet } from '../sheet.tsx';
import { useShownRows } from '../shown-rows.tsx';
import { Standing } from '../signed.tsx';
import { Countdown } from './clock.tsx';
import { resumeBatch } from './desk-orders.ts';
import { ActorName, DeskPage, OrderButton, Since, type Wanted } from './desk-page.tsx';
import { batchItems, batchRows, itemNames } from './desk-records.ts';
import { DESK_AGENTS, type BatchItemRow, type BatchRow, type BatchShown, type DeskContexts } from './desk-shapes.ts';
import { type Desk, useDesk, useShown } from './use-desk.ts';

type BatchDesk = Desk<DeskContexts['batch-manager']>;

/** Number of batches shown, since each is a topic of its own. */
const SHOWN = 20;
const ITEMS_SHOWN = 200;

const WANTED: Wanted = ['no BatchManager', 'failureAgents', 'failureDesks'];

export function BatchesView() {
  const desk = useDesk(DESK_AGENTS.batches);
  return (
    <DeskPage desk={desk} title="Batches" wanted={WANTED} isThere={desk.context !== undefined}>
      <Batches desk={desk} />
    </DeskPage>
  );
}

function Batches({ desk }: { readonly desk: BatchDesk }) {
  const all = batchRows(desk.context);
  const [rows, more] = useShownRows(all.rows, SHOWN, 'batch', 'batches');
  return (
    <Sheet id="batches" title="Batches" lead={<p class="quiet">Items that were paused together</p>}>
      {rows.length === 0 && <p class="empty">None. Items that fail alike are paused as one batch.</p>}
      <ol class="cards">
        {rows.map((row) => (
          <Batch key={row.id} row={row} desk={desk} />
        ))}
      </ol>
      {more}
      {all.left > 0 && <p class="empty">{leftText(all, 'batch', 'batches')}</p>}
    </Sheet>
  );
}

interface BatchProps {
  readonly row: BatchRow;
  readonly desk: BatchDesk;
}

function Batch({ row, desk }: BatchProps) {
  const { id, reason, phase, total, paused, resumed, failed, pending, notBeforeMs, note } = row;
  const context = useShown<BatchShown>(row.ref);
  return (
    <li class="card" data-batch={id}>
      <div class="split">
        <h2>{reason}</h2>
        {phase === 'paused' && (
          <OrderButton
            kind="primary"
            label="Resume all"
            name={`Resume all of ${id}`}
            order={() => resumeBatch(desk.address, row)}
          />
        )}
      </div>
      <Facts row={row} />
      <p>
        {counted(total, 'item')}: {paused} paused, {resumed} resumed, {failed} failed, {pending} pending
      </p>
      {notBeforeMs !== null && (
        <p class="note">
          Waits for resources; asks again <Countdown untilMs={notBeforeMs} over="now" />.
        </p>
      )}
      {note !== null && <p class="quiet">{note}</p>}
      <Items
        part={context === undefined ? undefined : batchItems(context)}
        names={itemNames(desk.context, id)}
        total={total}
      />
    </li>
  );
}

const STATUSES: Readonly<Record<BatchRow['status'], readonly [words: string, tone: string]>> = {
  IN_PROGRESS: ['in progress', 'warn'],
  COMPLETED: ['completed', 'good'],
  PARTIALLY_FAILED: ['some failed', 'warn'],
  FAILED: ['failed', 'bad'],
};

function Facts({ row }: { readonly row: BatchRow }) {
  const { id, name, phase, status, createdAtMs, completedAtMs, concurrencyLimit, ref } = row;
  return (
    <p class="row facts-line">
      <Standing of={phase === 'finished' ? STATUSES[status] : [phase, 'warn']} />
      <ActorName name={id} actor={ref} />
      {name !== id && <span class="mono">{name}</span>}
      <Since sinceMs={createdAtMs} endedAtMs={completedAtMs} />
      <span>{concurrencyLimit} at a time</span>
    </p>
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

interface ItemsProps {
  /** The items as far as they are loaded; undefined until the batch has been read. */
  readonly part: Part<BatchItemRow> | undefined;
  readonly names: readonly string[];
  /** Number of all items of the batch. */
  readonly total: number;
}

function Items({ part, names, total }: ItemsProps) {
  if (part === undefined) return <Names names={names.slice(0, ITEMS_SHOWN)} total={total} />;
  const items = part.rows.slice(0, ITEMS_SHOWN);
  const more = part.rows.length + part.left - items.length;
  return (
    <ul class="row item-chips">
      {items.map(({ item, state, error }) => (
        <li key={item} class={`chip-plain ${TONES[state]}`} title={error ?? undefined}>
          <span class="mono">{item}</span> {state}
          {error !== null && `: ${error}`}
        </li>
      ))}
      {more > 0 && <li class="quiet">{more} more</li>}
    </ul>
  );
}

function Names({ names, total }: Pick<ItemsProps, 'names' | 'total'>) {
  const more = total > names.length && names.length > 0 ? `, and ${total - names.length} more` : '';
  return <p class="quiet mono">{`${names.join(', ')}${more}`}</p>;
}
