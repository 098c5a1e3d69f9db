/** `bosun ps`: every actor of a running system or a stopped store, one per line. */
import { ACTORS_PAGE_MAX } from '../../gateway/limits.ts';
import { type Shard } from '../../shard.ts';
import { type TreeNode } from '../../system-options.ts';
import { withData } from '../reach/data-work.ts';
import { type ExitCode } from '../exit-codes.ts';
import { type LiveGateway } from '../reach/live-gateway.ts';
import { jsonLine } from '../json-lines.ts';
import { type DataCommand } from '../surroundings.ts';
import { tableText } from '../table.ts';
import { stateText } from './tree-command.ts';

export interface PsCommand extends DataCommand {
  readonly agent?: string | undefined;
  readonly status?: string | undefined;
}

export type ActorRow = Pick<TreeNode, 'address' | 'agent' | 'status' | 'state' | 'mailbox' | 'restarts'>;

export function psCommand(command: PsCommand): Promise<ExitCode> {
  const { agent, status, json, out } = command;
  const show = (rows: readonly ActorRow[]) => void out.write(json ? rows.map(jsonLine).join('') : actorsTable(rows));
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

/** Which actors of a running system are listed. */
interface Wanted {
  readonly isWanted?: (row: ActorRow) => boolean;
  /** The number after which no further page is read. */
  readonly count?: number;
}

/** Actors of a running system, page by page, in order of addresses after the root. */
export async function liveRows(
  gateway: LiveGateway,
  only: object,
  { isWanted = () => true, count = Infinity }: Wanted = {},
): Promise<ActorRow[]> {
  const rows: ActorRow[] = [];
  for (let after: string | null | undefined; after !== null && rows.length < count; ) {
    const page: { actors: ActorRow[]; next: string | null } = await gateway.call('actor.list', {
      ...only,
      after,
      limit: ACTORS_PAGE_MAX,
    });
    rows.push(...page.actors.filter(isWanted));
    after = page.next;
  }
  return rows.slice(0, count);
}

/** Actors of a stopped store, in the same order. */
export function storedRows(system: Shard): ActorRow[] {
  const rows: ActorRow[] = [];
  const open = [system.tree()];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { address, agent, status, state, mailbox, restarts, children } = node;
    rows.push({ address, agent, status, state, mailbox, restarts });
    open.push(...children);
  }
  const [root, ...others] = rows;
  return [root!, ...others.sort((a, b) => (a.address < b.address ? -1 : 1))];
}

export function actorsTable(rows: readonly ActorRow[]): string {
  return tableText([['ADDRESS', 'AGENT', 'STATUS', 'STATE', 'UNREAD', 'RESTARTS'], ...rows.map(cellsOf)]);
}

function cellsOf({ address, agent, status, state, mailbox, restarts }: ActorRow): string[] {
  return [
    address,
    agent,
    status,
    state === null ? '' : stateText(state),
    String(mailbox),
    restarts === null ? '' : String(restarts),
  ];
}
