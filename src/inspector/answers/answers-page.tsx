/** Parts of the pages of answers: the frame with its notice, a question's state, and who used an answer. */
import { type ComponentChildren } from 'preact';
import { DESK_AGENTS, type DeskContexts } from '../desks/desk-shapes.ts';
import { Missing, Ordering } from '../desks/desk-page.tsx';
import { type Desk, useDesk } from '../desks/use-desk.ts';
import { type QuestionShown } from './answer-shapes.ts';
import { QUESTION_STATES, versionOf } from './answers.ts';

/** Answers are read again when the desk has changed, and at this interval. */
export const EVERY_MS = 15_000;

/** The answer desk with its context. */
type AnswerDesk = Pick<Desk, 'address'> & { readonly context: DeskContexts['answer-desk'] };

interface AnswersPageProps {
  readonly title: string;
  /** Renders the contents; `version` differs when an answer may have changed. */
  readonly children: (desk: AnswerDesk, version: string) => ComponentChildren;
}

/** A page of the answer desk; if the system has none, a notice instead. */
export function AnswersPage({ title, children }: AnswersPageProps) {
  const { presence, address, context } = useDesk(DESK_AGENTS.answers);
  return (
    <Ordering>
      {context !== undefined ? (
        children({ address, context }, versionOf(context))
      ) : (
        <Missing title={title} isKnown={presence === 'absent'} what="no answer desk">
          run <code>bosun desk .</code>, or give <code>createSystem</code> the <code>answerCrew()</code> and the gateway
          the <code>answerProcedures</code> of <code>bosun/crew</code>
        </Missing>
      )}
    </Ordering>
  );
}

export function QuestionState({ row: { status, by } }: { readonly row: Pick<QuestionShown, 'status' | 'by'> }) {
  const [words, tone] = QUESTION_STATES[status];
  return (
    <span class={`standing ${tone}`}>
      {words}
      {by !== null && ` by ${by}`}
    </span>
  );
}
