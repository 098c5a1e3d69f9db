/**
 * Draws a chart: its geometry, and the lines of text that the geometry has room for. What is active and what was taken last
 * only sets classes, so that a page can change them without another drawing. Every transition is an element of its own
 * with `data-edge` (its id) and `data-event`; arrows have `data-edges`, a list as JSON, and states `data-state`. All text is
 * escaped, nothing is a link or a script.
 */
import { CARD_PADDING_X, CARD_PADDING_Y, cardOf, LABEL_PADDING_X, LABEL_PADDING_Y, labelOf, type Line, type Piece, PIECE_GAP, transitionText, type Wiring, wiringOf } from './cards.ts';
import { type Box, DOT_RADIUS, type Geometry, type PlacedArrow, type PlacedState, type Point } from './geometry.ts';
import { type Chart, type ChartState, type ChartTransition } from './model.ts';
import { CHART_STYLE } from './style.ts';
import { fixedWidth, xml } from './text.ts';

export interface SvgOptions {
  /** Ids of the states that are active; {@link activeStates} has them of a state value. */
  readonly active?: ReadonlySet<string>;
  /** Id of the transition that was taken last. */
  readonly taken?: string;
  /** What stands in for the title. Default: the machine's id. */
  readonly title?: string;
  /** `file`: with its style and its size inside. `page`: without, for a page that has CHART_STYLE. Default `file`. */
  readonly for?: 'file' | 'page';
  /** Event types whose transitions are buttons, because the page does something when they are pressed. Default: none. */
  readonly buttons?: ReadonlySet<string>;
  /** Before the ids of the title and the description: charts on one page must not share any. Default: of the chart's hash. */
  readonly idPrefix?: string;
}

interface Drawing {
  readonly chart: Chart;
  readonly geometry: Geometry;
  readonly options: SvgOptions;
  readonly wiring: Wiring;
  readonly transitions: ReadonlyMap<string, ChartTransition>;
  readonly states: ReadonlyMap<string, ChartState>;
}

const CORNER = 7;
const HEAD = 7;

