/**
 * A chart as a graph for the Eclipse Layout Kernel (ELK), and the graph that it returns as geometry. Ids are numbers,
 * so that names of states never reach ELK. A transition from a state to one inside it has no line from the border,
 * which would cross the state's own text: its label is a node inside the state, from which the arrow starts.
 */
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import { CARD_PADDING_X, type StateCard, cardOf, labelOf, type Wiring, wiringOf } from './cards.ts';
import { type Box, DOT_RADIUS, type Geometry, type PlacedArrow, type PlacedState, type Point } from './geometry.ts';
import { type Chart, type ChartState, type ChartTransition, childrenOf } from './model.ts';

export const HISTORY_SIZE = 26;
const INNER_PADDING = 14;
const MARGIN = 12;

/** Options of every graph. They are repeated on every node with children, because ELK does not inherit them. */
const OPTIONS: Readonly<Record<string, string>> = {
  'elk.algorithm': 'layered',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.direction': 'DOWN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.cycleBreaking.strategy': 'DEPTH_FIRST',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.spacing.nodeNodeBetweenLayers': '26',
  'elk.layered.spacing.edgeNodeBetweenLayers': '14',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '10',
  'elk.spacing.nodeNode': '26',
  'elk.spacing.edgeNode': '16',
  'elk.spacing.edgeEdge': '12',
  'elk.spacing.edgeLabel': '4',
  'elk.spacing.labelNode': '6',
  'elk.spacing.nodeSelfLoop': '14',
  'elk.spacing.componentComponent': '26',
  'elk.json.edgeCoords': 'ROOT',
  'elk.json.shapeCoords': 'ROOT',
  'elk.randomSeed': '1',
};

interface GraphArrow {
  readonly source: ChartState;
  readonly targets: readonly string[];
  readonly transitions: readonly ChartTransition[];
  readonly label: StateCard;
  /** The node that contains the label, at which the arrow starts or forks; null if there is none. */
  readonly labelIn: string | null;
}

/** A chart with the data that both conversions need. */
export interface GraphPlan {
  readonly chart: Chart;
  readonly numbers: ReadonlyMap<string, number>;
  readonly cards: ReadonlyMap<string, StateCard>;
  readonly arrows: readonly GraphArrow[];
}

export function planOf(chart: Chart): GraphPlan {
  const wiring = wiringOf(chart);
  const numbers = new Map(chart.states.map(({ id }, index) => [id, index]));
  const cards = new Map(chart.states.map((state) => [state.id, cardOf(state, wiring, 'drawn')]));
  return { chart, numbers, cards, arrows: arrowsOf(chart, wiring) };
}

export function graphOf(plan: GraphPlan): ElkNode {
  const { chart, arrows, numbers } = plan;
  const children = childrenOf(chart);
  const node = (state: ChartState): ElkNode => {
    const id = `s${numbers.get(state.id)!}`;
    if (state.type === 'history') return { id, width: HISTORY_SIZE, height: HISTORY_SIZE };
    const { width, height } = plan.cards.get(state.id)!;
    const inside = children.get(state.id) ?? [];
    if (inside.length === 0) return { id, width, height };
    const initial = state.initial === null ? [] : [dotNode(id)];
    const labels = arrows.flatMap((arrow, index) => (arrow.labelIn === state.id ? [labelNode(arrow, index)] : []));
    const [top, rest] = [height + INNER_PADDING, INNER_PADDING];
    const padding = `[top=${top},left=${rest},bottom=${rest},right=${rest}]`;
    const layoutOptions = {
      ...OPTIONS,
      'elk.padding': padding,
      'elk.nodeSize.constraints': 'MINIMUM_SIZE',
      'elk.nodeSize.minimum': `(${width},${height})`,
    };
    return { id, layoutOptions, children: [...initial, ...labels, ...inside.map(node)] };
  };
  const initials = chart.states.flatMap((state): ElkExtendedEdge[] =>
    state.initial === null
      ? []
      : [
          {
            id: `i${numbers.get(state.id)!}`,
            sources: [`ds${numbers.get(state.id)!}`],
            targets: [`s${numbers.get(state.initial)!}`],
          },
        ],
  );
  const roots = (children.get(null) ?? []).map(node);
  return {
    id: 'chart',
    layoutOptions: { ...OPTIONS, 'elk.padding': `[top=${MARGIN},left=${MARGIN},bottom=${MARGIN},right=${MARGIN}]` },
    children: roots,
    edges: [...initials, ...arrows.flatMap((arrow, index) => edgesOf(arrow, index, numbers))],
  };
}

