/**
 * The text in the box of a state and on an arrow, line by line, with its size. The layout uses the sizes and the
 * drawing the lines, so they agree. Lengths are in pixels of the drawing.
 */
import { CHART_LINES_MAX } from '../limits.ts';
import { type Chart, type ChartState, type ChartTransition } from './model.ts';
import { fixedWidth, nameWidth, shown, wrapped } from './text.ts';

/** A part of a line with a style of its own. */
export interface Piece {
  readonly style: 'word' | 'event' | 'guard' | 'action' | 'plain';
  readonly text: string;
}

export interface CardLine {
  readonly kind: 'name' | 'tags' | 'note' | 'rule' | 'row';
  readonly pieces: readonly Piece[];
  readonly height: number;
  /** The transition that the line describes. */
  readonly transition?: string;
}

export interface StateCard {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly CardLine[];
}

export const CARD_PADDING_X = 12;
export const CARD_PADDING_Y = 7;
export const LABEL_PADDING_X = 7;
export const LABEL_PADDING_Y = 4;
const HEIGHTS: Readonly<Record<CardLine['kind'], number>> = { name: 20, tags: 16, note: 15, rule: 9, row: 16 };
const CARD_WIDTH_MIN = 72;
const NOTE_LINES_MAX = 3;

/** Gap between two pieces of a line in pixels, and in columns for breaking lines. */
export const PIECE_GAP = 9;
const GAP_CHARS = 2;

/** Transitions by the state that they leave, and the transitions drawn as arrows, which are those with targets. */
export interface Wiring {
  readonly own: ReadonlyMap<string, readonly ChartTransition[]>;
}

export function wiringOf({ transitions }: Chart): Wiring {
  const own = new Map<string, ChartTransition[]>();
  for (const transition of transitions) {
    const list = own.get(transition.source);
    if (list === undefined) own.set(transition.source, [transition]);
    else list.push(transition);
  }
  return { own };
}

/** The text of a state. `listed`: transitions to other states are lines too, because no arrows are drawn. */
export function cardOf(state: ChartState, { own }: Wiring, arrows: 'drawn' | 'listed'): StateCard {
  const transitions = (own.get(state.id) ?? []).filter(
    ({ targets, kind }) => kind !== 'default' && (arrows === 'listed' || targets.length === 0),
  );
  const rows = [
    ...(arrows === 'listed' ? leadRows(state, own) : []),
    ...actionRows('entry', state.entry),
    ...actionRows('exit', state.exit),
    ...(state.initialActions.length > 0 ? actionRows('initial', state.initialActions) : []),
    ...limited(
      state.invokes.map(({ id, src }) =>
        row([word('invoke'), plain(shown(id === src || id.includes('.') ? src : `${id}: ${src}`))]),
      ),
    ),
    ...limited(transitions.flatMap((transition) => transitionRows(transition, own, arrows))),
  ];
  const lines = [
    line('name', [plain(shown(state.key))]),
    ...(state.tags.length > 0 ? [line('tags', [plain(shown(state.tags.map((tag) => `#${tag}`).join(' ')))])] : []),
    ...(state.description === null
      ? []
      : wrapped(state.description, NOTE_LINES_MAX).map((text) => line('note', [plain(text)]))),
    ...(rows.length > 0 ? [line('rule', []), ...rows] : []),
  ];
  const width = Math.max(CARD_WIDTH_MIN, ...lines.map(widthOf).map((wide) => wide + 2 * CARD_PADDING_X));
  return { width: Math.ceil(width), height: heightOf(lines) + 2 * CARD_PADDING_Y, lines };
}

/** Lines for the parts of a state that a drawing shows as dots and unlabelled lines. */
function leadRows({ id, type, history, initial }: ChartState, own: Wiring['own']): CardLine[] {
  const to = (target: string) => plain(shown(`\u2192 ${target}`));
  if (initial !== null) return [row([word('initial'), to(initial)])];
  if (type !== 'history') return [];
  return [row([word(`${history} history`), to((own.get(id) ?? []).flatMap(({ targets }) => targets).join(', '))])];
}

/** The label of an arrow: one or two lines for each of its transitions. */
export function labelOf(transitions: readonly ChartTransition[], { own }: Wiring): StateCard {
  const lines = limited(transitions.flatMap((transition) => transitionRows(transition, own, 'drawn')));
  if (lines.length === 0) return { width: 0, height: 0, lines };
  return {
    width: Math.ceil(Math.max(...lines.map(widthOf)) + 2 * LABEL_PADDING_X),
    height: heightOf(lines) + 2 * LABEL_PADDING_Y,
    lines,
  };
}

