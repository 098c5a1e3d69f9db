/** A drawing as SVG elements. The label of an edge whose event can be sent now is a button. */
import type { Block, Drawing, DrawnEdge, DrawnState, DrawnMark, Stroke } from '../../gateway/charts/drawing.ts';
import { type KnownChart } from './charts.ts';
import { sendableBy } from './edges.ts';

export interface ChartDrawingProps {
  readonly chart: KnownChart;
  readonly title: string;
  readonly when: 'now' | 'then';
  readonly active: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
  readonly sendable: readonly string[];
  readonly onEvent: (type: string) => void;
}

interface Sheet extends Omit<ChartDrawingProps, 'chart' | 'title' | 'when'> {
  readonly edges: ReadonlyMap<string, DrawnEdge>;
}

const RADIUS = 7;
const DOT_RADIUS = 4.5;

/** Extra pixels between two pieces of a line, in addition to the space. */
const SHIFT = 2.4;

/** Smallest scale at which text is legible; below it the drawing scrolls. */
const SCALE_MIN = 0.72;

export function ChartDrawing({ chart: { drawing }, title, when, ...rest }: ChartDrawingProps) {
  const sheet: Sheet = { ...rest, edges: new Map(drawing.edges.map((edge) => [edge.id, edge])) };
  const { width, height, states, initials, arrows, labels } = drawing;
  return (
    <svg
      class="bosun-chart"
      viewBox={`0 0 ${width} ${height}`}
      style={{ width: '100%', minWidth: `${Math.round(width * SCALE_MIN)}px`, maxWidth: `${width}px` }}
      role="group"
      aria-roledescription="statechart"
      aria-label={`${title}; ${when} in ${nowIn(drawing, sheet.active)}`}
    >
      {states.map((state) => (
        <State key={state.id} state={state} sheet={sheet} />
      ))}
      {initials.map(({ dot, stroke }, index) => (
        <g key={index} class="initial">
          <circle class="dot" cx={dot.x} cy={dot.y} r={DOT_RADIUS} />
          {stroke !== null && <Line stroke={stroke} />}
        </g>
      ))}
      {arrows.map(({ edges, strokes }, index) => (
        <g key={index} class={edges.some((edge) => sheet.taken.has(edge)) ? 'arrow taken' : 'arrow'} aria-hidden="true">
          {strokes.map((stroke, at) => (
            <Line key={at} stroke={stroke} />
          ))}
        </g>
      ))}
      {states
        .filter(({ isHeading }) => isHeading)
        .map((state) => (
          <g key={state.id} class={`heading ${classesOf(state, sheet)}`}>
            {state.blocks.map((block, index) => (
              <Lines key={index} block={block} sheet={sheet} />
            ))}
          </g>
        ))}
      {labels.map(({ chip, blocks }, index) => (
        <g key={index} class="label">
          <rect class="chip" {...chip} rx={6} />
          {blocks.map((block, at) => (
            <Lines key={at} block={block} sheet={sheet} />
          ))}
        </g>
      ))}
    </svg>
  );
}

function nowIn({ states }: Drawing, active: ReadonlySet<string>): string {
  const leaves = states.filter(({ id, isHeading }) => active.has(id) && !isHeading).map(({ key }) => key);
  return leaves.length === 0 ? 'no state' : leaves.join(' and ');
}

function classesOf({ id, classes }: DrawnState, { active }: Sheet): string {
  return active.has(id) ? `${classes} active` : classes;
}

function State({ state, sheet }: { readonly state: DrawnState; readonly sheet: Sheet }) {
  const { id, key, type, box, ring, history, isHeading, blocks, description } = state;
  const what = [type === 'atomic' ? 'state' : `${type} state`, key, ...(sheet.active.has(id) ? ['active'] : [])].join(
    ', ',
  );
  return (
    <g class={`state ${classesOf(state, sheet)}`} data-state={id} role="group" aria-label={what}>
      <title>{description === null ? id : `${id}\n${description}`}</title>
      {history === null ? (
        <rect class="box" {...box} rx={RADIUS} />
      ) : (
        <>
          <circle class="box" cx={box.x + box.width / 2} cy={box.y + box.height / 2} r={box.width / 2} />
          <text class="name" x={box.x + box.width / 2} y={box.y + box.height / 2 + 4.5} text-anchor="middle">
            {history}
          </text>
        </>
      )}
      {ring !== null && <rect class="ring" {...ring} rx={RADIUS - 2} />}
      {!isHeading && blocks.map((block, index) => <Lines key={index} block={block} sheet={sheet} />)}
    </g>
  );
}

function Lines({ block: { edge: id, hit, marks }, sheet }: { readonly block: Block; readonly sheet: Sheet }) {
  const edge = id === null ? undefined : sheet.edges.get(id);
  const text = marks.map((mark, index) => <MarkText key={index} mark={mark} />);
  if (edge === undefined || hit === null) return <>{text}</>;
  const { kind, event, text: words, leads, description } = edge;
  const isTaken = sheet.taken.has(edge.id);
  const sent = sendableBy(edge, sheet);
  const isButton = sent !== undefined;
  const send = () => isButton && sheet.onEvent(sent);
  const press = isButton
    ? {
        role: 'button' as const,
        tabindex: 0,
        onClick: send,
        onKeyDown: (pressed: KeyboardEvent) => pressedOn(pressed, send),
      }
    : { role: 'img' as const };
  return (
    <g
      class={`edge ${kind}${isTaken ? ' taken' : ''}`}
      data-edge={edge.id}
      data-event={event}
      aria-label={`${isButton ? 'Send ' : ''}${words}, ${leads}${isTaken ? ', taken last' : ''}`}
      {...press}
    >
      <title>{[words, leads, ...(description === null ? [] : [description])].join('\n')}</title>
      <rect class="hit" {...hit} rx={4} />
      {text}
    </g>
  );
}

function MarkText({ mark }: { readonly mark: DrawnMark }) {
  if (mark.kind === 'rule') return <line class="rule" x1={mark.from} x2={mark.to} y1={mark.y} y2={mark.y} />;
  const { kind, x, y, isCentred, pieces } = mark;
  return (
    <text class={kind} x={x} y={y} text-anchor={isCentred ? 'middle' : undefined}>
      {pieces.map(({ style, text }, index) => (
        <tspan
          key={index}
          class={style === 'plain' ? undefined : style === 'event' ? 'event-name' : style}
          dx={index === 0 ? undefined : SHIFT}
        >
          {index === 0 ? text : ` ${text}`}
        </tspan>
      ))}
    </text>
  );
}

function Line({ stroke: { line, head } }: { readonly stroke: Stroke }) {
  return (
    <>
      <path class="line" d={line} />
      {head !== null && <path class="head" d={head} />}
    </>
  );
}

function pressedOn(event: KeyboardEvent, act: () => void): void {
  if (event.key !== 'Enter' && event.key !== ' ') return;
  event.preventDefault();
  act();
}
