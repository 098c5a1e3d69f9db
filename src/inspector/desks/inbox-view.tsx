/**
 * What waits for people, the most pressing first: who asks, since when, until when, and what happens if nobody answers.
 */
import { useState } from 'preact/hooks';
import { counted } from '../format.ts';
import { actorHref, hrefOf } from '../route.ts';
import { kernelMs } from '../time.ts';
import { Age, Countdown } from './clock.tsx';
import { DeskDialog } from './desk-dialog.tsx';
import { DeskFrame, NoDesk } from './desk-frame.tsx';
import { acknowledgeAlert, type DeskOrder } from './desk-orders.ts';
import { type AlertRow, type GateRow, type GateShown, type Priority } from './desk-shapes.ts';
import { inboxOf, type InboxEntry, type Urgency } from './inbox.ts';
import { maySend, useDesk, useShown } from './use-desk.ts';

/** Each shown gate is a topic of its own. */
const SHOWN = 30;

const HEADINGS: Readonly<Record<Urgency, string>> = { now: 'Now', today: 'Today', later: 'When there is time' };

export function InboxView() {
  const gates = useDesk('gates');
  const alerts = useDesk('alerts');
  const [order, setOrder] = useState<DeskOrder | undefined>(undefined);
  const [shown, setShown] = useState(SHOWN);
  if (gates.presence !== 'present' && alerts.presence !== 'present')
    return (
      <DeskFrame>
        <NoDesk name="gates" desk={gates} title="Inbox" />
      </DeskFrame>
    );
  const entries = inboxOf({ gates: gates.context, alerts: alerts.context }, kernelMs());
  const visible = entries.slice(0, shown);
  return (
    <DeskFrame>
      <section class="sheet inbox" aria-labelledby="inbox-title">
        <div class="sheet-head">
          <h1 id="inbox-title">Inbox</h1>
          <p class="quiet">{entries.length === 0 ? '' : `${counted(entries.length, 'thing')} for you to look at`}</p>
        </div>
        {entries.length === 0 && <p class="empty">Nothing waits for anybody. Have a good morning.</p>}
        {(['now', 'today', 'later'] as const).map((urgency) => (
          <Group
            key={urgency}
            urgency={urgency}
            entries={visible.filter((entry) => entry.urgency === urgency)}
            onAcknowledge={({ id, title }) => setOrder(acknowledgeAlert(alerts.address, id, title))}
          />
        ))}
        {entries.length > shown && (
          <button type="button" class="link" onClick={() => setShown(shown + SHOWN)}>
            {counted(entries.length - shown, 'more thing')}
          </button>
        )}
      </section>
      {order !== undefined && <DeskDialog key={order.title} order={order} onClose={() => setOrder(undefined)} />}
    </DeskFrame>
  );
}

function Group({
  urgency,
  entries,
  onAcknowledge,
}: {
  readonly urgency: Urgency;
  readonly entries: readonly InboxEntry[];
  readonly onAcknowledge: (alert: AlertRow) => void;
}) {
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
          ) : (
            <AlertEntry key={entry.alert.id} alert={entry.alert} dueMs={entry.dueMs} onAcknowledge={onAcknowledge} />
          ),
        )}
      </ol>
    </section>
  );
}

function GateEntry({ gate }: { readonly gate: GateRow }) {
  const { id, kind, title, openedAtMs, deadlineAtMs, askedBy, phase } = gate;
  const shown = useShown<GateShown>(gate.ref);
  return (
    <li class="card" data-gate={id}>
      <div class="split">
        <h3>
          <a href={hrefOf('gates', id)}>{title}</a>
        </h3>
        {maySend() && (
          <a class="button primary" href={hrefOf('gates', id)}>
            Answer
          </a>
        )}
      </div>
      <p class="facts-line">
        <span class="chip-plain">question · {kind}</span>
        <span>
          asked{' '}
          {askedBy !== null && (
            <>
              by{' '}
              <a class="mono" href={actorHref(askedBy.actor)}>
                {askedBy.actor}
              </a>{' '}
            </>
          )}
          <Age sinceMs={openedAtMs} /> ago{phase === 'reminded' && ', reminded since'}
        </span>
        <span>
          {deadlineAtMs === null ? (
            'waits as long as it takes'
          ) : (
            <>
              time is up <Countdown untilMs={deadlineAtMs} over="now" />
            </>
          )}
        </span>
      </p>
      <p class="quiet">{silence(deadlineAtMs, shown)}</p>
    </li>
  );
}

/** What happens if nobody answers. */
function silence(deadlineAtMs: number | null, shown: GateShown | undefined): string {
  if (deadlineAtMs === null) return 'Without an answer, what waits for it stays where it is.';
  if (shown === undefined) return '';
  const { onTimeout } = shown.question;
  return onTimeout === null
    ? 'Without an answer, whoever asked is told that there is none.'
    : `Without an answer: ${onTimeout.name}.`;
}

const PRIORITY_TONES: Readonly<Record<Priority, string>> = {
  AGENT_FAILURE: 'bad',
  CRITICAL: 'bad',
  HIGH: 'warn',
  MEDIUM: 'calm',
  LOW: 'calm',
};

function AlertEntry({
  alert,
  dueMs,
  onAcknowledge,
}: {
  readonly alert: AlertRow;
  readonly dueMs: number | null;
  readonly onAcknowledge: (alert: AlertRow) => void;
}) {
  const { id, title, kind, priority, raisedAtMs, escalation, item } = alert;
  return (
    <li class="card" data-alert={id}>
      <div class="split">
        <h3>
          <a href={hrefOf('alerts', id)}>{title}</a>
        </h3>
        {maySend() && (
          <button type="button" onClick={() => onAcknowledge(alert)} aria-label={`Acknowledge ${title}`}>
            Acknowledge…
          </button>
        )}
      </div>
      <p class="facts-line">
        <span class={`chip-plain ${PRIORITY_TONES[priority]}`}>{named(priority)}</span>
        <span>{kind.replace('.', ' ')}</span>
        {item !== null && (
          <span>
            about <span class="mono">{item}</span>
          </span>
        )}
        <span>
          for <Age sinceMs={raisedAtMs} />
        </span>
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

function named(priority: Priority): string {
  return priority.toLowerCase().replace('_', ' ');
}
