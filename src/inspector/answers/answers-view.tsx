/** Questions with their answers, the latest first, and a search in what people have said. */
import { useState } from 'preact/hooks';
import { Age } from '../desks/clock.tsx';
import { moment } from '../format.ts';
import { Looking, Panel } from '../sheet.tsx';
import { SearchForm } from '../search-form.tsx';
import { More } from '../shown-rows.tsx';
import { type Column, Table } from '../table.tsx';
import { kernelMs } from '../time.ts';
import { useAnswer } from '../use.ts';
import { AnswerPage } from './answer-page.tsx';
import { type FoundAnswers, type ListedQuestions, type QuestionShown } from './answer-shapes.ts';
import { holdsText, pageText } from './answers.ts';
import { AskForm } from './ask-form.tsx';
import { AnswersPage, EVERY_MS, QuestionLink, QuestionState } from './answers-page.tsx';

const PAGE = 50;
const FOUND_MAX = 20;

const COLUMNS: readonly Column<QuestionShown>[] = [
  {
    title: 'Question',
    cell: ({ id, text, scope }) => (
      <>
        <QuestionLink id={id} text={text} /> {scope && <span class="chip-plain">{scope}</span>}
      </>
    ),
  },
  { title: 'State', cell: (row) => <QuestionState row={row} /> },
  { title: 'Answer', cell: ({ response }) => response?.answer },
  { title: 'Confidence', isNumber: true, cell: ({ response }) => response && `${response.confidence} %` },
  { title: 'Source', cell: ({ response }) => <span class="mono">{response?.sources[0]?.location}</span> },
  { title: 'Used by', isNumber: true, cell: ({ users }) => users },
  { title: 'Age', isNumber: true, cell: ({ askedAtMs }) => <Age sinceMs={askedAtMs} /> },
];

/** The columns of found answers. `plan`: the version of the plan. */
const foundColumns = (plan: string): readonly Column<FoundAnswers['found'][number]>[] => [
  {
    title: 'Question',
    cell: ({ question, text }) => <QuestionLink id={question} text={text} />,
  },
  { title: 'Answer', cell: ({ answer }) => answer },
  { title: 'Alike', isNumber: true, cell: ({ likeness }) => `${Math.round(likeness * 100)} %` },
  { title: 'Said by', cell: ({ by }) => by },
  { title: 'Holds', cell: (row) => holdsText(row, plan) },
  { title: 'When', isNumber: true, cell: ({ atMs }) => moment(atMs, kernelMs()) },
];

export function AnswersView({ rest }: { readonly rest: string }) {
  return (
    <AnswersPage title="Answers">
      {({ address, context }, version) =>
        rest === '' ? (
          <>
            <AskForm desk={address} />
            <All version={version} plan={context.planVersion} />
          </>
        ) : (
          <AnswerPage key={rest} id={rest} desk={address} context={context} version={version} />
        )
      }
    </AnswersPage>
  );
}

interface AllProps {
  readonly version: string;
  /** The version of the plan. */
  readonly plan: string;
}

function All({ version, plan }: AllProps) {
  const [text, setText] = useState('');
  return (
    <Panel id="questions" kind="flush padded" title="Questions">
      <SearchForm label="Search what people have said" text={text} onText={setText} maxLength={2000} />
      {text.trim() === '' ? <Listed version={version} /> : <Found text={text.trim()} version={version} plan={plan} />}
    </Panel>
  );
}

function Listed({ version }: { readonly version: string }) {
  const [before, setBefore] = useState<number | undefined>(undefined);
  const params = before === undefined ? { limit: PAGE } : { limit: PAGE, before };
  const { result, error } = useAnswer<ListedQuestions>('answers.list', params, EVERY_MS, version);
  if (result === undefined) return <Looking error={error} kind="empty" />;
  const { questions, next } = result;
  if (questions.length === 0)
    return (
      <p class="empty">
        Nobody has asked anything. <code>bosun questions ask "Is the port 80 or 8080?"</code> asks; so do coding agents
        by <code>bosun mcp</code>.
      </p>
    );
  return (
    <>
      <Table columns={COLUMNS} rows={questions} keyOf={({ id }) => id} />
      {(next !== null || before !== undefined) && (
        <p class="row empty">
          {pageText(questions.length, before === undefined)}
          {before !== undefined && <More onMore={() => setBefore(undefined)}>The latest ones</More>}
          {next !== null && <More onMore={() => setBefore(next)}>Older ones</More>}
        </p>
      )}
    </>
  );
}

function Found({ text, version, plan }: AllProps & { readonly text: string }) {
  const { result, error } = useAnswer<FoundAnswers>('answers.search', { text, limit: FOUND_MAX }, EVERY_MS, version);
  if (result === undefined) return <Looking error={error} kind="empty" />;
  if (result.found.length === 0) return <p class="empty">Nobody has said anything about it yet.</p>;
  return <Table columns={foundColumns(plan)} rows={result.found} keyOf={({ question }) => question} />;
}
