/** The desks whose page is a table of their records. A new one is a row here. */
import { type ComponentChildren, type ComponentType, Fragment } from 'preact';
import { moment } from '../format.ts';
import { hrefOf } from '../route.ts';
import { Ledger } from '../sheet.tsx';
import { type Column } from '../table.tsx';
import { kernelMs } from '../time.ts';
import { Age, Countdown } from './clock.tsx';
import { DeskPage, type RecordProps, type Wanted } from './desk-page.tsx';
import { gateName, gateRows } from './desk-records.ts';
import { DESK_AGENTS, type GateRow, type TicketRow } from './desk-shapes.ts';
import { audienceText, GATE_PHASES, GatePage, GATES_WANTED } from './gate-page.tsx';
import { Due, TicketPage, TICKETS_WANTED, TicketState } from './ticket-page.tsx';
import { isOver, ticketRows } from './tickets.ts';
import { type Desk, useDesk } from './use-desk.ts';

/** Properties of a component around the table: the context of the desk, its address, and the table. */
export interface AroundProps {
  readonly context: unknown;
  readonly desk: string;
  readonly children: ComponentChildren;
}

interface DeskTableRow<Row> {
  readonly name: string;
  readonly title: string;
  readonly agent: string;
  readonly wanted: Wanted;
  readonly lead?: string;
  readonly empty: string;
  /** Derives the rows, in order, from the desk's context. */
  readonly rows: (context: unknown) => readonly Row[];
  /** Makes the columns; the desk's address is for orders inside the table. */
  readonly columns: (desk: string) => readonly Column<Row>[];
  /** The noun for a record, and its page; absent if the table shows everything. */
  readonly one?: { readonly noun: string; readonly page: ComponentType<RecordProps<Row>> };
  readonly around?: ComponentType<AroundProps>;
}

const SHOWN = 100;

const GATE_COLUMNS: readonly Column<GateRow>[] = [
  { title: 'Question', cell: (row) => <a href={hrefOf('gates', row.id)}>{gateName(row)}</a> },
  { title: 'Proposed', cell: ({ proposal }) => proposal },
  { title: 'Kind', cell: ({ kind }) => kind },
  { title: 'For', cell: ({ audience }) => audienceText(audience) },
  { title: 'State', cell: (row) => <State row={row} /> },
  { title: 'Age', isNumber: true, cell: ({ isOver, openedAtMs }) => !isOver && <Age sinceMs={openedAtMs} /> },
  { title: 'Time is up', isNumber: true, cell: (row) => <Until row={row} /> },
];

const TICKET_COLUMNS: readonly Column<TicketRow>[] = [
  { title: 'Ticket', cell: ({ id, title }) => <a href={hrefOf('tickets', id)}>{`${id}: ${title}`}</a> },
  { title: 'Priority', cell: ({ priority }) => `P${priority}` },
  { title: 'For', cell: ({ assignee, audience }) => assignee ?? audienceText(audience) },
  { title: 'State', cell: (row) => <TicketState row={row} /> },
  { title: 'Task', cell: ({ task }) => task },
  { title: 'Age', isNumber: true, cell: (row) => !isOver(row) && <Age sinceMs={row.openedAtMs} /> },
  { title: 'Due', isNumber: true, cell: (row) => !isOver(row) && <Due row={row} /> },
];

/** The desks as views of the page. */
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
    one: { noun: 'gate', page: GatePage },
  }),
  viewOf<TicketRow>({
    name: 'tickets',
    title: 'Tickets',
    agent: DESK_AGENTS.tickets,
    wanted: TICKETS_WANTED,
    lead: 'Questions with a thread',
    empty: 'Nobody has opened a ticket.',
    rows: ticketRows,
    columns: () => TICKET_COLUMNS,
    one: { noun: 'ticket', page: TicketPage },
  }),
];

/** Makes a view of the page from a row. */
export function viewOf<Row extends { readonly id: string }>(of: DeskTableRow<Row>) {
  const { name, title, agent, wanted, one } = of;
  const component = ({ rest }: { readonly rest: string }) => {
    const desk = useDesk(agent);
    return (
      <DeskPage desk={desk} title={title} wanted={wanted}>
        {one === undefined || rest === '' ? (
          <All of={of} desk={desk} />
        ) : (
          <One key={rest} one={one} id={rest} row={of.rows(desk.context).find(({ id }) => id === rest)} desk={desk} />
        )}
      </DeskPage>
    );
  };
  return { name, title, component };
}

interface AllProps<Row> {
  readonly of: DeskTableRow<Row>;
  readonly desk: Desk;
}

function All<Row extends { readonly id: string }>({ of, desk: { context, address } }: AllProps<Row>) {
  const { name, title, lead, empty, columns, around: Around = Fragment } = of;
  const rows = of.rows(context);
  const first = rows.length > SHOWN && `, the first ${SHOWN} of ${rows.length}`;
  return (
    <Around context={context} desk={address}>
      <Ledger
        id={name}
        title={title}
        lead={lead !== undefined && <p class="quiet">{[lead, first]}</p>}
        rows={rows.slice(0, SHOWN)}
        empty={empty}
        columns={columns(address)}
        keyOf={({ id }) => id}
      />
    </Around>
  );
}

interface OneProps<Row> {
  readonly one: NonNullable<DeskTableRow<Row>['one']>;
  readonly id: string;
  readonly row: Row | undefined;
  readonly desk: Desk;
}

function One<Row>({ one: { noun, page: Page }, id, row, desk }: OneProps<Row>) {
  if (row !== undefined) return <Page row={row} desk={desk.address} />;
  return (
    <section class="sheet">
      <h1>
        No {noun} “{id}”
      </h1>
      <p class="quiet">The desk keeps every open {noun} and the last 1,000 others.</p>
    </section>
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
