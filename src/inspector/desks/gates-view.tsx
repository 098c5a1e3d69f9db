/** Questions to people: all of them, and one with what is needed to answer it. */
import { moment } from '../format.ts';
import { hrefOf } from '../route.ts';
import { kernelMs } from '../time.ts';
import { Age, Countdown } from './clock.tsx';
import { DeskFrame, NoDesk } from './desk-frame.tsx';
import { gateRows } from './desk-records.ts';
import { type GateRow } from './desk-shapes.ts';
import { GATE_PHASES, GatePage } from './gate-page.tsx';
import { useDesk } from './use-desk.ts';

const SHOWN = 100;

export function GatesView({ rest }: { readonly rest: string }) {
  const desk = useDesk('gates');
  if (desk.context === undefined)
    return (
      <DeskFrame>
        <NoDesk name="gates" desk={desk} title="Gates" />
      </DeskFrame>
    );
  const rows = gateRows(desk.context);
  return (
    <DeskFrame>
      {rest === '' ? (
        <GateTable rows={rows} />
      ) : (
        <GatePage key={rest} id={rest} row={rows.find(({ id }) => id === rest)} desk={desk.address} />
      )}
    </DeskFrame>
  );
}

function GateTable({ rows }: { readonly rows: readonly GateRow[] }) {
  return (
    <section class="sheet flush" aria-labelledby="gates-title">
      <div class="sheet-head">
        <h1 id="gates-title">Gates</h1>
        <p class="quiet">Questions to people{rows.length > SHOWN && `, the first ${SHOWN} of ${rows.length}`}</p>
      </div>
      {rows.length === 0 && <p class="empty">Nobody has asked anything.</p>}
      {rows.length > 0 && (
        <table class="stack">
          <thead>
            <tr>
              <th scope="col">Question</th>
              <th scope="col">Kind</th>
              <th scope="col">For</th>
              <th scope="col">State</th>
              <th scope="col" class="number">
                Age
              </th>
              <th scope="col" class="number">
                Time is up
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, SHOWN).map((row) => (
              <Row key={row.id} row={row} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Row({
  row: { id, title, kind, audience, phase, isOver, openedAtMs, deadlineAtMs, result },
}: {
  readonly row: GateRow;
}) {
  const [words, tone] = GATE_PHASES[phase];
  return (
    <tr>
      <th scope="row">
        <a href={hrefOf('gates', id)}>{title}</a>
      </th>
      <td>{kind}</td>
      <td>{audience.map((one) => (one === '*' ? 'anybody' : one)).join(', ')}</td>
      <td>
        <span class={`standing ${tone}`}>
          {words}
          {result !== null && result.by !== null && ` by ${result.by}`}
        </span>
      </td>
      <td class="number" data-name="age">
        {isOver ? '' : <Age sinceMs={openedAtMs} />}
      </td>
      <td class="number" data-name="time is up">
        {isOver ? (
          result === null ? (
            ''
          ) : (
            moment(result.closedAtMs, kernelMs())
          )
        ) : deadlineAtMs === null ? (
          'never'
        ) : (
          <Countdown untilMs={deadlineAtMs} />
        )}
      </td>
    </tr>
  );
}
