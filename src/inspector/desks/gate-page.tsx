/** The page of one gate: its question, the data needed to decide, and the form of the answer. */
import { type ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { gateName } from '../../machines/people/gates/gate-name.ts';
import { ActorLink } from '../actor-link.tsx';
import { FieldInputs } from '../actor/event-dialog.tsx';
import { type Typed } from '../actor/schema-form.ts';
import { gatewayPlace, Twins, useSubmission } from '../dialog.tsx';
import { moment } from '../format.ts';
import { maySend } from '../link.ts';
import { say } from '../notices.tsx';
import { Panel, RecordHead, Unread } from '../sheet.tsx';
import { Standing } from '../signed.tsx';
import { kernelMs } from '../time.ts';
import { sendTwin } from '../twins.ts';
import { useWatched } from '../use-window.ts';
import { answerOf, type Choice, choicesOf } from './answer-form.ts';
import { Age, Countdown } from './clock.tsx';
import { give } from './desk-dialog.tsx';
import { extendGate, withdrawGate } from './desk-orders.ts';
import { Nowhere, OrderButton, Orders, type RecordProps, type Wanted } from './desk-page.tsx';
import { type GateRow, type QuestionOfGate } from './desk-shapes.ts';
import { Readable } from './readable.tsx';
import { ownName, setOwnName } from './who.ts';

export const GATES_WANTED: Wanted = ['no desk of gates', 'gateAgents', 'gateChildren()'];

export const GATE_PHASES: Readonly<Record<GateRow['phase'], readonly [words: string, tone: string]>> = {
  opening: ['opening', 'calm'],
  open: ['open', 'warn'],
  reminded: ['open, reminded', 'warn'],
  answered: ['answered', 'good'],
  timedOut: ['time is up', 'calm'],
  withdrawn: ['withdrawn', 'calm'],
  failed: ['failed', 'bad'],
};

export function audienceText(audience: readonly string[]): string {
  return audience.map((one) => (one === '*' ? 'anybody' : one)).join(', ');
}

/** The page of a gate by its id. */
export function GatePage({ id, desk }: { readonly id: string; readonly desk: string }) {
  const { view, error } = useWatched('gates.get', { gate: id });
  if (view === undefined) return <Unread title={id} error={error} />;
  const { gate, question } = view;
  return gate === null ? <Nowhere noun="gate" id={id} /> : <Gate row={gate} question={question} desk={desk} />;
}

function Gate({ row, question, desk }: RecordProps<GateRow> & Pick<FactsProps, 'question'>) {
  const { id } = row;
  return (
    <article class="actor" aria-labelledby="gate-title">
      <RecordHead id="gate" list="Gates" crumb={id} title={gateName(row)}>
        <Proposal text={row.proposal} />
        <Facts row={row} question={question} />
        {!row.isOver && (
          <Orders>
            {row.deadlineAtMs !== null && (
              <OrderButton kind="small" label="Extend" order={() => extendGate(desk, id)} />
            )}
            <OrderButton kind="small" label="Withdraw" order={() => withdrawGate(desk, id)} />
          </Orders>
        )}
      </RecordHead>
      <div class="columns even">
        {question !== null && (
          <Panel id="package" title="What you need to decide">
            <Readable value={question.package} />
          </Panel>
        )}
        {row.isOver ? (
          <Outcome row={row} />
        ) : (
          question !== null && <AnswerForm id={id} desk={desk} question={question} />
        )}
      </div>
    </article>
  );
}

/** The proposal of the asker, if there is one. */
export function Proposal({ text }: { readonly text: string | null }) {
  return text === null ? null : (
    <p>
      <span class="quiet">Proposed:</span> {text}
    </p>
  );
}

/** Shows who opened the gate, and how long ago. */
export function Asked({ row: { askedBy, openedAtMs } }: { readonly row: GateRow }) {
  return (
    <span>
      asked{' '}
      {askedBy !== null && (
        <>
          by <ActorLink address={askedBy} />{' '}
        </>
      )}
      <Age sinceMs={openedAtMs} /> ago
    </span>
  );
}

export function TimeIsUp({ deadlineAtMs }: { readonly deadlineAtMs: number | null }) {
  return (
    <span>
      {deadlineAtMs === null ? (
        'waits as long as it takes'
      ) : (
        <>
          time is up <Countdown untilMs={deadlineAtMs} over="now" />
        </>
      )}
    </span>
  );
}

interface FactsProps {
  readonly row: GateRow;
  /** The question; null before the gate's actor has started, and once it is over. */
  readonly question: QuestionOfGate | null;
}

function Facts({ row, question }: FactsProps) {
  const { phase, deadlineAtMs, isOver, audience, lastOrder } = row;
  const onTimeout = question?.onTimeout?.name ?? row.onTimeout;
  return (
    <>
      <p class="row facts-line">
        <Standing of={GATE_PHASES[phase]} />
        <Asked row={row} />
        <span>for {audienceText(audience)}</span>
        {!isOver && <TimeIsUp deadlineAtMs={deadlineAtMs} />}
      </p>
      {!isOver && onTimeout !== null && <p class="quiet">Without an answer: {onTimeout}.</p>}
      {lastOrder !== null && (
        <p class="quiet">
          {lastOrder.type === 'gate.extend' ? 'Extended' : 'Withdrawn'} by {lastOrder.by},{' '}
          {moment(lastOrder.atMs, kernelMs())}
          {lastOrder.reason !== null && `: ${lastOrder.reason}`}
        </p>
      )}
    </>
  );
}

function Outcome({ row: { result, phase, onTimeout } }: { readonly row: GateRow }) {
  if (result === null) return null;
  return (
    <Panel
      id="outcome"
      title={
        phase === 'answered'
          ? `Answered by ${result.by ?? 'somebody'}`
          : phase === 'timedOut'
            ? 'Nobody answered in time'
            : 'Closed without an answer'
      }
    >
      {phase === 'answered' && <Readable value={result.answer} />}
      {phase === 'timedOut' && <p>{onTimeout === null ? 'The asker was told.' : `What holds: ${onTimeout}.`}</p>}
    </Panel>
  );
}

interface AnswerProps {
  readonly id: string;
  readonly desk: string;
  readonly question: QuestionOfGate;
}

function AnswerForm({ id, desk, question }: AnswerProps) {
  const choices = choicesOf(question.form);
  const [at, setAt] = useState(choices.length === 1 ? 0 : -1);
  const [typed, setTyped] = useState<Typed>({});
  if (!maySend())
    return (
      <section class="sheet">
        <h2>Your answer</h2>
        <p class="quiet">Your token may read but not answer.</p>
      </section>
    );
  const choice: Choice | undefined = choices[at];
  const { answer, problems } =
    choice === undefined ? { answer: null, problems: {} } : answerOf(choice, { ...initials(choice), ...typed });
  const wrong = ownName.value.trim() === '' ? 'your name is needed' : Object.entries(problems)[0]?.join(' ');
  const event = { type: 'gate.answer', gate: id, by: ownName.value, answer };
  return (
    <Panel id="answer" title="Your answer">
      <Submission desk={desk} event={event} isChosen={choice !== undefined} wrong={wrong}>
        {choices.length > 1 && <Choices choices={choices} at={at} onAt={setAt} />}
        {choice !== undefined && <FieldInputs key={at} fields={choice.fields} typed={typed} onTyped={setTyped} />}
        <Name audience={question.audience} />
      </Submission>
    </Panel>
  );
}

interface SubmissionProps {
  readonly desk: string;
  readonly event: { readonly type: string };
  readonly isChosen: boolean;
  /** The reason why the answer cannot be sent yet. */
  readonly wrong: string | undefined;
  readonly children: ComponentChildren;
}

/** Sends the answer, and shows the reason of a refusal. */
function Submission({ desk, event, isChosen, wrong, children }: SubmissionProps) {
  const { submit, isBusy, refusal } = useSubmission(async () => {
    await give(desk, event);
    say('Thank you. The answer is recorded.');
  });
  return (
    <form class="answer" onSubmit={submit}>
      {children}
      {refusal}
      {isChosen && <Twins twin={sendTwin(gatewayPlace(), desk, event)} />}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy || !isChosen || wrong !== undefined}>
          Answer
        </button>
        {isChosen && wrong !== undefined && <span class="quiet">{wrong}</span>}
      </div>
    </form>
  );
}

/** The field for the name under which a person answers. */
export function Name({ audience }: { readonly audience: readonly string[] }) {
  return (
    <>
      <label class="field">
        <span>Your name</span>
        <input
          name="by"
          type="text"
          autocomplete="name"
          list="audience"
          value={ownName.value}
          onInput={(input) => setOwnName(input.currentTarget.value)}
        />
      </label>
      <datalist id="audience">
        {audience
          .filter((one) => one !== '*')
          .map((one) => (
            <option key={one} value={one} />
          ))}
      </datalist>
    </>
  );
}

interface ChoicesProps {
  readonly choices: readonly Choice[];
  readonly at: number;
  readonly onAt: (at: number) => void;
}

function Choices({ choices, at, onAt }: ChoicesProps) {
  return (
    <fieldset class="choices">
      <legend class="unseen">What to do</legend>
      {choices.map(({ label }, index) => (
        <label key={label} class="choice">
          <input type="radio" name="choice" checked={index === at} onChange={() => onAt(index)} /> {label}
        </label>
      ))}
    </fieldset>
  );
}

function initials({ fields }: Choice): Readonly<Record<string, string>> {
  return Object.fromEntries(fields.map(({ name, initial }) => [name, initial]));
}
