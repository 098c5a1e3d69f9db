/** Parts of the pages of answers: the frame with its notice, a question's link and state, a confidence, and sources. */
import { type ComponentChildren } from 'preact';
import { DESK_AGENTS, type DeskContexts } from '../desks/desk-shapes.ts';
import { Missing, Ordering } from '../desks/desk-page.tsx';
import { type Desk, useDesk } from '../desks/use-desk.ts';
import { hrefOf } from '../route.ts';
import { Standing } from '../signed.tsx';
import { type QuestionShown, type SourceShown } from './answer-shapes.ts';
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

export function QuestionLink({ id, text }: Pick<QuestionShown, 'id' | 'text'>) {
  return <a href={hrefOf('answers', id)}>{`${id}: ${text}`}</a>;
}

export function QuestionState({ row: { status, by } }: { readonly row: Pick<QuestionShown, 'status' | 'by'> }) {
  return <Standing of={QUESTION_STATES[status]} by={by} />;
}

export function Confidence({ percent }: { readonly percent: number }) {
  return (
    <p>
      <meter min={0} max={100} value={percent} aria-label="Confidence" /> {percent} % sure
    </p>
  );
}

/** The places where evidence was found, with what is there. */
export function Sources({ sources }: { readonly sources: readonly SourceShown[] }) {
  return (
    <dl class="evidence">
      {sources.map(({ location, excerpt, type }) => (
        <div key={location}>
          <dt>
            <span class="mono">{location}</span> <span class="quiet">{type}</span>
          </dt>
          <dd>{excerpt}</dd>
        </div>
      ))}
    </dl>
  );
}
