/**
 * Where everything of a chart is, in pixels from its upper left corner: plain data, which a layout gives and a drawing
 * takes.
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
  /** Of the text, which in a state with children stands where no arrow crosses it. */
  readonly textX: number;
}

/** One line or several, for all transitions that lead from one state to the same others. */
export interface PlacedArrow {
  readonly transitions: readonly string[];
  readonly lines: readonly (readonly Point[])[];
  /** From the source to the label, where the arrow forks there. */
  readonly lead: readonly Point[] | null;
  readonly label: Box | null;
}

export interface Geometry {
  /** `listed`: boxes below each other, without arrows. */
  readonly kind: 'drawn' | 'listed';
  /** Why a chart is not drawn. */
  readonly because: 'size' | 'time' | 'load' | 'failure' | null;
  readonly width: number;
  readonly height: number;
  /** In document order, so that a later one is drawn upon those around it. */
  readonly states: readonly PlacedState[];
  /** Where an initial state is entered: the dot, and the line from it. */
  readonly initials: readonly { readonly dot: Point; readonly line: readonly Point[] }[];
  readonly arrows: readonly PlacedArrow[];
}

export const DOT_RADIUS = 4.5;
