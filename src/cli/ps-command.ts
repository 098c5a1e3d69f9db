/** `bosun ps`: every actor of a running system or a stopped store, one per line. */
import { ACTORS_PAGE_MAX } from '../gateway/limits.ts';
import { type Shard } from '../shard.ts';
import { type TreeNode } from '../system-options.ts';
import { withData } from './data-work.ts';
import { type ExitCode } from './exit-codes.ts';
import { type LiveGateway } from './live-gateway.ts';
import { jsonLine } from './stopped-store.ts';
import { type DataCommand } from './surroundings.ts';
import { tableText } from './table.ts';
import { stateText } from './tree-command.ts';

export interface PsCommand extends DataCommand {
  readonly agent?: string | undefined;
  readonly status?: string | undefined;
}

type Row = Pick<TreeNode, 'address' | 'agent' | 'status' | 'state' | 'mailbox' | 'restarts'>;

export function psCommand(command: PsCommand): Promise<ExitCode> {
  const { agent, status, json, out } = command;
  const show = (rows: readonly Row[]) => void out.write(json ? rows.map(jsonLine).join('') : table(rows));
  return withData(command, {
    live: async (gateway) => show(await liveRows(gateway, { agent, status })),
    stopped: (system) =>
      show(
        storedRows(system).filter(
          (row) => (agent === undefined || row.agent === agent) && (status === undefined || row.status === status),
        ),
      ),
  });
}

async function liveRows(gateway: LiveGateway, only: object): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page: { actors: Row[]; next: string | null } = await gateway.call('actor.list', {
      ...only,
      after,
      limit: ACTORS_PAGE_MAX,
    });
    rows.push(...page.actors);
    after = page.next;
  }
  return rows;
}

function storedRows(system: Shard): Row[] {
  const rows: Row[] = [];
  const open = [system.tree()];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { address, agent, status, state, mailbox, restarts, children } = node;
    rows.push({ address, agent, status, state, mailbox, restarts });
    open.push(...children);
  }
  // In the order of a gateway's list: the root, then the others.
  const [root, ...others] = rows;
  return [root!, ...others.sort((a, b) => (a.address < b.address ? -1 : 1))];
}

function table(rows: readonly Row[]): string {
  return tableText([['ADDRESS', 'AGENT', 'STATUS', 'STATE', 'UNREAD', 'RESTARTS'], ...rows.map(cellsOf)]);
}

function cellsOf({ address, agent, status, state, mailbox, restarts }: Row): string[] {
  return [
    address,
    agent,
    status,
    state === null ? '' : stateText(state),
    String(mailbox),
    restarts === null ? '' : String(restarts),
  ];
}
