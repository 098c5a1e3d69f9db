/**
 * Questions and alerts that wait for people, the most urgent first: who asks, since when, until when, and the
 * consequence of no answer.
 */
import { counted } from '../format.ts';
import { maySend } from '../link.ts';
import { hrefOf } from '../route.ts';
import { Sheet } from '../sheet.tsx';
import { useShownRows } from '../shown-rows.tsx';
import { kernelMs } from '../time.ts';
import { Countdown } from './clock.tsx';
import { acknowledgeAlert } from './desk-orders.ts';
import { About, DeskPage, OrderButton, Since } from './desk-page.tsx';
import { type AlertRow, DESK_AGENTS, type GateRow, type GateShown, type TicketRow } from './desk-shapes.ts';
import { gateName } from './desk-records.ts';
import { Asked, GATES_WANTED, Proposal, TimeIsUp } from './gate-page.tsx';
import { type Urgency } from '../../machines/people/gates/gate-order.ts';
import { inboxOf, type InboxEntry } from './inbox.ts';
import { PriorityChip } from './priority-chip.tsx';
import { Due, TicketState } from './ticket-page.tsx';
import { roundsText, stake } from './tickets.ts';
import { useDesk, useShown } from './use-desk.ts';

/** Number of gates shown, since each is a topic of its own. */
const SHOWN = 30;

const HEADINGS: Readonly<Record<Urgency, string>> = { now: 'Now', today: 'Today', later: 'When there is time' };

export function InboxView() {
  const gates = useDesk(DESK_AGENTS.gates);
  const tickets = useDesk(DESK_AGENTS.tickets);
  const alerts = useDesk(DESK_AGENTS.alerts);
  const isThere = [gates, tickets, alerts].some(({ presence }) => presence === 'present');
  const contexts = { gates: gates.context, tickets: tickets.context, alerts: alerts.context };
  const entries = inboxOf(contexts, kernelMs());
  return (
    <DeskPage desk={gates} title="Inbox" wanted={GATES_WANTED} isThere={isThere}>
      <Inbox entries={entries} alerts={alerts.address} />
    </DeskPage>
  );
}

interface InboxProps {
  readonly entries: readonly InboxEntry[];
  /** Address of the desk of alerts. */
  readonly alerts: string;
}

function Inbox({ entries, ...orders }: InboxProps) {
  const [visible, more] = useShownRows(entries, SHOWN, 'thing');
  const lead = (
    <p class="quiet">{entries.length === 0 ? '' : `${counted(entries.length, 'thing')} for you to look at`}</p>
  );
  return (
    <Sheet id="inbox" kind="inbox" title="Inbox" lead={lead}>
      {entries.length === 0 && <p class="empty">Nothing waits for you.</p>}
      {(['now', 'today', 'later'] as const).map((urgency) => (
        <Group
          key={urgency}
          urgency={urgency}
          entries={visible.filter((entry) => entry.urgency === urgency)}
          {...orders}
        />
      ))}
      {more}
    </Sheet>
  );
}

function Group({ urgency, entries, ...orders }: InboxProps & { readonly urgency: Urgency }) {
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
  const shown = useShown<GateShown>(gate.ref);
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
      <p class="quiet">{silence(deadlineAtMs, shown)}</p>
    </li>
  );
}

/** The consequence if nobody answers. */
function silence(deadlineAtMs: number | null, shown: GateShown | undefined): string {
  if (deadlineAtMs === null) return 'Without an answer, the work that waits for it does not continue.';
  if (shown === undefined) return '';
  const { onTimeout } = shown.question;
  return onTimeout === null
    ? 'Without an answer, the asker is told that there is none.'
    : `Without an answer: ${onTimeout.name}.`;
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

interface AlertProps extends Omit<InboxProps, 'entries'> {
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
