/**
 * `bosun audit`: orders with their author, target, time, reason and outcome, newest first, from a running system or a
 * stopped store.
 */
import { type AuditRecord } from '../../actors/world/audit-record.ts';
import { LISTED_MAX } from '../../gateway/limits.ts';
import { plainLine } from '../../plain-text.ts';
import { withData } from '../reach/data-work.ts';
import { type ExitCode } from '../exit-codes.ts';
import { jsonLine } from '../json-lines.ts';
import { timeText } from '../store/stopped-store.ts';
import { type DataCommand } from '../surroundings.ts';

export interface AuditCommand extends DataCommand {
  /** The address of the actor whose orders are listed; undefined for all. */
  readonly address?: string | undefined;
  readonly limit?: number | undefined;
}

export function auditCommand(command: AuditCommand): Promise<ExitCode> {
  const { address, limit, json, out, err } = command;
  const show = (records: readonly AuditRecord[]) => {
    for (const record of records) out.write(json ? jsonLine(record) : `${plainLine(line(record))}\n`);
    if (records.length === 0 && !json) err.write('no orders on record\n');
  };
  return withData(command, {
    live: async (gateway) =>
      show(
        (await gateway.call<{ records: AuditRecord[] }>('audit.list', { address, limit: limit ?? LISTED_MAX })).records,
      ),
    stopped: async (system) => show(await system.admin.audit({ address, limit })),
  });
}

function line({ atMs, by, reason, order, address, life, arguments: args, outcome }: AuditRecord): string {
  const whom = address === '' ? (life === 0 ? 'nobody' : `erased life ${life}`) : address;
  const facts = [
    reason === null ? [] : [`because: ${reason}`],
    args === null ? [] : [args],
    outcome === 'done' ? [] : [outcome],
  ].flat();
  return [`${timeText(atMs)}  ${by}  ${order} ${whom}`, ...facts].join('  ');
}
