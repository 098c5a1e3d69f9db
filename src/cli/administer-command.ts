/**
 * `bosun suspend|resume|kill|stop|restart ADDRESS`: an audited order about one actor, at once where its system runs;
 * else some of them are left in the stopped store and count from the next start on.
 */
import { withData } from './data-work.ts';
import { type ExitCode } from './exit-codes.ts';
import { type LiveGateway } from './live-gateway.ts';
import { jsonLine } from './stopped-store.ts';
import { type DataCommand } from './surroundings.ts';

export interface AdministerCommand extends DataCommand {
  readonly order: 'suspend' | 'resume' | 'kill' | 'stop' | 'restart';
  readonly address: string;
  readonly by: string;
  readonly reason?: string | undefined;
}

const SAID = {
  suspend: 'is suspended',
  resume: 'goes on at the next start',
  kill: 'is killed: at the next start its Boss deals with that as with a crash',
} as const;

const SAID_LIVE = {
  suspend: 'is suspended',
  resume: 'goes on',
  kill: 'is killed: its Boss deals with that as with a crash',
  stop: 'has ended',
  restart: 'was started again',
} as const;

export function administerCommand(command: AdministerCommand): Promise<ExitCode> {
  const { order, address, by, reason, json, out } = command;
  const said = (text: string) =>
    out.write(json ? jsonLine({ type: order, address, by, durable: true }) : `${address} ${text}\n`);
  const live = async (gateway: LiveGateway) => {
    await gateway.call(`actor.${order}`, { address, by, reason });
    said(SAID_LIVE[order]);
  };
  // What a Boss does about a child takes turns, of which a stopped store has none.
  if (order === 'stop' || order === 'restart') return withData(command, { live });
  return withData(command, {
    live,
    async stopped(system) {
      await system.admin[order](address, { by, ...(reason !== undefined && { reason }) });
      said(SAID[order]);
    },
  });
}
