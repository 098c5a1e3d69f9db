/** Critical alerts as banners, each until somebody acknowledges it. */
import { moment } from '../format.ts';
import { acknowledgeAlert } from '../desks/desk-orders.ts';
import { About, OrderButton, Ordering } from '../desks/desk-page.tsx';
import { criticalAlerts } from '../desks/desk-records.ts';
import { type AlertRow, type AlertShown, DESK_AGENTS, type DeskContexts } from '../desks/desk-shapes.ts';
import { useDesk, useShown } from '../desks/use-desk.ts';
import { leftText } from '../part.ts';
import { useShownRows } from '../shown-rows.tsx';
import { kernelMs } from '../time.ts';

/** Number of banners shown at a time, since each is a topic of its own. */
const SHOWN = 10;

/** The banners; nothing where the system has no desk of alerts. */
export function CriticalAlerts() {
  const { context, address } = useDesk(DESK_AGENTS.alerts);
  return context === undefined ? null : <Banners context={context} desk={address} />;
}

interface BannersProps {
  readonly context: DeskContexts['alert-desk'];
  readonly desk: string;
}

function Banners({ context, desk }: BannersProps) {
  const part = criticalAlerts(context);
  const [rows, more] = useShownRows(part.rows, SHOWN, 'critical alert');
  return (
    <Ordering>
      {rows.map((row) => (
        <Banner key={row.id} row={row} desk={desk} />
      ))}
      {more}
      {part.left > 0 && <p class="bad">{leftText(part, 'critical alert')}</p>}
    </Ordering>
  );
}

/** A banner. Its time is that of the clock, since an age that changes would be read aloud every second. */
function Banner({ row: { id, ref, title, item, raisedAtMs }, desk }: { row: AlertRow; desk: string }) {
  const shown = useShown<AlertShown>(ref);
  return (
    <section class="banner-line critical" role="alert" data-alert={id}>
      <div class="split">
        <strong>Critical: {title}</strong>
        <OrderButton
          kind="danger"
          label="Acknowledge"
          name={`Acknowledge ${title}`}
          order={() => acknowledgeAlert(desk, id, title)}
        />
      </div>
      {shown !== undefined && <p class="lines">{shown.detail}</p>}
      <p class="row facts-line">
        <About item={item} />
        <span>since {moment(raisedAtMs, kernelMs())}</span>
        <a href={`#/alerts/${id}`}>{id}</a>
      </p>
    </section>
  );
}