export function geometryOf(plan: GraphPlan, graph: ElkNode): Geometry {
  const nodes = new Map<string, Box>();
  const edges = new Map<string, ElkExtendedEdge>();
  collect(graph, nodes, edges);
  const { chart, arrows, numbers } = plan;
  const placedArrows = arrows.map((arrow, index): PlacedArrow => {
    const own = arrow.targets.flatMap((_, nth) => edges.get(`a${index}.${nth}`) ?? []);
    const lead = edges.get(`a${index}.in`);
    return {
      transitions: arrow.transitions.map(({ id }) => id),
      lead: lead === undefined ? null : linesOf(lead).flat(),
      lines: own.flatMap(linesOf),
      label: labelBox(arrow, index, own, nodes),
    };
  });
  const initials = chart.states.flatMap((state) => {
    if (state.initial === null) return [];
    const number = numbers.get(state.id)!;
    const dot = nodes.get(`ds${number}`)!;
    return [
      { dot: { x: dot.x + dot.width / 2, y: dot.y + dot.height / 2 }, line: linesOf(edges.get(`i${number}`)!).flat() },
    ];
  });
  const verticals = [
    ...placedArrows.flatMap(({ lines, lead }) => [...lines, lead ?? []]),
    ...initials.map(({ line }) => line),
  ].flatMap(verticalsOf);
  const states = chart.states.map(({ id }): PlacedState => {
    const box = nodes.get(`s${numbers.get(id)!}`)!;
    return { id, ...box, textX: textX(box, plan.cards.get(id)!, verticals) };
  });
  return {
    kind: 'drawn',
    because: null,
    width: Math.ceil(graph.width ?? 0),
    height: Math.ceil(graph.height ?? 0),
    states,
    initials,
    arrows: placedArrows,
  };
}

function arrowsOf(chart: Chart, wiring: Wiring): GraphArrow[] {
  const byId = new Map(chart.states.map((state) => [state.id, state]));
  const groups = new Map<string, ChartTransition[]>();
  for (const transition of chart.transitions) {
    if (transition.targets.length === 0) continue;
    const key = JSON.stringify([transition.source, transition.targets]);
    groups.set(key, [...(groups.get(key) ?? []), transition]);
  }
  return [...groups.values()].map((transitions): GraphArrow => {
    const { source: id, targets } = transitions[0]!;
    const source = byId.get(id)!;
    const label = labelOf(transitions, wiring);
    const isDownwards = targets.every((target) => target !== id && ancestorsOf(target, byId).includes(id));
    const labelIn =
      label.width === 0 ? null : isDownwards ? id : targets.length > 1 ? commonAncestor([id, ...targets], byId) : null;
    return { source, targets, transitions, label, labelIn };
  });
}

/** The state and its ancestors, from the state to the root. */
function ancestorsOf(id: string, byId: ReadonlyMap<string, ChartState>): string[] {
  const path: string[] = [];
  let at: string | null = id;
  while (at !== null) {
    path.push(at);
    at = byId.get(at)!.parent;
  }
  return path;
}

/** The innermost state that contains all of them; the root if one of them is the root. */
function commonAncestor(ids: readonly string[], byId: ReadonlyMap<string, ChartState>): string {
  const [first, ...rest] = ids.map((id) => ancestorsOf(id, byId).slice(1));
  return first!.find((ancestor) => rest.every((path) => path.includes(ancestor))) ?? ancestorsOf(ids[0]!, byId).at(-1)!;
}

