/**
 * Questions and alerts that wait for people, the most urgent first: who asks, since when, until when, and the
 * consequence of no answer.
 */
import { useState } from 'preact/hooks';
import { gateName } from '../../machines/people/gates/gate-name.ts';
import { type Urgency } from '../../machines/people/gates/gate-order.ts';
import { counted, number } from '../format.ts';
import { maySend } from '../link.ts';
import { leftText } from '../part.ts';
import { hrefOf } from '../route.ts';
import { Sheet } from '../sheet.tsx';
import { More } from '../shown-rows.tsx';
import { kernelMs } from '../time.ts';
import { isNotOffered, useWatched, useWindow } from '../use-window.ts';
import { Countdown } from './clock.tsx';
import { acknowledgeAlert } from './desk-orders.ts';
import { About, DeskPage, OrderButton, Since } from './desk-page.tsx';
import { gatesById } from './desk-records.ts';
import { type AlertRow, DESK_AGENTS, type GateCounts, type GateRow, type TicketRow } from './desk-shapes.ts';
import { Asked, GATES_WANTED, Proposal, TimeIsUp } from './gate-page.tsx';
import { WindowsWanted } from './gates-view.tsx';
import { type InboxEntries, inboxOf, type InboxEntry } from './inbox.ts';
import { PriorityChip } from './priority-chip.tsx';
import { Due, OpenTicket, TicketState } from './ticket-page.tsx';
import { roundsText, stake } from './tickets.ts';
import { useDesk, usePlace } from './use-desk.ts';

/** Number of entries shown at first, and of those that are added at a time. */
const SHOWN = 30;

const HEADINGS: Readonly<Record<Urgency, string>> = { now: 'Now', today: 'Today', later: 'When there is time' };

export function InboxView() {
  const [pages, setPages] = useState(1);
  const gates = usePlace(DESK_AGENTS.gates);
  const hasGates = gates.presence === 'present';
  const { window, error } = useWindow(hasGates ? 'gates.open' : undefined, pages);
  const { view: counts } = useWatched('gates.counts', hasGates ? {} : undefined);
  const tickets = useDesk(DESK_AGENTS.tickets);
  const alerts = useDesk(DESK_AGENTS.alerts);
  const isThere = [gates, tickets, alerts].some(({ presence }) => presence === 'present');
  const asked = window && { ...window, rows: gatesById(window.rows) };
  const desks = { gates: asked, tickets: tickets.context, alerts: alerts.context };
  return (
    <DeskPage desk={gates} title="Inbox" wanted={GATES_WANTED} isThere={isThere}>
      <Inbox
        inbox={inboxOf(desks, kernelMs())}
        counts={counts}
        alerts={alerts.address}
        tickets={tickets.presence === 'present' ? tickets.address : undefined}
        isWithoutGates={isNotOffered(error)}
        onMore={() => window?.hasMore === true && setPages(pages + 1)}
      />
    </DeskPage>
  );
}

interface OrderProps {
  /** Address of the desk of alerts. */
  readonly alerts: string;
}

interface InboxProps extends OrderProps {
  readonly inbox: InboxEntries;
  /** Numbers of open gates by urgency; undefined until loaded. */
  readonly counts: GateCounts | undefined;
  /** Address of the desk of tickets; undefined if there is none. */
  readonly tickets: string | undefined;
  /** Whether there are gates, and the gateway offers no windows of them. */
  readonly isWithoutGates: boolean;
  /** Loads further gates. */
  readonly onMore: () => void;
}

function Inbox({ inbox: { rows, left }, counts, tickets, isWithoutGates, onMore, ...orders }: InboxProps) {
  const [shown, setShown] = useState(SHOWN);
  const visible = rows.slice(0, shown);
  const size = rows.length + left.gates;
  const more = () => {
    setShown(shown + SHOWN);
    if (rows.length < shown + SHOWN) onMore();
  };
  const notes = [leftText({ left: left.tickets }, 'ticket'), leftText({ left: left.alerts }, 'alert')];
  return (
    <Sheet id="inbox" kind="inbox" title="Inbox" lead={<p class="quiet">{leadOf(size, left.gates, counts)}</p>}>
      {size === 0 && !isWithoutGates && <p class="empty">Nothing waits for you.</p>}
      {(['now', 'today', 'later'] as const).map((urgency) => (
        <Group
          key={urgency}
          urgency={urgency}
          entries={visible.filter((entry) => entry.urgency === urgency)}
          {...orders}
        />
      ))}
      {size > visible.length && <More onMore={more}>{counted(size - visible.length, 'more thing')}</More>}
      {isWithoutGates && (
        <p class="quiet">
          Gates are not listed here: <WindowsWanted />.
        </p>
      )}
      {tickets !== undefined && <OpenTicket desk={tickets} />}
      {notes.map((note) => note !== '' && <p key={note} class="quiet">{`${note}.`}</p>)}
    </Sheet>
  );
}

