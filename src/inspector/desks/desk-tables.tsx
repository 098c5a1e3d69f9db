/** The desks whose page is a table of their records. A new one is a row here. */
import { type ComponentChildren, type ComponentType, Fragment } from 'preact';
import type { TableView } from '../../gateway/protocol/actor-view.ts';
import { number } from '../format.ts';
import { leftText, type Part } from '../part.ts';
import { hrefOf } from '../route.ts';
import { Ledger, Unread } from '../sheet.tsx';
import { type Column } from '../table.tsx';
import { useAnswer } from '../use.ts';
import { Age } from './clock.tsx';
import { DeskPage, Nowhere, type RecordProps, type Wanted } from './desk-page.tsx';
import { DESK_AGENTS, type DeskContexts, type TicketRow } from './desk-shapes.ts';
import { audienceText } from './gate-page.tsx';
import { Due, OpenTicket, TicketPage, TICKETS_WANTED, TicketState } from './ticket-page.tsx';
import { isOver, ticketRows } from './tickets.ts';
import { type Desk, useDeskOf } from './use-desk.ts';

/** Properties of a component around the table: the context of the desk, its address, and the table. */
export interface AroundProps<Context> {
  readonly context: Context;
  readonly desk: string;
  readonly children: ComponentChildren;
}

/** A method, and its parameters. */
type ReadCall = readonly [method: string, params: Readonly<Record<string, unknown>>];

/** A record with a page of its own. */
interface OneRecord<Row> {
  readonly noun: string;
  readonly page: ComponentType<RecordProps<Row>>;
  /** The id in the part of the route behind the view's name. Default: all of it. */
  readonly idIn?: (rest: string) => string;
  /**
   * The calls that read a record which the desk's view leaves out, the last of which has it. `before` is the answer of
   * the call before the one to make.
   */
  readonly calls: (id: string, desk: string, before?: never) => readonly ReadCall[];
  readonly rowOf: (answer: never, id: string) => Row | null | undefined;
}

interface DeskTableRow<Row, Context> {
  readonly name: string;
  readonly title: string;
  readonly agent: string;
  readonly wanted: Wanted;
  readonly lead?: string;
  readonly empty: string;
  /** Derives the rows, in order, from the desk's context. */
  readonly rows: (context: Context | undefined) => Part<Row>;
  /** Makes the columns; the desk's address is for orders inside the table. */
  readonly columns: (desk: string) => readonly Column<Row>[];
  /** The noun for a record, and its page; absent if the table shows everything. */
  readonly one?: OneRecord<Row>;
  readonly around?: ComponentType<AroundProps<Context>>;
}

const SHOWN = 100;

/** Interval of reading a record that the desk's view leaves out. */
const ONE_EVERY_MS = 2_000;

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
  viewOf<TicketRow, DeskContexts['ticket-desk']>({
    name: 'tickets',
    title: 'Tickets',
    agent: DESK_AGENTS.tickets,
    wanted: TICKETS_WANTED,
    lead: 'Questions with a thread',
    empty: 'Nobody has opened a ticket. Agents do, and you can: bosun tickets open "Euro or dollar?"',
    around: ({ desk, children }) => (
      <>
        {children}
        <OpenTicket desk={desk} />
      </>
    ),
    rows: ticketRows,
    columns: () => TICKET_COLUMNS,
    one: {
      noun: 'ticket',
      page: TicketPage,
      calls: (id) => [['tickets.get', { ticket: id }]],
      rowOf: ({ ticket }: { readonly ticket: Omit<TicketRow, 'ref'> | null }, id) =>
        ticket && { ...ticket, ref: { actor: `open-tickets/${id}` } },
    },
  }),
];

/** Makes a view of the page from a row. */
export function viewOf<Row extends { readonly id: string }, Context>(of: DeskTableRow<Row, Context>) {
  const { name, title, agent, wanted, one } = of;
  const component = ({ rest }: { readonly rest: string }) => {
    const desk = useDeskOf<Context>(agent);
    const id = one?.idIn?.(rest) ?? rest;
    return (
      <DeskPage desk={desk} title={title} wanted={wanted} isThere={desk.context !== undefined}>
        {one === undefined || rest === '' ? (
          <All of={of} desk={desk} />
        ) : (
          <One key={id} one={one} id={id} part={of.rows(desk.context)} desk={desk.address} />
        )}
      </DeskPage>
    );
  };
  return { name, title, component };
}

interface AllProps<Row, Context> {
  readonly of: DeskTableRow<Row, Context>;
  readonly desk: Desk<Context>;
}

function All<Row extends { readonly id: string }, Context>({ of, desk: { context, address } }: AllProps<Row, Context>) {
  const { name, title, lead, empty, columns, one, around: Around = Fragment } = of;
  if (context === undefined) return null;
  const part = of.rows(context);
  const rows = part.rows.slice(0, SHOWN);
  const size = part.rows.length + part.left;
  const first = size > rows.length && `, the first ${rows.length} of ${number(size)}`;
  return (
    <Around context={context} desk={address}>
      <Ledger
        id={name}
        title={title}
        lead={lead !== undefined && <p class="quiet">{[lead, first]}</p>}
        rows={rows}
        empty={empty}
        columns={columns(address)}
        keyOf={({ id }) => id}
      >
        {part.left > 0 && <p class="empty">{leftText(part, one?.noun ?? 'record')}</p>}
      </Ledger>
    </Around>
  );
}

interface OneProps<Row> {
  readonly one: OneRecord<Row>;
  readonly id: string;
  readonly part: Part<Row>;
  readonly desk: string;
}

/** The page of a record; one that the desk's view leaves out is read by itself. */
function One<Row extends { readonly id: string }>({ one, id, part, desk }: OneProps<Row>) {
  const row = part.rows.find((known) => known.id === id);
  if (row !== undefined) return <one.page row={row} desk={desk} />;
  return part.left === 0 ? <Nowhere noun={one.noun} id={id} /> : <Elsewhere one={one} id={id} desk={desk} at={0} />;
}

interface ElsewhereProps<Row> extends Omit<OneProps<Row>, 'part'> {
  /** The number of the call to make, and the answer of the one before it. */
  readonly at: number;
  readonly before?: never;
}

/** Reads a record by one call after the other, until one has it. */
function Elsewhere<Row>({ one, id, desk, at, before }: ElsewhereProps<Row>) {
  const [method, params] = one.calls(id, desk, before as never)[at] ?? [undefined, {}];
  const { result, error } = useAnswer<never>(method, params, ONE_EVERY_MS);
  if (method === undefined) return <Nowhere noun={one.noun} id={id} />;
  if (result === undefined) return <Unread title={id} error={error} />;
  const row = one.rowOf(result, id) ?? undefined;
  return row === undefined ? (
    <Elsewhere one={one} id={id} desk={desk} at={at + 1} before={result} />
  ) : (
    <one.page row={row} desk={desk} />
  );
}

/** The calls that read a record by its id: its key from the index of its desk, then the record. */
export function recordCalls(id: string, address: string, index?: TableView<string>): readonly ReadCall[] {
  const read = (table: string, from: string): ReadCall => ['table.read', { address, table, from, limit: 1 }];
  const place = index?.rows[id];
  return place === undefined ? [read('places', id)] : [read('places', id), read('rows', place)];
}

/** The record with an id in the answer of one of {@link recordCalls}. */
export function recordOf<Row extends { readonly id: string }>(
  { rows }: TableView<Row | string>,
  id: string,
): Row | undefined {
  return Object.values(rows).find((row): row is Row => typeof row === 'object' && row.id === id);
}