export function svgOf(chart: Chart, geometry: Geometry, options: SvgOptions = {}): string {
  const drawing: Drawing = {
    chart,
    geometry,
    options,
    wiring: wiringOf(chart),
    transitions: new Map(chart.transitions.map((transition) => [transition.id, transition])),
    states: new Map(chart.states.map((state) => [state.id, state])),
  };
  const { width, height } = geometry;
  const { title = chart.id, idPrefix = `chart-${chart.hash}` } = options;
  const isFile = (options.for ?? 'file') === 'file';
  const ids = `${xml(idPrefix)}-title ${xml(idPrefix)}-desc`;
  const size = isFile ? ` width="${width}" height="${height}"` : '';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="bosun-chart" viewBox="0 0 ${width} ${height}"${size} role="group" aria-roledescription="statechart" aria-labelledby="${ids}">`,
    `<title id="${xml(idPrefix)}-title">${xml(title)}</title>`,
    `<desc id="${xml(idPrefix)}-desc">${xml(description(drawing))}</desc>`,
    ...(isFile ? [`<style>${CHART_STYLE}</style>`] : []),
    `<rect class="paper" width="${width}" height="${height}"/>`,
    ...geometry.states.map((placed) => drawState(placed, drawing)),
    ...geometry.initials.map(({ dot, line }) => `<g class="initial">${circle(dot, DOT_RADIUS, 'dot')}${arrow(line)}</g>`),
    ...geometry.arrows.map((placed) => drawLines(placed, drawing)),
    // Above the arrows that lead to states inside: where one has to go through the text, the text stays legible.
    ...geometry.states.map((placed) => drawHeading(placed, drawing)).filter((text) => text !== ''),
    ...geometry.arrows.map((placed) => drawLabel(placed, drawing)),
    '</svg>\n',
  ].join('\n');
}

function description({ chart, options: { active }, geometry: { kind } }: Drawing): string {
  const { states, transitions } = chart;
  const leaves = states.filter(({ id, type }) => active?.has(id) === true && type !== 'compound' && type !== 'parallel');
  const counts = `${states.length} state${states.length === 1 ? '' : 's'}, ${transitions.length} transition${transitions.length === 1 ? '' : 's'}`;
  return [counts, ...(kind === 'listed' ? ['listed without arrows'] : []), ...(leaves.length === 0 ? [] : [`now in ${leaves.map(({ id }) => id).join(' and ')}`])].join('; ');
}

function drawState(placed: PlacedState, drawing: Drawing): string {
  const { geometry, options, states } = drawing;
  const state = states.get(placed.id)!;
  const what = [state.type === 'atomic' ? 'state' : `${state.type} state`, state.id, ...(options.active?.has(state.id) === true ? ['active'] : [])].join(', ');
  const open = `<g class="state ${classesOf(state, drawing)}" data-state="${xml(state.id)}" role="group" aria-label="${xml(what)}">`;
  const tooltip = `<title>${xml([state.id, ...(state.description === null ? [] : [state.description])].join('\n'))}</title>`;
  if (state.type === 'history' && geometry.kind === 'drawn') return `${open}${tooltip}${historyMark(placed, state)}</g>`;
  const ring = state.type === 'final' ? rect(inset(placed, 3), 'ring', CORNER - 2) : '';
  return `${open}${tooltip}${rect(placed, 'box', CORNER)}${ring}${hasHeading(state) ? '' : cardText(placed, state, drawing)}</g>`;
}

function drawHeading(placed: PlacedState, drawing: Drawing): string {
  const state = drawing.states.get(placed.id)!;
  return hasHeading(state) ? `<g class="heading ${classesOf(state, drawing)}" data-state="${xml(state.id)}">${cardText(placed, state, drawing)}</g>` : '';
}

function hasHeading({ type }: ChartState): boolean {
  return type === 'compound' || type === 'parallel';
}

function classesOf(state: ChartState, { options, states }: Drawing): string {
  const parent = state.parent === null ? undefined : states.get(state.parent);
  return [
    state.type,
    ...(parent === undefined ? ['root'] : []),
    ...(hasHeading(state) ? ['group'] : []),
    ...(parent?.type === 'parallel' ? ['region'] : []),
    ...(options.active?.has(state.id) === true ? ['active'] : []),
  ].join(' ');
}

function historyMark(box: Box, { history }: ChartState): string {
  const centre = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  return `${circle(centre, box.width / 2, 'box')}<text class="name" x="${n(centre.x)}" y="${n(centre.y + 4.5)}" text-anchor="middle">${history === 'deep' ? 'H*' : 'H'}</text>`;
}

function cardText(box: PlacedState, state: ChartState, drawing: Drawing): string {
  const card = cardOf(state, drawing.wiring, drawing.geometry.kind);
  const isCentred = card.lines.length === 1 && !hasHeading(state) && state.parent !== null;
  const edge = state.type === 'final' ? 4 : 1;
  let y = box.y + CARD_PADDING_Y;
  const parts = card.lines.map((line) => {
    const top = y;
    y += line.height;
    if (line.kind === 'rule') return `<line class="rule" x1="${n(box.x + edge)}" x2="${n(box.x + box.width - edge)}" y1="${n(top + 4)}" y2="${n(top + 4)}"/>`;
    const x = isCentred ? box.x + box.width / 2 : box.textX;
    const text = textOf(line, { x, y: top + line.height - 5 }, isCentred ? ' text-anchor="middle"' : '');
    const transition = line.transition === undefined ? undefined : drawing.transitions.get(line.transition);
    if (transition === undefined) return text;
    const room = { x: box.textX - 4, y: top, width: card.width - 2 * CARD_PADDING_X + 8, height: line.height };
    return edgeGroup(transition, drawing, `${rect(room, 'hit', 4)}${text}`);
  });
  return parts.join('');
}

function drawLines({ lead, lines, transitions }: PlacedArrow, { options: { taken } }: Drawing): string {
  const isTaken = taken !== undefined && transitions.includes(taken);
  return `<g class="arrow${isTaken ? ' taken' : ''}" data-edges="${xml(JSON.stringify(transitions))}" aria-hidden="true">${lead === null ? '' : arrow(lead, 'bare')}${lines.map((points) => arrow(points)).join('')}</g>`;
}

function drawLabel({ label, transitions }: PlacedArrow, drawing: Drawing): string {
  if (label === null) return '';
  const all = transitions.map((id) => drawing.transitions.get(id)!);
  let y = label.y + LABEL_PADDING_Y;
  const byTransition = new Map<string, { top: number; lines: string[]; bottom: number }>();
  for (const line of labelOf(all, drawing.wiring).lines) {
    const text = textOf(line, { x: label.x + LABEL_PADDING_X, y: y + line.height - 5 }, '');
    const key = line.transition ?? '';
    const block = byTransition.get(key);
    if (block === undefined) byTransition.set(key, { top: y, lines: [text], bottom: y + line.height });
    else Object.assign(block, { lines: [...block.lines, text], bottom: y + line.height });
    y += line.height;
  }
  const blocks = [...byTransition].map(([id, { top, lines, bottom }]) => {
    const transition = drawing.transitions.get(id);
    const inside = `${rect({ x: label.x + 2, y: top, width: label.width - 4, height: bottom - top }, 'hit', 4)}${lines.join(' ')}`;
    return transition === undefined ? lines.join('') : edgeGroup(transition, drawing, inside);
  });
  return `<g class="label">${rect(label, 'chip', 6)}${blocks.join('')}</g>`;
}

function edgeGroup(transition: ChartTransition, { options: { taken, buttons }, wiring }: Drawing, inside: string): string {
  const { id, event, kind, source, targets, description: note } = transition;
  const isButton = kind === 'event' && buttons?.has(event) === true;
  const text = transitionText(transition, wiring.own.get(source));
  const leads = targets.length === 0 ? `in ${source}` : `from ${source} to ${targets.join(', ')}`;
  const classes = `edge ${kind}${taken === id ? ' taken' : ''}`;
  const label = `${text}, ${leads}${taken === id ? ', taken last' : ''}`;
  const tooltip = `<title>${xml([text, leads, ...(note === null ? [] : [note])].join('\n'))}</title>`;
  const role = isButton ? 'button' : 'img';
  return `<g class="${classes}" data-edge="${xml(id)}" data-event="${xml(event)}" tabindex="0" role="${role}" aria-label="${xml(label)}">${tooltip}${inside}</g>`;
}

function textOf({ kind, pieces }: Line, { x, y }: Point, attributes: string): string {
  // A space is a part of the gap: without it what is copied, found and read aloud would be one word.
  const spans = pieces.map((piece, index) => `<tspan${classOf(piece)}${index === 0 ? '' : ` dx="${n(PIECE_GAP - fixedWidth(' '))}"`}>${xml(piece.text)}</tspan>`);
  return `<text class="${kind}" x="${n(x)}" y="${n(y)}"${attributes}>${spans.join(' ')}</text>`;
}

function classOf({ style }: Piece): string {
  return style === 'plain' ? '' : ` class="${style === 'event' ? 'event-name' : style}"`;
}

/** With rounded corners, and a head at its end. */
function arrow(points: readonly Point[], end: 'head' | 'bare' = 'head'): string {
  if (points.length < 2) return '';
  const tip = points.at(-1)!;
  const back = towards(tip, points.at(-2)!, HEAD);
  const neck = end === 'bare' ? tip : towards(tip, back, HEAD * 0.8);
  const path = [...points.slice(0, -1), neck].map((point, index, all) => (index === 0 ? `M${n(point.x)} ${n(point.y)}` : corner(all, index))).join('');
  if (end === 'bare') return `<path class="line" d="${path}"/>`;
  const [across, along] = [(tip.y - back.y) / 2, (tip.x - back.x) / 2];
  const head = [tip, { x: back.x - across, y: back.y + along }, { x: back.x + across, y: back.y - along }];
  return `<path class="line" d="${path}"/><path class="head" d="${head.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${n(x)} ${n(y)}`).join('')}Z"/>`;
}

function corner(points: readonly Point[], index: number): string {
  const at = points[index]!;
  const next = points[index + 1];
  if (next === undefined) return `L${n(at.x)} ${n(at.y)}`;
  const before = points[index - 1]!;
  const radius = Math.min(CORNER, distance(before, at) / 2, distance(at, next) / 2);
  const from = towards(at, before, radius);
  const to = towards(at, next, radius);
  return `L${n(from.x)} ${n(from.y)}Q${n(at.x)} ${n(at.y)} ${n(to.x)} ${n(to.y)}`;
}

function towards(from: Point, to: Point, length: number): Point {
  const whole = distance(from, to) || 1;
  return { x: from.x + ((to.x - from.x) * length) / whole, y: from.y + ((to.y - from.y) * length) / whole };
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function inset({ x, y, width, height }: Box, by: number): Box {
  return { x: x + by, y: y + by, width: width - 2 * by, height: height - 2 * by };
}

function rect({ x, y, width, height }: Box, name: string, radius: number): string {
  return `<rect class="${name}" x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" rx="${radius}"/>`;
}

function circle({ x, y }: Point, radius: number, name: string): string {
  return `<circle class="${name}" cx="${n(x)}" cy="${n(y)}" r="${n(radius)}"/>`;
}

/** A tenth of a pixel is enough, and the same on every machine. */
function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}
