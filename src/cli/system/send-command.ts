/**
 * `bosun send` and `bosun ask`: an event to one actor of a running system; a send may also be left in a stopped store.
 */
import { type ErrorCode } from '../../error-codes.ts';
import { BosunError, isBosunError } from '../../errors.ts';
import { withData } from '../reach/data-work.ts';
import { carriedOut, EXIT, type ExitCode } from '../exit-codes.ts';
import { jsonObject } from '../json-text.ts';
import { type LiveGateway } from '../reach/live-gateway.ts';
import { jsonLine } from '../json-lines.ts';
import { type DataCommand } from '../surroundings.ts';

export interface SendCommand extends DataCommand {
  readonly address: string;
  readonly type: string;
  /** The other fields of the event, as JSON. */
  readonly fields: string | undefined;
}

/** Exit codes of reasons for which a suspended actor refuses an event, beside those that refuse it for every verb. */
const REFUSALS = {
  BOSUN_AGENT_UNREADABLE: EXIT.refused,
  BOSUN_SECRET_KEY: EXIT.refused,
  BOSUN_STORE_DAMAGED: EXIT.refused,
} as const;

/** Reasons of suspensions whose words a gateway tells only to those who may inspect the actor. */
const INSPECTED: ReadonlySet<ErrorCode> = new Set([
  'BOSUN_ACTOR_FAILING',
  'BOSUN_AGENT_UNREADABLE',
  'BOSUN_STATE_SUSPECT',
]);

interface SomeEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * Sends an event.
 *
 * @param command `wait`: waits until the actor has taken the event, and prints whether its state reacted.
 */
export function sendCommand(command: SendCommand & { readonly wait: boolean }): Promise<ExitCode> {
  return carriedOut(command, async () => send(command, eventOf(command)));
}

async function send(command: SendCommand & { readonly wait: boolean }, event: SomeEvent): Promise<ExitCode> {
  const { address, wait, json, out } = command;
  const said = (text: string, taken: boolean | null) =>
    void out.write(
      json ? jsonLine({ type: 'sent', address, event: event.type, durable: true, taken }) : `${event.type} ${text}\n`,
    );
  return withData(command, {
    live: (gateway) =>
      carriedOut(
        command,
        async () => {
          const until = wait ? 'taken' : 'durable';
          const sent = gateway.call<{ taken: boolean | null }>('actor.send', { address, event, until });
          const { taken } = await withReason(sent, address, gateway);
          said(wait ? `was taken by ${address}` : `is in the mailbox of ${address}`, taken);
        },
        REFUSALS,
      ),
    ...(!wait && {
      async stopped(system) {
        await system.send(address, event);
        said(`is read by ${address} at the next start`, null);
      },
    }),
  });
}

interface AskedCommand extends SendCommand {
  readonly timeoutMs: number | undefined;
}

export function askCommand(command: AskedCommand): Promise<ExitCode> {
  return carriedOut(command, async () => ask(command, eventOf(command)));
}

function ask(command: AskedCommand, event: SomeEvent): Promise<ExitCode> {
  const { address, timeoutMs, json, out } = command;
  return withData(command, {
    live: (gateway) =>
      carriedOut(
        command,
        async () => {
          const asked = gateway.call<{ reply: unknown }>('actor.ask', { address, event }, { deadlineMs: timeoutMs });
          const { reply } = await withReason(asked, address, gateway);
          out.write(json ? jsonLine({ type: 'reply', address, reply }) : `${JSON.stringify(reply, null, 2)}\n`);
        },
        REFUSALS,
      ),
  });
}

/** Completes the refusal of a suspended actor by the reason, if the caller may read it. */
async function withReason<Answer>(call: Promise<Answer>, address: string, gateway: LiveGateway): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    if (!isBosunError(error) || !INSPECTED.has(error.code)) throw error;
    const { code, details } = error;
    const reason = await gateway
      .call<{ suspended: { readonly message: string } | null }>('actor.inspect', { address })
      .then(({ suspended }) => suspended?.message)
      .catch(() => undefined);
    throw reason === undefined ? error : new BosunError(code, reason, { cause: error, details });
  }
}

/** The event with the given fields. Throws BOSUN_CALL_INVALID if they are not a JSON object. */
function eventOf({ type, fields = '{}' }: SendCommand): SomeEvent {
  return { ...jsonObject(fields, 'the fields of an event'), type };
}
