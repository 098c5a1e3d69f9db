/**
 * A chart as it is drawn: boxes, paths and lines of text with their places, and descriptions of the edges. Plain data
 * for files and pages alike, which turn it into elements. Active states and the last transition are not part of it: the
 * renderer sets classes for them.
 */
import {
  CARD_PADDING_X,
  CARD_PADDING_Y,
  cardOf,
  LABEL_PADDING_X,
  LABEL_PADDING_Y,
  labelOf,
  type CardLine,
  type Piece,
  PIECE_GAP,
  transitionText,
  type Wiring,
  wiringOf,
} from './cards.ts';
import { type Box, type Geometry, type PlacedArrow, type PlacedState, type Point } from './geometry.ts';
import { type Chart, type ChartState, type ChartTransition, type TransitionKind } from './model.ts';
import { fixedWidth } from './text.ts';

/** A line of text, or a rule across a box. */
export type DrawnMark =
  | { readonly kind: 'rule'; readonly from: number; readonly to: number; readonly y: number }
  | {
      readonly kind: Exclude<CardLine['kind'], 'rule'>;
      readonly x: number;
      readonly y: number;
      readonly isCentred: boolean;
      readonly pieces: readonly Piece[];
    };

/** Marks that belong together. With an edge, the block is a button with the area `hit`. */
export interface Block {
  readonly edge: string | null;
  readonly hit: Box | null;
  readonly marks: readonly DrawnMark[];
}

export interface DrawnState {
  readonly id: string;
  readonly parent: string | null;
  readonly key: string;
  readonly type: ChartState['type'];
  readonly description: string | null;
  /** CSS classes: the state's type, and `root`, `group` or `region` if applicable. */
  readonly classes: string;
  readonly box: Box;
  /** The second border of a final state. */
  readonly ring: Box | null;
  /** The letter in the circle of a history state: `H` or `H*`. */
  readonly history: string | null;
  /** Whether its text is drawn above the arrows that lead to states inside it. */
  readonly isHeading: boolean;
  readonly blocks: readonly Block[];
}

/** A path, and the arrowhead at its end. */
export interface Stroke {
  readonly line: string;
  readonly head: string | null;
}

export interface DrawnArrow {
  readonly edges: readonly string[];
  readonly strokes: readonly Stroke[];
}

export interface DrawnLabel {
  readonly chip: Box;
  readonly blocks: readonly Block[];
}

/** The description of a transition. */
export interface DrawnEdge {
  readonly id: string;
  readonly kind: TransitionKind;
  /** Id of the source state. */
  readonly source: string;
  /** The event descriptor as XState matches it: a type, or a pattern such as `media.*`. */
  readonly event: string;
  /** The text of the transition, for example `TASK [hasBudget] / log`. */
  readonly text: string;
  /** The states that the transition connects: `from a to b`, or `in a`. */
  readonly leads: string;
  readonly description: string | null;
}

export interface Drawing {
  /** Whether the chart is drawn, or `listed`: boxes below each other, without arrows. */
  readonly kind: Geometry['kind'];
  /** Why the chart is not drawn; null if it is. */
  readonly because: Geometry['because'];
  readonly width: number;
  readonly height: number;
  readonly states: readonly DrawnState[];
  readonly initials: readonly { readonly dot: Point; readonly stroke: Stroke | null }[];
  readonly arrows: readonly DrawnArrow[];
  readonly labels: readonly DrawnLabel[];
  readonly edges: readonly DrawnEdge[];
}

interface DrawingParts {
  readonly geometry: Geometry;
  readonly wiring: Wiring;
  readonly states: ReadonlyMap<string, ChartState>;
  readonly transitions: ReadonlyMap<string, ChartTransition>;
}

export const CORNER = 7;
const HEAD = 7;

export function drawingOf(chart: Chart, geometry: Geometry): Drawing {
  const parts: DrawingParts = {
    geometry,
    wiring: wiringOf(chart),
    states: new Map(chart.states.map((state) => [state.id, state])),
    transitions: new Map(chart.transitions.map((transition) => [transition.id, transition])),
  };
  const { kind, because, width, height, states, initials, arrows } = geometry;
  return {
    kind,
    because,
    width,
    height,
    states: states.map((placed) => stateOf(placed, parts)),
    initials: initials.map(({ dot, line }) => ({
      dot: { x: tenth(dot.x), y: tenth(dot.y) },
      stroke: strokeOf(line, 'head'),
    })),
    arrows: arrows.map(arrowOf),
    labels: arrows.flatMap((arrow) => labelAt(arrow, parts)),
    edges: chart.transitions.map((transition) => edgeOf(transition, parts)),
  };
}

function stateOf(placed: PlacedState, parts: DrawingParts): DrawnState {
  const state = parts.states.get(placed.id)!;
  const { id, key, type, description } = state;
  const parent = state.parent === null ? undefined : parts.states.get(state.parent);
  const isHeading = type === 'compound' || type === 'parallel';
  const classes = [
    type,
    ...(parent === undefined ? ['root'] : []),
    ...(isHeading ? ['group'] : []),
    ...(parent?.type === 'parallel' ? ['region'] : []),
  ].join(' ');
  const history =
    type === 'history' && parts.geometry.kind === 'drawn' ? (state.history === 'deep' ? 'H*' : 'H') : null;
  const box = boxOf(placed);
  return {
    id,
    parent: state.parent,
    key,
    type,
    description,
    classes,
    box,
    ring: type === 'final' ? boxOf(inset(placed, 3)) : null,
    history,
    isHeading,
    blocks: history === null ? cardBlocks(placed, state, parts) : [],
  };
}