/** A transition as one line of plain text, not shortened: `TASK [hasBudget] / log`. */
export function transitionText(transition: ChartTransition, among: readonly ChartTransition[] = []): string {
  const { actions, isForbidden, reenter, isInternal, targets } = transition;
  const guard = guardOf(transition, among);
  return [
    triggerOf(transition)
      .map(({ text }) => text)
      .join(' '),
    ...(guard === null ? [] : [`[${guard}]`]),
    ...(actions.length === 0 ? [] : [`/ ${actions.join(', ')}`]),
    ...(isForbidden ? ['(forbidden)'] : reenter && !isInternal && targets.length > 0 ? ['(reenters)'] : []),
  ].join(' ');
}

function transitionRows(transition: ChartTransition, own: Wiring['own'], arrows: 'drawn' | 'listed'): CardLine[] {
  if (transition.kind === 'default') return [];
  const guard = guardOf(transition, own.get(transition.source) ?? []);
  const { actions, targets, isForbidden, reenter } = transition;
  const first: Piece[] = [
    ...triggerOf(transition).map((piece) => ({ ...piece, text: shown(piece.text) })),
    ...(guard === null ? [] : [{ style: 'guard', text: shown(`[${guard}]`) } as const]),
    ...(isForbidden ? [word('forbidden')] : []),
    ...(reenter && targets.length > 0 ? [word('reenter')] : []),
  ];
  const actionPiece: Piece[] =
    actions.length === 0 ? [] : [{ style: 'action', text: shown(`/ ${actions.join(', ')}`) }];
  const target: Piece[] =
    arrows === 'drawn' || targets.length === 0 ? [] : [plain(shown(`\u2192 ${targets.join(', ')}`))];
  return broken([...first, ...actionPiece, ...target]).map((pieces) => ({ ...row(pieces), transition: transition.id }));
}

/** Breaks pieces into lines. */
function broken(pieces: readonly Piece[]): Piece[][] {
  const lines: Piece[][] = [];
  let room = 0;
  for (const piece of pieces) {
    const { length } = [...piece.text];
    const last = lines.at(-1);
    if (last === undefined || length + GAP_CHARS > room) {
      lines.push([piece]);
      room = LINE_CHARS - length;
    } else {
      last.push(piece);
      room -= length + GAP_CHARS;
    }
  }
  return lines;
}

/** Columns at which lines are broken. A single piece may be longer. */
const LINE_CHARS = 36;

function triggerOf({ kind, about, delay }: ChartTransition): Piece[] {
  switch (kind) {
    case 'event':
      return [{ style: 'event', text: about }];
    case 'after':
      return [word('after'), plain(typeof delay === 'number' ? `${delay} ms` : String(delay))];
    case 'done':
    case 'error':
    case 'snapshot':
      return about === '' || about.includes('.') ? [word(kind)] : [word(kind), plain(about)];
    default:
      return [word(kind)];
  }
}

/** The guard as text. A later candidate without a guard is taken only if the earlier ones are not; its text says so. */
function guardOf({ id, event, guard }: ChartTransition, among: readonly ChartTransition[]): string | null {
  if (guard !== null) return guard;
  const first = among.find((other) => other.event === event);
  return first === undefined || first.id === id || first.guard === null ? null : 'else';
}

function actionRows(name: string, actions: readonly string[]): CardLine[] {
  if (actions.length === 0) return [];
  return broken([
    word(name),
    ...actions.map((action, index) => plain(`${shown(action)}${index < actions.length - 1 ? ',' : ''}`)),
  ])
    .slice(0, CHART_LINES_MAX)
    .map(row);
}

function limited(lines: readonly CardLine[]): CardLine[] {
  if (lines.length <= CHART_LINES_MAX) return [...lines];
  return [...lines.slice(0, CHART_LINES_MAX - 1), row([word(`and ${lines.length - CHART_LINES_MAX + 1} more`)])];
}

function line(kind: CardLine['kind'], pieces: readonly Piece[]): CardLine {
  return { kind, pieces, height: HEIGHTS[kind] };
}

function row(pieces: readonly Piece[]): CardLine {
  return line('row', pieces);
}

function word(text: string): Piece {
  return { style: 'word', text };
}

function plain(text: string): Piece {
  return { style: 'plain', text };
}

export function widthOf({ kind, pieces }: CardLine): number {
  const gaps = Math.max(0, pieces.length - 1) * PIECE_GAP;
  return pieces.reduce((sum, { text }) => sum + (kind === 'name' ? nameWidth(text) : fixedWidth(text)), gaps);
}

function heightOf(lines: readonly CardLine[]): number {
  return lines.reduce((sum, { height }) => sum + height, 0);
}
