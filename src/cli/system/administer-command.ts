/**
 * `bosun suspend|resume|kill|stop|restart ADDRESS`: an audited order about one actor. Carried out at once if the system
 * runs; otherwise some orders are left in the stopped store for the next start.
 */
import { withData } from '../reach/data-work.ts';
import { type ExitCode } from '../exit-codes.ts';
import { type LiveGateway } from '../reach/live-gateway.ts';
import { jsonLine } from '../json-lines.ts';
import { type DataCommand } from '../surroundings.ts';

/** The author of an order, and the reason for it. */
export interface Whom {
  readonly by: string;
  /** The author's name as an option; undefined if `by` is the user's name. */
  readonly givenBy: string | undefined;
  readonly reason: string | undefined;
}

export interface AdministerCommand extends DataCommand, Whom {
  readonly order: 'suspend' | 'resume' | 'kill' | 'stop' | 'restart';
  readonly address: string;
}

const SAID = {
  suspend: 'is suspended',
  resume: 'is resumed at the next start',
  kill: 'is killed: at the next start its Boss handles that as a crash',
} as const;

const SAID_LIVE = {
  suspend: 'is suspended',
  resume: 'is resumed',
  kill: 'is killed: its Boss handles that as a crash',
  stop: 'has ended',
  restart: 'was started again',
} as const;

export function administerCommand(command: AdministerCommand): Promise<ExitCode> {
  const { order, address, by, reason, json, out } = command;
  const said = (text: string, name: string | undefined) =>
    out.write(json ? jsonLine({ type: order, address, by: name ?? null, durable: true }) : `${address} ${text}\n`);
  const live = async (gateway: LiveGateway) => {
    const name = nameFor(command);
    await gateway.call(`actor.${order}`, { address, by: name, reason });
    said(SAID_LIVE[order], name);
  };
  // A Boss handles `stop` and `restart` in turns, which a stopped store does not take.
  if (order === 'stop' || order === 'restart') return withData(command, { live });
  return withData(command, {
    live,
    async stopped(system) {
      await system.admin[order](address, { by, ...(reason !== undefined && { reason }) });
      said(SAID[order], by);
    },
  });
}

/**
 * The author's name for a gateway. A remote gateway knows its callers by their tokens, and only its operator may give
 * orders in the name of others. Undefined: the holder of the token.
 */
export function nameFor({ remote, by, givenBy }: DataCommand & Whom): string | undefined {
  return remote === undefined ? by : givenBy;
}
