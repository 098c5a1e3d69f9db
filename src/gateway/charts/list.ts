/**
 * The geometry of charts that are not drawn: boxes of states below each other, inside their parents, with transitions
 * as lines of text.
 */
import { CARD_PADDING_X, cardOf, wiringOf } from './cards.ts';
import { type Geometry, type PlacedState } from './geometry.ts';
import { type Chart, type ChartState, childrenOf } from './model.ts';

const GAP = 8;
const MARGIN = 12;

export function listGeometry(chart: Chart, because: Geometry['because']): Geometry {
  const wiring = wiringOf(chart);
  const children = childrenOf(chart);
  const place = (state: ChartState, x: number, y: number): PlacedState[] => {
    const { width, height } = cardOf(state, wiring, 'listed');
    const below: PlacedState[][] = [];
    let bottom = y + height;
    for (const child of children.get(state.id) ?? []) {
      const placed = place(child, x + MARGIN, bottom + (below.length === 0 ? 0 : GAP));
      below.push(placed);
      bottom = placed[0]!.y + placed[0]!.height;
    }
    const right = Math.max(x + width, ...below.map(([child]) => child!.x + child!.width + MARGIN));
    const own = {
      id: state.id,
      x,
      y,
      width: right - x,
      height: bottom - y + (below.length === 0 ? 0 : MARGIN),
      textX: x + CARD_PADDING_X,
    };
    return [own, ...below.flat()];
  };
  const states = (children.get(null) ?? []).flatMap((root) => place(root, MARGIN, MARGIN));
  const [root] = states;
  const { width = 0, height = 0 } = root ?? {};
  return {
    kind: 'listed',
    because,
    width: Math.ceil(width + 2 * MARGIN),
    height: Math.ceil(height + 2 * MARGIN),
    states,
    initials: [],
    arrows: [],
  };
}
