/** Alert cards with their buttons, until they are acknowledged. */
import { counted, moment } from '../format.ts';
import { maySend } from '../link.ts';
import { leftText } from '../part.ts';
import { Sheet } from '../sheet.tsx';
import { useShownRows } from '../shown-rows.tsx';
import { kernelMs } from '../time.ts';
import { Countdown } from './clock.tsx';
import { acknowledgeAlert, chooseButton } from './desk-orders.ts';
import { About, DeskPage, OrderButton, Orders, Since, type Wanted } from './desk-page.tsx';
import { alertRows, bannerOf, batchOfCard } from './desk-records.ts';
import { DESK_AGENTS, type DeskContexts, type AlertButton, type AlertRow, type AlertShown } from './desk-shapes.ts';
import { escalationMs } from './inbox.ts';
import { PriorityChip } from './priority-chip.tsx';
import { Readable } from './readable.tsx';
import { useDesk, useShown } from './use-desk.ts';

/** Number of cards shown, since each is a topic of its own. */
const SHOWN = 40;

const WANTED: Wanted = ['no desk of alerts', 'failureAgents', 'failureDesks'];

export function AlertsView({ rest }: { readonly rest: string }) {
  const desk = useDesk(DESK_AGENTS.alerts);
  return (
    <DeskPage desk={desk} title="Alerts" wanted={WANTED} isThere={desk.context !== undefined}>
      {desk.context !== undefined && <Alerts context={desk.context} id={rest} desk={desk.address} />}
    </DeskPage>
  );
}

interface AlertsProps {
  readonly context: DeskContexts['alert-desk'];
  /** Id of the selected alert; empty for all. */
  readonly id: string;
  readonly desk: string;
}

function Alerts({ context, id, desk }: AlertsProps) {
  const banner = bannerOf(context);
  const all = alertRows(context);
  const rows = id === '' ? all.rows : all.rows.filter((row) => row.id === id);
  const over = rows.filter(({ isOver }) => isOver);
  const [open, more] = useShownRows(
    rows.filter(({ isOver }) => !isOver),
    SHOWN,
    'alert',
  );
  return (
    <>
      {banner !== null && (
        <p class="banner-line" role="status">
          {banner}
        </p>
      )}
      <Sheet id="alerts" title="Alerts" lead={id !== '' && <a href="#/alerts">All alerts</a>}>
        {open.length === 0 && all.left === 0 && (
          <p class="empty">
            {id === '' || rows.length > 0 ? 'Every alert is acknowledged.' : `No alert “${id}” is kept.`}
          </p>
        )}
        <ol class="cards">
          {open.map((row) => (
            <Card key={row.id} row={row} desk={desk} />
          ))}
        </ol>
        {more}
        {(id === '' || rows.length === 0) && all.left > 0 && <p class="empty">{leftText(all, 'alert')}</p>}
      </Sheet>
      {over.length > 0 && <Acknowledged rows={over} />}
    </>
  );
}

interface CardProps {
  readonly row: AlertRow;
  readonly desk: string;
}

function Card({ row, desk }: CardProps) {
  const { id, title, priority, raisedAtMs, item, escalation, problem, repeats } = row;
  const shown = useShown<AlertShown>(row.ref);
  const dueMs = escalationMs(row);
  return (
    <li class="card" data-alert={id}>
      <div class="split">
        <h2>{title}</h2>
        <PriorityChip priority={priority} />
      </div>
      {shown !== undefined && shown.detail !== '' && <p class="lines">{shown.detail}</p>}
      <p class="row facts-line">
        <About item={item} />
        <Since sinceMs={raisedAtMs} />
        {repeats > 0 && <span>said {counted(repeats, 'time')} again</span>}
        {escalation !== null && <span class="bad">escalated: {escalation}</span>}
        {dueMs !== null && (
          <span>
            escalated <Countdown untilMs={dueMs} over="any moment" /> without an acknowledgement
          </span>
        )}
      </p>
      {problem !== null && <p class="bad">{problem}</p>}
      {shown !== undefined && Object.keys(shown.data).length > 0 && (
        <details>
          <summary class="quiet">Facts</summary>
          <Readable value={shown.data} />
        </details>
      )}
      {maySend() && <Buttons row={row} desk={desk} shown={shown} />}
    </li>
  );
}

function Buttons({ row: { id, title }, desk, shown }: CardProps & { readonly shown: AlertShown | undefined }) {
  // Buttons without an event only navigate, which this page does itself.
  const buttons = (shown?.actions ?? []).filter(({ event }: AlertButton) => event !== null);
  const batch = shown === undefined ? undefined : batchOfCard(shown);
  return (
    <Orders about={title}>
      <OrderButton kind="primary small" label="Acknowledge" order={() => acknowledgeAlert(desk, id, title)} />
      {buttons.map((button) => (
        <OrderButton key={button.name} kind="small" label={button.label} order={() => chooseButton(desk, id, button)} />
      ))}
      {batch !== undefined && (
        <a href="#/batches" class="quiet">
          in <span class="mono">{batch}</span>
        </a>
      )}
    </Orders>
  );
}

function Acknowledged({ rows }: { readonly rows: readonly AlertRow[] }) {
  return (
    <details class="sheet">
      <summary>{counted(rows.length, 'acknowledged alert')}</summary>
      <ul class="plain">
        {rows.slice(0, SHOWN).map(({ id, title, acknowledgedBy, settledBecause, ...row }) => (
          <li key={id} class="split">
            <span>{title}</span>
            <span class="quiet">
              {acknowledgedBy ?? settledBecause ?? 'somebody'},{' '}
              {moment(row.acknowledgedAtMs ?? row.settledAtMs ?? row.raisedAtMs, kernelMs())}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
