/** The layout of a sequence diagram, in pixels, and the texts of its rows for screen readers. Pure. */
import { duration, moment, stateText } from '../format.ts';
import {
  type SequenceArrow,
  type TurnBreak,
  type SequenceLane,
  type PendingArrow,
  type SequenceRow,
  type Sequence,
} from './sequence.ts';

/** Width for the times, left of the lanes. */
const GUTTER = 74;
export const LANE_WIDTH = 176;
const ROW_HEIGHT = 34;
const STATE_HEIGHT = 24;
/** Distance from the top of a row to its line. */
const LINE = 22;
const MARGIN = 12;
const LETTER = 7;
const LOOP = 24;

export interface SequenceLayout {
  readonly width: number;
  readonly height: number;
  readonly lanes: readonly PlacedLane[];
  readonly rows: readonly PlacedRow[];
}

export interface PlacedLane extends SequenceLane {
  readonly x: number;
  /** The segments of its life line. */
  readonly lines: readonly { readonly from: number; readonly to: number }[];
}

export interface PlacedRow {
  /** The key of the row, unique among all rows, and constant while its turn is shown. */
  readonly key: string;
  readonly row: SequenceRow;
  readonly top: number;
  readonly height: number;
  /** Left edge of the leftmost of its lanes. */
  readonly left: number;
  /** Time of the turn; null if it is that of the row above. */
  readonly time: string | null;
  readonly stroke: string;
  readonly head: string;
  /** The text of the row; null for a break, whose text is in a chip. */
  readonly label: Words | null;
  readonly state: Chip | null;
  /** Text for screen readers. */
  readonly spoken: string;
}

interface Words {
  readonly x: number;
  readonly y: number;
  readonly isCentred: boolean;
  readonly text: string;
}

interface Chip {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly text: string;
}

/**
 * Computes the layout.
 *
 * @param times Kernel time of each turn, by its number.
 */
export function layoutOf({ lanes, rows }: Sequence, times: ReadonlyMap<number, number>): SequenceLayout {
  let top = MARGIN;
  let clock = '';
  const placed = rows.map((row, index): PlacedRow => {
    const height = ROW_HEIGHT + (row.kind === 'arrow' && row.state !== null ? STATE_HEIGHT : 0);
    const atMs = row.kind === 'pending' ? undefined : times.get(row.turn);
    const time = atMs === undefined ? '' : moment(atMs, atMs);
    const isNew = time !== '' && time !== clock;
    if (isNew) clock = time;
    const one = {
      key: keyOf(row, index),
      row,
      top,
      height,
      left: centreOf(row.kind === 'break' ? row.lane : Math.min(row.from, row.to)),
      time: isNew ? time : null,
      spoken: spokenOf(row, lanes, time),
      ...shapeOf(row, top + LINE),
    };
    top += height;
    return one;
  });
  const height = top + MARGIN;
  return {
    width: GUTTER + lanes.length * LANE_WIDTH + MARGIN,
    height,
    rows: placed,
    lanes: lanes.map((lane, index) => ({ ...lane, x: centreOf(index), lines: linesOf(index, placed, height) })),
  };
}

function keyOf(row: SequenceRow, index: number): string {
  return row.kind === 'pending' ? `pending ${row.sentAt} ${row.label} ${index}` : String(row.turn);
}

function centreOf(lane: number): number {
  return GUTTER + LANE_WIDTH * (lane + 0.5);
}

function shapeOf(row: SequenceRow, y: number): Pick<PlacedRow, 'stroke' | 'head' | 'label' | 'state'> {
  if (row.kind === 'break') return breakOf(row, y);
  const { from, to } = row;
  const [start, end] = [centreOf(from), centreOf(to)];
  const state = row.kind === 'arrow' && row.state !== null ? chipOf(stateText(row.state), end, y + 8) : null;
  if (from === to) {
    const text = cut(labelOf(row), LANE_WIDTH - LOOP - 16);
    return {
      stroke: `M${start} ${y - 9}h${LOOP - 6}a6 6 0 0 1 6 6v2a6 6 0 0 1-6 6h${6 - LOOP}`,
      head: headOf(row, { x: end, y: y + 5, way: -1 }),
      label: { x: start + LOOP + 8, y: y + 1, isCentred: false, text },
      state,
    };
  }
  const way = end > start ? 1 : -1;
  // Beside the receiver: the middle of a long arrow may be out of sight.
  const label = {
    x: end - (way * LANE_WIDTH) / 2,
    y: y - 7,
    isCentred: true,
    text: cut(labelOf(row), LANE_WIDTH - 20),
  };
  return { stroke: `M${start} ${y}H${end}`, head: headOf(row, { x: end, y, way }), label, state };
}

