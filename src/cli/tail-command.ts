/** `bosun tail [PATTERN]`: the events that actors of a running system emit, as they come, until it is interrupted or the gateway closes. */
import { cursorText } from '../gateway/protocol.ts';
import { withData } from './data-work.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { errorOf } from './live-gateway.ts';
import { jsonLine } from './stopped-store.ts';
import { type DataCommand } from './surroundings.ts';

export interface TailCommand extends DataCommand {
  /** Of addresses: `orders/*`, `**`. */
  readonly pattern: string;
  /** Where an earlier tail left off: `cursor` of its `--json`. */
  readonly from: string | undefined;
  readonly interrupt: AbortSignal;
}

/** Exit code 130 when it was interrupted, 0 when the gateway closed. */
export function tailCommand(command: TailCommand): Promise<ExitCode> {
  const { pattern, from, interrupt, json, out, err } = command;
  return withData(command, {
    async live(gateway) {
      for await (const frame of gateway.stream(`events/${pattern}`, 'events', { from, signal: interrupt })) {
        if (frame.t === 'end') throw errorOf(frame.e);
        if (frame.t === 'snap' && from !== undefined && !frame.recovered) err.write('some events since then may be lost\n');
        else if (frame.t === 'snap') err.write(`${gateway.url}: listening\n`);
        if (frame.t !== 'evt') continue;
        const { type, ...fields } = frame.e as { type: string };
        const shown = Object.keys(fields).length === 0 ? '' : `  ${JSON.stringify(fields)}`;
        out.write(json ? jsonLine({ address: frame.address, event: frame.e, cursor: cursorText(frame.at) }) : `${frame.address}  ${type}${shown}\n`);
      }
      if (interrupt.aborted) return EXIT.interrupted;
      err.write('the gateway has closed\n');
      return EXIT.completed;
    },
  });
}
