/**
 * Turns as a sequence diagram: a lane for each actor and one for the outside, an arrow from the turn that sent a
 * message to the turn that took it, breaks where a life begins anew or ends. Pure; drawn by the page and by Mermaid.
 */
import type { ShownEvent, SentView, TurnView } from '../../gateway/protocol/views.ts';

export interface Sequence {
  /** Lanes in order of first appearance; the outside first, if a message came from there. */
  readonly lanes: readonly SequenceLane[];
  /** Rows from top to bottom. */
  readonly rows: readonly SequenceRow[];
}

export interface SequenceLane {
  /** The address of the actor; null for the outside. */
  readonly address: string | null;
  readonly agent: string | null;
}

export type SequenceRow = SequenceArrow | TurnBreak | PendingArrow;

/** A message taken. Lanes are indexes into {@link Sequence.lanes}. */
export interface SequenceArrow {
  readonly kind: 'arrow';
  /** Number of the turn that took it. */
  readonly turn: number;
  readonly from: number;
  readonly to: number;
  /** Row of the turn that sent it; null if that is not shown. */
  readonly sentAt: number | null;
  readonly label: string;
  /** Delay with which it was sent, in ms; null if none is known. */
  readonly delayMs: number | null;
  /** Whether the turn threw. */
  readonly isFailed: boolean;
  /** State value after the turn; null if it is unchanged, or if there is none. */
  readonly state: unknown;
}

/** The beginning, restart or end of a life. */
export interface TurnBreak {
  readonly kind: 'break';
  readonly turn: number;
  readonly lane: number;
  readonly what: 'spawn' | 'restarted' | 'stopped' | 'failed';
  readonly state: unknown;
}

/**
 * A message sent with a delay by one of the turns, and taken by none of them: it is not due yet, or was cancelled,
 * which turns do not record.
 */
export interface PendingArrow {
  readonly kind: 'pending';
  readonly sentAt: number;
  readonly from: number;
  readonly to: number;
  readonly label: string;
  readonly delayMs: number;
}

/** The part of a turn that is needed to find the senders of later messages. */
interface ArrowSender {
  readonly turn: TurnView;
  readonly row: number;
  /** Delayed messages that no turn has taken yet. */
  readonly waiting: SentView[];
}

/**
 * Makes the diagram.
 *
 * @param turns Turns in the order of their numbers.
 */
export function sequenceOf(turns: readonly TurnView[]): Sequence {
  const lanes = new SequenceLanes();
  if (turns.some(({ event, cause }) => event !== null && (cause === null || cause.address === null)))
    lanes.at(null, null);
  const senders = new Map<string, ArrowSender>();
  const states = new Map<string, string>();
  const rows: SequenceRow[] = [];
  for (const turn of turns) {
    const lane = lanes.at(turn.address, turn.agent);
    const key = JSON.stringify(turn.value);
    const state = states.get(turn.address) === key || turn.value === null ? null : turn.value;
    states.set(turn.address, key);
    if (turn.event === null)
      rows.push({
        kind: 'break',
        turn: turn.number,
        lane,
        what: turn.kind === 'transition' ? 'spawn' : turn.kind,
        state,
      });
    else rows.push(arrowOf(turn, turn.event, { lanes, senders, lane, state }));
    senders.set(placeOf(turn.life, turn.sequence), {
      turn,
      row: rows.length - 1,
      waiting: turn.sent.filter(({ delayMs }) => delayMs !== null),
    });
  }
  return { rows: [...rows, ...pendingOf(senders, lanes)], lanes: lanes.all };
}

