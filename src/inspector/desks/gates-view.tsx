/** Questions to people: those that wait, by deadline, then the closed ones, the latest first; and the page of each. */
import { useState } from 'preact/hooks';
import { gateName } from '../../machines/people/gates/gate-name.ts';
import { counted, moment, number } from '../format.ts';
import { hrefOf } from '../route.ts';
import { Ledger } from '../sheet.tsx';
import { More } from '../shown-rows.tsx';
import { Standing } from '../signed.tsx';
import { type Column } from '../table.tsx';
import { kernelMs } from '../time.ts';
import { isNotOffered, useWindow } from '../use-window.ts';
import { Age, Countdown } from './clock.tsx';
import { DeskPage, Missing } from './desk-page.tsx';
import { gatesById } from './desk-records.ts';
import { DESK_AGENTS, type GateRow } from './desk-shapes.ts';
import { audienceText, GATE_PHASES, GatePage, GATES_WANTED } from './gate-page.tsx';
import { usePlace } from './use-desk.ts';

const COLUMNS: readonly Column<GateRow>[] = [
  { title: 'Question', cell: (row) => <a href={hrefOf('gates', row.id)}>{gateName(row)}</a> },
  { title: 'Proposed', cell: ({ proposal }) => proposal },
  { title: 'Kind', cell: ({ kind }) => kind },
  { title: 'For', cell: ({ audience }) => audienceText(audience) },
  { title: 'State', cell: ({ phase, result }) => <Standing of={GATE_PHASES[phase]} by={result?.by} /> },
  { title: 'Age', isNumber: true, cell: ({ isOver, openedAtMs }) => !isOver && <Age sinceMs={openedAtMs} /> },
  { title: 'Time is up', isNumber: true, cell: (row) => <Until row={row} /> },
];

/** The view of gates. */
export const GATES = { name: 'gates', title: 'Gates', component: GatesView };

function GatesView({ rest }: { readonly rest: string }) {
  const desk = usePlace(DESK_AGENTS.gates);
  return (
    <DeskPage desk={desk} title="Gates" wanted={GATES_WANTED} isThere={desk.presence === 'present'}>
      {rest === '' ? <Gates /> : <GatePage key={rest} id={rest} desk={desk.address} />}
    </DeskPage>
  );
}

function Gates() {
  const [pages, setPages] = useState({ open: 1, closed: 1 });
  const open = useWindow('gates.open', pages.open);
  const closed = useWindow('gates.closed', pages.closed);
  const error = open.error ?? closed.error;
  if (isNotOffered(error))
    return (
      <Missing title="Gates" isKnown what="gates, but its gateway has no windows of them">
        <WindowsWanted />
      </Missing>
    );
  const isAllOpen = open.window?.hasMore === false;
  const [waiting, over] = [open.window?.rows, isAllOpen ? closed.window?.rows : []];
  const rows = waiting && over && gatesById([...waiting, ...over]);
  const size = (open.window?.size ?? 0) + (closed.window?.size ?? 0);
  const left = rows === undefined ? 0 : size - rows.length;
  const more = () => setPages(isAllOpen ? { ...pages, closed: pages.closed + 1 } : { ...pages, open: pages.open + 1 });
  const first = left > 0 && `, the first ${number(rows!.length)} of ${number(size)}`;
  return (
    <Ledger
      id="gates"
      title="Gates"
      lead={<p class="quiet">{['Questions to people', first]}</p>}
      rows={rows}
      error={error}
      empty="Nobody has asked anything."
      columns={COLUMNS}
      keyOf={({ id }) => id}
    >
      {left > 0 && (
        <p class="empty">
          <More onMore={more}>{counted(left, 'more gate')}</More>
        </p>
      )}
    </Ledger>
  );
}

/** How a gateway comes to offer the windows of gates. */
export function WindowsWanted() {
  return (
    <>
      give <code>createGateway</code> the procedures <code>crewProcedures</code> of <code>bosun/crew</code>
    </>
  );
}

function Until({ row: { isOver, deadlineAtMs, result } }: { readonly row: GateRow }) {
  if (isOver) return <>{result === null ? '' : moment(result.closedAtMs, kernelMs())}</>;
  return deadlineAtMs === null ? <>never</> : <Countdown untilMs={deadlineAtMs} />;
}
