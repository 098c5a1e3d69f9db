/**
 * `bosun post`: sends envelopes of the seed from a file, one or a list, to the message desk of a crew. Each counts once
 * by its id, so a file may be posted again. A desk with too many unread envelopes is tried again, as their priority
 * allows (CA-089). For a stopped store they are checked now and delivered at its next start.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock } from '../../clock.ts';
import { isBosunError, messageOf } from '../../errors.ts';
import { nextTryMs } from '../../machines/coordination/messages/backpressure.ts';
import { type Envelope } from '../../machines/coordination/messages/envelope.ts';
import { plainLine } from '../../plain-text.ts';
import { DESKS } from '../../machines/desks.ts';
import { type OrderReply } from '../../machines/rules/turn.ts';
import { withData } from '../reach/data-work.ts';
import { EXIT, type ExitCode, writeError } from '../exit-codes.ts';
import { parsedJson } from '../json-text.ts';
import { jsonLine } from '../json-lines.ts';
import { type DataCommand } from '../surroundings.ts';

interface Answer extends OrderReply {
  readonly isRepeat?: boolean;
}

/** Posts envelopes. Stops at the first invalid one; the earlier ones have been accepted. */
export async function postCommand(command: DataCommand & { readonly file: string }): Promise<ExitCode> {
  const { file, cwd, json, out } = command;
  let envelopes: readonly unknown[];
  try {
    envelopes = [parsedJson(readFileSync(resolve(cwd, file), 'utf8'))].flat();
  } catch (error) {
    writeError(command, 'BOSUN_CALL_INVALID', plainLine(`${file} holds no envelopes: ${messageOf(error)}`));
    return EXIT.badInput;
  }
  let code: ExitCode = EXIT.completed;
  const told = (envelope: unknown, reply: Answer | null) => {
    const { message_type: name, message_id: id } = envelope as { message_type: string; message_id?: string };
    if (reply?.taken === false) code = EXIT.refused;
    const line = `${name}${id === undefined ? '' : ` ${id}`} ${outcomeOf(reply)}`;
    out.write(
      json ? jsonLine({ type: 'message', messageType: name, messageId: id ?? null, reply }) : plainLine(line) + '\n',
    );
  };
  const posted = (envelope: unknown) => ({ type: 'message.post', envelope });
  const failed = await withData(command, {
    async live(gateway) {
      for (const envelope of envelopes) {
        const params = { address: DESKS.messages, event: posted(envelope) };
        const ask = () => gateway.call<{ reply: Answer | null }>('actor.ask', params);
        told(envelope, (await whenThereIsRoom(ask, envelope)).reply);
      }
    },
    async stopped(system) {
      for (const envelope of envelopes) {
        await system.send(DESKS.messages, posted(envelope));
        told(envelope, null);
      }
    },
  });
  return failed === EXIT.completed ? code : failed;
}

/** Makes a call, and makes it again while the desk refuses it for having too many unread envelopes. */
async function whenThereIsRoom<Result>(call: () => Promise<Result>, envelope: unknown): Promise<Result> {
  const { priority } = envelope as Envelope;
  for (let refusals = 1; ; refusals += 1) {
    try {
      return await call();
    } catch (error) {
      const waitMs = isBosunError(error, 'BOSUN_MAILBOX_FULL') ? nextTryMs(priority, refusals) : null;
      if (waitMs === null) throw error;
      await new Promise<void>((resolve) => void systemClock.setTimeout(resolve, waitMs));
    }
  }
}

function outcomeOf(reply: Answer | null): string {
  if (reply === null) return 'is read at the next start';
  if (!reply.taken) return `is refused: ${reply.problems.join('; ')}`;
  return reply.isRepeat === true ? 'was accepted before' : 'is accepted';
}
