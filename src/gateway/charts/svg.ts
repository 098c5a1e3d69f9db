/**
 * A drawing as SVG. Active states and the last transition are marked by classes only, so that a page can change them
 * without redrawing. Every transition is an element with `data-edge` (its id) and `data-event`; arrows have
 * `data-edges`, a JSON list, and states `data-state`. All text is escaped; nothing is a link or a script.
 */
import {
  type Block,
  CORNER,
  type Drawing,
  drawingOf,
  type DrawnArrow,
  type DrawnEdge,
  type DrawnLabel,
  type DrawnState,
  type DrawnMark,
  SHIFT,
  type Stroke,
} from './drawing.ts';
import { type Box, DOT_RADIUS, type Geometry, type Point } from './geometry.ts';
import { type Chart } from './model.ts';
import { CHART_STYLE } from './style.ts';
import { xml } from './text.ts';

export interface SvgOptions {
  /** Ids of the active states; {@link activeStates} derives them from a state value. */
  readonly active?: ReadonlySet<string>;
  /** Id of the last transition. */
  readonly taken?: string;
  /** The title. Default: the machine's id. */
  readonly title?: string;
  /**
   * The use of the drawing. `file`: with style and size inside. `page`: without both, for a page that includes
   * CHART_STYLE. Default `file`.
   */
  readonly for?: 'file' | 'page';
  /** Event types whose transitions are buttons, because the page handles clicks on them. Default: none. */
  readonly buttons?: ReadonlySet<string>;
  /**
   * Prefix of the ids of title and description, which charts on one page must not share. Default: from the chart's
   * hash.
   */
  readonly idPrefix?: string;
}

interface SvgSheet {
  readonly drawing: Drawing;
  readonly edges: ReadonlyMap<string, DrawnEdge>;
  readonly options: SvgOptions;
}

