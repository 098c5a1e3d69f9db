/** `bosun suspend|resume|kill ADDRESS`: leaves an order about one actor in a stopped store, audited; it counts from the next start on. */
import { type ExitCode } from './exit-codes.ts';
import { jsonLine, withStoppedStore } from './stopped-store.ts';
import { type DataCommand } from './surroundings.ts';

export interface AdministerCommand extends DataCommand {
  readonly order: 'suspend' | 'resume' | 'kill';
  readonly address: string;
  readonly by: string;
  readonly reason?: string | undefined;
}

const SAID = {
  suspend: 'is suspended',
  resume: 'goes on at the next start',
  kill: 'is killed: at the next start its Boss deals with that as with a crash',
} as const;

export function administerCommand(command: AdministerCommand): Promise<ExitCode> {
  const { order, address, by, reason, json, out } = command;
  return withStoppedStore(command, async (system) => {
    await system.admin[order](address, { by, ...(reason !== undefined && { reason }) });
    out.write(json ? jsonLine({ type: order, address, by, durable: true }) : `${address} ${SAID[order]}\n`);
  });
}
