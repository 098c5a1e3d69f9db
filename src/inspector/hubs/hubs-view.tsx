/** Runs of hubs, those at work first; and the pages of each run and of its sessions. */
import { route } from '../address-bar.ts';
import { type RecordProps, Since } from '../desks/desk-page.tsx';
import { runRows } from '../desks/desk-records.ts';
import { DESK_AGENTS, type DeskContexts, type RunRow } from '../desks/desk-shapes.ts';
import { recordCalls, recordOf, viewOf } from '../desks/desk-tables.tsx';
import { useShown } from '../desks/use-desk.ts';
import { hrefOf } from '../route.ts';
import { Standing } from '../signed.tsx';
import { type Column } from '../table.tsx';
import { RunPage } from './run-page.tsx';
import { budgetOf, type HubShown, runState } from './sessions.ts';
import { SessionPage } from './session-page.tsx';

const COLUMNS: readonly Column<RunRow>[] = [
  { title: 'Run', cell: ({ id }) => <a href={hrefOf('hubs', id)}>{id}</a> },
  { title: 'Goal', cell: ({ title }) => title },
  { title: 'Hub', cell: ({ hub }) => <span class="agent">{hub}</span> },
  { title: 'State', cell: (row) => <Standing of={runState(row)} /> },
  {
    title: 'Time',
    isNumber: true,
    cell: ({ startedAtMs, endedAtMs }) => <Since sinceMs={startedAtMs} endedAtMs={endedAtMs} />,
  },
  { title: 'Sessions', isNumber: true, cell: (row) => <Figure row={row} at={0} /> },
  { title: 'Spent', isNumber: true, cell: (row) => <Figure row={row} at={1} /> },
  { title: 'Because', cell: ({ because }) => because },
];

/** The view of runs of hubs. */
export const HUBS = viewOf<RunRow, DeskContexts['hub-desk']>({
  name: 'hubs',
  title: 'Hubs',
  agent: DESK_AGENTS.hubs,
  wanted: [
    'no desk of hubs',
    <>
      run <code>bosun hub run hub.yaml --serve</code>, or use <code>hubCrew()</code> of <code>bosun/crew</code>
    </>,
  ],
  lead: 'Runs of hub and spokes',
  empty: 'No run yet. The order hub.start begins one.',
  rows: runRows,
  columns: () => COLUMNS,
  one: {
    noun: 'run',
    page: Page,
    idIn: (rest) => rest.split('/')[0]!,
    calls: recordCalls,
    rowOf: recordOf<RunRow>,
  },
});

function Page({ row, desk }: RecordProps<RunRow>) {
  const [, session] = route.value.rest.split('/');
  return session === undefined ? (
    <RunPage row={row} desk={desk} />
  ) : (
    <SessionPage key={session} row={row} desk={desk} id={session} />
  );
}

/** A figure of the budget, which the hub itself has while it runs. */
function Figure({ row, at }: { readonly row: RunRow; readonly at: number }) {
  const hub = useShown<HubShown>(row.ref);
  return <>{budgetOf(row, hub, 0)[at]![1]}</>;
}
