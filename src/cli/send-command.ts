/**
 * `bosun send` and `bosun ask`: an event to one actor of a running system; a send may also be left in a stopped store.
 */
import { messageOf } from '../errors.ts';
import { withData } from './data-work.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { jsonLine } from './stopped-store.ts';
import { type DataCommand } from './surroundings.ts';

export interface SendCommand extends DataCommand {
  readonly address: string;
  readonly type: string;
  /** The other fields of the event, as JSON. */
  readonly fields: string | undefined;
}

interface SomeEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** @param command `wait`: until the actor has taken it, and say whether its state did anything with it. */
export async function sendCommand(command: SendCommand & { readonly wait: boolean }): Promise<ExitCode> {
  const { address, wait, json, out } = command;
  const event = eventOf(command);
  if (event === undefined) return EXIT.badInput;
  const said = (text: string, taken: boolean | null) =>
    void out.write(
      json ? jsonLine({ type: 'sent', address, event: event.type, durable: true, taken }) : `${event.type} ${text}\n`,
    );
  return withData(command, {
    async live(gateway) {
      const { taken } = await gateway.call<{ taken: boolean | null }>('actor.send', {
        address,
        event,
        until: wait ? 'taken' : 'durable',
      });
      said(wait ? `was taken by ${address}` : `is in the mailbox of ${address}`, taken);
    },
    ...(!wait && {
      async stopped(system) {
        await system.send(address, event);
        said(`is read by ${address} at the next start`, null);
      },
    }),
  });
}

export async function askCommand(command: SendCommand & { readonly timeoutMs: number | undefined }): Promise<ExitCode> {
  const { address, timeoutMs, json, out } = command;
  const event = eventOf(command);
  if (event === undefined) return EXIT.badInput;
  return withData(command, {
    async live(gateway) {
      const { reply } = await gateway.call<{ reply: unknown }>(
        'actor.ask',
        { address, event },
        { deadlineMs: timeoutMs },
      );
      out.write(json ? jsonLine({ type: 'reply', address, reply }) : `${JSON.stringify(reply, null, 2)}\n`);
    },
  });
}

/** Undefined for what is no JSON object, which has been said then. */
function eventOf({ type, fields = '{}', err }: SendCommand): SomeEvent | undefined {
  try {
    const parsed: unknown = JSON.parse(fields);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed, type };
    err.write(`the fields of an event are a JSON object, such as '{"by": 1}', not ${fields.slice(0, 100)}\n`);
  } catch (error) {
    err.write(`the fields of an event are a JSON object, such as '{"by": 1}': ${messageOf(error)}\n`);
  }
  return undefined;
}
