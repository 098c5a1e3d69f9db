/** The form by which a person asks the desk, and the reply: an answer, or what happens now. */
import { useState } from 'preact/hooks';
import { Name } from '../desks/gate-page.tsx';
import { ownName } from '../desks/who.ts';
import { useSubmission } from '../dialog.tsx';
import { askThrough, maySend } from '../link.ts';
import { hrefOf } from '../route.ts';
import { Sheet } from '../sheet.tsx';
import { Standing } from '../signed.tsx';
import { type AskReplyShown } from './answer-shapes.ts';
import { Confidence, QuestionLink, Sources } from './answers-page.tsx';
import {
  BLANK,
  nextStep,
  obstacleOf,
  PROGRESS,
  QUESTION_CHARS_MAX,
  questionEvent,
  replyState,
  type TypedQuestion,
} from './asking.ts';

/** Milliseconds for a call: the desk's longest wait, and as much again where the server is restarted meanwhile. */
const CALL_MS = 60_000;

interface Replied {
  readonly text: string;
  readonly reply: AskReplyShown;
}

/** The form with the reply to the last question. `desk`: its address. */
export function AskForm({ desk }: { readonly desk: string }) {
  const [typed, setTyped] = useState(BLANK);
  const [replied, setReplied] = useState<Replied | undefined>(undefined);
  const event = questionEvent(typed, ownName.value);
  const obstacle = obstacleOf(typed, ownName.value);
  const { submit, isBusy, refusal } = useSubmission(async () => {
    setReplied(undefined);
    const reply = (await askThrough(desk, event, CALL_MS)) as AskReplyShown;
    setReplied({ text: event.bundle.question, reply });
    // A refused question is there to be improved.
    if (reply.status !== 'refused') setTyped(BLANK);
  });
  return (
    <Sheet id="ask" title="Answers">
      {maySend() && (
        <form class="answer" onSubmit={submit}>
          <Fields typed={typed} onTyped={setTyped} />
          <div class="row tagline">
            <button type="submit" class="primary" disabled={isBusy || obstacle !== undefined}>
              Ask
            </button>
            {!isBusy && <span class="quiet">{obstacle}</span>}
          </div>
          {refusal}
        </form>
      )}
      <div role="status">
        {isBusy && (
          <>
            <p class="badge progress">
              <span class="dot" /> <strong>{PROGRESS}</strong>
            </p>
            <p class="quiet">The question is kept, and listed below: a reload or a restart loses nothing.</p>
          </>
        )}
        {replied !== undefined && <Reply {...replied} />}
      </div>
    </Sheet>
  );
}

interface FieldsProps {
  readonly typed: TypedQuestion;
  readonly onTyped: (typed: TypedQuestion) => void;
}

function Fields({ typed, onTyped }: FieldsProps) {
  const area = (name: 'text' | 'options', label: string, maxLength?: number) => (
    <label class="field">
      <span>{label}</span>
      <textarea
        name={name}
        rows={3}
        maxLength={maxLength}
        value={typed[name]}
        onInput={(input) => onTyped({ ...typed, [name]: input.currentTarget.value })}
      />
    </label>
  );
  return (
    <div class="columns asking">
      {area('text', 'Your question', QUESTION_CHARS_MAX)}
      {area('options', 'Possible answers, one a line or by commas')}
      <div class="plain">
        <label class="field">
          <span>Urgency</span>
          <select
            name="priority"
            value={typed.priority}
            onChange={(input) => onTyped({ ...typed, priority: input.currentTarget.value })}
          >
            <option value="1">1, most urgent</option>
            <option value="2">2, normal</option>
            <option value="3">3, can wait</option>
          </select>
        </label>
        <Name audience={[]} />
      </div>
    </div>
  );
}

function Reply({ text, reply }: Replied) {
  const { question_id: id, ticket_id: ticket, answer, confidence, sources, problems, changed_answers: changed } = reply;
  const next = nextStep(reply);
  return (
    <div class="card">
      <div class="split">
        <h2>{id === null ? text : <QuestionLink id={id} text={text} />}</h2>
        <Standing of={replyState(reply)} />
      </div>
      {answer !== null && (
        <>
          <p class="said">{answer}</p>
          <Confidence percent={confidence} />
          <Sources sources={sources} />
        </>
      )}
      {(ticket !== null || next !== '') && (
        <p class="quiet">
          {next} {ticket !== null && <a href={hrefOf('tickets', ticket)}>{ticket}</a>}
        </p>
      )}
      {problems.map((problem) => (
        <p key={problem} class="bad">
          {problem}
        </p>
      ))}
      {changed.map(({ question_id, question, answer: now }) => (
        <p key={question_id} class="quiet">
          Changed since you asked: <QuestionLink id={question_id} text={question} /> {now ?? 'holds no longer.'}
        </p>
      ))}
    </div>
  );
}