/** The diagram as Mermaid text, for READMEs and reviews. */
export function mermaidOf({ lanes, rows }: Sequence): string {
  const name = (lane: number) => `l${lane}`;
  const lines = ['sequenceDiagram'];
  lanes.forEach(({ address }, index) => lines.push(`  participant ${name(index)} as ${escaped(address ?? 'outside')}`));
  for (const row of rows) {
    if (row.kind === 'break') {
      lines.push(
        `  Note over ${name(row.lane)}: ` +
          `${escaped(row.what)}${row.state === null ? '' : `, ${escaped(stateText(row.state))}`}`,
      );
      continue;
    }
    const isDelayed = row.delayMs !== null;
    const after = isDelayed ? ` (after ${row.delayMs} ms)` : '';
    if (row.kind === 'pending') {
      lines.push(`  ${name(row.from)}--)${name(row.to)}: ${escaped(`${row.label}${after}, not seen`)}`);
      continue;
    }
    const line = row.isFailed ? (isDelayed ? '--x' : '-x') : isDelayed ? '-->>' : '->>';
    lines.push(`  ${name(row.from)}${line}${name(row.to)}: ${escaped(`${row.label}${after}`)}`);
    if (row.state !== null) lines.push(`  Note over ${name(row.to)}: ${escaped(stateText(row.state))}`);
  }
  return `${lines.join('\n')}\n`;
}

class SequenceLanes {
  readonly all: SequenceLane[] = [];
  readonly #places = new Map<string | null, number>();

  at(address: string | null, agent: string | null): number {
    let place = this.#places.get(address);
    if (place === undefined) {
      this.#places.set(address, (place = this.all.length));
      this.all.push({ address, agent });
    } else if (agent !== null && this.all[place]!.agent === null) this.all[place] = { address, agent };
    return place;
  }
}

function arrowOf(
  turn: TurnView,
  event: ShownEvent,
  parts: { lanes: SequenceLanes; senders: ReadonlyMap<string, ArrowSender>; lane: number; state: unknown },
): SequenceArrow {
  const { lanes, senders, lane, state } = parts;
  const { cause, number, address, kind } = turn;
  const sender =
    cause === null || cause.sequence === null ? undefined : senders.get(placeOf(cause.life, cause.sequence));
  const from = cause === null ? lanes.at(null, null) : lanes.at(cause.address, sender?.turn.agent ?? null);
  const sent = sender?.waiting.findIndex(({ to, event: given }) => to === address && given?.type === event.type) ?? -1;
  const delayMs = sent < 0 ? delayIn(event.type) : sender!.waiting.splice(sent, 1)[0]!.delayMs;
  return {
    kind: 'arrow',
    turn: number,
    from,
    to: lane,
    sentAt: sender?.row ?? null,
    label: labelOf(event.type),
    delayMs,
    isFailed: kind === 'failed',
    state,
  };
}

function pendingOf(senders: ReadonlyMap<string, ArrowSender>, lanes: SequenceLanes): PendingArrow[] {
  return [...senders.values()].flatMap(({ turn, row, waiting }) =>
    waiting.flatMap(({ to, event, delayMs }) =>
      to === null || to === '' || event === null
        ? []
        : [
            {
              kind: 'pending' as const,
              sentAt: row,
              from: lanes.at(turn.address, turn.agent),
              to: lanes.at(to, null),
              label: labelOf(event.type),
              delayMs: delayMs!,
            },
          ],
    ),
  );
}

/** XState's event type of an `after`, which contains the delay. */
const AFTER = /^xstate\.after\.(\d+(?:\.\d+)?|[^.]+)\./;

function delayIn(type: string): number | null {
  const delay = Number(AFTER.exec(type)?.[1]);
  return Number.isFinite(delay) ? delay : null;
}

function labelOf(type: string): string {
  const [, delay] = AFTER.exec(type) ?? [];
  if (delay !== undefined) return `after ${delay}`;
  return type.replace(/^xstate\.(done|error|snapshot)\.(?:actor\.)?(.*)$/, '$1 $2');
}

function placeOf(life: number, sequence: number): string {
  return `${life}/${sequence}`;
}

function stateText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Escapes characters with a meaning in Mermaid, as numeric entities. */
function escaped(text: string): string {
  return text.replace(/[#;\n\r<>"]/g, (character) => `#${character.charCodeAt(0)};`);
}
