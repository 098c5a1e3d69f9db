/** The verbs of all desks: list, show, and orders, each according to the row of its desk. */
import { type DeskRow, type Given, type ListPage, type Opening, type Wanted } from './desk-row.ts';
import { type DeskView, withDesks, withOrders } from './desk-view.ts';
import { type ExitCode } from '../exit-codes.ts';
import { plainLine } from '../../plain-text.ts';
import { jsonLine } from '../json-lines.ts';
import { type DataCommand } from '../surroundings.ts';
import { factsText, tableText } from '../table.ts';

/** The row of a desk. The type of its records is known to the desk only. */
function rowOf(desk: object): DeskRow<unknown> {
  return desk as DeskRow<unknown>;
}

/** Prints one line of JSON per record, or a table for people: of a list with pages the first one, unless `all`. */
export function listDesk(desk: object, command: DataCommand & Wanted): Promise<ExitCode> {
  const { all, audience, json, out, err } = command;
  const { none, cells, banner = () => null, ...listing } = rowOf(desk);
  return withDesks(command, async (view) => {
    const rows: unknown[] = [];
    let left: number | undefined = 0;
    for await (const page of pagesOf(listing, view, { all, audience })) {
      if (json) out.write(page.rows.map(jsonLine).join(''));
      else rows.push(...page.rows);
      ({ left } = page);
      // A page of a list with a filter may be empty.
      if (!json && !all && rows.length > 0) break;
    }
    if (json) return;
    const above = banner(rows);
    if (above !== null) err.write(`${plainLine(above)}\n`);
    if (rows.length === 0) return void err.write(`${none}\n`);
    const lines = rows.map(cells);
    out.write(tableText([Object.keys(lines[0]!), ...lines.map((line) => Object.values(line).map(textOf))]));
    if (left !== 0) err.write(`${left === undefined ? 'there may be more' : `${left} more`}: --all lists everything\n`);
  });
}

/** The pages of a list; one that is read at once is one page. */
async function* pagesOf(
  { pages, records }: Pick<DeskRow<unknown>, 'pages' | 'records'>,
  view: DeskView,
  wanted: Wanted,
): AsyncGenerator<ListPage<unknown>> {
  if (pages === undefined) yield { rows: await records!(view, wanted.all), left: 0 };
  else yield* pages(view, wanted);
}

export function showRecord(desk: object, key: string, command: DataCommand): Promise<ExitCode> {
  const { find, facts, detail = () => Promise.resolve({ json: {}, text: '' }) } = rowOf(desk);
  return withDesks(command, async (view) => {
    const row = await find(view, key);
    const { json, text } = await detail(view, row);
    command.out.write(command.json ? jsonLine({ ...(row as object), ...json }) : `${factsText(facts(row))}${text}`);
  });
}

/** Gives the order that makes a new record, and prints its id. */
export function openRecord(desk: object, command: DataCommand & Opening): Promise<ExitCode> {
  const { json, out } = command;
  return withOrders(command, async (view) => {
    const { desk: to, event, said } = rowOf(desk).open!(command);
    const { problems: _, taken: __, ...reply } = await view.order(to, event);
    const id = (reply as { readonly ticket?: string }).ticket;
    const when = id === undefined ? ' at the next start' : `: ${id}`;
    out.write(json ? jsonLine({ ...event, ...reply, durable: true }) : `${plainLine(`${said}${when}`)}\n`);
  });
}

/** Gives an order. In a stopped store, the order is stored for the next start. */
export function giveOrder(
  desk: object,
  command: DataCommand & Given & { readonly verb: string; readonly key: string },
): Promise<ExitCode> {
  const { verb, key, by, json, out, err } = command;
  const { find, orders } = rowOf(desk);
  return withOrders(command, async (view) => {
    const { desk: to, event, json: shown = event, said } = await orders[verb]!(await find(view, key), command, view);
    const { problems: remarks } = await view.order(to, event);
    const when = view.isLive ? '' : ' at the next start';
    out.write(json ? jsonLine({ ...shown, by, durable: true }) : `${plainLine(`${said}${when}`)}\n`);
    for (const remark of remarks) err.write(`${plainLine(remark)}\n`);
  });
}

function textOf(cell: string | number | null): string {
  return cell === null ? '' : String(cell);
}
