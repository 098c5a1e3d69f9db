/** Questions to people: all of them, and one with what is needed to answer it. */
import { moment } from '../format.ts';
import { hrefOf } from '../route.ts';
import { kernelMs } from '../time.ts';
import { Age, Countdown } from './clock.tsx';
import { type Column, DeskPage, DeskTable, Sheet } from './desk-page.tsx';
import { gateRows } from './desk-records.ts';
import { type GateRow } from './desk-shapes.ts';
import { audienceText, GATE_PHASES, GatePage } from './gate-page.tsx';
import { useDesk } from './use-desk.ts';

const SHOWN = 100;

export function GatesView({ rest }: { readonly rest: string }) {
  const desk = useDesk('gates');
  const rows = gateRows(desk.context);
  const row = rows.find(({ id }) => id === rest);
  return (
    <DeskPage name="gates" desk={desk} title="Gates">
      {(onOrder) =>
        rest === '' ? (
          <GateTable rows={rows} />
        ) : (
          <GatePage key={rest} id={rest} row={row} desk={desk.address} onOrder={onOrder} />
        )
      }
    </DeskPage>
  );
}

const COLUMNS: readonly Column<GateRow>[] = [
  { title: 'Question', cell: ({ id, title }) => <a href={hrefOf('gates', id)}>{title}</a> },
  { title: 'Kind', cell: ({ kind }) => kind },
  { title: 'For', cell: ({ audience }) => audienceText(audience) },
  { title: 'State', cell: (row) => <State row={row} /> },
  { title: 'Age', isNumber: true, cell: ({ isOver, openedAtMs }) => !isOver && <Age sinceMs={openedAtMs} /> },
  { title: 'Time is up', isNumber: true, cell: (row) => <Until row={row} /> },
];

function GateTable({ rows }: { readonly rows: readonly GateRow[] }) {
  const lead = (
    <p class="quiet">Questions to people{rows.length > SHOWN && `, the first ${SHOWN} of ${rows.length}`}</p>
  );
  return (
    <Sheet id="gates" kind="flush" title="Gates" lead={lead}>
      {rows.length === 0 && <p class="empty">Nobody has asked anything.</p>}
      {rows.length > 0 && <DeskTable columns={COLUMNS} rows={rows.slice(0, SHOWN)} />}
    </Sheet>
  );
}

function State({ row: { phase, result } }: { readonly row: GateRow }) {
  const [words, tone] = GATE_PHASES[phase];
  return (
    <span class={`standing ${tone}`}>
      {words}
      {result !== null && result.by !== null && ` by ${result.by}`}
    </span>
  );
}

function Until({ row: { isOver, deadlineAtMs, result } }: { readonly row: GateRow }) {
  if (isOver) return <>{result === null ? '' : moment(result.closedAtMs, kernelMs())}</>;
  return deadlineAtMs === null ? <>never</> : <Countdown untilMs={deadlineAtMs} />;
}
