/**
 * `bosun tail`: follows the events that actors of a running system emit, or the turns that they take, until
 * interrupted.
 */
import { plainLine } from '../../plain-text.ts';
import { cursorText } from '../../gateway/protocol/protocol.ts';
import { withData } from '../reach/data-work.ts';
import { type ExitCode } from '../exit-codes.ts';
import { type Evt, follow } from '../reach/following.ts';
import { jsonLine } from '../json-lines.ts';
import { type DataCommand } from '../surroundings.ts';
import { stateText } from './tree-command.ts';

export interface TailCommand extends DataCommand {
  /** The topic: `events/PATTERN`, or `trace/ADDRESS`. */
  readonly topic: string;
  /** Cursor at which an earlier tail stopped, from its `--json`. */
  readonly from: string | undefined;
  readonly interrupt: AbortSignal;
}

/** The fields of a turn that a line shows. */
interface Turn {
  readonly kind: string;
  readonly event: { readonly type: string } | null;
  readonly cause: { readonly address: string | null } | null;
  readonly value: unknown;
  readonly error: { readonly message: string } | null;
  readonly durationMs: number;
}

/** Prints events or turns. Resolves to exit code 130 when interrupted. */
export function tailCommand(command: TailCommand): Promise<ExitCode> {
  const { topic, from, interrupt, json, out } = command;
  const isTrace = topic.startsWith('trace/');
  const [show, what] = isTrace ? ([turnLine, 'turn'] as const) : ([eventLine, 'event'] as const);
  const told = (evt: Evt) => {
    const line = () => jsonLine({ address: evt.address, [what]: evt.e, cursor: cursorText(evt.at) });
    out.write(json ? line() : `${plainLine(show(evt))}\n`);
  };
  const lost = 'were left out because too many came at once';
  return withData(command, { live: (gateway) => follow(command, gateway, { topic, from, interrupt, told, lost }) });
}

function eventLine({ address, e }: Evt): string {
  const { type, ...fields } = e as { type: string };
  return `${address}  ${type}${Object.keys(fields).length === 0 ? '' : `  ${JSON.stringify(fields)}`}`;
}

function turnLine({ address, e }: Evt): string {
  const { kind, event, cause, value, error, durationMs } = e as unknown as Turn;
  const what = event === null ? kind : kind === 'transition' ? event.type : `${event.type} ${kind}`;
  const from = cause === null ? '' : ` from ${cause.address ?? 'somebody'}`;
  const led = error !== null ? `: ${error.message}` : value === null ? '' : ` -> ${stateText(value)}`;
  return `${address}  ${what}${from}${led}  ${durationMs.toFixed(2)} ms`;
}
