/** The page of one question: its answer, the evidence, the factors of its confidence, and who uses the answer. */
import { type ComponentChildren } from 'preact';
import { Age } from '../desks/clock.tsx';
import { Nowhere, OrderButton, Orders } from '../desks/desk-page.tsx';
import { type DeskContexts } from '../desks/desk-shapes.ts';
import { moment } from '../format.ts';
import { hrefOf } from '../route.ts';
import { Panel, RecordHead, Unread } from '../sheet.tsx';
import { Table } from '../table.tsx';
import { kernelMs } from '../time.ts';
import { useAnswer } from '../use.ts';
import {
  type QuestionShown,
  type ShownQuestion,
  type SourceShown,
  type TicketEvidence,
  type UserShown,
} from './answer-shapes.ts';
import {
  correctAnswer,
  directPercent,
  factorRows,
  holdsText,
  judgeAnswer,
  keepAnswer,
  limitAnswer,
  thresholdText,
} from './answers.ts';
import { Confidence, EVERY_MS, QuestionState, Sources } from './answers-page.tsx';

interface AnswerPageProps {
  readonly id: string;
  /** Address of the desk. */
  readonly desk: string;
  readonly context: DeskContexts['answer-desk'];
  readonly version: string;
}

export function AnswerPage({ id, desk, context, version }: AnswerPageProps) {
  const { result, error } = useAnswer<ShownQuestion>('answers.show', { question_id: id }, EVERY_MS, version);
  if (result === undefined) return <Unread title="Answer" error={error} />;
  if (result.question === null) return <Nowhere noun="question" id={id} kept="20,000" />;
  const { question: row, users, kept, earlier } = result;
  const direct = directPercent(context);
  return (
    <article class="actor" aria-labelledby="question-title">
      <RecordHead id="question" list="Answers" crumb={id} title={row.text}>
        <Facts row={row} />
        <AnswerOrders row={row} desk={desk} plan={context.planVersion} kept={kept} />
      </RecordHead>
      <div class="columns even">
        <Answer row={row} direct={direct} />
        {row.response === null && row.ticket !== null ? (
          <WeakEvidence ticket={row.ticket} />
        ) : (
          <Evidence sources={row.response?.sources ?? []} />
        )}
      </div>
      <Users users={users} />
      <Earlier earlier={earlier} />
    </article>
  );
}

function Facts({ row }: { readonly row: QuestionShown }) {
  const { priority, asker, task, askedAtMs, ticket, options, scope } = row;
  return (
    <>
      <p class="row facts-line">
        <QuestionState row={row} />
        <span>P{priority}</span>
        <span>
          asked by {asker} <Age sinceMs={askedAtMs} /> ago
        </span>
        {task !== null && (
          <span>
            about <span class="mono">{task}</span>
          </span>
        )}
        {scope && <span class="chip-plain">{scope}</span>}
        {ticket !== null && <a href={hrefOf('tickets', ticket)}>{ticket}</a>}
      </p>
      {options.length > 0 && <p class="quiet">Possible answers: {options.join(', ')}</p>}
    </>
  );
}

interface OrdersProps extends Pick<AnswerPageProps, 'desk'>, Pick<ShownQuestion, 'kept'> {
  readonly row: QuestionShown;
  /** The version of the plan. */
  readonly plan: string;
}

function AnswerOrders({ row, desk, plan, kept }: OrdersProps) {
  if (row.response === null && row.ticket === null) return null;
  return (
    <Orders>
      <OrderButton kind="small" label="Correct" order={() => correctAnswer(desk, row)} />
      {row.response !== null && (
        <>
          <OrderButton kind="small" label="Was right" order={() => judgeAnswer(desk, row, true)} />
          <OrderButton kind="small" label="Was wrong" order={() => judgeAnswer(desk, row, false)} />
          {kept === null ? (
            <OrderButton kind="small" label="Keep for all" order={() => keepAnswer(desk, row)} />
          ) : (
            <>
              <OrderButton kind="small" label="Holds for" order={() => limitAnswer(desk, row, kept)} />
              <span class="quiet">kept {holdsText(kept, plan)}</span>
            </>
          )}
        </>
      )}
    </Orders>
  );
}

interface AnswerProps {
  /** The confidence, in percent, from which on an answer is given without a person. */
  readonly direct: number;
  readonly row: QuestionShown;
}

function Answer({ row: { response, by, factors, status }, direct }: AnswerProps) {
  const actions = response?.suggested_next_actions ?? [];
  return (
    <Panel id="answer" title={by === null ? 'Answer' : `Answer of ${by}`}>
      {response === null ? (
        <p class="empty">{status === 'waiting' ? 'A person has the question.' : 'There is none.'}</p>
      ) : (
        <>
          <p class="said">{response.answer}</p>
          <Confidence percent={response.confidence} />
        </>
      )}
      {by === null && (factors ?? response) !== null && <p class="quiet">{thresholdText(direct)}</p>}
      <ul>
        {actions.map((action) => (
          <li key={action}>{action}</li>
        ))}
      </ul>
      {by === null && factors !== null && (
        <dl class="facts factors" aria-label="What made the confidence">
          {factorRows(factors).map(({ name, value, share }) => (
            <div key={`${name} ${value}`}>
              <dt>{name}</dt>
              <dd>
                {share !== null && <meter min={0} max={1} value={share} aria-label={name} />} {value}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Panel>
  );
}

/** The evidence about a question without an answer, as its ticket has it. */
function WeakEvidence({ ticket }: { readonly ticket: string }) {
  const { result } = useAnswer<TicketEvidence>('tickets.get', { ticket }, EVERY_MS);
  const found = result?.question?.evidence ?? [];
  const sources = found.map(({ source, excerpt }) => ({ location: source, excerpt, type: '' }));
  return (
    <Evidence sources={sources}>
      <p class="quiet">
        {sources.length > 0 && 'Too weak for an answer. '}
        <a href={hrefOf('tickets', ticket)}>{ticket} shows what was found</a>
      </p>
    </Evidence>
  );
}

interface EvidenceProps {
  readonly sources: readonly SourceShown[];
  readonly children?: ComponentChildren;
}

function Evidence({ sources, children }: EvidenceProps) {
  return (
    <Panel id="evidence" title="Evidence" count={sources.length}>
      {sources.length === 0 && <p class="empty">No source was found.</p>}
      <Sources sources={sources} />
      {children}
    </Panel>
  );
}

function Users({ users }: { readonly users: readonly UserShown[] }) {
  return (
    <Panel id="users" title="Used by" count={users.length}>
      {users.length === 0 && <p class="empty">Nobody has this answer.</p>}
      {users.length > 0 && (
        <Table
          columns={[
            { title: 'Who', cell: ({ asker }: UserShown) => asker },
            { title: 'Task', cell: ({ task }) => task },
            { title: 'Since', isNumber: true, cell: ({ atMs }) => moment(atMs, kernelMs()) },
          ]}
          rows={users}
          keyOf={({ asker, task }) => `${asker} ${task}`}
        />
      )}
    </Panel>
  );
}

function Earlier({ earlier }: Pick<ShownQuestion, 'earlier'>) {
  if (earlier.length === 0) return null;
  return (
    <Panel id="earlier" title="Said before" count={earlier.length}>
      <ol class="cards">
        {earlier.map(({ answer, by, atMs }) => (
          <li key={atMs} class="card">
            <p>{answer}</p>
            <p class="quiet">
              {by}, {moment(atMs, kernelMs())}
            </p>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
