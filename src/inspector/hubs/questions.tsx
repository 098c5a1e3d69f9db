/** Open questions of a run with what they are about, answered by one press where that takes the obstacle away. */
import type { HubAnswer } from '../../machines/hub/hub-state.ts';
import type { QuestionAbout } from '../../machines/hub/people-answer.ts';
import { gateName } from '../../machines/people/gates/gate-name.ts';
import { give } from '../desks/desk-dialog.tsx';
import { DESK_AGENTS, type GateRow, type RunRow } from '../desks/desk-shapes.ts';
import { Name, TimeIsUp } from '../desks/gate-page.tsx';
import { WindowsWanted } from '../desks/gates-view.tsx';
import { Readable } from '../desks/readable.tsx';
import { usePlace } from '../desks/use-desk.ts';
import { ownName } from '../desks/who.ts';
import { useSubmission } from '../dialog.tsx';
import { hrefOf } from '../route.ts';
import { maySend } from '../link.ts';
import { say } from '../notices.tsx';
import { Panel } from '../sheet.tsx';
import { isNotOffered, useWatched, useWindow } from '../use-window.ts';
import { Some } from './changes.tsx';
import { wordsOf } from './sessions.ts';

/** Pages of open gates among which those of the run are looked for. */
const GATE_PAGES = 10;

/** The open questions of a run; nothing while there is none. */
export function Questions({ row: { id, status } }: { readonly row: RunRow }) {
  const { window, error } = useWindow('gates.open', GATE_PAGES);
  const gates = window?.rows.filter(({ stage }) => stage === id) ?? [];
  if (gates.length === 0 && status !== 'asking') return null;
  return (
    <Panel id="questions" kind="attention" title="The run waits for people">
      {gates.map((gate) => (
        <Question key={gate.id} gate={gate} run={id} />
      ))}
      {isNotOffered(error) && (
        <p>
          To see the questions here, <WindowsWanted />.
        </p>
      )}
    </Panel>
  );
}

function Question({ gate, run }: { readonly gate: GateRow; readonly run: string }) {
  const isHub = gate.kind === 'hub';
  const { view } = useWatched('gates.get', isHub ? { gate: gate.id } : undefined);
  const about = view?.question?.package as Partial<QuestionAbout> | undefined;
  const { escalation, budget, move, suggested } = about ?? {};
  const isRoom = move?.kind === 'ask' && (move.problem === 'budget' || move.problem === 'limits');
  return (
    <>
      <p>
        <a href={hrefOf('gates', gate.id)}>{gateName(gate)}</a>, <TimeIsUp deadlineAtMs={gate.deadlineAtMs} />
      </p>
      {escalation && (
        <p class="quiet">
          <a href={hrefOf('hubs', `${run}/${escalation.session}`)}>{escalation.session}</a>: {escalation.reason}
        </p>
      )}
      <Some of={escalation?.files ?? []} />
      {isRoom && <Readable value={budget} />}
      {about && maySend() && (
        <>
          <Name audience={gate.audience} />
          <div class="row">
            {suggested && <Answer gate={gate.id} answer={suggested} />}
            <Answer gate={gate.id} answer={{ choice: 'stop' }} />
          </div>
        </>
      )}
    </>
  );
}

/** The button of one answer. */
function Answer({ gate, answer }: { readonly gate: string; readonly answer: HubAnswer }) {
  const { address } = usePlace(DESK_AGENTS.gates);
  const by = ownName.value;
  const { submit, isBusy, refusal } = useSubmission(async () => {
    await give(address, { type: 'gate.answer', gate, by, answer } as { type: string });
    say('Thank you. The answer is recorded.');
  });
  return (
    <form onSubmit={submit}>
      <button class={answer.choice === 'stop' ? 'quiet-danger' : 'primary'} disabled={isBusy || by.trim() === ''}>
        {wordsOf(answer)}
      </button>
      {refusal}
    </form>
  );
}
