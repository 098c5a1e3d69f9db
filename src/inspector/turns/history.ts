/**
 * The kept turns of an actor as steps: the event of each, its transitions, and the changes of the context since the
 * step before. Pure.
 */
import type { KeptTurnView, ShownRows } from '../../gateway/protocol/views.ts';

export interface HistoryStep extends KeptTurnView {
  /** Ids of the chart's transitions, in the order in which they were taken. */
  readonly edges: readonly string[];
  /** Changes of the context since the step before; null if that is not kept. */
  readonly changes: readonly ContextChange[] | null;
}

/** A changed part of a context. `before` is absent for an added value, `after` for a removed one. */
export interface ContextChange {
  /** Keys and indexes in the context; empty for the whole context. */
  readonly path: readonly (string | number)[];
  readonly before?: unknown;
  readonly after?: unknown;
}

/**
 * Makes the steps of a history.
 *
 * @param turns As `actor.history` returns them, oldest first.
 */
export function stepsOf(turns: readonly KeptTurnView[]): HistoryStep[] {
  return turns.map((turn, index) => {
    const before = turns[index - 1];
    return {
      ...turn,
      edges: turn.microsteps.flat().map(({ edge }) => edge),
      changes:
        before?.number === turn.number - 1
          ? [...changesOf(before.context, turn.context), ...rowChanges(turn.change?.rows ?? {})]
          : null,
    };
  });
}

/** Changes of table rows. A context shows only a table's size, and earlier values of rows are not kept. */
function rowChanges(rows: Readonly<Record<string, ShownRows>>): ContextChange[] {
  return Object.entries(rows).flatMap(([key, { set, unset }]) => [
    ...(typeof set === 'string'
      ? [{ path: [key], after: set }]
      : Object.entries(set).map(([row, after]) => ({ path: [key, row], after }))),
    ...unset.map((row) => ({ path: [key, row], before: 'a row' })),
  ]);
}

/**
 * Index of the selected step: that of the turn with this number, or the oldest later one if it is no longer kept. NaN
 * selects the newest.
 */
export function placeIn(steps: readonly Pick<HistoryStep, 'number'>[], number: number): number {
  const place = steps.findIndex((step) => step.number >= number);
  return place < 0 ? steps.length - 1 : place;
}

/** Title of a step: the type of its event, or its kind. */
export function titleOf({ event, kind }: Pick<HistoryStep, 'event' | 'kind'>): string {
  return event === null ? kind : kind === 'failed' ? `${event.type}, failed` : event.type;
}

/** A path as text, `lines.0.sku`; empty for the whole context. */
export function pathText(path: ContextChange['path']): string {
  return path.join('.');
}

/** Finds the differences at the deepest possible level. Items of lists are compared by index. */
export function changesOf(before: unknown, after: unknown, path: ContextChange['path'] = []): ContextChange[] {
  if (Object.is(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) {
    return Array.from({ length: Math.max(before.length, after.length) }, (_, index) => index).flatMap((index) =>
      changeAt(before as readonly unknown[], after as readonly unknown[], [...path, index]),
    );
  }
  if (isRecord(before) && isRecord(after)) {
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
      changeAt(before, after, [...path, key]),
    );
  }
  return [{ path, before, after }];
}

function changeAt(before: object, after: object, path: ContextChange['path']): ContextChange[] {
  const key = path.at(-1)!;
  const [was, is] = [Object.hasOwn(before, key), Object.hasOwn(after, key)];
  const [old, now] = [
    (before as Record<string | number, unknown>)[key],
    (after as Record<string | number, unknown>)[key],
  ];
  if (was && is) return changesOf(old, now, path);
  return was ? [{ path, before: old }] : [{ path, after: now }];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
