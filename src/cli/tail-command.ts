/**
 * `bosun tail`: the events that actors of a running system emit, or the turns that they take, as they come, until it is
 * interrupted. When the gateway closes it waits for the next one on the data directory, goes on there, and says whether
 * something may have been missed.
 */
import { systemClock } from '../clock.ts';
import { isBosunError } from '../errors.ts';
import { cursorText } from '../gateway/protocol/protocol.ts';
import { type ServerFrame } from '../gateway/protocol/frames.ts';
import { type DataDirectory, dataDirectory } from './data-directory.ts';
import { withData } from './data-work.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { errorOf, LiveGateway } from './live-gateway.ts';
import { jsonLine } from './stopped-store.ts';
import { type DataCommand } from './surroundings.ts';
import { stateText } from './tree-command.ts';

export interface TailCommand extends DataCommand {
  /** `events/PATTERN`, or `trace/ADDRESS`. */
  readonly topic: string;
  /** Where an earlier tail left off: `cursor` of its `--json`. */
  readonly from: string | undefined;
  readonly interrupt: AbortSignal;
}

type Evt = Extract<ServerFrame, { t: 'evt' }>;

/** A turn, as far as a line shows it. */
interface Turn {
  readonly kind: string;
  readonly event: { readonly type: string } | null;
  readonly cause: { readonly address: string | null } | null;
  readonly value: unknown;
  readonly error: { readonly message: string } | null;
  readonly durationMs: number;
}

/** Between two looks for a gateway that has closed: as soon as people notice, as seldom as nobody does. */
const LOOK_MS = 250;

/** Exit code 130 when it was interrupted. */
export function tailCommand(command: TailCommand): Promise<ExitCode> {
  const { topic, interrupt, json, out, err } = command;
  const show = topic.startsWith('trace/') ? turnLine : eventLine;
  return withData(command, {
    async live(first) {
      let from = command.from;
      for (
        let gateway: LiveGateway | undefined = first;
        gateway !== undefined;
        gateway = await nextGateway(dataDirectory(command), interrupt)
      ) {
        for await (const frame of framesOf(gateway, topic, { from, signal: interrupt })) {
          if (frame.t === 'end') throw errorOf(frame.e);
          if (frame.t === 'snap') {
            const hasGap = from !== undefined && !frame.recovered;
            const loss = hasGap ? '; some of what happened since then may be lost' : '';
            err.write(`${gateway.url}: listening${loss}\n`);
          }
          if (frame.t === 'snap' || frame.t === 'evt') from = cursorText(frame.at);
          if (frame.t === 'lag') err.write(`${frame.skipped} were left out: too many at a time\n`);
          if (frame.t === 'evt')
            out.write(
              json
                ? jsonLine({
                    address: frame.address,
                    [topic.startsWith('trace/') ? 'turn' : 'event']: frame.e,
                    cursor: cursorText(frame.at),
                  })
                : show(frame),
            );
        }
        if (interrupt.aborted) break;
        err.write('the gateway has closed; waiting for the next one\n');
      }
      return EXIT.interrupted;
    },
  });
}

/** Ends also where the line breaks. */
async function* framesOf(
  gateway: LiveGateway,
  topic: string,
  options: { from: string | undefined; signal: AbortSignal },
): AsyncGenerator<ServerFrame> {
  try {
    yield* gateway.stream(topic, 'events', options);
  } catch (error) {
    if (!isBosunError(error, 'BOSUN_SYSTEM_CLOSED') && !isBosunError(error, 'BOSUN_DRAINING')) throw error;
  }
}

/** Undefined once it is interrupted. */
async function nextGateway(directory: DataDirectory, interrupt: AbortSignal): Promise<LiveGateway | undefined> {
  while (!interrupt.aborted) {
    await pause(interrupt);
    const gateway = interrupt.aborted ? undefined : await LiveGateway.of(directory);
    if (gateway !== undefined) return gateway;
  }
  return undefined;
}

/** Ends early where it is interrupted. */
async function pause(interrupt: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const over = (): void => {
      cancel();
      interrupt.removeEventListener('abort', over);
      resolve();
    };
    const cancel = systemClock.setTimeout(over, LOOK_MS);
    interrupt.addEventListener('abort', over);
  });
}

function eventLine({ address, e }: Evt): string {
  const { type, ...fields } = e as { type: string };
  return `${address}  ${type}${Object.keys(fields).length === 0 ? '' : `  ${JSON.stringify(fields)}`}\n`;
}

function turnLine({ address, e }: Evt): string {
  const { kind, event, cause, value, error, durationMs } = e as unknown as Turn;
  const what = event === null ? kind : kind === 'transition' ? event.type : `${event.type} ${kind}`;
  const from = cause === null ? '' : ` from ${cause.address ?? 'somebody'}`;
  const led = error !== null ? `: ${error.message}` : value === null ? '' : ` -> ${stateText(value)}`;
  return `${address}  ${what}${from}${led}  ${durationMs.toFixed(2)} ms\n`;
}
