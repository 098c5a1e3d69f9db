/** The answer desk at work: its questions, its places, its figures beside their targets, and proposals for changes. */
import { Age } from '../desks/clock.tsx';
import { OrderButton } from '../desks/desk-page.tsx';
import { type DeskContexts } from '../desks/desk-shapes.ts';
import { moment, number } from '../format.ts';
import { leftText, openPartOf, type Part } from '../part.ts';
import { hrefOf } from '../route.ts';
import { Figures, Panel, Sheet, Unread } from '../sheet.tsx';
import { type Column, Table } from '../table.tsx';
import { kernelMs } from '../time.ts';
import { useAnswer } from '../use.ts';
import {
  type DeskFigures,
  type FigureShown,
  type ListedQuestions,
  type ProposalShown,
  type QuestionShown,
  type TriggerShown,
} from './answer-shapes.ts';
import {
  changeText,
  decideProposal,
  figureName,
  figureValue,
  loadOf,
  openQuestions,
  proposalRows,
  queueOf,
  reviewAnswers,
  triggersIn,
  rewardTexts,
} from './answers.ts';
import { Calibration } from './calibration-picture.tsx';
import { CriticalAlerts } from './critical-alerts.tsx';
import { AnswersPage, EVERY_MS, QuestionLink, QuestionState } from './answers-page.tsx';

const OPEN_MAX = 200;

/** Tones of urgency. */
const TONES = { 1: 'bad', 2: 'warn', 3: 'calm' } as const;

const openColumns = (queue: ReadonlyMap<string, string>): readonly Column<QuestionShown>[] => [
  { title: 'Priority', cell: ({ priority }) => <span class={`chip-plain ${TONES[priority]}`}>P{priority}</span> },
  { title: 'Question', isHead: true, cell: QuestionLink },
  { title: 'State', cell: (row) => queue.get(row.id) ?? <QuestionState row={row} /> },
  { title: 'Asked by', cell: ({ asker }) => asker },
  { title: 'Ticket', cell: ({ ticket }) => ticket !== null && <a href={hrefOf('tickets', ticket)}>{ticket}</a> },
  { title: 'Age', isNumber: true, cell: ({ askedAtMs }) => <Age sinceMs={askedAtMs} /> },
];

const FIGURE_COLUMNS: readonly Column<FigureShown>[] = [
  { title: 'Figure', cell: figureName },
  { title: 'Value', isNumber: true, cell: (row) => figureValue(row) || <span class="quiet">too few cases</span> },
  { title: 'Target', isNumber: true, cell: ({ target }) => target },
  { title: 'Met', cell: ({ isMet }) => isMet !== null && <Met isMet={isMet} /> },
  { title: 'Cases', isNumber: true, cell: ({ count }) => number(count) },
];

const TRIGGER_COLUMNS: readonly Column<TriggerShown>[] = [
  { title: 'Trigger', cell: ({ name }) => name },
  { title: 'Asks', cell: ({ question }) => question },
  { title: 'When', cell: ({ measure, below }) => `${measure} < ${below}` },
];

export function AnswerDeskView() {
  return (
    <>
      <CriticalAlerts />
      <AnswersPage title="Desk">
        {({ address, context }, version) => (
          <>
            <Load context={context} version={version} />
            <Proposals part={proposalRows(context)} desk={address} />
            <Triggers of={triggersIn(context)} />
          </>
        )}
      </AnswersPage>
    </>
  );
}

interface LoadProps {
  readonly context: DeskContexts['answer-desk'];
  readonly version: string;
}

function Load({ context, version }: LoadProps) {
  const wanted = { is_open: true, limit: OPEN_MAX };
  const { result: listed } = useAnswer<ListedQuestions>('answers.list', wanted, EVERY_MS, version);
  const { result: figures, error } = useAnswer<DeskFigures>('answers.metrics', {}, EVERY_MS, version);
  if (figures === undefined || listed === undefined) return <Unread title="Desk" error={error} />;
  const queue = queueOf(context);
  const open = openPartOf(context.rows);
  const left = open.rows.length + open.left - listed.questions.length;
  return (
    <>
      <Sheet id="desk" kind="flush" title="Desk">
        <Figures of={loadOf(context, figures)} />
        {listed.questions.length === 0 ? (
          <p class="empty">No question is under way.</p>
        ) : (
          <Table columns={openColumns(queue)} rows={openQuestions(listed.questions, queue)} keyOf={({ id }) => id} />
        )}
        {left > 0 && <p class="empty">{leftText({ left }, 'question')}</p>}
      </Sheet>
      <div class="columns even">
        <Panel id="figures" kind="flush padded" title="Figures">
          <Table columns={FIGURE_COLUMNS} rows={figures.figures} keyOf={({ name }) => name} />
        </Panel>
        <Calibration {...figures} />
      </div>
    </>
  );
}

function Met({ isMet }: { readonly isMet: boolean }) {
  return <span class={isMet ? 'good' : 'bad'}>{isMet ? 'yes' : 'no'}</span>;
}

/** The triggers that users have defined. */
function Triggers({ of }: { readonly of: readonly TriggerShown[] }) {
  return (
    <Panel id="triggers" kind="flush padded" title="Triggers" count={of.length}>
      {of.length === 0 ? (
        <p class="empty">
          No trigger asks by itself. <code>answers.trigger</code> with name, measure, below and question defines one
          that asks when a reading of <code>answers.measure</code> is lower.
        </p>
      ) : (
        <Table columns={TRIGGER_COLUMNS} rows={of} keyOf={({ name }) => name} />
      )}
    </Panel>
  );
}

interface ProposalsProps {
  readonly part: Part<ProposalShown>;
  readonly desk: string;
}

function Proposals({ part, desk }: ProposalsProps) {
  const { rows } = part;
  const open = rows.filter(({ status }) => status === 'proposed').length;
  return (
    <Panel id="proposals" title="Proposals" count={open}>
      <div class="row">
        <OrderButton kind="small" label="Look for patterns" order={() => reviewAnswers(desk)} />
      </div>
      {rows.length === 0 && <p class="empty">Nothing is proposed. A proposal never applies itself.</p>}
      <ol class="cards">
        {rows.map((row) => (
          <Proposal key={row.id} row={row} desk={desk} />
        ))}
      </ol>
      {part.left > 0 && <p class="quiet">{leftText(part, 'proposal')}</p>}
    </Panel>
  );
}

function Proposal({ row, desk }: { readonly row: ProposalShown; readonly desk: string }) {
  const { id, because, status, isUrgent, proposedAtMs, decidedBy } = row;
  const decided = (label: string, approve: boolean) => (
    <OrderButton label={label} name={`${label} ${id}`} order={() => decideProposal(desk, row, approve)} />
  );
  return (
    <li class="card" data-proposal={id}>
      <div class="split">
        <h3>{changeText(row)}</h3>
        <div class="row">
          {status === 'proposed' && [decided('Approve', true), decided('Refuse', false)]}
          {status === 'applied' && decided('Take back', false)}
        </div>
      </div>
      <p>Because {because}.</p>
      <p class="row facts-line">
        <span class="chip-plain">{id}</span>
        <span>
          {status}
          {decidedBy !== null && ` by ${decidedBy}`}
        </span>
        {isUrgent && <span class="warn">touches the most urgent questions</span>}
        <span>{moment(proposedAtMs, kernelMs())}</span>
        {rewardTexts(row).map((text) => (
          <span key={text}>{text}</span>
        ))}
      </p>
    </li>
  );
}