export function svgOf(chart: Chart, geometry: Geometry, options: SvgOptions = {}): string {
  const drawing = drawingOf(chart, geometry);
  const sheet: SvgSheet = { drawing, edges: new Map(drawing.edges.map((edge) => [edge.id, edge])), options };
  const { width, height } = drawing;
  const { title = chart.id, idPrefix = `chart-${chart.hash}` } = options;
  const isFile = (options.for ?? 'file') === 'file';
  const ids = `${xml(idPrefix)}-title ${xml(idPrefix)}-desc`;
  const size = isFile ? ` width="${width}" height="${height}"` : '';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="bosun-chart" viewBox="0 0 ${width} ${height}"${size} ` +
      `role="group" aria-roledescription="statechart" aria-labelledby="${ids}">`,
    `<title id="${xml(idPrefix)}-title">${xml(title)}</title>`,
    `<desc id="${xml(idPrefix)}-desc">${xml(description(sheet))}</desc>`,
    ...(isFile ? [`<style>${CHART_STYLE}</style>`] : []),
    `<rect class="paper" width="${width}" height="${height}"/>`,
    ...drawing.states.map((state) => drawState(state, sheet)),
    ...drawing.initials.map(
      ({ dot, stroke }) =>
        `<g class="initial">${circle(dot, DOT_RADIUS, 'dot')}${stroke === null ? '' : drawStroke(stroke)}</g>`,
    ),
    ...drawing.arrows.map((arrow) => drawArrow(arrow, sheet)),
    // Drawn after the arrows that lead inside, so that text crossed by an arrow stays legible.
    ...drawing.states.filter(({ isHeading }) => isHeading).map((state) => drawHeading(state, sheet)),
    ...drawing.labels.map((label) => drawLabel(label, sheet)),
    '</svg>\n',
  ].join('\n');
}

function description({ drawing: { kind, states, edges }, options: { active } }: SvgSheet): string {
  const leaves = states.filter(({ id, isHeading }) => active?.has(id) === true && !isHeading);
  const counts =
    `${states.length} state${states.length === 1 ? '' : 's'}, ${edges.length} ` +
    `transition${edges.length === 1 ? '' : 's'}`;
  return [
    counts,
    ...(kind === 'listed' ? ['listed without arrows'] : []),
    ...(leaves.length === 0 ? [] : [`now in ${leaves.map(({ id }) => id).join(' and ')}`]),
  ].join('; ');
}

function drawState(state: DrawnState, sheet: SvgSheet): string {
  const { id, type, box, ring, history } = state;
  const what = [
    type === 'atomic' ? 'state' : `${type} state`,
    id,
    ...(sheet.options.active?.has(id) === true ? ['active'] : []),
  ].join(', ');
  const label = `role="group" aria-label="${xml(what)}"`;
  const open = `<g class="state ${classesOf(state, sheet)}" data-state="${xml(id)}" ${label}>`;
  const tooltip = `<title>${xml([id, ...(state.description === null ? [] : [state.description])].join('\n'))}</title>`;
  if (history !== null) return `${open}${tooltip}${historyMark(box, history)}</g>`;
  const inner = ring === null ? '' : rect(ring, 'ring', CORNER - 2);
  const blocks = state.isHeading ? '' : drawBlocks(state.blocks, sheet);
  return `${open}${tooltip}${rect(box, 'box', CORNER)}${inner}${blocks}</g>`;
}

function drawHeading(state: DrawnState, sheet: SvgSheet): string {
  return (
    `<g class="heading ${classesOf(state, sheet)}" ` +
    `data-state="${xml(state.id)}">${drawBlocks(state.blocks, sheet)}</g>`
  );
}

function classesOf({ id, classes }: DrawnState, { options: { active } }: SvgSheet): string {
  return active?.has(id) === true ? `${classes} active` : classes;
}

function historyMark(box: Box, text: string): string {
  const centre = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  return (
    `${circle(centre, box.width / 2, 'box')}<text class="name" x="${n(centre.x)}" y="${n(centre.y + 4.5)}" ` +
    `text-anchor="middle">${text}</text>`
  );
}

function drawArrow({ edges, strokes }: DrawnArrow, { options: { taken } }: SvgSheet): string {
  const isTaken = taken !== undefined && edges.includes(taken);
  return (
    `<g class="arrow${isTaken ? ' taken' : ''}" data-edges="${xml(JSON.stringify(edges))}" ` +
    `aria-hidden="true">${strokes.map(drawStroke).join('')}</g>`
  );
}

function drawLabel({ chip, blocks }: DrawnLabel, sheet: SvgSheet): string {
  return `<g class="label">${rect(chip, 'chip', 6)}${drawBlocks(blocks, sheet)}</g>`;
}

function drawBlocks(blocks: readonly Block[], sheet: SvgSheet): string {
  return blocks.map((block) => drawBlock(block, sheet)).join('');
}

function drawBlock({ edge: id, hit, marks }: Block, { edges, options: { taken, buttons } }: SvgSheet): string {
  const inside = `${hit === null ? '' : rect(hit, 'hit', 4)}${marks.map(drawMark).join(' ')}`;
  const edge = id === null ? undefined : edges.get(id);
  if (edge === undefined) return inside;
  const { kind, event, text, leads, description: note } = edge;
  const classes = `edge ${kind}${taken === id ? ' taken' : ''}`;
  const label = `${text}, ${leads}${taken === id ? ', taken last' : ''}`;
  const tooltip = `<title>${xml([text, leads, ...(note === null ? [] : [note])].join('\n'))}</title>`;
  const role = kind === 'event' && buttons?.has(event) === true ? 'button' : 'img';
  return (
    `<g class="${classes}" data-edge="${xml(edge.id)}" data-event="${xml(event)}" tabindex="0" role="${role}" ` +
    `aria-label="${xml(label)}">${tooltip}${inside}</g>`
  );
}

function drawMark(mark: DrawnMark): string {
  if (mark.kind === 'rule')
    return `<line class="rule" x1="${mark.from}" x2="${mark.to}" y1="${mark.y}" y2="${mark.y}"/>`;
  const spans = mark.pieces.map(({ style, text }, index) => {
    const name = style === 'plain' ? '' : ` class="${style === 'event' ? 'event-name' : style}"`;
    return `<tspan${name}${index === 0 ? '' : ` dx="${SHIFT}"`}>${xml(text)}</tspan>`;
  });
  return (
    `<text class="${mark.kind}" x="${mark.x}" ` +
    `y="${mark.y}"${mark.isCentred ? ' text-anchor="middle"' : ''}>${spans.join(' ')}</text>`
  );
}

function drawStroke({ line, head }: Stroke): string {
  return `<path class="line" d="${line}"/>${head === null ? '' : `<path class="head" d="${head}"/>`}`;
}

function rect({ x, y, width, height }: Box, name: string, radius: number): string {
  return `<rect class="${name}" x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" rx="${radius}"/>`;
}

function circle({ x, y }: Point, radius: number, name: string): string {
  return `<circle class="${name}" cx="${n(x)}" cy="${n(y)}" r="${n(radius)}"/>`;
}

/** Rounds to a tenth of a pixel, so that drawings are equal on every machine. */
function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}
