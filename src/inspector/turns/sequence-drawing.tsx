/**
 * A sequence diagram as SVG elements. Its rows are the options of a list box, selected by a click or with the arrow
 * keys.
 */
import { useEffect, useRef } from 'preact/hooks';
import { ActorLink } from '../actor-link.tsx';
import { LANE_WIDTH, type SequenceLayout, type PlacedRow } from './sequence-layout.ts';

interface SequenceDrawingProps {
  readonly layout: SequenceLayout;
  readonly picked: PlacedRow | undefined;
  readonly onPick: (key: string) => void;
}

/** The heads of the lanes, which stay visible above them. */
export function LaneHeads({ layout: { lanes, width } }: { readonly layout: SequenceLayout }) {
  return (
    <ul class="lane-heads" style={{ width: `${width}px` }} aria-label="Lanes">
      {lanes.map(({ address, x }) => (
        <li
          key={address ?? ''}
          style={{ left: `${x - LANE_WIDTH / 2}px`, width: `${LANE_WIDTH}px` }}
          title={address ?? undefined}
        >
          <ActorLink address={address} none={<span class="quiet">outside</span>} />
        </li>
      ))}
    </ul>
  );
}

export function SequenceDrawing({ layout: { rows, lanes, width, height }, picked, onPick }: SequenceDrawingProps) {
  const list = useRef<SVGSVGElement>(null);
  useEffect(() => {
    // Scroll to the mark at the row's end: the row itself is as wide as the drawing.
    if (picked !== undefined)
      list.current
        ?.querySelector(`#${idOf(picked, rows)} :is(.state, .head)`)
        ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [picked?.key]);
  const press = (event: KeyboardEvent) => {
    const to = movedTo(event.key, picked === undefined ? -1 : rows.indexOf(picked), rows.length);
    if (to === undefined) return;
    event.preventDefault();
    onPick(rows[to]!.key);
  };
  return (
    <svg
      ref={list}
      class="sequence"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="listbox"
      tabindex={0}
      aria-label="Turns in their order"
      aria-activedescendant={picked === undefined ? undefined : idOf(picked, rows)}
      onKeyDown={press}
    >
      <g aria-hidden="true">
        {lanes.map(({ address, x, lines }) =>
          lines.map(({ from, to }) => <path key={`${address} ${from}`} class="life" d={`M${x} ${from}V${to}`} />),
        )}
      </g>
      {rows.map((row, index) => (
        <Row
          key={row.key}
          id={idOf(row, rows)}
          placed={row}
          width={width}
          isPicked={row === picked}
          isCause={picked !== undefined && sentAtOf(picked) === index}
          onPick={onPick}
        />
      ))}
    </svg>
  );
}

interface RowProps {
  readonly id: string;
  readonly placed: PlacedRow;
  readonly width: number;
  readonly isPicked: boolean;
  /** Whether it sent the message of the selected row. */
  readonly isCause: boolean;
  readonly onPick: (key: string) => void;
}

function Row({
  id,
  placed: { key, row, top, height, time, stroke, head, label, state, spoken },
  width,
  isPicked,
  isCause,
  onPick,
}: RowProps) {
  const isFailed = row.kind === 'arrow' ? row.isFailed : row.kind === 'break' && row.what === 'failed';
  const isDelayed = row.kind !== 'break' && row.delayMs !== null;
  const classes = [
    'turn',
    row.kind,
    ...(isFailed ? ['failed'] : []),
    ...(isDelayed ? ['delayed'] : []),
    ...(isCause ? ['cause'] : []),
  ].join(' ');
  return (
    <g
      id={id}
      class={classes}
      data-turn={row.kind === 'pending' ? undefined : row.turn}
      role="option"
      aria-selected={isPicked}
      onClick={() => onPick(key)}
    >
      <title>{spoken}</title>
      <rect class="hit" x={1} y={top + 1} width={width - 2} height={height - 2} rx={5} />
      <g aria-hidden="true">
        {time !== null && (
          <text class="time" x={8} y={top + 26}>
            {time}
          </text>
        )}
        {stroke !== '' && <path class="line" d={stroke} />}
        {head !== '' && <path class="head" d={head} />}
        {label !== null && (
          <text class="label" x={label.x} y={label.y} text-anchor={label.isCentred ? 'middle' : undefined}>
            {label.text}
          </text>
        )}
        {state !== null && (
          <>
            <rect class="state" x={state.x} y={state.y} width={state.width} height={state.height} rx={9} />
            <text class="state-text" x={state.x + state.width / 2} y={state.y + 13.5} text-anchor="middle">
              {state.text}
            </text>
          </>
        )}
      </g>
    </g>
  );
}

function idOf(placed: PlacedRow, rows: readonly PlacedRow[]): string {
  return placed.row.kind === 'pending' ? `pending-${rows.indexOf(placed)}` : `turn-${placed.row.turn}`;
}

function sentAtOf({ row }: PlacedRow): number | null {
  return row.kind === 'break' ? null : row.sentAt;
}

/** The new index in a list of options after a key; undefined for other keys. */
function movedTo(key: string, at: number, count: number): number | undefined {
  if (key === 'ArrowDown') return Math.min(at + 1, count - 1);
  if (key === 'ArrowUp') return at < 0 ? count - 1 : Math.max(at - 1, 0);
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return undefined;
}
