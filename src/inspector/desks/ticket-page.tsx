/** The page of one ticket: the question, what was found about it, the thread with its scores, and the reply. */
import { useEffect, useState } from 'preact/hooks';
import { Sources } from '../answers/answers-page.tsx';
import { gatewayPlace, Twins, useSubmission } from '../dialog.tsx';
import { moment } from '../format.ts';
import { ask, maySend } from '../link.ts';
import { say } from '../notices.tsx';
import { leftText, type Part } from '../part.ts';
import { Panel, RecordHead } from '../sheet.tsx';
import { Standing } from '../signed.tsx';
import { after, kernelMs } from '../time.ts';
import { sendTwin } from '../twins.ts';
import { Age, Countdown } from './clock.tsx';
import { give } from './desk-dialog.tsx';
import { OrderButton, Orders, type RecordProps, type Wanted } from './desk-page.tsx';
import { type ThreadShown, type TicketRow, type TicketShown } from './desk-shapes.ts';
import { audienceText, Name } from './gate-page.tsx';
import {
  assignTicket,
  escalateTicket,
  isOver,
  openTicket,
  type Preview,
  rejectTicket,
  reopenTicket,
  resolveTicket,
  roundsText,
  scoreText,
  stake,
  threadOf,
  TICKET_STATES,
} from './tickets.ts';
import { useShown } from './use-desk.ts';
import { ownName } from './who.ts';

export const TICKETS_WANTED: Wanted = ['no desk of tickets', 'ticketAgents', 'ticketChildren()'];

/** Milliseconds without typing after which the reply is scored. */
const PAUSE_MS = 300;

export function TicketPage({ row, desk }: RecordProps<TicketRow>) {
  const { id, title } = row;
  const shown = useShown<TicketShown>(row.ref);
  const mayReply = !isOver(row) && shown !== undefined && maySend();
  return (
    <article class="actor" aria-labelledby="ticket-title">
      <RecordHead id="ticket" list="Tickets" crumb={id} title={title}>
        <Facts row={row} />
        <TicketOrders row={row} desk={desk} />
      </RecordHead>
      <div class="columns even">
        <Question row={row} shown={shown} />
        {mayReply ? (
          <ReplyForm key={id} row={row} desk={desk} options={shown.question.options} />
        ) : (
          <Outcome row={row} />
        )}
      </div>
      {shown !== undefined && <Thread part={threadOf(shown)} />}
    </article>
  );
}

/** The button by which a person opens a ticket. */
export function OpenTicket({ desk }: { readonly desk: string }) {
  return (
    <div class="row">
      <OrderButton kind="small" label="Open a ticket" order={() => openTicket(desk)} />
    </div>
  );
}

export function TicketState({ row }: { readonly row: TicketRow }) {
  return <Standing of={TICKET_STATES[row.status]} />;
}

/** The time at which a waiting ticket is due. */
export function Due({ row: { dueAtMs, overdueAtMs } }: { readonly row: TicketRow }) {
  if (dueAtMs === null) return null;
  if (overdueAtMs !== null) return <span class="bad">overdue</span>;
  return (
    <span>
      due <Countdown untilMs={dueAtMs} over="now" />
    </span>
  );
}

function Facts({ row }: { readonly row: TicketRow }) {
  const { priority, creator, assignee, audience, openedAtMs } = row;
  const rounds = roundsText(row);
  const stands = stake(row);
  return (
    <>
      <p class="row facts-line">
        <TicketState row={row} />
        <span>P{priority}</span>
        <span>
          asked by {creator} <Age sinceMs={openedAtMs} /> ago
        </span>
        <span>for {assignee ?? audienceText(audience)}</span>
        {!isOver(row) && <Due row={row} />}
      </p>
      {stands !== '' && <p>{stands}</p>}
      {rounds !== '' && <p class="quiet">{rounds}</p>}
    </>
  );
}

function TicketOrders({ row, desk }: RecordProps<TicketRow>) {
  const { status } = row;
  if (status === 'archived') return null;
  return (
    <Orders>
      {isOver(row) ? (
        <OrderButton kind="small" label="Reopen" order={() => reopenTicket(desk, row)} />
      ) : (
        <>
          <OrderButton kind="small" label="Resolve by hand" order={() => resolveTicket(desk, row)} />
          <OrderButton kind="small" label="Reassign" order={() => assignTicket(desk, row)} />
          {status !== 'escalated' && (
            <OrderButton kind="small" label="Escalate" order={() => escalateTicket(desk, row)} />
          )}
          <OrderButton kind="small" label="Reject" order={() => rejectTicket(desk, row)} />
        </>
      )}
    </Orders>
  );
}

function Question({ row, shown }: { readonly row: TicketRow; readonly shown: TicketShown | undefined }) {
  const description = shown?.question.description ?? row.description ?? '';
  const evidence = shown?.question.evidence ?? [];
  return (
    <Panel id="question" title="What is asked">
      <p>{description === '' ? row.title : description}</p>
      {evidence.length === 0 ? (
        <p class="quiet">Nothing was found about it.</p>
      ) : (
        <Sources sources={evidence.map(({ source, excerpt }) => ({ location: source, excerpt, type: '' }))} />
      )}
    </Panel>
  );
}

