/**
 * `bosun send` and `bosun ask`: an event to one actor of a running system; a send may also be left in a stopped store.
 */
import { withData } from './data-work.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { jsonObject } from './json-text.ts';
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

/**
 * Sends an event.
 *
 * @param command `wait`: waits until the actor has taken the event, and prints whether its state reacted.
 */
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

/** The event with the given fields. Undefined if they are not a JSON object, after printing an error. */
function eventOf({ type, fields = '{}', err }: SendCommand): SomeEvent | undefined {
  const given = jsonObject(fields, 'the fields of an event', err);
  return given && { ...given, type };
}
