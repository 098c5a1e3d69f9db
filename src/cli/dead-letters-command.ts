/** `bosun deadletters list|redeliver|discard`: what reached nobody or was put aside, in a stopped store; orders are audited. */
import { type DeadLetter } from '../actors/dead-letters.ts';
import { messageOf } from '../errors.ts';
import { type ExitCode } from './exit-codes.ts';
import { jsonLine, timeText, withStoppedStore } from './stopped-store.ts';
import { type DataCommand } from './surroundings.ts';

export function listDeadLetters(command: DataCommand): Promise<ExitCode> {
  const { json, out, err } = command;
  return withStoppedStore(command, (system) => {
    const letters = system.deadLetters.list();
    for (const letter of letters) out.write(json ? jsonLine(letter) : `${line(letter)}\n`);
    if (letters.length === 0 && !json) err.write('no dead letters\n');
  });
}

export interface DeadLetterCommand extends DataCommand {
  readonly order: 'redeliver' | 'discard';
  readonly number: number;
  readonly by: string;
  readonly reason?: string | undefined;
}

export function deadLetterCommand(command: DeadLetterCommand): Promise<ExitCode> {
  const { order, number, by, reason, json, out } = command;
  return withStoppedStore(command, async (system) => {
    await system.deadLetters[order](number, { by, ...(reason !== undefined && { reason }) });
    const said = order === 'redeliver' ? 'is read after all at the next start' : 'is discarded';
    out.write(json ? jsonLine({ type: order, number, by, durable: true }) : `dead letter ${number} ${said}\n`);
  });
}

function line({ number, atMs, reason, address, event, action, error }: DeadLetter): string {
  const what = action === undefined ? event.type : `${action.name} of ${event.type}`;
  return `${number}  ${timeText(atMs)}  ${reason}  ${address}  ${what}${error === undefined ? '' : `  ${messageOf(error)}`}`;
}