function Outcome({ row: { resolution, rejection, status } }: { readonly row: TicketRow }) {
  if (resolution !== null) {
    const { text, option, by, byHand, reason, score } = resolution;
    return (
      <Panel id="outcome" title={`Answered by ${by}`}>
        <p>{option ?? text}</p>
        <p class="quiet">{byHand ? `Resolved by hand: ${reason!}` : `Passed its review with ${score!}.`}</p>
      </Panel>
    );
  }
  if (rejection === null) return null;
  return (
    <Panel id="outcome" title={status === 'archived' ? 'Not answered' : `Rejected by ${rejection.by}`}>
      <p>{rejection.reason}</p>
    </Panel>
  );
}

function Thread({ part }: { readonly part: Part<ThreadShown> }) {
  const { rows: entries, left } = part;
  return (
    <Panel id="thread" title="What was said" count={entries.length + left}>
      {entries.length === 0 && <p class="empty">Nobody has replied yet.</p>}
      <ol class="cards">
        {entries.map((entry) => (
          <li key={entry.number} class="card">
            <Entry entry={entry} />
          </li>
        ))}
      </ol>
      {left > 0 && <p class="quiet">{leftText(part, 'entry', 'entries')}</p>}
    </Panel>
  );
}

function Entry({ entry }: { readonly entry: ThreadShown }) {
  const at = moment(entry.atMs, kernelMs());
  if (entry.kind === 'follow-up')
    return (
      <>
        <p>{entry.text}</p>
        <ul>
          {entry.questions.map((question) => (
            <li key={question}>{question}</li>
          ))}
        </ul>
        <p class="quiet">The review, {at}</p>
      </>
    );
  const { text, option, by } = entry;
  return (
    <>
      <p>{option === null || option === text ? text : `${option}: ${text}`}</p>
      <p class="quiet">
        {by}, {at} · {scoreText(entry)}
      </p>
    </>
  );
}

interface ReplyProps extends RecordProps<TicketRow> {
  readonly options: readonly string[];
}

/** The form of a reply: the options as buttons, a text, and the score that the reply would get. */
function ReplyForm({ row, desk, options }: ReplyProps) {
  const { id, version, audience } = row;
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const by = ownName.value;
  const said = text.trim() === '' ? chosen : text.trim();
  const reply = { type: 'tickets.reply', ticket: id, by, text: said ?? '', option: chosen, ifVersion: version };
  const { submit, isBusy, refusal } = useSubmission(async () => {
    await give(desk, reply);
    setText('');
    setChosen(null);
    say('Thank you. The reply is recorded, and reviewed in a moment.');
  });
  const wrong = said === null ? 'Choose an option or write a reply.' : by.trim() === '' ? 'Your name is needed.' : null;
  return (
    <Panel id="reply" title="Your reply">
      <form class="answer" onSubmit={submit}>
        {options.length > 0 && (
          <div class="row" role="group" aria-label="Options">
            {options.map((option) => (
              <button
                key={option}
                type="button"
                aria-pressed={chosen === option}
                onClick={() => setChosen(chosen === option ? null : option)}
              >
                {option}
              </button>
            ))}
          </div>
        )}
        <label class="field">
          <span>{options.length > 0 ? 'In your words, if you like' : 'In your words'}</span>
          <textarea
            name="text"
            rows={4}
            maxLength={1200}
            value={text}
            onInput={(input) => setText(input.currentTarget.value)}
          />
        </label>
        <Name audience={audience} />
        {said !== null && <Verdict desk={desk} ticket={id} text={said} option={chosen} />}
        {refusal}
        {wrong === null && <Twins twin={sendTwin(gatewayPlace(), desk, reply)} />}
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy || wrong !== null}>
            Send
          </button>
          {wrong !== null && <span class="quiet">{wrong}</span>}
        </div>
      </form>
    </Panel>
  );
}

interface VerdictProps {
  readonly desk: string;
  readonly ticket: string;
  readonly text: string;
  readonly option: string | null;
}

/** The score that the reply would get, requested when the person pauses. */
function Verdict({ desk, ticket, text, option }: VerdictProps) {
  const [verdict, setVerdict] = useState<Preview['verdict']>(undefined);
  useEffect(() => {
    let isCurrent = true;
    const stop = after(PAUSE_MS, () => {
      const preview = { type: 'tickets.preview', ticket, text, option };
      ask(desk, preview as { readonly type: string }).then(
        (reply) => isCurrent && setVerdict((reply as Preview).verdict),
        // Without a judgement the reply can still be sent.
        () => isCurrent && setVerdict(undefined),
      );
    });
    return () => {
      isCurrent = false;
      stop();
    };
  }, [desk, ticket, text, option]);
  if (verdict === undefined) return null;
  const { total, isPassed, points } = verdict;
  return (
    <div role="status">
      <p class={isPassed ? 'good' : 'warn'}>
        {isPassed ? `Clear (${total} of 100).` : `Not clear yet (${total} of 100).`}
      </p>
      <ul>{!isPassed && points.slice(0, 3).map(({ question }) => <li key={question}>{question}</li>)}</ul>
    </div>
  );
}