/** A mark on the lane, and for a restart two strokes through the lane. */
function breakOf({ what, lane, state }: TurnBreak, y: number): Pick<PlacedRow, 'stroke' | 'head' | 'label' | 'state'> {
  const x = centreOf(lane);
  const words = [`${BREAK_SIGNS[what]} ${what}`, ...(state === null ? [] : [stateText(state)])].join(' \u00b7 ');
  const stroke = what === 'restarted' ? `M${x - 9} ${y - 13}l18 -5M${x - 9} ${y - 8}l18 -5` : '';
  return { stroke, head: '', label: null, state: chipOf(words, x, y - 6) };
}

const BREAK_SIGNS: Readonly<Record<TurnBreak['what'], string>> = {
  spawn: '\u25cf',
  restarted: '\u21bb',
  stopped: '\u25a0',
  failed: '\u2715',
};

function chipOf(full: string, x: number, y: number): Chip {
  const text = cut(full, LANE_WIDTH - 24);
  const width = text.length * LETTER + 14;
  return { x: x - width / 2, y, width, height: 19, text };
}

/** The arrowhead: full for a taken message, a cross for a failed turn, open for a pending message. */
function headOf(
  row: SequenceArrow | PendingArrow,
  { x, y, way }: { readonly x: number; readonly y: number; readonly way: 1 | -1 },
): string {
  if (row.kind === 'pending') return `M${x - 9 * way} ${y - 5}L${x} ${y}L${x - 9 * way} ${y + 5}`;
  if (row.isFailed) return `M${x - 5} ${y - 5}l10 10m0 -10l-10 10`;
  return `M${x} ${y}l${-9 * way} -4.5v9z`;
}

function labelOf({ kind, label, delayMs }: SequenceArrow | PendingArrow): string {
  const text =
    delayMs === null
      ? label
      : label.startsWith('after ')
        ? `after ${duration(delayMs)}`
        : `${label} after ${duration(delayMs)}`;
  return kind === 'pending' ? `${text}, not seen` : text;
}

/** Segments from birth, or the top, to the end, or the bottom, interrupted at each restart of a life. */
function linesOf(lane: number, rows: readonly PlacedRow[], height: number): PlacedLane['lines'] {
  const breaks = rows.filter(
    (one): one is PlacedRow & { readonly row: TurnBreak } => one.row.kind === 'break' && one.row.lane === lane,
  );
  const lines: { from: number; to: number }[] = [];
  let from: number | undefined = breaks[0]?.row.what === 'spawn' ? undefined : 0;
  for (const {
    row: { what },
    top,
  } of breaks) {
    const [above, below] = [top + LINE - 18, top + LINE + 12];
    if (from !== undefined) lines.push({ from, to: above });
    from = what === 'stopped' ? undefined : below;
  }
  if (from !== undefined) lines.push({ from, to: height });
  return lines;
}

function spokenOf(row: SequenceRow, lanes: readonly SequenceLane[], time: string): string {
  const name = (lane: number) => lanes[lane]?.address ?? 'outside';
  if (row.kind === 'break') return [`${time} ${name(row.lane)} ${row.what}`, ...inState(row.state)].join(', ');
  const what = `${labelOf(row)} from ${name(row.from)} to ${row.from === row.to ? 'itself' : name(row.to)}`;
  if (row.kind === 'pending') return what;
  return [`${time} ${what}`, ...(row.isFailed ? ['failed'] : []), ...inState(row.state)].join(', ');
}

function inState(state: unknown): string[] {
  return state === null ? [] : [`now ${stateText(state)}`];
}

function cut(text: string, room: number): string {
  const letters = Math.floor(room / LETTER);
  return text.length <= letters ? text : `${text.slice(0, letters - 1)}\u2026`;
}