function cardBlocks(box: PlacedState, state: ChartState, { wiring, geometry, transitions }: DrawingParts): Block[] {
  const card = cardOf(state, wiring, geometry.kind);
  const isCentred =
    card.lines.length === 1 && state.type !== 'compound' && state.type !== 'parallel' && state.parent !== null;
  const edge = state.type === 'final' ? 4 : 1;
  let y = box.y + CARD_PADDING_Y;
  return card.lines.map((line): Block => {
    const top = y;
    y += line.height;
    if (line.kind === 'rule')
      return {
        edge: null,
        hit: null,
        marks: [{ kind: 'rule', from: tenth(box.x + edge), to: tenth(box.x + box.width - edge), y: tenth(top + 4) }],
      };
    const marks = [
      textAt(line, { x: isCentred ? box.x + box.width / 2 : box.textX, y: top + line.height - 5 }, isCentred),
    ];
    if (line.transition === undefined || !transitions.has(line.transition)) return { edge: null, hit: null, marks };
    const hit = boxOf({ x: box.textX - 4, y: top, width: card.width - 2 * CARD_PADDING_X + 8, height: line.height });
    return { edge: line.transition, hit, marks };
  });
}

function arrowOf({ lead, lines, transitions }: PlacedArrow): DrawnArrow {
  const bare = lead === null ? null : strokeOf(lead, 'bare');
  return {
    edges: transitions,
    strokes: [...(bare === null ? [] : [bare]), ...lines.flatMap((points) => strokeOf(points, 'head') ?? [])],
  };
}

function labelAt({ label, transitions }: PlacedArrow, parts: DrawingParts): DrawnLabel[] {
  if (label === null) return [];
  const all = transitions.map((id) => parts.transitions.get(id)!);
  const blocks = new Map<string | undefined, { top: number; bottom: number; marks: DrawnMark[] }>();
  let y = label.y + LABEL_PADDING_Y;
  for (const line of labelOf(all, parts.wiring).lines) {
    const mark = textAt(line, { x: label.x + LABEL_PADDING_X, y: y + line.height - 5 }, false);
    const block = blocks.get(line.transition);
    if (block === undefined) blocks.set(line.transition, { top: y, bottom: y + line.height, marks: [mark] });
    else Object.assign(block, { bottom: y + line.height, marks: [...block.marks, mark] });
    y += line.height;
  }
  const placed = [...blocks].map(([edge, { top, bottom, marks }]): Block => {
    if (edge === undefined) return { edge: null, hit: null, marks };
    return { edge, hit: boxOf({ x: label.x + 2, y: top, width: label.width - 4, height: bottom - top }), marks };
  });
  return [{ chip: boxOf(label), blocks: placed }];
}

function edgeOf(transition: ChartTransition, { wiring }: DrawingParts): DrawnEdge {
  const { id, kind, event, source, targets, description } = transition;
  const leads = targets.length === 0 ? `in ${source}` : `from ${source} to ${targets.join(', ')}`;
  return { id, kind, source, event, text: transitionText(transition, wiring.own.get(source)), leads, description };
}

function textAt({ kind, pieces }: CardLine, { x, y }: Point, isCentred: boolean): DrawnMark {
  return { kind: kind as Exclude<CardLine['kind'], 'rule'>, x: tenth(x), y: tenth(y), isCentred, pieces };
}

/**
 * Pixels by which a piece is shifted after the space before it. The space is there so that copied, searched and spoken
 * text has separate words.
 */
export const SHIFT = tenth(PIECE_GAP - fixedWidth(' '));

/** A path with rounded corners; `end` says whether it has an arrowhead. */
function strokeOf(points: readonly Point[], end: 'head' | 'bare'): Stroke | null {
  if (points.length < 2) return null;
  const tip = points.at(-1)!;
  const back = towards(tip, points.at(-2)!, HEAD);
  const neck = end === 'bare' ? tip : towards(tip, back, HEAD * 0.8);
  const line = [...points.slice(0, -1), neck]
    .map((point, index, all) => (index === 0 ? `M${tenth(point.x)} ${tenth(point.y)}` : corner(all, index)))
    .join('');
  if (end === 'bare') return { line, head: null };
  const [across, along] = [(tip.y - back.y) / 2, (tip.x - back.x) / 2];
  const head = [tip, { x: back.x - across, y: back.y + along }, { x: back.x + across, y: back.y - along }];
  return {
    line,
    head: `${head.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${tenth(x)} ${tenth(y)}`).join('')}Z`,
  };
}

function corner(points: readonly Point[], index: number): string {
  const at = points[index]!;
  const next = points[index + 1];
  if (next === undefined) return `L${tenth(at.x)} ${tenth(at.y)}`;
  const before = points[index - 1]!;
  const radius = Math.min(CORNER, distance(before, at) / 2, distance(at, next) / 2);
  const from = towards(at, before, radius);
  const to = towards(at, next, radius);
  return `L${tenth(from.x)} ${tenth(from.y)}Q${tenth(at.x)} ${tenth(at.y)} ${tenth(to.x)} ${tenth(to.y)}`;
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

function boxOf({ x, y, width, height }: Box): Box {
  return { x: tenth(x), y: tenth(y), width: tenth(width), height: tenth(height) };
}

/** Rounds to a tenth of a pixel, so that drawings are equal on every machine. */
function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
