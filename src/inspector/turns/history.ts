/**
 * The turns that an actor has kept as steps to go through: what each took, which transitions it lights, and what it
 * made of the context, against the step before it. Pure.
 */
import type { KeptTurnView, ShownRows } from '../../gateway/protocol/views.ts';

export interface HistoryStep extends KeptTurnView {
  /** Ids of the chart's transitions, in the order in which they were taken. */
  readonly edges: readonly string[];
  /** What of the context differs from the step before; null where there is no step right before it. */
  readonly changes: readonly ContextChange[] | null;
}

/** `before` is absent where something is new, `after` where it is gone. */
export interface ContextChange {
  /** Keys and indexes from the context down; empty for all of it. */
  readonly path: readonly (string | number)[];
  readonly before?: unknown;
  readonly after?: unknown;
}

/** @param turns As `actor.history` gives them, oldest first. */
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

/** Of a table a context says the size alone. What a row was before is not kept. */
function rowChanges(rows: Readonly<Record<string, ShownRows>>): ContextChange[] {
  return Object.entries(rows).flatMap(([key, { set, unset }]) => [
    ...(typeof set === 'string'
      ? [{ path: [key], after: set }]
      : Object.entries(set).map(([row, after]) => ({ path: [key, row], after }))),
    ...unset.map((row) => ({ path: [key, row], before: 'a row' })),
  ]);
}

/**
 * Place of the step that is looked at: of the turn with this number; where that is kept no more, of the oldest. NaN is
 * the newest, whichever that is.
 */
export function placeIn(steps: readonly Pick<HistoryStep, 'number'>[], number: number): number {
  const place = steps.findIndex((step) => step.number >= number);
  return place < 0 ? steps.length - 1 : place;
}

/** What a step is called: the type of its event, or what else it was. */
export function titleOf({ event, kind }: Pick<HistoryStep, 'event' | 'kind'>): string {
  return event === null ? kind : kind === 'failed' ? `${event.type}, failed` : event.type;
}

/** `lines.0.sku`; for all of the context nothing. */
export function pathText(path: ContextChange['path']): string {
  return path.join('.');
}

/** What is different, as deep down as it goes. Items of lists are compared by their places. */
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