function dotNode(parent: string): ElkNode {
  return {
    id: `d${parent}`,
    width: 2 * DOT_RADIUS,
    height: 2 * DOT_RADIUS,
    layoutOptions: { 'elk.layered.layering.layerConstraint': 'FIRST' },
  };
}

function labelNode({ label: { width, height } }: GraphArrow, index: number): ElkNode {
  return { id: `l${index}`, width, height };
}

function edgesOf(
  { source, targets, label, labelIn }: GraphArrow,
  index: number,
  numbers: ReadonlyMap<string, number>,
): ElkExtendedEdge[] {
  const from = `s${numbers.get(source.id)!}`;
  const to = targets.map((target) => `s${numbers.get(target)!}`);
  if (labelIn === null) {
    const labels =
      label.width === 0
        ? []
        : [
            {
              id: `t${index}`,
              text: 'x',
              width: label.width,
              height: label.height,
              layoutOptions: { 'elk.edgeLabels.inline': 'true' },
            },
          ];
    return to.map((target, nth) => ({
      id: `a${index}.${nth}`,
      sources: [from],
      targets: [target],
      labels: nth === 0 ? labels : [],
    }));
  }
  const out = to.map((target, nth) => ({ id: `a${index}.${nth}`, sources: [`l${index}`], targets: [target] }));
  return labelIn === source.id ? out : [{ id: `a${index}.in`, sources: [from], targets: [`l${index}`] }, ...out];
}

function labelBox(
  { labelIn, label }: GraphArrow,
  index: number,
  own: readonly ElkExtendedEdge[],
  nodes: ReadonlyMap<string, Box>,
): Box | null {
  if (label.width === 0) return null;
  if (labelIn !== null) return nodes.get(`l${index}`)!;
  const { x = 0, y = 0 } = own[0]!.labels![0]!;
  return { x, y, width: label.width, height: label.height };
}

function collect(node: ElkNode, nodes: Map<string, Box>, edges: Map<string, ElkExtendedEdge>): void {
  const { x = 0, y = 0, width = 0, height = 0 } = node;
  nodes.set(node.id, { x, y, width, height });
  for (const edge of node.edges ?? []) edges.set(edge.id, edge);
  for (const child of node.children ?? []) collect(child, nodes, edges);
}

function linesOf({ sections = [] }: ElkExtendedEdge): Point[][] {
  return sections.map(({ startPoint, bendPoints = [], endPoint }) =>
    [startPoint, ...bendPoints, endPoint].map(({ x, y }) => ({ x, y })),
  );
}

interface Vertical {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

function verticalsOf(line: readonly Point[]): Vertical[] {
  return line.slice(1).flatMap((to, index) => {
    const from = line[index]!;
    return Math.abs(from.x - to.x) > 0.5
      ? []
      : [{ x: to.x, top: Math.min(from.y, to.y), bottom: Math.max(from.y, to.y) }];
  });
}

/** The leftmost place where the text fits between the vertical lines that cross it; the left edge if there is none. */
function textX(box: Box, card: StateCard, verticals: readonly Vertical[]): number {
  const left = box.x + CARD_PADDING_X;
  const right = box.x + box.width - CARD_PADDING_X;
  const width = card.width - 2 * CARD_PADDING_X;
  const crossing = verticals
    .filter(
      ({ x, top, bottom }) =>
        x > box.x + 1 && x < box.x + box.width - 1 && top < box.y + card.height && bottom > box.y + 1,
    )
    .map(({ x }) => x)
    .sort((a, b) => a - b);
  let start = left;
  for (const x of crossing) {
    if (x - start >= width + CLEARANCE) break;
    start = Math.max(start, x + CLEARANCE);
  }
  return start + width <= right ? start : left;
}

const CLEARANCE = 8;
