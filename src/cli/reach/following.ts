/**
 * Follows a topic of the mode `events` until interrupted. When the gateway closes, it waits for the next one on the
 * data directory or at the URL, continues there, and says whether events may have been missed.
 */
import { systemClock } from '../../clock.ts';
import { isBosunError } from '../../errors.ts';
import { type ServerFrame } from '../../gateway/protocol/frames.ts';
import { cursorText } from '../../gateway/protocol/protocol.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { errorOf, LiveGateway } from './live-gateway.ts';
import { type DataCommand } from '../surroundings.ts';

export type Evt = Extract<ServerFrame, { t: 'evt' }>;

export interface Followed {
  readonly topic: string;
  /** Cursor after which to begin. Default: from now on. */
  readonly from: string | undefined;
  readonly interrupt: AbortSignal;
  told(event: Evt): void;
  /** Text after the number of missed events, which says why they are missing. */
  readonly lost: string;
}

/** Interval between two attempts to find the next gateway: short enough for people, long enough to cost nothing. */
const LOOK_MS = 250;

/** Follows a topic. Resolves to 130 when interrupted. Rejects with the error that ends the topic. */
export async function follow(command: DataCommand, first: LiveGateway, followed: Followed): Promise<ExitCode> {
  const { err } = command;
  const { interrupt, told, lost } = followed;
  let { from } = followed;
  let gateway: LiveGateway | undefined = first;
  let isFirst = true;
  while (gateway !== undefined) {
    for await (const frame of framesOf(gateway, { ...followed, from, isFirst })) {
      if (frame.t === 'end') throw errorOf(frame.e);
      if (frame.t === 'snap') {
        const hasGap = from !== undefined && !frame.recovered;
        const loss = hasGap ? '; some of what happened since then may be lost' : '';
        err.write(`${gateway.url}: listening${loss}\n`);
      }
      if (frame.t === 'snap' || frame.t === 'evt') from = cursorText(frame.at);
      if (frame.t === 'lag') err.write(`${frame.skipped} ${lost}\n`);
      if (frame.t === 'evt') told(frame);
    }
    if (interrupt.aborted) break;
    isFirst = false;
    err.write('the gateway has closed; waiting for the next one\n');
    gateway = await nextGateway(command, interrupt);
  }
  return EXIT.interrupted;
}

interface Attempt extends Pick<Followed, 'topic' | 'from' | 'interrupt'> {
  /** Whether no gateway has been followed yet. */
  readonly isFirst: boolean;
}

/**
 * The frames of a topic; they also end if the connection breaks. Rejects with BOSUN_SYSTEM_CLOSED if the first attempt
 * brings none. Waiting would hide that another server answers at the URL.
 */
async function* framesOf(
  gateway: LiveGateway,
  { topic, from, interrupt, isFirst }: Attempt,
): AsyncGenerator<ServerFrame> {
  let mayWait = !isFirst;
  try {
    for await (const frame of gateway.stream(topic, 'events', { from, signal: interrupt })) {
      mayWait = true;
      yield frame;
    }
  } catch (error) {
    if (!mayWait && isBosunError(error, 'BOSUN_SYSTEM_CLOSED')) throw error;
    if (!isGone(error)) throw error;
  }
}

/** Whether an error says that the gateway closes or has closed. */
export function isGone(error: unknown): boolean {
  return isBosunError(error, 'BOSUN_SYSTEM_CLOSED') || isBosunError(error, 'BOSUN_DRAINING');
}

/** The gateway that runs next; undefined once interrupted. */
export async function nextGateway(command: DataCommand, interrupt: AbortSignal): Promise<LiveGateway | undefined> {
  while (!interrupt.aborted) {
    await pause(interrupt);
    const gateway = interrupt.aborted ? undefined : await LiveGateway.of(command).catch(() => undefined);
    if (gateway !== undefined) return gateway;
  }
  return undefined;
}

/** Waits; ends early when interrupted. */
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
