/** The verbs of all desks: list, show, and orders, each according to the row of its desk. */
import { type DeskRow, type Given } from './desk-row.ts';
import { withDesks } from './desk-view.ts';
import { type ExitCode } from './exit-codes.ts';
import { plainLine } from '../plain-text.ts';
import { jsonLine } from './stopped-store.ts';
import { type DataCommand } from './surroundings.ts';
import { factsText, tableText } from './table.ts';

/** The row of a desk. The type of its records is known to the desk only. */
function rowOf(desk: object): DeskRow<unknown> {
  return desk as DeskRow<unknown>;
}

/** Prints one line of JSON per record, or a table for people. */
export function listDesk(desk: object, command: DataCommand & { readonly all: boolean }): Promise<ExitCode> {
  const { all, json, out, err } = command;
  const { none, records, cells, banner = () => null } = rowOf(desk);
  return withDesks(command, async (view) => {
    const rows = await records(view, all);
    if (json) return void out.write(rows.map(jsonLine).join(''));
    const above = banner(rows);
    if (above !== null) err.write(`${plainLine(above)}\n`);
    if (rows.length === 0) return void err.write(`${none}\n`);
    const lines = rows.map(cells);
    out.write(tableText([Object.keys(lines[0]!), ...lines.map((line) => Object.values(line).map(textOf))]));
  });
}

export function showRecord(desk: object, key: string, command: DataCommand): Promise<ExitCode> {
  const { find, facts, detail = () => Promise.resolve({ json: {}, text: '' }) } = rowOf(desk);
  return withDesks(command, async (view) => {
    const row = await find(view, key);
    const { json, text } = await detail(view, row);
    command.out.write(command.json ? jsonLine({ ...(row as object), ...json }) : `${factsText(facts(row))}${text}`);
  });
}

/** Gives an order. In a stopped store, the order is stored for the next start. */
export function giveOrder(
  desk: object,
  command: DataCommand & Given & { readonly verb: string; readonly key: string },
): Promise<ExitCode> {
  const { verb, key, by, json, out, err } = command;
  const { find, orders } = rowOf(desk);
  return withDesks(command, async (view) => {
    const { desk: to, event, json: shown = event, said } = await orders[verb]!(await find(view, key), command, view);
    const remarks = await view.order(to, event);
    const when = view.isLive ? '' : ' at the next start';
    out.write(json ? jsonLine({ ...shown, by, durable: true }) : `${plainLine(`${said}${when}`)}\n`);
    for (const remark of remarks) err.write(`${plainLine(remark)}\n`);
  });
}

function textOf(cell: string | number | null): string {
  return cell === null ? '' : String(cell);
}
