/** The desks whose page is a table of their records. A new one is a row here. */
import { type ComponentType } from 'preact';
import { moment } from '../format.ts';
import { hrefOf } from '../route.ts';
import { kernelMs } from '../time.ts';
import { Age, Countdown } from './clock.tsx';
import { type Column, DeskPage, DeskTable, Sheet, type Wanted } from './desk-page.tsx';
import { gateRows } from './desk-records.ts';
import { DESK_AGENTS, type GateRow } from './desk-shapes.ts';
import { audienceText, GATE_PHASES, GatePage, GATES_WANTED } from './gate-page.tsx';
import { useDesk } from './use-desk.ts';

/** What the page of one record is given. */
interface OneProps<Row> {
  readonly id: string;
  readonly row: Row | undefined;
  readonly desk: string;
}

interface DeskTableRow<Row> {
  readonly name: string;
  readonly title: string;
  readonly agent: string;
  readonly wanted: Wanted;
  readonly lead: string;
  readonly empty: string;
  /** Of the desk's context, in the order of the table. */
  readonly rows: (context: unknown) => readonly Row[];
  /** Given the address of the desk, for orders where the table itself has some. */
  readonly columns: (desk: string) => readonly Column<Row>[];
  /** The page of one record; left out where the table says it all. */
  readonly one?: ComponentType<OneProps<Row>>;
}

const SHOWN = 100;

const GATE_COLUMNS: readonly Column<GateRow>[] = [
  { title: 'Question', cell: ({ id, title }) => <a href={hrefOf('gates', id)}>{title}</a> },
  { title: 'Kind', cell: ({ kind }) => kind },
  { title: 'For', cell: ({ audience }) => audienceText(audience) },
  { title: 'State', cell: (row) => <State row={row} /> },
  { title: 'Age', isNumber: true, cell: ({ isOver, openedAtMs }) => !isOver && <Age sinceMs={openedAtMs} /> },
  { title: 'Time is up', isNumber: true, cell: (row) => <Until row={row} /> },
];

/** As views of the page. */
export const DESK_TABLES = [
  viewOf<GateRow>({
    name: 'gates',
    title: 'Gates',
    agent: DESK_AGENTS.gates,
    wanted: GATES_WANTED,
    lead: 'Questions to people',
    empty: 'Nobody has asked anything.',
    rows: gateRows,
    columns: () => GATE_COLUMNS,
    one: GatePage,
  }),
];

function viewOf<Row extends { readonly id: string }>(desk: DeskTableRow<Row>) {
  return {
    name: desk.name,
    title: desk.title,
    component: ({ rest }: { readonly rest: string }) => <View of={desk} rest={rest} />,
  };
}

interface ViewProps<Row> {
  readonly of: DeskTableRow<Row>;
  readonly rest: string;
}

function View<Row extends { readonly id: string }>({ of, rest }: ViewProps<Row>) {
  const { agent, title, wanted, one: One } = of;
  const desk = useDesk(agent);
  const rows = of.rows(desk.context);
  return (
    <DeskPage desk={desk} title={title} wanted={wanted}>
      {One === undefined || rest === '' ? (
        <Table of={of} rows={rows} desk={desk.address} />
      ) : (
        <One key={rest} id={rest} row={rows.find(({ id }) => id === rest)} desk={desk.address} />
      )}
    </DeskPage>
  );
}

interface TableProps<Row> {
  readonly of: DeskTableRow<Row>;
  readonly rows: readonly Row[];
  readonly desk: string;
}

function Table<Row extends { readonly id: string }>({ of, rows, desk }: TableProps<Row>) {
  const { name, title, lead, empty, columns } = of;
  const first = rows.length > SHOWN && `, the first ${SHOWN} of ${rows.length}`;
  return (
    <Sheet id={name} kind="flush" title={title} lead={<p class="quiet">{[lead, first]}</p>}>
      {rows.length === 0 && <p class="empty">{empty}</p>}
      {rows.length > 0 && <DeskTable columns={columns(desk)} rows={rows.slice(0, SHOWN)} />}
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
