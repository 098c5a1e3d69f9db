/**
 * The geometry of a chart, in pixels from its upper left corner: plain data, made by a layout and read by a drawing.
 */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface PlacedState extends Box {
  readonly id: string;
  /** Left edge of the text. In a state with children, it is placed so that no arrow crosses the text. */
  readonly textX: number;
}

/** The lines for all transitions from one state to the same targets. */
export interface PlacedArrow {
  readonly transitions: readonly string[];
  readonly lines: readonly (readonly Point[])[];
  /** The line from the source to the label, if the arrow forks there. */
  readonly lead: readonly Point[] | null;
  readonly label: Box | null;
}

export interface Geometry {
  /** Whether the chart is drawn, or `listed`: boxes below each other, without arrows. */
  readonly kind: 'drawn' | 'listed';
  /** Why the chart is not drawn; null if it is. */
  readonly because: 'size' | 'time' | 'load' | 'failure' | null;
  readonly width: number;
  readonly height: number;
  /** States in document order, so that children are drawn over their parents. */
  readonly states: readonly PlacedState[];
  /** The dot of each initial state, and the line from it. */
  readonly initials: readonly { readonly dot: Point; readonly line: readonly Point[] }[];
  readonly arrows: readonly PlacedArrow[];
}

export const DOT_RADIUS = 4.5;
