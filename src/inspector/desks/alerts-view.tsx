/** Alert cards: one for each thing that somebody has to know, with its buttons, until somebody acknowledges it. */
import { useState } from 'preact/hooks';
import { counted, moment } from '../format.ts';
import { kernelMs } from '../time.ts';
import { Age, Countdown } from './clock.tsx';
import { DeskDialog } from './desk-dialog.tsx';
import { DeskFrame, NoDesk } from './desk-frame.tsx';
import { acknowledgeAlert, chooseButton, type DeskOrder } from './desk-orders.ts';
import { alertRows, bannerOf, batchOfCard, isOpenAlert } from './desk-records.ts';
import { type AlertButton, type AlertRow, type AlertShown } from './desk-shapes.ts';
import { escalationMs } from './inbox.ts';
import { Readable } from './readable.tsx';
import { maySend, useDesk, useShown } from './use-desk.ts';

/** Each shown card is a topic of its own. */
const SHOWN = 40;

export function AlertsView({ rest }: { readonly rest: string }) {
  const desk = useDesk('alerts');
  const [order, setOrder] = useState<DeskOrder | undefined>(undefined);
  const [shown, setShown] = useState(SHOWN);
  if (desk.context === undefined)
    return (
      <DeskFrame>
        <NoDesk name="alerts" desk={desk} title="Alerts" />
      </DeskFrame>
    );
  const all = alertRows(desk.context);
  const banner = bannerOf(all);
  const rows = rest === '' ? all : all.filter(({ id }) => id === rest);
  const open = rows.filter(isOpenAlert);
  const over = rows.filter((row) => !isOpenAlert(row));
  return (
    <DeskFrame>
      {banner !== null && (
        <p class="banner-line" role="status">
          {banner}
        </p>
      )}
      <section class="sheet" aria-labelledby="alerts-title">
        <div class="sheet-head">
          <h1 id="alerts-title">Alerts</h1>
          {rest !== '' && (
            <p>
              <a href="#/alerts">All alerts</a>
            </p>
          )}
        </div>
        {open.length === 0 && (
          <p class="empty">
            {rest === '' || rows.length > 0 ? 'Every alert is acknowledged.' : `No alert “${rest}” is kept.`}
          </p>
        )}
        <ol class="cards">
          {open.slice(0, shown).map((row) => (
            <Card key={row.id} row={row} desk={desk.address} onOrder={setOrder} />
          ))}
        </ol>
        {open.length > shown && (
          <button type="button" class="link" onClick={() => setShown(shown + SHOWN)}>
            {counted(open.length - shown, 'more alert')}
          </button>
        )}
      </section>
      {over.length > 0 && <Acknowledged rows={over} />}
      {order !== undefined && <DeskDialog key={order.title} order={order} onClose={() => setOrder(undefined)} />}
    </DeskFrame>
  );
}

function Card({
  row,
  desk,
  onOrder,
}: {
  readonly row: AlertRow;
  readonly desk: string;
  readonly onOrder: (order: DeskOrder) => void;
}) {
  const { id, title, priority, raisedAtMs, item, escalation, problem, repeats } = row;
  const shown = useShown<AlertShown>(row.ref);
  const dueMs = escalationMs(row);
  return (
    <li class="card" data-alert={id}>
      <div class="split">
        <h2>{title}</h2>
        <span
          class={
            'chip-plain ' +
            `${priority === 'AGENT_FAILURE' || priority === 'CRITICAL' ? 'bad' : priority === 'HIGH' ? 'warn' : ''}`
          }
        >
          {priority.toLowerCase().replace('_', ' ')}
        </span>
      </div>
      {shown !== undefined && shown.detail !== '' && <p class="lines">{shown.detail}</p>}
      <p class="facts-line">
        {item !== null && (
          <span>
            about <span class="mono">{item}</span>
          </span>
        )}
        <span>
          for <Age sinceMs={raisedAtMs} />
          {repeats > 0 && `, said ${counted(repeats, 'time')} again`}
        </span>
        <span>
          {escalation === null ? (
            dueMs !== null && (
              <>
                escalated <Countdown untilMs={dueMs} over="any moment" /> without an acknowledgement
              </>
            )
          ) : (
            <span class="bad">escalated: {escalation}</span>
          )}
        </span>
      </p>
      {problem !== null && <p class="bad">{problem}</p>}
      {shown !== undefined && Object.keys(shown.data).length > 0 && (
        <details>
          <summary class="quiet">Facts</summary>
          <Readable value={shown.data} />
        </details>
      )}
      {maySend() && <Buttons row={row} shown={shown} desk={desk} onOrder={onOrder} />}
    </li>
  );
}

function Buttons({
  row: { id, title },
  shown,
  desk,
  onOrder,
}: {
  readonly row: AlertRow;
  readonly shown: AlertShown | undefined;
  readonly desk: string;
  readonly onOrder: (order: DeskOrder) => void;
}) {
  // The ones that do nothing but look are this page itself.
  const buttons = (shown?.actions ?? []).filter(
    (button): button is AlertButton & { readonly event: NonNullable<AlertButton['event']> } => button.event !== null,
  );
  const batch = shown === undefined ? undefined : batchOfCard(shown);
  return (
    <div class="row" role="group" aria-label={`Orders about ${title}`}>
      <button type="button" class="primary small" onClick={() => onOrder(acknowledgeAlert(desk, id, title))}>
        Acknowledge…
      </button>
      {buttons.map((button) => (
        <button key={button.name} type="button" class="small" onClick={() => onOrder(chooseButton(desk, id, button))}>
          {button.label}…
        </button>
      ))}
      {batch !== undefined && (
        <a href="#/batches" class="quiet">
          in <span class="mono">{batch}</span>
        </a>
      )}
    </div>
  );
}

function Acknowledged({ rows }: { readonly rows: readonly AlertRow[] }) {
  return (
    <details class="sheet">
      <summary>{counted(rows.length, 'acknowledged alert')}</summary>
      <ul class="plain">
        {rows.slice(0, SHOWN).map(({ id, title, acknowledgedBy, acknowledgedAtMs }) => (
          <li key={id} class="split">
            <span>{title}</span>
            <span class="quiet">
              {acknowledgedBy ?? 'somebody'}, {moment(acknowledgedAtMs!, kernelMs())}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