/** How much there is; where not all gates are loaded, how urgent they are. */
function leadOf(size: number, left: number, counts: GateCounts | undefined): string {
  if (size === 0) return '';
  const things = `${counted(size, 'thing')} for you to look at`;
  if (left === 0 || counts === undefined) return things;
  const [now, today, later] = [counts.now, counts.today, counts.later].map(number);
  return `${things}. Questions: ${now!} now, ${today!} today, ${later!} when there is time`;
}

interface GroupProps extends OrderProps {
  readonly urgency: Urgency;
  readonly entries: readonly InboxEntry[];
}

function Group({ urgency, entries, ...orders }: GroupProps) {
  if (entries.length === 0) return null;
  return (
    <section aria-labelledby={`inbox-${urgency}`}>
      <h2 id={`inbox-${urgency}`} class="inbox-heading">
        {HEADINGS[urgency]}
      </h2>
      <ol class="cards">
        {entries.map((entry) =>
          entry.kind === 'gate' ? (
            <GateEntry key={`gate ${entry.gate.id}`} gate={entry.gate} />
          ) : entry.kind === 'ticket' ? (
            <TicketEntry key={`ticket ${entry.ticket.id}`} ticket={entry.ticket} />
          ) : (
            <AlertEntry key={entry.alert.id} alert={entry.alert} dueMs={entry.dueMs} {...orders} />
          ),
        )}
      </ol>
    </section>
  );
}

function GateEntry({ gate }: { readonly gate: GateRow }) {
  const { id, kind, proposal, deadlineAtMs, phase } = gate;
  return (
    <li class="card" data-gate={id}>
      <div class="split">
        <h3>
          <a href={hrefOf('gates', id)}>{gateName(gate)}</a>
        </h3>
        {maySend() && (
          <a class="button primary" href={hrefOf('gates', id)} aria-label={`Answer ${gateName(gate)}`}>
            Answer
          </a>
        )}
      </div>
      <Proposal text={proposal} />
      <p class="row facts-line">
        <span class="chip-plain">question · {kind}</span>
        <Asked row={gate} />
        {phase === 'reminded' && <span>reminded since</span>}
        <TimeIsUp deadlineAtMs={deadlineAtMs} />
      </p>
      <p class="quiet">{silence(gate)}</p>
    </li>
  );
}

/** The consequence if nobody answers. */
function silence({ deadlineAtMs, onTimeout }: GateRow): string {
  if (deadlineAtMs === null) return 'Without an answer, the work that waits for it does not continue.';
  return onTimeout === null
    ? 'Without an answer, the asker is told that there is none.'
    : `Without an answer: ${onTimeout}.`;
}

function TicketEntry({ ticket }: { readonly ticket: TicketRow }) {
  const { id, title, creator, openedAtMs } = ticket;
  const rounds = roundsText(ticket);
  return (
    <li class="card" data-ticket={id}>
      <div class="split">
        <h3>
          <a href={hrefOf('tickets', id)}>{title}</a>
        </h3>
        {maySend() && (
          <a class="button primary" href={hrefOf('tickets', id)} aria-label={`Reply to ${id}: ${title}`}>
            Reply
          </a>
        )}
      </div>
      <p class="row facts-line">
        <span class="chip-plain">{id}</span>
        <TicketState row={ticket} />
        <span>asked by {creator}</span>
        <Since sinceMs={openedAtMs} />
        <Due row={ticket} />
        {rounds !== '' && <span>{rounds}</span>}
      </p>
      <p class="quiet">{stake(ticket)}</p>
    </li>
  );
}

interface AlertProps extends OrderProps {
  readonly alert: AlertRow;
  readonly dueMs: number | null;
}

function AlertEntry({ alert, dueMs, alerts }: AlertProps) {
  const { id, title, kind, priority, raisedAtMs, escalation, item } = alert;
  return (
    <li class="card" data-alert={id}>
      <div class="split">
        <h3>
          <a href={hrefOf('alerts', id)}>{title}</a>
        </h3>
        <OrderButton
          label="Acknowledge"
          name={`Acknowledge ${title}`}
          order={() => acknowledgeAlert(alerts, id, title)}
        />
      </div>
      <p class="row facts-line">
        <PriorityChip priority={priority} />
        <span>{kind.replace('.', ' ')}</span>
        <About item={item} />
        <Since sinceMs={raisedAtMs} />
        {escalation !== null && <span class="bad">escalated: {escalation}</span>}
      </p>
      {dueMs !== null && (
        <p class="quiet">
          Without an acknowledgement it is escalated <Countdown untilMs={dueMs} over="any moment" />.
        </p>
      )}
    </li>
  );
}
