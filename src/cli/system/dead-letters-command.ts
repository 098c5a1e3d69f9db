/**
 * `bosun deadletters list|redeliver|discard`: events that reached nobody or were put aside, in a running system or a
 * stopped store; orders are audited.
 */
import { type DeadLetter } from '../../actors/world/mailbox/dead-letter.ts';
import { LISTED_MAX } from '../../gateway/limits.ts';
import { plainLine } from '../../plain-text.ts';
import { nameFor, type Whom } from './administer-command.ts';
import { withData } from '../reach/data-work.ts';
import { type ExitCode } from '../exit-codes.ts';
import { jsonLine } from '../json-lines.ts';
import { errorText, timeText } from '../store/stopped-store.ts';
import { type DataCommand } from '../surroundings.ts';

export function listDeadLetters(command: DataCommand): Promise<ExitCode> {
  const { json, out, err } = command;
  const show = (letters: readonly DeadLetter[]) => {
    for (const letter of letters) out.write(json ? jsonLine(letter) : `${plainLine(line(letter))}\n`);
    if (letters.length === 0 && !json) err.write('no dead letters\n');
  };
  return withData(command, {
    live: async (gateway) =>
      show((await gateway.call<{ letters: DeadLetter[] }>('deadletter.list', { limit: LISTED_MAX })).letters),
    stopped: (system) => show(system.deadLetters.list()),
  });
}

export interface DeadLetterCommand extends DataCommand, Whom {
  readonly order: 'redeliver' | 'discard';
  readonly number: number;
}

export function deadLetterCommand(command: DeadLetterCommand): Promise<ExitCode> {
  const { order, number, by, reason, json, out } = command;
  const said = (name: string | undefined, when: string) => {
    const text = order === 'redeliver' ? `is delivered again${when}` : 'is discarded';
    out.write(
      json ? jsonLine({ type: order, number, by: name ?? null, durable: true }) : `dead letter ${number} ${text}\n`,
    );
  };
  return withData(command, {
    async live(gateway) {
      const name = nameFor(command);
      await gateway.call(`deadletter.${order}`, { number, by: name, reason });
      said(name, '');
    },
    async stopped(system) {
      await system.deadLetters[order](number, { by, ...(reason !== undefined && { reason }) });
      said(by, ' at the next start');
    },
  });
}

function line({ number, atMs, reason, address, event, action, error }: DeadLetter): string {
  // Through a gateway, absent values are null.
  const what = action === undefined || action === null ? event.type : `${action.name} of ${event.type}`;
  const why = errorText(error);
  return `${number}  ${timeText(atMs)}  ${reason}  ${address}  ${what}${why === undefined ? '' : `  ${why}`}`;
}
